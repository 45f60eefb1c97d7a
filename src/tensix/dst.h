/*
 * Dst: 1024 rows of 16 columns of 16 bits, or 512 rows of 32 bits in the same storage, and the
 * window of RISCV T0 to T2 on it.
 *
 * Units know rows of Dst16b and Dst32b. struct tensix_dst_map maps them to physical rows. Units add
 * offsets (double buffering, RWCs, bases) before they call functions here. Rows count modulo 1024.
 * Data are in the bit order of num/dst_format.h.
 *
 * A physical row is valid or undefined. ZEROACC makes rows undefined without changing a bit of
 * them; a write makes its row valid. A row of Dst32b has the flag of the physical row with its
 * upper halves; the flag of the other row has no effect.
 *
 * SPEC: BlackholeA0 Dst (its later version has the flags), SoftReset; WormholeB0 ZEROACC.
 */
#ifndef TENSIX_DST_H
#define TENSIX_DST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TENSIX_DST_ROWS = 1024,
    TENSIX_DST_COLUMNS = 16,
    TENSIX_DST_LOWER_HALF = 8,   /* a row of Dst32b: from its upper to its lower halves */
    TENSIX_DST_BLOCK_ROWS = 16,  /* of what ZEROACC calls 16 rows */
    TENSIX_DST_WINDOW_MOST = 128 /* bytes of an access of RISCV T2: eight vector registers */
};

struct tensix_dst {
    bool cleared[TENSIX_DST_ROWS]; /* ZEROACC has made the physical row undefined */
    _Alignas(64) uint16_t bits[TENSIX_DST_ROWS][TENSIX_DST_COLUMNS];
};

/* How rows of Dst16b and Dst32b lie in storage. */
struct tensix_dst_map {
    bool remap;     /* DEST_ACCESS_CFG_remap_addrs */
    bool swizzle;   /* DEST_ACCESS_CFG_swizzle_32b */
    bool high_half; /* bit 11 of RISCV_DEBUG_REG_DBG_FEATURE_DISABLE: Dst16b is the upper half of
                       each datum of Dst32b */
};

/* What a row that is undefined reads as. */
enum tensix_dst_undefined {
    TENSIX_DST_READS_ZERO,           /* packers, and most instructions of the Matrix Unit */
    TENSIX_DST_READS_MINUS_INFINITY, /* GMPOOL and its kin: all ones */
};

/* --- Rows --- */

/*
 * The physical row of a row of Dst32b with its upper halves; the lower halves are
 * TENSIX_DST_LOWER_HALF rows further. Four aligned rows stay together in either view; eight do too,
 * except in Dst32b with `swizzle`.
 */
static inline unsigned tensix_dst_physical32(struct tensix_dst_map map, unsigned row)
{
    row &= TENSIX_DST_ROWS - 1;
    if (map.remap) { /* bits 5..3 rotate to the right */
        row = (row & ~0x38u) | (row >> 1 & 0x18) | (row << 2 & 0x20);
    }
    if (map.swizzle) { /* bit 2 is 3, bit 3 is 4 xor 2 */
        row = (row & ~0x0cu) | (row >> 1 & 0x04) | ((row >> 1 ^ row << 1) & 0x08);
    }
    return (row << 1 & 0x3f0) | (row & 0x207); /* makes room for the lower halves */
}

/* The physical row of a row of Dst16b. */
static inline unsigned tensix_dst_physical16(struct tensix_dst_map map, unsigned row)
{
    if (map.high_half) {
        return tensix_dst_physical32(map, row);
    }
    row &= TENSIX_DST_ROWS - 1;
    if (map.remap) {
        row = (row & ~0x38u) | (row >> 1 & 0x18) | (row << 2 & 0x20);
    }
    return row;
}

static inline bool tensix_dst_valid16(const struct tensix_dst *dst, struct tensix_dst_map map,
                                      unsigned row)
{
    return !dst->cleared[tensix_dst_physical16(map, row)];
}

static inline bool tensix_dst_valid32(const struct tensix_dst *dst, struct tensix_dst_map map,
                                      unsigned row)
{
    return !dst->cleared[tensix_dst_physical32(map, row)];
}

/* Read and write whole rows, as the Matrix Unit and packers do. */
void tensix_dst_read_row16(const struct tensix_dst *dst, struct tensix_dst_map map, unsigned row,
                           enum tensix_dst_undefined undefined, uint16_t data[TENSIX_DST_COLUMNS]);
void tensix_dst_write_row16(struct tensix_dst *dst, struct tensix_dst_map map, unsigned row,
                            const uint16_t data[TENSIX_DST_COLUMNS]);
void tensix_dst_read_row32(const struct tensix_dst *dst, struct tensix_dst_map map, unsigned row,
                           enum tensix_dst_undefined undefined, uint32_t data[TENSIX_DST_COLUMNS]);
void tensix_dst_write_row32(struct tensix_dst *dst, struct tensix_dst_map map, unsigned row,
                            const uint32_t data[TENSIX_DST_COLUMNS]);

/* --- Single data (`column` is below 16) --- */

static inline uint16_t tensix_dst_read16(const struct tensix_dst *dst, struct tensix_dst_map map,
                                         unsigned row, unsigned column,
                                         enum tensix_dst_undefined undefined)
{
    unsigned physical = tensix_dst_physical16(map, row);
    if (dst->cleared[physical]) {
        return undefined == TENSIX_DST_READS_MINUS_INFINITY ? UINT16_MAX : 0;
    }
    return dst->bits[physical][column];
}

