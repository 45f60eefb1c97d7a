/*
 * Load macros: programs of the kind that LLK emits against the same computation with ordinary
 * instructions; what the page leaves undefined. Random programs are in check_macro_schedules.c.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/test.h"
#include "tensix/exec.h"
#include "unit/tensix/lane_model.h"
#include "unit/tensix/tensix_fixture.h"

static void run(const char *text)
{
    tensix_harness_run(&harness, 0, text);
}

static void no_faults(const char *what)
{
    ck_assert_msg(!harness.faults, "%s: %s", what, harness.fault.text);
}

/* --- Kernels --- */

enum { ROWS = 8, MOST_PHASES = 4, ADVANCING = 6 }; /* address modifiers: 6 goes on, 7 stays */

/* `rows` are taken in turn, row after row of data; `first` and `last` stand before and behind them,
 * and `plain` is one row by itself. */
struct kernel {
    const char *name;
    const char *templates; /* instructions that the backdoor takes, and other preparations */
    uint32_t sequence[4];
    unsigned misc;
    unsigned lead; /* rows of data that `first` begins */
    const char *first, *rows[MOST_PHASES], *last;
    const char *plain_first, *plain;
    bool is_32bit; /* what StoreMod0 SRCB and the like come to */
};

#define SEQUENCE(simple, mad, round, store)                                                        \
    ((uint32_t)(simple) | (uint32_t)(mad) << 8 | (uint32_t)(round) << 16 | (uint32_t)(store) << 24)
#define SLOT(flags, delay, source) ((flags) | (delay) << 3 | (source))

