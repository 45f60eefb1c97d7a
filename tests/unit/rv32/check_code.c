/*
 * Decoded code (rv32/code.h): sharing, writes over code, invalidation, page boundaries, sweeping.
 * The law for self-modifying code: a hart in bursts does the same as a hart that forgets everything
 * it has decoded before each instruction.
 */
#include "unit/rv32/rv32_harness.h"

#include <stdlib.h>
#include <string.h>

#include "rv32/exec.h"

FIXTURE(NULL, harness_destroy_all);

enum { PAGE = RV32_PAGE_BYTES, LINES_OF_PAGE = PAGE >> RV32_L1_MARK_SHIFT };

static uint32_t addi(unsigned rd, unsigned rs1, int32_t immediate)
{
    return words_i(OPCODE_OP_IMM, 0, rd, rs1, immediate);
}

static const struct rv32_page *page_of(struct harness *h, uint32_t number)
{
    const struct rv32_page *page = rv32_code_page(&h->code, number);
    ck_assert_ptr_nonnull(page);
    return page;
}

/* A second hart with its own memory that uses the store of the first. Destroy it first. */
static struct harness *create_neighbour(struct harness *h)
{
    struct harness *neighbour = harness_create(RV32_B);
    neighbour->code.store = h->store;
    return neighbour;
}

static void fill_page(struct harness *h, uint32_t number, uint32_t word)
{
    for (uint32_t at = 0; at < PAGE; at += 4) {
        harness_put_word(h, number * PAGE + at, word);
    }
}

/* --- Decoding and sharing --- */

TEST(page_holds_rows_and_words)
{
    struct harness *h = harness_create(RV32_B);
    uint64_t random = 5;
    for (uint32_t at = 0; at < PAGE; at += 4) {
        harness_put_word(h, at, harness_random(&random) | (harness_random(&random) % 2 ? 3 : 0));
    }
    const struct rv32_page *page = page_of(h, 0);
    for (unsigned i = 0; i < RV32_PAGE_OPS; i++) {
        uint32_t word = harness_load(h, 4 * i, 4);
        int row = isa_index_find(rv32_code_store_index(h->store), word);
        ck_assert_uint_eq(page->words[i], word);
        ck_assert_int_eq(page->rows[i], (word & 3) == 3 ? row : -1);
        ck_assert(page->ops[i].run != NULL);
    }
}

TEST(nothing_is_decoded_before_it_runs)
{
    struct harness *h = harness_create(RV32_B);
    fill_page(h, 0, addi(A0, A0, 1));
    fill_page(h, 1, addi(A0, A0, 1));
    ck_assert_uint_eq(rv32_code_store_decodings(h->store), 0);
    harness_run(h, 10);
    ck_assert_uint_eq(rv32_code_store_decodings(h->store), 1);
    ck_assert(rv32_code_is_decoded(&h->code, 0));
    ck_assert(!rv32_code_is_decoded(&h->code, 1));
}

TEST(equal_pages_are_shared)
{
    struct harness *h = harness_create(RV32_B), *other = create_neighbour(h);
    fill_page(h, 0, addi(A0, A0, 1));
    fill_page(h, 5, addi(A0, A0, 1));
    fill_page(other, 7, addi(A0, A0, 1));
    fill_page(other, 8, addi(A0, A0, 2));
    ck_assert_ptr_eq(page_of(h, 0), page_of(h, 5));
    ck_assert_ptr_eq(page_of(h, 0), page_of(other, 7));
    ck_assert_ptr_ne(page_of(h, 0), page_of(other, 8));
    ck_assert_uint_eq(rv32_code_store_decodings(h->store), 2);
    ck_assert_uint_eq(rv32_code_store_pages(h->store), 2);
    ck_assert_uint_eq(page_of(h, 0)->users, 3);
    harness_destroy(other);
    ck_assert_uint_eq(page_of(h, 0)->users, 2);
}

