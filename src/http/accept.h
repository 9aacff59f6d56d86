/* What a client would take, as its Accept and Accept-Encoding say it: RFC 9110, clauses 12.4.2, 12.5.1 and 12.5.3. */
#pragma once

#include <stdbool.h>

/* OpenMetrics 1.0.0 is wanted rather than text format 0.0.4. It is only for who asks for it by name; who takes neither
 * gets text, too, as Prometheus's own exporters do it. NULL: there is no such header. */
bool accept_openmetrics(const char *accept);

/* gzip is wanted rather than the bytes as they are. NULL: there is no such header. */
bool accept_gzip(const char *accept_encoding);
