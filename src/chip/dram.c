/* DRAM banks, see chip/dram.h. */
#include "chip/dram.h"

#include <stdio.h>
#include <string.h>

#include "addresses.h"
#include "arch/arch.h"
#include "tile/fault.h"
#include "tile/noc_port.h"
#include "tile/noc_serve.h"

enum { READ_ALIGNMENT = 64, WRITE_ALIGNMENT = 16 };

static const char out_of_range[] =
    "GDDR ends at " ARCH_TEXT(END_GDDR) "; L1 of the tile is at " ARCH_TEXT(
        AT_DRAM_L1) ", registers at " ARCH_TEXT(AT_LOCAL_RAM);

void dram_free(struct dram_bank *bank)
{
    sparse_free(&bank->memory);
    noc_queue_free(&bank->inbox, &bank->pool);
    noc_queue_free(&bank->due, &bank->pool);
    for (struct noc_packet *packet; (packet = noc_list_take(&bank->sent));) {
        noc_packet_free(&bank->pool, packet);
    }
    noc_pool_empty(&bank->pool);
    for (unsigned i = 0; i < DRAM_PORTS; i++) {
        tile_destroy(bank->port[i].witness);
    }
}

/* --- The host --- */

enum answer dram_access(struct dram_port *port, enum mmio_operation operation, uint64_t address,
                        void *bytes, uint64_t size, const char **rule)
{
    if (address >= END_GDDR || size > END_GDDR - address) {
        *rule = out_of_range;
        return ANSWER_REFUSED;
    }
    if (operation == MMIO_READ || operation == MMIO_PEEK) {
        sparse_read(&port->bank->memory, address, bytes, size);
    } else if (!sparse_write(&port->bank->memory, address, bytes, size)) {
        *rule = "the host has no memory";
        return ANSWER_REFUSED;
    }
    return ANSWER_DONE;
}

/* --- The NoC --- */

static enum answer bank_access(void *owner, bool writes, uint64_t address, void *bytes,
                               uint32_t size, uint64_t cycle, const char **rule)
{
    struct dram_port *port = owner;
    enum mmio_operation operation = writes ? MMIO_WRITE : MMIO_READ;
    uint64_t local;
    uint32_t done;
    if (!tile_dram_address(address, &local)) {
        return dram_access(port, operation, address, bytes, size, rule);
    }
    enum answer answer =
        tile_noc_access(port->tile, operation, (uint32_t)local, bytes, size, cycle, &done, rule);
    *rule = *rule ? *rule : "nothing answers there";
    return answer;
}

static void port_send(void *owner, struct noc_packet *packet, uint64_t cycle)
{
    struct dram_port *port = owner;
    struct dram_bank *bank = port->bank;
    (void)noc_leave(&bank->board->delivery, &port->tile->ways[packet->noc], packet, cycle, 0);
    packet->order = (uint64_t)(NOC_NODES + bank->number) << 40 | bank->sequence++;
    noc_list_append(&bank->sent, packet);
}

static void bank_changed(void *owner, unsigned noc, uint64_t cycle)
{
    struct dram_port *port = owner;
    if (port->tile) {
        tile_niu_changed(port->tile, noc, cycle);
    }
}

static bool bank_port_fault(void *owner, const struct noc_packet *packet,
                            enum penrose_fault_kind kind, const char *text)
{
    struct dram_port *port = owner;
    struct tile_fault fault = tile_fault_of_packet(packet, kind, text);
    return port->bank->board->bank_fault(port->bank->owner, &port->bank->notes, &fault) !=
           PENROSE_STOP;
}

/* Does the NIU lead to GDDR, not to the hart's address space? */
static bool is_subordinate(const struct dram_port *port, unsigned noc)
{
    return !port->tile || port->tile->niu[noc].word[NIU_CFG_0 / 4] & NIU_AXI_SUBORDINATE;
}

static const struct noc_target_kind bank_target = {.has_registers = true,
                                                   .access = bank_access,
                                                   .send = port_send,
                                                   .changed = bank_changed,
                                                   .fault = bank_port_fault};

