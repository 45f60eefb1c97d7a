/*
 * The device behind the libttsim ABI: host memory and DMA, how far time runs, guest faults.
 */
#include <string.h>

#include "unit/abi/abi_host.h"

FIXTURE(host_before, host_after);
TESTS_ALWAYS_FORK; /* reports are counted for the whole process */

/* --- Host memory --- */

/* UMD's iATU region: the first 1 GiB of addresses leads to the host's memory. */
static void map_host_memory(void)
{
    static const uint32_t words[] = {0, 0, 0x3fffffff, HOST_BASE & UINT32_MAX, HOST_BASE >> 32};
    for (uint32_t i = 0; i < COUNT(words); i++) {
        wr(BAR2 + 0x1008 + 4 * i, words[i]);
    }
    wr(BAR2 + 0x1004, UINT32_C(1) << 31);
}

#define THROUGH_IATU UINT64_C(0x1000000000000000)

TEST(the_device_reaches_host_memory)
{
    uint8_t back[300];
    fill_host_memory();
    libttsim_set_pci_dma_mem_callbacks(host_rd, host_wr);
    for (unsigned round = 0; round < 2; round++) { /* callbacks outlive the device */
        libttsim_init();
        map_host_memory();
        libttsim_tile_rd_bytes(19, 24, THROUGH_IATU + 0x123, back, sizeof back);
        ck_assert_mem_eq(back, host_memory + 0x123, sizeof back);
        libttsim_tile_rd_bytes(19, 24, HOST_BASE + 0x123, back, sizeof back); /* past the iATU */
        ck_assert_mem_eq(back, host_memory + 0x123, sizeof back);
        tile_wr(19, 24, THROUGH_IATU + 0x1000, 0xfeedface + round);
        ck_assert_mem_eq(host_memory + 0x1000, round ? "\xcf" : "\xce", 1);
        ck_assert_uint_eq(reported(""), 0);
        libttsim_exit();
    }
    libttsim_init();
    libttsim_set_pci_dma_mem_callbacks(NULL, NULL);
    ck_assert_uint_eq(tile_rd(19, 24, HOST_BASE), UINT32_MAX);
    ck_assert_uint_eq(reported("the host has no memory"), 1);
}

/* --- DMA --- */

TEST(dma_moves_through_windows)
{
    static uint8_t back[0x11000];
    libttsim_init();
    libttsim_set_pci_dma_mem_callbacks(host_rd, host_wr);
    fill_host_memory();
    set_window(6, 0, 17, 12, 0, 0, 0, 0);
    set_window(7, 0x200000 >> 21, 17, 12, 0, 0, 0, 0);
    set_up_dma(TO_DEVICE, HOST_BASE + 0x40, 7 * 0x200000 - 0x800, 0x11000); /* two windows */
    wr(BAR2 + TO_DEVICE + 4, 1);
    ck_assert_uint_eq(rd(BAR2 + TO_DEVICE + 0x1c), 0); /* UMD waits for that */
    libttsim_tile_rd_bytes(17, 12, 0x1ff800, back, sizeof back);
    ck_assert_mem_eq(back, host_memory + 0x40, sizeof back);
    memset(host_memory, 0, sizeof host_memory);
    set_up_dma(TO_HOST, 7 * 0x200000 - 0x800, HOST_BASE + 0x100, 0x3000);
    wr(BAR2 + TO_HOST + 4, 1);
    ck_assert_mem_eq(host_memory + 0x100, back, 0x3000);
    ck_assert_uint_eq(host_memory[0x3100], 0);
    ck_assert_uint_eq(reported(""), 0);
}

TEST(dma_to_nowhere_ends)
{
    static const uint64_t targets[] = {UINT64_C(202) << 21, UINT64_C(0x1fc00000), UINT64_MAX - 64,
                                       UINT64_C(1) << 32, (UINT64_C(202) << 21) - 0x10};
    libttsim_init();
    libttsim_set_pci_dma_mem_callbacks(host_rd, host_wr);
    set_window(201, 0, 1, 2, 0, 0, 0, 0);
    for (unsigned i = 0; i < COUNT(targets); i++) {
        set_up_dma(TO_DEVICE, HOST_BASE, targets[i], 0x100);
        wr(BAR2 + TO_DEVICE + 4, 1);
        ck_assert_uint_eq(rd(BAR2 + TO_DEVICE + 0x1c), 0x100);
    }
    ck_assert_uint_eq(reported("the transfer is aborted"), 1);
}

