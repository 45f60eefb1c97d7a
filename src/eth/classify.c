/*
 * The RX classifier, which decides what happens to a frame. SPEC: EthernetRxClassifier, whose
 * stages are the sections of this file (4 and 5 are in tables.c). GUESS: byte orders of addresses
 * that the page leaves open are those of the TX header table: word 0 holds the last four octets.
 */
#include "eth/eth_internal.h"

#include <string.h>

enum {
    TYPE_IPV4 = 0x0800,
    TYPE_CTAG = 0x8100,
    TYPE_IPV6 = 0x86dd,
    TYPE_STAG = 0x88a8,
    TYPE_MACSEC = 0x88e5,
    TAG_BYTES = 4,
    VLAN_ID = 0xfff,
    IPV4_BYTES = 20,
    IPV6_BYTES = 40,
    UDP_BYTES = 8,
    TCP_BYTES = 20,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
};

/* What stage 3 finds in a frame. */
struct parsed {
    uint32_t type;       /* after remapping */
    uint32_t type_at;    /* where the frame's last type is */
    uint32_t stag, ctag; /* 0: none */
    unsigned priority;   /* of the outermost tag in the frame */
    uint32_t protocol;
    uint32_t headers_end; /* behind IP and UDP headers that are in the frame */
    bool error;           /* a header that is not supported, and that is not to be kept */
    bool odd;             /* a header that is not supported */
    struct eth_tuple tuple;
};

/* --- Stage 2: malformed frames --- */

static bool well_formed(const struct eth *eth, const struct eth_frame *frame)
{
    uint32_t kept = eth->control[REG_EOP_STATUS_GOOD_LO / 4];
    return frame->eop < 32 && kept >> frame->eop & 1;
}

/* --- Stage 3: types and tags --- */

static uint32_t type_at(const struct eth_frame *frame, uint32_t at)
{
    return at + 2 <= frame->length ? get16(frame->bytes + at) : 0;
}

/* A tag without a type behind it is no tag, so there are always two bytes at type_at. */
static void find_tags(const struct eth_frame *frame, struct parsed *p)
{
    uint32_t at = TYPE_AT;
    if (type_at(frame, at) == TYPE_STAG && type_at(frame, at + TAG_BYTES) == TYPE_CTAG &&
        at + 2 * TAG_BYTES + 2 <= frame->length) {
        p->stag = get32(frame->bytes + at);
        at += TAG_BYTES;
    }
    if (type_at(frame, at) == TYPE_CTAG && at + TAG_BYTES + 2 <= frame->length) {
        p->ctag = get32(frame->bytes + at);
        at += TAG_BYTES;
    }
    uint32_t outermost = p->stag ? p->stag : p->ctag;
    p->priority = outermost >> 13 & 7;
    p->type_at = at;
    p->type = type_at(frame, at);
}

/* Which of the two user-defined registers names `key` in its low `bits`; -1: neither. */
static int user_index(const struct eth *eth, enum eth_register offset, uint32_t key, uint32_t bits)
{
    for (int i = 0; i < 2; i++) {
        if ((classifier_word(eth, offset, (unsigned)i) & bits) == key) {
            return i;
        }
    }
    return -1;
}

static void remap(const struct eth *eth, struct parsed *p)
{
    int user = user_index(eth, REG_USER_DEFINED_ETHERTYPE, p->type, 0xffff);
    if (p->type != TYPE_MACSEC && user >= 0) {
        p->type = classifier_word(eth, REG_USER_DEFINED_ETHERTYPE, (unsigned)user) >> 16;
    }
    enum { REPLACES_CTAG = 1, REPLACES_BOTH = 3 };
    for (unsigned i = 0; i < 2; i++) {
        uint32_t rule = classifier_word(eth, REG_USER_DEFINED_VLAN_TAG, i);
        unsigned mode = rule >> 16 & 3;
        if ((rule & 0xffff) == p->type && (mode == REPLACES_CTAG || mode == REPLACES_BOTH)) {
            p->ctag = classifier_word(eth, REG_USER_DEFINED_CTAG, i);
            p->stag =
                mode == REPLACES_BOTH ? classifier_word(eth, REG_USER_DEFINED_STAG, i) : p->stag;
            return;
        }
    }
}

/* --- Stage 3: what is not IP --- */

static uint32_t augmented_type(const struct eth *eth, uint32_t type)
{
    static const uint16_t known[] = {
        0x0000, 0x0800, 0x86dd, 0x0806, 0x8035, 0x0842, 0x8902, 0x22e7,
        0x22e9, 0x8940, 0x88f7, 0x888e, 0x88cc, 0x8915, 0x88b7,
    };
    int user = user_index(eth, REG_USER_ETHERTYPE, type, 0xffff);
    if (user >= 0) {
        return classifier_word(eth, REG_USER_REDUCED_ETHERTYPE, (unsigned)user) & 0xf;
    }
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (i == 0 ? type < FIRST_TYPE : type == known[i]) {
            return classifier_word(eth, REG_REDUCED_ETHERTYPE, i) & 0xf;
        }
    }
    return 0;
}

