/* Scenes, see snapshot_scenes.h. Guests are made with the assembler, line by line. */
#include "unit/chip/snapshot_scenes.h"

#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../firmware/tensor/arguments.h"
#include "num/tensix_format.h"
#include "tensix/table.h"

uint32_t scene_random(uint32_t *state, uint32_t limit)
{
    *state = *state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)*state * limit >> 32);
}

struct penrose_chip *scene_chip(const struct scene *scene, unsigned schedule, unsigned threads)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    struct penrose_error error = {0};
    options.threads = threads;
    options.schedule = schedule == 1   ? PENROSE_LOCKSTEP
                       : schedule == 2 ? PENROSE_RANDOM
                                       : PENROSE_FAST;
    options.seed = 42;
    options.timed = schedule == 3;
    options.quantum = schedule == 4 ? 64 : 0;
    options.rounds_to_nearest = schedule == 4;
    for (unsigned kind = 0; kind < PENROSE_FAULT_KINDS; kind++) {
        options.policy[kind] = scene ? scene->policy : PENROSE_WARN;
    }
    ck_assert_msg(penrose_chip_create(&options, &chip, &error) == PENROSE_OK, "%s", error.text);
    return chip;
}

/* --- Making guests --- */

struct guest {
    struct penrose_chip *chip;
    unsigned x, y;
    uint32_t pc;
};

static void put(const struct guest *guest, uint64_t address, const void *bytes, size_t size)
{
    struct penrose_error error = {0};
    ck_assert_msg(penrose_write(guest->chip, guest->x, guest->y, address, bytes, size, &error) ==
                      PENROSE_OK,
                  "%s", error.text);
}

static void put_word(const struct guest *guest, uint64_t address, uint32_t word)
{
    put(guest, address, &word, sizeof word);
}

static void emit_word(struct guest *guest, uint32_t word)
{
    put_word(guest, guest->pc, word);
    guest->pc += 4;
}

