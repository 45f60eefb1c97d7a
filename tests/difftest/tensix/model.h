/*
 * What the reference accepts of the data path: the state that decides whether an instruction may be
 * executed, and for each row the rule. It knows counters, configuration, who has which bank of Src,
 * and a little about data (see narrow and ones), but computes no data.
 *
 * Each rule states what ttsim refuses, or what is undefined by the ISA's pages; nothing else is
 * left out. Programs, and what the shrinker makes of them, are kept to it.
 */
#ifndef DIFFTEST_TENSIX_MODEL_H
#define DIFFTEST_TENSIX_MODEL_H

#include "state.h"

/* Places in L1. What is packed, what Dst held, what Src held: they follow each other, and are read
 * by the host when the program has ended. */
#define SCENE_INPUT  UINT32_C(0x00108000)
#define SCENE_ONES16 UINT32_C(0x00128000) /* BF16 */
#define SCENE_ONES32 UINT32_C(0x00129000) /* FP32 */
#define SCENE_ZERO   UINT32_C(0x0012f000) /* nobody writes here */
#define SCENE_OUT    UINT32_C(0x0014c000)
#define SCENE_DST    UINT32_C(0x00150000)
#define SCENE_SRC    UINT32_C(0x00158000)

enum {
    SCENE_ONES_BYTES = 0x1000,
    SCENE_OUT_BYTES = 0x4000,
    SCENE_DST_BYTES = 0x8000,
    SCENE_SRC_BYTES = 0x4000,
    SCENE_BYTES = SCENE_OUT_BYTES + SCENE_DST_BYTES + SCENE_SRC_BYTES,
};

enum { SRC_A, SRC_B, SRCS };
enum { MODEL_DST_ROWS = 1024, MODEL_DST32_ROWS = 512, MODEL_SRC_ROWS = 64 };
enum { THREAD_WORDS = 68, ADC_PACKER = 2, ADC_UNITS = 3 };
enum { XYZW = 4 };

/* Programs of the Vector Unit store to rows of Dst below this one; the epilogue has the others. */
enum { MODEL_FLAG_STACK = 8, MODEL_VECTOR_ROWS = 864 };

struct model_adc {
    uint32_t at[XYZW], cr[XYZW];
};

struct model_rwc {
    uint32_t at, cr;
};

struct model_counters {
    struct model_rwc src[SRCS], dst;
    uint32_t fidelity;
    struct model_adc adc[ADC_UNITS][2];
};

struct model_bank {
    bool valid; /* the Matrix Unit has it */
    uint8_t format;
    uint64_t narrow; /* rows whose data have exponents of five bits, a bit each */
    uint64_t ones;   /* rows that hold 1.0 */
};

struct model_src {
    struct model_bank bank[2];
    uint8_t unpack, matrix;
};

/* Flags of the Vector Unit's lanes, at one level of the stack. */
struct model_flags {
    bool uses; /* they decide which lanes are enabled */
    bool full; /* known to be set in all lanes */
};

struct model_vector {
    bool started; /* an SFPENCC has said what the flags are: after a reset libraries differ */
    struct model_flags level[MODEL_FLAG_STACK + 1]; /* [depth] are those in use */
    unsigned depth;
    bool posted;         /* T0 has: the data are in Dst */
    bool ready[THREADS]; /* the thread has waited for that */
    bool known;          /* LReg[0] holds the same in all lanes: */
    uint32_t value;      /* this */
    uint32_t lane_config;
};

struct model {
    uint32_t config[2][CONFIG_WORDS];
    uint16_t thread_config[THREADS][THREAD_WORDS];
    uint32_t gpr[THREADS][GPRS];
    struct model_counters counters[THREADS];
    struct model_src src[SRCS];
    bool in_tile;                       /* the packer is in the middle of one */
    uint32_t pack_data, pack_exponents; /* where it goes on */
    uint32_t pack_start;                /* of the tile's data */
    uint64_t cleared;                   /* blocks of 16 rows of Dst, by ZEROACC of such a block */
    uint8_t pack_position;              /* row in the xy plane, by Blackhole's page */
    struct model_vector vector;
};

void model_init(struct model *model);

/* Executes a step; false: it must not be executed now, and the model is no longer usable. */
bool model_step(struct model *model, const struct step *step);

/* The same for an instruction. */
bool model_execute(struct model *model, unsigned thread, uint32_t word);

/* Remapping and swizzling of Dst are on. The reference stores Dst as without them, so that only one
 * width agrees: all of such a scene is 32 bits wide. */
bool model_is_remapped(const struct model *model);

/* A program that the model accepts to its end. *model is then as it leaves it. */
bool model_accepts(struct model *model, const struct program *program);

/* Are all lanes of the Vector Unit enabled, whatever the data? */
bool model_all_enabled(const struct model *model);

/* The row of Dst that SFPLOAD and SFPSTORE address. */
uint32_t model_vector_row(const struct model *model, unsigned thread, uint32_t imm10);

/* The format that instructions of the thread see in the Matrix Unit's bank of SrcA or SrcB. */
unsigned model_src_format(const struct model *model, unsigned thread, unsigned src);

#endif
