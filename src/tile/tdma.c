/* TDMA-RISC. */
#include "tile/tdma.h"

#include <string.h>

#include "tile/report.h"
#include "tile/tensix_port.h"
#include "tile/tile.h"

tile_mmio_handler tile_mmio_TDMA;
enum rv32_poll tile_mmio_poll_TDMA(struct tile *tile, enum tile_agent agent, uint32_t offset);

void tdma_reset(struct tile *tile)
{
    memset(&tile->tdma, 0, sizeof tile->tdma);
}

void tdma_enter_reset(struct tile *tile)
{
    /* SPEC: SoftReset; SetRegBase and SetRegHiScaler get "some" value, here zero. */
    struct tdma *tdma = &tile->tdma;
    memset(tdma->parameter, 0, sizeof tdma->parameter);
    memset(tdma->scaler, 0, sizeof tdma->scaler);
}

/* --- The command queue --- */

enum {
    CMD_OPCODE = 0xff,
    CMD_MOVE = 0x40,
    CMD_WAIT = 0x46,
    CMD_STORE = 0x66,
    CMD_NOP = 0x89,
    STORE_SIZE_BITS = 0x600, /* both must be set */
    STORE_64 = 0x100,
    STATUS_COMMANDS_EMPTY = 1 << 3,
    STATUS_PARAMETERS_EMPTY = 1 << 5,
    STATUS_CAPACITY_SHIFT = 8,
    COMMAND_QUEUE_CAPACITY = 4,
};
#define CMD_COMPACT UINT32_C(0x80000000)

static enum mmio_reply store_command(struct tile *tile, struct mmio_access *access)
{
    const uint32_t *parameter = tile->tdma.parameter;
    uint32_t size = access->value & STORE_64 ? 8 : 4;
    uint32_t to = parameter[0];
    if (access->value & CMD_COMPACT || (access->value & STORE_SIZE_BITS) != STORE_SIZE_BITS) {
        return mmio_refuse(access, MMIO_UNIMPLEMENTED,
                           "a TDMA-RISC L1 write needs parameters and bits 9 and 10 set");
    }
    if (to > TILE_L1_BYTES - size) {
        return mmio_refuse(access, MMIO_UNMAPPED, "a TDMA-RISC L1 write must lie in L1");
    }
    memcpy(tile->l1 + to, &parameter[2], size);
    tile_l1_written(tile, to, size, access->cycle);
    return MMIO_OK;
}

static enum mmio_reply run_command(struct tile *tile, struct mmio_access *access)
{
    switch (access->value & CMD_OPCODE) {
    case CMD_MOVE:
        return mmio_refuse(access, MMIO_UNIMPLEMENTED,
                           "the mover is not implemented in this version");
    case CMD_STORE:
        return store_command(tile, access);
    case CMD_WAIT: /* the mover is never busy */
    case CMD_NOP:
        return MMIO_OK;
    default:
        return mmio_refuse(access, MMIO_UNIMPLEMENTED,
                           "TDMA-RISC knows the commands 0x40, 0x46, 0x66 and 0x89");
    }
}

/* --- Registers; `i` is the word or copy within the row --- */

typedef enum mmio_reply tdma_register(struct tile *tile, struct mmio_access *access, unsigned i);

/* Write-only: reads give 0. */
static enum mmio_reply parameter(struct tile *tile, struct mmio_access *access, unsigned i)
{
    if (access->operation == MMIO_READ) {
        return mmio_value(access, 0);
    }
    return mmio_word(access, &tile->tdma.parameter[i], UINT32_MAX);
}

static enum mmio_reply command(struct tile *tile, struct mmio_access *access, unsigned i)
{
    (void)i;
    if (!mmio_is_write(access)) {
        return mmio_value(access, 0);
    }
    if (access->size != 4) {
        return MMIO_NARROW;
    }
    return access->operation == MMIO_WRITE ? run_command(tile, access) : MMIO_OK;
}

