/* libpenrose as its users call it: chips, memory, harts, time, faults, programs. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <penrose/debug.h>
#include <penrose/penrose.h>
#include <penrose/trace.h>

#include "api/api.h"
#include "chip/chip.h"
#include "unit/chip/chip_program.h"
#include "unit/chip/noc_command.h"
#include "unit/test.h"
#include "tile/tile.h"

static const struct penrose_register a0 = {PENROSE_X, 10};

static struct penrose_chip *open_chip(const struct penrose_options *options)
{
    struct penrose_options defaults = {.size = sizeof defaults};
    struct penrose_chip *chip;
    struct penrose_error error;
    ck_assert_int_eq(penrose_chip_create(options ? options : &defaults, &chip, &error), PENROSE_OK);
    return chip;
}

static void write_program(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t address,
                          const char *const *lines)
{
    for (unsigned i = 0; lines[i]; i++, address += 4) {
        uint32_t word;
        struct penrose_error error = {0};
        ck_assert_msg(penrose_assemble(NULL, lines[i], address, &word, &error) == PENROSE_OK, "%s",
                      error.text);
        ck_assert_int_eq(penrose_write(chip, x, y, address, &word, sizeof word, &error),
                         PENROSE_OK);
    }
}

static enum penrose_outcome run_for(struct penrose_chip *chip, uint64_t cycles)
{
    struct penrose_run run = {.size = sizeof run, .cycles = cycles};
    return penrose_run(chip, &run);
}

TEST(options_are_checked)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    struct penrose_error error;
    options.quantum = 65537;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_null(chip);
    ck_assert_ptr_nonnull(strstr(error.text, "65537"));
    options = (struct penrose_options){.size = sizeof options};
    options.policy[PENROSE_FAULT_UNMAPPED] = (enum penrose_policy)7;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_E_ARGUMENT);
    options = (struct penrose_options){.size = sizeof options};
    options.schedule = (enum penrose_schedule)9;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, &error), PENROSE_E_ARGUMENT);
    options = (struct penrose_options){.size = sizeof options};
    options.kernels = "sse";
    ck_assert_int_eq(penrose_chip_create(&options, &chip, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "there is no set of kernels 'sse'"));
    options = (struct penrose_options){.size = sizeof options};
    options.policy[PENROSE_FAULT_ROOM - 1] = PENROSE_STOP;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, &error), PENROSE_E_ARGUMENT);
    ck_assert_int_eq(penrose_chip_create(NULL, &chip, &error), PENROSE_OK); /* the defaults */
    penrose_chip_destroy(chip);
}

TEST(timed_runs_go_in_step)
{
    static const struct {
        enum penrose_schedule schedule;
        bool timed;
        uint32_t quantum, of_chip, window;
    } rows[] = {
        {PENROSE_FAST, false, 0, 128, 512},   {PENROSE_FAST, true, 0, 1, 10},
        {PENROSE_FAST, true, 64, 64, 64},     {PENROSE_LOCKSTEP, false, 0, 1, 512},
        {PENROSE_LOCKSTEP, true, 0, 1, 10},   {PENROSE_RANDOM, true, 0, 128, 128},
        {PENROSE_FAST, false, 100, 100, 600},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct penrose_options options = {.size = sizeof options};
        options.schedule = rows[i].schedule;
        options.timed = rows[i].timed;
        options.quantum = rows[i].quantum;
        struct penrose_chip *chip = open_chip(&options);
        ck_assert_uint_eq(chip->options.quantum, rows[i].of_chip);
        ck_assert_uint_eq(chip->head.window, rows[i].window);
        penrose_chip_destroy(chip);
    }
}

TEST(runs_are_sized)
{
    struct penrose_chip *chip = open_chip(NULL);
    struct {
        struct penrose_run run;
        char more[8];
    } newer = {.run = {.size = sizeof newer, .cycles = 512, .pass_quiet_time = true}};
    ck_assert_int_eq(penrose_run(chip, &newer.run), PENROSE_CYCLES);
    ck_assert_uint_eq(penrose_now(chip), 512);
    newer.more[3] = 1;
    ck_assert_int_eq(penrose_run(chip, &newer.run), PENROSE_REFUSED);
    newer.run.size = 0;
    ck_assert_int_eq(penrose_run(chip, &newer.run), PENROSE_REFUSED);
    ck_assert_uint_eq(penrose_now(chip), 512);
    penrose_chip_destroy(chip);
}

/* Of a caller with an older or a newer header. */
TEST(options_are_sized)
{
    struct {
        struct penrose_options options;
        char more[8];
    } newer = {.options = {.size = sizeof newer}};
    struct penrose_chip *chip;
    struct penrose_error error;
    ck_assert_int_eq(penrose_chip_create(&newer.options, &chip, &error), PENROSE_OK);
    penrose_chip_destroy(chip);
    newer.more[7] = 1;
    ck_assert_int_eq(penrose_chip_create(&newer.options, &chip, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "of which this version"));
    newer.options.size = offsetof(struct penrose_options, costs); /* an older caller's */
    ck_assert_int_eq(penrose_chip_create(&newer.options, &chip, &error), PENROSE_OK);
    penrose_chip_destroy(chip);
    newer.options.size = 0;
    ck_assert_int_eq(penrose_chip_create(&newer.options, &chip, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "sizeof(struct penrose_options)"));
    struct {
        size_t size;
        uint32_t was, is;
    } older = {.size = sizeof(size_t) + sizeof(uint32_t), .was = 1, .is = 2},
      own = {.size = sizeof own};
    ck_assert_int_eq(api_take_sized(&older, &own, older.size, "own", &error), PENROSE_OK);
    ck_assert(own.was == 1 && own.is == 0 && own.size == sizeof own);
}

