/* Structs that begin with their size. */
#include <string.h>

#include "api/api.h"
#include "isa/error.h"

enum penrose_status api_take_sized(const void *given, void *own, size_t least, const char *name,
                                   struct penrose_error *error)
{
    size_t size, most;
    memcpy(&size, given, sizeof size);
    memcpy(&most, own, sizeof most);
    if (size < least) {
        return error_set(error, PENROSE_E_ARGUMENT, "%s.size is %zu; set it to sizeof(struct %s)",
                         name, size, name);
    }
    for (size_t i = most; i < size; i++) {
        if (((const char *)given)[i]) {
            return error_set(error, PENROSE_E_ARGUMENT,
                             "byte %zu of struct %s is set, of which this version of the library "
                             "knows %zu bytes",
                             i, name, most);
        }
    }
    memcpy(own, given, size < most ? size : most);
    memcpy(own, &most, sizeof most);
    return PENROSE_OK;
}
