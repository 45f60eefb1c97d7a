/* The instruction table: formats, rows, disassembly and assembly. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "isa/error.h"
#include "rv32/decode.h"
#include "rv32/rv32.h"

const char *const rv32_x_names[32] = {
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

static const char *const f_names[32] = {
    "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1",  "fa0",
    "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4",  "fs5",
    "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
};

const char *const rv32_core_names[RV32_CORES] = {"brisc", "trisc0", "trisc1", "trisc2", "ncrisc"};

static bool csr_value_of(const char *text, size_t length, uint32_t *value)
{
    for (uint32_t number = 0; number < 0x1000; number++) {
        const char *name = rv32_csr_name(number);
        if (name && strlen(name) == length && !memcmp(name, text, length)) {
            *value = number;
            return true;
        }
    }
    return false;
}

#define X_FIELD(name, lsb)                                                                         \
    static const struct isa_field name = {#name, ISA_REGISTER, {{lsb, 5, 0}}, rv32_x_names,        \
                                          32,    NULL,         NULL}
#define F_FIELD(name, lsb)                                                                         \
    static const struct isa_field name = {#name, ISA_REGISTER, {{lsb, 5, 0}}, f_names,             \
                                          32,    NULL,         NULL}
#define BITS(name, lsb, width)                                                                     \
    static const struct isa_field name = {#name, ISA_NUMBER, {{lsb, width, 0}}, NULL, 0, NULL, NULL}

X_FIELD(rd, 7);
X_FIELD(rs1, 15);
X_FIELD(rs2, 20);
F_FIELD(fd, 7);
F_FIELD(fs1, 15);
F_FIELD(fs2, 20);
F_FIELD(fs3, 27);
BITS(shamt, 20, 5);
BITS(uimm, 15, 5);
BITS(rm, 12, 3);
BITS(aqrl, 25, 2);
BITS(pred, 24, 4);
BITS(succ, 20, 4);
BITS(fence_rd, 7, 5);
BITS(fence_rs1, 15, 5);
BITS(fence_fm, 28, 4);
static const struct isa_field imm_i = {"imm", ISA_SIGNED, {{20, 12, 0}}, NULL, 0, NULL, NULL};
static const struct isa_field imm_s = {"imm", ISA_SIGNED, {{7, 5, 0}, {25, 7, 5}}, NULL, 0,
                                       NULL,  NULL};
static const struct isa_field imm_u = {"imm", ISA_NUMBER, {{12, 20, 0}}, NULL, 0, NULL, NULL};
static const struct isa_field imm_b = {
    "target", ISA_TARGET, {{8, 4, 1}, {25, 6, 5}, {7, 1, 11}, {31, 1, 12}}, NULL, 0, NULL, NULL};
static const struct isa_field imm_j = {
    "target", ISA_TARGET, {{21, 10, 1}, {20, 1, 11}, {12, 8, 12}, {31, 1, 20}}, NULL, 0,
    NULL,     NULL};
static const struct isa_field csr = {"csr", ISA_NAMED,     {{20, 12, 0}}, NULL,
                                     0,     rv32_csr_name, csr_value_of};

#include "rv32/vector_fields.h"

/* Formats, and beside each what decoding and rv32_row_effects need to know of it. */
#define FIELDS(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define HIDDEN(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define FORMAT(name, text, class, reads, writes, immediate, shown, hidden)                         \
    static const struct isa_format format_##name = {text, shown, hidden};
#include "rv32/format.def"
#include "rv32/format_vector.def"
#undef FORMAT

enum format_id {
#define FORMAT(name, text, class, reads, writes, immediate, shown, hidden) FORMAT_##name,
#include "rv32/format.def"
#include "rv32/format_vector.def"
#undef FORMAT
};

enum { RS1 = 1, RS2 = 2, RD = 4 };

struct format_use {
    enum rv32_class class;
    unsigned registers;                /* RS1, RS2, RD */
    const struct isa_field *immediate; /* NULL: the whole word */
};

#define WORD_IMMEDIATE  NULL
#define imm_i_IMMEDIATE &imm_i
#define imm_s_IMMEDIATE &imm_s
#define imm_u_IMMEDIATE &imm_u
#define imm_b_IMMEDIATE &imm_b
#define imm_j_IMMEDIATE &imm_j
#define shamt_IMMEDIATE &shamt

