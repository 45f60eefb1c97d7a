/*
 * A network interface unit: command buffers, configuration and counters (SPEC: BlackholeA0 NoC
 * MemoryMap, Counters, Interrupts, Coordinates). Register values are those that the chip's own
 * firmware leaves behind, with coordinate translation on.
 *
 * Invariant: word[] has the value that a read gives, for every register without a handler of its
 * own.
 */
#ifndef NOC_NIU_H
#define NOC_NIU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "addresses.h"
#include "isa/answer.h"
#include "isa/reg.h"

enum {
    NIU_BUFFERS = 4,
    NIU_BUFFER_BYTES = STEP_NIU_BUFFER,
    NIU_BYTES = NIU_BUFFERS * NIU_BUFFER_BYTES,
    NIU_BUFFER_WORDS = 32, /* of a command buffer, at most */
    NIU_WORDS = NIU_BUFFER_BYTES / 4 + (NIU_BUFFERS - 1) * NIU_BUFFER_WORDS,
    NIU_TRANSACTIONS = 16,
    NIU_COUNTER_COUNT = 62,
};

/* Numbers of counters. */
enum niu_counter {
#define NIU_COUNT(index, name) NIU_##name = (index),
#include "niu.def"
};

/* The first bits of the fields of NOC_CTRL. */
enum niu_control {
#define NIU_CONTROL(name, first, bits) NIU_CTRL_##name = (first),
#include "niu.def"
};

/* Offsets within the NIU; those of a command buffer count from its start. First as rows of niu.def
 * are called, then as the NIU's parts call them, word by word. */
enum niu_row_offset {
#define REG(bank, offset, words, name, kind, traits) NIU_ROW_##name = (offset),
#include "niu.def"
};

enum niu_offset {
    NIU_TARG_ADDR_LO = NIU_ROW_NOC_ADDR,
    NIU_TARG_ADDR_MID = NIU_ROW_NOC_ADDR + 4,
    NIU_TARG_ADDR_HI = NIU_ROW_NOC_ADDR + 8,
    NIU_RET_ADDR_LO = NIU_ROW_NOC_ADDR + 12,
    NIU_RET_ADDR_MID = NIU_ROW_NOC_ADDR + 16,
    NIU_RET_ADDR_HI = NIU_ROW_NOC_ADDR + 20,
    NIU_PACKET_TAG = NIU_ROW_NOC_PACKET_TAG,
    NIU_CTRL = NIU_ROW_NOC_CTRL,
    NIU_AT_LEN_BE = NIU_ROW_NOC_AT_LEN_BE,
    NIU_AT_DATA = NIU_ROW_NOC_AT_DATA,
    NIU_BRCST_EXCLUDE = NIU_ROW_NOC_BRCST_EXCLUDE,
    NIU_L1_ACC_AT = NIU_ROW_NOC_L1_ACC_AT_INSTRN,
    NIU_CMD_CTRL = NIU_ROW_NOC_CMD_CTRL,
    NIU_NODE_ID = NIU_ROW_NOC_NODE_ID,
    NIU_ENDPOINT_ID = NIU_ROW_NOC_ENDPOINT_ID,
    NIU_CLEAR_OUTSTANDING = NIU_ROW_NOC_CLEAR_OUTSTANDING_REQ_CNT,
    NIU_CFG_0 = NIU_ROW_NIU_CFG_0,
    NIU_ROUTER_CFG_0 = NIU_ROW_ROUTER_CFG,
    NIU_ROUTER_CFG_1 = NIU_ROW_ROUTER_CFG + 4,
    NIU_ROUTER_CFG_3 = NIU_ROW_ROUTER_CFG + 12,
    NIU_X_TABLE = NIU_ROW_NOC_X_ID_TRANSLATE_TABLE,
    NIU_Y_TABLE = NIU_ROW_NOC_Y_ID_TRANSLATE_TABLE,
    NIU_ID_LOGICAL = NIU_ROW_NOC_ID_LOGICAL,
    NIU_COLUMN_MASK = NIU_ROW_NOC_ID_TRANSLATE_COL_MASK,
    NIU_ROW_MASK = NIU_ROW_NOC_ID_TRANSLATE_ROW_MASK,
    NIU_DDR_TABLE = NIU_ROW_DDR_COORD_TRANSLATE_TABLE,
    NIU_DDR_SWAP = NIU_ROW_DDR_COORD_TRANSLATE_COL_SWAP,
    NIU_RTZ_CFG = NIU_ROW_NIU_TRANS_COUNT_RTZ_CFG,
    NIU_COUNTERS = NIU_ROW_NIU_COUNTER,
    NIU_REQS_OUTSTANDING = NIU_COUNTERS + 4 * NIU_COUNT_REQS_OUTSTANDING,
    NIU_WRITES_OUTGOING = NIU_COUNTERS + 4 * NIU_COUNT_WRITES_OUTGOING,
    NIU_RTZ_NUM = NIU_ROW_NIU_TRANS_COUNT_RTZ_NUM,
    NIU_RTZ_SOURCE = NIU_ROW_NIU_TRANS_COUNT_RTZ_SOURCE,
};

