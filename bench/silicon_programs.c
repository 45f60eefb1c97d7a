/* Emitters of silicon_tensix.def: one for each kind of rows. */
#include <inttypes.h>
#include <stdio.h>

#include "silicon_tensix.h"

#define INSTRUCTIONS UINT32_C(0xffe40000)
#define PC_SYNC      UINT32_C(0xffe80004)
#define FLAGS        UINT32_C(0x16e000) /* words by which threads wait for each other */

/* Waits until the Matrix Unit, or the Vector Unit too, has done what was pushed. */
#define WAIT_FOR_MATH  "STALLWAIT 2, 16"
#define WAIT_FOR_BOTH  "STALLWAIT 2, 2064"
#define WAIT_FOR_SFPU  "STALLWAIT 2, 2048"
#define VECTOR_AFTER   "STALLWAIT 256, 16"
#define CLEAR_COUNTERS "SETRWC 0, 0, 0, 0, 0, 15"

/* --- Loops that count down --- */

/* Reads the clock as the source does: the low word, between two high ones that are to be alike. */
static void emit_clock(struct guest_code *code, const char *low)
{
    silicon_li(code, "a7", 0xffb121f8);
    uint32_t again = guest_emit(code, "lw a6, 0(a7)");
    guest_emit(code, "lw %s, -8(a7)", low);
    guest_emit(code, "lw a5, 0(a7)");
    guest_emit(code, "bne a6, a5, %" PRIu32, again);
}

uint32_t silicon_begin_loop(struct guest_code *code, unsigned turns)
{
    emit_clock(code, "a2");
    silicon_li(code, "s0", turns);
    return guest_emit(code, "addi zero, zero, 0");
}

void silicon_end_loop(struct silicon_program *program, unsigned thread, uint32_t loop)
{
    struct guest_code *code = &program->code[thread];
    guest_emit(code, "addi s0, s0, -1");
    guest_emit(code, "jal zero, %" PRIu32, loop);
    const unsigned words = code->words;
    code->words = (loop - code->base) / 4;
    guest_emit(code, "beq s0, zero, %" PRIu32, code->base + 4 * words);
    code->words = words;
    emit_clock(code, "a4");
    silicon_li(code, "t0", SILICON_RESULTS);
    guest_emit(code, "sw a2, 0(t0)");
    guest_emit(code, "sw a4, 4(t0)");
    program->marks = 2;
}

static void push_word(struct guest_code *code, const char *reg, const char *text)
{
    silicon_li(code, reg, guest_tensix_word(text));
}

/* `count` stores of `op`, in turns with `also`; with `group` the hart waits for them in each turn. */
void silicon_loop(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[MATH];
    silicon_li(code, "s3", INSTRUCTIONS);
    silicon_li(code, "s8", PC_SYNC);
    push_word(code, "s4", row->op ? row->op : "NOP");
    push_word(code, "s5", row->also ? row->also : row->op ? row->op : "NOP");
    uint32_t loop = silicon_begin_loop(code, turns);
    for (unsigned i = 0; i < row->count; i++) {
        guest_emit(code, "sw s%u, 0(s3)", 4 + i % 2);
    }
    if (row->group) {
        guest_emit(code, "sw zero, 0(s8)");
        guest_emit(code, "lw s1, 0(s8)");
        guest_emit(code, "and zero, zero, s1");
    }
    silicon_end_loop(program, MATH, loop);
}

/* `op` by .ttinsn; with `group` the hart waits for it. `also` comes before the loop. */
void silicon_turns(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[row->format];
    if (row->also) {
        silicon_push(code, row->also);
        silicon_sync(code);
    }
    uint32_t loop = silicon_begin_loop(code, turns);
    silicon_push(code, row->op);
    if (row->group) {
        silicon_sync(code);
    }
    silicon_end_loop(program, row->format, loop);
}

void silicon_empty(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[row->format];
    uint32_t loop = silicon_begin_loop(code, turns);
    guest_emit(code, "addi s1, s1, 1");
    silicon_end_loop(program, row->format, loop);
}

/* --- What all programs of the math thread need --- */

/* Both banks of Src are valid; nothing has been read from L1. */
static void give_sources(struct guest_code *code)
{
    silicon_push(code,
                 "UNPACR_NOP 0, 0, 0, 1, 0, 0, 0, 0, 1 ; UNPACR_NOP 1, 0, 0, 1, 0, 0, 0, 0, 1");
    silicon_push(code, "STALLWAIT 64, 384");
}

/* Modifiers that leave counters alone, or count by `src_a`, `src_b` and a fidelity phase. */
static void set_modifier(struct guest_code *code, unsigned index, unsigned src, unsigned fidelity)
{
    guest_emit(code, ".ttinsn SETC16 %u, %u", 12 + index, src);
    guest_emit(code, ".ttinsn SETC16 %u, %u", 28 + index, fidelity);
    guest_emit(code, ".ttinsn SETC16 %u, 0", 47 + index);
}

