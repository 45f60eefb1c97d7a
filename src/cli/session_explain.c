/* What stopped a session's run, for people: on stderr, at once. */
#include "cli/session_explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "cli/output.h"
#include "cli/session_results.h"
#include "metal/firmware.h"
#include "metal/program_files.h"
#include "observe/error_line.h"

enum { MOST_TEXT = 8192 };

static void explain_waits(struct session *session, const char *headline)
{
    char *text = output_waits(session->chip, stderr);
    note("%s\n%s", headline, text ? text : "");
    free(text);
}

/* Was the jump that the hint tells of the call that has left `ra`? */
static bool is_call_in_hint(const struct session *session, const struct penrose_fault *fault,
                            uint32_t ra)
{
    struct hart_jump jump;
    return *fault->hint &&
           chip_calls_of(session->chip)
               ->hart_jump(session->chip, fault->x, fault->y, fault->hart, &jump) &&
           ((jump.behind == ra && jump.target == fault->pc) ||
            (fault->pc == 0 && jump.null == ra - 3));
}

/* Where a jump into nowhere came from: the return address tells most often. */
static void explain_caller(struct session *session, const struct penrose_fault *fault)
{
    struct penrose_hart_info info;
    char symbol[128], source[256];
    bool is_illegal =
        fault->kind == PENROSE_FAULT_ILLEGAL || fault->kind == PENROSE_FAULT_TENSIX_ILLEGAL;
    bool is_lost = fault->kind == PENROSE_FAULT_FETCH || (is_illegal && *fault->hint);
    if (is_lost && fault->hart < PENROSE_HARTS &&
        penrose_hart_info(session->chip, fault->x, fault->y, fault->hart, &info, NULL) ==
            PENROSE_OK &&
        info.x[1] != fault->pc && /* it has returned */
        !is_call_in_hint(session, fault, info.x[1]) &&
        penrose_locate(session->chip, fault->x, fault->y, info.x[1] - 4, symbol, sizeof symbol,
                       source, sizeof source)) {
        fprintf(stderr, "  last call    0x%08x in %s%s%s\n", info.x[1] - 4, symbol,
                *source ? ", " : "", source);
    }
}

/* Without the newline at the text's end. */
static void note_fault(const struct penrose_fault *fault, const char *of, char *text)
{
    size_t length = strlen(text);
    if (length && text[length - 1] == '\n') {
        text[length - 1] = 0;
    }
    note("%s%s %s", of, fault->policy == PENROSE_STOP ? "guest fault" : "warning: guest fault",
         text);
}

