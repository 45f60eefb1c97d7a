/* Transactions of several requests, see noc/transaction.h. */
#include "noc/transaction.h"

#include <stdio.h>

enum { END_X = 0, END_Y = 6, START_X = 12, START_Y = 18, COORDINATE = 63, PLACE_TEXT = 40 };
#define IS_SPAN    (UINT32_C(1) << 31)
#define Y_IS_MAJOR (UINT32_C(1) << 30)

uint32_t noc_member_to_tile(uint16_t to)
{
    return to;
}

uint32_t noc_member_to_span(const struct noc_span *span)
{
    return IS_SPAN | (span->y_is_major ? Y_IS_MAJOR : 0) | (uint32_t)span->end_x << END_X |
           (uint32_t)span->end_y << END_Y | (uint32_t)span->start_x << START_X |
           (uint32_t)span->start_y << START_Y;
}

int noc_member_describe(uint32_t to, unsigned noc, char *text, size_t size)
{
    unsigned x = to % GRID_WIDTH, y = to / GRID_WIDTH % GRID_HEIGHT;
    if (to & IS_SPAN) {
        return snprintf(text, size, "(%u, %u) to (%u, %u)%s", to >> START_X & COORDINATE,
                        to >> START_Y & COORDINATE, to >> END_X & COORDINATE,
                        to >> END_Y & COORDINATE, to & Y_IS_MAJOR ? ", y first" : "");
    }
    return snprintf(text, size, "(%u, %u)", noc ? GRID_WIDTH - 1 - x : x,
                    noc ? GRID_HEIGHT - 1 - y : y);
}

/* What the page leaves open: hardware chose the channel of a request that software chose none for,
 * so any other may be the same. */
static bool is_same_channel(uint32_t a, uint32_t b)
{
    return a == b || a == NOC_ANY_CHANNEL || b == NOC_ANY_CHANNEL;
}

static void say_why(const struct niu_transaction *open, const struct noc_member *member,
                    const struct noc_initiator *by, char *text, size_t size)
{
    char to[PLACE_TEXT];
    noc_member_describe(member->to, by->noc, to, sizeof to);
    int length = snprintf(text, size, "NoC %u: this request to raw %s ", by->noc, to);
    size_t used = (size_t)length < size ? (size_t)length : size;
    if (member->to == open->to) {
        length = snprintf(text + used, size - used, "is on virtual channel %u, not %u",
                          member->channel, open->channel);
    } else {
        noc_member_describe(open->to, by->noc, to, sizeof to);
        length =
            snprintf(text + used, size - used, "comes inside a linked transaction to raw %s", to);
    }
    used += (size_t)length < size - used ? (size_t)length : size - used;
    snprintf(text + used, size - used,
             " (begun at pc 0x%08x in cycle %llu): clear bit %d of NOC_CTRL in its last request",
             (unsigned)open->pc, (unsigned long long)open->since, NIU_CTRL_LINKED);
}

bool noc_transaction_take(struct niu *niu, const struct noc_member *member,
                          const struct noc_initiator *by, uint64_t cycle, char *text, size_t size)
{
    struct niu_transaction *open = &niu->transaction;
    if (!open->is_open) {
        *open = (struct niu_transaction){.is_open = member->is_linked,
                                         .to = member->to,
                                         .channel = member->channel,
                                         .since = cycle,
                                         .agent = by->agent,
                                         .pc = by->pc,
                                         .sender = by->sender};
        return true;
    }
    bool belongs = open->to == member->to && is_same_channel(open->channel, member->channel);
    if (!belongs) {
        say_why(open, member, by, text, size);
    }
    open->is_open = belongs && member->is_linked;
    return belongs;
}