static void emit(struct guest *guest, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void emit(struct guest *guest, const char *format, ...)
{
    char text[100];
    uint32_t word = 0;
    struct penrose_error error = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ck_assert_msg(penrose_assemble(NULL, text, guest->pc, &word, &error) == PENROSE_OK, "%s: %s",
                  text, error.text);
    emit_word(guest, word);
}

/* reg = value */
static void load(struct guest *guest, const char *reg, uint32_t value)
{
    emit(guest, "lui %s, 0x%" PRIx32, reg, (value + 0x800) >> 12 & 0xfffff);
    emit(guest, "addi %s, %s, %" PRId32, reg, reg, (int32_t)(value << 20) >> 20);
}

static void start(const struct guest *guest, enum penrose_hart hart, uint32_t pc)
{
    struct penrose_error error = {0};
    ck_assert_msg(penrose_hart_release(guest->chip, guest->x, guest->y, hart, pc, &error) ==
                      PENROSE_OK,
                  "%s", error.text);
}

/* --- Traffic: workers write to, read from and count in each other, DRAM and memory --- */

enum { SIDE = 3, TILES = SIDE * SIDE, CODE = 0x1000, HELPER_CODE = 0x3000, DATA = 0x20000 };

#define NIU0 UINT32_C(0xffb20000)
#define NIU1 UINT32_C(0xffb30000)

struct request {
    uint32_t target, target_high, back, back_high, control, length, data;
};

static uint32_t at(unsigned x, unsigned y)
{
    return x | y << 6;
}

/* Stores a register of the command buffer that s0 points to. */
static void emit_store(struct guest *guest, uint32_t offset, uint32_t value)
{
    load(guest, "t0", value);
    emit(guest, "sw t0, %" PRIu32 "(s0)", offset);
}

static void emit_request(struct guest *guest, uint32_t niu, const struct request *request)
{
    load(guest, "s0", niu);
    emit(guest, "lw t1, 0x40(s0)"); /* until the command before has left */
    emit(guest, "bne t1, zero, %" PRIu32, guest->pc - 4);
    emit_store(guest, 0x00, request->target);
    emit_store(guest, 0x08, request->target_high);
    emit_store(guest, 0x0c, request->back);
    emit_store(guest, 0x14, request->back_high);
    emit_store(guest, 0x1c, request->control);
    emit_store(guest, 0x20, request->length);
    emit_store(guest, 0x28, request->data);
    emit_store(guest, 0x40, 1);
}

enum { READ = 0, ATOMIC = 1, WRITE = 2, INLINE = 8, ANSWERED = 16, MULTICAST = 32 };

static void emit_random_request(struct guest *guest, uint32_t *seed)
{
    uint32_t here = at(guest->x, guest->y);
    uint32_t worker = at(1 + scene_random(seed, SIDE), 2 + scene_random(seed, SIDE));
    uint32_t dram = at(17 + scene_random(seed, 2), 12 + scene_random(seed, 12));
    uint32_t there = scene_random(seed, 3) ? worker : dram,
             at_data = DATA + 64 * scene_random(seed, 900);
    uint32_t niu = (scene_random(seed, 2) ? NIU0 : NIU1) + 0x800 * scene_random(seed, 4);
    uint32_t size = 16 * (1 + scene_random(seed, 64));
    uint32_t span = at(SIDE, 1 + SIDE) | at(1, 2) << 12; /* all of them */
    const struct request requests[] = {
        {at_data, here, DATA + 0x20000, there, WRITE | ANSWERED, size, 0},
        {DATA + 0x10000, there, at_data, here, READ, size, 0},
        {DATA + 0x30000, worker, DATA + 0x40000, here, ATOMIC | ANSWERED, 1 << 12 | 31 << 2, 1},
        {DATA + 0x30100, worker, 0, here, WRITE | INLINE, 15, size},
        {DATA, here, DATA + 0x50000, at(8, 3), WRITE | ANSWERED, size, 0}, /* an L2CPU */
        {DATA, here, DATA + 0x60000, span, WRITE | MULTICAST | ANSWERED, 4096, 0},
        {0x80030400, at(8, 0), DATA + 0x70000, here, READ, 4, 0}, /* ARC */
    };
    struct request request = requests[scene_random(seed, sizeof requests / sizeof requests[0])];
    if (niu >= NIU1 && request.control & MULTICAST) {
        niu -= NIU1 - NIU0; /* rectangles of NoC 1 run the other way */
    }
    emit_request(guest, niu, &request);
}

/* Waits until s1 more writes of NoC 0 are acknowledged than at its start, or some time has passed.
 */
static void emit_wait(struct guest *guest)
{
    load(guest, "s0", NIU0);
    emit(guest, "addi t2, zero, 200");
    uint32_t loop = guest->pc;
    emit(guest, "lw t1, 0x204(s0)");
    emit(guest, "addi t2, t2, -1");
    emit(guest, "beq t2, zero, %" PRIu32, guest->pc + 8);
    emit(guest, "bltu t1, s1, %" PRIu32, loop);
    emit(guest, "addi s1, t1, 1");
}

static void make_sender(struct guest *guest, uint32_t *seed)
{
    guest->pc = CODE;
    load(guest, "s2", DATA);
    emit(guest, "addi s1, zero, 1");
    uint32_t loop = guest->pc;
    for (unsigned i = 0; i < 6; i++) {
        emit(guest, "addi s3, s3, %u", 1 + i);
        emit(guest, "sw s3, %u(s2)", 4 * i);
        emit_random_request(guest, seed);
    }
    emit_wait(guest);
    emit(guest, "jal zero, %" PRIu32, loop);
    start(guest, PENROSE_BRISC, CODE);
}

/* NC sleeps until its tile's word is counted, and counts for the host. */
static void make_sleeper(struct guest *guest)
{
    guest->pc = HELPER_CODE;
    load(guest, "a0", DATA + 0x30000);
    load(guest, "a1", DATA + 0x30200);
    uint32_t loop = guest->pc;
    emit(guest, "lw a2, 0(a0)");
    emit(guest, "beq a2, a3, %" PRIu32, loop);
    emit(guest, "addi a3, a2, 0");
    emit(guest, "addi a4, a4, 1");
    emit(guest, "sw a4, 0(a1)");
    emit(guest, "jal zero, %" PRIu32, loop);
    start(guest, PENROSE_NCRISC, HELPER_CODE);
}

static bool make_traffic(struct penrose_chip *chip, uint32_t seed)
{
    for (unsigned i = 0; i < TILES; i++) {
        struct guest guest = {.chip = chip, .x = 1 + i % SIDE, .y = 2 + i / SIDE};
        uint8_t bytes[4096];
        for (unsigned j = 0; j < sizeof bytes; j++) {
            bytes[j] = (uint8_t)scene_random(&seed, 256);
        }
        put(&guest, DATA, bytes, sizeof bytes);
        put(&guest, DATA + 0x20000, bytes, 100);
        make_sender(&guest, &seed);
        make_sleeper(&guest);
    }
    return true;
}

/* --- Coprocessors: TRISCs push random instructions, B talks to them --- */

enum { TRISC_CODE = 0x4000, PUSHES = 60, PUSH_TILES = 4 };

/* Most of what waits for others would wait for ever. */
static bool is_wanted(unsigned row)
{
    switch (row) {
    case TENSIX_ROW_SEMWAIT:
    case TENSIX_ROW_STREAMWAIT:
    case TENSIX_ROW_ATGETM:
    case TENSIX_ROW_ATCAS:
    case TENSIX_ROW_STOREREG:
        return false;
    default:
        return true;
    }
}

static void emit_random_push(struct guest *guest, uint32_t *seed)
{
    unsigned row;
    do {
        row = scene_random(seed, TENSIX_ROWS);
    } while (!is_wanted(row));
    uint32_t random = scene_random(seed, 1 << 16) | scene_random(seed, 1 << 16) << 16;
    uint32_t instruction = tensix_rows[row].match | (random & ~tensix_rows[row].mask);
    uint32_t word = instruction << 2 | instruction >> 30;
    emit_word(guest, (word & 3) == 3 ? UINT32_C(0x13) : word);
}

static void make_pusher(struct guest *guest, unsigned thread, uint32_t *seed)
{
    guest->pc = TRISC_CODE + 0x1000 * thread;
    load(guest, "s0", UINT32_C(0xffe40000));
    load(guest, "s1", DATA + 0x1000 * thread);
    load(guest, "s2", UINT32_C(0xffef0000)); /* configuration */
    for (unsigned i = 0; i < 16; i++) {
        load(guest, "t0", scene_random(seed, 1 << 16));
        emit(guest, "sw t0, %" PRIu32 "(s2)", 4 * scene_random(seed, 224));
    }
    uint32_t loop = guest->pc;
    for (unsigned i = 0; i < PUSHES; i++) {
        emit_random_push(guest, seed);
        if (i % 8 == 0) {
            emit(guest, "addi a0, a0, 1");
            emit(guest, "sw a0, 0(s1)");
        }
    }
    emit(guest, "jal zero, %" PRIu32, loop);
    start(guest, (enum penrose_hart)(PENROSE_TRISC0 + thread), TRISC_CODE + 0x1000 * thread);
}

static bool make_pushes(struct penrose_chip *chip, uint32_t seed)
{
    for (unsigned i = 0; i < PUSH_TILES; i++) {
        struct guest guest = {.chip = chip, .x = 10 + i, .y = 5};
        for (unsigned word = 0; word < 64; word++) {
            put_word(&guest, DATA + 4 * word, scene_random(&seed, 1u << 31));
        }
        for (unsigned thread = 0; thread < 3; thread++) {
            make_pusher(&guest, thread, &seed);
        }
    }
    return true;
}

/* --- Matrix products --- */

enum { MATRIX_A = 0x40000, MATRIX_B = 0x60000, RESULT = 0x80000, MATRIX_SIDE = 2 };

static bool make_products(struct penrose_chip *chip, uint32_t seed)
{
    const char *build = getenv("builddir");
    struct guest guest = {.chip = chip, .x = 7, .y = 11};
    uint32_t arguments[ARGUMENTS_END] = {
        [ARGUMENT_A] = MATRIX_A,
        [ARGUMENT_B] = MATRIX_B,
        [ARGUMENT_RESULT] = RESULT,
        [ARGUMENT_ROWS] = MATRIX_SIDE,
        [ARGUMENT_COLUMNS] = MATRIX_SIDE,
        [ARGUMENT_INNER] = MATRIX_SIDE,
        [ARGUMENT_FORMAT_A] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_B] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_SRC_A] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_SRC_B] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_PACK] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_RESULT] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_PHASES] = 4,
    };
    for (uint32_t i = 0; i < MATRIX_SIDE * MATRIX_SIDE * 1024 / 2; i++) {
        for (uint32_t matrix = MATRIX_A; matrix <= MATRIX_B; matrix += MATRIX_B - MATRIX_A) {
            put_word(&guest, matrix + 4 * i,
                     0x3c003c00 + (scene_random(&seed, 1 << 16) << 8 & 0x7fff7fff));
        }
    }
    put(&guest, ARGUMENTS, arguments, sizeof arguments);
    for (unsigned thread = 0; thread < 3; thread++) {
        char path[4096];
        uint32_t entry;
        struct penrose_error error = {0};
        enum penrose_hart hart = (enum penrose_hart)(PENROSE_TRISC0 + thread);
        snprintf(path, sizeof path, "%s/firmware/tensor/matmul-flag-trisc%u.elf",
                 build ? build : ".", thread);
        if (access(path, R_OK) != 0) {
            return false;
        }
        ck_assert_msg(penrose_load_program(chip, guest.x, guest.y, hart, path, &entry, &error) ==
                          PENROSE_OK,
                      "%s", error.text);
        start(&guest, hart, entry);
    }
    return true;
}

