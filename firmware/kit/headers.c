/*
 * Writes the headers of the bring-up kit from the emulator's tables of the chip, while Penrose is
 * built:
 *
 *   headers chip     registers and the fields of the configuration
 *   headers tensix   instructions of the coprocessor as macros
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "addresses.h"

#define ONES(width) ((width) < 32 ? (UINT32_C(1) << ((width)&31)) - 1 : UINT32_MAX)

/* --- Registers --- */

static void put_number(const char *prefix, const char *name, uint32_t value)
{
    printf("#define %s%s 0x%" PRIx32 "\n", prefix, name, value);
}

static void put_field(const char *name, uint32_t word, unsigned shift, unsigned width)
{
    printf("#define %s_ADDR32 %" PRIu32 "\n", name, word);
    printf("#define %s_SHAMT %u\n", name, shift);
    printf("#define %s_MASK 0x%" PRIx32 "\n", name, ONES(width) << shift);
}

static void put_config(void)
{
    puts("\n/* Config: 32-bit words at AT_CONFIG + 4 * NAME_ADDR32, and bits of them. */");
#define CONFIG_FIELD(name, word, shift, width) put_field(#name, word, shift, width);
#define CONFIG_ALIAS                           CONFIG_FIELD
#include "regs.def"
    puts("\n/* ThreadConfig: 16-bit words of each Tensix thread, for SETC16. */");
#define THREAD_FIELD(name, word, shift, width) put_field(#name, word, shift, width);
#include "regs.def"
}

