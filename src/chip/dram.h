/*
 * A DRAM bank: 4 GiB of GDDR6 behind three tiles, each with two NIUs, a hart and L1 of its own.
 * SPEC: BlackholeA0 NoC/{README, MemoryMap} (NIU_CFG_0 bit 15); tt-exalens and tt-metal's drisc
 * firmware for what the NoC sees: GDDR from 0 to END_GDDR, the registers of the tile above it
 * (and once more at AT_DRAM_REGISTERS), its L1 at AT_DRAM_L1. With bit 15 of NIU_CFG_0 clear a NIU leads
 * to the hart's address space instead.
 *
 * The bank first serves packets for all of its tiles in canonical order, and then the tiles run. A
 * tile exists only after it was touched.
 */
#ifndef CHIP_DRAM_H
#define CHIP_DRAM_H

#include <penrose/penrose.h>

#include "chip/sparse.h"
#include "noc/packet.h"
#include "tile/tile.h"

enum { DRAM_PORTS = 3 };

struct dram_bank;

/* One of the three ways to the bank. */
struct dram_port {
    struct dram_bank *bank;
    struct tile *tile;    /* NULL until it is touched */
    struct tile *witness; /* tells observers of a host's accesses until then; NULL: none was made */
    uint16_t node;
    char name[24];               /* "DRAM (0, 11)" */
    struct noc_target behind[2]; /* GDDR as packets of the port's NIUs find it */
};

struct dram_bank {
    uint64_t sequence;           /* of packets that it sent */
    uint64_t loud_until;         /* it is not quiet before; 0: it is */
    struct timing_resource gddr; /* in timed runs */

    /* Beside the state. */
    unsigned number;
    bool is_quiet; /* in this window; see dram_begin_window */
    struct sparse memory;
    struct dram_port port[DRAM_PORTS];
    struct noc_queue inbox;
    struct noc_queue due; /* what is served when the time is a multiple of a window (gddr.c) */
    struct noc_list sent;
    struct noc_pool pool;
    const struct tile_board *board; /* for faults */
    void *owner;
    void *notes;
};

void dram_init(struct dram_bank *bank, unsigned number, const uint16_t node[DRAM_PORTS],
               const struct tile_board *board, void *owner);
void dram_free(struct dram_bank *bank);

/* The port's tile is there from now on. */
void dram_attach(struct dram_port *port, struct tile *tile);

/* Serves the packets that arrive before `end`. */
void dram_serve(struct dram_bank *bank, uint64_t end);

/* When what is due is served: the next multiple of a window's cycles. However long windows are, so
 * results do not depend on where they end. */
uint64_t dram_next_grid(const struct dram_bank *bank, uint64_t time);

/* A window begins. A bank is quiet in it if nothing can arrive there before that multiple and before
 * its end, its tiles' harts are in reset, or sleep until then and look at no NIU, and its NIUs lead
 * to GDDR, as hosts leave them: then neither GDDR nor the NIUs change while others run. */
void dram_begin_window(struct dram_bank *bank, uint64_t now, uint64_t end);

/* The window is over: until the next one begins no bank is quiet. */
void dram_end_window(struct dram_bank *bank, uint64_t now);

/* Is the packet a read or write of plain data that GDDR will serve, in a quiet window? */
bool dram_takes(const struct dram_port *port, const struct noc_packet *packet);

/* Between windows: is the packet due? Who has had the response must not wait for a better time. */
bool dram_is_due(const struct dram_bank *bank, const struct noc_packet *packet, uint64_t now);

/* Serves what is due. */
void dram_serve_due(struct dram_bank *bank, uint64_t cycle);

/* The port of a quiet bank counts reads that took place. */
void dram_count_reads(const struct dram_port *port, unsigned noc, uint32_t requests,
                      uint32_t flits);

/* Accesses of the host, without effects where `operation` is a peek or poke, to what an NIU of the
 * port leads to while it leads to GDDR, at an address that is none of the tile's
 * (tile_dram_address). */
enum answer dram_access(struct dram_port *port, enum mmio_operation operation, uint64_t address,
                        void *bytes, uint64_t size, const char **rule);

#endif
