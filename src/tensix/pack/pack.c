/*
 * The packer: its instructions, and what the rest of the tile sees of it. How a PACR gets from one
 * stage to the next is in job.h.
 *
 * SPEC: BlackholeA0 PACR; WormholeB0 PACR, PACR_SETREG, TDMA-RISC, SoftReset; assembly.yaml of
 * tt_llk_blackhole for the fields of PACR that no page explains.
 *
 * Everything a PACR does happens at once; a fault leaves all as it was.
 */
#include "tensix/config/adc.h"
#include "tensix/pack/job.h"

/* --- Fields of PACR --- */

enum { CTXT_RESET = 2 /* of CtxtCtrl: nothing else happens */ };

/* SPEC: assembly.yaml, RowPadZero. */
static enum pack_pad row_pad(const struct tensix_args_PACR *args)
{
    enum { NEVER, ALWAYS, WITHOUT_CONCAT, WITH_LAST, CUMULATIVE = 4 };
    enum pack_pad pad = args->row_pad_zero & CUMULATIVE ? PACK_PAD_ALL : PACK_PAD_ROWS;
    switch (args->row_pad_zero & 3) {
    case ALWAYS:
        return pad;
    case WITHOUT_CONCAT:
        return args->concat ? PACK_PAD_NOTHING : pad;
    case WITH_LAST:
        return args->last ? pad : PACK_PAD_NOTHING;
    default:
        return PACK_PAD_NOTHING;
    }
}

/* SPEC: assembly.yaml; contexts are counted inside the packer, and nobody says what they choose. */
static enum tensix_exec refuse_context(struct tensix *tensix, unsigned thread, unsigned context,
                                       unsigned control)
{
    return tensix_fault(tensix, thread, PENROSE_FAULT_UNIMPLEMENTED,
                        "PACR: CfgContext %u and CtxtCtrl %u: no source says what contexts other "
                        "than 0 choose; both must be 0",
                        context, control);
}

static unsigned which_adc(unsigned thread, const struct tensix_args_PACR *args)
{
    return tensix_pack_adc(thread, args->ovrd_thread_id, args->addr_cnt_context);
}

/* --- Afterwards --- */

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

static inline void modify_channel(struct tensix_adc_channel *channel, unsigned y, unsigned z)
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
    modify_channel(&adc->channel[0], word, word >> Z_SHIFT);
    modify_channel(&adc->channel[1], word >> DST_SHIFT, word >> Z_DST_SHIFT);
}

/*
 * SPEC: TDMA-RISC. GUESS: the size of a tile counts all its lines of 16 bytes, exponents and row
 * starts included.
 */
static void end_tile(const struct pack_job *job)
{
    struct tensix *tensix = job->tensix;
    struct tensix_packer *packer = job->packer;
    unsigned thread = job->thread;
    unsigned header = pack_section(job->tensix, job->which, job->state,
                                   TENSIX_FIELD_THCON_SEC0_REG1_Add_tile_header_size);
    uint16_t size = (uint16_t)packer->output.lines;
    packer->output.lines = 0;
    packer->last_thread = (uint8_t)thread;
    packer->last_tile_size = size;
    packer->all_zero_flags = packer->output.zero_flags;
    tensix->outcome.changed = true;
    packer->acc_tile_size[thread] = (uint16_t)(packer->acc_tile_size[thread] + size + header);
    if (pack_section(job->tensix, job->which, job->state,
                     TENSIX_FIELD_THCON_SEC0_REG1_Enable_out_fifo) &&
        packer->metadata_count < TENSIX_PACK_METADATA) {
        unsigned at = (packer->metadata_first + packer->metadata_count++) % TENSIX_PACK_METADATA;
        packer->metadata[at] = (struct tensix_pack_metadata){size, packer->all_zero_flags};
    }
}

/*
 * SPEC: BlackholeA0 PACR, tile position generator: as many rows further as interfaces were enabled,
 * and to the next plane only when that is exactly the plane's number of rows. GUESS: the same of
 * faces where Y and Z are transposed; what does not come from Dst does not count, as on Wormhole.
 */
