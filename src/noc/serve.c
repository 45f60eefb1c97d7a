/* Arriving packets, see noc/serve.h. */
#include "noc/serve.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "addresses.h"
#include "noc/atomic.h"

enum { HEADER_BYTES = 16, WORD_BYTES = 4, LINE_BYTES = 16 /* of L1 */ };

/* --- Rules --- */

/* The packet breaks a rule. Does a policy let it pass? Else its memory is taken. */
__attribute__((format(printf, 4, 5))) static bool lets_pass(const struct noc_target *target,
                                                            struct noc_packet *packet,
                                                            enum penrose_fault_kind kind,
                                                            const char *format, ...)
{
    static const char *const names[] = {
        "read", "write", "atomic", "read response", "write acknowledgement", "atomic response"};
    char text[PENROSE_RULE_TEXT];
    int length = snprintf(
        text, sizeof text, "NoC %u, %s of %u bytes at 0x%llx of %s: ", packet->noc,
        names[packet->kind], packet->size, (unsigned long long)packet->address, target->name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    va_end(arguments);
    if (target->kind->fault(target->owner, packet, kind, text)) {
        return true;
    }
    noc_packet_free(target->pool, packet);
    return false;
}

/* Of a request that passes nothing can be done but to count and to answer it. */
static bool void_if(struct noc_packet *packet, bool passes)
{
    if (passes) {
        packet->is_void = true;
    }
    return passes;
}

static bool is_register(const struct noc_target *target, uint64_t address)
{
    uint64_t again = address - target->registers_again;
    return target->kind->has_registers && ((address >= AT_NOC_REGISTERS && address <= UINT32_MAX) ||
                                           (again >= AT_NOC_REGISTERS && again <= UINT32_MAX));
}

/* What the hardware does with ends that do not fit each other. GUESS: a register has its aligned
 * word; of other addresses the low bits at the receiver become those at the initiator. */
static void excuse_ends(struct noc_packet *packet, bool has_register, unsigned modulus)
{
    packet->is_excused = true;
    if (has_register) {
        packet->address &= ~UINT64_C(3);
        packet->back_address &= ~UINT64_C(3);
    } else {
        packet->address ^= (packet->address ^ packet->back_address) & (modulus - 1);
    }
}

/* Does data between `here` (in the target) and `there` (at the initiator) go together, or pass? With
 * byte enables only where registers are, whose words they are then. */
static bool is_aligned(const struct noc_target *target, struct noc_packet *packet, unsigned modulus)
{
    uint64_t here = packet->address, there = packet->back_address;
    bool here_register = is_register(target, here);
    bool there_register = there >= AT_NOC_REGISTERS && there <= UINT32_MAX;
    bool to_register = packet->kind == NOC_READ ? there_register : here_register;
    uint32_t size = packet->has_enables ? WORD_BYTES : packet->size;
    bool from_register = packet->kind == NOC_READ ? here_register : there_register;
    bool has_register = here_register || there_register, pass;
    modulus = from_register ? 4 : to_register ? LINE_BYTES : modulus;
    if (packet->is_excused || packet->is_void) {
        return true;
    }
    if (to_register && (size != WORD_BYTES || (here | there) & 3)) {
        pass = lets_pass(target, packet, PENROSE_FAULT_NOC_LENGTH,
                         "a register takes aligned words of 4 bytes (the other end is 0x%llx)",
                         (unsigned long long)there);
    } else if (has_register && size > WORD_BYTES - (here & 3)) {
        pass = lets_pass(target, packet, PENROSE_FAULT_NOC_LENGTH,
                         "an access of registers stays within a word of 4 bytes");
    } else if ((here ^ there) & (modulus - 1)) {
        pass =
            lets_pass(target, packet, PENROSE_FAULT_NOC_ALIGNMENT,
                      "the addresses of both ends must be equal modulo %u; the other one is 0x%llx",
                      modulus, (unsigned long long)there);
    } else {
        return true;
    }
    if (pass) {
        excuse_ends(packet, has_register, modulus);
    }
    return pass;
}

/* --- What is there --- */

static enum answer read_there(const struct noc_target *target, uint64_t address, uint8_t *bytes,
                              uint32_t size, uint64_t cycle, const char **rule)
{
    return target->kind->access(target->owner, false, address, bytes, size, cycle, rule);
}

static enum answer write_there(const struct noc_target *target, uint64_t address,
                               const uint8_t *bytes, uint32_t size, uint64_t cycle,
                               const char **rule)
{
    return target->kind->access(target->owner, true, address, (void *)(uintptr_t)bytes, size, cycle,
                                rule);
}

static bool drops_headers(const struct noc_target *target)
{
    return target->config && *target->config & NIU_NO_HEADERS;
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
    target->kind->send(target->owner, packet, cycle);
}

static void count(const struct noc_target *target, enum niu_counter counter, uint32_t by)
{
    if (target->niu) {
        niu_count(target->niu, counter, by);
    }
}

/* --- Requests --- */

/* SPEC: WormholeB0 Alignment: a register is read once, and is in all words. */
static enum answer read_data(const struct noc_target *target, const struct noc_packet *packet,
                             uint8_t *bytes, uint64_t cycle, const char **rule)
{
    uint8_t word[WORD_BYTES];
    if (packet->is_void) {
        return ANSWER_DONE;
    }
    if (!packet->is_excused || !is_register(target, packet->address)) {
        return read_there(target, packet->address, bytes, packet->size, cycle, rule);
    }
    enum answer answer = read_there(target, packet->address, word, sizeof word, cycle, rule);
    for (uint32_t i = 0; answer == ANSWER_DONE && i < packet->size; i++) {
        bytes[i] = word[i % WORD_BYTES];
    }
    return answer;
}

static bool serve_read(const struct noc_target *target, struct noc_packet *packet, uint64_t cycle)
{
    const char *rule = NULL;
    if (!is_aligned(target, packet, target->read_alignment)) {
        return true;
    }
    uint8_t *bytes = noc_packet_room(target->pool, packet, packet->size);
    if (!bytes && !void_if(packet, lets_pass(target, packet, PENROSE_FAULT_NOC_COMMAND,
                                             "the host has no memory"))) {
        return true;
    }
    enum answer answer = read_data(target, packet, bytes, cycle, &rule);
    if (answer == ANSWER_WAIT) {
        return false;
    }
    count(target, NIU_SLV_REQ_ACCEPTED, 1);
    count(target, NIU_SLV_RD_REQ_RECEIVED, 1);
    if (answer_is_refusal(answer) &&
        !void_if(packet, lets_pass(target, packet, PENROSE_FAULT_NOC_ADDRESS, "%s", rule))) {
        return true;
    }
    count(target, NIU_SLV_RD_RESP_SENT, 1);
    count(target, NIU_SLV_RD_DATA_WORD_SENT, noc_packet_flits(packet, packet->back_address));
    target->kind->changed(target->owner, packet->noc, cycle);
    turn_round(target, packet, NOC_READ_RESPONSE, cycle);
    return true;
}

/* Runs of enabled bytes of an aligned block. The last run first: if the block leaves the memory, that
 * is the one that is refused, and nothing has been written. */
static enum answer write_runs(const struct noc_target *target, uint64_t block, const uint8_t *bytes,
                              uint64_t enables, uint64_t cycle, const char **rule)
{
    for (unsigned end = NOC_MOST_ENABLED; end > 0;) {
        if (!(enables >> (end - 1) & 1)) {
            end--;
            continue;
        }
        unsigned at = end - 1;
        while (at > 0 && enables >> (at - 1) & 1) {
            at--;
        }
        enum answer answer = write_there(target, block + at, bytes + at, end - at, cycle, rule);
        if (answer != ANSWER_DONE) {
            return answer;
        }
        end = at;
    }
    return ANSWER_DONE;
}

/* SPEC: WormholeB0 Alignment, inline data to L1: the mask's groups of 16 bits all name bytes of one
 * line. Vendor's headers and base firmware: it is shifted by the address modulo 64. */
static enum answer write_inline(const struct noc_target *target, const struct noc_packet *packet,
                                uint64_t cycle, const char **rule)
{
    uint64_t enables = packet->enables | packet->enables >> 32;
    uint8_t line[LINE_BYTES];
    for (unsigned at = 0; at < LINE_BYTES; at += WORD_BYTES) {
        memcpy(line + at, &packet->word, WORD_BYTES);
    }
    return write_runs(target, packet->address & ~UINT64_C(15), line,
                      (enables | enables >> 16) & UINT16_MAX, cycle, rule);
}

/* SPEC: MemoryMap: bytes, or those of an aligned block that NOC_CMD_WR_BE enables; a register takes
 * its word whatever the mask says. */
static enum answer write_bytes(const struct noc_target *target, const struct noc_packet *packet,
                               uint64_t cycle, const char **rule)
{
    const uint8_t *bytes = noc_packet_bytes(packet);
    uint64_t address = packet->address;
    if (is_register(target, address) && (packet->has_enables || packet->is_excused)) {
        uint8_t word[WORD_BYTES] = {0};
        memcpy(word, bytes + (packet->has_enables ? address % LINE_BYTES : 0),
               packet->size < WORD_BYTES ? packet->size : WORD_BYTES);
        return write_there(target, address, word, WORD_BYTES, cycle, rule);
    }
    if (packet->has_enables) {
        return write_runs(target, address & ~UINT64_C(15), bytes, packet->enables, cycle, rule);
    }
    return packet->is_inline && !is_register(target, address)
               ? write_inline(target, packet, cycle, rule)
               : write_there(target, address, bytes, packet->size, cycle, rule);
}

static enum answer write_data(const struct noc_target *target, const struct noc_packet *packet,
                              uint64_t cycle, const char **rule)
{
    const uint8_t *bytes = noc_packet_bytes(packet);
    bool stores_header = packet->stores_header && !drops_headers(target);
    uint64_t header_at = (uint64_t)packet->operation << 4;
    uint8_t header[HEADER_BYTES];
    enum answer answer = ANSWER_DONE;
    if (packet->is_void) {
        return ANSWER_DONE;
    }
    if (stores_header) { /* refused before anything has been written */
        answer = read_there(target, header_at, header, sizeof header, cycle, rule);
    }
    if (answer == ANSWER_DONE) {
        answer = write_bytes(target, packet, cycle, rule);
    }
    if (answer == ANSWER_DONE && stores_header) {
        memset(header, 0, sizeof header);
        memcpy(header, bytes, packet->size < HEADER_BYTES ? packet->size : HEADER_BYTES);
        answer = write_there(target, header_at, header, sizeof header, cycle, rule);
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
    bool to_register = is_register(target, packet->address);
    if (!packet->is_inline) {
        bool is_block = packet->has_enables && !to_register;
        return is_block || is_aligned(target, packet, target->write_alignment);
    }
    if (packet->is_excused || packet->is_void || (to_register && packet->address % 4 == 0)) {
        return true;
    }
    if (!(to_register
              ? lets_pass(target, packet, PENROSE_FAULT_NOC_ALIGNMENT,
                          "a register takes aligned words of 4 bytes")
              : lets_pass(target, packet, PENROSE_FAULT_NOC_INLINE,
                          "inline data reach registers only: stage them in L1 and write from "
                          "there"))) {
        return false;
    }
    packet->is_excused = true;
    packet->address &= to_register ? ~UINT64_C(3) : UINT64_MAX;
    return true;
}

static bool serve_write(const struct noc_target *target, struct noc_packet *packet, uint64_t cycle)
{
    const char *rule = NULL;
    if (!check_write(target, packet)) {
        return true;
    }
    enum answer answer = write_data(target, packet, cycle, &rule);
    if (answer == ANSWER_WAIT) {
        return false;
    }
    count_write(target, packet);
    if (answer_is_refusal(answer) &&
        !void_if(packet, lets_pass(target, packet, PENROSE_FAULT_NOC_ADDRESS, "%s", rule))) {
        return true;
    }
    if (packet->tag & NOC_TAG_TO_OVERLAY && target->kind->deliver && !packet->is_void) {
        target->kind->deliver(target->owner, packet, cycle);
    }
    target->kind->changed(target->owner, packet->noc, cycle);
    if (!packet->wants_response) {
        noc_packet_free(target->pool, packet);
        return true;
    }
    count(target, NIU_SLV_WR_ACK_SENT, 1);
    turn_round(target, packet, NOC_WRITE_ACK, cycle);
    return true;
}

/* False: the atomic is refused. */
static bool do_atomic(const struct noc_target *target, struct noc_packet *packet, uint64_t cycle)
{
    uint64_t at = packet->address & ~UINT64_C(15);
    uint8_t *line = target->kind->line ? target->kind->line(target->owner, at) : NULL;
    if (!line) {
        return void_if(packet, lets_pass(target, packet, PENROSE_FAULT_NOC_ADDRESS,
                                         "atomics reach the L1 of Tensix and Ethernet tiles only"));
    }
    const char *unknown = noc_atomic_unknown(packet->operation);
    if (unknown) {
        return void_if(packet,
                       lets_pass(target, packet, PENROSE_FAULT_UNIMPLEMENTED, "%s", unknown));
    }
    const char *rule = noc_atomic(line, packet->address % LINE_BYTES, packet->operation,
                                  packet->word, &packet->word);
    if (rule) {
        return void_if(packet, lets_pass(target, packet, PENROSE_FAULT_NOC_COMMAND, "%s", rule));
    }
    target->kind->line_written(target->owner, at, cycle);
    return true;
}

static bool serve_atomic(const struct noc_target *target, struct noc_packet *packet, uint64_t cycle)
{
    if (!packet->is_void && !do_atomic(target, packet, cycle)) {
        return true;
    }
    bool marked = packet->wants_response;
    count(target, NIU_SLV_REQ_ACCEPTED, 1);
    count(target, marked ? NIU_SLV_NONPOSTED_ATOMIC_RECEIVED : NIU_SLV_POSTED_ATOMIC_RECEIVED, 1);
    target->kind->changed(target->owner, packet->noc, cycle);
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
static void release_link(const struct noc_target *target, const struct noc_packet *packet)
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
        target->kind->fault(target->owner, packet, PENROSE_FAULT_NOC_CREDIT, text);
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
    release_link(target, packet);
    target->kind->changed(target->owner, packet->noc, cycle);
}

static bool serve_response(const struct noc_target *target, struct noc_packet *packet,
                           uint64_t cycle)
{
    const char *rule = NULL;
    enum answer answer = ANSWER_DONE;
    if (packet->kind == NOC_ATOMIC_RESPONSE && !target->kind->line &&
        !void_if(
            packet,
            lets_pass(target, packet, PENROSE_FAULT_NOC_ADDRESS,
                      "the result of an atomic goes to the L1 of a Tensix or Ethernet tile"))) {
        return true;
    }
    if (packet->kind != NOC_WRITE_ACK && !packet->is_void) {
        uint32_t size = packet->kind == NOC_READ_RESPONSE ? packet->size : 4;
        answer = write_there(target, packet->address, noc_packet_bytes(packet), size, cycle, &rule);
    }
    if (answer == ANSWER_WAIT) {
        return false;
    }
    if (answer_is_refusal(answer) &&
        !void_if(packet, lets_pass(target, packet, PENROSE_FAULT_NOC_ADDRESS, "%s", rule))) {
        return true;
    }
    if (answer_is_refusal(answer) && target->here != packet->origin) { /* the sender is answered */
        packet->from = target->here;
        packet->to = packet->origin;
        target->kind->send(target->owner, packet, cycle);
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
    if (is_read && write_there(target, packet->back_address, bytes, packet->size, cycle, &rule) !=
                       ANSWER_DONE) {
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
