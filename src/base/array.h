/* Arrays that grow. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Room for one more than the n elements that *(T **)array holds; *room is how many it has room for. False: no memory, and
 * all is as it was. */
bool array_grow(void *array, size_t *room, size_t n, size_t element_size);

/* The same, sizes taken from the array's type. */
#define ARRAY_GROW(array, room, n) array_grow(&(array), &(room), (n), sizeof *(array))
