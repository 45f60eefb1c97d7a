/* The register windows of the NIUs and the overlay. */
#include "tile/noc_window.h"

#include "tile/noc_arrive.h"
#include "tile/noc_port.h"
#include "tile/noc_short.h"
#include "tile/overlay_port.h"
#include "tile/report.h"

/* --- NIU --- */

enum { NIU_WINDOW_MASK = TILE_NIU_BYTES - 1 };

static const char no_niu_register[] = "the NIU has no register there";

static enum answer write_niu(struct tile *tile, struct mmio_access *access, unsigned noc,
                             uint32_t offset)
{
    bool effects = access->operation == MMIO_WRITE;
    if (access->size != 4) {
        return ANSWER_NARROW;
    }
    if (effects && offset < NIU_BYTES && offset % NIU_BUFFER_BYTES <= NIU_CMD_CTRL) {
        tile_noc_buffer_busy(tile, noc, offset / NIU_BUFFER_BYTES, access->cycle);
    }
    enum answer answer = niu_write(&tile->niu[noc], offset, effects, access->value);
    if (!answer_is_done(answer)) {
        return mmio_refuse(access, answer, no_niu_register);
    }
    if (niu_makes_request(offset, access->value)) {
        if (effects) {
            tile_noc_request(tile, noc, offset / NIU_BUFFER_BYTES, access->agent, access->cycle);
            tile_niu_changed(tile, noc, access->cycle);
        }
        return ANSWER_DONE;
    }
    if (answer == ANSWER_UNMODELLED) {
        tile_report_unmodelled(tile, access);
    }
    if (effects) {
        tile_registers_changed(tile, access->address, 4, access->cycle);
    }
    if (effects && offset % NIU_BUFFER_BYTES >= NIU_CLEAR_OUTSTANDING && offset != NIU_ID_LOGICAL) {
        tile_noc_tell_pic(tile, noc, access->cycle);
        tile_niu_changed(tile, noc, access->cycle);
    }
    return ANSWER_DONE;
}

enum answer tile_mmio_NIU(struct tile *tile, struct mmio_access *access)
{
    unsigned noc = access->offset / TILE_NIU_BYTES;
    uint32_t offset = access->offset & NIU_WINDOW_MASK & ~UINT32_C(3);
    bool effects = access->operation == MMIO_READ;
    uint32_t value = 0;
    if (mmio_is_write(access)) {
        return write_niu(tile, access, noc, offset);
    }
    if (effects && tile->unseen_count && access->agent < AGENT_NOC) {
        tile_noc_look(tile, noc, offset, access->agent);
    }
    bool was_raised = offset == NIU_RTZ_NUM && niu_interrupt(&tile->niu[noc]);
    enum answer answer = niu_read(&tile->niu[noc], offset, effects, &value);
    if (!answer_is_done(answer)) {
        return mmio_refuse(access, answer, no_niu_register);
    }
    if (answer == ANSWER_UNMODELLED) {
        tile_report_unmodelled(tile, access);
    }
    if (effects && was_raised) {
        tile_noc_tell_pic(tile, noc, access->cycle);
    }
    return mmio_value(access, value);
}

enum rv32_poll tile_mmio_poll_NIU(struct tile *tile, enum tile_agent agent, uint32_t offset);
enum rv32_poll tile_mmio_poll_OVERLAY(struct tile *tile, enum tile_agent agent, uint32_t offset);

enum rv32_poll tile_mmio_poll_NIU(struct tile *tile, enum tile_agent agent, uint32_t offset)
{
    (void)tile, (void)agent;
    struct reg_place place;
    (void)reg_find(&niu_registers, offset & NIU_WINDOW_MASK, &place);
    return mmio_poll(place.row);
}

/* --- Overlay --- */

/* A read while a stream has something to do lets the stream do it. */
enum rv32_poll tile_mmio_poll_OVERLAY(struct tile *tile, enum tile_agent agent, uint32_t offset)
{
    (void)agent;
    bool acts = tile->overlay.due || offset % STEP_STREAM / 4 == OVERLAY_BLOB_NEXT_AUTO_CFG_DONE;
    return acts ? RV32_POLL_EFFECT : RV32_POLL_STATE;
}

enum answer tile_mmio_OVERLAY(struct tile *tile, struct mmio_access *access)
{
    unsigned stream = access->offset / STEP_STREAM;
    unsigned index = access->offset % STEP_STREAM / 4;
    bool effects = mmio_has_effects(access);
    enum answer answer, reply = ANSWER_DONE;
    if (mmio_is_write(access)) {
        if (access->size != 4) {
            return ANSWER_NARROW;
        }
        answer = overlay_write(&tile->overlay, stream, index, effects, access->value);
    } else {
        uint32_t value;
        answer = overlay_read(&tile->overlay, stream, index, effects, &value);
        reply = mmio_value(access, value);
    }
    if (answer == ANSWER_REFUSED) {
        return mmio_refuse(access, ANSWER_HANG, tile->overlay.rule);
    }
    if (answer == ANSWER_UNMODELLED) {
        tile_report_unmodelled(tile, access);
    }
    if (effects && reply == ANSWER_DONE && overlay_is_due(&tile->overlay)) {
        tile_overlay_run(tile, access->cycle);
    }
    if (mmio_wrote(access, reply)) {
        tile_overlay_changed(tile, access->cycle);
    } else if (effects && index == OVERLAY_BLOB_NEXT_AUTO_CFG_DONE) {
        pic_set_hardware(tile, PIC_OVERLAY, overlay_interrupt(&tile->overlay), access->cycle);
    }
    return reply;
}

/* --- Status CSRs --- */

enum { STATUS_STREAMS = 2, STATUS_STREAM_PAIRS = 4 };

uint32_t tile_status_csr(const struct tile *tile, enum rv32_core core, unsigned index)
{
    bool is_trisc = core >= RV32_T0 && core <= RV32_T2;
    unsigned thread = is_trisc ? (unsigned)core - RV32_T0 : TENSIX_THREADS;
    if (index < STATUS_STREAMS || !is_trisc) {
        return tensix_status(&tile->tensix, thread, index);
    }
    unsigned i = index - STATUS_STREAMS;
    unsigned stream = tensix_status_stream(&tile->tensix, thread, i % STATUS_STREAM_PAIRS);
    return overlay_register(&tile->overlay, stream,
                            i < STATUS_STREAM_PAIRS ? OVERLAY_CURR_PHASE
                                                    : OVERLAY_NUM_MSGS_RECEIVED);
}
