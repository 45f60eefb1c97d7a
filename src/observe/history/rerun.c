/* See rerun.h. */
#include "observe/history/rerun.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <penrose/debug.h>

#include "chip/chip.h"
#include "metal/firmware.h"
#include "isa/error.h"
#include "observe/points.h"

#define MOST_TIME (UINT64_MAX / 4)

enum {
    MOST_BYTES = 256 << 20, /* of a read */
    MOST_WINDOW = 1 << 20, /* cycles; a chip makes longer ones only where nothing happens in them */
};

/* --- Moments --- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int rerun_compare(const struct rerun_moment *a, const struct rerun_moment *b)
{
    int order = compare_numbers(a->at, b->at);
    order = order ? order : compare_numbers(a->index, b->index);
    order = order ? order : compare_numbers(a->place, b->place);
    return order ? order : compare_numbers(a->ordinal, b->ordinal);
}

/* --- Differences --- */

bool rerun_differ(struct rerun *rerun, const char *format, ...)
{
    va_list arguments;
    if (!rerun->differs) {
        int length = snprintf(rerun->difference, sizeof rerun->difference, "in cycle %" PRIu64 ": ",
                              rerun->cluster->time.now);
        va_start(arguments, format);
        vsnprintf(rerun->difference + length, sizeof rerun->difference - (size_t)length, format,
                  arguments);
        va_end(arguments);
    }
    rerun->differs = true;
    return false;
}

static void describe_call(const struct journal_entry *entry, char *text, size_t size)
{
    const uint64_t *number = entry->number;
    switch (entry->kind) {
    case JOURNAL_READ:
        snprintf(text, size, "read of %" PRIu64 " bytes at 0x%" PRIx64 " of tile (%u, %u)",
                 number[3], number[2], (unsigned)number[0], (unsigned)number[1]);
        break;
    case JOURNAL_WRITE:
    case JOURNAL_POKE:
        snprintf(text, size, "%s of %zu bytes at 0x%" PRIx64 " of tile (%u, %u)",
                 journal_name(entry->kind), entry->size, number[2], (unsigned)number[0],
                 (unsigned)number[1]);
        break;
    case JOURNAL_REGISTER_READ:
    case JOURNAL_REGISTER_WRITE:
        snprintf(text, size, "%s at BAR%" PRIu64 " + 0x%" PRIx64,
                 entry->kind == JOURNAL_REGISTER_READ ? "read" : "write", number[0], number[1]);
        break;
    case JOURNAL_HOST_READ:
    case JOURNAL_HOST_WRITE:
    case JOURNAL_DEVICE_READ:
    case JOURNAL_DEVICE_WRITE:
        snprintf(text, size, "%s of %" PRIu64 " bytes at 0x%" PRIx64, journal_name(entry->kind),
                 number[1], number[0]);
        break;
    default:
        snprintf(text, size, "%s", journal_name(entry->kind));
    }
}

void rerun_describe(const struct journal_entry *entry, char *text, size_t size)
{
    describe_call(entry, text, size);
    size_t length = strlen(text);
    if (entry->chip > 0) {
        snprintf(text + length, size - length, " of chip %u", entry->chip);
    }
}

/* Hexadecimal, as words where it is some; `mark` is where two differ. */
static void format_bytes(const uint8_t *bytes, size_t size, size_t mark, char *text, size_t room)
{
    enum { SHOWN = 16 };
    size_t first = mark / SHOWN * SHOWN, used = 0;
    for (size_t i = first; i < size && i < first + SHOWN && used < room; i++) {
        used +=
            (size_t)snprintf(text + used, room - used, "%s%02x", i > first ? " " : "", bytes[i]);
    }
}