static const struct kernel kernels[] = {
    {
        .name = "where, in place",
        .templates = "SFPENCC 3, 0, 0, 0xa; SFPSETCC 0, 0, 0xc, 6; SFPENCC 0, 0, 0xd, 0",
        .sequence = {SEQUENCE(SLOT(0, 0, 4), 0, 0, SLOT(0, 2, 3)), 0, SEQUENCE(5, 0, 0, 0)},
        .misc = 0x770,
        .rows = {"SFPLOADMACRO 0, 4, 7, 0; SFPLOADMACRO 8, 4, 7, 64; SFPLOAD 0, 4, 6, 128"},
        .plain = "SFPLOAD 0, 4, 7, 0; SFPLOAD 1, 4, 7, 64; SFPSETCC 0, 0, 0, 6;"
                 "SFPLOAD 1, 4, 7, 128; SFPENCC 0, 0, 0, 0; SFPSTORE 1, 4, 6, 0",
        .is_32bit = true,
    },
    {
        .name = "where, to another tile",
        .templates = "SFPENCC 3, 0, 0, 0xa; SFPSETCC 0, 0, 0xc, 6; SFPENCC 0, 0, 0xd, 0",
        .sequence = {0, SEQUENCE(4, 0, 0, 0), SEQUENCE(5, 0, 0, 0)},
        .misc = 0x770,
        .rows = {"SFPLOADMACRO 4, 9, 7, 0; SFPLOADMACRO 8, 9, 7, 64; SFPLOAD 0, 9, 7, 128;"
                 "SFPSTORE 0, 9, 6, 192"},
        .plain = "SFPLOAD 0, 9, 7, 0; SFPLOAD 1, 9, 7, 64; SFPSETCC 0, 0, 0, 6;"
                 "SFPLOAD 1, 9, 7, 128; SFPENCC 0, 0, 0, 0; SFPSTORE 1, 9, 6, 192",
    },
    {
        .name = "reciprocal of 7 bits",
        .templates = "SFPARECIP 0, 0, 0xc, 0",
        .sequence = {SEQUENCE(SLOT(0x40, 0, 4), 0, 0, SLOT(0x40, 1, 3))},
        .misc = 0x110,
        .rows = {"SFPLOADMACRO 0, 0, 6, 0"},
        .last = "SFPNOP; SFPNOP",
        .plain = "SFPLOAD 0, 0, 7, 0; SFPARECIP 0, 0, 0, 0; SFPSTORE 0, 0, 6, 0",
    },
    {
        .name = "reciprocal of BF16",
        .templates = "SFPARECIP 0, 0, 0xc, 0; SFPMAD 9, 9, 0, 0xd, 8; SFPMAD 1, 0, 0xb, 0xe, 0;"
                     "SFPIADD 0, 1, 0xf, 4",
        .sequence = {SEQUENCE(SLOT(0, 0, 4), SLOT(0, 0, 5), 0, SLOT(0x80, 0, 3)),
                     SEQUENCE(SLOT(0xc0, 5, 7), SLOT(0xc0, 0, 6), 0, SLOT(0x40, 2, 3)),
                     SEQUENCE(0, 0, 0, SLOT(0x40, 1, 3))},
        .misc = 0x700,
        .lead = 2,
        .first = "SFPLOADI 0, 0, 0x8000; SFPLOADI 7, 2, 1;"
                 "SFPLOADMACRO 3, 0, 7, 0; SFPNOP; SFPLOADMACRO 7, 14, 6, 0;"
                 "SFPLOADMACRO 0, 0, 7, 1; SFPNOP; SFPLOADMACRO 4, 14, 6, 1",
        .rows = {"SFPLOADMACRO 1, 0, 7, 1; SFPLOADMACRO 9, 9, 7, 0x3fc; SFPLOADMACRO 5, 14, 6, 1",
                 "SFPLOADMACRO 3, 0, 7, 0; SFPLOADMACRO 9, 9, 7, 0x3fc; SFPLOADMACRO 7, 14, 6, 0",
                 "SFPLOADMACRO 0, 0, 7, 1; SFPLOADMACRO 9, 9, 7, 0x3fc; SFPLOADMACRO 4, 14, 6, 1"},
        .last = "SFPNOP; SFPLOADMACRO 9, 9, 6, 0x3fc; SFPNOP;"
                "SFPNOP; SFPLOADMACRO 9, 9, 6, 0x3fc; SFPNOP; SFPNOP",
        .plain_first = "SFPLOADI 2, 2, 0x8000",
        .plain = "SFPLOAD 0, 0, 7, 0; SFPMAD 9, 9, 0, 1, 0; SFPARECIP 0, 0, 0, 0; SFPOR 0, 2, 0, 0;"
                 "SFPMAD 1, 0, 0xb, 1, 0; SFPSHFT 0xff0, 1, 1, 5; SFPNOP; SFPIADD 0, 1, 0, 4;"
                 "SFPSTORE 0, 0, 6, 0",
    },
    {
        .name = "reciprocal of FP32",
        .templates = "SFPARECIP 0, 0, 0xc, 0; SFPMAD 0, 0, 0, 0xd, 0; SFPMAD 1, 0, 2, 0xe, 0;"
                     "SFPSWAP 0, 0xa, 0xf, 1",
        .sequence = {SEQUENCE(4, 0, 0, SLOT(0x40, 6, 3)),
                     SEQUENCE(SLOT(0x40, 0, 4), SLOT(0, 2, 5), 0, SLOT(0, 2, 3)),
                     SEQUENCE(SLOT(0x80, 2, 7), SLOT(0, 0, 6), 0, 0),
                     SEQUENCE(0, SLOT(0xc0, 1, 6), 0, SLOT(0x40, 3, 3))},
        .misc = 0xff0,
        .lead = 1,
        .first = "SFPLOADMACRO 3, 0, 7, 0; SFPLOADMACRO 9, 0, 7, 0x3fe; SFPLOADMACRO 4, 0, 7, 0;"
                 "SFPMAD 0, 3, 0xa, 0, 1; SFPLOAD 7, 0, 6, 0",
        .rows = {"SFPLOADMACRO 3, 0, 7, 0; SFPLOADMACRO 9, 0, 7, 0x3fe; SFPLOADMACRO 4, 0, 7, 0;"
                 "SFPMAD 0, 3, 0xa, 0, 1; SFPLOADMACRO 0xe, 0, 6, 0x3fe"},
        .last = "SFPNOP; SFPLOADMACRO 9, 0, 7, 0x3fe; SFPNOP; SFPMAD 0, 3, 0xa, 0, 1;"
                "SFPLOADMACRO 0xe, 0, 6, 0x3fe; SFPNOP; SFPNOP; SFPNOP; SFPNOP",
        .plain = "SFPLOAD 0, 0, 7, 0; SFPARECIP 0, 0, 1, 0; SFPMAD 0, 1, 0xa, 2, 1;"
                 "SFPMAD 2, 2, 2, 3, 0; SFPMAD 3, 2, 2, 3, 0; SFPNOP; SFPSWAP 0, 0xa, 3, 1;"
                 "SFPMAD 3, 1, 1, 0, 0; SFPSTORE 0, 0, 6, 0",
        .is_32bit = true,
    },
    {
        .name = "FP32 to UINT16",
        .templates = "SFPSWAP 0, 9, 0xc, 0xf; SFP_STOCH_RND 0, 0, 0, 0, 0xd, 6",
        .sequence = {SEQUENCE(SLOT(0x80, 0, 4), 0, SLOT(0x40, 2, 5), SLOT(0x40, 3, 3))},
        .misc = 0x109,
        .rows = {"SFPLOADMACRO 0, 0, 6, 0; SFPNOP", "SFPLOADMACRO 1, 0, 6, 0; SFPNOP"},
        .last = "SFPNOP; SFPNOP; SFPNOP",
        .plain = "SFPLOAD 0, 0, 7, 0; SFPSWAP 0, 9, 0, 9; SFP_STOCH_RND 0, 0, 0, 0, 0, 6;"
                 "SFPSTORE 0, 9, 6, 0",
        .is_32bit = true,
    },
    {
        .name = "UINT16 to BF16",
        .templates = "SFPCAST 0, 0xc, 0; SFP_STOCH_RND 0, 0, 0, 0, 0xd, 1",
        .sequence = {SEQUENCE(4, 0, SLOT(0x40, 1, 5), SLOT(0x40, 2, 3))},
        .misc = 0x100,
        .rows = {"SFPLOADMACRO 0, 9, 6, 0", "SFPLOADMACRO 1, 9, 6, 0"},
        .last = "SFPNOP; SFPNOP; SFPNOP",
        .plain = "SFPLOAD 0, 9, 7, 0; SFPCAST 0, 0, 0; SFP_STOCH_RND 0, 0, 0, 0, 0, 1;"
                 "SFPSTORE 0, 0, 6, 0",
    },
    {
        .name = "INT32 to BF16",
        .templates = "SFPLOADI 0, 4, 0xffe1; SFPCONFIG 0, 0xc, 0; SFPSETSGN 0, 4, 0xc, 0;"
                     "SFPMAD 0, 0xa, 0, 0xd, 4; SFP_STOCH_RND 0, 0, 0, 0, 0xe, 1",
        .sequence = {SEQUENCE(SLOT(0x80, 3, 4), SLOT(0, 4, 5), SLOT(0x40, 6, 6), SLOT(0x40, 7, 3))},
        .misc = 0x100,
        .first = "SFPLOADI 0, 2, 0; SFPLOADI 1, 0, 0xcf00",
        .rows = {"SFPLOADMACRO 2, 4, 6, 0; SFPABS 0, 2, 4, 0; SFPSHFT2 4, 0xc, 7, 5;"
                 "SFPCAST 4, 4, 0",
                 "SFPLOADMACRO 3, 4, 6, 0; SFPABS 0, 3, 4, 0; SFPSHFT2 4, 0xc, 7, 5;"
                 "SFPCAST 4, 4, 0"},
        .last = "SFPNOP; SFPNOP; SFPNOP; SFPNOP; SFPNOP",
        .plain = "SFPENCC 3, 0, 0, 0xa; SFPLOAD 0, 4, 7, 0; SFPABS 0, 0, 1, 0; SFPCAST 1, 2, 0;"
                 "SFPSETSGN 0, 2, 0, 0; SFPSETCC 0, 1, 0, 0; SFPADDI 0xcf00, 0, 0;"
                 "SFPENCC 0, 0, 0, 0; SFP_STOCH_RND 0, 0, 0, 0, 0, 1; SFPSTORE 0, 0, 6, 0",
    },
    {
        .name = "INT32 to FP32",
        .templates = "SFPLOADI 0, 4, 0xffe1; SFPCONFIG 0, 0xc, 0; SFPSETSGN 0, 4, 0xc, 0;"
                     "SFPMAD 0, 0xa, 0, 0xd, 4",
        .sequence = {SEQUENCE(SLOT(0x80, 3, 4), SLOT(0x40, 4, 5), 0, SLOT(0x40, 6, 3))},
        .misc = 0x103,
        .first = "SFPLOADI 0, 2, 0; SFPLOADI 1, 0, 0xcf00",
        .rows = {"SFPLOADMACRO 2, 4, 6, 0; SFPABS 0, 2, 4, 0; SFPSHFT2 4, 0xc, 7, 5;"
                 "SFPCAST 4, 4, 0",
                 "SFPLOADMACRO 3, 4, 6, 0; SFPABS 0, 3, 4, 0; SFPSHFT2 4, 0xc, 7, 5;"
                 "SFPCAST 4, 4, 0"},
        .last = "SFPNOP; SFPNOP; SFPNOP; SFPNOP",
        .plain = "SFPENCC 3, 0, 0, 0xa; SFPLOAD 0, 4, 7, 0; SFPABS 0, 0, 1, 0; SFPCAST 1, 2, 0;"
                 "SFPSETSGN 0, 2, 0, 0; SFPSETCC 0, 1, 0, 0; SFPADDI 0xcf00, 0, 0;"
                 "SFPENCC 0, 0, 0, 0; SFPSTORE 0, 3, 6, 0",
        .is_32bit = true,
    },
    {
        .name = "UINT32 to FP32",
        .templates = "SFPLOADI 0, 4, 0xffe1; SFPCONFIG 0, 0xc, 0; SFPSETSGN 0, 0, 0xc, 1;"
                     "SFPCAST 2, 0xd, 0; SFPSHFT2 0, 0xc, 0xe, 5; SFPMAD 0, 0xa, 0, 0xf, 4",
        .sequence = {SEQUENCE(4, 0, 0, 0), SEQUENCE(SLOT(0x80, 0, 5), SLOT(0x40, 2, 7), 0, 0),
                     SEQUENCE(0, 0, SLOT(0x80, 0, 6), SLOT(0x40, 3, 3))},
        .misc = 0x703,
        .first = "SFPLOADI 0, 2, 0; SFPLOADI 1, 0, 0x4f00",
        .rows = {"SFPLOADMACRO 2, 4, 7, 0; SFPLOADMACRO 7, 4, 7, 0; SFPLOADMACRO 0xb, 4, 6, 1"},
        .last = "SFPNOP; SFPNOP; SFPNOP; SFPNOP",
        .plain = "SFPENCC 3, 0, 0, 0xa; SFPLOAD 0, 4, 7, 0; SFPSETSGN 0, 0, 1, 1; SFPCAST 1, 2, 0;"
                 "SFPSETCC 0, 0, 0, 0; SFPADDI 0x4f00, 2, 0; SFPENCC 0, 0, 0, 0;"
                 "SFPSTORE 2, 3, 6, 0",
        .is_32bit = true,
    },
    {
        .name = "FP32 to BF16",
        .templates = "SFPLOADI 0, 2, 1; SFPCONFIG 0, 0xc, 0; SFPLOADI 0, 2, 0x7fff;"
                     "SFPCONFIG 0, 0xd, 0; SFPSHFT2 0xff0, 0, 0xc, 6; SFPIADD 0, 0xd, 0xd, 4;"
                     "SFPIADD 0, 2, 0xe, 4",
        .sequence = {SEQUENCE(SLOT(0xc0, 3, 6), 0, SLOT(0x80, 0, 4), SLOT(0, 3, 3)),
                     SEQUENCE(SLOT(0x80, 1, 5), 0, 0, SLOT(0x40, 3, 3))},
        .misc = 0x312,
        .rows = {"SFPLOADMACRO 0, 0, 7, 0; SFPLOADMACRO 6, 0, 6, 0; SFPAND 0, 0xc, 0, 0",
                 "SFPLOADMACRO 1, 0, 7, 0; SFPLOADMACRO 6, 0, 6, 0; SFPAND 0, 0xc, 1, 0"},
        .last = "SFPNOP; SFPNOP; SFPNOP",
        .plain = "SFPLOAD 1, 0, 7, 0; SFPSHFT 0xff0, 1, 0, 5; SFPAND 0, 0xc, 0, 0;"
                 "SFPIADD 0, 0xd, 1, 4; SFPSTORE 0, 0, 7, 0; SFPIADD 0, 0, 1, 4;"
                 "SFPSTORE 1, 2, 6, 0",
        .is_32bit = true,
    },
    {
        .name = "UINT32 to UINT16",
        .templates = "SFPGT 0, 9, 0xc, 8; SFPOR 0, 0, 0xd, 0",
        .sequence = {SEQUENCE(SLOT(0x80, 0, 4), 0, 0, 0),
                     SEQUENCE(SLOT(0x80, 0, 5), 0, 0, SLOT(0, 1, 3))},
        .misc = 0x109,
        .rows = {"SFPLOADMACRO 0, 9, 7, 0; SFPLOADMACRO 5, 4, 6, 0"},
        .last = "SFPNOP; SFPNOP",
        .plain = "SFPLOAD 0, 9, 7, 0; SFPGT 0, 9, 0, 8; SFPLOAD 1, 4, 7, 0; SFPOR 0, 0, 1, 0;"
                 "SFPSTORE 1, 9, 6, 0",
        .is_32bit = true,
    },
    {
        .name = "square of integers",
        .templates = "SFPMUL24 0, 0, 9, 0xc, 0",
        .sequence = {SEQUENCE(0, SLOT(0xc0, 0, 4), 0, SLOT(0x40, 2, 3))},
        .misc = 0x330,
        .rows = {"SFPLOADMACRO 0, 9, 6, 0"},
        .last = "SFPNOP; SFPNOP; SFPNOP",
        .plain = "SFPLOAD 0, 9, 7, 0; SFPMUL24 0, 0, 9, 0, 0; SFPSTORE 0, 9, 6, 0",
    },
    {
        .name = "product of integers, in place",
        .templates = "SFPMUL24 0, 0, 9, 0xc, 0",
        .sequence = {SEQUENCE(0, SLOT(0xc0, 0, 4), 0, SLOT(0x40, 2, 3))},
        .misc = 0x330,
        .rows = {"SFPLOAD 0, 9, 7, 64; SFPLOADMACRO 1, 9, 6, 0"},
        .last = "SFPNOP; SFPNOP; SFPNOP",
        .plain = "SFPLOAD 0, 9, 7, 64; SFPLOAD 1, 9, 7, 0; SFPMUL24 0, 1, 9, 0, 0;"
                 "SFPSTORE 0, 9, 6, 0",
    },
    {
        .name = "product of integers",
        .templates = "SFPMUL24 0, 0, 9, 0xc, 0",
        .sequence = {0, SEQUENCE(0, SLOT(0xc0, 1, 4), 0, SLOT(0x40, 3, 3))},
        .misc = 0x330,
        .rows = {"SFPLOAD 0, 9, 7, 0; SFPLOADMACRO 5, 9, 7, 128; SFPLOAD 1, 9, 6, 64"},
        .last = "SFPNOP; SFPNOP; SFPNOP",
        .plain = "SFPLOAD 0, 9, 7, 0; SFPLOAD 1, 9, 7, 64; SFPMUL24 0, 1, 9, 0, 0;"
                 "SFPSTORE 0, 9, 6, 128",
    },
    {
        .name = "exponential, clamped first",
        .templates = "SFPLOADI 0, 0xa, 0; SFPLOADI 0, 8, 0xc2b1; SFPCONFIG 0, 0xe, 0;"
                     "SFPLOADI 0, 0xa, 0x00e1; SFPLOADI 0, 8, 0x9200; SFPCONFIG 0, 0, 0; SFPNOP",
        .sequence = {0, SEQUENCE(4, 0, 0, SLOT(0, 2, 3))},
        .rows = {"SFPLOADMACRO 4, 0, 6, 0; SFPNOP", "SFPLOADMACRO 5, 0, 6, 0; SFPNOP"},
        .last = "SFPNOP; SFPNOP",
        .plain = "SFPLOAD 0, 0, 7, 0; SFPSWAP 0, 0xe, 0, 9; SFPSTORE 0, 0, 6, 0",
    },
    {
        .name = "exponential",
        .templates = "SFPLOADI 0, 0xa, 0xaa3b; SFPLOADI 0, 8, 0x43b8; SFPCONFIG 0, 0xc, 0;"
                     "SFPLOADI 0, 0xa, 0xe9a3; SFPLOADI 0, 8, 0x46fd; SFPCONFIG 0, 0xd, 0;"
                     "SFPMAD 0xc, 0, 0xd, 0xd, 0; SFP_STOCH_RND 0, 0, 0, 0, 0xe, 0xe;"
                     "SFPSHFT 0xf, 0, 0xf, 1",
        .sequence = {SEQUENCE(0xdf, 0x85, 0x16, 0x63)},
        .rows = {"SFPLOADMACRO 0, 0, 6, 0", "SFPLOADMACRO 1, 0, 6, 0", "SFPLOADMACRO 2, 0, 6, 0",
                 "SFPLOADMACRO 3, 0, 6, 0"},
        .last = "SFPNOP; SFPNOP; SFPNOP; SFPNOP",
        .plain = "SFPLOAD 0, 0, 7, 0; SFPMAD 0xc, 0, 0xd, 0, 0; SFP_STOCH_RND 0, 0, 0, 0, 0, 6;"
                 "SFPSHFT 0xf, 0, 0, 1; SFPSTORE 0, 0, 6, 0",
    },
};

