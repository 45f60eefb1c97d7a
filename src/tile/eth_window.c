/* The network side of an Ethernet tile in its tile: registers, L1, and frames that leave. Frames
 * that are sent wait in tile->frames_sent until the chip takes them between windows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tile/eth_window.h"
#include "tile/fault.h"
#include "tile/report.h"
#include "tile/tell.h"

enum rv32_poll tile_mmio_poll_ETH(struct tile *tile, enum tile_agent agent, uint32_t offset);

/* --- What the block reaches --- */

static void eth_tell_written(struct tile *tile, uint32_t address, uint32_t size, uint32_t pc,
                             uint64_t cycle)
{
    const struct observed event = {.kind = OBSERVED_WRITTEN,
                                   .agent = OBSERVED_ETHERNET,
                                   .thread = OBSERVED_NO_THREAD,
                                   .cycle = cycle,
                                   .pc = pc,
                                   .address = address,
                                   .size = size};
    if (tile_is_observed(tile, event.kind)) {
        tile_tell(tile, &event);
    }
}

static void eth_l1_written(void *owner, uint32_t address, uint32_t size, uint64_t cycle)
{
    tile_l1_written(owner, address, size, cycle);
}

static void eth_frame_written(void *owner, uint32_t address, uint32_t size, uint32_t pc,
                              uint64_t cycle)
{
    tile_l1_written(owner, address, size, cycle);
    eth_tell_written(owner, address, size, pc, cycle);
}

static void eth_mmio_write(void *owner, uint32_t address, uint32_t value, uint32_t pc,
                           uint64_t cycle)
{
    struct mmio_access access = {.operation = MMIO_WRITE,
                                 .agent = AGENT_NOC,
                                 .size = 4,
                                 .address = address,
                                 .value = value,
                                 .cycle = cycle};
    struct tile *tile = owner;
    enum answer answer = tile_access(tile, &access);
    if (answer == ANSWER_DONE) {
        eth_tell_written(tile, address, access.size, pc, cycle);
    } else {
        char text[160];
        snprintf(text, sizeof text, "a register write that came over Ethernet, to 0x%08x: %s",
                 address, access.rule ? access.rule : "nothing answers there");
        tile_agent_fault(tile, PENROSE_FAULT_UNMAPPED, AGENT_NOC, cycle, 0, text);
    }
}

static void eth_transmit(void *owner, const struct eth_frame *frame, uint64_t cycle)
{
    struct tile *tile = owner;
    struct tile_frame *copy = malloc(sizeof *copy);
    if (!copy) {
        tile_agent_fault(tile, PENROSE_FAULT_UNIMPLEMENTED, AGENT_NOC, cycle, 0,
                         "the host has no memory for a frame");
        return;
    }
    copy->next = NULL;
    copy->sent = copy->arrival = cycle;
    memcpy(&copy->frame, frame, offsetof(struct eth_frame, bytes) + frame->length);
    struct tile_frame **last = &tile->frames_sent;
    while (*last) {
        last = &(*last)->next;
    }
    *last = copy;
}

static void eth_fault(void *owner, const char *text, uint64_t cycle)
{
    tile_agent_fault(owner, PENROSE_FAULT_ETHERNET, AGENT_NOC, cycle, 0, text);
}

static void eth_changed(void *owner, uint64_t cycle)
{
    tile_event(owner, cycle);
}

bool tile_eth_init(struct tile *tile)
{
    tile->eth = calloc(1, sizeof *tile->eth);
    if (!tile->eth) {
        return false;
    }
    struct eth_board board = {.owner = tile,
                              .l1 = tile->l1,
                              .l1_size = tile->kind->l1_bytes,
                              .l1_written = eth_l1_written,
                              .frame_written = eth_frame_written,
                              .mmio_write = eth_mmio_write,
                              .transmit = eth_transmit,
                              .fault = eth_fault,
                              .changed = eth_changed};
    eth_init(tile->eth, &board);
    return true;
}

static void free_frames(struct tile_frame *frame)
{
    for (struct tile_frame *next; frame; frame = next) {
        next = frame->next;
        free(frame);
    }
}

void tile_eth_lose(struct tile *tile)
{
    free_frames(tile->frames_sent);
    free_frames(tile->frames);
    tile->frames_sent = tile->frames = NULL;
}

void tile_eth_free(struct tile *tile)
{
    tile_eth_lose(tile);
    free(tile->eth);
}

/* --- Time --- */

uint64_t tile_eth_next(const struct tile *tile)
{
    if (!tile->eth) {
        return UINT64_MAX;
    }
    uint64_t own = eth_next_event(tile->eth);
    return tile->frames && tile->frames->arrival < own ? tile->frames->arrival : own;
}

void tile_eth_run(struct tile *tile, uint64_t end)
{
    if (tile_eth_next(tile) >= end) {
        return;
    }
    while (tile->frames && tile->frames->arrival < end) {
        struct tile_frame *frame = tile->frames;
        tile->frames = frame->next;
        eth_receive(tile->eth, &frame->frame,
                    frame->arrival > tile->now ? frame->arrival : tile->now);
        free(frame);
    }
    if (eth_next_event(tile->eth) < end) {
        eth_run(tile->eth, tile->now);
    }
}

void tile_eth_arrives(struct tile *tile, struct tile_frame *frame)
{
    struct tile_frame **link = &tile->frames;
    while (*link && (*link)->arrival <= frame->arrival) {
        link = &(*link)->next;
    }
    frame->next = *link;
    *link = frame;
}

/* --- Registers --- */

enum answer tile_mmio_ETH(struct tile *tile, struct mmio_access *access)
{
    uint32_t offset = access->offset & ~UINT32_C(3), value = access->value;
    bool effects = mmio_has_effects(access);
    enum answer answer;
    if (mmio_is_write(access)) {
        if (access->size != 4) {
            return ANSWER_NARROW;
        }
        tile->eth->pc = access->agent < AGENT_NOC ? rv32_current_pc(&tile->hart[access->agent]) : 0;
        answer = eth_write(tile->eth, offset, effects, value, access->cycle);
    } else {
        answer = eth_read(tile->eth, offset, effects, &value, access->cycle);
    }
    if (answer == ANSWER_REFUSED) {
        return mmio_refuse(access, ANSWER_UNMAPPED, tile->eth->rule);
    }
    if (answer == ANSWER_UNMAPPED) {
        return eth_is_of_phy(offset)
                   ? mmio_refuse(access, ANSWER_UNIMPLEMENTED,
                                 "MAC, PCS and SerDes are not modelled, so firmware cannot train a "
                                 "link; links that are plugged are up without it")
                   : mmio_refuse(access, answer, "the Ethernet subsystem has no register there");
    }
    if (answer == ANSWER_UNMODELLED) {
        tile_report_unmodelled(tile, access);
    }
    if (!mmio_is_write(access)) {
        return mmio_value(access, value);
    }
    if (effects) {
        tile_event(tile, access->cycle);
    }
    return ANSWER_DONE;
}

/* The PTP timer runs, and reading its low half latches the high one. */
enum rv32_poll tile_mmio_poll_ETH(struct tile *tile, enum tile_agent agent, uint32_t offset)
{
    (void)tile;
    (void)agent;
    return eth_is_of_timer(offset) ? RV32_POLL_EFFECT : RV32_POLL_STATE;
}