bool rerun_compare_answer(const struct journal_entry *answer, enum penrose_status status,
                          const uint8_t *bytes, size_t size, char *text, size_t room)
{
    uint8_t kept[JOURNAL_ROOM];
    char was[64] = "nothing", is[64] = "nothing";
    size_t count = status == PENROSE_OK ? journal_keep(bytes, size, kept) : 0, at = 0;
    if (answer->number[0] == (uint64_t)status && answer->size == count &&
        (count == 0 || memcmp(kept, answer->bytes, count) == 0)) {
        return true;
    }
    if (answer->number[0] != (uint64_t)status) {
        snprintf(text, room, "it ended with status %" PRIu64 " when it was recorded, and with %d",
                 answer->number[0], (int)status);
        return false;
    }
    size_t both = count < answer->size ? count : answer->size;
    while (at < both && kept[at] == answer->bytes[at]) {
        at++;
    }
    if (at >= JOURNAL_KEPT) {
        snprintf(text, room,
                 "bytes from 0x%x on differ from what was recorded (there is a hash of "
                 "them)",
                 JOURNAL_KEPT);
        return false;
    }
    format_bytes(answer->bytes, answer->size < JOURNAL_KEPT ? answer->size : JOURNAL_KEPT, at, was,
                 sizeof was);
    format_bytes(kept, count < JOURNAL_KEPT ? count : JOURNAL_KEPT, at, is, sizeof is);
    snprintf(text, room, "byte 0x%zx differs: from 0x%zx on there was %s, and is %s", at,
             at / 16 * 16, was, is);
    return false;
}

/* --- Entries --- */

/* The chip that an entry is about. */
static struct penrose_chip *chip_of_entry(const struct rerun *rerun,
                                          const struct journal_entry *entry)
{
    return rerun->chip[entry->chip].chip;
}

static bool find_worker(struct penrose_chip *chip, uint64_t place, struct tile **tile)
{
    if (place >= NOC_NODES) {
        return false;
    }
    const struct grid_tile *there = grid_tile(&chip->grid, chip_position((uint16_t)place));
    bool has_harts = chip_tile_type((enum penrose_tile_kind)there->kind) < TILE_TYPES;
    *tile = has_harts && !there->is_fused_off ? chip_make_tile(chip, (uint16_t)place) : NULL;
    return *tile != NULL;
}

static bool load_bytes(struct penrose_chip *chip, const struct journal_entry *entry)
{
    struct tile *tile;
    uint64_t address = entry->number[1];
    if (!find_worker(chip, entry->number[0], &tile)) {
        return false;
    }
    tile_catch_up(tile, chip->head.time.now);
    chip_touch(chip, tile->node);
    if (entry->kind == JOURNAL_TILE_WORD) {
        chip_load_word(chip, tile, (uint32_t)address, (uint32_t)entry->number[2]);
        return true;
    }
    uint32_t l1_bytes = tile->kind->l1_bytes;
    if (address > l1_bytes || entry->size > l1_bytes - address) {
        return false;
    }
    chip_load(chip, tile, (uint32_t)address, entry->bytes, (uint32_t)entry->size);
    return true;
}

static enum penrose_status command_hart(struct penrose_chip *chip, const uint64_t *number,
                                        struct penrose_error *error)
{
    unsigned x = (unsigned)number[1], y = (unsigned)number[2];
    enum penrose_hart hart =
        number[3] < PENROSE_HARTS ? (enum penrose_hart)number[3] : PENROSE_NO_HART;
    switch ((enum journal_command)number[0]) {
    case JOURNAL_RELEASE:
        return chip_hart_release(chip, x, y, hart, (uint32_t)number[4], error);
    case JOURNAL_HOLD:
        return chip_hart_hold(chip, x, y, hart, error);
    case JOURNAL_HALT:
        return chip_hart_pause(chip, x, y, hart, error);
    case JOURNAL_RESUME:
        return chip_hart_resume(chip, x, y, hart, error);
    }
    return error_set(error, PENROSE_E_ARGUMENT, "command %" PRIu64 " is unknown", number[0]);
}

/* Room for the answer of a read. */
static bool make_answer_room(struct rerun *rerun, uint64_t size)
{
    if (size > MOST_BYTES) {
        return false;
    }
    if (size > rerun->room) {
        free(rerun->bytes);
        rerun->bytes = malloc((size_t)size);
        rerun->room = rerun->bytes ? (size_t)size : 0;
    }
    return size == 0 || rerun->bytes;
}

static enum penrose_status read_for_host(struct rerun *rerun, const struct journal_entry *entry,
                                         struct penrose_error *error)
{
    const uint64_t *number = entry->number;
    uint32_t word = 0;
    enum penrose_status status;
    uint64_t size = entry->kind == JOURNAL_READ ? number[3] : sizeof word;
    if (!make_answer_room(rerun, size)) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for %" PRIu64 " bytes", size);
    }
    if (entry->kind == JOURNAL_READ) {
        return chip_read(chip_of_entry(rerun, entry), (unsigned)number[0], (unsigned)number[1],
                         number[2], rerun->bytes, (size_t)number[3], error);
    }
    status = chip_pcie_register_read(chip_of_entry(rerun, entry), (unsigned)number[0], number[1],
                                     &word, error);
    memcpy(rerun->bytes, &word, sizeof word);
    return status;
}