TEST_EACH(tiles_are_found_by_kind, 6)
{
    static const struct {
        const char *card;
        enum penrose_tile_kind kind;
        unsigned count;
        struct penrose_place first, last;
    } rows[] = {
        {"unharvested", PENROSE_TILE_TENSIX, 140, {1, 2}, {16, 11}},
        {"unharvested", PENROSE_TILE_DRAM, 24, {17, 12}, {18, 23}},
        {"p150a", PENROSE_TILE_ETHERNET, 12, {20, 25}, {31, 25}},
        {"p100a", PENROSE_TILE_TENSIX, 120, {1, 2}, {14, 11}},
        {"p100a", PENROSE_TILE_ETHERNET, 0, {0, 0}, {0, 0}},
        {"p100a", PENROSE_NO_TILE, 0, {0, 0}, {0, 0}},
    };
    struct penrose_options options = {.size = sizeof options};
    options.card = rows[_i].card;
    struct penrose_chip *chip = open_chip(&options);
    struct penrose_place at = {0, 0};
    unsigned count = 0;
    for (; penrose_tile_at(chip, rows[_i].kind, count, &at); count++) {
        ck_assert_int_eq(penrose_tile_kind(chip, at.x, at.y), rows[_i].kind);
        ck_assert(count > 0 || (at.x == rows[_i].first.x && at.y == rows[_i].first.y));
    }
    ck_assert_uint_eq(count, rows[_i].count);
    ck_assert(at.x == rows[_i].last.x && at.y == rows[_i].last.y);
    ck_assert_int_eq(penrose_tile_kind(chip, UINT32_MAX, 2), PENROSE_NO_TILE);
    ck_assert_ptr_null(penrose_tile_kind_name(PENROSE_NO_TILE));
    ck_assert_str_eq(penrose_tile_kind_name(PENROSE_TILE_ARC), "ARC");
    penrose_chip_destroy(chip);
}

/* Tiles of which only half of an address counts have their registers again in every 4 GiB. */
TEST(memory_goes_up_to_registers)
{
    static const struct {
        enum penrose_tile_kind kind;
        uint64_t address, span;
    } rows[] = {
        {PENROSE_TILE_TENSIX, 0, 0xffb00000},
        {PENROSE_TILE_TENSIX, 0xffafffff, 1},
        {PENROSE_TILE_TENSIX, 0xffb00000, 0},
        {PENROSE_TILE_TENSIX, UINT64_C(0x1ffb00000), 0},
        {PENROSE_TILE_ETHERNET, 0x80000, 0xffa80000},
        {PENROSE_TILE_DRAM, UINT64_C(0x5000000f0), 0xffafff10},
        {PENROSE_TILE_ARC, 0x10000000, 0x70000000},
        {PENROSE_TILE_ARC, 0x80030408, 0},
        {PENROSE_TILE_PCIE, UINT64_C(1) << 60, UINT64_C(0xe800000000000000)},
        {PENROSE_TILE_PCIE, UINT64_C(0xf800000000000000), 0},
        {PENROSE_TILE_L2CPU, UINT64_C(0xffffffffff000000), 0},
        {PENROSE_TILE_EMPTY, 0xfefffffe, 2},
    };
    struct penrose_chip *chip = open_chip(NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct penrose_place at;
        ck_assert(penrose_tile_at(chip, rows[i].kind, 0, &at));
        ck_assert_uint_eq(penrose_memory_span(chip, at.x, at.y, rows[i].address), rows[i].span);
    }
    ck_assert_uint_eq(penrose_memory_span(chip, 63, 63, 0xffafffff), 1);
    penrose_chip_destroy(chip);
}

/* Hosts find out by NIUs what a card has, and those of a tile that is off answer, too: what they say
 * is what firmware has left there. All else of it does not. */
