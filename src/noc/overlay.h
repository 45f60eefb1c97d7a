/*
 * The 64 overlay streams of a Tensix tile as register files (SPEC: WormholeB0 NoC Overlay pages,
 * AsGeneralUse above all; Blackhole's register numbers from tt-metal's noc_overlay_parameters).
 * No stream ever starts in this version: phases, messages and packets are not modelled, and the
 * registers that would start them report so.
 */
#ifndef NOC_OVERLAY_H
#define NOC_OVERLAY_H

#include <stdbool.h>
#include <stdint.h>

enum { OVERLAY_STREAMS = 64, OVERLAY_REGISTERS = 0x400 };

/* Register numbers that others use. */
enum overlay_register {
    OVERLAY_REMOTE_DEST_BUF_START = 8,
    OVERLAY_REMOTE_DEST_BUF_SIZE = 10,
    OVERLAY_REMOTE_DEST_WR_PTR = 11,
    OVERLAY_BUF_START = 17,
    OVERLAY_RD_PTR = 19,
    OVERLAY_WR_PTR = 20,
    OVERLAY_MSG_INFO_PTR = 22,
    OVERLAY_MSG_INFO_WR_PTR = 23,
    OVERLAY_CURR_PHASE_BASE = 28,
    OVERLAY_CURR_PHASE = 29,
    OVERLAY_AUTO_CFG_PTR_BASE = 30,
    OVERLAY_AUTO_CFG_PTR = 31,
    OVERLAY_NUM_MSGS_RECEIVED = 259,
    OVERLAY_NEXT_MSG_ADDR = 262,
    OVERLAY_NEXT_MSG_SIZE = 263,
    OVERLAY_SPACE_UPDATE = 270,
    OVERLAY_BLOB_DONE = 288,
    OVERLAY_SPACE_AVAILABLE = 297,
};

struct overlay {
    uint32_t (*stream)[OVERLAY_REGISTERS]; /* OVERLAY_STREAMS of them; memory that the tile lends,
                                              zero until touched */
};

enum overlay_effect {
    OVERLAY_DONE,
    OVERLAY_UNMODELLED, /* done, but what the register would do is not modelled */
};

/* Reads or writes register `index` of a stream as software does; without `effects` a read or
 * write does nothing else. */
enum overlay_effect overlay_read(struct overlay *overlay, unsigned stream, unsigned index,
                                 bool effects, uint32_t *value);
enum overlay_effect overlay_write(struct overlay *overlay, unsigned stream, unsigned index,
                                  bool effects, uint32_t value);

/* The value of a register, without effects. */
uint32_t overlay_register(const struct overlay *overlay, unsigned stream, unsigned index);

/* The name of a register, NULL where there is none. */
const char *overlay_register_name(unsigned index);

/* Is the overlay's interrupt raised (SPEC: LoadConfigurationFromL1)? */
bool overlay_interrupt(const struct overlay *overlay);

#endif
