/*
 * The Configuration Unit (SPEC: BlackholeA0 ConfigurationUnit, SETC16, WRCFG, RDCFG, RMWCIB,
 * STREAMWRCFG, CFGSHIFTMASK).
 *
 * Everything but SETC16 goes through a pipeline, whose stages end with 0, where Config is read and
 * written. Writes that are under way in a timed run are results (results.c): one that is due at
 * cycle d is in stage 0 in cycle d - 1, and in stage -3 three cycles before. Reads of Config happen
 * when the instruction enters.
 *
 * An instruction of any thread that cannot enter waits at its gate. A STREAMWRCFG in its prepare
 * stage keeps no instruction out. That is a bug of the hardware: the instruction that follows it
 * directly overtakes it.
 */
#include "tensix/config/unread.h"
#include "tensix/config/users.h"
#include "tensix/exec.h"

/* Stages of the pipeline. */
enum {
    STAGE_GPR_READ = -1, /* where WRCFG enters */
    STAGE_CONFIG = 0,    /* where RMWCIB, RDCFG and CFGSHIFTMASK enter */
    /* GUESS: from here on a STREAMWRCFG keeps others out. The pages say -3, and also that its
     * thread can overtake it, so the way from the gate to the pipeline takes a cycle more. */
    STAGE_ORDERED = -2,
};

/* Is a write of Config in the way of an instruction that enters at `stage`? */
static bool is_pipeline_taken(const struct tensix *tensix, int stage)
{
    for (unsigned i = 0; i < tensix->results; i++) {
        const struct tensix_result *result = &tensix->result[i];
        uint64_t cycles_left = result->due - tensix->now; /* at least 1 */
        if (result->is_config && cycles_left <= 1 - STAGE_ORDERED &&
            cycles_left >= (uint64_t)(1 - stage)) {
            return true;
        }
    }
    return false;
}

static enum tensix_exec wait_for_pipeline(struct tensix *tensix, unsigned thread)
{
    return tensix_stall(tensix, thread, TENSIX_WAITS_FOR_UNIT, 0);
}

static bool is_word(unsigned word)
{
    return word < TENSIX_STATE_WORDS;
}

static enum tensix_exec no_such_word(struct tensix *tensix, unsigned thread, const char *name,
                                     unsigned word)
{
    return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                        "%s: Config has %u words, not word %u", name, TENSIX_STATE_WORDS, word);
}

/* --- ThreadConfig --- */

enum thread_special { PLAIN, MOVES_STREAM, COMMANDS_CONTEXTS };

static const uint8_t thread_specials[TENSIX_THREAD_WORDS] = {
#define THREAD_SPECIAL(field, effect) [TENSIX_WORD_##field] = effect,
#include "backend_config.def"
};

TENSIX_EXEC(SETC16)
{
    if (args->cfg_index >= TENSIX_THREAD_WORDS) {
        return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                            "SETC16: ThreadConfig has %u words, not word %u", TENSIX_THREAD_WORDS,
                            args->cfg_index);
    }
    tensix->thread_config[thread][args->cfg_index] = (uint16_t)args->new_value;
    tensix->outcome.changed = true;
    tensix_report_unread(tensix, thread,
                         TENSIX_CONFIG_THREAD + thread * TENSIX_THREAD_WORDS + args->cfg_index,
                         tensix_unread_field(true, args->cfg_index, args->new_value));
    switch ((enum thread_special)thread_specials[args->cfg_index]) {
    case PLAIN:
        break;
    case MOVES_STREAM:
        tensix_reconsider(tensix, tensix->now);
        break;
    case COMMANDS_CONTEXTS:
        tensix_unpack_command_contexts(tensix, thread);
        break;
    }
    return TENSIX_DONE;
}

/* --- Config --- */

/* A write of whole words of Config that goes through the pipeline. */
static enum tensix_exec deliver_config(struct tensix *tensix, unsigned thread, unsigned row,
                                       unsigned first, unsigned count, const uint32_t *values)
{
    struct tensix_result result = {
        .thread = (uint8_t)thread,
        .is_config = true,
        .state = (uint8_t)tensix_state_id(tensix, thread),
        .count = (uint8_t)count,
        .first = (uint16_t)first,
        .mask = UINT32_MAX,
    };
    memcpy(result.value, values, count * sizeof *values);
    tensix_deliver(tensix, &result, tensix_row_infos[row].latency);
    return TENSIX_DONE;
}

TENSIX_EXEC(WRCFG)
{
    if (!is_word(args->cfg_index)) {
        return no_such_word(tensix, thread, "WRCFG", args->cfg_index);
    }
    if (is_pipeline_taken(tensix, STAGE_GPR_READ)) {
        return wait_for_pipeline(tensix, thread);
    }
    const uint32_t *gpr = tensix->gpr[thread];
    if (args->is_128bit) {
        return deliver_config(tensix, thread, TENSIX_ROW_WRCFG, args->cfg_index & ~3U, 4,
                              &gpr[args->input_reg & ~3U]);
    }
    return deliver_config(tensix, thread, TENSIX_ROW_WRCFG, args->cfg_index, 1,
                          &gpr[args->input_reg]);
}

