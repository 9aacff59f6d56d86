#include "http/web.h"

#include <errno.h>

static void web_freep(struct http_web **web)
{
	http_web_free(*web);
}

int http_web_new(struct web_config *config, struct http_web **ret, struct text *error)
{
	CLEANUP(web_freep) struct http_web *web = calloc(1, sizeof *web);
	int r = 0;

	if (!web) {
		text_addf(error, "%s: no memory", config->path);
		web_config_free(config);
		return -ENOMEM;
	}
	web->config = config;
	if (config->has_tls)
		r = http_tls_new(config, &web->tls, error);
	if (!r)
		*ret = pointer_steal(&web);
	return r;
}

void http_web_free(struct http_web *web)
{
	if (!web)
		return;
	http_tls_unref(web->tls);
	web_config_free(web->config);
	free(web);
}