static enum penrose_status write_hart_register(struct penrose_chip *chip,
                                               const struct journal_entry *entry,
                                               struct penrose_error *error)
{
    const uint64_t *number = entry->number;
    uint32_t value[4] = {0};
    struct penrose_register reg = {.file = (enum penrose_register_file)number[3],
                                   .number = (unsigned)number[4]};
    memcpy(value, entry->bytes, entry->size < sizeof value ? entry->size : sizeof value);
    return chip_register_write(chip, (unsigned)number[0], (unsigned)number[1],
                               number[2] < PENROSE_HARTS ? (enum penrose_hart)number[2]
                                                         : PENROSE_NO_HART,
                               reg, value, error);
}

static enum penrose_status set_link_errors(struct penrose_chip *chip,
                                           const struct journal_entry *entry,
                                           struct penrose_error *error)
{
    struct penrose_link_errors errors = {0};
    memcpy(&errors, entry->bytes, entry->size < sizeof errors ? entry->size : sizeof errors);
    return chip_ethernet_errors(chip, (unsigned)entry->number[0], (unsigned)entry->number[1],
                                &errors, error);
}

static enum penrose_status make_link(const struct rerun *rerun, const struct journal_entry *entry,
                                     struct penrose_error *error)
{
    const uint64_t *number = entry->number;
    if (number[2] >= rerun->chips) {
        return error_set(error, PENROSE_E_ARGUMENT, "there is no chip %" PRIu64, number[2]);
    }
    return chip_ethernet_link(chip_of_entry(rerun, entry), (unsigned)number[0], (unsigned)number[1],
                              rerun->chip[number[2]].chip, (unsigned)number[3], (unsigned)number[4],
                              error);
}

static enum penrose_status carry_out_access(struct rerun *rerun, const struct journal_entry *entry,
                                            struct penrose_error *error)
{
    struct penrose_chip *chip = chip_of_entry(rerun, entry);
    const uint64_t *number = entry->number;
    unsigned x = (unsigned)number[0], y = (unsigned)number[1];
    switch (entry->kind) {
    case JOURNAL_WRITE:
        return chip_write(chip, x, y, number[2], entry->bytes, entry->size, error);
    case JOURNAL_POKE:
        return chip_poke(chip, x, y, number[2], entry->bytes, entry->size, error);
    case JOURNAL_REGISTER_WRITE:
        return chip_pcie_register_write(chip, (unsigned)number[0], number[1], (uint32_t)number[2],
                                        error);
    case JOURNAL_HART_POKE:
        return chip_hart_poke(
            chip, x, y, number[2] < PENROSE_HARTS ? (enum penrose_hart)number[2] : PENROSE_NO_HART,
            (uint32_t)number[3], entry->bytes, entry->size, error);
    case JOURNAL_HART_REGISTER:
        return write_hart_register(chip, entry, error);
    case JOURNAL_RESET:
        return chip_coprocessor_reset(chip, x, y, error);
    case JOURNAL_LINK:
        return make_link(rerun, entry, error);
    case JOURNAL_UNLINK:
        return chip_ethernet_unlink(chip, x, y, error);
    case JOURNAL_LINK_ERRORS:
        return set_link_errors(chip, entry, error);
    default:
        return read_for_host(rerun, entry, error);
    }
}