/* --- Running kernels --- */

/* Data that all kernels have something to do with: any bits, small numbers, equal ones. */
static void fill_dst(uint16_t data[TENSIX_DST_ROWS][TENSIX_DST_COLUMNS])
{
    unsigned kind = random_below(&dice, 3);
    for (unsigned i = 0; i < TENSIX_DST_ROWS * TENSIX_DST_COLUMNS; i++) {
        uint16_t *datum = &data[i / TENSIX_DST_COLUMNS][i % TENSIX_DST_COLUMNS];
        *datum = kind == 0   ? (uint16_t)random_next(&dice)
                 : kind == 1 ? (uint16_t)(random_below(&dice, 3) ? f_word(&dice) >> 16 : 0)
                             : UINT16_C(0x0a7f);
    }
}

static void write_sequences(const struct kernel *kernel)
{
    char text[160];
    for (unsigned i = 0; i < TENSIX_MACROS; i++) {
        uint32_t sequence = kernel->sequence[i];
        snprintf(text, sizeof text, "SFPLOADI 0, 0xa, %u; SFPLOADI 0, 8, %u; SFPCONFIG 0, %u, 0",
                 (unsigned)(sequence & 0xffff), (unsigned)(sequence >> 16), 4 + i);
        run(text);
    }
    snprintf(text, sizeof text, "SFPCONFIG %u, 8, 1", kernel->misc);
    run(text);
}

