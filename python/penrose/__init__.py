"""Penrose, an emulator of Tenstorrent Blackhole chips, for Python.

    import penrose

    with penrose.chip() as chip:
        tile = chip.tiles("Tensix")[0]
        chip.start(tile, "brisc", penrose.guest("hello.elf"))
        chip.run()
        print(chip.read(tile, 0x8038, 4, "<u4"))

A mistake of the guest is the exception GuestFault, with the report; one of the caller is Error. The
whole interface of the C library is there as `penrose.lib` and `penrose.ffi` (cffi), and `call`,
which makes an exception of an error; the headers in include/penrose describe it.

`libttsim` is the library for hosts such as ttnn, `environment` all variables that they need;
`pytest --penrose` sets them for a test run (penrose.pytest_plugin).
"""

from ._chip import Chip, Fault, GuestFault, Hart, chip, load_snapshot
from ._installation import environment, guest, libttsim, prefix, program
from ._library import Error, call, ffi, lib

__version__: str = ffi.string(lib.penrose_version()).decode()

__all__ = [
    "Chip",
    "Error",
    "Fault",
    "GuestFault",
    "Hart",
    "call",
    "chip",
    "environment",
    "ffi",
    "guest",
    "lib",
    "libttsim",
    "load_snapshot",
    "prefix",
    "program",
]
