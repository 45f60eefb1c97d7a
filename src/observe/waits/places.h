/* The purpose of a place that a hart polls, in words. */
#ifndef OBSERVE_WAIT_PLACES_H
#define OBSERVE_WAIT_PLACES_H

#include "chip/chip.h"
#include "observe/waits/lines.h"

/* True when the hart waits for work: it polls a go message of its firmware, the byte by which the
 * tile's main hart starts it, or as base firmware of an Ethernet tile its mailboxes. Says so. */
bool wait_places_for_work(const struct penrose_chip *chip, const struct tile *tile,
                          enum rv32_core core, struct wait_words *words);

/* " at pc 0x00001000 in main+0x10, kernel.h:12, inlined at kernel.cc:34", with the calls
 * that images_calls_text chooses. */
void wait_places_position(struct wait_words *words, struct penrose_chip *chip,
                          const struct tile *tile, uint32_t pc);

/* " (kernel.h:12, inlined at kernel.cc:34)": the line alone, with the same calls; nothing where it is
 * not known. */
void wait_places_line(struct wait_words *words, struct penrose_chip *chip, const struct tile *tile,
                      uint32_t pc);

/* An address, and behind it "(NoC 0: NIU_MST_RD_RESP_RECEIVED, holds 0x5), ...". */
void wait_places_put(struct penrose_chip *chip, struct tile *tile, enum rv32_core core,
                     const struct rv32_idle_place *place, struct wait_words *words);

/* Its kernel has ended: it waits for work, or as the tile's main hart for the others to end. */
bool wait_places_is_done(const struct penrose_chip *chip, const struct tile *tile,
                         enum rv32_core core);

/* A circular buffer, or a stream's counters that nobody knows as such, that a hart polls. */
struct wait_buffer {
    char name[80];    /* "circular buffer 3" */
    bool wants_pages; /* it waits for pages, not for room */
    bool is_empty;
    unsigned beyond; /* so many more were popped than came */
};

/* False where the hart polls nothing of the sort. */
bool wait_places_buffer(const struct penrose_chip *chip, struct tile *tile, enum rv32_core core,
                        struct wait_buffer *buffer);

/* What a place is, without its value: "NoC 0: NIU_MST_RD_RESP_RECEIVED". */
void wait_places_name(struct penrose_chip *chip, struct tile *tile, enum rv32_core core,
                      const struct rv32_idle_place *place, char *name, size_t size);

/* "DRAM (17, 12) at 0x00001000": what a hart reads through the NoC again and again. */
void wait_places_read(const struct penrose_chip *chip, const struct asked *asked, char *text,
                      size_t size);

/* Does a request that software has given wait in a command buffer (--schedule random)? */
bool wait_places_departs(const struct tile *tile, unsigned noc);

/* "NIU_MST_RD_RESP_RECEIVED" for the counter of that number, NULL where there is none. */
const char *wait_places_counter(unsigned counter);

#endif
