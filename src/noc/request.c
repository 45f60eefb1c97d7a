/*
 * Request initiators, see noc/request.h.
 *
 * A request is first accepted: its registers are checked, and counters step. Then it departs: its
 * data are taken, and it has been sent. Usually both happen at once. A request that fails a check
 * has no effect, unless a policy lets it pass. Then it does what the hardware would do, as far as
 * that is known, and is counted and answered. noc/serve.c checks what only the receiver can judge
 * (memory, and its alignment).
 */
#include "noc/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "addresses.h"
#include "noc/transaction.h"

enum { CMD_READ = 0, CMD_ATOMIC = 1, CMD_WRITE = 2 };

/* Fields of NOC_CTRL. */
#define NIU_CONTROL(name, first, bits)                                                             \
    static const uint32_t CTRL_##name = ((UINT32_C(1) << (bits)) - 1) << (first);
#include "niu.def"

enum { CLASS_MULTICAST = 2 }; /* of a virtual channel, above its buddy bit */

enum { WORD = 4, OF_WORD = 15, LINE = 16, OF_LINE = 0xffff };

/* Bytes of a request: counters have eight bits. */
enum { MOST_TOTAL = 1 << 21, MOST_LENGTH = MOST_TOTAL - NOC_MOST_BYTES };

/* What the words of a request say. */
struct command {
    const uint32_t *word;
    uint32_t ctrl;
    unsigned type;
    uint64_t target, back; /* addresses */
    uint64_t length;       /* or byte enables, or an atomic's operation */
    bool is_multicast;
};

static uint64_t pair(const uint32_t *word, unsigned low)
{
    return word[low / 4] | (uint64_t)word[low / 4 + 1] << 32;
}

/* An address on the NoC has three words: the place in a tile, and above it the tile. */
#define LOCAL_BITS (UINT64_MAX >> (64 - NOC_LOCAL_BITS))

static uint64_t local_address(const uint32_t *word, unsigned low)
{
    return pair(word, low) & LOCAL_BITS;
}

/* The tile or rectangle, in software's coordinates. */
static uint32_t tile_of(const uint32_t *word, unsigned low)
{
    enum { SHIFT = NOC_LOCAL_BITS % 64 };
    uint64_t high = word[low / 4 + 2];
    return (uint32_t)(SHIFT ? high << (64 - SHIFT) % 64 | pair(word, low) >> SHIFT : high);
}

static bool is_inline(const struct command *command)
{
    return command->type == CMD_WRITE && command->ctrl & CTRL_INLINE;
}

static bool has_length(const struct command *command)
{
    return command->type == CMD_READ ||
           (command->type == CMD_WRITE && !(command->ctrl & (CTRL_INLINE | CTRL_BYTE_ENABLES)));
}

static unsigned type_field(uint32_t ctrl)
{
    return (ctrl & CTRL_TYPE) >> NIU_CTRL_TYPE;
}

static struct command read_command(const uint32_t *word)
{
    uint32_t ctrl = word[NIU_CTRL / 4];
    unsigned type = type_field(ctrl);
    struct command command = {.word = word,
                              .ctrl = ctrl,
                              .type = type & CMD_ATOMIC ? CMD_ATOMIC : type,
                              .target = local_address(word, NIU_TARG_ADDR_LO),
                              .back = local_address(word, NIU_RET_ADDR_LO),
                              .length = pair(word, NIU_AT_LEN_BE)};
    command.is_multicast = ctrl & CTRL_MULTICAST && command.type != CMD_READ;
    if (has_length(&command) && command.length > MOST_LENGTH) {
        command.length = MOST_LENGTH;
    }
    return command;
}

uint64_t noc_request_result(const uint32_t *word)
{
    const struct command command = read_command(word);
    return command.type == CMD_ATOMIC ? command.back : UINT64_MAX;
}

/* --- Checks --- */

struct refusal {
    enum penrose_fault_kind kind;
    char text[PENROSE_RULE_TEXT];
};

__attribute__((format(printf, 3, 4))) static bool
refuse_request(struct refusal *refusal, enum penrose_fault_kind kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    refusal->kind = kind;
    vsnprintf(refusal->text, sizeof refusal->text, format, arguments);
    va_end(arguments);
    return false;
}

