/* Names and instructions as text. */
#include "api/api.h"

PENROSE_EXPORT const char *penrose_range_name(const struct penrose_chip *chip,
                                              enum penrose_hart hart, uint32_t address)
{
    return api_kind_of(chip)->range_name(hart, address);
}

PENROSE_EXPORT int penrose_disassemble(const struct penrose_chip *chip, uint32_t word, uint32_t pc,
                                       char *text, size_t size)
{
    return api_kind_of(chip)->disassemble(word, pc, text, size);
}

PENROSE_EXPORT enum penrose_status penrose_assemble(const struct penrose_chip *chip,
                                                    const char *text, uint32_t pc, uint32_t *word,
                                                    struct penrose_error *error)
{
    return api_kind_of(chip)->assemble(text, pc, word, error);
}

PENROSE_EXPORT int penrose_tensix_disassemble(const struct penrose_chip *chip, uint32_t word,
                                              char *text, size_t size)
{
    return api_kind_of(chip)->tensix_disassemble(word, text, size);
}

PENROSE_EXPORT enum penrose_status penrose_tensix_assemble(const struct penrose_chip *chip,
                                                           const char *text, uint32_t *word,
                                                           struct penrose_error *error)
{
    return api_kind_of(chip)->tensix_assemble(text, word, error);
}