TEST_EACH(tiles_that_are_off_have_nius, 4)
{
    static const char *const cards[] = {"unharvested", "p150a", "p100a", "p100"};
    static const uint32_t registers[] = {NIU_NODE_ID,      NIU_ENDPOINT_ID, NIU_CFG_0,
                                         NIU_ROUTER_CFG_1, NIU_ID_LOGICAL,  NIU_X_TABLE};
    const struct penrose_options options = {.size = sizeof options, .card = cards[_i]};
    struct penrose_chip *chip = open_chip(&options);
    unsigned off = 0;
    for (unsigned i = 0; i < GRID_TILES; i++) {
        struct grid_position at = {.x = (uint8_t)(i % GRID_WIDTH), .y = (uint8_t)(i / GRID_WIDTH)};
        struct grid_position name = grid_logical(&chip->grid, at);
        uint32_t word = 0;
        if (!grid_tile(&chip->grid, at)->is_fused_off) {
            continue;
        }
        off++;
        for (unsigned noc = 0; noc < 2; noc++) {
            struct niu niu = {0};
            grid_configure_niu(&chip->grid, noc, at, &niu);
            for (unsigned j = 0; j < COUNT(registers); j++) {
                uint64_t address = UINT64_C(0xffb20000) + noc * 0x10000 + registers[j];
                ck_assert_uint_eq(command_get(chip, (struct command_end){name.x, name.y, address}),
                                  niu.word[registers[j] / 4]);
            }
        }
        struct penrose_error error;
        const uint64_t others[] = {0, 0xffb121b0, 0xffb40000, 0xffb1fffc};
        for (unsigned j = 0; j < COUNT(others); j++) {
            ck_assert_int_eq(penrose_read(chip, name.x, name.y, others[j], &word, 4, &error),
                             PENROSE_E_ARGUMENT);
            ck_assert_ptr_nonnull(strstr(error.text, "is fused off on this card"));
        }
        ck_assert_int_ne(penrose_write(chip, name.x, name.y, 0xffb20100, &word, 4, &error),
                         PENROSE_OK);
    }
    ck_assert_uint_eq(off, ((unsigned[]){2, 2, 37, 37})[_i]);
    penrose_chip_destroy(chip);
}

/* The worker starts what its command buffer holds, and has no fault. */
static void start_command(struct penrose_chip *chip)
{
    command_put(chip, (struct command_end){1, 2, COMMAND_NIU + NIU_CMD_CTRL}, 1);
    run_for(chip, 4096);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
}

/* The same for a kernel, and the NIU of a tile without a clock, which gets its clock back so. */
TEST(nius_that_are_off_answer_requests)
{
    enum { INLINE = 1 << 3, CLOCK_OFF = 1 << 12 };
    struct penrose_options options = {.size = sizeof options, .card = "p150a"};
    struct penrose_chip *chip = open_chip(&options);
    const struct command_end here = {1, 2, 0x1100}, config = {2, 2, 0xffb20100};
    command_fill(chip, 1, 2, 0, COMMAND_READ | COMMAND_RESPONSE,
                 (struct command_end){14, 1, 0xffb20044}, here, 4);
    start_command(chip);
    ck_assert_uint_eq(command_get(chip, here), 0x1061104e);
    uint32_t on = command_get(chip, config);
    command_put(chip, config, on | CLOCK_OFF);
    command_fill(chip, 1, 2, 0, COMMAND_WRITE | INLINE | COMMAND_RESPONSE, config, config, 0xf);
    command_put(chip, (struct command_end){1, 2, COMMAND_NIU + NIU_AT_DATA}, on);
    start_command(chip);
    ck_assert_uint_eq(command_get(chip, config), on);
    penrose_chip_destroy(chip);
}

/* SerDes, by which firmware trains links: told by default; who lets it pass reads zero. */
TEST_EACH(serdes_are_not_modelled, 2)
{
    struct penrose_options options = {.size = sizeof options};
    options.policy[PENROSE_FAULT_UNIMPLEMENTED] = _i ? PENROSE_WARN : PENROSE_STOP;
    struct penrose_chip *chip = open_chip(&options);
    const struct command_end serdes = {19, 24, 0xffffffffe1000168}, here = {1, 2, 0x1108};
    struct penrose_fault fault;
    command_put(chip, here, 77);
    command_fill(chip, 1, 2, 0, COMMAND_READ | COMMAND_RESPONSE, serdes, here, 4);
    command_put(chip, (struct command_end){1, 2, COMMAND_NIU + NIU_CMD_CTRL}, 1);
    ck_assert_int_eq(run_for(chip, 4096), _i ? PENROSE_QUIET : PENROSE_FAULT);
    ck_assert(penrose_fault_get(chip, 0, &fault));
    ck_assert_int_eq(fault.kind, PENROSE_FAULT_UNIMPLEMENTED);
    ck_assert_ptr_nonnull(
        strstr(fault.rule, "read of 4 bytes at 0xffffffffe1000168 of PCIe (19, 24)"));
    ck_assert_ptr_nonnull(strstr(fault.rule, "SerDes are not modelled"));
    ck_assert_uint_eq(command_get(chip, here), _i ? 0 : 77);
    penrose_chip_destroy(chip);
}

/* On a tile without a coprocessor nobody can push to it, by whatever instruction: zeros are one, too. */
TEST_EACH(only_workers_have_coprocessors, 6)
{
    static const uint32_t words[][2] = {{0, 0}, {0x8c000001, 0}, {0xffe40537, 0x00052023}};
    struct penrose_chip *chip = open_chip(NULL);
    const uint32_t entry = 0x4000, runs = 0x47800 & ~(1u << 11);
    unsigned x = _i % 2 ? 17 : 24, y = _i % 2 ? 12 : 25;
    uint64_t l1 = _i % 2 ? UINT64_C(0x2000000000) : 0;
    struct penrose_fault fault;
    char text[1024];
    ck_assert_int_eq(penrose_write(chip, x, y, l1 + entry, words[_i / 2], 8, NULL), PENROSE_OK);
    command_put(chip, (struct command_end){x, y, 0xffb14000}, entry);
    command_put(chip, (struct command_end){x, y, 0xffb121b0}, runs);
    ck_assert_int_eq(run_for(chip, 100), PENROSE_FAULT);
    ck_assert(penrose_fault_get(chip, 0, &fault));
    ck_assert_int_eq(fault.kind, PENROSE_FAULT_UNMAPPED);
    ck_assert_int_eq(fault.thread, -1);
    penrose_fault_format(&fault, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "the tile has no coprocessor"));
    ck_assert_ptr_null(strcasestr(text, "tensix"));
    ck_assert_int_eq(strstr(text, "zeros are no instructions") != NULL, _i / 2 == 0);
    penrose_chip_destroy(chip);
}