bool rerun_carry_out(struct rerun *rerun, const struct journal_entry *entry,
                     enum penrose_status *status, struct penrose_error *error)
{
    struct tile *tile;
    *status = PENROSE_OK;
    if (entry->chip >= rerun->chips) {
        return false;
    }
    struct penrose_chip *chip = chip_of_entry(rerun, entry);
    switch (entry->kind) {
    case JOURNAL_END:
    case JOURNAL_CHIP:
    case JOURNAL_RAN:
        return true;
    case JOURNAL_TOUCH:
        return find_worker(chip, entry->number[0], &tile);
    case JOURNAL_LOAD:
    case JOURNAL_TILE_WORD:
        return load_bytes(chip, entry);
    case JOURNAL_HART:
        *status = command_hart(chip, entry->number, error);
        return true;
    case JOURNAL_CLEAR:
        chip_fault_clear(chip);
        return true;
    case JOURNAL_ISOLATE:
        chip_fault_isolate(chip);
        return true;
    case JOURNAL_READ:
    case JOURNAL_WRITE:
    case JOURNAL_POKE:
    case JOURNAL_REGISTER_READ:
    case JOURNAL_REGISTER_WRITE:
    case JOURNAL_HART_POKE:
    case JOURNAL_HART_REGISTER:
    case JOURNAL_RESET:
    case JOURNAL_LINK:
    case JOURNAL_UNLINK:
    case JOURNAL_LINK_ERRORS:
        *status = carry_out_access(rerun, entry, error);
        return true;
    default:
        return false;
    }
}

/* --- What the chip asks of its host --- */

/* The entry that comes next is this call, or the chip went another way. */
static bool take_call(const struct rerun_chip *own, enum journal_kind kind, uint64_t address,
                      uint32_t size, struct journal_entry *entry)
{
    struct rerun *rerun = own->rerun;
    char text[160];
    if (rerun->differs) {
        return false;
    }
    bool is_there = journal_get(rerun->journal, rerun->at, entry);
    if (is_there && entry->kind == kind && entry->chip == own->chip->head.number &&
        entry->number[0] == address && entry->number[1] == size) {
        rerun->at = entry->next;
        return true;
    }
    rerun_describe(entry, text, sizeof text);
    return rerun_differ(rerun, "%s of %u bytes at 0x%" PRIx64 ", where the recording has: %s",
                        journal_name(kind), size, address, is_there ? text : "its end");
}

static bool answer_host_read(void *context, uint64_t address, void *to, uint32_t size)
{
    struct journal_entry entry;
    if (!take_call(context, JOURNAL_HOST_READ, address, size, &entry) || !entry.number[2] ||
        entry.size != size) {
        return false;
    }
    memcpy(to, entry.bytes, size);
    return true;
}

static bool answer_host_write(void *context, uint64_t address, const void *from, uint32_t size)
{
    const struct rerun_chip *own = context;
    struct journal_entry entry;
    uint8_t kept[JOURNAL_ROOM];
    if (!take_call(own, JOURNAL_HOST_WRITE, address, size, &entry)) {
        return false;
    }
    size_t count = journal_keep(from, size, kept);
    if (entry.size != count || memcmp(kept, entry.bytes, count) != 0) {
        rerun_differ(own->rerun,
                     "the chip writes other bytes to host memory at 0x%" PRIx64
                     " (%u bytes) than were recorded",
                     address, size);
    }
    return entry.number[2] != 0;
}

static bool run_entry(struct rerun *rerun);

/* The client's accesses come first, then the entry of the call. */
static bool take_device_call(const struct rerun_chip *own, enum journal_kind kind, uint64_t address,
                             uint32_t size, struct journal_entry *entry)
{
    struct rerun *rerun = own->rerun;
    while (!rerun->differs && journal_get(rerun->journal, rerun->at, entry) &&
           entry->kind != kind) {
        if (rerun->is_free &&
            (entry->kind == JOURNAL_HOST_READ || entry->kind == JOURNAL_HOST_WRITE)) {
            rerun->at = entry->next; /* those are looked for */
        } else if (entry->kind != JOURNAL_READ && entry->kind != JOURNAL_WRITE &&
                   entry->kind != JOURNAL_TOUCH) {
            break;
        } else if (!run_entry(rerun)) {
            return false;
        }
    }
    return take_call(own, kind, address, size, entry);
}

static bool answer_device_read(void *context, uint64_t address, void *to, uint32_t size)
{
    struct journal_entry entry;
    if (!take_device_call(context, JOURNAL_DEVICE_READ, address, size, &entry) ||
        !entry.number[2] || entry.size != size) {
        return false;
    }
    memcpy(to, entry.bytes, size);
    return true;
}

static bool answer_device_write(void *context, uint64_t address, const void *from, uint32_t size)
{
    struct journal_entry entry;
    (void)from;
    return take_device_call(context, JOURNAL_DEVICE_WRITE, address, size, &entry) &&
           entry.number[2];
}

/* --- The observer --- */

