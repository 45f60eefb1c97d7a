/*
 * A host program that is debugged without knowing it: it loads five harts of three tiles (targets.c),
 * starts them by the tiles' registers, and polls until the first has done its work.
 *
 *     host DIRECTORY    with brisc-1-2.bin and so on, each for address 0 or that of its hart
 */
#include <stdio.h>
#include <stdlib.h>

#include "abi/client.h"

enum { DONE = 0x9000, SUM = 0x9004, IMAGE_BYTES = 1 << 16, TRISC0_PC = 0x228, OVERRIDE = 0x234 };
#define DEBUG UINT64_C(0xffb12000)

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

static bool load_hart(struct client *client, const char *directory, unsigned i)
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
    client->tile_write(harts[i].x, harts[i].y, harts[i].address, image, (uint32_t)size);
    return size > 0;
}

static void write_word(struct client *client, unsigned i, uint64_t address, uint32_t value)
{
    client->tile_write(harts[i].x, harts[i].y, address, &value, sizeof value);
}

static void start_hart(struct client *client, unsigned i)
{
    uint32_t held = 0, override = 0;
    if (harts[i].trisc >= 0) {
        client->tile_read(harts[i].x, harts[i].y, DEBUG + OVERRIDE, &override, sizeof override);
        write_word(client, i, DEBUG + OVERRIDE, override | 1u << harts[i].trisc);
        write_word(client, i, DEBUG + TRISC0_PC + 4 * (unsigned)harts[i].trisc, harts[i].address);
    }
    client->tile_read(harts[i].x, harts[i].y, SOFT_RESET, &held, sizeof held);
    write_word(client, i, SOFT_RESET, held & ~harts[i].reset);
}

int main(int argc, char **argv)
{
    struct client client;
    uint32_t done = 0, sum = 0;
    unsigned polls = 0;
    client_load(&client);
    if (argc != 2 || !client_open(&client)) {
        return 2;
    }
    for (unsigned i = 0; i < sizeof harts / sizeof harts[0]; i++) {
        write_word(&client, i, DONE, 0);
        if (!load_hart(&client, argv[1], i)) {
            return 3;
        }
    }
    for (unsigned i = 0; i < sizeof harts / sizeof harts[0]; i++) {
        start_hart(&client, i);
    }
    while (!done && polls < 100000) {
        client.clock(1);
        client.tile_read(1, 2, DONE, &done, sizeof done);
        polls++;
    }
    client.tile_read(1, 2, SUM, &sum, sizeof sum);
    printf("host: done %u, sum %u, after %s polls\n", done, sum, polls < 100000 ? "some" : "many");
    client_close_and_unload(&client);
    return done ? 0 : 1;
}
