/* Base firmware of Ethernet tiles: writing it and its results. */
#include "eth/base_firmware.h"

#include <stddef.h>

static const uint32_t code[] = {
#define BASE(word, text) UINT32_C(word),
#include "base_firmware.def"
#undef BASE
};

enum {
    INFO_BYTES = 32,
    HAS_INFO = 1, /* the exchange with the peer has been tried */
};

/* By enum eth_port. */
static const struct {
    uint32_t postcode;
    enum eth_train train;
    uint32_t speed;
} results[] = {
    [ETH_PORT_UP] = {UINT32_C(0xc0dea000), ETH_TRAIN_PASSED, ETH_BASE_SPEED},
    [ETH_PORT_DOWN] = {UINT32_C(0xc0deb000), ETH_TRAIN_NO_SIGNAL, ETH_BASE_SPEED},
    [ETH_PORT_UNUSED] = {UINT32_C(0xc0de0000), ETH_TRAIN_SKIPPED, 0},
};

/* One slot of the API table: send message, service messages, check the link, initialise the dynamic
 * NoC counters, recover the link. */
static const uint32_t api[] = {ETH_BASE_RETURN, ETH_BASE_SERVICE, ETH_BASE_CHECK, ETH_BASE_RETURN,
                               ETH_BASE_RETURN};

struct writer {
    void (*write)(void *owner, uint32_t address, uint32_t value);
    void *owner;
};

static void put_base_word(const struct writer *writer, uint32_t address, uint32_t value)
{
    writer->write(writer->owner, address, value);
}

static void put_info(const struct writer *writer, uint32_t at, const struct eth_chip_info *info)
{
    const uint32_t words[INFO_BYTES / 4] = {
        info->pcb_type | (uint32_t)info->asic_location << 8 | (uint32_t)info->eth_id << 16 |
            (uint32_t)info->logical_eth_id << 24,
        (uint32_t)(info->board_id >> 32),
        (uint32_t)info->board_id,
        info->mac_organisation,
        info->mac_id,
        (uint32_t)(info->asic_id >> 32),
        (uint32_t)info->asic_id,
        HAS_INFO,
    };
    for (uint32_t i = 0; i < INFO_BYTES / 4; i++) {
        put_base_word(writer, at + 4 * i, words[i]);
    }
}

void eth_base_firmware_write(const struct eth_base_facts *facts,
                             void (*write)(void *owner, uint32_t address, uint32_t value),
                             void *owner)
{
    const struct writer writer = {write, owner};
    bool up = facts->port == ETH_PORT_UP;
    for (uint32_t i = 0; i < sizeof code / sizeof code[0]; i++) {
        put_base_word(&writer, ETH_BASE_ENTRY + 4 * i, code[i]);
    }
    for (uint32_t i = 0; i < sizeof api / sizeof api[0]; i++) {
        put_base_word(&writer, ETH_BASE_API_TABLE + 4 * i, api[i]);
    }
    put_base_word(&writer, ETH_BASE_BOOT_RESULTS, results[facts->port].postcode);
    put_base_word(&writer, ETH_BASE_PORT_STATUS, facts->port);
    put_base_word(&writer, ETH_BASE_TRAIN_STATUS,
                  facts->is_loopback ? ETH_TRAIN_LOOPBACK : results[facts->port].train);
    put_base_word(&writer, ETH_BASE_TRAIN_SPEED, results[facts->port].speed);
    put_base_word(&writer, ETH_BASE_LINK_UP, up);
    put_base_word(&writer, ETH_BASE_VERSION,
                  facts->version ? facts->version : ETH_BASE_DEFAULT_VERSION);
    put_info(&writer, ETH_BASE_LOCAL_INFO, &facts->local);
    if (up) {
        put_info(&writer, ETH_BASE_REMOTE_INFO, &facts->remote);
    }
}