TEST(memory_is_read_and_written)
{
    struct penrose_chip *chip = open_chip(NULL);
    struct penrose_error error;
    uint8_t pattern[100], back[100];
    for (unsigned i = 0; i < sizeof pattern; i++) {
        pattern[i] = (uint8_t)(i * 7);
    }
    ck_assert_int_eq(penrose_write(chip, 16, 11, 0x17ff9c, pattern, 100, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_read(chip, 16, 11, 0x17ff9c, back, 100, &error), PENROSE_OK);
    ck_assert_mem_eq(pattern, back, 100);
    ck_assert_int_eq(penrose_read(chip, 1, 2, 0x17ff9c, back, 100, &error), PENROSE_OK);
    ck_assert_uint_eq(back[50], 0); /* another tile */
    ck_assert_int_eq(penrose_write(chip, 16, 11, 0x17ff9d, pattern, 100, &error),
                     PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "0x00180000"));
    ck_assert_int_eq(penrose_read(chip, 64, 3, 0, back, 4, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "(64, 3)"));
    ck_assert_int_eq(penrose_read(chip, 1, 2, UINT64_C(0xfffffffe), back, 4, &error),
                     PENROSE_E_ARGUMENT);
    ck_assert_int_eq(penrose_read(chip, 1, 2, UINT64_MAX - 1, back, 4, NULL), PENROSE_E_ARGUMENT);
    penrose_chip_destroy(chip);
}

TEST(hart_runs_and_pauses)
{
    static const char *const program[] = {"addi a0, a0, 5", "slli a0, a0, 2", "sw a0, 0x400(zero)",
                                          "ebreak", NULL};
    struct penrose_chip *chip = open_chip(NULL);
    struct penrose_hart_info info;
    struct penrose_error error;
    uint32_t result;
    write_program(chip, 3, 4, 0x1000, program);
    ck_assert_int_eq(penrose_hart_release(chip, 3, 4, PENROSE_TRISC1, 0x1000, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_hart_release(chip, 3, 4, PENROSE_TRISC1, 0x1000, &error),
                     PENROSE_E_STATE);
    ck_assert_int_eq(
        penrose_register_write(chip, 3, 4, PENROSE_TRISC1, a0, (uint32_t[4]){100}, &error),
        PENROSE_OK);
    ck_assert_int_eq(run_for(chip, 100000), PENROSE_QUIET);
    ck_assert_uint_lt(penrose_now(chip), 100000);
    ck_assert_int_eq(penrose_hart_info(chip, 3, 4, PENROSE_TRISC1, &info, &error), PENROSE_OK);
    ck_assert_int_eq(info.state, PENROSE_HART_PAUSED);
    ck_assert_uint_eq(info.pc, 0x1010);
    ck_assert_uint_eq(info.retired, 4);
    ck_assert_int_eq(penrose_peek(chip, 3, 4, 0x400, &result, 4, &error), PENROSE_OK);
    ck_assert_uint_eq(result, 420);
    ck_assert_int_eq(penrose_hart_hold(chip, 3, 4, PENROSE_TRISC1, &error), PENROSE_OK);
    penrose_hart_info(chip, 3, 4, PENROSE_TRISC1, &info, &error);
    ck_assert_int_eq(info.state, PENROSE_HART_HELD);
    ck_assert_int_eq(penrose_hart_info(chip, 3, 4, PENROSE_HARTS, &info, &error),
                     PENROSE_E_ARGUMENT);
    penrose_chip_destroy(chip);
}

/* A load from a register of the tile, and its use: 7 cycles by hart_times.def. */
TEST(harts_of_timed_runs_wait_for_loads)
{
    static const char *const program[] = {
        "lui a1, 0xffb12", "lw a2, 0x1f0(a1)",   "addi a3, a2, 0", "lw a4, 0x1f0(a1)",
        "sub a0, a4, a2",  "sw a0, 0x400(zero)", "ebreak",         NULL};
    for (unsigned timed = 0; timed < 2; timed++) {
        struct penrose_options options = {.size = sizeof options, .timed = timed};
        struct penrose_chip *chip = open_chip(&options);
        uint32_t cycles;
        write_program(chip, 1, 2, 0, program);
        ck_assert_int_eq(penrose_hart_release(chip, 1, 2, PENROSE_BRISC, 0, NULL), PENROSE_OK);
        ck_assert_int_eq(run_for(chip, 100000), PENROSE_QUIET);
        ck_assert_int_eq(penrose_peek(chip, 1, 2, 0x400, &cycles, 4, NULL), PENROSE_OK);
        ck_assert_uint_eq(cycles, timed ? 8 : 2);
        penrose_chip_destroy(chip);
    }
}

TEST(quiet_time_passes_for_hosts)
{
    static const char *const loop[] = {"lw a0, 0x400(zero)", "beq a0, zero, 0x1000", "ebreak",
                                       NULL};
    struct penrose_chip *chip = open_chip(NULL);
    struct penrose_run run = {
        .size = sizeof run, .cycles = UINT64_C(1000000000000), .pass_quiet_time = true};
    struct penrose_error error;
    struct penrose_hart_info info;
    uint32_t one = 1;
    write_program(chip, 1, 2, 0x1000, loop);
    penrose_hart_release(chip, 1, 2, PENROSE_BRISC, 0x1000, &error);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CYCLES);
    ck_assert_uint_ge(penrose_now(chip), run.cycles);
    penrose_hart_info(chip, 1, 2, PENROSE_BRISC, &info, &error);
    ck_assert_int_eq(info.state, PENROSE_HART_POLLING);
    ck_assert_uint_eq(info.wait_addresses, 1);
    ck_assert_uint_eq(info.wait_address[0], 0x400);
    ck_assert_int_eq(run_for(chip, 1000), PENROSE_QUIET);
    penrose_write(chip, 1, 2, 0x400, &one, 4, &error);
    ck_assert_int_eq(run_for(chip, 1000), PENROSE_QUIET);
    penrose_hart_info(chip, 1, 2, PENROSE_BRISC, &info, &error);
    ck_assert_int_eq(info.state, PENROSE_HART_PAUSED);
    penrose_chip_destroy(chip);
}

