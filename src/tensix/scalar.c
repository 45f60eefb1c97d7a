/*
 * The Scalar Unit (ThCon), part 1: instructions on the thread's GPRs, and FLUSHDMA. scalar_memory.c
 * has the instructions that access L1, registers and Src.
 *
 * SPEC: WormholeB0 ScalarUnit and the pages of its instructions, which Blackhole shares in their
 * newer editions. What differs on Blackhole (one packer) follows tt_llk_blackhole's assembly.yaml
 * and cfg_defines.h. GUESS: all of REG2FLOP, which the newer pages call unsupported on Blackhole.
 *
 * The unit has no state of its own. GPRs are written when an instruction starts: the thread cannot
 * start another one before this one is done, so only a hart could tell the difference.
 */
#include "tensix/exec.h"

/* --- SETDMAREG --- */

TENSIX_EXEC(SETDMAREG_IMM)
{
    tensix_store_half_gpr(tensix, thread, args->result_half_reg, (uint16_t)args->new_value);
    return TENSIX_DONE;
}

enum { VALUES = 4, HISTOGRAM_BINS = 32, HISTOGRAM_WORDS = HISTOGRAM_BINS / 4 };

/* What the packer shows to SETDMAREG. */
struct packer_view {
    uint16_t acc_tile_size;  /* of the thread */
    uint16_t last_tile_size; /* 0 where another thread packed last */
    uint32_t all_zero_flags;
    uint32_t histogram[HISTOGRAM_WORDS]; /* a byte for each bin */
    uint8_t max_exponent;
};

/* SPEC: Packers/ExponentHistogram, TDMA-RISC. */
static struct packer_view view_packer(const struct tensix *tensix, unsigned thread)
{
    const struct tensix_packer *packer = &tensix->packer[0];
    struct packer_view view = {
        .acc_tile_size = packer->acc_tile_size[thread],
        .last_tile_size = tensix_packer_tile_size(packer, thread),
        .all_zero_flags = packer->all_zero_flags,
        .max_exponent = (uint8_t)packer->max_exponent,
    };
    for (unsigned i = 0; i < HISTOGRAM_BINS; i++) {
        view.histogram[i / 4] |= packer->histogram[i] << i % 4 * 8;
    }
    return view;
}

/* SPEC: AccTileSize of all threads becomes 0. */
static void reset_acc_tile_size(struct tensix *tensix)
{
    struct tensix_packer *packer = &tensix->packer[0];
    tensix_packer_reset_size(packer, packer->l1_dest_addr_offset);
}

/* Fields of the second word of a tile header; the low half of the first is TileSize, the third is
 * AllZeroFlags, everything else is reserved. */
enum {
    HEADER_FORMAT_SHIFT = 16,
    HEADER_UNCOMPRESSED_SHIFT = 20, /* DisableZeroCompression; above it three spare bits */
};
static const uint32_t header_masks[VALUES] = {0x0000ffff, 0x00ff0000, 0xffffffff, 0};

/* GUESS: Wormhole has four bits that All_pack_disable_zero_compress_ovrd puts in the place of
 * Disable_zero_compress. cfg_defines.h of Blackhole has given them to another field and kept the
 * switch, so that it switches nothing here. */
static void tile_header(const struct tensix *tensix, unsigned thread,
                        const struct packer_view *packer, uint32_t value[VALUES])
{
    unsigned state = tensix_state_id(tensix, thread);
    uint32_t format = tensix_get_THCON_SEC0_REG1_Out_data_format(tensix, state);
    uint32_t uncompressed = tensix_get_THCON_SEC0_REG1_Disable_zero_compress(tensix, state);
    value[0] = (uint16_t)(packer->last_tile_size + 1);
    value[1] = format << HEADER_FORMAT_SHIFT | uncompressed << HEADER_UNCOMPRESSED_SHIFT;
    value[2] = packer->all_zero_flags;
}

/* InputSource, as assembly.yaml of Blackhole has it. */
enum {
    SOURCE_TILE_SIZES = 0,
    SOURCE_ALL_ZERO_FLAGS = 1,
    SOURCE_TILE_HEADER = 2,
    SOURCE_RESERVED_FIRST = 3, /* headers of Wormhole's packers 1 to 3 */
    SOURCE_RESERVED_LAST = 5,
    SOURCE_HISTOGRAM_LOW = 6,
    SOURCE_HISTOGRAM_HIGH = 7,
    SOURCE_RESET_TILE_SIZES = 8,
    SOURCE_MAX_EXPONENT = 9,
};

