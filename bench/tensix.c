/*
 * Speed of the coprocessor's front end and of its simplest units, in one run, as ratios.
 *
 * Measures our library and any other with the libttsim ABI. The guest programs are made here, with
 * our assembler. Figures, in instructions that pass the wait gate, per second of host time:
 *   incrwc     INCRWC that a TRISC pushes by .ttinsn, 64 in a loop
 *   store      the same, pushed by stores to the instruction buffer
 *   mop        MOPs that repeat the replay buffer: 32 RWC and ADC instructions, 14 times, and an
 *              ADDDMAREG that counts the MOPs
 *   incrwc3    incrwc on three TRISCs at once
 *   mop3       mop on three TRISCs at once
 * A program ends by waiting until its thread is drained, and then reads a GPR which tells that the
 * instructions were executed and not only taken.
 *
 * The longest expansion is one that ttsim accepts: its queue has room for 459 at least, after a
 * push that it did not hold back.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <penrose/penrose.h>

#include "bench.h"

enum {
    THREADS = 3,
    PUSHES = 64,    /* of the loops that push single instructions */
    REPLAYED = 32,  /* instructions in the replay buffer */
    REPEATED = 14,  /* how often a MOP plays them */
    MOPS = 8,       /* of the loop that pushes MOPs */
    CODE = 0x10000, /* of T0; the other TRISCs follow in steps of CODE_STEP */
    CODE_STEP = 0x1000,
    MAILBOX = 0x8000, /* of T0; the others follow in steps of MAILBOX_STEP */
    MAILBOX_STEP = 0x100,
    MAILBOX_COUNT = 0, /* how often the loop runs */
    MAILBOX_GPR = 4,   /* the GPR when it has ended */
    MAILBOX_DONE = 8,
    SLICES = 100, /* calls of libttsim_clock that a measurement takes, about */
    REPETITIONS = 5,
    MARK = 0x5a5a, /* what SETDMAREG leaves in the GPR */
};

#define TRISC_RESET_PC          UINT32_C(0xffb12228) /* T1 and T2 follow */
#define TRISC_RESET_PC_OVERRIDE UINT32_C(0xffb12234)

enum workload { INCRWC, INCRWC_BY_STORE, MOP_REPLAY };

/* --- Guest programs --- */

struct code {
    uint32_t word[CODE_STEP / 4];
    unsigned words;
    uint32_t base;
};

static uint32_t tensix_word(const char *text)
{
    struct penrose_error error;
    uint32_t word;
    if (penrose_tensix_assemble(text, &word, &error) != PENROSE_OK) {
        bench_die(text, error.text);
    }
    return word;
}

/* Appends one RISC-V instruction; returns its address. */
static uint32_t __attribute__((format(printf, 2, 3)))
emit(struct code *code, const char *format, ...)
{
    char text[100];
    struct penrose_error error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint32_t pc = code->base + 4 * code->words;
    if (code->words == CODE_STEP / 4) {
        bench_die(text, "the program is too long");
    }
    if (penrose_assemble(text, pc, &code->word[code->words++], &error) != PENROSE_OK) {
        bench_die(text, error.text);
    }
    return pc;
}

/* reg = value */
static void emit_load(struct code *code, const char *reg, uint32_t value)
{
    emit(code, "lui %s, 0x%" PRIx32, reg, (value + 0x800) >> 12);
    emit(code, "addi %s, %s, %" PRId32, reg, reg, (int32_t)(value << 20) >> 20);
}

/* GPR = value, by Tensix instructions. */
static void emit_gpr(struct code *code, unsigned gpr, unsigned value)
{
    emit(code, ".ttinsn SETDMAREG 0, %u, 0, %u", value, 2 * gpr);
    emit(code, ".ttinsn SETDMAREG 0, 0, 0, %u", 2 * gpr + 1);
}

/* a2 is the GPR window, GPR 0 what the program shows at its end, GPR 1 is 1. */
static void emit_start(struct code *code, uint32_t mailbox)
{
    emit_load(code, "a0", mailbox);
    emit(code, "lw a1, %d(a0)", MAILBOX_COUNT);
    emit_load(code, "a2", 0xffe00000);
    emit_load(code, "a3", 0xffe80000);
    emit_gpr(code, 0, 0);
    emit_gpr(code, 1, 1);
}

/* Closes the loop, waits until the thread is drained, shows GPR 0. */
static void emit_end(struct code *code, uint32_t loop, bool marks)
{
    emit(code, "addi a1, a1, -1");
    emit(code, "bne a1, zero, %" PRIu32, loop);
    if (marks) {
        emit_gpr(code, 0, MARK);
    }
    emit(code, "sw zero, 4(a3)");
    emit(code, "lw t0, 4(a3)");
    emit(code, "and zero, zero, t0");
    emit(code, "lw t1, 0(a2)");
    emit(code, "sw t1, %d(a0)", MAILBOX_GPR);
    emit(code, "fence 15, 15");
    emit(code, "addi t0, zero, 1");
    emit(code, "sw t0, %d(a0)", MAILBOX_DONE);
    uint32_t here = emit(code, "addi zero, zero, 0");
    emit(code, "jal zero, %" PRIu32, here);
}