TEST(fault_stops_chip_until_cleared)
{
    static const char *const bad[] = {"lui a0, 0x200", "sw a0, 4(a0)", "ebreak", NULL};
    struct penrose_chip *chip = open_chip(NULL);
    struct penrose_error error;
    struct penrose_fault fault;
    struct penrose_hart_info info;
    char report[1000];
    write_program(chip, 2, 3, 0x1000, bad);
    penrose_hart_release(chip, 2, 3, PENROSE_NCRISC, 0x1000, &error);
    ck_assert_int_eq(run_for(chip, 10000), PENROSE_FAULT);
    ck_assert_uint_eq(penrose_fault_count(chip), 1);
    ck_assert(penrose_fault_get(chip, 0, &fault));
    ck_assert(!penrose_fault_get(chip, 1, &fault));
    penrose_fault_get(chip, 0, &fault);
    ck_assert_int_eq(fault.kind, PENROSE_FAULT_UNMAPPED);
    ck_assert_uint_eq(fault.x, 2);
    ck_assert_uint_eq(fault.y, 3);
    ck_assert_int_eq(fault.hart, PENROSE_NCRISC);
    ck_assert_uint_eq(fault.pc, 0x1004);
    ck_assert_uint_eq(fault.address, 0x200004);
    ck_assert_str_eq(fault.disassembly, "sw a0, 4(a0)");
    ck_assert_int_gt(penrose_fault_format(&fault, report, sizeof report), 0);
    ck_assert_ptr_nonnull(strstr(report, "ncrisc"));
    ck_assert_ptr_nonnull(strstr(report, "0x00200004"));
    ck_assert_int_eq(run_for(chip, 10000), PENROSE_FAULT); /* still stopped */
    penrose_fault_clear(chip);
    penrose_register_write(chip, 2, 3, PENROSE_NCRISC, a0, (uint32_t[4]){0x400}, &error);
    ck_assert_int_eq(run_for(chip, 10000), PENROSE_QUIET); /* the store is tried again */
    penrose_hart_info(chip, 2, 3, PENROSE_NCRISC, &info, &error);
    ck_assert_int_eq(info.state, PENROSE_HART_PAUSED);
    penrose_chip_destroy(chip);
}