/* The 128 bits that the instruction reads; zero from sources that do not exist. Wormhole's packers
 * 1 to 3, which do not exist either, read as zero. */
static void read_source(struct tensix *tensix, unsigned thread,
                        const struct tensix_args_SETDMAREG_SPECIAL *args, uint32_t value[VALUES])
{
    const struct packer_view packer = view_packer(tensix, thread);
    bool is_high = args->input_source == SOURCE_HISTOGRAM_HIGH;
    switch (args->input_source) {
    case SOURCE_TILE_SIZES:
        value[0] = (uint32_t)packer.acc_tile_size << 16 | packer.last_tile_size;
        break;
    case SOURCE_ALL_ZERO_FLAGS:
        value[0] = packer.all_zero_flags;
        break;
    case SOURCE_TILE_HEADER:
        tile_header(tensix, thread, &packer, value);
        break;
    case SOURCE_HISTOGRAM_LOW:
    case SOURCE_HISTOGRAM_HIGH: /* which_packers is an index here */
        if ((args->which_packers & 3) == 0) {
            memcpy(value, &packer.histogram[is_high ? VALUES : 0], VALUES * sizeof *value);
        }
        break;
    case SOURCE_RESET_TILE_SIZES: /* and a mask here */
        value[0] = packer.all_zero_flags & 1;
        if (args->which_packers & 1) {
            reset_acc_tile_size(tensix);
        }
        break;
    case SOURCE_MAX_EXPONENT:
        value[0] = packer.max_exponent;
        break;
    default:
        break;
    }
}

enum result_size { RESULT_16, RESULT_32, RESULT_128, RESULT_HEADER };

TENSIX_EXEC(SETDMAREG_SPECIAL)
{
    uint32_t value[VALUES] = {0};
    unsigned source = args->input_source, half = args->input_half_reg;
    unsigned result = args->result_half_reg / 2;

    if (source >= SOURCE_RESERVED_FIRST && source <= SOURCE_RESERVED_LAST) {
        return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                            "SETDMAREG: source %u is the tile header of a second packer, and there "
                            "is only one",
                            source);
    }
    read_source(tensix, thread, args, value);
    switch ((enum result_size)args->result_size) {
    case RESULT_16:
        tensix_store_half_gpr(tensix, thread, args->result_half_reg,
                              (uint16_t)(value[half / 2] >> 16 * (half % 2)));
        break;
    case RESULT_32:
        tensix_store_gpr(tensix, thread, result, UINT32_MAX, value[half / 2]);
        break;
    case RESULT_128:
    case RESULT_HEADER:
        for (unsigned i = 0; i < VALUES; i++) {
            uint32_t mask = args->result_size == RESULT_128 ? UINT32_MAX : header_masks[i];
            tensix_store_gpr(tensix, thread, (result & ~3u) + i, mask, value[i]);
        }
        break;
    }
    return TENSIX_DONE;
}

/* --- REG2FLOP --- */

enum size_sel { SIZE_128, SIZE_32, SIZE_16, SIZE_8 };

/*
 * Sizes below 32 bits write 32: so says the page, and LLK of Wormhole clears the upper half of the
 * GPR before it writes "16 bits" of an address. The founding notes write 16 or 8 bits of the word
 * at the byte offset; assembly.yaml takes them from the offset in the GPR, which is what the form
 * for address counters does. The page has no offset here, and no software uses one: as long as
 * sources contradict each other, an offset is a fault.
 */
/* The vendor's HAL for Blackhole refuses all forms, since that chip does not handle the instruction
 * properly; it does not say what goes wrong. */
static enum tensix_exec doubt_reg2flop(struct tensix *tensix, unsigned thread)
{
    return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_DOUBTFUL,
                        "REG2FLOP: by the vendor's HAL Blackhole does not handle it properly; "
                        "use WRCFG, or SETADC and its kin");
}

