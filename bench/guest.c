/* Guest programs made of assembly, and their measurement: see guest.h. */
#include "guest.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <penrose/penrose.h>

enum {
    MAILBOX = 0x8000, /* of T0; the others follow in steps of MAILBOX_STEP */
    MAILBOX_STEP = 0x100,
    MAILBOX_COUNT = 0, /* how often the loop runs */
    MAILBOX_GPR = 4,   /* the GPR when it has ended */
    MAILBOX_DONE = 8,
    SLICES = 100, /* calls of libttsim_clock that a measurement takes, about */
    REPETITIONS = 5,
};

#define TRISC_RESET_PC          UINT32_C(0xffb12228) /* T1 and T2 follow */
#define TRISC_RESET_PC_OVERRIDE UINT32_C(0xffb12234)
#define MOP_CONFIG              UINT32_C(0xffb80000)
#define INSTRN_BUF              UINT32_C(0xffe40000)

/* --- Making programs --- */

uint32_t guest_tensix_word(const char *text)
{
    struct penrose_error error;
    uint32_t word;
    if (penrose_tensix_assemble(NULL, text, &word, &error) != PENROSE_OK) {
        bench_die(text, error.text);
    }
    return word;
}

uint32_t guest_emit(struct guest_code *code, const char *format, ...)
{
    char text[100];
    struct penrose_error error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint32_t pc = code->base + 4 * code->words;
    if (code->words == GUEST_CODE_STEP / 4) {
        bench_die(text, "the program is too long");
    }
    if (penrose_assemble(NULL, text, pc, &code->word[code->words++], &error) != PENROSE_OK) {
        bench_die(text, error.text);
    }
    return pc;
}

void guest_load(struct guest_code *code, const char *reg, uint32_t value)
{
    guest_emit(code, "lui %s, 0x%" PRIx32, reg, (value + 0x800) >> 12 & 0xfffff);
    guest_emit(code, "addi %s, %s, %" PRId32, reg, reg, (int32_t)(value << 20) >> 20);
}

void guest_store(struct guest_code *code, uint32_t address, uint32_t value)
{
    guest_load(code, "a4", address);
    guest_load(code, "t0", value);
    guest_emit(code, "sw t0, 0(a4)");
}

void guest_mop(struct guest_code *code, unsigned inner, const char *op, const char *last)
{
    const uint32_t nop = guest_tensix_word("NOP"), loop_op = guest_tensix_word(op);
    const uint32_t end_op = last ? guest_tensix_word(last) : nop;
    const uint32_t word[9] = {1, inner, nop, end_op, nop, loop_op, nop, loop_op, loop_op};
    for (unsigned i = 0; i < 9; i++) {
        guest_store(code, MOP_CONFIG + 4 * i, word[i]);
    }
}

/* Half a GPR, by a Tensix instruction; BRISC pushes by stores alone. */
static void emit_half(struct guest_code *code, unsigned half, unsigned value, bool by_brisc)
{
    char text[60];
    snprintf(text, sizeof text, "SETDMAREG 0, %u, 0, %u", value, half);
    if (by_brisc) {
        guest_store(code, INSTRN_BUF, guest_tensix_word(text));
    } else {
        guest_emit(code, ".ttinsn %s", text);
    }
}

static void emit_gpr(struct guest_code *code, unsigned gpr, unsigned value, bool by_brisc)
{
    emit_half(code, 2 * gpr, value, by_brisc);
    emit_half(code, 2 * gpr + 1, 0, by_brisc);
}

/* a2 is the GPR window, a3 the PCBuf. */
static void emit_places(struct guest_code *code, uint32_t mailbox)
{
    guest_load(code, "a0", mailbox);
    guest_load(code, "a2", 0xffe00000);
    guest_load(code, "a3", 0xffe80000);
}

/* GPR 0 is what the program shows at its end, GPR 1 is 1. */
static void emit_start(struct guest_code *code, uint32_t mailbox, bool by_brisc)
{
    emit_places(code, mailbox);
    guest_emit(code, "lw a1, %d(a0)", MAILBOX_COUNT);
    emit_gpr(code, 0, 0, by_brisc);
    emit_gpr(code, 1, 1, by_brisc);
}

