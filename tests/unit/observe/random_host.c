#include "unit/observe/random_host.h"

#include <string.h>

#include <penrose/debug.h>

#include "unit/chip/snapshot_scenes.h"

static bool read_memory(void *context, uint64_t address, void *bytes, uint32_t size)
{
    struct random_host *host = context;
    for (uint32_t i = 0; i < size; i++) {
        uint8_t *byte = &host->memory[(address + i) % RANDOM_HOST_BYTES];
        ((uint8_t *)bytes)[i] = (*byte)++; /* no two reads give the same */
    }
    return address % 3 != 0;
}

static bool write_memory(void *context, uint64_t address, const void *bytes, uint32_t size)
{
    struct random_host *host = context;
    memcpy(&host->memory[address % (RANDOM_HOST_BYTES / 2)], bytes, size % (RANDOM_HOST_BYTES / 2));
    return true;
}

void random_host_connect(struct random_host *host)
{
    const struct penrose_host_memory memory = {
        .read = read_memory, .write = write_memory, .context = host};
    penrose_host_memory_set(host->chip, &memory);
}

void random_host_act(struct random_host *host)
{
    uint8_t bytes[300];
    unsigned x = 1 + scene_random(&host->seed, 16), y = 2 + scene_random(&host->seed, 10);
    uint64_t address = 0x20000 + scene_random(&host->seed, 0x1000);
    size_t size = 1 + scene_random(&host->seed, sizeof bytes);
    enum penrose_hart hart = (enum penrose_hart)scene_random(&host->seed, PENROSE_HARTS);
    struct penrose_register number = {.file = PENROSE_X, .number = 20};
    uint32_t value[4] = {scene_random(&host->seed, 1000)};
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)scene_random(&host->seed, 256);
    }
    switch (scene_random(&host->seed, 14)) {
    case 0:
        penrose_read(host->chip, x, y, address, bytes, size, NULL);
        break;
    case 1:
        penrose_write(host->chip, x, y, address, bytes, size, NULL);
        break;
    case 2:
        penrose_poke(host->chip, x, y, address, bytes, size, NULL);
        break;
    case 3:
        penrose_peek(host->chip, x, y, address, bytes, size, NULL);
        break;
    case 4:
        penrose_write(host->chip, 17, 12, address, bytes, size, NULL);
        break;
    case 5:
        penrose_hart_hold(host->chip, x, y, hart, NULL);
        break;
    case 6:
        penrose_hart_release(host->chip, x, y, hart, 0x1000, NULL);
        break;
    case 7:
        penrose_register_write(host->chip, x, y, hart, number, value, NULL);
        break;
    case 8:
        penrose_hart_poke(host->chip, x, y, PENROSE_BRISC, UINT32_C(0xffb00100), bytes, 4, NULL);
        break;
    case 9:
        penrose_fault_isolate(host->chip);
        break;
    case 10:
        penrose_fault_clear(host->chip);
        break;
    case 11:
        penrose_coprocessor_reset(host->chip, x, y, NULL);
        break;
    case 12:
        penrose_hart_pause(host->chip, x, y, hart, NULL);
        break;
    case 13: /* its own memory, through the PCIe tile */
        penrose_write(host->chip, 19, 24, 64 * scene_random(&host->seed, 64), bytes, 64, NULL);
        penrose_read(host->chip, 19, 24, 64 * scene_random(&host->seed, 64), bytes, 64, NULL);
        break;
    }
}