static void prepare(const struct kernel *kernel, const void *data, bool timed)
{
    unsigned faults = harness.faults;
    tensix_reset(tensix);
    tensix->timing = timed ? &tile_costs : NULL;
    harness.time = 0;
    memcpy(tensix->dst.bits, data, sizeof tensix->dst.bits);
    memset(tensix->dst.cleared, 0, sizeof tensix->dst.cleared);
    tensix_set_thread_field(tensix, 0, TENSIX_FIELD_ADDR_MOD_DST_SEC6_DestIncr, 2);
    tensix->config[0][TENSIX_WORD_ALU_ACC_CTRL_SFPU_Fp32_enabled] |=
        kernel->is_32bit
            ? tensix_field_mask(&tensix_fields[TENSIX_FIELD_ALU_ACC_CTRL_SFPU_Fp32_enabled])
            : 0;
    run(kernel->templates);
    write_sequences(kernel);
    ck_assert_msg(harness.faults == faults, "%s: %s", kernel->name, harness.fault.text);
}

/* Instructions that follow each other without gaps, as from the replay buffer: what is scheduled
 * for the next cycle does not wait. */
static void push_dense(const char *text)
{
    struct tensix_origin origin = {.pc = 0x1000, .pusher = TENSIX_BY_T0};
    while (*text) {
        char line[160];
        size_t length = strcspn(text, ";");
        ck_assert_uint_lt(length, sizeof line);
        memcpy(line, text, length);
        line[length] = 0;
        text += length + (text[length] != 0);
        if (line[strspn(line, " ")]) {
            uint32_t word = tensix_harness_assemble(line);
            while (!tensix_accepts(tensix, 0)) {
                tensix_harness_go(&harness, 1);
            }
            ck_assert(tensix_push(tensix, 0, origin, &word, 1, harness.time));
        }
    }
}