/* Dst of 32 bits, and counters at zero. */
static void set_up_math(struct guest_code *code, bool is_32bit)
{
    silicon_push(code, "SETC16 0, 0 ; SETC16 1, 0 ; SETC16 2, 0 ; SETC16 3, 0 ; SETC16 11, 0");
    silicon_push(code, is_32bit ? "RMWCIB3 96, 96, 1" : "RMWCIB3 96, 0, 1");
    for (unsigned i = 0; i < 8; i++) {
        set_modifier(code, i, 0, 0);
    }
    silicon_push(code, is_32bit ? "ZEROACC 3, 1, 0, 0, 0" : "ZEROACC 3, 0, 0, 0, 0");
    silicon_push(code, CLEAR_COUNTERS);
    give_sources(code);
    silicon_push(code, "SFPENCC 0, 0, 0, 2 ; SFPCONFIG 0, 15, 1");
    silicon_push(code, WAIT_FOR_BOTH);
    silicon_sync(code);
}

/* --- Matrix Unit --- */

/* A MOP plays `op` `count` times. */
void silicon_played(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[MATH];
    (void)turns;
    set_up_math(code, row->format != 16);
    set_modifier(code, 1, 0, 1 << 13);
    set_modifier(code, 2, 0, 1 << 15);
    silicon_play(code, 0, row->op, row->count);
    silicon_sync(code);
    silicon_mark(program, MATH);
    silicon_push(code, "MOP 1, 0, 0 ; " WAIT_FOR_MATH);
    silicon_sync(code);
    silicon_mark(program, MATH);
}

/* A MOP plays 32 of `op`, with rows of Dst or positions `count` apart, `turns` times. */
void silicon_streams(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[MATH];
    char play[] = "REPLAY 0, 32, 0, 0";
    const unsigned loops = (turns + 255) / 256;
    set_up_math(code, row->format != 16);
    guest_emit(code, ".ttinsn REPLAY 0, 32, 0, 1");
    for (unsigned i = 0; i < 32; i++) {
        silicon_push_with(code, row->op, 0, i * row->count % row->group);
    }
    silicon_mop(code, &(struct silicon_mop){1, turns / loops, .loop = {play}, .last = play});
    silicon_push(code, WAIT_FOR_BOTH);
    silicon_sync(code);
    silicon_mark(program, MATH);
    silicon_li(code, "s0", loops);
    uint32_t again = guest_emit(code, ".ttinsn MOP 1, 0, 0");
    guest_emit(code, "addi s0, s0, -1");
    guest_emit(code, "bne s0, zero, %" PRIu32, again);
    silicon_push(code, WAIT_FOR_BOTH);
    silicon_sync(code);
    silicon_mark(program, MATH);
}

/* --- Both units on Dst --- */

/* The `i`th of instructions that write tile 1, and of those that are about tile 0 or no Dst. */
static void push_matrix(struct guest_code *code, const struct tensix_row *row, unsigned i)
{
    silicon_push_with(code, row->op, i % 8 * 8, 64 + i % 8 * 8);
}

static void push_vector(struct guest_code *code, const struct tensix_row *row, unsigned i)
{
    silicon_push_with(code, row->also, i % 4, 2 * i);
}

typedef void push_one(struct guest_code *code, const struct tensix_row *row, unsigned i);

static void push_some(struct guest_code *code, const struct tensix_row *row, push_one *push,
                      unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count; i++) {
        push(code, row, i);
    }
}

static void repeat_some(struct guest_code *code, const struct tensix_row *row, push_one *push,
                        unsigned turns)
{
    silicon_li(code, "s0", turns);
    uint32_t again = code->base + 4 * code->words;
    push_some(code, row, push, 0, row->count);
    guest_emit(code, "addi s0, s0, -1");
    guest_emit(code, "bne s0, zero, %" PRIu32, again);
}

/* `count` of `op` and of `also`, in groups of `group`; all of one after all of the other: group 0. */
void silicon_mixed(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[MATH];
    set_up_math(code, true);
    silicon_mark(program, MATH);
    if (row->group == 0) {
        repeat_some(code, row, push_matrix, turns);
        if (row->also) {
            repeat_some(code, row, push_vector, turns);
        }
    } else {
        silicon_li(code, "s0", turns);
        uint32_t again = code->base + 4 * code->words;
        for (unsigned i = 0; i < row->count; i += row->group) {
            push_some(code, row, push_matrix, i, row->group);
            push_some(code, row, push_vector, i, row->group);
        }
        guest_emit(code, "addi s0, s0, -1");
        guest_emit(code, "bne s0, zero, %" PRIu32, again);
    }
    silicon_push(code, WAIT_FOR_BOTH);
    silicon_sync(code);
    silicon_mark(program, MATH);
}