static void explain_fault(struct session *session, const struct penrose_fault *fault)
{
    char text[MOST_TEXT];
    penrose_fault_format(fault, text, sizeof text);
    note_fault(fault, "", text);
    explain_caller(session, fault);
    if (fault->policy == PENROSE_STOP && fault->kind != PENROSE_FAULT_FETCH) {
        fprintf(stderr, "  to go on     --policy %s=warn\n", penrose_fault_name(fault->kind));
    }
    if (error_line_wanted(fault)) {
        error_line_format(fault, text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
}

struct told_fault {
    struct penrose_fault fault;
    bool is_told;
};

/* Of tiles that run one program, the first explains what all of them did: the others are among the
 * `count` faults from `first` on. */
static void explain_alike(struct session *session, struct told_fault *first, size_t count)
{
    struct penrose_place *tiles = calloc(count, sizeof *tiles);
    char text[MOST_TEXT];
    size_t others = 0;
    explain_fault(session, &first->fault);
    for (struct told_fault *other = first + 1; tiles && other < first + count; other++) {
        if (!other->is_told && penrose_fault_alike(&first->fault, &other->fault)) {
            tiles[others++] = (struct penrose_place){other->fault.x, other->fault.y};
            other->is_told = true;
        }
    }
    if (others > 0) {
        penrose_fault_format_others(&first->fault, tiles, others, text, sizeof text);
        note_fault(&first->fault, "", text);
    }
    free(tiles);
}

static void explain_companions(const struct session *session, enum penrose_policy policy)
{
    struct penrose_chip *chip;
    struct penrose_fault fault;
    char text[MOST_TEXT], of[32];
    for (size_t number = 0; (chip = session_companion(session, &number)); number++) {
        for (size_t i = 0; penrose_fault_get(chip, i, &fault); i++) {
            if (fault.policy == policy) {
                snprintf(of, sizeof of, "chip %zu: ", number);
                penrose_fault_format(&fault, text, sizeof text);
                note_fault(&fault, of, text);
            }
        }
    }
}

static void explain_faults(struct session *session, enum penrose_policy policy)
{
    size_t count = penrose_fault_count(session->chip);
    struct told_fault one, *faults = calloc(count + 1, sizeof *faults);
    for (size_t i = 0; i < count; i++) {
        struct told_fault *at = faults ? &faults[i] : &one;
        at->is_told =
            !penrose_fault_get(session->chip, i, &at->fault) || at->fault.policy != policy;
        if (!faults && !at->is_told) { /* without memory each by itself */
            explain_fault(session, &at->fault);
        }
    }
    for (size_t i = 0; faults && i < count; i++) {
        if (!faults[i].is_told) {
            explain_alike(session, &faults[i], count - i);
        }
    }
    free(faults);
    explain_companions(session, policy);
}

/* Those that came in front of a wait report are often why it waits. */
void session_explain_warnings(struct session *session)
{
    if (!session->warnings_told) {
        explain_faults(session, PENROSE_WARN);
    }
    session->warnings_told = true;
}

/* Functions and lines of firmware that came with a snapshot. */
static void know_restored_firmware(struct session *session)
{
    if (session->options->restore_snapshot && session->firmware && !session->files) {
        session->files = program_files_create();
    }
    if (session->files && program_files_add(session->files, session->firmware->directory)) {
        program_files_place_all(session->files, session->chip, session->chip);
    }
}

void session_explain(struct session *session, const struct goal *goal, enum cli_exit exit)
{
    char headline[256], unfinished[128];
    know_restored_firmware(session);
    goal->describe(session, goal->context, unfinished, sizeof unfinished);
    if (exit == CLI_CYCLES || exit == CLI_DEADLOCK) {
        session_explain_warnings(session);
    }
    switch (exit) {
    case CLI_FAULT:
        explain_faults(session, PENROSE_STOP);
        break;
    case CLI_CYCLES:
        snprintf(headline, sizeof headline,
                 "cycle limit: unfinished after %" PRIu64
                 " cycles: %s; raise --max-cycles, or look at what runs:",
                 session_cycles(session), unfinished);
        explain_waits(session, headline);
        break;
    case CLI_DEADLOCK:
        snprintf(headline, sizeof headline, "deadlock: nothing can happen any more; unfinished: %s",
                 unfinished);
        explain_waits(session, headline);
        break;
    case CLI_DONE:
    case CLI_REFUSED:
    case CLI_CUT:
        break;
    }
}

static void put_unmodelled(const struct session *session, const struct penrose_unmodelled *entry)
{
    if (entry->word) {
        char text[80];
        chip_calls_of(session->chip)->tensix_disassemble(entry->word, text, sizeof text);
        fprintf(stderr, "  %s: %s set", text, entry->range);
    } else {
        fprintf(stderr, "  0x%08x (%s) %s%s%s", entry->address, entry->range,
                entry->written ? "written" : "", entry->written && entry->read ? " and " : "",
                entry->read ? "read" : "");
    }
    fprintf(stderr, " %" PRIu64 " times, first by tile (%u, %u) %s", entry->times, entry->x,
            entry->y, penrose_hart_name(entry->hart));
}

void session_list_unmodelled(struct session *session)
{
    struct penrose_unmodelled entry;
    bool any = false;
    for (size_t i = 0; penrose_unmodelled_get(session->chip, i, &entry); i++) {
        char symbol[128];
        if (!any) {
            note("used, but not modelled (registers and fields only hold their value):");
        }
        any = true;
        penrose_locate(session->chip, entry.x, entry.y, entry.pc, symbol, sizeof symbol, NULL, 0);
        put_unmodelled(session, &entry);
        if (entry.hart < PENROSE_HARTS) {
            fprintf(stderr, " at pc 0x%08x%s%s", entry.pc, *symbol ? " in " : "", symbol);
        }
        fputc('\n', stderr);
    }
    if (!any) {
        note("nothing that is not modelled was used");
    }
}