/* What tells mistakes apart: the instruction and the rule; without an instruction the text. */
TEST(mistakes_are_alike_on_other_tiles)
{
    const struct penrose_fault fault = {.kind = PENROSE_FAULT_UNMAPPED,
                                        .hart = PENROSE_BRISC,
                                        .hart_name = "brisc",
                                        .thread = -1,
                                        .pc = 0x1000,
                                        .word = 0x13,
                                        .symbol = "main"};
    enum { OTHERS = 10 };
    struct penrose_fault other[OTHERS];
    for (unsigned i = 0; i < OTHERS; i++) {
        other[i] = fault;
        other[i].x = other[i].y = i;
        other[i].cycle = 100 * i;
        other[i].address = 4 * i;
        snprintf(other[i].rule, sizeof other[i].rule, "%u", i);
        ck_assert(penrose_fault_alike(&fault, &other[i]));
    }
    other[0].kind = PENROSE_FAULT_MISALIGNED;
    other[1].hart = PENROSE_NCRISC;
    other[2].thread = 1;
    other[3].pc = 0x1004;
    other[4].word = 0x33;
    other[5].hart_name = "erisc0";
    strcpy(other[6].symbol, "other");
    other[7].policy = PENROSE_WARN;
    strcpy(other[8].source, "other.cpp:7");
    strcpy(other[9].inlined_at[PENROSE_INLINED - 1], "other.cpp:9");
    for (unsigned i = 0; i < OTHERS; i++) {
        ck_assert_msg(!penrose_fault_alike(&fault, &other[i]), "%u", i);
    }
    struct penrose_fault unrolled = fault, next;
    strcpy(unrolled.symbol, "main+0x10");
    strcpy(unrolled.source, "main.c:7");
    strcpy(unrolled.disassembly, "sw a0, 0(a1)");
    next = unrolled;
    next.pc = 0x1010;
    next.word = 0x33;
    strcpy(next.symbol, "main+0x20");
    strcpy(next.disassembly, "sw a2, 4(a1)");
    ck_assert(penrose_fault_alike(&unrolled, &next));
    strcpy(next.disassembly, "lw a2, 4(a1)");
    ck_assert(!penrose_fault_alike(&unrolled, &next));
    next = unrolled;
    next.pc = 0x1010;
    strcpy(next.symbol, "mainly+0x10");
    ck_assert(!penrose_fault_alike(&unrolled, &next));
    strcpy(unrolled.symbol, "operator+(a, b)+0x10");
    strcpy(next.symbol, "operator+=(a, b)+0x20");
    ck_assert(!penrose_fault_alike(&unrolled, &next));
    strcpy(next.symbol, "operator+(a, b)+0x20");
    ck_assert(penrose_fault_alike(&unrolled, &next));
    struct penrose_fault request = fault; /* of the NoC */
    request.word = other[1].word = 0;
    other[1].hart = fault.hart;
    ck_assert(!penrose_fault_alike(&request, &other[1])); /* the rule is another */
    strcpy(request.rule, other[1].rule);
    ck_assert(penrose_fault_alike(&request, &other[1]));
    struct penrose_fault host = {.hart = PENROSE_NO_HART, .hart_name = "host", .rule = "a"};
    struct penrose_fault again = host;
    ck_assert(penrose_fault_alike(&host, &again));
    again.address = 4;
    ck_assert(!penrose_fault_alike(&host, &again));
    again = host;
    again.rule[0] = 'b';
    ck_assert(!penrose_fault_alike(&host, &again));
}

TEST_EACH(policies_are_obeyed, 2)
{
    static const char *const bad[] = {"lui a0, 0x200",
                                      "addi a1, zero, 3",
                                      "sw a0, 4(a0)",
                                      "addi a1, a1, -1",
                                      "bne a1, zero, 0x1008",
                                      "ebreak",
                                      NULL};
    struct penrose_options options = {.size = sizeof options};
    options.policy[PENROSE_FAULT_UNMAPPED] = _i ? PENROSE_IGNORE : PENROSE_WARN;
    struct penrose_chip *chip = open_chip(&options);
    struct penrose_error error;
    struct penrose_fault fault;
    write_program(chip, 2, 3, 0x1000, bad);
    penrose_hart_release(chip, 2, 3, PENROSE_BRISC, 0x1000, &error);
    ck_assert_int_eq(run_for(chip, 10000), PENROSE_QUIET);
    ck_assert_uint_eq(penrose_fault_count(chip), _i ? 0 : 1);
    if (!_i) {
        penrose_fault_get(chip, 0, &fault);
        ck_assert_uint_eq(fault.repeated, 2);
        ck_assert_int_eq(fault.policy, PENROSE_WARN);
    }
    penrose_chip_destroy(chip);
}

TEST(wait_report_names_waiters)
{
    static const char *const spin[] = {"jal zero, 0x1000", NULL};
    static const char *const poll[] = {"lw a0, 0x444(zero)", "beq a0, zero, 0x1100", NULL};
    struct penrose_chip *chip = open_chip(NULL);
    struct penrose_error error;
    char text[2000], little[10];
    write_program(chip, 5, 5, 0x1000, spin);
    write_program(chip, 5, 5, 0x1100, poll);
    penrose_hart_release(chip, 5, 5, PENROSE_BRISC, 0x1000, &error);
    penrose_hart_release(chip, 5, 5, PENROSE_TRISC2, 0x1100, &error);
    ck_assert_int_eq(run_for(chip, 100000), PENROSE_QUIET);
    int length = penrose_wait_report(chip, text, sizeof text);
    ck_assert_int_eq(length, (int)strlen(text));
    ck_assert_ptr_nonnull(strstr(text, "tile (5, 5) brisc at pc 0x00001000: endless loop"));
    ck_assert_ptr_nonnull(strstr(text, "trisc2"));
    ck_assert_ptr_nonnull(strstr(text, "polls 0x00000444 (L1, holds 0x0)"));
    ck_assert_ptr_null(strstr(text, "ncrisc"));
    ck_assert_int_eq(penrose_wait_report(chip, little, sizeof little), length);
    penrose_chip_destroy(chip);
}

struct trace_counts {
    unsigned instructions, accesses;
};

static void count_event(void *context, const struct penrose_trace_event *event)
{
    struct trace_counts *counts = context;
    counts->instructions += event->kind == PENROSE_TRACE_INSTRUCTION;
    counts->accesses += event->kind == PENROSE_TRACE_REGISTER;
}

