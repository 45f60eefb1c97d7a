/* The names of checks, see names.h. */
#include "observe/check/names.h"

#include <string.h>

#include "isa/error.h"

enum penrose_status check_names(const char *names, bool does[CHECKS], struct penrose_error *error)
{
    static const char *const known[CHECKS] = {
        [CHECK_NOC] = "noc",       [CHECK_BUFFERS] = "cb",    [CHECK_RACES] = "races",
        [CHECK_MEMORY] = "memory", [CHECK_UNINIT] = "uninit",
    };
    size_t length;
    for (const char *name = names;; name += length + 1) {
        length = strcspn(name, ",");
        bool is_all = length == 3 && strncmp(name, "all", 3) == 0, is_known = is_all;
        for (unsigned i = 0; i < CHECKS; i++) {
            bool is_it = strlen(known[i]) == length && strncmp(name, known[i], length) == 0;
            does[i] |= is_all || is_it;
            is_known |= is_it;
        }
        if (!is_known) {
            return error_set(error, PENROSE_E_ARGUMENT,
                             "no check '%.*s'; there are noc, cb, races, memory, uninit and all",
                             (int)(length < 40 ? length : 40), name);
        }
        if (!name[length]) {
            return PENROSE_OK;
        }
    }
}
