"""Captures tiles of a device that tt-exalens reaches: a card, or a simulator library.

Nothing is written to a device but what its debug hardware needs: harts that run are halted while
their registers are read, and go on.
"""

import numpy

from dumps import dst, writer

ABI = ("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 "
       "t3 t4 t5 t6 pc").split()
KINDS = {"functional_workers": "Tensix", "eth": "Ethernet", "dram": "DRAM", "arc": "ARC", "pcie": "PCIe"}
PARTS = ("tile", "l1", "local", "harts", "gpr", "config", "dst", "noc")
PARTS_OF_OTHERS = {"Ethernet": ("l1", "harts", "noc")}
PARTS_OF_REST = ("harts", "noc")

# What each part of a worker needs. Simulators without debug hardware can give the first two.
WIDE_TILES = 8  # of 1024 numbers: all 512 rows of Dst
CONFIG_END = 2 * writer.CONFIG_WORDS
THREAD_START = 3 * writer.CONFIG_WORDS


def open_device(library=None, device=0):
    """A device of tt-exalens: of a simulator library, or a card."""
    try:
        import ttexalens
        from ttexalens import util
    except ImportError as error:
        raise writer.CaptureError("tt-exalens is not installed here; pip install tt-exalens") from error
    util.Verbosity.set(util.Verbosity.ERROR)
    try:
        context = ttexalens.init_ttexalens(simulation_directory=library)
    except Exception as error:  # of several kinds, also UMD's own
        raise writer.CaptureError(str(error)) from error
    if device not in context.devices:
        raise writer.CaptureError(f"there is no device {device}; there are "
                                  f"{', '.join(map(str, context.devices))}")
    return context.devices[device]


def source_of(device):
    """What the dump is of. Without a card tt-exalens attaches to a simulator that runs."""
    return "simulator" if device._umd_device.is_simulation else "card"


def workers_of(device):
    """Tensix tiles by their places as software names them. tt-exalens' "X-Y" counts harvested columns,
    its logical coordinates only those that are there."""
    places = {block.to("logical")[0]: block for block in device.get_block_locations("functional_workers")}
    return {(writer.WORKER_COLUMNS[column], row + writer.FIRST_WORKER_ROW): block
            for (column, row), block in places.items()}


def locate(device, x, y):
    from ttexalens import OnChipCoordinate
    tiles = workers_of(device)
    is_harvested = x in writer.WORKER_COLUMNS and (1, y) in tiles
    if (x, y) not in tiles and is_harvested:
        raise writer.CaptureError(f"--tile: there is no tile at {x},{y}; {workers(device)}")
    return tiles.get((x, y)) or OnChipCoordinate.create(f"{x}-{y}", device=device)


