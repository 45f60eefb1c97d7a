#include "tally.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expand.h"

struct counter {
    struct tally *tally;
    const struct isa_index *index;
};

/* mod0 or mod1, where the row has it; SFPCONFIG: what it writes. */
static unsigned mode_of(unsigned row, uint32_t word)
{
    bool wide = row == TENSIX_ROW_SFPLOAD || row == TENSIX_ROW_SFPLOADI ||
                row == TENSIX_ROW_SFPSTORE || row == TENSIX_ROW_SFPLUT;
    unsigned lsb = wide ? 16 : row == TENSIX_ROW_SFPCONFIG ? 4 : 0;
    return word >> lsb & (TALLY_MODES - 1);
}

static void count(void *context, uint32_t step, uint8_t thread, uint32_t word)
{
    struct counter *counter = context;
    int row = isa_index_find(counter->index, word);
    (void)step;
    (void)thread;
    if (row >= 0) {
        counter->tally->row[row]++;
        if (tensix_row_infos[row].unit == TENSIX_UNIT_VECTOR) {
            counter->tally->mode[row][mode_of((unsigned)row, word)]++;
        }
        counter->tally->instructions++;
    }
}

/* Without the time in front, "[2159] ", which depends on what else the worker did. */
static const char *without_time(const char *message)
{
    const char *end = *message == '[' ? strchr(message, ']') : NULL;
    return end ? end + 1 + (end[1] == ' ') : message;
}

/* "Kind: where: reg=5" becomes "Kind: where: reg=#". */
static void generalise(const char *message, char kind[MESSAGE_SIZE])
{
    size_t length = 0;
    while (*message && length < MESSAGE_SIZE - 1) {
        bool in_word =
            length && (isalnum((unsigned char)kind[length - 1]) || kind[length - 1] == '_');
        if (isdigit((unsigned char)*message) && !in_word) {
            kind[length++] = '#';
            while (isxdigit((unsigned char)*message) || *message == 'x') {
                message++;
            }
        } else {
            kind[length++] = *message++;
        }
    }
    kind[length] = '\0';
}

static void add_refusal(struct tally *tally, const struct refusal *refusal)
{
    for (unsigned i = 0; i < tally->refusals; i++) {
        struct refusal *known = &tally->refusal[i];
        if (!strcmp(known->kind, refusal->kind)) {
            known->count += refusal->count;
            if (refusal->example_case < known->example_case) {
                known->example_case = refusal->example_case;
                memcpy(known->example, refusal->example, sizeof known->example);
            }
            return;
        }
    }
    if (tally->refusals < MOST_REFUSALS) {
        tally->refusal[tally->refusals++] = *refusal;
    }
}

void tally_add(struct tally *tally, const struct isa_index *index, const struct program *program,
               enum verdict verdict, const char *message)
{
    struct counter counter = {tally, index};
    struct refusal refusal = {.example_case = program->number, .count = 1};
    switch (verdict) {
    case VERDICT_SAME:
        tally->same++;
        program_expand(program, count, &counter);
        break;
    case VERDICT_DIFFERENT:
        tally->different++;
        break;
    case VERDICT_REFUSED:
        tally->refused++;
        message = without_time(message);
        generalise(message, refusal.kind);
        snprintf(refusal.example, sizeof refusal.example, "%s", message);
        add_refusal(tally, &refusal);
        break;
    case VERDICT_ENDLESS:
        tally->endless++;
        break;
    case VERDICT_TROUBLE:
        break;
    }
}

void tally_merge(struct tally *to, const struct tally *from)
{
    for (unsigned i = 0; i < TENSIX_ROWS; i++) {
        to->row[i] += from->row[i];
        for (unsigned mode = 0; mode < TALLY_MODES; mode++) {
            to->mode[i][mode] += from->mode[i][mode];
        }
    }
    to->instructions += from->instructions;
    to->same += from->same;
    to->different += from->different;
    to->refused += from->refused;
    to->endless += from->endless;
    for (unsigned i = 0; i < from->refusals; i++) {
        add_refusal(to, &from->refusal[i]);
    }
}

static int compare_refusals(const void *a, const void *b)
{
    const struct refusal *left = a, *right = b;
    if (left->count != right->count) {
        return left->count < right->count ? 1 : -1;
    }
    return strcmp(left->kind, right->kind);
}

/* The tokens of the table's rows, which mnemonics are not. */
static const char *const tokens[TENSIX_ROWS] = {
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells) #token,
#include "tensix.def"
};

/* "mode: count" for each mode that was executed, where there are several. */
static void print_modes(const uint64_t mode[TALLY_MODES], FILE *to)
{
    unsigned modes = 0;
    for (unsigned i = 0; i < TALLY_MODES; i++) {
        modes += mode[i] != 0;
    }
    for (unsigned i = 0; i < TALLY_MODES && modes > 1; i++) {
        if (mode[i]) {
            fprintf(to, "  %u: %" PRIu64, i, mode[i]);
        }
    }
    fputc('\n', to);
}

void tally_print(struct tally *tally, FILE *to)
{
    unsigned rows = 0;
    for (unsigned i = 0; i < TENSIX_ROWS; i++) {
        if (tally->row[i]) {
            fprintf(to, "%12" PRIu64 "  %-14s", tally->row[i], tokens[i]);
            print_modes(tally->mode[i], to);
            rows++;
        }
    }
    fprintf(to, "%12" PRIu64 "  executed instructions of %u rows in %" PRIu64 " programs\n",
            tally->instructions, rows, tally->same);
    if (tally->refused) {
        fprintf(to, "%12" PRIu64 "  programs that the reference refused:\n", tally->refused);
        qsort(tally->refusal, tally->refusals, sizeof tally->refusal[0], compare_refusals);
        for (unsigned i = 0; i < tally->refusals; i++) {
            const struct refusal *refusal = &tally->refusal[i];
            fprintf(to, "%12" PRIu64 "    %s\n", refusal->count, refusal->kind);
            if (strchr(refusal->kind, '#')) {
                fprintf(to, "%16s case %" PRIu64 ": %s\n", "", refusal->example_case,
                        refusal->example);
            }
        }
    }
    if (tally->endless) {
        fprintf(to, "%12" PRIu64 "  programs that came to an end on neither side\n",
                tally->endless);
    }
    fprintf(to, "%12" PRIu64 "  programs that differ\n", tally->different);
}
