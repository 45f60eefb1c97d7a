/* Data formats: codes, and how much room tiles take. SPEC: WormholeB0 Unpackers, FormatConversion;
 * Packers, FormatConversion. */
#ifndef TENSOR_FORMATS_H
#define TENSOR_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

enum format {
    FLOAT32 = 0,
    FLOAT16 = 1,
    BFP8 = 2,
    BFP4 = 3,
    TF32 = 4,
    FLOAT16_B = 5,
    BFP8_B = 6,
    BFP4_B = 7,
    INT32 = 8,
    UINT16 = 9,
    LF8 = 10,
    BFP2 = 11,
    INT8 = 14,
    BFP2_B = 15,
};

enum {
    FACE_ROWS = 16,
    ROW_DATUMS = 16, /* of a face */
    FACE_DATUMS = 256,
    FACES = 4, /* of a tile */
    TILE_DATUMS = FACES * FACE_DATUMS,
    TILE_ROWS = 32,
    TILE_COLUMNS = 32,
    UNIT = 16, /* bytes that addresses of unpackers and packer count */
};

static inline unsigned format_bits(unsigned format)
{
    switch (format) {
    case FLOAT32:
    case TF32:
    case INT32:
        return 32;
    case FLOAT16:
    case FLOAT16_B:
    case UINT16:
        return 16;
    case BFP4:
    case BFP4_B:
        return 4;
    case BFP2:
    case BFP2_B:
        return 2;
    default:
        return 8;
    }
}

static inline bool format_has_shared_exponents(unsigned format)
{
    return format == BFP8 || format == BFP8_B || format == BFP4 || format == BFP4_B ||
           format == BFP2 || format == BFP2_B;
}

/* Of a tile in L1, in units of 16 bytes: exponents of rows come before the datums. */
static inline unsigned format_tile_units(unsigned format)
{
    unsigned exponents = format_has_shared_exponents(format) ? TILE_DATUMS / ROW_DATUMS : 0;
    return (TILE_DATUMS * format_bits(format) / 8 + exponents) / UNIT;
}

/* Bytes of a datum as strides of address generators count them. */
static inline unsigned format_stride(unsigned format)
{
    return format_bits(format) < 8 ? 1 : format_bits(format) / 8;
}

#endif
