"""Headers by which kernels of early 2026 compile with ttnn 0.81.1, whose API for kernels has other names."""
import pathlib
import tempfile

import ttnn

COMPUTE = pathlib.Path(ttnn.__file__).parents[1] / "ttnn" / "tt_metal" / "hw" / "inc" / "api" / "compute"

# What the old functions set up is in two now: the hardware once, and the operation.
NAMES = """\
#pragma once
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/matmul.h"
namespace ckernel {
ALWI void binary_op_init_common(uint32_t a, uint32_t b, uint32_t out) { compute_kernel_hw_startup(a, b, out); }
ALWI void add_tiles_init(uint32_t a, uint32_t b, bool accumulate = false) { add_init(a, b, accumulate); }
ALWI void sub_tiles_init(uint32_t a, uint32_t b, bool accumulate = false) { sub_init(a, b, accumulate); }
ALWI void mul_tiles_init(uint32_t a, uint32_t b) { mul_init(a, b); }
template <BroadcastType type>
ALWI void unary_bcast_init(uint32_t in, uint32_t out)
{
    compute_kernel_hw_startup(in, out);
    unary_bcast_init<type>(in);
}
ALWI void mm_init_short(uint32_t a, uint32_t b, uint32_t transpose = 0) { matmul_init(a, b, transpose); }
ALWI void mm_init(uint32_t a, uint32_t b, uint32_t out, uint32_t transpose = 0)
{
    compute_kernel_hw_startup<SrcOrder::Reverse>(a, b, out);
    matmul_init(a, b, transpose);
}
ALWI void mm_block_init_short(uint32_t a, uint32_t b, uint32_t transpose = 0, uint32_t columns = 1,
                              uint32_t rows = 1, uint32_t inner = 1)
{
    matmul_block_init(a, b, transpose, columns, rows, inner);
}
ALWI void mm_block_init(uint32_t a, uint32_t b, uint32_t out, uint32_t transpose = 0, uint32_t columns = 1,
                        uint32_t rows = 1, uint32_t inner = 1)
{
    compute_kernel_hw_startup<SrcOrder::Reverse>(a, b, out);
    matmul_block_init(a, b, transpose, columns, rows, inner);
}
}
"""
# tt-lang 1.1.1 includes these two in all kernels.
BUFFER = """\
#pragma once
#include "api/dataflow/circular_buffer.h"
namespace experimental {
using ::CircularBuffer;
}
#ifdef COMPILE_FOR_TRISC
#include "old_names.h"
#endif
"""
PROFILER = """\
#pragma once
#include "api/debug/kernel_profiler.hpp"
"""


def folder():
    """A folder to search for headers: with those of compute kernels by their old paths, and the old names."""
    made = pathlib.Path(tempfile.mkdtemp(prefix="old-api-"))
    (made / "old_names.h").write_text(NAMES)
    for name, text in (("experimental/circular_buffer.h", BUFFER), ("tools/profiler/kernel_profiler.hpp", PROFILER)):
        (made / name).parent.mkdir(parents=True)
        (made / name).write_text(text)
    for header in COMPUTE.rglob("*.h"):
        name = header.relative_to(COMPUTE)
        here = made / name if name.name == "compute_kernel_api.h" else made / "compute_kernel_api" / name
        here.parent.mkdir(parents=True, exist_ok=True)
        here.write_text(f'#pragma once\n#include "api/compute/{name}"\n#include "old_names.h"\n')
    return str(made)