void dram_init(struct dram_bank *bank, unsigned number, const uint16_t node[DRAM_PORTS],
               const struct tile_board *board, void *owner)
{
    *bank = (struct dram_bank){.number = number, .board = board, .owner = owner};
    noc_queue_init(&bank->inbox);
    noc_queue_init(&bank->due);
    for (unsigned i = 0; i < DRAM_PORTS; i++) {
        struct dram_port *port = &bank->port[i];
        port->bank = bank;
        port->node = node[i];
        snprintf(port->name, sizeof port->name, "DRAM (%u, %u)", node[i] % GRID_WIDTH,
                 node[i] / GRID_WIDTH);
        for (unsigned noc = 0; noc < 2; noc++) {
            port->behind[noc] = (struct noc_target){.kind = &bank_target,
                                                    .owner = port,
                                                    .pool = &bank->pool,
                                                    .name = port->name,
                                                    .registers_again = AT_DRAM_REGISTERS,
                                                    .here = port->node,
                                                    .read_alignment = READ_ALIGNMENT,
                                                    .write_alignment = WRITE_ALIGNMENT};
        }
    }
}

void dram_attach(struct dram_port *port, struct tile *tile)
{
    port->tile = tile;
    for (unsigned noc = 0; noc < 2; noc++) {
        port->behind[noc].niu = &tile->niu[noc];
        port->behind[noc].config = &tile->niu[noc].word[NIU_CFG_0 / 4];
    }
}

static struct dram_port *port_at(struct dram_bank *bank, uint16_t node)
{
    unsigned i = 0;
    while (i < DRAM_PORTS - 1 && bank->port[i].node != node) {
        i++;
    }
    return &bank->port[i];
}

static bool serve_packet(struct dram_bank *bank, struct noc_packet *packet, uint64_t cycle)
{
    struct dram_port *port = port_at(bank, packet->to);
    const struct noc_target *target = is_subordinate(port, packet->noc)
                                          ? &port->behind[packet->noc]
                                          : &port->tile->behind[packet->noc];
    return tile_noc_serve(port->tile, target, packet, cycle);
}

/* Serves a request in GDDR in a timed run; when the answer begins to leave. Data leave while they are
 * read, and arrive while they are written. */
static uint64_t serve_timed(struct dram_bank *bank, const struct noc_packet *packet)
{
    const struct timing *timing = bank->board->delivery.timing;
    const bool reads = packet->kind == NOC_READ;
    uint64_t bytes = (uint64_t)noc_flits(packet->address, packet->size) * NOC_FLIT_BYTES;
    uint64_t before = reads ? 0 : bytes / timing->rate[TIMING_DRAM_BANK_BYTES];
    uint64_t after = reads ? bytes / timing->rate[TIMING_NOC_NIU_BYTES] : 0;
    uint64_t arrival = packet->arrival > before ? packet->arrival : before;
    timing_ask(timing, TIMING_DRAM_BANK_BYTES, &bank->gddr, bytes, arrival - before);
    uint64_t done = bank->gddr.free_at > arrival ? bank->gddr.free_at : arrival;
    uint64_t leaves = done > arrival + after ? done - after : arrival; /* where costs are changed */
    return leaves + timing_cycles(timing, reads ? TIMING_DRAM_READ : TIMING_DRAM_WRITE);
}

/* Timed runs: must a packet that has just arrived wait for the bank? */
static bool is_delayed(struct dram_bank *bank, struct noc_packet *packet)
{
    const struct dram_port *port = port_at(bank, packet->to);
    if (!bank->board->delivery.timing || packet->has_passed || packet->kind > NOC_ATOMIC ||
        !is_subordinate(port, packet->noc) || packet->address >= END_GDDR) {
        return false;
    }
    const uint64_t arrival = packet->arrival;
    packet->has_passed = true;
    packet->arrival = serve_timed(bank, packet);
    packet->held += (uint32_t)(packet->arrival - arrival);
    return true;
}

void dram_serve(struct dram_bank *bank, uint64_t end)
{
    for (struct noc_packet *packet; (packet = noc_queue_take(&bank->inbox, end));) {
        if (is_delayed(bank, packet)) {
            noc_queue_put(&bank->inbox, packet);
            continue;
        }
        if (!serve_packet(bank, packet, packet->arrival)) {
            packet->arrival = end; /* the tile is busy: again in the next round */
            noc_queue_put(&bank->inbox, packet);
        }
    }
}

