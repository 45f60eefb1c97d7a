/* Decoding of one word into an op; private to src/rv32. */
#ifndef RV32_DECODE_H
#define RV32_DECODE_H

#include "rv32/exec.h"

/* The operands of `word`, which row number `row` matches; `run` is left NULL. */
struct rv32_op rv32_decode_operands(unsigned row, uint32_t word);

/* Handlers that stand for no row. */
rv32_handler rv32_exec_illegal, rv32_exec_stub, rv32_exec_ttinsn, rv32_exec_page_end;

#endif
