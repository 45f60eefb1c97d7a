/* Kernels under tt-metal's firmware: see kernels.h. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>

#include "copy.h"
#include "loader/launch.h"

enum { BUFFER_ADDRESS = 0x20000, BUFFER_PAGES = 4 };

struct kernels {
    const struct loader_firmware *firmware;
    struct loader_elf *elf[LOADER_PROCESSORS];
    struct loader_blob blob[LOADER_PROCESSORS];
    uint32_t signal; /* the byte that tells that a launch is over */
};

static void open_kernel(struct kernels *kernels, const char *directory,
                        enum loader_processor processor)
{
    struct penrose_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.elf", directory, loader_processor_name(processor));
    if (loader_elf_open(path, &kernels->elf[processor], &error) != PENROSE_OK ||
        loader_kernel_check(kernels->elf[processor], kernels->firmware, processor, &error) !=
            PENROSE_OK ||
        loader_xip(kernels->elf[processor], arch.l1_bytes[PENROSE_TILE_TENSIX],
                   &kernels->blob[processor], &error) != PENROSE_OK) {
        bench_die(path, error.text);
    }
}

static const enum loader_processor movers[] = {LOADER_BRISC, LOADER_NCRISC};
enum { MOVERS = sizeof movers / sizeof movers[0] };

struct kernels *kernels_open(const struct boot *boot, const char *directory)
{
    struct kernels *kernels = calloc(1, sizeof *kernels);
    if (!kernels) {
        bench_die(directory, "out of memory");
    }
    kernels->firmware = boot_firmware(boot);
    if (kernels->firmware->tables.dram_banks != COPY_BANKS) {
        bench_die(directory, "the firmware is not for 8 DRAM banks; name another with --firmware");
    }
    const struct loader_layout *layout = &kernels->firmware->layout;
    kernels->signal =
        layout->mailbox_base + layout->mailboxes_go_messages.offset + layout->go_msg_signal.offset;
    for (unsigned i = 0; i < MOVERS; i++) {
        open_kernel(kernels, directory, movers[i]);
    }
    return kernels;
}

void kernels_close(struct kernels *kernels)
{
    for (unsigned i = 0; i < MOVERS; i++) {
        loader_blob_free(&kernels->blob[movers[i]]);
        loader_elf_close(kernels->elf[movers[i]]);
    }
    free(kernels);
}

void kernels_launch(struct bench_device *device, const struct kernels *kernels, unsigned worker,
                    unsigned workers, unsigned pages)
{
    const uint32_t arguments[] = {worker, workers};
    const uint32_t common[] = {COPY_SOURCES, COPY_TARGETS, COPY_PAGE, pages};
    const struct loader_circular_buffer buffer = {.address = BUFFER_ADDRESS,
                                                  .size = BUFFER_PAGES * COPY_PAGE,
                                                  .num_pages = BUFFER_PAGES,
                                                  .page_size = COPY_PAGE};
    struct loader_launch_request request = {
        .buffers = &buffer, .buffers_count = 1, .brisc_noc_id = 1};
    struct loader_launch launch = {0};
    struct penrose_error error;
    unsigned x, y;
    for (unsigned i = 0; i < MOVERS; i++) {
        request.kernel[movers[i]] = (struct loader_kernel){
            .blob = &kernels->blob[movers[i]],
            .arguments = arguments,
            .arguments_count = sizeof arguments / sizeof arguments[0],
            .common_arguments = common,
            .common_arguments_count = sizeof common / sizeof common[0],
        };
    }
    if (loader_launch_build(kernels->firmware, &request, &launch, &error) != PENROSE_OK) {
        bench_die("launch", error.text);
    }
    bench_worker(worker, &x, &y);
    for (unsigned i = 0; i < launch.writes.count; i++) {
        const struct loader_write *write = &launch.writes.write[i];
        bench_write(device, x, y, write->address, write->bytes, write->size);
    }
    loader_launch_free(&launch);
}

bool kernels_are_done(struct bench_device *device, const struct kernels *kernels, unsigned worker)
{
    unsigned x, y;
    bench_worker(worker, &x, &y);
    uint32_t word = bench_word(device, x, y, kernels->signal & ~3u);
    return (word >> 8 * (kernels->signal & 3) & 0xff) == kernels->firmware->layout.RUN_MSG_DONE;
}
