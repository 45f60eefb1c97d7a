/* Symbols by name and by address. */
#include "unit/loader/loader_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FIXTURE(NULL, loader_release);

#define GLOBAL_FUNC   ELF32_ST_INFO(STB_GLOBAL, STT_FUNC)
#define LOCAL_FUNC    ELF32_ST_INFO(STB_LOCAL, STT_FUNC)
#define GLOBAL_OBJECT ELF32_ST_INFO(STB_GLOBAL, STT_OBJECT)
#define WEAK_OBJECT   ELF32_ST_INFO(STB_WEAK, STT_OBJECT)
#define LOCAL_OBJECT  ELF32_ST_INFO(STB_LOCAL, STT_OBJECT)
#define GLOBAL_LABEL  ELF32_ST_INFO(STB_GLOBAL, STT_NOTYPE)
#define LOCAL_LABEL   ELF32_ST_INFO(STB_LOCAL, STT_NOTYPE)

enum { TEXT = 1, DATA = 2 }; /* section numbers of make() */

/* Text at 0x4000 to 0x4100, data at 0xffb00000 to 0xffb00040, no symbols. */
static struct image *make(void)
{
    struct image *image = image_create(0x4000);
    unsigned text = image_segment(image, 0x4000, 0x4000, PF_R | PF_X, NULL, 0x100, 0x100);
    unsigned data = image_segment(image, 0xffb00000, 0x4100, PF_R | PF_W, NULL, 4, 0x40);
    image_loaded(image, ".text", text, 0x4000, 0x100, SHF_EXECINSTR);
    image_loaded(image, ".data", data, 0xffb00000, 4, SHF_WRITE);
    return image;
}

static struct loader_elf *finish(struct image *image)
{
    image_finish(image);
    return image_open(image);
}

static void expect_at(const struct loader_elf *elf, uint32_t address, const char *name,
                      uint32_t distance)
{
    uint32_t offset = 0xdead;
    const struct loader_symbol *symbol = loader_elf_symbol_at(elf, address, &offset);
    if (!name) {
        ck_assert_msg(!symbol, "0x%x: %s", address, symbol ? symbol->name : "");
        ck_assert_uint_eq(offset, 0xdead);
        return;
    }
    ck_assert_msg(symbol && strcmp(symbol->name, name) == 0, "0x%x: %s, expected %s", address,
                  symbol ? symbol->name : "none", name);
    ck_assert_uint_eq(offset, distance);
    ck_assert_ptr_eq(loader_elf_symbol_at(elf, address, NULL), symbol);
}

TEST(by_name)
{
    struct image *image = make();
    image_symbol(image, "file.c", 0, 0, ELF32_ST_INFO(STB_LOCAL, STT_FILE), SHN_ABS);
    image_symbol(image, "helper", 0x4080, 8, LOCAL_FUNC, TEXT);
    image_symbol(image, "twice", 0x4090, 8, LOCAL_FUNC, TEXT);
    image_symbol(image, "twice", 0x40a0, 8, GLOBAL_FUNC, TEXT);
    image_symbol(image, "twice", 0x40b0, 8, LOCAL_FUNC, TEXT);
    image_symbol(image, ".L12", 0x4004, 0, LOCAL_LABEL, TEXT);
    image_symbol(image, "$x", 0x4000, 0, LOCAL_LABEL, TEXT);
    image_symbol(image, "missing", 0, 0, GLOBAL_LABEL, SHN_UNDEF);
    image_symbol(image, "imported", 0xffb0081c, 12, WEAK_OBJECT, SHN_ABS);
    image_symbol(image, "main", 0x4000, 0x80, GLOBAL_FUNC, TEXT);
    struct loader_elf *elf = finish(image);
    ck_assert_uint_eq(loader_elf_symbol(elf, "helper")->value, 0x4080);
    ck_assert_uint_eq(loader_elf_symbol(elf, "twice")->value, 0x40a0);
    const struct loader_symbol *main = loader_elf_symbol(elf, "main");
    ck_assert_uint_eq(main->size, 0x80);
    ck_assert_int_eq(main->kind, LOADER_SYMBOL_FUNCTION);
    ck_assert(main->global && main->in_code && !main->absolute);
    const struct loader_symbol *imported = loader_elf_symbol(elf, "imported");
    ck_assert(imported->global && !imported->in_code && imported->absolute);
    static const char *const unknown[] = {"file.c", ".L12", "$x", "missing", "", "mai", "main2"};
    for (unsigned i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        ck_assert_msg(!loader_elf_symbol(elf, unknown[i]), "%s", unknown[i]);
    }
}