/* Does a policy let it pass? */
static bool passes(const struct noc_initiator *by, const struct refusal *refusal, uint64_t cycle)
{
    return by->fault(by->owner, refusal->kind, refusal->text, cycle);
}

/* DRAM tiles have their registers again where the upper half of an address is not 0. */
static bool looks_like_register(uint64_t address)
{
    return (uint32_t)address >= AT_NOC_REGISTERS;
}

static uint8_t channel_of(uint32_t ctrl)
{
    return ctrl & CTRL_STATIC ? (uint8_t)((ctrl & CTRL_CHANNEL) >> NIU_CTRL_CHANNEL)
                              : (uint8_t)NOC_ANY_CHANNEL;
}

/* A stream may send what is no multicast where those go. */
static bool check_channel(uint8_t channel, bool is_multicast, const struct noc_initiator *by,
                          struct refusal *refusal)
{
    unsigned class = channel >> 1;
    bool is_good = class == CLASS_MULTICAST ? is_multicast || by->sender
                                            : class < CLASS_MULTICAST && !is_multicast;
    return channel == NOC_ANY_CHANNEL || is_good ||
           refuse_request(refusal, PENROSE_FAULT_NOC_COMMAND,
                          is_multicast
                              ? "a multicast on a static virtual channel needs class 2: bits "
                                "%d-%d of NOC_CTRL"
                              : "a unicast request on a static virtual channel needs class 0 "
                                "or 1: bits %d-%d of NOC_CTRL",
                          NIU_CTRL_CHANNEL + 1, NIU_CTRL_CHANNEL + 2);
}

static bool check_flags(const struct command *command, const struct noc_initiator *by,
                        struct refusal *refusal)
{
    uint32_t ctrl = command->ctrl;
    bool has_enables = command->type == CMD_WRITE && ctrl & CTRL_BYTE_ENABLES;
    if (type_field(ctrl) > CMD_WRITE) {
        return refuse_request(
            refusal, PENROSE_FAULT_NOC_COMMAND,
            "request type 3 is reserved: bits %d-%d of NOC_CTRL are 0 (read), 1 (atomic) or "
            "2 (write)",
            NIU_CTRL_TYPE, NIU_CTRL_TYPE + 1);
    }
    if (ctrl & CTRL_MULTICAST && command->type == CMD_READ) {
        return refuse_request(refusal, PENROSE_FAULT_NOC_COMMAND,
                              "a read cannot be multicast: clear bit %d of NOC_CTRL",
                              NIU_CTRL_MULTICAST);
    }
    if (!check_channel(channel_of(ctrl), command->is_multicast, by, refusal)) {
        return false;
    }
    if (command->type == CMD_ATOMIC && ctrl & CTRL_RESPONSE &&
        (command->back & 3 || looks_like_register(command->back))) {
        return refuse_request(
            refusal, PENROSE_FAULT_NOC_ALIGNMENT,
            "the result of an atomic goes to a multiple of 4 in L1: NOC_RET_ADDR");
    }
    if (ctrl & CTRL_ACCUMULATE && command->type != CMD_ATOMIC) {
        return refuse_request(
            refusal, PENROSE_FAULT_NOC_ACCUMULATE,
            "accumulating in L1 (bit %d of NOC_CTRL) does not work on this hardware: "
            "clear the bit",
            NIU_CTRL_ACCUMULATE);
    }
    if (has_enables && !(ctrl & CTRL_INLINE) && looks_like_register(command->target) &&
        command->target % WORD) {
        return refuse_request(
            refusal, PENROSE_FAULT_NOC_ALIGNMENT,
            "the source of a write with byte enables is a register, whose address is a "
            "multiple of 4: NOC_TARG_ADDR");
    }
    return true;
}

