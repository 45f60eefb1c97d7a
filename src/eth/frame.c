/*
 * The headers that a TX queue puts before a payload. SPEC: EthernetTxRx, TX Header Table: MAC
 * addresses, VLAN tags, type or length, L3 and L4 headers with lengths and checksums that hardware
 * fills in, the TT-link header. Numbers in a frame have their highest byte first.
 */
#include "eth/eth_internal.h"

#include <stddef.h>
#include <string.h>

enum insert_ctl {
    INSERT_VLAN = 1 << 0,
    INSERT_SECOND_VLAN = 1 << 4,
    INSERT_L3 = 1 << 8,
    INSERT_L4 = 1 << 16,
    INSERT_CHECKSUM = 1 << 18,
    INSERT_ICRC = 1 << 26,
};

enum l3_type { L3_IPV4, L3_IPV6, L3_RESERVED, L3_CUSTOM };
enum l4_type { L4_UDP, L4_TCP, L4_RESERVED, L4_CUSTOM };

enum {
    IPV4_BYTES = 20,
    IPV6_BYTES = 40,
    UDP_BYTES = 8,
    TCP_BYTES = 20,
    L3_LIMIT = 40,
    L4_LIMIT = 20,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
};

/* An entry of the table, taken apart. */
struct headers {
    const uint32_t *word;
    uint32_t insert;
    bool l3, l4;
    enum l3_type l3_type;
    enum l4_type l4_type;
    uint32_t l3_bytes, l4_bytes;
};

static struct headers take_apart(const struct eth *eth, unsigned entry)
{
    static const uint32_t l3_sizes[] = {IPV4_BYTES, IPV6_BYTES, 0, 0};
    static const uint32_t l4_sizes[] = {UDP_BYTES, TCP_BYTES, 0, 0};
    const uint32_t *word = eth->header[entry];
    uint32_t insert = word[REG_TXPKT_CFG_INSERT_CTL / 4],
             custom = word[REG_TXPKT_CFG_CUSTOM_HDR / 4];
    struct headers h = {
        .word = word,
        .insert = insert,
        .l3 = insert & INSERT_L3,
        .l4 = insert & INSERT_L4,
        .l3_type = insert >> 12 & 3,
        .l4_type = insert >> 20 & 3,
    };
    h.l3_bytes = !h.l3 ? 0 : h.l3_type == L3_CUSTOM ? custom & 0xffff : l3_sizes[h.l3_type];
    h.l4_bytes = !h.l4 ? 0 : h.l4_type == L4_CUSTOM ? custom >> 16 : l4_sizes[h.l4_type];
    return h;
}

const char *eth_check_header(const struct eth *eth, unsigned header)
{
    if (header >= ETH_HEADERS) {
        return "ETH_TXQ_TXPKT_CFG_SEL: the TX header table has entries 0 to 9 only";
    }
    struct headers h = take_apart(eth, header);
    if ((h.l3 && h.l3_type == L3_RESERVED) || (h.l4 && h.l4_type == L4_RESERVED)) {
        return "INSERT_CTL: header type 2 is reserved; use 0, 1 or 3 in bits 12 and 20";
    }
    if (h.l3_bytes > L3_LIMIT || h.l3_bytes % 2) {
        return "CUSTOM_HDR_L3 must be even and at most 40 bytes";
    }
    if (h.l4_bytes > L4_LIMIT || h.l4_bytes % 2) {
        return "CUSTOM_HDR_L4 must be even and at most 20 bytes";
    }
    if (h.insert & INSERT_ICRC && h.l3) {
        return "INSERT_CTL: the RoCE iCRC (bit 26) is not modelled yet; clear the bit";
    }
    return NULL;
}

/* --- Checksums --- */

/* Adds bytes to a sum of 16-bit numbers in ones' complement; an odd last byte is a high one. */
static uint32_t add_sum(uint32_t sum, const uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i + 1 < size; i += 2) {
        sum += get16(bytes + i);
    }
    if (size % 2) {
        sum += (uint32_t)bytes[size - 1] << 8;
    }
    while (sum >> 16) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

