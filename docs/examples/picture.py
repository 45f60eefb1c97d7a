#!/usr/bin/env python3
"""Two matrices to multiply, and the product as a picture; no NumPy needed.

    picture.py make FOLDER     writes blur.npy and rings.npy: multiplying blurs each column of rings
    picture.py show FOLDER     shows rings.npy and FOLDER/product.npy side by side, and how far the
                               product is from that of Python
"""
import math
import struct
import sys

SIZE, START = 64, 128  # rows and columns; bytes before the numbers in the files
SHADES = " .:-=+*#%@"


def save(path, rows):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({SIZE}, {SIZE}), }}"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", START - 10))
        file.write(header.ljust(START - 11).encode() + b"\n")
        for row in rows:
            file.write(struct.pack(f"<{SIZE}f", *row))


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    return [struct.unpack_from(f"<{SIZE}f", data, START + 4 * SIZE * i) for i in range(SIZE)]


def make(folder):
    line = range(SIZE)
    bells = [[math.exp(-((i - k) / 6) ** 2) for k in line] for i in line]
    save(f"{folder}/blur.npy", [[value / sum(bell) for value in bell] for bell in bells])
    middle = (SIZE - 1) / 2
    save(f"{folder}/rings.npy",
         [[float(math.hypot(i - middle, j - middle) % 16 < 8) for j in line] for i in line])


def shades(row):
    return "".join(SHADES[max(0, min(9, int(value * 10)))] for value in row[::2])


def show(folder):
    blur, rings, product = (load(f"{folder}/{name}.npy") for name in ("blur", "rings", "product"))
    for i in range(0, SIZE, 4):
        print(f"{shades(rings[i])}    {shades(product[i])}".rstrip())
    columns = list(zip(*rings))
    error = max(abs(sum(x * y for x, y in zip(row, column)) - value)
                for row, line in zip(blur, product) for column, value in zip(columns, line))
    print(f"greatest difference from the product by Python: {error:.4f}")
    return 0 if error < 0.01 else 1


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("make", "show"):
        sys.exit(__doc__)
    sys.exit({"make": make, "show": show}[sys.argv[1]](sys.argv[2]))
