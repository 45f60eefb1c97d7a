/*
 * Instructions as text, of both instruction sets. A RISC-V word that pushes a Tensix instruction is
 * written ".ttinsn SETC16 5, 0x10"; the assembler takes that and ".ttinsn NUMBER".
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "chip/calls.h"
#include "rv32/rv32.h"
#include "tensix/table.h"

static const char ttinsn[] = ".ttinsn ";

int chip_disassemble(uint32_t word, uint32_t pc, char *text, size_t size)
{
    char pushed[128];
    uint32_t instruction = word >> 2 | word << 30;
    if ((word & 3) == 3 || tensix_find(instruction) < 0) {
        return rv32_disassemble(NULL, word, pc, text, size);
    }
    tensix_disassemble(instruction, pushed, sizeof pushed);
    return snprintf(text, size, "%s%s", ttinsn, pushed);
}

/* The Tensix instruction that `text` pushes by name, or NULL. */
static const char *pushed_text(const char *text)
{
    text += strspn(text, " \t");
    if (strncmp(text, ttinsn, strlen(ttinsn)) != 0) {
        return NULL;
    }
    text += strlen(ttinsn);
    text += strspn(text, " \t");
    return isdigit((unsigned char)*text) ? NULL : text;
}

enum penrose_status chip_assemble(const char *text, uint32_t pc, uint32_t *word,
                                  struct penrose_error *error)
{
    const char *pushed = pushed_text(text);
    if (!pushed) {
        return rv32_assemble(text, pc, word, error);
    }
    uint32_t instruction;
    enum penrose_status status = tensix_assemble(pushed, &instruction, error);
    if (status == PENROSE_OK) {
        *word = instruction << 2 | instruction >> 30;
    }
    return status;
}

int chip_tensix_disassemble(uint32_t word, char *text, size_t size)
{
    return tensix_disassemble(word, text, size);
}

enum penrose_status chip_tensix_assemble(const char *text, uint32_t *word,
                                         struct penrose_error *error)
{
    return tensix_assemble(text, word, error);
}
