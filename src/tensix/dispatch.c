/*
 * What executes each row of tensix.def, made from the table: operands are taken from the word, and
 * the row's handler is called. A row without a handler does not link.
 */
#include "tensix/exec.h"
#include "tensix/fixed_bits.h"
#include "tensix/vector_common.h"

_Static_assert((int)TENSIX_UNIT_COUNT == (int)TENSIX_UNITS, "tensix.h counts the units of table.h");
_Static_assert(TENSIX_ROWS < 256, "row numbers fit a byte");

#define INSN(token, ...)                                                                           \
    static enum tensix_exec run_##token(struct tensix *tensix, unsigned thread, uint32_t word)     \
    {                                                                                              \
        const struct tensix_args_##token args = tensix_decode_##token(word);                       \
        return exec_##token(tensix, thread, &args);                                                \
    }
#define SFPU(token, ...)                                                                           \
    static enum tensix_exec run_##token(struct tensix *tensix, unsigned thread, uint32_t word)     \
    {                                                                                              \
        return tensix_vector_start(tensix, TENSIX_ROW_##token, thread, word, exec_##token);        \
    }
#define FRONT(...)
#define STUB(...)
#include "tensix.def"

#define INSN(token, ...)  run_##token,
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
#define INSN(token, mnemonic, opcode, ...)                                                         \
    [opcode] = {UINT32_C(0xff) << 24 | mask_##token, UINT32_C(opcode) << 24 | match_##token,       \
                TENSIX_ROW_##token, run_##token},
const struct tensix_op tensix_plain_ops[TENSIX_OPCODES] = {
#include "tensix.def"
};
