/* The runner of each row of tensix.def: where the table meets the execution units. */
#include "tensix/exec.h"
#include "tensix/fixed_bits.h"

_Static_assert((int)TENSIX_UNIT_COUNT == (int)TENSIX_UNITS, "tensix.h counts the units of table.h");
_Static_assert(TENSIX_ROWS < 256, "row numbers fit a byte");

/* Rows by unit. */
tensix_runner tensix_run_misplaced, tensix_run_stub;
#define RUN_FRONTEND(token) tensix_run_misplaced
#define RUN_SYNC(token)     tensix_run_##token
#define RUN_MATRIX(token)   tensix_run_##token
#define RUN_VECTOR(token)   tensix_run_##token
#define RUN_UNPACK(token)   tensix_run_##token
#define RUN_PACK(token)     tensix_run_##token
#define RUN_SCALAR(token)   tensix_run_##token
#define RUN_CONFIG(token)   tensix_run_##token
#define RUN_MOVER(token)    tensix_run_##token
#define RUN_MISC(token)     tensix_run_##token

#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    tensix_runner RUN_##unit(token);
#define STUB(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)
#include "tensix.def"

#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    RUN_##unit(token),
#define STUB(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    tensix_run_stub,
tensix_runner *const tensix_runners[TENSIX_ROWS] = {
#include "tensix.def"
};

/* Later rows of an opcode replace earlier ones, which is what is wanted here. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winitializer-overrides"
#pragma clang diagnostic ignored "-Wgnu-designator"
#elif defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    [opcode] = TENSIX_ROW_##token + 1,
#define STUB INSN
const uint8_t tensix_last_row[256] = {
#include "tensix.def"
};

#define OP(token, opcode, runner)                                                                  \
    {UINT32_C(0xff) << 24 | mask_##token, UINT32_C(opcode) << 24 | match_##token, runner},

/* No word is found where nothing is masked and something must match. */
#define NEVER                                                                                      \
    {                                                                                              \
        0, 1, NULL                                                                                 \
    }
#define PLAIN_FRONTEND(token, opcode)
#define PLAIN_SYNC(token, opcode)   [opcode] = OP(token, opcode, RUN_SYNC(token))
#define PLAIN_MATRIX(token, opcode) [opcode] = OP(token, opcode, RUN_MATRIX(token))
#define PLAIN_VECTOR(token, opcode) [opcode] = OP(token, opcode, RUN_VECTOR(token))
#define PLAIN_UNPACK(token, opcode) [opcode] = OP(token, opcode, RUN_UNPACK(token))
#define PLAIN_PACK(token, opcode)   [opcode] = OP(token, opcode, RUN_PACK(token))
#define PLAIN_SCALAR(token, opcode) [opcode] = OP(token, opcode, RUN_SCALAR(token))
#define PLAIN_CONFIG(token, opcode) [opcode] = OP(token, opcode, RUN_CONFIG(token))
#define PLAIN_MOVER(token, opcode)  [opcode] = OP(token, opcode, RUN_MOVER(token))
#define PLAIN_MISC(token, opcode)   [opcode] = OP(token, opcode, RUN_MISC(token))
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    PLAIN_##unit(token, opcode)
#define STUB(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)
const struct tensix_op tensix_plain_ops[256] = {
    [0 ... 255] = NEVER,
#include "tensix.def"
};
#if defined(__clang__)
#pragma clang diagnostic pop
#elif defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
