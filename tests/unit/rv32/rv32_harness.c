/* See rv32_harness.h. */
#include "unit/rv32/rv32_harness.h"

#include <stdlib.h>
#include <string.h>

/* --- The bus --- */

static bool script_refuses(struct harness *h, uint32_t address, enum answer *reply)
{
    if (h->waits) {
        h->waits--;
        *reply = ANSWER_WAIT;
        return true;
    }
    *reply = h->reply;
    if (h->reply == ANSWER_REFUSED) {
        rv32_bus_fault(&h->hart, PENROSE_FAULT_UNMAPPED, address, "nothing lives at %#x", address);
    }
    return h->reply != ANSWER_DONE;
}

static enum answer push_one(struct harness *h, uint32_t instruction, uint64_t cycle)
{
    enum answer reply;
    if (script_refuses(h, RV32_PUSH_BASE, &reply)) {
        return reply;
    }
    h->pushed[h->pushes++ % HARNESS_LOG] = (struct harness_push){instruction, cycle};
    return ANSWER_DONE;
}

/* What refuses the first is told by bus_access. */
static bool bus_push(void *owner, struct rv32_hart *hart, uint32_t address, uint32_t word,
                     uint64_t cycle)
{
    struct harness *h = owner;
    bool takes = address == RV32_PUSH_BASE && !h->waits && h->reply == ANSWER_DONE;
    ck_assert_ptr_eq(&h->hart, hart);
    if (takes) {
        (void)push_one(h, word, cycle);
    }
    return takes;
}

static enum answer bus_access(void *owner, struct rv32_hart *hart, struct rv32_access *access)
{
    struct harness *h = owner;
    enum answer reply;
    ck_assert_ptr_eq(&h->hart, hart);
    if (access->address < HARNESS_L1_BYTES) {
        if (access->store) {
            harness_store(h, access->address, access->size, access->value);
        } else {
            access->value = harness_load(h, access->address, access->size);
        }
        return ANSWER_DONE;
    }
    if (access->store && access->size == 4 && access->address == RV32_PUSH_BASE) {
        return push_one(h, access->value, access->cycle); /* as boards do */
    }
    if (script_refuses(h, access->address, &reply)) {
        return reply;
    }
    if (!access->store) {
        access->value = h->value;
    }
    h->log[h->accesses++ % HARNESS_LOG] = *access;
    return ANSWER_DONE;
}

static enum answer bus_fence(void *owner, struct rv32_hart *hart, uint64_t cycle)
{
    struct harness *h = owner;
    (void)hart;
    (void)cycle;
    if (h->waits) {
        h->waits--;
        return ANSWER_WAIT;
    }
    h->fences++;
    return ANSWER_DONE;
}

static uint32_t bus_status(void *owner, struct rv32_hart *hart, unsigned index)
{
    const struct harness *h = owner;
    (void)hart;
    ck_assert_uint_lt(index, HARNESS_STATUSES);
    return h->status[index];
}

/* --- The bench --- */

static struct harness *harnesses; /* that exist */

struct harness *harness_create(enum rv32_core core)
{
    struct harness *h = calloc(1, sizeof *h);
    ck_assert_ptr_nonnull(h);
    h->next = harnesses;
    harnesses = h;
    h->store = rv32_code_store_create(&rv32_chip_decoder);
    ck_assert_ptr_nonnull(h->store);
    h->bus = (struct rv32_bus){
        .access = bus_access, .push = bus_push, .fence = bus_fence, .status = bus_status};
    h->code = (struct rv32_code){
        .map = h->map,
        .pages = HARNESS_L1_BYTES / RV32_PAGE_BYTES,
        .l1 = h->l1,
        .marks = h->marks,
        .store = h->store,
    };
    h->hart.core = core;
    h->hart.l1 = h->l1;
    h->hart.l1_direct = HARNESS_L1_BYTES - RV32_NULL_BYTES;
    h->hart.plain_l1_size = HARNESS_L1_BYTES;
    h->hart.l1_marks = h->marks;
    h->hart.local = h->local;
    h->hart.local_size = HARNESS_LOCAL_BYTES;
    h->hart.code = &h->code;
    h->hart.bus = &h->bus;
    h->hart.owner = h;
    harness_reset(h);
    return h;
}

