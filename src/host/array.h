/* Arrays that grow. */
#ifndef HOST_ARRAY_H
#define HOST_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes sure that an array has room for an element behind the `count` that it has, by doubling its
 * room where it is used up. `array` is the address of the pointer to the elements, `*room` how many of
 * them it has room for, `size` the bytes of one. Without memory it changes nothing and returns false.
 */
bool array_grow(void *array, size_t count, size_t *room, size_t size);

#endif
