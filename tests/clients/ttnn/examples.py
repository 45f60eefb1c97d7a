"""Kernels of tt-metal's programming examples through ttnn.generic_op (see programs.py).

The examples' host programs are C++, which no package can compile; what they do to the device is done here in
Python: the same kernels on the same kind of cores, buffers and arguments. TT_METAL_TESTS names a checkout of
tt-metal that has tt_metal/programming_examples.
"""
import functools
import os
import pathlib
import re
import zlib

import torch
import ttnn

import old_api
import programs

TILE_BYTES = 2 * 32 * 32  # of bfloat16


def example(tolerance=0.0):
    """Marks a function that returns what the device made and what it should be."""
    def mark(function):
        @functools.wraps(function)
        def run(options):
            device = ttnn.open_device(device_id=0)
            try:
                made, expected = function(Host(device, pathlib.Path(os.environ["TT_METAL_TESTS"])))
            finally:
                ttnn.close_device(device)
            digest = zlib.crc32(made.contiguous().float().numpy().tobytes())  # the same on other libraries
            return programs.difference(made, expected), tolerance, f"{digest:08x}"
        return programs.program(run)
    return mark


class Host:
    """A device, and what the examples' host programs have in common."""

    def __init__(self, device, checkout):
        self.device = device
        self.folder = checkout / "tt_metal" / "programming_examples"
        self.headers = old_api.folder()
        torch.manual_seed(1)

    def random(self, *shape):
        return torch.rand(shape).to(torch.bfloat16)

    def tensor(self, data, memory=ttnn.DRAM_MEMORY_CONFIG):
        integers = data.dtype == torch.int32
        return ttnn.from_torch(data, dtype=ttnn.uint32 if integers else ttnn.bfloat16,
                               layout=ttnn.ROW_MAJOR_LAYOUT if integers else ttnn.TILE_LAYOUT,
                               device=self.device, memory_config=memory)

    def empty(self, *shape, memory=ttnn.DRAM_MEMORY_CONFIG):
        return self.tensor(torch.zeros(shape, dtype=torch.bfloat16), memory)

    def kernel(self, path, cores, compile_time=(), run_time=(), named=(), config=None):
        """run_time is a list for all cores, or a function of a core."""
        arguments = ttnn.RuntimeArgs()
        for core in each(cores):
            arguments[core.x][core.y] = run_time(core) if callable(run_time) else list(run_time)
        # Old statements that print are left out, as the header for printing refuses them.
        text = re.sub(r"\bDPRINT(_\w+\(DPRINT)?\s*<<.*?;", ";", (self.folder / path).read_text(), flags=re.DOTALL)
        return ttnn.KernelDescriptor(
            kernel_source=text, source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE, core_ranges=cores, compile_time_args=list(compile_time),
            named_compile_time_args=list(named), runtime_args=arguments, config=config,
            compiler_include_paths=[self.headers])

    def reader(self, *arguments, **named):
        return self.kernel(*arguments, config=ttnn.ReaderConfigDescriptor(), **named)

    def writer(self, *arguments, **named):
        return self.kernel(*arguments, config=ttnn.WriterConfigDescriptor(), **named)

    def compute(self, *arguments, **named):
        return self.kernel(*arguments, config=ttnn.ComputeConfigDescriptor(), **named)

    def run(self, tensors, kernels, buffers=(), semaphores=()):
        program = ttnn.ProgramDescriptor(kernels=kernels, semaphores=list(semaphores), cbs=list(buffers))
        return ttnn.to_torch(ttnn.generic_op(tensors, program))

    def physical(self, x, y):
        core = self.device.worker_core_from_logical_core(ttnn.CoreCoord(x, y))
        return core.x, core.y


def grid(x0, y0, x1, y1):
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(x0, y0), ttnn.CoreCoord(x1, y1))])


def each(cores):
    for part in cores.ranges():
        for x in range(part.start.x, part.end.x + 1):
            for y in range(part.start.y, part.end.y + 1):
                yield ttnn.CoreCoord(x, y)


ONE = grid(0, 0, 0, 0)


def circular(index, cores=ONE, pages=2):
    page = ttnn.CBFormatDescriptor(buffer_index=index, data_format=ttnn.bfloat16, page_size=TILE_BYTES)
    return ttnn.CBDescriptor(total_size=pages * TILE_BYTES, core_ranges=cores, format_descriptors=[page])


