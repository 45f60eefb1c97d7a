/* Arriving packets, see noc/serve.h. */
#include "noc/serve.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "addresses.h"
#include "noc/atomic.h"

enum { HEADER_BYTES = 16, WORD_BYTES = 4, LINE_BYTES = 16 /* of L1 */ };

/* --- Rules --- */

__attribute__((format(printf, 4, 5))) static void refuse(const struct noc_target *target,
                                                         struct noc_packet *packet,
                                                         enum penrose_fault_kind kind,
                                                         const char *format, ...)
{
    static const char *const names[] = {
        "read", "write", "atomic", "read response", "write acknowledgement", "atomic response"};
    char text[200];
    int length = snprintf(
        text, sizeof text, "NoC %u, %s of %u bytes at 0x%llx of %s: ", packet->noc,
        names[packet->kind], packet->size, (unsigned long long)packet->address, target->name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    va_end(arguments);
    target->fault(target->owner, packet, kind, text);
    noc_packet_free(target->pool, packet);
}

static bool is_register(const struct noc_target *target, uint64_t address)
{
    uint64_t again = address - target->registers_again;
    return target->has_registers && ((address >= AT_NOC_REGISTERS && address <= UINT32_MAX) ||
                                     (again >= AT_NOC_REGISTERS && again <= UINT32_MAX));
}

/* Does data between `here` (in the target) and `there` (at the initiator) go together? With byte
 * enables only where registers are, whose words they are then. */
static bool is_aligned(const struct noc_target *target, struct noc_packet *packet, unsigned modulus)
{
    uint64_t here = packet->address, there = packet->back_address;
    bool here_register = is_register(target, here);
    bool there_register = there >= AT_NOC_REGISTERS && there <= UINT32_MAX;
    bool to_register = packet->kind == NOC_READ ? there_register : here_register;
    uint32_t size = packet->has_enables ? WORD_BYTES : packet->size;
    if (to_register && (size != WORD_BYTES || (here | there) & 3)) {
        refuse(target, packet, PENROSE_FAULT_NOC_LENGTH,
               "a register takes aligned words of 4 bytes (the other end is 0x%llx)",
               (unsigned long long)there);
        return false;
    }
    if ((here_register || there_register) && size > WORD_BYTES - (here & 3)) {
        refuse(target, packet, PENROSE_FAULT_NOC_LENGTH,
               "an access of registers stays within a word of 4 bytes");
        return false;
    }
    bool from_register = packet->kind == NOC_READ ? here_register : there_register;
    modulus = from_register ? 4 : to_register ? LINE_BYTES : modulus;
    if ((here ^ there) & (modulus - 1)) {
        refuse(target, packet, PENROSE_FAULT_NOC_ALIGNMENT,
               "the addresses of both ends must be equal modulo %u; the other one is 0x%llx",
               modulus, (unsigned long long)there);
        return false;
    }
    return true;
}

/* --- Ways back --- */

static void turn_round(const struct noc_target *target, struct noc_packet *packet,
                       enum noc_kind kind, uint64_t cycle)
{
    packet->kind = (uint8_t)kind;
    packet->from = target->here;
    packet->to = packet->back;
    packet->address = packet->back_address;
    packet->channel = NOC_ANY_CHANNEL;
    target->send(target->owner, packet, cycle);
}

static void count(const struct noc_target *target, enum niu_counter counter, uint32_t by)
{
    if (target->niu) {
        niu_count(target->niu, counter, by);
    }
}

/* --- Requests --- */

static bool serve_read(const struct noc_target *target, struct noc_packet *packet, uint64_t cycle)
{
    const char *rule = NULL;
    if (!is_aligned(target, packet, target->read_alignment)) {
        return true;
    }
    uint8_t *bytes = noc_packet_room(target->pool, packet, packet->size);
    if (!bytes) {
        refuse(target, packet, PENROSE_FAULT_NOC_COMMAND, "the host has no memory");
        return true;
    }
    enum noc_answer answer =
        target->read(target->owner, packet->address, bytes, packet->size, cycle, &rule);
    if (answer == NOC_WAITS) {
        return false;
    }
    count(target, NIU_SLV_REQ_ACCEPTED, 1);
    count(target, NIU_SLV_RD_REQ_RECEIVED, 1);
    if (answer == NOC_REFUSED) {
        refuse(target, packet, PENROSE_FAULT_NOC_ADDRESS, "%s", rule);
        return true;
    }
    count(target, NIU_SLV_RD_RESP_SENT, 1);
    count(target, NIU_SLV_RD_DATA_WORD_SENT, noc_packet_flits(packet, packet->back_address));
    target->changed(target->owner, packet->noc, cycle);
    turn_round(target, packet, NOC_READ_RESPONSE, cycle);
    return true;
}

/* SPEC: MemoryMap, NOC_CMD_WR_BE: runs of enabled bytes of an aligned block; a register takes its
 * word whatever the mask says. The last run first: if the block leaves the memory, that is the one
 * that is refused, and nothing has been written. */
static enum noc_answer write_enabled(const struct noc_target *target,
                                     const struct noc_packet *packet, uint64_t cycle,
                                     const char **rule)
{
    const uint8_t *bytes = noc_packet_bytes(packet);
    uint64_t block = packet->address & ~UINT64_C(15);
    if (is_register(target, packet->address)) {
        return target->write(target->owner, packet->address, bytes + packet->address % LINE_BYTES,
                             WORD_BYTES, cycle, rule);
    }
    for (unsigned end = NOC_MOST_ENABLED; end > 0;) {
        if (!(packet->enables >> (end - 1) & 1)) {
            end--;
            continue;
        }
        unsigned at = end - 1;
        while (at > 0 && packet->enables >> (at - 1) & 1) {
            at--;
        }
        enum noc_answer answer =
            target->write(target->owner, block + at, bytes + at, end - at, cycle, rule);
        if (answer != NOC_ANSWERED) {
            return answer;
        }
        end = at;
    }
    return NOC_ANSWERED;
}

static enum noc_answer write_data(const struct noc_target *target, const struct noc_packet *packet,
                                  uint64_t cycle, const char **rule)
{
    const uint8_t *bytes = noc_packet_bytes(packet);
    bool stores_header = packet->stores_header && !target->drops_headers;
    uint64_t header_at = (uint64_t)packet->operation << 4;
    uint8_t header[HEADER_BYTES];
    enum noc_answer answer = NOC_ANSWERED;
    if (stores_header) { /* refused before anything has been written */
        answer = target->read(target->owner, header_at, header, sizeof header, cycle, rule);
    }
    if (answer == NOC_ANSWERED) {
        answer = packet->has_enables ? write_enabled(target, packet, cycle, rule)
                                     : target->write(target->owner, packet->address, bytes,
                                                     packet->size, cycle, rule);
    }
    if (answer == NOC_ANSWERED && stores_header) {
        memset(header, 0, sizeof header);
        memcpy(header, bytes, packet->size < HEADER_BYTES ? packet->size : HEADER_BYTES);
        answer = target->write(target->owner, header_at, header, sizeof header, cycle, rule);
    }
    return answer;
}

static void count_write(const struct noc_target *target, const struct noc_packet *packet)
{
    bool marked = packet->wants_response;
    uint32_t flits = noc_packet_flits(packet, packet->address);
    count(target, marked ? NIU_SLV_NONPOSTED_WR_REQ_STARTED : NIU_SLV_POSTED_WR_REQ_STARTED, 1);
    count(target, marked ? NIU_SLV_NONPOSTED_WR_REQ_RECEIVED : NIU_SLV_POSTED_WR_REQ_RECEIVED, 1);
    count(target,
          marked ? NIU_SLV_NONPOSTED_WR_DATA_WORD_RECEIVED : NIU_SLV_POSTED_WR_DATA_WORD_RECEIVED,
          flits);
}

static bool check_write(const struct noc_target *target, struct noc_packet *packet)
{
    if (packet->is_inline) {
        if (!is_register(target, packet->address)) {
            refuse(target, packet, PENROSE_FAULT_NOC_INLINE,
                   "inline data reach registers only: stage them in L1 and write from there");
            return false;
        }
        if (packet->address & 3) {
            refuse(target, packet, PENROSE_FAULT_NOC_ALIGNMENT,
                   "a register takes aligned words of 4 bytes");
            return false;
        }
        return true;
    }
    bool is_block = packet->has_enables && !is_register(target, packet->address);
    return is_block || is_aligned(target, packet, target->write_alignment);
}

static bool serve_write(const struct noc_target *target, struct noc_packet *packet, uint64_t cycle)
{
    const char *rule = NULL;
    if (!check_write(target, packet)) {
        return true;
    }
    enum noc_answer answer = write_data(target, packet, cycle, &rule);
    if (answer == NOC_WAITS) {
        return false;
    }
    count_write(target, packet);
    if (answer == NOC_REFUSED) {
        refuse(target, packet, PENROSE_FAULT_NOC_ADDRESS, "%s", rule);
        return true;
    }
    if (packet->tag & NOC_TAG_TO_OVERLAY && target->deliver) {
        target->deliver(target->owner, packet, cycle);
    }
    target->changed(target->owner, packet->noc, cycle);
    if (!packet->wants_response) {
        noc_packet_free(target->pool, packet);
        return true;
    }
    count(target, NIU_SLV_WR_ACK_SENT, 1);
    turn_round(target, packet, NOC_WRITE_ACK, cycle);
    return true;
}

static bool serve_atomic(const struct noc_target *target, struct noc_packet *packet, uint64_t cycle)
{
    uint64_t at = packet->address & ~UINT64_C(15);
    uint8_t *line = target->line ? target->line(target->owner, at) : NULL;
    if (!line) {
        refuse(target, packet, PENROSE_FAULT_NOC_ADDRESS,
               "atomics reach the L1 of Tensix and Ethernet tiles only");
        return true;
    }
    const char *unknown = noc_atomic_unknown(packet->operation);
    if (unknown) {
        refuse(target, packet, PENROSE_FAULT_UNIMPLEMENTED, "%s", unknown);
        return true;
    }
    const char *rule = noc_atomic(line, packet->address % LINE_BYTES, packet->operation,
                                  packet->word, &packet->word);
    if (rule) {
        refuse(target, packet, PENROSE_FAULT_NOC_COMMAND, "%s", rule);
        return true;
    }
    target->line_written(target->owner, at, cycle);
    bool marked = packet->wants_response;
    count(target, NIU_SLV_REQ_ACCEPTED, 1);
    count(target, marked ? NIU_SLV_NONPOSTED_ATOMIC_RECEIVED : NIU_SLV_POSTED_ATOMIC_RECEIVED, 1);
    target->changed(target->owner, packet->noc, cycle);
    if (!marked) {
        noc_packet_free(target->pool, packet);
        return true;
    }
    count(target, NIU_SLV_ATOMIC_RESP_SENT, 1);
    turn_round(target, packet, NOC_ATOMIC_RESPONSE, cycle);
    return true;
}

/* --- Responses --- */

/* One request of the transaction id is over. */
static void release(const struct noc_target *target, const struct noc_packet *packet)
{
    unsigned id = noc_transaction(packet);
    if (!target->niu) {
        return;
    }
    uint32_t outstanding = niu_outstanding(target->niu, id);
    if (outstanding == 0 && packet->origin != target->here) {
        char text[160];
        snprintf(text, sizeof text,
                 "NoC %u: %s gets a response of transaction id %u and waits for none: the return "
                 "coordinates are not the initiator's",
                 packet->noc, target->name, id);
        target->fault(target->owner, packet, PENROSE_FAULT_NOC_CREDIT, text);
    }
    niu_set_outstanding(target->niu, id, outstanding - 1);
}

/* The response `kind` to a packet has come, its data to `address`. */
static void complete(const struct noc_target *target, const struct noc_packet *packet,
                     enum noc_kind kind, uint64_t address, uint64_t cycle)
{
    switch (kind) {
    case NOC_READ_RESPONSE:
        count(target, NIU_MST_RD_RESP_RECEIVED, 1);
        count(target, NIU_MST_RD_DATA_WORD_RECEIVED, noc_packet_flits(packet, address));
        break;
    case NOC_WRITE_ACK:
        count(target, NIU_MST_WR_ACK_RECEIVED, 1);
        break;
    default:
        count(target, NIU_MST_ATOMIC_RESP_RECEIVED, 1);
        break;
    }
    release(target, packet);
    target->changed(target->owner, packet->noc, cycle);
}

static bool serve_response(const struct noc_target *target, struct noc_packet *packet,
                           uint64_t cycle)
{
    const char *rule = NULL;
    enum noc_answer answer = NOC_ANSWERED;
    if (packet->kind == NOC_ATOMIC_RESPONSE && !target->line) {
        refuse(target, packet, PENROSE_FAULT_NOC_ADDRESS,
               "the result of an atomic goes to the L1 of a Tensix or Ethernet tile");
        return true;
    }
    if (packet->kind != NOC_WRITE_ACK) {
        uint32_t size = packet->kind == NOC_READ_RESPONSE ? packet->size : 4;
        answer = target->write(target->owner, packet->address, noc_packet_bytes(packet), size,
                               cycle, &rule);
    }
    if (answer == NOC_WAITS) {
        return false;
    }
    if (answer == NOC_REFUSED) {
        refuse(target, packet, PENROSE_FAULT_NOC_ADDRESS, "%s", rule);
        return true;
    }
    complete(target, packet, (enum noc_kind)packet->kind, packet->address, cycle);
    noc_packet_free(target->pool, packet);
    return true;
}

bool noc_answer(const struct noc_target *target, const struct noc_packet *packet,
                const uint8_t *bytes, uint64_t cycle)
{
    const char *rule = NULL;
    bool is_read = packet->kind == NOC_READ;
    if (is_read && target->write(target->owner, packet->back_address, bytes, packet->size, cycle,
                                 &rule) != NOC_ANSWERED) {
        return false;
    }
    complete(target, packet, is_read ? NOC_READ_RESPONSE : NOC_WRITE_ACK, packet->back_address,
             cycle);
    return true;
}

bool noc_serve(const struct noc_target *target, struct noc_packet *packet, uint64_t cycle)
{
    switch ((enum noc_kind)packet->kind) {
    case NOC_READ:
        return serve_read(target, packet, cycle);
    case NOC_WRITE:
        return serve_write(target, packet, cycle);
    case NOC_ATOMIC:
        return serve_atomic(target, packet, cycle);
    case NOC_READ_RESPONSE:
    case NOC_WRITE_ACK:
    case NOC_ATOMIC_RESPONSE:
        break;
    }
    return serve_response(target, packet, cycle);
}
