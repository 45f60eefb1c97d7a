/*
 * Emitters of silicon_tensix.def: programs of three threads, from tiles in L1 to sums and to normalized
 * rows in L1. What stands inside the measured interval has all instructions of the source, its
 * configuration of unpackers and packer too.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "silicon_tensix.h"

#define INPUT  UINT32_C(0x37000)
#define GAMMA  UINT32_C(0x39000)
#define OUTPUT UINT32_C(0x3b000)
#define GO_ON  UINT32_C(0x16e000)

#define PRNG_SEED   UINT32_C(0xffef02e8)
#define PACK_OFFSET UINT32_C(0xffef02d0)

#define UNPACR_A       "UNPACR 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1"
#define UNPACR_B       "UNPACR 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1"
#define CLEAR_COUNTERS "SETRWC 0, 0, 0, 0, 0, 15"
#define FREE_SOURCES   "SETRWC 3, 0, 0, 0, 0, 15"
#define WAIT_FOR_BOTH  "STALLWAIT 2, 2064"
#define VECTOR_AFTER   "STALLWAIT 256, 16"
#define SOURCES_VALID  "STALLWAIT 64, 384"

/* Semaphores 1, 2, 5 and 7: masks. */
#define POST_PACK     "SEMPOST 2"
#define POST_UNPACKED "SEMPOST 4"
#define TAKE_UNPACKED "SEMWAIT 2, 4, 1 ; SEMGET 4"
#define POST_DONE     "SEMPOST 128"
#define TAKE_DONE     "SEMWAIT 2, 128, 1 ; SEMGET 128"

/* A marker of the source whose time is not asked for. */
static void emit_other_mark(struct guest_code *code, bool ends)
{
    silicon_li(code, "t0", 0xffb121f0);
    guest_emit(code, "lw t1, 0(t0)");
    silicon_li(code, "t0", SILICON_RESULTS + 0x400);
    guest_emit(code, "sw t1, 0(t0)");
    if (ends) {
        guest_emit(code, "fence 15, 15");
    }
}

/* All threads begin when the semaphores are there. */
static void begin_together(struct silicon_program *program)
{
    silicon_seminit(&program->code[UNPACKING]);
    silicon_store(&program->code[UNPACKING], GO_ON, 1);
    silicon_await(&program->code[MATH], GO_ON);
    silicon_await(&program->code[PACKING], GO_ON);
}

static void set_modifiers(struct guest_code *code, unsigned index, unsigned sources,
                          unsigned fidelity)
{
    guest_emit(code, ".ttinsn SETC16 %u, %u", 12 + index, sources);
    guest_emit(code, ".ttinsn SETC16 %u, %u", 28 + index, fidelity);
    guest_emit(code, ".ttinsn SETC16 %u, 0", 47 + index);
}

/* --- Sums of a tile --- */

static void load_sum(struct guest_code *code)
{
    for (unsigned which = 0; which < 2; which++) {
        silicon_set_up_unpacker(code, &(struct silicon_unpacker){.which = which,
                                                                 .from = SILICON_FP32,
                                                                 .to = SILICON_TF32,
                                                                 .address = which ? GAMMA : INPUT});
    }
    silicon_commit(code, 0);
    silicon_push(code, "SETADCXX 3, 1023, 0 ; SETADCZW 3, 0, 0, 0, 0, 15");
    silicon_mop(code, &(struct silicon_mop){1, 1, .start = UNPACR_A, .loop = {UNPACR_B},
                                            .last = UNPACR_B, .outer_last = UNPACR_B});
    silicon_sync(code);
    silicon_push(code, POST_UNPACKED " ; SEMWAIT 8, 128, 1 ; SEMGET 128 ; STALLWAIT 8, 96");
    silicon_push(code, "MOP 1, 0, 0 ; STALLWAIT 8, 6 ; SEMGET 32");
    silicon_sync(code);
    silicon_push(code, POST_UNPACKED);
}

/*
 * A tile from L1 is summed up by `also`, which is recorded, and by `op` behind it. Blocks of the source
 * are `group` rows apart, as address modifiers have them; each goes on by `format` fidelity phases. The
 * interval ends when the last instruction was pushed. So the packer's time is no part of it.
 */
