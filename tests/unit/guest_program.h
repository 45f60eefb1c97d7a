/*
 * Programs of harts, written line by line, for tests that look at what comes of them through the
 * public headers alone. A program of a hart: guest_begin, what it shall do (say...), guest_finish.
 *
 * Sources in cases by short names: "page X" is tt-isa-documentation, BlackholeA0 where it has X,
 * WormholeB0 else; "yaml" is tt_llk_blackhole/instructions/assembly.yaml; "cfg_defines" the header of
 * that name for Blackhole, "hal" the comments of llk_lib/hal/cfg on its fields, "overlay parameters"
 * its noc_overlay_parameters.h; "seed X" is a founding document, "ttsim" the vendor's simulator.
 * Where sources leave a choice, cases have what docs/DEVIATIONS.md decides, and their comment the
 * rest.
 */
#ifndef TESTS_GUEST_PROGRAM_H
#define TESTS_GUEST_PROGRAM_H

#include <penrose/debug.h>
#include <penrose/penrose.h>

#include "unit/test.h"

enum {
    GUEST_X = 1,
    GUEST_Y = 2,
    GUEST_CODE = 0x10000,      /* of hart 0; others follow */
    GUEST_CODE_BYTES = 0x4000, /* of one hart */
    GUEST_RESULTS = 0x40000,   /* words that programs leave */
    GUEST_INPUT = 0x50000,     /* what is unpacked */
    GUEST_OUTPUT = 0x60000,    /* what is packed */
    GUEST_RESULT_WORDS = 16,   /* which begin as */
    GUEST_UNTOUCHED = 0x5555,
    GUEST_DST_ROWS_16 = 1024,
    GUEST_DST_ROWS_32 = 512,
};

#define GUEST_DST        UINT32_C(0xffbd8000)
#define GUEST_PC_BUF     UINT32_C(0xffe80000)
#define GUEST_MAILBOX(i) (UINT32_C(0xffec0000) + 0x1000 * (i))
#define GUEST_CONFIG(i)  (UINT32_C(0xffef0000) + 4 * (i))
/* tensix.h */
#define GUEST_PC_BUF_OVERRIDE UINT32_C(0xffb12090)
#define GUEST_RESET_PC(trisc) (UINT32_C(0xffb12228) + 4 * (trisc))
/* overlay parameters */
#define GUEST_STREAM(stream, reg) (UINT32_C(0xffb40000) + 0x1000 * (stream) + 4 * (reg))

enum { GUEST_CONTEXTS_WORD = 41 }; /* UNPACK_MISC_CFG of cfg_defines */

extern struct penrose_chip *guest_chip;
extern struct penrose_error guest_error;
extern uint32_t guest_next_word; /* where the next word of the program goes */

/* For FIXTURE: a chip, whose words at GUEST_RESULTS are GUEST_UNTOUCHED. */
void guest_open(void);
void guest_close(void);

void guest_put(uint32_t address, const void *bytes, size_t size);
void guest_put_word(uint32_t address, uint32_t word);
uint32_t guest_word(uint32_t address);
uint32_t guest_named(const char *name);
void guest_dst_row(unsigned row, enum penrose_dst_format format,
                   uint32_t datum[PENROSE_DST_COLUMNS]);
/* Of the bank that unpackers begin with. */
void guest_srca_row(unsigned row, uint32_t datum[PENROSE_SRC_COLUMNS]);

void guest_begin(enum penrose_hart hart);
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);
void say_load(const char *reg, uint32_t value);
void say_store(uint32_t address, uint32_t value);
/* Reads a register, and leaves what it said in a word of GUEST_RESULTS. */
void say_read(uint32_t address, unsigned result);
void say_tensix(const char *text);
void say_setc16(unsigned reg, unsigned value);
/* A Tensix instruction whose fields no macro names; TRISCs fetch them turned left by two bits. */
void say_tensix_word(uint32_t word);
/* Waits until the thread's instructions are done; page ManualTTSync. */
void say_settle(void);
/* Stores `count` numbers that go up by one, of 2 or 4 bytes. */
void say_fill(uint32_t address, uint32_t first, unsigned count, unsigned bytes);

/* Lets the program run until nothing happens any more. */
void guest_run(void);
void guest_start(enum penrose_hart hart);
struct penrose_hart_info guest_hart(enum penrose_hart hart);
void guest_finish(enum penrose_hart hart);
void guest_expect_done(void);
/* The instruction of a thread waits at its gate. */
void guest_expect_wait(unsigned thread);

#endif
