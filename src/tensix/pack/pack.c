/*
 * The packer: its instructions, what they read (input addresses, the four read interfaces), and
 * what the rest of the tile sees of it. The stages behind are in config.c, read.c,
 * output.c and compress.c, see unit.h.
 *
 * SPEC: BlackholeA0 PACR; WormholeB0 PACR, PACR_SETREG, Packers/InputAddressGenerator, TDMA-RISC,
 * SoftReset; assembly.yaml of tt_llk_blackhole for the fields of PACR that no page explains.
 *
 * Everything a PACR does happens at once; a fault leaves all as it was.
 */
#include "tensix/config/adc.h"
#include "tensix/pack/unit.h"

/* --- Fields of PACR --- */

enum { CTXT_RESET = 2 /* of CtxtCtrl: nothing else happens */ };

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

/* --- Where to read --- */

enum {
    STRIDE = 16,             /* rows between interfaces with DstAccessMode */
    DST_DATUMS = 0x3fff,     /* addresses of data in Dst */
    L1_SOURCE_LOW = 0x3ffff, /* bytes that the address counters can reach of L1 */
    L1_SOURCE_BYTES = 0x1fffff,
};

/* SPEC: bytes; only four bits of the X stride count. */
uint32_t tensix_pack_input_address(const struct tensix *tensix, unsigned state,
                                   const struct tensix_adc_channel *channel)
{
    return tensix_get_PCK0_ADDR_BASE_REG_0_Base(tensix, state) +
           channel->x * (tensix_get_PCK0_ADDR_CTRL_XY_REG_0_Xstride(tensix, state) & 0xf) +
           channel->y * tensix_get_PCK0_ADDR_CTRL_XY_REG_0_Ystride(tensix, state) +
           channel->z * tensix_get_PCK0_ADDR_CTRL_ZW_REG_0_Zstride(tensix, state) +
           channel->w * tensix_get_PCK0_ADDR_CTRL_ZW_REG_0_Wstride(tensix, state);
}

/* X counts data within 16 bytes by itself; the other counters reach whole groups of 16 bytes. */
static uint32_t in_group(const struct tensix_pack_plan *plan, uint32_t x)
{
    return x & (0xfu >> plan->datum_shift);
}

unsigned tensix_pack_start_row(const struct tensix *tensix, const struct tensix_pack_plan *plan,
                               uint32_t address, uint32_t x)
{
    uint32_t group = 0xf >> plan->datum_shift;
    uint32_t datum = ((address >> plan->datum_shift) & ~group) + in_group(plan, x);
    datum += tensix_get_DEST_TARGET_REG_CFG_PACK_SEC0_Offset(tensix, plan->state) << 4;
    return (datum & DST_DATUMS) / TENSIX_DST_COLUMNS;
}

/*
 * SPEC: with Auto_set_last_pacr_intf_sel the last PACR of a plane reads what is left of it. GUESS:
 * it is the last one if at least as many interfaces are enabled as rows are left.
 */
static unsigned interfaces(const struct tensix *tensix, const struct tensix_pack_plan *plan,
                           unsigned selected)
{
    unsigned mask = selected ? selected : TENSIX_PACK_ALL_INTERFACES;
    if (plan->finds_last) {
        unsigned done = tensix->packer.position;
        unsigned enabled = (unsigned)__builtin_popcount(mask);
        if (plan->plane_rows > done && plan->plane_rows - done <= enabled) {
            mask = (1u << (plan->plane_rows - done)) - 1;
        }
    }
    return mask;
}

/*
 * Interface i reads the row i after the first, within a group of four; with DstAccessMode 16 rows
 * further each. SPEC: the page's loop leaves out that the mask moves along with the first row; its
 * text, LLK (llk_pack_rows.h) and ttsim have it. GUESS: any mask in DstAccessMode.
 */
static bool take_rows(struct tensix *tensix, unsigned thread, const struct tensix_args_PACR *args,
                      struct tensix_pack_job *job, unsigned first, enum tensix_exec *answer)
{
    unsigned mask = interfaces(tensix, job->plan, args->read_intf_sel);
    unsigned step = args->dst_access_mode ? STRIDE : 1;
    if (!args->dst_access_mode && mask << first % TENSIX_PACK_ROWS > TENSIX_PACK_ALL_INTERFACES) {
        *answer = tensix_fault(tensix, thread, TENSIX_FAULT_UNDEFINED,
                               "PACR: ReadIntfSel 0x%x from row %u of Dst goes beyond its group of "
                               "four rows; start lower or select fewer interfaces",
                               mask, first);
        return false;
    }
    unsigned rows = 0;
    for (unsigned i = 0; i < TENSIX_PACK_ROWS; i++) {
        job->row[rows] = (uint16_t)((first + i * step) % TENSIX_DST_ROWS);
        rows += mask >> i & 1;
    }
    job->rows = rows;
    return true;
}

