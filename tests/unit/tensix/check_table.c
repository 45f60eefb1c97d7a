/*
 * The instruction table of the coprocessor: the laws over all rows, operands by an extraction of
 * its own, text there and back, words whose meaning is known from elsewhere, wrong words and wrong
 * text.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/random.h"
#include "unit/test.h"
#include "tensix/table.h"

enum { WORDS_OF_ROW = 100, RANDOM_WORDS = 20000, TEXT_SIZE = 200 };

/* As ck_assert_int_eq, which costs a system call even where all is well. */
static void same(const char *what, int64_t got, int64_t expected)
{
    if (got != expected) {
        ck_abort_msg("%s is %" PRId64 ", not %" PRId64, what, got, expected);
    }
}

/* A word that the row matches: all free bits clear, all set, then random ones. */
static uint32_t word_of(const struct isa_row *row, unsigned n, uint64_t *random)
{
    uint32_t bits = n == 0 ? 0 : n == 1 ? UINT32_MAX : random_next(random);
    return row->match | (bits & ~row->mask);
}

static uint32_t bits_of(const struct isa_field *const *fields)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < ISA_MAX_FIELDS && fields[i]; i++) {
        bits |= isa_field_bits(fields[i]);
    }
    return bits;
}

static uint32_t ignored_bits(const struct isa_row *row)
{
    return bits_of(row->format->hidden);
}

/* --- Laws --- */

TEST(rows_obey_the_laws)
{
    struct penrose_error error = {.status = PENROSE_OK};
    ck_assert_msg(isa_check_rows(tensix_rows, TENSIX_ROWS, &error), "%s", error.text);
}

