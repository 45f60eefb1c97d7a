/* Dst, see dst.h: rows, ZEROACC, the harts' window. */
#include "tensix/dst.h"

#include <string.h>

#include "addresses.h"
#include "arch/arch.h"
#include "num/dst_format.h"

/* --- Rows --- */

void tensix_dst_read_row16(const struct tensix_dst *dst, struct tensix_dst_map map, unsigned row,
                           enum tensix_dst_undefined undefined, uint16_t data[TENSIX_DST_COLUMNS])
{
    unsigned physical = tensix_dst_physical16(map, row);
    if (!dst->cleared[physical]) {
        memcpy(data, dst->bits[physical], sizeof dst->bits[physical]);
    } else {
        int fill = undefined == TENSIX_DST_READS_MINUS_INFINITY ? 0xff : 0;
        memset(data, fill, TENSIX_DST_COLUMNS * sizeof *data);
    }
}

void tensix_dst_write_row16(struct tensix_dst *dst, struct tensix_dst_map map, unsigned row,
                            const uint16_t data[TENSIX_DST_COLUMNS])
{
    unsigned physical = tensix_dst_physical16(map, row);
    memcpy(dst->bits[physical], data, sizeof dst->bits[physical]);
    if (map.high_half) { /* GUESS: see tensix_dst_write16 */
        memset(dst->bits[physical + TENSIX_DST_LOWER_HALF], 0, sizeof dst->bits[physical]);
    }
    dst->cleared[physical] = false;
}

void tensix_dst_read_row32(const struct tensix_dst *dst, struct tensix_dst_map map, unsigned row,
                           enum tensix_dst_undefined undefined, uint32_t data[TENSIX_DST_COLUMNS])
{
    unsigned physical = tensix_dst_physical32(map, row);
    if (dst->cleared[physical]) {
        int fill = undefined == TENSIX_DST_READS_MINUS_INFINITY ? 0xff : 0;
        memset(data, fill, TENSIX_DST_COLUMNS * sizeof *data);
        return;
    }
    const uint16_t *upper = dst->bits[physical];
    const uint16_t *lower = dst->bits[physical + TENSIX_DST_LOWER_HALF];
    for (unsigned column = 0; column < TENSIX_DST_COLUMNS; column++) {
        data[column] = (uint32_t)upper[column] << 16 | lower[column];
    }
}

void tensix_dst_write_row32(struct tensix_dst *dst, struct tensix_dst_map map, unsigned row,
                            const uint32_t data[TENSIX_DST_COLUMNS])
{
    unsigned physical = tensix_dst_physical32(map, row);
    uint16_t *upper = dst->bits[physical];
    uint16_t *lower = dst->bits[physical + TENSIX_DST_LOWER_HALF];
    for (unsigned column = 0; column < TENSIX_DST_COLUMNS; column++) {
        upper[column] = (uint16_t)(data[column] >> 16);
        lower[column] = (uint16_t)data[column];
    }
    dst->cleared[physical] = false;
}

/* --- ZEROACC --- */

void tensix_dst_mark_row16(struct tensix_dst *dst, struct tensix_dst_map map, unsigned row,
                           bool valid)
{
    dst->cleared[tensix_dst_physical16(map, row)] = !valid;
}

void tensix_dst_mark_row32(struct tensix_dst *dst, struct tensix_dst_map map, unsigned row,
                           bool valid)
{
    dst->cleared[tensix_dst_physical32(map, row)] = !valid;
}

bool tensix_dst_mark_block(struct tensix_dst *dst, struct tensix_dst_map map, unsigned block,
                           bool is_32b, bool valid)
{
    unsigned blocks = TENSIX_DST_ROWS / TENSIX_DST_BLOCK_ROWS;
    if (block >= (is_32b ? blocks / 2 : blocks)) {
        return false;
    }
    for (unsigned i = 0; i < TENSIX_DST_BLOCK_ROWS; i++) {
        unsigned row = block * TENSIX_DST_BLOCK_ROWS + i;
        unsigned physical =
            is_32b ? tensix_dst_physical32(map, row) : tensix_dst_physical16(map, row);
        dst->cleared[physical] = !valid;
    }
    return true;
}

void tensix_dst_mark_half(struct tensix_dst *dst, bool upper, bool valid)
{
    unsigned first = upper ? TENSIX_DST_ROWS / 2 : 0;
    memset(dst->cleared + first, !valid, TENSIX_DST_ROWS / 2 * sizeof *dst->cleared);
}

void tensix_dst_mark_all(struct tensix_dst *dst, bool valid)
{
    memset(dst->cleared, !valid, sizeof dst->cleared);
}

/* --- The harts' window --- */

static const uint8_t element_bytes[] = {
    [TENSIX_DST_WINDOW_FP32] = 4, [TENSIX_DST_WINDOW_INT32] = 4, [TENSIX_DST_WINDOW_FP16] = 2,
    [TENSIX_DST_WINDOW_BF16] = 2, [TENSIX_DST_WINDOW_INT16] = 2, [TENSIX_DST_WINDOW_INT8] = 1,
};

static uint32_t load32(struct tensix_dst_window window, uint32_t stored)
{
    uint32_t value = window.no_swizzle ? stored : num_fp32_from_dst(stored);
    if (window.format == TENSIX_DST_WINDOW_INT32 && !window.no_swizzle) {
        value = (uint32_t)num_int32_from_sign_magnitude(value);
    }
    return value;
}

static uint32_t store32(struct tensix_dst_window window, uint32_t value)
{
    if (window.no_swizzle) {
        return value;
    }
    if (window.format == TENSIX_DST_WINDOW_INT32) {
        value = num_int32_clamp_to_sign_magnitude((int32_t)value);
    }
    return num_dst_from_fp32(value);
}

