/*
 * Decoded code. L1 is cut into pages of 256 bytes; a page is decoded when a hart first executes
 * from it, and harts (of all tiles of a chip) that execute the same bytes share the decoded page. A
 * page is immutable. A write to its bytes in L1 puts it aside in the writer's map. If a hart comes
 * back and the bytes are the same, because a program was loaded once more, the page is used again.
 *
 * rv32_code is one agent's map from L1 pages to decoded pages; rv32_code_store owns the pages. A hart
 * with an instruction RAM has a map of that, too: its bytes are L1 to the map, from address `base` on.
 */
#ifndef RV32_CODE_H
#define RV32_CODE_H

#include "rv32/rv32.h"

enum { RV32_PAGE_SHIFT = 8, RV32_PAGE_BYTES = 1 << RV32_PAGE_SHIFT, RV32_PAGE_OPS = 64 };

struct rv32_code_store;

struct rv32_code {
    struct rv32_page **map; /* one entry a page of L1, NULL: not decoded; see rv32_code_is_aside */
    uint32_t pages;
    uint8_t *l1;    /* or a hart's instruction RAM */
    uint32_t base;  /* the address of page 0 */
    uint8_t *marks; /* the owner's l1_marks: RV32_MARK_CODE is set where pages are mapped */
    struct rv32_code_store *store;
    uint32_t first, span; /* pages outside of [first, first + span) are not mapped; nobody looks at
                             their entries, for which the host need make no room */
    bool stale;           /* the running burst's page was put aside: look it up again */
};

/* Bits of l1_marks. Owners may use the others. */
enum { RV32_MARK_CODE = 1 };

struct rv32_op;

/* A handler returns the cycles that are left; hart->op is then the op to go on with. */
typedef int64_t rv32_handler(struct rv32_hart *hart, const struct rv32_op *op, int64_t left);

/* How words become ops. */
struct rv32_decoder {
    /* The op for `word` at op `position` of its page; *row is set to its row number or -1. */
    struct rv32_op (*decode)(const struct isa_index *index, uint32_t word, unsigned position,
                             int *row);
    rv32_handler *page_end; /* behind the last op of a page */
};

/* That of the chip's harts (decode.c). */
extern const struct rv32_decoder rv32_chip_decoder;

/* A store of pages that the decoder makes; NULL when memory runs out. Destroy after all maps that use
 * it. Maps of one store may be used on several threads at the same time, while it is shared. */
struct rv32_code_store *rv32_code_store_create(const struct rv32_decoder *decoder);

/* While a store is shared no page is freed; afterwards those that nobody uses are, if there are
 * many. */
void rv32_code_store_share(struct rv32_code_store *store, bool shared);
void rv32_code_store_destroy(struct rv32_code_store *store);

/* The instruction index that the store decodes with; lives as long as the store. */
const struct isa_index *rv32_code_store_index(const struct rv32_code_store *store);

/* Is the page of this entry put aside? Such entries are odd. */
static inline bool rv32_code_is_aside(const struct rv32_page *entry)
{
    return (uintptr_t)entry & 1;
}

/* Is L1 page `number` decoded, as it is now? False for numbers beyond L1. */
static inline bool rv32_code_is_decoded(const struct rv32_code *code, uint32_t number)
{
    return number - code->first < code->span && code->map[number] &&
           !rv32_code_is_aside(code->map[number]);
}

/* Can a hart fetch from `address`, as far as this map goes? NULL: there is no map. */
static inline bool rv32_code_has(const struct rv32_code *code, uint32_t address)
{
    return code && (address - code->base) >> RV32_PAGE_SHIFT < code->pages;
}

/* Decodes L1 page `number` into the map; NULL when memory runs out. */
const struct rv32_page *rv32_code_decode(struct rv32_code *code, uint32_t number);

/* The decoded page of L1 page `number` (below code->pages); NULL when memory runs out. */
static inline const struct rv32_page *rv32_code_page(struct rv32_code *code, uint32_t number)
{
    return rv32_code_is_decoded(code, number) ? code->map[number] : rv32_code_decode(code, number);
}

/* Forgets what was decoded from [address, address + size), counted from `base`. Call after (or before) writing there. */
void rv32_code_written(struct rv32_code *code, uint32_t address, uint32_t size);

/* Forgets everything: the instruction-cache invalidation registers. */
void rv32_code_invalidate(struct rv32_code *code);

/* Decoded pages in the store, and the number of decodings done so far (for tests and reports). */
size_t rv32_code_store_pages(const struct rv32_code_store *store);
uint64_t rv32_code_store_decodings(const struct rv32_code_store *store);

#endif
