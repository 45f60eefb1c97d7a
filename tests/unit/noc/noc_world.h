/*
 * The reader's chip: requests written into NIU registers from outside, and a book of what every
 * counter of every NIU must hold. Written from the pages NoC/MemoryMap and NoC/Counters alone; uses
 * the public interface only. Places are named as hosts name them.
 */
#ifndef NOC_WORLD_H
#define NOC_WORLD_H

#include <penrose/penrose.h>

#include "unit/test.h"

enum { G_COUNTERS = 62, G_NOCS = 2, G_WIDTH = 32, G_HEIGHT = 26, G_PACKET = 16384 };

/* NOC_CTRL. */
#define G_READ        UINT32_C(0)
#define G_ATOMIC      UINT32_C(1)
#define G_WRITE       UINT32_C(2)
#define G_ENABLES     (UINT32_C(1) << 2)
#define G_INLINE      (UINT32_C(1) << 3)
#define G_MARKED      (UINT32_C(1) << 4)
#define G_BROADCAST   (UINT32_C(1) << 5)
#define G_LINKED      (UINT32_C(1) << 6)
#define G_STATIC      (UINT32_C(1) << 7)
#define G_RESERVE     (UINT32_C(1) << 8)
#define G_DROP_ACK    (UINT32_C(1) << 9)
#define G_BUDDY       (UINT32_C(1) << 13)
#define G_CLASS(n)    ((uint32_t)(n) << 14)
#define G_Y_MAJOR     (UINT32_C(1) << 16)
#define G_SOURCE_TOO  (UINT32_C(1) << 17)
#define G_PRIORITY(n) ((uint32_t)(n) << 27)
#define G_ACCUMULATE  (UINT32_C(1) << 31)

#define G_ID(n)        ((uint32_t)(n) << 10)
#define G_HEADER_STORE (UINT32_C(1) << 9)

/* Registers, as addresses of the tile they are in. */
#define G_NIU(noc)             (UINT64_C(0xffb20000) + UINT64_C(0x10000) * (noc))
#define G_BUFFER(noc, i)       (G_NIU(noc) + UINT64_C(0x800) * (i))
#define G_CLEAR(noc)           (G_NIU(noc) + 0x60)
#define G_COUNTER(noc, i)      (G_NIU(noc) + 0x200 + UINT64_C(4) * (i))
#define G_OUTSTANDING(noc, id) G_COUNTER(noc, 16 + (id))
#define G_RTZ_CFG(noc)         (G_NIU(noc) + 0x178)
#define G_RTZ_CLR(noc)         (G_NIU(noc) + 0x17c)
#define G_RTZ_NUM(noc)         (G_NIU(noc) + 0x378)
#define G_RTZ_SOURCE(noc)      (G_NIU(noc) + 0x37c)

struct g_place {
    unsigned x, y;
};

static inline uint32_t g_hi(struct g_place at)
{
    return at.x | at.y << 6;
}

static inline uint32_t g_rectangle(struct g_place start, struct g_place end)
{
    return g_hi(end) | g_hi(start) << 12;
}

/* The fields of a request initiator. */
struct g_request {
    unsigned noc, buffer;
    uint64_t targ, ret;
    uint32_t targ_hi, ret_hi, tag, ctrl, length, length_high, data, exclude;
};

/* One that reads at `targ` of a place and writes, or has its response written, at `ret` of another;
 * buffer, tag and data are 0. */
struct g_request g_request_of(uint32_t ctrl, unsigned noc, struct g_place targ_at, uint64_t targ,
                              struct g_place ret_at, uint64_t ret, uint32_t length);

struct g_world {
    struct penrose_chip *chip;
    uint32_t want[G_NOCS][G_WIDTH][G_HEIGHT][G_COUNTERS]; /* what counters must hold */
    bool is_used[G_NOCS][G_WIDTH][G_HEIGHT];
    uint64_t random;
    uint8_t *host; /* what PCIe leads to */
    uint64_t host_base;
    size_t host_size;
};

/* The one of the test that runs. */
extern struct g_world *const world;

/* Begins with a chip with these options (NULL: the defaults) and an empty book. */
void g_open(const struct penrose_options *options);
void g_open_default(void);
void g_close(void); /* also one that is not open */

/* Gives it `size` bytes of host memory from `base` on. */
void g_give_host_memory(uint64_t base, size_t size);

uint32_t g_random(void);
uint32_t g_below(uint32_t limit);
void g_random_bytes(uint8_t *bytes, size_t size);

/* A worker at random; another one than `not_this`. */
struct g_place g_worker(void);
struct g_place g_other_worker(struct g_place not_this);

/* Accesses of the host, which must succeed. */
void g_put(struct g_place at, uint64_t address, const void *bytes, size_t size);
void g_get(struct g_place at, uint64_t address, void *bytes, size_t size);
void g_put_word(struct g_place at, uint64_t address, uint32_t value);
uint32_t g_word(struct g_place at, uint64_t address);

/* Fills memory with random bytes; *bytes (may be NULL) is a copy of them. */
void g_scatter(struct g_place at, uint64_t address, uint8_t *bytes, size_t size);

/* Fails the test unless memory holds these bytes. */
void g_expect_bytes(struct g_place at, uint64_t address, const uint8_t *bytes, size_t size,
                    const char *what);

/* Writes all registers of the request and its NOC_CMD_CTRL; the chip does not run. */
void g_issue(struct g_place from, const struct g_request *request);

/* Runs until nothing can happen; there must be no fault but warnings of one kind
 * (PENROSE_FAULT_KINDS: none). */
void g_settle(void);
void g_settle_with(enum penrose_fault_kind warning);

/* g_issue, g_settle. */
void g_do(struct g_place from, const struct g_request *request);

/* Enters into the book what one request does to counters: it goes from `from` to each of `to`, and
 * responses to `answer`. Its data start at a multiple of 64. */
void g_book(struct g_place from, const struct g_request *request, const struct g_place *to,
            unsigned receivers, struct g_place answer);

/* The same for a unicast whose HI registers name its places. */
void g_book_unicast(struct g_place from, const struct g_request *request);

/* Compares every counter of every NIU in the book. */
void g_audit(const char *what);

/* Issues the request, runs, and fails the test unless this is a fault of the tile `from` of one of
 * the kinds in the bit mask, with a text that names a thing and is short enough. Clears it. */
void g_expect_fault(struct g_place from, const struct g_request *request, uint64_t kinds,
                    const char *what);

#define G_KIND(token) (UINT64_C(1) << PENROSE_FAULT_##token)

#endif