TENSIX_EXEC(REG2FLOP_CONFIG)
{
    unsigned state = tensix_state_id(tensix, thread), index = args->thcon_cfg_index;
    const uint32_t *gpr = tensix->gpr[thread];

    if (index >= TENSIX_GLOBAL_WORD - TENSIX_THCON_WORD) {
        return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                            "REG2FLOP: there are %d words of THCON configuration, not word %u",
                            TENSIX_GLOBAL_WORD - TENSIX_THCON_WORD, index);
    }
    if (args->byte_offset != 0) {
        return tensix_fault(tensix, thread, PENROSE_FAULT_UNIMPLEMENTED,
                            "REG2FLOP: no two sources agree on what byte offset %u means for "
                            "configuration; write whole words",
                            args->byte_offset);
    }
    if (doubt_reg2flop(tensix, thread) == TENSIX_STOP) {
        return TENSIX_STOP;
    }
    if (args->size_sel != SIZE_128) {
        tensix_store_config(tensix, thread, state, TENSIX_THCON_WORD + index, UINT32_MAX,
                            gpr[args->input_reg]);
        return TENSIX_DONE;
    }
    for (unsigned i = 0; i < 4; i++) {
        tensix_store_config(tensix, thread, state, TENSIX_THCON_WORD + (index & ~3u) + i,
                            UINT32_MAX, gpr[(args->input_reg & ~3u) + i]);
    }
    return TENSIX_DONE;
}

/* The part of a GPR that goes to an address counter: 0 where size and shift do not fit together. */
static uint32_t flop_value(uint32_t gpr, enum size_sel size, unsigned shift8)
{
    switch (size) {
    case SIZE_128:
        break;
    case SIZE_32:
        return shift8 == 0 ? gpr : 0;
    case SIZE_16:
        return shift8 == 0 ? gpr & 0xffff : shift8 == 2 ? gpr >> 16 : 0;
    case SIZE_8:
        return gpr >> 8 * shift8 & 0xff;
    }
    return 0;
}

TENSIX_EXEC(REG2FLOP_ADC)
{
    unsigned which = args->override_thread ? args->thread_sel : thread;
    uint32_t value = flop_value(tensix->gpr[thread][args->input_reg], (enum size_sel)args->size_sel,
                                args->shift8);
    if (doubt_reg2flop(tensix, thread) == TENSIX_STOP) {
        return TENSIX_STOP;
    }
    if (which >= TENSIX_THREADS || args->adc_sel >= TENSIX_ADCS) {
        return TENSIX_DONE; /* SPEC: no such thread or unit, and nothing happens */
    }
    tensix_adc_set(&tensix->thread[which].adc[args->adc_sel].channel[args->channel],
                   (enum tensix_adc_axis)args->xyzw, !args->cr, args->cr, value);
    return TENSIX_DONE;
}

/* --- Arithmetic --- */

/* The right operand: a GPR or an immediate of six bits. */
static uint32_t right_operand(const struct tensix *tensix, unsigned thread, bool is_imm,
                              unsigned right)
{
    return is_imm ? right : tensix->gpr[thread][right];
}

static void store_result(struct tensix *tensix, unsigned thread, unsigned reg, uint32_t value)
{
    tensix_store_gpr(tensix, thread, reg, UINT32_MAX, value);
}

static enum tensix_exec undefined_mode(struct tensix *tensix, unsigned thread, const char *name,
                                       unsigned mode, const char *modes)
{
    return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED, "%s: mode %u is none of %s",
                        name, mode, modes);
}

TENSIX_EXEC(ADDDMAREG)
{
    uint32_t left = tensix->gpr[thread][args->left_reg];
    uint32_t right = right_operand(tensix, thread, args->right_is_imm, args->right);
    store_result(tensix, thread, args->result_reg, left + right);
    return TENSIX_DONE;
}

TENSIX_EXEC(SUBDMAREG)
{
    uint32_t left = tensix->gpr[thread][args->left_reg];
    uint32_t right = right_operand(tensix, thread, args->right_is_imm, args->right);
    store_result(tensix, thread, args->result_reg, left - right);
    return TENSIX_DONE;
}

TENSIX_EXEC(MULDMAREG)
{
    uint32_t left = tensix->gpr[thread][args->left_reg];
    uint32_t right = right_operand(tensix, thread, args->right_is_imm, args->right);
    store_result(tensix, thread, args->result_reg, (left & 0xffff) * (right & 0xffff));
    return TENSIX_DONE;
}