static bool check_length(const struct command *command, struct refusal *refusal)
{
    uint64_t length = pair(command->word, NIU_AT_LEN_BE);
    if (!has_length(command)) {
        return true;
    }
    if (length == 0) {
        return refuse_request(refusal, PENROSE_FAULT_NOC_LENGTH,
                              "NOC_AT_LEN_BE is 0: a read or write has at least a byte");
    }
    refusal->kind = PENROSE_FAULT_NOC_LENGTH;
    if (length > MOST_LENGTH) {
        snprintf(refusal->text, sizeof refusal->text,
                 "NOC_AT_LEN_BE is %llu: the counters of a transaction id overflow at 2 MiB",
                 (unsigned long long)length);
        return false;
    }
    if (length > NOC_MOST_BYTES && (command->target | command->back) % NOC_FLIT_BYTES) {
        snprintf(refusal->text, sizeof refusal->text,
                 "NOC_AT_LEN_BE is %llu: more than 16384 bytes need addresses that are multiples "
                 "of 64 (0x%llx and 0x%llx)",
                 (unsigned long long)length, (unsigned long long)command->target,
                 (unsigned long long)command->back);
        return false;
    }
    return true;
}

/* --- Places --- */

static unsigned coordinate(uint32_t high, unsigned shift)
{
    return high >> shift & 63;
}

/* Raw coordinates on the NoC as a place; false when there is none. */
static bool to_place(unsigned noc, unsigned x, unsigned y, uint16_t *place)
{
    if (x >= GRID_WIDTH || y >= GRID_HEIGHT) {
        return false;
    }
    *place = noc ? noc_node(GRID_WIDTH - 1 - x, GRID_HEIGHT - 1 - y) : noc_node(x, y);
    return true;
}

static bool find_place(const struct niu *niu, unsigned noc, uint32_t high, uint16_t *place,
                       struct refusal *refusal)
{
    const unsigned x = coordinate(high, 0), y = coordinate(high, 6);
    unsigned raw_x = x, raw_y = y;
    niu_translate(niu, &raw_x, &raw_y);
    bool is_beyond = (x >= NIU_TABLE_ENTRIES || y >= NIU_TABLE_ENTRIES) && !niu->has_own_tables;
    if (!is_beyond && to_place(noc, raw_x, raw_y, place)) {
        return true;
    }
    refusal->kind = PENROSE_FAULT_NOC_ADDRESS;
    snprintf(refusal->text, sizeof refusal->text,
             is_beyond
                 ? "there is no tile at (%u, %u) of NoC %u: firmware's names of tiles are below %u"
                 : "there is no tile at (%u, %u) of NoC %u, which its translation turns into "
                   "(%u, %u)",
             x, y, noc, is_beyond ? NIU_TABLE_ENTRIES : raw_x, raw_y);
    return false;
}

static bool find_span(const struct niu *niu, unsigned noc, uint32_t high, struct noc_span *span,
                      struct refusal *refusal)
{
    unsigned start_x = coordinate(high, 12), start_y = coordinate(high, 18);
    unsigned end_x = coordinate(high, 0), end_y = coordinate(high, 6);
    niu_translate(niu, &start_x, &start_y);
    niu_translate(niu, &end_x, &end_y);
    span->start_x = (uint8_t)start_x;
    span->start_y = (uint8_t)start_y;
    span->end_x = (uint8_t)end_x;
    span->end_y = (uint8_t)end_y;
    uint16_t place;
    if (to_place(noc, start_x, start_y, &place) && to_place(noc, end_x, end_y, &place)) {
        return true;
    }
    refusal->kind = PENROSE_FAULT_NOC_ADDRESS;
    snprintf(refusal->text, sizeof refusal->text,
             "the multicast rectangle (%u, %u) to (%u, %u) leaves NoC %u", start_x, start_y, end_x,
             end_y, noc);
    return false;
}

/* Where the packet goes that names its receiver by `high`. */
static bool find_receiver(const struct niu *niu, uint32_t high, struct noc_packet *packet,
                          struct refusal *refusal)
{
    return packet->is_multicast ? find_span(niu, packet->noc, high, &packet->span, refusal)
                                : find_place(niu, packet->noc, high, &packet->to, refusal);
}

static bool leaves_data(const struct command *command)
{
    return command->type == CMD_WRITE && !is_inline(command);
}

static uint32_t receiver_of(const struct command *command)
{
    return tile_of(command->word, leaves_data(command) ? NIU_RET_ADDR_LO : NIU_TARG_ADDR_LO);
}

/* Where the response goes; if nobody is there, to who asked. An inline write is acknowledged where
 * it came from. */
