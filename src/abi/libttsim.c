/*
 * The nine exported functions.
 *
 * The ABI has no handle, so the library has the only mutable file-scope data of Penrose: struct
 * client below, a pointer to the machine between libttsim_init and libttsim_exit, and what must
 * outlive the machine: the callbacks, which clients set before init, the kinds of misuse without a
 * machine that were reported, and a note that a signal for dumps came. Threads (PENROSE_THREADS) run
 * from the first libttsim_clock with several busy tiles until libttsim_exit only; there are no
 * atexit handlers, so the library may be unloaded after exit, loaded several times at once, and
 * forked.
 *
 * One call is served at a time. UMD sees to that itself, so the lock costs only an atomic exchange.
 * A thread that finds it taken sleeps for a moment and looks again. A call from within another one
 * on the same thread (from a callback or a signal handler) is misuse, and is not served. fork()
 * waits for the call that is under way, so the child's device is whole. The C library forgets these
 * handlers when the library is unloaded.
 */
#include "abi/libttsim.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "abi/machine.h"
#include "abi/endpoint.h"
#include "abi/guard.h"
#include "isa/host_time.h"

#define LIBTTSIM_EXPORT __attribute__((visibility("default")))

enum misuse { MISUSE_CALL = 1, MISUSE_INIT = 2, MISUSE_EXIT = 4, MISUSE_NESTED = 8 };

#define NOBODY ((pthread_t)0)

enum { EXIT_REFUSED = 2, NAP_NANOSECONDS = 20000, MOST_STOPS = 1000, DUMP_SIGNAL = SIGUSR1 };

static struct client {
    _Atomic(pthread_t) owner; /* of the call that is under way, or NOBODY: the lock of all else */
    struct machine *machine;
    struct host_callbacks host;
    unsigned told;              /* enum misuse */
    uint64_t work_began;        /* host time, if anybody wants to know */
    bool forks;                 /* the lock is held for a fork */
    atomic_bool dump_is_wanted; /* by a signal */
    bool catches;               /* signals: */
    struct sigaction before;    /* what they did before */
} client;

/* --- One call at a time --- */

static void report_misuse(enum misuse misuse, const char *text)
{
    if (!(client.told & (unsigned)misuse)) {
        client.told |= (unsigned)misuse;
        report_always(text);
    }
}

/* Takes the lock if it is free; otherwise returns its owner. */
static inline pthread_t try_lock(void)
{
    pthread_t owner = NOBODY;
    atomic_compare_exchange_strong_explicit(&client.owner, &owner, pthread_self(),
                                            memory_order_acquire, memory_order_relaxed);
    return owner;
}

static inline void unlock(void)
{
    atomic_store_explicit(&client.owner, NOBODY, memory_order_release);
}

/* False when this thread has the lock already. */
static bool lock(void)
{
    const struct timespec nap = {.tv_nsec = NAP_NANOSECONDS};
    pthread_t owner;
    while ((owner = try_lock()) != NOBODY) {
        if (owner == pthread_self()) {
            return false;
        }
        nanosleep(&nap, NULL);
    }
    return true;
}

/* False when this thread is inside a call already; then there is nothing to leave. */
static bool enter(void)
{
    if (!lock()) {
        int error = errno; /* a signal handler must not change it */
        report_misuse(MISUSE_NESTED,
                      "the library is called from within a call of its own (a callback, or a "
                      "signal handler): reads give all ones, all else is ignored");
        errno = error;
        return false;
    }
    return true;
}

static void leave(void)
{
    unlock();
}

/* Between these two is what takes time. The other calls are shorter than it takes to measure them. */
static void start_work(void)
{
    if (client.machine && client.machine->summary) {
        client.work_began = host_nanoseconds();
    }
}

static void end_work(void)
{
    if (client.machine && client.machine->summary) {
        client.machine->summary->nanoseconds += host_nanoseconds() - client.work_began;
    }
}

/* If a thread forks within a call, the rest of that call is left in the child, too. */
static void before_fork(void)
{
    client.forks = lock();
}

/* In the parent and in the child, whose thread has the same name. */
static void after_fork(void)
{
    if (client.forks) {
        client.forks = false;
        unlock();
    }
}