TEST(trace_sees_everything)
{
    static const char *const program[] = {"lui a0, 0xffb12", "lw a1, 0x1f0(a0)", "addi a2, zero, 1",
                                          "ebreak", NULL};
    struct penrose_chip *chip = open_chip(NULL);
    struct penrose_error error;
    struct trace_counts counts = {0};
    write_program(chip, 1, 2, 0x1000, program);
    penrose_trace(chip, NULL, count_event, &counts, NULL);
    penrose_hart_release(chip, 1, 2, PENROSE_BRISC, 0x1000, &error);
    run_for(chip, 1000);
    ck_assert_uint_eq(counts.instructions, 4);
    ck_assert_uint_eq(counts.accesses, 1);
    penrose_trace(chip, NULL, NULL, NULL, NULL);
    penrose_chip_destroy(chip);
}

static void see_nothing(void *context, const struct penrose_trace_event *event)
{
    (void)context;
    (void)event;
}

/* Loops that poll: L1, the local RAM with a register, a register, the clock. */
static const char *const waiting[] = {
    "addi a1, zero, 50; addi a1, a1, -1; bne a1, zero, 0x1004; lw a0, 0x444(zero); "
    "sw zero, 0x448(zero); beq a0, zero, 0x100c; ebreak",
    "lui a2, 0xffb00; lui a3, 0xffb20; addi a1, zero, 700; sw a1, 0x40(a2); lw a1, 0x40(a2); "
    "addi a1, a1, -1; sw a1, 0x40(a2); bne a1, zero, 0x1010; lw a4, 0x40(a2); sw a4, 0x44(a2); lw "
    "a0, 0x200(a3); "
    "add a0, a0, a4; beq a0, zero, 0x1020; ebreak",
    "lui a2, 0xffb20; lw a0, 0x208(a2); beq a0, zero, 0x1004; ebreak",
    "lui a2, 0xffb00; sw zero, 0x40(a2); lw a0, 0x40(a2); beq a0, zero, 0x1008; ebreak",
    "lui a2, 0xffb12; lui a3, 1; lw a0, 0x1f0(a2); bltu a0, a3, 0x1008; sw a0, 0x400(zero); "
    "lw a0, 0x444(zero); beq a0, zero, 0x1014; ebreak",
};

/* A traced hart falls asleep when it would anyway, so times are those of a run without. */
TEST_EACH(tracing_changes_no_time, 3 * COUNT(waiting))
{
    struct penrose_options options = {.size = sizeof options, .timed = _i % 3 == 2};
    options.schedule = _i % 3 == 1 ? PENROSE_LOCKSTEP : PENROSE_FAST;
    struct penrose_chip *chips[2] = {open_chip(&options), open_chip(&options)};
    penrose_trace(chips[1], NULL, see_nothing, NULL, NULL);
    for (unsigned i = 0; i < 2; i++) {
        const struct penrose_run run = {.size = sizeof run, .cycles = 20000};
        start_program(chips[i], 1, 2, PENROSE_BRISC, 0x1000, waiting[_i / 3]);
        start_program(chips[i], 3, 2, PENROSE_TRISC1, 0x1000, waiting[0]);
        ck_assert_int_eq(penrose_run(chips[i], &run), PENROSE_QUIET);
    }
    ck_assert_uint_eq(penrose_now(chips[0]), penrose_now(chips[1]));
    ck_assert_uint_eq(penrose_last_activity(chips[0]), penrose_last_activity(chips[1]));
    ck_assert(penrose_state_hash(chips[0]) == penrose_state_hash(chips[1]));
    penrose_chip_destroy(chips[0]);
    penrose_chip_destroy(chips[1]);
}

/* Many tiles give the same as one after the other, in any schedule; chips know nothing of each
 * other. */
TEST(tiles_and_chips_are_independent)
{
    static const char *const program[] = {
        "addi a1, zero, 1000",  "mul a0, a0, a0",     "addi a0, a0, 13", "addi a1, a1, -1",
        "bne a1, zero, 0x1004", "sw a0, 0x400(zero)", "ebreak",          NULL};
    struct penrose_options options = {.size = sizeof options};
    uint32_t results[2][3];
    struct penrose_error error;
    for (unsigned round = 0; round < 2; round++) {
        options.schedule = round ? PENROSE_RANDOM : PENROSE_FAST;
        options.seed = 3;
        struct penrose_chip *chips[2] = {open_chip(&options), open_chip(&options)};
        for (unsigned i = 0; i < 3; i++) {
            struct penrose_chip *chip = chips[i & 1];
            write_program(chip, 1 + i, 2, 0x1000, program);
            penrose_hart_release(chip, 1 + i, 2, PENROSE_BRISC, 0x1000, &error);
            penrose_register_write(chip, 1 + i, 2, PENROSE_BRISC, a0, (uint32_t[4]){i}, &error);
        }
        run_for(chips[0], 100000);
        run_for(chips[1], 100000);
        for (unsigned i = 0; i < 3; i++) {
            penrose_peek(chips[i & 1], 1 + i, 2, 0x400, &results[round][i], 4, &error);
            ck_assert_uint_ne(results[round][i], 0);
        }
        penrose_chip_destroy(chips[0]);
        penrose_chip_destroy(chips[1]);
    }
    ck_assert_mem_eq(results[0], results[1], sizeof results[0]);
}