static void run_dense(const char *text)
{
    push_dense(text);
    tensix_harness_go(&harness, 0);
}

static void run_macros(const struct kernel *kernel)
{
    static char text[ROWS * 400];
    unsigned phases = 1;
    while (phases < MOST_PHASES && kernel->rows[phases]) {
        phases++;
    }
    int length = snprintf(text, sizeof text, "%s;", kernel->first ? kernel->first : "");
    for (unsigned i = 0; i < ROWS - kernel->lead; i++) {
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "%s;", kernel->rows[i % phases]);
    }
    snprintf(text + length, sizeof text - (size_t)length, "%s", kernel->last ? kernel->last : "");
    run_dense(text);
}

static void run_plain(const struct kernel *kernel)
{
    run(kernel->plain_first ? kernel->plain_first : "");
    for (unsigned i = 0; i < ROWS; i++) {
        run(kernel->plain);
    }
}

static void compare_dst(const char *what, uint16_t wanted[TENSIX_DST_ROWS][TENSIX_DST_COLUMNS])
{
    if (memcmp(tensix->dst.bits, wanted, sizeof tensix->dst.bits) == 0) {
        return; /* checking each would take long */
    }
    for (unsigned row = 0; row < TENSIX_DST_ROWS; row++) {
        for (unsigned column = 0; column < TENSIX_DST_COLUMNS; column++) {
            ck_assert_msg(tensix->dst.bits[row][column] == wanted[row][column],
                          "%s: Dst[%u][%u] is 0x%04x, not 0x%04x", what, row, column,
                          tensix->dst.bits[row][column], wanted[row][column]);
        }
    }
}

