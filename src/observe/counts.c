/* Counts of executed Tensix instructions, and of cycles spent waiting; see penrose/debug.h. */
#include <penrose/debug.h>

#include <stdlib.h>

#include "chip/chip.h"
#include "isa/error.h"
#include "tensix/exec.h"

/* Cycles that somebody has waited, and since when it does so now. */
struct waiting {
    uint64_t cycles, since;
    bool now;
};

struct counts {
    struct observer observer;
    uint64_t executed[NOC_NODES][TENSIX_ROWS][TENSIX_THREADS];
    struct waiting gate[NOC_NODES][TENSIX_ROWS][TENSIX_THREADS];
    struct waiting hart[NOC_NODES][RV32_CORES];
};

static uint64_t waited_until(const struct waiting *waiting, uint64_t cycle)
{
    return waiting->cycles + (waiting->now && cycle > waiting->since ? cycle - waiting->since : 0);
}

static bool count_event(void *context, struct tile *tile, const struct observed *event)
{
    struct counts *counts = context;
    unsigned thread = event->thread, row = TENSIX_ROWS;
    struct waiting *waiting = NULL;
    if (thread == OBSERVED_NO_THREAD) {
        waiting = &counts->hart[tile->node][event->agent];
    } else if ((row = tensix_row_of(event->word)) < TENSIX_ROWS) {
        waiting = &counts->gate[tile->node][row][thread];
        counts->executed[tile->node][row][thread] += event->kind == OBSERVED_TENSIX;
    }
    if (waiting && event->kind == OBSERVED_GOES_ON) {
        waiting->cycles = waited_until(waiting, event->cycle);
        waiting->now = false;
    } else if (waiting && event->kind != OBSERVED_TENSIX) { /* a reset may have ended another */
        waiting->since = event->cycle;
        waiting->now = true;
    }
    return false;
}

/* Those of the chip, NULL: nobody counts. */
static struct counts *counts_of(const struct penrose_chip *chip)
{
    return chip_observing(chip, count_event);
}

enum penrose_status chip_tensix_counting(struct penrose_chip *chip, bool counts,
                                         struct penrose_error *error)
{
    struct counts *old = counts_of(chip);
    if (old) {
        chip_unobserve(chip, &old->observer);
        free(old);
    }
    if (!counts) {
        return PENROSE_OK;
    }
    struct counts *new = calloc(1, sizeof *new);
    if (!new) {
        return error_set(error, PENROSE_E_MEMORY, "no memory to count instructions");
    }
    new->observer = (struct observer){.kinds = 1 << OBSERVED_TENSIX | 1 << OBSERVED_WAITS |
                                               1 << OBSERVED_POLLS | 1 << OBSERVED_GOES_ON,
                                      .lets_sleep = true,
                                      .see = count_event,
                                      .free = free,
                                      .context = new};
    enum penrose_status status = chip_observe(chip, &new->observer, error);
    if (status != PENROSE_OK) {
        free(new);
    }
    return status;
}

bool chip_tensix_count_get(struct penrose_chip *chip, unsigned x, unsigned y, size_t index,
                           struct penrose_tensix_count *count)
{
    const struct counts *counts = counts_of(chip);
    uint16_t place;
    if (!counts || !chip_find(chip, x, y, &place)) {
        return false;
    }
    for (unsigned row = 0; row < TENSIX_ROWS; row++) {
        struct penrose_tensix_count entry = {.mnemonic = tensix_rows[row].mnemonic,
                                             .unit = tensix_unit_name(tensix_row_infos[row].unit)};
        uint64_t any = 0;
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
            entry.executed[thread] = counts->executed[place][row][thread];
            entry.waited[thread] =
                waited_until(&counts->gate[place][row][thread], chip->head.time.now);
            any |= entry.executed[thread] | entry.waited[thread];
        }
        if (any && index-- == 0) {
            *count = entry;
            return true;
        }
    }
    return false;
}

uint64_t chip_hart_waited(const struct penrose_chip *chip, unsigned x, unsigned y,
                          enum penrose_hart hart)
{
    const struct counts *counts = counts_of(chip);
    uint16_t place;
    if (!counts || !chip_find(chip, x, y, &place) || (unsigned)hart >= RV32_CORES) {
        return 0;
    }
    return waited_until(&counts->hart[place][hart], chip->head.time.now);
}