/* The opcodes of Blackhole (tt_llk_blackhole, assembly.yaml). */
static const struct opcode {
    unsigned opcode;
    const char *mnemonic;
} opcodes[] = {
    {0x01, "MOP"},           {0x02, "NOP"},          {0x03, "MOP_CFG"},      {0x04, "REPLAY"},
    {0x05, "RESOURCEDECL"},  {0x08, "MOVD2A"},       {0x09, "MOVDBGA2D"},    {0x0a, "MOVD2B"},
    {0x0b, "MOVB2A"},        {0x0c, "MOVDBGB2D"},    {0x10, "ZEROACC"},      {0x11, "ZEROSRC"},
    {0x12, "MOVA2D"},        {0x13, "MOVB2D"},       {0x14, "TRNSPSRCA"},    {0x15, "RAREB"},
    {0x16, "TRNSPSRCB"},     {0x17, "SHIFTXA"},      {0x18, "SHIFTXB"},      {0x1a, "SETASHRMH0"},
    {0x1b, "SETASHRMH1"},    {0x1c, "SETASHRMV"},    {0x1d, "SETPKEDGOF"},   {0x1e, "SETASHRMH"},
    {0x21, "CLREXPHIST"},    {0x22, "CONV3S1"},      {0x23, "CONV3S2"},      {0x24, "MPOOL3S1"},
    {0x25, "APOOL3S1"},      {0x26, "MVMUL"},        {0x27, "ELWMUL"},       {0x28, "ELWADD"},
    {0x29, "DOTPV"},         {0x30, "ELWSUB"},       {0x31, "MPOOL3S2"},     {0x32, "APOOL3S2"},
    {0x33, "GMPOOL"},        {0x34, "GAPOOL"},       {0x35, "GATESRCRST"},   {0x36, "CLEARDVALID"},
    {0x37, "SETRWC"},        {0x38, "INCRWC"},       {0x39, "SETIBRWC"},     {0x3a, "MFCONV3S1"},
    {0x40, "XMOV"},          {0x41, "PACR"},         {0x42, "UNPACR"},       {0x43, "UNPACR_NOP"},
    {0x44, "RSTDMA"},        {0x45, "SETDMAREG"},    {0x46, "FLUSHDMA"},     {0x48, "REG2FLOP"},
    {0x49, "LOADIND"},       {0x4a, "PACR_SETREG"},  {0x4b, "TBUFCMD"},      {0x50, "SETADC"},
    {0x51, "SETADCXY"},      {0x52, "INCADCXY"},     {0x53, "ADDRCRXY"},     {0x54, "SETADCZW"},
    {0x55, "INCADCZW"},      {0x56, "ADDRCRZW"},     {0x57, "SETDVALID"},    {0x58, "ADDDMAREG"},
    {0x59, "SUBDMAREG"},     {0x5a, "MULDMAREG"},    {0x5b, "BITWOPDMAREG"}, {0x5c, "SHIFTDMAREG"},
    {0x5d, "CMPDMAREG"},     {0x5e, "SETADCXX"},     {0x60, "DMANOP"},       {0x61, "ATINCGET"},
    {0x62, "ATINCGETPTR"},   {0x63, "ATSWAP"},       {0x64, "ATCAS"},        {0x66, "STOREIND"},
    {0x67, "STOREREG"},      {0x68, "LOADREG"},      {0x70, "SFPLOAD"},      {0x71, "SFPLOADI"},
    {0x72, "SFPSTORE"},      {0x73, "SFPLUT"},       {0x74, "SFPMULI"},      {0x75, "SFPADDI"},
    {0x76, "SFPDIVP2"},      {0x77, "SFPEXEXP"},     {0x78, "SFPEXMAN"},     {0x79, "SFPIADD"},
    {0x7a, "SFPSHFT"},       {0x7b, "SFPSETCC"},     {0x7c, "SFPMOV"},       {0x7d, "SFPABS"},
    {0x7e, "SFPAND"},        {0x7f, "SFPOR"},        {0x80, "SFPNOT"},       {0x81, "SFPLZ"},
    {0x82, "SFPSETEXP"},     {0x83, "SFPSETMAN"},    {0x84, "SFPMAD"},       {0x85, "SFPADD"},
    {0x86, "SFPMUL"},        {0x87, "SFPPUSHC"},     {0x88, "SFPPOPC"},      {0x89, "SFPSETSGN"},
    {0x8a, "SFPENCC"},       {0x8b, "SFPCOMPC"},     {0x8c, "SFPTRANSP"},    {0x8d, "SFPXOR"},
    {0x8e, "SFP_STOCH_RND"}, {0x8f, "SFPNOP"},       {0x90, "SFPCAST"},      {0x91, "SFPCONFIG"},
    {0x92, "SFPSWAP"},       {0x93, "SFPLOADMACRO"}, {0x94, "SFPSHFT2"},     {0x95, "SFPLUTFP32"},
    {0x96, "SFPLE"},         {0x97, "SFPGT"},        {0x98, "SFPMUL24"},     {0x99, "SFPARECIP"},
    {0xa0, "ATGETM"},        {0xa1, "ATRELM"},       {0xa2, "STALLWAIT"},    {0xa3, "SEMINIT"},
    {0xa4, "SEMPOST"},       {0xa5, "SEMGET"},       {0xa6, "SEMWAIT"},      {0xa7, "STREAMWAIT"},
    {0xb0, "WRCFG"},         {0xb1, "RDCFG"},        {0xb2, "SETC16"},       {0xb3, "RMWCIB0"},
    {0xb4, "RMWCIB1"},       {0xb5, "RMWCIB2"},      {0xb6, "RMWCIB3"},      {0xb7, "STREAMWRCFG"},
    {0xb8, "CFGSHIFTMASK"},
};

TEST(every_opcode_has_rows_and_every_row_an_opcode)
{
    ck_assert_int_eq(COUNT(opcodes), 137);
    const char *name_of[256] = {NULL};
    for (int i = 0; i < COUNT(opcodes); i++) {
        name_of[opcodes[i].opcode] = opcodes[i].mnemonic;
    }
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        int row = tensix_find_opcode(opcode);
        ck_assert_msg((row >= 0) == (name_of[opcode] != NULL), "opcode %#x", opcode);
    }
    for (int row = 0; row < TENSIX_ROWS; row++) {
        ck_assert_str_eq(tensix_rows[row].mnemonic, name_of[tensix_rows[row].match >> 24]);
    }
}

TEST_EACH(operands_of_a_row_have_names_of_their_own, TENSIX_ROWS)
{
    const struct isa_format *format = tensix_rows[_i].format;
    for (unsigned i = 0; i < ISA_MAX_FIELDS && format->field[i]; i++) {
        for (unsigned j = 0; j < i; j++) {
            ck_assert_str_ne(format->field[i]->name, format->field[j]->name);
        }
    }
}

TEST_EACH(rows_are_found, TENSIX_ROWS)
{
    const struct isa_row *row = &tensix_rows[_i];
    uint64_t random = (uint64_t)_i;
    for (unsigned n = 0; n < WORDS_OF_ROW; n++) {
        uint32_t word = word_of(row, n, &random);
        int found = tensix_find(word), nearest;
        same("a row", found >= 0, true);
        /* Another one only where it is a special case of this one. */
        bool is_special = (tensix_rows[found].mask & row->mask) == row->mask;
        same("the row", found == _i || (found < _i && is_special), true);
        same("wrong bits", tensix_wrong_bits(word, &nearest), 0);
        same("the nearest row", nearest, found);
    }
}

