/*
 * What Scalar and Configuration Unit instructions do, written from the ISA's pages alone, for
 * check_scalar_random.c. A thread's registers are a file of 256 bytes, the least significant byte
 * of a register first, as the pages' casts of pointers into GPRs have it.
 *
 * SPEC: WormholeB0 ATCAS, ATINCGET, ATINCGETPTR, ATSWAP, LOADIND, LOADREG, STOREIND_L1,
 * STOREIND_MMIO, STOREREG, REG2FLOP_*, SETDMAREG_*, *DMAREG; BlackholeA0 CFGSHIFTMASK, STREAMWRCFG,
 * WRCFG, RDCFG, RMWCIB, SETC16, BackendConfiguration.
 */
#include "unit/tensix/scalar_model.h"

#include <string.h>

const uint32_t devices[DEVICES] = {0xffb11000, 0xffb11ffc, 0xffb20024, 0xffb40000,
                                   0xffb80004, 0xffbfe000, 0xffbffffc, 0xffb30008};

uint32_t bytes_get(const uint8_t *from, unsigned size)
{
    uint32_t value = 0;
    while (size-- > 0) {
        value = value << 8 | from[size];
    }
    return value;
}

void bytes_put(uint8_t *to, unsigned size, uint32_t value)
{
    for (unsigned i = 0; i < size; i++, value >>= 8) {
        to[i] = (uint8_t)value;
    }
}

uint32_t reg_get(const struct world *w, unsigned t, unsigned reg)
{
    return bytes_get(&w->file[t][4 * reg], 4);
}

static void reg_put(struct world *w, unsigned t, unsigned reg, uint32_t value)
{
    bytes_put(&w->file[t][4 * reg], 4, value);
}

static unsigned bank_of(const struct world *w, unsigned t)
{
    return w->own[t][0] & 1;
}

static void config_put(struct world *w, unsigned bank, unsigned word, uint32_t value)
{
    if (word == RESET_WORD) {
        memset(w->config[bank], 0, GLOBAL_FROM * 4);
        return;
    }
    w->config[bank][word] = value;
    if (word >= GLOBAL_FROM) {
        w->config[!bank][word] = value;
    }
}

static int device_of(uint32_t address)
{
    for (int i = 0; i < DEVICES; i++) {
        if (devices[i] == address) {
            return i;
        }
    }
    return -1;
}

static uint32_t rotated(uint32_t value, unsigned right)
{
    return (uint32_t)(((uint64_t)value << 32 | value) >> right);
}

static enum outcome set_half(struct world *w, unsigned t, const unsigned *f)
{
    bytes_put(&w->file[t][2 * f[3]], 2, f[1]);
    return DONE;
}

/* Input sources above 9 do not exist: all values are zero. */
static enum outcome set_zeros(struct world *w, unsigned t, const unsigned *f)
{
    uint8_t *file = w->file[t], *quad = file + ((f[3] >> 1 & 0x3c) * 4);
    if ((f[1] >> 3 & 15) < 10) {
        return UNWANTED;
    }
    switch (f[0]) {
    case 0:
        bytes_put(file + 2 * f[3], 2, 0);
        break;
    case 1:
        bytes_put(file + 4 * (f[3] >> 1), 4, 0);
        break;
    case 2:
        memset(quad, 0, 16);
        break;
    default: /* a tile header without what is reserved in it: bytes 2 to 5, 7 and 12 to 15 stay */
        memset(quad, 0, 2);
        memset(quad + 6, 0, 1);
        memset(quad + 8, 0, 4);
    }
    return DONE;
}

static uint32_t right_of(const struct world *w, unsigned t, unsigned immediate, unsigned right)
{
    return immediate ? right : reg_get(w, t, right);
}

static enum outcome add(struct world *w, unsigned t, const unsigned *f)
{
    reg_put(w, t, f[1], reg_get(w, t, f[3]) + right_of(w, t, f[0], f[2]));
    return DONE;
}

static enum outcome subtract(struct world *w, unsigned t, const unsigned *f)
{
    reg_put(w, t, f[1], reg_get(w, t, f[3]) - right_of(w, t, f[0], f[2]));
    return DONE;
}

static enum outcome multiply(struct world *w, unsigned t, const unsigned *f)
{
    uint32_t left = reg_get(w, t, f[3]) & 0xffff, right = right_of(w, t, f[0], f[2]) & 0xffff;
    reg_put(w, t, f[1], left * right);
    return DONE;
}

static enum outcome logic(struct world *w, unsigned t, const unsigned *f)
{
    uint32_t left = reg_get(w, t, f[4]), right = right_of(w, t, f[0], f[3]);
    if (f[1] > 2) {
        return UNDEFINED;
    }
    reg_put(w, t, f[2], f[1] == 0 ? left & right : f[1] == 1 ? left | right : left ^ right);
    return DONE;
}