TEST(by_address)
{
    struct image *image = make();
    image_symbol(image, "main", 0x4010, 0x40, GLOBAL_FUNC, TEXT);
    image_symbol(image, "loop", 0x4020, 0, LOCAL_LABEL, TEXT); /* a label inside main */
    image_symbol(image, "exit", 0x4060, 0, GLOBAL_FUNC, TEXT); /* assembly without .size */
    image_symbol(image, "table", 0x4080, 0x10, LOCAL_OBJECT, TEXT);
    image_symbol(image, "counter", 0xffb00000, 4, GLOBAL_OBJECT, DATA);
    image_symbol(image, "my_x", 0xffb00008, 2, WEAK_OBJECT, SHN_ABS);
    image_symbol(image, "limit", 0xffb00010, 0, GLOBAL_LABEL, SHN_ABS); /* a number */
    struct loader_elf *elf = finish(image);
    expect_at(elf, 0x3fff, NULL, 0);
    expect_at(elf, 0x4000, NULL, 0);
    expect_at(elf, 0x4010, "main", 0);
    expect_at(elf, 0x401f, "main", 0xf);
    expect_at(elf, 0x4020, "main", 0x10);
    expect_at(elf, 0x404f, "main", 0x3f);
    expect_at(elf, 0x4050, "loop", 0x30); /* behind main: the last symbol before it */
    expect_at(elf, 0x4060, "exit", 0);
    expect_at(elf, 0x407c, "exit", 0x1c);
    expect_at(elf, 0x4088, "table", 8);
    expect_at(elf, 0x4090, "table", 0x10);
    expect_at(elf, 0x4100, NULL, 0); /* another segment, or none */
    expect_at(elf, 0xffb00003, "counter", 3);
    expect_at(elf, 0xffb00005, "counter", 5);
    expect_at(elf, 0xffb00009, "my_x", 1);
    expect_at(elf, 0xffb00020, "my_x", 0x18);
    expect_at(elf, 0xffffffff, NULL, 0);
}

TEST(aliases)
{
    struct image *image = make();
    image_symbol(image, "local_alias", 0x4000, 16, LOCAL_FUNC, TEXT);
    image_symbol(image, "no_size", 0x4000, 0, GLOBAL_FUNC, TEXT);
    image_symbol(image, "good", 0x4000, 16, GLOBAL_FUNC, TEXT);
    image_symbol(image, "label", 0x4000, 0, GLOBAL_LABEL, TEXT);
    struct loader_elf *elf = finish(image);
    expect_at(elf, 0x4004, "good", 4);
}

/* Against a search through all symbols: disjoint functions at random places, random queries. */
TEST_EACH(random_functions, 4)
{
    enum { FUNCTIONS = 1000, STEP = 64 };
    struct image *image = image_create(0x10000);
    unsigned text = image_segment(image, 0x10000, 0x10000, PF_R | PF_X, NULL, FUNCTIONS * STEP,
                                  FUNCTIONS * STEP);
    image_loaded(image, ".text", text, 0x10000, FUNCTIONS * STEP, SHF_EXECINSTR);
    uint32_t start[FUNCTIONS], size[FUNCTIONS];
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15) + (unsigned)_i;
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        random ^= random << 13; /* xorshift */
        random ^= random >> 7;
        random ^= random << 17;
        uint32_t slot = (i * 389 + 17) % FUNCTIONS; /* 389 and 1000 have no common factor */
        uint32_t first = (uint32_t)(random & 31);
        start[i] = 0x10000 + slot * STEP + first;
        size[i] = 1 + (uint32_t)(random >> 8) % (STEP - first);
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        image_symbol(image, name, start[i], size[i], i % 2 ? GLOBAL_FUNC : LOCAL_FUNC, TEXT);
    }
    struct loader_elf *elf = finish(image);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        ck_assert_uint_eq(loader_elf_symbol(elf, name)->value, start[i]);
        expect_at(elf, start[i], name, 0);
        expect_at(elf, start[i] + size[i] - 1, name, size[i] - 1);
    }
}

