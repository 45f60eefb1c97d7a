/* Reading launch messages; see launched.h. */
#include "loader/launched.h"

#include <string.h>

enum { SEMAPHORE_SIZE = 16 };

/* A number of L1; 0 beyond its end. */
static uint64_t read_number(struct loader_memory memory, uint64_t address, uint32_t size)
{
    uint64_t value = 0;
    bool is_there = size <= sizeof value && address <= UINT32_MAX &&
                    memory.read(memory.context, (uint32_t)address, &value, size);
    return is_there ? value : 0;
}

static uint64_t read_member(struct loader_memory memory, uint64_t structure,
                            const struct loader_member *member, unsigned index)
{
    return index < member->count
               ? read_number(memory, structure + member->offset + (uint64_t)index * member->size,
                             member->size)
               : 0;
}

uint32_t loader_launch_slot(const struct loader_layout *layout, struct loader_memory memory)
{
    uint64_t slot =
        read_member(memory, layout->mailbox_base, &layout->mailboxes_launch_msg_rd_ptr, 0);
    return slot < layout->mailboxes_launch.count ? (uint32_t)slot : 0;
}

uint32_t loader_launch_go_index(const struct loader_layout *layout, struct loader_memory memory)
{
    uint64_t index =
        read_member(memory, layout->mailbox_base, &layout->mailboxes_go_message_index, 0);
    return index < layout->mailboxes_go_messages.count ? (uint32_t)index : 0;
}

uint32_t loader_go_signal(const struct loader_layout *layout, struct loader_memory memory)
{
    return layout->mailbox_base + layout->mailboxes_go_messages.offset +
           loader_launch_go_index(layout, memory) * layout->go_msg_size +
           layout->go_msg_signal.offset;
}

/* --- What lies in the image --- */

enum {
    ARGUMENTS,
    COMMON = LOADER_PROCESSORS,
    SEMAPHORES = 2 * LOADER_PROCESSORS,
    BUFFERS,
    KERNELS,
    BLOCKS
};

/* Offsets of the blocks; 0 is an offset, too. */
struct image {
    uint32_t offset[BLOCKS];
};

/* Up to the next block. */
static struct loader_span span_of(const struct image *image, uint32_t base, unsigned block)
{
    uint32_t start = image->offset[block], end = image->offset[KERNELS];
    for (unsigned i = 0; i < BLOCKS; i++) {
        uint32_t other = image->offset[i];
        end = other > start && other < end ? other : end;
    }
    return (struct loader_span){.address = base + start, .size = end > start ? end - start : 0};
}

static struct loader_span shortened(struct loader_span span, uint32_t most)
{
    span.size = span.size < most ? span.size : most;
    return span;
}

static struct image read_image(const struct loader_layout *layout, struct loader_memory memory,
                               uint64_t config)
{
    struct image image = {.offset = {0}};
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        uint64_t entry =
            config + layout->kernel_config_rta_offset.offset + (uint64_t)i * layout->rta_size;
        uint32_t text =
            (uint32_t)read_member(memory, config, &layout->kernel_config_kernel_text_offset, i);
        image.offset[ARGUMENTS + i] =
            (uint32_t)read_member(memory, entry, &layout->rta_rta_offset, 0);
        image.offset[COMMON + i] =
            (uint32_t)read_member(memory, entry, &layout->rta_crta_offset, 0);
        if (text && (!image.offset[KERNELS] || text < image.offset[KERNELS])) {
            image.offset[KERNELS] = text;
        }
    }
    image.offset[SEMAPHORES] =
        (uint32_t)read_member(memory, config, &layout->kernel_config_sem_offset, 0);
    image.offset[BUFFERS] =
        (uint32_t)read_member(memory, config, &layout->kernel_config_local_cb_offset, 0);
    return image;
}