/* Waits until the thread is drained, and shows GPR 0. */
static void emit_result(struct guest_code *code)
{
    guest_emit(code, "sw zero, 4(a3)");
    guest_emit(code, "lw t0, 4(a3)");
    guest_emit(code, "and zero, zero, t0");
    guest_emit(code, "lw t1, 0(a2)");
    guest_emit(code, "sw t1, %d(a0)", MAILBOX_GPR);
}

static void emit_done(struct guest_code *code)
{
    guest_emit(code, "fence 15, 15");
    guest_emit(code, "addi t0, zero, 1");
    guest_emit(code, "sw t0, %d(a0)", MAILBOX_DONE);
    uint32_t here = guest_emit(code, "addi zero, zero, 0");
    guest_emit(code, "jal zero, %" PRIu32, here);
}

/* Closes the loop, which may be too long for a branch. */
static void emit_end(struct guest_code *code, uint32_t loop, bool marks, bool by_brisc)
{
    guest_emit(code, "addi a1, a1, -1");
    uint32_t branch = code->base + 4 * code->words;
    guest_emit(code, "beq a1, zero, %" PRIu32, branch + 8);
    guest_emit(code, "jal zero, %" PRIu32, loop);
    if (marks) {
        emit_gpr(code, 0, GUEST_MARK, by_brisc);
    }
    if (!by_brisc) { /* to which other libraries show no GPRs: show_gpr() */
        emit_result(code);
    }
    emit_done(code);
}

static void make_program(struct guest_code *code, const struct guest_workload *workload,
                         unsigned thread)
{
    code->words = 0;
    code->base = GUEST_CODE + thread * GUEST_CODE_STEP;
    emit_start(code, MAILBOX + thread * MAILBOX_STEP, workload->by_brisc);
    if (workload->set_up) {
        workload->set_up(code, workload->variant);
    }
    uint32_t loop = code->base + 4 * code->words;
    workload->turn(code, workload->variant);
    emit_end(code, loop, !workload->last_gpr, workload->by_brisc);
}

/* --- What children measure --- */

struct job {
    const char *library;
    const struct guest_workload *workload;
    uint32_t loops, slice; /* slice: cycles of one call of libttsim_clock */
};

struct answer {
    double seconds;
    uint64_t cycles;
};

static struct guest_code *new_code(void)
{
    struct guest_code *code = calloc(1, sizeof *code);
    if (!code) {
        bench_die("guest program", "no memory");
    }
    return code;
}

static void load_trisc(struct bench_device *device, unsigned x, unsigned y,
                       const struct guest_code *code, unsigned thread)
{
    bench_write(device, x, y, code->base, code->word, 4 * code->words);
    bench_write_word(device, x, y, TRISC_RESET_PC + 4 * thread, code->base);
}

/* BRISC, which starts at 0, jumps to what T0 would run. */
static void load_jump(struct bench_device *device, unsigned x, unsigned y)
{
    struct guest_code *code = new_code();
    guest_emit(code, "jal zero, %d", GUEST_CODE);
    bench_write(device, x, y, 0, code->word, 4);
    free(code);
}

static void load_programs(struct bench_device *device, const struct job *job, unsigned x,
                          unsigned y)
{
    struct guest_code *code = new_code();
    bench_write_word(device, x, y, TRISC_RESET_PC_OVERRIDE, 7);
    for (unsigned thread = 0; thread < job->workload->threads; thread++) {
        const uint32_t mailbox[3] = {job->loops};
        make_program(code, job->workload, thread);
        bench_write(device, x, y, MAILBOX + thread * MAILBOX_STEP, mailbox, sizeof mailbox);
        load_trisc(device, x, y, code, thread);
    }
    free(code);
    load_jump(device, x, y);
}

static bool is_done(struct bench_device *device, unsigned x, unsigned y, unsigned thread)
{
    return bench_word(device, x, y, MAILBOX + thread * MAILBOX_STEP + MAILBOX_DONE) != 0;
}

/* After BRISC's program: lets T0 show its GPR 0. */
static void show_gpr(struct bench_device *device, unsigned x, unsigned y)
{
    struct guest_code *code = new_code();
    code->base = GUEST_CODE + GUEST_CODE_STEP;
    bench_write_word(device, x, y, MAILBOX + MAILBOX_DONE, 0);
    emit_places(code, MAILBOX);
    emit_result(code);
    emit_done(code);
    load_trisc(device, x, y, code, 0);
    free(code);
    bench_reset(device, x, y, BENCH_ALL_HELD & ~BENCH_T0_HELD);
    while (!is_done(device, x, y, 0)) {
        device->clock(1000);
    }
}