TEST(index_finds_what_a_search_finds)
{
    struct isa_index index;
    ck_assert(tensix_index_build(&index));
    uint64_t random = 1;
    for (unsigned n = 0; n < RANDOM_WORDS; n++) {
        uint32_t word = random_next(&random);
        if (n % 2) {
            word = word_of(&tensix_rows[word % TENSIX_ROWS], n, &random);
        }
        same("the indexed row", isa_index_find(&index, word), tensix_find(word));
    }
    isa_index_free(&index);
}

/* --- Operands: what tensix_decode_<token> gives, bit by bit --- */

static uint32_t take(uint32_t word, int hi, int lo)
{
    uint32_t value = 0;
    for (int bit = hi; bit >= lo; bit--) {
        value = value << 1 | (word >> bit & 1);
    }
    return value;
}

static int32_t take_signed(uint32_t word, int hi, int lo)
{
    int64_t value = take(word, hi, lo);
    return (int32_t)(word >> hi & 1 ? value - (INT64_C(1) << (hi - lo + 1)) : value);
}

#define FIELD(name, hi, lo)  same(#name, args.name, take(word, hi, lo));
#define KEY(name, hi, lo)    FIELD(name, hi, lo)
#define PART(name, hi, lo)   FIELD(name, hi, lo)
#define SIGNED(name, hi, lo) same(#name, args.name, take_signed(word, hi, lo));
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    static void decode_##token(uint32_t word)                                                      \
    {                                                                                              \
        struct tensix_args_##token args = tensix_decode_##token(word);                             \
        same("word", args.word, word);                                                             \
        cells                                                                                      \
    }
#include "tensix.def"

static void (*const decoders[TENSIX_ROWS])(uint32_t word) = {
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    decode_##token,
#include "tensix.def"
};

/* The bits that have second names. */
#define UP_TO(hi)            ((UINT32_C(2) << (hi)) - 1)
#define PART(name, hi, lo)   | (UP_TO(hi) ^ (UP_TO(lo) >> 1))
#define SIGNED(name, hi, lo) PART(name, hi, lo)

#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells) 0 cells,
static const uint32_t parts[TENSIX_ROWS] = {
#include "tensix.def"
};
#undef UP_TO

TEST_EACH(operands_decode, TENSIX_ROWS)
{
    uint64_t random = (uint64_t)_i;
    for (unsigned n = 0; n < WORDS_OF_ROW; n++) {
        decoders[_i](word_of(&tensix_rows[_i], n, &random));
    }
}

TEST_EACH(second_names_are_of_operands_or_ignored_bits, TENSIX_ROWS)
{
    const struct isa_row *row = &tensix_rows[_i];
    uint32_t named = bits_of(row->format->field) | ignored_bits(row);
    ck_assert_uint_eq(parts[_i] & ~named, 0);
}

TEST_EACH(operands_encode, TENSIX_ROWS)
{
    const struct isa_row *row = &tensix_rows[_i];
    uint64_t random = (uint64_t)_i;
    for (unsigned n = 0; n < WORDS_OF_ROW; n++) {
        uint32_t word = word_of(row, n, &random), back = row->match | (word & ignored_bits(row));
        for (unsigned i = 0; i < ISA_MAX_FIELDS && row->format->field[i]; i++) {
            const struct isa_field *field = row->format->field[i];
            same(field->name, isa_field_put(field, &back, (uint32_t)isa_field_get(field, word)), 1);
        }
        same("the word", back, word);
    }
}