void silicon_sums(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *math = &program->code[MATH], *packer = &program->code[PACKING];
    const unsigned step = row->group, phases = row->format << 13;
    (void)turns;
    begin_together(program);
    load_sum(&program->code[UNPACKING]);

    silicon_push(math, "ZEROACC 3, 1, 0, 1, 0 ; SETC16 0, 0 ; SETC16 1, 0 ; STALLWAIT 128, 2064");
    silicon_push(math, "RMWCIB3 32, 32, 1 ; SETC16 11, 0");
    set_modifiers(math, 0, step, 0);
    set_modifiers(math, 1, step, phases);
    set_modifiers(math, 2, step, 1 << 15);
    set_modifiers(math, 3, 0, 0);
    set_modifiers(math, 4, 0, 1 << 13);
    set_modifiers(math, 5, 0, 2 << 13);
    set_modifiers(math, 6, 0, 1 << 15);
    silicon_push(math, CLEAR_COUNTERS " ; SFPENCC 0, 0, 0, 2 ; SFPLOADI 0, 2, 0");
    silicon_push(math, "SFPCONFIG 0, 15, 0 ; SFPNOP");
    silicon_record(math, 0, row->also);
    silicon_push(math, WAIT_FOR_BOTH " ; " TAKE_UNPACKED);
    silicon_sync(math);
    silicon_mark(program, MATH);
    silicon_push(math, POST_DONE " ; " TAKE_UNPACKED " ; " SOURCES_VALID " ; GATESRCRST 1, 1");
    silicon_sync(math);
    emit_other_mark(math, false);
    guest_emit(math, ".ttinsn REPLAY 0, %u, 0, 0", row->count);
    silicon_push(math, row->op);
    silicon_push(math, row->drain);
    silicon_sync(math);
    emit_other_mark(math, true);
    silicon_push(math, FREE_SOURCES " ; " WAIT_FOR_BOTH " ; " POST_PACK " ; " TAKE_DONE);
    silicon_mark(program, MATH);

    silicon_push(packer, "SEMWAIT 2, 2, 1 ; SEMGET 2 ; " POST_DONE);
}

/* --- RMSNorm --- */

/* Tiles of both tensors to the sources, each as soon as a bank is free. */
static void load_rows(struct guest_code *code, unsigned tiles)
{
    for (unsigned tile = 0; tile < tiles; tile++) {
        if (tile == 0) {
            silicon_push(code, "SEMWAIT 10, 128, 1 ; SEMGET 128");
            silicon_set_up_unpacker(
                code, &(struct silicon_unpacker){
                          .which = 0, .from = SILICON_BF16, .to = SILICON_BF16, .address = INPUT});
            silicon_set_up_unpacker(
                code, &(struct silicon_unpacker){
                          .which = 1, .from = SILICON_BF16, .to = SILICON_BF16, .address = GAMMA});
            silicon_commit(code, 0);
            silicon_push(code, "SETADCXX 1, 255, 0 ; SETADCXX 2, 255, 0");
            silicon_push(code, "SETADCZW 3, 0, 0, 0, 0, 15 ; SETADCXX 3, 1023, 0");
            silicon_mop(code, &(struct silicon_mop){1, 1, .start = UNPACR_A, .loop = {UNPACR_B},
                                                    .last = UNPACR_B, .outer_last = UNPACR_B});
        } else {
            silicon_set_base(code, 0, INPUT + tile * 2048);
            silicon_set_base(code, 1, GAMMA + tile * 2048);
            silicon_push(code, "SETADCZW 3, 0, 0, 0, 0, 15");
        }
        silicon_push(code, "STALLWAIT 8, 96 ; MOP 1, 0, 0 ; STALLWAIT 8, 6 ; SEMGET 32");
        silicon_sync(code);
        silicon_push(code, "SEMWAIT 2, 4, 2 ; " POST_UNPACKED);
    }
}

static void load_constant(struct guest_code *code, unsigned reg, double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    guest_emit(code, ".ttinsn SFPLOADI %u, 8, %" PRIu32, reg, bits >> 16);
    guest_emit(code, ".ttinsn SFPLOADI %u, 10, %" PRIu32, reg, bits & 0xffff);
}

