/* Looking into the coprocessor; see penrose/debug.h. */
#include <penrose/debug.h>

#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "isa/error.h"
#include "num/dst_format.h"
#include "observe/tensix_items.h"
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

enum penrose_status chip_dst_read(struct penrose_chip *chip, unsigned x, unsigned y, unsigned row,
                                  enum penrose_dst_format format,
                                  uint32_t datum[PENROSE_DST_COLUMNS], struct penrose_error *error)
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
    tensix_vector_settle(&tile->tensix, &tile->tensix.vector, chip_now(chip));
    for (unsigned column = 0; column < PENROSE_DST_COLUMNS; column++) {
        datum[column] = dst_datum(&tile->tensix, row, column, format);
    }
    return PENROSE_OK;
}

/* --- SrcA, SrcB, LRegs --- */

enum penrose_status chip_src_read(struct penrose_chip *chip, unsigned x, unsigned y, bool src_b,
                                  unsigned bank, unsigned row, uint32_t datum[PENROSE_SRC_COLUMNS],
                                  struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = find_worker(chip, x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (bank >= TENSIX_SRC_FILE_BANKS || row >= TENSIX_SRC_FILE_ROWS) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "SrcA and SrcB have banks 0 and 1 of rows 0 to 63, no row %u of bank %u",
                         row, bank);
    }
    const struct tensix_src_file *file =
        &tile->tensix.src_file[src_b ? TENSIX_SRC_B : TENSIX_SRC_A];
    memcpy(datum, tensix_src_file_row(file, bank, row), PENROSE_SRC_COLUMNS * sizeof *datum);
    return PENROSE_OK;
}

enum penrose_status chip_lreg_read(struct penrose_chip *chip, unsigned x, unsigned y, unsigned lreg,
                                   uint32_t lane[PENROSE_LANES], struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = find_worker(chip, x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (lreg >= TENSIX_LREGS) {
        return error_set(error, PENROSE_E_ARGUMENT, "there are LRegs 0 to %d, no %u",
                         TENSIX_LREGS - 1, lreg);
    }
    tensix_vector_settle(&tile->tensix, &tile->tensix.vector, chip_now(chip));
    memcpy(lane, tile->tensix.vector.lreg[lreg], PENROSE_LANES * sizeof *lane);
    return PENROSE_OK;
}

/* --- Values by name --- */

/* A field of the configuration: a thread, or "config." and a state, and its name. False: *rest is
 * what is unknown. */
static bool find_field(const struct tensix *tensix, const char *name, uint32_t *value,
                       const char **rest)
{
    static const char config[] = "config.";
    const bool is_thread = strncmp(name, config, strlen(config)) != 0;
    *rest = is_thread ? name : name + strlen(config);
    char *end;
    const bool is_number = **rest >= '0' && **rest <= '9';
    const unsigned long bank = strtoul(*rest, &end, 10);
    if (!is_number || *end != '.' || bank >= (is_thread ? TENSIX_THREADS : TENSIX_STATES)) {
        return false;
    }
    *rest = end + 1;
    const struct tensix_field *field = tensix_field_find(*rest);
    if (!field || field->thread != is_thread) {
        return false;
    }
    enum tensix_field_id id = (enum tensix_field_id)(field - tensix_fields);
    *value = is_thread ? tensix_thread_field(tensix, (unsigned)bank, id)
                       : tensix_config_field(tensix, (unsigned)bank, id);
    return true;
}

enum penrose_status chip_tensix_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                     const char *name, uint32_t *value, struct penrose_error *error)
{
    struct tile *tile;
    const char *item_rest, *field_rest;
    struct tensix_item_at at;
    enum penrose_status status = find_worker(chip, x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (tensix_item_find(name, &at, &item_rest)) {
        *value = tensix_item_value(&tile->tensix, at);
        return PENROSE_OK;
    }
    if (find_field(&tile->tensix, name, value, &field_rest)) {
        return PENROSE_OK;
    }
    return error_set(error, PENROSE_E_ARGUMENT, "'%s' is unknown, in the name '%s'",
                     item_rest > field_rest ? item_rest : field_rest, name);
}

/* --- The wait gate --- */

enum penrose_status chip_gate_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                   unsigned thread, struct penrose_gate *gate,
                                   struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = find_worker(chip, x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (thread >= TENSIX_THREADS) {
        return error_set(error, PENROSE_E_ARGUMENT, "there are threads 0 to 2, no %u", thread);
    }
    const struct tensix_thread *own = &tile->tensix.thread[thread];
    *gate = (struct penrose_gate){.queued = own->front.count + own->back.count};
    if (own->has_next) {
        gate->has_instruction = true;
        gate->word = own->next;
        gate->pc = own->origin.pc;
        tensix_disassemble(own->next, gate->text, sizeof gate->text);
        (void)tensix_wait_text(&tile->tensix, thread, gate->waits, sizeof gate->waits);
    }
    return PENROSE_OK;
}