static bool is_marked(const struct rerun_chip *own, const struct tile *tile,
                      const struct observed *event, bool *is_present)
{
    struct rerun *rerun = own->rerun;
    unsigned place = rerun_place(own->chip->head.number, tile);
    for (unsigned i = 0; i < rerun->marks; i++) {
        struct rerun_mark *mark = &rerun->mark[i];
        const struct observed *wanted = &mark->event;
        if (!mark->is_reached && mark->place == place && wanted->kind == event->kind &&
            wanted->agent == event->agent && wanted->cycle == event->cycle &&
            wanted->pc == event->pc && wanted->address == event->address &&
            wanted->size == event->size) {
            mark->is_reached = true;
            *is_present = mark->at >= rerun->journal->paused_at;
            return true;
        }
    }
    return false;
}

/* Is it told again, of an instruction before which it has stopped? */
static bool is_told_again(struct rerun_tile *of, const struct observed *event, uint64_t retired)
{
    bool stood = of->stands;
    bool is_same =
        stood && of->agent == event->agent && of->pc == event->pc && of->retired == retired;
    of->stands = stood && !is_same;
    return is_same;
}

/* Does the observer want to stop there? */
static bool wants_to_stop(struct rerun_chip *own, struct tile *tile, const struct observed *event,
                          bool is_present)
{
    const struct rerun *rerun = own->rerun;
    struct rerun_tile *of = &own->tile[tile->node];
    bool is_of_kind = rerun->kinds >> event->kind & 1;
    of->others += rerun->other_kinds >> event->kind & 1;
    of->events += is_of_kind;
    const struct rerun_moment moment = {.at = rerun->step.at,
                                        .index = rerun->index,
                                        .place = rerun_place(own->chip->head.number, tile),
                                        .kinds = rerun->kinds,
                                        .ordinal = of->events};
    return is_of_kind && rerun->see &&
           rerun->see(rerun->context, tile, event, &moment, of->others, is_present);
}

static bool see_rerun(void *context, struct tile *tile, const struct observed *event)
{
    struct rerun_chip *own = context;
    struct rerun *rerun = own->rerun;
    struct rerun_tile *of = &own->tile[tile->node];
    bool is_hart = event->kind == OBSERVED_STARTS, is_present = false;
    uint64_t retired = is_hart ? tile->hart[event->agent].retired : 0;
    if (is_hart && is_told_again(of, event, retired)) {
        return false;
    }
    bool is_held = rerun->marks > 0 && is_marked(own, tile, event, &is_present);
    bool stops = !point_starts_again(tile, event) && wants_to_stop(own, tile, event, is_present);
    rerun->has_stopped |= stops;
    if ((stops || is_held) && is_hart) {
        of->stands = true;
        of->agent = event->agent;
        of->pc = event->pc;
        of->retired = retired;
    }
    return stops || is_held;
}

static bool wants_rerun(void *context, const struct tile *tile)
{
    const struct rerun_chip *own = context;
    const struct rerun *rerun = own->rerun;
    unsigned number = own->chip->head.number;
    for (unsigned i = 0; i < rerun->marks; i++) {
        if (rerun->mark[i].place == rerun_place(number, tile)) {
            return true;
        }
    }
    return rerun->wants && rerun->wants(rerun->context, number, tile);
}

static void look_again_at_chip(struct rerun_chip *own)
{
    const struct rerun *rerun = own->rerun;
    struct penrose_chip *chip = own->chip;
    for (unsigned i = 0; i < NOC_NODES; i++) {
        struct tile *tile = chip->place[i].tile;
        if (tile && !tile->observed && wants_rerun(own, tile)) {
            tile_catch_up(tile,
                          chip->head.time.now); /* harts wake now, not when the tile ran last */
            for (unsigned core = 0; core < RV32_CORES; core++) {
                tile_wake(tile, (enum rv32_core)core);
            }
        }
    }
    const unsigned of_pauses = OBSERVED_OF_HARTS | 1u << OBSERVED_DELIVERED | 1u << OBSERVED_TENSIX;
    own->observer.kinds = rerun->kinds | rerun->other_kinds | (rerun->marks > 0 ? of_pauses : 0);
    chip_look_again(chip, NULL);
}

void rerun_look_again(struct rerun *rerun)
{
    for (unsigned i = 0; i < rerun->chips; i++) {
        look_again_at_chip(&rerun->chip[i]);
    }
}

/* --- Windows --- */

