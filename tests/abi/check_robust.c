/*
 * The built library under clients that do what they should not: many times, at once, over fork and
 * signals, at addresses where nothing is. What it must not do: end or block its process, leave
 * anything behind, mix devices up. As check_client.c, it takes the library that LIBTTSIM names or
 * .libs/libttsim.so of the build directory.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/client.h"
#include "abi/throwing.h"
#include "unit/sanitized.h"
#include "unit/test.h"

FIXTURE(client_silence, NULL);
TESTS_ALWAYS_FORK; /* what a process has left is counted */

/* What memory may grow by. AddressSanitizer keeps for a while what was freed, and looks for leaks
 * itself. */
enum { SMALL_KIB = SANITIZED ? 1 << 20 : 4096 };

/* --- What a process has --- */

/* Resident memory in KiB. */
static long resident(void)
{
    char line[256];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "VmRSS:", 6) == 0) {
            kib = strtol(line + 6, NULL, 10);
        }
    }
    fclose(file);
    return kib;
}

struct belongings {
    unsigned threads, files;
    long kib;
};

static struct belongings look(void)
{
    malloc_trim(0); /* what was freed does not count */
    return (struct belongings){.threads = client_count_entries("/proc/self/task"),
                               .files = client_count_entries("/proc/self/fd"),
                               .kib = resident()};
}

static void expect_no_more_than(const struct belongings *before)
{
    struct belongings now = look();
    ck_assert_uint_eq(now.threads, before->threads);
    ck_assert_uint_eq(now.files, before->files);
    ck_assert_msg(now.kib < before->kib + SMALL_KIB, "%ld KiB have become %ld", before->kib,
                  now.kib);
}

/* --- A little work --- */

static void start(struct client *client, unsigned x, unsigned y)
{
    client_write_word(client, x, y, SOFT_RESET, ALL_HELD);
    client_load_firmware(client, x, y);
    client_write_word(client, x, y, SOFT_RESET, BRISC_RUNS);
}

static bool is_done(struct client *client, unsigned x, unsigned y)
{
    for (unsigned polls = 0; polls < 10000; polls++) {
        if (client_read_word(client, x, y, GO_MESSAGE) == 0) {
            return true;
        }
    }
    return false;
}

/* Has a tile that was started add two numbers. */
static bool adds(struct client *client, unsigned x, unsigned y, uint32_t a, uint32_t b)
{
    if (!is_done(client, x, y)) {
        return false;
    }
    client_write_word(client, x, y, 0x100, a);
    client_write_word(client, x, y, 0x104, b);
    client_write_word(client, x, y, GO_MESSAGE, UINT32_C(0x80) << 24);
    return is_done(client, x, y) && client_read_word(client, x, y, 0x108) == a + b;
}

static bool works(struct client *client, unsigned x, unsigned y)
{
    start(client, x, y);
    return adds(client, x, y, 1000 * x, y);
}

static void use_many_tiles(struct client *client)
{
    for (unsigned x = 1; x <= 7; x++) {
        start(client, x, 4);
    }
    for (unsigned x = 1; x <= 7; x++) {
        ck_assert(adds(client, x, 4, x, 7));
    }
}

static void fault(struct client *client, unsigned x, unsigned y)
{
    client_write_word(client, x, y, SOFT_RESET, ALL_HELD);
    client_write_word(client, x, y, 0, UINT32_MAX);
    client_write_word(client, x, y, SOFT_RESET, BRISC_RUNS);
    client->clock(1000);
}

/* --- Again and again --- */

static void load_use_unload(bool exits)
{
    struct client client;
    client_load_and_open(&client);
    use_many_tiles(&client);
    fault(&client, 2, 4);
    if (exits) {
        client_close(&client);
    }
    client_unload(&client);
}

static void repeat_loading(bool exits)
{
    load_use_unload(exits); /* the C library has what it keeps for ever */
    load_use_unload(exits);
    struct belongings before = look();
    for (unsigned i = 0; i < 40; i++) {
        load_use_unload(exits);
    }
    expect_no_more_than(&before);
}

