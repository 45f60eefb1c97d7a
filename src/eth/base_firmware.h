/*
 * What base firmware leaves in the L1 of an Ethernet tile, and a small firmware of our own that
 * stands in for it on RISCV E0: a heartbeat, the state of the link, the mailboxes (among them
 * RELEASE_CORE, by which tt-metal has E0 call its own firmware, and get it back when that
 * returns), and the functions of the API table. HDR: tt-metal's eth_fw_api.h; ttsim for values.
 */
#ifndef ETH_BASE_FIRMWARE_H
#define ETH_BASE_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    ETH_BASE_ENTRY = 0x70000, /* for the reset PC of E0 */
    ETH_BASE_PERIOD = 0x4000, /* cycles between heartbeats */
    ETH_BASE_BOOT_RESULTS = 0x7cc00,
    ETH_BASE_PORT_STATUS = 0x7cc04,
    ETH_BASE_TRAIN_STATUS = 0x7cc08,
    ETH_BASE_HEARTBEAT = 0x7cc70,
    ETH_BASE_LINK_UP = 0x7ce04,
    ETH_BASE_API_TABLE = 0x7cf00,
    ETH_BASE_VERSION = 0x7cfbc, /* patch, minor, major: a byte each */
    ETH_BASE_LOCAL_INFO = 0x7cfc0,
    ETH_BASE_REMOTE_INFO = 0x7cfe0,
    ETH_BASE_MAILBOXES = 0x7d000, /* four of a message and three arguments */
};

enum eth_port { ETH_PORT_UNKNOWN, ETH_PORT_UP, ETH_PORT_DOWN, ETH_PORT_UNUSED };

/* Who is at one end of a link. */
struct eth_chip_info {
    uint8_t pcb_type, asic_location;
    uint8_t eth_id, logical_eth_id; /* of the tile: physical, and without harvested ones */
    uint64_t board_id, asic_id;
    uint32_t mac_organisation, mac_id; /* three octets each */
};

struct eth_base_facts {
    enum eth_port port;
    uint32_t version; /* major << 16 | minor << 8 | patch; 0: 1.6.0, the one of UMD's table */
    struct eth_chip_info local;
    struct eth_chip_info remote; /* of a port that is up */
};

/* Writes firmware and results, word by word; memory is taken to hold zeros. To start the firmware,
 * write ETH_BASE_ENTRY to the reset PC of E0 and release it. */
void eth_base_firmware_write(const struct eth_base_facts *facts,
                             void (*write)(void *owner, uint32_t address, uint32_t value),
                             void *owner);

#endif