def places(*tensors):
    """Compile-time arguments by which kernels find the pages of tensors."""
    return [word for tensor in tensors for word in ttnn.TensorAccessorArgs(tensor).get_compile_time_args()]


def addresses(*tensors):
    return [tensor.buffer_address() for tensor in tensors]


def void(host, folder, kernel, make):
    """An example whose kernel returns at once: the device is as good as before."""
    data = host.random(32, 32)
    tensor = host.tensor(data)
    host.run([tensor, tensor], [make(f"{folder}/kernels/{kernel}", ONE)])
    return ttnn.to_torch(tensor), data


@example()
def hello_world_compute(host):
    return void(host, "hello_world_compute_kernel", "compute/void_compute_kernel.cpp", host.compute)


@example()
def hello_world_datamovement(host):
    return void(host, "hello_world_datamovement_kernel", "dataflow/void_dataflow_kernel.cpp", host.reader)


@example()
def loopback(host):
    data = host.random(32, 50 * 32)
    source, result = host.tensor(data), host.empty(32, 50 * 32)
    scratch = host.empty(32, 32, memory=ttnn.L1_MEMORY_CONFIG)
    # A buffer of one page in L1 is in the first bank, which is the first core.
    kernel = host.reader("loopback/kernels/loopback_dram_copy.cpp", ONE, places(source, result),
                         addresses(scratch, source, result) + [50])
    return host.run([source, scratch, result], [kernel]), data


@example()
def add_2_integers_in_riscv(host):
    first, second = torch.tensor([[14]], dtype=torch.int32), torch.tensor([[7]], dtype=torch.int32)
    a, b, c = (host.tensor(data) for data in (first, second, torch.zeros_like(first)))
    l1 = [host.tensor(torch.zeros_like(first), ttnn.L1_MEMORY_CONFIG) for _ in range(3)]
    kernel = host.reader("add_2_integers_in_riscv/kernels/reader_writer_add_in_riscv.cpp", ONE, [],
                         addresses(a, b, c, *l1))
    return host.run([a, b, *l1, c], [kernel]), first + second


@example()
def add_2_integers_in_compute(host):
    folder = "add_2_integers_in_compute/kernels"
    first, second = torch.full((32, 32), 14.0), torch.full((32, 32), 8.0)
    a, b, c = host.tensor(first), host.tensor(second), host.empty(32, 32)
    return host.run([a, b, c], [
        host.reader(f"{folder}/dataflow/reader_binary_1_tile.cpp", ONE, [], addresses(a, b)),
        host.writer(f"{folder}/dataflow/writer_1_tile.cpp", ONE, [], addresses(c)),
        host.compute(f"{folder}/compute/add_2_tiles.cpp", ONE)],
        [circular(0, pages=1), circular(1, pages=1), circular(16, pages=1)]), first + second


def binary(host, folder, names, tiles=64):
    """c = a + b, tile by tile, on one core."""
    reader, writer, compute = names
    first, second = host.random(32, tiles * 32), host.random(32, tiles * 32)
    a, b, c = host.tensor(first), host.tensor(second), host.empty(32, tiles * 32)
    return host.run([a, b, c], [
        host.reader(f"{folder}/{reader}", ONE, places(a, b), addresses(a, b) + [tiles]),
        host.writer(f"{folder}/{writer}", ONE, places(c), addresses(c) + [tiles]),
        host.compute(f"{folder}/{compute}", ONE, [], [tiles])],
        [circular(0), circular(1), circular(16)]), first.float() + second.float()


ROUNDING = 2.0 ** -7  # of sums below 2 in bfloat16


@example(ROUNDING)
def eltwise_binary(host):
    return binary(host, "eltwise_binary/kernels",
                  ("dataflow/read_tiles.cpp", "dataflow/write_tile.cpp", "compute/tiles_add.cpp"))


@example(ROUNDING)
def custom_sfpi_add(host):
    return binary(host, "custom_sfpi_add/kernels",
                  ("dataflow/read_tiles.cpp", "dataflow/write_tile.cpp", "compute/tiles_add.cpp"))


@example(ROUNDING)
def contributed_vecadd(host):
    return binary(host, "contributed/vecadd/kernels",
                  ("interleaved_tile_read.cpp", "tile_write.cpp", "add.cpp"))


