/* Counts of executed Tensix instructions; see penrose/debug.h. */
#include <penrose/debug.h>

#include <stdlib.h>

#include "chip/chip.h"
#include "isa/error.h"
#include "isa/export.h"
#include "tensix/exec.h"

struct counts {
    struct observer observer;
    uint64_t executed[NOC_NODES][TENSIX_ROWS][TENSIX_THREADS];
};

static bool count_instruction(void *context, struct tile *tile, const struct observed *event)
{
    struct counts *counts = context;
    unsigned row = tensix_row_of(event->word);
    if (row < TENSIX_ROWS) {
        counts->executed[tile->node][row][event->thread]++;
    }
    return false;
}

/* Those of the chip, NULL: nobody counts. */
static struct counts *counts_of(const struct penrose_chip *chip)
{
    struct observer *observer = chip->observers;
    while (observer && observer->see != count_instruction) {
        observer = observer->next;
    }
    return observer ? observer->context : NULL;
}

PENROSE_EXPORT enum penrose_status penrose_tensix_counting(struct penrose_chip *chip, bool counts,
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
    new->observer = (struct observer){
        .kinds = 1 << OBSERVED_TENSIX, .see = count_instruction, .free = free, .context = new};
    enum penrose_status status = chip_observe(chip, &new->observer, error);
    if (status != PENROSE_OK) {
        free(new);
    }
    return status;
}

PENROSE_EXPORT bool penrose_tensix_count_get(struct penrose_chip *chip, unsigned x, unsigned y,
                                             size_t index, struct penrose_tensix_count *count)
{
    const struct counts *counts = counts_of(chip);
    uint16_t place;
    if (!counts || !chip_find(chip, x, y, &place)) {
        return false;
    }
    for (unsigned row = 0; row < TENSIX_ROWS; row++) {
        const uint64_t *executed = counts->executed[place][row];
        if (!(executed[0] | executed[1] | executed[2]) || index-- > 0) {
            continue;
        }
        *count = (struct penrose_tensix_count){.mnemonic = tensix_rows[row].mnemonic,
                                               .unit = tensix_unit_name(tensix_row_infos[row].unit),
                                               .executed = {executed[0], executed[1], executed[2]}};
        return true;
    }
    return false;
}