TEST(loading_leaves_nothing)
{
    repeat_loading(true);
    repeat_loading(false);
}

TEST(loading_with_threads_leaves_nothing)
{
    setenv("PENROSE_THREADS", "2", 1);
    repeat_loading(true);
    repeat_loading(false);
}

TEST(opening_leaves_nothing)
{
    struct client client;
    client_load(&client);
    struct belongings before = {0};
    for (unsigned i = 0; i < 60; i++) {
        ck_assert(client_open(&client));
        use_many_tiles(&client);
        fault(&client, 2, 4);
        client_close(&client);
        if (i == 2) {
            before = look();
        }
    }
    expect_no_more_than(&before);
    client_unload(&client);
}

/* With a trace and a summary, which have files. */
TEST(files_are_closed)
{
    char name[] = P_tmpdir "/check_robust_XXXXXX";
    int fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    close(fd);
    setenv("PENROSE_TRACE", name, 1);
    setenv("PENROSE_SUMMARY", name, 1);
    load_use_unload(true);
    struct belongings before = look();
    load_use_unload(true);
    load_use_unload(false);
    expect_no_more_than(&before);
    unlink(name);
}

/* --- Fork --- */

/* True when the child has ended with success; its work is done by `act`. */
static bool in_child(struct client *client, bool (*act)(struct client *client))
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(act(client) ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status == 0;
}

static bool child_uses(struct client *client)
{
    bool is_right = adds(client, 1, 4, 5, 6) && works(client, 3, 8);
    client_close(client);
    return is_right && client_count_entries("/proc/self/task") == 1;
}

static bool child_only_exits(struct client *client)
{
    client_close(client);
    return true;
}

static bool child_opens_anew(struct client *client)
{
    client_close(client);
    bool is_right = client_open(client) && works(client, 3, 8);
    client_close(client);
    return is_right;
}

static bool child_does_nothing(struct client *client)
{
    (void)client;
    return true;
}

static bool child_forks(struct client *client)
{
    return in_child(client, child_uses) && in_child(client, child_only_exits) && child_uses(client);
}

static void fork_in_the_middle(void)
{
    static bool (*const acts[])(struct client * client) = {
        child_uses, child_only_exits, child_opens_anew, child_does_nothing, child_forks};
    struct client client;
    client_load_and_open(&client);
    use_many_tiles(&client);
    for (unsigned i = 0; i < sizeof acts / sizeof *acts; i++) {
        ck_assert_msg(in_child(&client, acts[i]), "act %u", i);
        ck_assert(adds(&client, 1, 4, i, 1));
        ck_assert(works(&client, 3 + i, 8));
    }
    client_close_and_unload(&client);
    ck_assert_uint_eq(client_count_entries("/proc/self/task"), 1);
    ck_assert(in_child(NULL, child_does_nothing)); /* nobody is called who was unloaded */
}

TEST(forks_between_open_and_close)
{
    fork_in_the_middle();
    setenv("PENROSE_THREADS", "2", 1);
    fork_in_the_middle();
}

TEST(processes_run_at_once)
{
    enum { PROCESSES = 4 };
    pid_t child[PROCESSES];
    for (unsigned i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            struct client client;
            bool is_right = true;
            client_load(&client);
            for (unsigned round = 0; round < 3; round++) {
                is_right &= client_open(&client);
                is_right &= works(&client, 1 + i, 2 + round);
                client_close(&client);
            }
            client_unload(&client);
            _exit(is_right ? 0 : 1);
        }
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status = 1;
        ck_assert_int_eq(waitpid(child[i], &status, 0), child[i]);
        ck_assert_int_eq(status, 0);
    }
}

/* --- Threads --- */

struct worker {
    struct client client;
    unsigned window, x;
    bool is_right, *stop;
};

