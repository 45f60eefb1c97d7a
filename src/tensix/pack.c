/*
 * The packer: its instructions, and what the rest of the tile sees of it. The stages of PACR are in
 * pack_config.c, pack_read.c, pack_output.c and pack_compress.c, see pack_unit.h.
 *
 * SPEC: BlackholeA0 PACR; WormholeB0 PACR, PACR_SETREG, Packers (all pages), TDMA-RISC, SoftReset;
 * assembly.yaml of tt_llk_blackhole for the fields of PACR that no page explains.
 *
 * Everything a PACR does happens at once; a fault leaves all as it was.
 */
#include "tensix/adc.h"
#include "tensix/pack_unit.h"

/* --- PACR --- */

/* Fields of the instruction word that are 0 in all but a few instructions. */
enum {
    CFG_CONTEXT = 3 << 21,
    ROW_PAD_ZERO = 7 << 18,
    CTXT_CTRL = 3 << 2,
    UNUSUAL = CFG_CONTEXT | ROW_PAD_ZERO | CTXT_CTRL,
    CTXT_RESET = 2, /* of CtxtCtrl: nothing else happens */
};

/* SPEC: assembly.yaml, RowPadZero. */
static enum tensix_pack_pad row_pad(const struct tensix_args_PACR *args)
{
    enum { NEVER, ALWAYS, WITHOUT_CONCAT, WITH_LAST, CUMULATIVE = 4 };
    enum tensix_pack_pad pad =
        args->row_pad_zero & CUMULATIVE ? TENSIX_PACK_PAD_ALL : TENSIX_PACK_PAD_ROWS;
    switch (args->row_pad_zero & 3) {
    case ALWAYS:
        return pad;
    case WITHOUT_CONCAT:
        return args->concat ? TENSIX_PACK_PAD_NOTHING : pad;
    case WITH_LAST:
        return args->last ? pad : TENSIX_PACK_PAD_NOTHING;
    default:
        return TENSIX_PACK_PAD_NOTHING;
    }
}

/* SPEC: assembly.yaml; contexts are counted inside the packer, and nobody says what they choose. */
static enum tensix_exec refuse_context(struct tensix *tensix, unsigned thread,
                                       const struct tensix_args_PACR *args)
{
    return tensix_fault(tensix, thread, TENSIX_FAULT_UNIMPLEMENTED,
                        "PACR: CfgContext %u and CtxtCtrl %u: no source says what contexts other "
                        "than 0 choose; both must be 0",
                        args->cfg_context, args->ctxt_ctrl);
}

/* SPEC: ADC context 3 is 0. */
static unsigned which_adc(unsigned thread, const struct tensix_args_PACR *args)
{
    unsigned context = args->addr_cnt_context;
    return !args->ovrd_thread_id ? thread : context == TENSIX_THREADS ? 0 : context;
}

enum modifier {
    SRC_INCR = 0xf,
    SRC_CR = 1 << 4,
    SRC_CLEAR = 1 << 5,
    DST_SHIFT = 6,
    Z_SHIFT = 12,
    Z_INCR = 1,
    Z_CLEAR = 2,
    Z_DST_SHIFT = 14,
};
_Static_assert(TENSIX_WORD_ADDR_MOD_PACK_SEC3_YsrcIncr ==
                   TENSIX_WORD_ADDR_MOD_PACK_SEC0_YsrcIncr + 3,
               "words of the four modifiers follow each other");

static void modify(struct tensix_adc_channel *channel, unsigned y, unsigned z)
{
    if (y & SRC_CLEAR) {
        tensix_adc_put(channel, TENSIX_ADC_Y, 0);
    } else if (y & SRC_CR) {
        tensix_adc_return(channel, TENSIX_ADC_Y, y & SRC_INCR);
    } else {
        tensix_adc_add(channel, TENSIX_ADC_Y, y & SRC_INCR);
    }
    if (z & Z_CLEAR) {
        tensix_adc_put(channel, TENSIX_ADC_Z, 0);
    } else {
        tensix_adc_add(channel, TENSIX_ADC_Z, z & Z_INCR);
    }
}