TEST(members_have_the_pages_names)
{
    struct tensix_args_SETADCXY xy = tensix_decode_SETADCXY(0x51e8b00f);
    ck_assert_uint_eq(xy.thread_override, 2);
    ck_assert_uint_eq(xy.y1_val, 1);
    ck_assert_uint_eq(xy.x1_val, 3);
    ck_assert_uint_eq(xy.cnt_set_mask, 7);
    ck_assert(xy.pk && xy.u1 && xy.u0 && xy.y1 && xy.x1 && xy.y0 && xy.x0);
    ck_assert_int_eq(tensix_decode_SFPIADD(0x79fff125).simm12, -1);
    ck_assert_int_eq(tensix_decode_SFPSHFT2(0x94ff00c6).simm12, -16);
    ck_assert_int_eq(tensix_decode_SFPSHFT(0x7a7ff000).simm12, 2047);
    struct tensix_args_UNPACR unpacr = tensix_decode_UNPACR(0x42a080c1);
    ck_assert_uint_eq(unpacr.which_unpacker, 1);
    ck_assert_uint_eq(unpacr.ch1_y_inc, 1);
    ck_assert_uint_eq(unpacr.ch0_z_inc, 1);
    ck_assert_uint_eq(unpacr.flip_src, 1);
    ck_assert_uint_eq(tensix_decode_SETDMAREG_IMM(0x45beef30).new_value, 0xbeef);
    ck_assert_uint_eq(tensix_decode_MOP(0x01873c05).outer_count, 0x1cf);
    ck_assert_uint_eq(tensix_decode_MOP(0x01873c05).inner_count, 5);
    ck_assert_uint_eq(tensix_decode_UNPACR_NOP_STREAM_LONG(0x437fffff).value11, 0x7ff);
}

/* --- Units, blocks and times --- */

static uint32_t blocks_of_unit(enum tensix_unit unit)
{
    switch (unit) {
    case TENSIX_UNIT_SYNC:
        return TENSIX_BLOCK_SYNC;
    case TENSIX_UNIT_MATRIX:
        return TENSIX_BLOCK_MATRIX;
    case TENSIX_UNIT_VECTOR:
        return TENSIX_BLOCK_VECTOR;
    case TENSIX_UNIT_UNPACK:
        return TENSIX_BLOCK_TDMA | TENSIX_BLOCK_UNPACK;
    case TENSIX_UNIT_PACK:
        return TENSIX_BLOCK_TDMA | TENSIX_BLOCK_PACK;
    case TENSIX_UNIT_SCALAR:
        return TENSIX_BLOCK_TDMA | TENSIX_BLOCK_SCALAR;
    case TENSIX_UNIT_CONFIG:
        return TENSIX_BLOCK_CONFIG;
    case TENSIX_UNIT_MOVER:
        return TENSIX_BLOCK_TDMA | TENSIX_BLOCK_MOVER;
    case TENSIX_UNIT_MISC:
        return TENSIX_BLOCK_TDMA;
    case TENSIX_UNIT_FRONTEND:
    case TENSIX_UNITS:
        break;
    }
    return 0;
}

/* SPEC: BH STALLWAIT, the table of block bits: a matter of the unit, but for four instructions. */
TEST_EACH(blocks_follow_the_unit, TENSIX_ROWS)
{
    const struct tensix_row_info *info = &tensix_row_infos[_i];
    bool is_wait =
        _i == TENSIX_ROW_STALLWAIT || _i == TENSIX_ROW_SEMWAIT || _i == TENSIX_ROW_STREAMWAIT;
    bool takes_any = is_wait || _i == TENSIX_ROW_NOP;
    ck_assert_uint_eq(info->blocks, takes_any ? TENSIX_BLOCK_MASK : blocks_of_unit(info->unit));
    ck_assert_int_eq(info->needs_all_blocks, _i == TENSIX_ROW_NOP);
    ck_assert_int_eq(tensix_is_blocked(info, 0), false);
    ck_assert_int_eq(tensix_is_blocked(info, TENSIX_BLOCK_MASK),
                     info->unit != TENSIX_UNIT_FRONTEND);
}

TEST(nop_is_blocked_by_all_bits_only)
{
    const struct tensix_row_info *nop = &tensix_row_infos[TENSIX_ROW_NOP];
    const struct tensix_row_info *wait = &tensix_row_infos[TENSIX_ROW_SEMWAIT];
    for (uint32_t mask = 0; mask <= TENSIX_BLOCK_MASK; mask++) {
        same("NOP", tensix_is_blocked(nop, mask), mask == TENSIX_BLOCK_MASK);
        same("SEMWAIT", tensix_is_blocked(wait, mask), mask != 0);
    }
}

TEST_EACH(times_are_sensible, TENSIX_ROWS)
{
    const struct tensix_row_info *info = &tensix_row_infos[_i];
    ck_assert_uint_ge(info->occupancy, 1);
    ck_assert_uint_ge(info->latency, info->occupancy);
    /* Only the scalar unit, SHIFTXB, CFGSHIFTMASK and UNPACR keep their unit for longer. */
    bool may_take_long = info->unit == TENSIX_UNIT_SCALAR || info->unit == TENSIX_UNIT_UNPACK ||
                         _i == TENSIX_ROW_SHIFTXB || _i == TENSIX_ROW_CFGSHIFTMASK;
    ck_assert(info->occupancy == 1 || may_take_long);
}