/* One writes over its copy, the other goes on with what it has. */
TEST(writes_concern_the_writer_only)
{
    struct harness *h = harness_create(RV32_B), *other = create_neighbour(h);
    fill_page(h, 0, addi(A0, A0, 1));
    fill_page(other, 0, addi(A0, A0, 1));
    harness_run(h, 4);
    harness_run(other, 4);
    harness_put_word(h, 5 * 4, addi(A0, A0, 100));
    ck_assert(!rv32_code_is_decoded(&h->code, 0));
    ck_assert(rv32_code_is_decoded(&other->code, 0));
    harness_run(h, 4);
    harness_run(other, 4);
    ck_assert_uint_eq(h->hart.x[A0], 7 + 100);
    ck_assert_uint_eq(other->hart.x[A0], 8);
    ck_assert_uint_eq(rv32_code_store_decodings(h->store), 2);
    harness_put_word(h, 5 * 4, addi(A0, A0, 1)); /* as before: the old page fits again */
    ck_assert_ptr_eq(page_of(h, 0), page_of(other, 0));
    ck_assert_uint_eq(rv32_code_store_decodings(h->store), 2);
}

/* --- Marks and forgetting --- */

static void check_marks(const struct harness *h, uint32_t number, bool decoded)
{
    for (unsigned i = 0; i < LINES_OF_PAGE; i++) {
        unsigned line = number * LINES_OF_PAGE + i;
        ck_assert_uint_eq(h->marks[line] & RV32_MARK_CODE, decoded ? RV32_MARK_CODE : 0);
        ck_assert_uint_eq(h->marks[line] & 0x80, line % 3 ? 0x80 : 0);
    }
    ck_assert_int_eq(rv32_code_is_decoded(&h->code, number), decoded);
}

static void mark_lines(struct harness *h)
{
    for (unsigned line = 0; line < HARNESS_L1_BYTES >> RV32_L1_MARK_SHIFT; line++) {
        h->marks[line] = line % 3 ? 0x80 : 0; /* another owner's bit */
    }
}

struct range {
    uint32_t address, size;
    bool forgets[4]; /* of pages 0 to 3 */
};

static const struct range ranges[] = {
    {0, 0, {false, false, false, false}},
    {PAGE, 0, {false, false, false, false}},
    {0, 1, {true, false, false, false}},
    {PAGE - 1, 1, {true, false, false, false}},
    {PAGE, 1, {false, true, false, false}},
    {PAGE - 1, 2, {true, true, false, false}},
    {PAGE, PAGE, {false, true, false, false}},
    {PAGE + 4, PAGE, {false, true, true, false}},
    {2 * PAGE - 4, 2 * PAGE, {false, true, true, true}},
    {0, HARNESS_L1_BYTES, {true, true, true, true}},
    {4 * PAGE, HARNESS_L1_BYTES, {false, false, false, false}},
    {HARNESS_L1_BYTES + 8, 64, {false, false, false, false}},
};

TEST_EACH(written_ranges, COUNT(ranges))
{
    const struct range *range = &ranges[_i];
    struct harness *h = harness_create(RV32_B);
    mark_lines(h);
    for (uint32_t number = 0; number < 4; number++) {
        page_of(h, number);
        check_marks(h, number, true);
    }
    check_marks(h, 4, false);
    rv32_code_written(&h->code, range->address, range->size);
    for (uint32_t number = 0; number < 4; number++) {
        check_marks(h, number, !range->forgets[number]);
    }
}

TEST(invalidation_forgets_all)
{
    struct harness *h = harness_create(RV32_B);
    uint32_t patched = addi(A0, A0, 50);
    mark_lines(h);
    fill_page(h, 0, addi(A0, A0, 1));
    page_of(h, 0);
    page_of(h, 200);
    memcpy(h->l1 + 4, &patched, sizeof patched); /* a write that nobody reports */
    rv32_code_invalidate(&h->code);
    check_marks(h, 0, false);
    check_marks(h, 200, false);
    harness_run(h, 3);
    ck_assert_uint_eq(h->hart.x[A0], 52);
}

