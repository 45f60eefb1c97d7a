/* Wall clock, timestamper and watchdog (SPEC: BlackholeA0 DebugTimestamper; WormholeB0
 * EthernetTile CycleCounters for the watchdog). The 64-bit counter is the tile's time. */
#include <string.h>

#include "tile/debug_internal.h"

/* --- Wall clock --- */

enum answer debug_wall_clock_low(struct tile *tile, struct mmio_access *access)
{
    if (mmio_has_effects(access)) {
        tile->debug.wall_clock_latch = (uint32_t)(access->cycle >> 32);
    }
    return mmio_driven(access, (uint32_t)access->cycle);
}

enum answer debug_wall_clock_high(struct tile *tile, struct mmio_access *access)
{
    (void)tile;
    return mmio_driven(access, (uint32_t)(access->cycle >> 32));
}

enum answer debug_wall_clock_latched(struct tile *tile, struct mmio_access *access)
{
    return mmio_driven(access, tile->debug.wall_clock_latch);
}

/* --- Timestamper --- */

enum stamp_command {
    APPEND_128 = 0,
    APPEND_64 = 1,
    APPEND_32 = 2,
    FLUSH_64 = 3,
    APPEND_96 = 4,
    FLUSH_96 = 7,
    STAMP_COMMAND = 7,
};

enum { UNIT_BYTES = 16 };

bool debug_write_l1(struct tile *tile, uint64_t address, const uint32_t data[4], uint64_t cycle)
{
    if (address > tile->kind->l1_bytes - UNIT_BYTES) {
        return false;
    }
    memcpy(tile->l1 + address, data, UNIT_BYTES);
    tile_l1_written(tile, (uint32_t)address, UNIT_BYTES, cycle);
    return true;
}

static bool has_space(const struct debug_stamp_buffer *buffer)
{
    return buffer->is_valid && (uint64_t)buffer->start + buffer->position <= buffer->end;
}

