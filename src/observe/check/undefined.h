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
    struct uninit_gpr gpr[TENSIX_THREADS * TENSIX_GPRS];
};

/* What is wrong with a row or an LReg. Of two that go into one the greater one counts. */
enum uninit_content {
    UNINIT_FINE,
    UNINIT_UNWRITTEN, /* nobody has written it, or what has gone into it */
    UNINIT_BROUGHT,   /* it comes from bytes of L1 that nobody has written */
};

struct uninit_rows {
    uint8_t dst[TENSIX_DST_ROWS]; /* enum uninit_content, */
    uint8_t src[TENSIX_SRCS * TENSIX_SRC_FILE_BANKS * TENSIX_SRC_FILE_ROWS];
    uint8_t lreg[TENSIX_LREGS];
    struct uninit_origin origin;    /* of the latest bytes, */
    struct uninit_origin unwritten; /* and of rows: who has computed with them */
    uint16_t macros;                /* the Vector Unit's latest load macro */
};

/* --- uninit.c --- */

/* Reports that the instruction at `pc` does `what` with such bits. */
void uninit_report(const struct check_scene *scene, unsigned hart, uint32_t pc,
                   const struct uninit_origin *origin, const char *what);

/* The undefined bytes of up to 16 of L1, a bit each, and where the first of them comes from. */
uint32_t uninit_find(const struct check_scene *scene, uint32_t address, uint32_t size,
                     struct uninit_origin *origin);

/* An instruction of a unit has stored such bytes of 16 to L1, a bit each, at least one. */
void uninit_store(const struct check_scene *scene, uint32_t address, uint32_t bytes,
                  const struct uninit_origin *origin);

/* --- gprs.c --- */

/* An instruction of a unit has executed, and what it has written to L1 counts as defined. */
void uninit_gpr_unit(const struct check_scene *scene, struct uninit_gprs *gprs);

/* A hart has loaded a GPR: its undefined bits, and where they come from. */
uint32_t uninit_gpr_loaded(const struct check_scene *scene, struct uninit_gprs *gprs,
                           struct uninit_origin *origin);
/* A hart has stored to a GPR. */
void uninit_gpr_stored(const struct check_scene *scene, struct uninit_gprs *gprs);

/* --- carried.c --- */

/* An instruction of a unit has executed, or a part of it; `own` is made if need be. */
void uninit_rows_unit(const struct check_scene *scene, struct uninit_rows **own);
/* What is wrong with rows was reported (NULL: there are none). */
void uninit_rows_forgive(struct uninit_rows *own);

#endif
