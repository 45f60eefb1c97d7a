/*
 * The vector unit of RISCV T2, third part: loads and stores of all addressing kinds, in L1, in the
 * local RAM and on the bus, against V 1.0 with the limits of the InstructionSet page.
 *
 * Not asserted, because neither page nor manual says: which of several overlapping elements an
 * unordered store leaves, misaligned elements, what a fault-only-first load does at a fault.
 */
#include "unit/rv32/spec_vector.h"

#include <stdio.h>
#include <string.h>

FIXTURE(NULL, harness_destroy_all);

enum { CASES = 12, WINDOW = 0x1000, MIDDLE = 0x800 };

#define L1_WINDOW UINT32_C(0x8000)
#define MMIO      UINT32_C(0xffb12000)

enum kind { UNIT, INDEXED_U, STRIDED, INDEXED_O, FIRST, KINDS };

/* A memory instruction; `width` is the EEW in bits that the instruction names. */
struct shape {
    enum kind kind;
    bool store;
    unsigned fields, width;
};

struct shot {
    struct shape shape;
    unsigned data_bits;
    int data_emul;
    unsigned vd, vs2;
    uint32_t base, stride;
};

/* The window of memory that a case works in, and a copy for the model. */
struct window {
    uint32_t start;
    uint8_t model[WINDOW];
};

static int log2_of(unsigned bits)
{
    return bits == 8 ? 3 : bits == 16 ? 4 : 5;
}

static uint32_t memory_word(bool store, unsigned fields, uint32_t mop, uint32_t vm, uint32_t third,
                            uint32_t rs1, unsigned width, uint32_t vd)
{
    uint32_t code = width == 8 ? 0 : width == 16 ? 5 : 6;
    return (uint32_t)(fields - 1) << 29 | mop << 26 | vm << 25 | third << 20 | rs1 << 15 |
           code << 12 | vd << 7 | (store ? OPCODE_STORE_FP : OPCODE_LOAD_FP);
}

/* --- Memory --- */

static void open_window(struct vector_bench *b, struct window *window)
{
    window->start = harness_random(&b->random) & 1 ? L1_WINDOW : RV32_LOCAL_BASE;
    for (uint32_t i = 0; i < WINDOW; i += 4) {
        uint32_t word = harness_random(&b->random);
        memcpy(&window->model[i], &word, 4);
    }
    bool local = window->start == RV32_LOCAL_BASE;
    memcpy(local ? b->h->local : b->h->l1 + L1_WINDOW, window->model, WINDOW);
}

static void check_window(const struct vector_bench *b, const struct window *window)
{
    bool local = window->start == RV32_LOCAL_BASE;
    const uint8_t *memory = local ? b->h->local : b->h->l1 + L1_WINDOW;
    uint32_t same = 0;
    while (same < WINDOW && memory[same] == window->model[same]) {
        same++;
    }
    ck_assert_msg(same == WINDOW, "byte %#x differs", window->start + same);
}

static uint32_t window_load(const struct window *window, uint32_t address, unsigned bits)
{
    uint32_t value = 0;
    ck_assert_uint_le(address - window->start, WINDOW - bits / 8);
    for (unsigned i = 0; i < bits / 8; i++) {
        value |= (uint32_t)window->model[address - window->start + i] << 8 * i;
    }
    return value;
}

static void window_store(struct window *window, uint32_t address, unsigned bits, uint32_t value)
{
    ck_assert_uint_le(address - window->start, WINDOW - bits / 8);
    for (unsigned i = 0; i < bits / 8; i++) {
        window->model[address - window->start + i] = (uint8_t)(value >> 8 * i);
    }
}

/* --- Choosing a case --- */

static bool is_indexed(enum kind kind)
{
    return kind == INDEXED_U || kind == INDEXED_O;
}

/* EMUL of the operand whose width the instruction names. */
static int named_emul(const struct vector_bench *b, unsigned width)
{
    return b->type.lmul + log2_of(width) - log2_of(b->type.sew);
}

