#include "exporter/html.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char none[] = "<span class=\"none\"><span aria-hidden=\"true\">–</span><span class=\"heard\">not known</span></span>";

/* ---- text */

static const char *escape_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void html_add(struct text *out, const char *string)
{
	char clean[1024];

	text_printable(string, clean, sizeof clean);
	for (const char *c = clean; *c; c++) {
		const char *escape = escape_of(*c);

		if (escape)
			text_add(out, escape);
		else
			text_add_bytes(out, c, 1);
	}
}

void html_add_or_none(struct text *out, const char *string)
{
	if (*string)
		html_add(out, string);
	else
		text_add(out, none);
}

void html_add_path(struct text *out, const char *string)
{
	for (; *string; string++) {
		if (isalnum((unsigned char)*string) || strchr("-._~", *string))
			text_add_bytes(out, string, 1);
		else
			text_addf(out, "%%%02X", (unsigned char)*string);
	}
}

/* ---- the page */

/* Colours differ by at least 4.5 : 1 from what is behind them (WCAG 2.2, 1.4.3), in both schemes. */
static const char style[] =
	":root{color-scheme:light dark;--bg:#fff;--card:#f6f8fa;--fg:#1b1f24;--soft:#57606a;--line:#d0d7de;--link:#0550ae;"
	"--bad:#a40e26;--warn:#7a4a00;--good:#1a6b34;--idle:#44507a;--badbg:#ffebe9;--warnbg:#fff3d6;--goodbg:#e3f6e8;--idlebg:#e9ecf8;"
	"--fill:#3b6fb6;--over:#a40e26}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#0f1318;--card:#171d24;--fg:#e6edf3;--soft:#9aa7b4;--line:#303a45;--link:#79b8ff;"
	"--bad:#ff9b93;--warn:#f2c063;--good:#7fd99a;--idle:#b3c0ff;--badbg:#3a1618;--warnbg:#35270b;--goodbg:#11301b;--idlebg:#1e2440;"
	"--fill:#6aa3ea;--over:#ff9b93}}\n"
	"*{box-sizing:border-box}\n"
	"body{font:15px/1.45 system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;margin:0;background:var(--bg);color:var(--fg)}\n"
	"header,main,footer{max-width:84rem;margin:0 auto;padding:0 1.25rem}\nheader{padding-top:1.25rem}\nfooter{padding-bottom:2rem;color:var(--soft)}\n"
	"h1{font-size:1.5rem;margin:.25rem 0 .5rem;overflow-wrap:anywhere}\nh2{font-size:1.1rem;margin:2rem 0 .5rem}\n"
	"a{color:var(--link)}\na:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}\n"
	".skip,.heard{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}\n"
	".skip:focus{width:auto;height:auto;clip-path:none;padding:.5rem;background:var(--bg);z-index:1}\n"
	".soft,.none,caption{color:var(--soft)}\n.num{text-align:right;white-space:nowrap}\n"
	"table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
	"caption{text-align:left;padding:.25rem 0}\nth{text-align:left;font-weight:600;color:var(--soft);font-size:.87rem}\n"
	"th.num{text-align:right}\nth,td{padding:.5rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}\n"
	"tbody th{font-weight:400;color:var(--fg);font-size:inherit}\n"
	"td small,th small{display:block;color:var(--soft);font-size:.83rem;overflow-wrap:anywhere}\n"
	".tag{display:inline-block;padding:.05rem .45rem;border-radius:.6rem;font-size:.83rem;font-weight:600;white-space:nowrap;"
	"background:var(--idlebg);color:var(--idle)}\n.bad{background:var(--badbg);color:var(--bad)}\n.warn{background:var(--warnbg);color:var(--warn)}\n"
	".good{background:var(--goodbg);color:var(--good)}\n"
	".why{margin:.25rem 0 0;padding:0;list-style:none;font-size:.87rem}\n.why li{padding-left:.8em;text-indent:-.8em}\n"
	".bar{display:block;height:.45rem;min-width:6rem;margin-top:.3rem;border-radius:.25rem;background:var(--line);overflow:hidden}\n"
	".bar span{display:block;height:100%;background:var(--fill)}\n.bar .over{background:var(--over)}\n"
	".note{border:1px solid var(--warn);border-left-width:4px;border-radius:4px;background:var(--warnbg);color:var(--fg);padding:.5rem .75rem}\n"
	".scroll{overflow-x:auto}\n.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.5rem 1.5rem;margin:0}\n"
	".grid div{border-bottom:1px solid var(--line);padding:.25rem 0}\ndt{color:var(--soft);font-size:.83rem}\ndd{margin:0;overflow-wrap:anywhere;"
	"font-variant-numeric:tabular-nums}\n"
	"svg{display:block;width:100%;max-width:46rem;height:auto}\nsvg text{fill:var(--soft);font-size:12px}\n"
	".op{display:block}\n@media(min-width:52.01rem){.cards{font-size:.93rem}.cards td:nth-child(2){min-width:8.7rem;max-width:9rem;overflow-wrap:anywhere}"
	".cards td:nth-child(3){min-width:13rem}.cards th:first-child{min-width:11rem;max-width:13rem;overflow-wrap:anywhere}}\n"
	"@media(max-width:52rem){.cards thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\n"
	".cards,.cards tbody,.cards tr,.cards td,.cards th,.cards caption{display:block;width:100%}\n"
	".cards tr{border:1px solid var(--line);border-radius:8px;background:var(--card);padding:.6rem .8rem;margin:.75rem 0}\n"
	".cards td,.cards tbody th{border:0;padding:.2rem 0;display:grid;grid-template-columns:8.5rem 1fr;gap:.5rem;text-align:left}\n"
	".cards td::before{content:attr(data-label);color:var(--soft);font-size:.87rem}\n.cards tbody th{display:block;font-size:1.05rem}\n}\n";

