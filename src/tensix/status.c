/*
 * The status CSRs of the harts: types of instructions that are queued or execute, and the streams
 * behind tt_cfg_sstatus (SPEC: BlackholeA0 CSRs).
 *
 * Only instructions that a TRISC pushed count, not those of B or the debug bus. GUESS: while MOP
 * and REPLAY expand, they count themselves and not what comes out of them, until that executes. The
 * pages do not have TENSIX_CSR_CONFIG_RawBusyStatus: by the vendor's description of the field what
 * is queued does not count in tt_cfg_bstatus then. GUESS: for the types of the thread whose field
 * it is.
 */
#include "tensix/exec.h"

/* Bits of tensix_issue_queue_status and tensix_busy_status. */
enum type {
    TYPE_REPLAY = 1 << 0,
    TYPE_MOP = 1 << 1,
    TYPE_SCALAR = 1 << 2,
    TYPE_MOVER = 1 << 3,
    TYPE_UNPACKER = 1 << 4,
    TYPE_PACKER = 1 << 5,
    TYPE_CONFIG = 1 << 6,
    TYPE_SYNC = 1 << 7,
    TYPE_TDMA = 1 << 8, /* miscellaneous, mover, scalar, packer or unpacker */
    TYPE_VECTOR = 1 << 9,
    TYPE_MATRIX = 1 << 10,
};

/* Bit positions of the CSRs. */
enum {
    QSTATUS_CC = 11,
    QSTATUS_ALL = 13,
    QSTATUS_CC_COPY = 24,
    BSTATUS_ALL = 11,
};

static const uint16_t unit_types[TENSIX_UNITS] = {
    [TENSIX_UNIT_SYNC] = TYPE_SYNC,
    [TENSIX_UNIT_MATRIX] = TYPE_MATRIX,
    [TENSIX_UNIT_VECTOR] = TYPE_VECTOR,
    [TENSIX_UNIT_UNPACK] = TYPE_UNPACKER | TYPE_TDMA,
    [TENSIX_UNIT_PACK] = TYPE_PACKER | TYPE_TDMA,
    [TENSIX_UNIT_SCALAR] = TYPE_SCALAR | TYPE_TDMA,
    [TENSIX_UNIT_CONFIG] = TYPE_CONFIG,
    [TENSIX_UNIT_MOVER] = TYPE_MOVER | TYPE_TDMA,
    [TENSIX_UNIT_MISC] = TYPE_TDMA,
};

static bool only_loads(uint32_t word)
{
    const struct tensix_args_REPLAY args = tensix_decode_REPLAY(word);
    return args.load && !args.exec;
}

static unsigned types_of(uint32_t word)
{
    unsigned row = tensix_row_of(word);
    if (row == TENSIX_ROWS) {
        return 0;
    }
    switch (word >> 24) {
    case TENSIX_OPCODE_MOP:
        return TYPE_MOP;
    case TENSIX_OPCODE_REPLAY:
        return only_loads(word) ? 0 : TYPE_REPLAY;
    default: /* MOP_CFG and RESOURCEDECL have no type */
        return unit_types[tensix_row_infos[row].unit];
    }
}

/* The type of what an instruction at the gate comes from, where it comes from an expansion. */
static unsigned types_of_next(const struct tensix_thread *thread)
{
    if (!thread->parent) {
        return types_of(thread->next);
    }
    return thread->parent == TENSIX_OPCODE_MOP ? TYPE_MOP : TYPE_REPLAY;
}

static unsigned queued_types(const struct tensix *tensix, unsigned thread)
{
    const struct tensix_thread *own = &tensix->thread[thread];
    bool is_own = own->origin.pusher == TENSIX_BY_T0 + thread;
    unsigned types = mop_busy(&own->mop) ? TYPE_MOP : 0;
    if (is_own && own->has_next) {
        types |= types_of_next(own);
    }
    if (is_own && replay_is_playing(&own->replay)) {
        types |= TYPE_REPLAY;
    }
    for (unsigned i = 0; i < own->front.count; i++) {
        types |= types_of(own->front.entry[(own->front.head + i) % TENSIX_FIFO_DEPTH].word);
    }
    return types;
}

/* Those that units work on. A unit does not remember the hart that pushed its instruction. */
static unsigned executing_types(const struct tensix *tensix, unsigned thread)
{
    unsigned types = 0;
    for (unsigned unit = 0; unit < TENSIX_UNITS; unit++) {
        if (tensix->thread[thread].busy_until[unit] > tensix->clock) {
            types |= unit_types[unit];
        }
    }
    if (tensix_unpack_holds_any(tensix, thread)) {
        types |= unit_types[TENSIX_UNIT_UNPACK];
    }
    return types;
}

uint32_t tensix_status(const struct tensix *tensix, unsigned thread, unsigned index)
{
    const uint32_t cc = UINT32_C(1) << QSTATUS_CC | UINT32_C(1) << QSTATUS_CC_COPY;
    const uint32_t lanes_enabled = tensix_vector_enabled(&tensix->vector) ? cc : 0;
    uint32_t own = 0, all = 0;
    bool is_busy_status = index == 1;
    if (index > 1) {
        return 0;
    }
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        bool is_raw = is_busy_status && tensix_get_TENSIX_CSR_CONFIG_RawBusyStatus(tensix, i);
        uint32_t types = is_raw ? 0 : queued_types(tensix, i);
        if (is_busy_status) {
            types |= executing_types(tensix, i);
        }
        all |= types;
        own |= i == thread || thread >= TENSIX_THREADS ? types : 0;
    }
    return is_busy_status ? own | all << BSTATUS_ALL : own | all << QSTATUS_ALL | lanes_enabled;
}

unsigned tensix_status_stream(const struct tensix *tensix, unsigned thread, unsigned i)
{
    enum tensix_field_id bank_sel =
        (enum tensix_field_id)(TENSIX_FIELD_STREAM_ID_TRISC_SEC0_BankSel + i);
    return tensix_thread_field(tensix, thread, bank_sel);
}
