/*
 * One hart on a bench: 64 KiB of L1, 4 KiB of local RAM, a bus that records and follows a script.
 *
 * The words_* functions encode RISC-V instructions straight from the formats of the unprivileged
 * ISA manual and know nothing of src/rv32: tests that use them check encodings, too.
 */
#ifndef TESTS_RV32_HARNESS_H
#define TESTS_RV32_HARNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "rv32/code.h"
#include "rv32/rv32.h"
#include "unit/test.h"

enum {
    HARNESS_L1_BYTES = 64 << 10,
    HARNESS_LOCAL_BYTES = 4 << 10,
    HARNESS_LOG = 64,
    HARNESS_STATUSES = 10,
};

enum harness_mode { HARNESS_BURST, HARNESS_STEPS, HARNESS_MODES };

struct harness_push {
    uint32_t instruction;
    uint64_t cycle;
};

struct harness {
    struct rv32_hart hart;
    struct rv32_code code;
    struct rv32_code_store *store;
    struct rv32_bus bus;
    struct rv32_page *map[HARNESS_L1_BYTES / RV32_PAGE_BYTES];
    uint8_t l1[HARNESS_L1_BYTES];
    uint8_t marks[HARNESS_L1_BYTES >> RV32_L1_MARK_SHIFT];
    uint8_t local[HARNESS_LOCAL_BYTES];
    uint64_t now;
    enum harness_mode mode; /* one call of rv32_run, or one call an instruction */

    /* What the bus answers outside L1: first `waits` times ANSWER_WAIT (fences, too), then
     * `reply`. */
    unsigned waits;
    enum answer reply;
    uint32_t value; /* of loads */
    uint32_t status[HARNESS_STATUSES];

    /* What the bus has seen outside L1, and how often. Refused accesses are not counted. */
    struct rv32_access log[HARNESS_LOG];
    struct harness_push pushed[HARNESS_LOG];
    unsigned accesses, pushes, fences;

    struct harness *next; /* of those that exist */
};

/* A hart that has just left reset with pc 0; the test fails when memory runs out. */
struct harness *harness_create(enum rv32_core core);
void harness_destroy(struct harness *h);

/* Those that a test has left; each program has this behind each test. */
void harness_destroy_all(void);

/* As created, but what L1 and local RAM hold stays. */
void harness_reset(struct harness *h);

/* Writes words to L1 as another agent would; what was decoded from there is forgotten. */
void harness_words(struct harness *h, uint32_t address, const uint32_t *words, unsigned count);
void harness_put_word(struct harness *h, uint32_t address, uint32_t word);

/* Assembles a program, one instruction a line, NULL at its end. Returns the address after it. */
uint32_t harness_program(struct harness *h, uint32_t address, const char *const *lines);

/* One assembled instruction; the test fails where the assembler does not take it. */
uint32_t harness_encode(const char *text, uint32_t pc);

/* Runs at most `count` instructions from hart.pc. Ends early when something stops the hart.
 * Returns how many cycles were used. */
unsigned harness_run(struct harness *h, unsigned count);

/* Writes one instruction to `pc` and runs it. */
void harness_execute(struct harness *h, uint32_t pc, uint32_t word);

/* The same for one that must not stop the hart. */
void harness_do(struct harness *h, uint32_t word);

/* Checks that the hart stopped at a fault of this kind, at `pc`, with `word`. */
void harness_check_fault(const struct harness *h, enum penrose_fault_kind kind, uint32_t pc,
                         uint32_t word);

/* Checks what the disassembler makes of a word. */
void harness_check_text(const struct harness *h, uint32_t word, uint32_t pc, const char *text);

/* Checks that the word prints with this mnemonic. */
void harness_check_mnemonic(const struct harness *h, uint32_t word, const char *mnemonic);

uint32_t harness_load(struct harness *h, uint32_t address, unsigned size);
void harness_store(struct harness *h, uint32_t address, unsigned size, uint32_t value);

/* xorshift; the state must not be 0 */
uint32_t harness_random(uint64_t *state);

/* A random word with many values near the boundaries of 8, 16 and 32 bits. */
uint32_t harness_random_word(uint64_t *state);

/* Checks that each word disassembles to its text and, both ways, each text assembles to its word. */
struct harness_encoding {
    uint32_t word;
    const char *text;
};
void harness_check_encodings(const struct harness_encoding *encodings, int count, bool both_ways);

/* --- Encodings --- */

enum { X0, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5 };

enum word_opcode {
    OPCODE_LOAD = 0x03,
    OPCODE_LOAD_FP = 0x07,
    OPCODE_OP_IMM = 0x13,
    OPCODE_STORE = 0x23,
    OPCODE_STORE_FP = 0x27,
    OPCODE_AMO = 0x2f,
    OPCODE_OP = 0x33,
    OPCODE_FMADD = 0x43,
    OPCODE_FMSUB = 0x47,
    OPCODE_FNMSUB = 0x4b,
    OPCODE_FNMADD = 0x4f,
    OPCODE_OP_FP = 0x53,
    OPCODE_OP_V = 0x57,
    OPCODE_BRANCH = 0x63,
    OPCODE_SYSTEM = 0x73,
};

enum csr_funct { CSR_RW = 1, CSR_RS = 2, CSR_RC = 3, CSR_RWI = 5, CSR_RSI = 6, CSR_RCI = 7 };

uint32_t words_r(uint32_t opcode, uint32_t funct3, uint32_t funct7, uint32_t rd, uint32_t rs1,
                 uint32_t rs2);
uint32_t words_r4(uint32_t opcode, uint32_t funct3, uint32_t fmt, uint32_t rd, uint32_t rs1,
                  uint32_t rs2, uint32_t rs3);
uint32_t words_i(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1, int32_t immediate);
uint32_t words_s(uint32_t opcode, uint32_t funct3, uint32_t rs2, uint32_t rs1, int32_t immediate);
uint32_t words_b(uint32_t funct3, uint32_t rs1, uint32_t rs2, int32_t displacement);
uint32_t words_j(uint32_t rd, int32_t displacement);
uint32_t words_csr(enum csr_funct funct, uint32_t rd, uint32_t number, uint32_t rs1);

#define WORD_NOP    UINT32_C(0x00000013)
#define WORD_EBREAK UINT32_C(0x00100073)
#define WORD_ECALL  UINT32_C(0x00000073)
#define WORD_MRET   UINT32_C(0x30200073)

#endif
