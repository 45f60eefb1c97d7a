/* Registers of the Ethernet subsystems: where they are, what an access means. */
#include "eth/eth_internal.h"

#include <stddef.h>
#include <string.h>

#include "geometry.h"

enum kind {
    PLAIN,
    FIELD, /* of a command: must be left alone while the command is ongoing */
    COMMAND,
    DRIVEN,
    LATER,
    TICKS,
    ROW_UPDATE,
    TUPLE_UPDATE,
    FLOW_UPDATE,
    FLUSH,
};

enum bank_token {
#define ETH_BANK(token, first, count, stride, bytes) BANK_##token,
#include "eth.def"
#undef ETH_BANK
    BANKS,
};

static const struct bank {
    uint32_t first, count, stride;
} banks[BANKS] = {
#define ETH_BANK(token, first, count, stride, bytes) {first, count, stride},
#include "eth.def"
#undef ETH_BANK
};

static const struct row {
    enum bank_token bank;
    uint32_t first, words;
    const char *name;
    enum kind kind;
    uint32_t writable, reset;
} rows[] = {
#define ETH_REG(bank, first, words, name, kind, writable, reset)                                   \
    {BANK_##bank, first, words, #name, kind, writable, reset},
#include "eth.def"
#undef ETH_REG
};

enum { ROWS = sizeof rows / sizeof rows[0] };

#define ETH_REG(bank, first, words, name, kind, writable, reset)                                   \
    _Static_assert((first) / 4 + (words) <= ETH_##bank##_WORDS, #name);
#include "eth.def"
#undef ETH_REG
_Static_assert((int)ETH_RXQ_COUNT == (int)ETH_TXQ_COUNT, "a queue has two directions");

/* A register: its row, which one of the bank's instances, and the offset there. */
struct place {
    const struct row *row;
    unsigned instance;
    uint32_t offset;
};

static bool find(uint32_t offset, struct place *place)
{
    for (unsigned i = 0; i < ROWS; i++) {
        const struct bank *bank = &banks[rows[i].bank];
        uint32_t in_bank = offset - bank->first;
        if (offset < bank->first || in_bank >= bank->count * bank->stride) {
            continue;
        }
        uint32_t at = in_bank % bank->stride;
        if (at >= rows[i].first && at < rows[i].first + 4 * rows[i].words) {
            *place = (struct place){&rows[i], in_bank / bank->stride, at};
            return true;
        }
    }
    return false;
}

static uint32_t *word_at(struct eth *eth, enum bank_token bank, unsigned instance, uint32_t offset)
{
    switch (bank) {
    case BANK_TXQ:
        return &eth->txq[instance].word[offset / 4];
    case BANK_RXQ:
        return &eth->rxq[instance].word[offset / 4];
    case BANK_CTRL:
        return &eth->control[offset / 4];
    case BANK_HEADER:
        return &eth->header[instance][offset / 4];
    case BANK_PTP:
        return &eth->ptp[offset / 4];
    case BANK_CLASSIFIER:
        return &eth->classifier[offset / 4];
    case BANK_TIMESTAMP:
        return &eth->timestamp[offset / 4];
    case BANK_MAC:
    case BANKS:
        break;
    }
    return &eth->mac[offset / 4];
}

const char *eth_register_name(uint32_t offset)
{
    struct place place;
    return find(offset, &place) ? place.row->name : NULL;
}

bool eth_is_of_timer(uint32_t offset)
{
    struct place place;
    return find(offset, &place) && place.row->bank == BANK_PTP;
}

bool eth_is_of_phy(uint32_t offset)
{
    static const struct {
        uint32_t first, bytes;
    } parts[] = {
#define ETH_PHY(first, bytes) {first, bytes},
#include "eth.def"
#undef ETH_PHY
    };
    bool is_there = false;
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        is_there |= offset - parts[i].first < parts[i].bytes;
    }
    return is_there;
}

/* --- Reset --- */

/*
 * What base firmware sets up: queues 0 and 1 in TT-link mode, the first addressing its packets to
 * everybody and the second to a group (values as ttsim has them).
 */
static void reset_links(struct eth *eth)
{
    enum { KEEPALIVE = 1, PACKET_MODE = 2, SECOND_ENTRY = 0x111 };
    for (unsigned queue = 0; queue < WITHOUT_MMIO; queue++) {
        *txq_word(&eth->txq[queue], REG_ETH_TXQ_CTRL) = KEEPALIVE;
        *rxq_word(&eth->rxq[queue], REG_ETH_RXQ_CTRL) = PACKET_MODE;
    }
    *txq_word(&eth->txq[1], REG_ETH_TXQ_TXPKT_CFG_SEL_SW) = SECOND_ENTRY;
    *txq_word(&eth->txq[1], REG_ETH_TXQ_TXPKT_CFG_SEL_HW) = 1;
    eth->header[0][REG_TXPKT_CFG_MAC_DA / 4] = 0xffffffff;
    eth->header[0][REG_TXPKT_CFG_MAC_DA / 4 + 1] = 0xffff;
    eth->header[1][REG_TXPKT_CFG_MAC_DA / 4] = 1;
    eth->header[1][REG_TXPKT_CFG_MAC_DA / 4 + 1] = 0x100;
}

void eth_init(struct eth *eth, const struct eth_board *board)
{
    eth->board = *board;
    for (unsigned i = 0; i < ROWS; i++) {
        unsigned instances = rows[i].reset ? banks[rows[i].bank].count : 0;
        for (unsigned instance = 0; instance < instances; instance++) {
            for (uint32_t word = 0; word < rows[i].words; word++) {
                *word_at(eth, rows[i].bank, instance, rows[i].first + 4 * word) = rows[i].reset;
            }
        }
    }
    eth_flush_tcam(eth);
    reset_links(eth);
}

void eth_set_link(struct eth *eth, enum eth_link link, uint64_t cycle)
{
    eth->link = link;
    eth->control[REG_ETH_CTRL_PCS_STATUS / 4] = link != ETH_LINK_DOWN;
    eth->board.changed(eth->board.owner, cycle);
    eth_pump(eth, cycle);
}

/* --- Access --- */

enum { TICK_NS = 20, TICK_CYCLES = TICK_NS * CLOCK_MHZ / 1000 };

enum eth_effect eth_read(struct eth *eth, uint32_t offset, bool effects, uint32_t *value,
                         uint64_t cycle)
{
    struct place place;
    if (!find(offset, &place)) {
        return ETH_ABSENT;
    }
    if (place.row->kind == TICKS) {
        uint64_t ticks = cycle / TICK_CYCLES;
        *value = (uint32_t)ticks;
        if (effects) {
            eth->ptp[REG_PTP_TIMER_CFR_HI / 4] = (uint32_t)(ticks >> 32);
        }
        return ETH_DONE;
    }
    *value = *word_at(eth, place.row->bank, place.instance, place.offset);
    return place.row->kind == LATER ? ETH_UNMODELLED : ETH_DONE;
}

static enum eth_effect write_field(struct eth *eth, const struct place *place, uint32_t *word,
                                   uint32_t value)
{
    if (place->row->kind == FIELD && *txq_word(&eth->txq[place->instance], REG_ETH_TXQ_STATUS)) {
        static const char *const rule = "ETH_TXQ fields must be left alone while a command is "
                                        "ongoing: wait until bit 16 of ETH_TXQ_STATUS is 0";
        strncpy(eth->rule, rule, sizeof eth->rule - 1);
        return ETH_FAULT;
    }
    *word = (*word & ~place->row->writable) | (value & place->row->writable);
    return place->row->kind == LATER ? ETH_UNMODELLED : ETH_DONE;
}

enum eth_effect eth_write(struct eth *eth, uint32_t offset, bool effects, uint32_t value,
                          uint64_t cycle)
{
    struct place place;
    if (!find(offset, &place)) {
        return ETH_ABSENT;
    }
    uint32_t *word = word_at(eth, place.row->bank, place.instance, place.offset);
    if (effects && place.row->kind == COMMAND) {
        return eth_command(eth, place.instance, value, cycle);
    }
    if (effects && place.row->kind == FLUSH) {
        if (value == 1) {
            eth_flush_tcam(eth);
        }
        return ETH_DONE;
    }
    enum eth_effect effect = write_field(eth, &place, word, value);
    if (effects && place.row->kind == ROW_UPDATE) {
        eth_update_tcam_row(eth, value);
    } else if (effects && place.row->kind == TUPLE_UPDATE) {
        eth_update_tuple(eth, value);
    } else if (effects && place.row->kind == FLOW_UPDATE) {
        eth_update_flow(eth, value);
    }
    return effect;
}
