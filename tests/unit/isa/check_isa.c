/*
 * Instruction tables: the laws over rv32_rows, words to text and back, the index, and what the
 * assembler says to wrong text. The laws themselves are tried on small tables that break them.
 */
#include "unit/rv32/rv32_harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_OF_ROW = 40, RANDOM_WORDS = 50000 };

static const uint32_t pcs[] = {0, 0x1000, 0x7ffffffc, 0xfffff000};

/* --- The table of the harts --- */

TEST(rows_obey_the_laws)
{
    struct penrose_error error = {.status = PENROSE_OK};
    ck_assert_msg(isa_check_rows(rv32_rows, RV32_ROWS, &error), "%s", error.text);
}

static uint32_t word_of(const struct isa_row *row, uint64_t *random)
{
    uint32_t bits = harness_random(random);
    switch (harness_random(random) % 8) {
    case 0:
        bits = 0;
        break;
    case 1:
        bits = UINT32_MAX;
        break;
    default:
        break;
    }
    return row->match | (bits & ~row->mask);
}

static uint32_t hidden_bits(const struct isa_row *row)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < ISA_MAX_FIELDS && row->format->hidden[i]; i++) {
        bits |= isa_field_bits(row->format->hidden[i]);
    }
    return bits;
}

/* A row's own text assembles to the word again; bits that the text does not show become zero. */
static void check_text(const struct isa_row *row, uint64_t *random)
{
    for (unsigned n = 0; n < WORDS_OF_ROW; n++) {
        uint32_t word = word_of(row, random), back = 0;
        uint32_t pc = pcs[n % (unsigned)COUNT(pcs)];
        struct penrose_error error = {.status = PENROSE_OK};
        char text[96];
        int length = isa_print(row, word, pc, text, sizeof text);
        ck_assert_int_eq(length, (int)strlen(text));
        ck_assert_mem_eq(text, row->mnemonic, strlen(row->mnemonic));
        const char *operands = text + strlen(row->mnemonic);
        enum penrose_status status = isa_parse(row, operands, pc, &back, &error);
        ck_assert_msg(status == PENROSE_OK, "\"%s\": %s", text, error.text);
        ck_assert_msg(back == (word & ~hidden_bits(row)), "\"%s\": %#" PRIx32 " became %#" PRIx32,
                      text, word, back);
    }
}

TEST(text_of_rows_assembles)
{
    uint64_t random = 1;
    for (unsigned row = 0; row < RV32_ROWS; row++) {
        check_text(&rv32_rows[row], &random);
    }
}

/* The same through disassembler and assembler, which choose the row themselves. */
static void check_disassembly(const struct isa_index *index, const struct isa_row *row,
                              uint64_t *random)
{
    for (unsigned n = 0; n < WORDS_OF_ROW; n++) {
        uint32_t word = word_of(row, random), back = 0;
        uint32_t pc = pcs[n % (unsigned)COUNT(pcs)];
        struct penrose_error error = {.status = PENROSE_OK};
        char text[96];
        rv32_disassemble(index, word, pc, text, sizeof text);
        enum penrose_status status = rv32_assemble(text, pc, &back, &error);
        int found = isa_index_find(index, word);
        ck_assert_int_ge(found, 0);
        ck_assert_msg(status == PENROSE_OK, "\"%s\": %s", text, error.text);
        ck_assert_msg(back == (word & ~hidden_bits(&rv32_rows[found])),
                      "\"%s\": %#" PRIx32 " became %#" PRIx32, text, word, back);
    }
}

TEST(disassembly_assembles)
{
    uint64_t random = 2;
    struct isa_index index;
    ck_assert(rv32_index_build(&index));
    for (unsigned row = 0; row < RV32_ROWS; row++) {
        check_disassembly(&index, &rv32_rows[row], &random);
    }
    isa_index_free(&index);
}

static int linear_find(const struct isa_row *rows, unsigned count, uint32_t word)
{
    for (unsigned i = 0; i < count; i++) {
        if ((word & rows[i].mask) == rows[i].match) {
            return (int)i;
        }
    }
    return -1;
}

