/*
 * The XIP transform: that transformed code makes the same values wherever it lies, that nothing
 * else changes, and every refusal with its message.
 */
#include "unit/loader/loader_image.h"

#include <string.h>

#include "arch/arch.h"
#include "loader/xip.h"

FIXTURE(NULL, loader_release);

enum { BASE = 0x5880, WORDS = 16 };

#define DATA_BASE UINT32_C(0xffb00820)

enum { A0 = 10, A1 = 11, SP = 2 };

/* The sections of a kernel, by number. */
enum { TEXT = 1, DATA = 2, BSS = 3 };

/* A kernel of 16 words of text at BASE and one word of data. */
struct kernel {
    struct image *image;
    uint32_t text[WORDS];
    uint32_t data;
    uint32_t data_lma;
    unsigned text_symbol, data_symbol, bss_symbol, absolute_symbol;
    uint32_t target; /* value of text_symbol */
};

static struct kernel kernel_begin(void)
{
    struct kernel kernel = {.data = 0x12345678, .data_lma = BASE + 4 * WORDS};
    for (unsigned i = 0; i < WORDS; i++) {
        kernel.text[i] = 0x00000013 | i << 20; /* addi x0, x0, i */
    }
    kernel.target = BASE + 4 * 12;
    kernel.image = image_create(BASE);
    return kernel;
}

/* Symbols; after this, relocations may be added. */
static void kernel_symbols(struct kernel *kernel)
{
    struct image *image = kernel->image;
    unsigned text =
        image_segment(image, BASE, BASE, PF_R | PF_X, kernel->text, 4 * WORDS, 4 * WORDS);
    unsigned data =
        image_segment(image, DATA_BASE, kernel->data_lma, PF_R | PF_W, &kernel->data, 4, 16);
    image_loaded(image, ".text", text, BASE, 4 * WORDS, SHF_EXECINSTR);
    image_loaded(image, ".data", data, DATA_BASE, 4, SHF_WRITE);
    image_loaded(image, ".bss", data, DATA_BASE + 4, 12, SHF_WRITE);
    unsigned global = ELF32_ST_INFO(STB_GLOBAL, STT_NOTYPE);
    kernel->text_symbol = image_symbol(image, "in_text", kernel->target, 0, global, TEXT);
    kernel->data_symbol = image_symbol(image, "in_data", DATA_BASE, 4, global, DATA);
    kernel->bss_symbol = image_symbol(image, "in_bss", DATA_BASE + 8, 4, global, BSS);
    kernel->absolute_symbol = image_symbol(image, "imported", 0xffb0081c, 4, global, SHN_ABS);
}

static enum penrose_status kernel_transform(struct kernel *kernel, struct loader_blob *blob,
                                            struct penrose_error *error)
{
    image_finish(kernel->image);
    struct loader_elf *elf = image_open(kernel->image);
    enum penrose_status status = loader_xip(elf, arch.l1_bytes[PENROSE_TILE_TENSIX], blob, error);
    return status;
}

static struct loader_blob kernel_accepted(struct kernel *kernel)
{
    struct loader_blob blob;
    struct penrose_error error = {0};
    enum penrose_status status = kernel_transform(kernel, &blob, &error);
    ck_assert_msg(status == PENROSE_OK, "%s", error.text);
    ck_assert_uint_eq(blob.size, 4 * WORDS + 4);
    return blob;
}

static void kernel_refused(struct kernel *kernel, const char *const *words)
{
    struct loader_blob blob;
    struct penrose_error error = {0};
    ck_assert_int_eq(kernel_transform(kernel, &blob, &error), PENROSE_E_FORMAT);
    ck_assert_ptr_null(blob.bytes);
    check_words(error.text, (const char *const[]){"test.elf: ", NULL});
    check_words(error.text, words);
}

static uint32_t word_of(const struct loader_blob *blob, unsigned index)
{
    uint32_t word;
    memcpy(&word, blob->bytes + 4 * index, sizeof word);
    return word;
}

/* lui (opcode 0x37) or auipc (0x17) with the upper part of `value`. */
static uint32_t upper(unsigned opcode, unsigned rd, uint32_t value)
{
    return ((value + 0x800) & 0xfffff000) | rd << 7 | opcode;
}

static uint32_t addi(unsigned rd, unsigned rs1, uint32_t value)
{
    return (value & 0xfff) << 20 | rs1 << 15 | rd << 7 | 0x13;
}