#define ADD(a, b, to)      "SFPADD 10, " a ", " b ", " to ", 0 ; SFPNOP ; "
#define MUL(a, b, to, mod) "SFPMUL " a ", " b ", 9, " to ", " mod " ; SFPNOP ; "
#define TURN               "SFPSHFT2 0, 1, 1, 3 ; SFPNOP ; "

/* From partial sums of squares in L0 to the reciprocal of a root in L0, in every lane. */
static void push_reciprocal_root(struct guest_code *code, unsigned count)
{
    silicon_push(code, "SFPMOV 0, 0, 1, 0 ; " TURN TURN TURN TURN ADD("0", "1", "0"));
    silicon_push(code, "SFPMOV 0, 0, 1, 0 ; " TURN TURN ADD("0", "1", "0"));
    silicon_push(code, "SFPMOV 0, 0, 1, 0 ; " TURN ADD("0", "1", "0"));
    silicon_push(code, "SFPMOV 0, 0, 1, 0 ; SFPMOV 0, 0, 2, 0 ; SFPMOV 0, 0, 3, 0");
    silicon_push(code, "SFPTRANSP 0, 0, 0, 0 ; " ADD("0", "1", "0") ADD("0", "2", "0")
                           ADD("0", "3", "0"));
    load_constant(code, 4, 1.0 / count);
    silicon_push(code, "SFPMUL 0, 4, 9, 0, 0");
    load_constant(code, 4, 1e-5);
    silicon_push(code, ADD("0", "4", "0") "SFPMOV 0, 0, 6, 0 ; SFPMOV 0, 6, 1, 0");
    silicon_push(code, "SFPSHFT 4095, 9, 1, 1 ; SFPLOADI 2, 10, 4256 ; SFPLOADI 2, 8, 24337");
    silicon_push(code, "SFPIADD 0, 2, 1, 6 ; " MUL("6", "1", "2", "0") "SFPMUL 1, 2, 9, 2, 1");
    load_constant(code, 3, 2.2825186);
    load_constant(code, 4, 2.2533049);
    silicon_push(code, ADD("4", "2", "4") "SFPMAD 2, 4, 3, 2, 0 ; SFPNOP");
    silicon_push(code, MUL("1", "2", "1", "0") MUL("6", "1", "2", "0") MUL("1", "2", "2", "1"));
    silicon_push(code, "SFPADD 10, 10, 2, 2, 0");
    load_constant(code, 5, 0.5);
    silicon_push(code, MUL("1", "5", "5", "0") "SFPMAD 2, 5, 1, 0, 0");
}

/* 32 products of eight rows each: four phases of eight blocks, to tile `tile` of Dst. */
static void push_products(struct guest_code *code, unsigned tile)
{
    for (unsigned i = 0; i < 32; i++) {
        const unsigned modifier = i % 8 < 7 ? 0 : i < 31 ? 1 : 2;
        guest_emit(code, ".ttinsn ELWMUL 0, 0, 0, %u, %u", modifier, 64 * tile + i % 8 * 8);
    }
}

/* The same by a MOP, of which three words change from tile to tile. */
static void play_products(struct guest_code *code, unsigned tile)
{
    char product[3][40];
    for (unsigned i = 0; i < 3; i++) {
        snprintf(product[i], sizeof product[i], "ELWMUL 0, 0, 0, %u, %u", i, 64 * tile);
    }
    const struct silicon_mop mop = {4, 8, .loop = {product[0]}, .last = product[2],
                                    .outer_last = product[1]};
    if (tile == 1) {
        silicon_mop(code, &mop);
    } else {
        silicon_change_mop(code, &mop);
    }
    silicon_push(code, "MOP 1, 0, 0");
}

/* Waits for a pair of tiles, and copies the first one to tile `tile` of Dst. */
static void take_rows(struct guest_code *code, unsigned tile, bool is_first)
{
    if (is_first) {
        silicon_push(code, POST_DONE);
    }
    silicon_push(code, TAKE_UNPACKED " ; " SOURCES_VALID);
    for (unsigned i = 0; i < 64; i += 8) {
        guest_emit(code, ".ttinsn MOVA2D 0, %u, 3, 2, %u", i, 64 * tile + i);
    }
}