static bool fits(const struct vector_bench *b, const struct shape *shape)
{
    int named = named_emul(b, shape->width);
    int data = is_indexed(shape->kind) ? b->type.lmul : named;
    unsigned registers = (data > 0 ? 1u << data : 1) * shape->fields;
    return named >= -3 && named <= 3 && data <= 3 && registers <= 8;
}

/* Strides up to 13 bytes beyond a segment in both directions; 0 only for loads. */
static uint32_t choose_stride(struct vector_bench *b, const struct shot *shot)
{
    uint32_t size = shot->data_bits / 8, segment = size * shot->shape.fields;
    uint32_t pick = harness_random(&b->random);
    uint32_t gap = pick % 13 / size * size;
    uint32_t limit = 12 / size * size; /* 128 elements must stay within half the window */
    uint32_t stride = segment > limit ? segment : shot->shape.store ? segment + gap : gap;
    stride = b->vl * stride > MIDDLE - 64 ? segment : stride;
    return pick >> 30 & 1 ? 0 - stride : stride;
}

/* Offsets of segments, distinct where the order of stores is not defined. */
static void choose_indices(struct vector_bench *b, const struct shot *shot)
{
    uint32_t segment = shot->data_bits / 8 * shot->shape.fields;
    uint32_t slots = 1, pick = harness_random(&b->random);
    bool distinct = shot->shape.store && (shot->shape.kind == INDEXED_U || shot->shape.fields > 1);
    while (2 * slots * segment <= 256) {
        slots *= 2;
    }
    for (uint32_t i = 0; i < b->vl; i++) {
        uint32_t slot = (i * (pick | 1) + (pick >> 16)) % slots;
        uint32_t index =
            distinct ? slot * segment : harness_random(&b->random) % 256 / segment * segment;
        if (shot->shape.width == 32 && pick >> 31) {
            index = 0 - index; /* addresses wrap: offsets below the base */
        }
        vector_set(b, shot->vs2, i, shot->shape.width, index);
    }
}

static struct shot choose(struct vector_bench *b, const struct shape *shape,
                          const struct window *window)
{
    struct shot shot = {.shape = *shape};
    int named = named_emul(b, shape->width);
    bool indexed = is_indexed(shape->kind);
    shot.data_bits = indexed ? b->type.sew : shape->width;
    shot.data_emul = indexed ? b->type.lmul : named;
    if (shape->store) {
        b->free |= 1; /* stores may write what is also their mask */
    }
    shot.vd = vector_take_many(b, shot.data_emul, shape->fields);
    shot.vs2 = indexed ? vector_take(b, named) : 0;
    shot.base = window->start + MIDDLE + harness_random(&b->random) % 16 * 4;
    shot.stride = shape->kind == STRIDED ? choose_stride(b, &shot) : 0;
    if (shot.data_bits < 32) {
        shot.base += harness_random(&b->random) % 4 & ~(shot.data_bits / 8 - 1);
    }
    if (indexed && shot.vs2 == 0 && b->masked) {
        b->masked = false; /* the indices would rewrite the mask */
    }
    if (indexed) {
        choose_indices(b, &shot);
    }
    return shot;
}

/* --- One case --- */

static uint32_t element_address(const struct vector_bench *b, const struct shot *shot, uint32_t i)
{
    if (is_indexed(shot->shape.kind)) {
        return shot->base + vector_get(b, shot->vs2, i, shot->shape.width);
    }
    uint32_t packed = shot->data_bits / 8 * shot->shape.fields;
    return shot->base + i * (shot->shape.kind == STRIDED ? shot->stride : packed);
}

static void model_case(struct vector_bench *b, const struct shot *shot, struct window *window)
{
    unsigned registers = shot->data_emul > 0 ? 1u << shot->data_emul : 1, bits = shot->data_bits;
    for (uint32_t i = 0; i < b->vl; i++) {
        for (unsigned field = 0; field < shot->shape.fields && vector_active(b, i); field++) {
            uint32_t address = element_address(b, shot, i) + field * bits / 8;
            unsigned reg = shot->vd + field * registers;
            if (shot->shape.store) {
                window_store(window, address, bits, vector_get(b, reg, i, bits));
            } else {
                vector_put(b, reg, i, bits, window_load(window, address, bits));
            }
        }
    }
}