static const struct {
    const char *symbol, *name;
} plain_names[] = {
    {"main", "main"},
    {"_start", "_start"},
    {"", ""},
    /* C++ */
    {"_Z11kernel_mainv", "kernel_main"},
    {"_Z11kernel_main", "kernel_main"},
    {"_ZL13cb_wait_frontii", "cb_wait_front"},
    {"_ZN7ckernel4math9math_implEj", "ckernel::math::math_impl"},
    {"_ZNK1a1bEv", "a::b"},
    {"_ZSt4moveIiEvT_", "std::move"},
    {"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back"},
    {"_ZN3FooIiE3barIdEEvT_", "Foo::bar"},
    {"_ZN3FooIiEC1Ev", "Foo::Foo"},
    {"_ZN3FooIiED0Ev", "Foo::~Foo"},
    {"_Z3fooIXgtLi1ELi2EEEvv", "foo"},
    {"_ZplRK1aS1_", "operator+"},
    {"_ZN1alsERSoRKS_", "a::operator<<"},
    {"_ZN1aixEj", "a::operator[]"},
    {"_ZNK1acvbEv", "a::operator bool"},
    {"_ZN12_GLOBAL__N_13runEv", "(anonymous namespace)::run"},
    {"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()"},
    {"_ZZN1a1bIiEEvvE5count", "a::b::count"},
    {"_ZTV3Foo", "vtable for Foo"},
    {"_ZN1a1fB5cxx11Ev", "a::f[abi:cxx11]"},
    {"_ZN1a1fEv.constprop.0", "a::f"},
    /* Rust: as it was until 2021, and is now (RFC 2603 has the longest one) */
    {"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str"},
    {"_ZN54_$LT$guest..Adder$u20$as$u20$core..ops..arith..Add$GT$3add17h8a1b2c3d4e5f6071E",
     "<guest::Adder as core::ops::arith::Add>::add"},
    {"_ZN5guest4main28_$u7b$$u7b$closure$u7d$$u7d$17h0f1e2d3c4b5a6978E",
     "guest::main::{{closure}}"},
    {"_RNvC6_123foo3bar", "123foo::bar"},
    {"_RNvNtCs1234_5guest4math3add", "guest::math::add"},
    {"_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>"},
    {"_RNvXCs1234_5guestNtB2_5AdderNtNtC4core3ops3Add3add",
     "<guest::Adder as core::ops::Add>::add"},
    {"_RNCNvC5guest4main0B3_", "guest::main::{closure#0}"},
    {"_RNvC5guest4main.llvm.12345", "guest::main"},
    {"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
     "utf8_idents::\u10e1\u10d0\u10ed\u10db\u10d4\u10da\u10d0\u10d3_"
     "\u10d2\u10d4\u10db\u10e0\u10d8\u10d4\u10da\u10d8_"
     "\u10e1\u10d0\u10d3\u10d8\u10da\u10d8"},
    /* What is no such name stays as it is. */
    {"_Z", "_Z"},
    {"_ZN", "_ZN"},
    {"_R", "_R"},
    {"_Readers", "_Readers"},
    {"_Z12kernel_main", "_Z12kernel_main"},
    {"_ZN1a2bEv", "_ZN1a2bEv"},
    {"_Z99999999999999999999x", "_Z99999999999999999999x"},
    {"_RNvC5guest9", "_RNvC5guest9"},
};

TEST_EACH(names_of_programs, COUNT(plain_names))
{
    char name[256], little[6];
    loader_plain_name(plain_names[_i].symbol, name, sizeof name);
    ck_assert_str_eq(name, plain_names[_i].name);
    loader_plain_name(plain_names[_i].symbol, little, sizeof little);
    ck_assert_int_eq(strncmp(little, plain_names[_i].name, 5), 0);
    ck_assert_uint_lt(strlen(little), sizeof little);
}

