/*
 * The journal of a cluster: all calls of a host, and all accesses of the chips to their host's memory,
 * in order. observe/history/rerun.h makes the chips again from new ones, or from a snapshot, and the
 * journal. `penrose replay` and looking back (penrose/history.h) use this.
 *
 * Like observer.h, this header depends on nothing. Public calls (src/api) and the chip
 * (chip/record.c) write entries, and do not know their readers. journal.def has the entries.
 * Without a journal this costs a comparison.
 *
 * In memory an entry is a byte (its kind), the number of its chip and its own numbers in LEB128, and
 * its bytes with their count before them. What is of all chips, such as time, has chip 0. A place in a journal is the number of bytes before it since the journal began.
 * A file is JOURNAL_MAGIC, the version, and zstd frames that hold the entries.
 */
#ifndef CHIP_JOURNAL_H
#define CHIP_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/error.h>

enum journal_kind {
#define ENTRY(token, name, numbers, has_bytes) JOURNAL_##token,
#include "chip/journal.def"
#undef ENTRY
    JOURNAL_KINDS,
};

enum journal_command { JOURNAL_RELEASE, JOURNAL_HOLD, JOURNAL_HALT, JOURNAL_RESUME };

enum {
    JOURNAL_VERSION = 4,
    JOURNAL_NUMBERS = 7, /* at most, of an entry */
    JOURNAL_KEPT = 64,   /* so many bytes of an answer are kept; of a longer one these and a hash */
    JOURNAL_ROOM = JOURNAL_KEPT + sizeof(uint64_t),
};

struct journal_file;

struct journal {
    uint8_t *bytes;
    size_t size, room;
    uint64_t start;            /* place of bytes[0] */
    bool keeps;                /* somebody looks back: what is in the file stays here, too */
    bool failed;               /* memory ran out, or something happened that no journal can tell:
                                  it ends there */
    bool is_read_only;         /* it is being carried out again, and nothing is added */
    uint64_t paused_at;        /* place of the pause at which the chips stand; UINT64_MAX: none */
    unsigned inside;           /* what happens now follows from an entry */
    uint64_t window, windows;  /* the latest ones, of one length, that are not yet entries */
    struct journal_file *file; /* NULL: none */
    size_t filed;              /* bytes[0] to here are in the file */
};

/* One entry, as it is read. */
struct journal_entry {
    enum journal_kind kind;
    unsigned chip;
    uint64_t number[JOURNAL_NUMBERS];
    const uint8_t *bytes;
    size_t size;
    uint64_t at, next; /* its place, and that of the next one */
};

/* "read" and so on. */
const char *journal_name(enum journal_kind kind);

struct journal *journal_create(void); /* NULL: no memory */

/* Ends the file, too; false when it could not be written. NULL does nothing. */
bool journal_destroy(struct journal *journal);

/* --- Writing --- */

/* What is written: a kind, of a chip, with as many numbers as it has. */
struct journal_what {
    enum journal_kind kind;
    unsigned chip;
    uint64_t number[JOURNAL_NUMBERS];
};

/* Adds an entry, perhaps with bytes. */
void journal_add(struct journal *journal, const struct journal_what *what, const void *bytes,
                 size_t size);

#define JOURNAL_WHAT(chip, kind, ...) (&(const struct journal_what){kind, chip, {__VA_ARGS__}})
#define JOURNAL_ADD(journal, chip, kind, bytes, size, ...)                                         \
    journal_add(journal, JOURNAL_WHAT(chip, kind, __VA_ARGS__), bytes, size)

/*
 * A call begins that changes a chip. Where a journal is kept (NULL: none), and the call is not part
 * of another one, that is an entry; true then. What happens until it is done follows from it.
 */
bool journal_begin(struct journal *journal, const struct journal_what *what, const void *bytes,
                   size_t size);

#define JOURNAL_BEGIN(journal, chip, kind, bytes, size, ...)                                       \
    ((journal) && journal_begin(journal, JOURNAL_WHAT(chip, kind, __VA_ARGS__), bytes, size))

/* The call has ended with `status`, which is returned. */
enum penrose_status journal_done(struct journal *journal, bool is_entry,
                                 enum penrose_status status);

/* A call that answers with bytes has ended. */
enum penrose_status journal_answered(struct journal *journal, bool is_entry,
                                     enum penrose_status status, const void *bytes, size_t size);

/* What is kept of an answer: the bytes, or the first ones and a hash of all. Returns how much. */
size_t journal_keep(const void *bytes, size_t size, uint8_t kept[JOURNAL_ROOM]);

/* A window of so many cycles has passed. */
void journal_add_window(struct journal *journal, uint64_t cycles);

/* The place behind the last entry. */
uint64_t journal_end(struct journal *journal);

/* Forgets what is before a place. */
void journal_forget(struct journal *journal, uint64_t before);

/* --- Reading --- */

/* Decodes the entry at a place. False at the end, and where the bytes are no entry: then
 * entry->next is less than the end. */
bool journal_get(const struct journal *journal, uint64_t at, struct journal_entry *entry);

/* --- Files --- */

/* What is added from now on goes to the file, too, which is made anew. PENROSE_E_FILE. */
enum penrose_status journal_record(struct journal *journal, const char *path,
                                   struct penrose_error *error);

/* Ends the file; false when not all of it could be written: then it is removed. */
bool journal_stop(struct journal *journal);

/* Hands to the file what has been gathered, if that is much or some time has passed. */
void journal_file_some(struct journal *journal);

/* How the file of a journal ended. */
enum journal_ending { JOURNAL_WHOLE, JOURNAL_CUT };

/*
 * Reads a file. One that is cut gives what it has. PENROSE_E_FILE where it cannot be read,
 * PENROSE_E_FORMAT where it is none, damaged, or of another version; PENROSE_E_MEMORY, also where
 * its entries take more than `most` bytes (0: JOURNAL_LEAST, or JOURNAL_RATIO times the size of the
 * file where that is more): a small file must not fill the memory of who opens it.
 */
enum { JOURNAL_LEAST = 64 << 20, JOURNAL_RATIO = 256 };

enum penrose_status journal_load(const char *path, uint64_t most, struct journal **journal,
                                 enum journal_ending *ending, struct penrose_error *error);

#endif
