/*
 * A host program that is debugged without knowing it: it loads five harts of three tiles (targets.c),
 * starts them by the tiles' registers, and polls until the first has done its work.
 *
 *     host LIBRARY DIRECTORY [wait [LIBRARY]]
 *
 * DIRECTORY has brisc-1-2.bin and so on, each for address 0 or that of its hart; wait: until
 * DIRECTORY/stop is there. The other library has a chip of its own, with a word to recognize it by.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct library {
    void (*init)(void);
    void (*exit)(void);
    void (*clock)(uint32_t cycles);
    void (*tile_read)(uint32_t x, uint32_t y, uint64_t address, void *p, uint32_t size);
    void (*tile_write)(uint32_t x, uint32_t y, uint64_t address, const void *p, uint32_t size);
};

enum {
    DONE = 0x9000,
    OTHER_CHIP = 0x55,
    SUM = 0x9004,
    HALT = 0x9300,
    IMAGE_BYTES = 1 << 16,
    TRISC0_PC = 0x228,
    OVERRIDE = 0x234
};
#define DEBUG      UINT64_C(0xffb12000)
#define SOFT_RESET UINT64_C(0xffb121b0)

static const struct {
    const char *hart;
    unsigned x, y;
    uint32_t address;
    uint32_t reset; /* its bit */
    int trisc;      /* -1: none */
} harts[] = {{"brisc", 1, 2, 0, 1 << 11, -1},
             {"trisc1", 1, 2, 0x20000, 1 << 13, 1},
             {"brisc", 2, 2, 0, 1 << 11, -1},
             {"brisc", 3, 2, 0, 1 << 11, -1},
             {"trisc0", 3, 2, 0x10000, 1 << 12, 0}};

static bool load_hart(const struct library *library, const char *directory, unsigned i)
{
    static uint8_t image[IMAGE_BYTES];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%u-%u.bin", directory, harts[i].hart, harts[i].x,
             harts[i].y);
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(image, 1, sizeof image, file) : 0;
    if (file) {
        fclose(file);
    }
    library->tile_write(harts[i].x, harts[i].y, harts[i].address, image, (uint32_t)size);
    return size > 0;
}

static void write_word(const struct library *library, unsigned i, uint64_t address, uint32_t value)
{
    library->tile_write(harts[i].x, harts[i].y, address, &value, sizeof value);
}

static void start_hart(const struct library *library, unsigned i)
{
    uint32_t held = 0, override = 0;
    if (harts[i].trisc >= 0) {
        library->tile_read(harts[i].x, harts[i].y, DEBUG + OVERRIDE, &override, sizeof override);
        write_word(library, i, DEBUG + OVERRIDE, override | 1u << harts[i].trisc);
        write_word(library, i, DEBUG + TRISC0_PC + 4 * (unsigned)harts[i].trisc, harts[i].address);
    }
    library->tile_read(harts[i].x, harts[i].y, SOFT_RESET, &held, sizeof held);
    write_word(library, i, SOFT_RESET, held & ~harts[i].reset);
}

/* dlsym gives functions as data pointers; POSIX lets them be copied. */
static bool find_function(void *handle, const char *name, void *function)
{
    void *address = dlsym(handle, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static bool open_library(const char *path, struct library *library)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return handle && find_function(handle, "libttsim_init", &library->init) &&
           find_function(handle, "libttsim_exit", &library->exit) &&
           find_function(handle, "libttsim_clock", &library->clock) &&
           find_function(handle, "libttsim_tile_rd_bytes", &library->tile_read) &&
           find_function(handle, "libttsim_tile_wr_bytes", &library->tile_write);
}

/* The host does nothing in particular; `other` may be NULL. */
static void wait_for_end(const struct library *library, const struct library *other,
                         const char *directory)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/stop", directory);
    while (access(path, F_OK) != 0) {
        library->clock(1);
        if (other) {
            other->clock(1);
        }
        usleep(1000);
    }
}

int main(int argc, char **argv)
{
    struct library library, other;
    uint32_t done = 0, sum = 0;
    unsigned polls = 0;
    if (argc < 3 || !open_library(argv[1], &library)) {
        fprintf(stderr, "usage: host LIBRARY DIRECTORY [wait]\n");
        return 2;
    }
    library.init();
    for (unsigned i = 0; i < sizeof harts / sizeof harts[0]; i++) {
        write_word(&library, i, DONE, 0);
        write_word(&library, i, HALT, 0);
        if (!load_hart(&library, argv[2], i)) {
            fprintf(stderr, "%s of (%u, %u) has no image\n", harts[i].hart, harts[i].x, harts[i].y);
            return 3;
        }
    }
    for (unsigned i = 0; i < sizeof harts / sizeof harts[0]; i++) {
        start_hart(&library, i);
    }
    while (!done && polls < 100000) {
        library.clock(1);
        library.tile_read(1, 2, DONE, &done, sizeof done);
        polls++;
    }
    library.tile_read(1, 2, SUM, &sum, sizeof sum);
    printf("host: done %u, sum %u, after %s polls\n", done, sum, polls < 100000 ? "some" : "many");
    if (argc > 4 && open_library(argv[4], &other)) {
        other.init();
        write_word(&other, 0, DONE, OTHER_CHIP);
        wait_for_end(&library, &other, argv[2]);
        other.exit();
    } else if (argc > 3) {
        wait_for_end(&library, NULL, argv[2]);
    }
    library.exit();
    return done ? 0 : 1;
}
