/* The harts of a chip as processes and threads of GDB, and their memory. */
#include <stdlib.h>
#include <string.h>

#include "chip/calls.h"
#include "observe/gdb/internal.h"

enum { CHIP_UNIT = 100000, X_UNIT = 1000, Y_UNIT = 10, COORDINATES = 100 };

unsigned gdb_pid(unsigned chip, unsigned x, unsigned y)
{
    return (chip + 1) * CHIP_UNIT + x * X_UNIT + y * Y_UNIT;
}

void gdb_put_chip(const struct gdb *gdb, struct gdb_text *text, unsigned chip)
{
    if (gdb_chips(gdb) > 1) {
        gdb_put(text, "chip %u ", chip);
    }
}

void gdb_put_thread(struct gdb_text *text, const struct gdb_thread *thread)
{
    gdb_put(text, "p%x.%x", thread->pid, (unsigned)thread->hart + 1);
}

/* The harts of a tile, a bit for each. */
static unsigned harts_at(const struct penrose_chip *chip, unsigned x, unsigned y)
{
    unsigned harts = 0;
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        bool is_there = penrose_hart_name_at(chip, x, y, (enum penrose_hart)hart) != NULL;
        harts |= (unsigned)is_there << hart;
    }
    return harts;
}

bool gdb_find_pid(struct gdb *gdb, uint64_t pid, struct gdb_process *process)
{
    unsigned x = (unsigned)(pid / X_UNIT % COORDINATES), y = (unsigned)(pid / Y_UNIT % COORDINATES);
    unsigned hart = (unsigned)(pid % Y_UNIT);
    if (pid < CHIP_UNIT || pid >= gdb_pid(gdb_chips(gdb), 0, 0)) {
        return false;
    }
    unsigned chip = (unsigned)(pid / CHIP_UNIT) - 1, harts = harts_at(gdb_chip(gdb, chip), x, y);
    *process =
        (struct gdb_process){.pid = (unsigned)pid, .chip = chip, .x = x, .y = y, .harts = harts};
    if (hart > 0) {
        process->harts = harts & 1u << (hart - 1);
    }
    return process->harts != 0;
}

struct gdb_process *gdb_process_of(struct gdb *gdb, unsigned pid)
{
    for (size_t i = 0; i < gdb->processes; i++) {
        if (gdb->process[i].pid == pid) {
            return &gdb->process[i];
        }
    }
    return NULL;
}

struct gdb_thread gdb_thread_in(const struct gdb_process *process, enum penrose_hart hart)
{
    return (struct gdb_thread){
        .pid = process->pid, .chip = process->chip, .x = process->x, .y = process->y, .hart = hart};
}

bool gdb_may_run(const struct gdb_process *process, const struct image *image)
{
    bool is_of_all = image->hart == PENROSE_NO_HART || process->pid % 10 == 0;
    return image->x == process->x && image->y == process->y &&
           (is_of_all || process->harts >> image->hart & 1);
}

bool gdb_thread_at(const struct gdb *gdb, size_t index, struct gdb_thread *thread)
{
    for (size_t i = 0; i < gdb->processes; i++) {
        for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
            if (gdb->process[i].harts >> hart & 1 && index-- == 0) {
                *thread = gdb_thread_in(&gdb->process[i], (enum penrose_hart)hart);
                return true;
            }
        }
    }
    return false;
}

bool gdb_thread_of(const struct gdb *gdb, unsigned chip, unsigned x, unsigned y,
                   enum penrose_hart hart, struct gdb_thread *thread)
{
    bool is_found = false;
    struct gdb_thread other;
    for (size_t i = 0; gdb_thread_at(gdb, i, &other); i++) {
        bool is_alone = other.pid % Y_UNIT != 0;
        if (other.chip == chip && other.x == x && other.y == y && other.hart == hart &&
            (is_alone || !is_found)) {
            *thread = other;
            is_found = true;
        }
    }
    return is_found;
}

static bool is_meant(const struct gdb_id *id, const struct gdb_thread *thread)
{
    bool is_process = id->process <= 0 || id->process == thread->pid;
    bool is_thread = id->thread <= 0 || id->thread == (int64_t)thread->hart + 1;
    return is_process && is_thread;
}

bool gdb_select(const struct gdb *gdb, const struct gdb_id *id, const struct gdb_thread *usual,
                struct gdb_thread *thread)
{
    struct gdb_thread found = *usual;
    bool is_found = found.pid != 0 && is_meant(id, &found);
    for (size_t i = 0; !is_found && gdb_thread_at(gdb, i, &found); i++) {
        is_found = is_meant(id, &found);
    }
    if (is_found) {
        *thread = found;
    }
    return is_found;
}

