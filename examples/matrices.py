#!/usr/bin/env python3
"""Makes inputs for the programs of this folder: matrices.py FOLDER.

Writes a.npy and b.npy, 1024x1024 numbers of a few binades that Float16_b holds exactly, and
shards.npy, 64x48. The same numbers each time.
"""

import random
import struct
import sys
from array import array
from pathlib import Path


def write(path, rows, columns, words):
    """32-bit words as a matrix of <f4 in a .npy file of version 1.0."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    header = header.ljust(128 - 10 - 1) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        array("I", words).tofile(file)


def number(bits):
    """A sign, an exponent of 125 to 128, seven bits of mantissa."""
    return (bits & 1) << 31 | 125 + (bits >> 1 & 3) << 23 | (bits >> 3 & 0x7F) << 16


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    generator = random.Random(1)
    for name, rows, columns in ("a", 1024, 1024), ("b", 1024, 1024), ("shards", 64, 48):
        words = (number(generator.getrandbits(10)) for _ in range(rows * columns))
        write(folder / f"{name}.npy", rows, columns, words)


if __name__ == "__main__":
    main()