static void configure_scaling(struct guest_code *code)
{
    silicon_push(code, "SFPMUL 0, 0, 9, 12, 0 ; SFPLOADI 0, 8, 4864 ; SFPLOADI 0, 10, 33792");
    silicon_push(code, "SFPCONFIG 0, 4, 0 ; SFPCONFIG 3, 8, 1");
}

/* Dst of 32 bits, and Src to Dst without a change. */
static void set_up_norm(struct guest_code *code)
{
    silicon_push(code, "SETC16 0, 0 ; SETC16 1, 0 ; STALLWAIT 128, 2064 ; RMWCIB3 32, 32, 1");
    silicon_push(code, "RMWCIB3 64, 64, 1 ; ZEROACC 3, 1, 0, 1, 0 ; SFPENCC 0, 0, 0, 2");
    silicon_push(code, "SFPCONFIG 0, 15, 1 ; SFPNOP");
}

static void pack_norm(struct silicon_program *program, unsigned tiles, unsigned first)
{
    struct guest_code *code = &program->code[PACKING];
    silicon_push(code, "SEMWAIT 1, 2, 1");
    silicon_set_up_packer(code, SILICON_BF16, 0);
    silicon_row_mop(code, 64);
    for (unsigned i = 0; i < tiles; i++) {
        silicon_sync(code);
        silicon_pack_rows(code, 64 * (first + i), OUTPUT + 2048 * i);
    }
    silicon_push(code, "SEMGET 2");
    emit_other_mark(code, true);
    silicon_mark(program, PACKING);
}

/*
 * `count` tiles of a row: products by the Matrix Unit, squares and scaling by load macros of the Vector
 * Unit. With `group` a MOP plays the products.
 */
void silicon_rms_norm(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[MATH], *loader = &program->code[UNPACKING];
    const unsigned tiles = row->count;
    (void)turns;
    begin_together(program);
    silicon_sync(loader);
    silicon_push(loader, POST_UNPACKED);
    load_rows(loader, tiles);

    set_up_norm(code);
    set_modifiers(code, 0, 0x808, row->group ? 8 : 0);
    set_modifiers(code, 1, 0x808, 1 << 13 | (row->group ? 1 << 11 : 0));
    set_modifiers(code, 2, 0x808, 1 << 15 | (row->group ? 1 << 11 : 0));
    set_modifiers(code, 3, 0, 0);
    for (unsigned i = 0; i < 4; i++) {
        guest_emit(code, ".ttinsn SFPMAD %u, %u, %u, %u, 0", i, i, i ^ 2, 12 + i);
        guest_emit(code, ".ttinsn SFPCONFIG %u, %u, 1", (0x84 + i) << 8, 4 + i);
    }
    silicon_push(code, "SFPCONFIG 3, 8, 1");
    load_constant(code, 2, 0);
    load_constant(code, 3, 0);
    load_constant(code, 7, 0);
    silicon_push(code, TAKE_UNPACKED);
    silicon_sync(code);
    silicon_mark(program, MATH);
    for (unsigned tile = 0; tile < tiles; tile++) {
        take_rows(code, 0, tile == 0);
        silicon_push(code, VECTOR_AFTER);
        if (tile == 0) {
            silicon_sync(code);
            emit_other_mark(code, false);
        }
        silicon_push(code, CLEAR_COUNTERS);
        (row->group ? play_products : push_products)(code, tile + 1);
        for (unsigned i = 0; i < 32; i++) {
            guest_emit(code, ".ttinsn SFPLOADMACRO %u, 3, 3, %u", 5 * (i % 4), 2 * i);
        }
        silicon_push(code, "SFPNOP ; SFPNOP ; SFPNOP ; " WAIT_FOR_BOTH " ; " FREE_SOURCES);
    }
    silicon_push(code, "SFPADD 10, 2, 3, 7, 0 ; SFPNOP");
    configure_scaling(code);
    silicon_push(code, "SFPMOV 0, 7, 0, 0");
    push_reciprocal_root(code, 1024 * tiles);
    silicon_push(code, VECTOR_AFTER);
    for (unsigned i = 0; i < 32 * tiles; i++) {
        const unsigned reg = 1 + i % 4;
        guest_emit(code, ".ttinsn SFPLOADMACRO %u, 3, 3, %u", reg & 3, (64 + 2 * i) | reg >> 2);
    }
    silicon_push(code, "SFPNOP ; SFPNOP ; SFPNOP ; SFPNOP ; " WAIT_FOR_BOTH);
    silicon_sync(code);
    emit_other_mark(code, true);
    emit_other_mark(code, false);
    silicon_push(code, WAIT_FOR_BOTH " ; " POST_PACK);
    pack_norm(program, tiles, 1);
}

