/*
 * The Scalar Unit (ThCon), part 2: instructions that access L1, registers, SrcA and SrcB. The rest
 * of the unit is in scalar.c.
 *
 * SPEC: WormholeB0 LOADIND, STOREIND_L1, STOREIND_MMIO, STOREIND_Src, STOREREG, LOADREG, ATINCGET,
 * ATINCGETPTR, ATSWAP, ATCAS; Blackhole shares their newer editions, with its own size of L1.
 *
 * Memory is read and written when an instruction starts; only results for GPRs take their time. An
 * instruction that waits (for L1, a register or a bank of Src) has done nothing until it succeeds.
 * It starts again from its GPRs, which no other part of the coprocessor can change meanwhile.
 */
#include "addresses.h"
#include "arch/arch.h"
#include "tensix/exec.h"

enum { LINE = 16, LINE_WORDS = 4 };

/* --- L1 --- */

static enum tensix_exec outside_l1(struct tensix *tensix, unsigned thread, const char *name,
                                   uint32_t address)
{
    return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                        "%s: address 0x%08x is not in L1, which ends at 0x%08x", name, address,
                        tensix->l1_size);
}

static uint32_t load_word(struct tensix *tensix, uint32_t address)
{
    uint32_t value;
    tensix_tell(tensix, OBSERVED_READ, OBSERVED_SCALAR_UNIT, address, sizeof value);
    memcpy(&value, tensix->l1 + address, sizeof value);
    return value;
}

static void store_l1(struct tensix *tensix, uint32_t address, const void *bytes, uint32_t size)
{
    memcpy(tensix->l1 + address, bytes, size);
    tensix->board->l1_written(tensix->owner, address, size, tensix->now);
    tensix_tell(tensix, OBSERVED_WRITTEN, OBSERVED_SCALAR_UNIT, address, size);
}

/* Waits for somebody to write this place. */
static enum tensix_exec wait_for_l1(struct tensix *tensix, unsigned thread, uint32_t address,
                                    uint32_t size)
{
    tensix->board->l1_watch(tensix->owner, address, size);
    return tensix_stall(tensix, thread, TENSIX_WAITS_FOR_L1, address);
}

/* The result of a memory request: the bits of `mask` of `count` GPRs from `first` on. */
static void deliver_load(struct tensix *tensix, unsigned thread, enum tensix_row row,
                         unsigned first, unsigned count, uint32_t mask, const uint32_t *value)
{
    struct tensix_result result = {
        .thread = (uint8_t)thread,
        .requested = true,
        .count = (uint8_t)count,
        .first = (uint16_t)first,
        .mask = mask,
    };
    memcpy(result.value, value, count * sizeof *value);
    tensix_deliver(tensix, &result, tensix_row_infos[row].latency);
}

/* --- Addresses from a GPR and half of one --- */

/* Size of LOADIND and of STOREIND to L1. GUESS: assembly.yaml exchanges 1 and 2 for STOREIND; LLK's
 * constants and the stores of 32 bits in kernels that ran on silicon are as the page has it. */
enum size { SIZE_128, SIZE_32, SIZE_16, SIZE_8 };

static const uint8_t bytes_of[] = {[SIZE_128] = LINE, [SIZE_32] = 4, [SIZE_16] = 2, [SIZE_8] = 1};

/* 128 bits are an aligned group of four GPRs. */
static unsigned first_gpr(enum size size, unsigned reg)
{
    return size == SIZE_128 ? reg & ~3u : reg;
}

static void increment_offset(struct tensix *tensix, unsigned thread, unsigned half,
                             unsigned increment)
{
    static const uint8_t by[] = {0, 2, 4, 16};
    uint16_t offset = tensix_half_gpr(tensix, thread, half);
    tensix_store_half_gpr(tensix, thread, half, (uint16_t)(offset + by[increment]));
}

static uint32_t indirect_address(const struct tensix *tensix, unsigned thread, unsigned addr_reg,
                                 unsigned half)
{
    return tensix->gpr[thread][addr_reg] * LINE + tensix_half_gpr(tensix, thread, half);
}

/* SPEC: the offset is incremented when the instruction starts, so that the result, which comes
 * later, wins where it has the same bits. */