static const struct format_use format_uses[] = {
#define FORMAT(name, text, class, reads, writes, immediate, shown, hidden)                         \
    {RV32_CLASS_##class, (reads) | (writes), immediate##_IMMEDIATE},
#include "rv32/format.def"
#include "rv32/format_vector.def"
#undef FORMAT
};

#define INSN(token, mnemonic, extension, match, mask, format, traits)                              \
    {mnemonic, match, mask, &format_##format},
#define STUB INSN
const struct isa_row rv32_rows[RV32_ROWS] = {
#include "rv32/rv32.def"
};
#undef INSN
#undef STUB

struct row_info {
    uint8_t extension, format, traits;
    bool stub;
};

static const struct row_info row_infos[] = {
#define INSN(token, mnemonic, extension, match, mask, format, traits)                              \
    {RV32_EXT_##extension, FORMAT_##format, traits, false},
#define STUB(token, mnemonic, extension, match, mask, format, traits)                              \
    {RV32_EXT_##extension, FORMAT_##format, traits, true},
#include "rv32/rv32.def"
#undef INSN
#undef STUB
};

enum rv32_extension rv32_row_extension(unsigned row)
{
    return (enum rv32_extension)row_infos[row].extension;
}

bool rv32_row_is_stub(unsigned row)
{
    return row_infos[row].stub;
}

struct rv32_effects rv32_row_effects(unsigned row, uint32_t word)
{
    const struct format_use *use = &format_uses[row_infos[row].format];
    struct rv32_effects effects = {
        .class = use->class,
        .traits = row_infos[row].traits,
        .reads_rs1 = use->registers & RS1,
        .reads_rs2 = use->registers & RS2,
    };
    if (effects.reads_rs1) {
        effects.reads |= UINT32_C(1) << (word >> 15 & 31);
    }
    if (effects.reads_rs2) {
        effects.reads |= UINT32_C(1) << (word >> 20 & 31);
    }
    if (use->registers & RD) {
        effects.writes = UINT32_C(1) << (word >> 7 & 31) & ~UINT32_C(1);
    }
    return effects;
}

struct rv32_op rv32_decode_operands(unsigned row, uint32_t word)
{
    const struct format_use *use = &format_uses[row_infos[row].format];
    struct rv32_op op = {
        .rd = word >> 7 & 31,
        .rs1 = word >> 15 & 31,
        .rs2 = word >> 20 & 31,
        .aux = (uint8_t)(word >> 27 & 31),
        .imm = use->immediate ? isa_field_get(use->immediate, word) : (int32_t)word,
    };
    if (use->registers & RD && op.rd == 0) {
        op.rd = RV32_SINK;
    }
    return op;
}

bool rv32_index_build(struct isa_index *index)
{
    return isa_index_build(index, rv32_rows, RV32_ROWS, 0, 7);
}

static int search_rows(uint32_t word)
{
    for (unsigned row = 0; row < RV32_ROWS; row++) {
        if ((word & rv32_rows[row].mask) == rv32_rows[row].match) {
            return (int)row;
        }
    }
    return -1;
}

int rv32_disassemble(const struct isa_index *index, uint32_t word, uint32_t pc, char *text,
                     size_t size)
{
    if ((word & 3) != 3) {
        return snprintf(text, size, ".ttinsn 0x%08" PRIx32, word >> 2 | word << 30);
    }
    int row = index ? isa_index_find(index, word) : search_rows(word);
    if (row < 0) {
        return snprintf(text, size, ".word 0x%08" PRIx32, word);
    }
    return isa_print(&rv32_rows[row], word, pc, text, size);
}

static enum penrose_status assemble_word(const char *operand, bool is_ttinsn, uint32_t *word,
                                         struct penrose_error *error)
{
    char *end;
    unsigned long long value = strtoull(operand, &end, 0);
    if (end == operand || *end || value > UINT32_MAX) {
        return error_set(error, PENROSE_E_ARGUMENT, "\"%s\" is no 32-bit word", operand);
    }
    if (is_ttinsn && value >= UINT32_C(0xc0000000)) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         ".ttinsn takes words below 0xc0000000, not \"%s\"", operand);
    }
    *word = (uint32_t)(is_ttinsn ? value << 2 | value >> 30 : value);
    return PENROSE_OK;
}

enum penrose_status rv32_assemble(const char *text, uint32_t pc, uint32_t *word,
                                  struct penrose_error *error)
{
    text += strspn(text, " \t");
    size_t length = strcspn(text, " \t");
    const char *operands = text + length + strspn(text + length, " \t");
    if (length == 7 && !memcmp(text, ".ttinsn", 7)) {
        return assemble_word(operands, true, word, error);
    }
    if (length == 5 && !memcmp(text, ".word", 5)) {
        return assemble_word(operands, false, word, error);
    }
    for (unsigned row = 0; row < RV32_ROWS; row++) {
        const char *mnemonic = rv32_rows[row].mnemonic;
        if (strlen(mnemonic) == length && !strncasecmp(mnemonic, text, length)) {
            return isa_parse(&rv32_rows[row], operands, pc, word, error);
        }
    }
    return error_set(error, PENROSE_E_ARGUMENT, "\"%.*s\" is no instruction of these harts",
                     (int)length, text);
}
