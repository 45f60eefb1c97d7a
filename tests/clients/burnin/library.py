"""libpenrose by ctypes: as much of penrose.h and debug.h as the test of tt-burnin needs."""
import ctypes

PENROSE_CYCLES = 0  # enum penrose_outcome
TENSIX = 1  # enum penrose_tile_kind
HARTS = ("brisc", "trisc0", "trisc1", "trisc2")  # enum penrose_hart, of those that run here
FORMATS = {"fp32": 0, "bf16": 1, "fp16": 2}


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 512)]


class Run(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("cycles", ctypes.c_uint64),
                ("pass_quiet_time", ctypes.c_bool), ("until", ctypes.c_void_p),
                ("context", ctypes.c_void_p)]


class HartInfo(ctypes.Structure):
    _fields_ = [("state", ctypes.c_int), ("pc", ctypes.c_uint32), ("x", ctypes.c_uint32 * 32),
                ("retired", ctypes.c_uint64), ("wait_address", ctypes.c_uint32 * 16),
                ("wait_addresses", ctypes.c_uint), ("wait_store", ctypes.c_bool),
                ("wake", ctypes.c_uint64)]


class Count(ctypes.Structure):
    _fields_ = [("mnemonic", ctypes.c_char_p), ("unit", ctypes.c_char_p),
                ("executed", ctypes.c_uint64 * 3), ("waited", ctypes.c_uint64 * 3)]


class Fault(ctypes.Structure):  # struct penrose_fault
    _fields_ = [("kind", ctypes.c_int), ("policy", ctypes.c_int), ("x", ctypes.c_uint),
                ("y", ctypes.c_uint), ("hart", ctypes.c_int), ("hart_name", ctypes.c_char_p),
                ("thread", ctypes.c_int), ("cycle", ctypes.c_uint64), ("pc", ctypes.c_uint32),
                ("word", ctypes.c_uint32), ("address", ctypes.c_uint32),
                ("rule", ctypes.c_char * 400), ("rest", ctypes.c_char * 65536)]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("schedule", ctypes.c_int), ("seed", ctypes.c_uint64),
                ("quantum", ctypes.c_uint32), ("timed", ctypes.c_bool),
                ("rounds_to_nearest", ctypes.c_bool), ("policy", ctypes.c_int * 64),
                ("threads", ctypes.c_uint), ("card", ctypes.c_char_p), ("kernels", ctypes.c_char_p)]


class Chip:
    """A chip; every error of the library is an exception with its message."""

    def __init__(self, library, timed, threads):
        self.library = ctypes.CDLL(library)
        for name in ("penrose_now", "penrose_last_activity"):
            getattr(self.library, name).restype = ctypes.c_size_t
        self.library.penrose_tensix_count_get.restype = ctypes.c_bool
        self.library.penrose_fault_get.restype = ctypes.c_bool
        self.library.penrose_tile_at.restype = ctypes.c_bool
        options = Options(size=ctypes.sizeof(Options))
        options.timed, options.threads = timed, threads
        self.chip = ctypes.c_void_p()
        self.call("penrose_chip_create", ctypes.byref(options), ctypes.byref(self.chip), chip=False)

    def close(self):
        self.library.penrose_chip_destroy(self.chip)

    def call(self, name, *arguments, chip=True):
        error = Error()
        first = [self.chip] if chip else []
        if getattr(self.library, name)(*first, *arguments, ctypes.byref(error)) != 0:
            raise RuntimeError(f"{name}: {error.text.decode()}")

    def workers(self):
        found, at = [], (ctypes.c_uint * 2)()  # struct penrose_place
        while self.library.penrose_tile_at(self.chip, TENSIX, ctypes.c_size_t(len(found)), at):
            found.append((at[0], at[1]))
        return found

    def write(self, tile, address, data):
        self.call("penrose_write", *tile, ctypes.c_uint64(address), data,
                  ctypes.c_size_t(len(data)))

    def read(self, tile, address, size):
        data = ctypes.create_string_buffer(size)
        self.call("penrose_read", *tile, ctypes.c_uint64(address), data, ctypes.c_size_t(size))
        return data.raw

    def count_instructions(self):
        self.call("penrose_tensix_counting", ctypes.c_bool(True))

    def run(self, cycles):
        """Lets so many cycles pass; false when the chip has stopped before, for any reason."""
        run = Run(size=ctypes.sizeof(Run), cycles=cycles)
        return self.library.penrose_run(self.chip, ctypes.byref(run)) == PENROSE_CYCLES

    def now(self):
        return self.library.penrose_now(self.chip)

    def faults(self):
        """The rules that were broken, in words."""
        rules, fault = [], Fault()
        while self.library.penrose_fault_get(self.chip, ctypes.c_size_t(len(rules)),
                                             ctypes.byref(fault)):
            rules.append(fault.rule.decode())
        return rules

    def waits(self):
        text = ctypes.create_string_buffer(1 << 16)
        self.library.penrose_wait_report(self.chip, text, ctypes.c_size_t(len(text)))
        return text.value.decode()

    def counts(self, tile):
        """(unit, mnemonic, executed by T0, T1, T2) of each Tensix instruction that ran there."""
        rows, count = [], Count()
        while self.library.penrose_tensix_count_get(self.chip, *tile, ctypes.c_size_t(len(rows)),
                                                    ctypes.byref(count)):
            rows.append((count.unit.decode(), count.mnemonic.decode(), *count.executed))
        return rows

    def retired(self, tile, hart):
        """Instructions that a hart has executed."""
        info = HartInfo()
        self.call("penrose_hart_info", *tile, hart, ctypes.byref(info))
        return info.retired

    def dst(self, tile, row, form="fp32"):
        data = (ctypes.c_uint32 * 16)()
        self.call("penrose_dst_read", *tile, row, FORMATS[form], data)
        return list(data)