static uint32_t shot_word(const struct vector_bench *b, const struct shot *shot)
{
    enum kind kind = shot->shape.kind;
    uint32_t third = kind == STRIDED ? T2 : is_indexed(kind) ? shot->vs2 : kind == FIRST ? 16 : 0;
    return memory_word(shot->shape.store, shot->shape.fields, kind == FIRST ? 0 : (uint32_t)kind,
                       vector_vm(b), third, T1, shot->shape.width, shot->vd);
}

static void check_shot_text(const struct vector_bench *b, const struct shot *shot, uint32_t word)
{
    static const char *const formats[] = {
        [UNIT] = "v%c%s%se%u.v",         [STRIDED] = "v%cs%s%se%u.v",
        [INDEXED_U] = "v%cux%s%sei%u.v", [INDEXED_O] = "v%cox%s%sei%u.v",
        [FIRST] = "v%c%s%se%uff.v",
    };
    char mnemonic[32], operands[40], digit[2] = {(char)('0' + shot->shape.fields), 0};
    bool segments = shot->shape.fields > 1;
    snprintf(mnemonic, sizeof mnemonic, formats[shot->shape.kind], shot->shape.store ? 's' : 'l',
             segments ? "seg" : "", segments ? digit : "", shot->shape.width);
    int length = snprintf(operands, sizeof operands, "v%u, (t1)", shot->vd);
    if (shot->shape.kind == STRIDED) {
        snprintf(operands + length, sizeof operands - (size_t)length, ", t2");
    } else if (is_indexed(shot->shape.kind)) {
        snprintf(operands + length, sizeof operands - (size_t)length, ", v%u", shot->vs2);
    }
    vector_check_text(b, word, mnemonic, operands);
}

static void run_case(struct vector_bench *b, const struct shape *shape)
{
    struct window window;
    open_window(b, &window);
    struct shot shot = choose(b, shape, &window);
    uint32_t word = shot_word(b, &shot);
    check_shot_text(b, &shot, word);
    model_case(b, &shot, &window);
    b->h->hart.x[T1] = shot.base;
    b->h->hart.x[T2] = shot.stride;
    vector_check(b, word);
    check_window(b, &window);
    ck_assert_uint_eq(b->h->hart.x[T1], shot.base);
    ck_assert_uint_eq(b->h->accesses, 0);
}

/* One loop step: a kind, load or store, and a number of fields; in all widths and types. */
enum { STEPS = KINDS * 2 * 8 };

TEST_EACH(load_or_store, STEPS)
{
    static const unsigned widths[] = {8, 16, 32};
    struct shape shape = {.kind = (enum kind)(_i % KINDS),
                          .store = _i / KINDS % 2,
                          .fields = 1 + (unsigned)_i / KINDS / 2};
    struct vector_bench b;
    if (shape.kind == FIRST && shape.store) {
        return; /* only loads come with "first" */
    }
    rvv_open(&b, 2000 + (uint64_t)_i);
    for (int t = 0; t < VECTOR_TYPES; t++) {
        for (int w = 0; w < COUNT(widths); w++) {
            shape.width = widths[w];
            for (int i = 0; i < CASES; i++) {
                vector_roll(&b, vector_types[t]);
                if (fits(&b, &shape)) {
                    run_case(&b, &shape);
                }
            }
        }
    }
}

/* --- Masks and whole registers --- */

