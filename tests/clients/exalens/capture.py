"""Captures a tile on which a program of ours stands at its ebreak, by scripts/capture's own module.

    capture.py SCRIPTS LIBRARY ELF OUT

SCRIPTS is the folder of scripts/capture; ELF is debuggee.c. The library may write a dump of its own
at its exit, to compare with.
"""

import sys

from ttexalens.elf import read_elf
from ttexalens.elf_loader import ElfLoader
from ttexalens.server import FileAccessApi


def main():
    scripts, library, elf, out = sys.argv[1:]
    sys.path.insert(0, scripts)
    from dumps import live, writer
    from ttexalens import OnChipCoordinate
    device = live.open_device(library)
    block = OnChipCoordinate.create("1-2", device=device).noc_block
    store = block.get_register_store()
    store.write_register("UNPACK_CONFIG0_out_data_format", 5)
    store.write_register("ALU_FORMAT_SPEC_REG2_Dstacc", 5)
    hart = block.get_risc_debug("trisc1")
    ElfLoader(hart).run_elf(read_elf(FileAccessApi(), elf))
    if not hart.is_halted():
        hart.halt()
    tiles = live.capture(device, [(1, 2)])
    writer.write(out, tiles, "simulator")
    print(tiles[0].missing or "nothing is missing")


main()
