"""Captures a tile on which a program of ours stands at its ebreak, by scripts/capture's own module,
and has tt-exalens print what it knows of the tile.

    capture.py SCRIPTS LIBRARY ELF OUT TEXTS

SCRIPTS is the folder of scripts/capture; ELF is debuggee.c; TEXTS gets a file for each command of
PRINTED. The library may write a dump of its own at its exit, to compare with.
"""

import contextlib
import importlib
import io
import pathlib
import random
import sys

from ttexalens import util
from ttexalens.debug_tensix import TensixDebug
from ttexalens.elf import read_elf
from ttexalens.elf_loader import ElfLoader
from ttexalens.pack_unpack_regfile import TensixDataFormat
from ttexalens.register_store import ConfigurationRegisterDescription as Word
from ttexalens.register_store import TensixGeneralPurposeRegisterDescription as Gpr
from ttexalens.server import FileAccessApi
from ttexalens.uistate import UIState

PRINTED = {"burst_read_xy": "brxy 1-2 0x0 0x60000", "dump_gpr": "gpr -l 1-2",
           "dump-tensix-state": "tensix -l 1-2", "dump_regfile": "dump-regfile dstacc -l 1-2"}

# Words of the configuration that dump-tensix-state shows: formats of the coprocessor and roundings,
# strides, counters and edges of the packer, tile descriptors and configuration of unpackers.
SHOWN = [1, 2, *range(12, 16), 18, 24, 28, *range(64, 71), *range(72, 76), *range(112, 116),
         *range(120, 124)]


def fill(location):
    """Numbers that show where each field comes from."""
    store, numbers = location.noc_block.get_register_store(), random.Random(1)
    for index in SHOWN:
        store.write_register(Word(index=index), numbers.getrandbits(32))
    for thread in range(3):
        for index in range(64):
            store.write_register(Gpr(index=index, thread_id=thread), numbers.getrandbits(32))
    store.write_register("ALU_ACC_CTRL_Fp32_enabled", 1)
    TensixDebug(location).write_regfile("dstacc", [numbers.uniform(-9, 9) for _ in range(8 * 1024)],
                                        TensixDataFormat.Float32)


def print_state(device, texts):
    context = device._context
    util.Verbosity.set(util.Verbosity.INFO)
    texts.mkdir()
    for module, command in PRINTED.items():
        run = importlib.import_module(f"ttexalens.cli_commands.{module}").run
        with contextlib.redirect_stdout(io.StringIO()) as text:
            run(command, context, UIState(context))
        (texts / f"{module}.txt").write_text(text.getvalue())


def main():
    scripts, library, elf, out, texts = sys.argv[1:]
    sys.path.insert(0, scripts)
    from dumps import live, writer
    from ttexalens import OnChipCoordinate
    device = live.open_device(library)
    location = OnChipCoordinate.create("1-2", device=device)
    fill(location)
    hart = location.noc_block.get_risc_debug("trisc1")
    ElfLoader(hart).run_elf(read_elf(FileAccessApi(), elf))
    if not hart.is_halted():
        hart.halt()
    tiles = live.capture(device, [(1, 2)])
    writer.write(out, tiles, "simulator")
    print(tiles[0].missing or "nothing is missing")
    print_state(device, pathlib.Path(texts))


main()
