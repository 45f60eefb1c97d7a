/*
 * Booting firmware as a host does: see boot.h. Which writes there are and in which order was seen
 * in a trace of ttnn 0.81.1: per worker two to the reset register, texts, initialised data, bank
 * tables, the jump at 0, the launch ring and some 70 small ones to the mailboxes.
 */
#include "boot.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "host/environment.h"

enum { SMALL_WRITES = 64, MOST_POLLS = 1 << 20 };

struct boot {
    struct loader_firmware *loader;
    struct loader_writes writes; /* to any worker; the mailboxes come last */
};

struct boot *boot_open(const char *directory)
{
    struct penrose_error error;
    uint16_t banks[2 * COPY_BANKS];
    int32_t offsets[COPY_BANKS] = {0};
    const struct loader_boot nobody = {.dram_bank_to_noc_xy = banks,
                                       .bank_to_dram_offset = offsets};
    struct boot *boot = calloc(1, sizeof *boot);
    if (!boot) {
        bench_die(directory, "out of memory");
    }
    for (unsigned i = 0; i < 2 * COPY_BANKS; i++) { /* the same names on both NoCs */
        unsigned x, y;
        copy_bank_at(i % COPY_BANKS, &x, &y);
        banks[i] = (uint16_t)(y << 6 | x);
    }
    if (loader_firmware_open(directory, &boot->loader, &error) != PENROSE_OK ||
        loader_firmware_boot(boot->loader, &nobody, &boot->writes, &error) != PENROSE_OK) {
        bench_die(directory, error.text);
    }
    return boot;
}

const struct loader_firmware *boot_firmware(const struct boot *boot)
{
    return boot->loader;
}

void boot_close(struct boot *boot)
{
    loader_writes_free(&boot->writes);
    loader_firmware_close(boot->loader);
    free(boot);
}

static uint32_t go_message(const struct boot *boot)
{
    const struct loader_layout *layout = &boot->loader->layout;
    return layout->mailbox_base + layout->mailboxes_go_messages.offset;
}

/* Writes a member of the mailboxes, which a list of writes has as one piece. */
static void write_member(struct bench_device *device, unsigned x, unsigned y,
                         const struct loader_write *mailboxes, const struct loader_member *member)
{
    bench_write(device, x, y, mailboxes->address + member->offset,
                mailboxes->bytes + member->offset, member->size * member->count);
}

static void write_mailboxes(struct bench_device *device, unsigned x, unsigned y,
                            const struct boot *boot, const struct loader_write *mailboxes)
{
    const struct loader_layout *layout = &boot->loader->layout;
    write_member(device, x, y, mailboxes, &layout->mailboxes_core_info);
    for (uint32_t i = 0; i < SMALL_WRITES; i++) { /* at the end, where profilers have their words */
        bench_write_word(device, x, y, mailboxes->address + mailboxes->size / 4 * 4 - 4 * i - 4, 0);
    }
    write_member(device, x, y, mailboxes, &layout->mailboxes_launch);
    write_member(device, x, y, mailboxes, &layout->mailboxes_launch_msg_rd_ptr);
    write_member(device, x, y, mailboxes, &layout->mailboxes_go_message_index);
    bench_write(device, x, y, go_message(boot),
                mailboxes->bytes + layout->mailboxes_go_messages.offset, 4);
}

static void load(struct bench_device *device, const struct boot *boot, unsigned x, unsigned y)
{
    unsigned last = boot->writes.count - 1;
    for (unsigned i = 0; i < last; i++) {
        const struct loader_write *write = &boot->writes.write[i];
        bench_write(device, x, y, write->address, write->bytes, write->size);
    }
    write_mailboxes(device, x, y, boot, &boot->writes.write[last]);
}

static uint32_t poll(struct bench_device *device, unsigned x, unsigned y, uint32_t address)
{
    uint32_t word = bench_word(device, x, y, address);
    device->clock(1);
    return word;
}

/* Polls all that are not ready in turn. */
static void wait_for_all(struct bench_device *device, const struct boot *boot, unsigned first,
                         unsigned last)
{
    bool is_ready[BENCH_WORKERS] = {false};
    const struct loader_layout *layout = &boot->loader->layout;
    unsigned shift = 8 * layout->go_msg_signal.offset, x, y;
    unsigned polls = 0;
    for (unsigned waiting = last - first + 1; waiting > 0;) {
        for (unsigned i = first; i <= last; i++) {
            bench_worker(i, &x, &y);
            if (!is_ready[i] && (poll(device, x, y, go_message(boot)) >> shift & 0xff) == 0) {
                is_ready[i] = true;
                waiting--;
            }
        }
        if (++polls > MOST_POLLS) {
            bench_die("firmware", "does not become ready");
        }
    }
}

/* Computes for so many seconds; returns how long it was. */
static double compute(double seconds)
{
    double start = bench_wall(), now = start;
    while (now - start < seconds) {
        now = bench_wall();
    }
    return now - start;
}

double boot_workers_slowly(struct bench_device *device, const struct boot *boot, unsigned first,
                           unsigned last, double pause)
{
    unsigned x, y;
    for (unsigned i = first; i <= last; i++) {
        bench_worker(i, &x, &y);
        bench_reset(device, x, y, BENCH_ALL_HELD);
        bench_reset(device, x, y, BENCH_ALL_HELD);
    }
    pause = pause > 0 ? compute(pause) : 0;
    for (unsigned i = first; i <= last; i++) {
        bench_worker(i, &x, &y);
        load(device, boot, x, y);
    }
    for (unsigned i = first; i <= last; i++) {
        bench_worker(i, &x, &y);
        poll(device, x, y, LOADER_SOFT_RESET_0);
        bench_reset(device, x, y, BENCH_BRISC_RUNS);
    }
    wait_for_all(device, boot, first, last);
    return pause;
}

void boot_workers(struct bench_device *device, const struct boot *boot, unsigned first,
                  unsigned last)
{
    boot_workers_slowly(device, boot, first, last, 0);
}

char *boot_find(void)
{
    char cache[PATH_MAX / 2], pattern[PATH_MAX];
    if (!host_cache(cache, sizeof cache)) {
        return NULL;
    }
    snprintf(pattern, sizeof pattern, "%s/ttnn-*/pre-compiled/*/drisc", cache);
    glob_t found;
    char *directory = NULL;
    if (glob(pattern, 0, NULL, &found) == 0) {
        directory = strndup(found.gl_pathv[0], strlen(found.gl_pathv[0]) - strlen("/drisc"));
        globfree(&found);
    }
    return directory;
}
