#include "host/array.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

bool array_grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return true;
    }
    void *elements; /* of whatever type: all pointers look alike */
    memcpy(&elements, array, sizeof elements);
    size_t wanted = *room ? 2 * *room : FIRST_ROOM;
    elements = realloc(elements, wanted * size);
    if (elements) {
        memcpy(array, &elements, sizeof elements);
        *room = wanted;
    }
    return elements;
}