static bool find_way_back(const struct niu *niu, const struct command *command,
                          struct noc_packet *packet, struct refusal *refusal)
{
    unsigned low = leaves_data(command) ? NIU_TARG_ADDR_LO : NIU_RET_ADDR_LO;
    return !packet->wants_response || packet->is_inline ||
           find_place(niu, packet->noc, tile_of(command->word, low), &packet->back, refusal);
}

/* --- Transactions --- */

static bool stands_alone(const struct niu *niu, bool is_linked)
{
    return !niu->transaction.is_open && !is_linked;
}

/* Takes the packet into the transaction that is open, if any. False: it does not fit, and no policy
 * lets it pass. A packet that goes nowhere is refused when it departs. */
static bool join(struct niu *niu, uint32_t high, struct noc_packet *packet, uint64_t cycle,
                 const struct noc_initiator *by)
{
    struct refusal refusal;
    if (stands_alone(niu, packet->is_linked) || !find_receiver(niu, high, packet, &refusal)) {
        return true;
    }
    refusal.kind = PENROSE_FAULT_NOC_LINKED;
    const struct noc_member member = {.to = packet->is_multicast ? noc_member_to_span(&packet->span)
                                                                 : noc_member_to_tile(packet->to),
                                      .channel = packet->channel,
                                      .is_linked = packet->is_linked};
    return noc_transaction_take(niu, &member, by, cycle, refusal.text, sizeof refusal.text) ||
           passes(by, &refusal, cycle);
}

/* --- Packets --- */

static void describe_command(const struct command *command, const struct noc_initiator *by,
                             uint64_t cycle, struct noc_packet *packet)
{
    uint32_t ctrl = command->ctrl;
    bool is_back = leaves_data(command);
    packet->kind = command->type == CMD_READ     ? NOC_READ
                   : command->type == CMD_ATOMIC ? NOC_ATOMIC
                                                 : NOC_WRITE;
    packet->sent = cycle;
    packet->noc = by->noc;
    packet->from = packet->origin = packet->back = by->here;
    packet->address = is_back ? command->back : command->target;
    packet->back_address = is_back ? command->target : command->back;
    packet->is_multicast = command->is_multicast;
    if (packet->is_multicast) {
        packet->span = (struct noc_span){.includes_source = ctrl & CTRL_INCLUDE_SOURCE,
                                         .y_is_major = ctrl & CTRL_Y_MAJOR,
                                         .exclude = command->word[NIU_BRCST_EXCLUDE / 4]};
    }
    packet->agent = by->agent;
    packet->pc = by->pc;
    packet->tag = (uint16_t)command->word[NIU_PACKET_TAG / 4];
    packet->channel = channel_of(ctrl);
    packet->wants_response = command->type == CMD_READ || ctrl & CTRL_RESPONSE;
    packet->is_inline = is_inline(command);
    packet->is_excused = packet->is_inline && by->is_base_firmware;
    packet->has_enables =
        command->type == CMD_WRITE && ctrl & CTRL_BYTE_ENABLES && !packet->is_inline;
    packet->is_linked = ctrl & CTRL_LINKED;
    packet->reserves_path = packet->is_multicast && ctrl & CTRL_PATH_RESERVE;
    packet->accumulates = ctrl & CTRL_ACCUMULATE;
    packet->word = command->word[NIU_AT_DATA / 4];
    packet->operation = command->type == CMD_ATOMIC ? (uint32_t)command->length : packet->word;
    packet->enables = command->length;
    packet->stores_header =
        command->type == CMD_WRITE && !packet->wants_response && packet->tag & NOC_TAG_HEADER_STORE;
}

/* Bytes of a block that somebody may want: those that are enabled, the word of a register that it
 * goes to, which takes no heed of enables, and the header. */
static uint64_t wanted_bytes(const struct noc_packet *packet)
{
    uint64_t wanted = packet->enables;
    if (looks_like_register(packet->address)) {
        wanted |= (uint64_t)OF_WORD << packet->address % LINE / WORD * WORD;
    }
    return packet->stores_header ? wanted | OF_LINE : wanted;
}

