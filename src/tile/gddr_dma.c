/* The DMA engine of DRAM tiles, see gddr_dma.h. */
#include "tile/gddr_dma.h"

#include <string.h>

#include "tile/observe.h"
#include "tile/report.h"
#include "tile/tile.h"

enum { WORD = 4 };

enum kind { NONE, PLAIN, START, IDLE, COUNT, ABSENT };

/* Words of each block by their names. */
enum {
#define STREAM(offset, name, kind) S_##name = (offset) / WORD,
#define CONTROL(offset, name, kind)
#include "gddr_dma.def"
#undef STREAM
#undef CONTROL
};
enum {
#define STREAM(offset, name, kind)
#define CONTROL(offset, name, kind) C_##name = (offset) / WORD,
#include "gddr_dma.def"
#undef STREAM
#undef CONTROL
};

static const uint8_t stream_kinds[GDDR_DMA_STREAM_WORDS] = {
#define STREAM(offset, name, kind) [S_##name] = kind,
#define CONTROL(offset, name, kind)
#include "gddr_dma.def"
#undef STREAM
#undef CONTROL
};
static const uint8_t control_kinds[GDDR_DMA_CONTROL_WORDS] = {
#define STREAM(offset, name, kind)
#define CONTROL(offset, name, kind) [C_##name] = kind,
#include "gddr_dma.def"
#undef STREAM
#undef CONTROL
};

/* Bits of TRANSFER_ATTRIBUTES; the size is in units of 16 bytes. */
enum { UNIT = 16, SIZE_MASK = 0x3fff, MOST_BYTES = SIZE_MASK * UNIT };
#define STARTS_READ  (UINT32_C(1) << 31)
#define STARTS_RAW   (UINT32_C(1) << 28)
#define UNKNOWN_BITS UINT32_C(0x64f00000) /* reg, data, interrupt, automatic increments */

enum { IS_ENABLED = 1 /* of CTRL_TRANSFER_ATTRIBUTES */ };

void gddr_dma_reset(struct gddr_dma *dma)
{
    memset(dma, 0, sizeof *dma);
    for (unsigned i = 0; i < GDDR_DMA_STREAMS; i++) {
        dma->stream[i][S_TXQ_SETTINGS] = 1;                  /* stream_driven_mode */
        dma->stream[i][S_TRANSFER_ATTRIBUTES] = 0x03000000u; /* start and end of a packet */
    }
    dma->control[C_CTRL_TRANSFER_ATTRIBUTES] = 0x00031001u;         /* enabled, bursts of 16 */
    dma->control[C_READ_STATUS] = dma->control[C_WRITE_STATUS] = 1; /* ready */
}

/* --- Transfers --- */

/* Tells observers of one end of a transfer. */
static void tell_transfer(struct tile *tile, const struct mmio_access *access,
                          enum observed_kind kind, bool is_gddr, uint64_t address, uint32_t size)
{
    struct observed event = {.kind = kind,
                             .agent = (enum observed_agent)access->agent,
                             .thread = OBSERVED_NO_THREAD,
                             .cycle = access->cycle,
                             .address = address,
                             .is_gddr = is_gddr,
                             .size = size,
                             .node = tile->node};
    if (tile->running != RV32_CORES) {
        event.pc = rv32_current_pc(&tile->hart[tile->running]);
    }
    if (tile_is_observed(tile, kind)) {
        tile_tell(tile, &event);
    }
}