/* How many of so many data of a row are left after downsampling and padding. */
static unsigned left_of_row(const struct tensix_pack_job *job, unsigned count)
{
    unsigned mask = job->plan->downsample_mask & ((1u << count) - 1);
    unsigned left = (unsigned)__builtin_popcount(mask);
    return left && job->pad == TENSIX_PACK_PAD_ROWS ? NUM_BLOCK_DATUMS : left;
}

/*
 * SPEC: assembly.yaml. Without interfaces the data that ZeroWrite writes are counted by X alone.
 */
static bool take_zeros(struct tensix *tensix, unsigned thread, const struct tensix_args_PACR *args,
                       const struct tensix_adc *adc, struct tensix_pack_job *job,
                       enum tensix_exec *answer)
{
    if (args->read_intf_sel) {
        unsigned rows = (unsigned)__builtin_popcount(args->read_intf_sel);
        job->zeros = rows * left_of_row(job, job->count);
        return true;
    }
    uint32_t count = adc->channel[1].x + 1;
    if (adc->channel[0].x || count % NUM_BLOCK_DATUMS) {
        *answer =
            tensix_fault(tensix, thread, TENSIX_FAULT_UNDEFINED,
                         "PACR: ZeroWrite with ReadIntfSel 0 writes X1 + 1 data: X0 (%u) must "
                         "be 0 and X1 (%u) one less than a multiple of 16",
                         adc->channel[0].x, adc->channel[1].x);
        return false;
    }
    job->zeros = count / NUM_BLOCK_DATUMS * left_of_row(job, NUM_BLOCK_DATUMS);
    return true;
}

static bool take_columns(struct tensix *tensix, unsigned thread, const struct tensix_adc *adc,
                         struct tensix_pack_job *job, enum tensix_exec *answer)
{
    uint32_t first = adc->channel[0].x, last = adc->channel[1].x;
    if (first >= NUM_BLOCK_DATUMS || last >= NUM_BLOCK_DATUMS || last + 1 < first) {
        *answer = tensix_fault(tensix, thread, TENSIX_FAULT_UNDEFINED,
                               "PACR: X from %u to %u (channels 0 and 1 of the packer's ADC) is no "
                               "range of columns of a row of Dst, which are 0 to 15; see SETADCXX",
                               first, last);
        return false;
    }
    job->first = first;
    job->count = last + 1 - first;
    return true;
}

/* SPEC: the address within L1; X is the only counter finer than 16 bytes. */
static uint32_t l1_address(const struct tensix *tensix, const struct tensix_pack_plan *plan,
                           uint32_t address, uint32_t x)
{
    uint32_t high = tensix_get_THCON_SEC0_REG1_L1_source_addr(tensix, plan->state);
    address = (high << 18) + (address & L1_SOURCE_LOW);
    address = (address & ~UINT32_C(0xf)) + (in_group(plan, x) << plan->datum_shift);
    return address & L1_SOURCE_BYTES;
}

/* GUESS: the interfaces take their rows one after the other. */
static bool take_l1(struct tensix *tensix, unsigned thread, const struct tensix_args_PACR *args,
                    struct tensix_pack_job *job, uint32_t address, uint32_t x,
                    enum tensix_exec *answer)
{
    unsigned mask = interfaces(tensix, job->plan, args->read_intf_sel);
    job->rows = (unsigned)__builtin_popcount(mask);
    job->l1_source = l1_address(tensix, job->plan, address, x);
    uint32_t size = job->rows * job->count << job->plan->datum_shift;
    if (job->l1_source > tensix->l1_size || size > tensix->l1_size - job->l1_source) {
        *answer = tensix_fault(tensix, thread, TENSIX_FAULT_UNDEFINED,
                               "PACR: the source 0x%x, %u bytes, is not in L1, which ends at 0x%x; "
                               "see THCON_SEC0_REG1_L1_source_addr",
                               job->l1_source, size, tensix->l1_size);
        return false;
    }
    return true;
}