static uint64_t mac_at(const uint8_t *bytes)
{
    return (uint64_t)get16(bytes) << 32 | get32(bytes + 2);
}

static uint32_t augmented_address(const struct eth *eth, uint64_t address)
{
    static const struct {
        uint64_t value, care;
    } known[] = {
        {0x0180c200000e, 0xffffffffffff}, {0x0180c2000000, 0xfffffffffff0},
        {0x0180c2000010, 0xfffffffffff0}, {0x0180c2000020, 0xfffffffffff0},
        {0x0180c2000030, 0xffffffffffff}, {0x0180c2000000, 0xffffff000000},
        {0x011b19000000, 0xffffffffffff},
    };
    for (unsigned i = 0; i < 2; i++) {
        uint64_t high = classifier_word(eth, REG_USER_MAC_DA, 2 * i + 1) & 0xffff;
        if ((high << 32 | classifier_word(eth, REG_USER_MAC_DA, 2 * i)) == address) {
            return classifier_word(eth, REG_USER_REDUCED_DA, i) & 0xf;
        }
    }
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        if ((address & known[i].care) == known[i].value) {
            return classifier_word(eth, REG_REDUCED_DA, i) & 0xf;
        }
    }
    return 0;
}

static void describe_not_ip(const struct eth *eth, const struct eth_frame *frame, struct parsed *p)
{
    uint64_t destination = mac_at(frame->bytes), source = mac_at(frame->bytes + MAC_BYTES);
    struct eth_tuple *tuple = &p->tuple;
    tuple->kind = ETH_NOT_IP;
    tuple->destination[0] = (uint32_t)destination;
    tuple->destination[1] = (uint32_t)(destination >> 32);
    tuple->source[0] = (uint32_t)source;
    tuple->source[1] = (uint32_t)(source >> 32);
    tuple->address_flags = augmented_address(eth, destination);
    tuple->ethertype = p->type | augmented_type(eth, p->type) << 16;
    tuple->priority = p->priority;
}

/* --- Stage 3: IP --- */

static uint32_t augmented_protocol(const struct eth *eth, uint32_t protocol)
{
    static const uint8_t known[] = {0x01, 0x02, 0x06, 0x11, 0x3a};
    int user = user_index(eth, REG_USER_PROTOCOL, protocol, 0xff);
    if (user >= 0) {
        return classifier_word(eth, REG_USER_REDUCED_PROTOCOL, (unsigned)user) & 0xf;
    }
    for (unsigned i = 0; i < sizeof known; i++) {
        if (protocol == known[i]) {
            return classifier_word(eth, REG_REDUCED_PROTOCOL, i) & 0xf;
        }
    }
    return 0;
}

/* A header that is not supported: kept only if bit `control` of HEADER_ERROR_CONTROL says so. */
static void odd_header(const struct eth *eth, struct parsed *p, unsigned control)
{
    p->odd = true;
    p->error |= !(classifier_word(eth, REG_HEADER_ERROR_CONTROL, 0) >> control & 1);
}

/* Extension headers of IPv6. */
static bool unsupported_next_header(uint32_t header)
{
    static const uint8_t list[] = {0x00, 0x2b, 0x2c, 0x32, 0x33, 0x3c,
                                   0x87, 0x8b, 0x8c, 0xfd, 0xfe};
    return memchr(list, (int)header, sizeof list) != NULL;
}

/* An IP header of the frame itself; false when it is cut off. */
static bool parse_ip(const struct eth *eth, const struct eth_frame *frame, struct parsed *p)
{
    const uint8_t *l3 = frame->bytes + p->type_at + 2;
    uint32_t left = frame->length - p->type_at - 2;
    if (p->type == TYPE_IPV4 && left >= IPV4_BYTES) {
        p->tuple.kind = ETH_IPV4;
        p->protocol = l3[9];
        p->tuple.source[0] = get32(l3 + 12);
        p->tuple.destination[0] = get32(l3 + 16);
        p->headers_end = p->type_at + 2 + IPV4_BYTES;
        if ((l3[0] & 0xf) != IPV4_BYTES / 4) {
            odd_header(eth, p, 0);
        }
        return true;
    }
    if (p->type == TYPE_IPV6 && left >= IPV6_BYTES) {
        p->tuple.kind = ETH_IPV6;
        p->protocol = l3[6];
        for (unsigned word = 0; word < 4; word++) {
            p->tuple.source[3 - word] = get32(l3 + 8 + 4 * word);
            p->tuple.destination[3 - word] = get32(l3 + 24 + 4 * word);
        }
        p->headers_end = p->type_at + 2 + IPV6_BYTES;
        if (unsupported_next_header(p->protocol)) {
            odd_header(eth, p, 1);
        }
        return true;
    }
    return false;
}