static uint16_t load16(struct tensix_dst_window window, uint16_t stored)
{
    if (window.no_swizzle) {
        return stored;
    }
    switch (window.format) {
    case TENSIX_DST_WINDOW_FP16:
        return num_fp16_from_dst(stored);
    case TENSIX_DST_WINDOW_BF16:
        return num_bf16_from_dst(stored);
    default: /* INT16 */
        return window.unsigned_int ? stored : (uint16_t)num_int16_from_sign_magnitude(stored);
    }
}

static uint16_t store16(struct tensix_dst_window window, uint16_t value)
{
    if (window.no_swizzle) {
        return value;
    }
    switch (window.format) {
    case TENSIX_DST_WINDOW_FP16:
        return num_dst_from_fp16(value);
    case TENSIX_DST_WINDOW_BF16:
        return num_dst_from_bf16(value);
    default: /* INT16 */
        return window.unsigned_int ? value : num_int16_clamp_to_sign_magnitude((int16_t)value);
    }
}

/* Of the magnitude 8 bits if unsigned; 7 bits and the sign if not. */
static uint8_t load8(struct tensix_dst_window window, uint16_t stored)
{
    if (window.no_swizzle || window.unsigned_int) {
        return (uint8_t)(stored >> 5);
    }
    int magnitude = stored >> 5 & 0x7f;
    return (uint8_t)(stored >> 15 ? -magnitude : magnitude);
}

/*
 * HW: the magnitude of a negative number comes out with 128 added, so -1 is stored as -129; the
 * load above does not see that, other readers of Dst do.
 */
static uint16_t store8(struct tensix_dst_window window, uint8_t value)
{
    if (window.no_swizzle || window.unsigned_int || value < 0x80) {
        return num_dst_from_int8(false, value);
    }
    uint32_t magnitude = value == 0x80 ? 0x7f : 0x100u - value;
    return num_dst_from_int8(true, magnitude | 0x80);
}

_Static_assert(LAST_DST_8BIT == AT_DST + TENSIX_DST_ROWS * TENSIX_DST_COLUMNS - 1, "Dst's end");

/* Is the access defined? Then *element is the first that it takes. */
static bool check_window(struct tensix_dst_window window, uint32_t offset, size_t size,
                         uint32_t *element, const char **rule)
{
    if (window.format >= TENSIX_DST_WINDOW_FORMATS) {
        *rule = "RISC_DEST_ACCESS_CTRL fmt 6 and 7 are reserved";
        return false;
    }
    unsigned bytes = element_bytes[window.format];
    if (size < bytes) {
        *rule = "narrower than an element of Dst as RISC_DEST_ACCESS_CTRL fmt has it";
        return false;
    }
    if (size > bytes && !window.many) {
        *rule = "wider than an element of Dst as RISC_DEST_ACCESS_CTRL fmt has it: only trisc2 "
                "can access several at once";
        return false;
    }
    if (size > TENSIX_DST_WINDOW_MOST || (size & (size - 1)) != 0 || offset % size != 0) {
        *rule = "accesses of Dst must be aligned to their size";
        return false;
    }
    unsigned rows = bytes == 4 ? TENSIX_DST_ROWS / 2 : TENSIX_DST_ROWS;
    *element = offset / bytes;
    if (*element >=
        rows * TENSIX_DST_COLUMNS) { /* ends of accesses are no further, being aligned */
        *rule = "beyond the last element of Dst: with fmt 5 (8 bits) it ends at " ARCH_TEXT(
            LAST_DST_8BIT);
        return false;
    }
    return true;
}

bool tensix_dst_window_read(const struct tensix_dst *dst, struct tensix_dst_map map,
                            struct tensix_dst_window window, uint32_t offset, void *bytes,
                            size_t size, const char **rule)
{
    uint32_t element;
    if (!check_window(window, offset, size, &element, rule)) {
        return false;
    }
    unsigned step = element_bytes[window.format];
    uint8_t *out = bytes;
    for (size_t done = 0; done < size; done += step, element++) {
        unsigned row = element / TENSIX_DST_COLUMNS;
        unsigned column = element % TENSIX_DST_COLUMNS;
        uint32_t value;
        if (step == 4) {
            value = load32(window, tensix_dst_read32(dst, map, row, column, TENSIX_DST_READS_ZERO));
        } else {
            uint16_t stored = tensix_dst_read16(dst, map, row, column, TENSIX_DST_READS_ZERO);
            value = step == 2 ? load16(window, stored) : load8(window, stored);
        }
        for (unsigned i = 0; i < step; i++) {
            *out++ = (uint8_t)(value >> 8 * i);
        }
    }
    return true;
}

bool tensix_dst_window_write(struct tensix_dst *dst, struct tensix_dst_map map,
                             struct tensix_dst_window window, uint32_t offset, const void *bytes,
                             size_t size, const char **rule)
{
    uint32_t element;
    if (!check_window(window, offset, size, &element, rule)) {
        return false;
    }
    unsigned step = element_bytes[window.format];
    const uint8_t *in = bytes;
    for (size_t done = 0; done < size; done += step, element++) {
        unsigned row = element / TENSIX_DST_COLUMNS;
        unsigned column = element % TENSIX_DST_COLUMNS;
        uint32_t value = 0;
        for (unsigned i = 0; i < step; i++) {
            value |= (uint32_t)*in++ << 8 * i;
        }
        if (step == 4) {
            tensix_dst_write32(dst, map, row, column, store32(window, value));
        } else {
            uint16_t stored =
                step == 2 ? store16(window, (uint16_t)value) : store8(window, (uint8_t)value);
            tensix_dst_write16(dst, map, row, column, stored);
        }
    }
    return true;
}
