/*
 * The RX classifier's tables and the registers that reach them. SPEC: EthernetRxClassifier, stages
 * 4 and 5. A row's pattern is kept in the layout of the registers, so matching compares words, and
 * there is one list of the parts of a pattern for reading, writing and matching.
 */
#include "eth/eth_internal.h"

#include <stddef.h>
#include <string.h>

enum { GO_BIT = 31, WRITE_ROW = 1 << 16, ENABLE = 1 << 8, ROW_MASK = 0x3f };

void eth_update_tcam_row(struct eth *eth, uint32_t command)
{
    if (!(command >> GO_BIT)) {
        return;
    }
    unsigned number = command & ROW_MASK;
    if (command & WRITE_ROW) {
        eth->tcam[number].enabled = command & ENABLE;
    } else {
        eth->classifier[REG_TCAM_ROW_STATUS / 4] =
            number | (eth->tcam[number].enabled ? ENABLE : 0);
    }
}

/* --- Patterns --- */

enum { NOT_IP = 1 << 0, IP = 1 << 1 };

/* A part of a pattern: its words in struct eth_tuple, where its registers are, the bit of TCAM_UPDATE
 * that says to write it, in which rows it is, and which bits it has. */
static const struct part {
    size_t at;
    uint8_t words;
    uint16_t write, read;
    uint8_t update_bit;
    uint8_t rows;
    uint32_t bits;
} parts[] = {
#define ETH_PATTERN(token, member, words, update_bit, rows, bits)                                  \
    {offsetof(struct eth_tuple, member),                                                           \
     words,                                                                                        \
     REG_TCAM_##token##_WRITE,                                                                     \
     REG_TCAM_##token##_READ,                                                                      \
     update_bit,                                                                                   \
     rows,                                                                                         \
     bits},
#include "eth.def"
};

enum {
#define ETH_PATTERN(token, member, words, update_bit, rows, bits)                                  \
    UPDATE_##token = 1 << (update_bit),
#include "eth.def"
};

/* The flags of a Not IP row's addresses go with the addresses: the low half with the destination's
 * bit, the high half with the source's. */
enum { DESTINATION_FLAGS = 0xf, SOURCE_FLAGS = DESTINATION_FLAGS << 16 };

enum { PARTS = sizeof parts / sizeof parts[0] };

static uint32_t *part_words(struct eth_tuple *tuple, const struct part *part)
{
    return (uint32_t *)(void *)((char *)tuple + part->at);
}

static const uint32_t *part_words_of(const struct eth_tuple *tuple, const struct part *part)
{
    return (const uint32_t *)(const void *)((const char *)tuple + part->at);
}

static void write_tuple(struct eth *eth, struct eth_tuple *tuple, uint32_t command, unsigned rows)
{
    for (unsigned i = 0; i < PARTS; i++) {
        if (command >> parts[i].update_bit & 1 && parts[i].rows & rows) {
            for (unsigned word = 0; word < parts[i].words; word++) {
                part_words(tuple, &parts[i])[word] =
                    eth->classifier[parts[i].write / 4 + word] & parts[i].bits;
            }
        }
    }
    uint32_t flags =
        (command & UPDATE_DA ? DESTINATION_FLAGS : 0) | (command & UPDATE_SA ? SOURCE_FLAGS : 0);
    if (rows & NOT_IP) {
        tuple->address_flags = (tuple->address_flags & ~flags) |
                               (eth->classifier[REG_TCAM_NON_IP_ADDR_FLAGS_WRITE / 4] & flags);
    }
}

/* Registers that the row's kind does not have are left alone. */
static void read_tuple(struct eth *eth, const struct eth_tuple *tuple, enum eth_tuple_kind kind)
{
    unsigned rows = kind == ETH_NOT_IP ? NOT_IP : IP;
    for (unsigned i = 0; i < PARTS; i++) {
        if (parts[i].rows & rows) {
            for (unsigned word = 0; word < parts[i].words; word++) {
                eth->classifier[parts[i].read / 4 + word] = part_words_of(tuple, &parts[i])[word];
            }
        }
    }
    if (rows & NOT_IP) {
        eth->classifier[REG_TCAM_NON_IP_ADDR_FLAGS_READ / 4] = tuple->address_flags;
    }
}

void eth_update_tuple(struct eth *eth, uint32_t command)
{
    enum { MASK = 1 << 8, WRITE = 1 << 9, WRITE_IS_NOT_IP = 1 << 10 };
    if (!(command >> GO_BIT)) {
        return;
    }
    struct eth_tcam_row *row = &eth->tcam[command & ROW_MASK];
    struct eth_tuple *tuple = command & MASK ? &row->mask : &row->value;
    if (command & WRITE) {
        write_tuple(eth, tuple, command, command & WRITE_IS_NOT_IP ? NOT_IP : IP);
    } else {
        read_tuple(eth, tuple, row->value.kind & 3);
    }
}

