/* The coprocessor's state, step by step. */
#include "api/api.h"

PENROSE_EXPORT bool penrose_coprocessor_busy(struct penrose_chip *chip, unsigned x, unsigned y)
{
    return chip_calls_of(chip)->coprocessor_busy(chip, x, y);
}

PENROSE_EXPORT enum penrose_status penrose_coprocessor_reset(struct penrose_chip *chip, unsigned x,
                                                             unsigned y,
                                                             struct penrose_error *error)
{
    bool is_entry = API_ENTRY(chip, JOURNAL_RESET, NULL, 0, x, y);
    return api_end(chip, is_entry, chip_calls_of(chip)->coprocessor_reset(chip, x, y, error));
}

PENROSE_EXPORT enum penrose_status penrose_tensix_step(struct penrose_chip *chip, unsigned x,
                                                       unsigned y, unsigned thread, uint64_t count,
                                                       struct penrose_error *error)
{
    return chip_calls_of(chip)->tensix_step(chip, x, y, thread, count, error);
}

PENROSE_EXPORT enum penrose_status penrose_dst_read(struct penrose_chip *chip, unsigned x,
                                                    unsigned y, unsigned row,
                                                    enum penrose_dst_format format,
                                                    uint32_t datum[PENROSE_DST_COLUMNS],
                                                    struct penrose_error *error)
{
    return chip_calls_of(chip)->dst_read(chip, x, y, row, format, datum, error);
}

PENROSE_EXPORT enum penrose_status
penrose_src_read(struct penrose_chip *chip, unsigned x, unsigned y, bool src_b, unsigned bank,
                 unsigned row, uint32_t datum[PENROSE_SRC_COLUMNS], struct penrose_error *error)
{
    return chip_calls_of(chip)->src_read(chip, x, y, src_b, bank, row, datum, error);
}

PENROSE_EXPORT enum penrose_status penrose_lreg_read(struct penrose_chip *chip, unsigned x,
                                                     unsigned y, unsigned lreg,
                                                     uint32_t lane[PENROSE_LANES],
                                                     struct penrose_error *error)
{
    return chip_calls_of(chip)->lreg_read(chip, x, y, lreg, lane, error);
}

PENROSE_EXPORT enum penrose_status penrose_tensix_read(struct penrose_chip *chip, unsigned x,
                                                       unsigned y, const char *name,
                                                       uint32_t *value, struct penrose_error *error)
{
    return chip_calls_of(chip)->tensix_read(chip, x, y, name, value, error);
}

PENROSE_EXPORT enum penrose_status penrose_gate_read(struct penrose_chip *chip, unsigned x,
                                                     unsigned y, unsigned thread,
                                                     struct penrose_gate *gate,
                                                     struct penrose_error *error)
{
    return chip_calls_of(chip)->gate_read(chip, x, y, thread, gate, error);
}

PENROSE_EXPORT enum penrose_status penrose_tensix_counting(struct penrose_chip *chip, bool counts,
                                                           struct penrose_error *error)
{
    return chip_calls_of(chip)->tensix_counting(chip, counts, error);
}

PENROSE_EXPORT bool penrose_tensix_count_get(struct penrose_chip *chip, unsigned x, unsigned y,
                                             size_t index, struct penrose_tensix_count *count)
{
    return chip_calls_of(chip)->tensix_count_get(chip, x, y, index, count);
}