/* vlm.v and vsm.v move vl bits, rounded up to bytes; they are never masked. */
TEST(mask_access)
{
    struct vector_bench b;
    rvv_open(&b, 3000);
    for (int i = 0; i < 40 * VECTOR_TYPES; i++) {
        struct window window;
        char operands[32];
        vector_roll(&b, vector_types[i % VECTOR_TYPES]);
        open_window(&b, &window);
        b.masked = false;
        unsigned reg = harness_random(&b.random) & 31;
        uint32_t base = window.start + harness_random(&b.random) % 64;
        bool store = i & 1;
        for (uint32_t byte = 0; byte < (b.vl + 7) / 8; byte++) {
            if (store) {
                window_store(&window, base + byte, 8, vector_get(&b, reg, byte, 8));
            } else {
                vector_put(&b, reg, byte, 8, window_load(&window, base + byte, 8));
            }
        }
        uint32_t word = memory_word(store, 1, 0, 1, 0x0b, T1, 8, reg);
        snprintf(operands, sizeof operands, "v%u, (t1)", reg);
        vector_check_text(&b, word, store ? "vsm.v" : "vlm.v", operands);
        b.h->hart.x[T1] = base;
        vector_check(&b, word);
        check_window(&b, &window);
    }
}

/* Whole registers: neither vl nor vtype matters, and the width is a hint. */
TEST_EACH(whole_access, 4)
{
    static const unsigned widths[] = {8, 16, 32};
    struct vector_bench b;
    rvv_open(&b, 3100 + (uint64_t)_i);
    unsigned count = 1u << _i;
    for (int i = 0; i < 20 * VECTOR_TYPES; i++) {
        struct window window;
        char operands[32], mnemonic[16];
        unsigned width = widths[i % 3];
        bool store = i & 1;
        vector_roll(&b, vector_types[i % VECTOR_TYPES]);
        open_window(&b, &window);
        b.masked = false;
        unsigned reg = (harness_random(&b.random) & 31) / count * count;
        uint32_t base = window.start + harness_random(&b.random) % 64 * 4;
        for (uint32_t byte = 0; byte < count * RV32_VLEN_BYTES; byte++) {
            if (store) {
                window_store(&window, base + byte, 8, vector_get(&b, reg, byte, 8));
            } else {
                vector_put(&b, reg, byte, 8, window_load(&window, base + byte, 8));
            }
        }
        uint32_t word = memory_word(store, count, 0, 1, 8, T1, store ? 8 : width, reg);
        snprintf(operands, sizeof operands, "v%u, (t1)", reg);
        snprintf(mnemonic, sizeof mnemonic, store ? "vs%ur.v" : "vl%ure%u.v", count, width);
        vector_check_text(&b, word, mnemonic, operands);
        b.h->hart.x[T1] = base;
        vector_check(&b, word);
        check_window(&b, &window);
    }
}

/* --- Corners --- */

/* All elements to one place: one of them is there afterwards, for ordered stores the last. */
TEST(stride_zero)
{
    struct vector_bench b;
    rvv_open(&b, 3200);
    for (int i = 0; i < 100; i++) {
        vector_roll(&b, (struct vector_type){16, 1});
        b.vl = b.vl ? b.vl : 1;
        b.masked = false;
        b.h->hart.x[T1] = L1_WINDOW;
        b.h->hart.x[T2] = 0;
        vector_check(&b, memory_word(true, 1, STRIDED, 1, T2, T1, 16, 4));
        uint32_t left = harness_load(b.h, L1_WINDOW, 2);
        bool found = false;
        for (uint32_t j = 0; j < b.vl; j++) {
            found |= vector_get(&b, 4, j, 16) == left;
            vector_set(&b, 8, j, 16, 2);
        }
        ck_assert(found);
        vector_check(&b, memory_word(true, 1, INDEXED_O, 1, 8, T1, 16, 4));
        ck_assert_uint_eq(harness_load(b.h, L1_WINDOW + 2, 2), vector_get(&b, 4, b.vl - 1, 16));
        /* a load of stride zero copies; rs2 = x0 is the same */
        for (uint32_t j = 0; j < b.vl; j++) {
            vector_put(&b, 12, j, 16, left);
        }
        vector_check(&b, memory_word(false, 1, STRIDED, 1, i & 1 ? T2 : X0, T1, 16, 12));
    }
}