TEST(stubs_are_what_no_source_defines)
{
    static const int stubs[] = {
        TENSIX_ROW_TRNSPSRCA,      TENSIX_ROW_RAREB,     TENSIX_ROW_SETASHRMH0,
        TENSIX_ROW_SETASHRMH1,     TENSIX_ROW_SETASHRMV, TENSIX_ROW_SETPKEDGOF,
        TENSIX_ROW_SETASHRMH,      TENSIX_ROW_TBUFCMD,   TENSIX_ROW_RSTDMA,
        TENSIX_ROW_REG2FLOP_LOCAL,
    };
    int found = 0;
    for (int row = 0; row < TENSIX_ROWS; row++) {
        const struct tensix_sought *sought = tensix_sought_of((unsigned)row);
        found += tensix_row_infos[row].is_stub;
        ck_assert_int_eq(sought != NULL, tensix_row_infos[row].is_stub);
        if (sought) { /* what is said of it, by whom, and that the pages were asked */
            ck_assert_ptr_nonnull(strstr(sought->found, "assembly.yaml: "));
            ck_assert_ptr_nonnull(strstr(sought->places, "tt-isa-documentation"));
        }
    }
    ck_assert_int_eq(found, COUNT(stubs));
    for (int i = 0; i < COUNT(stubs); i++) {
        ck_assert(tensix_row_infos[stubs[i]].is_stub);
    }
}

/* --- Text --- */

static uint32_t assembled(const char *text)
{
    struct penrose_error error = {.status = PENROSE_OK};
    uint32_t word = 0;
    if (tensix_assemble(text, &word, &error) != PENROSE_OK) {
        ck_abort_msg("%s: %s", text, error.text);
    }
    return word;
}

TEST_EACH(text_there_and_back, TENSIX_ROWS)
{
    uint64_t random = (uint64_t)_i;
    for (unsigned n = 0; n < WORDS_OF_ROW; n++) {
        uint32_t word = word_of(&tensix_rows[_i], n, &random);
        char text[TEXT_SIZE];
        int length = tensix_disassemble(word, text, sizeof text);
        same("the length", length, (int)strlen(text));
        same(text, assembled(text), word & ~ignored_bits(&tensix_rows[_i]));
    }
}

/*
 * Words from outside: TT_OP_ macros of tt_llk_blackhole's ckernel_ops.h worked out by hand, most
 * with arguments that LLK uses; the pushes of tt-metal's boot; two words of a kernel's disassembly.
 */