/* The L3 header: true when there is one, and it is IP. */
static bool find_l3(const struct eth *eth, const struct eth_frame *frame, struct parsed *p)
{
    int user = user_index(eth, REG_USER_DEFINED_L3_HDR, p->type, 0xffff);
    if (user < 0) {
        return parse_ip(eth, frame, p);
    }
    enum { AS_IPV4 = 5, AS_IPV6 = 7 };
    unsigned i = (unsigned)user;
    uint32_t rule = classifier_word(eth, REG_USER_DEFINED_L3_HDR, i);
    unsigned mode = rule >> 24 & 7;
    if (mode != AS_IPV4 && mode != AS_IPV6) {
        return false;
    }
    p->tuple.kind = mode == AS_IPV4 ? ETH_IPV4 : ETH_IPV6;
    p->protocol = rule >> 16 & 0xff;
    for (unsigned j = 0; j < 4; j++) { /* the words of one address are two words apart */
        p->tuple.source[j] = classifier_word(eth, REG_USER_DEFINED_SRC_IP_ADDR, i + (3 - j) * 2);
        p->tuple.destination[j] =
            classifier_word(eth, REG_USER_DEFINED_DST_IP_ADDR, i + (3 - j) * 2);
    }
    return true;
}

/* --- Stage 3: ports --- */

struct ports {
    bool udp_rules, tcp_rules;
    uint32_t source, destination;
};

static bool find_l4(const struct eth *eth, const struct eth_frame *frame, struct parsed *p,
                    struct ports *ports)
{
    int user = user_index(eth, REG_USER_DEFINED_L4_HDR_FIELDS, p->protocol, 0xff);
    if (user >= 0) {
        uint32_t fields = classifier_word(eth, REG_USER_DEFINED_L4_HDR_FIELDS, (unsigned)user);
        uint32_t port = classifier_word(eth, REG_USER_DEFINED_L4_HDR_PORT, (unsigned)user);
        *ports = (struct ports){fields >> 12 & 1, fields >> 8 & 1, port >> 16, port & 0xffff};
        return true;
    }
    bool udp = p->protocol == PROTOCOL_UDP, tcp = p->protocol == PROTOCOL_TCP;
    uint32_t size = udp ? UDP_BYTES : TCP_BYTES;
    if ((!udp && !tcp) || !p->headers_end || frame->length - p->headers_end < size) {
        return false;
    }
    const uint8_t *l4 = frame->bytes + p->headers_end;
    *ports = (struct ports){udp, tcp, get16(l4), get16(l4 + 2)};
    if (tcp && l4[12] >> 4 != TCP_BYTES / 4) {
        odd_header(eth, p, 2);
    }
    p->headers_end += udp ? UDP_BYTES : 0;
    return true;
}

static uint32_t augmented_port(const struct eth *eth, const struct ports *ports, bool destination)
{
    uint32_t port = destination ? ports->destination : ports->source;
    for (unsigned i = 0; i < 16; i++) {
        uint32_t rule = classifier_word(eth, REG_USER_PORT_REDUCTION_RULE, i);
        uint32_t bounds = classifier_word(eth, REG_USER_PORT_REDUCTION_PORT, i);
        uint32_t low = bounds & 0xffff, high = bounds >> 16;
        bool is_range = rule >> 4 & 1, for_destination = rule >> 8 & 1, for_tcp = rule >> 12 & 1;
        bool applies =
            for_destination == destination && (for_tcp ? ports->tcp_rules : ports->udp_rules);
        bool matches = is_range ? low <= port && port <= high : port == low || port == high;
        if (applies && matches) {
            return rule & 0xf;
        }
    }
    return 0;
}

static void describe_ip(const struct eth *eth, const struct eth_frame *frame, struct parsed *p)
{
    struct ports ports;
    p->tuple.protocol = p->protocol | augmented_protocol(eth, p->protocol) << 16;
    if (find_l4(eth, frame, p, &ports)) {
        p->tuple.source_port = ports.source | augmented_port(eth, &ports, false) << 16;
        p->tuple.destination_port = ports.destination | augmented_port(eth, &ports, true) << 16;
    }
}

static void parse_frame(const struct eth *eth, const struct eth_frame *frame, struct parsed *p)
{
    memset(p, 0, sizeof *p);
    find_tags(frame, p);
    remap(eth, p);
    if (find_l3(eth, frame, p)) {
        describe_ip(eth, frame, p);
    } else {
        describe_not_ip(eth, frame, p);
    }
}

