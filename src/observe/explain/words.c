/* Writers and inputs in words; see words.h. */
#include "observe/explain/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <penrose/penrose.h>

#include "noc/kind.h"

bool words_from_beginning(const struct writers_source *a, const struct writers_source *b)
{
    return !a->is_register && !a->was_written && !b->was_written;
}

void words_of_memory(const struct writers_source *a, const struct writers_source *b, bool is_number,
                     bool differs_at_end, char *text, size_t size)
{
    if (b && a->value == b->value) {
        snprintf(text, size, "the same in both runs when it was read");
    } else if (b && is_number) {
        snprintf(text, size, "%s: A 0x%" PRIx64 "  B 0x%" PRIx64,
                 words_from_beginning(a, b) ? "nobody had written it" : "differed when it was read",
                 a->value, b->value);
    } else if (b && a[1].address != b[1].address) {
        snprintf(text, size, "A has read up to 0x%08x, B up to 0x%08x", a[1].address, b[1].address);
    } else if (b) {
        snprintf(text, size, "%s",
                 words_from_beginning(a, b) ? "nobody had written it, and it was not the same"
                                            : "differed when it was read");
    } else if (a->was_overwritten) {
        snprintf(text, size, "overwritten since: what B had there then is not known");
    } else {
        snprintf(text, size, "%s", differs_at_end ? "differs" : "the same in both dumps");
    }
}

/* "a write of (2, 3) brisc": a packet, its sender, and the agent that has asked for it. */
static void name_packet(const struct writers_record *record, char *text, size_t size)
{
    const struct observed *event = &record->event;
    const char *asker = penrose_agent_name((enum penrose_agent)event->asker);
    if (event->packet == NOC_READ_RESPONSE || event->packet == NOC_ATOMIC_RESPONSE) {
        snprintf(text, size, "the answer of (%u, %u) to a %s of %s", record->peer_x, record->peer_y,
                 event->packet == NOC_READ_RESPONSE ? "read" : "atomic", asker ? asker : "the NoC");
    } else {
        snprintf(text, size, "a packet (%s) of (%u, %u) %s",
                 event->packet == NOC_ATOMIC ? "atomic" : "write", record->peer_x, record->peer_y,
                 asker ? asker : "");
    }
}

static const char *thread_hart(unsigned thread)
{
    return penrose_hart_name((enum penrose_hart)(PENROSE_TRISC0 + thread));
}

void words_of_writer(const struct writers_record *record, char *text, size_t size)
{
    const struct observed *event = &record->event;
    if (!record->is_written) {
        snprintf(text, size, "nobody in this run: it is what it was at the beginning");
        return;
    }
    char who[96];
    if (event->agent == OBSERVED_NOC) {
        name_packet(record, who, sizeof who);
    } else if (event->agent == OBSERVED_ETHERNET) {
        snprintf(who, sizeof who, "a frame of chip %u (%u, %u)", record->peer_chip, record->peer_x,
                 record->peer_y);
    } else if (event->kind == OBSERVED_TENSIX) {
        snprintf(who, sizeof who, "thread %u", event->thread);
    } else if (event->thread < PENROSE_TENSIX_THREADS) {
        snprintf(who, sizeof who, "%s, thread %u",
                 penrose_agent_name((enum penrose_agent)event->agent), event->thread);
    } else {
        snprintf(who, sizeof who, "%s", penrose_agent_name((enum penrose_agent)event->agent));
    }
    snprintf(text, size, "%s, in cycle %" PRIu64 "%s%s", who, event->cycle,
             *record->instruction ? ": " : "", record->instruction);
}

/* "file.c:12" of "folder/file.c:12" */
static const char *without_folders(const char *source)
{
    const char *slash = strrchr(source, '/');
    return slash ? slash + 1 : source;
}

void words_of_place(const struct explain_writer *writer, char *text, size_t size)
{
    const struct observed *event = &writer->record.event;
    const struct explain_code *code = &writer->code;
    bool is_pushed = event->pc && event->thread < PENROSE_TENSIX_THREADS;
    if (!event->pc) {
        *text = 0;
        return;
    }
    snprintf(text, size, "at pc 0x%08x%s%s%s%s%s%s%s", event->pc, *code->symbol ? " in " : "",
             code->symbol, *code->source ? ", " : "", without_folders(code->source), writer->calls,
             is_pushed ? ", pushed by " : "", is_pushed ? thread_hart(event->thread) : "");
}

bool words_of_race(const struct explain_writer *writer, char *text, size_t size)
{
    const struct writers_dst_change *later = &writer->record.later;
    const char *source = writer->later.source;
    if (!later->is_there) {
        return false;
    }
    snprintf(text, size, "Dst was changed behind it, in cycle %" PRIu64 ", by thread %u: %s%s%s",
             later->cycle, later->thread, writer->record.later_instruction, *source ? ", " : "",
             without_folders(source));
    return true;
}

bool words_of_early_read(const struct explain_writer *writer, char *text, size_t size)
{
    const struct writers_early_read *early = &writer->record.early;
    const char *source = writer->early.source;
    if (!early->is_there) {
        return false;
    }
    snprintf(text, size,
             "thread %u, in cycle %" PRIu64 "%s%s: %s reads GPR %u before the result that was "
             "requested for it (no STALLWAIT)",
             early->thread, early->cycle, *source ? ", " : "", without_folders(source),
             writer->record.early_instruction, early->gpr);
    return true;
}