__attribute__((constructor)) static void load(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

/* The machine, for a call that needs one. */
static struct machine *current_machine(void)
{
    if (!client.machine) {
        report_misuse(MISUSE_CALL,
                      "the library is used before libttsim_init or after libttsim_exit: "
                      "reads give all ones, writes and clocks are ignored");
    }
    return client.machine;
}

/* --- Dumps at a signal --- */

/* The dump is made when the host next calls: nothing else is safe. */
static void note_signal(int number)
{
    (void)number;
    atomic_store_explicit(&client.dump_is_wanted, true, memory_order_relaxed);
}

static void catch_signals(bool catches)
{
    const struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    if (catches && !client.catches) {
        client.catches = sigaction(DUMP_SIGNAL, &action, &client.before) == 0;
    } else if (!catches && client.catches) {
        struct sigaction now;
        client.catches = false;
        if (sigaction(DUMP_SIGNAL, NULL, &now) == 0 && now.sa_handler == note_signal) {
            sigaction(DUMP_SIGNAL, &client.before, NULL); /* unless the host has set another one */
        }
    }
}

static void dump_as_wanted(const struct machine *machine)
{
    if (!atomic_load_explicit(&client.dump_is_wanted, memory_order_relaxed)) {
        return;
    }
    atomic_store_explicit(&client.dump_is_wanted, false, memory_order_relaxed);
    for (unsigned i = 0; i < machine->devices; i++) {
        dumps_make(machine->device[i], DUMP_AT_SIGNAL, "SIGUSR1");
    }
}

/* --- Life --- */

static enum penrose_status init(struct penrose_error *error)
{
    char text[sizeof error->text + 32];
    if (client.machine) {
        report_misuse(MISUSE_INIT, "libttsim_init is called again without libttsim_exit; ignored");
        return PENROSE_OK;
    }
    client.machine = machine_create(&client.host, error);
    if (client.machine) {
        catch_signals(dumps_wants(&client.machine->device[0]->dumps, DUMP_AT_SIGNAL));
        return PENROSE_OK;
    }
    snprintf(text, sizeof text, "libttsim_init: %s", error->text);
    report_always(text);
    return error->status;
}

LIBTTSIM_EXPORT void libttsim_init(void)
{
    struct penrose_error error;
    if (!enter()) {
        return;
    }
    const enum penrose_status status = init(&error);
    leave();
    if (status != PENROSE_OK && status != PENROSE_E_MEMORY) {
        guard_throw(error.text);
        exit(EXIT_REFUSED);
    }
}

LIBTTSIM_EXPORT void libttsim_exit(void)
{
    if (!enter()) {
        return;
    }
    if (!client.machine) {
        report_misuse(MISUSE_EXIT, "libttsim_exit is called without libttsim_init; ignored");
    } else {
        clock_finish(client.machine);
    }
    catch_signals(false);
    machine_destroy(client.machine);
    client.machine = NULL;
    leave();
}

/* For clients that unload the library without libttsim_exit: no thread may stay in its code. Where
 * a call is under way, the process is about to end in the middle of it, and all is left as it is.
 */
__attribute__((destructor)) static void unload(void)
{
    client.told = ~0u; /* at process exit calls may follow */
    catch_signals(false);
    if (try_lock() == NOBODY) {
        machine_destroy(client.machine);
        client.machine = NULL;
        unlock();
    }
}

LIBTTSIM_EXPORT void
libttsim_set_pci_dma_mem_callbacks(void (*read)(uint64_t paddr, void *p, uint32_t size),
                                   void (*write)(uint64_t paddr, const void *p, uint32_t size))
{
    if (!enter()) {
        return;
    }
    client.host = (struct host_callbacks){.read = read, .write = write};
    if (client.machine) {
        client.machine->host = client.host;
    }
    leave();
}

/* --- Accesses --- */

static uint32_t config_read(struct device *device, uint32_t offset)
{
    if (offset & 3) {
        report(device, "configuration space is read as aligned words; offset 0x%x reads all ones",
               offset);
        return UINT32_MAX;
    }
    return device_config_read(device, offset);
}

LIBTTSIM_EXPORT uint32_t libttsim_pci_config_rd32(uint32_t bus_device_function, uint32_t offset)
{
    uint32_t value = UINT32_MAX;
    if (!enter()) {
        return value;
    }
    const struct machine *machine = current_machine();
    struct device *device = machine ? machine_find(machine, bus_device_function) : NULL;
    if (device) {
        value = config_read(device, offset);
    }
    leave();
    return value;
}

/* The device of the machine in whose space `paddr` lies. */
static inline struct device *device_at(uint64_t paddr)
{
    return client.machine ? machine_at(client.machine, paddr) : NULL;
}

/* What usable_device() gives at a first use, and for arguments that are of no use. */
static struct device *prepared_device(const char *call, uint64_t paddr,
                                      const struct transfer *transfer)
{
    struct device *device = current_machine() ? device_at(paddr) : NULL;
    if (transfer->size > 0 && !transfer->from && !transfer->to) {
        if (device) {
            report(device, "%s: the buffer is NULL; ignored", call);
        }
        return NULL;
    }
    if (!device) {
        device_no_answer(*transfer);
        return NULL;
    }
    if (!device->is_used) {
        device_first_use(device);
    }
    return transfer->size > 0 ? device : NULL;
}

/* That device, when there is something to transfer; a read that goes nowhere is answered. */
static inline struct device *usable_device(const char *call, uint64_t paddr,
                                           const struct transfer *transfer)
{
    struct device *device = device_at(paddr);
    bool is_plain =
        device && device->is_used && transfer->size > 0 && (transfer->from || transfer->to);
    return is_plain ? device : prepared_device(call, paddr, transfer);
}

static void access_bar(const char *call, uint64_t paddr, const struct transfer *transfer)
{
    if (!enter()) {
        device_no_answer(*transfer);
        return;
    }
    struct device *device = usable_device(call, paddr, transfer);
    if (device) {
        paddr -= (uint64_t)device->number << DEVICE_SPACE_SHIFT;
    }
    if (device && !device_window_word(device, paddr, transfer)) {
        start_work();
        device_bar_access(device, paddr, *transfer);
        end_work();
    }
    leave();
}

LIBTTSIM_EXPORT void libttsim_pci_mem_rd_bytes(uint64_t paddr, void *p, uint32_t size)
{
    access_bar("libttsim_pci_mem_rd_bytes", paddr, &(struct transfer){.to = p, .size = size});
}

LIBTTSIM_EXPORT void libttsim_pci_mem_wr_bytes(uint64_t paddr, const void *p, uint32_t size)
{
    access_bar("libttsim_pci_mem_wr_bytes", paddr, &(struct transfer){.from = p, .size = size});
}

/* Coordinates have six bits on the NoC. */
static bool is_coordinate(struct device *device, uint32_t x, uint32_t y, struct transfer transfer)
{
    if (x < 64 && y < 64) {
        return true;
    }
    report(device, "there is no tile at (%u, %u): reads give all ones, writes are ignored", x, y);
    device_no_answer(transfer);
    return false;
}

static void access_tile_by_place(const char *call, uint32_t x, uint32_t y, uint64_t address,
                                 struct transfer transfer)
{
    struct endpoint endpoint = {.x = x, .y = y, .address = address};
    if (!enter()) {
        device_no_answer(transfer);
        return;
    }
    struct device *device = usable_device(call, 0, &transfer); /* of the first chip */
    if (device && is_coordinate(device, x, y, transfer)) {
        start_work();
        if (transfer.from) {
            device_endpoint_write(device, endpoint, transfer);
        } else {
            device_endpoint_read(device, endpoint, transfer);
        }
        end_work();
    }
    leave();
}

LIBTTSIM_EXPORT void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t address, void *p,
                                            uint32_t size)
{
    access_tile_by_place("libttsim_tile_rd_bytes", x, y, address,
                         (struct transfer){.to = p, .size = size});
}

