/*
 * Requests to GDDR in functional runs.
 *
 * GDDR of a quiet bank (dram_begin_window) does not change while units run: their writes are taken
 * over when the time is a multiple of a window's cycles, wherever windows end. So a read need not
 * travel. A unit finds what GDDR held then, whatever other threads do. A write is answered when it
 * leaves. No program can tell, because only its sender could look at the place before it arrives,
 * and the sender's reads of that place travel.
 *
 * Answered writes pass through chip_exchange as all packets do, and are kept there until they are
 * due, when threads share the banks. A host that looks at a bank has them served before.
 *
 * Timed runs and --schedule random delay everything. Requests that are no ordinary transfers
 * travel, too, so that their faults are found at their destination.
 *
 * This is how a functional run passes time (noc/delivery.h), and no shortcut: guests see when
 * responses come. Where all of them travel, copies from GDDR to GDDR take three times as long
 * (docs/PERFORMANCE.md).
 */
#include "chip/gddr.h"

#include "tile/noc_port.h"
#include "tile/noc_serve.h"

enum { PACKETS_TO_SHARE = 32 /* with other threads: each takes some 100 ns */ };

/* --- While units run --- */

/* The port of a packet that goes to GDDR and nowhere else; NULL: it does not. */
static struct dram_port *port_of(const struct penrose_chip *chip, const struct noc_packet *packet)
{
    struct dram_port *port = chip->place[packet->to].port;
    return port && dram_takes(port, packet) &&
                   !grid_tile(&chip->grid, chip_position(packet->to))->is_fused_off
               ? port
               : NULL;
}

/* May the write change what is read? Byte enables and headers count from elsewhere. */
static bool overlaps(const struct noc_packet *write, const struct noc_packet *read)
{
    return write->has_enables || write->stores_header ||
           (write->address < read->address + read->size &&
            read->address < write->address + write->size);
}

/* Is there a write of the tile to the bank among packets that changes what it reads? */
static bool is_written(const struct penrose_chip *chip, const struct noc_packet *first,
                       const struct tile *tile, const struct dram_bank *bank,
                       const struct noc_packet *read)
{
    for (const struct noc_packet *packet = first; packet; packet = packet->next) {
        const struct dram_port *port = chip->place[packet->to].port;
        if (packet->kind == NOC_WRITE && !packet->is_multicast && port && port->bank == bank &&
            packet->origin == tile->node && overlaps(packet, read)) {
            return true;
        }
    }
    return false;
}

/* Has the tile written what it reads now, and GDDR has it not yet? */
static bool has_written(const struct penrose_chip *chip, const struct tile *tile,
                        const struct dram_bank *bank, const struct noc_packet *read)
{
    return is_written(chip, tile->sent.head, tile, bank, read) ||
           is_written(chip, bank->due.head, tile, bank, read) ||
           is_written(chip, bank->due.fresh, tile, bank, read);
}

static void note_read(struct chip_unit *unit, const struct dram_port *port,
                      const struct noc_packet *packet)
{
    unsigned number = port->bank->number * DRAM_PORTS + (unsigned)(port - port->bank->port);
    struct chip_reads *reads = &unit->reads[packet->noc][number];
    unit->has_read[packet->noc] |= UINT32_C(1) << number;
    reads->requests++;
    reads->flits += noc_packet_flits(packet, packet->back_address);
}

/* Tells observers of the read. Where one stops the DRAM tile the chip soon stops too. */
static void tell_read(struct penrose_chip *chip, struct tile *asker, struct tile *tile,
                      const struct noc_packet *packet)
{
    tile_noc_tell_request(tile, packet, packet->sent);
    if (tile->halt == TILE_PAUSED) {
        chip_touch(chip, tile->node);
        asker->has_paused = true;
        tile_end_round(asker, packet->sent);
    }
}