/* A window onto the registers of the DMA engine, and a transfer that rings its own doorbell. */
TEST(dma_does_not_start_itself)
{
    libttsim_init();
    libttsim_set_pci_dma_mem_callbacks(host_rd, host_wr);
    memset(host_memory, 1, sizeof host_memory);
    set_window(3, UINT64_C(0xf800000000380000) >> 21, 19, 24, 0, 0, 0, 0);
    uint64_t doorbell = 3 * 0x200000 + (0x380000 & 0x1fffff) + TO_DEVICE + 4;
    set_up_dma(TO_DEVICE, HOST_BASE, doorbell, 4);
    wr(BAR2 + TO_DEVICE + 4, 1);
    ck_assert_uint_ge(reported("aborted"), 1);
    tile_wr(1, 2, 0x100, 7); /* all goes on */
    ck_assert_uint_eq(tile_rd(1, 2, 0x100), 7);
}

/* --- Time --- */

/* Runs for a long time without being a polling loop, then stores 1 to 0x400. */
static const char *const long_job[] = {
    "lui a0, 0x40",     "addi a0, a0, -1",    "sw a0, 0x404(zero)", "bne a0, zero, 0x1004",
    "addi a0, zero, 1", "sw a0, 0x400(zero)", "jal zero, 0x1018",   NULL};

/* Polls 0x400 of a tile until it is 1; returns the number of polls. */
static unsigned poll(unsigned x, unsigned y)
{
    unsigned polls = 0;
    while (tile_rd(x, y, 0x400) != 1 && polls < 2000000) {
        libttsim_clock(1);
        polls++;
    }
    ck_assert_uint_eq(tile_rd(x, y, 0x400), 1);
    return polls;
}

/* The job takes 3 * 0x40000 cycles. */
TEST(polls_are_few)
{
    libttsim_init();
    start(1, 2, long_job);
    ck_assert_uint_lt(poll(1, 2), 10 + 3 * 0x40000 / 65536 + 2);
}

/* Cycles that clock(1) takes after a read of 0x400. */
static uint64_t poll_cycles(struct device *device)
{
    uint64_t before_it = penrose_now(device->chip);
    device_get(device, 0x400);
    clock_run(device->machine, 1);
    return penrose_now(device->chip) - before_it;
}

TEST(quantum_grows_while_polling_in_vain)
{
    struct device *device = make_device(NULL);
    start_busy(device, 1, 2);
    device_get(device, 0x480);
    ck_assert_uint_eq(poll_cycles(device), 128); /* the first read is news */
    for (uint64_t cycles = 256; cycles <= 65536; cycles *= 2) {
        ck_assert_uint_eq(poll_cycles(device), cycles);
    }
    ck_assert_uint_eq(poll_cycles(device), 65536);
    device_set(device, 0x500, 1); /* a write */
    ck_assert_uint_eq(poll_cycles(device), 128);
    ck_assert_uint_eq(poll_cycles(device), 256);
    device_get(device, 0x504); /* another place */
    ck_assert_uint_eq(poll_cycles(device), 128);
    device_get(device, 0x504); /* both are known now */
    ck_assert_uint_eq(poll_cycles(device), 256);
    uint32_t page[512];
    device_endpoint_read(device, (struct endpoint){.x = 1, .y = 2, .address = 0x8000},
                         (struct transfer){.to = (uint8_t *)page, .size = sizeof page});
    ck_assert_uint_eq(poll_cycles(device), 128); /* results are being read out */
}

/* Cycles that clock(1) takes after a read from a tile. */
static uint64_t visit_cycles(struct device *device, unsigned x, unsigned y)
{
    uint32_t word;
    uint64_t before_it = penrose_now(device->chip);
    device_endpoint_read(device, (struct endpoint){.x = x, .y = y, .address = 0x800},
                         (struct transfer){.to = (uint8_t *)&word, .size = sizeof word});
    clock_run(device->machine, 1);
    return penrose_now(device->chip) - before_it;
}