/* Writes and reads back through a window of its own. */
static void *write_and_read(void *context)
{
    struct worker *worker = context;
    struct client *client = &worker->client;
    uint64_t at = client->bar0 + worker->window * UINT64_C(0x200000) + 0x8000;
    worker->is_right = true;
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t back = 0, value = i * worker->x;
        client->write(at + 4 * (i % 64), &value, 4);
        client->read(at + 4 * (i % 64), &back, 4);
        client->clock(i % 7 == 0);
        worker->is_right &= back == value;
    }
    return NULL;
}

/* Two threads use one device: calls wait for each other. */
TEST(threads_share_a_device)
{
    struct worker worker[2];
    pthread_t thread[2];
    client_load_and_open(&worker[0].client);
    use_many_tiles(&worker[0].client);
    for (unsigned i = 0; i < 2; i++) {
        client_set_window(&worker[0].client, 10 + i, 10 + i, 5, 0);
    }
    worker[1] = worker[0];
    for (unsigned i = 0; i < 2; i++) {
        worker[i].window = worker[i].x = 10 + i;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, write_and_read, &worker[i]), 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        ck_assert(worker[i].is_right);
    }
    ck_assert(adds(&worker[0].client, 3, 4, 3, 4));
    client_close_and_unload(&worker[0].client);
}

static void *open_and_work(void *context)
{
    struct worker *worker = context;
    worker->is_right = true;
    for (unsigned round = 0; round < 10; round++) {
        worker->is_right &= client_open(&worker->client);
        worker->is_right &= works(&worker->client, worker->x, 6);
        fault(&worker->client, worker->x, 7);
        worker->is_right &= works(&worker->client, worker->x, 7);
        client_close(&worker->client);
    }
    return NULL;
}

/* Two copies, a thread each: nothing is shared. */
TEST(copies_run_at_once)
{
    struct worker worker[2];
    pthread_t thread[2];
    client_load(&worker[0].client);
    client_load_copy(&worker[1].client);
    for (unsigned i = 0; i < 2; i++) {
        worker[i].x = 3 + i;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, open_and_work, &worker[i]), 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        ck_assert(worker[i].is_right);
        client_unload(&worker[i].client);
    }
}

static void *keep_busy(void *context)
{
    struct worker *worker = context;
    while (!__atomic_load_n(worker->stop, __ATOMIC_RELAXED)) {
        worker->client.clock(1000);
    }
    return NULL;
}

