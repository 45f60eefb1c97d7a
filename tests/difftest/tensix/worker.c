/* Each request has a tile of its own: the next unused one. */
#include "../common/worker.h"

enum {
    TILES = 140,
    COLUMNS = 14,
    FIRST_ROW = 2,
    WINDOW_L1 = 1,       /* stays at the tile's L1 */
    WINDOW_REGISTER = 2, /* stays at its registers */
    REGISTER_PAGE = 0xffa00000 >> 21,
};

static void begin(void *next_tile, struct device *device)
{
    unsigned *next = next_tile, tile = (*next)++, column = tile % COLUMNS;
    unsigned x = column < 7 ? column + 1 : column + 3; /* columns 8 and 9 are no Tensix tiles */
    unsigned y = FIRST_ROW + tile / COLUMNS;
    device_set_window(device, WINDOW_L1, x, y, 0);
    device_set_window(device, WINDOW_REGISTER, x, y, REGISTER_PAGE);
}

static uint64_t paddr_of(const struct device *device, uint64_t address)
{
    return device_window(device, address < DEVICE_WINDOW_BYTES ? WINDOW_L1 : WINDOW_REGISTER,
                         address);
}

static void write_to(void *next_tile, struct device *device, const struct operation *operation,
                     const void *bytes)
{
    (void)next_tile;
    device->write(paddr_of(device, operation->address), bytes, operation->size);
}

static void read_from(void *next_tile, struct device *device, const struct operation *operation,
                      void *bytes)
{
    (void)next_tile;
    device->read(paddr_of(device, operation->address), bytes, operation->size);
}

int worker_main(const char *library)
{
    unsigned next_tile = 0;
    const struct worker worker = {.requests = TILES,
                                  .context = &next_tile,
                                  .begin = begin,
                                  .write = write_to,
                                  .read = read_from};
    return worker_run(&worker, library);
}