static void push_squares(struct guest_code *code, unsigned end)
{
    for (unsigned i = 0; i < end; i += 2) {
        guest_emit(code, ".ttinsn SFPLOAD 1, 3, 3, %u", i);
        silicon_push(code, "SFPMAD 1, 1, 0, 0, 0");
    }
}

/*
 * Two tiles, without load macros and MOPs. With `group` the Vector Unit makes the products too, and the
 * interval is that of its work. Else it is the whole.
 */
void silicon_rms_article(struct silicon_program *program, const struct tensix_row *row,
                         unsigned turns)
{
    struct guest_code *code = &program->code[MATH];
    const bool is_vector = row->group != 0;
    const unsigned from = is_vector ? 0 : 64, to = is_vector ? 256 : 64;
    (void)turns;
    begin_together(program);
    load_rows(&program->code[UNPACKING], 2);

    silicon_sync(code);
    if (!is_vector) {
        silicon_mark(program, MATH);
    } else {
        emit_other_mark(code, false);
    }
    set_up_norm(code);
    silicon_push(code, "SETC16 15, 0 ; SETC16 31, 0 ; SETC16 50, 0");
    for (unsigned i = 0; i < 3 && !is_vector; i++) {
        set_modifiers(code, i, 0x808, i == 0 ? 0 : i == 1 ? 1 << 13 : 1 << 15);
    }
    silicon_push(code, "SFPLOADI 0, 0, 0");
    silicon_sync(code);
    if (is_vector) {
        silicon_mark(program, MATH);
    } else {
        emit_other_mark(code, false);
    }
    for (unsigned tile = 0; tile < 2; tile++) {
        take_rows(code, is_vector ? tile : 0, tile == 0);
        if (is_vector) {
            for (unsigned i = 0; i < 64; i += 4) {
                guest_emit(code, ".ttinsn MOVB2D 0, %u, 3, 4, %u", i, 128 + 64 * tile + i);
            }
        } else {
            silicon_push(code, VECTOR_AFTER " ; " CLEAR_COUNTERS);
            push_products(code, tile + 1);
            push_squares(code, 64);
            silicon_push(code, WAIT_FOR_BOTH);
        }
        silicon_push(code, FREE_SOURCES);
    }
    silicon_push(code, WAIT_FOR_BOTH);
    if (is_vector) {
        push_squares(code, 128);
    }
    push_reciprocal_root(code, 2048);
    silicon_push(code, "SFPNOP");
    for (unsigned i = 0; i < 128; i += 2) {
        guest_emit(code, ".ttinsn SFPLOAD 1, 3, 3, %u", from + i);
        if (is_vector) {
            guest_emit(code, ".ttinsn SFPLOAD 2, 3, 3, %u", 128 + i);
        }
        silicon_push(code, "SFPMUL 1, 0, 9, 1, 0 ; SFPNOP");
        if (is_vector) {
            silicon_push(code, "SFPMUL 1, 2, 9, 1, 0 ; SFPNOP");
        }
        guest_emit(code, ".ttinsn SFPSTORE 1, 3, 3, %u", to + i);
    }
    silicon_push(code, WAIT_FOR_BOTH);
    silicon_sync(code);
    if (is_vector) {
        silicon_mark(program, MATH);
        return;
    }
    emit_other_mark(code, true);
    emit_other_mark(code, false);
    silicon_push(code, WAIT_FOR_BOTH " ; " POST_PACK);
    pack_norm(program, 2, 1);
}

/* --- One tile, with all configuration --- */