static void modify_adc(struct tensix *tensix, unsigned thread, unsigned which, unsigned addr_mod)
{
    struct tensix_adc *adc = &tensix->thread[which].adc[TENSIX_ADC_PACKER];
    unsigned word =
        tensix->thread_config[thread][TENSIX_WORD_ADDR_MOD_PACK_SEC0_YsrcIncr + addr_mod];
    modify(&adc->channel[0], word, word >> Z_SHIFT);
    modify(&adc->channel[1], word >> DST_SHIFT, word >> Z_DST_SHIFT);
}

static enum tensix_exec outside_l1(struct tensix *tensix, unsigned thread, uint32_t address)
{
    return tensix_fault(tensix, thread, TENSIX_FAULT_UNDEFINED,
                        "PACR: output at 0x%x does not fit in L1, which ends at 0x%x; see "
                        "THCON_SEC0_REG1_L1_Dest_addr, the packer's ADC and PCK0_ADDR_*_REG_1",
                        address, tensix->l1_size);
}

/*
 * SPEC: TDMA-RISC. GUESS: the size of a tile counts all its lines of 16 bytes, exponents and row
 * starts included.
 */
static void end_tile(struct tensix *tensix, unsigned thread, unsigned state)
{
    struct tensix_packer *packer = &tensix->packer;
    unsigned header = tensix_get_THCON_SEC0_REG1_Add_tile_header_size(tensix, state);
    uint16_t size = (uint16_t)packer->output.lines;
    packer->output.lines = 0;
    packer->last_thread = (uint8_t)thread;
    packer->last_tile_size = size;
    packer->all_zero_flags = packer->output.zero_flags;
    tensix->changed = true;
    packer->acc_tile_size[thread] = (uint16_t)(packer->acc_tile_size[thread] + size + header);
    if (tensix_get_THCON_SEC0_REG1_Enable_out_fifo(tensix, state) &&
        packer->metadata_count < TENSIX_PACK_METADATA) {
        unsigned at = (packer->metadata_first + packer->metadata_count++) % TENSIX_PACK_METADATA;
        packer->metadata[at] = (struct tensix_pack_metadata){size, packer->all_zero_flags};
    }
}

/* Any job: read into a batch, then put out. */
static bool pack_batch(struct tensix *tensix, const struct tensix_args_PACR *args,
                       const struct tensix_pack_job *job, uint32_t *address)
{
    struct tensix_pack_batch batch;
    tensix_pack_read(tensix, job, &batch);
    if (!tensix_pack_put(tensix, job, &batch, args->concat, args->last, address)) {
        return false;
    }
    tensix_pack_count_exponents(tensix, &batch);
    tensix->packer.generator = batch.generator;
    return true;
}

/* Whole rows and whole lines; what has gathered before is whole, too. */
static bool is_plain(const struct tensix *tensix, const struct tensix_pack_job *job)
{
    const struct tensix_pack_output *output = &tensix->packer.output;
    unsigned bytes = job->rows * job->plan->bits * (NUM_BLOCK_DATUMS / 8);
    return job->plan->is_plain && job->reads && job->count == NUM_BLOCK_DATUMS &&
           job->pad != TENSIX_PACK_PAD_ALL && bytes % TENSIX_PACK_LINE == 0 &&
           !(output->data.fill | output->block_count) && !tensix_pack_wants_histogram(tensix);
}

static bool pack_job(struct tensix *tensix, const struct tensix_args_PACR *args,
                     const struct tensix_pack_job *job, uint32_t *address)
{
    return is_plain(tensix, job) ? tensix_pack_put_plain(tensix, job, args->last, address)
                                 : pack_batch(tensix, args, job, address);
}