FIXTURE(setup, teardown);

TEST_EACH(kernels_of_llk, COUNT(kernels))
{
    const struct kernel *kernel = &kernels[_i];
    static uint16_t data[TENSIX_DST_ROWS][TENSIX_DST_COLUMNS];
    static uint16_t wanted[TENSIX_DST_ROWS][TENSIX_DST_COLUMNS];
    for (unsigned round = 0; round < 24; round++) {
        fill_dst(data);
        prepare(kernel, data, false);
        run_plain(kernel);
        no_faults(kernel->name);
        memcpy(wanted, tensix->dst.bits, sizeof wanted);
        prepare(kernel, data, round % 2);
        run_macros(kernel);
        no_faults(kernel->name);
        ck_assert_uint_eq(tensix->vector.schedules, 0);
        compare_dst(kernel->name, wanted);
    }
}

/* --- What the page leaves undefined, and what it does not say twice --- */

static void set_macro(unsigned column, unsigned macro, uint32_t sequence, uint16_t misc)
{
    tensix->vector.macro[column].sequence[macro] = sequence;
    tensix->vector.macro[column].misc = misc;
}

static void set_macros(uint32_t sequence, uint16_t misc)
{
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        set_macro(column, 0, sequence, misc);
    }
}

static void set_templates(const char *first, const char *second)
{
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        tensix->vector.macro[column].instruction[0] = tensix_harness_assemble(first);
        tensix->vector.macro[column].instruction[1] = tensix_harness_assemble(second);
    }
}

struct broken {
    const char *what, *templates[2];
    uint32_t sequence;
    const char *text; /* what is issued after the macro */
    enum penrose_fault_kind kind;
    const char *words; /* part of the report */
};

#define UNDEFINED(what, first, second, sequence, text, words)                                      \
    {                                                                                              \
        what, {first, second}, sequence, text, PENROSE_FAULT_TENSIX_UNDEFINED, words               \
    }
#define HAZARD(what, first, second, sequence, text, words)                                         \
    {                                                                                              \
        what, {first, second}, sequence, text, PENROSE_FAULT_VECTOR_HAZARD, words                  \
    }

