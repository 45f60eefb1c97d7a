/*
 * Speed of the Vector Unit, in one run, as ratios: one TRISC that plays a replay buffer of its
 * instructions from MOPs. LRegs and Dst hold numbers of ordinary size with full mantissas, which
 * differ from lane to lane.
 *
 * Figures:
 *   sfpmad_chain   SFPMAD, each of which takes the result of the one before
 *   sfpmad         SFPMAD on four registers in turn
 *   load_store_*   SFPLOAD and SFPSTORE in turn, walking through Dst
 *   simple         bits, integers, comparisons and flags
 *   exp            e^x of tiles: load, range reduction, polynomial, squaring under flags,
 *                  reciprocal of what was negative, store
 */
#include <stdio.h>
#include <stdlib.h>

#include "guest.h"
#include "tensix/config/regs.h"

enum {
    REPLAYED_MOST = 32,
    REPEATED = 8, /* REPLAYs of a MOP: more in one piece than some other libraries take */
    MOPS = 16,
};

#define CONFIG_WINDOW UINT32_C(0xffef0000)

/* What is played, as often as the replay buffer has room for. */
struct kernel {
    unsigned count;
    const char *text[REPLAYED_MOST];
    bool fp32; /* Dst has 32 bits */
};

static const struct kernel kernels[] = {
    {.count = 4,
     .text = {"SFPMAD 0, 1, 2, 0, 0", "SFPMAD 0, 1, 2, 0, 0", "SFPMAD 0, 1, 2, 0, 0",
              "SFPMAD 0, 1, 2, 0, 0"}},
    {.count = 4,
     .text = {"SFPMAD 0, 1, 2, 3, 0", "SFPMAD 3, 1, 2, 4, 0", "SFPMAD 0, 1, 3, 5, 0",
              "SFPMAD 4, 1, 2, 6, 0"}},
    {.count = 4,
     .text = {"SFPLOAD 0, 2, 0, 0", "SFPSTORE 0, 2, 1, 0", "SFPLOAD 1, 2, 0, 0",
              "SFPSTORE 1, 2, 1, 0"}},
    {.count = 4,
     .text = {"SFPLOAD 0, 3, 0, 0", "SFPSTORE 0, 3, 1, 0", "SFPLOAD 1, 3, 0, 0",
              "SFPSTORE 1, 3, 1, 0"},
     .fp32 = true},
    {.count = 8,
     .text = {"SFPAND 0, 1, 3, 0", "SFPIADD 0x7, 1, 4, 5", "SFPSHFT 0x3, 1, 5, 5",
              "SFPSETCC 0, 1, 0, 0", "SFPABS 0, 2, 6, 1", "SFPMOV 0, 2, 3, 1", "SFPENCC 0, 0, 0, 0",
              "SFPSETSGN 1, 2, 4, 1"}},
    {.count = 27,
     .text =
         {"SFPLOAD 0, 3, 0, 0",     "SFPSETSGN 0, 0, 1, 1", /* |x| */
          "SFPEXEXP 0, 1, 2, 10",   /* its exponent; where it is 0 or more: */
          "SFPSETEXP 126, 1, 1, 1", /* reduced to [0.5, 1) */
          "SFPENCC 0, 0, 0, 0",     /* everywhere: */
          "SFPMAD 1, 12, 13, 3, 0", /* polynomial */
          "SFPMAD 3, 1, 14, 3, 0",  "SFPMAD 3, 1, 10, 3, 0",
          "SFPSETCC 0, 2, 0, 4", /* square it as often as it was halved */
          "SFPMUL 3, 3, 9, 3, 0",   "SFPIADD 0xfff, 2, 2, 9", /* one less; where still 0 or more: */
          "SFPMUL 3, 3, 9, 3, 0",   "SFPIADD 0xfff, 2, 2, 9",
          "SFPMUL 3, 3, 9, 3, 0",   "SFPIADD 0xfff, 2, 2, 9",
          "SFPMUL 3, 3, 9, 3, 0",   "SFPENCC 0, 0, 0, 0",
          "SFPSETCC 0, 0, 0, 0", /* 1 / e^|x| where x < 0, by two steps of Newton */
          "SFPARECIP 0, 3, 4, 0",   "SFPMAD 3, 4, 11, 5, 0",
          "SFPMAD 4, 5, 9, 5, 1",   "SFPADD 10, 4, 5, 4, 0",
          "SFPMAD 3, 4, 11, 5, 0",  "SFPMAD 4, 5, 9, 5, 1",
          "SFPADD 10, 4, 5, 3, 0",  "SFPENCC 0, 0, 0, 0",
          "SFPSTORE 3, 3, 1, 0"},
     .fp32 = true},
};