/* The invalidation register lies behind the bus: the page that runs is forgotten under way. */
static enum answer invalidate_on_store(void *owner, struct rv32_hart *hart,
                                       struct rv32_access *access)
{
    struct harness *h = owner;
    uint32_t patched = addi(A0, A0, 50);
    (void)hart;
    ck_assert(access->store && access->address == 0xffb14000);
    memcpy(h->l1 + 8, &patched, sizeof patched);
    rv32_code_invalidate(&h->code);
    return ANSWER_DONE;
}

TEST_EACH(invalidation_by_the_running_hart, HARNESS_MODES)
{
    static const char *const lines[] = {"addi a0, a0, 1", "sw zero, 0(s0)", "addi a0, a0, 1",
                                        "addi a0, a0, 1", NULL};
    struct harness *h = harness_create(RV32_B);
    h->mode = (enum harness_mode)_i;
    h->bus.access = invalidate_on_store;
    h->hart.x[S0] = 0xffb14000;
    harness_program(h, 0, lines);
    ck_assert_uint_eq(harness_run(h, 4), 4);
    ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
    ck_assert_uint_eq(h->hart.x[A0], 52);
    ck_assert_uint_eq(h->hart.pc, 16);
}

/* --- Self-modifying code --- */

struct patch {
    const char *store;      /* of a0 to the place that s0 points to */
    uint32_t before, value; /* the patched instruction, and what the store writes */
    uint32_t result;        /* of the patched instruction, in a1 */
};

static const struct patch patches[] = {
    {"sw a0, 0(s0)", 0x00158593 /* addi a1, a1, 1 */, 0x06458593 /* addi a1, a1, 100 */, 100},
    {"sh a0, 2(s0)", 0x00158593, 0x0645, 100},
    {"sb a0, 3(s0)", 0x00158593, 0x06, 97},
    {"amoswap.w zero, a0, (s0)", 0x00158593, 0x06458593, 100},
    {"amoadd.w zero, a0, (s0)", 0x00158593, 0x06300000, 100},
};

/* The store stands `distance` bytes before (or behind) what it patches; it runs first. */
static void check_patch(struct harness *h, const struct patch *patch, uint32_t target,
                        int32_t distance)
{
    uint32_t store = target - (uint32_t)distance;
    harness_reset(h);
    harness_put_word(h, target, patch->before);
    harness_put_word(h, store, harness_encode(patch->store, store));
    if (distance < 0) {
        harness_put_word(h, store + 4, words_j(X0, distance - 4));
    }
    h->hart.x[S0] = target;
    h->hart.x[A0] = patch->value;
    h->hart.x[A1] = 0;
    h->hart.pc = target; /* first as it was, so that it is decoded */
    harness_run(h, 1);
    ck_assert_uint_eq(h->hart.x[A1], 1);
    h->hart.x[A1] = 0;
    h->hart.pc = store;
    harness_run(h, distance < 0 ? 3 : (unsigned)distance / 4 + 1);
    ck_assert_msg(h->hart.x[A1] == patch->result,
                  "%s at %#x, its target at %#x: a1 is %u instead of %u", patch->store, store,
                  target, h->hart.x[A1], patch->result);
    ck_assert_uint_eq(h->hart.pc, target + 4);
    harness_put_word(h, store, WORD_NOP);
    harness_put_word(h, store + 4, WORD_NOP);
    harness_put_word(h, target, WORD_NOP);
}

TEST_EACH(patched_code_runs, COUNT(patches))
{
    static const int32_t distances[] = {-0x140, -0x104, -0x100, -0xfc, -0x48, -0xc,  -8,    4,
                                        8,      0xc,    0x3c,   0x40,  0xfc,  0x100, 0x104, 0x140};
    const struct patch *patch = &patches[_i];
    struct harness *h = harness_create(RV32_B);
    for (int mode = 0; mode < HARNESS_MODES; mode++) {
        h->mode = (enum harness_mode)mode;
        for (uint32_t at = 0x400; at < 0xc00; at += 4) {
            harness_put_word(h, at, WORD_NOP);
        }
        for (uint32_t target = 0x6f0; target <= 0x810; target += 4) {
            for (int i = 0; i < COUNT(distances); i++) {
                check_patch(h, patch, target, distances[i]);
            }
        }
    }
}

