/* The interrupt controller and the pc snapshots. */
#include "tile/pic.h"

#include "addresses.h"
#include "arch/arch.h"
#include "rv32/rv32.h"
#include "tile/report.h"
#include "tile/tile.h"

tile_mmio_handler tile_mmio_PIC;
enum rv32_poll tile_mmio_poll_PIC(struct tile *tile, enum tile_agent agent, uint32_t offset);

enum { OF_B, OF_NC };

/* --- Registers --- */

typedef enum mmio_reply pic_register(struct tile *tile, struct mmio_access *access, unsigned i);

static enum mmio_reply plain(struct tile *tile, struct mmio_access *access, uint32_t *word,
                             uint32_t writable)
{
    enum mmio_reply reply = mmio_word(access, word, writable);
    if (mmio_wrote(access, reply)) {
        tile_event(tile, access->cycle);
    }
    return reply;
}

enum { HARDWARE_BITS = (1 << PIC_HARDWARE) - 1 };

static enum mmio_reply software_enable_b(struct tile *tile, struct mmio_access *access, unsigned i)
{
    return plain(tile, access, &tile->pic.software_enable[OF_B + i], UINT32_MAX);
}

static enum mmio_reply hardware_enable_b(struct tile *tile, struct mmio_access *access, unsigned i)
{
    return plain(tile, access, &tile->pic.hardware_enable[OF_B + i], HARDWARE_BITS);
}

static enum mmio_reply interrupt_number_b(struct tile *tile, struct mmio_access *access, unsigned i)
{
    return mmio_driven(access, tile->pic.interrupt_number[OF_B + i]);
}

static enum mmio_reply software_enable_nc(struct tile *tile, struct mmio_access *access, unsigned i)
{
    return plain(tile, access, &tile->pic.software_enable[OF_NC + i], UINT32_MAX);
}

static enum mmio_reply hardware_enable_nc(struct tile *tile, struct mmio_access *access, unsigned i)
{
    return plain(tile, access, &tile->pic.hardware_enable[OF_NC + i], HARDWARE_BITS);
}

static enum mmio_reply interrupt_number_nc(struct tile *tile, struct mmio_access *access,
                                           unsigned i)
{
    return mmio_driven(access, tile->pic.interrupt_number[OF_NC + i]);
}

/* Writing raises (non-zero) or clears; reading clears. */
static enum mmio_reply software_int(struct tile *tile, struct mmio_access *access, unsigned i)
{
    uint32_t *word = &tile->pic.software[i];
    enum mmio_reply reply = plain(tile, access, word, UINT32_MAX);
    if (reply == MMIO_OK && access->operation == MMIO_READ && *word) {
        *word = 0;
        tile_event(tile, access->cycle);
    }
    return reply;
}

static enum mmio_reply hardware_int(struct tile *tile, struct mmio_access *access, unsigned i)
{
    return mmio_driven(access, tile->pic.hardware[i]);
}

static enum mmio_reply handler_pc(struct tile *tile, struct mmio_access *access, unsigned i)
{
    return plain(tile, access, &tile->pic.handler[i], UINT32_MAX);
}

static enum mmio_reply pc_snapshot(struct tile *tile, struct mmio_access *access, unsigned i)
{
    static const enum rv32_core core_of[] = {RV32_B, RV32_NC, RV32_T0, RV32_T1, RV32_T2};
    return mmio_driven(access, rv32_current_pc(&tile->hart[core_of[i]]));
}

static const struct pic_row {
    uint16_t first, words;
    pic_register *handle;
} pic_rows[] = {
#define PIC(first, words, name, handler) {first, words, handler},
#include "pic.def"
#undef PIC
};

enum {
#define PIC(first, words, name, handler) END_##name = (first) + 4 * (words),
#include "pic.def"
#undef PIC
};
_Static_assert(LAST_PIC == AT_PIC + END_INT_PC - 1, "pic.def");
_Static_assert(LAST_PC_SNAPSHOT == AT_PIC + END_PC_SNAPSHOT - 1, "pic.def");

static const struct pic_row *find_row(uint32_t offset)
{
    for (unsigned i = 0; i < sizeof pic_rows / sizeof pic_rows[0]; i++) {
        const struct pic_row *row = &pic_rows[i];
        if (offset >= row->first && offset < row->first + 4u * row->words) {
            return row;
        }
    }
    return NULL;
}

enum mmio_reply tile_mmio_PIC(struct tile *tile, struct mmio_access *access)
{
    const struct pic_row *row = find_row(access->offset);
    if (!row) {
        return mmio_refuse(access, MMIO_UNMAPPED,
                           "the PIC ends at " ARCH_TEXT(
                               LAST_PIC) ", the pc snapshots at " ARCH_TEXT(LAST_PC_SNAPSHOT));
    }
    return row->handle(tile, access, (access->offset - row->first) / 4);
}

enum rv32_poll tile_mmio_poll_PIC(struct tile *tile, enum tile_agent agent, uint32_t offset)
{
    (void)tile;
    (void)agent;
    const struct pic_row *row = find_row(offset);
    bool changes = !row || row->handle == software_int || row->handle == pc_snapshot;
    return changes ? RV32_POLL_EFFECT : RV32_POLL_STATE;
}

/* --- Interrupts --- */

static unsigned index_of_core(enum rv32_core core)
{
    return core == RV32_B ? OF_B : OF_NC;
}

/* Is IRQ `number` raised and enabled for the core? */
static bool is_pending(const struct pic *pic, unsigned index, unsigned number)
{
    if (number < PIC_SOFTWARE) {
        return pic->software[number] && pic->software_enable[index] >> number & 1;
    }
    number -= PIC_SOFTWARE;
    return pic->hardware[number] && pic->hardware_enable[index] >> number & 1;
}

bool pic_pending(const struct tile *tile, enum rv32_core core)
{
    unsigned index = index_of_core(core);
    if (!pic_listens(&tile->pic, core)) {
        return false;
    }
    for (unsigned number = 0; number < PIC_IRQS; number++) {
        if (is_pending(&tile->pic, index, number)) {
            return true;
        }
    }
    return false;
}

bool pic_take(struct tile *tile, enum rv32_core core, uint32_t *handler)
{
    struct pic *pic = &tile->pic;
    unsigned index = index_of_core(core);
    if (!pic_listens(pic, core)) {
        return false;
    }
    for (unsigned i = 0; i < PIC_IRQS; i++) {
        unsigned number = (pic->turn[index] + i) % PIC_IRQS;
        if (is_pending(pic, index, number)) {
            pic->turn[index] = (number + 1) % PIC_IRQS;
            pic->interrupt_number[index] = number;
            *handler = pic->handler[number];
            return true;
        }
    }
    return false;
}

void pic_set_hardware(struct tile *tile, enum pic_source source, bool raised, uint64_t cycle)
{
    if (tile->pic.hardware[source] != raised) {
        tile->pic.hardware[source] = raised;
        tile_event(tile, cycle);
    }
}