/* --- Programs --- */

static void emit_lines(struct guest_code *code, const char *const *lines, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        guest_emit(code, ".ttinsn %s", lines[i]);
    }
}

/* LReg[0] to LReg[2]: numbers between 1/8 and 4 by lane; LReg[12] to LReg[14]: a polynomial. */
static void fill_lregs(struct guest_code *code)
{
    static const char *const lines[] = {
        "SFPENCC 3, 0, 0, 10",    "SFPLOADI 0, 8, 0x3e2b",                           /* 0.1671... */
        "SFPLOADI 0, 10, 0x3d57", "SFPCONFIG 0, 12, 0",     "SFPLOADI 0, 8, 0x3f00", /* 0.5006... */
        "SFPLOADI 0, 10, 0x2f11", "SFPCONFIG 0, 13, 0",     "SFPLOADI 0, 8, 0x3f7f", /* 0.9996... */
        "SFPLOADI 0, 10, 0xe2d3", "SFPCONFIG 0, 14, 0",     "SFPCAST 15, 0, 0", /* 0, 2 ... 62 */
        "SFPMAD 0, 12, 14, 1, 0", "SFPMAD 1, 12, 13, 2, 0", "SFPARECIP 0, 1, 4, 0",
        "SFPMAD 4, 14, 9, 1, 1", /* -1 .. 0: chains stay bounded */
        "SFPMAD 0, 12, 13, 0, 0",
    };
    emit_lines(code, lines, sizeof lines / sizeof lines[0]);
}

/* The same numbers for all of Dst. */
static void fill_dst(struct guest_code *code, bool fp32)
{
    for (unsigned i = 0; i < (fp32 ? 256 : 512); i++) {
        guest_emit(code, ".ttinsn SFPSTORE %u, %u, 1, 0", i % 3, fp32 ? 3 : 2);
    }
}

static void set_up(struct guest_code *code, unsigned index)
{
    const struct kernel *kernel = &kernels[index];
    const struct tensix_field *incr = &tensix_fields[TENSIX_FIELD_ADDR_MOD_DST_SEC1_DestIncr];
    char play[40];
    if (kernel->fp32) {
        const struct tensix_field *field =
            &tensix_fields[TENSIX_FIELD_ALU_ACC_CTRL_SFPU_Fp32_enabled];
        guest_store(code, CONFIG_WINDOW + 4 * field->word, UINT32_C(1) << field->shift);
    }
    guest_emit(code, "fence 15, 15");
    guest_emit(code, ".ttinsn SETC16 %u, %u", incr->word, 2u << incr->shift);
    fill_lregs(code);
    fill_dst(code, kernel->fp32);
    unsigned times = REPLAYED_MOST / kernel->count;
    snprintf(play, sizeof play, "REPLAY 0, %u, 0, 0", times * kernel->count);
    guest_mop(code, REPEATED, play, "ADDDMAREG 0, 0, 1, 0"); /* GPR 0 += GPR 1 */
    guest_emit(code, ".ttinsn REPLAY 0, %u, 0, 1", times * kernel->count);
    for (unsigned i = 0; i < times; i++) {
        emit_lines(code, kernel->text, kernel->count);
    }
    guest_emit(code, "fence 15, 15");
}

static void push_mops(struct guest_code *code, unsigned index)
{
    (void)index;
    for (unsigned i = 0; i < MOPS; i++) {
        guest_emit(code, ".ttinsn MOP 1, 0, 0");
    }
}

static uint32_t mops_of(unsigned index, uint32_t loops)
{
    (void)index;
    return MOPS * loops;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *title;
    } rows[] = {
        {"sfpmad_chain", "SFPMAD, each on the last result"},
        {"sfpmad", "SFPMAD, four registers"},
        {"load_store_bf16", "SFPLOAD, SFPSTORE, BF16"},
        {"load_store_fp32", "SFPLOAD, SFPSTORE, FP32"},
        {"simple", "bits, integers, flags"},
        {"exp", "exp of FP32 tiles"},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    _Static_assert(ROWS == sizeof kernels / sizeof kernels[0], "a kernel for each row");
    struct guest_workload workloads[ROWS];
    for (unsigned i = 0; i < ROWS; i++) {
        workloads[i] = (struct guest_workload){
            .name = rows[i].name,
            .title = rows[i].title,
            .threads = 1,
            .loop_instructions =
                MOPS * REPEATED * (REPLAYED_MOST / kernels[i].count) * kernels[i].count,
            .unit = "M instr/s",
            .set_up = set_up,
            .turn = push_mops,
            .variant = i,
            .last_gpr = mops_of,
        };
    }
    return guest_main(argc, argv, "Measures the speed of the Vector Unit.", workloads, ROWS);
}
