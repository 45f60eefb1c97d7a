/* What the parts of the check uninit share. gprs.c follows what goes through GPRs, carried.c what goes
 * through other units, and uninit.c, above them, all else. */
#ifndef OBSERVE_CHECK_UNDEFINED_H
#define OBSERVE_CHECK_UNDEFINED_H

#include "observe/check/check.h"
#include "tensix/src_file.h"

enum origin_kind {
    ORIGIN_L1,
    ORIGIN_LOCAL,
    ORIGIN_STACK,
    ORIGIN_REGISTER,
    ORIGIN_GPR,
    ORIGIN_ROWS,
    ORIGIN_BROUGHT,
};

/* Where undefined bits come from. */
struct uninit_origin {
    enum origin_kind kind;
    bool is_dram;      /* BROUGHT */
    bool is_computed;  /* an instruction has made another value of them */
    uint32_t taken_at; /* the hart has loaded them here, or has made that value of its register */
    unsigned hart;     /* that has made the frame, or asked for the data */
    uint32_t pc;       /* with this instruction; L1: that has loaded them */
    uint32_t address;  /* or the number of the register, or the GPR */
};

struct uninit_gpr {
    uint32_t undefined; /* bits that come from L1 */
    struct uninit_origin origin;
};

struct uninit_gprs {
    struct uninit_memory *l1; /* of the tile */
    struct uninit_gpr gpr[TENSIX_THREADS * TENSIX_GPRS];
};

/* What is wrong with a row or an LReg. Of two that go into one the greater one counts. */
enum uninit_content {
    UNINIT_FINE,
    UNINIT_UNWRITTEN, /* nobody has written it, or what has gone into it */
    UNINIT_BROUGHT,   /* it comes from bytes of L1 that nobody has written */
};

struct uninit_rows {
    struct uninit_memory *l1;     /* of the tile */
    uint8_t dst[TENSIX_DST_ROWS]; /* enum uninit_content, */
    uint8_t src[TENSIX_SRCS * TENSIX_SRC_FILE_BANKS * TENSIX_SRC_FILE_ROWS];
    uint8_t lreg[TENSIX_LREGS];
    struct uninit_origin origin;    /* of the latest bytes, */
    struct uninit_origin unwritten; /* and of rows: who has computed with them */
    uint16_t macros;                /* the Vector Unit's latest load macro */
};

enum {
    UNINIT_PAGE_SHIFT = 16,
    UNINIT_PAGE_BYTES = 1 << UNINIT_PAGE_SHIFT,
    UNINIT_TAINTS = 64, /* whose origins are known, the latest */
};

/* Bytes that are tainted, or were. */
struct uninit_taint {
    uint64_t first;
    uint32_t size;
    bool matters; /* to a host that reads them: the instruction at `pc` has made or sent them */
    uint16_t node;
    unsigned hart;
    uint32_t pc;
    struct uninit_origin origin;
};

struct uninit_memory {
    struct uninit_page **page;
    unsigned pages;
    const uint8_t *bytes; /* NULL: of GDDR */
    struct uninit_taint taint[UNINIT_TAINTS];
    unsigned taints; /* ever */
};

/* --- undefined.c --- */

/* The bytes are defined, of any content. */
void uninit_define(struct uninit_memory *memory, uint64_t address, uint64_t size);

/* Is the byte undefined? How many are, of so many? */
bool uninit_is_undefined(struct uninit_memory *memory, uint64_t address);
uint32_t uninit_count(struct uninit_memory *memory, uint64_t address, uint32_t size);

/* An undefined value stands in the byte, and in the bytes that `taint` names. */
void uninit_taint_byte(struct uninit_memory *memory, uint64_t address);
void uninit_note_taint(struct uninit_memory *memory, const struct uninit_taint *taint);

/* The latest that holds the byte; NULL: it is not known any more, or the byte was never written. */
const struct uninit_taint *uninit_find_taint(const struct uninit_memory *memory, uint64_t address);

/* Where a byte of L1 that the instruction at `pc` reads comes from. */
struct uninit_origin uninit_origin_in(struct uninit_memory *memory, uint32_t address, uint32_t pc);

/* A request has copied bytes; `made` tells whose it is. NULL for `from`: they are defined. */
void uninit_copy(struct uninit_memory *to, uint64_t to_address, struct uninit_memory *from,
                 uint64_t from_address, uint32_t size, const struct uninit_taint *made);

void uninit_free_memory(struct uninit_memory *memory);

/* Reports that the instruction at `pc` does `what` with such bits. */
void uninit_report(const struct check_scene *scene, unsigned hart, uint32_t pc,
                   const struct uninit_origin *origin, const char *what);

/* The undefined bytes of up to 16 of L1, a bit each, and where the first of them comes from. */
uint32_t uninit_find(const struct check_scene *scene, struct uninit_memory *l1, uint32_t address,
                     uint32_t size, struct uninit_origin *origin);

/* An instruction of a unit has stored such bytes of 16 to L1, a bit each. */
void uninit_store(const struct check_scene *scene, struct uninit_memory *l1, uint32_t address,
                  uint32_t bytes, const struct uninit_origin *origin);

/* --- gprs.c --- */

/* An instruction of a unit has executed, and what it has written to L1 counts as defined. */
void uninit_gpr_unit(const struct check_scene *scene, struct uninit_gprs *gprs);

/* A hart has loaded a GPR of all threads': its undefined bits, and where they come from. */
uint32_t uninit_gpr_loaded(const struct check_scene *scene, const struct uninit_gprs *gprs,
                           unsigned index, struct uninit_origin *origin);

/* --- carried.c --- */

struct uninit_pieces;

/* An instruction of a unit has executed, or a part of it; `own`, and `pieces` for what it reads and
 * writes, are made if need be. */
void uninit_rows_unit(const struct check_scene *scene, struct uninit_memory *l1,
                      struct uninit_rows **own, struct uninit_pieces **pieces);
/* What is wrong with rows was reported (NULL: there are none). */
void uninit_rows_forgive(struct uninit_rows *own);

#endif