/* A child that is forked while another thread is in a call finds a device that is whole. */
TEST(forks_while_a_call_is_under_way)
{
    struct worker worker;
    pthread_t thread;
    bool stop = false;
    client_load_and_open(&worker.client);
    use_many_tiles(&worker.client);
    worker.stop = &stop;
    ck_assert_int_eq(pthread_create(&thread, NULL, keep_busy, &worker), 0);
    for (unsigned i = 0; i < 20; i++) {
        ck_assert(in_child(&worker.client, child_uses));
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    client_close_and_unload(&worker.client);
}

/* --- Signals and callbacks --- */

static struct client signalled;
static volatile sig_atomic_t alarms, unanswered, handler_calls;

/* A handler should not call the library; within a call it gets no answer. */
static void on_alarm(int number)
{
    uint32_t word = 0;
    int error = errno;
    (void)number;
    alarms++;
    if (handler_calls) {
        signalled.read(signalled.bar0 + 0x7fc, &word, 4);
        unanswered += word == UINT32_MAX;
    }
    errno = error;
}

static void work_under_signals(void)
{
    const struct sigaction action = {.sa_handler = on_alarm};
    const struct itimerval often = {.it_interval.tv_usec = 500, .it_value.tv_usec = 500};
    const struct itimerval never = {{0, 0}, {0, 0}};
    client_load_and_open(&signalled);
    client_set_window(&signalled, 0, 10, 9, 0); /* the work uses another */
    on_alarm(0);                                /* the tile is there: no memory is needed later */
    alarms = 0;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
    for (unsigned round = 0; round < 300 || (alarms < 20 && round < 30000); round++) {
        unsigned x = 1 + round % 7;
        start(&signalled, x, 4);
        ck_assert(adds(&signalled, x, 4, round, x));
    }
    setitimer(ITIMER_PROF, &never, NULL);
    ck_assert_int_ge(alarms, 20);
    client_close_and_unload(&signalled);
}

TEST(signals_do_no_harm)
{
    handler_calls = 0;
    work_under_signals();
    handler_calls = 1;
    work_under_signals();
    setenv("PENROSE_THREADS", "2", 1); /* the library's own threads take no signals */
    work_under_signals();
}

static unsigned callbacks;

static void nested_read(uint64_t paddr, void *p, uint32_t size)
{
    uint32_t word = 0;
    (void)paddr;
    signalled.clock(1);
    signalled.write(signalled.bar0, &word, 4);
    signalled.read(signalled.bar0, &word, 4);
    ck_assert_uint_eq(word, UINT32_MAX);
    signalled.exit();
    signalled.init();
    ck_assert_uint_eq(signalled.config_read(0, 0), UINT32_MAX);
    callbacks++;
    memset(p, 0x42, size);
}

/* A callback that calls back gets no answer, and the device goes on. */
TEST(callbacks_may_not_call_back)
{
    uint32_t word = 0;
    client_load_and_open(&signalled);
    signalled.set_callbacks(nested_read, NULL);
    client_read_tile(&signalled, 19, 24, UINT64_C(0x1000000000000000), &word, 4);
    ck_assert_uint_eq(word, 0x42424242);
    ck_assert_uint_eq(callbacks, 1);
    ck_assert(works(&signalled, 5, 5));
    client_close_and_unload(&signalled);
}

static void *work_elsewhere(void *context)
{
    return works(context, 6, 5) ? context : NULL;
}

/* Nobody answers then, and the device goes on, for other threads too. */
TEST_EACH(callbacks_may_throw, 2)
{
    const uint64_t host_memory = UINT64_C(0x1000000000000000);
    setenv("PENROSE_THREADS", _i ? "3" : "1", 1);
    client_load_and_open(&signalled);
    signalled.set_callbacks(throwing_read, throwing_write);
    for (unsigned round = 0; round < 3; round++) {
        uint32_t word = 0;
        pthread_t thread;
        void *worked;
        client_read_tile(&signalled, 19, 24, host_memory, &word, 4);
        ck_assert_uint_eq(word, UINT32_MAX);
        client_write_tile(&signalled, 19, 24, host_memory, &word, 4);
        ck_assert(works(&signalled, 5, 5));
        ck_assert_int_eq(pthread_create(&thread, NULL, work_elsewhere, &signalled), 0);
        ck_assert_int_eq(pthread_join(thread, &worked), 0);
        ck_assert_ptr_eq(worked, &signalled);
    }
    client_close_and_unload(&signalled);
}

/* Until an exception is caught, but not for ever. */
static void poll_hung_tile(struct client *client, bool catches, const char *wanted)
{
    char text[200] = "";
    uint32_t word;
    for (unsigned i = 0; i < 1100 && !*text; i++) {
        client->tile_read(1, 2, 0x8000, &word, 4); /* no window is set up, which were progress */
        if (catches) {
            catching_clock(client->clock, text, sizeof text);
        } else {
            client->clock(1);
        }
    }
    ck_assert_msg(*wanted ? strstr(text, wanted) != NULL : !*text, "caught '%s'", text);
}

/* A wait in vain ends with an exception where somebody can catch it, again and again, and the library
 * can be used after it. */
TEST_EACH(hangs_may_throw, 2)
{
    const uint32_t jump_to_itself = 0x6f, held = 0x47800, released = 0x47000;
    struct client client;
    setenv("PENROSE_ON_HANG", _i ? "report" : "throw", 1);
    client_load_and_open(&client);
    client_write_tile(&client, 1, 2, 0, &jump_to_itself, 4);
    client_write_tile(&client, 1, 2, 0xffb121b0, &held, 4);
    client_write_tile(&client, 1, 2, 0xffb121b0, &released, 4);
    poll_hung_tile(&client, false, "");
    ck_assert(works(&client, 5, 5)); /* progress */
    for (unsigned round = 0; round < 2; round++) {
        poll_hung_tile(&client, true, _i ? "" : "PENROSE_ON_HANG=throw");
    }
    ck_assert(works(&client, 5, 5));
    client_close_and_unload(&client);
}

/* What is misspelt must not pass for a run with checks in which nothing was found. Who catches the
 * exception may try again; without C++ the process ends. */
TEST_EACH(misspelt_checks_and_delays_are_refused, 2)
{
    const char *variable = _i ? "PENROSE_DELAY" : "PENROSE_CHECK";
    struct client client;
    char text[300];
    int status;
    setenv(variable, "raced", 1);
    client_load(&client);
    for (unsigned round = 0; round < 2; round++) {
        catching_init(client.init, text, sizeof text);
        ck_assert_msg(strstr(text, variable) && strstr(text, "'raced'"), "caught '%s'", text);
    }
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        client.init();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 2, "status %d", status);
    unsetenv(variable);
    ck_assert(client_open(&client) && works(&client, 5, 5));
    client_close_and_unload(&client);
}

