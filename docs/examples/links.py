#!/usr/bin/env python3
"""Prints the links of the chips behind the library, as their Ethernet tiles tell them to hosts.

  penrose exec --card p300 -- python3 links.py

Each chip is a PCI device. A window of its first BAR leads to a tile, as for UMD.
"""
import ctypes
import os
import struct

BAR, WINDOWS, DEVICE = 0x1_0000_0000, 0x1_1FC0_0000, 0x10_0000_0000  # of chip 0; from one chip to the next
PORTS, FIRST_X, Y = 12, 20, 25  # Ethernet tiles, as software calls them
LINK_UP, LOCAL, REMOTE = 0x7CE04, 0x7CFC0, 0x7CFE0  # what base firmware leaves in their L1
ABSENT = 0xFFFFFFFF

library = ctypes.CDLL(os.environ["TT_METAL_SIMULATOR"])
library.libttsim_pci_config_rd32.restype = ctypes.c_uint32


def read(chip, x, y, address, size):
    """Bytes of a tile's L1, through window 0 of the chip, which is 2 MiB large."""
    window = struct.pack("<QI", address >> 21 | (x | y << 6) << 43, (x | y << 6) >> 21)
    where, data = WINDOWS + chip * DEVICE, ctypes.create_string_buffer(size)
    library.libttsim_pci_mem_wr_bytes(ctypes.c_uint64(where), window[:4], 4)
    library.libttsim_pci_mem_wr_bytes(ctypes.c_uint64(where + 4), window[4:8], 4)
    library.libttsim_pci_mem_wr_bytes(ctypes.c_uint64(where + 8), window[8:], 4)
    library.libttsim_pci_mem_rd_bytes(ctypes.c_uint64(BAR + chip * DEVICE + address % (1 << 21)), data, size)
    return data.raw


def end(chip, port, address):
    """Which port of which chip it is: (id of the chip, port)."""
    words = struct.unpack("<7I", read(chip, FIRST_X + port, Y, address, 28))
    return words[5] << 32 | words[6], words[0] >> 24


library.libttsim_init()
chips = next(chip for chip in range(33) if library.libttsim_pci_config_rd32(chip << 3, 0) == ABSENT)
up = [(chip, port) for chip in range(chips) for port in range(PORTS)
      if struct.unpack("<I", read(chip, FIRST_X + port, Y, LINK_UP, 4)) == (1,)]
names = {end(chip, port, LOCAL): f"chip {chip} port {port}" for chip, port in up}
print(f"{chips} chips")
for chip, port in up:
    print(f"chip {chip} port {port}: {names[end(chip, port, REMOTE)]}")
library.libttsim_exit()