/* vl = 0 and all-clear masks touch nothing, not even addresses where nothing lives. */
TEST(nothing_to_do)
{
    struct vector_bench b;
    rvv_open(&b, 3300);
    for (int i = 0; i < 16; i++) {
        vector_roll(&b, (struct vector_type){32, 0});
        b.vl = i & 1 ? 0 : 4;
        b.masked = !(i & 1);
        vector_set(&b, 0, 0, 32, 0);
        b.h->reply = ANSWER_REFUSED;
        b.h->hart.x[T1] = MMIO;
        b.h->hart.x[T2] = 4;
        uint32_t mop = i & 2 ? STRIDED : UNIT;
        vector_check(&b, memory_word(i & 4, 1, mop, vector_vm(&b), mop ? T2 : 0, T1, 32, 4));
        ck_assert_uint_eq(b.h->accesses, 0);
    }
}

/* One element on the bus, loaded and stored. */
TEST_EACH(bus_element, 3)
{
    static const unsigned widths[] = {8, 16, 32};
    struct vector_bench b;
    unsigned width = widths[_i];
    rvv_open(&b, 3400);
    for (int i = 0; i < 20; i++) {
        bool store = i & 1;
        vector_roll(&b, (struct vector_type){width, 0});
        b.masked = false;
        b.vl = 1;
        b.h->accesses = 0;
        b.h->value = harness_random(&b.random) & 0x7f;
        b.h->hart.x[T1] = MMIO;
        if (!store) {
            vector_put(&b, 4, 0, width, b.h->value);
        }
        vector_check(&b, memory_word(store, 1, UNIT, 1, 0, T1, width, 4));
        ck_assert_uint_eq(b.h->accesses, 1);
        ck_assert_uint_eq(b.h->log[0].address, MMIO);
        ck_assert_uint_eq(b.h->log[0].size, width / 8);
        ck_assert_int_eq(b.h->log[0].store, store);
        uint32_t mask = UINT32_MAX >> (32 - width);
        if (store) {
            ck_assert_uint_eq(b.h->log[0].value & mask, vector_get(&b, 4, 0, width));
        }
    }
}

/* Several elements, all on the bus or only the second: served in full, or refused as not modelled,
 * without any effect. */
TEST(bus_elements)
{
    struct vector_bench b;
    rvv_open(&b, 3450);
    uint32_t last = HARNESS_L1_BYTES - 4;
    harness_store(b.h, last, 4, 0x11111111);
    for (int i = 0; i < 4; i++) {
        vector_roll(&b, (struct vector_type){32, 0});
        b.masked = false;
        b.vl = 2;
        b.h->accesses = 0;
        b.h->hart.x[T1] = i & 2 ? last : MMIO;
        uint32_t word = memory_word(i & 1, 1, UNIT, 1, 0, T1, 32, 4);
        rvv_execute(&b, word);
        if (b.h->hart.stop == RV32_RUNNING) {
            ck_assert_uint_eq(b.h->accesses, i & 2 ? 1 : 2);
            continue;
        }
        harness_check_fault(b.h, PENROSE_FAULT_UNIMPLEMENTED, VECTOR_PC + 4, word);
        ck_assert_uint_eq(b.h->accesses, 0);
        ck_assert_uint_eq(harness_load(b.h, last, 4), 0x11111111);
        ck_assert(!memcmp(b.h->hart.v, b.before, sizeof b.before));
    }
}