static const struct known {
    uint32_t word;
    const char *text;
} known[] = {
    {0x10180000, "ZEROACC 3, 0, 0, 0, 0"}, /* boot */
    {0x8a00300a, "SFPENCC 3, 0, 0, 0xa"},
    {0x02000000, "NOP"},
    {0x7100bf80, "SFPLOADI 0, 0, 0xbf80"},
    {0x910000b0, "SFPCONFIG 0, 0xb, 0"},
    {0xa3100008, "SEMINIT 1, 0, 2"},
    {0xa3100010, "SEMINIT 1, 0, 4"},
    {0xa3100200, "SEMINIT 1, 0, 0x80"},
    {0x5180000b, "SETADCXY 4, 0, 0, 0, 0, 0xb"}, /* kernel */
    {0x5480000f, "SETADCZW 4, 0, 0, 0, 0, 0xf"},
    {0x01800000, "MOP 1, 0, 0"},
    {0x01070f0f, "MOP 0, 7, 0xf0f"},
    {0x0300a5a5, "MOP_CFG 0xa5a5"},
    {0x040400f1, "REPLAY 0x10, 0xf, 0, 1"},
    {0x040542a3, "REPLAY 0x15, 0x2a, 1, 1"},
    {0x05003ffd, "RESOURCEDECL 1, 0x1ff, 0xd"},
    {0x08106004, "MOVD2A 0, 8, 1, 2, 4"},
    {0x0b20601c, "MOVB2A 0x10, 1, 2, 0x1c"},
    {0x13b8e820, "MOVB2D 1, 0x1c, 3, 5, 0x20"},
    {0x12306008, "MOVA2D 0, 0x18, 1, 2, 8"},
    {0x10184000, "ZEROACC 3, 0, 0, 1, 0"},
    {0x100ec020, "ZEROACC 1, 1, 1, 3, 0x20"},
    {0x11000007, "ZEROSRC 0, 0, 1, 3"},
    {0x18000004, "SHIFTXB 0, 0, 4"},
    {0x26814000, "MVMUL 2, 0, 5, 0"},
    {0x27f043ff, "ELWMUL 3, 1, 2, 1, 0x3ff"},
    {0x28080008, "ELWADD 0, 0, 1, 0, 8"},
    {0x33c80004, "GMPOOL 3, 1, 0, 0, 4"},
    {0x34098000, "GAPOOL 0, 1, 3, 0, 0"},
    {0x36c00000, "CLEARDVALID 3, 0"},
    {0x37920006, "SETRWC 2, 4, 8, 0, 0, 6"},
    {0x38220000, "INCRWC 8, 8, 0, 0"},
    {0x38120000, "INCRWC 4, 8, 0, 0"},
    {0x41008f10, "PACR 0, 0, 0, 1, 0, 0, 0xf, 0, 1, 0, 0, 0"},
    {0x42a080c1, "UNPACR 1, 0x41, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1"},
    {0x42000002, "UNPACR 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0"},
    {0x42802000, "UNPACR 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0"},
    {0x4200208d, "UNPACR 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1"},
    {0x43800201, "UNPACR_NOP 1, 0, 0, 2, 0, 0, 0, 0, 1"},
    {0x43000115, "UNPACR_NOP 0, 0, 0, 1, 0, 0, 1, 1, 1"},
    {0x43000002, "UNPACR_NOP 0, 0, 0, 0, 0, 0, 0, 0, 2"},
    {0x43aa5003, "UNPACR_NOP 1, 0x2a, 5, 0, 0, 0, 0, 0, 3"},
    {0x45123405, "SETDMAREG 0, 0x1234, 0, 5"},
    {0x45beef30, "SETDMAREG 0, 0xbeef, 0, 0x30"},
    {0x45800886, "SETDMAREG 2, 8, 1, 6"},
    {0x484008cc, "REG2FLOP 1, 0, 0, 0, 0x23, 0xc"},
    {0x4946210b, "LOADIND 1, 0x18, 2, 4, 0xb"},
    {0x5880c04d, "ADDDMAREG 1, 0xc, 1, 0xd"},
    {0x6107ea95, "ATINCGET 0, 0x1f, 2, 0x2a, 0x15"},
    {0x62656a95, "ATINCGETPTR 0, 1, 9, 5, 2, 0x2a, 0x15"},
    {0x63568a95, "ATSWAP 0, 0x15a, 0x2a, 0x15"},
    {0x64043010, "ATCAS 0, 1, 0, 3, 0, 0x10"},
    {0x66a61083, "STOREIND 1, 0, 1, 0x18, 1, 2, 3"},
    {0x66461083, "STOREIND 0, 1, 0, 0x18, 1, 2, 3"},
    {0x6756c049, "STOREREG 0x15, 0x2c049"},
    {0x68a95555, "LOADREG 0x2a, 0x15555"},
    {0x50980010, "SETADC 4, 1, 2, 0x10"},
    {0x5160000b, "SETADCXY 3, 0, 0, 0, 0, 0xb"},
    {0x55808040, "INCADCZW 4, 1, 0, 0, 1"},
    {0x5e23fc00, "SETADCXX 1, 0xff, 0"},
    {0x57000002, "SETDVALID 2"},
    {0x7003e020, "SFPLOAD 0, 3, 7, 0x20"},
    {0x72126000, "SFPSTORE 1, 2, 3, 0"},
    {0x79fff125, "SFPIADD 0xfff, 1, 2, 5"},
    {0x84012930, "SFPMAD 1, 2, 9, 3, 0"},
    {0x92000121, "SFPSWAP 0, 1, 2, 1"},
    {0x8e009003, "SFP_STOCH_RND 0, 0, 9, 0, 0, 3"},
    {0x94ff00c6, "SFPSHFT2 0xff0, 0, 0xc, 6"},
    {0x9350e004, "SFPLOADMACRO 5, 0, 7, 4"},
    {0x95000072, "SFPLUTFP32 7, 2"},
    {0xa0000000, "ATGETM 0"},
    {0xa2201800, "STALLWAIT 0x40, 0x1800"},
    {0xa1000003, "ATRELM 3"},
    {0xa3950294, "SEMINIT 9, 5, 0xa5"},
    {0xa4000008, "SEMPOST 2"},
    {0xa5000294, "SEMGET 0xa5"},
    {0xa6ff8009, "SEMWAIT 0x1ff, 2, 1"},
    {0xa7073ffa, "STREAMWAIT 0xe, 0x3ff, 1, 2"},
    {0xb01c8054, "WRCFG 0x1c, 1, 0x54"},
    {0xb104007b, "RDCFG 4, 0x7b"},
    {0xb2050010, "SETC16 5, 0x10"},
    {0xb5f08001, "RMWCIB2 0xf0, 0x80, 1"},
    {0xb720504c, "STREAMWRCFG 1, 0xa, 0x4c"},
    {0xb8bf834c, "CFGSHIFTMASK 1, 3, 0x1f, 0, 3, 0x4c"},
    {0x60000000, "DMANOP"},
    {0x8f000000, "SFPNOP"},
    {0x16000000, "TRNSPSRCB"},
    {0x4b000000, "TBUFCMD"},
};

