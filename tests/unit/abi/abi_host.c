#include "unit/abi/abi_host.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Reports --- */

/* What was reported goes to this file, and out of the test's way from stderr. */
static char report_path[sizeof P_tmpdir "/check_abi_XXXXXX"];

static struct machine *made; /* by make_device */

void host_before(void)
{
    strcpy(report_path, P_tmpdir "/check_abi_XXXXXX");
    int fd = mkstemp(report_path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_assert_int_eq(setenv("PENROSE_REPORT", report_path, 1), 0);
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
}

void host_after(void)
{
    libttsim_exit();
    machine_destroy(made);
    unlink(report_path);
}

unsigned lines_of(FILE *file, const char *text)
{
    char line[4096];
    unsigned count = 0;
    ck_assert_ptr_nonnull(file);
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        count += strstr(line, text) != NULL;
    }
    return count;
}

unsigned reported(const char *text)
{
    FILE *file = fopen(report_path, "r");
    unsigned count = lines_of(file, text);
    fclose(file);
    return count;
}

/* --- Accesses through the exported functions --- */

uint32_t rd(uint64_t paddr)
{
    uint32_t value;
    libttsim_pci_mem_rd_bytes(paddr, &value, sizeof value);
    return value;
}

void wr(uint64_t paddr, uint32_t value)
{
    libttsim_pci_mem_wr_bytes(paddr, &value, sizeof value);
}

uint32_t tile_rd(unsigned x, unsigned y, uint64_t address)
{
    uint32_t value;
    libttsim_tile_rd_bytes(x, y, address, &value, sizeof value);
    return value;
}

void tile_wr(unsigned x, unsigned y, uint64_t address, uint32_t value)
{
    libttsim_tile_wr_bytes(x, y, address, &value, sizeof value);
}

void set_window(unsigned index, uint64_t local_offset, unsigned x_end, unsigned y_end,
                unsigned x_start, unsigned y_start, unsigned noc, unsigned multicast)
{
    unsigned bits = index < 202 ? 43 : 32;
    uint64_t rest =
        x_end | y_end << 6 | x_start << 12 | y_start << 18 | noc << 24 | (uint64_t)multicast << 26;
    wr(TLB + 12 * index, (uint32_t)local_offset);
    wr(TLB + 12 * index + 4, (uint32_t)(local_offset >> 32 | rest << (bits - 32)));
    wr(TLB + 12 * index + 8, (uint32_t)(rest >> (64 - bits)));
}

void assemble(unsigned x, unsigned y, uint32_t address, const char *const *lines)
{
    for (; *lines; lines++, address += 4) {
        struct penrose_error error = {0};
        uint32_t word;
        ck_assert_msg(penrose_assemble(NULL, *lines, address, &word, &error) == PENROSE_OK,
                      "%s: %s", *lines, error.text);
        tile_wr(x, y, address, word);
    }
}

void start(unsigned x, unsigned y, const char *const *lines)
{
    assemble(x, y, 0x1000, lines);
    tile_wr(x, y, 0, 0x0000106f); /* jal zero, 0x1000 */
    tile_wr(x, y, SOFT_RESET, BRISC_RUNS);
}

/* --- Host memory --- */

uint8_t host_memory[HOST_BYTES];

void host_rd(uint64_t paddr, void *p, uint32_t size)
{
    ck_assert(paddr >= HOST_BASE && paddr + size <= HOST_BASE + HOST_BYTES);
    memcpy(p, host_memory + (paddr - HOST_BASE), size);
}

void host_wr(uint64_t paddr, const void *p, uint32_t size)
{
    ck_assert(paddr >= HOST_BASE && paddr + size <= HOST_BASE + HOST_BYTES);
    memcpy(host_memory + (paddr - HOST_BASE), p, size);
}

void fill_host_memory(void)
{
    for (uint32_t i = 0; i < HOST_BYTES; i++) {
        host_memory[i] = (uint8_t)(i ^ i >> 8);
    }
}

void set_up_dma(uint32_t channel, uint64_t from, uint64_t to, uint32_t size)
{
    wr(BAR2 + channel + 0x00, 1);
    wr(BAR2 + channel + 0x1c, size);
    wr(BAR2 + channel + 0x20, (uint32_t)from);
    wr(BAR2 + channel + 0x24, (uint32_t)(from >> 32));
    wr(BAR2 + channel + 0x28, (uint32_t)to);
    wr(BAR2 + channel + 0x2c, (uint32_t)(to >> 32));
}

/* --- Devices without the exported functions --- */

struct device *make_device(const char *run_ahead)
{
    if (run_ahead) {
        setenv("PENROSE_RUN_AHEAD", run_ahead, 1);
    }
    machine_destroy(made);
    struct penrose_error error;
    made = machine_create(&(struct host_callbacks){0}, &error);
    ck_assert_ptr_nonnull(made);
    return made->device[0];
}

static void device_word(struct device *device, uint64_t address, uint32_t *value, bool write)
{
    struct endpoint endpoint = {.x = 1, .y = 2, .address = address};
    struct transfer transfer = {.from = write ? (const uint8_t *)value : NULL,
                                .to = write ? NULL : (uint8_t *)value,
                                .size = sizeof *value};
    if (write) {
        device_endpoint_write(device, endpoint, transfer);
    } else {
        device_endpoint_read(device, endpoint, transfer);
    }
}

void device_set(struct device *device, uint64_t address, uint32_t value)
{
    device_word(device, address, &value, true);
}

uint32_t device_get(struct device *device, uint64_t address)
{
    uint32_t value;
    device_word(device, address, &value, false);
    return value;
}

void start_lines(struct device *device, unsigned x, unsigned y, const char *const *lines,
                 uint32_t count)
{
    static const uint32_t jump = 0x0000106f, run = BRISC_RUNS;
    uint32_t words[32];
    for (uint32_t i = 0; i < count; i++) {
        struct penrose_error error = {0};
        ck_assert_msg(penrose_assemble(NULL, lines[i], 0x1000 + 4 * i, &words[i], &error) ==
                          PENROSE_OK,
                      "%s: %s", lines[i], error.text);
    }
    device_endpoint_write(device, (struct endpoint){.x = x, .y = y, .address = 0x1000},
                          (struct transfer){.from = (const uint8_t *)words, .size = 4 * count});
    device_endpoint_write(device, (struct endpoint){.x = x, .y = y},
                          (struct transfer){.from = (const uint8_t *)&jump, .size = 4});
    device_endpoint_write(device, (struct endpoint){.x = x, .y = y, .address = SOFT_RESET},
                          (struct transfer){.from = (const uint8_t *)&run, .size = 4});
}

void start_busy(struct device *device, unsigned x, unsigned y)
{
    static const char *const busy[] = {"addi a0, a0, 1", "sw a0, 0x404(zero)", "jal zero, 0x1000"};
    start_lines(device, x, y, busy, 3);
}