static uint32_t store(unsigned rs2, unsigned rs1, uint32_t value)
{
    return (value >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 | (value & 31) << 7 | 0x23;
}

/* What the pair at words `high` and `low` of the blob makes when the blob lies at `at`. */
static uint32_t pair_value(const struct loader_blob *blob, unsigned high, unsigned low, uint32_t at)
{
    uint32_t first = word_of(blob, high), second = word_of(blob, low);
    uint32_t value = first & 0xfffff000;
    if ((first & 0x7f) == 0x17) {
        value += at + 4 * high;
    } else {
        ck_assert_uint_eq(first & 0x7f, 0x37);
    }
    int32_t offset = (int32_t)second >> 20;
    if ((second & 0x7f) == 0x23) {
        offset = ((int32_t)second >> 25) * 32 + (int32_t)(second >> 7 & 31);
    }
    return value + (uint32_t)offset;
}

TEST(layout)
{
    struct kernel kernel = kernel_begin();
    kernel_symbols(&kernel);
    image_relocation(kernel.image, TEXT, BASE, R_RISCV_NONE, 0, 0);
    struct loader_blob blob = kernel_accepted(&kernel);
    ck_assert_uint_eq(blob.text_size, 4 * WORDS);
    ck_assert_uint_eq(blob.data_size, 4);
    ck_assert_uint_eq(blob.entry, 0);
    ck_assert_uint_eq(blob.link_base, BASE);
    ck_assert_mem_eq(blob.bytes, kernel.text, sizeof kernel.text);
    ck_assert_uint_eq(word_of(&blob, WORDS), 0x12345678);
    loader_blob_free(&blob);
    ck_assert_ptr_null(blob.bytes);
    loader_blob_free(&blob);
}

TEST(absolute_pair)
{
    struct kernel kernel = kernel_begin();
    kernel.text[2] = upper(0x37, A0, kernel.target);
    kernel.text[4] = addi(A1, A0, kernel.target);
    kernel.text[5] = store(SP, A0, kernel.target);
    kernel_symbols(&kernel);
    image_relocation(kernel.image, TEXT, BASE + 8, R_RISCV_HI20, kernel.text_symbol, 0);
    image_relocation(kernel.image, TEXT, BASE + 8, R_RISCV_RELAX, 0, 0);
    image_relocation(kernel.image, TEXT, BASE + 16, R_RISCV_LO12_I, kernel.text_symbol, 0);
    image_relocation(kernel.image, TEXT, BASE + 20, R_RISCV_LO12_S, kernel.text_symbol, 0);
    struct loader_blob blob = kernel_accepted(&kernel);
    for (uint32_t at = 0; at < 0x180000; at += 0x12340) {
        ck_assert_uint_eq(pair_value(&blob, 2, 4, at), at + 48);
        ck_assert_uint_eq(pair_value(&blob, 2, 5, at), at + 48);
    }
    for (unsigned i = 0; i < WORDS; i++) { /* registers and everything else stay */
        uint32_t kept = i == 2   ? 0x00000f80
                        : i == 4 ? 0x000fffff
                        : i == 5 ? 0x01fff07f
                                 : UINT32_MAX;
        ck_assert_uint_eq(word_of(&blob, i) & kept, kernel.text[i] & kept);
    }
    loader_blob_free(&blob);
}

/* Members of a structure in text: one lui, low parts with addends of their own. */
TEST(own_addends)
{
    struct kernel kernel = kernel_begin();
    kernel.text[0] = upper(0x37, A0, kernel.target);
    kernel.text[1] = addi(A1, A0, kernel.target);
    kernel.text[2] = addi(A1, A0, kernel.target + 4);
    kernel_symbols(&kernel);
    image_relocation(kernel.image, TEXT, BASE, R_RISCV_HI20, kernel.text_symbol, 0);
    image_relocation(kernel.image, TEXT, BASE + 4, R_RISCV_LO12_I, kernel.text_symbol, 0);
    image_relocation(kernel.image, TEXT, BASE + 8, R_RISCV_LO12_I, kernel.text_symbol, 4);
    struct loader_blob blob = kernel_accepted(&kernel);
    ck_assert_uint_eq(pair_value(&blob, 0, 1, 0x9000), 0x9000 + 48);
    ck_assert_uint_eq(pair_value(&blob, 0, 2, 0x9000), 0x9000 + 52);
    loader_blob_free(&blob);
}

/* Of two upper parts for one symbol, a low part belongs to the nearest before it. */
TEST(nearest_upper_part)
{
    struct kernel kernel = kernel_begin();
    for (unsigned i = 0; i < 8; i += 4) {
        kernel.text[i] = upper(0x37, A0, kernel.target);
        kernel.text[i + 1] = addi(A1, A0, kernel.target);
    }
    kernel_symbols(&kernel);
    for (uint32_t i = 0; i < 8; i += 4) {
        image_relocation(kernel.image, TEXT, BASE + 4 * i, R_RISCV_HI20, kernel.text_symbol, 0);
        image_relocation(kernel.image, TEXT, BASE + 4 * i + 4, R_RISCV_LO12_I, kernel.text_symbol,
                         0);
    }
    struct loader_blob blob = kernel_accepted(&kernel);
    ck_assert_uint_eq(pair_value(&blob, 0, 1, 0x9000), 0x9000 + 48);
    ck_assert_uint_eq(pair_value(&blob, 4, 5, 0x9000), 0x9000 + 48);
    loader_blob_free(&blob);
}

/* Medany code: distances to local memory become absolute, distances inside the text stay. */
TEST(relative_pairs)
{
    struct kernel kernel = kernel_begin();
    uint32_t distance = DATA_BASE - (BASE + 4);
    kernel.text[1] = upper(0x17, A0, distance);
    kernel.text[3] = addi(A1, A0, distance);
    kernel.text[6] = upper(0x17, A0, kernel.target - (BASE + 24));
    kernel.text[7] = addi(A1, A0, kernel.target - (BASE + 24));
    kernel.text[8] = store(SP, A0, distance);
    kernel_symbols(&kernel);
    unsigned local = ELF32_ST_INFO(STB_LOCAL, STT_NOTYPE);
    unsigned first = image_symbol(kernel.image, ".L1", BASE + 4, 0, local, TEXT);
    unsigned second = image_symbol(kernel.image, ".L2", BASE + 24, 0, local, TEXT);
    image_relocation(kernel.image, TEXT, BASE + 4, R_RISCV_PCREL_HI20, kernel.data_symbol, 0);
    image_relocation(kernel.image, TEXT, BASE + 12, R_RISCV_PCREL_LO12_I, first, 0);
    image_relocation(kernel.image, TEXT, BASE + 24, R_RISCV_PCREL_HI20, kernel.text_symbol, 0);
    image_relocation(kernel.image, TEXT, BASE + 28, R_RISCV_PCREL_LO12_I, second, 0);
    image_relocation(kernel.image, TEXT, BASE + 32, R_RISCV_PCREL_LO12_S, first, 0);
    struct loader_blob blob = kernel_accepted(&kernel);
    for (uint32_t at = 0; at < 0x180000; at += 0x12340) {
        ck_assert_uint_eq(pair_value(&blob, 1, 3, at), DATA_BASE);
        ck_assert_uint_eq(pair_value(&blob, 1, 8, at), DATA_BASE);
        ck_assert_uint_eq(pair_value(&blob, 6, 7, at), at + 48);
    }
    ck_assert_uint_eq(word_of(&blob, 6), kernel.text[6]);
    ck_assert_uint_eq(word_of(&blob, 7), kernel.text[7]);
    loader_blob_free(&blob);
}

/* References that hold at any address: nothing may change. */
TEST(unchanged)
{
    struct kernel kernel = kernel_begin();
    kernel_symbols(&kernel);
    struct image *image = kernel.image;
    unsigned text = kernel.text_symbol, data = kernel.data_symbol;
    image_relocation(image, TEXT, BASE, R_RISCV_HI20, data, 0);
    image_relocation(image, TEXT, BASE + 4, R_RISCV_LO12_I, data, 0);
    image_relocation(image, TEXT, BASE + 4, R_RISCV_LO12_S, kernel.absolute_symbol, 0);
    image_relocation(image, TEXT, BASE + 8, R_RISCV_JAL, text, 0);
    image_relocation(image, TEXT, BASE + 12, R_RISCV_BRANCH, text, 0);
    image_relocation(image, TEXT, BASE + 16, R_RISCV_32, kernel.absolute_symbol, 0);
    image_relocation(image, DATA, DATA_BASE, R_RISCV_32, kernel.bss_symbol, 4);
    image_relocation(image, TEXT, BASE + 20, R_RISCV_ADD32, text, 0);
    image_relocation(image, TEXT, BASE + 20, R_RISCV_SUB32, text, 0);
    image_relocation(image, TEXT, BASE + 24, R_RISCV_ADD32, data, 0);
    image_relocation(image, TEXT, BASE + 24, R_RISCV_SUB32, kernel.absolute_symbol, 0);
    image_relocation(image, TEXT, BASE + 28, R_RISCV_SET8, text, 0);
    image_relocation(image, TEXT, BASE + 28, R_RISCV_SUB8, text, 0);
    image_relocation(image, TEXT, BASE + 28, R_RISCV_SET6, text, 0);
    image_relocation(image, TEXT, BASE + 28, R_RISCV_SUB6, text, 0);
    image_relocation(image, TEXT, BASE + 32, R_RISCV_ALIGN, 0, 0);
    image_relocation(image, TEXT, BASE + 36, 68, data, 0x4ff810);
    image_relocation(image, TEXT, BASE + 36, 69, data, 0x4ff810);
    image_relocation(image, TEXT, BASE + 40, R_RISCV_GPREL_I, data, 0);
    struct loader_blob blob = kernel_accepted(&kernel);
    ck_assert_mem_eq(blob.bytes, kernel.text, sizeof kernel.text);
    loader_blob_free(&blob);
}

/* One relocation, or two, that the transform must refuse; the second one has type 0 when unused. */
enum symbol { NONE, IN_TEXT, IN_DATA, ABSOLUTE, UNKNOWN };

static const struct {
    struct {
        unsigned section;
        uint32_t offset;
        unsigned type;
        enum symbol symbol;
    } relocation[2];
    const char *words[6];
} refusals[] = {
    {{{TEXT, 0, R_RISCV_32, IN_TEXT}},
     {"R_RISCV_32 against", "\"in_text\"", ".text", "-fno-jump-tables"}},
    {{{DATA, 0, R_RISCV_32, IN_TEXT}},
     {"R_RISCV_32 against", "\"in_text\"", ".data", "0xffb00820"}},
    {{{TEXT, 4, R_RISCV_CALL, IN_TEXT}}, {"R_RISCV_CALL against", "\"in_text\"", "0x5884"}},
    {{{TEXT, 4, R_RISCV_CALL_PLT, IN_TEXT}}, {"R_RISCV_CALL_PLT", "\"in_text\"", "PLT"}},
    {{{TEXT, 4, R_RISCV_32_PCREL, IN_TEXT}}, {"R_RISCV_32_PCREL", "\"in_text\""}},
    {{{TEXT, 4, R_RISCV_TPREL_HI20, IN_TEXT}}, {"relocation type 29", "\"in_text\"", ".text"}},
    {{{TEXT, 4, 200, ABSOLUTE}}, {"relocation type 200", "\"imported\""}},
    {{{TEXT, 4, R_RISCV_JAL, IN_DATA}}, {"R_RISCV_JAL", "\"in_data\"", "out of the kernel"}},
    {{{TEXT, 4, R_RISCV_JAL, ABSOLUTE}}, {"R_RISCV_JAL", "\"imported\"", "out of the kernel"}},
    {{{TEXT, 4, R_RISCV_ADD32, IN_TEXT}, {TEXT, 4, R_RISCV_SUB32, IN_DATA}},
     {"R_RISCV_ADD32", "\"in_text\"", "difference", "moves"}},
    {{{TEXT, 4, R_RISCV_SET16, IN_DATA}, {TEXT, 4, R_RISCV_SUB16, IN_TEXT}},
     {"R_RISCV_SUB16", "\"in_text\"", "difference"}},
    {{{TEXT, 4, R_RISCV_ADD32, IN_TEXT}}, {"R_RISCV_ADD32", "half", "missing"}},
    {{{TEXT, 4, R_RISCV_SUB32, IN_TEXT}}, {"R_RISCV_SUB32", "half", "missing"}},
    {{{TEXT, 4, R_RISCV_ADD32, IN_TEXT}, {TEXT, 8, R_RISCV_SUB32, IN_TEXT}},
     {"R_RISCV_ADD32", "half", "missing"}},
    {{{TEXT, 0, R_RISCV_HI20, IN_TEXT}}, {"R_RISCV_HI20", "\"in_text\"", "LO12", "not found"}},
    {{{TEXT, 4, R_RISCV_LO12_I, IN_TEXT}}, {"R_RISCV_LO12_I", "\"in_text\"", "HI20", "not found"}},
    {{{TEXT, 4, R_RISCV_LO12_S, IN_TEXT}, {TEXT, 8, R_RISCV_HI20, IN_TEXT}},
     {"R_RISCV_LO12_S", "HI20", "not found"}},
    {{{TEXT, 0, R_RISCV_PCREL_HI20, IN_DATA}}, {"R_RISCV_PCREL_HI20", "\"in_data\"", "LO12"}},
    {{{TEXT, 0, R_RISCV_PCREL_HI20, IN_TEXT}}, {"R_RISCV_PCREL_HI20", "\"in_text\"", "LO12"}},
    {{{TEXT, 0, R_RISCV_PCREL_LO12_I, NONE}}, {"R_RISCV_PCREL_LO12_I", "HI20", "transformed"}},
    {{{TEXT, 0, R_RISCV_HI20, IN_TEXT}, {TEXT, 4, R_RISCV_LO12_I, IN_TEXT}},
     {"R_RISCV_HI20", "no lui", "transformed already"}},
    {{{DATA, 0, R_RISCV_HI20, IN_TEXT}}, {"R_RISCV_HI20", ".data", "from data into the text"}},
    {{{DATA, 0, R_RISCV_PCREL_HI20, IN_TEXT}}, {"R_RISCV_PCREL_HI20", "from data into"}},
    {{{TEXT, 64, R_RISCV_JAL, IN_TEXT}}, {"R_RISCV_JAL", "outside the section", "damaged"}},
    {{{TEXT, 4, R_RISCV_JAL, UNKNOWN}}, {"no such symbol", "damaged"}},
};

TEST_EACH(refused, COUNT(refusals))
{
    struct kernel kernel = kernel_begin();
    kernel_symbols(&kernel);
    const unsigned symbols[] = {0, kernel.text_symbol, kernel.data_symbol, kernel.absolute_symbol,
                                1000};
    for (unsigned i = 0; i < 2 && refusals[_i].relocation[i].section; i++) {
        uint32_t base = refusals[_i].relocation[i].section == TEXT ? BASE : DATA_BASE;
        image_relocation(kernel.image, refusals[_i].relocation[i].section,
                         base + refusals[_i].relocation[i].offset, refusals[_i].relocation[i].type,
                         symbols[refusals[_i].relocation[i].symbol], 0);
    }
    kernel_refused(&kernel, refusals[_i].words);
}

/* The low part of a shared lui may need another upper part once distances count. */
TEST(does_not_fit)
{
    struct kernel kernel = kernel_begin();
    kernel.text[0] = upper(0x37, A0, kernel.target);
    kernel.text[1] = addi(A1, A0, kernel.target + 0x800);
    kernel_symbols(&kernel);
    image_relocation(kernel.image, TEXT, BASE, R_RISCV_HI20, kernel.text_symbol, 0);
    image_relocation(kernel.image, TEXT, BASE + 4, R_RISCV_LO12_I, kernel.text_symbol, 0x800);
    kernel_refused(&kernel, (const char *const[]){"R_RISCV_LO12_I", "\"in_text\"", "shares",
                                                  "keep constant data out of the text", NULL});
}

TEST(no_relocations)
{
    struct kernel kernel = kernel_begin();
    kernel_symbols(&kernel);
    kernel_refused(&kernel, (const char *const[]){"no relocations", "--emit-relocs", NULL});
}

TEST(data_elsewhere)
{
    struct kernel kernel = kernel_begin();
    kernel.data_lma = DATA_BASE;
    kernel_symbols(&kernel);
    image_relocation(kernel.image, TEXT, BASE, R_RISCV_NONE, 0, 0);
    kernel_refused(&kernel, (const char *const[]){"0xffb00820", "0x58c0", "AT()", NULL});
}

/* Random places of the pair and its target: the value is always link-independent. */
TEST_EACH(random_pairs, 4)
{
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15) + (unsigned)_i;
    for (unsigned round = 0; round < 200; round++) {
        random ^= random << 13; /* xorshift */
        random ^= random >> 7;
        random ^= random << 17;
        unsigned high = (unsigned)(random % 8), low = high + 1 + (unsigned)(random >> 8) % 4;
        uint32_t base = (uint32_t)(random >> 20) & 0xffff0;
        int32_t addend = (int32_t)(random >> 40 & 0xffff) - 0x8000;
        struct kernel kernel = kernel_begin();
        kernel.target = BASE + 4 * (uint32_t)(random >> 12 & 15);
        uint32_t value = kernel.target + (uint32_t)addend;
        kernel.text[high] = upper(0x37, A0, value);
        kernel.text[low] = addi(A1, A0, value);
        kernel_symbols(&kernel);
        image_relocation(kernel.image, TEXT, BASE + 4 * high, R_RISCV_HI20, kernel.text_symbol,
                         addend);
        image_relocation(kernel.image, TEXT, BASE + 4 * low, R_RISCV_LO12_I, kernel.text_symbol,
                         addend);
        struct loader_blob blob = kernel_accepted(&kernel);
        ck_assert_uint_eq(pair_value(&blob, high, low, base), base + (value - BASE));
        loader_blob_free(&blob);
    }
}