/* Compares index and search; true when there is such a row. */
static bool check_find(const struct isa_index *index, uint32_t word)
{
    int row = linear_find(index->rows, index->rows_count, word);
    int found = isa_index_find(index, word);
    if (found != row) {
        ck_abort_msg("%#" PRIx32 ": index %d, search %d", word, found, row);
    }
    return row >= 0;
}

TEST(index_finds_what_a_search_finds)
{
    struct isa_index index;
    uint64_t random = 4711;
    unsigned found = 0;
    ck_assert(rv32_index_build(&index));
    for (unsigned i = 0; i < RV32_ROWS; i++) {
        for (unsigned n = 0; n < WORDS_OF_ROW; n++) {
            uint32_t word = word_of(&rv32_rows[i], &random);
            word ^= n % 4 ? 0 : UINT32_C(1) << harness_random(&random) % 32; /* a near miss */
            found += check_find(&index, word);
        }
    }
    for (unsigned n = 0; n < RANDOM_WORDS; n++) {
        check_find(&index, harness_random(&random) | 3);
    }
    ck_assert_uint_gt(found, RV32_ROWS * WORDS_OF_ROW / 2);
    isa_index_free(&index);
}

/* Every field takes what it can hold, gives it back, and refuses the rest. False: it does not.
 * (Assertions of Check write to a pipe; there would be millions.) */
static bool field_takes(const struct isa_field *field, uint32_t word, int64_t value)
{
    uint32_t bits = isa_field_bits(field), changed = word;
    if (!isa_field_put(field, &changed, value)) {
        return changed == word;
    }
    return isa_field_get(field, changed) == value && (changed & ~bits) == (word & ~bits);
}

static bool field_obeys(const struct isa_field *field, uint32_t word)
{
    uint32_t bits = isa_field_bits(field), changed = ~word;
    int32_t value = isa_field_get(field, word);
    bool ok = isa_field_put(field, &changed, value) &&
              changed == ((~word & ~bits) | (word & bits)) &&
              isa_field_get(field, changed) == value;
    for (unsigned k = 0; k < 34; k++) {
        ok = ok && field_takes(field, word, value + (INT64_C(1) << k)) &&
             field_takes(field, word, value - (INT64_C(1) << k));
    }
    return ok;
}

static void check_fields(const char *mnemonic, const struct isa_field *const *fields, uint32_t word)
{
    for (unsigned i = 0; i < ISA_MAX_FIELDS && fields[i]; i++) {
        if (!field_obeys(fields[i], word)) {
            ck_abort_msg("%s, field %s, word %#" PRIx32, mnemonic, fields[i]->name, word);
        }
    }
}

TEST(fields_of_rows)
{
    uint64_t random = 99;
    for (unsigned i = 0; i < RV32_ROWS; i++) {
        const struct isa_row *row = &rv32_rows[i];
        for (unsigned n = 0; n < WORDS_OF_ROW; n++) {
            uint32_t word = word_of(row, &random);
            check_fields(row->mnemonic, row->format->field, word);
            check_fields(row->mnemonic, row->format->hidden, word);
        }
    }
}

/* --- Operands --- */

/* The operands that the shown fields of a row name: registers that are read, and written. */
struct named_operands {
    uint32_t reads[RV32_FILES], writes[RV32_FILES], address[RV32_FILES];
};

static bool is_memory(const struct isa_row *row)
{
    return strstr(row->format->text, "(rs1)") && strcmp(row->mnemonic, "jalr") != 0;
}

static struct named_operands operands_by_name(const struct isa_row *row, uint32_t word)
{
    struct named_operands named = {0};
    for (unsigned i = 0; i < ISA_MAX_FIELDS && row->format->field[i]; i++) {
        const struct isa_field *field = row->format->field[i];
        const char *name = field->name, *stores = "rs2 fs2 vs3";
        if (field->kind != ISA_REGISTER) {
            continue;
        }
        enum rv32_file file = *name == 'v' ? RV32_V : *name == 'f' ? RV32_F : RV32_X;
        uint32_t bit = UINT32_C(1) << isa_field_get(field, word);
        bool is_data = strstr(stores, name) && strstr(row->format->text, ", rs2, vm") == NULL;
        if (name[1] == 'd') {
            named.writes[file] |= bit;
        } else if (is_memory(row) && !is_data) {
            named.address[file] |= bit;
        } else {
            named.reads[file] |= bit;
        }
    }
    named.reads[RV32_X] &= ~UINT32_C(1);
    named.writes[RV32_X] &= ~UINT32_C(1);
    return named;
}