/* Addresses, protocol and length, which the checksums of UDP and TCP cover too. */
static uint32_t pseudo_header_sum(enum l3_type type, const uint8_t *l3, uint32_t protocol,
                                  uint32_t size)
{
    uint8_t rest[4];
    put16(rest, protocol);
    put16(rest + 2, size);
    uint32_t addresses = type == L3_IPV4 ? add_sum(0, l3 + 12, 8) : add_sum(0, l3 + 8, 32);
    return add_sum(addresses, rest, sizeof rest);
}

static void finish_l3(enum l3_type type, uint8_t *l3, uint32_t after)
{
    if (type == L3_IPV4) {
        put16(l3 + 2, IPV4_BYTES + after);
        put16(l3 + 10, 0);
        put16(l3 + 10, ~add_sum(0, l3, IPV4_BYTES));
    } else if (type == L3_IPV6) {
        put16(l3 + 4, after);
    }
}

/* GUESS: a checksum needs the addresses of an IP header from the table; without, the header's own
 * stays. TCP has no length field: nothing to overwrite. */
static void finish_l4(const struct headers *h, const uint8_t *l3, uint8_t *l4, uint32_t size)
{
    if (h->l4_type == L4_CUSTOM) {
        return;
    }
    bool udp = h->l4_type == L4_UDP;
    if (udp) {
        put16(l4 + 4, size);
    }
    if (!(h->insert & INSERT_CHECKSUM) || !h->l3 || h->l3_type == L3_CUSTOM) {
        return;
    }
    uint8_t *checksum = l4 + (udp ? 6 : 16);
    put16(checksum, 0);
    uint32_t protocol = udp ? PROTOCOL_UDP : PROTOCOL_TCP;
    uint32_t sum = pseudo_header_sum(h->l3_type, l3, protocol, size);
    sum = ~add_sum(sum, l4, size) & 0xffff;
    put16(checksum, udp && !sum ? 0xffff : sum); /* 0 would say that there is none */
}

/* --- Building --- */

static uint8_t *put_mac(uint8_t *at, const uint32_t *word)
{
    put16(at, word[1]);
    put32(at + 2, word[0]);
    return at + MAC_BYTES;
}

static uint8_t *put_words(uint8_t *at, const uint32_t *word, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        at[i] = (uint8_t)(word[i / 4] >> (24 - 8 * (i % 4)));
    }
    return at + size;
}

static uint8_t *put_tags(uint8_t *at, const struct headers *h)
{
    if (h->insert & INSERT_VLAN) {
        bool both = h->insert & INSERT_SECOND_VLAN;
        at = put_words(at, &h->word[REG_TXPKT_CFG_VLAN / 4], both ? 8 : 4);
    }
    return at;
}

void eth_build_frame(const struct eth *eth, unsigned header, const uint8_t *tt_link,
                     const uint8_t *payload, uint32_t size, struct eth_frame *frame)
{
    struct headers h = take_apart(eth, header);
    uint32_t body = (tt_link ? (uint32_t)TT_LINK_BYTES : 0) + size;
    uint32_t after_type = h.l3_bytes + h.l4_bytes + body;
    uint8_t *at = put_mac(frame->bytes, &h.word[REG_TXPKT_CFG_MAC_DA / 4]);
    at = put_mac(at, &h.word[REG_TXPKT_CFG_MAC_SA / 4]);
    at = put_tags(at, &h);
    uint32_t type = h.word[REG_TXPKT_CFG_ETHERTYPE / 4];
    put16(at, type & 1 ? type >> 16 : after_type);
    uint8_t *l3 = at + 2;
    uint8_t *l4 = put_words(l3, &h.word[REG_TXPKT_CFG_L3_HEADER / 4], h.l3_bytes);
    at = put_words(l4, &h.word[REG_TXPKT_CFG_L4_HEADER / 4], h.l4_bytes);
    if (tt_link) {
        memcpy(at, tt_link, TT_LINK_BYTES);
        at += TT_LINK_BYTES;
    }
    if (size) {
        memcpy(at, payload, size);
        at += size;
    }
    if (h.l3) {
        finish_l3(h.l3_type, l3, h.l4_bytes + body);
    }
    if (h.l4) {
        finish_l4(&h, l3, l4, h.l4_bytes + body);
    }
    frame->eop = ETH_EOP_GOOD;
    frame->length = (uint32_t)(at - frame->bytes);
    while (frame->length < FRAME_MINIMUM) {
        frame->bytes[frame->length++] = 0;
    }
}
