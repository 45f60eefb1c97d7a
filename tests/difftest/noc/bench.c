#include "bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { MOST_LINES = 30 };

void bench_init(struct bench *bench, const char *ours, const char *reference, unsigned timeout)
{
    *bench = (struct bench){.mutant = NULL};
    side_init(&bench->ours, TESTER, ours, "ours", timeout);
    side_init(&bench->reference, TESTER, reference, "reference", timeout);
}

void bench_stop(struct bench *bench)
{
    side_stop(&bench->ours);
    side_stop(&bench->reference);
    image_free(&bench->image);
    free(bench->ours_left.answer);
    free(bench->reference_left.answer);
}

static bool link_for(struct bench *bench, const struct side *side, const struct program *program,
                     struct image *image)
{
    image_link(image, program, side == &bench->ours ? bench->mutant : NULL);
    return image->ok ||
           side_trouble(side, "the program is too long, or there is no memory", bench->trouble);
}

bool bench_run_side(struct bench *bench, struct side *side, const struct program *program,
                    struct outcome *outcome)
{
    image_free(&bench->image);
    bool ok = link_for(bench, side, program, &bench->image);
    if (ok && !run_start(side, &bench->image, outcome)) {
        ok = side_trouble(side, outcome->message, bench->trouble);
    }
    if (ok) {
        run_finish(side, &bench->image, outcome);
    }
    return ok;
}

/* --- Comparison --- */

static bool item_equal(const struct bench *bench, const struct item *item)
{
    const uint8_t *ours = bench->ours_left.answer, *reference = bench->reference_left.answer;
    return item->kind == ITEM_MEMORY ? !memcmp(ours + item->at, reference + item->at, item->size)
                                     : item_value(item, ours) == item_value(item, reference);
}

static enum verdict judge(const struct bench *bench)
{
    enum verdict verdict = ending_judge(bench->ours_left.ending, bench->reference_left.ending);
    for (uint32_t i = 0; verdict == VERDICT_SAME && i < bench->image.items; i++) {
        verdict = item_equal(bench, &bench->image.item[i]) ? VERDICT_SAME : VERDICT_DIFFERENT;
    }
    return verdict;
}

enum verdict bench_run(struct bench *bench, const struct program *program)
{
    struct image ours;
    image_free(&bench->image);
    bool ok = link_for(bench, &bench->ours, program, &ours);
    ok = link_for(bench, &bench->reference, program, &bench->image) && ok;
    bool started[2] = {false, false};
    if (ok) {
        started[0] = run_start(&bench->ours, &ours, &bench->ours_left) ||
                     side_trouble(&bench->ours, bench->ours_left.message, bench->trouble);
        started[1] = run_start(&bench->reference, &bench->image, &bench->reference_left) ||
                     side_trouble(&bench->reference, bench->reference_left.message, bench->trouble);
    }
    if (started[0]) {
        run_finish(&bench->ours, &ours, &bench->ours_left);
    }
    if (started[1]) {
        run_finish(&bench->reference, &bench->image, &bench->reference_left);
    }
    image_free(&ours);
    enum verdict verdict = started[0] && started[1] ? judge(bench) : VERDICT_TROUBLE;
    if (verdict != VERDICT_SAME) { /* something may still be on its way, and hit the next program */
        side_stop(&bench->ours);
        side_stop(&bench->reference);
    }
    return verdict;
}

/* --- Printing --- */

/* Does the transaction write this byte of a memory? */
static bool writes(const struct program *program, const struct transaction *t, uint64_t memory,
                   uint64_t address)
{
    bool reads = t->kind == KIND_READ;
    uint64_t own = program->agent[t->agent].tile, bytes = t->kind == KIND_ATOMIC ? 4 : t->length;
    bool is_there = address >= t->address && address < t->address + bytes;
    bool is_here = address >= t->local && address < t->local + bytes && memory == own &&
                   (reads || t->kind == KIND_ATOMIC || t->staged);
    bool is_next = t->kind == KIND_FORWARD && memory == t->next && address >= t->next_address &&
                   address < t->next_address + bytes;
    if (is_next) {
        return true;
    }
    if (t->kind == KIND_MULTICAST) {
        return is_here || (is_there && memory < program_tiles(program) &&
                           multicast_reaches(program, t, memory));
    }
    return is_here || (is_there && !reads && memory == t->there);
}

/* The first byte that differs, how many do, and who writes that byte. */
static void print_memory(const struct bench *bench, const struct program *program,
                         const struct item *item, FILE *to)
{
    const uint8_t *ours = bench->ours_left.answer + item->at;
    const uint8_t *reference = bench->reference_left.answer + item->at;
    uint32_t first = item->size, count = 0;
    for (uint32_t i = item->size; i-- > 0;) {
        if (ours[i] != reference[i]) {
            first = i;
            count++;
        }
    }
    uint64_t address = program->memory[item->memory].base + first;
    fprintf(to,
            "# %s: %" PRIu32 " bytes differ, the first at 0x%" PRIx64 ": ours 0x%02x, "
            "reference 0x%02x\n",
            item->name, count, address, ours[first], reference[first]);
    for (uint32_t i = 0; i < program->transactions; i++) {
        if (writes(program, &program->transaction[i], item->memory, address)) {
            fprintf(to, "#   written by transaction %" PRIu32 " (%s, phase %" PRIu64 ")\n", i,
                    kind_names[program->transaction[i].kind], program->transaction[i].phase);
        }
    }
}

static void print_item(const struct bench *bench, const struct program *program,
                       const struct item *item, FILE *to)
{
    if (item->kind == ITEM_MEMORY) {
        print_memory(bench, program, item, to);
        return;
    }
    fprintf(to, "# %s: ours 0x%" PRIx32 ", reference 0x%" PRIx32 "\n", item->name,
            item_value(item, bench->ours_left.answer),
            item_value(item, bench->reference_left.answer));
}

void bench_print(const struct bench *bench, const struct program *program, FILE *to)
{
    uint32_t lines = 0;
    const struct outcome *ours = &bench->ours_left, *reference = &bench->reference_left;
    ending_print(ours->ending, "ours", ours->message, to);
    ending_print(reference->ending, "reference", reference->message, to);
    bool both = ours->ending == ENDED && reference->ending == ENDED;
    for (uint32_t i = 0; both && i < bench->image.items; i++) {
        if (!item_equal(bench, &bench->image.item[i]) && ++lines <= MOST_LINES) {
            print_item(bench, program, &bench->image.item[i], to);
        }
    }
    if (lines > MOST_LINES) {
        fprintf(to, "# and %" PRIu32 " more\n", lines - MOST_LINES);
    }
    program_print(program, to);
}
