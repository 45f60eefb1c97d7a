/*
 * The data that base firmware leaves in the L1 of an Ethernet tile, and a small firmware of this
 * project that takes its place on RISCV E0: a heartbeat, the state of the link, the mailboxes
 * (among them RELEASE_CORE, by which tt-metal has E0 call its own firmware, and get it back when
 * that returns), and the functions of the API table. HDR: tt-metal's eth_fw_api.h; ttsim for
 * values.
 */
#ifndef ETH_BASE_FIRMWARE_H
#define ETH_BASE_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

enum {
#define BASE_FACT(name, value) ETH_BASE_##name = (value),
#include "base_firmware.def"
#undef BASE_FACT
};

/* port_status: UNUSED is a port whose lanes of SerDes the board uses otherwise. */
enum eth_port { ETH_PORT_UNKNOWN, ETH_PORT_UP, ETH_PORT_DOWN, ETH_PORT_UNUSED };

/* train_status, of which base firmware knows more: how training ended. */
enum eth_train {
    ETH_TRAIN_SKIPPED = 1,
    ETH_TRAIN_PASSED = 2,
    ETH_TRAIN_LOOPBACK = 4, /* passed, and the peer is this chip */
    ETH_TRAIN_NO_SIGNAL = 5 /* a time-out, which is where a p150's ports without a cable end */
};

/* The chip and tile at one end of a link. */
struct eth_chip_info {
    uint8_t pcb_type, asic_location;
    uint8_t eth_id, logical_eth_id; /* of the tile: physical, and without harvested ones */
    uint64_t board_id, asic_id;
    uint32_t mac_organisation, mac_id; /* three octets each */
};

struct eth_base_facts {
    enum eth_port port;
    bool is_loopback;
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
