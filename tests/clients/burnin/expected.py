"""What tt-burnin's image computes, from its documented arithmetic alone.

T0 unpacks the same eight faces of FP32 data to SrcA and SrcB as TF32, four to a bank, for ever. In a
turn of its loop T1 multiplies both banks: to each face of Dst the product of the faces of both
banks is added 32 times, with a fidelity phase more each time. Four turns go to the first section of
Dst; from then on all turns go to the second one. T2 applies GELU twice to the first section and then
to the second one for ever, 32 data at a time:
x / 2 * (1 + table(sqrt(2 / pi) * (x + 0.0447 * x^3))).
"""
import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "guests"))

import model  # pylint: disable=wrong-import-position
import vector_model as vector  # pylint: disable=wrong-import-position

A_AT, B_AT, HEADER = 0x26800, 0x57800, 16
FACES, FACE_DATA, BANK_FACES = 8, 256, 4
REPEATS, PHASES, FACE_MVMULS = 32, 4, 2
FIRST_TURNS = 4
TURN_MVMULS = FACES * REPEATS * FACE_MVMULS
SECTION_ROWS = 256  # of 32-bit Dst
GELUS = FACES * FACE_DATA // 32  # of all faces
MODE = model.Mode(is_32bit=True, wide=True, has_low_mantissa=True)


def faces_of(read, address):
    """Eight faces as TF32; `read` is a function of an address in L1 and a size."""
    data = np.frombuffer(read(address + HEADER, FACES * FACE_DATA * 4), "<u4").astype(np.int64)
    return model.unpack_float32(data.reshape(FACES, 16, 16), "Tf32")


class Faces:
    """The sections of Dst as T1 leaves them."""

    def __init__(self, read):
        self.a, self.b = faces_of(read, A_AT), faces_of(read, B_AT)

    def product(self, face, repeats, dst=None):
        """`repeats` products added to a face that was 0."""
        dst = np.zeros((16, 16), np.int64) if dst is None else dst
        for repeat in range(repeats):
            dst = model.dot(MODE, self.b.shaped(lambda part: part[face]),
                            self.a.shaped(lambda part: part[face]), dst, repeat % PHASES)
        return dst

    def first_section(self):
        return np.concatenate([self.product(face, FIRST_TURNS * REPEATS)
                               for face in range(FACES)])

    def second_section(self, mvmuls):
        """After so many MVMULs in all. Those of a bank go from half face to half face."""
        turns, rest = divmod(mvmuls - FIRST_TURNS * TURN_MVMULS, TURN_MVMULS)
        rows = []
        for face in range(FACES):
            bank_rest = min(max(rest - face // BANK_FACES * (TURN_MVMULS // 2), 0),
                            TURN_MVMULS // 2)
            repeats, begun = divmod(bank_rest, BANK_FACES * FACE_MVMULS)
            dst = self.product(face, turns * REPEATS + repeats)
            later = self.product(face, 1, dst) if repeats == 0 else model.dot(
                MODE, self.b.shaped(lambda part: part[face]),
                self.a.shaped(lambda part: part[face]), dst, repeats % PHASES)
            for half in range(FACE_MVMULS):
                is_begun = face % BANK_FACES * FACE_MVMULS + half < begun
                rows.append((later if is_begun else dst)[8 * half:8 * half + 8])
        return np.concatenate(rows)


# --- GELU ---

# L0 to L2 of SFPLUT: a slope and an offset for magnitudes below 1, below 2, and above, 8 bits each.
TABLE = (0x18FF, 0x212C, 0xFF00)


def table_number(byte):
    """SPEC: SFPLUT. Sign, a negative exponent of 3 bits, 4 bits of the fraction; all ones is 0."""
    if byte == 0xFF:
        return 0
    return byte >> 7 << 31 | 127 - (byte >> 4 & 7) << 23 | (byte & 15) << 19


def table(x):
    """SFPLUT with the sign of its operand."""
    pairs = [(table_number(entry >> 8), table_number(entry & 0xFF)) for entry in TABLE]
    slope, offset = vector.choose(x, (1.0, 2.0), pairs)
    return x & vector.SIGN | vector.mad(slope, x & 0x7FFFFFFF, offset) & 0x7FFFFFFF


def gelu(x):
    cube = vector.mul(vector.mul(x, x), x)
    inner = vector.add(x, vector.mul(cube, 0x3D370000))
    outer = table(vector.mul(inner, 0x3F4C0000))
    return vector.mul(vector.mul(x, 0x3F000000), vector.add(vector.ONE, outer))
