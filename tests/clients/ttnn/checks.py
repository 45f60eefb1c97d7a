#!/usr/bin/env python3
"""Programs of ttnn.generic_op with one mistake each: a tile goes through exp.

    checks.py LAUNCH...

Kernels are written to the working directory, and a line with a mistake ends with "// MISTAKE". Each LAUNCH is
"right", or the MISTAKE that its kernels have. $KERNEL_END, if set, is a comment at the end of kernels, so that ttnn
compiles them anew."""
import os
import pathlib
import sys

import numpy
import ttnn

READER = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto place = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(place, get_arg_val<uint32_t>(0), get_tile_size(0));
    cb_reserve_back(0, 1);
    noc_async_read_page(0, tensor, get_write_ptr(0));  // freed
#ifndef no_read_barrier
    noc_async_read_barrier();
#endif
    cb_push_back(0, 1);  // no_read_barrier
}
"""

WRITER = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto place = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(place, get_arg_val<uint32_t>(0), get_tile_size(16));
#ifdef null_pointer
    volatile uint32_t* volatile nothing = nullptr;
    *nothing = 1;  // null_pointer
#endif
    cb_wait_front(16, 1);
    noc_async_write_page(0, tensor, get_read_ptr(16));
#ifndef no_write_barrier
    noc_async_write_barrier();
#endif
    cb_pop_front(16, 1);  // no_write_barrier
#ifdef popped_twice
    cb_pop_front(16, 1);  // popped_twice
#endif
}
"""

COMPUTE = """
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/exp.h"
#ifdef tile_beyond_half
constexpr uint32_t tile = 8;
#else
constexpr uint32_t tile = 0;
#endif
void kernel_main() {
    init_sfpu(0, 16);
#ifndef no_exp_init
    exp_tile_init<true>();
#endif
    tile_regs_acquire();
#ifndef no_wait_front
    cb_wait_front(0, 1);
#endif
    copy_tile(0, 0, tile);  // tile_beyond_half
    exp_tile<true>(tile);  // no_exp_init
    cb_pop_front(0, 1);  // no_wait_front
    tile_regs_commit();
#ifndef no_regs_wait
    tile_regs_wait();
#endif
    cb_reserve_back(16, 1);
    pack_tile(tile, 16);  // no_regs_wait
    cb_push_back(16, 1);
    tile_regs_release();
#ifdef unpacked_twice
    cb_pop_front(0, 1);  // unpacked_twice
#endif
}
"""

CORES = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])


def address_of(tensor, mistake):
    """That of the tensor, or of one beside it that is there no more."""
    if mistake != "freed":
        return tensor.buffer_address()
    other = ttnn.clone(tensor)
    address = other.buffer_address()
    ttnn.deallocate(other)
    return address


def kernel(name, source, config, mistake, tensor=None):
    path = pathlib.Path(name).resolve()
    path.write_text(source + "// " + os.environ.get("KERNEL_END", "") + "\n")
    arguments = ttnn.RuntimeArgs()
    arguments[0][0] = [address_of(tensor, mistake)] if tensor else []
    places = ttnn.TensorAccessorArgs(tensor).get_compile_time_args() if tensor else []
    return ttnn.KernelDescriptor(
        kernel_source=str(path), core_ranges=CORES, runtime_args=arguments, compile_time_args=places,
        defines=[] if mistake == "right" else [(mistake, "1")], config=config)


def launch(device, mistake, tensors):
    page = 2048
    buffers = [ttnn.CBDescriptor(total_size=page, core_ranges=CORES, format_descriptors=[
        ttnn.CBFormatDescriptor(buffer_index=i, data_format=ttnn.bfloat16, page_size=page)])
        for i in (0, 16)]
    kernels = [kernel("reader.cpp", READER, ttnn.ReaderConfigDescriptor(), mistake, tensors[0]),
               kernel("writer.cpp", WRITER, ttnn.WriterConfigDescriptor(), mistake, tensors[1]),
               kernel("compute.cpp", COMPUTE, ttnn.ComputeConfigDescriptor(), mistake)]
    ttnn.generic_op(tensors, ttnn.ProgramDescriptor(kernels=kernels, semaphores=[], cbs=buffers))
    ttnn.synchronize_device(device)


def main():
    device = ttnn.open_device(device_id=0)
    ones = numpy.ones((32, 32), dtype=numpy.float32)
    tensors = [ttnn.Tensor(ones, ttnn.bfloat16, device, ttnn.TILE_LAYOUT) for _ in range(2)]
    for mistake in sys.argv[1:]:
        launch(device, mistake, tensors)
    ttnn.close_device(device)


main()
