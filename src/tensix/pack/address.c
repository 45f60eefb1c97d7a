/*
 * The packer: from counters and configuration to rows and columns of Dst, or an address in L1, and
 * to the place of the output.
 *
 * SPEC: BlackholeA0 PACR; WormholeB0 Packers/InputAddressGenerator and OutputAddressGenerator (whose
 * later version has Blackhole's address counters in bytes); assembly.yaml of tt_llk_blackhole.
 */
#include "tensix/pack/job.h"

enum {
    STRIDE = 16,             /* rows between interfaces with DstAccessMode */
    DST_DATUMS = 0x3fff,     /* addresses of data in Dst */
    L1_SOURCE_LOW = 0x3ffff, /* bytes that the address counters can reach of L1 */
    L1_SOURCE_BYTES = 0x1fffff,
    ALL_INTERFACES = (1 << TENSIX_PACK_ROWS) - 1,
};

static const struct tensix_adc_channel *adc_channel(const struct pack_job *job, unsigned index)
{
    return &job->tensix->thread[job->adc].adc[TENSIX_ADC_PACKER].channel[index];
}

/* --- Which rows --- */

/*
 * SPEC: with Auto_set_last_pacr_intf_sel the last PACR of a plane reads what is left of it. GUESS:
 * it is the last one if at least as many interfaces are enabled as rows are left.
 */
static void choose_interfaces(struct pack_job *job)
{
    if (!job->interfaces) {
        job->interfaces = ALL_INTERFACES;
    }
    job->rows = (unsigned)__builtin_popcount(job->interfaces);
    if (job->plan->finds_last) {
        unsigned done = job->packer->position, plane_rows = job->plan->plane_rows;
        if (plane_rows > done && plane_rows - done <= job->rows) {
            job->rows = plane_rows - done;
            job->interfaces = (1u << job->rows) - 1;
        }
    }
}

/*
 * Interface i reads the row i after the first, within a group of four; with DstAccessMode 16 rows
 * further each. SPEC: the page's loop leaves out that the mask moves along with the first row; its
 * text, LLK (llk_pack_rows.h) and ttsim have it. GUESS: any mask in DstAccessMode.
 */
static bool take_rows(struct pack_job *job, unsigned first)
{
    job->row = first;
    job->row_step = job->is_strided ? STRIDE : 1;
    return job->is_strided || job->interfaces << first % TENSIX_PACK_ROWS <= ALL_INTERFACES ||
           pack_report(job, PENROSE_FAULT_TENSIX_UNDEFINED,
                       "ReadIntfSel 0x%x from row %u of Dst goes beyond its group of four rows; "
                       "start lower or select fewer interfaces",
                       job->interfaces, first);
}

static bool take_columns(struct pack_job *job)
{
    uint32_t first = adc_channel(job, 0)->x, last = adc_channel(job, 1)->x;
    if (first >= NUM_BLOCK_DATUMS || last >= NUM_BLOCK_DATUMS || last + 1 < first) {
        return pack_report(job, PENROSE_FAULT_TENSIX_UNDEFINED,
                           "X from %u to %u (channels 0 and 1 of the packer's ADC) is no range of "
                           "columns of a row of Dst, which are 0 to 15; see SETADCXX",
                           first, last);
    }
    job->first = first;
    job->count = last + 1 - first;
    return true;
}

/* --- Zeros --- */

/* How many of so many data of a row are left after downsampling and padding. */
static unsigned left_of_row(const struct pack_job *job, unsigned count)
{
    unsigned mask = job->plan->downsample_mask & ((1u << count) - 1);
    unsigned left = (unsigned)__builtin_popcount(mask);
    return left && job->pad == PACK_PAD_ROWS ? NUM_BLOCK_DATUMS : left;
}

/* SPEC: assembly.yaml. Without interfaces the data that ZeroWrite writes are counted by X alone. */
static bool take_zeros_by_x(struct pack_job *job)
{
    uint32_t first = adc_channel(job, 0)->x, last = adc_channel(job, 1)->x, count = last + 1;
    if (first || count % NUM_BLOCK_DATUMS) {
        return pack_report(job, PENROSE_FAULT_TENSIX_UNDEFINED,
                           "ZeroWrite with ReadIntfSel 0 writes X1 + 1 data: X0 (%u) must be 0 and "
                           "X1 (%u) one less than a multiple of 16",
                           first, last);
    }
    job->zeros = count / NUM_BLOCK_DATUMS * left_of_row(job, NUM_BLOCK_DATUMS);
    return true;
}

/* --- Where they are --- */

/* SPEC: bytes; only four bits of the X stride count. */
static uint32_t input_address(const struct pack_job *job)
{
    const struct tensix *tensix = job->tensix;
    const struct tensix_adc_channel *channel = adc_channel(job, 0);
    unsigned state = job->state;
    return tensix_get_PCK0_ADDR_BASE_REG_0_Base(tensix, state) +
           channel->x * (tensix_get_PCK0_ADDR_CTRL_XY_REG_0_Xstride(tensix, state) & 0xf) +
           channel->y * tensix_get_PCK0_ADDR_CTRL_XY_REG_0_Ystride(tensix, state) +
           channel->z * tensix_get_PCK0_ADDR_CTRL_ZW_REG_0_Zstride(tensix, state) +
           channel->w * tensix_get_PCK0_ADDR_CTRL_ZW_REG_0_Wstride(tensix, state);
}

