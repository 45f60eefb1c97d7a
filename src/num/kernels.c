/* Which set of kernels a host can run, see kernels.h. */
#include "num/kernels.h"

#include <string.h>

#include "num/kernel_sets.h"

#if NUM_HAS_X86_KERNELS
static bool host_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool host_has_avx512(void)
{
    return host_has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq");
}
#endif

static bool host_has_all(void)
{
    return true;
}

/* Fastest first. */
static const struct {
    const struct num_kernels *kernels;
    bool (*runs_here)(void);
} sets[] = {
#if NUM_HAS_X86_KERNELS
    {&num_kernels_avx512, host_has_avx512},
    {&num_kernels_avx2, host_has_avx2},
#endif
    {&num_kernels_reference, host_has_all},
};

const struct num_kernels *num_kernels_find(const char *name)
{
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        if ((!name || strcmp(name, sets[i].kernels->name) == 0) && sets[i].runs_here()) {
            return sets[i].kernels;
        }
    }
    return NULL;
}