/* Is the tile halted by a pause that was recorded? */
static bool is_halted(const struct rerun *rerun, unsigned place)
{
    for (unsigned i = 0; i < rerun->marks; i++) {
        if (rerun->mark[i].place == place && rerun->mark[i].is_reached) {
            return true;
        }
    }
    return false;
}

static void let_chip_go(const struct rerun *rerun, struct penrose_chip *chip, bool held_too)
{
    for (uint16_t i = 0; i < NOC_NODES; i++) {
        struct tile *tile = chip->place[i].tile;
        if (tile && tile->halt == TILE_PAUSED &&
            (held_too || !is_halted(rerun, rerun_place(chip->head.number, tile)))) {
            tile_go_on(tile);
            chip_touch(chip, i);
        }
    }
}

static void let_go(const struct rerun *rerun, bool held_too)
{
    for (unsigned i = 0; i < rerun->chips; i++) {
        let_chip_go(rerun, rerun->chip[i].chip, held_too);
    }
}

static bool pauses_there(const struct penrose_chip *chip, const struct chip_unit *unit)
{
    (void)chip;
    return unit->is_held;
}

static void mark_units(struct rerun *rerun)
{
    for (unsigned number = 0; number < rerun->chips; number++) {
        struct penrose_chip *chip = rerun->chip[number].chip;
        for (unsigned i = 0; i < chip->units; i++) {
            chip->unit[i]->is_held = false;
        }
    }
    for (unsigned i = 0; i < rerun->marks; i++) {
        unsigned place = rerun->mark[i].place;
        struct chip_unit *unit =
            rerun->chip[rerun_chip_of(place)].chip->place[place % NOC_NODES].unit;
        if (unit) {
            unit->is_held = true;
        }
    }
}

static void start_step(struct rerun *rerun)
{
    for (unsigned number = 0; number < rerun->chips; number++) {
        struct rerun_chip *own = &rerun->chip[number];
        for (unsigned i = 0; own->chip->head.is_observed && i < NOC_NODES; i++) {
            own->tile[i].events = own->tile[i].others = 0;
        }
    }
    rerun->has_stopped = false;
}

/* Chooses the units that ran. False: this window is none of these chips'. */
static bool open_window(struct rerun *rerun)
{
    size_t units = 0;
    start_step(rerun);
    mark_units(rerun);
    for (unsigned i = 0; i < rerun->chips; i++) {
        struct penrose_chip *chip = rerun->chip[i].chip;
        chip_rerun_begin(chip, rerun->planned, rerun->actual);
        units += chip->runnable_count;
    }
    if (units > 0 && rerun->planned - rerun->start > MOST_WINDOW) {
        return rerun_differ(rerun, "a window of %" PRIu64 " cycles is none of this chip's",
                            rerun->planned - rerun->start);
    }
    rerun->in_window = true;
    return true;
}

/* Runs a window, or what is left of it. Packets and frames are handed over when the time of all chips
 * is that of its end. */
static enum rerun_end rerun_window(struct rerun *rerun)
{
    if (!rerun->in_window) {
        if (!open_window(rerun)) {
            return RERUN_DIFFERS;
        }
    } else {
        rerun->has_stopped = false;
        cluster_set_now(rerun->cluster, rerun->start);
        let_go(rerun, false);
    }
    for (unsigned i = 0; i < rerun->chips; i++) {
        chip_rerun_units(rerun->chip[i].chip, rerun->planned, rerun->actual, pauses_there);
    }
    cluster_set_now(rerun->cluster, rerun->actual);
    if (rerun->has_stopped) {
        return RERUN_STOPPED;
    }
    rerun->in_window = false;
    for (unsigned i = 0; i < rerun->marks; i++) {
        if (!rerun->mark[i].is_reached) {
            rerun_differ(rerun, "a breakpoint or the like at pc 0x%x was not reached again",
                         rerun->mark[i].event.pc);
        }
    }
    for (unsigned i = 0; i < rerun->chips; i++) {
        chip_end_window(rerun->chip[i].chip, rerun->actual);
    }
    return rerun->differs ? RERUN_DIFFERS : rerun->has_stopped ? RERUN_STOPPED : RERUN_DONE;
}