/* vtype 0xd0: elements of 32 bits in single registers. */
TEST(operands_are_those_that_the_text_names)
{
    uint64_t random = 5;
    for (unsigned i = 0; i < RV32_ROWS; i++) {
        for (unsigned n = 0; n < WORDS_OF_ROW; n++) {
            const uint32_t word = word_of(&rv32_rows[i], &random);
            const struct rv32_operands found = rv32_find_operands(NULL, word, 0xd0);
            const struct isa_row *row = &rv32_rows[found.row];
            const struct named_operands named = operands_by_name(row, word);
            const unsigned traits = found.effects.traits;
            ck_assert_msg(!(traits & (RV32_LOADS | RV32_STORES)) != is_memory(row), "%s",
                          row->mnemonic);
            for (unsigned file = 0; file < RV32_FILES; file++) {
                /* groups, and what masks keep, come on top */
                uint32_t wide = file == RV32_V ? 0 : ~UINT32_C(0);
                ck_assert_msg((named.writes[file] & ~found.results[file]) == 0 &&
                                  (found.results[file] & ~named.writes[file] & wide) == 0 &&
                                  (named.reads[file] & ~found.values[file]) == 0 &&
                                  (found.values[file] & ~named.reads[file] & wide) == 0,
                              "%s: %#" PRIx32, row->mnemonic, word);
            }
        }
    }
}

static const struct operands_case {
    const char *text;
    uint32_t vtype;
    uint32_t values[RV32_FILES], results[RV32_FILES];
    unsigned size;
    int32_t imm;
} operands_cases[] = {
    {"lbu a0, -3(a1)", 0, {0}, {1 << 10}, 1, -3},
    {"sh a0, 6(a1)", 0, {1 << 10}, {0}, 2, 6},
    {"fsw fa0, -8(a1)", 0, {[RV32_F] = 1 << 10}, {0}, 4, -8},
    {"amoadd.w a0, a1, (a2)", 0, {1 << 11}, {1 << 10}, 4, 0},
    {"fmadd.s fa0, fa1, fa2, fa3", 0, {[RV32_F] = 7 << 11}, {[RV32_F] = 1 << 10}, 0, 0},
    {"fmv.x.w a0, fa1", 0, {[RV32_F] = 1 << 11}, {1 << 10}, 0, 0},
    {"vadd.vv v8, v4, v2", 0xd0, {[RV32_V] = 1 << 4 | 1 << 2}, {[RV32_V] = 1 << 8}, 0, 0},
    {"vadd.vv v8, v4, v2", 0xd1, {[RV32_V] = 3 << 4 | 3 << 2}, {[RV32_V] = 3 << 8}, 0, 0},
    {"vadd.vv v8, v4, v2, v0.t",
     0xd0,
     {[RV32_V] = 1 << 8 | 1 << 4 | 1 << 2 | 1},
     {[RV32_V] = 1 << 8},
     0,
     0},
    {"vmacc.vx v8, a0, v4", 0xd0, {1 << 10, 0, 1 << 8 | 1 << 4}, {[RV32_V] = 1 << 8}, 0, 0},
    {"vmseq.vv v8, v4, v2", 0xd1, {[RV32_V] = 3 << 4 | 3 << 2}, {[RV32_V] = 1 << 8}, 0, 0},
    {"vwadd.vv v8, v4, v2", 0xc8, {[RV32_V] = 1 << 4 | 1 << 2}, {[RV32_V] = 3 << 8}, 0, 0},
    {"vle8.v v8, (a0)", 0xd1, {0}, {[RV32_V] = 1 << 8}, 1, 0},
    {"vlse32.v v8, (a0), a1", 0xd1, {0}, {[RV32_V] = 3 << 8}, 4, 0},
    {"vsoxei32.v v8, (a0), v4", 0xd0, {[RV32_V] = 1 << 8}, {0}, 0, 0},
    {"vsseg3e32.v v8, (a0)", 0xd0, {[RV32_V] = 7 << 8}, {0}, 4, 0},
    {"vl4re32.v v8, (a0)", 0xd1, {0}, {[RV32_V] = 15 << 8}, 4, 0},
};

