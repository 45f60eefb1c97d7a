/*
 * A random program: what the generator makes, the shrinker takes apart and both machines run.
 *
 * A program is a list of elements: the words of its initial memory and registers, and items, an
 * instruction each. Elements can be absent (struct choice): an absent item is not in the code, an
 * absent word is 0. Items name their branch targets by item number; an absent target is the next
 * present item, so every choice links.
 *
 * Memory, the same under both machines:
 *   CODE    prologue (loads x1..x31), items, epilogue (stores them, then the Linux calls that
 *           write what is compared to stdout and exit; our hart stops at the first ecall)
 *   WINDOW  4 KiB around the register `base`: pool of constant operands, data, the registers
 *   LOG     right behind: the results of all instructions, in the order of execution
 *   LOCAL   4 KiB of local RAM around the register `local`
 */
#ifndef DIFFTEST_PROGRAM_H
#define DIFFTEST_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "rv32/rv32.h"

#define CODE_ADDRESS   UINT32_C(0x00010000)
#define WINDOW_ADDRESS UINT32_C(0x00080000)
#define LOCAL_ADDRESS  RV32_LOCAL_BASE

enum {
    L1_BYTES = 1536 << 10,
    WINDOW_BYTES = 4096,
    POOL_BYTES = 2048, /* at the window's start; programs never write it */
    SAVED_BYTES = 128, /* x0..x31, at the window's end */
    LOG_BYTES = 960 << 10,
    LOCAL_BYTES = 4096,
    CENTRE = 2048, /* the registers base and local point here, so that offsets reach everything */
    MAX_ITEMS = 100000,
    FRAME_WORDS = 128, /* more than prologue and epilogue have */
};

/* How an item's immediate depends on where its target is. */
enum link {
    LINK_NONE,
    LINK_TARGET,        /* the row's own displacement */
    LINK_RELATIVE_HIGH, /* auipc: the upper part of the distance from here */
    LINK_RELATIVE_LOW,  /* the lower part, seen from that auipc, the item in front */
    LINK_ABSOLUTE_HIGH, /* lui: the upper part of the address */
    LINK_ABSOLUTE_LOW,  /* the lower part */
};

struct item {
    uint32_t word;
    uint16_t row;
    uint32_t target; /* item number; may be the number of items: the epilogue */
    enum link link;
    bool odd;  /* LOW: adds 1, which jalr clears */
    bool glue; /* keeps loops or the log going; is not counted as tested */
};

enum { WINDOW_WORDS = WINDOW_BYTES / 4, LOCAL_WORDS = LOCAL_BYTES / 4 };

struct program {
    uint32_t window[WINDOW_WORDS]; /* initial contents; its end holds the initial registers */
    uint32_t local[LOCAL_WORDS];
    struct item *item;
    uint32_t items;
    unsigned base;      /* the register that points into the window */
    uint32_t log_bytes; /* most that the program can write to the log */
    uint64_t most_instructions;
};

/* One bit an element: the window's words, the words of LOCAL, the items. */
struct choice {
    bool *present;
    uint32_t elements;
};

uint32_t program_elements(const struct program *program);
void program_free(struct program *program);

/* A program as both machines load it. */
struct image {
    const struct program *program;
    uint32_t *code;
    uint32_t *item; /* the item that a word of the code stands for, or IMAGE_FRAME */
    uint32_t words;
    uint32_t window[WINDOW_WORDS];
    uint32_t local[LOCAL_WORDS];
    uint32_t log_bytes;
    uint32_t end_pc; /* behind the first ecall */
};

#define IMAGE_FRAME UINT32_MAX /* prologue and epilogue */

/* Links the present elements (all of them when choice is NULL); false: no memory or too far. */
bool image_link(struct image *image, const struct program *program, const struct choice *choice);
void image_free(struct image *image);

/* True when word number `at` of the code is an instruction under test. */
bool image_is_tested(const struct image *image, uint32_t at);

/* Prints what a reader needs to run the program by hand. */
void image_print(const struct image *image, const struct isa_index *index, FILE *to);

/* The number of the row called `mnemonic`; the table must have it. */
unsigned row_named(const char *mnemonic);

struct operands {
    unsigned rd, rs1, rs2;
    int32_t imm;   /* imm, shamt or target */
    uint32_t rest; /* where bits of fields with other names come from: aq and rl, pred, ... */
};

/* The instruction of a row; false when an operand does not fit. */
bool row_encode(unsigned row, const struct operands *operands, uint32_t *word);

/* The field of the row's format with this name (shown or hidden), or NULL. */
const struct isa_field *row_field(unsigned row, const char *name);

#endif