static void read_kernels(const struct loader_layout *layout, struct loader_memory memory,
                         uint64_t config, const struct image *image,
                         struct loader_launched *launched)
{
    uint64_t enables = read_member(memory, config, &layout->kernel_config_enables, 0);
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        struct loader_launched_kernel *kernel = &launched->kernel[i];
        kernel->runs = enables >> i & 1;
        if (kernel->runs) {
            kernel->address =
                launched->base +
                (uint32_t)read_member(memory, config, &layout->kernel_config_kernel_text_offset, i);
            kernel->arguments = shortened(span_of(image, launched->base, ARGUMENTS + i),
                                          LOADER_MAX_ARGUMENTS * sizeof(uint32_t));
            kernel->common_arguments =
                shortened(span_of(image, launched->base, COMMON + i),
                          LOADER_MAX_ARGUMENTS * sizeof(uint32_t) - kernel->arguments.size);
        }
    }
}

/* --- Circular buffers --- */

static bool is_buffer(const struct loader_circular_buffer *buffer, uint32_t l1_bytes)
{
    return buffer->size > 0 && buffer->page_size > 0 && buffer->num_pages > 0 &&
           buffer->address <= l1_bytes && buffer->size <= l1_bytes - buffer->address &&
           (uint64_t)buffer->num_pages * buffer->page_size <= buffer->size;
}

static void read_buffers(const struct loader_layout *layout, struct loader_memory memory,
                         uint64_t config, uint64_t table, struct loader_launched *launched)
{
    uint64_t mask = read_member(memory, config, &layout->kernel_config_local_cb_mask, 0);
    uint32_t step = 4 * layout->UINT32_WORDS_PER_LOCAL_CIRCULAR_BUFFER_CONFIG;
    for (unsigned id = 0; id < LOADER_MOST_BUFFERS; id++) {
        uint64_t at = table + (uint64_t)id * step;
        struct loader_circular_buffer buffer = {
            .id = id,
            .address = (uint32_t)read_number(memory, at, 4),
            .size = (uint32_t)read_number(memory, at + 4, 4),
            .num_pages = (uint32_t)read_number(memory, at + 8, 4),
            .page_size = (uint32_t)read_number(memory, at + 12, 4)};
        if (mask >> id & 1 && is_buffer(&buffer, layout->l1_bytes)) {
            launched->buffer[launched->buffers++] = buffer;
        }
    }
}

/* --- The whole --- */

/* Where the message's kernel_config is. */
static uint64_t find_config(const struct loader_layout *layout, struct loader_memory memory)
{
    return layout->mailbox_base + layout->mailboxes_launch.offset +
           (uint64_t)loader_launch_slot(layout, memory) * layout->launch_msg_size +
           layout->launch_msg_kernel_config.offset;
}

uint32_t loader_launched_id(const struct loader_layout *layout, struct loader_memory memory)
{
    return (uint32_t)read_member(memory, find_config(layout, memory),
                                 &layout->kernel_config_host_assigned_id, 0);
}

void loader_launched_read(const struct loader_layout *layout, struct loader_memory memory,
                          struct loader_launched *launched)
{
    const uint64_t config = find_config(layout, memory);
    *launched =
        (struct loader_launched){.base = (uint32_t)read_member(
                                     memory, config, &layout->kernel_config_kernel_config_base, 0)};
    if (!launched->base) {
        return;
    }
    const struct image image = read_image(layout, memory, config);
    launched->kernels_at = launched->base + image.offset[KERNELS];
    read_kernels(layout, memory, config, &image, launched);
    launched->semaphores = shortened(span_of(&image, launched->base, SEMAPHORES),
                                     LOADER_MAX_SEMAPHORES * SEMAPHORE_SIZE);
    read_buffers(layout, memory, config, (uint64_t)launched->base + image.offset[BUFFERS],
                 launched);
    launched->has_remote_buffers =
        read_member(memory, config, &layout->kernel_config_min_remote_cb_start_index, 0) <
        layout->NUM_CIRCULAR_BUFFERS;
    launched->brisc_noc =
        (unsigned)read_member(memory, config, &layout->kernel_config_brisc_noc_id, 0) & 1;
    launched->noc_mode = read_member(memory, config, &layout->kernel_config_brisc_noc_mode, 0) ==
                                 layout->DM_DEDICATED_NOC
                             ? LOADER_NOC_DEDICATED
                             : LOADER_NOC_DYNAMIC;
    launched->id = loader_launched_id(layout, memory);
}