/* `count` data of FP32 in L1 to Dst, from a row on: whole faces, and then the rest. */
static void load_dst(struct guest_code *code, unsigned count, unsigned row, bool is_stochastic)
{
    const unsigned faces = count / 256, rest = count % 256;
    char setadc[40];
    silicon_set_up_unpacker(code, &(struct silicon_unpacker){.which = 0,
                                                             .from = SILICON_FP32,
                                                             .to = SILICON_FP32,
                                                             .address = INPUT,
                                                             .row = row,
                                                             .to_dst = true});
    silicon_commit(code, 0);
    silicon_push(code, is_stochastic ? "RMWCIB0 7, 6, 1" : "RMWCIB0 7, 0, 1");
    silicon_record(code, 0, "UNPACR 0, 17, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1 ; STALLWAIT 8, 2");
    silicon_push(code, "SETADCZW 3, 0, 0, 0, 0, 15 ; SEMWAIT 8, 128, 1 ; SEMGET 128");
    silicon_push(code, "SEMWAIT 8, 4, 2 ; STALLWAIT 8, 1032");
    if (faces) {
        silicon_push(code, "SETADCXX 1, 255, 0");
        silicon_mop(code, &(struct silicon_mop){faces, 1, .start = "REPLAY 0, 2, 0, 0"});
        silicon_push(code, "MOP 1, 0, 0");
    }
    if (rest) {
        snprintf(setadc, sizeof setadc, "SETADCXX 1, %u, 0", rest - 1);
        silicon_push_by_store(code, setadc);
        silicon_mop(code, &(struct silicon_mop){1, 1, .start = "REPLAY 0, 2, 0, 0"});
        silicon_push(code, "MOP 1, 0, 0");
    }
    silicon_push(code, "STALLWAIT 8, 3 ; SEMGET 32");
    silicon_sync(code);
    silicon_push(code, "SETC16 5, 4 ; " POST_UNPACKED);
}

/* The math thread lets the unpacker into Dst, and hands that to the packer. */
static void lend_dst(struct guest_code *code)
{
    silicon_push(code, "ZEROACC 3, 1, 0, 1, 0 ; STALLWAIT 2, 16 ; SEMWAIT 2, 128, 2 ; " POST_DONE);
    silicon_push(code, TAKE_UNPACKED " ; " WAIT_FOR_BOTH " ; " POST_PACK);
}

/* 600 SFPNOPs, in which the generator of random numbers starts. */
static void start_random(struct guest_code *code)
{
    silicon_store(code, PRNG_SEED, 0x13579bdf);
    silicon_mop(code, &(struct silicon_mop){1, 600, .loop = {"SFPNOP"}, .last = "SFPNOP"});
    silicon_push(code, "MOP 1, 0, 0 ; STALLWAIT 256, 2048");
}

/*
 * `count` data of a tile that goes from L1 to Dst and back, in a format. `group` is the word of ReLU;
 * `also` rounds by chance. The packer's time is measured, and so is what it waits for.
 */
void silicon_whole_pack(struct silicon_program *program, const struct tensix_row *row,
                        unsigned turns)
{
    struct guest_code *code = &program->code[PACKING], *math = &program->code[MATH];
    char setadc[40];
    (void)turns;
    begin_together(program);
    load_dst(&program->code[UNPACKING], 1024, 0, row->also != NULL);
    if (row->also) {
        start_random(math);
    }
    lend_dst(math);

    silicon_mark(program, PACKING);
    silicon_push(code, "SEMWAIT 1, 2, 1");
    silicon_set_up_packer(code, row->format, row->group);
    silicon_set_output(code, OUTPUT);
    silicon_set_row(code, 0);
    silicon_store(code, PACK_OFFSET, 0);
    if (row->count >= 16) {
        silicon_push(code, "SETADCXX 4, 15, 0");
        silicon_row_mop(code, row->count / 16);
        silicon_push(code, "STALLWAIT 128, 8 ; MOP 1, 0, 0");
    }
    if (row->count % 16) {
        snprintf(setadc, sizeof setadc, "SETADCXX 4, %u, 0", row->count % 16 - 1);
        silicon_push_by_store(code, setadc);
        silicon_row_mop(code, 1);
        silicon_push(code, "STALLWAIT 128, 8 ; MOP 1, 0, 0");
    }
    silicon_push(code, "STALLWAIT 2, 8");
    silicon_sync(code);
    silicon_push(code, "SEMGET 2");
    silicon_mark(program, PACKING);
}