/* The first words of a command buffer say what its request is. */
enum { NIU_REQUEST_WORDS = NIU_BRCST_EXCLUDE / 4 + 1 };

/* Of NIU_CFG_0: the NIU answers nothing; header stores to it have no effect; coordinates are
 * translated; in a DRAM tile: the NoC sees GDDR, else what the hart sees. */
#define NIU_CLOCK_OFF       (UINT32_C(1) << 12)
#define NIU_NO_HEADERS      (UINT32_C(1) << 13)
#define NIU_TRANSLATES      (UINT32_C(1) << 14)
#define NIU_AXI_SUBORDINATE (UINT32_C(1) << 15)

/* A transaction of several requests that has begun and not ended (SPEC: MemoryMap,
 * NOC_CMD_VC_LINKED). Words alone: a snapshot takes it as it is. */
struct niu_transaction {
    uint64_t since; /* cycle */
    uint32_t is_open;
    uint32_t to;        /* tile or rectangle, as noc/transaction.h packs it */
    uint32_t channel;   /* that software chose, else NOC_ANY_CHANNEL */
    uint32_t agent, pc; /* of its first request */
    uint32_t sender;    /* 0: a request initiator, else 1 + the overlay's stream */
};

/* A table of coordinates: entry i of it stands in bits 5 * (i % 6) and above of word i / 6. */
enum {
    NIU_TABLE_WORDS = 6,
    NIU_TABLE_ENTRIES = 32,
    NIU_ENTRIES_PER_WORD = 6,
    NIU_ENTRY_BITS = 5,
};

/* Registers from offset 0 to NIU_BUFFER_BYTES by offset / 4, then those of the other command
 * buffers, close together. */
struct niu {
    uint32_t word[NIU_WORDS];
    struct niu_transaction transaction;
    uint64_t has_own_tables; /* of translation, which are not the firmware's any more */
};

/* The index of the first word of a command buffer. */
static inline unsigned niu_buffer(unsigned buffer)
{
    return buffer == 0 ? 0 : NIU_BUFFER_BYTES / 4 + (buffer - 1) * NIU_BUFFER_WORDS;
}

static inline void niu_count(struct niu *niu, enum niu_counter counter, uint32_t by)
{
    niu->word[NIU_COUNTERS / 4 + counter] += by;
}

extern const struct reg_file niu_registers;

/* Sets what hardware or the chip's firmware puts into a register: an offset below NIU_BUFFER_BYTES;
 * NOC_NODE_ID and NOC_ENDPOINT_ID appear in each command buffer. */
void niu_set_identity(struct niu *niu, uint32_t offset, uint32_t value);

/* Reads or writes the register at `offset` (a multiple of four). A read without `effects` and a
 * write without them do nothing else. */
enum answer niu_read(struct niu *niu, uint32_t offset, bool effects, uint32_t *value);
enum answer niu_write(struct niu *niu, uint32_t offset, bool effects, uint32_t value);

/* Does a write to the register make a request, of command buffer offset / NIU_BUFFER_BYTES? */
static inline bool niu_makes_request(uint32_t offset, uint32_t value)
{
    return offset < NIU_BYTES && offset % NIU_BUFFER_BYTES == NIU_CMD_CTRL && value & 1;
}

/* NIU_MST_REQS_OUTSTANDING_ID(id), an 8-bit counter; going to zero is remembered in
 * NIU_TRANS_COUNT_RTZ_SOURCE. */
uint32_t niu_outstanding(const struct niu *niu, unsigned id);
void niu_set_outstanding(struct niu *niu, unsigned id, uint32_t value);

/* The raw coordinates on this NIU's NoC that software's (x, y), six bits each, mean: by the
 * translation registers when translation is on. SPEC: NoC/Coordinates. */
void niu_translate(const struct niu *niu, unsigned *x, unsigned *y);

/* Is the NIU's interrupt raised? */
bool niu_interrupt(const struct niu *niu);

#endif
