/* Which instruction a difference of the Vector Unit begins with; see explain.h. */
#include "explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "epilogue.h"
#include "expand.h"
#include "vector.h"

enum { MOST_LANES = 4, MODES = 16 };

/* The first `steps` steps on both sides. */
static enum verdict run_prefix(struct bench *bench, const struct program *program, uint32_t steps)
{
    struct program prefix = *program;
    prefix.steps = steps;
    return bench_run(bench, &prefix);
}

/* Steps of the shortest prefix that was seen to differ; 0: none does. */
static uint32_t shortest(struct bench *bench, const struct program *program)
{
    uint32_t same = 0, different = program->steps;
    if (run_prefix(bench, program, different) != VERDICT_DIFFERENT) {
        return 0;
    }
    while (different - same > 1) {
        uint32_t middle = same + (different - same) / 2;
        if (run_prefix(bench, program, middle) == VERDICT_DIFFERENT) {
            different = middle;
        } else {
            same = middle;
        }
    }
    return different;
}

static uint32_t lreg_before(const struct outcome *before, unsigned lreg, unsigned lane)
{
    return before->scene[(VECTOR_SLOT_LREGS + lreg) * VECTOR_LANES + lane];
}

/* The LRegs that an instruction names, as they were in a lane. */
static void print_operands(const struct outcome *before, uint32_t word, unsigned lane, FILE *to)
{
    static const char *const names[] = {"va", "vb", "vc", "vd"};
    int row = tensix_find(word);
    fputs("#    ", to);
    for (unsigned i = 0; row >= 0 && i < sizeof names / sizeof names[0]; i++) {
        const struct isa_field *field = row_operand((unsigned)row, names[i]);
        if (field) {
            unsigned lreg = word >> field->piece[0].lsb & 15;
            fprintf(to, " %s LReg[%u] 0x%08" PRIx32, names[i], lreg,
                    lreg_before(before, lreg, lane));
        }
    }
    fputc('\n', to);
}

static void print_lanes(const struct bench *bench, const struct outcome *before, uint32_t word,
                        FILE *to)
{
    const struct outcome *ours = &bench->ours_left, *reference = &bench->reference_left;
    uint32_t count = 0;
    if (ours->ending != ENDED || reference->ending != ENDED) {
        fprintf(to, "# ours: %s\n# reference: %s\n", ours->message, reference->message);
        return;
    }
    for (uint32_t i = 0; i < ours->scene_words; i++) {
        char name[NAME_SIZE];
        if (ours->scene[i] == reference->scene[i] || ++count > MOST_LANES) {
            continue;
        }
        epilogue_vector_name(i, name, sizeof name);
        fprintf(to,
                "#  %s: before 0x%08" PRIx32 ", ours 0x%08" PRIx32 ", reference 0x%08" PRIx32 "\n",
                name, before->scene[i], ours->scene[i], reference->scene[i]);
        print_operands(before, word, i % VECTOR_LANES, to);
    }
    if (!count) {
        fputs("#  not in the unit's state\n", to);
    } else {
        fprintf(to, "#  %" PRIu32 " words in all\n", count);
    }
}

uint32_t vector_explain(struct bench *bench, const struct program *program, FILE *to)
{
    static struct outcome before;
    struct program flat;
    char text[160];
    uint32_t word = 0;
    if (program_unroll(&flat, program)) {
        uint32_t steps = shortest(bench, &flat);
        if (steps) {
            const struct step *last = &flat.step[steps - 1];
            run_prefix(bench, &flat, steps - 1);
            before = bench->reference_left;
            run_prefix(bench, &flat, steps);
            word = step_is_push(last) ? last->word : 0;
            tensix_disassemble(word, text, sizeof text);
            fprintf(to, "# step %" PRIu32 " of program %" PRIu64 ": %s\n", steps - 1,
                    program->number, step_is_push(last) ? text : "not an instruction");
            print_lanes(bench, &before, word, to);
        }
    }
    program_free(&flat);
    return word;
}

/* --- Survey --- */

static unsigned mode_of(unsigned row, uint32_t word)
{
    const struct isa_field *field = row_operand(row, "mod1");
    field = field ? field : row_operand(row, "mod0");
    return field ? word >> field->piece[0].lsb & (MODES - 1) : 0;
}

bool vector_survey(const struct campaign *c, uint64_t programs, FILE *to)
{
    static struct bench bench;
    static uint32_t seen[TENSIX_ROWS][MODES];
    FILE *nowhere = fopen("/dev/null", "w");
    uint64_t different = 0, refused = 0;
    bench_init(&bench, c->map, c->ours, c->reference, c->timeout);
    bench.mutant = c->mutant;
    for (uint64_t i = 0; nowhere && i < programs; i++) {
        struct program program;
        program_generate(&program, c->rules, c->map, c->seed, i, &c->generate);
        enum verdict verdict = program.ok ? bench_run(&bench, &program) : VERDICT_TROUBLE;
        refused += verdict == VERDICT_REFUSED;
        if (verdict == VERDICT_DIFFERENT) {
            different++;
            uint32_t word = vector_explain(&bench, &program, nowhere);
            int row = tensix_find(word);
            unsigned at = row < 0 ? 0 : (unsigned)row, mode = mode_of(at, word);
            if (seen[at][mode]++ == 0) {
                vector_explain(&bench, &program, to);
                fflush(to);
            }
        }
        program_free(&program);
    }
    for (unsigned row = 0; row < TENSIX_ROWS; row++) {
        for (unsigned mode = 0; mode < MODES; mode++) {
            if (seen[row][mode]) {
                fprintf(to, "%8" PRIu32 "  %s mode %u\n", seen[row][mode],
                        tensix_rows[row].mnemonic, mode);
            }
        }
    }
    fprintf(to, "%8" PRIu64 "  of %" PRIu64 " programs differ, %" PRIu64 " were refused\n",
            different, programs, refused);
    if (nowhere) {
        fclose(nowhere);
    }
    bench_stop(&bench);
    return !different;
}