/* The block of a write with byte enables, in words: a source near the end of L1 is read only where
 * it counts. GUESS: no page says what else is read. SPEC: WormholeB0 NoC/Alignment: a register is
 * read once, and is in all words. */
static const char *fetch_block(const struct noc_initiator *by, uint64_t from,
                               const struct noc_packet *packet, uint8_t *bytes, uint64_t cycle)
{
    const char *rule = NULL;
    uint64_t wanted = wanted_bytes(packet);
    bool is_register = looks_like_register(from);
    memset(bytes, 0, NOC_MOST_ENABLED);
    if (is_register) {
        rule = by->fetch(by->owner, from & ~UINT64_C(3), bytes, WORD, cycle);
    }
    from &= ~UINT64_C(15);
    for (unsigned at = 0; at < NOC_MOST_ENABLED && !rule; at += WORD) {
        if (is_register) {
            memcpy(bytes + at, bytes, WORD);
        } else if (wanted >> at & OF_WORD) {
            rule = by->fetch(by->owner, from + at, bytes + at, WORD, cycle);
        }
    }
    return rule;
}

/* Takes the data of a write from the tile; false after a refusal. */
static bool take_data(const struct command *command, const struct noc_initiator *by, uint64_t cycle,
                      struct noc_packet *packet, struct refusal *refusal)
{
    uint64_t from = command->target;
    packet->size = packet->has_enables ? NOC_MOST_ENABLED : packet->size;
    uint8_t *bytes = noc_packet_room(by->pool, packet, packet->size);
    const char *rule = !bytes ? "out of memory"
                       : packet->has_enables
                           ? fetch_block(by, from, packet, bytes, cycle)
                           : by->fetch(by->owner, from, bytes, packet->size, cycle);
    if (!rule) {
        return true;
    }
    refusal->kind = PENROSE_FAULT_NOC_ADDRESS;
    snprintf(refusal->text, sizeof refusal->text, "source of a write, 0x%llx, %u bytes: %s",
             (unsigned long long)from, packet->size, rule);
    return false;
}

/* --- Counters --- */

static uint32_t packets_of(const struct command *command)
{
    return has_length(command) && command->length > NOC_MOST_BYTES
               ? (uint32_t)((command->length + NOC_MOST_BYTES - 1) / NOC_MOST_BYTES)
               : 1;
}

static void add_outgoing(struct niu *niu, unsigned id, uint32_t packets)
{
    uint32_t *outgoing = &niu->word[NIU_WRITES_OUTGOING / 4 + id];
    *outgoing = (*outgoing + packets) & UINT8_MAX;
}

static unsigned transaction(const struct command *command)
{
    return command->word[NIU_PACKET_TAG / 4] >> NOC_TAG_TRANSACTION_SHIFT & 15;
}

/* What software's write of NOC_CMD_CTRL counts. */
static void count_issued(struct niu *niu, const struct command *command)
{
    unsigned id = transaction(command);
    if (command->type == CMD_READ || command->ctrl & CTRL_RESPONSE) {
        niu_set_outstanding(niu, id, niu_outstanding(niu, id) + packets_of(command));
    }
    if (leaves_data(command)) {
        add_outgoing(niu, id, packets_of(command));
    }
}

static bool has_data(const struct noc_packet *packet)
{
    return packet->kind == NOC_WRITE && !packet->is_inline;
}

void noc_request_count_data(struct niu *niu, const struct noc_packet *packet)
{
    bool marked = packet->wants_response;
    niu_count(niu, marked ? NIU_MST_NONPOSTED_WR_REQ_SENT : NIU_MST_POSTED_WR_REQ_SENT, 1);
    niu_count(niu, marked ? NIU_MST_NONPOSTED_WR_DATA_WORD_SENT : NIU_MST_POSTED_WR_DATA_WORD_SENT,
              noc_packet_flits(packet, packet->address));
    add_outgoing(niu, noc_transaction(packet), UINT8_MAX); /* one less */
}