/* --- Stage 6: keep or drop, and how to change --- */

enum action {
    ACTION_QUEUE = 3,
    ACTION_DROP = 1 << 2,
    ACTION_REMOVE = 1 << 3,
    ACTION_TIMESTAMP = 1 << 4,
    ACTION_SW_METADATA = 1 << 5,
    ACTION_HW_METADATA = 1 << 6,
};

static bool tag_missing(uint32_t wanted, uint32_t tag)
{
    bool required = wanted >> 15 & 1;
    return required && (!tag || (tag & VLAN_ID) != (wanted & VLAN_ID));
}

/* GUESS: the reserved value 3 of OVERRIDE_DECISION means what 2 does. */
static bool keep(const struct eth *eth, const struct parsed *p, const struct eth_flow *flow)
{
    enum { KEEP_ALL, DROP_ALL };
    if (p->odd) {
        return !p->error;
    }
    switch (classifier_word(eth, REG_OVERRIDE_DECISION, 0) & 3) {
    case KEEP_ALL:
        return true;
    case DROP_ALL:
        return false;
    default:
        return !(flow->actions & ACTION_DROP) && !tag_missing(flow->vlan & 0xffff, p->ctag) &&
               !tag_missing(flow->vlan >> 16, p->stag);
    }
}

/* Tags, and IP and UDP headers, go; the last type stays behind the MAC addresses. */
static void remove_headers(struct eth_frame *frame, const struct parsed *p)
{
    uint32_t end = p->headers_end ? p->headers_end : p->type_at + 2;
    memmove(frame->bytes + TYPE_AT, frame->bytes + p->type_at, 2);
    memmove(frame->bytes + ETHERNET_BYTES, frame->bytes + end, frame->length - end);
    frame->length -= end - ETHERNET_BYTES;
}

static uint32_t hardware_metadata(const struct eth_frame *frame, const struct eth_flow *flow)
{
    return frame->length | (uint32_t)frame->eop << 14 | (flow->actions & ACTION_QUEUE) << 20 |
           (flow->actions & ACTION_TIMESTAMP ? UINT32_C(1) << 22 : 0) | (flow->labels & 0x1f) << 24;
}

static void prepend(struct eth_frame *frame, const struct eth_flow *flow)
{
    uint8_t metadata[8];
    uint32_t size = 0;
    if (flow->actions & ACTION_SW_METADATA) {
        put32(metadata, flow->metadata);
        size += 4;
    }
    if (flow->actions & ACTION_HW_METADATA) {
        put32(metadata + size, hardware_metadata(frame, flow));
        size += 4;
    }
    memmove(frame->bytes + size, frame->bytes, frame->length);
    memcpy(frame->bytes, metadata, size);
    frame->length += size;
}

/* GUESS: where both are asked for, which SPEC forbids, headers are removed. */
static void change(struct eth_frame *frame, const struct parsed *p, const struct eth_flow *flow)
{
    if (p->odd) {
        return;
    }
    if (flow->actions & ACTION_REMOVE) {
        remove_headers(frame, p);
    } else if (flow->actions & (ACTION_SW_METADATA | ACTION_HW_METADATA)) {
        prepend(frame, flow);
    }
}

/* --- Stage 7: the queue --- */

static unsigned route_frame(const struct eth *eth, const struct eth_frame *frame,
                            const struct eth_flow *flow)
{
    enum { BY_ACTIONS = 2, BROADCAST = 0, MULTICAST = 4, UNICAST = 8, MMIO_STYLE = 2 };
    enum { MMIO_BYTE = TT_LINK_AT + TT_LINK_MMIO };
    if ((eth->control[REG_MAC_RX_ROUTING / 4] & 3) == BY_ACTIONS) {
        return flow->actions & ACTION_QUEUE;
    }
    uint64_t address = mac_at(frame->bytes);
    unsigned shift = address == 0xffffffffffff ? BROADCAST
                     : frame->bytes[0] & 1     ? MULTICAST
                                               : UNICAST;
    if (frame->length > MMIO_BYTE && frame->bytes[MMIO_BYTE] & 1) {
        shift += MMIO_STYLE;
    }
    return eth->control[REG_MAC_RX_ADDR_ROUTING / 4] >> shift & 3;
}

bool eth_classify(const struct eth *eth, struct eth_frame *frame, unsigned *queue)
{
    if (!well_formed(eth, frame)) {
        return false;
    }
    struct parsed parsed;
    parse_frame(eth, frame, &parsed);
    struct eth_flow flow = eth_flow_row(eth, eth_match(eth, &parsed.tuple));
    if (!keep(eth, &parsed, &flow)) {
        return false;
    }
    change(frame, &parsed, &flow);
    *queue = route_frame(eth, frame, &flow);
    return true;
}