/* Names that would take minutes, a deep stack or gigabytes: a part that is repeated, and its end. */
static const struct {
    const char *start, *part, *end;
    unsigned times;
} hostile_names[] = {
    {"_Z", "P", "i", 1000},       {"_Z", "P", "i", 1000000},  {"_ZN", "1a", "Ev", 1000000},
    {"_Z1fI", "N", "", 1000},     {"_Z1aI", "J", "", 1000},   {"_Z1fI", "X", "", 1000},
    {"_ZN1acv", "T_I", "", 300},  {"_Z", "cvT_I", "", 200},   {"_RINvC1a1b", "T", "E", 1000},
    {"_RNvMC1a", "B0_", "", 300}, {"_RNv", "N", "", 1000000}, {"_RINvC1a1b", "TB8_B8_E", "E", 100},
};

TEST_EACH(hostile_names_of_programs, COUNT(hostile_names))
{
    size_t step = strlen(hostile_names[_i].part), start = strlen(hostile_names[_i].start);
    size_t length = start + hostile_names[_i].times * step;
    char *symbol = malloc(length + 8), name[64];
    ck_assert_ptr_nonnull(symbol);
    strcpy(symbol, hostile_names[_i].start);
    for (size_t at = start; at < length; at += step) {
        memcpy(symbol + at, hostile_names[_i].part, step);
    }
    strcpy(symbol + length, hostile_names[_i].end);
    for (unsigned i = 0; i < 10; i++) {
        loader_plain_name(symbol, name, sizeof name);
    }
    ck_assert_uint_lt(strlen(name), sizeof name);
    free(symbol);
}

/* Each of the tuples has the one before it twice; with and without an identifier that is not ASCII,
 * which libiberty puts into memory. */
TEST_EACH(doubled_names_of_programs, 2)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char symbol[1024], name[64];
    size_t used =
        (size_t)snprintf(symbol, sizeof symbol, "_RINvC1a1bT%sE", _i ? "NvC1au3abc" : "NvC1a3abc");
    size_t last = 8; /* where the last tuple begins, behind "_R" */
    for (unsigned i = 0; i < 60; i++) {
        char back[8];
        size_t number = last - 1; /* base 62, and one less */
        if (number < 62) {
            snprintf(back, sizeof back, "B%c_", digits[number]);
        } else {
            snprintf(back, sizeof back, "B%c%c_", digits[number / 62], digits[number % 62]);
        }
        last = used - 2;
        used += (size_t)snprintf(symbol + used, sizeof symbol - used, "T%s%sE", back, back);
    }
    snprintf(symbol + used, sizeof symbol - used, "E");
    loader_plain_name(symbol, name, sizeof name);
    ck_assert_int_eq(strncmp(name, symbol, sizeof name - 1), 0);
}

TEST(by_plain_name)
{
    struct image *image = make();
    image_symbol(image, "_ZN1a3runEi", 0x4010, 8, GLOBAL_FUNC, TEXT);
    image_symbol(image, "_RNvC5guest4main", 0x4020, 8, GLOBAL_FUNC, TEXT);
    image_symbol(image, "_ZN1a3runEf", 0x4030, 8, GLOBAL_FUNC, TEXT);
    image_symbol(image, "plain", 0x4040, 8, GLOBAL_FUNC, TEXT);
    struct loader_elf *elf = finish(image);
    const struct loader_symbol *first = loader_elf_next_called(elf, "a::run", NULL);
    ck_assert_uint_eq(first->value, 0x4010);
    const struct loader_symbol *second = loader_elf_next_called(elf, "a::run", first);
    ck_assert_uint_eq(second->value, 0x4030);
    ck_assert_ptr_null(loader_elf_next_called(elf, "a::run", second));
    ck_assert_uint_eq(loader_elf_next_called(elf, "guest::main", NULL)->value, 0x4020);
    ck_assert_uint_eq(loader_elf_next_called(elf, "plain", NULL)->value, 0x4040);
    ck_assert_ptr_null(loader_elf_next_called(elf, "run", NULL));
}
