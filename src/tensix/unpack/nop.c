/*
 * The unpackers: UNPACR_NOP, which clears banks of SrcA and SrcB, hands them over, or writes
 * registers, in the order of the unpacker's other work: it waits at the gate while an UNPACR waits in
 * the unpacker.
 *
 * SPEC: WormholeB0 UNPACR_NOP_ZEROSRC, UNPACR_NOP_SETDVALID, UNPACR_NOP_OverlayClear,
 * UNPACR_NOP_SETREG (with their TTArchitecture conditions); fields, clearing to 1 and to an
 * immediate by tt_llk_blackhole's assembly.yaml.
 */
#include "arch/overlay.h"
#include "tensix/config/users.h"
#include "tensix/exec.h"

/* --- SrcA and SrcB --- */

enum clear_value { CLEAR_ZERO, CLEAR_MINUS_INFINITY, CLEAR_ONE, CLEAR_IMMEDIATE };
enum one_format { ONE_FP16, ONE_BF16, ONE_INT8, NO_ONE_BUT_SETDVALID };

static uint32_t one(unsigned format)
{
    static const uint32_t ones[] = {
        [ONE_FP16] = NUM_SRC_ONE_FP16,
        [ONE_BF16] = NUM_SRC_ONE_BF16,
        [ONE_INT8] = NUM_SRC_ONE_INT8,
        [NO_ONE_BUT_SETDVALID] = 0,
    };
    return ones[format];
}

/* GUESS: the low 19 bits of the register, as Src holds them; no source says which. */
static uint32_t immediate(const struct tensix *tensix, unsigned thread, unsigned which)
{
    unsigned state = tensix_state_id(tensix, thread);
    uint32_t value = which ? tensix_get_UNP1_NOP_REG_CLR_VAL_nop_reg_clr_val(tensix, state)
                           : tensix_get_UNP0_NOP_REG_CLR_VAL_nop_reg_clr_val(tensix, state);
    return value & NUM_SRC_BITS;
}

static enum tensix_exec set_dvalid(struct tensix *tensix, unsigned thread, unsigned which)
{
    unsigned state = tensix_state_id(tensix, thread);
    unsigned format = which ? tensix_get_THCON_SEC1_REG2_Out_data_format(tensix, state)
                            : tensix_get_THCON_SEC0_REG2_Out_data_format(tensix, state);
    tensix_unpack_hand_over(tensix, thread, which, format);
    return TENSIX_DONE;
}

/* SPEC: does not wait for the bank. */
TENSIX_EXEC(UNPACR_NOP_SETDVALID)
{
    return set_dvalid(tensix, thread, args->which_unpacker);
}

/* SPEC: waits for the Matrix Unit's bank unless it is to wait as UNPACR does, and clears the
 * unpacker's, or both. Blackhole clears SrcB to the same values as SrcA. */
TENSIX_EXEC(UNPACR_NOP_ZEROSRC)
{
    enum tensix_src src = args->which_unpacker ? TENSIX_SRC_B : TENSIX_SRC_A;
    const struct tensix_src_banks *banks = &tensix->src[src];
    if (args->clear_to_1_format == NO_ONE_BUT_SETDVALID) { /* whatever the other fields say */
        return set_dvalid(tensix, thread, args->which_unpacker);
    }
    unsigned awaited = args->wait_like_unpacr ? banks->unpack_bank : banks->matrix_bank;
    if (banks->matrix_may[awaited]) {
        return tensix_stall_src(tensix, thread, src, awaited);
    }
    if (args->wait_like_unpacr) { /* HW: LLK waits this way for the UNPACR before it */
        tensix_land(tensix, thread,
                    args->which_unpacker ? TENSIX_USED_BY_UNPACKER1 : TENSIX_USED_BY_UNPACKER0);
    }
    const uint32_t value[] = {
        [CLEAR_ZERO] = 0,
        [CLEAR_MINUS_INFINITY] = NUM_SRC_MINUS_INFINITY,
        [CLEAR_ONE] = one(args->clear_to_1_format),
        [CLEAR_IMMEDIATE] = immediate(tensix, thread, args->which_unpacker),
    };
    for (unsigned bank = 0; bank < TENSIX_SRC_FILE_BANKS; bank++) {
        if (args->both_banks || bank == banks->unpack_bank) {
            tensix_touch(tensix, TENSIX_WRITES, OBSERVED_STATE_SRC,
                         (TENSIX_SRC_FILE_BANKS * src + bank) * TENSIX_SRC_FILE_ROWS,
                         TENSIX_SRC_FILE_ROWS);
        }
    }
    tensix_src_file_fill(&tensix->src_file[src],
                         args->both_banks ? TENSIX_SRC_FILE_BOTH : 1u << banks->unpack_bank,
                         value[args->clear_value]);
    return args->flip_src ? set_dvalid(tensix, thread, args->which_unpacker) : TENSIX_DONE;
}