static void advance_position(const struct pack_job *job)
{
    const struct tensix_pack_plan *plan = job->plan;
    struct tensix_packer *packer = job->packer;
    uint8_t *inner = plan->is_transposed ? &packer->face : &packer->position;
    uint8_t *outer = plan->is_transposed ? &packer->position : &packer->face;
    if (!job->reads || plan->from_l1) {
        return;
    }
    *inner = (uint8_t)(*inner + job->rows);
    if (*inner == plan->plane_rows) {
        *inner = 0;
        ++*outer;
    }
}

/* SPEC: ExponentHistogram. */
static void take_exponents(struct tensix_packer *packer, const struct pack_batch *batch)
{
    enum { BINS = sizeof packer->histogram / sizeof packer->histogram[0], BIN_MOST = 255 };
    packer->max_exponent = batch->max_exponent;
    for (unsigned i = 0; i < batch->exponents; i++) {
        uint32_t *bin = &packer->histogram[batch->exponent[i] % BINS];
        *bin += *bin < BIN_MOST;
    }
}

/* --- PACR --- */

static inline struct pack_job new_pack_job(struct tensix *tensix, unsigned thread, unsigned which)
{
    unsigned state = tensix_state_id(tensix, thread);
    return (struct pack_job){
        .tensix = tensix,
        .packer = &tensix->packer[which],
        .plan = pack_plan(tensix, which, state),
        .thread = thread,
        .which = which,
        .state = state,
    };
}

/* Does the job pack whole rows to which nothing happens but conversions and ReLU? */
static bool packs_rows(const struct pack_job *job)
{
    return job->plan->is_plain && job->reads && job->count == NUM_BLOCK_DATUMS &&
           job->pad != PACK_PAD_ALL && job->packer->output.block_count == 0 &&
           !pack_wants_histogram(job->tensix);
}

/* False: something cannot be done, and nothing has happened. */
static bool prepare_pack(struct pack_job *job, struct pack_batch *batch)
{
    bool is_refused = job->writes_zeros ? job->plan->refusal && job->plan->refusal < PACK_BAD_EARLY
                                        : job->plan->refusal;
    if (is_refused) {
        return pack_refuse(job);
    }
    if (!pack_find_input(job)) {
        return false;
    }
    batch->max_exponent = job->packer->max_exponent;
    batch->generator = job->packer->generator;
    batch->exponents = 0;
    batch->is_rows = packs_rows(job);
    if (batch->is_rows) {
        batch->count = job->rows * NUM_BLOCK_DATUMS;
    } else {
        pack_read(job, batch);
    }
    return pack_fits(job, batch);
}

/* Tells observers which rows of Dst, or bytes of L1, the job reads. */
static void tell_input(const struct pack_job *job)
{
    const struct tensix_dst_map map = tensix_dst_map_now(job->tensix);
    const bool is_32bit = job->plan->how.early.is_32bit;
    if (job->reads && job->plan->from_l1) {
        tensix_touch(job->tensix, TENSIX_READS, OBSERVED_STATE_L1, job->l1_source,
                     job->rows * job->count << job->plan->datum_shift);
        return;
    }
    for (unsigned left = job->reads ? job->interfaces : 0; left; left &= left - 1) {
        unsigned row = job->row + (unsigned)__builtin_ctz(left) * job->row_step;
        unsigned physical =
            is_32bit ? tensix_dst_physical32(map, row) : tensix_dst_physical16(map, row);
        tensix_touch(job->tensix, TENSIX_READS, OBSERVED_STATE_DST, physical, 1);
        tensix_touch(job->tensix, TENSIX_READS, OBSERVED_STATE_DST_FLAG, physical, 1);
        if (is_32bit) {
            tensix_touch(job->tensix, TENSIX_READS, OBSERVED_STATE_DST,
                         physical + TENSIX_DST_LOWER_HALF, 1);
        }
    }
}

