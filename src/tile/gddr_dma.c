/* The DMA engine of DRAM tiles, see gddr_dma.h. */
#include "tile/gddr_dma.h"

#include <string.h>

#include "tile/report.h"
#include "tile/tell.h"
#include "tile/tile.h"

static enum answer gddr_dma_transfer(struct tile *tile, struct mmio_access *access);

#define REG_FILE    gddr_dma_registers
#define REG_TABLE   "gddr_dma.def"
#define REG_BY(has) gddr_dma_##has
#include "isa/reg_table.h"

/* Numbers of words in their bank. */
enum {
    WORD = 4,
#define REG(bank, offset, words, name, kind, traits) AT_##name = (offset) / WORD,
#include "gddr_dma.def"
};

/* Bits of TRANSFER_ATTRIBUTES; the size is in units of 16 bytes. */
enum { UNIT = 16, SIZE_MASK = 0x3fff, MOST_BYTES = SIZE_MASK * UNIT };
#define STARTS_READ  (UINT32_C(1) << 31)
#define STARTS_RAW   (UINT32_C(1) << 28)
#define UNKNOWN_BITS UINT32_C(0x64f00000) /* reg, data, interrupt, automatic increments */

enum { IS_ENABLED = 1 /* of CTRL_TRANSFER_ATTRIBUTES */ };

static uint32_t *dma_word(void *state, const struct reg_place *place)
{
    struct gddr_dma *dma = state;
    uint32_t *bank = place->bank == BANK_STREAM    ? dma->stream[place->copy]
                     : place->bank == BANK_CONTROL ? dma->control
                                                   : dma->weight;
    return &bank[place->offset / WORD];
}

void gddr_dma_reset(struct gddr_dma *dma)
{
    memset(dma, 0, sizeof *dma);
    reg_reset(&gddr_dma_registers, dma, dma_word);
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

static enum answer move(struct tile *tile, struct mmio_access *access, uint32_t *words)
{
    uint32_t attributes = words[AT_TRANSFER_ATTRIBUTES];
    bool reads = attributes & STARTS_READ;
    uint32_t size = (attributes & SIZE_MASK) * UNIT;
    uint32_t l1 = reads ? words[AT_READ_TRANSFER_DEST] : words[AT_WRITE_TRANSFER_START_ADDR];
    uint32_t low = reads ? words[AT_READ_TRANSFER_SOURCE_LOW] : words[AT_WRITE_DEST_ADDR_LOW];
    uint32_t high = reads ? words[AT_READ_TRANSFER_SOURCE_HIGH] : words[AT_WRITE_DEST_ADDR_HIGH];
    uint64_t gddr = (uint64_t)high << 32 | low;
    if ((l1 | low) % UNIT) {
        return mmio_refuse(access, ANSWER_UNIMPLEMENTED,
                           "no public source says what a transfer does whose addresses are not "
                           "multiples of 16");
    }
    if (l1 > tile->kind->l1_bytes || size > tile->kind->l1_bytes - l1) {
        return mmio_refuse(access, ANSWER_UNMAPPED, "the transfer leaves the tile's L1");
    }
    const char *rule = "GDDR has no such address";
    if (!tile->board->move_gddr ||
        !tile->board->move_gddr(tile->owner, tile, !reads, gddr, tile->l1 + l1, size, &rule)) {
        return mmio_refuse(access, ANSWER_UNMAPPED, rule);
    }
    if (reads && size > 0) {
        tile_l1_written(tile, l1, size, access->cycle);
    }
    words[reads ? AT_TOTAL_READS : AT_TOTAL_WRITES]++;
    tell_transfer(tile, access, OBSERVED_READ, reads, reads ? gddr : l1, size);
    tell_transfer(tile, access, OBSERVED_WRITTEN, !reads, reads ? l1 : gddr, size);
    return ANSWER_DONE;
}

static enum answer gddr_dma_transfer(struct tile *tile, struct mmio_access *access)
{
    uint32_t *words = tile->gddr_dma.stream[access->copy];
    uint32_t before = words[AT_TRANSFER_ATTRIBUTES], attributes = access->value;
    bool is_full_word = access->size == WORD;
    if (access->operation != MMIO_WRITE || !is_full_word ||
        !(attributes & (STARTS_READ | STARTS_RAW | UNKNOWN_BITS))) {
        return mmio_word(access, &words[AT_TRANSFER_ATTRIBUTES], UINT32_MAX);
    }
    if (attributes & UNKNOWN_BITS || (attributes & STARTS_READ && attributes & STARTS_RAW)) {
        return mmio_refuse(access, ANSWER_UNIMPLEMENTED,
                           "of transfers only reads (bit 31) and raw writes (bit 28) are modelled, "
                           "without automatic increments or an interrupt");
    }
    if (!(tile->gddr_dma.control[AT_CTRL_TRANSFER_ATTRIBUTES] & IS_ENABLED)) {
        return mmio_refuse(access, ANSWER_UNIMPLEMENTED,
                           "dma_enable is clear: no public source says what becomes of a transfer");
    }
    words[AT_TRANSFER_ATTRIBUTES] = attributes;
    enum answer answer = move(tile, access, words);
    if (answer != ANSWER_DONE) {
        words[AT_TRANSFER_ATTRIBUTES] = before;
    }
    return answer;
}

/* --- Registers --- */

static enum answer access_dma(struct tile *tile, struct mmio_access *access, uint32_t offset)
{
    struct reg_place place;
    if (!reg_find(&gddr_dma_registers, offset, &place)) {
        return mmio_refuse(access, ANSWER_UNMAPPED,
                           "no header names a register of the DMA engine there");
    }
    return mmio_register(tile, access, &place, dma_word(&tile->gddr_dma, &place));
}

enum answer tile_mmio_GDDR_DMA(struct tile *tile, struct mmio_access *access)
{
    return access_dma(tile, access, access->offset);
}

enum answer tile_mmio_GDDR_MC(struct tile *tile, struct mmio_access *access)
{
    return access_dma(tile, access, access->offset + reg_banks[BANK_WEIGHTS].first);
}