enum { LAW_BYTES = 4 * PAGE, LAW_CYCLES = 600, LAW_TRIALS = 300 };

static uint32_t random_instruction(uint64_t *random)
{
    uint32_t r = harness_random(random);
    unsigned rd = A0 + r % 4, rs1 = A0 + (r >> 2) % 4, rs2 = A0 + (r >> 4) % 4;
    unsigned patch = 16 + (r >> 6) % 8; /* s2.. hold words to patch with */
    int32_t place = (int32_t)((r >> 9) % (LAW_BYTES / 4) * 4);
    int32_t forward = 8 + 4 * (int32_t)((r >> 20) % 40);
    switch (harness_random(random) % 10) {
    case 0:
        return words_s(OPCODE_STORE, 2, patch, S0, place);
    case 1:
        return words_s(OPCODE_STORE, 1, rs2, S0, place + 2);
    case 2:
        return words_s(OPCODE_STORE, 0, rs2, S0, place + 3);
    case 3:
        return words_b(r >> 28 & 1, rs1, rs2, forward);
    case 4:
        return words_j(r >> 30 ? X0 : RA, forward);
    case 5:
        return words_r(OPCODE_OP, 0, 0, rd, rs1, rs2);
    default:
        return addi(rd, rs1, (int32_t)(r >> 20) - 2048);
    }
}

static void set_up_law(struct harness *h, uint64_t random)
{
    harness_reset(h);
    memset(h->l1, 0, sizeof h->l1);
    rv32_code_written(&h->code, 0, sizeof h->l1);
    for (uint32_t at = 0; at < LAW_BYTES; at += 4) {
        harness_put_word(h, at, random_instruction(&random));
    }
    harness_put_word(h, LAW_BYTES - 4, words_j(X0, 4 - LAW_BYTES));
    for (unsigned r = 1; r < 32; r++) {
        h->hart.x[r] = r < 16 ? harness_random(&random) : random_instruction(&random);
    }
    h->hart.x[S0] = 0;
}

TEST(bursts_see_every_patch)
{
    struct harness *h = harness_create(RV32_B), *forgetful = harness_create(RV32_B);
    uint64_t random = 0xc0de;
    for (unsigned trial = 0; trial < LAW_TRIALS; trial++) {
        uint64_t seed = harness_random(&random) | 1;
        set_up_law(h, seed);
        set_up_law(forgetful, seed);
        unsigned left = LAW_CYCLES;
        while (left && (left == LAW_CYCLES || h->hart.stop == RV32_RUNNING)) {
            unsigned burst = 1 + harness_random(&random) % left;
            harness_run(h, burst);
            left -= burst;
        }
        do {
            rv32_code_invalidate(&forgetful->code);
            harness_run(forgetful, 1);
        } while (forgetful->now < h->now && forgetful->hart.stop == RV32_RUNNING);
        harness_run(forgetful, forgetful->now < h->now);
        ck_assert_mem_eq(h->hart.x, forgetful->hart.x, 32 * sizeof h->hart.x[0]);
        ck_assert_mem_eq(h->l1, forgetful->l1, sizeof h->l1);
        ck_assert_uint_eq(h->hart.pc, forgetful->hart.pc);
        ck_assert_uint_eq(h->hart.retired, forgetful->hart.retired);
    }
}

/* --- Page boundaries --- */

