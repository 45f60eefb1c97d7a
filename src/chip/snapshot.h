/*
 * The state of a chip in a snapshot: snapshot_rows.c saves structs by the rows of snapshot.def, and
 * snapshot_state.c walks over a chip. snapshot_stream.h has the bytes, cluster/snapshot.h the format
 * of files.
 *
 * Anybody may have written a snapshot. So nothing that is read is trusted before it was compared
 * with a limit.
 */
#ifndef CHIP_SNAPSHOT_H
#define CHIP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/penrose.h>

#include "chip/snapshot_stream.h"

/* --- What there is to save: snapshot.def --- */

enum snapshot_kind {
    SNAPSHOT_PLAIN,
    SNAPSHOT_LIMIT,
    SNAPSHOT_INNER,
    SNAPSHOT_PAGES,
    SNAPSHOT_LEAVE,  /* this member */
    SNAPSHOT_BESIDE, /* it and all behind it */
    SNAPSHOT_HINTS,  /* no member: the rows behind it are not hashed */
};

struct snapshot_type;

struct snapshot_member {
    const char *name;
    uint32_t offset, size;
    enum snapshot_kind kind;
    uint32_t unit;                    /* of SNAPSHOT_LIMIT: bytes of a number */
    uint64_t most;                    /* of SNAPSHOT_LIMIT */
    const struct snapshot_type *type; /* of SNAPSHOT_INNER */
};

struct snapshot_type {
    const char *name;
    uint32_t size, members;
    bool is_state; /* saved as it lies; members are those with limits, and lead to some */
    const struct snapshot_member *member;
};

/* All of them, for the layout and for tests; NULL past the last. */
const struct snapshot_type *snapshot_type_at(size_t index);

/* Those with which snapshot_state.c begins. */
extern const struct snapshot_type snapshot_type_tile, snapshot_type_tile_weak, snapshot_type_eth,
    snapshot_type_overlay_stream, snapshot_type_noc_packet, snapshot_type_tile_frame,
    snapshot_type_dram_bank, snapshot_type_chip_fault, snapshot_type_penrose_options,
    snapshot_type_penrose_unmodelled, snapshot_type_penrose_chip;

/* A number that says what this build saves, and in which order. */
uint64_t snapshot_layout(void);

/* --- On their way out --- */

void snapshot_put_object(struct snapshot_writer *writer, const struct snapshot_type *type,
                         const void *object);

enum { SNAPSHOT_PAGE = 4096 };
#define SNAPSHOT_NO_MORE UINT64_MAX /* behind the last page */

/* Pages that are not zero, each behind its number; `first` is that of the first. `size` is a
 * multiple of a page. */
void snapshot_put_pages(struct snapshot_writer *writer, const void *memory, size_t size,
                        uint64_t first);

/* All pages of a memory that are not zero. */
void snapshot_put_memory(struct snapshot_writer *writer, const void *memory, size_t size);

/* Is there nothing but zeros to save of it? */
bool snapshot_is_blank(const struct snapshot_type *type, const void *object);

/* Puts a chip, without its links: its cluster's snapshot has them. False when memory runs out. */
bool chip_save(struct snapshot_writer *writer, struct penrose_chip *chip);

/* Puts its links: each one once, of the two ends the lower one. A hash has both. */
void chip_save_links(struct snapshot_writer *writer, const struct penrose_chip *chip);

/* --- On their way in --- */

void snapshot_get_object(struct snapshot_reader *reader, const struct snapshot_type *type,
                         void *object);

/* The number of the next page, above *last if there is *any, and below `pages`; false at the end. */
bool snapshot_next_page(struct snapshot_reader *reader, uint64_t pages, uint64_t *last, bool *any);

/* What snapshot_put_memory has put. Other pages become zero. */
void snapshot_get_memory(struct snapshot_reader *reader, void *memory, size_t size);

/* Makes a chip of what the reader gives, without links. On failure *chip is NULL, and reader->status
 * or *error says why. */
enum penrose_status chip_load_saved(struct snapshot_reader *reader, struct penrose_chip **chip,
                                    struct penrose_error *error);

/* Makes the links of `chip` with itself and with others of its cluster, which are all there. */
void chip_load_links(struct snapshot_reader *reader, struct penrose_chip *chip,
                     struct penrose_chip *const *chips, unsigned count);

/* What Ethernet tiles without a link have must not lead to another end. */
void chip_check_links(struct snapshot_reader *reader, const struct penrose_chip *chip);

#endif
