/* See report.h. */
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "../common/clock.h"

enum { COLUMNS = 5, MOST_DIFFERENCES = 16 };

/* --- Counts --- */

bool tally_create(struct tally *tally)
{
    *tally = (struct tally){.row = calloc(RV32_ROWS, sizeof *tally->row)};
    return tally->row;
}

void tally_free(struct tally *tally)
{
    free(tally->row);
}

void tally_add(struct tally *tally, const struct image *image, const uint64_t *hits,
               const struct isa_index *index)
{
    tally->programs++;
    for (uint32_t i = 0; i < image->words; i++) {
        int row = isa_index_find(index, image->code[i]);
        tally->executed += hits[i];
        if (row >= 0 && image_is_tested(image, i)) {
            tally->row[row] += hits[i];
            tally->tested += hits[i];
        }
    }
}

bool tally_print(const struct tally *tally, const struct tested_rows *rows, uint64_t seed,
                 uint64_t start, FILE *to)
{
    bool complete = true;
    for (unsigned i = 0; i < rows->count; i++) {
        uint64_t count = tally->row[rows->row[i]];
        fprintf(to, "%-9s%9" PRIu64 "%s", rv32_rows[rows->row[i]].mnemonic, count,
                i % COLUMNS == COLUMNS - 1 || i + 1 == rows->count ? "\n" : "  ");
        complete = complete && count;
    }
    fprintf(to,
            "seed %" PRIu64 ": %u instructions of the table, %" PRIu64 " tested, %" PRIu64
            " executed, %" PRIu64 " programs, %.1f s\n",
            seed, rows->count, tally->tested, tally->executed, tally->programs,
            seconds_since(start));
    if (!complete) {
        fprintf(to, "some instructions were never executed\n");
    }
    return complete;
}

/* --- Differences --- */

static const char *ending_text(const struct outcome *outcome)
{
    switch (outcome->ending) {
    case ENDED:
        return "ended";
    case ENDED_BADLY:
        return outcome->detail;
    case ENDED_NEVER:
        return "did not end";
    }
    return "";
}

static void print_registers(const struct outcome *ours, const struct outcome *reference, FILE *to)
{
    const uint32_t *a = ours->l1 + WINDOW_WORDS - SAVED_BYTES / 4;
    const uint32_t *b = reference->l1 + WINDOW_WORDS - SAVED_BYTES / 4;
    for (unsigned r = 1; r < 32; r++) {
        fprintf(to, "    %-4s  %08" PRIx32 "  %08" PRIx32 "%s\n", rv32_x_names[r], a[r], b[r],
                a[r] != b[r] ? "  <-" : "");
    }
}

/* Returns how many words differ. */
static uint32_t print_memory(const char *name, uint32_t address, const uint32_t *a,
                             const uint32_t *b, uint32_t words, FILE *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < words; i++) {
        if (a[i] != b[i] && count++ < MOST_DIFFERENCES) {
            fprintf(to, "    %s[0x%08" PRIx32 "]  %08" PRIx32 "  %08" PRIx32 "\n", name,
                    address + 4 * i, a[i], b[i]);
        }
    }
    if (count > MOST_DIFFERENCES) {
        fprintf(to, "    and %" PRIu32 " more\n", count - MOST_DIFFERENCES);
    }
    return count;
}

static void print_pair(const struct outcome *ours, const struct outcome *reference, FILE *to)
{
    uint32_t window = WINDOW_WORDS - SAVED_BYTES / 4;
    print_registers(ours, reference, to);
    print_memory("L1", WINDOW_ADDRESS, ours->l1, reference->l1, window, to);
    print_memory("log", WINDOW_ADDRESS + WINDOW_BYTES, ours->l1 + WINDOW_WORDS,
                 reference->l1 + WINDOW_WORDS, reference->l1_words - WINDOW_WORDS, to);
    print_memory("local", LOCAL_ADDRESS, ours->local, reference->local, LOCAL_WORDS, to);
}

void print_endings(const struct bench *bench, FILE *to)
{
    fprintf(to, "  hart, stepping: %s\n", ending_text(&bench->step));
    if (bench->mutant < 0) {
        fprintf(to, "  hart, bursts:   %s\n", ending_text(&bench->burst));
    }
    fprintf(to, "  qemu:           %s\n", ending_text(&bench->qemu_left));
}

void print_difference(const struct bench *bench, FILE *to)
{
    print_endings(bench, to);
    if (bench->step.ending != ENDED || bench->qemu_left.ending != ENDED) {
        return;
    }
    bool step_differs = !outcome_equal(&bench->step, &bench->qemu_left);
    fprintf(to, "  after:  %s  qemu\n", step_differs ? "hart    " : "bursts  ");
    print_pair(step_differs ? &bench->step : &bench->burst, &bench->qemu_left, to);
    if (bench->mutant < 0 && bench->step.retired != bench->burst.retired) {
        fprintf(to, "  retired: stepping %" PRIu64 ", bursts %" PRIu64 "\n", bench->step.retired,
                bench->burst.retired);
    }
}