/* The data of X within a group of 16 bytes. */
static uint32_t in_group(const struct pack_job *job)
{
    return adc_channel(job, 0)->x & (0xfu >> job->plan->datum_shift);
}

static unsigned start_row(const struct pack_job *job, uint32_t address)
{
    uint32_t group = 0xf >> job->plan->datum_shift;
    uint32_t datum = ((address >> job->plan->datum_shift) & ~group) + in_group(job);
    datum += pack_field(job->tensix, job->state, pack_words[job->which].offset,
                        TENSIX_FIELD_DEST_TARGET_REG_CFG_PACK_SEC0_Offset)
             << 4;
    return (datum & DST_DATUMS) / TENSIX_DST_COLUMNS;
}

/* SPEC: the address within L1; X is the only counter finer than 16 bytes. */
static uint32_t l1_address(const struct pack_job *job, uint32_t address)
{
    uint32_t high = pack_section(job->tensix, job->which, job->state,
                                 TENSIX_FIELD_THCON_SEC0_REG1_L1_source_addr);
    address = (high << 18) + (address & L1_SOURCE_LOW);
    address = (address & ~UINT32_C(0xf)) + (in_group(job) << job->plan->datum_shift);
    return address & L1_SOURCE_BYTES;
}

/* GUESS: the interfaces take their rows one after the other. */
static bool take_l1(struct pack_job *job, uint32_t address)
{
    const uint32_t l1_size = job->tensix->l1_size;
    job->l1_source = l1_address(job, address);
    uint32_t size = job->rows * job->count << job->plan->datum_shift;
    if (job->l1_source > l1_size || size > l1_size - job->l1_source) {
        return pack_report(job, PENROSE_FAULT_TENSIX_UNDEFINED,
                           "the source 0x%x, %u bytes, is not in L1, which ends at 0x%x; see "
                           "THCON_SEC0_REG1_L1_source_addr",
                           job->l1_source, size, l1_size);
    }
    return true;
}

bool pack_find_input(struct pack_job *job)
{
    if (job->writes_zeros && !job->interfaces) {
        return take_zeros_by_x(job);
    }
    if (!take_columns(job)) {
        return false;
    }
    if (job->writes_zeros) {
        job->zeros = (unsigned)__builtin_popcount(job->interfaces) * left_of_row(job, job->count);
        return true;
    }
    uint32_t address = input_address(job);
    unsigned bytes = 1u << job->plan->datum_shift;
    if (address & (bytes - 1)) {
        return pack_report(job, PENROSE_FAULT_TENSIX_UNDEFINED,
                           "input address 0x%x is not a multiple of the %u bytes of "
                           "In_data_format; see PCK0_ADDR_CTRL_*_REG_0 and PCK0_ADDR_BASE_REG_0",
                           address, bytes);
    }
    job->reads = true;
    choose_interfaces(job);
    return job->plan->from_l1 ? take_l1(job, address) : take_rows(job, start_row(job, address));
}

/* --- Output --- */

uint32_t pack_output_address(const struct pack_job *job)
{
    const struct tensix *tensix = job->tensix;
    const struct tensix_adc_channel *channel = adc_channel(job, 1);
    unsigned state = job->state;
    uint32_t yzw = tensix_get_PCK0_ADDR_BASE_REG_1_Base(tensix, state) +
                   channel->y * tensix_get_PCK0_ADDR_CTRL_XY_REG_1_Ystride(tensix, state) +
                   channel->z * tensix_get_PCK0_ADDR_CTRL_ZW_REG_1_Zstride(tensix, state) +
                   channel->w * tensix_get_PCK0_ADDR_CTRL_ZW_REG_1_Wstride(tensix, state);
    uint32_t address = pack_section(job->tensix, job->which, job->state,
                                    TENSIX_FIELD_THCON_SEC0_REG1_L1_Dest_addr) +
                       !pack_section(job->tensix, job->which, job->state,
                                     TENSIX_FIELD_THCON_SEC0_REG1_Sub_l1_tile_header_size) +
                       yzw / PACK_LINE;
    if (pack_section(job->tensix, job->which, job->state,
                     TENSIX_FIELD_THCON_SEC0_REG1_Add_l1_dest_addr_offset)) {
        address += job->packer->l1_dest_addr_offset;
    }
    if (address > pack_field(job->tensix, job->state, pack_words[job->which].limit,
                             TENSIX_FIELD_THCON_SEC0_REG9_Pack_0_2_limit_address) *
                          2 +
                      1) {
        address -= pack_field(job->tensix, job->state, pack_words[job->which].limit,
                              TENSIX_FIELD_THCON_SEC0_REG9_Pack_0_2_fifo_size) *
                   2;
    }
    return address;
}