TEST(time_is_saved_up_while_the_host_goes_round)
{
    struct device *device = make_device(NULL);
    start_busy(device, 1, 2);
    for (unsigned i = 1; i <= 24; i++) {
        ck_assert_uint_eq(visit_cycles(device, 10 + i % 4, 2 + i / 4), i % 8 == 0 ? 8 * 128 : 0);
    }
    ck_assert_uint_eq(visit_cycles(device, 3, 3), 0);
    uint64_t then = penrose_now(device->chip);
    clock_run(device->machine,
              1000); /* more than its quantum passes at once, what is saved stays saved */
    ck_assert_uint_eq(penrose_now(device->chip) - then, 1024);
    ck_assert_uint_eq(visit_cycles(device, 4, 4), 0);
    device_set(device, 0x500, 1);
    ck_assert_uint_eq(visit_cycles(device, 4, 4), 3 * 128); /* it stays */
}

/* A tile that writes the time to 0x40c and 1 to 0x400 after 300000 cycles or so, and one that keeps
 * busy, so that windows are short. */
static struct device *start_late_change(void)
{
    static const char *const late[] = {
        "lui a1, 0xffb12",      "lui a0, 0x19",       "addi a0, a0, -1",    "sw a0, 0x404(zero)",
        "bne a0, zero, 0x1008", "lw a2, 0x1f0(a1)",   "sw a2, 0x40c(zero)", "addi a0, zero, 1",
        "sw a0, 0x400(zero)",   "sw a1, 0x404(zero)", "addi a1, a1, 1",     "jal zero, 0x1024"};
    struct device *device = make_device(NULL);
    start_busy(device, 2, 2);
    start_lines(device, 1, 2, late, COUNT(late));
    return device;
}

TEST(clock_ends_when_a_polled_value_changes)
{
    struct device *device = start_late_change();
    while (device_get(device, 0x400) != 1) {
        poll_cycles(device);
        ck_assert_uint_lt(penrose_now(device->chip), 1000000);
    }
    ck_assert_uint_ge(device_get(device, 0x40c), 300000);
    ck_assert_uint_le(penrose_now(device->chip) - device_get(device, 0x40c), 1024 + 256);
}

/* --- Requests of tiles --- */

enum niu_request { REQUEST_READ = 0x10, REQUEST_WRITE = 0x12 }; /* NOC_CTRL: with a response */

/* Sets up a request of NIU 0 of tile (1, 2) that moves `size` bytes between its L1 and an address
 * of tile (x, y); what starts it is CMD_CTRL. */
static void set_up_request(struct device *device, enum niu_request request, uint32_t l1, unsigned x,
                           unsigned y, uint64_t address, uint32_t size)
{
    const uint32_t here[3] = {l1, 0, 1 | 2 << 6};
    const uint32_t there[3] = {(uint32_t)address, (uint32_t)(address >> 32), x | y << 6};
    for (uint32_t i = 0; i < 3; i++) { /* TARG_ADDR is where data come from */
        device_set(device, NIU + 4 * i, request == REQUEST_READ ? there[i] : here[i]);
        device_set(device, NIU + 12 + 4 * i, request == REQUEST_READ ? here[i] : there[i]);
    }
    device_set(device, NIU + 0x1c, request);
    device_set(device, NIU + 0x20, size);
}

/* Starts a request from outside, and lets it end. */
static void do_request(struct device *device)
{
    device_set(device, NIU + 0x40, 1);
    clock_run(device->machine, 4096);
    ck_assert_uint_eq(device_get(device, NIU + 0x40), 0);
}

TEST(tiles_reach_host_memory)
{
    struct device *device = make_device(NULL);
    uint8_t back[4096];
    fill_host_memory();
    device->machine->host = (struct host_callbacks){.read = host_rd, .write = host_wr};
    set_up_request(device, REQUEST_READ, 0x4000, 19, 24, HOST_BASE + 0x2000, 4096);
    do_request(device);
    device_endpoint_read(device, (struct endpoint){.x = 1, .y = 2, .address = 0x4000},
                         (struct transfer){.to = back, .size = sizeof back});
    ck_assert_mem_eq(back, host_memory + 0x2000, sizeof back);
    set_up_request(device, REQUEST_WRITE, 0x4000, 19, 24, HOST_BASE + 0x10000, 4096);
    do_request(device);
    ck_assert_mem_eq(back, host_memory + 0x10000, sizeof back);
    ck_assert_uint_eq(reported(""), 0);
    device->machine->host = (struct host_callbacks){0};
    do_request(device);
    ck_assert_uint_eq(reported("the host has no memory"), 1);
}

