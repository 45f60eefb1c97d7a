/* The store of decoded pages, see rv32/code.h. */
#include "rv32/code.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "rv32/decode.h"

enum { STORE_BUCKETS = 4096, LEAST_SWEEP = 4096, LATEST = 1024 };

struct rv32_code_store {
    struct isa_index index;
    const struct rv32_decoder *decoder;
    struct rv32_page *bucket[STORE_BUCKETS];
    struct rv32_page *latest[LATEST]; /* that was taken for a number: tiles run the same programs */
    size_t pages;
    size_t sweep_at; /* when there are this many pages, unused ones are freed */
    uint64_t decodings;
    bool shared;
    pthread_mutex_t mutex; /* for changes of anything above while it is shared */
};

struct rv32_code_store *rv32_code_store_create(const struct rv32_decoder *decoder)
{
    struct rv32_code_store *store = calloc(1, sizeof *store);
    if (store && !rv32_index_build(&store->index)) {
        free(store);
        return NULL;
    }
    if (store) {
        store->decoder = decoder;
        store->sweep_at = LEAST_SWEEP;
        pthread_mutex_init(&store->mutex, NULL);
    }
    return store;
}

void rv32_code_store_destroy(struct rv32_code_store *store)
{
    if (!store) {
        return;
    }
    for (unsigned i = 0; i < STORE_BUCKETS; i++) {
        for (struct rv32_page *page = store->bucket[i], *next; page; page = next) {
            next = page->next;
            free(page);
        }
    }
    isa_index_free(&store->index);
    pthread_mutex_destroy(&store->mutex);
    free(store);
}

const struct isa_index *rv32_code_store_index(const struct rv32_code_store *store)
{
    return &store->index;
}

size_t rv32_code_store_pages(const struct rv32_code_store *store)
{
    return store->pages;
}

uint64_t rv32_code_store_decodings(const struct rv32_code_store *store)
{
    return store->decodings;
}

/* Frees pages that no map uses; doubles the limit when most are in use. */
static void sweep(struct rv32_code_store *store)
{
    memset(store->latest, 0, sizeof store->latest);
    for (unsigned i = 0; i < STORE_BUCKETS; i++) {
        for (struct rv32_page **link = &store->bucket[i]; *link;) {
            struct rv32_page *page = *link;
            if (page->users) {
                link = &page->next;
                continue;
            }
            *link = page->next;
            free(page);
            store->pages--;
        }
    }
    store->sweep_at = store->pages * 2 > LEAST_SWEEP ? store->pages * 2 : LEAST_SWEEP;
}

void rv32_code_store_share(struct rv32_code_store *store, bool shared)
{
    store->shared = shared;
    if (!shared && store->pages >= store->sweep_at) {
        sweep(store);
    }
}

/* Four sums side by side, since each step of one waits for a multiplication. */
static uint64_t hash_words(const uint32_t *words)
{
    enum { LANES = 4, LANE_WORDS = 2 };
    uint64_t hash[LANES] = {1, 2, 3, 4};
    for (unsigned i = 0; i < RV32_PAGE_OPS; i += LANES * LANE_WORDS) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint64_t pair;
            memcpy(&pair, words + i + lane * LANE_WORDS, sizeof pair);
            hash[lane] = (hash[lane] ^ pair) * UINT64_C(0xff51afd7ed558ccd);
            hash[lane] ^= hash[lane] >> 32;
        }
    }
    uint64_t all = UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned lane = 0; lane < LANES; lane++) {
        all = (all ^ hash[lane]) * UINT64_C(0xff51afd7ed558ccd);
        all ^= all >> 32;
    }
    return all;
}

static struct rv32_page *decode_page(struct rv32_code_store *store, const uint32_t *words,
                                     uint64_t hash)
{
    struct rv32_page *page = malloc(sizeof *page);
    if (!page) {
        return NULL;
    }
    memcpy(page->words, words, sizeof page->words);
    for (unsigned i = 0; i < RV32_PAGE_OPS; i++) {
        int row;
        page->ops[i] = store->decoder->decode(&store->index, words[i], i, &row);
        page->rows[i] = (int16_t)row;
    }
    page->ops[RV32_PAGE_OPS] = (struct rv32_op){.run = store->decoder->page_end};
    page->hash = hash;
    page->users = 0;
    store->decodings++;
    return page;
}

/* Needs no lock: a page is complete before it stands in its bucket, and stays there while the store
 * is shared. */
static struct rv32_page *find_page(struct rv32_code_store *store, const uint32_t *words,
                                   uint64_t hash)
{
    struct rv32_page *page =
        __atomic_load_n(&store->bucket[hash % STORE_BUCKETS], __ATOMIC_ACQUIRE);
    while (page && (page->hash != hash || memcmp(page->words, words, sizeof page->words) != 0)) {
        page = page->next;
    }
    return page;
}