static enum rerun_end begin_window(struct rerun *rerun)
{
    const uint64_t *number = rerun->step.number;
    bool is_early = rerun->step.kind == JOURNAL_EARLY;
    uint64_t planned = number[0], actual = is_early ? number[1] : number[0];
    if (planned > MOST_TIME || actual > planned || rerun->cluster->time.now > MOST_TIME) {
        rerun_differ(rerun, "a window of %" PRIu64 " cycles is none of this chip's", planned);
        return RERUN_DIFFERS;
    }
    rerun->start = rerun->cluster->time.now;
    rerun->planned = rerun->start + planned;
    rerun->actual = rerun->start + actual;
    return rerun_window(rerun);
}

static void add_mark(struct rerun *rerun)
{
    const uint64_t *number = rerun->step.number;
    if (rerun->marks == RERUN_MARKS || number[0] >= NOC_NODES || rerun->step.chip >= rerun->chips) {
        rerun_differ(rerun, "a pause that cannot be one of this chip's");
        return;
    }
    rerun->mark[rerun->marks++] =
        (struct rerun_mark){.at = rerun->step.at,
                            .place = rerun->step.chip * NOC_NODES + (unsigned)number[0],
                            .event = {.kind = (enum observed_kind)number[1],
                                      .agent = (enum observed_agent)number[2],
                                      .cycle = number[3],
                                      .pc = (uint32_t)number[4],
                                      .address = number[5],
                                      .size = (uint32_t)number[6]}};
    rerun_look_again(rerun);
}

static void end_pause(struct rerun *rerun)
{
    let_go(rerun, true);
    rerun->marks = 0;
    rerun_look_again(rerun);
}

/* --- Steps --- */

/* What the entry behind says of how a call ended. */
static bool check_end(struct rerun *rerun, const struct journal_entry *call,
                      enum penrose_status status, const struct penrose_error *error)
{
    struct journal_entry entry;
    char text[160];
    bool is_there = journal_get(rerun->journal, rerun->at, &entry);
    bool failed = is_there && entry.kind == JOURNAL_FAILED;
    if (failed) {
        rerun->at = entry.next;
    }
    uint64_t recorded = failed ? entry.number[0] : PENROSE_OK;
    if (recorded == (uint64_t)status) {
        return true;
    }
    rerun_describe(call, text, sizeof text);
    return rerun_differ(rerun,
                        "%s ended with status %" PRIu64 " when it was recorded, and with "
                        "%d%s%s",
                        text, recorded, (int)status, status ? ": " : "", status ? error->text : "");
}

static bool check_answer(struct rerun *rerun, const struct journal_entry *call,
                         enum penrose_status status)
{
    struct journal_entry entry;
    char text[160], what[240];
    size_t size = call->kind == JOURNAL_READ ? (size_t)call->number[3] : sizeof(uint32_t);
    if (!journal_get(rerun->journal, rerun->at, &entry)) {
        return true; /* it was cut there */
    }
    if (entry.kind != JOURNAL_ANSWER) {
        rerun_describe(call, text, sizeof text);
        return rerun_differ(rerun, "%s: the recording has %s in place of its answer", text,
                            journal_name(entry.kind));
    }
    rerun->at = entry.next;
    if (rerun_compare_answer(&entry, status, rerun->bytes, size, what, sizeof what)) {
        return true;
    }
    rerun_describe(call, text, sizeof text);
    return rerun_differ(rerun, "%s: %s", text, what);
}

/* The entry at rerun->at, which takes no time. False: the chip went another way. */
static bool run_entry(struct rerun *rerun)
{
    struct penrose_error error = {.text = ""};
    enum penrose_status status;
    struct journal_entry entry;
    if (!journal_get(rerun->journal, rerun->at, &entry)) {
        return false;
    }
    rerun->at = entry.next;
    if (!rerun_carry_out(rerun, &entry, &status, &error)) {
        char text[160];
        rerun_describe(&entry, text, sizeof text);
        return rerun_differ(rerun, "%s: this is not what the chip was asked for then", text);
    }
    if (rerun->differs) {
        return false;
    }
    bool is_read = entry.kind == JOURNAL_READ || entry.kind == JOURNAL_REGISTER_READ;
    return is_read ? check_answer(rerun, &entry, status) : check_end(rerun, &entry, status, &error);
}

/* Is the next step another window of the same entry? */
static bool has_more_windows(const struct rerun *rerun)
{
    return rerun->step.kind == JOURNAL_WINDOWS && rerun->step.next == rerun->at &&
           rerun->index + 1 < rerun->step.number[1];
}