enum bitwop_mode { BITWOP_AND, BITWOP_OR, BITWOP_XOR };

TENSIX_EXEC(BITWOPDMAREG)
{
    uint32_t left = tensix->gpr[thread][args->left_reg];
    uint32_t right = right_operand(tensix, thread, args->right_is_imm, args->right);
    switch (args->mode) {
    case BITWOP_AND:
        store_result(tensix, thread, args->result_reg, left & right);
        return TENSIX_DONE;
    case BITWOP_OR:
        store_result(tensix, thread, args->result_reg, left | right);
        return TENSIX_DONE;
    case BITWOP_XOR:
        store_result(tensix, thread, args->result_reg, left ^ right);
        return TENSIX_DONE;
    default:
        return undefined_mode(tensix, thread, "BITWOPDMAREG", args->mode, "AND, OR, XOR (0 to 2)");
    }
}

enum shift_mode { SHIFT_LEFT, SHIFT_RIGHT };

/* The immediate has five bits. GUESS: a sixth counts as little as bits 31:5 of a GPR do. */
TENSIX_EXEC(SHIFTDMAREG)
{
    uint32_t left = tensix->gpr[thread][args->left_reg];
    uint32_t right = right_operand(tensix, thread, args->right_is_imm, args->right) & 31;
    switch (args->mode) {
    case SHIFT_LEFT:
        store_result(tensix, thread, args->result_reg, left << right);
        return TENSIX_DONE;
    case SHIFT_RIGHT:
        store_result(tensix, thread, args->result_reg, left >> right);
        return TENSIX_DONE;
    default:
        return undefined_mode(tensix, thread, "SHIFTDMAREG", args->mode, "LEFT, RIGHT (0 and 1)");
    }
}

enum cmp_mode { CMP_GT, CMP_LT, CMP_EQ };

TENSIX_EXEC(CMPDMAREG)
{
    uint32_t left = tensix->gpr[thread][args->left_reg];
    uint32_t right = right_operand(tensix, thread, args->right_is_imm, args->right);
    switch (args->mode) {
    case CMP_GT:
        store_result(tensix, thread, args->result_reg, left > right);
        return TENSIX_DONE;
    case CMP_LT:
        store_result(tensix, thread, args->result_reg, left < right);
        return TENSIX_DONE;
    case CMP_EQ:
        store_result(tensix, thread, args->result_reg, left == right);
        return TENSIX_DONE;
    default:
        return undefined_mode(tensix, thread, "CMPDMAREG", args->mode, "GT, LT, EQ (0 to 2)");
    }
}

/* --- Waiting and doing nothing --- */

TENSIX_EXEC(DMANOP)
{
    (void)tensix;
    (void)thread;
    (void)args;
    return TENSIX_DONE;
}

/* Timed runs: is an instruction of the thread in the unit? */
static bool is_in(const struct tensix *tensix, unsigned thread, enum tensix_unit unit)
{
    return tensix->timing && tensix->thread[thread].busy_until[unit] > tensix->now;
}

/* SPEC: the conditions are C0 to C3 of STALLWAIT; no bit means all of them. */
TENSIX_EXEC(FLUSHDMA)
{
    const unsigned unpackers = TENSIX_C_UNPACKER0 | TENSIX_C_UNPACKER1;
    unsigned mask =
        args->condition_mask ? args->condition_mask : TENSIX_C_SCALAR | unpackers | TENSIX_C_PACKER;

    if (mask & TENSIX_C_SCALAR && tensix_requests_pending(tensix, thread)) {
        return tensix_stall(tensix, thread, TENSIX_WAITS_FOR_RESULTS, 0);
    }
    if ((mask & unpackers && is_in(tensix, thread, TENSIX_UNIT_UNPACK)) ||
        (mask & TENSIX_C_PACKER && is_in(tensix, thread, TENSIX_UNIT_PACK))) {
        return tensix_stall(tensix, thread, TENSIX_WAITS_FOR_UNIT, 0);
    }
    return TENSIX_DONE;
}

/* The rows of this part; a row that neither part runs does not link. */
