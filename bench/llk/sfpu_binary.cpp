/*
 * An operation of two tiles by the Vector Unit, measured as the rows of add_binary_tile and its like were: zones
 * INIT and TILE_LOOP, one call of LLK a tile, Dst in blocks.
 *
 * It is compiled three times, once for each thread, against the LLK of the ttnn wheel.
 */
#include <algorithm>
#include <cstdint>

#include "ckernel.h"
#include "counters.h"
#include "llk_defs.h"
#include "params.h"
#include "perf.h"
#include "profiler.h"
#include "tensor_shape.h"

using namespace ckernel;

std::uint32_t unp_cfg_context = 0;
std::uint32_t pack_sync_tile_dst_ptr = 0;
std::uint32_t math_sync_tile_dst_index = 0;

static constexpr std::uint32_t BLOCK_TILES = is_fp32_dest_acc_en ? 4 : 8;
static constexpr std::uint32_t FACES = 4;

#ifdef LLK_TRISC_UNPACK

#include "llk_unpack_A.h"
#include "llk_unpack_common.h"

void run_kernel(RUNTIME_PARAMETERS params)
{
    const std::uint32_t loops = params.LOOP_FACTOR;
    const std::uint32_t tiles = params.TILE_CNT;
    {
        START_PERF_MEASURE("INIT")
        _llk_unpack_hw_configure_<is_fp32_dest_acc_en>(formats.unpack_A_src, formats.unpack_B_src,
                                                       formats.unpack_A_dst, formats.unpack_B_dst,
                                                       FACE_R_DIM, FACE_R_DIM, FACES, FACES);
        _llk_unpack_A_init_<BroadcastType::NONE, false, EltwiseBinaryReuseDestType::NONE,
                            unpack_to_dest>(0, 0, ckernel::DEFAULT_TENSOR_SHAPE, formats.unpack_A_src,
                                            formats.unpack_A_dst);
        PROFILER_SYNC();
    }
    {
        START_PERF_MEASURE("TILE_LOOP")
        if constexpr (!unpack_to_dest) {
            _perf_unpack_loop_set_valid<true, is_fp32_dest_acc_en>(FACES * tiles * loops);
        }
        PROFILER_SYNC();
    }
}

#endif

#ifdef LLK_TRISC_MATH

#include "llk_math_common.h"
#include "llk_math_eltwise_binary_sfpu.h"
#include "llk_math_eltwise_unary_datacopy.h"
#include "sfpu_operations.h"

void run_kernel(RUNTIME_PARAMETERS params)
{
    const std::uint32_t loops = params.LOOP_FACTOR;
    const std::uint32_t tiles = params.TILE_CNT;
    constexpr auto SYNC = ckernel::DstSync::SyncHalf;
    constexpr auto COPY = DataCopyType::A2D;
    {
        START_PERF_MEASURE("INIT")
        _llk_math_eltwise_unary_datacopy_init_<COPY, is_fp32_dest_acc_en>(FACES, formats.math);
        _llk_math_pack_sync_init_<SYNC, is_fp32_dest_acc_en>();
        _llk_math_hw_configure_<is_fp32_dest_acc_en>(formats.math, formats.math);
        test_utils::call_binary_sfpu_operation_init<APPROX_MODE, is_fp32_dest_acc_en,
                                                    SFPU_BINARY_OPERATION, ITERATIONS,
                                                    formats.math>();
        PROFILER_SYNC();
    }
    {
        START_PERF_MEASURE("TILE_LOOP")
        for (std::uint32_t loop = 0; loop < loops; loop++) {
            for (std::uint32_t block = 0; block < tiles; block += BLOCK_TILES) {
                const std::uint32_t count = std::min(tiles - block, BLOCK_TILES);
                for (std::uint32_t tile = 0; tile < count; tile++) {
                    if constexpr (!unpack_to_dest) {
                        _llk_math_eltwise_unary_datacopy_<COPY, SYNC, is_fp32_dest_acc_en,
                                                          BroadcastType::NONE, unpack_to_dest>(
                            tile, formats.math, formats.math);
                    }
                    test_utils::call_binary_sfpu_operation<SYNC, is_fp32_dest_acc_en, APPROX_MODE,
                                                           SFPU_BINARY_OPERATION, ITERATIONS,
                                                           formats.math>(tile, tile, tile);
                }
            }
        }
        PROFILER_SYNC();
    }
}

#endif

#ifdef LLK_TRISC_PACK

void run_kernel(RUNTIME_PARAMETERS)
{
    {
        START_PERF_MEASURE("INIT")
        PROFILER_SYNC();
    }
    {
        START_PERF_MEASURE("TILE_LOOP")
        PROFILER_SYNC();
    }
}

#endif