static inline uint32_t tensix_dst_read32(const struct tensix_dst *dst, struct tensix_dst_map map,
                                         unsigned row, unsigned column,
                                         enum tensix_dst_undefined undefined)
{
    unsigned physical = tensix_dst_physical32(map, row);
    if (dst->cleared[physical]) {
        return undefined == TENSIX_DST_READS_MINUS_INFINITY ? UINT32_MAX : 0;
    }
    return (uint32_t)dst->bits[physical][column] << 16 |
           dst->bits[physical + TENSIX_DST_LOWER_HALF][column];
}

/*
 * Both make the row valid. The other columns of a row that was undefined then hold what they held
 * before ZEROACC: the pages leave that undefined for SFPSTORE and unpackers, so ask
 * tensix_dst_valid16 or _valid32 first where a guest is to be told.
 */
static inline void tensix_dst_write32(struct tensix_dst *dst, struct tensix_dst_map map,
                                      unsigned row, unsigned column, uint32_t value)
{
    unsigned physical = tensix_dst_physical32(map, row);
    dst->bits[physical][column] = (uint16_t)(value >> 16);
    dst->bits[physical + TENSIX_DST_LOWER_HALF][column] = (uint16_t)value;
    dst->cleared[physical] = false;
}

/* GUESS: with `high_half` the lower half becomes 0; the page has an unpredictable value there. */
static inline void tensix_dst_write16(struct tensix_dst *dst, struct tensix_dst_map map,
                                      unsigned row, unsigned column, uint16_t value)
{
    if (map.high_half) {
        tensix_dst_write32(dst, map, row, column, (uint32_t)value << 16);
        return;
    }
    unsigned physical = tensix_dst_physical16(map, row);
    dst->bits[physical][column] = value;
    dst->cleared[physical] = false;
}

/* --- ZEROACC: makes rows undefined, or with `valid` (Revert) shows again what they held --- */

/*
 * One row of either view. GUESS: for Dst16b through the map, as BlackholeA0 Dst has every access do
 * and as the older ZEROACC page writes; the later one, for a chip without remapping, has the
 * physical row.
 */
void tensix_dst_mark_row16(struct tensix_dst *dst, struct tensix_dst_map map, unsigned row,
                           bool valid);
void tensix_dst_mark_row32(struct tensix_dst *dst, struct tensix_dst_map map, unsigned row,
                           bool valid);

/*
 * Block `block` of 16 rows: of 64, or of 32 where `is_32b`. Larger numbers do nothing: false.
 * GUESS: rows of Dst16b and Dst32b, through the map, as the older ZEROACC page writes: LLK clears
 * the blocks that it accumulates into, whatever map the kernel before left on. The later page, for
 * a chip without remapping, has physical rows.
 */
bool tensix_dst_mark_block(struct tensix_dst *dst, struct tensix_dst_map map, unsigned block,
                           bool is_32b, bool valid);

/* Physical rows 0 to 511, or those above; in both views this is half of the rows. */
void tensix_dst_mark_half(struct tensix_dst *dst, bool upper, bool valid);

/* All rows. Entering the soft reset of ZEROACC is this with `valid`. */
void tensix_dst_mark_all(struct tensix_dst *dst, bool valid);

/* --- The harts' window --- */

/* RISC_DEST_ACCESS_CTRL_SEC[i].fmt: the array that the window is; others are reserved. */
enum tensix_dst_window_format {
    TENSIX_DST_WINDOW_FP32,  /* float or uint32_t [512][16] */
    TENSIX_DST_WINDOW_INT32, /* int32_t [512][16] */
    TENSIX_DST_WINDOW_FP16,  /* __fp16 [1024][16] */
    TENSIX_DST_WINDOW_BF16,  /* __bf16 [1024][16] */
    TENSIX_DST_WINDOW_INT16, /* int16_t or uint16_t [1024][16] */
    TENSIX_DST_WINDOW_INT8,  /* int8_t or uint8_t [1024][16] */
    TENSIX_DST_WINDOW_FORMATS
};

/* Those fields of the hart's section of the configuration, and the hart's abilities. */
struct tensix_dst_window {
    uint8_t format; /* 3 bits, an enum tensix_dst_window_format */
    bool no_swizzle, unsigned_int;
    bool many; /* RISCV T2: an access may take several elements */
};

/*
 * Loads or stores `size` bytes (little-endian) `offset` bytes into the window. False where the
 * behaviour is undefined; nothing has happened then, and *rule says why. Defined are accesses of
 * the size of an element; with `many` also of 2, 4, 8 ... elements, up to TENSIX_DST_WINDOW_MOST
 * bytes. All are aligned to their size.
 *
 * GUESS: rows that are undefined read as zeros, as for packers.
 */
bool tensix_dst_window_read(const struct tensix_dst *dst, struct tensix_dst_map map,
                            struct tensix_dst_window window, uint32_t offset, void *bytes,
                            size_t size, const char **rule);
bool tensix_dst_window_write(struct tensix_dst *dst, struct tensix_dst_map map,
                             struct tensix_dst_window window, uint32_t offset, const void *bytes,
                             size_t size, const char **rule);

#endif