/* --- What need not travel --- */

/* B is the only hart. */
static bool sleeps(struct tile *tile, uint64_t end)
{
    return tile->run[RV32_B].state == HART_ASLEEP && tile_next_event(tile) >= end &&
           !tile_span_touches(&tile->polled[RV32_B], TILE_NIU_BASE, 2 * TILE_NIU_BYTES);
}

/* No hart of the port's tile does anything before `end` or cares for its NIUs, which lead to GDDR.
 */
static bool is_at_rest(const struct dram_port *port, uint64_t end)
{
    struct tile *tile = port->tile;
    const uint32_t mask = NIU_AXI_SUBORDINATE | NIU_NO_HEADERS | NIU_CLOCK_OFF;
    bool is_as_made = tile == NULL || tile->run[RV32_B].state == HART_HELD || sleeps(tile, end);
    for (unsigned noc = 0; tile && noc < 2; noc++) {
        uint32_t config = tile->niu[noc].word[NIU_CFG_0 / 4];
        is_as_made &= (config & mask) == (NIU_AXI_SUBORDINATE | NIU_NO_HEADERS);
    }
    return is_as_made;
}

static bool are_at_rest(const struct dram_bank *bank, uint64_t end)
{
    return bank->board->delivery.at_once && is_at_rest(&bank->port[0], end) &&
           is_at_rest(&bank->port[1], end) && is_at_rest(&bank->port[2], end);
}

uint64_t dram_next_grid(const struct dram_bank *bank, uint64_t time)
{
    uint64_t window = bank->board->delivery.window;
    return (time / window + 1) * window;
}

void dram_begin_window(struct dram_bank *bank, uint64_t now, uint64_t end)
{
    uint64_t grid = dram_next_grid(bank, now), until = end > grid ? end : grid;
    if (!bank->board->delivery.at_once) {
        return;
    }
    if (bank->inbox.earliest < until || !are_at_rest(bank, until)) {
        bank->loud_until = grid;
    }
    bank->is_quiet = bank->loud_until <= now;
}

void dram_end_window(struct dram_bank *bank, uint64_t now)
{
    bank->is_quiet = false;
    bank->loud_until = bank->loud_until <= now ? 0 : bank->loud_until;
}

/* Are all bytes of a request in GDDR, not in what lies above it? */
static bool is_in_gddr(const struct noc_packet *packet)
{
    return packet->address < END_GDDR && packet->size <= END_GDDR - packet->address;
}

bool dram_takes(const struct dram_port *port, const struct noc_packet *packet)
{
    unsigned modulus = packet->kind == NOC_READ ? READ_ALIGNMENT : WRITE_ALIGNMENT;
    bool is_plain = !packet->is_void && !packet->is_inline && !packet->has_enables &&
                    !packet->stores_header && packet->kind <= NOC_WRITE;
    return port->bank->is_quiet && is_plain && is_in_gddr(packet) &&
           (packet->address ^ packet->back_address) % modulus == 0;
}

bool dram_is_due(const struct dram_bank *bank, const struct noc_packet *packet, uint64_t now)
{
    return (packet->is_answered && is_in_gddr(packet)) ||
           (packet->kind <= NOC_ATOMIC && packet->address < END_GDDR && are_at_rest(bank, now));
}

void dram_serve_due(struct dram_bank *bank, uint64_t cycle)
{
    for (struct noc_packet *packet; (packet = noc_queue_take(&bank->due, UINT64_MAX));) {
        serve_packet(bank, packet, cycle); /* GDDR never waits */
    }
}

void dram_count_reads(const struct dram_port *port, unsigned noc, uint32_t requests, uint32_t flits)
{
    struct niu *niu = &port->tile->niu[noc];
    niu_count(niu, NIU_SLV_REQ_ACCEPTED, requests);
    niu_count(niu, NIU_SLV_RD_REQ_RECEIVED, requests);
    niu_count(niu, NIU_SLV_RD_RESP_SENT, requests);
    niu_count(niu, NIU_SLV_RD_DATA_WORD_SENT, flits);
}
