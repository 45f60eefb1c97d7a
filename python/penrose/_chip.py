"""A chip as an object with the functions of penrose/penrose.h and debug.h, and with numpy arrays."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._library import Error, call, ffi, lib, names, text

Tile = tuple[int, int]
Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Fault:
    """A rule that a guest broke: struct penrose_fault."""

    kind: str  # "unmapped-address"
    policy: str  # "stop", "warn" or "ignore"
    tile: Tile
    hart: str
    thread: int  # of the coprocessor; -1: none
    cycle: int
    pc: int
    address: int
    rule: str
    disassembly: str
    symbol: str
    source: str  # FILE:LINE
    inlined_at: list[str]  # FILE:LINE of the calls that were inlined there, the innermost first
    repeated: int
    hint: str
    report: str  # all of it as text


@dataclass(frozen=True)
class Hart:
    """How a hart stands: struct penrose_hart_info."""

    state: str  # "held", "running", "waiting", "polling", "paused" or "faulted"
    pc: int
    x: NDArray[np.uint32]
    retired: int


class GuestFault(Exception):
    """A run ended with a fault; the message is the report of all those that stopped a tile."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = [fault for fault in faults if fault.policy == "stop"]
        super().__init__("guest fault " + "\n".join(fault.report for fault in self.faults))


def _string(value: Any) -> str:
    return "" if value == ffi.NULL else ffi.string(value).decode(errors="replace")


def _number(enum: str, name: str) -> int:
    for value, known in names(enum).items():
        if known.lower() == name.lower():
            return value
    known_names = ", ".join(known.lower() for known in names(enum).values())
    raise Error("E_ARGUMENT", f"{enum} has no '{name}'; known are {known_names}")


def _fault_kind(name: str) -> int:
    for kind in range(lib.PENROSE_FAULT_KINDS):
        if _string(lib.penrose_fault_name(kind)) == name:
            return kind
    raise Error("E_ARGUMENT", f"there is no kind of fault '{name}'")


def chip(
    card: str = "unharvested",
    *,
    schedule: str = "fast",
    seed: int = 0,
    quantum: int = 0,
    timed: bool = False,
    rounds_to_nearest: bool = False,
    policy: Mapping[str, str] | None = None,
    threads: int = 0,
    kernels: str | None = None,
) -> Chip:
    """A new chip with all harts in reset. The options are those of struct penrose_options; `policy`
    is {"unmapped-address": "warn"}."""
    kept = [ffi.new("char[]", name.encode()) if name else ffi.NULL for name in (card, kernels)]
    options = ffi.new("struct penrose_options *", {"size": ffi.sizeof("struct penrose_options")})
    options.schedule = _number("enum penrose_schedule", schedule)
    options.seed, options.quantum, options.timed = seed, quantum, timed
    options.rounds_to_nearest, options.threads = rounds_to_nearest, threads
    options.card, options.kernels = kept
    for kind, name in (policy or {}).items():
        options.policy[_fault_kind(kind)] = _number("enum penrose_policy", name)
    result = ffi.new("struct penrose_chip **")
    call("penrose_chip_create", options, result)
    return Chip(result[0])


def load_snapshot(source: Path | bytes, threads: int = 0) -> Chip:
    """The first chip of a snapshot: of a file, or of the bytes that Chip.snapshot gave.

    Other chips of its cluster come with it, run with it, and are freed with it.
    """
    options = ffi.new("struct penrose_options *", {"size": ffi.sizeof("struct penrose_options"), "threads": threads})
    result = ffi.new("struct penrose_chip **")
    if isinstance(source, bytes):
        call("penrose_snapshot_from_memory", options, ffi.from_buffer(source), len(source), result)
    else:
        call("penrose_snapshot_load", options, os.fsencode(source), result)
    return Chip(result[0])