/* Four faces from a source to Dst, each of which is given back with `release`. */
static void copy_source(struct guest_code *code, unsigned which, unsigned release)
{
    char end[40];
    const char *const move = which ? "MOVB2D 0, 0, 2, 4, 0" : "MOVA2D 0, 0, 2, 2, 0";
    snprintf(end, sizeof end, which ? "SETRWC %u, 2, 0, 0, 0, 2" : "SETRWC %u, 0, 0, 0, 0, 3",
             release);
    silicon_push(code, "SETC16 0, 0 ; SETC16 1, 0 ; STALLWAIT 128, 2064 ; RMWCIB3 32, 32, 1");
    guest_emit(code, ".ttinsn SETC16 14, %u", which ? 4 << 8 : 8);
    guest_emit(code, ".ttinsn SETC16 30, %u", which ? 4 : 8);
    silicon_push(code, "SETC16 49, 0 ; " CLEAR_COUNTERS);
    silicon_push(code, which ? "STALLWAIT 64, 256" : "STALLWAIT 64, 128");
    silicon_mop(code, &(struct silicon_mop){4, which ? 4 : 2, .end = {end}, .loop = {move},
                                            .last = move, .outer_last = move});
    silicon_push(code, "MOP 1, 0, 0 ; " CLEAR_COUNTERS);
}

enum { TO_DST, TO_SRCA, TO_SRCB, TO_BOTH };

static void load_sources(struct guest_code *code, unsigned target)
{
    const unsigned first = target == TO_SRCB, last = target != TO_SRCA;
    const char *const no_data = "UNPACR_NOP 1, 0, 0, 1, 0, 0, 0, 0, 1";
    const char *const second = target == TO_BOTH ? UNPACR_B : target == TO_SRCA ? no_data : NULL;
    for (unsigned which = first; which <= last; which++) {
        silicon_set_up_unpacker(
            code, &(struct silicon_unpacker){
                      .which = which, .from = SILICON_BF16, .to = SILICON_BF16, .address = INPUT});
    }
    silicon_commit(code, first);
    for (unsigned which = first; which <= last; which++) {
        guest_emit(code, ".ttinsn SETADCXX %u, 255, 0", which + 1);
    }
    silicon_push(code, "SETADCZW 3, 0, 0, 0, 0, 15");
    guest_emit(code, ".ttinsn STALLWAIT 8, %u", (first ? 0 : 32) | (last ? 64 : 0));
    silicon_mop(code,
                &(struct silicon_mop){4, 1, .start = first ? UNPACR_B : UNPACR_A, .loop = {second},
                                      .last = second, .outer_last = second});
    silicon_push(code, "STALLWAIT 8, 1024 ; MOP 1, 0, 0");
    guest_emit(code, ".ttinsn STALLWAIT 8, %u", (first ? 0 : 2) | (last ? 4 : 0));
    silicon_push(code, "SEMGET 32");
    silicon_sync(code);
}

/* `count` data to Dst from row `format` on, or a tile to the sources; `group` says where to. */
void silicon_whole_unpack(struct silicon_program *program, const struct tensix_row *row,
                          unsigned turns)
{
    struct guest_code *code = &program->code[UNPACKING], *math = &program->code[MATH];
    (void)turns;
    begin_together(program);
    if (row->group == TO_DST) {
        silicon_mark(program, UNPACKING);
        load_dst(code, row->count, row->format, false);
        silicon_mark(program, UNPACKING);
        lend_dst(math);
        return;
    }
    silicon_push(code, "ZEROSRC 0, 0, 1, 3 ; STALLWAIT 8, 6");
    silicon_mark(program, UNPACKING);
    load_sources(code, row->group);
    silicon_mark(program, UNPACKING);
    silicon_push(math, "SEMWAIT 322, 2, 2");
    if (row->group == TO_BOTH) {
        copy_source(math, 0, 1);
        copy_source(math, 1, 2);
    } else {
        copy_source(math, row->group == TO_SRCB, 3);
    }
    silicon_push(math, WAIT_FOR_BOTH " ; " POST_PACK);
}
