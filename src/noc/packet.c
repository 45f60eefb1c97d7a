/* Packets, pools and queues; see noc/packet.h. */
#include "noc/packet.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_SPARE = 256,
    MOST_SPARE_BYTES = 128 << 10,
    LEAST_ROOM = 256, /* and each next one is twice as large */
};

struct noc_packet *noc_packet_new(struct noc_pool *pool)
{
    struct noc_packet *packet = pool->spare;
    if (!packet) {
        return calloc(1, sizeof *packet);
    }
    pool->spare = packet->next;
    pool->count--;
    memset(packet, 0, sizeof *packet);
    return packet;
}

static unsigned room_number(uint32_t size)
{
    unsigned number = 0;
    for (uint32_t room = LEAST_ROOM; room < size; room *= 2) {
        number++;
    }
    return number;
}

static struct noc_data *take_data(struct noc_pool *pool, uint32_t size)
{
    unsigned number = room_number(size);
    if (number >= NOC_ROOMS) {
        return NULL;
    }
    struct noc_data *data = pool->data[number];
    if (data) {
        pool->data[number] = data->next;
        pool->data_bytes -= data->room;
        return data;
    }
    uint32_t room = (uint32_t)LEAST_ROOM << number;
    data = malloc(sizeof *data + room);
    if (data) {
        data->room = room;
    }
    return data;
}

static void drop_data(struct noc_pool *pool, struct noc_packet *packet)
{
    struct noc_data *data = packet->data;
    packet->data = NULL;
    if (!data || __atomic_sub_fetch(&data->users, 1, __ATOMIC_ACQ_REL) != 0) {
        return;
    }
    if (pool->data_bytes + data->room > MOST_SPARE_BYTES) {
        free(data);
        return;
    }
    unsigned number = room_number(data->room);
    data->next = pool->data[number];
    pool->data[number] = data;
    pool->data_bytes += data->room;
}

void noc_packet_free(struct noc_pool *pool, struct noc_packet *packet)
{
    if (!packet) {
        return;
    }
    drop_data(pool, packet);
    if (pool->count >= MOST_SPARE) {
        free(packet);
        return;
    }
    packet->next = pool->spare;
    pool->spare = packet;
    pool->count++;
}

void noc_pool_empty(struct noc_pool *pool)
{
    for (struct noc_packet *packet = pool->spare, *next; packet; packet = next) {
        next = packet->next;
        free(packet);
    }
    for (unsigned i = 0; i < NOC_ROOMS; i++) {
        for (struct noc_data *data = pool->data[i], *next; data; data = next) {
            next = data->next;
            free(data);
        }
    }
    *pool = (struct noc_pool){0};
}

uint8_t *noc_packet_room(struct noc_pool *pool, struct noc_packet *packet, uint32_t size)
{
    struct noc_data *data = packet->data;
    bool is_own = data && __atomic_load_n(&data->users, __ATOMIC_ACQUIRE) == 1;
    if (is_own && size <= data->room && size > sizeof packet->word) {
        return data->bytes;
    }
    drop_data(pool, packet);
    if (size <= sizeof packet->word) {
        return (uint8_t *)&packet->word;
    }
    data = take_data(pool, size);
    if (!data) {
        return NULL;
    }
    data->users = 1;
    packet->data = data;
    return data->bytes;
}

struct noc_packet *noc_packet_copy(struct noc_pool *pool, const struct noc_packet *packet)
{
    struct noc_packet *copy = noc_packet_new(pool);
    if (copy) {
        *copy = *packet;
        copy->next = NULL;
        if (copy->data) {
            __atomic_add_fetch(&copy->data->users, 1, __ATOMIC_RELAXED);
        }
    }
    return copy;
}

static bool is_before(const struct noc_packet *a, const struct noc_packet *b)
{
    return a->arrival != b->arrival ? a->arrival < b->arrival
           : a->order != b->order   ? a->order < b->order
                                    : a->to < b->to;
}

/* Merges two lists in order. */
static struct noc_packet *merge(struct noc_packet *a, struct noc_packet *b)
{
    struct noc_packet *first = NULL, **link = &first;
    while (a && b) {
        struct noc_packet **least = is_before(a, b) ? &a : &b;
        *link = *least;
        link = &(*least)->next;
        *least = *link;
    }
    *link = a ? a : b;
    return first;
}

/* Sorts what was put last; runs[i] holds a sorted list of 2^i packets, or none. */
static struct noc_packet *sort(struct noc_packet *list)
{
    enum { RUNS = 40 };
    struct noc_packet *runs[RUNS], *sorted = NULL;
    unsigned used = 0;
    while (list) {
        struct noc_packet *run = list;
        list = list->next;
        run->next = NULL;
        unsigned i = 0;
        for (; i < used && runs[i]; i++) {
            run = merge(runs[i], run);
            runs[i] = NULL;
        }
        runs[i] = run;
        used = i < used ? used : i + 1;
    }
    for (unsigned i = 0; i < used; i++) {
        sorted = merge(runs[i], sorted);
    }
    return sorted;
}

bool noc_packet_turn_void(struct noc_packet *packet, uint16_t from)
{
    packet->is_void = true;
    packet->kind += NOC_READ_RESPONSE - NOC_READ; /* in the same order */
    packet->from = from;
    packet->to = packet->back;
    packet->address = packet->back_address;
    packet->channel = NOC_ANY_CHANNEL;
    return packet->wants_response;
}

void noc_queue_put(struct noc_queue *queue, struct noc_packet *packet)
{
    packet->next = NULL;
    if (queue->fresh) {
        queue->is_mixed |= is_before(packet, queue->fresh_tail);
        queue->fresh_tail->next = packet;
    } else {
        queue->fresh = packet;
    }
    queue->fresh_tail = packet;
    if (packet->arrival < queue->earliest) {
        queue->earliest = packet->arrival;
    }
}

/* Brings what was put since the last time into order with the rest. */
static void settle(struct noc_queue *queue)
{
    struct noc_packet *fresh = queue->is_mixed ? sort(queue->fresh) : queue->fresh;
    queue->head = queue->head ? merge(queue->head, fresh) : fresh;
    queue->fresh = NULL;
    queue->is_mixed = false;
}

struct noc_packet *noc_queue_take(struct noc_queue *queue, uint64_t end)
{
    if (queue->earliest >= end) {
        return NULL;
    }
    if (queue->fresh) {
        settle(queue);
    }
    struct noc_packet *packet = queue->head;
    if (!packet) { /* it was never initialised: all zero */
        return NULL;
    }
    queue->head = packet->next;
    queue->earliest = queue->head ? queue->head->arrival : UINT64_MAX;
    packet->next = NULL;
    return packet;
}

void noc_queue_return(struct noc_queue *queue, struct noc_packet *packet)
{
    packet->next = queue->head;
    queue->head = packet;
    queue->earliest = packet->arrival;
}

void noc_queue_free(struct noc_queue *queue, struct noc_pool *pool)
{
    for (struct noc_packet *packet; (packet = noc_queue_take(queue, UINT64_MAX));) {
        noc_packet_free(pool, packet);
    }
}

void noc_list_append(struct noc_list *list, struct noc_packet *packet)
{
    packet->next = NULL;
    if (list->tail) {
        list->tail->next = packet;
    } else {
        list->head = packet;
    }
    list->tail = packet;
}

struct noc_packet *noc_list_take(struct noc_list *list)
{
    struct noc_packet *packet = list->head;
    if (packet) {
        list->head = packet->next;
        list->tail = list->head ? list->tail : NULL;
        packet->next = NULL;
    }
    return packet;
}
