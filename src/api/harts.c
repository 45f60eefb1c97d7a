/* Harts: their state, registers and local memory, and single steps. */
#include "api/api.h"

#include "arch/names.h"

PENROSE_EXPORT const char *penrose_hart_name(enum penrose_hart hart)
{
    return arch_hart_name(hart);
}

PENROSE_EXPORT const char *penrose_hart_name_at(const struct penrose_chip *chip, unsigned x,
                                                unsigned y, enum penrose_hart hart)
{
    return chip_calls_of(chip)->hart_name_at(chip, x, y, hart);
}

PENROSE_EXPORT enum penrose_status penrose_hart_info(struct penrose_chip *chip, unsigned x,
                                                     unsigned y, enum penrose_hart hart,
                                                     struct penrose_hart_info *info,
                                                     struct penrose_error *error)
{
    return chip_calls_of(chip)->hart_info(chip, x, y, hart, info, error);
}

PENROSE_EXPORT enum penrose_status penrose_hart_release(struct penrose_chip *chip, unsigned x,
                                                        unsigned y, enum penrose_hart hart,
                                                        uint32_t pc, struct penrose_error *error)
{
    bool is_entry =
        API_ENTRY(chip, JOURNAL_HART, NULL, 0, JOURNAL_RELEASE, x, y, (uint64_t)hart, pc);
    return api_end(chip, is_entry, chip_calls_of(chip)->hart_release(chip, x, y, hart, pc, error));
}

PENROSE_EXPORT enum penrose_status penrose_hart_hold(struct penrose_chip *chip, unsigned x,
                                                     unsigned y, enum penrose_hart hart,
                                                     struct penrose_error *error)
{
    bool is_entry = API_ENTRY(chip, JOURNAL_HART, NULL, 0, JOURNAL_HOLD, x, y, (uint64_t)hart);
    return api_end(chip, is_entry, chip_calls_of(chip)->hart_hold(chip, x, y, hart, error));
}

PENROSE_EXPORT uint64_t penrose_hart_waited(const struct penrose_chip *chip, unsigned x, unsigned y,
                                            enum penrose_hart hart)
{
    return chip_calls_of(chip)->hart_waited(chip, x, y, hart);
}

PENROSE_EXPORT bool penrose_register_find(const struct penrose_chip *chip, const char *name,
                                          struct penrose_register *number)
{
    return api_kind_of(chip)->register_find(name, number);
}

PENROSE_EXPORT enum penrose_status penrose_register_read(struct penrose_chip *chip, unsigned x,
                                                         unsigned y, enum penrose_hart hart,
                                                         struct penrose_register number,
                                                         uint32_t value[4],
                                                         struct penrose_error *error)
{
    return chip_calls_of(chip)->register_read(chip, x, y, hart, number, value, error);
}

PENROSE_EXPORT enum penrose_status penrose_register_write(struct penrose_chip *chip, unsigned x,
                                                          unsigned y, enum penrose_hart hart,
                                                          struct penrose_register number,
                                                          const uint32_t value[4],
                                                          struct penrose_error *error)
{
    bool is_entry = API_ENTRY(chip, JOURNAL_HART_REGISTER, value, 4 * sizeof *value, x, y,
                              (uint64_t)hart, (uint64_t)number.file, number.number);
    return api_end(chip, is_entry,
                   chip_calls_of(chip)->register_write(chip, x, y, hart, number, value, error));
}

PENROSE_EXPORT enum penrose_status penrose_hart_peek(struct penrose_chip *chip, unsigned x,
                                                     unsigned y, enum penrose_hart hart,
                                                     uint32_t address, void *bytes, size_t size,
                                                     struct penrose_error *error)
{
    return chip_calls_of(chip)->hart_peek(chip, x, y, hart, address, bytes, size, error);
}

PENROSE_EXPORT enum penrose_status penrose_hart_poke(struct penrose_chip *chip, unsigned x,
                                                     unsigned y, enum penrose_hart hart,
                                                     uint32_t address, const void *bytes,
                                                     size_t size, struct penrose_error *error)
{
    bool is_entry = API_ENTRY(chip, JOURNAL_HART_POKE, bytes, size, x, y, (uint64_t)hart, address);
    return api_end(chip, is_entry,
                   chip_calls_of(chip)->hart_poke(chip, x, y, hart, address, bytes, size, error));
}

PENROSE_EXPORT int penrose_hart_disassemble(struct penrose_chip *chip, unsigned x, unsigned y,
                                            uint32_t address, uint32_t *word, char *text,
                                            size_t size)
{
    return chip_calls_of(chip)->hart_disassemble(chip, x, y, address, word, text, size);
}

PENROSE_EXPORT enum penrose_status penrose_hart_step(struct penrose_chip *chip, unsigned x,
                                                     unsigned y, enum penrose_hart hart,
                                                     uint64_t count, struct penrose_error *error)
{
    return chip_calls_of(chip)->hart_step(chip, x, y, hart, count, error);
}

PENROSE_EXPORT enum penrose_status penrose_hart_pause(struct penrose_chip *chip, unsigned x,
                                                      unsigned y, enum penrose_hart hart,
                                                      struct penrose_error *error)
{
    bool is_entry = API_ENTRY(chip, JOURNAL_HART, NULL, 0, JOURNAL_HALT, x, y, (uint64_t)hart);
    return api_end(chip, is_entry, chip_calls_of(chip)->hart_pause(chip, x, y, hart, error));
}

PENROSE_EXPORT enum penrose_status penrose_hart_resume(struct penrose_chip *chip, unsigned x,
                                                       unsigned y, enum penrose_hart hart,
                                                       struct penrose_error *error)
{
    bool is_entry = API_ENTRY(chip, JOURNAL_HART, NULL, 0, JOURNAL_RESUME, x, y, (uint64_t)hart);
    return api_end(chip, is_entry, chip_calls_of(chip)->hart_resume(chip, x, y, hart, error));
}