void harness_destroy(struct harness *h)
{
    struct harness **link = &harnesses;
    while (*link != h) {
        link = &(*link)->next;
    }
    *link = h->next;
    rv32_code_invalidate(&h->code);
    rv32_code_store_destroy(h->store);
    free(h);
}

void harness_destroy_all(void)
{
    while (harnesses) {
        harness_destroy(harnesses);
    }
}

void harness_reset(struct harness *h)
{
    h->now = 1000; /* so that tile time and the hart's own cycle count differ */
    h->waits = 0;
    h->reply = ANSWER_DONE;
    h->value = 0;
    h->accesses = h->pushes = h->fences = 0;
    rv32_reset(&h->hart, 0, h->now);
}

void harness_words(struct harness *h, uint32_t address, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        harness_put_word(h, address + 4 * i, words[i]);
    }
}

void harness_put_word(struct harness *h, uint32_t address, uint32_t word)
{
    harness_store(h, address, 4, word);
}

uint32_t harness_encode(const char *text, uint32_t pc)
{
    struct penrose_error error = {.status = PENROSE_OK};
    uint32_t word = 0;
    enum penrose_status status = rv32_assemble(text, pc, &word, &error);
    ck_assert_msg(status == PENROSE_OK, "\"%s\" does not assemble: %s", text, error.text);
    return word;
}

uint32_t harness_program(struct harness *h, uint32_t address, const char *const *lines)
{
    for (; *lines; lines++, address += 4) {
        harness_put_word(h, address, harness_encode(*lines, address));
    }
    return address;
}

unsigned harness_run(struct harness *h, unsigned count)
{
    uint64_t start = h->now;
    uint64_t end = start + count;
    if (h->mode == HARNESS_BURST) {
        h->now = rv32_run(&h->hart, start, end);
        ck_assert_uint_le(h->now, end);
        return (unsigned)(h->now - start);
    }
    while (h->now < end) {
        uint64_t now = rv32_run(&h->hart, h->now, h->now + 1);
        ck_assert_uint_le(now, h->now + 1);
        h->now = now;
        if (h->hart.stop != RV32_RUNNING) {
            break;
        }
    }
    return (unsigned)(h->now - start);
}

void harness_execute(struct harness *h, uint32_t pc, uint32_t word)
{
    harness_put_word(h, pc, word);
    h->hart.pc = pc;
    harness_run(h, 1);
}

void harness_do(struct harness *h, uint32_t word)
{
    char text[80];
    uint32_t pc = 0x40;
    harness_execute(h, pc, word);
    rv32_disassemble(rv32_code_store_index(h->store), word, pc, text, sizeof text);
    ck_assert_msg(h->hart.stop == RV32_RUNNING, "%s (%#010x) stops with %d: fault %d \"%s\"", text,
                  word, h->hart.stop, h->hart.fault.kind, h->hart.fault.detail);
    ck_assert_uint_eq(h->hart.pc, pc + 4);
}

void harness_check_fault(const struct harness *h, enum penrose_fault_kind kind, uint32_t pc,
                         uint32_t word)
{
    const struct rv32_fault *fault = &h->hart.fault;
    ck_assert_msg(h->hart.stop == RV32_STOP_FAULT, "word %#010x: stop %d instead of a fault", word,
                  h->hart.stop);
    ck_assert_msg(fault->kind == kind, "word %#010x: fault %d \"%s\" instead of %d", word,
                  fault->kind, fault->detail, kind);
    ck_assert_uint_eq(fault->pc, pc);
    ck_assert_uint_eq(fault->word, word);
    ck_assert_uint_eq(h->hart.pc, pc);
}

void harness_check_text(const struct harness *h, uint32_t word, uint32_t pc, const char *text)
{
    char got[96];
    int length = rv32_disassemble(rv32_code_store_index(h->store), word, pc, got, sizeof got);
    ck_assert_msg(!strcmp(got, text), "%#010x disassembles to \"%s\", not \"%s\"", word, got, text);
    ck_assert_int_eq(length, (int)strlen(text));
}

void harness_check_mnemonic(const struct harness *h, uint32_t word, const char *mnemonic)
{
    char got[96];
    rv32_disassemble(rv32_code_store_index(h->store), word, 0, got, sizeof got);
    size_t length = strcspn(got, " ");
    ck_assert_msg(length == strlen(mnemonic) && !memcmp(got, mnemonic, length),
                  "%#010x disassembles to \"%s\", not to %s", word, got, mnemonic);
}