/* Straight on, branches and jumps across a boundary, with bursts that end everywhere. */
TEST(boundaries)
{
    struct harness *h = harness_create(RV32_B);
    uint32_t first = PAGE - 8;
    harness_put_word(h, first, addi(A0, A0, 1));
    harness_put_word(h, first + 4, addi(A0, A0, 2));
    harness_put_word(h, PAGE, words_b(0, X0, X0, 2 * PAGE)); /* beq */
    harness_put_word(h, 3 * PAGE, addi(A0, A0, 4));
    harness_put_word(h, 3 * PAGE + 4, words_j(RA, -PAGE - 8));
    harness_put_word(h, 2 * PAGE - 4, words_b(1, A0, X0, 4)); /* bne to the next page */
    harness_put_word(h, 2 * PAGE, addi(A0, A0, 8));
    harness_put_word(h, 2 * PAGE + 4, words_i(0x67, 0, X0, X0, PAGE - 12)); /* jalr */
    harness_put_word(h, PAGE - 12, addi(A0, A0, 16));
    enum { WHOLE = 9 }; /* ends back at `first` */
    for (unsigned split = 0; split <= WHOLE; split++) {
        harness_reset(h);
        h->hart.pc = first;
        ck_assert_uint_eq(harness_run(h, split), split);
        ck_assert_uint_eq(harness_run(h, WHOLE - split), WHOLE - split);
        ck_assert_uint_eq(h->hart.x[A0], 31);
        ck_assert_uint_eq(h->hart.pc, first);
        ck_assert_uint_eq(h->hart.x[RA], 3 * PAGE + 8);
        ck_assert_uint_eq(h->hart.retired, WHOLE);
    }
}

/* A burst that ends at a page's end must not look at the next page, nor fault beyond L1. */
TEST_EACH(end_of_memory, HARNESS_MODES)
{
    struct harness *h = harness_create(RV32_B);
    h->mode = (enum harness_mode)_i;
    harness_put_word(h, HARNESS_L1_BYTES - 4, addi(A0, A0, 1));
    h->hart.pc = HARNESS_L1_BYTES - 4;
    ck_assert_uint_eq(harness_run(h, 1), 1);
    ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
    ck_assert_uint_eq(h->hart.pc, HARNESS_L1_BYTES);
    ck_assert_uint_eq(harness_run(h, 1), 0);
    ck_assert_int_eq(h->hart.stop, RV32_STOP_FAULT);
    ck_assert_int_eq(h->hart.fault.kind, PENROSE_FAULT_FETCH);
    ck_assert_uint_eq(h->hart.fault.pc, HARNESS_L1_BYTES);
    ck_assert_uint_eq(h->hart.retired, 1);
}

/* --- The store --- */

enum { MANY = 10000, SWEEP_LIMIT = 4096 };

TEST(unused_pages_are_swept)
{
    struct harness *h = harness_create(RV32_B), *other = create_neighbour(h);
    fill_page(other, 3, addi(A0, A0, 3));
    const struct rv32_page *kept = page_of(other, 3);
    for (uint32_t i = 0; i < MANY; i++) {
        harness_put_word(h, 0, addi(A0, X0, (int32_t)(i & 0x7ff)));
        harness_put_word(h, 4, i << 7 | 0x37); /* lui */
        h->hart.pc = 0;
        harness_run(h, 1);
        ck_assert_uint_eq(h->hart.x[A0], i & 0x7ff);
    }
    ck_assert_uint_eq(rv32_code_store_decodings(h->store), MANY + 1);
    ck_assert_uint_le(rv32_code_store_pages(h->store), SWEEP_LIMIT);
    ck_assert_ptr_eq(page_of(other, 3), kept);
    other->hart.pc = 3 * PAGE;
    harness_run(other, 5);
    ck_assert_uint_eq(other->hart.x[A0], 15);
    ck_assert_uint_eq(rv32_code_store_decodings(h->store), MANY + 1);
}

static void decode_many(struct harness *h)
{
    for (uint32_t i = 0; i < MANY; i++) {
        harness_put_word(h, 0, i << 7 | 0x37); /* lui */
        page_of(h, 0);
    }
}