void html_begin(struct text *out, const char *title, bool is_home)
{
	text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
	html_add(out, title);
	text_add(out, "</title>\n<style>\n");
	text_add(out, style);
	text_add(out, "</style>\n</head>\n<body>\n<header>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n");
	if (!is_home)
		text_add(out, "<nav aria-label=\"Pages\"><a href=\"/\">All drives</a></nav>\n");
	text_add(out, "</header>\n<main id=\"main\" tabindex=\"-1\">\n<h1>");
	html_add(out, title);
	text_add(out, "</h1>\n");
}

void html_end(struct text *out)
{
	text_add(out, "</footer>\n</body>\n</html>\n");
}

/* ---- numbers */

static const char dash[] = "–";

/* Three digits say enough. */
static void three_digits(double value, const char *unit, char out[HTML_NUMBER_MAX])
{
	snprintf(out, HTML_NUMBER_MAX, "%.*f %s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, unit);
}

const char *html_bytes(double bytes, char out[HTML_NUMBER_MAX])
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	size_t unit = 0;

	if (isnan(bytes))
		return dash;
	while (fabs(bytes) >= 999.5 && unit + 1 < ARRAY_SIZE(units)) {
		bytes /= 1000;
		unit++;
	}
	if (unit)
		three_digits(bytes, units[unit], out);
	else
		snprintf(out, HTML_NUMBER_MAX, "%.0f B", bytes);
	return out;
}

const char *html_percent(double ratio, char out[HTML_NUMBER_MAX])
{
	double percent = ratio * 100;

	if (isnan(ratio))
		return dash;
	snprintf(out, HTML_NUMBER_MAX, "%.*f %%", percent > 0 && percent < 9.95 && percent != floor(percent), percent);
	return out;
}

const char *html_duration(double seconds, char out[HTML_NUMBER_MAX])
{
	static const struct {
		double from, by;
		const char *unit;
		int digits;
	} units[] = { { 730 * 86400.0, 365 * 86400.0, "years", 1 }, { 2 * 86400.0, 86400, "days", 0 }, { 7200, 3600, "hours", 0 },
		      { 120, 60, "minutes", 0 }, { -INFINITY, 1, "s", 0 } };

	if (isnan(seconds))
		return dash;
	if (seconds > 0 && seconds < 1)
		return html_latency(seconds, out);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (seconds >= units[i].from) {
			snprintf(out, HTML_NUMBER_MAX, "%.*f %s", units[i].digits, seconds / units[i].by, units[i].unit);
			break;
		}
	return out;
}

const char *html_latency(double seconds, char out[HTML_NUMBER_MAX])
{
	if (isnan(seconds))
		return dash;
	if (seconds < 1e-3)
		three_digits(seconds * 1e6, "µs", out);
	else if (seconds < 1)
		three_digits(seconds * 1e3, "ms", out);
	else
		three_digits(seconds, "s", out);
	return out;
}

const char *html_celsius(double celsius, char out[HTML_NUMBER_MAX])
{
	if (isnan(celsius))
		return dash;
	snprintf(out, HTML_NUMBER_MAX, "%.0f °C", celsius);
	return out;
}

const char *html_time(double seconds, bool with_clock, char out[HTML_NUMBER_MAX])
{
	struct tm tm;
	time_t t;

	if (isnan(seconds) || fabs(seconds) > 1e11)
		return dash;
	t = (time_t)seconds;
	if (!gmtime_r(&t, &tm) || !strftime(out, HTML_NUMBER_MAX, with_clock ? "%Y-%m-%d %H:%M" : "%Y-%m-%d", &tm))
		return dash;
	return out;
}

/* Thousands apart, by a space that does not break. */
const char *html_number(double value, char out[HTML_NUMBER_MAX])
{
	char plain[HTML_NUMBER_MAX];
	size_t n, digits = 0;
	char *to = out;

	if (isnan(value))
		return dash;
	if (isinf(value) || value != floor(value) || fabs(value) >= 1e15) {
		snprintf(out, HTML_NUMBER_MAX, isinf(value) ? "∞" : "%.6g", value);
		return out;
	}
	snprintf(plain, sizeof plain, "%.0f", fabs(value));
	n = strlen(plain);
	if (value < 0)
		to = stpcpy(to, "−");
	for (size_t i = 0; i < n; i++) {
		digits = n - i;
		if (i && digits % 3 == 0)
			to = stpcpy(to, "\u202f");
		*to++ = plain[i];
	}
	*to = 0;
	return out;
}