void rerun_next(const struct rerun *rerun, uint64_t *at, uint64_t *index)
{
    bool has_more = has_more_windows(rerun);
    *at = has_more ? rerun->step.at : rerun->at;
    *index = has_more ? rerun->index + 1 : 0;
}

enum rerun_end rerun_step(struct rerun *rerun)
{
    if (rerun->differs) {
        return RERUN_DIFFERS;
    }
    if (rerun->in_window) {
        return rerun_window(rerun);
    }
    if (rerun->has_stopped) { /* at an access of the host */
        let_go(rerun, false);
    }
    if (has_more_windows(rerun)) {
        rerun->index++;
        return begin_window(rerun);
    }
    if (!journal_get(rerun->journal, rerun->at, &rerun->step)) {
        rerun->step = (struct journal_entry){.at = rerun->at, .next = rerun->at};
        rerun->has_stopped = false;
        return RERUN_AT_END;
    }
    rerun->index = 0;
    if (rerun->step.kind == JOURNAL_WINDOWS || rerun->step.kind == JOURNAL_EARLY) {
        rerun->at = rerun->step.next;
        return rerun->step.kind == JOURNAL_EARLY || rerun->step.number[1] > 0 ? begin_window(rerun)
                                                                              : RERUN_DONE;
    }
    start_step(rerun);
    if (rerun->step.kind == JOURNAL_PAUSE || rerun->step.kind == JOURNAL_GO_ON) {
        rerun->at = rerun->step.next;
        if (rerun->step.kind == JOURNAL_PAUSE) {
            add_mark(rerun);
        } else {
            end_pause(rerun);
        }
        return rerun->differs ? RERUN_DIFFERS : RERUN_DONE;
    }
    if (!run_entry(rerun)) {
        return RERUN_DIFFERS;
    }
    return rerun->has_stopped ? RERUN_STOPPED : RERUN_DONE;
}

/* --- Life --- */

static enum penrose_status watch_chip(struct rerun *rerun, unsigned number,
                                      struct penrose_error *error)
{
    struct rerun_chip *own = &rerun->chip[number];
    const struct penrose_host_memory host = {
        .read = answer_host_read, .write = answer_host_write, .context = own};
    const struct penrose_host_memory device = {
        .read = answer_device_read, .write = answer_device_write, .context = own};
    own->rerun = rerun;
    own->chip = rerun->cluster->chip[number];
    own->observer = (struct observer){.kinds = OBSERVED_OF_HARTS | 1 << OBSERVED_TENSIX,
                                      .see = see_rerun,
                                      .wants = wants_rerun,
                                      .context = own};
    chip_host_memory_set(own->chip, &host);
    chip_pcie_device_set(own->chip, &device);
    return chip_observe(own->chip, &own->observer, error);
}

enum penrose_status rerun_begin(struct rerun *rerun, struct penrose_cluster *cluster,
                                const struct journal *journal, uint64_t at, uint64_t index,
                                struct penrose_error *error)
{
    *rerun = (struct rerun){.cluster = cluster,
                            .chip = calloc(cluster->chips, sizeof *rerun->chip),
                            .journal = journal,
                            .at = at};
    if (!rerun->chip) {
        return error_set(error, PENROSE_E_MEMORY, "no memory to run chips again");
    }
    if (index > 0 && journal_get(journal, at, &rerun->step)) {
        rerun->index = index - 1;
        rerun->at = rerun->step.next;
    }
    enum penrose_status status = PENROSE_OK;
    while (status == PENROSE_OK && rerun->chips < cluster->chips) {
        status = watch_chip(rerun, rerun->chips, error);
        rerun->chips += status == PENROSE_OK;
    }
    if (status != PENROSE_OK) {
        rerun_finish(rerun);
    }
    return status;
}

void rerun_finish(struct rerun *rerun)
{
    const struct penrose_host_memory none = {.read = NULL};
    for (unsigned i = 0; i < rerun->chips; i++) {
        struct rerun_chip *own = &rerun->chip[i];
        chip_host_memory_set(own->chip, &none);
        chip_pcie_device_set(own->chip, &none);
        chip_unobserve(own->chip, &own->observer);
    }
    free(rerun->chip);
    free(rerun->bytes);
    rerun->chip = NULL;
    rerun->bytes = NULL;
    rerun->chips = 0;
}