static enum mmio_reply status(struct tile *tile, struct mmio_access *access, unsigned i)
{
    (void)tile;
    (void)i;
    return mmio_driven(access, STATUS_COMMANDS_EMPTY | STATUS_PARAMETERS_EMPTY |
                                   COMMAND_QUEUE_CAPACITY << STATUS_CAPACITY_SHIFT);
}

/* Places of [packer][thread] come in groups of four a packer. Blackhole has packer 0 alone; what the
 * other ones would show stays 0. */
enum { THREADS_SHIFT = 2, THREADS_MASK = 3 };

static enum mmio_reply packed_size(struct tile *tile, struct mmio_access *access, unsigned i)
{
    bool is_there = i >> THREADS_SHIFT == 0;
    return mmio_driven(access, is_there ? tensix_packer_tile_size(&tile->tensix, i) : 0);
}

/* SPEC: UnpackerPackerAcc, ResetPackerAccTileSize; every place takes the same write. */
static enum mmio_reply accumulated(struct tile *tile, struct mmio_access *access, unsigned i)
{
    const uint32_t resets_packer_0 = UINT32_C(1) << 16;
    struct tensix *tensix = &tile->tensix;
    unsigned packer = i >> THREADS_SHIFT;
    if (!mmio_is_write(access)) {
        uint32_t low = packer == 0 ? tensix->packer.acc_tile_size[i & THREADS_MASK] : 0;
        return mmio_value(access, tensix->unpacker[packer & 1].register_sum << 16 | low);
    }
    if (access->size != 4) {
        return MMIO_NARROW;
    }
    if (access->operation == MMIO_WRITE && access->value & resets_packer_0) {
        tensix_packer_reset_size(tensix, (uint16_t)access->value);
    }
    return MMIO_OK;
}

static enum mmio_reply zero_flags(struct tile *tile, struct mmio_access *access, unsigned i)
{
    return mmio_driven(access, i == 0 ? tile->tensix.packer.all_zero_flags : 0);
}

static enum mmio_reply unpack_register_address(struct tile *tile, struct mmio_access *access,
                                               unsigned i)
{
    (void)i;
    return mmio_word(access, &tile->tdma.unpack_register_address, 0xffffff7f);
}

static void set_scalers(struct tdma *tdma, unsigned first, uint32_t values)
{
    for (unsigned i = first; i < first + 3 && i < TDMA_SCALERS; i++) {
        tdma->scaler[i] = values & 0x1ff;
        values >>= 9;
    }
}

static enum mmio_reply scaler2(struct tile *tile, struct mmio_access *access, unsigned i)
{
    (void)i;
    enum mmio_reply reply = mmio_word(access, &tile->tdma.scaler2_raw, 0x01ff007f);
    if (mmio_wrote(access, reply)) {
        set_scalers(&tile->tdma, 3, access->value >> 16);
    }
    return reply;
}

static enum mmio_reply move_base(struct tile *tile, struct mmio_access *access, unsigned i)
{
    (void)i;
    return mmio_word(access, &tile->tdma.move_base[access->agent], UINT32_MAX);
}

/* Looking at an empty metadata FIFO waits. */
static enum mmio_reply fifo_peek(struct tile *tile, struct mmio_access *access, unsigned i)
{
    const struct tensix_packer *packer = &tile->tensix.packer;
    if (i == 0 && packer->metadata_count > 0) {
        return mmio_driven(access, packer->metadata[packer->metadata_first].tile_size);
    }
    return access->operation == MMIO_READ ? MMIO_WAIT : mmio_driven(access, 0);
}

/* Popping an empty one does not wait; what it returns is undefined, here 0. */
static enum mmio_reply fifo_pop(struct tile *tile, struct mmio_access *access, unsigned i)
{
    struct tensix_pack_metadata metadata = {.all_zero_flags = 0};
    if (i == 0 && mmio_has_effects(access)) {
        (void)tensix_packer_take_metadata(&tile->tensix, &metadata);
        tile_event(tile, access->cycle);
    }
    return mmio_driven(access, metadata.all_zero_flags);
}

