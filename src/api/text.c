/* Instructions as text. The first kind of chip answers. */
#include "api/api.h"

PENROSE_EXPORT const char *penrose_range_name(enum penrose_hart hart, uint32_t address)
{
    return api_chips[0]->range_name(hart, address);
}

PENROSE_EXPORT int penrose_disassemble(uint32_t word, uint32_t pc, char *text, size_t size)
{
    return api_chips[0]->disassemble(word, pc, text, size);
}

PENROSE_EXPORT enum penrose_status penrose_assemble(const char *text, uint32_t pc, uint32_t *word,
                                                    struct penrose_error *error)
{
    return api_chips[0]->assemble(text, pc, word, error);
}

PENROSE_EXPORT int penrose_tensix_disassemble(uint32_t word, char *text, size_t size)
{
    return api_chips[0]->tensix_disassemble(word, text, size);
}

PENROSE_EXPORT enum penrose_status penrose_tensix_assemble(const char *text, uint32_t *word,
                                                           struct penrose_error *error)
{
    return api_chips[0]->tensix_assemble(text, word, error);
}