/* SPEC: occupies the unpacker, nothing else. GUESS: it does not wait behind an UNPACR of another
 * thread that waits for its bank: NOPs of the math thread, which is to give that bank back, would
 * never end there, and silicon carries them out (docs/DEVIATIONS.md). */
TENSIX_EXEC(UNPACR_NOP_NOP)
{
    const unsigned which = args->which_unpacker;
    return tensix_unpack_holds(tensix, thread, which) ? tensix_stall_unpacker(tensix, thread, which)
                                                      : TENSIX_DONE;
}

/* --- Registers --- */

/* SPEC: the page writes 1, whatever the count says. assembly.yaml: as many messages are freed as
 * the instruction says, or ThreadConfig where it has no count; MSG_DATA_CLEAR takes that number, and
 * pops one entry. GUESS: 1 where neither has one. */
static enum tensix_exec clear_message(struct tensix *tensix, unsigned thread, unsigned which,
                                      unsigned stream, unsigned count)
{
    if (count == 0) {
        stream = which ? tensix_get_NOC_OVERLAY_MSG_CLEAR_StreamId_1(tensix, thread)
                       : tensix_get_NOC_OVERLAY_MSG_CLEAR_StreamId_0(tensix, thread);
        count = which ? tensix_get_NOC_OVERLAY_MSG_CLEAR_MsgNum_1(tensix, thread)
                      : tensix_get_NOC_OVERLAY_MSG_CLEAR_MsgNum_0(tensix, thread);
    }
    uint32_t address = AT_OVERLAY + stream * STEP_STREAM + OVERLAY_MSG_DATA_CLEAR * 4;
    enum tensix_exec exec;
    tensix_write_register(tensix, thread, "UNPACR_NOP", address, count ? count : 1, &exec);
    return exec;
}

TENSIX_EXEC(UNPACR_NOP_POP)
{
    return clear_message(tensix, thread, args->which_unpacker, 0, 0);
}

TENSIX_EXEC(UNPACR_NOP_STREAM)
{
    return clear_message(tensix, thread, args->which_unpacker, args->stream, args->clear_count);
}

TENSIX_EXEC(UNPACR_NOP_STREAM_LONG)
{
    enum { SUM_BITS = 0x1ffff };
    unsigned state = tensix_state_id(tensix, thread);
    uint32_t *sum = &tensix->unpacker[args->which_unpacker].register_sum;
    uint32_t address =
        tensix_register_address(tensix_get_THCON_SEC0_REG10_Unpacker_Reg_Wr_Addr(tensix, state),
                                tensix_get_THCON_SEC1_REG10_Unpacker_Reg_Wr_Addr(tensix, state),
                                args->addr_sel_hi << 1 | args->addr_sel_lo, args->addr_mid);
    enum tensix_exec exec;
    if (!args->accumulate) {
        tensix_write_register(tensix, thread, "UNPACR_NOP", address, args->value11, &exec);
        return exec;
    }
    if (args->value11 == 0) { /* SPEC: nothing is written */
        *sum = 0;
        tensix->outcome.changed = true; /* TDMA-RISC shows it to harts */
        return TENSIX_DONE;
    }
    uint32_t value = (*sum + args->value11) & SUM_BITS;
    if (tensix_write_register(tensix, thread, "UNPACR_NOP", address, value, &exec)) {
        *sum = value;
        tensix->outcome.changed = true;
    }
    return exec;
}