/* An instruction that waits or faults has had no effect at all (rv32.h). */
TEST_EACH(all_or_nothing, 4)
{
    struct vector_bench b;
    bool store = _i & 1, fault = _i & 2;
    rvv_open(&b, 3500);
    vector_roll(&b, (struct vector_type){32, 0});
    b.masked = false;
    b.vl = 1;
    b.h->value = 0x01020304;
    b.h->hart.x[T1] = MMIO;
    uint32_t word = memory_word(store, 1, UNIT, 1, 0, T1, 32, 4);
    b.h->waits = fault ? 0 : 1;
    b.h->reply = fault ? ANSWER_REFUSED : ANSWER_DONE;
    rvv_execute(&b, word);
    ck_assert_int_eq(b.h->hart.stop, fault ? RV32_STOP_FAULT : RV32_STOP_WAIT);
    ck_assert_uint_eq(b.h->hart.pc, VECTOR_PC + 4);
    ck_assert(!memcmp(b.h->hart.v, b.before, sizeof b.before));
    if (fault) {
        harness_check_fault(b.h, PENROSE_FAULT_UNMAPPED, VECTOR_PC + 4, word);
        ck_assert_uint_eq(b.h->hart.fault.address, MMIO);
        return;
    }
    harness_run(b.h, 1);
    ck_assert_int_eq(b.h->hart.stop, RV32_RUNNING);
    ck_assert_uint_eq(b.h->accesses, 1);
    uint32_t got;
    memcpy(&got, b.h->hart.v[4], sizeof got);
    ck_assert_uint_eq(got, store ? vector_get(&b, 4, 0, 32) : 0x01020304);
    ck_assert_uint_eq(b.h->log[0].value, got);
}

/* A vector store over code: the new words are what runs next. */
TEST(rewrite)
{
    struct harness *h = harness_create(RV32_T2);
    static const char *const lines[] = {"vsetivli zero, 2, e32, m1, ta, ma",
                                        "vse32.v v4, (t1)",
                                        "addi t0, t0, 1",
                                        "addi t0, t0, 1",
                                        "ebreak",
                                        NULL};
    static const uint32_t words[] = {0x04028293, 0x10028293}; /* addi t0, t0, 64 and 256 */
    for (enum harness_mode mode = 0; mode < HARNESS_MODES; mode++) {
        harness_reset(h);
        h->mode = mode;
        harness_program(h, 0x1f8, lines);
        memcpy(h->hart.v[4], words, sizeof words);
        h->hart.x[T1] = 0x200;
        h->hart.pc = 0x1f8;
        harness_run(h, 20);
        ck_assert_int_eq(h->hart.stop, RV32_STOP_PAUSE);
        ck_assert_uint_eq(h->hart.x[T0], 320);
    }
}

/* --- Words assembled by hand from the manual's diagrams --- */

static const struct harness_encoding encodings[] = {
    {0x02030407, "vle8.v v8, (t1)"},
    {0x00035407, "vle16.v v8, (t1), v0.t"},
    {0x02036427, "vse32.v v8, (t1)"},
    {0x0a736407, "vlse32.v v8, (t1), t2"},
    {0x08735427, "vsse16.v v8, (t1), t2, v0.t"},
    {0x06230407, "vluxei8.v v8, (t1), v2"},
    {0x0e236407, "vloxei32.v v8, (t1), v2"},
    {0x06235427, "vsuxei16.v v8, (t1), v2"},
    {0x0e230427, "vsoxei8.v v8, (t1), v2"},
    {0x22036407, "vlseg2e32.v v8, (t1)"},
    {0xe2030427, "vsseg8e8.v v8, (t1)"},
    {0x4a735407, "vlsseg3e16.v v8, (t1), t2"},
    {0x6a736427, "vssseg4e32.v v8, (t1), t2"},
    {0x86230407, "vluxseg5ei8.v v8, (t1), v2"},
    {0xce236427, "vsoxseg7ei32.v v8, (t1), v2"},
    {0x03036407, "vle32ff.v v8, (t1)"},
    {0x43035407, "vlseg3e16ff.v v8, (t1)"},
    {0x02830407, "vl1re8.v v8, (t1)"},
    {0x22835407, "vl2re16.v v8, (t1)"},
    {0xe2836407, "vl8re32.v v8, (t1)"},
    {0x62830427, "vs4r.v v8, (t1)"},
    {0x02b30407, "vlm.v v8, (t1)"},
    {0x02b30427, "vsm.v v8, (t1)"},
};

TEST(encoding)
{
    harness_check_encodings(encodings, COUNT(encodings), true);
}
