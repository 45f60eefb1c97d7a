/*
 * What goes wrong on a link because somebody wants to see what software makes of it: frames that
 * arrive damaged, and a time without the link.
 *
 * A damaged frame has a wrong CRC. The MAC finds it, and the RX classifier drops the frame unless
 * software keeps such ones; a TX queue in TT-link mode then sends it again (SPEC: EthernetTxRx,
 * EthernetRxClassifier). Which frames that are depends on the seed and on how many have arrived before, so that it is
 * the same in each run. The counters that base firmware of a card keeps of these things count them (HDR:
 * eth_fw_api.h, eth_live_status_t), on a card some time later.
 */
#include "eth/base_firmware.h"
#include "eth/eth_internal.h"

#include <string.h>

static void count_live(struct eth *eth, uint32_t address, uint64_t cycle)
{
    uint32_t count;
    memcpy(&count, eth->board.l1 + address, sizeof count);
    count++;
    memcpy(eth->board.l1 + address, &count, sizeof count);
    eth->board.l1_written(eth->board.owner, address, sizeof count, cycle);
}

void eth_set_errors(struct eth *eth, const struct eth_errors *errors, uint64_t cycle)
{
    eth->errors = *errors;
    eth->board.changed(eth->board.owner, cycle);
}

/* --- The link --- */

uint64_t eth_link_due(const struct eth *eth)
{
    const struct eth_errors *errors = &eth->errors;
    uint64_t due = errors->kept == ETH_LINK_DOWN ? errors->down : errors->up;
    return due ? due : UINT64_MAX;
}

void eth_put_link(struct eth *eth, enum eth_link link, uint64_t cycle)
{
    eth->link = link;
    eth->control[REG_ETH_CTRL_PCS_STATUS / 4] = link != ETH_LINK_DOWN;
    eth->board.changed(eth->board.owner, cycle);
    eth_pump(eth, cycle);
}

void eth_change_link(struct eth *eth, uint64_t cycle)
{
    struct eth_errors *errors = &eth->errors;
    if (cycle < eth_link_due(eth)) {
        return;
    }
    if (errors->kept == ETH_LINK_DOWN) {
        errors->kept = eth->link;
        count_live(eth, ETH_BASE_FLAPS, cycle);
        eth_put_link(eth, ETH_LINK_DOWN, cycle);
        return;
    }
    enum eth_link link = (enum eth_link)errors->kept;
    errors->kept = ETH_LINK_DOWN;
    errors->down = errors->up = 0;
    count_live(eth, ETH_BASE_RETRAINS, cycle);
    eth_put_link(eth, link, cycle);
}

/* --- Frames --- */

/* SplitMix64, the number at `index` of the sequence that the seed starts. */
static uint64_t random_at(uint64_t seed, uint64_t index)
{
    uint64_t mixed = seed + index * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

void eth_damage(struct eth *eth, struct eth_frame *frame, uint64_t cycle)
{
    const struct eth_errors *errors = &eth->errors;
    uint64_t chance = random_at(errors->seed, eth->statistics.received);
    bool is_all = errors->damaged == UINT64_MAX;
    if (!errors->damaged || (!is_all && chance >= errors->damaged)) {
        return;
    }
    uint32_t at = ETHERNET_BYTES + (uint32_t)(chance % (frame->length - ETHERNET_BYTES + 1));
    frame->bytes[at < frame->length ? at : 0] ^= 1;
    frame->eop = ETH_EOP_BAD_CRC;
    eth->statistics.damaged++;
    count_live(eth, ETH_BASE_BAD_FRAMES, cycle);
}