static void put_debug(void)
{
    puts("\n/* Debug and control registers of the tile. */");
#define REG(bank, offset, words, name, kind, traits)                                               \
    put_number("DEBUG_", #name, AT_DEBUG + (offset));
#include "debug_registers.def"
    puts("\n/* Bits of DEBUG_SOFT_RESET_0, and where harts start. */");
#define RESET_HART(hart, bit, ram, pc, pc_register, override_register, override_bit)               \
    put_number("SOFT_RESET_", #hart, UINT32_C(1) << (bit));                                        \
    put_number("RESET_PC_", #hart, pc);
#define RESET_PART(name, bits) put_number("SOFT_RESET_", #name, bits);
#include "resets.def"
}

static void put_devices(void)
{
    puts("\n/* The interrupt controller. */");
#define REG(bank, offset, words, name, kind, traits) put_number("PIC_", #name, AT_PIC + (offset));
#include "pic.def"
    puts("\n/* TDMA-RISC. */");
#define REG(bank, offset, words, name, kind, traits) put_number("TDMA_", #name, AT_TDMA + (offset));
#include "tdma.def"
    puts("\n/* Registers of an NIU: NIU(noc, buffer, NIU_NAME). */");
#define REG(bank, offset, words, name, kind, traits) put_number("NIU_", #name, offset);
#include "niu.def"
    puts("\n/* Registers of an overlay stream: OVERLAY(stream, OVERLAY_NAME). */");
#define REG(bank, offset, words, name, kind, traits) put_number("OVERLAY_", #name, (offset) / 4);
#include "overlay.def"
#define OVERLAY_FIELD(reg, name, first, bits)                                                      \
    printf("#define OVERLAY_%s_%s_SHAMT %u\n", #reg, #name, first);                                \
    put_number("OVERLAY_" #reg "_" #name, "_MASK", ONES(bits) << (first));
#include "overlay_fields.def"
}

static void put_csrs(void)
{
    puts("\n/* CSRs of a hart. */");
#define REG(bank, offset, words, name, kind, traits) put_number("CSR_", #name, (offset) / 4);
#include "csr.def"
}

static void put_chip(void)
{
    puts(
        "/* Registers of Blackhole, made from Penrose's tables. Addresses are those of a hart. */\n"
        "#ifndef CHIP_H\n"
        "#define CHIP_H\n\n"
        "#include \"addresses.h\"\n\n"
        "#define NIU(noc, buffer, offset) (AT_NIU + 0x10000 * (noc) + 0x800 * (buffer) + "
        "(offset))\n"
        "#define OVERLAY(stream, index) (AT_OVERLAY + 0x1000 * (stream) + 4 * (index))");
    put_debug();
    put_devices();
    put_csrs();
    put_config();
    puts("\n#endif");
}

/* --- Instructions --- */

enum { MOST_CELLS = 16, BITS_OF_NONE = -1 };

/* An operand: where its bits are; `high` is BITS_OF_NONE where it has none. */
struct cell {
    const char *name;
    int high, low;
};

struct row {
    const char *mnemonic, *unit;
    unsigned opcode;
    struct cell cell[MOST_CELLS];
};

#define FIELD(name, hi, lo)         {#name, hi, lo},
#define KEY(name, hi, lo)           {#name, hi, lo},
#define SELECT(name, hi, lo, value) {#name, hi, lo},
#define BLANK(name)                 {#name, BITS_OF_NONE, 0},
#define STUB(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    {mnemonic, #unit, opcode, {cells{NULL, BITS_OF_NONE, 0}}},

static const struct row rows[] = {
#include "tensix.def"
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static int cell_width(const struct cell *cell)
{
    return cell->high - cell->low;
}

/* Of several forms of an instruction the macro has all bits that any of them has, and the names of
 * the widest operands. */
static struct row join_forms(const struct row *first, const struct row **end)
{
    struct row joined = *first;
    const struct row *row = first + 1;
    for (; row < rows + ROWS && strcmp(row->mnemonic, first->mnemonic) == 0; row++) {
        for (unsigned i = 0; row->cell[i].name; i++) {
            const struct cell *cell = &row->cell[i];
            struct cell *wide = &joined.cell[i];
            bool is_empty = wide->high == BITS_OF_NONE;
            wide->name = cell_width(cell) >= cell_width(wide) ? cell->name : wide->name;
            if (cell->high != BITS_OF_NONE) {
                wide->low = is_empty || cell->low < wide->low ? cell->low : wide->low;
                wide->high = cell->high > wide->high ? cell->high : wide->high;
            }
        }
    }
    *end = row;
    return joined;
}

static void put_parameters(const struct row *row)
{
    for (unsigned i = 0; row->cell[i].name; i++) {
        printf("%s%s", i ? ", " : "(", row->cell[i].name);
    }
    fputs(row->cell[0].name ? ")" : "", stdout);
}

static void put_instruction(const struct row *row)
{
    printf("#define TT_OP_%s", row->mnemonic);
    put_parameters(row);
    printf(" \\\n    (UINT32_C(0x%02x000000)", row->opcode);
    for (unsigned i = 0; row->cell[i].name; i++) {
        const struct cell *cell = &row->cell[i];
        if (cell->high == BITS_OF_NONE) {
            printf(" | 0 * (%s)", cell->name);
        } else {
            printf(" | TT_BITS(%s, %d, %d)", cell->name, cell->high, cell->low);
        }
    }
    printf(")\n#define TTI_%s", row->mnemonic);
    put_parameters(row);
    printf(" TTI(TT_OP_%s", row->mnemonic);
    put_parameters(row);
    puts(")");
}

static void put_tensix(void)
{
    puts("/*\n"
         " * Instructions of the Tensix coprocessor, made from Penrose's tables. "
         "TT_OP_NAME(operands) is\n"
         " * the word of an instruction, with the operands in the order of tt-llk's macros;\n"
         " * TTI_NAME(operands) pushes it, and its operands are constants. Use them by tensix.h.\n"
         " */\n"
         "#ifndef TENSIX_OPS_H\n"
         "#define TENSIX_OPS_H\n\n"
         "#define TT_BITS(value, high, low) \\\n"
         "    (((uint32_t)(value) & ((UINT32_C(2) << ((high) - (low))) - 1)) << (low))");
    const char *unit = "";
    for (const struct row *row = rows, *end; row < rows + ROWS; row = end) {
        struct row joined = join_forms(row, &end);
        if (strcmp(unit, joined.unit) != 0) {
            unit = joined.unit;
            printf("\n/* Unit: %s */\n", unit);
        }
        put_instruction(&joined);
    }
    puts("\n#endif");
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "chip") == 0) {
        put_chip();
    } else if (argc == 2 && strcmp(argv[1], "tensix") == 0) {
        put_tensix();
    } else {
        fprintf(stderr, "usage: headers chip|tensix\n");
        return 1;
    }
    return ferror(stdout) || fclose(stdout) != 0;
}