/* --- Wrong calls and addresses --- */

TEST(calls_without_a_device)
{
    struct client client;
    uint32_t word = 1;
    client_load(&client);
    for (unsigned round = 0; round < 3; round++) {
        client.clock(100);
        client.write(UINT64_C(0x100000000), &word, 4);
        client.read(UINT64_C(0x100000000), &word, 4);
        ck_assert_uint_eq(word, UINT32_MAX);
        word = 1;
        client.tile_read(1, 2, 0, &word, 4);
        client.tile_write(1, 2, 0, &word, 4);
        ck_assert_uint_eq(word, UINT32_MAX);
        ck_assert_uint_eq(client.config_read(0, 0), UINT32_MAX);
        client.exit();
        client.exit();
        client.set_callbacks(NULL, NULL);
        ck_assert(client_open(&client));
        client.init();
        client.init();
        ck_assert(works(&client, 6, 6));
        client_close(&client);
    }
    client_unload(&client);
}

TEST(other_devices_are_absent)
{
    static const uint32_t devices[] = {1, 7, 8, 0xf8, 0x100, 0xffff, 0x80000000, UINT32_MAX};
    static const uint32_t offsets[] = {0, 4, 0x10, 0xffc, 0x1000, 0xfffffffc};
    struct client client;
    client_load_and_open(&client);
    for (unsigned i = 0; i < sizeof devices / sizeof *devices; i++) {
        for (unsigned k = 0; k < sizeof offsets / sizeof *offsets; k++) {
            ck_assert_uint_eq(client.config_read(devices[i], offsets[k]), UINT32_MAX);
        }
    }
    ck_assert_uint_eq(client.config_read(0, 0x1000), UINT32_MAX);
    ck_assert_uint_eq(client.config_read(0, 0xfffffffc), UINT32_MAX);
    client_close_and_unload(&client);
}

/* An access across a border; what answers is what small reads see there, or nothing when it begins
 * outside of any BAR. */
static void cross(struct client *client, uint64_t border, bool is_start)
{
    uint8_t large[96], small[96];
    memset(large, 0x77, sizeof large);
    client->read(border - 48, large, 0);
    ck_assert_uint_eq(large[0], 0x77);
    client->read(border - 48, large, sizeof large);
    memset(small, 0xff, sizeof small);
    for (unsigned i = 0; i < sizeof small && !is_start; i += 4) {
        client->read(border - 48 + i, small + i, 4);
    }
    ck_assert_mem_eq(large, small, sizeof large);
    client->write(border - 48, large, sizeof large);
    client->write(border, large, 0);
}

