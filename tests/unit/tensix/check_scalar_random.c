/*
 * Random programs of Scalar and Configuration Unit instructions, run by the coprocessor and by the
 * model of scalar_model.c. After each step all GPRs, both configurations, ADCs, L1 and the
 * registers that were reached must agree, and the board must have been told of writes to L1. Operands come from a few registers, so that result,
 * address, offset and data often are the same register.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/tensix/scalar_model.h"
#include "unit/random.h"
#include "unit/test.h"
#include "unit/tensix/tensix_harness.h"

enum {
    LOW_BYTES = 0x900, /* where most accesses go; the rest goes to the end of L1 */
    HIGH_BYTES = 0x100,
    STEPS = 300,
    PROGRAMS = 40,
    LINE = 96,
    TEXT = 4096,
};

struct run {
    struct tensix_harness harness;
    struct world world;
    uint64_t random;
    char text[TEXT]; /* what has been done to the world and not yet to the harness */
    unsigned thread; /* whose it is */
    unsigned faults;
    enum penrose_fault_kind kind; /* of the last one */
    bool timed;
    uint8_t before[LOW_BYTES]; /* of L1, when it was compared last */
    bool told[LOW_BYTES];      /* that the board was told of since */
};

static uint32_t any(struct run *run)
{
    return random_next(&run->random);
}

static unsigned below(struct run *run, unsigned limit)
{
    return any(run) % limit;
}

static void note_write(void *owner, uint32_t address, uint32_t size, uint64_t cycle)
{
    struct run *run = owner; /* it begins with the harness */
    (void)cycle;
    ck_assert(size > 0 && size <= 16 && address <= L1_BYTES - size);
    if (address < LOW_BYTES) {
        memset(run->told + address, true, size);
    }
}

/* --- Comparison --- */

static void same(const struct run *run, const char *what, unsigned a, unsigned b, uint32_t got,
                 uint32_t expected)
{
    if (got != expected) {
        ck_abort_msg("%s %u %u is %#" PRIx32 ", not %#" PRIx32 ", after thread %u: %s", what, a, b,
                     got, expected, run->thread, run->text);
    }
}

static void compare_counters(const struct run *run, unsigned t, unsigned unit, unsigned channel)
{
    const struct tensix_adc_channel *got =
        &run->harness.tensix.thread[t].adc[unit].channel[channel];
    const struct counter *expected = run->world.adc[t][unit][channel];
    const uint32_t values[8] = {got->x, got->x_cr, got->y, got->y_cr,
                                got->z, got->z_cr, got->w, got->w_cr};
    static const uint32_t masks[4] = {0x3ffff, 0x1fff, 0x1fff, 0x1fff};
    for (unsigned i = 0; i < 8; i++) {
        uint32_t value = i % 2 ? expected[i / 2].checkpoint : expected[i / 2].now;
        same(run, "ADC", t * 100 + unit * 10 + channel, i, values[i], value & masks[i / 2]);
    }
}

/* The board was told of what has changed in L1. */
static void check_told(struct run *run)
{
    for (unsigned at = 0; at < LOW_BYTES; at++) {
        if (run->before[at] != run->harness.l1[at] && !run->told[at]) {
            ck_abort_msg("nobody was told that L1 %#x was written by %s", at, run->text);
        }
    }
    memcpy(run->before, run->harness.l1, LOW_BYTES);
    memset(run->told, false, sizeof run->told);
}

static void compare(const struct run *run)
{
    const struct tensix *tensix = &run->harness.tensix;
    for (unsigned t = 0; t < 3; t++) {
        for (unsigned i = 0; i < 64; i++) {
            same(run, "GPR", t, i, tensix->gpr[t][i], reg_get(&run->world, t, i));
        }
        for (unsigned i = 0; i < 68; i++) {
            same(run, "ThreadConfig", t, i, tensix->thread_config[t][i], run->world.own[t][i]);
        }
        for (unsigned i = 0; i < 6; i++) {
            compare_counters(run, t, i / 2, i % 2);
        }
    }
    for (unsigned i = 0; i < CONFIG_WORDS; i++) {
        same(run, "Config", 0, i, tensix->config[0][i], run->world.config[0][i]);
        same(run, "Config", 1, i, tensix->config[1][i], run->world.config[1][i]);
    }
    for (unsigned i = 0; i < LOW_BYTES + HIGH_BYTES; i++) {
        unsigned at = i < LOW_BYTES ? i : L1_BYTES - HIGH_BYTES + i - LOW_BYTES;
        same(run, "L1", 0, at, run->harness.l1[at], run->world.l1[at]);
    }
    for (unsigned i = 0; i < DEVICES; i++) {
        same(run, "device", 0, i, tensix_harness_register(&run->harness, devices[i]),
             run->world.device[i]);
    }
    same(run, "faults", 0, 0, run->harness.faults, run->faults);
    same(run, "busy", 0, 0, tensix->thread[run->thread].has_next, false);
    if (run->faults > 0) {
        same(run, "the fault", 0, 0, run->harness.fault.kind, run->kind);
    }
}

