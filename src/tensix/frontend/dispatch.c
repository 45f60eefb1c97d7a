/* Which function starts a word, by row; rows by opcode: made from tensix.def. */
#include "tensix/exec.h"

_Static_assert((int)TENSIX_UNIT_COUNT == (int)TENSIX_UNITS, "tensix.h counts the units of table.h");
_Static_assert(TENSIX_ROWS < 256, "row numbers fit a byte");

#define INSN(token, ...)  tensix_exec_##token,
#define FRONT(token, ...) tensix_exec_misplaced,
#define STUB(token, ...)  tensix_exec_stub,
tensix_runner *const tensix_runners[TENSIX_ROWS] = {
#include "tensix.def"
};

#define FORM(...)
#define INSN(token, mnemonic, opcode, ...) [opcode] = TENSIX_ROW_##token + 1,
const uint8_t tensix_last_row[TENSIX_OPCODES] = {
#include "tensix.def"
};
