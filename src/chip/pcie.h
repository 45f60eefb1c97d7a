/*
 * A PCIe tile: the way from the NoC to the host, and the registers that a host sees in BAR2.
 * SPEC: BlackholeA0 PCIExpressTile/README. HW: registers of the window table (SII), of the iATU and
 * of the DMA engine as the vendor's firmware, UMD and the controller's public driver use them.
 *
 * The six highest bits of an address in the tile name one of 64 windows. 62 of them lead to host memory,
 * perhaps through the outbound iATU; one leads to the controller's own registers (DBI), the last
 * one to registers of the tile. DMA transfers happen at once, when the doorbell rings.
 */
#ifndef CHIP_PCIE_H
#define CHIP_PCIE_H

#include "addresses.h"
#include "chip/grid.h"
#include "isa/reg.h"

enum {
    PCIE_WINDOWS = 63, /* configurable ones */
    PCIE_REGIONS = 16, /* of an iATU, each direction */
    PCIE_CHANNELS = 8, /* DMA channels, each direction */
};

/* The two sides of the tile. Each returns false when nothing answers. */
struct pcie_bus {
    bool (*host_read)(void *context, uint64_t address, void *to, uint32_t size);
    bool (*host_write)(void *context, uint64_t address, const void *from, uint32_t size);
    /* Device addresses of DMA are those of BAR0: windows and registers. */
    bool (*device_read)(void *context, uint64_t address, void *to, uint32_t size);
    bool (*device_write)(void *context, uint64_t address, const void *from, uint32_t size);
    void *context;
};

struct pcie_region { /* in the order of the registers */
    uint32_t control_1, control_2, base_low, base_high, limit_low, target_low, target_high,
        control_3, limit_high;
};

enum pcie_direction {
    PCIE_WRITE, /* from the device to the host */
    PCIE_READ,  /* from the host to the device */
    PCIE_DIRECTIONS
};

/* Registers of pcie.def. Two of them are commands and always zero. */
struct pcie_channel {
    uint32_t enable, doorbell, prefetch, handshake, list_low, list_high, cycle, size, source_low,
        source_high, target_low, target_high, watermark, control, function, qos, status,
        interrupt_status, interrupt_setup, interrupt_clear, stop_low, stop_high, watermark_low,
        watermark_high, abort_low, abort_high, message;
};

struct pcie_state {
    struct niu niu[GRID_NOCS];
    uint32_t window[PCIE_WINDOWS];
    struct pcie_region outbound[PCIE_REGIONS], inbound[PCIE_REGIONS];
    struct pcie_channel channel[PCIE_CHANNELS][PCIE_DIRECTIONS];
    uint32_t device_control; /* Device Control and Status of configuration space */
    uint32_t app_control;    /* a register of the SII */
    bool is_connected;       /* to a host */
    uint8_t gap[3];
};

struct pcie {
    struct pcie_state;

    /* Beside the state. */
    uint8_t instance;
    struct pcie_bus bus;
};

extern const struct reg_file pcie_registers;

/* As firmware leaves it. */
void pcie_init(struct pcie *pcie, const struct grid *grid, unsigned instance,
               const struct pcie_bus *bus);

/* The host address of [address, address + size) of the NoC's address space. ANSWER_UNMAPPED when a
 * window to registers of the tile is there, ANSWER_REFUSED when the access cannot be translated;
 * `rule` then says why. Size is at least 1. */
enum answer pcie_translate(const struct pcie *pcie, uint64_t address, uint64_t size, uint64_t *host,
                           char *rule);

/* Does an address lead to the registers of SerDes? */
bool pcie_is_serdes(uint64_t address);

/* Does an address lead to the tile's own registers, not to the host? */
bool pcie_is_register(const struct pcie *pcie, uint64_t address);

/* Accesses over NoC `noc`; `rule` and `to` as with arc_read. Host memory takes any size, registers
 * are single words. */
enum answer pcie_read(struct pcie *pcie, unsigned noc, uint64_t address, void *to, uint32_t size,
                      char *rule);
enum answer pcie_write(struct pcie *pcie, unsigned noc, uint64_t address, const void *from,
                       uint32_t size, char *rule);

/* A transfer that ARC's firmware sets up on channel 0, for a host that asked for it. */
struct pcie_transfer {
    uint32_t size;
    uint64_t chip, host; /* addresses; the chip's are those of BAR0 */
    uint64_t
        message_address; /* of the word by which the host is told; 4 more: that it was aborted */
    uint32_t message;
};

/* Runs it; when nothing answers the host gets the message of aborted transfers. */
void pcie_transfer(struct pcie *pcie, enum pcie_direction direction,
                   const struct pcie_transfer *transfer);

/* A register of BAR2, by its offset. Writing a doorbell runs the transfer; ANSWER_UNMAPPED when one of
 * its sides did not answer. Reads have no effects. */
enum answer pcie_bar2_read(struct pcie *pcie, uint32_t offset, uint32_t *value, char *rule);
enum answer pcie_bar2_write(struct pcie *pcie, uint32_t offset, uint32_t value, char *rule);

#endif