bool gdb_tile_facts(const struct gdb *gdb, unsigned chip, unsigned x, unsigned y,
                    struct tile_facts *facts)
{
    struct penrose_chip *of = gdb_chip(gdb, chip);
    return chip_calls_of(of)->tile_facts(of, x, y, true, facts);
}

uint32_t gdb_stands_at(const struct gdb *gdb, const struct gdb_thread *thread)
{
    struct penrose_chip *of = gdb_chip(gdb, thread->chip);
    return chip_calls_of(of)->stands_at(of, thread->x, thread->y, thread->hart);
}

const char *gdb_hart_name(const struct gdb *gdb, const struct gdb_thread *thread)
{
    const char *name =
        penrose_hart_name_at(gdb_chip(gdb, thread->chip), thread->x, thread->y, thread->hart);
    return name ? name : penrose_hart_name(thread->hart);
}

enum penrose_hart_state gdb_hart_state(const struct gdb *gdb, const struct gdb_thread *thread)
{
    struct penrose_hart_info info;
    return penrose_hart_info(gdb_chip(gdb, thread->chip), thread->x, thread->y, thread->hart, &info,
                             NULL) == PENROSE_OK
               ? info.state
               : PENROSE_HART_HELD;
}

const char *gdb_state_name(enum penrose_hart_state state)
{
    static const char *const names[] = {
        [PENROSE_HART_HELD] = "in reset", [PENROSE_HART_RUNNING] = "running",
        [PENROSE_HART_WAITING] = "waits", [PENROSE_HART_POLLING] = "polls",
        [PENROSE_HART_PAUSED] = "paused", [PENROSE_HART_FAULTED] = "at fault"};
    return names[state];
}

const char *gdb_why_it_rests(const struct gdb *gdb, const struct gdb_thread *thread)
{
    switch (gdb_hart_state(gdb, thread)) {
    case PENROSE_HART_HELD:
        return "the hart is in reset";
    case PENROSE_HART_FAULTED:
        return "the hart has ended by a fault";
    case PENROSE_HART_PAUSED:
        return gdb->is_bare ? "the hart stands behind its ebreak; 'monitor resume' lets it go on"
                            : NULL;
    default:
        return NULL;
    }
}

bool gdb_is_worker(const struct gdb *gdb, const struct gdb_thread *thread)
{
    return penrose_tile_kind(gdb_chip(gdb, thread->chip), thread->x, thread->y) ==
           PENROSE_TILE_TENSIX;
}

int gdb_tensix_thread(const struct gdb *gdb, const struct gdb_thread *thread)
{
    bool feeds = thread->hart >= PENROSE_TRISC0 && thread->hart <= PENROSE_TRISC2;
    return feeds && gdb_is_worker(gdb, thread) ? (int)thread->hart - (int)PENROSE_TRISC0 : -1;
}

/* --- Memory --- */

/* Word by word, where not all of it answers. */
size_t gdb_peek(struct gdb *gdb, const struct gdb_thread *thread, uint64_t address, void *bytes,
                size_t size)
{
    uint8_t *to = bytes;
    size_t done = 0;
    if (address > UINT32_MAX || size > UINT32_MAX - address + 1) {
        return 0;
    }
    if (penrose_hart_peek(gdb_chip(gdb, thread->chip), thread->x, thread->y, thread->hart,
                          (uint32_t)address, bytes, size, NULL) == PENROSE_OK) {
        return size;
    }
    while (done < size) {
        size_t piece = 4 - (address + done) % 4;
        piece = piece < size - done ? piece : size - done;
        if (penrose_hart_peek(gdb_chip(gdb, thread->chip), thread->x, thread->y, thread->hart,
                              (uint32_t)(address + done), to + done, piece, NULL) != PENROSE_OK) {
            break;
        }
        done += piece;
    }
    return done;
}

bool gdb_poke(struct gdb *gdb, const struct gdb_thread *thread, uint64_t address, const void *bytes,
              size_t size)
{
    return !gdb_is_past(gdb) && address <= UINT32_MAX && size <= UINT32_MAX - address + 1 &&
           penrose_hart_poke(gdb_chip(gdb, thread->chip), thread->x, thread->y, thread->hart,
                             (uint32_t)address, bytes, size, NULL) == PENROSE_OK;
}

bool gdb_is_local(const struct gdb *gdb, uint32_t address)
{
    const struct arch *own = chip_calls_of(gdb->chip)->arch;
    return address - own->local_ram < own->local_bytes;
}