static void perform_pack(const struct pack_job *job, struct pack_batch *batch)
{
    if (tensix_wants_work(job->tensix)) {
        tell_input(job);
    }
    pack_put(job, batch);
    take_exponents(job->packer, batch);
    job->packer->generator = batch->generator;
    advance_position(job);
    /* GUESS: a line a cycle. */
    tensix_take_off(job->tensix, job->thread, TENSIX_FLIGHT_PACKER,
                    job->rows * job->plan->bits / 8);
}

static inline struct pack_job job_of_pacr(struct tensix *tensix, unsigned thread, unsigned which,
                                          const struct tensix_args_PACR *args)
{
    struct pack_job job = new_pack_job(tensix, thread, which);
    job.adc = which_adc(thread, args);
    job.pad = row_pad(args);
    job.interfaces = args->read_intf_sel;
    job.is_strided = args->dst_access_mode;
    job.writes_zeros = args->zero_write;
    job.continues = args->concat;
    job.drains = args->last || args->flush;
    return job;
}

/* Timed runs: interfaces put out their rows side by side. */
static void charge_output(const struct pack_job *job)
{
    struct tensix *tensix = job->tensix;
    uint64_t *until = &tensix->thread[job->thread].busy_until[TENSIX_UNIT_PACK];
    const uint64_t bits = (uint64_t)job->count * job->plan->bits;
    struct timing_span span = timing_ask(tensix->timing, TIMING_PACK_BYTES, &tensix->pack_output,
                                         (bits + 7) / 8, tensix->now);
    const uint64_t done = span.end + timing_cycles(tensix->timing, TIMING_PACK_DRAIN);
    *until = done > *until ? done : *until;
}

/* SPEC: WormholeB0 PACR, PackerMask: 0 is packer 0. */
TENSIX_EXEC(PACR)
{
    struct pack_job job[TENSIX_PACKERS];
    struct pack_batch batch[TENSIX_PACKERS];
    const unsigned packers = args->packer_mask ? args->packer_mask : 1;
    tensix_vector_settle(tensix, &tensix->vector, tensix->now);
    if (args->ctxt_ctrl == CTXT_RESET) {
        return TENSIX_DONE;
    }
    if (args->cfg_context || args->ctxt_ctrl) {
        return refuse_context(tensix, thread, args->cfg_context, args->ctxt_ctrl);
    }
    if (tensix->timing && !timing_is_free(&tensix->pack_output, tensix->now)) {
        tensix->thread[thread].time = tensix->pack_output.free_at - 1;
        return tensix_stall(tensix, thread, TENSIX_WAITS_FOR_UNIT, 0);
    }
    for (unsigned i = 0; i < TENSIX_PACKERS; i++) {
        if (packers >> i & 1) {
            job[i] = job_of_pacr(tensix, thread, i, args);
            if (args->flush ? !pack_fits(&job[i], NULL) : !prepare_pack(&job[i], &batch[i])) {
                return job[i].answer;
            }
            const unsigned base = TENSIX_WORD_THCON_SEC0_REG1_L1_Dest_addr + pack_words[i].section;
            if (!tensix_judge_fresh(tensix, thread, TENSIX_FLIGHT_PACKER, job[i].state,
                                    job[i].packer->output.data.open ? TENSIX_STATE_WORDS : base)) {
                return TENSIX_STOP;
            }
        }
    }
    for (unsigned i = 0; i < TENSIX_PACKERS; i++) {
        if (packers >> i & 1) {
            if (args->flush) {
                pack_put(&job[i], NULL);
            } else {
                perform_pack(&job[i], &batch[i]);
            }
            if (tensix_unit_timing(tensix, TENSIX_UNIT_PACK)) {
                charge_output(&job[i]);
            }
            if (job[i].drains) {
                pack_close(&job[i].packer->output);
            }
            if (args->last) {
                end_tile(&job[i]);
            }
        }
    }
    modify_adc(tensix, thread, which_adc(thread, args), args->addr_mod);
    return TENSIX_DONE;
}

/* --- PACR_SETREG --- */

/*
 * SPEC: assembly.yaml of Blackhole; the page of WormholeB0 has the same address, and a value in the
 * instruction. GUESS: Flush alone only flushes, and without it nothing happens.
 */
