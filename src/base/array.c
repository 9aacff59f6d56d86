#include "base/array.h"

#include <stdlib.h>
#include <string.h>

bool array_grow(void *array, size_t *room, size_t n, size_t element_size)
{
	size_t more = *room ? *room * 2 : 16, bytes;
	void *at;

	if (n < *room)
		return true;
	memcpy(&at, array, sizeof at);		/* T ** is no void ** */
	if (__builtin_mul_overflow(more, element_size, &bytes))
		return false;
	at = realloc(at, bytes);
	if (!at)
		return false;
	memcpy(array, &at, sizeof at);
	*room = more;
	return true;
}