TEST_EACH(known_words, COUNT(known))
{
    char text[TEXT_SIZE];
    tensix_disassemble(known[_i].word, text, sizeof text);
    ck_assert_str_eq(text, known[_i].text);
    ck_assert_uint_eq(assembled(known[_i].text), known[_i].word);
}

/* Which form of an opcode a word is. */
static const struct form {
    uint32_t word;
    int row;
} forms[] = {
    {0x45000000, TENSIX_ROW_SETDMAREG_IMM},
    {0x45000080, TENSIX_ROW_SETDMAREG_SPECIAL},
    {0x42000041, TENSIX_ROW_UNPACR},
    {0x42000082, TENSIX_ROW_UNPACR_FLUSH},
    {0x42002000, TENSIX_ROW_UNPACR_INC},
    {0x4200208d, TENSIX_ROW_UNPACR_INC},
    {0x42002002, TENSIX_ROW_UNPACR_FLUSH},
    {0x43000000, TENSIX_ROW_UNPACR_NOP_POP},
    {0x43000001, TENSIX_ROW_UNPACR_NOP_ZEROSRC},
    {0x43000081, TENSIX_ROW_UNPACR_NOP_ZEROSRC},
    {0x430000c1, TENSIX_ROW_UNPACR_NOP_SETDVALID},
    {0x430000e1, TENSIX_ROW_UNPACR_NOP_ZEROSRC},
    {0x43800002, TENSIX_ROW_UNPACR_NOP_NOP},
    {0x43000003, TENSIX_ROW_UNPACR_NOP_STREAM},
    {0x43000007, TENSIX_ROW_UNPACR_NOP_STREAM_LONG},
    {0x4300000f, TENSIX_ROW_UNPACR_NOP_STREAM_LONG},
    {0x48400000, TENSIX_ROW_REG2FLOP_CONFIG},
    {0x48500000, TENSIX_ROW_REG2FLOP_LOCAL},
    {0x485fffff, TENSIX_ROW_REG2FLOP_LOCAL},
    {0x48600000, TENSIX_ROW_REG2FLOP_ADC},
    {0x48730000, TENSIX_ROW_REG2FLOP_ADC},
    {0x4a800002, TENSIX_ROW_PACR_SETREG},
    {0x4ac00002, TENSIX_ROW_PACR_SETREG_DATA},
    {0x66e00000, TENSIX_ROW_STOREIND_L1},
    {0x66400000, TENSIX_ROW_STOREIND_MMIO},
    {0x66200000, TENSIX_ROW_STOREIND_SRC},
};

TEST_EACH(forms_of_an_opcode, COUNT(forms))
{
    ck_assert_int_eq(tensix_find(forms[_i].word), forms[_i].row);
}

static const struct known spellings[] = {
    {0x5180000b, "ttsetadcxy 4,0,0,0,0,11"},
    {0x26814000, "TT_MVMUL 2,0,5,0"},
    {0x26814000, "TTI_MVMUL 2, 0, 5, 0"},
    {0x16000000, "\tTRNSPSRCB \t"},
    {0x16000000, "tttrnspsrcb"},
    {0x4b000000, "TTTBUFCMD # reserved"},
    {0xb2050010, "  SetC16\t0x5 ,16"},
    {0x12345678, ".word 0x12345678"},
    {0x0000000c, ".WORD 12 # a comment"},
    {0x02000000, "NOP\nNOP"},
};

TEST_EACH(spellings_that_the_assembler_takes, COUNT(spellings))
{
    ck_assert_uint_eq(assembled(spellings[_i].text), spellings[_i].word);
}