TEST_EACH(operands_of, COUNT(operands_cases))
{
    const struct operands_case *c = &operands_cases[_i];
    uint32_t word = 0;
    ck_assert_int_eq(rv32_assemble(c->text, 0, &word, NULL), PENROSE_OK);
    const struct rv32_operands found = rv32_find_operands(NULL, word, c->vtype);
    ck_assert_mem_eq(found.values, c->values, sizeof c->values);
    ck_assert_mem_eq(found.results, c->results, sizeof c->results);
    ck_assert_uint_eq(found.size, c->size);
    ck_assert_int_eq(found.imm, c->imm);
}

TEST(a_push_and_no_instruction_have_no_operands)
{
    ck_assert_int_eq(rv32_find_operands(NULL, 0x12345670, 0).row, -1);
    ck_assert_int_eq(rv32_find_operands(NULL, UINT32_MAX, 0).row, -1);
}

/* Software writes what it likes to vtype. */
TEST(no_vtype_leads_out_of_a_file)
{
    for (unsigned row = 0; row < RV32_ROWS; row++) {
        for (uint32_t vtype = 0; vtype < 64; vtype++) {
            const struct rv32_operands found =
                rv32_find_operands(NULL, rv32_rows[row].match, vtype);
            ck_assert(!(found.results[RV32_V] || found.values[RV32_V]) ||
                      rv32_row_extension((unsigned)found.row) == RV32_EXT_V);
        }
    }
}

/* --- Text --- */

struct spelling {
    const char *text;
    uint32_t pc, word;
};

/* Words as GNU as 2.40 makes them. */
static const struct spelling spellings[] = {
    {"addi a0, a1, -1", 0, 0xfff58513},        {"addi  a0,a1,0x7ff", 0, 0x7ff58513},
    {"  ADDI a0 , a1 , 0", 0, 0x00058513},     {"lui t6, 0xfffff", 0, 0xffffffb7},
    {"lw s0, -2048(sp)", 0, 0x80012403},       {"lw s0, 4 ( sp )", 0, 0x00412403},
    {"sw ra, 2047(zero)", 0, 0x7e102fa3},      {"beq a0, zero, 0x1008", 0x1000, 0x00050463},
    {"bne a0, a1, 0xff8", 0x1000, 0xfeb51ce3}, {"jal ra, 0", 0x1000, 0x800ff0ef},
    {"jalr zero, 0(ra)", 0, 0x00008067},       {"amoadd.w a0, a1, (a2)", 0, 0x00b6252f},
    {"fence 15, 15", 0, 0x0ff0000f},           {"ecall", 0, 0x00000073},
    {"srai a0, a0, 31", 0, 0x41f55513},        {"rev8 a0, a0", 0, 0x69855513},
    {"csrrw zero, 0x7c0, a0", 0, 0x7c051073},  {".word 0xdeadbeef", 0, 0xdeadbeef},
    {".ttinsn 0x40000001", 0, 0x00000005},     {".ttinsn 0xbfffffff", 0, 0xfffffffe},
};

TEST_EACH(spelling_assembles, COUNT(spellings))
{
    const struct spelling *s = &spellings[_i];
    struct penrose_error error = {.status = PENROSE_OK};
    uint32_t word = 0;
    enum penrose_status status = rv32_assemble(s->text, s->pc, &word, &error);
    ck_assert_msg(status == PENROSE_OK, "\"%s\": %s", s->text, error.text);
    ck_assert_msg(word == s->word, "\"%s\" is %#" PRIx32 ", not %#" PRIx32, s->text, word, s->word);
}

struct mistake {
    const char *text;
    const char *message[2]; /* what the message must contain */
};

