/*
 * Last writers: notes, while a chip runs, which agent changed chosen data of a tile last, and from
 * which inputs. In memory every write counts; in the coprocessor every instruction that changes the
 * value. This is an observer: the chip runs several times slower, and goes the same way as without
 * it.
 */
#ifndef OBSERVE_EXPLAIN_WRITERS_H
#define OBSERVE_EXPLAIN_WRITERS_H

#include <penrose/debug.h>

#include "observe/observer.h"

enum writers_kind {
    WRITERS_L1,    /* the 32-bit word at index, in bytes */
    WRITERS_LOCAL, /* the same of the local RAM of hart `part`, from its beginning */
    WRITERS_DST16, /* row * 16 + column of Dst as 16-bit data */
    WRITERS_DST32, /* the same as 32-bit data */
    WRITERS_SRC,   /* row * 16 + column of SrcA (part 0 and 1: its banks) or SrcB (2 and 3) */
    WRITERS_LREG,  /* LReg * 32 + lane */
    WRITERS_FIELD, /* what penrose_tensix_read calls `name` */
    WRITERS_KINDS,
};

enum { WRITERS_NAME = 96, WRITERS_SOURCES = 8, WRITERS_MOST_STATE = 256 };

struct writers_datum {
    enum writers_kind kind;
    unsigned part;
    uint32_t index;
    char name[WRITERS_NAME]; /* WRITERS_FIELD */
};

/* What a value was made from: a word of memory that a hart has loaded, or what a unit has read. */
struct writers_source {
    uint32_t address;     /* as its reader sees it */
    uint64_t value;       /* that was loaded; of a range a hash of what was read */
    uint64_t sequence;    /* when */
    bool is_l1;           /* it is there */
    bool is_register;     /* it is no memory */
    bool was_written;     /* before, by anybody in this run */
    bool was_overwritten; /* since, by anybody */
};

/* What the coprocessor holds. */
enum writers_part {
    WRITERS_PART_DST,
    WRITERS_PART_SRC,
    WRITERS_PART_LREGS,
    WRITERS_PART_CONFIG,
    WRITERS_PARTS
};

/* A write: its agent, time, instruction and inputs. */
struct writers_record {
    bool is_written;   /* false: nobody since the chip was made; the rest is zero */
    uint64_t sequence; /* of events of the tile: greater is later */
    struct observed event;
    unsigned x, y;           /* the tile whose program has event.pc */
    unsigned peer_x, peer_y; /* of a packet or a frame: the tile that it came from, */
    unsigned peer_chip;      /* and the chip */
    char instruction[96];    /* of a hart or the coprocessor; "" */
    /* What it was made from. A range is two of them: the first and the last address that an unpacker
     * or the mover has read. */
    struct writers_source source[WRITERS_SOURCES];
    unsigned sources;
    bool is_range;
    uint64_t held[WRITERS_PARTS]; /* hashes of what the coprocessor held before it */
    /* Of a packet that brought the word from the L1 of the peer: from where, and when it left. */
    struct writers_origin {
        bool is_known;
        uint32_t address;
        uint64_t cycle;
    } origin;
    /* Of a packer's write: the first change of Dst after it. */
    struct writers_dst_change {
        bool is_there;
        uint64_t cycle;
        uint32_t pc, word;
        unsigned thread;
    } later;
    /* Of what the coprocessor wrote: the first instruction of the tile before it that has read a GPR
     * while the result of a memory request for it was still under way (timed runs). */
    struct writers_early_read {
        bool is_there;
        uint64_t cycle;
        uint32_t pc, word;
        unsigned thread, gpr;
    } early;
    char later_instruction[96], early_instruction[96]; /* the texts of their words; "" */
};

/* The last events that count: of a cycle of the tile, of a number as records have it. */
struct writers_limit {
    uint64_t cycle, sequence;
};

struct writers;

/*
 * Begins to watch data of the tile (x, y). Of what is no memory the first WRITERS_MOST_STATE of each
 * kind are watched. PENROSE_E_ARGUMENT: no such tile; PENROSE_E_MEMORY, PENROSE_E_STATE (too many
 * observers). Events behind `until` do not count.
 */
enum penrose_status writers_start(struct penrose_chip *chip, unsigned x, unsigned y,
                                  const struct writers_datum *data, size_t count,
                                  struct writers_limit until, struct writers **writers,
                                  struct penrose_error *error);

/* The record of datum `index`; NULL where it was not watched. */
const struct writers_record *writers_record(const struct writers *writers, size_t index);

/* Ends; before the chip is destroyed. NULL does nothing. */
void writers_end(struct writers *writers);

#endif
