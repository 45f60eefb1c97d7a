/*
 * The built library as a client has it: loaded with dlopen, driven as UMD drives it, unloaded, as
 * two copies, over fork. The library is .libs/libttsim.so of the build directory ($builddir) or
 * the one that LIBTTSIM names.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "abi/client.h"
#include "unit/test.h"

FIXTURE(client_silence, NULL);

static unsigned count_threads(void)
{
    return client_count_entries("/proc/self/task");
}

static bool is_mapped(const char *name)
{
    char line[4096];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(maps);
    while (fgets(line, sizeof line, maps)) {
        found |= strstr(line, name) != NULL;
    }
    fclose(maps);
    return found;
}

/* --- The sequence of a device open --- */

static void hold(struct client *client, unsigned x, unsigned y)
{
    client_write_word(client, x, y, SOFT_RESET, ALL_HELD);
}

static void fill_l1(struct client *client, unsigned x, unsigned y)
{
    static uint8_t core_info[416], names[256], table[520], launch[1152];
    memset(launch, 0x5a, sizeof launch);
    client_write_tile(client, x, y, 0x530, core_info, sizeof core_info);
    client_write_tile(client, x, y, 0xad0, names, sizeof names);
    client_write_tile(client, x, y, 0x13080, table, 32);
    client_write_tile(client, x, y, 0x130a0, table, sizeof table);
    client_write_tile(client, x, y, 0x13880, table, 16);
    client_write_tile(client, x, y, 0x70, launch, sizeof launch);
    client_load_firmware(client, x, y);
}

static void release(struct client *client, unsigned x, unsigned y)
{
    ck_assert_uint_eq(client_read_word(client, x, y, SOFT_RESET), ALL_HELD);
    client_write_word(client, x, y, SOFT_RESET, BRISC_RUNS);
}

static void wait_until_done(struct client *client, unsigned x, unsigned y)
{
    unsigned polls = 0;
    while (client_read_word(client, x, y, GO_MESSAGE) != 0) {
        ck_assert_uint_lt(polls++, 1000);
    }
}

static void boot(struct client *client)
{
    client_each_worker(client, hold);
    client_each_worker(client, hold);
    client_each_worker(client, fill_l1);
    client_each_worker(client, release);
    client_each_worker(client, wait_until_done);
}

/* Has a tile add two numbers. */
static uint32_t add(struct client *client, unsigned x, unsigned y, uint32_t a, uint32_t b)
{
    client_write_word(client, x, y, 0x100, a);
    client_write_word(client, x, y, 0x104, b);
    client_write_word(client, x, y, GO_MESSAGE, UINT32_C(0x80) << 24);
    wait_until_done(client, x, y);
    return client_read_word(client, x, y, 0x108);
}

static void add_coordinates(struct client *client, unsigned x, unsigned y)
{
    ck_assert_uint_eq(add(client, x, y, 1000 * x, y), 1000 * x + y);
}

static void shut(struct client *client, unsigned x, unsigned y)
{
    client_read_word(client, x, y, SOFT_RESET);
    client_write_word(client, x, y, SOFT_RESET, ALL_HELD);
}

static void probe(struct client *client)
{
    client->init();
    ck_assert_uint_eq(client->config_read(0, 0), 0xb1401e52);
    for (uint32_t bdf = 8; bdf < 0x100; bdf += 8) {
        ck_assert_uint_eq(client->config_read(bdf, 0), UINT32_MAX);
    }
    client->exit();
}

