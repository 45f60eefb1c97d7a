/*
 * Loading a stream's configuration from L1. SPEC: LoadConfigurationFromL1; Blackhole has
 * PHASE_AUTO_CONFIG in ONETIME_MISC_CFG and RELOAD_PHASE_BLOB. The first word is a new header. HW:
 * each further one has a register's number in the low 8 bits and its value in the high 24, as the
 * blobs of tt-burnin's image have them; the page says the reverse (docs/DEVIATIONS.md).
 */
#include <string.h>

#include "noc/overlay_stream.h"

enum {
    INDEX_MASK = 0xff,
    VALUE_SHIFT = 8,
    BLOB_WORD = 32,
};

static uint32_t word_of_blob(const struct overlay *overlay, uint32_t address)
{
    uint32_t word;
    memcpy(&word, overlay->l1 + address, sizeof word);
    return word;
}

/* Registers that a blob must not name: nothing may happen before the stream runs. */
static bool may_be_loaded(unsigned index)
{
    return index != OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO &&
           index != OVERLAY_NUM_MSGS_RECEIVED_INC && reg_name(&overlay_registers, 4 * index);
}

static bool check_blob(struct overlay *overlay, unsigned s, uint32_t address, uint32_t words)
{
    if (address % 4) {
        return overlay_refuse(overlay, s,
                              "configuration at 0x%x: PHASE_AUTO_CFG_PTR must be a "
                              "multiple of 4",
                              (unsigned)address);
    }
    if (address >= overlay->l1_size || (overlay->l1_size - address) / 4 < words) {
        return overlay_refuse(overlay, s, "configuration at 0x%x, %u words, is not in L1",
                              (unsigned)address, (unsigned)words);
    }
    for (uint32_t i = 1; i < words; i++) {
        unsigned index = word_of_blob(overlay, address + 4 * i) & INDEX_MASK;
        if (!may_be_loaded(index)) {
            return overlay_refuse(overlay, s, "configuration at 0x%x: register %u cannot be loaded",
                                  (unsigned)(address + 4 * i), index);
        }
    }
    return true;
}

/* SPEC: a stream that starts a new run clears its bit. */
static void start_run(struct overlay *overlay, unsigned s)
{
    unsigned done = OVERLAY_BLOB_AUTO_CFG_DONE + s / BLOB_WORD;
    overlay_set(overlay, 0, done, overlay_get(overlay, 0, done) & ~(UINT32_C(1) << s % BLOB_WORD));
}

void overlay_load_blob(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    uint32_t address = overlay_get(overlay, s, OVERLAY_PHASE_AUTO_CFG_PTR);
    uint32_t words = stream->next_configuration + 1;
    if (!check_blob(overlay, s, address, words)) {
        overlay_break(overlay, s);
        return;
    }
    start_run(overlay, s);
    stream->remaining = stream->to_receive = 0;
    stream->loads_again = false;
    overlay_write_header(overlay, s, word_of_blob(overlay, address));
    for (uint32_t i = 1; i < words; i++) {
        uint32_t entry = word_of_blob(overlay, address + 4 * i);
        if (overlay_write(overlay, s, entry & INDEX_MASK, true, entry >> VALUE_SHIFT) ==
            ANSWER_REFUSED) {
            overlay_break(overlay, s);
            return;
        }
    }
    if (stream->loads_again || stream->state != OVERLAY_LOADING) {
        return;
    }
    stream->state = OVERLAY_READY;
    if (get_PHASE_AUTO_ADVANCE(overlay_get(overlay, s, OVERLAY_ONETIME_MISC_CFG))) {
        overlay_start(overlay, s);
    }
}