/* HW: LLK adds to the GPR in the very next instruction (llk_unpack_AB_matmul.h), so ThCon, which
 * takes a cycle before it reads its operands, finds the result. The page warns of doing so. */
enum { RDCFG_READ_AHEAD = 1 };

TENSIX_EXEC(RDCFG)
{
    if (!is_word(args->cfg_index)) {
        return no_such_word(tensix, thread, "RDCFG", args->cfg_index);
    }
    if (is_pipeline_taken(tensix, STAGE_CONFIG)) {
        return wait_for_pipeline(tensix, thread);
    }
    struct tensix_result result = {
        .thread = (uint8_t)thread,
        .count = 1,
        .first = (uint16_t)args->result_reg,
        .mask = UINT32_MAX,
        .value = {tensix->config[tensix_state_id(tensix, thread)][args->cfg_index]},
    };
    tensix_deliver(tensix, &result, tensix_row_infos[TENSIX_ROW_RDCFG].latency - RDCFG_READ_AHEAD);
    return TENSIX_DONE;
}

/* RMWCIB0 to RMWCIB3: the digit is the byte of the word. */
static enum tensix_exec change_byte(struct tensix *tensix, unsigned thread, unsigned byte,
                                    unsigned word, uint32_t mask, uint32_t value)
{
    static const char *const names[] = {"RMWCIB0", "RMWCIB1", "RMWCIB2", "RMWCIB3"};
    if (!is_word(word)) {
        return no_such_word(tensix, thread, names[byte], word);
    }
    if (is_pipeline_taken(tensix, STAGE_CONFIG)) {
        return wait_for_pipeline(tensix, thread);
    }
    tensix_store_config(tensix, thread, tensix_state_id(tensix, thread), word, mask << 8 * byte,
                        value << 8 * byte);
    return TENSIX_DONE;
}

TENSIX_EXEC(RMWCIB0)
{
    return change_byte(tensix, thread, 0, args->index4, args->mask, args->new_value);
}

TENSIX_EXEC(RMWCIB1)
{
    return change_byte(tensix, thread, 1, args->index4, args->mask, args->new_value);
}

TENSIX_EXEC(RMWCIB2)
{
    return change_byte(tensix, thread, 2, args->index4, args->mask, args->new_value);
}

TENSIX_EXEC(RMWCIB3)
{
    return change_byte(tensix, thread, 3, args->index4, args->mask, args->new_value);
}

/* Enters in front of all the others, and thus never waits for them. GUESS: the register of the
 * stream is read, and the state chosen, when it enters. */
TENSIX_EXEC(STREAMWRCFG)
{
    if (!is_word(args->cfg_index)) {
        return no_such_word(tensix, thread, "STREAMWRCFG", args->cfg_index);
    }
    enum tensix_field_id bank_sel =
        (enum tensix_field_id)(TENSIX_FIELD_STREAM_ID_SYNC_SEC0_BankSel + args->stream_select);
    unsigned stream = tensix_thread_field(tensix, thread, bank_sel);
    uint32_t value = tensix->board->stream(tensix->owner, stream, args->reg_index);
    return deliver_config(tensix, thread, TENSIX_ROW_STREAMWRCFG, args->cfg_index, 1, &value);
}

enum alu_mode { ALU_OR, ALU_AND, ALU_XOR, ALU_ADD, ALU_OR_NOT, ALU_AND_NOT, ALU_XOR_NOT, ALU_SUB };

static uint32_t combine_alu(enum alu_mode mode, uint32_t old, uint32_t scratch)
{
    switch (mode) {
    case ALU_OR:
        return old | scratch;
    case ALU_AND:
        return old & scratch;
    case ALU_XOR:
        return old ^ scratch;
    case ALU_ADD:
        return old + scratch;
    case ALU_OR_NOT:
        return old | ~scratch;
    case ALU_AND_NOT:
        return old & ~scratch;
    case ALU_XOR_NOT:
        return old ^ ~scratch;
    case ALU_SUB:
        return old - scratch;
    }
    return old;
}

static uint32_t rotate_mask_right(uint32_t value, unsigned amount)
{
    return amount ? value << (32 - amount) | value >> amount : value;
}

TENSIX_EXEC(CFGSHIFTMASK)
{
    enum { OWN_SCRATCH = 3 };
    if (!is_word(args->cfg_index)) {
        return no_such_word(tensix, thread, "CFGSHIFTMASK", args->cfg_index);
    }
    if (is_pipeline_taken(tensix, STAGE_CONFIG)) {
        return wait_for_pipeline(tensix, thread);
    }
    const uint32_t *config = tensix->config[tensix_state_id(tensix, thread)];
    unsigned index = args->scratch_index == OWN_SCRATCH ? thread : args->scratch_index;
    uint32_t mask = (UINT32_C(2) << args->mask_width) - 1;
    uint32_t scratch =
        rotate_mask_right(config[TENSIX_WORD_SCRATCH_SEC0_val + index] & mask, args->rotate_amt);
    uint32_t value = config[args->cfg_index];
    if (!args->mask_mode) {
        value &= ~rotate_mask_right(mask, args->rotate_amt);
    }
    value = combine_alu((enum alu_mode)args->alu_mode, value, scratch);
    return deliver_config(tensix, thread, TENSIX_ROW_CFGSHIFTMASK, args->cfg_index, 1, &value);
}