def unary(host, folder, names, function, tiles=64):
    reader, writer, compute = names
    data = host.random(32, tiles * 32)
    a, c = host.tensor(data), host.empty(32, tiles * 32)
    return host.run([a, c], [
        host.reader(f"{folder}/{reader}", ONE, places(a), addresses(a) + [tiles]),
        host.writer(f"{folder}/{writer}", ONE, places(c), addresses(c) + [tiles]),
        host.compute(f"{folder}/{compute}", ONE, [], [tiles])],
        [circular(0), circular(16)]), function(data.float())


@example(2.0 ** -6)
def eltwise_sfpu(host):
    return unary(host, "eltwise_sfpu/kernels", ("dataflow/read_tile.cpp", "dataflow/write_tile.cpp",
                                                "compute/eltwise_sfpu.cpp"), torch.exp)


@example(2.0 ** -8)
def custom_sfpi_smoothstep(host):
    return unary(host, "custom_sfpi_smoothstep/kernels",
                 ("dataflow/read_tiles.cpp", "dataflow/write_tile.cpp", "compute/tiles_smoothstep.cpp"),
                 lambda x: x * x * (3 - 2 * x))


@example(ROUNDING)
def sfpu_eltwise_chain(host):
    """softplus = log(exp(x) + 1)"""
    folder, data = "sfpu_eltwise_chain/kernels", host.random(32, 32)
    a, c = host.tensor(data), host.empty(32, 32)
    return host.run([a, c], [
        host.reader(f"{folder}/dataflow/reader.cpp", ONE, [0, 1, *places(a)], addresses(a)),
        host.writer(f"{folder}/dataflow/writer.cpp", ONE, [2, *places(c)], addresses(c)),
        host.compute(f"{folder}/compute/compute.cpp", ONE, [0, 1, 2])],
        [circular(index, pages=1) for index in (0, 1, 2)]), torch.nn.functional.softplus(data.float())