class TileReader:
    """Reads the parts of one tile, each by a function of its name."""

    def __init__(self, device, x, y):
        self.location = locate(device, x, y)
        try:
            self.block = self.location.noc_block
        except KeyError as error:
            raise writer.CaptureError(f"--tile: there is no tile at {x},{y}; {workers(device)}") from error
        kind = KINDS.get(self.block.block_type, self.block.block_type)
        self.harts = list(self.block.risc_names) if self.block.has_risc_cores else []
        self.tile = writer.Tile(x, y, kind, self.harts)
        self.store = self.block.get_register_store()

    def register(self, name):
        return self.store.read_register(name)

    def read(self, address, size, safe=True):
        data = bytearray(size)
        self.location.noc_read(address, data, safe_mode=safe)
        return numpy.frombuffer(bytes(data), numpy.uint8)

    def take_tile(self):
        high = self.register("RISCV_DEBUG_REG_WALL_CLOCK_1")
        low = self.register("RISCV_DEBUG_REG_WALL_CLOCK_0")
        self.tile.add("tile", {"wall_clock": high << 32 | low,
                               "soft_reset_0": self.register("RISCV_DEBUG_REG_SOFT_RESET_0")})

    def take_l1(self):
        l1 = self.block.l1
        self.tile.add("l1", self.read(l1.address.noc_address, l1.size))

    def take_local(self):
        for name in self.harts:
            memory = self.block.get_risc_debug(name).get_data_private_memory()
            if memory is None or memory.address.noc_address is None:
                self.tile.lack(f"local_{name}", "the NoC does not reach it")
                continue
            self.tile.add(f"local_{name}",
                          self.read(memory.address.noc_address, memory.size, safe=False))

    def take_harts(self):
        fields = {}
        for name in self.harts:
            hart = self.block.get_risc_debug(name)
            if hart.is_in_reset():
                fields[f"{name}.state"] = "held"
            elif not hart.can_debug():
                fields[f"{name}.pc"] = hart.get_pc()
            else:
                fields[f"{name}.state"] = "paused" if hart.is_halted() else "running"
                with hart.ensure_halted():
                    for number, register in enumerate(ABI):
                        fields[f"{name}.{register}"] = hart.read_gpr(number)
        self.tile.add("harts", fields)

    def take_gpr(self):
        from ttexalens.register_store import TensixGeneralPurposeRegisterDescription as Gpr
        self.tile.add("gpr", numpy.array(
            [[self.register(Gpr(index=i, thread_id=thread)) for i in range(64)]
             for thread in range(writer.THREADS)], numpy.uint32))

    def config_words(self):
        from ttexalens.register_store import ConfigurationRegisterDescription as Word
        words = [self.register(Word(index=i)) for i in range(CONFIG_END)]
        config = numpy.array(words, numpy.uint32).reshape(writer.CONFIG_STATES, -1)
        size = writer.THREADS * writer.THREAD_WORDS
        words = [self.register(Word(index=THREAD_START + i)) for i in range(size)]
        threads = (numpy.array(words, numpy.uint32) & 0xFFFF).astype(numpy.uint16)
        return config, threads.reshape(writer.THREADS, -1)

    def take_config(self):
        config, threads = self.config_words()
        self.tile.add("config_words", config)
        self.tile.add("thread_config_words", threads)
        self.tile.add("config", writer.fields_of_words(config, threads))

    def take_dst(self):
        """From the bits, since tt-exalens' numbers of 16 bits have their columns exchanged in pairs:
        all rows of 32-bit formats, else the 64 rows that the debug array is asked for."""
        from ttexalens.debug_tensix import TensixDebug
        from ttexalens.pack_unpack_regfile import TensixDataFormat
        fields = writer.fields_of_words(*self.config_words())
        form, fields_of_format = dst.find_format(fields)
        debug = TensixDebug(self.location)
        if form in dst.WIDE:
            words = debug.direct_dest_read(TensixDataFormat.Float32, WIDE_TILES)
            numbers = dst.numbers_of_words(words, form, dst.window_of(fields))
        else:
            array = debug.read_regfile_data("dstacc", TensixDataFormat.Float16_b)
            numbers = dst.numbers_of_array(array, form)
        self.tile.add("dst", numbers, num_format=form, format_from=fields_of_format,
                      columns="in order")

    def take_noc(self):
        from ttexalens.context import NocId
        from ttexalens import register_store as kinds
        wanted = (kinds.NocStatusRegisterDescription, kinds.NocConfigurationRegisterDescription)
        fields = {}
        for number, noc in enumerate((NocId.NOC0, NocId.NOC1)):
            store = self.block.get_register_store(noc)
            for name, register in store.registers.items():
                if isinstance(register, wanted) and not name.endswith("_ID"):
                    fields[f"noc{number}.{name}"] = store.read_register(name)
        self.tile.add("noc", fields)

    def take(self, part):
        try:
            getattr(self, f"take_{part}")()
        except Exception as error:  # what a device cannot give is absent, and the manifest says why
            self.tile.lack(part, error)


def workers(device):
    """Which tiles a user may have meant."""
    places = sorted(workers_of(device))
    first, last = ("%d,%d" % place for place in (places[0], places[-1]))
    return f"Tensix tiles are those from {first} to {last}"


def capture(device, places, parts=PARTS):
    """Tiles of a device at places [(x, y)] with these parts."""
    tiles = []
    for x, y in places:
        reader = TileReader(device, x, y)
        kind = reader.tile.kind
        for part in parts:
            if kind == "Tensix" or part in PARTS_OF_OTHERS.get(kind, PARTS_OF_REST):
                reader.take(part)
            else:
                reader.tile.lack(part, f"{x},{y} is no Tensix tile but of the kind {kind}; "
                                       f"{workers(device)}")
        tiles.append(reader.tile)
    return tiles


