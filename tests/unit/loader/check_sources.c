/* loader/sources.h: whose a source file is. */
#include "loader/sources.h"

#include "unit/test.h"

static const struct {
    const char *file;
    bool is_own;
} files[] = {
    {"/home/u/kernels/compute.cpp", true},
    {"compute.cpp", true},
    {"/home/u/.cache/tt-metal-cache/1/kernels/k/2/ncrisc/kernel_includes.hpp", true},
    {"/home/u/tt-metal/ttnn/cpp/ttnn/operations/eltwise/kernels/compute/add.cpp", true},
    {"/home/u/tt-metal/tt_metal/programming_examples/add/kernels/compute/add.cpp", true},
    {"/home/u/tt-llk/tests/sources/matmul_test.cpp", true},
    {"/home/u/tt-metal/tt_metal/hw/inc/api/dataflow/dataflow_api.h", false},
    {"/project/tt_metal/hw/firmware/src/tt-1xx/trisck.cc", false},
    {"/v/site-packages/ttnn/tt_metal/hw/ckernels/blackhole/metal/llk_api/llk_math.h", false},
    {"/home/u/tt-llk/tt_llk_blackhole/llk_lib/llk_math_matmul.h", false},
    {"/home/u/tt-metal/tt_metal/include/compute_kernel_api/matmul.h", false},
    {"/opt/tenstorrent/sfpi/include/sfpi.h", false},
    {"/opt/tenstorrent/sfpi/compiler/riscv-tt-elf/include/c++/15.1.0/array", false},
    {"/usr/lib/gcc/riscv64-unknown-elf/12.2.0/include/stdint.h", false},
    {"/rustc/9fc6b431/library/core/src/ptr/mod.rs", false},
};

TEST_EACH(own_sources_are_known, COUNT(files))
{
    ck_assert_msg(loader_is_own_source(files[_i].file) == files[_i].is_own, "%s", files[_i].file);
}