/* The same by two threads at once. */
void silicon_split(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *math = &program->code[MATH], *other = &program->code[PACKING];
    set_up_math(math, true);
    silicon_push(other, "SETC16 0, 0 ; SETC16 1, 0 ; SETC16 15, 0 ; SETC16 31, 0 ; SETC16 50, 0");
    silicon_push(other, CLEAR_COUNTERS);
    silicon_sync(other);
    silicon_store(other, FLAGS + 16, 1);
    silicon_await(math, FLAGS + 16);
    silicon_mark(program, MATH);
    silicon_store(math, FLAGS, 1);
    guest_emit(math, "fence 15, 15");
    silicon_await(other, FLAGS);
    repeat_some(other, row, push_vector, turns);
    silicon_push(other, WAIT_FOR_SFPU);
    silicon_sync(other);
    silicon_store(other, FLAGS + 32, 1);
    guest_emit(other, "fence 15, 15");
    repeat_some(math, row, push_matrix, turns);
    silicon_push(math, WAIT_FOR_BOTH);
    silicon_sync(math);
    silicon_await(math, FLAGS + 32);
    silicon_mark(program, MATH);
}

/* --- Vector Unit, and sequences --- */

/* `op` `count` times and `drain`, in one interval, or in each of `group`; `also` comes before. */
void silicon_interval(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[MATH];
    (void)turns;
    set_up_math(code, true);
    if (row->also) {
        silicon_push(code, row->also);
    }
    for (unsigned i = 0; i < row->group || i == 0; i++) {
        silicon_push(code, WAIT_FOR_BOTH);
        silicon_sync(code);
        (row->group ? silicon_begin : silicon_mark)(program, MATH);
        silicon_repeat(code, row->count, row->op ? row->op : "");
        silicon_push(code, row->drain);
        silicon_sync(code);
        (row->group ? silicon_end : silicon_mark)(program, MATH);
    }
}

/* `op`, for which the hart waits, `count` times in one interval; `also` comes before. */
void silicon_waits(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[MATH];
    (void)turns;
    silicon_push(code, row->also);
    silicon_sync(code);
    silicon_mark(program, MATH);
    for (unsigned i = 0; i < row->count; i++) {
        silicon_push(code, row->op);
        silicon_sync(code);
    }
    silicon_mark(program, MATH);
}

/* Hands bank A of Src over and takes it back, eight times; the `group`th of four steps is measured. */
void silicon_flags(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    static const char *const steps[] = {"STALLWAIT 2, 32", "UNPACR_NOP 0, 0, 0, 1, 0, 0, 0, 0, 1",
                                        "STALLWAIT 2, 128", "CLEARDVALID 1, 0"};
    static const char *const waits[] = {NULL, "STALLWAIT 2, 2", NULL, WAIT_FOR_MATH};
    struct guest_code *code = &program->code[UNPACKING];
    (void)turns;
    for (unsigned i = 0; i < 32; i++) {
        const unsigned step = i % 4;
        if (step == row->group) {
            silicon_begin(program, UNPACKING);
        }
        silicon_push(code, steps[step]);
        if (waits[step]) {
            silicon_push(code, waits[step]);
        }
        silicon_push(code, "SEMPOST 0");
        silicon_sync(code);
        if (step == row->group) {
            silicon_end(program, UNPACKING);
        }
    }
}

/* 256 load macros on Dst: MAD one cycle later, store three later. */
void silicon_macros(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[MATH];
    (void)turns;
    set_up_math(code, true);
    silicon_push(code, "SFPLOADI 6, 8, 16384 ; SFPLOADI 6, 10, 0 ; SFPCONFIG 0, 15, 1 ; SFPNOP");
    silicon_push(code, "SFPMUL 6, 0, 9, 12, 0");
    silicon_push(code, "SFPLOADI 0, 8, 4864 ; SFPLOADI 0, 10, 33792 ; SFPCONFIG 0, 4, 0");
    silicon_push(code, "SFPCONFIG 3, 8, 1 ; " WAIT_FOR_SFPU);
    silicon_sync(code);
    silicon_mark(program, MATH);
    if (row->group) {
        silicon_play(code, 0,
                     "SFPLOADMACRO 0, 3, 0, 0 ; INCRWC 0, 2, 0, 0 ; SFPLOADMACRO 1, 3, 0, 0 ; "
                     "INCRWC 0, 2, 0, 0 ; SFPLOADMACRO 2, 3, 0, 0 ; INCRWC 0, 2, 0, 0 ; "
                     "SFPLOADMACRO 3, 3, 0, 0 ; INCRWC 0, 2, 0, 0",
                     row->group);
        silicon_push(code, "MOP 1, 0, 0");
    }
    for (unsigned i = 0; row->group == 0 && i < 256; i++) {
        guest_emit(code, ".ttinsn SFPLOADMACRO %u, 3, 0, %u", i % 4, 2 * i);
        silicon_repeat(code, row->count, "SFPNOP");
    }
    silicon_repeat(code, 4, "SFPNOP");
    silicon_push(code, WAIT_FOR_SFPU);
    silicon_sync(code);
    silicon_mark(program, MATH);
}