/* --- Steps --- */

static void flush(struct run *run)
{
    if (run->text[0]) {
        tensix_harness_run(&run->harness, run->thread, run->text);
        if (run->timed) { /* for memory requests and configuration writes to arrive */
            tensix_harness_run(&run->harness, run->thread, "STALLWAIT 0x1ff, 0x1001; NOP");
        }
        compare(run);
        check_told(run);
        run->text[0] = 0;
    }
}

static unsigned operand(struct run *run, char kind)
{
    static const char bits_kinds[] = "bcdefpknsg";
    static const unsigned char bits[] = {1, 2, 3, 4, 5, 6, 8, 9, 10, 16};
    const char *found = strchr(bits_kinds, kind);
    if (found) {
        return any(run) >> 7 & ((1U << bits[found - bits_kinds]) - 1);
    }
    bool wild = below(run, 8) == 0;
    switch (kind) {
    case 'r':
        return below(run, wild ? 64 : 6);
    case 'h':
        return below(run, wild ? 128 : 12);
    case 'm':
        return below(run, wild ? 8 : 3);
    case 'i': /* one that another instruction reads, the scratch words, or any */
        if (wild) {
            return below(run, 8) ? below(run, CONFIG_WORDS) : RESET_WORD;
        }
        return below(run, 2) ? SCRATCH_FROM + below(run, 3) : 176 + below(run, 8);
    case 'j':
        return wild ? below(run, 128) : below(run, GLOBAL_FROM - THCON_FROM);
    case 't':
        return wild ? below(run, 68) : below(run, 2) ? 0 : STREAM_ID_FROM + below(run, 4);
    case 'x':
        return (devices[below(run, DEVICES)] - 0xffb00000) / 4;
    case 'l':
        return below(run, 16) << 7 | (10 + below(run, 6)) << 3 | below(run, 8);
    case 'v':
        return 2 + below(run, 2);
    default:
        return (unsigned)(kind - '0');
    }
}

static void append(struct run *run, const struct form *form, const unsigned *f)
{
    char line[LINE];
    int length = snprintf(line, sizeof line, "%s", form->mnemonic);
    for (unsigned i = 0; form->operands[i]; i++) {
        length +=
            snprintf(line + length, sizeof line - (size_t)length, "%s%u", i ? ", " : " ", f[i]);
    }
    size_t used = strlen(run->text);
    ck_assert_uint_lt(used + (size_t)length + 4, sizeof run->text);
    snprintf(run->text + used, sizeof run->text - used, "%s%s", used ? "; " : "", line);
}

/* What the world made of it must come about in the harness. */
static void set_register(struct run *run, unsigned reg, uint32_t value)
{
    for (unsigned i = 0; i < 2; i++, value >>= 16) {
        const unsigned f[OPERANDS] = {0, value & 0xffff, 0, 2 * reg + i};
        forms[0].means(&run->world, run->thread, f);
        append(run, &forms[0], f);
    }
}

static void set_address(struct run *run, const struct form *form, const unsigned *f)
{
    unsigned half = form->offset < 0 ? 0 : f[form->offset];
    uint32_t offset = 0, value;
    if (form->offset >= 0) {
        set_register(run, half / 2, below(run, 4) ? any(run) & 0x001f001f : any(run));
        offset = bytes_get(&run->world.file[run->thread][2 * half], 2);
    }
    if (form->device) {
        value = (devices[below(run, DEVICES)] & 0xfffff) | (any(run) & 0xfff00003);
        value -= offset >> 4;
    } else {
        uint32_t target = below(run, 8) ? offset + below(run, LOW_BYTES)
                                        : L1_BYTES - HIGH_BYTES + below(run, HIGH_BYTES);
        target = target < offset ? offset : target;
        value = (target - offset) / 16;
    }
    set_register(run, f[form->address], value);
}

/* Accesses to L1 that end where nobody compares, or where the model's 32-bit product wraps. */
static bool wanted(const struct run *run, const struct form *form, const unsigned *f)
{
    if (form->address < 0 || form->device) {
        return true;
    }
    uint32_t base = reg_get(&run->world, run->thread, f[form->address]), offset = 0;
    if (form->offset >= 0) {
        offset = bytes_get(&run->world.file[run->thread][2 * f[form->offset]], 2);
    }
    uint64_t address = UINT64_C(16) * base + offset;
    return address <= UINT32_MAX && (address >= L1_BYTES - HIGH_BYTES || address + 16 <= LOW_BYTES);
}

