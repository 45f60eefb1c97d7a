"""Dst as a debugger reads it from a device: bits in the hardware's order become numbers of the format
that the configuration says, as in a dump of Penrose."""

import numpy

from dumps import writer

COLUMNS = 16
FLOAT32, INT8, INT32, UINT16 = 0, 14, 8, 9
FLOAT16_KIN = (1, 2, 3, 10, 11)
WIDE = ("Float32", "Int32")
MATH, PACK = 1, 2


def format_of_halves(code):
    """The format of 16-bit data that a code of the configuration means."""
    return ("Float16" if code in FLOAT16_KIN else
            "Int8" if code == INT8 else "UInt16" if code == UINT16 else "Float16_b")


def find_format(fields):
    """What the configuration says that Dst holds, and which fields do. Formats that unpackers have
    said are not among what a debugger can read."""
    math, pack = (f"config.{fields[f'{thread}.CFG_STATE_ID_StateID']}." for thread in (MATH, PACK))
    code = fields[pack + ("ALU_FORMAT_SPEC_REG_Dstacc_val"
                          if fields[pack + "ALU_FORMAT_SPEC_REG_Dstacc_override"]
                          else "ALU_FORMAT_SPEC_REG2_Dstacc")]
    has_integers = fields[math + "ALU_ACC_CTRL_INT8_math_enabled"]
    if has_integers or fields[math + "ALU_ACC_CTRL_Fp32_enabled"] or fields[
            pack + "PCK_DEST_RD_CTRL_Read_32b_data"]:
        return ("Int32" if has_integers or code in (INT32, INT8) else "Float32",
                "ALU_ACC_CTRL_Fp32_enabled, ALU_ACC_CTRL_INT8_math_enabled, "
                "PCK_DEST_RD_CTRL_Read_32b_data, ALU_FORMAT_SPEC_REG2_Dstacc")
    if code != FLOAT32:
        return format_of_halves(code), "ALU_FORMAT_SPEC_REG2_Dstacc"
    code = fields[math + ("ALU_FORMAT_SPEC_REG_SrcA_val"
                          if fields[math + "ALU_FORMAT_SPEC_REG_SrcA_override"]
                          else "ALU_FORMAT_SPEC_REG0_SrcA")]
    return format_of_halves(code), "ALU_FORMAT_SPEC_REG0_SrcA"


def window_of(fields):
    """(format, no_swizzle) of TRISC0's window on Dst, through which tt-exalens reads 32-bit data."""
    state = f"config.{fields['0.CFG_STATE_ID_StateID']}.RISC_DEST_ACCESS_CTRL_SEC0_"
    return fields[state + "fmt"], fields[state + "no_swizzle"]


def numbers_of_words(words, form, window):
    """[512, 16] of the words of TRISC0's window."""
    kind, has_stored_order = window
    if kind > 1:
        raise writer.CaptureError(f"TRISC0's window on Dst has the format {kind}, which shows no words")
    words = numpy.array(words, numpy.uint32).reshape(-1, COLUMNS)
    if has_stored_order:
        words = words & 0x8000FFFF | (words & 0x7F000000) >> 8 | (words & 0x00FF0000) << 7
    elif kind == 1:
        return words.view(numpy.int32) if form == "Int32" else sign_magnitude_of(words).view(numpy.float32)
    if form == "Float32":
        return words.view(numpy.float32)
    magnitude = (words & 0x7FFFFFFF).astype(numpy.int32)
    return numpy.where(words >> 31, -magnitude, magnitude).astype(numpy.int32)


def sign_magnitude_of(words):
    """Patterns that the window has made two's complement of."""
    return numpy.where(words >> 31, 0x80000000 | -words.view(numpy.int32).astype(numpy.int64), words).astype(
        numpy.uint32)


def numbers_of_array(data, form):
    """[rows, 16] of the bytes that tt-exalens takes from the debug array, each word's highest first; its
    lower half is the column that comes first."""
    words = numpy.frombuffer(bytes(data), ">u4").astype(numpy.uint32)
    stored = numpy.stack([words & 0xFFFF, words >> 16], axis=-1).reshape(-1, COLUMNS)
    if form == "UInt16":
        return stored.astype(numpy.uint16)
    sign = stored >> 15
    if form == "Float16_b":
        return (sign << 31 | (stored & 0xFF) << 23 | (stored >> 8 & 0x7F) << 16).view(numpy.float32)
    fraction = (stored >> 5 & 0x3FF).astype(numpy.int32)
    if form == "Int8":
        return numpy.where(sign, -fraction, fraction).astype(numpy.int32)
    exponent = (stored & 0x1F).astype(numpy.int32)
    magnitude = numpy.ldexp((fraction | numpy.where(exponent, 0x400, 0)).astype(numpy.float64),
                            numpy.maximum(exponent, 1) - 25)
    return numpy.where(sign, -magnitude, magnitude).astype(numpy.float32)