TENSIX_EXEC(LOADIND)
{
    uint32_t address = indirect_address(tensix, thread, args->addr_reg, args->offset_half_reg);
    enum size size = (enum size)args->size;
    unsigned bytes = bytes_of[size], count = size == SIZE_128 ? LINE_WORDS : 1;
    uint32_t mask = bytes < 4 ? (UINT32_C(1) << 8 * bytes) - 1 : UINT32_MAX;
    uint32_t value[LINE_WORDS] = {0};

    if (address >= tensix->l1_size) {
        return outside_l1(tensix, thread, "LOADIND", address);
    }
    tensix_tell(tensix, OBSERVED_READ, OBSERVED_SCALAR_UNIT, address & ~(bytes - 1), bytes);
    memcpy(value, tensix->l1 + (address & ~(bytes - 1)), bytes);
    increment_offset(tensix, thread, args->offset_half_reg, args->offset_increment);
    deliver_load(tensix, thread, TENSIX_ROW_LOADIND, first_gpr(size, args->result_reg), count, mask,
                 value);
    return TENSIX_DONE;
}

/* SPEC: the offset is incremented before the data are read, so that it is stored incremented where
 * it is part of them. */
TENSIX_EXEC(STOREIND_L1)
{
    uint32_t address = indirect_address(tensix, thread, args->addr_reg, args->offset_half_reg);
    enum size size = (enum size)args->size;
    const uint32_t *data = &tensix->gpr[thread][first_gpr(size, args->data_reg)];
    unsigned bytes = bytes_of[size];

    if (address >= tensix->l1_size) {
        return outside_l1(tensix, thread, "STOREIND", address);
    }
    increment_offset(tensix, thread, args->offset_half_reg, args->offset_increment);
    store_l1(tensix, address & ~(bytes - 1), data, bytes);
    return TENSIX_DONE;
}

/* --- Registers of the tile --- */

/* What becomes of an instruction whose access has not happened. */
static enum tensix_exec not_done(struct tensix *tensix, unsigned thread, const char *name,
                                 uint32_t address, enum answer answer, const char *rule)
{
    if (answer == ANSWER_WAIT) {
        return tensix_stall(tensix, thread, TENSIX_WAITS_FOR_DEVICE, address);
    }
    return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                        "%s: address 0x%08x: %.140s", name, address,
                        rule ? rule : "nothing is there");
}

static bool is_reachable(uint32_t address, const char **rule)
{
    *rule = address < AT_TDMA ? "the coprocessor reaches registers from " ARCH_TEXT(AT_TDMA) " on"
                              : NULL;
    return *rule == NULL;
}

bool tensix_write_register(struct tensix *tensix, unsigned thread, const char *name,
                           uint32_t address, uint32_t value, enum tensix_exec *exec)
{
    const char *rule;
    enum answer answer = ANSWER_REFUSED;
    if (is_reachable(address, &rule)) {
        answer = tensix->board->write(tensix->owner, thread, address, tensix->now, value, &rule);
    }
    *exec =
        answer == ANSWER_DONE ? TENSIX_DONE : not_done(tensix, thread, name, address, answer, rule);
    if (answer == ANSWER_DONE) {
        tensix_tell(tensix, OBSERVED_WRITTEN, OBSERVED_SCALAR_UNIT, address, sizeof value);
    }
    return answer == ANSWER_DONE;
}

TENSIX_EXEC(LOADREG)
{
    uint32_t address = AT_REGISTERS + args->addr_lo * 4, value = 0;
    const char *rule;
    enum answer answer = ANSWER_REFUSED;
    if (is_reachable(address, &rule)) {
        answer = tensix->board->read(tensix->owner, thread, address, tensix->now, &value, &rule);
    }
    if (answer != ANSWER_DONE) {
        return not_done(tensix, thread, "LOADREG", address, answer, rule);
    }
    deliver_load(tensix, thread, TENSIX_ROW_LOADREG, args->result_reg, 1, UINT32_MAX, &value);
    return TENSIX_DONE;
}

TENSIX_EXEC(STOREREG)
{
    enum tensix_exec exec;
    tensix_write_register(tensix, thread, "STOREREG", AT_REGISTERS + args->addr_lo * 4,
                          tensix->gpr[thread][args->data_reg], &exec);
    return exec;
}