static enum outcome shift(struct world *w, unsigned t, const unsigned *f)
{
    uint32_t left = reg_get(w, t, f[4]), by = right_of(w, t, f[0], f[3]);
    if (f[0] && by > 31) {
        return UNWANTED; /* the page has an immediate of five bits */
    }
    if (f[1] > 1) {
        return UNDEFINED;
    }
    reg_put(w, t, f[2], f[1] ? left >> (by & 31) : left << (by & 31));
    return DONE;
}

static enum outcome compare(struct world *w, unsigned t, const unsigned *f)
{
    uint32_t left = reg_get(w, t, f[4]), right = right_of(w, t, f[0], f[3]);
    if (f[1] > 2) {
        return UNDEFINED;
    }
    reg_put(w, t, f[2], f[1] == 0 ? left > right : f[1] == 1 ? left < right : left == right);
    return DONE;
}

static void advance(struct world *w, unsigned t, unsigned half, unsigned how)
{
    static const uint32_t steps[4] = {0, 2, 4, 16};
    uint8_t *offset = &w->file[t][2 * half];
    bytes_put(offset, 2, bytes_get(offset, 2) + steps[how]);
}

static const unsigned size_bytes[4] = {16, 4, 2, 1};

static enum outcome load_indirect(struct world *w, unsigned t, const unsigned *f)
{
    unsigned bytes = size_bytes[f[0]];
    uint32_t address = reg_get(w, t, f[4]) * 16 + bytes_get(&w->file[t][2 * f[1]], 2);
    if (address >= L1_BYTES) {
        return UNDEFINED;
    }
    advance(w, t, f[1], f[2]);
    unsigned reg = f[0] ? f[3] : f[3] & 0x3c;
    memcpy(&w->file[t][4 * reg], w->l1 + address / bytes * bytes, bytes);
    return DONE;
}

/* The offset moves before the data are read. */
static enum outcome store_indirect(struct world *w, unsigned t, const unsigned *f)
{
    unsigned size = f[1] * 2 + f[2], bytes = size_bytes[size];
    uint32_t address = reg_get(w, t, f[6]) * 16 + bytes_get(&w->file[t][2 * f[3]], 2);
    if (address >= L1_BYTES) {
        return UNDEFINED;
    }
    advance(w, t, f[3], f[4]);
    unsigned reg = size ? f[5] : f[5] & 0x3c;
    memcpy(w->l1 + address / bytes * bytes, &w->file[t][4 * reg], bytes);
    return DONE;
}

/* Here it moves afterwards. */
static enum outcome store_device(struct world *w, unsigned t, const unsigned *f)
{
    uint32_t sum = reg_get(w, t, f[6]) + (bytes_get(&w->file[t][2 * f[3]], 2) >> 4);
    uint32_t address = 0xffb00000 + (sum & 0xffffc);
    if (address < 0xffb11000) {
        return UNDEFINED;
    }
    int device = device_of(address);
    if (device < 0) {
        return UNWANTED;
    }
    w->device[device] = reg_get(w, t, f[5]);
    advance(w, t, f[3], f[4]);
    return DONE;
}

static enum outcome load_register(struct world *w, unsigned t, const unsigned *f)
{
    reg_put(w, t, f[0], w->device[device_of(0xffb00000 + 4 * f[1])]);
    return DONE;
}

static enum outcome store_register(struct world *w, unsigned t, const unsigned *f)
{
    w->device[device_of(0xffb00000 + 4 * f[1])] = reg_get(w, t, f[0]);
    return DONE;
}

static enum outcome increment(struct world *w, unsigned t, const unsigned *f)
{
    uint32_t address = reg_get(w, t, f[4]) * 16 + 4 * f[2];
    if (address >= L1_BYTES) {
        return UNDEFINED;
    }
    uint32_t old = bytes_get(w->l1 + address, 4), sum = old + reg_get(w, t, f[3]);
    uint32_t kept = f[1] == 31 ? 0 : UINT32_MAX << (f[1] + 1);
    bytes_put(w->l1 + address, 4, (sum & ~kept) | (old & kept));
    reg_put(w, t, f[3], old);
    return DONE;
}