/* Writes the accumulated unit to the first buffer with space; false when that is outside L1. */
static bool flush(struct tile *tile, uint64_t cycle)
{
    struct debug_timestamper *stamper = &tile->debug.timestamper;
    memset(stamper->data + stamper->position, 0, (4 - stamper->position) * sizeof stamper->data[0]);
    stamper->position = 0;
    stamper->event_bits = 0;
    for (unsigned i = 0; i < 2; i++) {
        struct debug_stamp_buffer *buffer = &stamper->buffer[i];
        if (has_space(buffer)) {
            uint64_t unit = (uint64_t)buffer->start + buffer->position++;
            buffer->is_full |= !has_space(buffer);
            return debug_write_l1(tile, unit * UNIT_BYTES, stamper->data, cycle);
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        stamper->buffer[i].has_overflowed |= stamper->buffer[i].is_valid;
    }
    return true;
}

static bool append_trace_values(struct tile *tile, const uint32_t *values, unsigned count,
                                uint64_t cycle)
{
    struct debug_timestamper *stamper = &tile->debug.timestamper;
    bool fine = true;
    for (unsigned i = 0; i < count; i++) {
        unsigned bits = stamper->event_bits;
        stamper->data[stamper->position++] = values[i];
        if (stamper->position == 4) {
            fine &= flush(tile, cycle);
            stamper->event_bits = i + 1 < count ? bits : 0; /* the event goes on */
        }
    }
    return fine;
}

static unsigned event_bits(enum stamp_command command)
{
    switch (command) {
    case APPEND_32:
        return 32;
    case APPEND_64:
    case FLUSH_64:
        return 64;
    case APPEND_96:
    case FLUSH_96:
        return 96;
    case APPEND_128:
        return 128;
    default:
        return 0;
    }
}

static void clear_streams(struct debug_timestamper *stamper)
{
    for (unsigned i = 0; i < 2; i++) {
        stamper->buffer[i].is_full = false;
        stamper->buffer[i].has_overflowed = false;
    }
    stamper->position = 0;
    stamper->event_bits = 0;
}

enum answer debug_stamp_command(struct tile *tile, struct mmio_access *access)
{
    struct debug_timestamper *stamper = &tile->debug.timestamper;
    uint64_t cycle = access->cycle;
    unsigned bits = event_bits(access->value & STAMP_COMMAND);
    const uint32_t values[4] = {access->value, (uint32_t)cycle, (uint32_t)(cycle >> 32), 0};
    const uint32_t narrow = (access->value & 0xffff) + ((uint32_t)(cycle & 0x001fffe0) << 11);
    if (!bits || (stamper->event_bits && stamper->event_bits != bits)) {
        return mmio_refuse(access, ANSWER_UNIMPLEMENTED,
                           bits ? "timestamp events of different sizes cannot be mixed"
                                : "the timestamper knows the commands 0 to 4 and 7");
    }
    stamper->event_bits = bits;
    bool fine;
    switch (access->value & STAMP_COMMAND) {
    case FLUSH_64:
    case FLUSH_96:
        fine = flush(tile, cycle);
        break;
    case APPEND_32:
        fine = append_trace_values(tile, &narrow, 1, cycle);
        break;
    default:
        fine = append_trace_values(tile, values, bits / 32, cycle);
        break;
    }
    if (stamper->holds_reset) {
        clear_streams(stamper);
    }
    return fine ? ANSWER_DONE
                : mmio_refuse(access, ANSWER_UNMAPPED, "the timestamp buffer lies outside L1");
}

enum answer debug_stamp_control(struct tile *tile, struct mmio_access *access)
{
    struct debug_timestamper *stamper = &tile->debug.timestamper;
    enum answer answer = mmio_word(access, debug_word(tile, access), UINT32_MAX);
    if (mmio_is_write(access) && answer == ANSWER_DONE) {
        stamper->buffer[0].is_valid = access->value & 1;
        stamper->buffer[1].is_valid = access->value >> 1 & 1;
        stamper->holds_reset = access->value >> 31;
        if (stamper->holds_reset) {
            clear_streams(stamper);
        }
    }
    return answer;
}

enum stamp_status {
    STATUS_FULL = 0,      /* and the bit above: buffer 1 */
    STATUS_OVERFLOW = 4,  /* and the bit above */
    STATUS_EVENTS_64 = 8, /* one bit */
    STATUS_EVENTS_32 = 9, /* two bits */
    STATUS_EVENTS_96 = 11,
    STATUS_POSITION = 14,
};

static uint32_t stamp_status_word(const struct debug_timestamper *stamper)
{
    uint32_t status = (stamper->buffer[0].position & 0x3ffff) << STATUS_POSITION;
    for (unsigned i = 0; i < 2; i++) {
        status |= (uint32_t)stamper->buffer[i].is_full << (STATUS_FULL + i);
        status |= (uint32_t)stamper->buffer[i].has_overflowed << (STATUS_OVERFLOW + i);
    }
    switch (stamper->event_bits) {
    case 32:
        return status | stamper->position << STATUS_EVENTS_32;
    case 64:
        return status | stamper->position / 2 << STATUS_EVENTS_64;
    case 96:
        return status | ((4 - stamper->position) & 3) << STATUS_EVENTS_96;
    default:
        return status;
    }
}

enum answer debug_stamp_status(struct tile *tile, struct mmio_access *access)
{
    struct debug_timestamper *stamper = &tile->debug.timestamper;
    if (!mmio_is_write(access)) {
        return mmio_value(access, stamp_status_word(stamper));
    }
    if (access->size != 4) {
        return ANSWER_NARROW;
    }
    for (unsigned i = 0; access->operation == MMIO_WRITE && i < 2; i++) {
        struct debug_stamp_buffer *buffer = &stamper->buffer[i];
        if (access->value >> (STATUS_FULL + i) & 1) {
            buffer->is_full = false;
            buffer->position = 0;
        }
        if (access->value >> (STATUS_OVERFLOW + i) & 1) {
            buffer->has_overflowed = false;
        }
    }
    return ANSWER_DONE;
}

/* --- Watchdog. GUESS: bit 0 of WDT_CNTL enables the IRQ, too; what the others do in a Tensix tile
 * is not known. --- */

enum { WATCHDOG_RUNS = 1 };

static bool watchdog_runs(const struct tile *tile)
{
    return tile->debug.word[REG_WDT_CNTL] & WATCHDOG_RUNS;
}

/* Cycles that the watchdog has left. */
static uint32_t watchdog_left(const struct tile *tile, uint64_t cycle)
{
    const struct debug_watchdog *watchdog = &tile->debug.watchdog;
    if (!watchdog_runs(tile) || cycle <= watchdog->since) {
        return watchdog->value;
    }
    uint64_t gone = cycle - watchdog->since;
    return gone < watchdog->value ? watchdog->value - (uint32_t)gone : 0;
}

static bool has_expired(const struct tile *tile, uint64_t cycle)
{
    return watchdog_runs(tile) && !watchdog_left(tile, cycle);
}

uint64_t debug_watchdog_next(const struct tile *tile)
{
    if (!watchdog_runs(tile) || tile->pic.hardware[PIC_WATCHDOG]) {
        return UINT64_MAX;
    }
    return tile->debug.watchdog.since + tile->debug.watchdog.value;
}

void debug_watchdog_update(struct tile *tile, uint64_t cycle)
{
    pic_set_hardware(tile, PIC_WATCHDOG, has_expired(tile, cycle), cycle);
}

static void set_watchdog(struct tile *tile, uint32_t value, uint64_t cycle)
{
    tile->debug.watchdog = (struct debug_watchdog){.value = value, .since = cycle};
}

enum answer debug_watchdog_timer(struct tile *tile, struct mmio_access *access)
{
    uint32_t value = watchdog_left(tile, access->cycle);
    enum answer answer = mmio_word(access, &value, UINT32_MAX);
    if (mmio_is_write(access) && answer == ANSWER_DONE) {
        set_watchdog(tile, value, access->cycle);
        if (access->operation == MMIO_WRITE) {
            debug_watchdog_update(tile, access->cycle);
        }
    }
    return answer;
}

enum answer debug_watchdog_control(struct tile *tile, struct mmio_access *access)
{
    uint32_t left = watchdog_left(tile, access->cycle);
    enum answer answer = mmio_word(access, debug_word(tile, access), UINT32_MAX);
    if (mmio_wrote(access, answer)) {
        set_watchdog(tile, left, access->cycle);
        debug_watchdog_update(tile, access->cycle);
        if (access->value & ~(uint32_t)WATCHDOG_RUNS) {
            tile_report_unmodelled(tile, access);
        }
    }
    return answer;
}

enum answer debug_watchdog_status(struct tile *tile, struct mmio_access *access)
{
    return mmio_value(access, has_expired(tile, access->cycle));
}

void debug_time_init(struct tile *tile)
{
    struct debug_timestamper *stamper = &tile->debug.timestamper;
    stamper->buffer[0].is_valid = true;
    stamper->buffer[1].is_valid = true;
    tile->debug.watchdog.value = UINT32_MAX;
}
