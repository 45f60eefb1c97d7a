"""tt-burnin's .ttx images: a zip with what is to be written to L1 of every worker."""
import struct
import zipfile

MAGIC = 0x9704266B
SOFT_RESET = 0xFFB121B0
RESET_BRISC, RESET_TRISCS, RESET_NCRISC = 1 << 11, 7 << 12, 1 << 18


def chunks(path):
    """(address, bytes) of both files of the image."""
    with zipfile.ZipFile(path) as ttx:
        for name in ("0-0/image.bin", "0-0/ckernels.bin"):
            data = ttx.read(name)
            header = struct.unpack_from("<8I", data)
            if header[0] != MAGIC or any(header[1:]):
                raise ValueError(f"{path}: {name} does not begin as such a file does")
            at = 32
            while at < len(data):
                address, size, zero = struct.unpack_from("<QII", data, at)
                at += 16
                if zero or at + size > len(data):
                    raise ValueError(f"{path}: {name} is cut off, or no such file")
                yield address, data[at:at + size]
                at += size


def start(chip, tiles, path):
    """Writes the image to these tiles, all harts in reset, and lets all but NCRISC go."""
    def reset(bits):
        for tile in tiles:
            chip.write(tile, SOFT_RESET, struct.pack("<I", bits))

    reset(RESET_BRISC | RESET_TRISCS | RESET_NCRISC)
    for address, data in chunks(path):
        for tile in tiles:
            chip.write(tile, address, data)
    reset(RESET_NCRISC)