static enum tensix_exec flush(struct tensix *tensix, unsigned thread,
                              const struct tensix_args_PACR *args,
                              const struct tensix_pack_plan *plan)
{
    uint32_t address;
    if (!tensix_pack_flush(tensix, plan, true, &address)) {
        return outside_l1(tensix, thread, address);
    }
    if (args->last) {
        end_tile(tensix, thread, plan->state);
    }
    modify_adc(tensix, thread, which_adc(thread, args), args->addr_mod);
    return TENSIX_DONE;
}

static enum tensix_exec exec_PACR(struct tensix *tensix, unsigned thread,
                                  const struct tensix_args_PACR *args)
{
    unsigned state = tensix_state_id(tensix, thread);
    const struct tensix_pack_plan *plan = tensix_pack_plan_now(tensix, state);
    struct tensix_pack_job job = {
        .plan = plan, .state = state, .which_adc = which_adc(thread, args)};
    enum tensix_exec answer;
    uint32_t address;
    if (args->word & UNUSUAL) {
        if (args->ctxt_ctrl == CTXT_RESET) {
            return TENSIX_DONE;
        }
        if (args->cfg_context || args->ctxt_ctrl) {
            return refuse_context(tensix, thread, args);
        }
        job.pad = row_pad(args);
    }
    if (args->flush) {
        return flush(tensix, thread, args, plan);
    }
    bool is_refused =
        args->zero_write ? plan->refusal && plan->refusal < TENSIX_PACK_BAD_EARLY : plan->refusal;
    if (is_refused) {
        return tensix_pack_refuse(tensix, thread, plan);
    }
    if (!tensix_pack_locate(tensix, thread, args, &job, &answer)) {
        return answer;
    }
    if (!pack_job(tensix, args, &job, &address)) {
        return outside_l1(tensix, thread, address);
    }
    tensix_pack_advance(tensix, &job);
    /* GUESS: a line a cycle. */
    tensix_take_off(tensix, thread, TENSIX_FLIGHT_PACKER, job.rows * plan->bits / 8);
    if (args->last) {
        end_tile(tensix, thread, state);
    }
    modify_adc(tensix, thread, job.which_adc, args->addr_mod);
    return TENSIX_DONE;
}

/* --- PACR_SETREG --- */

enum { REGISTERS_FIRST = 0x11000, REGISTERS_END = 0x80000, MID_SHIFT = 12 };
static const uint32_t registers = UINT32_C(0xffb00000);

/*
 * SPEC: assembly.yaml of Blackhole; the page of WormholeB0 has the same address, and a value in the
 * instruction. GUESS: Flush alone only flushes, and without it nothing happens.
 */
static enum tensix_exec exec_PACR_SETREG(struct tensix *tensix, unsigned thread,
                                         const struct tensix_args_PACR_SETREG *args)
{
    const struct tensix_packer *packer = &tensix->packer;
    uint32_t offset = 0, address;
    const char *rule = NULL;
    if (args->push && args->flush) {
        if (args->addr_sel >= TENSIX_PACK_REGISTERS) {
            return tensix_fault(tensix, thread, TENSIX_FAULT_UNIMPLEMENTED,
                                "PACR_SETREG: AddrSel %u: no source says where TDMA-RISC keeps "
                                "addresses 2 and 3",
                                args->addr_sel);
        }
        offset = packer->register_base[args->addr_sel] + (args->addr_mid << MID_SHIFT);
        if (offset < REGISTERS_FIRST) {
            return tensix_fault(tensix, thread, TENSIX_FAULT_UNDEFINED,
                                "PACR_SETREG: 0x%08x is below 0xffb11000, where registers begin; "
                                "set the base in TDMA-RISC (0xffb11038)",
                                registers + offset);
        }
    }
    const struct tensix_pack_plan *plan =
        tensix_pack_plan_now(tensix, tensix_state_id(tensix, thread));
    if (args->flush && !tensix_pack_flush(tensix, plan, false, &address)) {
        return outside_l1(tensix, thread, address);
    }
    if (offset < REGISTERS_FIRST || offset >= REGISTERS_END) {
        return TENSIX_DONE; /* SPEC: nothing is written above, either */
    }
    address = registers + offset;
    switch (tensix->board->write(tensix->owner, thread, address, tensix->now,
                                 packer->register_value, &rule)) {
    case TENSIX_OK:
        return TENSIX_DONE;
    case TENSIX_WAIT: /* to flush once more does nothing */
        return tensix_stall(tensix, thread, TENSIX_WAITS_FOR_DEVICE, address);
    case TENSIX_REFUSED:
        break;
    }
    return tensix_fault(tensix, thread, TENSIX_FAULT_UNDEFINED,
                        "PACR_SETREG: address 0x%08x: %.120s", address,
                        rule ? rule : "nothing is there");
}