/* Finds the page or makes it. */
static struct rv32_page *add_page(struct rv32_code_store *store, const uint32_t *words,
                                  uint64_t hash)
{
    struct rv32_page *page = find_page(store, words, hash); /* another thread may have made it */
    if (page) {
        return page;
    }
    if (store->pages >= store->sweep_at && !store->shared) {
        sweep(store);
    }
    page = decode_page(store, words, hash);
    if (page) {
        struct rv32_page **bucket = &store->bucket[hash % STORE_BUCKETS];
        page->next = *bucket;
        __atomic_store_n(bucket, page, __ATOMIC_RELEASE);
        store->pages++;
    }
    return page;
}

static void release_page(struct rv32_page *page)
{
    __atomic_sub_fetch(&page->users, 1, __ATOMIC_RELAXED);
}

/* Tells the owner of the map whether writes to these bytes must be told. */
static void mark_page(struct rv32_code *code, uint32_t number, bool is_decoded)
{
    uint8_t *mark = code->marks + (((size_t)number << RV32_PAGE_SHIFT) >> RV32_L1_MARK_SHIFT);
    for (unsigned i = 0; i < RV32_PAGE_BYTES >> RV32_L1_MARK_SHIFT; i++) {
        mark[i] = (uint8_t)(is_decoded ? mark[i] | RV32_MARK_CODE : mark[i] & ~RV32_MARK_CODE);
    }
}

static struct rv32_page *put_aside(struct rv32_page *page)
{
    return (struct rv32_page *)((uintptr_t)page | 1);
}

/* The page of an entry, aside or not. */
static struct rv32_page *page_of(struct rv32_page *entry)
{
    return (struct rv32_page *)((uintptr_t)entry & ~(uintptr_t)1);
}

static struct rv32_page *add_page_alone(struct rv32_code_store *store, const uint32_t *words,
                                        uint64_t hash)
{
    if (!store->shared) {
        return add_page(store, words, hash);
    }
    pthread_mutex_lock(&store->mutex);
    struct rv32_page *page = add_page(store, words, hash);
    pthread_mutex_unlock(&store->mutex);
    return page;
}

static struct rv32_page *find_or_add(struct rv32_code_store *store, const uint32_t *words)
{
    uint64_t hash = hash_words(words);
    struct rv32_page *page = find_page(store, words, hash);
    return page ? page : add_page_alone(store, words, hash);
}

/* The page of these bytes, the `number`th of L1, of which the map becomes a user. */
static struct rv32_page *take_page(struct rv32_code_store *store, uint32_t number,
                                   const uint32_t *words)
{
    struct rv32_page **latest = &store->latest[number % LATEST];
    struct rv32_page *page = __atomic_load_n(latest, __ATOMIC_ACQUIRE);
    if (!page || memcmp(page->words, words, sizeof page->words) != 0) {
        page = find_or_add(store, words);
        __atomic_store_n(latest, page, __ATOMIC_RELEASE);
    }
    if (page) {
        __atomic_add_fetch(&page->users, 1, __ATOMIC_RELAXED);
    }
    return page;
}

/* The map reaches as far as page `number`. */
static void widen(struct rv32_code *code, uint32_t number)
{
    uint32_t end = code->first + code->span;
    code->first = code->span == 0 || number < code->first ? number : code->first;
    code->span = (number >= end ? number + 1 : end) - code->first;
}

const struct rv32_page *rv32_code_decode(struct rv32_code *code, uint32_t number)
{
    uint32_t words[RV32_PAGE_OPS];
    bool is_new = number - code->first >= code->span;
    const uint8_t *bytes = code->l1 + ((size_t)number << RV32_PAGE_SHIFT);
    struct rv32_page *page = is_new ? NULL : page_of(code->map[number]);
    memcpy(words, bytes, sizeof words);
    if (!page || memcmp(page->words, words, sizeof words)) {
        struct rv32_page *taken = take_page(code->store, number, words);
        if (!taken) {
            return NULL;
        }
        if (page) {
            release_page(page);
        }
        page = taken;
    }
    code->map[number] = page;
    if (is_new) {
        widen(code, number);
    }
    mark_page(code, number, true);
    return page;
}

static void replace_entry(struct rv32_code *code, uint32_t number, struct rv32_page *entry)
{
    code->map[number] = entry;
    code->stale = true;
    mark_page(code, number, false);
}

void rv32_code_written(struct rv32_code *code, uint32_t address, uint32_t size)
{
    if (!size) {
        return;
    }
    uint32_t last = (address + size - 1) >> RV32_PAGE_SHIFT;
    for (uint32_t number = address >> RV32_PAGE_SHIFT; number <= last && number < code->pages;
         number++) {
        if (rv32_code_is_decoded(code, number)) {
            replace_entry(code, number, put_aside(code->map[number]));
        }
    }
}

void rv32_code_invalidate(struct rv32_code *code)
{
    for (uint32_t number = code->first; number - code->first < code->span; number++) {
        if (code->map[number]) {
            release_page(page_of(code->map[number]));
            replace_entry(code, number, NULL);
        }
    }
    code->first = code->span = 0;
}