/* A file with one segment: three instructions at 0x2000. */
static void make_elf(char *path, uint32_t vaddr)
{
    struct {
        Elf32_Ehdr header;
        Elf32_Phdr segment;
        uint32_t code[3];
    } file = {.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
                                     EV_CURRENT},
                         .e_type = ET_EXEC,
                         .e_machine = EM_RISCV,
                         .e_version = EV_CURRENT,
                         .e_entry = vaddr,
                         .e_phoff = sizeof(Elf32_Ehdr),
                         .e_ehsize = sizeof(Elf32_Ehdr),
                         .e_phentsize = sizeof(Elf32_Phdr),
                         .e_phnum = 1},
              .segment = {.p_type = PT_LOAD,
                          .p_offset = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr),
                          .p_vaddr = vaddr,
                          .p_paddr = vaddr,
                          .p_filesz = 12,
                          .p_memsz = 12,
                          .p_flags = PF_R | PF_X},
              .code = {0x00700513 /* li a0, 7 */, 0x40a02023 /* sw a0, 0x400(zero) */,
                       0x00100073 /* ebreak */}};
    int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, &file, sizeof file), (ssize_t)sizeof file);
    close(descriptor);
}

TEST(bare_program_is_loaded)
{
    char path[] = "check_chip_XXXXXX", outside[] = "check_chip_XXXXXX";
    struct penrose_chip *chip = open_chip(NULL);
    struct penrose_error error = {0};
    uint32_t entry, value;
    make_elf(path, 0x2000);
    make_elf(outside, 0x180000);
    ck_assert_msg(penrose_load_program(chip, 1, 2, PENROSE_BRISC, path, &entry, &error) ==
                      PENROSE_OK,
                  "%s", error.text);
    ck_assert_uint_eq(entry, 0x2000);
    penrose_hart_release(chip, 1, 2, PENROSE_BRISC, entry, &error);
    ck_assert_int_eq(penrose_load_program(chip, 1, 2, PENROSE_BRISC, path, NULL, &error),
                     PENROSE_E_STATE);
    ck_assert_int_eq(run_for(chip, 1000), PENROSE_QUIET);
    penrose_peek(chip, 1, 2, 0x400, &value, 4, &error);
    ck_assert_uint_eq(value, 7);
    ck_assert_int_eq(penrose_load_program(chip, 1, 2, PENROSE_TRISC0, outside, NULL, &error),
                     PENROSE_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "0x00180000"));
    ck_assert_int_eq(penrose_load_program(chip, 1, 2, PENROSE_TRISC0, "no such file", NULL, &error),
                     PENROSE_E_FILE);
    unlink(path);
    unlink(outside);
    penrose_chip_destroy(chip);
}

#define SOFT_RESET   UINT64_C(0xffb121b0)
#define INSTRN_CTRL0 UINT64_C(0xffb120a0)
#define INSTRN_WORD0 UINT64_C(0xffb120a4)

static void host_writes(struct penrose_chip *chip, unsigned x, unsigned y, uint64_t address,
                        uint32_t value)
{
    penrose_write(chip, x, y, address, &value, sizeof value, NULL);
}

/* Tiles of all kinds have the debug registers through which instructions are pushed, whether they
 * have a coprocessor or not. */
TEST_EACH(any_tile_takes_pushes_of_a_debugger, 3)
{
    static const unsigned places[][2] = {{1, 2}, {20, 25}, {17, 12}};
    static const uint32_t operands[] = {0, 0x2, 0x123, 0x404};
    const unsigned x = places[_i][0], y = places[_i][1];
    for (uint32_t i = 0; i < 256 * 4; i++) {
        struct penrose_chip *chip = open_chip(NULL);
        uint32_t value;
        host_writes(chip, x, y, 0x100, 77);
        host_writes(chip, x, y, INSTRN_WORD0, (i / 4) << 24 | operands[i % 4]);
        host_writes(chip, x, y, INSTRN_CTRL0, 0x11);
        run_for(chip, 4096);
        ck_assert_int_eq(penrose_read(chip, x, y, 0x100, &value, sizeof value, NULL), PENROSE_OK);
        ck_assert_uint_eq(value, 77);
        penrose_chip_destroy(chip);
    }
}

static unsigned columns_held(struct penrose_chip *chip)
{
    uint16_t place;
    ck_assert(chip_find(chip, 1, 2, &place));
    return chip->place[place].tile->tensix.src_file[TENSIX_SRC_B].held;
}

/* What SOFT_RESET_0 holds of SrcB stays held, whoever changes what in the meantime. */
TEST(parts_stay_held)
{
    const uint32_t harts = 0x47800, src_b = TENSIX_RESET_SRCB, poked = harts;
    struct penrose_chip *chip = open_chip(NULL);
    host_writes(chip, 1, 2, SOFT_RESET, harts | src_b);
    ck_assert_uint_eq(columns_held(chip), 0xffff);
    ck_assert_int_eq(penrose_coprocessor_reset(chip, 1, 2, NULL), PENROSE_OK);
    ck_assert_uint_eq(columns_held(chip), 0xffff);
    host_writes(chip, 1, 2, SOFT_RESET, src_b); /* harts only */
    ck_assert_uint_eq(columns_held(chip), 0xffff);
    ck_assert_int_eq(penrose_poke(chip, 1, 2, SOFT_RESET, &poked, sizeof poked, NULL), PENROSE_OK);
    host_writes(chip, 1, 2, SOFT_RESET, 0); /* the register said so already */
    ck_assert_uint_eq(columns_held(chip), 0);
    penrose_chip_destroy(chip);
}