static void measure(const void *what, void *result)
{
    const struct job *job = what;
    struct answer *answer = result;
    struct bench_device device;
    const unsigned x = 1, y = 2, threads = job->workload->threads;
    bench_open(&device, job->library);
    bench_reset(&device, x, y, BENCH_ALL_HELD);
    if (job->workload->prepare) {
        job->workload->prepare(&device, x, y, job->workload->variant);
    }
    load_programs(&device, job, x, y);
    unsigned let_go =
        job->workload->by_brisc ? BENCH_B_HELD : ((1u << threads) - 1) * BENCH_T0_HELD;
    bench_reset(&device, x, y, BENCH_ALL_HELD & ~let_go);
    double start = bench_now();
    for (unsigned done = 0; done < threads; answer->cycles += job->slice) {
        if (answer->cycles > UINT64_C(1) << 40) {
            bench_die(job->library, "the program does not end");
        }
        device.clock(job->slice);
        while (done < threads && is_done(&device, x, y, done)) {
            done++;
        }
    }
    answer->seconds = bench_now() - start;
    if (job->workload->by_brisc) {
        show_gpr(&device, x, y);
    }
    for (unsigned thread = 0; thread < threads; thread++) {
        uint32_t gpr = bench_word(&device, x, y, MAILBOX + thread * MAILBOX_STEP + MAILBOX_GPR);
        uint32_t wanted = job->workload->last_gpr
                              ? job->workload->last_gpr(job->workload->variant, job->loops)
                              : GUEST_MARK;
        if (gpr != wanted) {
            bench_die(job->library, "instructions were taken, but not executed");
        }
    }
    device.exit();
}

/* --- Figures --- */

/* A job that takes about `seconds`, as often as its loop runs and its clock is called. */
static struct job calibrate(const char *library, const struct guest_workload *workload,
                            double seconds)
{
    struct job job = {.library = library, .workload = workload, .loops = 2, .slice = 64};
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
    double instructions =
        (double)job->workload->loop_instructions * job->loops * job->workload->threads;
    double speed = instructions / answer.seconds / 1e6;
    *best = speed > *best ? speed : *best;
}

struct bench_figure guest_figure(const struct bench_options *options,
                                 const struct guest_workload *workload)
{
    struct bench_figure figure = {.unit = workload->unit, .has_reference = options->reference};
    struct job ours = calibrate(options->library, workload, options->seconds);
    struct job reference = {0};
    if (options->reference) {
        reference = calibrate(options->reference, workload, options->seconds);
    }
    for (unsigned i = 0; i < REPETITIONS; i++) {
        once(&ours, &figure.ours);
        if (options->reference) {
            once(&reference, &figure.reference);
        }
    }
    if (options->reference) {
        figure.ratio = figure.ours / figure.reference;
    }
    return figure;
}

enum { KEY_ONLY = 'o' };

static const struct argp_option option_rows[] = {
    {"only", KEY_ONLY, "NAME", 0, "Measure one row alone, by the name that --json gives it", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    if (key != KEY_ONLY) {
        return bench_parse_none(key, argument, state);
    }
    ((struct bench_options *)state->input)->only = argument;
    return 0;
}

static bool is_wanted(const struct bench_options *options, const struct guest_workload *workload)
{
    return !options->only || strcmp(options->only, workload->name) == 0;
}

int guest_main(int argc, char **argv, const char *doc, const struct guest_workload *workloads,
               unsigned count)
{
    const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        .options = option_rows, .parser = parse, .doc = doc, .children = children};
    struct bench_options options = bench_defaults();
    struct bench_figure *results = calloc(count, sizeof *results);
    unsigned done = 0;
    if (!results) {
        bench_die("figures", "no memory");
    }
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    bench_headings();
    for (unsigned i = 0; i < count; i++) {
        const struct guest_workload *workload = &workloads[i];
        if (is_wanted(&options, workload)) {
            results[done++] =
                bench_report(guest_figure(&options, workload), workload->name, workload->title);
        }
    }
    if (done == 0) {
        bench_die(options.only, "no row has that name; --json=- prints all names");
    }
    int code = bench_finish(&options, results, done);
    free(results);
    return code;
}