/* --- Ethernet: a hart sends over a loopback --- */

static void make_link_end(struct penrose_chip *chip, unsigned x, uint32_t *seed)
{
    struct guest guest = {.chip = chip, .x = x, .y = 25, .pc = CODE};
    load(&guest, "s0", UINT32_C(0xffb90000));
    load(&guest, "s1", DATA);
    uint32_t loop = guest.pc;
    emit(&guest, "addi a0, a0, 1");
    emit(&guest, "sw a0, 0(s1)");
    emit_store(&guest, 0x14, DATA);
    emit_store(&guest, 0x18, 16 * (1 + scene_random(seed, 400)));
    emit_store(&guest, 0x1c, DATA + 0x8000);
    emit_store(&guest, 0x04, 2);
    uint32_t wait = guest.pc;
    emit(&guest, "lw t1, 4(s0)");
    emit(&guest, "bne t1, zero, %" PRIu32, wait);
    emit(&guest, "jal zero, %" PRIu32, loop);
    start(&guest, PENROSE_NCRISC, CODE);
}

static bool make_links(struct penrose_chip *chip, uint32_t seed)
{
    struct penrose_error error = {0};
    ck_assert_msg(penrose_ethernet_link(chip, 20, 25, chip, 20, 25, &error) == PENROSE_OK, "%s",
                  error.text);
    ck_assert_msg(penrose_ethernet_link(chip, 21, 25, chip, 23, 25, &error) == PENROSE_OK, "%s",
                  error.text);
    struct penrose_link_errors errors = {.size = sizeof errors, .rate = 0.1, .seed = seed};
    ck_assert_int_eq(penrose_ethernet_errors(chip, 20, 25, &errors, &error), PENROSE_OK);
    errors.down = 1000;
    errors.up = 1800;
    ck_assert_int_eq(penrose_ethernet_errors(chip, 23, 25, &errors, &error), PENROSE_OK);
    make_link_end(chip, 20, &seed);
    make_link_end(chip, 21, &seed);
    make_link_end(chip, 23, &seed);
    return true;
}