const uint8_t *chip_gddr_read(void *owner, const struct tile *tile, const struct noc_packet *packet)
{
    static const uint8_t zeros[NOC_MOST_BYTES];
    struct penrose_chip *chip = owner;
    const struct dram_port *port = port_of(chip, packet);
    uint64_t at = packet->address & (SPARSE_CHUNK_BYTES - 1);
    if (!port || packet->size > SPARSE_CHUNK_BYTES - at ||
        has_written(chip, tile, port->bank, packet)) {
        return NULL;
    }
    const uint8_t *chunk = sparse_chunk(&port->bank->memory, packet->address);
    struct chip_unit *unit = chip->place[tile->node].unit;
    note_read(unit, port, packet);
    if (port->tile && port->tile->observers > 0) {
        tell_read(chip, chip->place[tile->node].tile, port->tile, packet);
    }
    return chunk ? chunk + at : zeros;
}

bool chip_gddr_takes(void *owner, const struct noc_packet *packet)
{
    return port_of(owner, packet) != NULL;
}

bool chip_gddr_move(void *owner, const struct tile *tile, bool writes, uint64_t address,
                    uint8_t *bytes, uint32_t size, const char **rule)
{
    const struct penrose_chip *chip = owner;
    uint64_t local;
    return !tile_dram_address(address, &local) &&
           dram_access(chip->place[tile->node].port, writes ? MMIO_WRITE : MMIO_READ, address,
                       bytes, size, rule) == ANSWER_DONE;
}

/* --- Between windows --- */

bool chip_gddr_keep(struct penrose_chip *chip, struct noc_packet *packet)
{
    struct dram_bank *bank = chip->place[packet->to].port->bank;
    if (!dram_is_due(bank, packet, chip->head.time.now)) {
        return false;
    }
    packet->arrival = packet->sent; /* nobody has seen GDDR since */
    noc_queue_put(&bank->due, packet);
    chip->due_packets++;
    chip_touch(chip, packet->to);
    return true;
}

void chip_gddr_count(struct penrose_chip *chip, struct chip_unit *unit)
{
    for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
        for (; unit->has_read[noc]; unit->has_read[noc] &= unit->has_read[noc] - 1) {
            unsigned number = (unsigned)__builtin_ctz(unit->has_read[noc]);
            struct dram_port *port = &chip->bank[number / DRAM_PORTS].port[number % DRAM_PORTS];
            struct chip_reads *reads = &unit->reads[noc][number];
            if (chip_make_tile(chip, port->node)) { /* made when it is first read */
                dram_count_reads(port, noc, reads->requests, reads->flits);
            }
            *reads = (struct chip_reads){0};
        }
    }
}

static void serve_bank(void *context, size_t i)
{
    struct penrose_chip *chip = context;
    dram_serve_due(chip->due[i], chip->head.time.now);
}

void chip_gddr_settle(struct penrose_chip *chip, struct dram_bank *bank)
{
    if (bank->due.earliest == UINT64_MAX || chip->shares_time) {
        return;
    }
    chip->shares_time = true;
    dram_serve_due(bank, chip->head.time.now);
    chip->shares_time = false;
    chip_merge_bank(chip, bank);
    chip_touch(chip, bank->port[0].node);
}

void chip_gddr_serve(struct penrose_chip *chip)
{
    size_t banks = 0;
    for (unsigned i = 0; i < GRID_BANKS && chip->head.time.now % chip->head.window == 0; i++) {
        if (chip->bank[i].due.earliest != UINT64_MAX) {
            chip->due[banks++] = &chip->bank[i];
            chip_touch(chip, chip->bank[i].port[0].node);
        }
    }
    if (banks == 0) {
        return;
    }
    bool is_shared = banks > 1 && chip->due_packets >= PACKETS_TO_SHARE && !chip->head.is_observed;
    chip->touched |= chip->head.is_observed; /* tiles may be stopped there */
    chip->shares_time = true; /* in any case, so that reports do not depend on threads */
    if (is_shared) {
        pool_run(chip->head.pool, banks, serve_bank, chip);
    } else {
        for (size_t i = 0; i < banks; i++) {
            serve_bank(chip, i);
        }
    }
    chip->shares_time = false;
    chip->due_packets = 0;
    for (size_t i = 0; i < banks; i++) {
        chip_merge_bank(chip, chip->due[i]);
    }
}

bool chip_gddr_ends(struct penrose_chip *chip, struct noc_packet *packet)
{
    struct tile *tile = chip->place[packet->to].tile;
    if (!tile || packet->kind != NOC_WRITE_ACK || !packet->is_answered) {
        return false;
    }
    noc_packet_free(&tile->pool, packet);
    return true;
}
