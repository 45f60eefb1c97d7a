/* The instruction table: formats, rows, disassembly and assembly. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "isa/error.h"
#include "rv32/decode.h"
#include "rv32/rv32.h"
#include "rv32/vector.h"

static const char *const f_names[32] = {
    "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1",  "fa0",
    "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4",  "fs5",
    "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
};

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

/* Registers of a format, as bits. Those that make an address are marked by a second bit. */
enum {
    RS1 = 1 << 0,
    RS2 = 1 << 1,
    RD = 1 << 2,
    FS1 = 1 << 3,
    FS2 = 1 << 4,
    FS3 = 1 << 5,
    FD = 1 << 6,
    VS1 = 1 << 7,
    VS2 = 1 << 8,
    VS3 = 1 << 9,
    VD = 1 << 10,
    OPERANDS = 2 * VD - 1, /* all of these */
    V0 = 1 << 11,
    VM = 1 << 12,
    ADDRESS_SHIFT = 16,
    BASE = RS1 | RS1 << ADDRESS_SHIFT,
    STRIDE = RS2 | RS2 << ADDRESS_SHIFT,
    INDEX = VS2 | VS2 << ADDRESS_SHIFT,
};

struct format_use {
    enum rv32_class class;
    unsigned reads, writes;
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
    {RV32_CLASS_##class, reads, writes, immediate##_IMMEDIATE},
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
    uint8_t extension, format;
    uint16_t traits;
    bool stub;
};

static const struct row_info row_infos[] = {
#define INSN(token, mnemonic, extension, match, mask, format, traits)                              \
    {RV32_EXT_##extension, FORMAT_##format, traits, !(RV32_EXTENSIONS >> RV32_EXT_##extension & 1)},
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
        .reads_rs1 = use->reads & RS1,
        .reads_rs2 = use->reads & RS2,
    };
    if (effects.reads_rs1) {
        effects.reads |= UINT32_C(1) << (word >> 15 & 31);
    }
    if (effects.reads_rs2) {
        effects.reads |= UINT32_C(1) << (word >> 20 & 31);
    }
    if (use->writes & RD) {
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
    if (use->writes & RD && op.rd == 0) {
        op.rd = RV32_SINK;
    }
    return op;
}

/* The row of a word, by an index or (NULL) by a search; -1: none. */
static int find_word_row(const struct isa_index *index, uint32_t word)
{
    if (index) {
        return isa_index_find(index, word);
    }
    for (unsigned row = 0; row < RV32_ROWS; row++) {
        if ((word & rv32_rows[row].mask) == rv32_rows[row].match) {
            return (int)row;
        }
    }
    return -1;
}

/* The registers of a vector operand of the row whose elements have `size` bytes (0: SEW). */
static unsigned count_group_registers(unsigned row, unsigned size, uint32_t vtype)
{
    const struct vector_type type = vector_type_of(vtype);
    const bool is_memory = row_infos[row].traits & (RV32_LOADS | RV32_STORES);
    const unsigned segments =
        is_memory ? (unsigned)isa_field_get(&segment_count, rv32_rows[row].match) + 1 : 1;
    const unsigned format = row_infos[row].format;
    int log = type.lmul;
    if (format == FORMAT_V_LOAD_WHOLE || format == FORMAT_V_STORE_WHOLE) {
        return segments;
    }
    if (size) {
        log += __builtin_ctz(size) - type.log;
    }
    log = log < 0 ? 0 : log > VECTOR_MOST_LMUL ? VECTOR_MOST_LMUL : log; /* vtype may be anything */
    return segments << log;
}

/* Adds the registers of `use` to sets of registers. */
static void add_registers(unsigned use, uint32_t word, unsigned group, uint32_t set[RV32_FILES])
{
    static const struct {
        enum rv32_file file;
        unsigned lsb; /* of the register's number */
    } operands[] = {{RV32_X, 15}, {RV32_X, 20}, {RV32_X, 7}, {RV32_F, 15},
                    {RV32_F, 20}, {RV32_F, 27}, {RV32_F, 7}, {RV32_V, 15},
                    {RV32_V, 20}, {RV32_V, 7},  {RV32_V, 7}};
    for (unsigned rest = use & OPERANDS; rest; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctz(rest);
        const uint64_t registers =
            operands[i].file == RV32_V ? (UINT64_C(1) << (group < 32 ? group : 32)) - 1 : 1;
        set[operands[i].file] |= (uint32_t)(registers << (word >> operands[i].lsb & 31));
    }
    set[RV32_V] |= use & V0 ? 1 : 0;
}

struct rv32_operands rv32_find_operands(const struct isa_index *index, uint32_t word,
                                        uint32_t vtype)
{
    struct rv32_operands operands = {.row = find_word_row(index, word)};
    if (operands.row < 0) {
        return operands;
    }
    const unsigned row = (unsigned)operands.row, traits = row_infos[row].traits;
    const struct format_use *use = &format_uses[row_infos[row].format];
    unsigned reads = use->reads & ~(use->reads >> ADDRESS_SHIFT);
    if (reads & VM && isa_field_get(&vm, word) == 0) {
        reads |= V0 | (use->writes & VD); /* elements that are masked off stay as they were */
    }
    operands.effects = rv32_row_effects(row, word);
    operands.rd = word >> 7 & 31;
    operands.rs1 = word >> 15 & 31;
    operands.rs2 = word >> 20 & 31;
    operands.imm = use->immediate ? isa_field_get(use->immediate, word) : 0;
    operands.size = rv32_access_size(traits);
    const bool is_vector = row_infos[row].extension == RV32_EXT_V;
    const unsigned group = is_vector ? count_group_registers(row, operands.size, vtype) : 1;
    add_registers(reads, word, group, operands.values);
    add_registers(use->writes, word,
                  traits & RV32_SINGLE ? 1
                  : traits & RV32_WIDE ? 2 * group
                                       : group,
                  operands.results);
    operands.values[RV32_X] &= ~UINT32_C(1);
    operands.results[RV32_X] &= ~UINT32_C(1);
    return operands;
}

bool rv32_index_build(struct isa_index *index)
{
    return isa_index_build(index, rv32_rows, RV32_ROWS, 0, 7);
}

int rv32_disassemble(const struct isa_index *index, uint32_t word, uint32_t pc, char *text,
                     size_t size)
{
    if (rv32_is_ttinsn(word)) {
        return snprintf(text, size, ".ttinsn 0x%08" PRIx32, word >> 2 | word << 30);
    }
    int row = find_word_row(index, word);
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