TEST(umd_opens_and_closes)
{
    for (unsigned round = 0; round < 2; round++) {
        struct client client;
        client_load(&client);
        probe(&client);
        client_unload(&client);
        ck_assert(!is_mapped("libttsim.so"));
        client_load_copy(&client);
        ck_assert(client_open(&client));
        boot(&client);
        ck_assert_uint_lt(client.reads, 1000); /* ttsim: 6176 */
        client_each_worker(&client, add_coordinates);
        client_each_worker(&client, shut);
        client_close_and_unload(&client);
        ck_assert(!is_mapped("memfd:libttsim"));
        ck_assert_uint_eq(count_threads(), 1);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

TEST(idle_time_costs_nothing)
{
    struct client client;
    double best = 1;
    client_load_and_open(&client);
    boot(&client);
    for (unsigned i = 0; i < 10; i++) {
        double start = seconds();
        client.clock(1000000);
        client_write_word(&client, 1, 2, 0x200, i); /* at the latest now the time passes */
        double taken = seconds() - start;
        best = taken < best ? taken : best;
    }
    ck_assert_msg(best < 1e-3, "clock(1000000) takes %g s", best);
    client_close_and_unload(&client);
}

TEST(multicast_starts_all_tiles)
{
    struct client client;
    static const uint32_t words[] = {700, 11}, go = UINT32_C(0x80) << 24;
    client_load_and_open(&client);
    boot(&client);
    client_set_multicast(&client, 3, 0, 1, 2, 16, 11, 0);
    client.write(client.bar0 + 3 * 0x200000 + 0x100, words, sizeof words);
    client.write(client.bar0 + 3 * 0x200000 + GO_MESSAGE, &go, sizeof go);
    client_each_worker(&client, wait_until_done);
    ck_assert_uint_eq(client_read_word(&client, 1, 2, 0x108), 711);
    ck_assert_uint_eq(client_read_word(&client, 16, 11, 0x108), 711);
    ck_assert_uint_eq(client_read_word(&client, 7, 6, 0x108), 711);
    client_close_and_unload(&client);
}

/* --- Copies, rounds, fork --- */

TEST(two_copies_know_nothing_of_each_other)
{
    struct client a, b;
    client_load(&a);
    client_load_copy(&b);
    ck_assert(a.library != b.library);
    ck_assert(client_open(&a));
    boot(&a);
    ck_assert_uint_eq(b.config_read(0, 0), UINT32_MAX); /* it has no device yet */
    ck_assert(client_open(&b));
    ck_assert_uint_eq(client_read_word(&b, 1, 2, 0x3ae0), 0);
    boot(&b);
    client_write_word(&a, 1, 2, 0x200, 1);
    client_write_word(&b, 1, 2, 0x200, 2);
    ck_assert_uint_eq(client_read_word(&a, 1, 2, 0x200), 1);
    ck_assert_uint_eq(add(&b, 4, 4, 3, 4), 7);
    client_close_and_unload(&a);
    ck_assert_uint_eq(client_read_word(&b, 1, 2, 0x200), 2);
    ck_assert_uint_eq(add(&b, 4, 4, 30, 4), 34);
    client_close_and_unload(&b);
}

TEST(every_init_gives_a_new_device)
{
    struct client client;
    client_load(&client);
    for (uint32_t i = 0; i < 50; i++) {
        ck_assert(client_open(&client));
        ck_assert_uint_eq(client_read_word(&client, 2, 3, 0x300), 0);
        client_write_word(&client, 2, 3, 0x300, 7);
        ck_assert_uint_eq(client_read_word(&client, 2, 3, 0x300), 7);
        client_load_firmware(&client, 2, 3);
        client_write_word(&client, 2, 3, SOFT_RESET, BRISC_RUNS);
        wait_until_done(&client, 2, 3);
        ck_assert_uint_eq(add(&client, 2, 3, i, i), 2 * i);
        client_close(&client);
    }
    client_unload(&client);
}

TEST(fork_copies_the_device)
{
    struct client client;
    int status = 0;
    client_load_and_open(&client);
    boot(&client);
    pid_t child = fork();
    if (child == 0) {
        bool is_right = add(&client, 3, 3, 1, 2) == 3;
        client_write_word(&client, 3, 3, 0x200, 9);
        client_close(&client);
        _exit(is_right ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_uint_eq(client_read_word(&client, 3, 3, 0x200), 0x5a5a5a5a);
    ck_assert_uint_eq(client_read_word(&client, 3, 3, 0x108), 0x5a5a5a5a);
    ck_assert_uint_eq(add(&client, 3, 3, 10, 2), 12);
    client_close_and_unload(&client);
}

/* --- Threads --- */

static unsigned boot_and_count(struct client *client)
{
    ck_assert(client_open(client));
    boot(client);
    client_each_worker(client, add_coordinates);
    return client->reads;
}

static void try_in_child(struct client *client)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        bool is_right = true;
        for (unsigned x = 1; x < 8; x++) { /* has all tiles run */
            is_right &= add(client, x, 3, x, 2) == x + 2;
        }
        is_right &= count_threads() <= 4;
        client_close(client);
        _exit(is_right && count_threads() == 1 ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

/* Threads change nothing, and none is left: after exit, in a child that forked in between, and when
 * the library is unloaded without exit. */
TEST(threads_leave_nothing)
{
    unsigned reads = 0;
    for (unsigned round = 0; round < 6; round++) {
        struct client client;
        setenv("PENROSE_THREADS", round == 0 ? "1" : round == 5 ? "7" : "4", 1);
        client_load(&client);
        unsigned count = boot_and_count(&client);
        ck_assert_uint_eq(count_threads(), round == 0 ? 1 : round == 5 ? 7 : 4);
        ck_assert(round == 0 || count == reads);
        reads = count;
        if (round == 2 || round == 3) {
            try_in_child(&client);
            client_each_worker(&client, add_coordinates);
        }
        if (round != 4) {
            client_close(&client);
            ck_assert_uint_eq(count_threads(), 1);
        }
        client_unload(&client);
        ck_assert_uint_eq(count_threads(), 1);
        ck_assert(!is_mapped("libttsim.so"));
    }
}

/* --- Tiles of other kinds --- */

static uint8_t sysmem[0x10000];

static void sysmem_read(uint64_t paddr, void *p, uint32_t size)
{
    ck_assert(paddr >= SYSMEM && paddr + size <= SYSMEM + sizeof sysmem);
    memcpy(p, sysmem + (paddr - SYSMEM), size);
}

static void sysmem_write(uint64_t paddr, const void *p, uint32_t size)
{
    ck_assert(paddr >= SYSMEM && paddr + size <= SYSMEM + sizeof sysmem);
    memcpy(sysmem + (paddr - SYSMEM), p, size);
}

/* Each bank is reached through its three tiles; banks differ. */
TEST(dram_has_eight_banks)
{
    struct client client;
    client_load_and_open(&client);
    for (unsigned bank = 0; bank < 8; bank++) {
        client_write_word(&client, 17 + bank / 4, 12 + 3 * (bank % 4), 0xc0001000, 0xd0 + bank);
    }
    for (unsigned tile = 0; tile < 24; tile++) {
        ck_assert_uint_eq(client_read_word(&client, 17 + tile / 12, 12 + tile % 12, 0xc0001000),
                          0xd0 + tile / 3);
    }
    client_close_and_unload(&client);
}

/* Opens with callbacks, as UMD has them set before init. */
static void open_with_sysmem(struct client *client)
{
    client_load_and_open(client);
    client->set_callbacks(sysmem_read, sysmem_write);
}

TEST(the_device_reaches_sysmem)
{
    static const uint64_t through_iatu = UINT64_C(0x1000000000000000);
    struct client client;
    uint8_t back[1000];
    for (unsigned i = 0; i < sizeof sysmem; i++) {
        sysmem[i] = (uint8_t)(i * 11 + (i >> 8));
    }
    open_with_sysmem(&client);
    client_read_tile(&client, 19, 24, through_iatu + 0x321, back, sizeof back);
    ck_assert_mem_eq(back, sysmem + 0x321, sizeof back);
    client_write_word(&client, 19, 24, through_iatu + 0x8000, 0x12345678);
    ck_assert_mem_eq(sysmem + 0x8000, "\x78\x56\x34\x12", 4);
    client_close_and_unload(&client);
}

/* UMD's transfer to the device: size, source, target, doorbell, then it waits for a size of 0. */
TEST(dma_writes_to_the_device)
{
    static const uint32_t registers[] = {0x1c, 0x20, 0x24, 0x28, 0x2c, 0x04};
    const uint32_t values[] = {0x4000, SYSMEM & UINT32_MAX, SYSMEM >> 32, 3 * 0x200000, 0, 1};
    static uint8_t back[0x4000];
    struct client client;
    uint32_t on = 1, left = 1;
    for (unsigned i = 0; i < sizeof sysmem; i++) {
        sysmem[i] = (uint8_t)(i * 13);
    }
    open_with_sysmem(&client);
    client_set_window(&client, 3, 4, 4, 0);
    client.write(client.bar2 + 0x100, &on, 4);
    for (unsigned i = 0; i < 6; i++) {
        client.write(client.bar2 + 0x100 + registers[i], &values[i], 4);
    }
    client.read(client.bar2 + 0x11c, &left, 4);
    ck_assert_uint_eq(left, 0);
    client_read_tile(&client, 4, 4, 0, back, sizeof back);
    ck_assert_mem_eq(back, sysmem, sizeof back);
    client_close_and_unload(&client);
}

TEST(start_up_is_fast)
{
    struct client client;
    double best = 1;
    client_load(&client);
    for (unsigned i = 0; i < 10; i++) {
        double start = seconds();
        ck_assert(client_open(&client)); /* and what UMD looks at: ARC and all Ethernet tiles */
        double taken = seconds() - start;
        best = taken < best ? taken : best;
        client_close(&client);
    }
    ck_assert_msg(best < 5e-3, "opening takes %g s", best);
    client_unload(&client);
}

/* Pages of the BARs without anything in them answer; so do coordinates without a tile. */
TEST(nothing_there_reads_all_ones)
{
    static const uint32_t offsets[] = {0x19400000, 0x1fbffffc, 0x1fc00a58,
                                       0x1fd06000, 0x1fe00000, 0x1ffffffc};
    struct client client;
    client_load_and_open(&client);
    for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        ck_assert_uint_eq(client_bar0_word(&client, offsets[i]), UINT32_MAX);
    }
    ck_assert_uint_eq(client_read_word(&client, 40, 40, 0), UINT32_MAX);
    ck_assert_uint_eq(client_read_word(&client, 17, 12, UINT64_C(0x400000000)), UINT32_MAX);
    client_write_word(&client, 1, 2, 0x200, 5);
    ck_assert_uint_eq(client_read_word(&client, 1, 2, 0x200), 5);
    client_close_and_unload(&client);
}

/* --- Repetition --- */

/* The same calls give the same polls and the same values. */
TEST(runs_repeat)
{
    unsigned reads[2];
    for (unsigned i = 0; i < 2; i++) {
        struct client client;
        client_load_and_open(&client);
        boot(&client);
        client_each_worker(&client, add_coordinates);
        reads[i] = client.reads;
        client_close_and_unload(&client);
    }
    ck_assert_uint_eq(reads[0], reads[1]);
}

/* --- Exports and output --- */

TEST(the_multi_chip_interface_is_absent)
{
    static const char *const names[] = {"libttsim_create_device_by_id",
                                        "libttsim_select_device_by_id", "libttsim_pci_config_wr32",
                                        "penrose_chip_create", "device_create"};
    struct client client;
    client_load(&client);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        dlerror();
        ck_assert_msg(!dlsym(client.library, names[i]), "%s is exported", names[i]);
    }
    client_unload(&client);
}

TEST(stdout_is_left_alone)
{
    static const uint32_t illegal = UINT32_C(0xffffffff);
    struct client client;
    int kept = dup(STDOUT_FILENO), file = memfd_create("stdout", MFD_CLOEXEC);
    fflush(stdout);
    ck_assert_int_ge(dup2(file, STDOUT_FILENO), 0);
    client_load(&client);
    client.clock(1);
    client.exit();
    ck_assert(client_open(&client));
    client_read_word(&client, 17, 12, 0);
    client_bar0_word(&client, 0x19400000);
    client_write_tile(&client, 1, 2, 0, &illegal, sizeof illegal);
    client_write_word(&client, 1, 2, SOFT_RESET, BRISC_RUNS);
    client.clock(1000); /* a guest fault */
    client_write_word(&client, 1, 2, 0x200, 5);
    ck_assert_uint_eq(client_read_word(&client, 1, 2, 0x200), 5);
    client_close_and_unload(&client);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    ck_assert_int_eq(lseek(file, 0, SEEK_END), 0);
}