static const struct broken broken[] = {
    UNDEFINED("source 1", "SFPNOP", "SFPNOP", 1, "", "SFPLOADMACRO: source 1"),
    UNDEFINED("source 1 of the store sub-unit", "SFPNOP", "SFPNOP", UINT32_C(1) << 24, "",
              "source 1"),
    UNDEFINED("SFPNOP to the store sub-unit", "SFPNOP", "SFPNOP", UINT32_C(2) << 24, "",
              "the store sub-unit executes SFPSTORE"),
    UNDEFINED("SFPABS to the store sub-unit", "SFPABS 0, 1, 2, 0", "SFPNOP", UINT32_C(4) << 24, "",
              "the store sub-unit executes SFPSTORE"),
    UNDEFINED("simple and round to the same", "SFPABS 0, 1, 2, 0", "SFPSHFT2 1, 2, 3, 5", 0x050004,
              "", "scheduled SFPABS: a round instruction"),
    UNDEFINED("MAD beside SFPSWAP", "SFPSWAP 0, 1, 2, 1", "SFPMAD 1, 1, 1, 1, 0", 0x0584, "",
              "scheduled SFPSWAP: a MAD instruction"),
    UNDEFINED("after SFPSWAP", "SFPSWAP 0, 1, 2, 1", "SFPNOP", 0x84, "SFPNOP; SFPABS 0, 5, 6, 0",
              "SFPABS: a scheduled SFPSWAP"),
    UNDEFINED("empty stack", "SFPPOPC 0, 0, 0, 0", "SFPNOP", 4, "",
              "scheduled SFPPOPC: the flag stack is empty"),
    UNDEFINED("reserved shift", "SFPNOP", "SFPSHFT2 1, 2, 3, 9", 0x0d0000, "",
              "scheduled SFPSHFT2: Mod1 7 to 15 are reserved"),
    UNDEFINED("reserved rounding", "SFPNOP", "SFP_STOCH_RND 3, 0, 1, 2, 3, 1", 0x050000, "SFPNOP",
              "scheduled SFP_STOCH_RND: rounding mode 3"),
    UNDEFINED("reserved immediate beside a macro", "SFPABS 0, 1, 2, 0", "SFPNOP", 0x04,
              "SFPLOADI 1, 3, 5", "SFPLOADI: Mod0 3"),
    UNDEFINED("stack beside a macro", "SFPMAD 1, 2, 3, 4, 0", "SFPNOP", 0x0400,
              "SFPPUSHC 0, 0, 0, 1", "SFPPUSHC: this Mod1 changes the top"),
    HAZARD("discarded", "SFPABS 0, 1, 2, 0", "SFPNOP", 0x04, "SFPNOT 0, 5, 6, 0",
           "SFPNOT is discarded: a scheduled SFPABS takes the simple sub-unit"),
    HAZARD("early", "SFPMAD 0, 0, 0, 1, 0", "SFPABS 0, 1, 2, 0",
           SEQUENCE(SLOT(0, 1, 5), SLOT(0, 0, 4), 0, 0), "",
           "scheduled SFPABS reads LReg[0] 1 cycle after SFPMAD wrote it"),
};

/* Pushes a macro and what follows it before anything runs. */
static void push_broken(const struct broken *own)
{
    char text[160];
    set_templates(own->templates[0], own->templates[1]);
    set_macros(own->sequence, 0);
    snprintf(text, sizeof text, "SFPLOADMACRO 0, 3, 7, 0;%s", own->text);
    push_dense(text);
}

/* The report shows the instruction that it is about. */
static void check_word(const struct broken *own)
{
    uint32_t word = harness.fault.word;
    bool is_template = word == tensix_harness_assemble(own->templates[0]) ||
                       word == tensix_harness_assemble(own->templates[1]);
    bool is_scheduled = strncmp(harness.fault.text, "scheduled ", 10) == 0;
    const char *name = harness.fault.text + (is_scheduled ? 10 : 0);
    const char *mnemonic = tensix_rows[tensix_row_of(word)].mnemonic;
    ck_assert_msg(is_scheduled == is_template, "%s: %08" PRIx32, own->what, word);
    ck_assert_msg(strncmp(name, mnemonic, strlen(mnemonic)) == 0, "%s: %s", own->what, mnemonic);
}

TEST_EACH(broken_rules, COUNT(broken))
{
    const struct broken *own = &broken[_i];
    push_broken(own);
    tensix_harness_go(&harness, 0);
    ck_assert_msg(harness.faults == 1, "%s: %u faults, %s", own->what, harness.faults,
                  harness.fault.text);
    ck_assert_msg(harness.fault.kind == own->kind && strstr(harness.fault.text, own->words),
                  "%s: %s", own->what, harness.fault.text);
    ck_assert_uint_lt(strlen(harness.fault.text), 150);
    check_word(own);
}

/* Any data, no macros, and an empty flag stack. */
static void draw_again(void)
{
    static struct f_model model;
    tensix_reset(tensix);
    harness.time = 0;
    harness.faults = 0;
    dice = 5;
    f_fill(&model, tensix, &dice);
    memset(model.state.depth, 0, sizeof model.state.depth);
    f_put(&model, tensix);
    tensix_set_thread_field(tensix, 0, TENSIX_FIELD_ADDR_MOD_DST_SEC6_DestIncr, 2);
}

/* Under the policy "stop" a fault comes before anything of its cycle has happened: what goes on
 * after it has the same end as without. */
TEST_EACH(goes_on_after_a_stop, COUNT(broken))
{
    const struct broken *own = &broken[_i];
    static struct tensix wanted;
    draw_again();
    push_broken(own);
    tensix_harness_go(&harness, 0);
    wanted = *tensix;
    draw_again();
    push_broken(own);
    harness.stop = true;
    tensix_harness_go(&harness, 0);
    ck_assert(tensix->stopped);
    ck_assert_uint_eq(harness.faults, 1);
    tensix->stopped = harness.stop = false;
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(harness.faults, 2); /* offered again */
    ck_assert_mem_eq(tensix->vector.lreg, wanted.vector.lreg, sizeof wanted.vector.lreg);
    ck_assert_mem_eq(tensix->vector.generator, wanted.vector.generator,
                     sizeof wanted.vector.generator);
    ck_assert_mem_eq(tensix->vector.stack, wanted.vector.stack, sizeof wanted.vector.stack);
    ck_assert_uint_eq(tensix->vector.flags, wanted.vector.flags);
    ck_assert_uint_eq(tensix->vector.uses_flags, wanted.vector.uses_flags);
    ck_assert_uint_eq(tensix->vector.schedules, 0);
    ck_assert_mem_eq(tensix->dst.bits, wanted.dst.bits, sizeof wanted.dst.bits);
    ck_assert_uint_eq(tensix->thread[0].rwc.dst, wanted.thread[0].rwc.dst);
}

