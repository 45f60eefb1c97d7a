/* See guest_program.h. */
#include "unit/guest_program.h"

#include <stdarg.h>
#include <stdio.h>

struct penrose_chip *guest_chip;
struct penrose_error guest_error;
uint32_t guest_next_word;

void guest_put(uint32_t address, const void *bytes, size_t size)
{
    ck_assert_msg(penrose_write(guest_chip, GUEST_X, GUEST_Y, address, bytes, size, &guest_error) ==
                      PENROSE_OK,
                  "%s", guest_error.text);
}

void guest_put_word(uint32_t address, uint32_t word)
{
    guest_put(address, &word, sizeof word);
}

void guest_open(void)
{
    ck_assert_int_eq(penrose_chip_create(NULL, &guest_chip, &guest_error), PENROSE_OK);
    for (unsigned i = 0; i < GUEST_RESULT_WORDS; i++) {
        guest_put_word(GUEST_RESULTS + 4 * i, GUEST_UNTOUCHED);
    }
}

void guest_close(void)
{
    penrose_chip_destroy(guest_chip);
}

uint32_t guest_word(uint32_t address)
{
    uint32_t word;
    ck_assert_msg(penrose_read(guest_chip, GUEST_X, GUEST_Y, address, &word, sizeof word,
                               &guest_error) == PENROSE_OK,
                  "%s", guest_error.text);
    return word;
}

uint32_t guest_named(const char *name)
{
    uint32_t value;
    ck_assert_msg(penrose_tensix_read(guest_chip, GUEST_X, GUEST_Y, name, &value, &guest_error) ==
                      PENROSE_OK,
                  "%s: %s", name, guest_error.text);
    return value;
}

void guest_dst_row(unsigned row, enum penrose_dst_format format,
                   uint32_t datum[PENROSE_DST_COLUMNS])
{
    ck_assert_int_eq(
        penrose_dst_read(guest_chip, GUEST_X, GUEST_Y, row, format, datum, &guest_error),
        PENROSE_OK);
}

void guest_srca_row(unsigned row, uint32_t datum[PENROSE_SRC_COLUMNS])
{
    ck_assert_int_eq(
        penrose_src_read(guest_chip, GUEST_X, GUEST_Y, false, 0, row, datum, &guest_error),
        PENROSE_OK);
}

/* --- Programs --- */

void guest_begin(enum penrose_hart hart)
{
    ck_assert_int_eq(penrose_hart_hold(guest_chip, GUEST_X, GUEST_Y, hart, &guest_error),
                     PENROSE_OK);
    guest_next_word = GUEST_CODE + (uint32_t)hart * GUEST_CODE_BYTES;
}

static void guest_emit(uint32_t word)
{
    guest_put_word(guest_next_word, word);
    guest_next_word += 4;
}

void say(const char *format, ...)
{
    char line[120];
    uint32_t word;
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    ck_assert_msg(penrose_assemble(NULL, line, guest_next_word, &word, &guest_error) == PENROSE_OK,
                  "%s: %s", line, guest_error.text);
    guest_emit(word);
}

void say_load(const char *reg, uint32_t value)
{
    const uint32_t high = (value + 0x800) >> 12 & 0xfffff;
    say("lui %s, 0x%x", reg, high);
    say("addi %s, %s, %d", reg, reg, (int)(value - (high << 12)));
}

void say_store(uint32_t address, uint32_t value)
{
    say_load("t0", value);
    say_load("t1", address);
    say("sw t0, 0(t1)");
}

void say_read(uint32_t address, unsigned result)
{
    say_load("t1", address);
    say("lw t0, 0(t1)");
    say_load("t1", GUEST_RESULTS + 4 * result);
    say("sw t0, 0(t1)");
}

void say_tensix(const char *text)
{
    say(".ttinsn %s", text);
}

void say_setc16(unsigned reg, unsigned value)
{
    say(".ttinsn SETC16 %u, 0x%x", reg, value);
}

void say_tensix_word(uint32_t word)
{
    guest_emit(word << 2 | word >> 30);
}

void say_settle(void)
{
    say_load("t1", GUEST_PC_BUF + 4);
    say("sw zero, 0(t1)");
    say("lw t0, 0(t1)");
    say("andi t0, t0, 0");
}

void say_fill(uint32_t address, uint32_t first, unsigned count, unsigned bytes)
{
    say_load("a0", address);
    say_load("a1", count);
    say_load("a2", first);
    const uint32_t loop = guest_next_word;
    say("%s a2, 0(a0)", bytes == 2 ? "sh" : "sw");
    say("addi a0, a0, %u", bytes);
    say("addi a2, a2, 1");
    say("addi a1, a1, -1");
    say("bne a1, zero, 0x%x", loop);
}

void guest_run(void)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = 400000};
    const enum penrose_outcome outcome = penrose_run(guest_chip, &run);
    if (outcome == PENROSE_FAULT) {
        struct penrose_fault fault;
        char text[1000];
        ck_assert(penrose_fault_get(guest_chip, 0, &fault));
        penrose_fault_format(&fault, text, sizeof text);
        ck_abort_msg("%s", text);
    }
    ck_assert_int_eq(outcome, PENROSE_QUIET);
    ck_assert_uint_eq(penrose_fault_count(guest_chip), 0);
}

void guest_start(enum penrose_hart hart)
{
    say("ebreak");
    ck_assert_uint_le(guest_next_word, GUEST_CODE + ((uint32_t)hart + 1) * GUEST_CODE_BYTES);
    ck_assert_msg(penrose_hart_release(guest_chip, GUEST_X, GUEST_Y, hart,
                                       GUEST_CODE + (uint32_t)hart * GUEST_CODE_BYTES,
                                       &guest_error) == PENROSE_OK,
                  "%s", guest_error.text);
}

struct penrose_hart_info guest_hart(enum penrose_hart hart)
{
    struct penrose_hart_info info;
    ck_assert_int_eq(penrose_hart_info(guest_chip, GUEST_X, GUEST_Y, hart, &info, &guest_error),
                     PENROSE_OK);
    return info;
}

void guest_finish(enum penrose_hart hart)
{
    guest_start(hart);
    guest_run();
    ck_assert_int_eq(guest_hart(hart).state, PENROSE_HART_PAUSED);
}

void guest_expect_done(void)
{
    ck_assert(!penrose_coprocessor_busy(guest_chip, GUEST_X, GUEST_Y));
}

void guest_expect_wait(unsigned thread)
{
    struct penrose_gate gate;
    ck_assert_int_eq(penrose_gate_read(guest_chip, GUEST_X, GUEST_Y, thread, &gate, &guest_error),
                     PENROSE_OK);
    ck_assert(gate.has_instruction);
    ck_assert_str_ne(gate.waits, "");
}