static const struct refusal {
    const char *text, *complaint;
} refusals[] = {
    {"", "expected an instruction"},
    {"   # only a comment", "expected an instruction"},
    {"FROB 1", "\"FROB\" is no instruction"},
    {"TT", "\"TT\" is no instruction"},
    {"SFPLOAD", "operand vd"},
    {"SETC16 5", "expected ','"},
    {"SETC16 5, 0x10000", "operand new_value"},
    {"SETC16 5, -1", "operand new_value"},
    {"SETC16 5, five", "operand new_value"},
    {"SETC16 5, 1, 2", "left over"},
    {"NOP 1", "left over"},
    {"SFPABS 1, 2, 3, 0", "operand imm12"},
    {"SETDMAREG 1, 5, 0, 3", "operand result_size"},
    {"MVMUL 0, 0, 8, 0", "operand addr_mod"},
    {"STREAMWAIT 1, 1024, 0, 0", "operand target_value_lo"},
    {"ATSWAP 1, 0xff, 4, 8", "operand mem_hier_sel"},
    {".word", "is no 32-bit word"},
    {".word 0x100000000", "is no 32-bit word"},
    {".word 12x", "is no 32-bit word"},
    {".word -1", "is no 32-bit word"},
};

TEST_EACH(text_that_the_assembler_refuses, COUNT(refusals))
{
    struct penrose_error error = {.status = PENROSE_OK};
    uint32_t word = 0x5a5a5a5a;
    ck_assert_int_eq(tensix_assemble(refusals[_i].text, &word, &error), PENROSE_E_ARGUMENT);
    ck_assert_msg(strstr(error.text, refusals[_i].complaint), "%s", error.text);
    ck_assert_uint_eq(word, 0x5a5a5a5a);
    ck_assert_int_eq(tensix_assemble(refusals[_i].text, &word, NULL), PENROSE_E_ARGUMENT);
}

TEST(overlong_text_is_refused)
{
    char text[400];
    memset(text, '1', sizeof text - 1);
    text[sizeof text - 1] = 0;
    uint32_t word;
    ck_assert_int_eq(tensix_assemble(text, &word, NULL), PENROSE_E_ARGUMENT);
}

/* Words that are no instruction. */
static const struct wrong {
    uint32_t word, bits;
    const char *text;
} wrongs[] = {
    {0x4b000001, 0x1, ".word 0x4b000001 # TBUFCMD with reserved bits 0x1"},
    {0x10002000, 0x2000, ".word 0x10002000 # ZEROACC with reserved bits 0x2000"},
    {0xa2004000, 0x4000, ".word 0xa2004000 # STALLWAIT with reserved bits 0x4000"},
    {0x43400001, 0x400000, ".word 0x43400001 # UNPACR_NOP with reserved bits 0x400000"},
    {0x41800000, 0x800000, ".word 0x41800000 # PACR with reserved bits 0x800000"},
    {0x00000000, UINT32_MAX, ".word 0x00000000"},
    {0x47123456, UINT32_MAX, ".word 0x47123456"},
    {0xffffffff, UINT32_MAX, ".word 0xffffffff"},
};

TEST_EACH(words_that_are_no_instruction, COUNT(wrongs))
{
    const struct wrong *wrong = &wrongs[_i];
    int row;
    char text[TEXT_SIZE];
    ck_assert_int_eq(tensix_find(wrong->word), -1);
    ck_assert_uint_eq(tensix_wrong_bits(wrong->word, &row), wrong->bits);
    ck_assert_int_eq(row < 0, wrong->bits == UINT32_MAX);
    tensix_disassemble(wrong->word, text, sizeof text);
    ck_assert_str_eq(text, wrong->text);
    ck_assert_uint_eq(assembled(text), wrong->word);
}

TEST(any_word_has_text_that_assembles)
{
    uint64_t random = 2;
    for (unsigned n = 0; n < RANDOM_WORDS; n++) {
        uint32_t word = random_next(&random);
        char text[TEXT_SIZE], cut[7];
        int row = tensix_find(word);
        uint32_t kept = row < 0 ? word : word & ~ignored_bits(&tensix_rows[row]);
        int length = tensix_disassemble(word, text, sizeof text);
        same(text, assembled(text), kept);
        same("the length", tensix_disassemble(word, cut, sizeof cut), length);
        same("the start", strncmp(cut, text, strlen(cut)), 0);
    }
}
