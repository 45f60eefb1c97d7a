/* Which function starts a word, by row and by opcode: made from tensix.def. */
#include "tensix/exec.h"
#include "tensix/config/fixed_bits.h"

_Static_assert((int)TENSIX_UNIT_COUNT == (int)TENSIX_UNITS, "tensix.h counts the units of table.h");
_Static_assert(TENSIX_ROWS < 256, "row numbers fit a byte");

#define INSN(token, ...)  tensix_run_##token,
#define FRONT(token, ...) tensix_run_misplaced,
#define STUB(token, ...)  tensix_run_stub,
tensix_runner *const tensix_runners[TENSIX_ROWS] = {
#include "tensix.def"
};

#define FORM(...)
#define INSN(token, mnemonic, opcode, ...) [opcode] = TENSIX_ROW_##token + 1,
const uint8_t tensix_last_row[TENSIX_OPCODES] = {
#include "tensix.def"
};

#define FORM(...)
#define FRONT(...)
#define STUB(...)
#define SHORTCUT(runner) runner,
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    [opcode] = {UINT32_C(0xff) << 24 | mask_##token,                                               \
                UINT32_C(opcode) << 24 | match_##token,                                            \
                {cells tensix_run_##token}},
const struct tensix_op tensix_plain_ops[TENSIX_OPCODES] = {
#include "tensix.def"
};