class Chip:
    """A chip, from `chip()` or `load_snapshot()`; used by one thread at a time.

    Tiles are (x, y), harts go by the names that their tile has for them ("brisc", "erisc0"), data are
    numpy arrays, addresses are those that the tile's NoC interface sees: L1 from 0 on, DRAM of a bank
    through any of its tiles. `handle` is the C library's pointer, for `penrose.lib`.
    """

    def __init__(self, handle: Any) -> None:
        self.handle = handle

    def close(self) -> None:
        """Frees the chip; it cannot be used any more."""
        handle, self.handle = self.handle, ffi.NULL
        lib.penrose_chip_destroy(handle)

    def __enter__(self) -> Chip:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "handle", ffi.NULL) != ffi.NULL:
            self.close()

    # --- Tiles ---

    def tiles(self, kind: str = "Tensix") -> list[Tile]:
        """The tiles of a kind ("Tensix", "DRAM", "Ethernet", "PCIe", "ARC", ...), row by row."""
        number = _number("enum penrose_tile_kind", f"TILE_{kind}")
        at = ffi.new("struct penrose_place *")
        found: list[Tile] = []
        while lib.penrose_tile_at(self.handle, number, len(found), at):
            found.append((at.x, at.y))
        return found

    def _hart(self, tile: Tile, name: str) -> int:
        for hart in range(lib.PENROSE_HARTS):
            if name in (_string(lib.penrose_hart_name_at(self.handle, *tile, hart)), _string(lib.penrose_hart_name(hart))):
                return hart
        raise Error("E_ARGUMENT", f"the tile {tile} has no hart '{name}'")

    # --- Memory and registers ---

    def _fetch(self, function: str, tile: Tile, address: int, shape: int | Sequence[int], dtype: DTypeLike) -> NDArray[Any]:
        data = np.empty(shape, dtype)
        if data.nbytes:
            call(function, self.handle, *tile, address, ffi.from_buffer(data.reshape(-1).view("u1"), require_writable=True), data.nbytes)
        return data

    def _store(self, function: str, tile: Tile, address: int, data: ArrayLike | bytes) -> None:
        if isinstance(data, (bytes, bytearray, memoryview)):
            data = np.frombuffer(data, "u1")
        values = np.ascontiguousarray(data)
        if values.nbytes:
            call(function, self.handle, *tile, address, ffi.from_buffer(values.reshape(-1).view("u1")), values.nbytes)

    def read(self, tile: Tile, address: int, shape: int | Sequence[int], dtype: DTypeLike = np.uint8) -> NDArray[Any]:
        """Data of this shape, as a NoC request of the host reads them, with side effects of registers."""
        return self._fetch("penrose_read", tile, address, shape, dtype)

    def write(self, tile: Tile, address: int, data: ArrayLike | bytes) -> None:
        """Writes an array, or bytes; numbers in a list are 64 bits each unless numpy is told otherwise."""
        self._store("penrose_write", tile, address, data)

    def peek(self, tile: Tile, address: int, shape: int | Sequence[int], dtype: DTypeLike = np.uint8) -> NDArray[Any]:
        """As read, without side effects."""
        return self._fetch("penrose_peek", tile, address, shape, dtype)

    def poke(self, tile: Tile, address: int, data: ArrayLike | bytes) -> None:
        """As write, without side effects."""
        self._store("penrose_poke", tile, address, data)

    # --- Harts ---

    def load(self, tile: Tile, hart: str, path: Path) -> int:
        """Loads an ELF file, and returns its entry point."""
        entry = ffi.new("uint32_t *")
        call("penrose_load_program", self.handle, *tile, self._hart(tile, hart), os.fsencode(path), entry)
        return int(entry[0])

    def release(self, tile: Tile, hart: str, pc: int) -> None:
        """Takes a hart out of reset."""
        call("penrose_hart_release", self.handle, *tile, self._hart(tile, hart), pc)

    def hold(self, tile: Tile, hart: str) -> None:
        """Puts a hart into reset."""
        call("penrose_hart_hold", self.handle, *tile, self._hart(tile, hart))

    def start(self, tile: Tile, hart: str, path: Path) -> None:
        """Loads an ELF file and lets the hart run it."""
        self.release(tile, hart, self.load(tile, hart, path))

    def hart(self, tile: Tile, hart: str) -> Hart:
        """How a hart stands."""
        info = ffi.new("struct penrose_hart_info *")
        call("penrose_hart_info", self.handle, *tile, self._hart(tile, hart), info)
        state = names("enum penrose_hart_state")[info.state].removeprefix("HART_").lower()
        return Hart(state, info.pc, np.array(list(info.x), np.uint32), info.retired)

    def _register(self, name: str) -> Any:
        number = ffi.new("struct penrose_register *")
        if not lib.penrose_register_find(self.handle, name.encode(), number):
            raise Error("E_ARGUMENT", f"there is no register '{name}'")
        return number[0]

    def register(self, tile: Tile, hart: str, name: str) -> int:
        """A register of a hart: "a0", "pc", "mcycle", "v3" (128 bits)."""
        number, words = self._register(name), ffi.new("uint32_t[4]")
        call("penrose_register_read", self.handle, *tile, self._hart(tile, hart), number, words)
        used = 4 if number.file == lib.PENROSE_V else 1
        return sum(words[i] << 32 * i for i in range(used))

    def set_register(self, tile: Tile, hart: str, name: str, value: int) -> None:
        """Writes a register of a hart."""
        words = ffi.new("uint32_t[4]", [value >> 32 * i & 0xFFFFFFFF for i in range(4)])
        call("penrose_register_write", self.handle, *tile, self._hart(tile, hart), self._register(name), words)

    # --- Time ---

    @property
    def now(self) -> int:
        """Cycles since the chip was created."""
        return int(lib.penrose_now(self.handle))

    def run(
        self,
        cycles: int = 1_000_000_000,
        *,
        until: Callable[[Chip], bool] | None = None,
        pass_quiet_time: bool = False,
        check: bool = True,
    ) -> str:
        """Lets time pass, and says why it ended: "cycles", "quiet" (nothing can happen any more),
        "condition" (`until`, which is asked after each window), "paused", or "fault", for which it
        raises GuestFault unless `check` is false."""
        error: list[BaseException] = []

        def ask(_chip: Any, _context: Any) -> bool:
            try:
                return until is not None and bool(until(self))
            except BaseException as raised:  # goes to the caller, not into C
                error.append(raised)
                return True

        run = ffi.new("struct penrose_run *", {"cycles": cycles, "pass_quiet_time": pass_quiet_time})
        run.size = ffi.sizeof("struct penrose_run")
        asked = ffi.callback("bool(struct penrose_chip *, void *)", ask)
        if until is not None:
            run.until = asked
        outcome = names("enum penrose_outcome")[lib.penrose_run(self.handle, run)].lower()
        if error:
            raise error[0]
        if outcome == "fault" and check:
            raise GuestFault(self.faults)
        return outcome

    # --- Faults ---

    @property
    def faults(self) -> list[Fault]:
        """All records since the beginning, or since clear_faults."""
        fault = ffi.new("struct penrose_fault *")
        found: list[Fault] = []
        while lib.penrose_fault_get(self.handle, len(found), fault):
            found.append(
                Fault(
                    kind=_string(lib.penrose_fault_name(fault.kind)),
                    policy=_string(lib.penrose_policy_name(fault.policy)),
                    tile=(fault.x, fault.y),
                    hart=_string(fault.hart_name),
                    thread=fault.thread,
                    cycle=fault.cycle,
                    pc=fault.pc,
                    address=fault.address,
                    rule=_string(fault.rule),
                    disassembly=_string(fault.disassembly),
                    symbol=_string(fault.symbol),
                    source=_string(fault.source),
                    inlined_at=[call for call in map(_string, fault.inlined_at) if call],
                    repeated=fault.repeated,
                    hint=_string(fault.hint),
                    report=text(lib.penrose_fault_format, fault),
                )
            )
        return found

    def clear_faults(self) -> None:
        """Forgets the records; harts at fault try their instruction again."""
        lib.penrose_fault_clear(self.handle)

    def isolate_faults(self) -> None:
        """Goes on without whoever is at fault."""
        lib.penrose_fault_isolate(self.handle)

    def wait_report(self) -> str:
        """Who waits for what."""
        return text(lib.penrose_wait_report, self.handle)

    # --- The coprocessor ---

    def dst(self, tile: Tile, rows: range | Sequence[int], format: str = "fp32") -> NDArray[Any]:
        """Rows of Dst as floats, 16 a row: float32 of "fp32" and "bf16", float16 of "fp16"."""
        number, row = _number("enum penrose_dst_format", f"DST_{format}"), ffi.new("uint32_t[]", lib.PENROSE_DST_COLUMNS)
        words = np.empty((len(rows), len(row)), np.uint32)
        for i, at in enumerate(rows):
            call("penrose_dst_read", self.handle, *tile, at, number, row)
            words[i] = list(row)
        if format == "fp16":
            return words.astype(np.uint16).view(np.float16)
        return (words << 16 if format == "bf16" else words).view(np.float32)

    def src(self, tile: Tile, which: str, bank: int, row: int) -> NDArray[np.uint32]:
        """A row of SrcA ("a") or SrcB ("b"): 19 bits each, in the hardware's order."""
        data = ffi.new("uint32_t[]", lib.PENROSE_SRC_COLUMNS)
        call("penrose_src_read", self.handle, *tile, which == "b", bank, row, data)
        return np.array(list(data), np.uint32)

    def lreg(self, tile: Tile, number: int) -> NDArray[np.uint32]:
        """The 32 lanes of an LReg, as bit patterns: .view(np.float32) for floats."""
        lanes = ffi.new("uint32_t[]", lib.PENROSE_LANES)
        call("penrose_lreg_read", self.handle, *tile, number, lanes)
        return np.array(list(lanes), np.uint32)

    def tensix(self, tile: Tile, name: str) -> int:
        """A value by its name: "0.rwc.dst", "semaphore.1.value", "0.gpr.4" (penrose_tensix_read)."""
        value = ffi.new("uint32_t *")
        call("penrose_tensix_read", self.handle, *tile, name.encode(), value)
        return int(value[0])

    # --- Snapshots ---

    def snapshot(self, path: Path | None = None) -> bytes:
        """Saves the chip to a file, or gives it as bytes."""
        if path is not None:
            call("penrose_snapshot_save", self.handle, os.fsencode(path))
            return b""
        data, size = ffi.new("void **"), ffi.new("size_t *")
        call("penrose_snapshot_to_memory", self.handle, data, size)
        try:
            return bytes(ffi.buffer(data[0], size[0]))
        finally:
            _free(data[0])

    @property
    def state_hash(self) -> int:
        """A hash of all that the chip is; the same for any number of threads."""
        return int(lib.penrose_state_hash(self.handle))


def _free(pointer: Any) -> None:
    ctypes.CDLL(None).free(ctypes.c_void_p(int(ffi.cast("uintptr_t", pointer))))
