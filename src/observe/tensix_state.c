/* Looking into the coprocessor; see penrose/debug.h. */
#include <penrose/debug.h>

#include "chip/chip.h"
#include "isa/error.h"
#include "isa/export.h"
#include "num/dst_format.h"
#include "tensix/dst.h"
#include "tensix/exec.h"
#include "tensix/table.h"

_Static_assert((int)PENROSE_TENSIX_THREADS == (int)TENSIX_THREADS, "one public count a thread");
_Static_assert((int)PENROSE_DST_COLUMNS == (int)TENSIX_DST_COLUMNS, "one public datum a column");

static enum penrose_status find_worker(struct penrose_chip *chip, unsigned x, unsigned y,
                                       struct tile **tile, struct penrose_error *error)
{
    enum penrose_status status = chip_tile(chip, x, y, tile, error);
    if (status == PENROSE_OK && (*tile)->kind->type != TILE_TENSIX) {
        return error_set(error, PENROSE_E_ARGUMENT, "tile (%u, %u) has no Tensix coprocessor", x,
                         y);
    }
    return status;
}

static uint32_t dst_datum(const struct tensix *tensix, unsigned row, unsigned column,
                          enum penrose_dst_format format)
{
    const struct tensix_dst_map map = tensix_dst_map_now(tensix);
    const struct tensix_dst *dst = &tensix->dst;
    switch (format) {
    case PENROSE_DST_FP32:
        return num_fp32_from_dst(tensix_dst_read32(dst, map, row, column, TENSIX_DST_READS_ZERO));
    case PENROSE_DST_BF16:
        return num_bf16_from_dst(tensix_dst_read16(dst, map, row, column, TENSIX_DST_READS_ZERO));
    case PENROSE_DST_FP16:
        break;
    }
    return num_fp16_from_dst(tensix_dst_read16(dst, map, row, column, TENSIX_DST_READS_ZERO));
}

PENROSE_EXPORT enum penrose_status penrose_dst_read(struct penrose_chip *chip, unsigned x,
                                                    unsigned y, unsigned row,
                                                    enum penrose_dst_format format,
                                                    uint32_t datum[PENROSE_DST_COLUMNS],
                                                    struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = find_worker(chip, x, y, &tile, error);
    unsigned rows = format == PENROSE_DST_FP32 ? TENSIX_DST_ROWS / 2 : TENSIX_DST_ROWS;
    if (status != PENROSE_OK) {
        return status;
    }
    if (row >= rows || (unsigned)format > PENROSE_DST_FP16) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "Dst has rows 0 to 511 of FP32 and 0 to 1023 of BF16 and FP16, no row %u "
                         "of format %d",
                         row, (int)format);
    }
    tensix_vector_settle(&tile->tensix, &tile->tensix.vector, penrose_now(chip));
    for (unsigned column = 0; column < PENROSE_DST_COLUMNS; column++) {
        datum[column] = dst_datum(&tile->tensix, row, column, format);
    }
    return PENROSE_OK;
}
