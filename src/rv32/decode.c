/* Decoding, see rv32/decode.h. */
#include "rv32/decode.h"

#include "rv32/code.h"

static rv32_handler *const row_handlers[] = {
#define INSN(token, mnemonic, extension, match, mask, format, traits)                              \
    RV32_EXTENSIONS >> RV32_EXT_##extension & 1 ? rv32_exec_##token : rv32_exec_stub,
#define STUB(token, mnemonic, extension, match, mask, format, traits) rv32_exec_stub,
#include "rv32/rv32.def"
#undef INSN
#undef STUB
};

/* Turns the displacement of a branch or jal into ops where the target is in the same page. */
static void localise_target(struct rv32_op *op, unsigned position)
{
    int32_t target = (int32_t)position + op->imm / 4;
    op->aux = op->imm % 4 == 0 && target >= 0 && target < RV32_PAGE_OPS;
    if (op->aux) {
        op->imm /= 4;
    }
}

static struct rv32_op decode_word(const struct isa_index *index, uint32_t word, unsigned position,
                                  int *row)
{
    *row = -1;
    if (rv32_is_ttinsn(word)) {
        return (struct rv32_op){.run = rv32_exec_ttinsn, .imm = (int32_t)(word >> 2 | word << 30)};
    }
    *row = isa_index_find(index, word);
    if (*row < 0) {
        return (struct rv32_op){.run = rv32_exec_illegal, .imm = (int32_t)word};
    }
    struct rv32_op op = rv32_decode_operands((unsigned)*row, word);
    op.run = row_handlers[*row];
    struct rv32_effects effects = rv32_row_effects((unsigned)*row, word);
    if (effects.class == RV32_CLASS_BRANCH ||
        (effects.class == RV32_CLASS_JUMP && !effects.reads_rs1)) {
        localise_target(&op, position);
    }
    return op;
}

const struct rv32_decoder rv32_chip_decoder = {decode_word, rv32_exec_page_end};