static enum mmio_reply move(struct tile *tile, struct mmio_access *access, uint32_t *words)
{
    uint32_t attributes = words[S_TRANSFER_ATTRIBUTES];
    bool reads = attributes & STARTS_READ;
    uint32_t size = (attributes & SIZE_MASK) * UNIT;
    uint32_t l1 = reads ? words[S_READ_TRANSFER_DEST] : words[S_WRITE_TRANSFER_START_ADDR];
    uint32_t low = reads ? words[S_READ_TRANSFER_SOURCE_LOW] : words[S_WRITE_DEST_ADDR_LOW];
    uint32_t high = reads ? words[S_READ_TRANSFER_SOURCE_HIGH] : words[S_WRITE_DEST_ADDR_HIGH];
    uint64_t gddr = (uint64_t)high << 32 | low;
    if ((l1 | low) % UNIT) {
        return mmio_refuse(access, MMIO_UNIMPLEMENTED,
                           "no public source says what a transfer does whose addresses are not "
                           "multiples of 16");
    }
    if (l1 > tile->kind->l1_bytes || size > tile->kind->l1_bytes - l1) {
        return mmio_refuse(access, MMIO_UNMAPPED, "the transfer leaves the tile's L1");
    }
    const char *rule = "GDDR has no such address";
    if (!tile->board->move_gddr ||
        !tile->board->move_gddr(tile->owner, tile, !reads, gddr, tile->l1 + l1, size, &rule)) {
        return mmio_refuse(access, MMIO_UNMAPPED, rule);
    }
    if (reads && size > 0) {
        tile_l1_written(tile, l1, size, access->cycle);
    }
    words[reads ? S_TOTAL_READS : S_TOTAL_WRITES]++;
    tell_transfer(tile, access, OBSERVED_READ, reads, reads ? gddr : l1, size);
    tell_transfer(tile, access, OBSERVED_WRITTEN, !reads, reads ? l1 : gddr, size);
    return MMIO_OK;
}

static enum mmio_reply start_transfer(struct tile *tile, struct mmio_access *access,
                                      uint32_t *words)
{
    uint32_t before = words[S_TRANSFER_ATTRIBUTES], attributes = access->value;
    bool is_full_word = access->size == WORD;
    if (access->operation != MMIO_WRITE || !is_full_word ||
        !(attributes & (STARTS_READ | STARTS_RAW | UNKNOWN_BITS))) {
        return mmio_word(access, &words[S_TRANSFER_ATTRIBUTES], UINT32_MAX);
    }
    if (attributes & UNKNOWN_BITS || (attributes & STARTS_READ && attributes & STARTS_RAW)) {
        return mmio_refuse(access, MMIO_UNIMPLEMENTED,
                           "of transfers only reads (bit 31) and raw writes (bit 28) are modelled, "
                           "without automatic increments or an interrupt");
    }
    if (!(tile->gddr_dma.control[C_CTRL_TRANSFER_ATTRIBUTES] & IS_ENABLED)) {
        return mmio_refuse(access, MMIO_UNIMPLEMENTED,
                           "dma_enable is clear: no public source says what becomes of a transfer");
    }
    words[S_TRANSFER_ATTRIBUTES] = attributes;
    enum mmio_reply reply = move(tile, access, words);
    if (reply != MMIO_OK) {
        words[S_TRANSFER_ATTRIBUTES] = before;
    }
    return reply;
}

/* --- Registers --- */

static enum mmio_reply access_word(struct tile *tile, struct mmio_access *access, enum kind kind,
                                   uint32_t *words, unsigned index)
{
    switch (kind) {
    case PLAIN:
        return mmio_word(access, &words[index], UINT32_MAX);
    case START:
        return start_transfer(tile, access, words);
    case IDLE:
    case COUNT:
        return mmio_driven(access, words[index]);
    case ABSENT:
        return MMIO_UNIMPLEMENTED;
    case NONE:
        break;
    }
    return mmio_refuse(access, MMIO_UNMAPPED, "no header names a register of the DMA engine there");
}

enum mmio_reply tile_mmio_GDDR_DMA(struct tile *tile, struct mmio_access *access)
{
    struct gddr_dma *dma = &tile->gddr_dma;
    unsigned index = access->offset % STEP_GDDR_DMA / WORD;
    unsigned block = access->offset / STEP_GDDR_DMA;
    if (block < GDDR_DMA_STREAMS && index < GDDR_DMA_STREAM_WORDS) {
        return access_word(tile, access, (enum kind)stream_kinds[index], dma->stream[block], index);
    }
    if (block == GDDR_DMA_CONTROL / STEP_GDDR_DMA && index < GDDR_DMA_CONTROL_WORDS) {
        return access_word(tile, access, (enum kind)control_kinds[index], dma->control, index);
    }
    return access_word(tile, access, NONE, NULL, 0);
}

enum mmio_reply tile_mmio_GDDR_MC(struct tile *tile, struct mmio_access *access)
{
    enum { WEIGHT_BITS = 7 };
    return mmio_word(access, &tile->gddr_dma.weight[access->offset / WORD], WEIGHT_BITS);
}