static const struct mistake mistakes[] = {
    {"", {"no instruction", "\"\""}},
    {"adi a0, a0, 1", {"\"adi\"", "no instruction"}},
    {"addix a0, a0, 1", {"\"addix\"", "no instruction"}},
    {"addi", {"operand rd", "rd, rs1, imm"}},
    {"addi a0", {"expected ','", "rd, rs1, imm"}},
    {"addi a0, a1", {"expected ','", "addi"}},
    {"addi a0, a1,", {"operand imm", "\"\""}},
    {"addi a0 a1, 1", {"\"a0 a1\"", "operand rd"}},
    {"addi a0, a1, 1, 2", {"left over", "\", 2\""}},
    {"addi a0, a1, 1 2", {"\"1 2\"", "operand imm"}},
    {"addi a0, a8, 1", {"\"a8\"", "operand rs1"}},
    {"addi a0, 11, 1", {"\"11\"", "operand rs1"}},
    {"addi a0, ft0, 1", {"\"ft0\"", "operand rs1"}},
    {"addi a0, a1, 2048", {"\"2048\"", "operand imm"}},
    {"addi a0, a1, -2049", {"\"-2049\"", "operand imm"}},
    {"addi a0, a1, 0xffffffff", {"\"0xffffffff\"", "operand imm"}},
    {"addi a0, a1, 99999999999", {"\"99999999999\"", "operand imm"}},
    {"addi a0, a1, one", {"\"one\"", "operand imm"}},
    {"addi a0, a1, --1", {"\"--1\"", "operand imm"}},
    {"addi a0, a1, +1", {"\"+1\"", "operand imm"}},
    {"addi a0, a1, 1x", {"\"1x\"", "operand imm"}},
    {"lui a0, 0x100000", {"\"0x100000\"", "operand imm"}},
    {"lui a0, -1", {"\"-1\"", "operand imm"}},
    {"slli a0, a0, 32", {"\"32\"", "operand shamt"}},
    {"lw a0, 4", {"expected '('", "rd, imm(rs1)"}},
    {"lw a0, 4(a1", {"expected ')'", "rd, imm(rs1)"}},
    {"lw a0, (a1)", {"operand imm", "\"\""}},
    {"lw a0, 4(a1) a2", {"left over", "\"a2\""}},
    {"beq a0, a1, 0x1001", {"\"0x1001\"", "operand target"}},
    {"beq a0, a1, 0x2000", {"\"0x2000\"", "operand target"}},
    {"jal ra, 0x200000", {"\"0x200000\"", "operand target"}},
    {"fence 16, 0", {"\"16\"", "operand pred"}},
    {"ecall 1", {"left over", "\"1\""}},
    {"csrrw a0, nosuchcsr, a0", {"\"nosuchcsr\"", "operand csr"}},
    {"csrrw a0, 0x1000, a0", {"\"0x1000\"", "operand csr"}},
    {"csrrwi a0, 0x7c0, 32", {"\"32\"", "operand uimm"}},
    {".word", {"32-bit", ""}},
    {".word 0x100000000", {"\"0x100000000\"", "32-bit"}},
    {".word 12z", {"\"12z\"", "32-bit"}},
    {".ttinsn 0xc0000000", {"below 0xc0000000", "\"0xc0000000\""}},
};