#define ONE_INCRWC "INCRWC 0, 1, 1, 1"

static void make_incrwc(struct code *code, enum workload workload)
{
    bool stores = workload == INCRWC_BY_STORE;
    emit_load(code, "a4", 0xffe40000);
    emit_load(code, "a5", tensix_word(ONE_INCRWC));
    uint32_t loop = code->base + 4 * code->words;
    for (unsigned i = 0; i < PUSHES; i++) {
        emit(code, stores ? "sw a5, 0(a4)" : ".ttinsn " ONE_INCRWC);
    }
    emit_end(code, loop, true);
}

/* One word of the MOP configuration; a4 points to it. */
static void emit_mop_word(struct code *code, unsigned index, uint32_t word)
{
    emit_load(code, "t0", word);
    emit(code, "sw t0, %u(a4)", 4 * index);
}

static void make_mop(struct code *code)
{
    /* What LLK's inner loops do between data instructions. */
    static const char *const body[] = {
        "INCRWC 0, 8, 0, 8",          "INCADCXY 1, 0, 0, 1, 0",    "INCRWC 0, 8, 8, 8",
        "INCADCZW 1, 0, 1, 0, 1",     "SETRWC 0, 4, 8, 0, 0, 4",   "SETADCZW 3, 0, 0, 0, 0, 15",
        "INCRWC 4, 4, 0, 0",          "ADDRCRXY 4, 0, 0, 1, 0, 2", "SETRWC 0, 0, 0, 0, 0, 15",
        "SETADCXY 4, 0, 0, 0, 0, 10", "INCRWC 0, 0, 1, 0",         "ADDRCRZW 4, 0, 1, 0, 1, 1",
        "INCRWC 0, 1, 2, 3",          "SETADCXX 3, 255, 0",        "SETRWC 0, 0, 0, 1, 2, 3",
        "SETADC 4, 0, 2, 3",
    };
    enum { BODY = sizeof body / sizeof body[0] };
    char play[40];
    snprintf(play, sizeof play, "REPLAY 0, %d, 0, 0", REPLAYED);
    const uint32_t nop = tensix_word("NOP"), loop_op = tensix_word(play);
    const uint32_t count = tensix_word("ADDDMAREG 0, 0, 1, 0"); /* GPR 0 += GPR 1 */
    const uint32_t word[9] = {1, REPEATED, nop, count, nop, loop_op, nop, loop_op, loop_op};
    emit_load(code, "a4", 0xffb80000);
    for (unsigned i = 0; i < 9; i++) {
        emit_mop_word(code, i, word[i]);
    }
    emit(code, ".ttinsn REPLAY 0, %d, 0, 1", REPLAYED);
    for (unsigned i = 0; i < REPLAYED; i++) {
        emit(code, ".ttinsn %s", body[i % BODY]);
    }
    emit(code, "fence 15, 15");
    uint32_t loop = code->base + 4 * code->words;
    for (unsigned i = 0; i < MOPS; i++) {
        emit(code, ".ttinsn MOP 1, 0, 0");
    }
    emit_end(code, loop, false);
}

static void make_program(struct code *code, enum workload workload, unsigned thread)
{
    code->words = 0;
    code->base = CODE + thread * CODE_STEP;
    emit_start(code, MAILBOX + thread * MAILBOX_STEP);
    if (workload == MOP_REPLAY) {
        make_mop(code);
    } else {
        make_incrwc(code, workload);
    }
}

/* Instructions of one turn of the loop, and what GPR 0 is at the end. */
static unsigned loop_instructions(enum workload workload)
{
    return workload == MOP_REPLAY ? MOPS * (REPEATED * REPLAYED + 1) : PUSHES;
}

static uint32_t last_gpr(enum workload workload, uint32_t loops)
{
    return workload == MOP_REPLAY ? MOPS * loops : MARK;
}

/* --- What children measure --- */

struct job {
    const char *library;
    enum workload workload;
    unsigned threads;
    uint32_t loops, slice; /* slice: cycles of one call of libttsim_clock */
};

struct answer {
    double seconds;
    uint64_t cycles;
};