static uint8_t *memory_at(struct harness *h, uint32_t address, unsigned size)
{
    if (address < HARNESS_L1_BYTES && HARNESS_L1_BYTES - address >= size) {
        return h->l1 + address;
    }
    uint32_t offset = address - RV32_LOCAL_BASE;
    ck_assert_uint_le(offset, HARNESS_LOCAL_BYTES - size);
    return h->local + offset;
}

uint32_t harness_load(struct harness *h, uint32_t address, unsigned size)
{
    const uint8_t *bytes = memory_at(h, address, size);
    uint32_t value = 0;
    for (unsigned i = 0; i < size; i++) {
        value |= (uint32_t)bytes[i] << 8 * i;
    }
    return value;
}

void harness_store(struct harness *h, uint32_t address, unsigned size, uint32_t value)
{
    uint8_t *bytes = memory_at(h, address, size);
    for (unsigned i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
    if (address < HARNESS_L1_BYTES) {
        rv32_code_written(&h->code, address, size);
    }
}

uint32_t harness_random(uint64_t *state)
{
    uint64_t s = *state;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    *state = s;
    return (uint32_t)(s >> 16);
}

uint32_t harness_random_word(uint64_t *state)
{
    static const uint32_t edges[] = {0,      1,      0x7f,   0x80,       0xff,       0x100,
                                     0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
    uint32_t word = harness_random(state);
    uint32_t edge = edges[harness_random(state) % (sizeof edges / sizeof edges[0])];
    switch (harness_random(state) % 6) {
    case 0:
        return edge;
    case 1:
        return edge + word % 5 - 2;
    case 2:
        return word >> harness_random(state) % 32;
    case 3:
        return edge | edge << 16;
    default:
        return word;
    }
}

/* --- Encodings --- */

void harness_check_encodings(const struct harness_encoding *encodings, int count, bool both_ways)
{
    struct harness *h = harness_create(RV32_T2);
    for (int i = 0; i < count; i++) {
        harness_check_text(h, encodings[i].word, 0x40, encodings[i].text);
        ck_assert(!both_ways || harness_encode(encodings[i].text, 0x40) == encodings[i].word);
    }
    harness_destroy(h);
}

uint32_t words_r(uint32_t opcode, uint32_t funct3, uint32_t funct7, uint32_t rd, uint32_t rs1,
                 uint32_t rs2)
{
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

uint32_t words_r4(uint32_t opcode, uint32_t funct3, uint32_t fmt, uint32_t rd, uint32_t rs1,
                  uint32_t rs2, uint32_t rs3)
{
    return words_r(opcode, funct3, rs3 << 2 | fmt, rd, rs1, rs2);
}

uint32_t words_i(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1, int32_t immediate)
{
    return (uint32_t)immediate << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

uint32_t words_s(uint32_t opcode, uint32_t funct3, uint32_t rs2, uint32_t rs1, int32_t immediate)
{
    uint32_t bits = (uint32_t)immediate & 0xfff;
    return words_r(opcode, funct3, bits >> 5, bits & 31, rs1, rs2);
}

uint32_t words_b(uint32_t funct3, uint32_t rs1, uint32_t rs2, int32_t displacement)
{
    uint32_t bits = (uint32_t)displacement;
    uint32_t high = (bits >> 12 & 1) << 6 | (bits >> 5 & 0x3f);
    uint32_t low = (bits >> 1 & 15) << 1 | (bits >> 11 & 1);
    return words_r(OPCODE_BRANCH, funct3, high, low, rs1, rs2);
}

uint32_t words_j(uint32_t rd, int32_t displacement)
{
    uint32_t bits = (uint32_t)displacement;
    return (bits >> 20 & 1) << 31 | (bits >> 1 & 0x3ff) << 21 | (bits >> 11 & 1) << 20 |
           (bits >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}

uint32_t words_csr(enum csr_funct funct, uint32_t rd, uint32_t number, uint32_t rs1)
{
    return number << 20 | rs1 << 15 | (uint32_t)funct << 12 | rd << 7 | OPCODE_SYSTEM;
}
