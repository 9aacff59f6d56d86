/* tls_server_config of a web configuration. */
#pragma once

#include "http/web_yaml.h"

/* As of struct web_key. */
int web_read_tls(struct web_reader *, void *to);