/* A packet has got a virtual channel and leaves. */
static void count_started(struct niu *niu, const struct noc_packet *packet)
{
    bool marked = packet->wants_response;
    niu_count(niu, NIU_MST_CMD_ACCEPTED, 1);
    switch ((enum noc_kind)packet->kind) {
    case NOC_READ:
        niu_count(niu, NIU_MST_RD_REQ_STARTED, 1);
        niu_count(niu, NIU_MST_RD_REQ_SENT, 1);
        break;
    case NOC_ATOMIC:
        if (marked) {
            niu_count(niu, NIU_MST_NONPOSTED_ATOMIC_STARTED, 1);
        }
        niu_count(niu, marked ? NIU_MST_NONPOSTED_ATOMIC_SENT : NIU_MST_POSTED_ATOMIC_SENT, 1);
        break;
    default:
        niu_count(niu, marked ? NIU_MST_NONPOSTED_WR_REQ_STARTED : NIU_MST_POSTED_WR_REQ_STARTED,
                  1);
        if (packet->is_inline) {
            niu_count(niu, marked ? NIU_MST_NONPOSTED_WR_REQ_SENT : NIU_MST_POSTED_WR_REQ_SENT, 1);
        }
        break;
    }
}

/* --- Issuing --- */

static void add_to_address(uint32_t *word, unsigned low, uint32_t bytes)
{
    uint64_t old = pair(word, low), address = (old & ~LOCAL_BITS) | ((old + bytes) & LOCAL_BITS);
    word[low / 4] = (uint32_t)address;
    word[low / 4 + 1] = (uint32_t)(address >> 32);
}

void noc_request_move(uint32_t *word, uint32_t bytes)
{
    add_to_address(word, NIU_TARG_ADDR_LO, bytes);
    add_to_address(word, NIU_RET_ADDR_LO, bytes);
    word[NIU_AT_LEN_BE / 4] -= bytes;
}

/* The request is dropped after all: what it would have counted down is put right. */
static void drop_command(struct niu *niu, const struct command *command)
{
    unsigned id = transaction(command);
    if (leaves_data(command)) {
        add_outgoing(niu, id, UINT8_MAX + 1 - packets_of(command));
    }
    if (command->type == CMD_READ || command->ctrl & CTRL_RESPONSE) {
        uint32_t *outstanding = &niu->word[NIU_REQS_OUTSTANDING / 4 + id];
        *outstanding = (*outstanding - packets_of(command)) & UINT8_MAX;
    }
}

static bool join_command(struct niu *niu, const struct command *command, uint64_t cycle,
                         const struct noc_initiator *by)
{
    if (stands_alone(niu, command->ctrl & CTRL_LINKED)) {
        return true;
    }
    struct noc_packet packet = {0};
    describe_command(command, by, cycle, &packet);
    if (join(niu, receiver_of(command), &packet, cycle, by)) {
        return true;
    }
    drop_command(niu, command);
    return false;
}

bool noc_request_join(struct niu *niu, const uint32_t *word, uint64_t cycle,
                      const struct noc_initiator *by)
{
    struct command command = read_command(word);
    return join_command(niu, &command, cycle, by);
}

bool noc_request_accept(struct niu *niu, const uint32_t *word, uint64_t cycle,
                        const struct noc_initiator *by)
{
    struct command command = read_command(word);
    struct refusal refusal;
    bool is_good = check_flags(&command, by, &refusal) && check_length(&command, &refusal);
    if (!is_good && !passes(by, &refusal, cycle)) {
        return false;
    }
    count_issued(niu, &command);
    return noc_transaction_holds(niu, by->sender) || join_command(niu, &command, cycle, by);
}

/* The packet leaves, with its data. What nobody receives is answered where it came from. */
static void let_leave(struct niu *niu, struct noc_packet *packet, bool is_lost, uint64_t cycle,
                      const struct noc_initiator *by)
{
    count_started(niu, packet);
    if (has_data(packet) && (is_lost || !by->counts_data)) {
        noc_request_count_data(niu, packet);
    }
    if (is_lost && !noc_packet_turn_void(packet, by->here)) {
        noc_packet_free(by->pool, packet);
    } else {
        by->send(by->owner, packet, cycle);
    }
}

