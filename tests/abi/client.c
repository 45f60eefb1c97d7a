#include "abi/client.h"

#include <check.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- Loading --- */

/* dlsym gives functions as data pointers; POSIX lets them be copied. */
static bool look_up(const struct client *client, const char *name, void *function)
{
    void *address = dlsym(client->library, name);
    if (!address) {
        fprintf(stderr, "no symbol %s\n", name);
        return false;
    }
    memcpy(function, &address, sizeof address);
    return true;
}

void client_load_path(struct client *client, const char *path)
{
    *client = (struct client){.library = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    ck_assert_msg(client->library != NULL, "%s", dlerror());
    ck_assert(look_up(client, "libttsim_init", &client->init) &&
              look_up(client, "libttsim_exit", &client->exit) &&
              look_up(client, "libttsim_pci_config_rd32", &client->config_read) &&
              look_up(client, "libttsim_pci_mem_rd_bytes", &client->read) &&
              look_up(client, "libttsim_pci_mem_wr_bytes", &client->write) &&
              look_up(client, "libttsim_tile_rd_bytes", &client->tile_read) &&
              look_up(client, "libttsim_tile_wr_bytes", &client->tile_write) &&
              look_up(client, "libttsim_clock", &client->clock) &&
              look_up(client, "libttsim_set_pci_dma_mem_callbacks", &client->set_callbacks));
}

static const char *library_path(void)
{
    static char path[4096];
    const char *named = getenv("LIBTTSIM"), *build = getenv("builddir");
    snprintf(path, sizeof path, "%s/.libs/libttsim.so", build ? build : ".");
    return named ? named : path;
}

void client_load(struct client *client)
{
    client_load_path(client, library_path());
}

void client_load_copy(struct client *client)
{
    client_load_copy_of(client, library_path());
}

void client_load_copy_of(struct client *client, const char *library)
{
    static char bytes[65536];
    char path[64];
    int from = open(library, O_RDONLY | O_CLOEXEC);
    int to = memfd_create("libttsim", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ck_assert_int_ge(from, 0);
    ck_assert_int_ge(to, 0);
    for (ssize_t size; (size = read(from, bytes, sizeof bytes)) > 0;) {
        ck_assert_int_eq(write(to, bytes, (size_t)size), size);
    }
    close(from);
    fcntl(to, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
    snprintf(path, sizeof path, "/proc/self/fd/%d", to);
    client_load_path(client, path);
    close(to);
}

unsigned client_count_entries(const char *path)
{
    unsigned count = 0;
    DIR *directory = opendir(path);
    ck_assert_ptr_nonnull(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count;
}

void client_load_and_open(struct client *client)
{
    client_load(client);
    ck_assert(client_open(client));
}

void client_close_and_unload(struct client *client)
{
    client_close(client);
    client_unload(client);
}

void client_unload(struct client *client)
{
    dlclose(client->library);
    client->library = NULL;
}

/* --- Registers of the device --- */

static uint32_t read_word(struct client *client, uint64_t paddr)
{
    uint32_t value;
    client->read(paddr, &value, sizeof value);
    client->clock(1);
    client->reads++;
    client->clocks++;
    return value;
}

static void write_word(struct client *client, uint64_t paddr, uint32_t value)
{
    client->write(paddr, &value, sizeof value);
}

uint32_t client_bar0_word(struct client *client, uint32_t offset)
{
    return read_word(client, client->bar0 + offset);
}

/* --- Opening --- */

static uint64_t find_bar(struct client *client, uint32_t offset)
{
    uint64_t low = client->config_read(0, offset), high = client->config_read(0, offset + 4);
    return (high << 32 | low) & ~UINT64_C(15);
}

static void set_outbound_region(struct client *client, unsigned region, uint64_t base,
                                uint64_t limit, uint64_t target)
{
    uint64_t at = client->bar2 + 0x1000 + 0x200 * region;
    write_word(client, at + 0x04, 0);
    write_word(client, at + 0x00, 0);
    write_word(client, at + 0x08, (uint32_t)base);
    write_word(client, at + 0x0c, (uint32_t)(base >> 32));
    write_word(client, at + 0x10, (uint32_t)limit);
    write_word(client, at + 0x14, (uint32_t)target);
    write_word(client, at + 0x18, (uint32_t)(target >> 32));
    write_word(client, at + 0x04, UINT32_C(1) << 31);
}

/* The value of a telemetry tag, or all ones. */
static uint32_t telemetry(struct client *client, uint32_t tag)
{
    uint64_t tags = client_read_word(client, 8, 0, 0x80030434);
    uint64_t values = client_read_word(client, 8, 0, 0x80030430);
    uint32_t count = client_read_word(client, 8, 0, tags + 4);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t entry = client_read_word(client, 8, 0, tags + 8 + 4 * i);
        if ((entry & 0xffff) == tag) {
            return client_read_word(client, 8, 0, values + 4 * (entry >> 16));
        }
    }
    return UINT32_MAX;
}

bool client_open(struct client *client)
{
    client->set_callbacks(NULL, NULL);
    client->init();
    bool is_right = client->config_read(0, 0) == 0xb1401e52;
    client->bar0 = find_bar(client, 0x10);
    client->bar4 = find_bar(client, 0x20);
    is_right &= (client_bar0_word(client, 0x1fd04100) & 0x4000) != 0; /* coordinates translated */
    client->bar2 = find_bar(client, 0x18);
    set_outbound_region(client, 0, 0, 0x3fffffff, SYSMEM);
    set_outbound_region(client, 5, 0x40000000, 0xfffdffff, SYSMEM + 0x40000000);
    is_right &= client_bar0_word(client, 0x1fd04044) == 0x10611002;
    is_right &= client_read_word(client, 8, 0, 0x80030060) != UINT32_MAX;
    is_right &= client_read_word(client, 8, 0, 0x80030408) == 5;
    is_right &= telemetry(client, 28) == 0x12050000; /* firmware bundle 18.5.0 */
    is_right &= telemetry(client, 1) == 0x400 && telemetry(client, 2) == 1; /* board id */
    is_right &= telemetry(client, 14) == 1000;
    for (unsigned x = 20; x < 32; x++) {
        uint32_t port = client_read_word(client, x, 25, 0x7cc04);
        is_right &= port == 2 || port == 3; /* no cable, no port */
        is_right &= client_read_word(client, x, 25, 0x7cfc4) != UINT32_MAX;
    }
    return is_right;
}

void client_close(struct client *client)
{
    client->exit();
}

/* --- Windows --- */

static void set_registers(struct client *client, unsigned index, uint32_t low, uint32_t mid,
                          uint32_t high)
{
    uint64_t at = client->bar0 + 0x1fc00000 + 12 * (uint64_t)index;
    write_word(client, at, low);
    write_word(client, at + 4, mid);
    write_word(client, at + 8, high);
}

void client_set_window(struct client *client, unsigned index, unsigned x, unsigned y,
                       uint64_t address)
{
    uint64_t page = address >> 21;
    set_registers(client, index, (uint32_t)page, (uint32_t)(page >> 32) | x << 11 | y << 17, 0);
}

void client_set_multicast(struct client *client, unsigned index, unsigned noc, unsigned x_start,
                          unsigned y_start, unsigned x_end, unsigned y_end, uint64_t address)
{
    uint64_t page = address >> 21;
    set_registers(client, index, (uint32_t)page,
                  (uint32_t)(page >> 32) | x_end << 11 | y_end << 17 | x_start << 23 |
                      (y_start & 7) << 29,
                  y_start >> 3 | noc << 3 | 1u << 5);
}

void client_write_tile(struct client *client, unsigned x, unsigned y, uint64_t address,
                       const void *bytes, uint32_t size)
{
    client_set_window(client, 1, x, y, address);
    client->write(client->bar0 + 0x200000 + (address & 0x1fffff), bytes, size);
}

void client_read_tile(struct client *client, unsigned x, unsigned y, uint64_t address, void *bytes,
                      uint32_t size)
{
    client_set_window(client, 1, x, y, address);
    client->read(client->bar0 + 0x200000 + (address & 0x1fffff), bytes, size);
    client->clock(1);
    client->reads++;
    client->clocks++;
}

void client_write_word(struct client *client, unsigned x, unsigned y, uint64_t address,
                       uint32_t value)
{
    client_write_tile(client, x, y, address, &value, sizeof value);
}

uint32_t client_read_word(struct client *client, unsigned x, unsigned y, uint64_t address)
{
    uint32_t value;
    client_read_tile(client, x, y, address, &value, sizeof value);
    return value;
}

/* --- Tiles --- */

void client_each_worker(struct client *client,
                        void (*visit)(struct client *client, unsigned x, unsigned y))
{
    for (unsigned y = 2; y <= 11; y++) {
        for (unsigned x = 1; x <= 16; x++) {
            if (x != 8 && x != 9) {
                visit(client, x, y);
            }
        }
    }
}

void client_load_firmware(struct client *client, unsigned x, unsigned y)
{
    static const uint32_t jump = 0x2e10306f; /* jal zero, 0x3ae0 */
    static const uint32_t program[] = {
        0x3e800293, /*     li   t0, 1000 */
        0xfff28293, /* 1:  addi t0, t0, -1 */
        0xfe029ee3, /*     bne  t0, zero, 1b */
        0x4e002823, /* 2:  sw   zero, 0x4f0(zero) */
        0x4f002303, /* 3:  lw   t1, 0x4f0(zero) */
        0xfe035ee3, /*     bge  t1, zero, 3b */
        0x10002383, /*     lw   t2, 0x100(zero) */
        0x10402e03, /*     lw   t3, 0x104(zero) */
        0x01c383b3, /*     add  t2, t2, t3 */
        0x10702423, /*     sw   t2, 0x108(zero) */
        0xfe5ff06f, /*     j    2b */
    };
    client_write_tile(client, x, y, 0x3ae0, program, sizeof program);
    client_write_word(client, x, y, GO_MESSAGE, GO_INIT);
    client_write_word(client, x, y, 0, jump);
}

void client_silence(void)
{
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
}