/* ... and nothing at all has happened where the macro itself is wrong. */
TEST(stops_before)
{
    static struct tensix_vector before;
    set_templates("SFPABS 0, 1, 2, 0", "SFPNOP");
    set_macros(1, 0);
    tensix->vector.lreg[0][0] = 77;
    before = tensix->vector;
    harness.stop = true;
    run("SFPLOADMACRO 0, 11, 7, 0");
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert(memcmp(&before, &tensix->vector, sizeof before) == 0);
}

/* A macro in a template is an SFPNOP, in all sub-units that take one. */
TEST(macros_in_templates)
{
    set_templates("SFPLOADMACRO 0, 3, 7, 0", "SFPLOADMACRO 0, 3, 7, 0");
    set_macros(SEQUENCE(4, 5, SLOT(0, 7, 4), 0), 0xf00);
    run("SFPLOADMACRO 0, 3, 7, 0; SFPLOADMACRO 0, 3, 7, 0");
    no_faults("macro in a template");
    for (unsigned i = 0; i < 20; i++) {
        run("SFPNOP");
    }
    ck_assert_uint_eq(tensix->vector.schedules, 0);
}

/* Columns with LoadMacroConfig of their own: another template, another delay, none. */
TEST(columns)
{
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        tensix->vector.lreg[1][lane] = 100 + lane;
        tensix->vector.lreg[2][lane] = 200 + lane;
    }
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        uint32_t *templates = tensix->vector.macro[column].instruction;
        templates[0] = tensix_harness_assemble("SFPMOV 0, 1, 5, 0");
        templates[1] = tensix_harness_assemble("SFPMOV 0, 2, 5, 0");
        set_macro(column, 0, column % 3 == 2 ? 0 : SLOT(0x80, column, 4 + column % 3), 0);
    }
    run_dense("SFPLOADMACRO 0, 11, 7, 0");
    no_faults("columns");
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        unsigned kind = lane % TENSIX_LANE_COLUMNS % 3;
        uint32_t wanted = kind == 0 ? 100 + lane : kind == 1 ? 200 + lane : 0;
        ck_assert_uint_eq(tensix->vector.lreg[0][lane], wanted);
    }
    tensix->vector.macro[3].sequence[0] = UINT32_C(3) << 24;
    run("SFPLOADMACRO 0, 11, 7, 0");
    ck_assert_msg(harness.faults == 1 && strstr(harness.fault.text, "for some columns only"), "%s",
                  harness.fault.text);
}

/* Others see what is stored when its time has come: another unit in a functional run at once, in a
 * timed one after a STALLWAIT. */
TEST_EACH(others_see_stores, 4)
{
    bool timed = _i % 2, waits = _i / 2;
    tensix->timing = timed ? &tile_costs : NULL;
    set_templates("SFPNOP", "SFPNOP");
    set_macros(SEQUENCE(0, 0, 0, SLOT(0x80, 5, 3)), 4);
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        tensix->vector.lreg[0][lane] = 0x40404040;
    }
    memset(tensix->dst.cleared, 0, sizeof tensix->dst.cleared);
    run_dense(waits ? "SFPLOADMACRO 1, 11, 7, 0; STALLWAIT 0x1ff, 0x800; ZEROACC 3, 0, 0, 0, 0"
                    : "SFPLOADMACRO 1, 11, 7, 0; SFPNOP; SFPNOP; SFPNOP; SFPNOP; SFPNOP; SFPNOP;"
                      "SFPNOP; ZEROACC 3, 0, 0, 0, 0");
    no_faults("ZEROACC");
    ck_assert_uint_eq(tensix->vector.schedules, 0);
    ck_assert_uint_ne(tensix->dst.bits[0][0], 0); /* stored before the row was cleared */
    ck_assert_uint_ne(tensix->dst.cleared[0], 0);
}

/* Instructions that count instructions wait for them, however long; a thread does not. */
TEST(waiting_for_instructions)
{
    set_templates("SFPMOV 0, 1, 5, 0", "SFPNOP");
    tensix->vector.lreg[1][5] = 9;
    set_macros(SLOT(0x80, 2, 4), 0x100);
    run("SFPLOADMACRO 0, 11, 7, 0; NOP; NOP; NOP; NOP; STALLWAIT 0x1ff, 0x800; NOP");
    ck_assert_uint_eq(tensix->vector.schedules, 1);
    ck_assert_uint_eq(tensix->vector.lreg[0][5], 0);
    run("SFPNOP");
    ck_assert_uint_eq(tensix->vector.schedules, 1);
    run("SFPNOP; NOP");
    ck_assert_uint_eq(tensix->vector.schedules, 0);
    ck_assert_uint_eq(tensix->vector.lreg[0][5], 9);
    no_faults("waiting");
}