enum { FIFO_EMPTY = 1 << 0, FIFO_FULL = 1 << 1, OTHERS_EMPTY = 1 << 2 | 1 << 4 | 1 << 6 };

static enum mmio_reply fifo_status(struct tile *tile, struct mmio_access *access, unsigned i)
{
    (void)i;
    const struct tensix_packer *packer = &tile->tensix.packer;
    if (mmio_is_write(access)) {
        enum mmio_reply reply =
            mmio_word(access, &tile->tdma.pack_register_address, UINT32_MAX);
        tensix_packer_set_registers(&tile->tensix, tile->tdma.pack_register_address);
        return reply;
    }
    return mmio_value(access, tile->tdma.pack_register_address << 8 | OTHERS_EMPTY |
                                  (packer->metadata_count == 0 ? FIFO_EMPTY : 0) |
                                  (packer->metadata_count == TENSIX_PACK_METADATA ? FIFO_FULL : 0));
}

/* SPEC: ScalarsAndStatus. Packers are never seen busy: accesses come between instructions. */
static enum mmio_reply scalers(struct tile *tile, struct mmio_access *access, unsigned i)
{
    struct tdma *tdma = &tile->tdma;
    uint32_t sum_bit_16 = tile->tensix.unpacker[i].register_sum >> 16 & 1;
    uint32_t word = tdma->scaler[0] | tdma->scaler[1] << 9 | tdma->scaler[2] << 18 |
                    sum_bit_16 << 31;
    enum mmio_reply reply = mmio_word(access, &word, UINT32_MAX);
    if (mmio_is_write(access) && reply == MMIO_OK) {
        set_scalers(tdma, 0, word);
    }
    return reply;
}

/* --- The map --- */

static const struct tdma_row {
    uint16_t first, words, stride, copies;
    tdma_register *handle;
} tdma_rows[] = {
#define TDMA(first, words, stride, copies, name, handler) {first, words, stride, copies, handler},
#include "tile/tdma.def"
#undef TDMA
};

/* The thread part of [packer][thread] has three copies in a stride of four. */
static bool is_hole(const struct tdma_row *row, unsigned copy)
{
    return row->copies == 16 && copy % 4 == 3;
}

static const struct tdma_row *find_row(uint32_t offset, unsigned *i)
{
    for (unsigned r = 0; r < sizeof tdma_rows / sizeof tdma_rows[0]; r++) {
        const struct tdma_row *row = &tdma_rows[r];
        for (unsigned copy = 0; copy < row->copies; copy++) {
            uint32_t first = row->first + copy * row->stride;
            if (offset >= first && offset < first + 4u * row->words && !is_hole(row, copy)) {
                *i = copy + (offset - first) / 4;
                return row;
            }
        }
    }
    return NULL;
}

enum mmio_reply tile_mmio_TDMA(struct tile *tile, struct mmio_access *access)
{
    unsigned i;
    const struct tdma_row *row = find_row(access->offset, &i);
    if (!row) {
        return mmio_refuse(access, MMIO_UNMAPPED, "TDMA-RISC has no register there");
    }
    if (tile_waits_for_ttsync(tile, access, TENSIX_TRACKS_TDMA)) {
        return MMIO_WAIT;
    }
    if (mmio_is_write(access) && tile->tensix.held & TENSIX_RESET_TDMA) {
        return MMIO_OK; /* SPEC: SoftReset, writes are discarded */
    }
    enum mmio_reply reply = row->handle(tile, access, i);
    if (mmio_wrote(access, reply)) {
        tile_event(tile, access->cycle);
    }
    return reply;
}

enum rv32_poll tile_mmio_poll_TDMA(struct tile *tile, enum tile_agent agent, uint32_t offset)
{
    (void)tile;
    (void)agent;
    unsigned i;
    const struct tdma_row *row = find_row(offset, &i);
    bool waits = !row || row->handle == fifo_peek || row->handle == fifo_pop;
    return waits ? RV32_POLL_EFFECT : RV32_POLL_STATE;
}
