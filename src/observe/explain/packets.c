/* Values in packets, see packets.h. */
#include "observe/explain/packets.h"

#include "noc/packet.h"

void packets_note_sent(struct packet_requests *requests, const struct observed *event)
{
    if (event->packet == NOC_READ && event->back != UINT64_MAX) {
        requests->request[requests->count++ % PACKET_REQUESTS] =
            (struct packet_request){event->address, event->back, event->size, event->node};
    }
}

uint64_t packets_origin(const struct packet_requests *requests, const struct observed *event,
                        uint64_t word)
{
    if (event->packet == NOC_WRITE && event->back != UINT64_MAX) {
        return event->back + word - event->address;
    }
    const uint64_t kept = requests->count < PACKET_REQUESTS ? requests->count : PACKET_REQUESTS;
    for (uint64_t i = 1; event->packet == NOC_READ_RESPONSE && i <= kept; i++) {
        const struct packet_request *request =
            &requests->request[(requests->count - i) % PACKET_REQUESTS];
        if (request->node == event->node && word >= request->to &&
            word - request->to < request->size) {
            return request->from + word - request->to;
        }
    }
    return UINT64_MAX;
}
