/* The page at /: what this is, and where to go. */
#include "exporter/expose.h"

static void add_escaped(struct text *out, const char *string)
{
	char clean[1024];

	text_printable(string, clean, sizeof clean);
	for (const char *c = clean; *c; c++)
		switch (*c) {
		case '&':
			text_add(out, "&amp;");
			break;
		case '<':
			text_add(out, "&lt;");
			break;
		case '>':
			text_add(out, "&gt;");
			break;
		case '"':
			text_add(out, "&quot;");
			break;
		default:
			text_add_bytes(out, c, 1);
		}
}

static const char style[] =
	"<style>\n"
	":root { color-scheme: light dark; }\n"
	"body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }\n"
	"[role=alert] { border: 2px solid #b35900; border-radius: 4px; padding: .5rem .75rem; }\n"
	"</style>\n";

void expose_index(struct expose *e, struct text *out)
{
	const char *path = e->fleet->options->telemetry_path;
	size_t n[N_DEVICE_SOURCES] = { 0 }, n_missing = ledgers_count_missing(e->fleet->ledgers);

	for (size_t i = 0; i < e->fleet->drives.n; i++)
		if (!e->fleet->drives.at[i]->is_excluded)
			n[e->fleet->drives.at[i]->source]++;
	text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>drive_exporter</title>\n");
	text_add(out, style);
	text_add(out, "</head>\n<body>\n<h1>drive_exporter</h1>\n");
	text_addf(out, "<p>Version %s. Prometheus metrics for the health, wear and errors of drives.</p>\n", PACKAGE_VERSION);
	if (n[SOURCE_REPLAY])
		text_addf(out, "<p role=\"alert\"><strong>Replayed: %zu of these drives come out of captures. "
			       "They are not drives of this host.</strong></p>\n", n[SOURCE_REPLAY]);
	text_addf(out, "<p>Drives: %zu", n[SOURCE_HOST] + n[SOURCE_REPLAY]);
	if (n_missing)
		text_addf(out, ", and <strong>%zu missing</strong>", n_missing);
	text_add(out, "</p>\n<ul>\n<li><a href=\"");
	add_escaped(out, path);
	text_add(out, "\">Metrics</a></li>\n<li><a href=\"/-/healthy\">Healthy</a></li>\n<li><a href=\"/-/ready\">Ready</a></li>\n"
		      "</ul>\n</body>\n</html>\n");
}