/* Makes an instruction that waits for L1 go on. */
static void unblock(struct run *run, const struct form *form, const unsigned *f)
{
    flush(run);
    uint32_t base = 16 * reg_get(&run->world, run->thread, f[form->address]);
    bool fifo = strcmp(form->mnemonic, "ATINCGETPTR") == 0;
    unsigned at = base + (fifo ? 4 : 4 * f[3]);
    uint32_t value = fifo ? bytes_get(run->world.l1 + base, 4) + !(f[4] % 2) : f[2];
    bytes_put(run->world.l1 + at, 4, value);
    tensix_harness_set_l1(&run->harness, at, value);
    memcpy(run->before, run->harness.l1, LOW_BYTES);
}

static void step(struct run *run)
{
    const struct form *form = &forms[below(run, FORMS)];
    unsigned f[OPERANDS] = {0};
    for (unsigned i = 0; form->operands[i]; i++) {
        f[i] = operand(run, form->operands[i]);
    }
    for (unsigned i = 0; form->address >= 0 && i < 3 && (i == 0 || !wanted(run, form, f)); i++) {
        set_address(run, form, f);
    }
    if (!wanted(run, form, f)) {
        return;
    }
    enum outcome outcome = form->means(&run->world, run->thread, f);
    if (outcome == BLOCKED) {
        unblock(run, form, f);
        outcome = form->means(&run->world, run->thread, f);
        ck_assert_int_eq(outcome, DONE);
    }
    if (outcome != UNWANTED) {
        bool is_doubtful = strcmp(form->mnemonic, "REG2FLOP") == 0;
        if (outcome == UNDEFINED || is_doubtful) {
            run->faults++;
            run->kind = outcome == UNDEFINED ? PENROSE_FAULT_TENSIX_UNDEFINED
                                             : PENROSE_FAULT_TENSIX_DOUBTFUL;
        }
        append(run, form, f);
    }
}

/* --- Programs --- */

static void open_run(struct run *run, uint64_t seed, bool timed)
{
    memset(run, 0, sizeof *run);
    run->random = seed;
    tensix_harness_open(&run->harness);
    run->timed = timed;
    run->harness.tensix.timing = timed ? &tile_costs : NULL;
    run->world.l1 = malloc(L1_BYTES);
    ck_assert_ptr_nonnull(run->world.l1);
    for (unsigned at = 0; at < L1_BYTES; at++) {
        run->harness.l1[at] = run->world.l1[at] = (uint8_t)any(run);
    }
    memcpy(run->before, run->harness.l1, LOW_BYTES);
    run->harness.board.l1_written = note_write;
    memcpy(run->world.config, run->harness.tensix.config, sizeof run->world.config);
    memcpy(run->world.own, run->harness.tensix.thread_config, sizeof run->world.own);
    for (unsigned i = 0; i < 64 * 1024; i++) {
        run->harness.stream[i / 1024][i % 1024] = stream_value(i / 1024, i % 1024);
    }
    for (unsigned i = 0; i < 3 * 64; i++) {
        run->harness.tensix.gpr[i / 64][i % 64] = any(run);
        bytes_put(&run->world.file[i / 64][i % 64 * 4], 4, run->harness.tensix.gpr[i / 64][i % 64]);
    }
    for (unsigned i = 0; i < CONFIG_WORDS; i++) {
        for (unsigned bank = 0; bank < 2; bank++) {
            run->world.config[bank][i] =
                i < GLOBAL_FROM || bank == 0 ? any(run) : run->world.config[0][i];
            run->harness.tensix.config[bank][i] = run->world.config[bank][i];
        }
    }
}

static void close_run(struct run *run)
{
    ck_assert_int_eq(memcmp(run->harness.l1, run->world.l1, L1_BYTES), 0);
    free(run->world.l1);
    tensix_harness_close(&run->harness);
}

static void program(uint64_t seed, bool timed, unsigned batch)
{
    struct run *run = malloc(sizeof *run);
    ck_assert_ptr_nonnull(run);
    open_run(run, seed, timed);
    for (unsigned n = 0; n < STEPS; n++) {
        if (n % batch == 0 || strlen(run->text) > TEXT - 5 * LINE) {
            flush(run);
            run->thread = below(run, 3);
        }
        step(run);
    }
    flush(run);
    close_run(run);
    free(run);
}

TEST_EACH(instruction_by_instruction, PROGRAMS)
{
    program((uint64_t)_i + 1, false, 1);
}

/* As many as fit in one text: the order within a thread. */
TEST_EACH(many_at_once, PROGRAMS)
{
    program((uint64_t)_i + 1001, false, 17);
}

/* With occupancy and latency, after waiting for what is under way. */
TEST_EACH(timed, PROGRAMS)
{
    program((uint64_t)_i + 2001, true, 1);
}