/* The address in SrcA, SrcB or among the registers: the offset counts sixteenths. */
static uint32_t fine_address(const struct tensix *tensix, unsigned thread, unsigned addr_reg,
                             unsigned half)
{
    return tensix->gpr[thread][addr_reg] + (tensix_half_gpr(tensix, thread, half) >> 4);
}

/* SPEC: here the offset is incremented after the store. */
TENSIX_EXEC(STOREIND_MMIO)
{
    uint32_t low = fine_address(tensix, thread, args->addr_reg, args->offset_half_reg);
    enum tensix_exec exec;
    if (tensix_write_register(tensix, thread, "STOREIND", AT_REGISTERS + (low & 0x000ffffc),
                              tensix->gpr[thread][args->data_reg], &exec)) {
        increment_offset(tensix, thread, args->offset_half_reg, args->offset_increment);
    }
    return exec;
}

/* --- SrcA and SrcB --- */

enum { SRC_ROWS = 64, SRC_BLOCK_ROWS = 16, SRC_A_SKIPPED_ROWS = 4, DATUMS = 4 };

struct src_place {
    enum tensix_src src;
    unsigned bank, row, column; /* of the first of four datums */
};

/* BF16 as SrcA and SrcB hold it: sign, ten bits of mantissa, exponent. The low half of a GPR has
 * its parts in that order, the high half in the usual one. */
static uint32_t low_bf16(uint32_t gpr)
{
    return (gpr & 0xff00) << 3 | (gpr & 0xff);
}

static uint32_t high_bf16(uint32_t gpr)
{
    uint32_t sign = gpr >> 31, exponent = gpr >> 23 & 0xff, mantissa = gpr >> 16 & 0x7f;
    return sign << 18 | mantissa << 11 | exponent;
}

/* SPEC: SrcRow of the unpacker, a multiple of 16 rows. */
static unsigned unpacker_row(const struct tensix *tensix, unsigned thread, enum tensix_src src)
{
    return tensix->unpacker[src == TENSIX_SRC_B].src_row[thread];
}

static void write_src(struct tensix *tensix, const struct src_place *place,
                      const uint32_t datum[DATUMS])
{
    for (unsigned i = 0; i < DATUMS; i++) {
        tensix_src_file_write(&tensix->src_file[place->src], place->bank, place->row,
                              place->column + i, datum[i]);
    }
}

/* SPEC: a row beyond the limit is undefined, and so is a set bit above the 16th of the address,
 * which makes such a row. Addresses before row 0 of SrcA exist, but nothing is written there. */
TENSIX_EXEC(STOREIND_SRC)
{
    enum tensix_src src = args->store_to_src_b ? TENSIX_SRC_B : TENSIX_SRC_A;
    const uint32_t *data = &tensix->gpr[thread][args->data_reg & ~3u];
    const uint32_t datum[DATUMS] = {low_bf16(data[0]), high_bf16(data[0]), low_bf16(data[1]),
                                    high_bf16(data[1])};
    uint32_t low = fine_address(tensix, thread, args->addr_reg, args->offset_half_reg);
    uint32_t address = low & 0xfffff;
    bool any_row = src == TENSIX_SRC_A && tensix_get_SRCA_SET_SetOvrdWithAddr(tensix, thread);
    int rows = any_row ? SRC_ROWS : SRC_BLOCK_ROWS;
    int row = (int)(address >> 2) - (src == TENSIX_SRC_A ? SRC_A_SKIPPED_ROWS : 0);

    if (row >= rows) {
        return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                            "STOREIND: address 0x%05x is row %d of Src%c, which has %d rows here",
                            address, row, src == TENSIX_SRC_A ? 'A' : 'B', rows);
    }
    if (!tensix_src_unpack_may(tensix, src)) {
        return tensix_stall_src(tensix, thread, src, tensix->src[src].unpack_bank);
    }
    increment_offset(tensix, thread, args->offset_half_reg, args->offset_increment);
    if (row < 0) {
        return TENSIX_DONE;
    }
    const struct src_place place = {
        .src = src,
        .bank = tensix->src[src].unpack_bank,
        .row = (unsigned)row + (any_row ? 0 : unpacker_row(tensix, thread, src)),
        .column = (address & 3) * DATUMS,
    };
    write_src(tensix, &place, datum);
    return TENSIX_DONE;
}