/* A tile that writes the time to 0x40c and starts the request that is set up, 300000 cycles or so
 * from now, and one that keeps busy. */
static void start_late_request(struct device *device)
{
    static const char *const late[] = {
        "lui a1, 0xffb12",      "lui a0, 0x19",     "addi a0, a0, -1",    "sw a0, 0x404(zero)",
        "bne a0, zero, 0x1008", "lw a2, 0x1f0(a1)", "sw a2, 0x40c(zero)", "lui a3, 0xffb20",
        "addi a0, zero, 1",     "sw a0, 0x40(a3)",  "sw a1, 0x404(zero)", "addi a1, a1, 1",
        "jal zero, 0x1028"};
    device_set(device, 0x480, 0x600df00d);
    start_busy(device, 2, 2);
    start_lines(device, 1, 2, late, COUNT(late));
}

enum { MOST_LATE = 1024 + 256 }; /* requests are under way for a window or two */

TEST(writes_to_host_memory_end_a_call)
{
    struct device *device = make_device(NULL);
    unsigned calls = 0;
    memset(host_memory, 0, sizeof host_memory);
    device->machine->host = (struct host_callbacks){.read = host_rd, .write = host_wr};
    set_up_request(device, REQUEST_WRITE, 0x480, 19, 24, HOST_BASE + 0x80, 4);
    start_late_request(device);
    while (memcmp(host_memory + 0x80, "\x0d\xf0\x0d\x60", 4) != 0) { /* it reads nothing else */
        clock_run(device->machine, 1);
        ck_assert_uint_lt(calls++, 100);
    }
    uint64_t now = penrose_now(device->chip);
    ck_assert_uint_ge(device_get(device, 0x40c), 300000);
    ck_assert_uint_le(now - device_get(device, 0x40c), MOST_LATE);
    ck_assert_uint_eq(reported(""), 0);
}

TEST(polls_of_other_tiles_end_a_call)
{
    static const struct {
        unsigned x, y;
        uint64_t address;
    } places[] = {{17, 12, 0x480}, {18, 23, 0x10000480}, {25, 25, 0x480}, {5, 5, 0x480}};
    for (unsigned i = 0; i < COUNT(places); i++) {
        struct device *device = make_device(NULL);
        struct endpoint endpoint = {
            .x = places[i].x, .y = places[i].y, .address = places[i].address};
        uint32_t word = 0;
        unsigned polls = 0;
        set_up_request(device, REQUEST_WRITE, 0x480, endpoint.x, endpoint.y, endpoint.address, 4);
        start_late_request(device);
        for (; word != 0x600df00d; polls++) {
            clock_run(device->machine, 1);
            device_endpoint_read(device, endpoint,
                                 (struct transfer){.to = (uint8_t *)&word, .size = 4});
            ck_assert_uint_lt(polls, 100);
        }
        uint64_t now = penrose_now(device->chip);
        ck_assert_uint_ge(device_get(device, 0x40c), 300000);
        ck_assert_uint_le(now - device_get(device, 0x40c), MOST_LATE);
        ck_assert_uint_eq(reported(""), 0);
    }
}

/* A hart that sleeps, waiting for a word, on a chip that is quiet: whoever writes the word wakes
 * it, be it through a window, by multicast, or by DMA. */