static enum tensix_exec exec_PACR_SETREG_DATA(struct tensix *tensix, unsigned thread,
                                              const struct tensix_args_PACR_SETREG_DATA *args)
{
    unsigned shift = args->high_half ? 16 : 0;
    uint32_t *value = &tensix->packer.register_value;
    (void)thread;
    *value = (*value & ~(UINT32_C(0xffff) << shift)) | (uint32_t)args->data << shift;
    return TENSIX_DONE;
}

/* --- What the tile sees --- */

uint16_t tensix_packer_tile_size(const struct tensix *tensix, unsigned thread)
{
    const struct tensix_packer *packer = &tensix->packer;
    return packer->last_thread == thread ? packer->last_tile_size : 0;
}

void tensix_packer_reset_size(struct tensix *tensix, uint16_t l1_dest_addr_offset)
{
    struct tensix_packer *packer = &tensix->packer;
    memset(packer->acc_tile_size, 0, sizeof packer->acc_tile_size);
    packer->l1_dest_addr_offset = l1_dest_addr_offset;
}

void tensix_packer_set_registers(struct tensix *tensix, uint32_t value)
{
    for (unsigned i = 0; i < TENSIX_PACK_REGISTERS; i++) {
        uint32_t middle = value >> 10 * i & 0x3ff;
        uint32_t high = value >> (20 + 2 * i) & 3;
        tensix->packer.register_base[i] = high << 18 | middle << 2;
    }
}

bool tensix_packer_take_metadata(struct tensix *tensix, struct tensix_pack_metadata *metadata)
{
    struct tensix_packer *packer = &tensix->packer;
    if (packer->metadata_count == 0) {
        return false;
    }
    *metadata = packer->metadata[packer->metadata_first];
    packer->metadata_first = (uint8_t)((packer->metadata_first + 1) % TENSIX_PACK_METADATA);
    packer->metadata_count--;
    return true;
}

/*
 * SPEC: SoftReset. GUESS: of the four bits of Wormhole's packers the first is the packer here; the
 * tile position starts anew with it.
 */
void tensix_packer_soft_reset(struct tensix *tensix, uint32_t entering, uint32_t leaving)
{
    enum { PACKER = TENSIX_RESET_PACKERS & -TENSIX_RESET_PACKERS };
    struct tensix_packer *packer = &tensix->packer;
    if (entering & PACKER) {
        packer->output = (struct tensix_pack_output){.lines = 0};
        packer->position = packer->face = 0;
        packer->last_tile_size = 0;
        memset(packer->acc_tile_size, 0, sizeof packer->acc_tile_size);
        packer->metadata_first = packer->metadata_count = 0;
    }
    if (leaving & PACKER) {
        packer->l1_dest_addr_offset = 0;
    }
    if (entering & TENSIX_RESET_DST) {
        memset(packer->histogram, 0, sizeof packer->histogram);
        packer->max_exponent = 0;
    }
    if (leaving & TENSIX_RESET_DST) {
        packer->generator = 0;
    }
}

#define TENSIX_RUNS_PACK(token) TENSIX_RUNNER(token)
#include "tensix/runners.h"