TEST(accesses_cross_borders)
{
    struct client client;
    client_load_and_open(&client);
    for (unsigned i = 0; i < 202; i++) {
        client_set_window(&client, i, 1 + i % 7, 2 + i / 7 % 10, i % 3 ? 0 : 0x17fe00);
    }
    const uint64_t borders[] = {client.bar0,
                                client.bar0 + 0x200000,
                                client.bar0 + 0x400000,
                                client.bar0 + 0x193fffff + 1,
                                client.bar0 + 0x1fc00000,
                                client.bar0 + 0x1fc00a58,
                                client.bar0 + (UINT64_C(512) << 20),
                                client.bar2,
                                client.bar2 + 0x3000,
                                client.bar2 + 0x100000,
                                client.bar4,
                                client.bar4 + (UINT64_C(1) << 32),
                                client.bar4 + (UINT64_C(32) << 30),
                                48,
                                UINT64_MAX - 96};
    for (unsigned i = 0; i < sizeof borders / sizeof *borders; i++) {
        cross(&client, borders[i], borders[i] == client.bar0 || borders[i] == client.bar4);
    }
    ck_assert(works(&client, 5, 5));
    client_close_and_unload(&client);
}

/* As large as a call can be: all windows, what is behind them, and the end of the BAR. */
TEST(huge_accesses_end)
{
    const uint32_t size = UINT32_C(0x24000000);
    struct client client;
    uint8_t *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(bytes, MAP_FAILED);
    client_load_and_open(&client);
    for (unsigned i = 0; i < 202; i++) {
        client_set_window(&client, i, 1, 2, 0);
    }
    client_write_word(&client, 1, 2, 0x123450, 0xabcdef01);
    client_set_window(&client, 1, 1, 2, 0);
    client.read(client.bar0, bytes, size);
    for (unsigned i = 0; i < 202; i++) {
        ck_assert_mem_eq(bytes + UINT64_C(0x200000) * i + 0x123450, "\x01\xef\xcd\xab", 4);
    }
    ck_assert_uint_eq(bytes[size - 1], 0xff);
    client.write(client.bar0 + UINT64_C(0x18000000), bytes, UINT32_C(0x7000000));
    ck_assert(works(&client, 5, 5));
    client_close_and_unload(&client);
    munmap(bytes, size);
}

/* Windows to everywhere: what is there answers, all else reads all ones. */
TEST(windows_to_nowhere)
{
    static const uint64_t addresses[] = {0,
                                         0x17fffc,
                                         0x180000,
                                         0x1ffffffc,
                                         0xffb00000,
                                         0xffb20000,
                                         UINT64_C(0xfffffffc),
                                         UINT64_C(0x1000000000000000),
                                         UINT64_C(0xfffffffffffffffc)};
    struct client client;
    client_load(&client);
    setenv("PENROSE_CARD", "p100a", 1);
    ck_assert_int_eq(client_open(&client), 0); /* it has no Ethernet tiles */
    for (unsigned y = 0; y < 64; y++) {
        for (unsigned x = 0; x < 64; x++) {
            uint64_t address = addresses[(x * 31 + y) % (sizeof addresses / sizeof *addresses)];
            client_write_word(&client, x, y, address, 0);
            (void)client_read_word(&client, x, y, address);
        }
    }
    ck_assert_uint_eq(client_read_word(&client, 63, 63, 0), UINT32_MAX);
    ck_assert_uint_eq(client_read_word(&client, 16, 2, 0), UINT32_MAX); /* fused off */
    client_write_word(&client, 16, 2, SOFT_RESET, BRISC_RUNS);
    ck_assert_uint_eq(client_read_word(&client, 16, 2, SOFT_RESET), UINT32_MAX);
    for (unsigned noc = 0; noc < 2; noc++) { /* multicasts that nobody gets, and reads of them */
        uint32_t word = 5;
        client_set_multicast(&client, 3, noc, 40, 40, 50, 50, 0);
        client.write(client.bar0 + 3 * UINT64_C(0x200000), &word, 4);
        client.read(client.bar0 + 3 * UINT64_C(0x200000), &word, 4);
        ck_assert_uint_eq(word, UINT32_MAX);
    }
    ck_assert(works(&client, 5, 5));
    client_close_and_unload(&client);
}