TEST(no_write_is_missed)
{
    static const char *const waits[] = {"lw a0, 0x500(zero)", "beq a0, zero, 0x1000",
                                        "sw a0, 0x504(zero)", "sw zero, 0x500(zero)",
                                        "jal zero, 0x1000",   NULL};
    libttsim_init();
    libttsim_set_pci_dma_mem_callbacks(host_rd, host_wr);
    start(4, 4, waits);
    set_window(5, 0, 4, 4, 4, 4, 0, 0);
    set_window(6, 0, 4, 4, 3, 3, 0, 1);
    for (uint32_t i = 1; i < 40; i++) {
        libttsim_clock(1 + (i * 7919) % 5000); /* asleep, at some time */
        if (i % 4 == 0) {
            tile_wr(4, 4, 0x500, i);
        } else if (i % 4 == 3) {
            memcpy(host_memory + 0x40, &i, sizeof i);
            set_up_dma(TO_DEVICE, HOST_BASE + 0x40, 5 * 0x200000 + 0x500, 4);
            wr(BAR2 + TO_DEVICE + 4, 1);
        } else {
            wr(BAR0 + (4 + i % 4) * 0x200000 + 0x500, i);
        }
        unsigned polls = 0;
        while (tile_rd(4, 4, 0x504) != i) {
            libttsim_clock(1);
            ck_assert_uint_lt(polls++, 20);
        }
    }
    ck_assert_uint_eq(reported(""), 0);
}

TEST(only_what_is_still_polled_ends_a_call)
{
    struct device *device = start_late_change();
    while (penrose_now(device->chip) < 100000) {
        poll_cycles(device); /* of 0x400 */
    }
    device_set(device, 0x500, 1);
    device_get(device, 0x504);
    clock_run(device->machine, 1);
    for (uint64_t cycles = 256; penrose_now(device->chip) < 600000;) {
        uint64_t then = penrose_now(device->chip);
        device_get(device, 0x504);
        clock_run(device->machine, 1);
        ck_assert_uint_eq(penrose_now(device->chip) - then, cycles);
        cycles = cycles < 65536 ? cycles * 2 : 65536;
    }
}

TEST(clocks_count)
{
    struct device *device = start_late_change();
    clock_run(device->machine, 0);
    ck_assert_uint_eq(penrose_now(device->chip), 0);
    for (unsigned i = 0; i < 5; i++) {
        poll_cycles(device);
    }
    uint64_t then = penrose_now(device->chip);
    clock_run(device->machine, 1000000); /* all of them, whatever changes */
    ck_assert_uint_ge(penrose_now(device->chip), then + 1000000);
    ck_assert_uint_lt(penrose_now(device->chip), then + 1000000 + 128);
    ck_assert_uint_eq(device_get(device, 0x400), 1);
}

TEST(quiet_time_passes_as_asked)
{
    struct device *device = make_device(NULL);
    clock_run(device->machine, 1);
    clock_run(device->machine, UINT32_MAX);
    for (unsigned i = 0; i < 3000; i++) {
        device_get(device, 0x400);
        clock_run(device->machine, 1);
    }
    ck_assert_uint_eq(reported(""), 0); /* all harts are in reset: nobody waits */
    device_set(device, 0x400, 1);       /* the time that is owed passes now */
    ck_assert_uint_ge(penrose_now(device->chip), UINT64_C(3001) + UINT32_MAX);
    ck_assert_uint_lt(penrose_now(device->chip), UINT64_C(3001) + UINT32_MAX + 128);
    uint32_t then = device_get(device, WALL_CLOCK);
    clock_run(device->machine, 10000);
    uint32_t elapsed = device_get(device, WALL_CLOCK) - then;
    ck_assert_uint_ge(elapsed, 10000);
    ck_assert_uint_lt(elapsed, 10128);
    start_busy(device, 1, 2); /* it is not quiet for ever */
    clock_run(device->machine, 1000);
    ck_assert_uint_gt(device_get(device, 0x404), 100);
}

/* A debugger's command finds done what the one before it asked for; other writes take no time. */
TEST(time_passes_between_debugger_commands)
{
    static const uint32_t registers[] = {0x000, 0x054, 0x080, 0x084, 0x0fc},
                          others[] = {0x100, 0x1f8};
    struct device *device = make_device(NULL);
    start_busy(device, 1, 2);
    for (unsigned i = 0; i < 30; i++) {
        (void)device_get(device, 0x500);
        clock_run(device->machine, 1);
    }
    for (unsigned i = 0; i < COUNT(registers); i++) {
        uint32_t then = device_get(device, WALL_CLOCK), counted = device_get(device, 0x404);
        device_set(device, UINT64_C(0xffb12000) + registers[i], 0);
        ck_assert_uint_eq(device_get(device, WALL_CLOCK) - then, 512);
        ck_assert_uint_gt(device_get(device, 0x404), counted);
    }
    for (unsigned i = 0; i < COUNT(others); i++) {
        uint32_t then = device_get(device, WALL_CLOCK);
        device_set(device, UINT64_C(0xffb12000) + others[i], 0);
        ck_assert_uint_eq(device_get(device, WALL_CLOCK), then);
    }
}