static enum outcome push_or_pop(struct world *w, unsigned t, const unsigned *f)
{
    uint32_t address = reg_get(w, t, f[6]) * 16;
    if (address >= L1_BYTES) {
        return UNDEFINED;
    }
    uint8_t *control = w->l1 + address, *counter = control + 4 * f[4];
    uint32_t used = bytes_get(control + 4, 4) - bytes_get(control, 4);
    uint32_t capacity = f[3] ? UINT32_C(1) << (f[3] - 1) : 0x8000;
    bool empty = used == 0, full = used % capacity == 0 && !empty;
    if (f[4] % 2 ? full : empty) {
        return BLOCKED;
    }
    uint32_t old = bytes_get(counter, 4), mask = (UINT32_C(1) << f[3]) - 1;
    uint32_t next = old + (f[1] ? 0 : UINT32_C(1) << f[2]);
    bytes_put(counter, 4, (next & mask) | (old & ~mask));
    reg_put(w, t, f[5], old);
    return DONE;
}

static enum outcome swap(struct world *w, unsigned t, const unsigned *f)
{
    uint32_t address = reg_get(w, t, f[3]) * 16;
    if (address >= L1_BYTES) {
        return UNDEFINED;
    }
    uint8_t data[16] = {0};
    if (f[1] >> 8) { /* SingleDataReg */
        memcpy(data + f[2] % 4 * 4, &w->file[t][4 * f[2]], 4);
    } else {
        memcpy(data, &w->file[t][4 * (f[2] & 0x3c)], 16);
    }
    for (unsigned i = 0; i < 16; i++) {
        if (f[1] >> i / 2 & 1) {
            w->l1[address + i] = data[i];
        }
    }
    return DONE;
}

static enum outcome compare_and_set(struct world *w, unsigned t, const unsigned *f)
{
    uint32_t address = reg_get(w, t, f[5]) * 16 + 4 * f[3];
    if (address >= L1_BYTES) {
        return UNDEFINED;
    }
    if (bytes_get(w->l1 + address, 4) != f[2]) {
        return BLOCKED;
    }
    bytes_put(w->l1 + address, 4, f[1]);
    return DONE;
}

static enum outcome nothing(struct world *w, unsigned t, const unsigned *f)
{
    (void)w;
    (void)t;
    (void)f;
    return DONE;
}

static enum outcome flop_config(struct world *w, unsigned t, const unsigned *f)
{
    unsigned count = f[0] ? 1 : 4, word = THCON_FROM + (f[0] ? f[4] : f[4] & 0x7c);
    unsigned reg = f[0] ? f[5] : f[5] & 0x3c;
    if (f[0] > 1) {
        return UNWANTED; /* sources disagree; check_scalar_corners.c */
    }
    if (f[4] >= GLOBAL_FROM - THCON_FROM) {
        return UNDEFINED;
    }
    for (unsigned i = 0; i < count; i++) {
        config_put(w, bank_of(w, t), word + i, reg_get(w, t, reg + i));
    }
    return DONE;
}

static enum outcome flop_counter(struct world *w, unsigned t, const unsigned *f)
{
    uint32_t value = reg_get(w, t, f[5]);
    unsigned thread = f[1] == 3 ? f[3] : t, unit = f[4] >> 3 & 3;
    unsigned bits = f[0] ? 64U >> f[0] : 0, from = 8 * f[2]; /* SizeSel 1, 2, 3: 32, 16, 8 */
    bool aligned = bits > 0 && from % bits == 0;
    value = aligned ? (uint32_t)((uint64_t)value >> from & ((UINT64_C(1) << bits) - 1)) : 0;
    if (thread == 3 || unit == 3) {
        return DONE;
    }
    struct counter *counter = &w->adc[thread][unit][f[4] >> 5][f[4] & 3];
    *(f[4] & 4 ? &counter->checkpoint : &counter->now) = value;
    return DONE;
}

static enum outcome shift_mask(struct world *w, unsigned t, const unsigned *f)
{
    uint32_t mask = UINT32_MAX >> (31 - f[2]);
    uint32_t operand = w->config[0][SCRATCH_FROM + (f[4] == 3 ? t : f[4])];
    uint32_t old = w->config[bank_of(w, t)][f[5]];
    operand = rotated(operand & mask, f[3]);
    old &= f[0] ? UINT32_MAX : ~rotated(mask, f[3]);
    const uint32_t results[8] = {old | operand,  old & operand,  old ^ operand,  old + operand,
                                 old | ~operand, old & ~operand, old ^ ~operand, old - operand};
    config_put(w, bank_of(w, t), f[5], results[f[1]]);
    return DONE;
}

uint32_t stream_value(unsigned stream, unsigned index)
{
    return (stream * 1024 + index + 1) * UINT32_C(2654435761);
}

static enum outcome stream_config(struct world *w, unsigned t, const unsigned *f)
{
    unsigned stream = w->own[t][STREAM_ID_FROM + f[0]] & 63;
    config_put(w, bank_of(w, t), f[2], stream_value(stream, f[1]));
    return DONE;
}