/* What was written over is in use until other bytes are decoded in its place. */
TEST(pages_aside_are_kept)
{
    struct harness *h = harness_create(RV32_B);
    fill_page(h, 5, addi(A0, A0, 3));
    const struct rv32_page *first = page_of(h, 5);
    harness_put_word(h, 5 * PAGE, addi(A0, A0, 4));
    ck_assert(!rv32_code_is_decoded(&h->code, 5));
    decode_many(h);
    harness_put_word(h, 5 * PAGE, addi(A0, A0, 3));
    ck_assert_ptr_eq(page_of(h, 5), first);
    ck_assert_uint_eq(rv32_code_store_decodings(h->store), MANY + 1);
    ck_assert_uint_eq(first->users, 1);
    harness_put_word(h, 5 * PAGE, addi(A0, A0, 4));
    ck_assert_ptr_ne(page_of(h, 5), first);
    ck_assert_uint_eq(first->users, 0);
    harness_put_word(h, 5 * PAGE, addi(A0, A0, 5));
    rv32_code_invalidate(&h->code);
    decode_many(h);
    ck_assert_uint_le(rv32_code_store_pages(h->store), SWEEP_LIMIT);
}

/* Pages in use stay, however many there are. */
TEST(used_pages_are_kept)
{
    enum { PAGES = 3 * SWEEP_LIMIT };
    struct rv32_code_store *store = rv32_code_store_create(&rv32_chip_decoder);
    uint8_t *l1 = calloc(PAGES, PAGE), *marks = calloc(PAGES, LINES_OF_PAGE);
    struct rv32_page **map = calloc(PAGES, sizeof *map);
    ck_assert(store && l1 && marks && map);
    struct rv32_code code = {.map = map, .pages = PAGES, .l1 = l1, .marks = marks, .store = store};
    for (uint32_t i = 0; i < PAGES; i++) {
        uint32_t word = i << 12 | 0x37;
        memcpy(l1 + (size_t)i * PAGE, &word, sizeof word);
        ck_assert_ptr_nonnull(rv32_code_page(&code, i));
    }
    ck_assert_uint_eq(rv32_code_store_pages(store), PAGES);
    for (uint32_t i = 0; i < PAGES; i++) {
        ck_assert_uint_eq(rv32_code_page(&code, i)->words[0], i << 12 | 0x37);
    }
    ck_assert_uint_eq(rv32_code_store_decodings(store), PAGES);
    rv32_code_invalidate(&code);
    rv32_code_store_destroy(store);
    free(map);
    free(marks);
    free(l1);
}

/* Beyond what is mapped nobody looks at entries, for which the host would have to find room. */
TEST(entries_that_are_not_mapped_are_not_read)
{
    enum { PAGES = 8, ALONE = 5 };
    struct rv32_code_store *store = rv32_code_store_create(&rv32_chip_decoder);
    uint8_t l1[PAGES * PAGE] = {0}, marks[PAGES * LINES_OF_PAGE] = {0};
    struct rv32_page *map[PAGES], *const nonsense = (struct rv32_page *)(uintptr_t)0x10;
    ck_assert_ptr_nonnull(store);
    for (uint32_t i = 0; i < PAGES; i++) {
        map[i] = nonsense;
    }
    struct rv32_code code = {.map = map, .pages = PAGES, .l1 = l1, .marks = marks, .store = store};
    for (unsigned round = 0; round < 2; round++) {
        ck_assert(!rv32_code_is_decoded(&code, ALONE));
        ck_assert_ptr_nonnull(rv32_code_page(&code, ALONE));
        for (uint32_t i = 0; i < PAGES + 1; i++) {
            ck_assert_int_eq(rv32_code_is_decoded(&code, i), i == ALONE);
        }
        rv32_code_written(&code, 0, sizeof l1);
        ck_assert(!rv32_code_is_decoded(&code, ALONE));
        rv32_code_invalidate(&code);
        map[ALONE] = nonsense;
    }
    map[ALONE - 1] = map[ALONE] = map[ALONE + 1] = NULL;
    ck_assert_ptr_nonnull(rv32_code_page(&code, ALONE + 1));
    ck_assert_ptr_nonnull(rv32_code_page(&code, ALONE - 1));
    for (uint32_t i = 0; i < PAGES + 1; i++) {
        ck_assert_int_eq(rv32_code_is_decoded(&code, i), i == ALONE - 1 || i == ALONE + 1);
    }
    rv32_code_invalidate(&code);
    rv32_code_store_destroy(store);
}
