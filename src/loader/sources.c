/* Users' own source files and others; see sources.h. */
#include "loader/sources.h"

#include <stdio.h>
#include <string.h>

/* Parts of paths, as tt-metal 0.60 to 0.81, its wheel ttnn, and compilers install them. */
static const char *const of_others[] = {
    "/tt_metal/hw/", /* inc, firmware, ckernels */
    "/tt_metal/include/",
    "/tt_metal/api/",
    "/tt_metal/hostdevcommon/",
    "/hostdevcommon/api/",
    "/tt_metal/tools/profiler/",
    "/tt_metal/fabric/hw/",
    "/tt_llk_", /* tt_llk_blackhole, in tt-llk or third_party */
    "/tt-llk/common/",
    "/sfpi/",
    "/include/c++/",
    "/lib/gcc/",
    "/lib/clang/",
    "/usr/include/",
    "/newlib/",
    "/libgcc/",
    "/rustc/",
    "/rustlib/src/rust/",
    "/.cargo/registry/",
};

bool loader_is_own_source(const char *file)
{
    for (size_t i = 0; i < sizeof of_others / sizeof of_others[0]; i++) {
        if (strstr(file, of_others[i])) {
            return false;
        }
    }
    return true;
}

/* Which calls a line has room for, as bits. */
static uint32_t choose_calls(const struct loader_call *call, unsigned calls)
{
    enum { OWN = 4 };
    uint32_t chosen = calls > 0 ? 1 | UINT32_C(1) << (calls - 1) : 0;
    unsigned own = 0;
    for (unsigned i = calls; i-- > 0;) { /* the outermost of the user's own first */
        if (loader_is_own_source(call[i].file) && own++ < OWN) {
            chosen |= UINT32_C(1) << i;
        }
    }
    return chosen;
}

void loader_calls_text(const struct loader_call *call, unsigned calls, bool has_folders, char *text,
                       size_t size)
{
    _Static_assert(LOADER_MAX_CALLS <= 32, "a bit for each");
    uint32_t chosen = choose_calls(call, calls);
    size_t used = 0;
    *text = 0;
    for (unsigned i = 0; i < calls && used < size; i++) {
        const char *slash = has_folders ? NULL : strrchr(call[i].file, '/');
        if (chosen >> i & 1) {
            used += (size_t)snprintf(text + used, size - used, "%s%s:%u",
                                     i == 0 ? ", inlined at " : ", ",
                                     slash ? slash + 1 : call[i].file, call[i].line);
        }
    }
}
