/* See noc_arrive.h. */
#include "tile/noc_arrive.h"

#include "addresses.h"
#include "noc/request.h"
#include "noc/serve.h"
#include "tile/fault.h"
#include "tile/noc_port.h"
#include "tile/noc_serve.h"
#include "tile/overlay_port.h"

static uint8_t *port_line(void *owner, uint64_t address)
{
    struct tile *tile = owner;
    address = tile_noc_address(tile, address);
    return address < tile->kind->l1_bytes ? tile->l1 + address : NULL;
}

enum { LINE_BYTES = 16 };

static void port_line_written(void *owner, uint64_t address, uint64_t cycle)
{
    tile_l1_written(owner, (uint32_t)tile_noc_address(owner, address), LINE_BYTES, cycle);
}

void tile_noc_tell_pic(struct tile *tile, unsigned noc, uint64_t cycle)
{
    pic_set_hardware(tile, noc ? PIC_NIU1 : PIC_NIU0, niu_interrupt(&tile->niu[noc]), cycle);
}

static void port_deliver(void *owner, const struct noc_packet *packet, uint64_t cycle)
{
    struct tile *tile = owner;
    overlay_packet_arrived(&tile->overlay, packet->tag & NOC_TAG_STREAM,
                           packet->tag & NOC_TAG_FIRST, packet->tag & NOC_TAG_LAST, packet->size,
                           cycle);
    tile_overlay_run(tile, cycle);
}

static void port_changed(void *owner, unsigned noc, uint64_t cycle)
{
    struct tile *tile = owner;
    if (tile->niu[noc].word[NIU_RTZ_CFG / 4]) {
        tile_noc_tell_pic(tile, noc, cycle);
    }
    tile_niu_changed(tile, noc, cycle);
}

static bool port_fault(void *owner, const struct noc_packet *packet, enum penrose_fault_kind kind,
                       const char *text)
{
    struct tile *tile = owner;
    struct tile_fault fault = tile_fault_of_packet(packet, kind, text);
    return tile->board->fault(tile->owner, tile, &fault) != PENROSE_STOP;
}

static const struct noc_target_kind tile_target = {.has_registers = true,
                                                   .access = tile_noc_reach,
                                                   .line = port_line,
                                                   .line_written = port_line_written,
                                                   .deliver = port_deliver,
                                                   .send = tile_noc_send,
                                                   .changed = port_changed,
                                                   .fault = port_fault};

void tile_noc_attach(struct tile *tile)
{
    for (unsigned noc = 0; noc < 2; noc++) {
        tile->behind[noc] = (struct noc_target){
            .kind = &tile_target,
            .owner = tile,
            .pool = &tile->pool,
            .niu = &tile->niu[noc],
            .name = tile->name,
            .registers_again = tile->kind->type == TILE_DRAM ? AT_DRAM_REGISTERS : 0,
            .here = tile->node,
            .read_alignment = LINE_BYTES,
            .write_alignment = LINE_BYTES};
    }
}

uint64_t tile_noc_next(const struct tile *tile)
{
    bool is_blocked = tile->inbox_waits && tile->inbox_epoch == tile->epoch;
    uint64_t departure = tile_noc_departure(tile);
    uint64_t arrival = is_blocked ? UINT64_MAX : tile->inbox.earliest;
    uint64_t next = arrival < departure ? arrival : departure;
    return next < tile->reading.earliest ? next : tile->reading.earliest;
}

static void count_what_was_read(struct tile *tile, uint64_t end)
{
    for (struct noc_packet *write; (write = noc_queue_take(&tile->reading, end));) {
        noc_request_count_data(&tile->niu[write->noc], write);
        tile_niu_changed(tile, write->noc, write->arrival > tile->now ? write->arrival : tile->now);
        noc_packet_free(&tile->pool, write);
    }
}

void tile_noc_arrivals(struct tile *tile, uint64_t end)
{
    if (tile_noc_next(tile) >= end) {
        return;
    }
    tile_noc_depart(tile, end, UINT64_MAX);
    count_what_was_read(tile, end);
    tile->inbox_waits = false;
    for (struct noc_packet *packet; (packet = noc_queue_take(&tile->inbox, end));) {
        uint64_t cycle = packet->arrival > tile->now ? packet->arrival : tile->now;
        if (!tile_noc_serve(tile, &tile->behind[packet->noc], packet, cycle)) {
            noc_queue_return(&tile->inbox, packet);
            tile->inbox_waits = true;
            tile->inbox_epoch = tile->epoch;
            return;
        }
    }
}
