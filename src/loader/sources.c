/* Whose a source file is; see sources.h. */
#include "loader/sources.h"

#include <stddef.h>
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
