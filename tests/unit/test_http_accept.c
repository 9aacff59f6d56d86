/* http/accept.c: what clients really send, and what they might. */
#include "http/accept.h"

#include "base/cleanup.h"
#include "unit.h"

struct wish {
	const char *header;
	bool is_wanted;
};

static const struct wish openmetrics[] = {
	{ NULL, false },
	{ "", false },
	{ "*/*", false },		/* curl, wget */
	{ "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", false },	/* a browser */
	/* Prometheus 2.42, 2.53 and 3.5, of which the last two would rather have protobuf, or UTF-8 names */
	{ "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
	  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", true },
	{ "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,"
	  "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,"
	  "text/plain;version=0.0.4;q=0.3,*/*;q=0.2", true },
	{ "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,"
	  "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2", true },
	{ "application/openmetrics-text", true },
	{ "APPLICATION/OpenMetrics-Text ; Version=\"1.0.0\" ; Q=0.001", true },
	{ "application/openmetrics-text;version=0.0.1", false },
	{ "application/openmetrics-text;version=2.0.0", false },
	{ "application/openmetrics-text;q=0", false },
	{ "application/openmetrics-text;q=0.000, */*", false },
	{ "application/openmetrics-text;q=0.4, text/plain;q=0.5", false },
	{ "text/plain;q=0.5, application/openmetrics-text;q=0.5", false },
	{ "application/openmetrics-text;q=0.5, text/plain;q=0.5", true },
	{ "*/*, application/openmetrics-text", true },		/* of equal quality: the one that has its name */
	{ "*/*;q=0.9, text/plain;q=0.1, application/openmetrics-text;q=0.2", true },
	{ "application/*", false },
	{ "application/openmetrics-text;q=2", false },
	{ "application/openmetrics-text;q=-1", false },
	{ "application/openmetrics-text;q=1.0001", false },
	{ "application/openmetrics-text;q=nan", false },
	{ "application/openmetrics-text;q=", false },
	{ "application/openmetrics-text;x=\"a,b;q=0\"", true },
	{ "text/x;y=\"\\\", application/openmetrics-text", false },	/* a quote that never ends */
	{ ",,;;,;q=1,= ,\t,", false },
};

static const struct wish gzip[] = {
	{ NULL, false },
	{ "", false },
	{ "gzip", true },		/* Prometheus */
	{ "gzip, deflate, br, zstd", true },
	{ "deflate", false },
	{ "x-gzip", true },
	{ "GZIP;q=0.5", true },
	{ "gzip;q=0", false },
	{ "*", true },
	{ "*;q=0", false },
	{ "gzip;q=0, *", false },
	{ "*;q=0, gzip", true },
	{ "identity", false },
	{ "identity, gzip;q=0.5", false },
	{ "identity;q=0.5, gzip;q=1.0", true },
	{ "identity;q=0, gzip;q=0.001", true },
	{ "gzipx", false },
	{ "gzip;q=0.0001", false },
};

static void the_format_is_the_one_that_is_asked_for(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(openmetrics); i++)
		if (accept_openmetrics(openmetrics[i].header) != openmetrics[i].is_wanted)
			fail_msg("%s", openmetrics[i].header);
}

static void gzip_is_for_those_who_take_it(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(gzip); i++)
		if (accept_gzip(gzip[i].header) != gzip[i].is_wanted)
			fail_msg("%s", gzip[i].header);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_format_is_the_one_that_is_asked_for),
		cmocka_unit_test(gzip_is_for_those_who_take_it),
	};

	return cmocka_run_group_tests_name("http_accept", tests, NULL, NULL);
}