static bool locate(struct tensix *tensix, unsigned thread, const struct tensix_args_PACR *args,
                   struct tensix_pack_job *job, enum tensix_exec *answer)
{
    const struct tensix_pack_plan *plan = job->plan;
    const struct tensix_adc *adc = &tensix->thread[job->which_adc].adc[TENSIX_ADC_PACKER];
    const struct tensix_adc_channel *from = &adc->channel[0];
    uint32_t address = tensix_pack_input_address(tensix, job->state, from);
    if (args->zero_write && !args->read_intf_sel) {
        return take_zeros(tensix, thread, args, adc, job, answer);
    }
    if (!take_columns(tensix, thread, adc, job, answer)) {
        return false;
    }
    if (args->zero_write) {
        return take_zeros(tensix, thread, args, adc, job, answer);
    }
    if (address & ((1u << plan->datum_shift) - 1)) {
        *answer =
            tensix_fault(tensix, thread, TENSIX_FAULT_UNDEFINED,
                         "PACR: input address 0x%x is not a multiple of the %u bytes of "
                         "In_data_format; see PCK0_ADDR_CTRL_*_REG_0 and PCK0_ADDR_BASE_REG_0",
                         address, 1u << plan->datum_shift);
        return false;
    }
    job->reads = true;
    if (plan->from_l1) {
        return take_l1(tensix, thread, args, job, address, from->x, answer);
    }
    return take_rows(tensix, thread, args, job,
                     tensix_pack_start_row(tensix, plan, address, from->x), answer);
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

static inline void modify(struct tensix_adc_channel *channel, unsigned y, unsigned z)
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

enum tensix_exec tensix_pack_outside_l1(struct tensix *tensix, unsigned thread, uint32_t address)
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

/*
 * SPEC: BlackholeA0 PACR, tile position generator: as many rows further as interfaces were enabled,
 * and to the next plane only when that is exactly the plane's number of rows. GUESS: the same of
 * faces where Y and Z are transposed; what does not come from Dst does not count, as on Wormhole.
 */
static inline void advance(struct tensix_packer *packer, const struct tensix_pack_job *job)
{
    const struct tensix_pack_plan *plan = job->plan;
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

/* --- PACR --- */

/* Reads into a batch, then puts that out. */
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

static enum tensix_exec flush(struct tensix *tensix, unsigned thread,
                              const struct tensix_args_PACR *args,
                              const struct tensix_pack_plan *plan)
{
    uint32_t address;
    if (!tensix_pack_flush(tensix, plan, true, &address)) {
        return tensix_pack_outside_l1(tensix, thread, address);
    }
    if (args->last) {
        end_tile(tensix, thread, plan->state);
    }
    modify_adc(tensix, thread, which_adc(thread, args), args->addr_mod);
    return TENSIX_DONE;
}

/* All that follows when the data are where they belong. */
enum tensix_exec tensix_pack_end_job(struct tensix *tensix, unsigned thread,
                                     const struct tensix_args_PACR *args,
                                     const struct tensix_pack_job *job)
{
    advance(&tensix->packer, job);
    /* GUESS: a line a cycle. */
    tensix_take_off(tensix, thread, TENSIX_FLIGHT_PACKER, job->rows * job->plan->bits / 8);
    if (args->last) {
        end_tile(tensix, thread, job->state);
    }
    modify_adc(tensix, thread, job->which_adc, args->addr_mod);
    return TENSIX_DONE;
}

struct tensix_pack_job tensix_pack_new_job(struct tensix *tensix, unsigned thread,
                                           const struct tensix_args_PACR *args)
{
    unsigned state = tensix_state_id(tensix, thread);
    tensix_vector_settle(tensix, &tensix->vector, tensix->now);
    return (struct tensix_pack_job){.plan = tensix_pack_plan_now(tensix, state),
                                    .state = state,
                                    .which_adc = which_adc(thread, args)};
}

TENSIX_EXEC(PACR)
{
    struct tensix_pack_job job = tensix_pack_new_job(tensix, thread, args);
    const struct tensix_pack_plan *plan = job.plan;
    enum tensix_exec answer;
    uint32_t address;
    if (args->ctxt_ctrl == CTXT_RESET) {
        return TENSIX_DONE;
    }
    if (args->cfg_context || args->ctxt_ctrl) {
        return refuse_context(tensix, thread, args);
    }
    job.pad = row_pad(args);
    if (args->flush) {
        return flush(tensix, thread, args, plan);
    }
    bool is_refused =
        args->zero_write ? plan->refusal && plan->refusal < TENSIX_PACK_BAD_EARLY : plan->refusal;
    if (is_refused) {
        return tensix_pack_refuse(tensix, thread, plan);
    }
    if (!locate(tensix, thread, args, &job, &answer)) {
        return answer;
    }
    if (!pack_batch(tensix, args, &job, &address)) {
        return tensix_pack_outside_l1(tensix, thread, address);
    }
    return tensix_pack_end_job(tensix, thread, args, &job);
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
    uint32_t beyond;
    uint32_t address =
        tensix_register_address(tensix_get_THCON_SEC0_REG10_Packer_Reg_Wr_Addr(tensix, state),
                                tensix_get_THCON_SEC1_REG10_Packer_Reg_Wr_Addr(tensix, state),
                                args->addr_sel, args->addr_mid);
    if (writes && address < AT_TDMA) {
        return tensix_fault(tensix, thread, TENSIX_FAULT_UNDEFINED,
                            "PACR_SETREG: 0x%08x is below 0x%08x, where registers begin; see "
                            "THCON_SEC0_REG10_Packer_Reg_Wr_Addr",
                            address, AT_TDMA);
    }
    if (args->flush &&
        !tensix_pack_flush(tensix, tensix_pack_plan_now(tensix, state), false, &beyond)) {
        return tensix_pack_outside_l1(tensix, thread, beyond);
    }
    /* SPEC: nothing is written above. While the register waits, to flush once more does nothing. */
    enum tensix_exec exec = TENSIX_DONE;
    if (writes && address < END_OVERLAY) {
        tensix_write_register(tensix, thread, "PACR_SETREG", address, tensix->packer.register_value,
                              &exec);
    }
    return exec;
}

TENSIX_EXEC(PACR_SETREG_DATA)
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
