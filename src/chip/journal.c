/* See journal.h. */
#include "chip/journal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "chip/snapshot_format.h"

static const struct journal_row {
    const char *name;
    unsigned numbers;
    bool has_bytes;
} rows[JOURNAL_KINDS] = {
#define ENTRY(token, name_, numbers_, has_bytes_)                                                  \
    [JOURNAL_##token] = {.name = (name_), .numbers = (numbers_), .has_bytes = (has_bytes_)},
#include "chip/journal.def"
#undef ENTRY
};

const char *journal_name(enum journal_kind kind)
{
    return (unsigned)kind < JOURNAL_KINDS ? rows[kind].name : "nothing";
}

struct journal *journal_create(void)
{
    struct journal *journal = calloc(1, sizeof *journal);
    if (journal) {
        journal->paused_at = UINT64_MAX;
    }
    return journal;
}

/* --- Writing --- */

enum { MOST_NUMBER = 10 /* bytes of 64 bits in LEB128 */ };

static size_t put_number(uint8_t *to, uint64_t value)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7) {
        to[size++] = (uint8_t)(value | 0x80);
    }
    to[size++] = (uint8_t)value;
    return size;
}

/* Room for so many bytes more; false, and the journal ends there, when memory runs out. */
static bool make_room(struct journal *journal, size_t size)
{
    enum { LEAST = 1 << 16 };
    if (size <= journal->room - journal->size) {
        return true;
    }
    size_t room = journal->room + journal->room / 2 + size + LEAST;
    uint8_t *grown = realloc(journal->bytes, room);
    if (!grown) {
        journal->failed = true;
        return false;
    }
    journal->bytes = grown;
    journal->room = room;
    return true;
}

static void put_entry(struct journal *journal, const struct journal_what *what, const void *bytes,
                      size_t size)
{
    const struct journal_row *row = &rows[what->kind];
    if (journal->failed || !make_room(journal, size + 1 + MOST_NUMBER * (JOURNAL_NUMBERS + 2))) {
        return;
    }
    uint8_t *to = journal->bytes + journal->size;
    *to++ = (uint8_t)what->kind;
    to += put_number(to, what->chip);
    for (unsigned i = 0; i < row->numbers; i++) {
        to += put_number(to, what->number[i]);
    }
    if (row->has_bytes) {
        to += put_number(to, size);
        if (size > 0) {
            memcpy(to, bytes, size);
            to += size;
        }
    }
    journal->size = (size_t)(to - journal->bytes);
}

static void put_windows(struct journal *journal)
{
    if (journal->windows > 0) {
        const struct journal_what what = {.kind = JOURNAL_WINDOWS,
                                          .number = {journal->window, journal->windows}};
        journal->windows = 0;
        put_entry(journal, &what, NULL, 0);
    }
}

void journal_add(struct journal *journal, const struct journal_what *what, const void *bytes,
                 size_t size)
{
    if (!journal->is_read_only) {
        put_windows(journal);
        put_entry(journal, what, bytes, size);
    }
}

void journal_add_window(struct journal *journal, uint64_t cycles)
{
    if (journal->is_read_only) {
        return;
    }
    if (journal->windows > 0 && journal->window != cycles) {
        put_windows(journal);
    }
    journal->window = cycles;
    journal->windows++;
}

uint64_t journal_end(struct journal *journal)
{
    put_windows(journal);
    return journal->start + journal->size;
}

void journal_forget(struct journal *journal, uint64_t before)
{
    size_t count = before > journal->start ? (size_t)(before - journal->start) : 0;
    count = count < journal->size ? count : journal->size;
    if (journal->file && count > journal->filed) {
        count = journal->filed;
    }
    if (count == 0) {
        return;
    }
    memmove(journal->bytes, journal->bytes + count, journal->size - count);
    journal->size -= count;
    journal->start += count;
    journal->filed -= count < journal->filed ? count : journal->filed;
}

size_t journal_keep(const void *bytes, size_t size, uint8_t kept[JOURNAL_ROOM])
{
    struct snapshot_hash hash;
    size_t first = size < JOURNAL_KEPT ? size : JOURNAL_KEPT;
    if (first > 0) {
        memcpy(kept, bytes, first);
    }
    if (size == first) {
        return first;
    }
    snapshot_hash_init(&hash);
    snapshot_hash_add(&hash, bytes, size);
    uint64_t value = snapshot_hash_value(&hash);
    memcpy(kept + first, &value, sizeof value);
    return first + sizeof value;
}

/* --- Calls --- */

bool journal_begin(struct journal *journal, const struct journal_what *what, const void *bytes,
                   size_t size)
{
    if (journal->inside > 0 || journal->is_read_only) {
        return false;
    }
    journal_add(journal, what, bytes, size);
    journal->inside++;
    return true;
}

enum penrose_status journal_done(struct journal *journal, bool is_entry, enum penrose_status status)
{
    if (is_entry) {
        journal->inside--;
        if (status != PENROSE_OK) {
            JOURNAL_ADD(journal, 0, JOURNAL_FAILED, NULL, 0, (uint64_t)status);
        }
    }
    return status;
}

enum penrose_status journal_answered(struct journal *journal, bool is_entry,
                                     enum penrose_status status, const void *bytes, size_t size)
{
    if (is_entry) {
        uint8_t kept[JOURNAL_ROOM];
        size_t count = status == PENROSE_OK ? journal_keep(bytes, size, kept) : 0;
        journal->inside--;
        JOURNAL_ADD(journal, 0, JOURNAL_ANSWER, kept, count, (uint64_t)status, size);
    }
    return status;
}

/* --- Reading --- */

/* Bytes that are still to be read; NULL once they were too few or made no sense. */
struct journal_bytes {
    const uint8_t *at, *end;
};

static uint64_t get_number(struct journal_bytes *bytes)
{
    uint64_t value = 0;
    for (unsigned shift = 0; bytes->at && bytes->at < bytes->end && shift < 64; shift += 7) {
        uint8_t byte = *bytes->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    bytes->at = NULL;
    return 0;
}

bool journal_get(const struct journal *journal, uint64_t at, struct journal_entry *entry)
{
    *entry = (struct journal_entry){.at = at, .next = at};
    if (at < journal->start || at - journal->start >= journal->size) {
        return false;
    }
    const uint8_t *first = journal->bytes + (at - journal->start);
    struct journal_bytes bytes = {.at = first + 1, .end = journal->bytes + journal->size};
    if (*first >= JOURNAL_KINDS) {
        return false;
    }
    const struct journal_row *row = &rows[*first];
    entry->kind = (enum journal_kind) * first;
    uint64_t chip = get_number(&bytes);
    entry->chip = chip < UINT_MAX ? (unsigned)chip : UINT_MAX;
    for (unsigned i = 0; i < row->numbers; i++) {
        entry->number[i] = get_number(&bytes);
    }
    uint64_t size = row->has_bytes ? get_number(&bytes) : 0;
    if (!bytes.at || size > (uint64_t)(bytes.end - bytes.at)) {
        return false;
    }
    entry->bytes = bytes.at;
    entry->size = (size_t)size;
    entry->next = at + (uint64_t)(bytes.at - first) + size;
    return true;
}
