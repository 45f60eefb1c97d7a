/* Looking into the coprocessor; see penrose/debug.h. */
#include <penrose/debug.h>

#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "isa/error.h"
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

/* Takes the next part of a name, up to a dot, if it is `word`. */
static bool take_word(const char **name, const char *word)
{
    size_t length = strlen(word);
    bool is_next =
        strncmp(*name, word, length) == 0 && ((*name)[length] == '.' || !(*name)[length]);
    if (is_next) {
        *name += length + ((*name)[length] == '.');
    }
    return is_next;
}

/* Takes a number below `end`. */
static bool take_number(const char **name, unsigned end, unsigned *number)
{
    char *rest;
    if (**name < '0' || **name > '9') {
        return false;
    }
    unsigned long value = strtoul(*name, &rest, 10);
    if (value >= end || (*rest != '.' && *rest)) {
        return false;
    }
    *number = (unsigned)value;
    *name = rest + (*rest == '.');
    return true;
}

/* Takes one of some words; their number is `count` when it is none. */
static unsigned take_one_of(const char **name, const char *const *words, unsigned count)
{
    unsigned i = 0;
    while (i < count && !take_word(name, words[i])) {
        i++;
    }
    return i;
}

static bool find_rwc(const struct tensix_rwc *rwc, const char **name, uint32_t *value)
{
    static const char *const words[] = {"dst",    "srca",    "srcb",   "fidelity",
                                        "dst_cr", "srca_cr", "srcb_cr"};
    const uint32_t values[] = {rwc->dst,    rwc->src_a,    rwc->src_b,   rwc->fidelity,
                               rwc->dst_cr, rwc->src_a_cr, rwc->src_b_cr};
    unsigned i = take_one_of(name, words, sizeof words / sizeof words[0]);
    *value = i < sizeof words / sizeof words[0] ? values[i] : 0;
    return i < sizeof words / sizeof words[0];
}

static bool find_adc(const struct tensix_adc *adcs, const char **name, uint32_t *value)
{
    static const char *const units[] = {"unpacker0", "unpacker1", "packer"};
    static const char *const axes[] = {"x", "y", "z", "w", "x_cr", "y_cr", "z_cr", "w_cr"};
    unsigned unit = take_one_of(name, units, TENSIX_ADCS), channel;
    if (unit == TENSIX_ADCS || !take_number(name, 2, &channel)) {
        return false;
    }
    const struct tensix_adc_channel *at = &adcs[unit].channel[channel];
    const uint32_t values[] = {at->x, at->y, at->z, at->w, at->x_cr, at->y_cr, at->z_cr, at->w_cr};
    unsigned axis = take_one_of(name, axes, 8);
    *value = axis < 8 ? values[axis] : 0;
    return axis < 8;
}

static bool find_field(const struct tensix *tensix, bool is_thread, unsigned bank,
                       const char **name, uint32_t *value)
{
    const struct tensix_field *field = tensix_field_find(*name);
    if (!field || field->thread != is_thread) {
        return false;
    }
    enum tensix_field_id id = (enum tensix_field_id)(field - tensix_fields);
    *value =
        is_thread ? tensix_thread_field(tensix, bank, id) : tensix_config_field(tensix, bank, id);
    *name += strlen(*name);
    return true;
}

static bool find_of_thread(const struct tensix *tensix, unsigned thread, const char **name,
                           uint32_t *value)
{
    const struct tensix_thread *own = &tensix->thread[thread];
    unsigned number;
    if (take_word(name, "rwc")) {
        return find_rwc(&own->rwc, name, value);
    }
    if (take_word(name, "adc")) {
        return find_adc(own->adc, name, value);
    }
    if (!take_word(name, "gpr")) {
        return find_field(tensix, true, thread, name, value);
    }
    bool is_gpr = take_number(name, TENSIX_GPRS, &number);
    *value = is_gpr ? tensix->gpr[thread][number] : 0;
    return is_gpr;
}

static bool find_semaphore(const struct tensix *tensix, const char **name, uint32_t *value)
{
    unsigned number;
    if (!take_number(name, TENSIX_SEMAPHORES, &number)) {
        return false;
    }
    bool is_max = take_word(name, "max");
    *value = is_max ? tensix->semaphore[number].max : tensix->semaphore[number].value;
    return is_max || take_word(name, "value");
}

static bool find_banks(const struct tensix_src_banks *banks, const char **name, uint32_t *value)
{
    unsigned bank;
    if (take_number(name, 2, &bank)) {
        *value = banks->matrix_may[bank];
        return take_word(name, "valid");
    }
    bool is_matrix = take_word(name, "matrix_bank");
    *value = is_matrix ? banks->matrix_bank : banks->unpack_bank;
    return is_matrix || take_word(name, "unpack_bank");
}

/* Finds a value; *name is then what is left of it, or the part that is unknown. */
static bool find_value(const struct tensix *tensix, const char **name, uint32_t *value)
{
    unsigned number;
    if (take_number(name, TENSIX_THREADS, &number)) {
        return find_of_thread(tensix, number, name, value);
    }
    if (take_word(name, "config")) {
        return take_number(name, TENSIX_STATES, &number) &&
               find_field(tensix, false, number, name, value);
    }
    if (take_word(name, "semaphore")) {
        return find_semaphore(tensix, name, value);
    }
    if (take_word(name, "mutex")) {
        bool is_mutex = take_number(name, TENSIX_MUTEXES, &number);
        *value = is_mutex ? tensix->mutex[number] : 0;
        return is_mutex;
    }
    if (take_word(name, "srca")) {
        return find_banks(&tensix->src[TENSIX_SRC_A], name, value);
    }
    return take_word(name, "srcb") && find_banks(&tensix->src[TENSIX_SRC_B], name, value);
}

enum penrose_status chip_tensix_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                     const char *name, uint32_t *value, struct penrose_error *error)
{
    struct tile *tile;
    const char *rest = name;
    enum penrose_status status = find_worker(chip, x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (!find_value(&tile->tensix, &rest, value) || *rest) {
        return error_set(error, PENROSE_E_ARGUMENT, "'%s' is unknown, in the name '%s'", rest,
                         name);
    }
    return PENROSE_OK;
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
