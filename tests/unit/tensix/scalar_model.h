/* See scalar_model.c. */
#ifndef SCALAR_MODEL_H
#define SCALAR_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    L1_BYTES = 1536 * 1024,
    CONFIG_WORDS = 56 * 4,
    GLOBAL_FROM = 180,
    THCON_FROM = 64,
    RESET_WORD = 4,
    SCRATCH_FROM = 209,
    STREAM_ID_FROM = 59,
    DEVICES = 8,
    OPERANDS = 7,
    FORMS = 34,
};

struct counter {
    uint32_t now, checkpoint;
};

struct world {
    uint8_t file[3][256];
    uint32_t config[2][CONFIG_WORDS];
    uint16_t own[3][68];            /* ThreadConfig */
    struct counter adc[3][3][2][4]; /* thread, unit, channel, axis; all bits that were written */
    uint8_t *l1;
    uint32_t device[DEVICES]; /* registers behind LOADREG, STOREREG and STOREIND */
};

/* UNDEFINED: a fault, nothing happens. BLOCKED: it waits for L1. UNWANTED: no test can be made of
 * it, because the pages do not say what it does. In all three cases the world is as it was. */
enum outcome { DONE, UNDEFINED, BLOCKED, UNWANTED };

/*
 * Operands, a letter each: r a register, h half a register, b c d e f k n s g that many random bits
 * (1, 2, 3, 4, 5, 8, 9, 10, 16), m a mode, i a configuration word, j one of ThCon's, t one of
 * ThreadConfig, x a device, l a packer signal, p 6 bits, v 2 or 3; a digit stands for itself.
 */
struct form {
    const char *mnemonic, *operands;
    enum outcome (*means)(struct world *w, unsigned thread, const unsigned *operands);
    int address, offset; /* the operands that make an address, or -1 */
    bool device;         /* it is a device's */
};

extern const struct form forms[FORMS];
extern const uint32_t devices[DEVICES];

/* Little-endian bytes. */
uint32_t bytes_get(const uint8_t *from, unsigned size);
void bytes_put(uint8_t *to, unsigned size, uint32_t value);

uint32_t reg_get(const struct world *w, unsigned thread, unsigned reg);

/* What registers of streams hold, for ever. */
uint32_t stream_value(unsigned stream, unsigned index);

#endif