/* --- Reports: harts do what is not allowed and what is not modelled --- */

static bool make_faults(struct penrose_chip *chip, uint32_t seed)
{
    for (unsigned i = 0; i < 3; i++) {
        struct guest guest = {.chip = chip, .x = 2 + i, .y = 8, .pc = CODE};
        uint32_t loop = guest.pc;
        load(&guest, "a0", UINT32_C(0xffb12000) + 4 * scene_random(&seed, 64));
        emit(&guest, "sw a1, 0(a0)");
        emit(&guest, "lw a1, 0(a0)");
        load(&guest, "a0", 0x700000 + 4 * i);
        emit(&guest, "lw a1, 0(a0)");
        emit_word(&guest, UINT32_C(0xffffffff));
        emit(&guest, "addi a2, a2, 1");
        emit(&guest, "jal zero, %" PRIu32, loop);
        start(&guest, PENROSE_BRISC, CODE);
    }
    return true;
}

/* --- Memory of all kinds, and nothing that runs --- */

static bool make_memory(struct penrose_chip *chip, uint32_t seed)
{
    static const struct {
        unsigned x, y;
        uint64_t address;
    } places[] = {
        {1, 2, 0x17fff0},
        {16, 11, 0},
        {17, 12, 0},
        {17, 13, UINT64_C(0xfefffff0)},
        {18, 23, 0x12345678},
        {18, 20, UINT64_C(0x2000000100)},
        {8, 3, 0x40},
        {8, 3, UINT64_C(0xfffffffffffff000)},
        {8, 2, UINT64_C(1) << 63},
        {8, 0, UINT64_C(0x10040000)},
        {20, 25, 0x7fff0},
        {31, 25, 0},
    };
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct guest guest = {.chip = chip, .x = places[i].x, .y = places[i].y};
        for (unsigned word = 0; word < 4; word++) {
            put_word(&guest, places[i].address + 4 * word, scene_random(&seed, 1u << 31) | 1);
        }
    }
    struct guest dram = {.chip = chip, .x = 17, .y = 12};
    for (unsigned i = 0; i < 60; i++) { /* some of it zeros, which is as if nobody had written */
        put_word(&dram, (uint64_t)scene_random(&seed, 0xff000) << 12, i % 3);
    }
    return true;
}

/* --- All of them --- */

static const struct scene scenes[] = {
    {"memory", make_memory, 512, 2, PENROSE_STOP},
    {"traffic", make_traffic, 1300, 6, PENROSE_WARN},
    {"pushes", make_pushes, 700, 8, PENROSE_IGNORE},
    {"products", make_products, 1500, 6, PENROSE_STOP},
    {"links", make_links, 2500, 4, PENROSE_STOP},
    {"faults", make_faults, 900, 3, PENROSE_WARN},
};

const struct scene *scene_at(unsigned index)
{
    return index < sizeof scenes / sizeof scenes[0] ? &scenes[index] : NULL;
}
