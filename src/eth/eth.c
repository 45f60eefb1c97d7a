/* Registers of the Ethernet subsystems: their places, and the effects of accesses. */
#include "eth/eth_internal.h"

#include <stddef.h>
#include <string.h>

#include "geometry.h"

/* --- The rows --- */

struct eth_access {
    bool writes, effects;
    uint32_t value; /* written or, as the answer, read */
    uint64_t cycle;
};

/* What BY names in eth.def. */
typedef enum answer eth_handler(struct eth *eth, const struct reg_place *place,
                                struct eth_access *access);
static eth_handler eth_by_command, eth_by_field, eth_by_ticks, eth_by_row_update,
    eth_by_tuple_update, eth_by_flow_update, eth_by_flush;

#define REG_FILE    eth_registers
#define REG_TABLE   "eth.def"
#define REG_BY(has) eth_by_##has
#include "isa/reg_table.h"

_Static_assert((int)ETH_RXQ_COUNT == (int)ETH_TXQ_COUNT, "a queue has two directions");

static uint32_t *eth_word(void *state, const struct reg_place *place)
{
    struct eth *eth = state;
    uint32_t *const bank[REG_BANKS] = {
        [BANK_TXQ] = eth->txq[place->copy % ETH_QUEUES].word,
        [BANK_RXQ] = eth->rxq[place->copy % ETH_QUEUES].word,
        [BANK_CTRL] = eth->control,
        [BANK_HEADER] = eth->header[place->copy],
        [BANK_PTP] = eth->ptp,
        [BANK_CLASSIFIER] = eth->classifier,
        [BANK_TIMESTAMP] = eth->timestamp,
        [BANK_MAC] = eth->mac,
    };
    return &bank[place->bank][place->offset / 4];
}

bool eth_is_of_timer(uint32_t offset)
{
    struct reg_place place;
    return reg_find(&eth_registers, offset, &place) && place.bank == BANK_PTP;
}

bool eth_is_of_phy(uint32_t offset)
{
    static const struct {
        uint32_t first, bytes;
    } parts[] = {
#define ETH_PHY(first, bytes) {first, bytes},
#include "eth.def"
    };
    bool is_there = false;
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        is_there |= offset - parts[i].first < parts[i].bytes;
    }
    return is_there;
}

/* --- Reports --- */

unsigned eth_unacknowledged(const struct eth *eth, uint32_t offset)
{
    struct reg_place place;
    bool is_there = reg_find(&eth_registers, offset, &place) && place.bank == BANK_TXQ;
    return is_there ? eth->txq[place.copy].held : 0;
}

bool eth_has_sent(const struct eth *eth, uint32_t address)
{
    bool has = false;
    for (unsigned i = 0; i < ETH_QUEUES * ETH_WINDOW; i++) {
        const struct eth_packet *packet = &eth->txq[i / ETH_WINDOW].packet[i % ETH_WINDOW];
        uint32_t size = packet->kind == ETH_PACKET_MMIO ? 4 : packet->size;
        has |= packet->kind != ETH_PACKET_NONE && address - packet->destination < size;
    }
    return has;
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
    reg_reset(&eth_registers, eth, eth_word);
    eth_flush_tcam(eth);
    reset_links(eth);
}

void eth_set_link(struct eth *eth, enum eth_link link, uint64_t cycle)
{
    eth->errors = (struct eth_errors){0};
    eth_put_link(eth, link, cycle);
}

uint64_t eth_next_event(const struct eth *eth)
{
    uint64_t link = eth_link_due(eth), queues = eth_queues_due(eth);
    return link < queues ? link : queues;
}

void eth_run(struct eth *eth, uint64_t cycle)
{
    eth_change_link(eth, cycle);
    eth_run_queues(eth, cycle);
}

/* --- Rows that do something --- */

static enum answer eth_by_command(struct eth *eth, const struct reg_place *place,
                                  struct eth_access *access)
{
    return eth_command(eth, place->copy, access->value, access->cycle);
}

/* Of a command: must be left alone while the command is ongoing. */
static enum answer eth_by_field(struct eth *eth, const struct reg_place *place,
                                struct eth_access *access)
{
    if (*txq_word(&eth->txq[place->copy], REG_ETH_TXQ_STATUS)) {
        static const char *const rule = "ETH_TXQ fields must be left alone while a command is "
                                        "ongoing: wait until bit 16 of ETH_TXQ_STATUS is 0";
        strncpy(eth->rule, rule, sizeof eth->rule - 1);
        return ANSWER_REFUSED;
    }
    reg_store(place->row, eth_word(eth, place), access->value);
    return ANSWER_DONE;
}

enum { TICK_NS = 20, TICK_CYCLES = TICK_NS * CLOCK_MHZ / 1000 };

static enum answer eth_by_ticks(struct eth *eth, const struct reg_place *place,
                                struct eth_access *access)
{
    (void)place;
    uint64_t ticks = access->cycle / TICK_CYCLES;
    access->value = (uint32_t)ticks;
    if (access->effects) {
        eth->ptp[REG_PTP_TIMER_CFR_HI / 4] = (uint32_t)(ticks >> 32);
    }
    return ANSWER_DONE;
}

static enum answer update(struct eth *eth, const struct reg_place *place,
                          const struct eth_access *access,
                          void (*carry_out)(struct eth *eth, uint32_t command))
{
    reg_store(place->row, eth_word(eth, place), access->value);
    if (access->effects) {
        carry_out(eth, access->value);
    }
    return ANSWER_DONE;
}

static enum answer eth_by_row_update(struct eth *eth, const struct reg_place *place,
                                     struct eth_access *access)
{
    return update(eth, place, access, eth_update_tcam_row);
}

static enum answer eth_by_tuple_update(struct eth *eth, const struct reg_place *place,
                                       struct eth_access *access)
{
    return update(eth, place, access, eth_update_tuple);
}

static enum answer eth_by_flow_update(struct eth *eth, const struct reg_place *place,
                                      struct eth_access *access)
{
    return update(eth, place, access, eth_update_flow);
}

static enum answer eth_by_flush(struct eth *eth, const struct reg_place *place,
                                struct eth_access *access)
{
    (void)place;
    if (access->value == 1) {
        eth_flush_tcam(eth);
    }
    return ANSWER_DONE;
}

/* --- Access --- */

static enum answer eth_register(struct eth *eth, uint32_t offset, struct eth_access *access)
{
    struct reg_place place;
    if (!reg_find(&eth_registers, offset, &place)) {
        return ANSWER_UNMAPPED;
    }
    uint32_t *word = eth_word(eth, &place);
    switch (access->writes ? reg_write(place.row, word, access->effects, access->value)
                           : reg_read(place.row, word, access->effects, &access->value)) {
    case REG_UNMODELLED:
        return ANSWER_UNMODELLED;
    case REG_ASK:
        return ((eth_handler *)place.row->handler)(eth, &place, access);
    case REG_DONE:
    case REG_DENIED:
        break;
    }
    return ANSWER_DONE;
}

enum answer eth_read(struct eth *eth, uint32_t offset, bool effects, uint32_t *value,
                     uint64_t cycle)
{
    struct eth_access access = {.effects = effects, .value = *value, .cycle = cycle};
    enum answer answer = eth_register(eth, offset, &access);
    *value = access.value;
    return answer;
}

enum answer eth_write(struct eth *eth, uint32_t offset, bool effects, uint32_t value,
                      uint64_t cycle)
{
    struct eth_access access = {true, effects, value, cycle};
    return eth_register(eth, offset, &access);
}