static enum outcome write_config(struct world *w, unsigned t, const unsigned *f)
{
    if (f[1] && (f[2] & ~3U) == RESET_WORD) {
        return UNWANTED; /* reset, or written as well? */
    }
    for (unsigned i = 0; i < (f[1] ? 4 : 1); i++) {
        unsigned word = f[1] ? (f[2] & ~3U) + i : f[2], reg = f[1] ? (f[0] & ~3U) + i : f[0];
        config_put(w, bank_of(w, t), word, reg_get(w, t, reg));
    }
    return DONE;
}

static enum outcome read_config(struct world *w, unsigned t, const unsigned *f)
{
    reg_put(w, t, f[0], w->config[bank_of(w, t)][f[1]]);
    return DONE;
}

static enum outcome set_own(struct world *w, unsigned t, const unsigned *f)
{
    w->own[t][f[0]] = (uint16_t)f[1];
    return DONE;
}

static enum outcome set_byte(struct world *w, unsigned t, const unsigned *f, unsigned byte)
{
    for (unsigned bank = 0; bank < 2; bank++) {
        if (bank == bank_of(w, t) || f[2] >= GLOBAL_FROM) {
            uint32_t *word = &w->config[bank][f[2]];
            uint32_t mask = (uint32_t)f[0] << 8 * byte, value = (uint32_t)f[1] << 8 * byte;
            *word = (*word & ~mask) | (value & mask);
        }
    }
    return DONE;
}

static enum outcome set_byte0(struct world *w, unsigned t, const unsigned *f)
{
    return set_byte(w, t, f, 0);
}

static enum outcome set_byte1(struct world *w, unsigned t, const unsigned *f)
{
    return set_byte(w, t, f, 1);
}

static enum outcome set_byte2(struct world *w, unsigned t, const unsigned *f)
{
    return set_byte(w, t, f, 2);
}

static enum outcome set_byte3(struct world *w, unsigned t, const unsigned *f)
{
    return set_byte(w, t, f, 3);
}

const struct form forms[FORMS] = {
    {"SETDMAREG", "0g0h", set_half, -1, -1, false},
    {"SETDMAREG", "cl1h", set_zeros, -1, -1, false},
    {"ADDDMAREG", "brrr", add, -1, -1, false},
    {"SUBDMAREG", "brrr", subtract, -1, -1, false},
    {"MULDMAREG", "brrr", multiply, -1, -1, false},
    {"BITWOPDMAREG", "bmrrr", logic, -1, -1, false},
    {"SHIFTDMAREG", "bmrrr", shift, -1, -1, false},
    {"CMPDMAREG", "bmrrr", compare, -1, -1, false},
    {"LOADIND", "chcrr", load_indirect, 4, 1, false},
    {"LOADIND", "chcrr", load_indirect, 4, 1, false},
    {"STOREIND", "1bbhcrr", store_indirect, 6, 3, false},
    {"STOREIND", "1bbhcrr", store_indirect, 6, 3, false},
    {"STOREIND", "010hcrr", store_device, 6, 3, true},
    {"LOADREG", "rx", load_register, -1, -1, false},
    {"STOREREG", "rx", store_register, -1, -1, false},
    {"ATINCGET", "0fcrr", increment, 4, -1, false},
    {"ATINCGETPTR", "0beecrr", push_or_pop, 6, -1, false},
    {"ATSWAP", "0nrr", swap, 3, -1, false},
    {"ATCAS", "0eecrr", compare_and_set, 5, -1, false},
    {"FLUSHDMA", "e", nothing, -1, -1, false},
    {"DMANOP", "", nothing, -1, -1, false},
    {"NOP", "", nothing, -1, -1, false},
    {"RESOURCEDECL", "ene", nothing, -1, -1, false},
    {"REG2FLOP", "c000jr", flop_config, -1, -1, false},
    {"REG2FLOP", "cvccpr", flop_counter, -1, -1, false},
    {"CFGSHIFTMASK", "bdffci", shift_mask, -1, -1, false},
    {"STREAMWRCFG", "csi", stream_config, -1, -1, false},
    {"WRCFG", "rbi", write_config, -1, -1, false},
    {"RDCFG", "ri", read_config, -1, -1, false},
    {"SETC16", "tg", set_own, -1, -1, false},
    {"RMWCIB0", "kki", set_byte0, -1, -1, false},
    {"RMWCIB1", "kki", set_byte1, -1, -1, false},
    {"RMWCIB2", "kki", set_byte2, -1, -1, false},
    {"RMWCIB3", "kki", set_byte3, -1, -1, false},
};
