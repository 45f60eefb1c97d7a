/*
 * Guest programs on the second harts of Ethernet tiles, which exchange TT-link data: one end begins, the
 * other one answers when all has come. For tests of links and of clusters.
 */
#ifndef LINK_ENDS_H
#define LINK_ENDS_H

#include <penrose/penrose.h>

enum {
    LINK_ROW = 25,
    LINK_CODE = 0x3000,
    LINK_FLAG = 0x1f00, /* which the last transfer of the other end sets */
    LINK_TRANSFERS = 60,
    LINK_REGION = 0x28000,
    LINK_CYCLES = 3000000, /* enough for any pair */
    LINK_PCS_STATUS = 0x800c,
};
#define LINK_REGISTERS UINT32_C(0xffb90000)

struct link_transfer {
    uint32_t start, size, destination, command;
};

/* One end of a link: what it sends, and what the other end's memory is to look like. */
struct link_end {
    struct penrose_chip *chip;
    unsigned x;
    struct link_transfer table[LINK_TRANSFERS];
    uint8_t source[LINK_REGION], image[LINK_REGION];
    uint32_t last_mmio;
};

/* By which link_prepare chooses data. */
extern uint32_t link_seed;

struct penrose_chip *link_open_chip(unsigned threads);
struct penrose_cluster *link_open_cluster(unsigned threads, unsigned chips,
                                          struct penrose_chip **chip);

/* Memory of the Ethernet tile in column x. */
void link_put(struct penrose_chip *chip, unsigned x, uint32_t address, const void *bytes,
              size_t size);
void link_get(struct penrose_chip *chip, unsigned x, uint32_t address, void *bytes, size_t size);
uint32_t link_word(struct penrose_chip *chip, unsigned x, uint32_t address);

/* Lets time pass, in which nothing ends the run. */
void link_pass(struct penrose_chip *chip, uint64_t cycles);

/* To be freed. */
struct link_end *link_new_end(struct penrose_chip *chip, unsigned x);

/* Random transfers, some of them writes of a register; the last sets the other end's flag. */
void link_prepare(struct link_end *end, bool begins);
void link_start(const struct link_end *end);
bool link_has_ended(const struct link_end *end);

/* For penrose_run; `context` is an array of two ends. */
bool link_both_ended(struct penrose_chip *chip, void *context);

/* What `from` sent is in the memory of `to`. */
void link_check_arrived(const struct link_end *from, const struct link_end *to);

#endif
