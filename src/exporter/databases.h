/* What is known of drives beforehand: smartmontools' data bases, where they are installed or --drivedb.path says they are, and the
 * catalogue of rated figures. */
#pragma once

#include "exporter/options.h"
#include "exporter/reload.h"
#include "health/catalogue.h"

struct databases;

/* Reads them and puts them to use. One that is missing is left out; one that is broken too, with a line logged that names
 * file, line and reason: the built-in table stands. NULL only without memory. */
struct databases *databases_load(const struct options *);
/* Reads them anew at each SIGHUP. Those in use stay where the new ones are broken. 0 or a negative errno. */
int databases_watch(struct databases *, struct reload *);
void databases_free(struct databases *);	/* before the reload */

/* Calls is_new() now, and whenever there is another catalogue: the one before is freed when it returns. */
void databases_tell_catalogue(struct databases *, void (*is_new)(void *context, struct catalogue *), void *context);
/* NULL: there is none. */
const struct catalogue *databases_catalogue(const struct databases *);

/* One at least is in use. */
bool databases_are_up(const struct databases *);