LIBTTSIM_EXPORT void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t address, const void *p,
                                            uint32_t size)
{
    access_tile_by_place("libttsim_tile_wr_bytes", x, y, address,
                         (struct transfer){.from = p, .size = size});
}

/* --- Time --- */

/* A fault ends a run; who is not at fault goes on until the time asked for has passed. (Where time
 * does not run ahead, the next call makes up for it.) */
static void pass_time(struct machine *machine, uint32_t cycles)
{
    const struct penrose_chip *chip = machine->device[0]->chip; /* all have one clock */
    const uint64_t end = penrose_now(chip) + cycles;
    uint64_t isolated = machine->isolated;
    clock_run(machine, cycles);
    for (unsigned stops = 0; machine->isolated != isolated && machine->run_ahead.most > 0 &&
                             penrose_now(chip) < end && stops < MOST_STOPS;
         stops++) {
        isolated = machine->isolated;
        clock_run(machine, (uint32_t)(end - penrose_now(chip)));
    }
}

LIBTTSIM_EXPORT void libttsim_clock(uint32_t n_clocks)
{
    bool is_hung = false;
    if (!enter()) {
        return;
    }
    struct machine *machine = current_machine();
    if (machine) {
        if (!machine_is_used(machine)) {
            device_first_use(machine->device[0]);
        }
        if (machine->summary) {
            machine->summary->polls++;
        }
        start_work();
        machine_watch_polls(machine);
        pass_time(machine, n_clocks);
        end_work();
        dump_as_wanted(machine);
        is_hung = machine->is_hung;
        machine->is_hung = false;
    }
    leave();
    if (is_hung) {
        guard_throw("Penrose: the host has polled the chip in vain, see the report of who waits "
                    "for what (PENROSE_ON_HANG=throw)");
    }
}