TENSIX_EXEC(PACR_SETREG)
{
    unsigned state = tensix_state_id(tensix, thread);
    bool writes = args->push && args->flush;
    uint32_t address =
        tensix_register_address(tensix_get_THCON_SEC0_REG10_Packer_Reg_Wr_Addr(tensix, state),
                                tensix_get_THCON_SEC1_REG10_Packer_Reg_Wr_Addr(tensix, state),
                                args->addr_sel, args->addr_mid);
    if (writes && address < AT_TDMA) {
        return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                            "PACR_SETREG: 0x%08x is below 0x%08x, where registers begin; see "
                            "THCON_SEC0_REG10_Packer_Reg_Wr_Addr",
                            address, AT_TDMA);
    }
    if (args->flush) {
        for (unsigned i = 0; i < TENSIX_PACKERS; i++) {
            struct pack_job job = new_pack_job(tensix, thread, i);
            job.drains = true;
            if (!pack_fits(&job, NULL)) {
                return job.answer;
            }
            pack_put(&job, NULL);
        }
    }
    /* SPEC: nothing is written above. While the register waits, to flush once more does nothing. */
    enum tensix_exec exec = TENSIX_DONE;
    if (writes && address < END_OVERLAY) {
        tensix_write_register(tensix, thread, "PACR_SETREG", address,
                              tensix->packer[0].register_value, &exec);
    }
    return exec;
}

TENSIX_EXEC(PACR_SETREG_DATA)
{
    unsigned shift = args->high_half ? 16 : 0;
    uint32_t *value = &tensix->packer[0].register_value;
    (void)thread;
    *value = (*value & ~(UINT32_C(0xffff) << shift)) | (uint32_t)args->data << shift;
    return TENSIX_DONE;
}

/* --- What the tile sees --- */

void tensix_packer_clear_histogram(struct tensix_packer *packer)
{
    memset(packer->histogram, 0, sizeof packer->histogram);
    packer->max_exponent = 0;
}

uint16_t tensix_packer_tile_size(const struct tensix_packer *packer, unsigned thread)
{
    return packer->last_thread == thread ? packer->last_tile_size : 0;
}

void tensix_packer_reset_size(struct tensix_packer *packer, uint16_t l1_dest_addr_offset)
{
    memset(packer->acc_tile_size, 0, sizeof packer->acc_tile_size);
    packer->l1_dest_addr_offset = l1_dest_addr_offset;
}

bool tensix_packer_take_metadata(struct tensix_packer *packer,
                                 struct tensix_pack_metadata *metadata)
{
    if (packer->metadata_count == 0) {
        return false;
    }
    *metadata = packer->metadata[packer->metadata_first];
    packer->metadata_first = (uint8_t)((packer->metadata_first + 1) % TENSIX_PACK_METADATA);
    packer->metadata_count--;
    return true;
}

/*
 * SPEC: SoftReset. Each packer has a bit. GUESS: of the four bits of Wormhole's packers the first
 * is the packer here; the tile position starts anew with it.
 */
void tensix_packer_soft_reset(struct tensix *tensix, uint32_t entering, uint32_t leaving)
{
    const uint32_t first = TENSIX_RESET_PACKERS & -TENSIX_RESET_PACKERS;
    for (unsigned i = 0; i < TENSIX_PACKERS; i++) {
        struct tensix_packer *packer = &tensix->packer[i];
        if (entering & first << i) {
            packer->output = (struct tensix_pack_output){.lines = 0};
            packer->position = packer->face = 0;
            packer->last_tile_size = 0;
            memset(packer->acc_tile_size, 0, sizeof packer->acc_tile_size);
            packer->metadata_first = packer->metadata_count = 0;
        }
        if (leaving & first << i) {
            packer->l1_dest_addr_offset = 0;
        }
        if (entering & TENSIX_RESET_DST) {
            tensix_packer_clear_histogram(packer);
        }
        if (leaving & TENSIX_RESET_DST) {
            packer->generator = 0;
        }
    }
}