static void fill_tuple(struct eth_tuple *tuple)
{
    for (unsigned i = 0; i < PARTS; i++) {
        for (unsigned word = 0; word < parts[i].words; word++) {
            part_words(tuple, &parts[i])[word] = parts[i].bits;
        }
    }
    tuple->address_flags = SOURCE_FLAGS | DESTINATION_FLAGS;
}

void eth_flush_tcam(struct eth *eth)
{
    for (unsigned i = 0; i < ETH_TCAM_ROWS; i++) {
        eth->tcam[i].enabled = false;
        fill_tuple(&eth->tcam[i].value);
        fill_tuple(&eth->tcam[i].mask);
    }
}

/* --- Matching --- */

static bool word_matches(uint32_t incoming, uint32_t value, uint32_t mask)
{
    return (incoming | mask) == (value | mask);
}

/* How much of an address there is: a MAC address, an IPv4 or an IPv6 address. */
static uint32_t address_bits(enum eth_tuple_kind kind, unsigned word)
{
    switch (kind) {
    case ETH_NOT_IP:
        return word == 0 ? 0xffffffff : word == 1 ? 0xffff : 0;
    case ETH_IPV4:
        return word == 0 ? 0xffffffff : 0;
    case ETH_IPV6:
        break;
    }
    return 0xffffffff;
}

static bool row_matches(const struct eth_tcam_row *row, const struct eth_tuple *tuple)
{
    unsigned rows = tuple->kind == ETH_NOT_IP ? NOT_IP : IP;
    for (unsigned i = 0; i < PARTS; i++) {
        for (unsigned word = 0; parts[i].rows & rows && word < parts[i].words; word++) {
            uint32_t bits = parts[i].bits;
            if (parts[i].words > 1) {
                bits = address_bits((enum eth_tuple_kind)tuple->kind, word);
            }
            if (!word_matches(part_words_of(tuple, &parts[i])[word] & bits,
                              part_words_of(&row->value, &parts[i])[word] & bits,
                              part_words_of(&row->mask, &parts[i])[word])) {
                return false;
            }
        }
    }
    return rows == IP ||
           word_matches(tuple->address_flags, row->value.address_flags, row->mask.address_flags);
}

unsigned eth_match(const struct eth *eth, const struct eth_tuple *tuple)
{
    unsigned best = ETH_NO_MATCH, best_priority = 0;
    for (unsigned i = 0; i < ETH_TCAM_ROWS; i++) {
        uint32_t mapping = classifier_word(eth, REG_TCAM_ROW_MAPPING, i);
        unsigned priority = mapping & 7;
        if (eth->tcam[i].enabled && (best == ETH_NO_MATCH || priority > best_priority) &&
            row_matches(&eth->tcam[i], tuple)) {
            best = mapping >> 16 & ROW_MASK;
            best_priority = priority;
        }
    }
    return best;
}

/* --- The flow table --- */

void eth_update_flow(struct eth *eth, uint32_t command)
{
    enum { WRITE = 1 << 8 };
    if (!(command >> GO_BIT)) {
        return;
    }
    struct eth_flow *row = &eth->flow[command & ROW_MASK];
    uint32_t *word = eth->classifier;
    if (command & WRITE) {
        *row = (struct eth_flow){
            .labels = word[REG_FTABLE_LABELS / 4],
            .actions = word[REG_FTABLE_ACTIONS / 4],
            .vlan = word[REG_FTABLE_VLAN / 4],
            .metadata = word[REG_FTABLE_SW_METADATA / 4],
        };
    } else {
        word[REG_FTABLE_LABELS / 4] = row->labels;
        word[REG_FTABLE_ACTIONS / 4] = row->actions;
        word[REG_FTABLE_VLAN / 4] = row->vlan;
        word[REG_FTABLE_SW_METADATA / 4] = row->metadata;
    }
}

struct eth_flow eth_flow_row(const struct eth *eth, unsigned row)
{
    if (row < ETH_TCAM_ROWS) {
        return eth->flow[row];
    }
    return (struct eth_flow){
        .labels = classifier_word(eth, REG_NO_MATCH_LABELS, 0),
        .actions = classifier_word(eth, REG_NO_MATCH_ACTIONS, 0),
        .vlan = classifier_word(eth, REG_NO_MATCH_VLAN, 0),
        .metadata = classifier_word(eth, REG_NO_MATCH_SW_METADATA, 0),
    };
}