/* One packet of the request leaves, with a part of its data; false after a refusal. */
static bool send_packet(struct niu *niu, const struct command *command,
                        const struct noc_initiator *by, uint64_t cycle)
{
    struct refusal refusal;
    struct noc_packet *packet = noc_packet_new(by->pool);
    if (!packet) {
        by->fault(by->owner, PENROSE_FAULT_NOC_COMMAND, "the host has no memory for a packet",
                  cycle);
        return false;
    }
    describe_command(command, by, cycle, packet);
    packet->size = !has_length(command)               ? WORD
                   : command->length < NOC_MOST_BYTES ? (uint32_t)command->length
                                                      : NOC_MOST_BYTES;
    packet->is_void = packet->size == 0 || type_field(command->ctrl) > CMD_WRITE;
    bool is_lost = !find_receiver(niu, receiver_of(command), packet, &refusal);
    bool goes = !is_lost || passes(by, &refusal, cycle);
    if (!is_lost && !find_way_back(niu, command, packet, &refusal)) {
        goes = passes(by, &refusal, cycle);
    }
    if (goes && !is_lost && !packet->is_void && leaves_data(command) &&
        !take_data(command, by, cycle, packet, &refusal)) {
        packet->is_void = true;
        goes = passes(by, &refusal, cycle);
    }
    if (!goes) {
        noc_packet_free(by->pool, packet);
        return false;
    }
    let_leave(niu, packet, is_lost, cycle, by);
    return true;
}

void noc_request_packet(struct niu *niu, uint32_t high, struct noc_packet *packet, uint64_t cycle,
                        const struct noc_initiator *by)
{
    struct refusal refusal;
    packet->sent = cycle;
    packet->noc = by->noc;
    packet->from = packet->origin = packet->back = by->here;
    packet->agent = by->agent;
    packet->pc = by->pc;
    bool goes = check_channel(packet->channel, packet->is_multicast, by, &refusal) ||
                passes(by, &refusal, cycle);
    goes = goes && join(niu, high, packet, cycle, by);
    bool is_lost = goes && !find_receiver(niu, high, packet, &refusal);
    if (!goes || (is_lost && !passes(by, &refusal, cycle))) {
        noc_packet_free(by->pool, packet);
        return;
    }
    if (!packet->is_inline) {
        add_outgoing(niu, noc_transaction(packet), 1);
    }
    let_leave(niu, packet, is_lost, cycle, by);
}

uint32_t noc_request_depart(struct niu *niu, const uint32_t *word, uint64_t cycle,
                            const struct noc_initiator *by)
{
    struct command command = read_command(word);
    uint32_t moved = 0;
    for (;;) {
        if (!send_packet(niu, &command, by, cycle)) {
            drop_command(niu, &command);
            return moved;
        }
        if (!has_length(&command) || command.length <= NOC_MOST_BYTES) {
            return moved;
        }
        command.target += NOC_MOST_BYTES;
        command.back += NOC_MOST_BYTES;
        command.length -= NOC_MOST_BYTES;
        moved += NOC_MOST_BYTES;
    }
}

/* --- For reports --- */

/* A span whose start is above its end wraps around. */
static bool is_between(unsigned at, unsigned start, unsigned end)
{
    return start <= end ? at >= start && at <= end : at >= start || at <= end;
}

bool noc_span_has(const struct noc_span *span, unsigned noc, uint16_t place)
{
    unsigned x = place % GRID_WIDTH, y = place / GRID_WIDTH;
    return is_between(noc ? GRID_WIDTH - 1 - x : x, span->start_x, span->end_x) &&
           is_between(noc ? GRID_HEIGHT - 1 - y : y, span->start_y, span->end_y);
}

bool noc_request_reaches(struct niu *niu, unsigned noc, const uint32_t *word, uint16_t place,
                         uint64_t address)
{
    struct command command = read_command(word);
    bool at_target = command.type == CMD_ATOMIC || is_inline(&command);
    uint64_t start = at_target ? command.target : command.back;
    uint32_t high = receiver_of(&command);
    uint64_t size = at_target ? WORD : command.length;
    struct refusal refusal;
    struct noc_span span;
    uint16_t to;
    if (command.type == CMD_READ || address < start || address - start >= size) {
        return false;
    }
    if (!command.is_multicast) {
        return find_place(niu, noc, high, &to, &refusal) && to == place;
    }
    return find_span(niu, noc, high, &span, &refusal) && noc_span_has(&span, noc, place);
}
