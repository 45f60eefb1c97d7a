/*
 * A tile's sum, difference or product by the Matrix Unit, measured as the rows of add_tiles, sub_tiles and
 * mul_tiles were: zones INIT and TILE_LOOP, one call of LLK a tile, Dst in blocks.
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

#include "llk_unpack_AB.h"
#include "llk_unpack_common.h"

void run_kernel(RUNTIME_PARAMETERS params)
{
    const std::uint32_t loops = params.LOOP_FACTOR;
    const std::uint32_t tiles = params.TILE_CNT;
    const Operand &a = params.buffer_A, &b = params.buffer_B;
    {
        START_PERF_MEASURE("INIT")
        _llk_unpack_hw_configure_<is_fp32_dest_acc_en>(formats.unpack_A_src, formats.unpack_B_src,
                                                       formats.unpack_A_dst, formats.unpack_B_dst,
                                                       FACE_R_DIM, FACE_R_DIM, FACES, FACES);
        _llk_unpack_AB_init_<BroadcastType::NONE>();
        PROFILER_SYNC();
    }
    {
        START_PERF_MEASURE("TILE_LOOP")
        if constexpr (PERF_RUN_TYPE == PerfRunType::MATH_ISOLATE) {
            _perf_unpack_loop_set_valid<true, true>(FACES * tiles * loops);
        } else if constexpr (PERF_RUN_TYPE == PerfRunType::UNPACK_ISOLATE) {
            for (std::uint32_t loop = 0; loop < loops; loop++) {
                for (std::uint32_t tile = 0; tile < tiles; tile++) {
                    _llk_unpack_AB_<BroadcastType::NONE>(L1_ADDRESS(a[tile]), L1_ADDRESS(b[tile]));
                }
            }
        }
        PROFILER_SYNC();
    }
}

#endif

#ifdef LLK_TRISC_MATH

#include "llk_math_common.h"
#include "llk_math_eltwise_binary.h"

void run_kernel(RUNTIME_PARAMETERS params)
{
    const std::uint32_t loops = params.LOOP_FACTOR;
    const std::uint32_t tiles = params.TILE_CNT;
    constexpr auto SYNC = ckernel::DstSync::SyncHalf;
    constexpr auto REUSE = ckernel::EltwiseBinaryReuseDestType::NONE;
    {
        START_PERF_MEASURE("INIT")
        _llk_math_pack_sync_init_<SYNC, is_fp32_dest_acc_en>();
        _llk_math_hw_configure_<is_fp32_dest_acc_en>(formats.math, formats.math);
        _llk_math_eltwise_binary_init_<ELTWISE_BINARY_OP, BroadcastType::NONE, MATH_FIDELITY, REUSE>(
            ckernel::DEFAULT_TENSOR_SHAPE, false);
        PROFILER_SYNC();
    }
    {
        START_PERF_MEASURE("TILE_LOOP")
        if constexpr (PERF_RUN_TYPE == PerfRunType::UNPACK_ISOLATE) {
            _perf_math_loop_clear_valid<true, true>(FACES * tiles * loops);
        } else if constexpr (PERF_RUN_TYPE == PerfRunType::MATH_ISOLATE) {
            for (std::uint32_t loop = 0; loop < loops; loop++) {
                for (std::uint32_t block = 0; block < tiles; block += BLOCK_TILES) {
                    const std::uint32_t count = std::min(tiles - block, BLOCK_TILES);
                    for (std::uint32_t tile = 0; tile < count; tile++) {
                        _llk_math_eltwise_binary_<ELTWISE_BINARY_OP, BroadcastType::NONE, SYNC,
                                                  is_fp32_dest_acc_en, MATH_FIDELITY, REUSE>(
                            ckernel::DEFAULT_TENSOR_SHAPE, tile, false);
                    }
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