TEST_EACH(mistake_is_explained, COUNT(mistakes))
{
    const struct mistake *m = &mistakes[_i];
    struct penrose_error error = {.status = PENROSE_OK};
    uint32_t word = 0x12345678;
    ck_assert_int_eq(rv32_assemble(m->text, 0x1000 - 4, &word, &error), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(error.status, PENROSE_E_ARGUMENT);
    ck_assert_uint_eq(word, 0x12345678);
    for (int i = 0; i < COUNT(m->message); i++) {
        ck_assert_msg(strstr(error.text, m->message[i]), "\"%s\": message \"%s\" lacks %s", m->text,
                      error.text, m->message[i]);
    }
    ck_assert_ptr_null(strchr(error.text, '\n'));
    ck_assert_int_eq(rv32_assemble(m->text, 0x1000 - 4, &word, NULL), PENROSE_E_ARGUMENT);
}

/* Very long text must not overrun anything. */
TEST(long_text)
{
    struct penrose_error error = {.status = PENROSE_OK};
    char text[4 * PENROSE_ERROR_TEXT];
    uint32_t word;
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    ck_assert_int_eq(rv32_assemble(text, 0, &word, &error), PENROSE_E_ARGUMENT);
    ck_assert_uint_lt(strlen(error.text), sizeof error.text);
    memcpy(text, "addi a0, a1, ", 13);
    ck_assert_int_eq(rv32_assemble(text, 0, &word, &error), PENROSE_E_ARGUMENT);
    memset(text + 13, '1', sizeof text - 14);
    ck_assert_int_eq(rv32_assemble(text, 0, &word, &error), PENROSE_E_ARGUMENT);
    ck_assert_uint_lt(strlen(error.text), sizeof error.text);
}

/* Text is cut to the space there is; the length is that of the whole, as with snprintf. */
TEST(short_space)
{
    static const uint32_t words[] = {0xfff58513, 0x00b6252f, 0x00000073, 0xdeadbeef, 0x00000000};
    struct isa_index index;
    ck_assert(rv32_index_build(&index));
    for (int i = 0; i < COUNT(words); i++) {
        char whole[96], text[96];
        int length = rv32_disassemble(&index, words[i], 0, whole, sizeof whole);
        for (size_t size = 0; size <= (size_t)length + 1; size++) {
            memset(text, '#', sizeof text);
            ck_assert_int_eq(rv32_disassemble(&index, words[i], 0, text, size), length);
            ck_assert_int_eq(text[size], '#');
            if (size) {
                ck_assert_uint_eq(strlen(text), size - 1);
                ck_assert_mem_eq(text, whole, size - 1);
            }
        }
    }
    isa_index_free(&index);
}

/* --- Small tables --- */

static const char *const colours[] = {"red", NULL, "blue"};
static const char *const gates[] = {"closed", "open"};

static const struct isa_field low = {"low", ISA_NUMBER, {{0, 8, 0}}, NULL, 0, NULL, NULL};
static const struct isa_field high = {"high", ISA_SIGNED, {{8, 16, 0}}, NULL, 0, NULL, NULL};
static const struct isa_field split = {
    "split", ISA_TARGET, {{0, 8, 9}, {8, 8, 1}, {16, 8, 17}}, NULL, 0, NULL, NULL};
static const struct isa_field colour = {"colour", ISA_NAMED, {{0, 8, 0}}, colours, 3, NULL, NULL};
static const struct isa_field gate = {"gate", ISA_OPTIONAL, {{8, 2, 0}}, gates, 2, NULL, NULL};
static const struct isa_field rest = {"rest", ISA_NUMBER, {{10, 14, 0}}, NULL, 0, NULL, NULL};

static const struct isa_format plain = {"low, high", {&low, &high}, {NULL}};
static const struct isa_format hidden = {"low", {&low}, {&high}};
static const struct isa_format jump = {"split", {&split}, {NULL}};
static const struct isa_format painted = {"colour, gate", {&colour, &gate}, {&rest}};
static const struct isa_format gappy = {"low", {&low}, {NULL}};
static const struct isa_format doubled = {"low, low", {&low, &low, &high}, {NULL}};

struct table {
    const char *message; /* NULL: obeys the laws */
    unsigned count;
    struct isa_row rows[3];
};

static const struct table tables[] = {
    {NULL,
     3,
     {{"one", 0x01000000, 0xff000000, &plain},
      {"two", 0x02000000, 0xff000000, &hidden},
      {"three", 0x03000000, 0xff000000, &painted}}},
    {NULL, /* the special case in front */
     2,
     {{"zero", 0x01000000, 0xffffffff, &(const struct isa_format){"", {NULL}, {NULL}}},
      {"one", 0x01000000, 0xff000000, &plain}}},
    {"match the same word", /* and behind, where it is never found */
     2,
     {{"one", 0x01000000, 0xff000000, &plain},
      {"zero", 0x01000000, 0xffffffff, &(const struct isa_format){"", {NULL}, {NULL}}}}},
    {"match the same word",
     2,
     {{"one", 0x01000000, 0xff000000, &plain}, {"same", 0x01000000, 0xff000000, &hidden}}},
    {"match the same word", /* overlap without either being the special case */
     2,
     {{"one", 0x00000000, 0xff000000, &plain},
      {"other", 0x00000000, 0x00ffffff,
       &(const struct isa_format){
           "top",
           {&(const struct isa_field){"top", ISA_NUMBER, {{24, 8, 0}}, NULL, 0, NULL, NULL}},
           {NULL}}}}},
    {"outside mask", 1, {{"one", 0x01000001, 0xff000000, &plain}}},
    {"have no name", 1, {{"one", 0x01000000, 0xff000000, &gappy}}},
    {"named already", 1, {{"one", 0x01000000, 0xff000000, &doubled}}},
    {"named already", 1, {{"one", 0x01000000, 0xff800000, &plain}}},
};

TEST_EACH(laws_on_small_tables, COUNT(tables))
{
    const struct table *table = &tables[_i];
    struct penrose_error error = {.status = PENROSE_OK};
    bool ok = isa_check_rows(table->rows, table->count, &error);
    ck_assert_msg(ok == !table->message, "%s", error.text);
    if (table->message) {
        ck_assert_msg(strstr(error.text, table->message), "\"%s\" lacks \"%s\"", error.text,
                      table->message);
        ck_assert_ptr_nonnull(strstr(error.text, table->rows[table->count - 1].mnemonic));
    }
}

/* Tables whose rows differ in the high byte, as Tensix instructions do. */
TEST_EACH(index_by_the_high_byte, 4)
{
    const struct table *table = &tables[_i];
    struct isa_index index;
    uint64_t random = 3;
    ck_assert(isa_index_build(&index, table->rows, table->count, 24, 8));
    for (unsigned n = 0; n < 10000; n++) {
        uint32_t word = harness_random(&random) & UINT32_C(0x03ffffff);
        word &= n % 2 ? UINT32_MAX : UINT32_C(0xff000000);
        check_find(&index, word);
    }
    ck_assert_int_eq(isa_index_find(&index, UINT32_C(0xff000000)), -1);
    isa_index_free(&index);
}

struct printed {
    const struct isa_format *format;
    uint32_t pc, word;
    const char *text;
};

static const struct printed prints[] = {
    {&plain, 0, 0x01000009, "x 9, 0"},          {&plain, 0, 0x0180000a, "x 0xa, -32768"},
    {&plain, 0, 0x017fffff, "x 0xff, 32767"},   {&hidden, 0, 0x01000007, "x 7"},
    {&jump, 0x1000, 0x01000000, "x 0x1000"},    {&jump, 0x1000, 0x01000100, "x 0x1002"},
    {&jump, 0x1000, 0x01000001, "x 0x1200"},    {&jump, 0x1000, 0x01ffffff, "x 0xffe"},
    {&painted, 0, 0x01000000, "x red, closed"}, {&painted, 0, 0x01000101, "x 1, open"},
    {&painted, 0, 0x01000202, "x blue"},        {&painted, 0, 0x01000203, "x 3"},
};

TEST_EACH(small_rows_print_and_parse, COUNT(prints))
{
    const struct printed *p = &prints[_i];
    const struct isa_row row = {"x", 0x01000000, 0xff000000, p->format};
    struct penrose_error error = {.status = PENROSE_OK};
    uint32_t word = 0;
    char text[64];
    isa_print(&row, p->word, p->pc, text, sizeof text);
    ck_assert_str_eq(text, p->text);
    enum penrose_status status = isa_parse(&row, text + 1, p->pc, &word, &error);
    ck_assert_msg(status == PENROSE_OK, "%s", error.text);
    ck_assert_uint_eq(word, p->word);
}

TEST_EACH(wrong_names, 8)
{
    static const char *const wrong[] = {"green",  "redd", "re",       "red, ajar",
                                        "red, 2", "red,", "red open", "256"};
    const struct isa_row row = {"x", 0x01000000, 0xff000000, &painted};
    struct penrose_error error;
    uint32_t word = 5;
    ck_assert_int_eq(isa_parse(&row, wrong[_i], 0, &word, &error), PENROSE_E_ARGUMENT);
    ck_assert_uint_eq(word, 5);
}
