/*
 * Transactions of several requests: NOC_CMD_VC_LINKED says that another one follows. SPEC:
 * BlackholeA0 NoC/MemoryMap, NOC_CTRL.
 *
 * While a transaction is open its NIU sends nothing else: all requests go to its destination on its
 * virtual channel. Requests of the overlay wait for a transaction of the request initiators, and
 * the other way round.
 */
#ifndef NOC_TRANSACTION_H
#define NOC_TRANSACTION_H

#include "noc/request.h"

/* One request, as far as transactions are concerned. */
struct noc_member {
    uint32_t to; /* noc_member_to_tile or noc_member_to_span */
    uint8_t channel;
    bool is_linked;
};

/* Destinations as a word: the tile at place `to`, or a rectangle with its major axis. */
uint32_t noc_member_to_tile(uint16_t to);
uint32_t noc_member_to_span(const struct noc_span *span);

/* Must `sender` (0: the request initiators, else 1 + a stream) wait for the end of a transaction of
 * somebody else? */
static inline bool noc_transaction_holds(const struct niu *niu, unsigned sender)
{
    return niu->transaction.is_open && niu->transaction.sender != sender;
}

/*
 * The next request of the NIU's owner: begins a transaction, goes on with it, or ends it.
 * False: it does not belong to the one that is open, and `text` says why; that one counts as ended
 * then.
 */
bool noc_transaction_take(struct niu *niu, const struct noc_member *member,
                          const struct noc_initiator *by, uint64_t cycle, char *text, size_t size);

/* "(1, 2)" or "(1, 2) to (3, 4)", raw coordinates on NoC `noc`. Returns the length of the text. */
int noc_member_describe(uint32_t to, unsigned noc, char *text, size_t size);

#endif