def share(tiles, cores):
    """First tile and number of tiles of each core, as even as can be."""
    order = [(core.x, core.y) for core in each(cores)]
    starts = [tiles * n // len(order) for n in range(len(order) + 1)]
    return {core: (starts[n], starts[n + 1] - starts[n]) for n, core in enumerate(order)}


@example(ROUNDING)
def vecadd_multi_core(host):
    tiles, cores, folder = 640, grid(0, 0, 7, 7), "vecadd_multi_core/kernels"
    first, second = host.random(32, tiles * 32), host.random(32, tiles * 32)
    a, b, c = host.tensor(first), host.tensor(second), host.empty(32, tiles * 32)
    part = {core: (number, start) for core, (start, number) in share(tiles, cores).items()}
    return host.run([a, b, c], [
        host.reader(f"{folder}/interleaved_tile_read_multi_core.cpp", cores, [0, 1, *places(a, b)],
                    lambda core: [*addresses(a, b), *part[core.x, core.y]], [("c_1", 1)]),
        host.writer(f"{folder}/tile_write_multi_core.cpp", cores, [2, *places(c)],
                    lambda core: [*addresses(c), *part[core.x, core.y]]),
        host.compute(f"{folder}/add_multi_core.cpp", cores, [0, 1, 2], lambda core: part[core.x, core.y],
                     [("c_1", 1)])],
        [circular(index, cores, 4) for index in (0, 1, 2)]), first.float() + second.float()


@example(ROUNDING)
def vecadd_sharding(host):
    """Each of four cores adds its shard, where it is: no data moves."""
    cores = grid(0, 0, 0, 3)
    memory = ttnn.create_sharded_memory_config((64, 32), cores, ttnn.ShardStrategy.HEIGHT,
                                               use_height_and_width_as_shard_shape=True)
    first, second = host.random(4 * 64, 32), host.random(4 * 64, 32)
    a, b, c = host.tensor(first, memory), host.tensor(second, memory), host.empty(4 * 64, 32, memory=memory)
    kernel = host.compute("vecadd_sharding/kernels/add_sharding.cpp", cores, [0, 1, 2], [2])
    buffers = [ttnn.cb_descriptor_from_sharded_tensor(n, tensor) for n, tensor in enumerate((a, b, c))]
    return host.run([a, b, c], [kernel], buffers), first.float() + second.float()


def product(host, m, k, n):
    first, second = host.random(m, k), host.random(k, n)
    return host.tensor(first), host.tensor(second), host.empty(m, n), first.float() @ second.float()


SUMS = 2.5  # of 256 products, about 64, that are added to a sum in bfloat16 by sixteens


@example(SUMS)
def matmul_single_core(host):
    m, k, n, folder = 128, 256, 160, "matmul/matmul_single_core/kernels"
    a, b, c, expected = product(host, m, k, n)
    sizes = [m // 32, k // 32, n // 32]
    return host.run([a, b, c], [
        host.reader(f"{folder}/dataflow/reader_single_core_mm.cpp", ONE, places(a, b), addresses(a, b) + sizes),
        host.writer(f"{folder}/dataflow/writer_single_core_mm.cpp", ONE, places(c),
                    addresses(c) + [sizes[0], sizes[2]]),
        host.compute(f"{folder}/compute/mm.cpp", ONE, sizes)],
        [circular(0), circular(1), circular(16)]), expected


@example(SUMS)
def matmul_multi_core(host):
    m, k, n, cores, folder = 256, 256, 320, grid(0, 0, 7, 3), "matmul/matmul_multi_core/kernels"
    a, b, c, expected = product(host, m, k, n)
    sizes = [m // 32, k // 32, n // 32]
    part = share(sizes[0] * sizes[2], cores)
    return host.run([a, b, c], [
        host.reader(f"{folder}/dataflow/reader_mm_output_tiles_partitioned.cpp", cores, places(a, b),
                    lambda core: addresses(a, b) + sizes + list(part[core.x, core.y])),
        host.writer(f"{folder}/dataflow/writer_unary_interleaved_start_id.cpp", cores, places(c),
                    lambda core: addresses(c) + [part[core.x, core.y][1], part[core.x, core.y][0]]),
        host.compute(f"{folder}/compute/mm.cpp", cores, [], lambda core: [part[core.x, core.y][1], sizes[1]])],
        [circular(index, cores) for index in (0, 1, 16)]), expected


@example()
def noc_tile_transfer(host):
    """DRAM to the first core, from there to the second, and back to DRAM."""
    folder, second = "NoC_tile_transfer/kernels/dataflow", grid(0, 1, 0, 1)
    both = grid(0, 0, 0, 1)
    data = host.random(32, 32)
    a, c = host.tensor(data), host.empty(32, 32)
    semaphore = ttnn.SemaphoreDescriptor(id=0, core_ranges=both, initial_value=0)
    return host.run([a, c], [
        host.reader(f"{folder}/reader0.cpp", ONE, [0, *places(a)], addresses(a)),
        host.writer(f"{folder}/writer0.cpp", ONE, [0, 1], [*host.physical(0, 1), 0]),
        host.reader(f"{folder}/reader1.cpp", second, [0, 1], [*host.physical(0, 0), 0]),
        host.writer(f"{folder}/writer1.cpp", second, [1, *places(c)], addresses(c))],
        [circular(0, both, 1), circular(1, both, 1)], [semaphore]), data


@example()
def contributed_multicast(host):
    """A core multicasts the identity to three others, which write it to DRAM."""
    folder, others = "contributed/multicast/kernels", grid(1, 0, 3, 0)
    everyone = grid(0, 0, 3, 0)
    data = torch.eye(32)
    a, c = host.tensor(data), host.empty(32, 3 * 32)
    semaphores = [ttnn.SemaphoreDescriptor(id=n, core_ranges=everyone, initial_value=0) for n in (0, 1)]
    return host.run([a, c], [
        host.reader(f"{folder}/dataflow/coordinator_kernel.cpp", ONE, [],
                    [*host.physical(1, 0), *host.physical(3, 0), 0, 1, 0, *addresses(a), TILE_BYTES, 3]),
        host.reader(f"{folder}/dataflow/inbound_kernel.cpp", others, [], [*host.physical(0, 0), 0, 1]),
        host.writer(f"{folder}/dataflow/outbound_kernel.cpp", others, places(c),
                    lambda core: addresses(c) + [core.x - 1]),
        host.compute(f"{folder}/compute/void_compute_kernel.cpp", everyone)],
        [circular(0, everyone, 1), circular(16, everyone, 1)], semaphores), data.repeat(1, 3)


programs.main("Run kernels of tt-metal's programming examples.")