TEST(run_ahead_is_adjustable)
{
    struct device *device = make_device("0");
    start_busy(device, 1, 2);
    for (unsigned i = 0; i < 1280; i++) {
        clock_run(device->machine, 1);
    }
    ck_assert_uint_eq(penrose_now(device->chip), 1280);
    device = make_device("512:1024");
    start_busy(device, 1, 2);
    device_get(device, 0x480);
    ck_assert_uint_eq(poll_cycles(device), 512);
    ck_assert_uint_eq(poll_cycles(device), 1024);
    ck_assert_uint_eq(poll_cycles(device), 1024);
    device = make_device("4096");
    ck_assert_uint_eq(device->machine->run_ahead.first, 128);
    ck_assert_uint_eq(device->machine->run_ahead.most, 4096);
    static const char *const wrong[] = {"x",    "-5", "12 ", "5:", "10:5", "0:5", "99999999999999",
                                        "1:2:3"};
    for (unsigned i = 0; i < COUNT(wrong); i++) {
        device = make_device(wrong[i]);
        ck_assert_uint_eq(device->machine->run_ahead.first, 128);
        ck_assert_uint_eq(device->machine->run_ahead.most, 65536);
        device_first_use(device);
        ck_assert_uint_eq(reported("PENROSE_RUN_AHEAD"), i + 1);
    }
}

/* --- Faults --- */

TEST(guest_fault_is_reported_and_survived)
{
    static const char *const bad[] = {"lui a0, 0x200", "sw a0, 4(a0)", "jal zero, 0x1008", NULL};
    static const char *const good[] = {"addi a0, zero, 1", "sw a0, 0x400(zero)", "jal zero, 0x1008",
                                       NULL};
    libttsim_init();
    tile_wr(5, 6, 0x800, 0xabcd);
    start(5, 6, bad);
    libttsim_clock(1000);
    libttsim_clock(UINT32_MAX); /* at once */
    ck_assert_uint_eq(reported("unmapped-address: tile (5, 6) brisc"), 1);
    ck_assert_uint_eq(tile_rd(5, 6, 0x800), 0xabcd);
    uint32_t then = tile_rd(6, 6, WALL_CLOCK);
    libttsim_clock(1000);
    ck_assert_uint_ge(tile_rd(6, 6, WALL_CLOCK) - then, 1000); /* time goes on elsewhere */
    tile_wr(5, 6, SOFT_RESET, ALL_HELD);
    start(5, 6, good);
    ck_assert_uint_lt(poll(5, 6), 10);
    ck_assert_uint_eq(reported("unmapped-address"), 1);
    tile_wr(5, 6, SOFT_RESET, ALL_HELD);
    start(5, 6, bad);
    libttsim_clock(1000);
    ck_assert_uint_eq(reported("unmapped-address: tile (5, 6) brisc"), 2); /* at another cycle */
}

/* The time of a call that was saved up passes before the end, and with it what goes wrong then. */
TEST(nothing_is_lost_at_the_end)
{
    static const char *const bad[] = {"lui a0, 0x200", "sw a0, 4(a0)", "jal zero, 0x1008", NULL};
    libttsim_init();
    tile_rd(1, 2, 0x800); /* the host goes round */
    start(5, 6, bad);
    libttsim_clock(10);
    libttsim_exit();
    ck_assert_uint_eq(reported("unmapped-address: tile (5, 6) brisc"), 1);
}

TEST(deadlock_is_reported)
{
    static const char *const waits[] = {"lw a0, 0x408(zero)", "beq a0, zero, 0x1000", NULL};
    libttsim_init();
    start(7, 7, waits);
    for (unsigned i = 0; i < 1500; i++) {
        tile_rd(7, 7, 0x400);
        libttsim_clock(1);
    }
    ck_assert_uint_eq(reported("nothing can happen any more"), 1);
    ck_assert_uint_eq(reported("tile (7, 7) brisc"), 1);
}