/* --- Atomics --- */

/* The bits of `mask`, the low ones, count up by `by`; the others stay. */
static uint32_t incremented(uint32_t value, uint32_t by, uint32_t mask)
{
    return ((value + by) & mask) | (value & ~mask);
}

static uint32_t line_address(const struct tensix *tensix, unsigned thread, unsigned addr_reg)
{
    return tensix->gpr[thread][addr_reg] * LINE;
}

TENSIX_EXEC(ATINCGET)
{
    uint32_t address = line_address(tensix, thread, args->addr_reg) + args->ofs * 4;
    uint32_t mask = (UINT32_C(2) << args->int_width) - 1; /* of one to 32 bits */

    if (address >= tensix->l1_size) {
        return outside_l1(tensix, thread, "ATINCGET", address);
    }
    uint32_t original = load_word(tensix, address);
    uint32_t value = incremented(original, tensix->gpr[thread][args->in_out_reg], mask);
    store_l1(tensix, address, &value, sizeof value);
    deliver_load(tensix, thread, TENSIX_ROW_ATINCGET, args->in_out_reg, 1, UINT32_MAX, &original);
    return TENSIX_DONE;
}

enum fifo_word { FIFO_READ, FIFO_WRITE };

/* SPEC: may the FIFO be pushed to (`pushes`) or popped from? A full one differs from an empty one
 * by the bit above those of its size. */
static bool fifo_allows(uint32_t read, uint32_t write, bool pushes, unsigned int_width)
{
    uint32_t size = write - read;
    uint32_t capacity = int_width ? UINT32_C(1) << (int_width - 1) : 0x8000;
    if (!pushes) {
        return size != 0;
    }
    return size == 0 || size % capacity != 0;
}

TENSIX_EXEC(ATINCGETPTR)
{
    uint32_t fifo = line_address(tensix, thread, args->addr_reg);
    uint32_t address = fifo + args->ofs * 4;
    uint32_t mask = (UINT32_C(1) << args->int_width) - 1;

    if (fifo >= tensix->l1_size) {
        return outside_l1(tensix, thread, "ATINCGETPTR", fifo);
    }
    if (!fifo_allows(load_word(tensix, fifo + FIFO_READ * 4),
                     load_word(tensix, fifo + FIFO_WRITE * 4), args->ofs & 1, args->int_width)) {
        return wait_for_l1(tensix, thread, fifo, 2 * sizeof(uint32_t));
    }
    uint32_t original = load_word(tensix, address);
    if (!args->no_incr) {
        uint32_t value = incremented(original, UINT32_C(1) << args->incr_log2, mask);
        store_l1(tensix, address, &value, sizeof value);
    }
    deliver_load(tensix, thread, TENSIX_ROW_ATINCGETPTR, args->result_reg, 1, UINT32_MAX,
                 &original);
    return TENSIX_DONE;
}

TENSIX_EXEC(ATCAS)
{
    uint32_t address = line_address(tensix, thread, args->addr_reg) + args->ofs * 4;
    uint32_t value = args->set_val;

    if (address >= tensix->l1_size) {
        return outside_l1(tensix, thread, "ATCAS", address);
    }
    if (load_word(tensix, address) != args->cmp_val) {
        return wait_for_l1(tensix, thread, address, sizeof value);
    }
    store_l1(tensix, address, &value, sizeof value);
    return TENSIX_DONE;
}

/* A store of those halves of four words that the mask names; nothing comes back. */
TENSIX_EXEC(ATSWAP)
{
    uint32_t address = line_address(tensix, thread, args->addr_reg);
    unsigned first = args->data_reg & ~3u;

    if (address >= tensix->l1_size) {
        return outside_l1(tensix, thread, "ATSWAP", address);
    }
    for (unsigned i = 0; i < LINE / 2; i++) {
        bool is_zero = args->single_data_reg && first + i / 2 != args->data_reg;
        uint16_t half = is_zero ? 0 : tensix_half_gpr(tensix, thread, first * 2 + i);
        if (args->mask >> i & 1) {
            store_l1(tensix, address + i * 2, &half, sizeof half);
        }
    }
    return TENSIX_DONE;
}

/* The rows of this part; a row that neither part runs does not link. */
