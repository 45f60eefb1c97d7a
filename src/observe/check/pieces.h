/*
 * What kernels set and use of a tile's coprocessor, for the check config: words of Config and
 * ThreadConfig, GPRs, address counters, the MOP configuration, the replay buffer, semaphores, LRegs,
 * load macros and RWCs, one behind the other.
 *
 * A kernel can rely on what it has set, and on what reset and the firmware leave. Of each piece the
 * bits are known that kernels of this launch have set, and those that hold what a kernel of an
 * earlier launch has left in them, and that differ from what it had found.
 */
#ifndef OBSERVE_CHECK_PIECES_H
#define OBSERVE_CHECK_PIECES_H

#include "tensix/tensix.h"

enum {
    CONFIG_MOP_PIECES = MOP_WORDS + 1, /* of a thread: its words, and the mask of MOP_CFG */
    CONFIG_MACROS = 4,                 /* sequences, and templates of instructions */
    CONFIG_RWCS = 4,                   /* of a thread: SrcA, SrcB, Dst, and the fidelity phase */
    CONFIG_RWC_DST = 2,
    CONFIG_ADC_PIECES = TENSIX_THREADS * TENSIX_ADCS * 2 * TENSIX_ADC_AXES,

    CONFIG_AT_WORDS = 0,
    CONFIG_AT_THREAD_WORDS = CONFIG_AT_WORDS + TENSIX_STATES * TENSIX_STATE_WORDS,
    CONFIG_AT_GPRS = CONFIG_AT_THREAD_WORDS + TENSIX_THREADS * TENSIX_THREAD_WORDS,
    CONFIG_AT_ADCS = CONFIG_AT_GPRS + TENSIX_THREADS * TENSIX_GPRS,
    CONFIG_AT_MOPS = CONFIG_AT_ADCS + CONFIG_ADC_PIECES,
    CONFIG_AT_REPLAYS = CONFIG_AT_MOPS + TENSIX_THREADS * CONFIG_MOP_PIECES,
    CONFIG_AT_SEMAPHORES = CONFIG_AT_REPLAYS + TENSIX_THREADS * REPLAY_ENTRIES,
    CONFIG_AT_LREGS = CONFIG_AT_SEMAPHORES + TENSIX_SEMAPHORES,
    CONFIG_AT_SEQUENCES = CONFIG_AT_LREGS + TENSIX_LREGS, /* of load macros */
    CONFIG_AT_TEMPLATES = CONFIG_AT_SEQUENCES + CONFIG_MACROS,
    CONFIG_AT_RWCS = CONFIG_AT_TEMPLATES + CONFIG_MACROS,
    CONFIG_PIECES = CONFIG_AT_RWCS + TENSIX_THREADS * CONFIG_RWCS,
    CONFIG_MASK = 64, /* pieces of which a mask tells something, a bit each */
};

struct config_piece {
    uint32_t set;        /* bits that this launch has set */
    uint32_t left;       /* bits that an earlier launch has left, */
    uint32_t before;     /* which were this before, */
    uint32_t told;       /* and of which a report tells */
    uint32_t needs;      /* bits that each kernel has to set which uses them, */
    uint32_t firmware;   /* unless the firmware has set them, */
    uint32_t told_unset; /* and of which a report about this launch tells */
    uint32_t last;       /* the value at the end of the latest launch */
    uint32_t pc;         /* who has set it last in this launch, */
    unsigned hart;
    unsigned place;  /* and in the launch that has left it: of `struct config_places`; */
    uint32_t launch; /* which one that was */
    bool is_ever_set;
};

enum { CONFIG_TOLD = 8 };

/* Who has left something, in words. */
struct config_place {
    char text[280];
    unsigned next;                     /* 1 + another place of its slot; 0: there is none */
    unsigned told[CONFIG_TOLD], tolds; /* pieces of which a report tells */
};

enum { CONFIG_SLOTS = 4096, CONFIG_KNOWN = 4096 };

/* An instruction, whatever the tile and the launch: it takes long to find its line. */
struct config_known {
    uint64_t program;     /* check_program_at; 0: it is not known */
    unsigned forgettings; /* of images: its file may be another one since then */
    uint32_t at;          /* from the start of its program on; of one that is not known the pc */
    unsigned hart, place;
};

/* Of all tiles, each text once. */
struct config_places {
    struct config_place *place;
    unsigned count;
    size_t room;
    unsigned slot[CONFIG_SLOTS]; /* by a hash of the text: 1 + the latest place; 0: there is none */
    struct config_known known[CONFIG_KNOWN]; /* the latest ones */
};

/* What math and packer do with the halves of Dst, by a semaphore that counts to two. */
struct config_sections {
    bool is_known;
    unsigned semaphore;
    unsigned done[TENSIX_THREADS]; /* sections that a thread is through with, since SEMINIT */
    bool is_told[TENSIX_THREADS];
};

/* Counters of a thread as its latest instruction has left them. */
struct config_rwcs {
    bool is_known;
    uint32_t src_a, src_b, dst;
};

struct check_config {
    bool is_late;       /* what the launch at hand did at first is not known */
    bool is_after_some; /* a launch has ended before */
    bool has_macros;    /* load macros have executed: what they write is not told */
    struct config_sections sections;
    struct config_rwcs rwc[TENSIX_THREADS];
    uint32_t gpr_set[TENSIX_THREADS * TENSIX_GPRS]; /* bits that this launch has set, by halves */
    struct config_piece piece[CONFIG_PIECES];
    /* Pieces of which there may be something to say to who uses them: few. */
    uint64_t open[(CONFIG_PIECES + CONFIG_MASK - 1) / CONFIG_MASK];
};

/* Bits of a piece that a kernel has to set before it uses them (needs.c). */
uint32_t check_config_needs(unsigned piece);
/* The same of programs without firmware. */
uint32_t check_config_needs_bare(unsigned piece);

#endif