static void measure(const void *what, void *result)
{
    const struct job *job = what;
    struct answer *answer = result;
    struct bench_device device;
    struct code code;
    const unsigned x = 1, y = 2;
    uint32_t held = BENCH_ALL_HELD;
    bench_open(&device, job->library);
    bench_reset(&device, x, y, held);
    bench_write_word(&device, x, y, TRISC_RESET_PC_OVERRIDE, 7);
    for (unsigned thread = 0; thread < job->threads; thread++) {
        const uint32_t mailbox[3] = {job->loops};
        make_program(&code, job->workload, thread);
        bench_write(&device, x, y, code.base, code.word, 4 * code.words);
        bench_write(&device, x, y, MAILBOX + thread * MAILBOX_STEP, mailbox, sizeof mailbox);
        bench_write_word(&device, x, y, TRISC_RESET_PC + 4 * thread, code.base);
        held &= ~((uint32_t)BENCH_T0_HELD << thread);
    }
    bench_reset(&device, x, y, held);
    double start = bench_now();
    for (unsigned done = 0; done < job->threads; answer->cycles += job->slice) {
        if (answer->cycles > UINT64_C(1) << 40) {
            bench_die(job->library, "the program does not end");
        }
        device.clock(job->slice);
        while (done < job->threads &&
               bench_word(&device, x, y, MAILBOX + done * MAILBOX_STEP + MAILBOX_DONE) != 0) {
            done++;
        }
    }
    answer->seconds = bench_now() - start;
    for (unsigned thread = 0; thread < job->threads; thread++) {
        uint32_t gpr = bench_word(&device, x, y, MAILBOX + thread * MAILBOX_STEP + MAILBOX_GPR);
        if (gpr != last_gpr(job->workload, job->loops)) {
            bench_die(job->library, "instructions were taken, but not executed");
        }
    }
    device.exit();
}

/* --- Figures --- */

/* A job that takes about `seconds`, as often as its loop runs and its clock is called. */
static struct job calibrate(const char *library, enum workload workload, unsigned threads,
                            double seconds)
{
    struct job job = {
        .library = library, .workload = workload, .threads = threads, .loops = 10, .slice = 64};
    for (;;) {
        struct answer answer;
        bench_in_child(measure, &job, &answer, sizeof answer);
        double factor = seconds / answer.seconds;
        if (factor < 1.5 || job.loops > 100000000) {
            return job;
        }
        factor = factor > 20 ? 20 : factor;
        job.slice = (uint32_t)((double)answer.cycles * factor / SLICES) + 1;
        job.loops = (uint32_t)(job.loops * factor + 0.5);
    }
}

/* Millions of instructions a second, of all threads; *best becomes the greatest. */
static void once(const struct job *job, double *best)
{
    struct answer answer;
    bench_in_child(measure, job, &answer, sizeof answer);
    double instructions = (double)loop_instructions(job->workload) * job->loops * job->threads;
    double speed = instructions / answer.seconds / 1e6;
    *best = speed > *best ? speed : *best;
}

/* Measures the libraries in turns, so that a busy moment of the host hits both. A goal of 0 is
 * none. */
static struct bench_figure figure(const struct bench_options *options, enum workload workload,
                                  unsigned threads, double goal)
{
    struct bench_figure figure = {
        .unit = "M instr/s", .has_reference = options->reference, .good = true};
    struct job ours = calibrate(options->library, workload, threads, options->seconds);
    struct job reference = {0};
    if (options->reference) {
        reference = calibrate(options->reference, workload, threads, options->seconds);
    }
    for (unsigned i = 0; i < REPETITIONS; i++) {
        once(&ours, &figure.ours);
        if (options->reference) {
            once(&reference, &figure.reference);
        }
    }
    if (options->reference) {
        figure.ratio = figure.ours / figure.reference;
        figure.good = figure.ratio >= goal;
    }
    return figure;
}

static const struct {
    enum workload workload;
    unsigned threads;
    double goal;
    const char *name, *title, *goal_text;
} figures[] = {
    {INCRWC, 1, 3, "incrwc", "INCRWC by .ttinsn, one TRISC", "goal: ratio 3"},
    {INCRWC_BY_STORE, 1, 0, "store", "INCRWC by stores, one TRISC", ""},
    {MOP_REPLAY, 1, 4, "mop", "MOP + REPLAY of RWC and ADC, one TRISC", "goal: ratio 4"},
    {INCRWC, THREADS, 0, "incrwc3", "INCRWC by .ttinsn, three TRISCs", ""},
    {MOP_REPLAY, THREADS, 0, "mop3", "MOP + REPLAY of RWC and ADC, three TRISCs", ""},
};
enum { FIGURES = sizeof figures / sizeof figures[0] };

static error_t parse(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    if (key != ARGP_KEY_INIT) {
        return ARGP_ERR_UNKNOWN;
    }
    state->child_inputs[0] = state->input;
    return 0;
}

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .parser = parse,
    .doc = "Measures the speed of the coprocessor's front end and simple units.",
    .children = children,
};

int main(int argc, char **argv)
{
    struct bench_options options = bench_defaults();
    struct bench_figure results[FIGURES];
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    bench_headings();
    for (unsigned i = 0; i < FIGURES; i++) {
        results[i] =
            bench_report(figure(&options, figures[i].workload, figures[i].threads, figures[i].goal),
                         figures[i].name, figures[i].title, figures[i].goal_text);
    }
    return bench_finish(&options, results, FIGURES);
}
