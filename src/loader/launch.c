/*
 * Building a launch. The image in the kernel_config ring has, all 16-byte aligned: semaphores (16
 * bytes each), the arguments of all kernels packed, common arguments, the configuration of circular
 * buffers 0 to the highest used, the kernels. Semaphores come first, since kernels find those of
 * other tiles, which may have other kernels and arguments, where their own are. A plan gives every block its offset from
 * the ring's base first; then the blocks and the launch message are written.
 */
#include "loader/launch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"

enum { ALIGNMENT = 16, SEMAPHORE_SIZE = 16 };

/* Offsets of the blocks of the image. Sums are of checked sizes and cannot wrap. */
struct plan {
    uint32_t arguments[LOADER_PROCESSORS], common_arguments[LOADER_PROCESSORS];
    uint32_t semaphores;
    uint32_t buffers, buffers_end;
    uint32_t kernel[LOADER_PROCESSORS];
    uint32_t size;
};

static uint32_t aligned(uint32_t offset)
{
    return (offset + ALIGNMENT - 1) & ~(uint32_t)(ALIGNMENT - 1);
}

static enum penrose_status check_kernel(uint32_t l1_bytes, const struct loader_kernel *kernel,
                                        const char *name, struct penrose_error *error)
{
    uint64_t words = (uint64_t)kernel->arguments_count + kernel->common_arguments_count;
    if (!kernel->blob) {
        return words ? error_set(error, PENROSE_E_ARGUMENT,
                                 "launch: %" PRIu64 " arguments for %s, which has no kernel; give "
                                 "it one or leave them out",
                                 words, name)
                     : PENROSE_OK;
    }
    if (words > LOADER_MAX_ARGUMENTS) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "launch: %" PRIu32 " arguments and %" PRIu32 " common arguments for %s, "
                         "expected at most %d together",
                         kernel->arguments_count, kernel->common_arguments_count, name,
                         LOADER_MAX_ARGUMENTS);
    }
    if (kernel->blob->entry) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "launch: the kernel of %s starts %" PRIu32 " bytes into its text, "
                         "expected 0, which the firmware calls; put _start first (section .start)",
                         name, kernel->blob->entry);
    }
    if (!kernel->blob->size || kernel->blob->size > l1_bytes) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "launch: the kernel of %s has %" PRIu32 " bytes, expected 4 to %" PRIu32,
                         name, kernel->blob->size, l1_bytes);
    }
    return PENROSE_OK;
}

static enum penrose_status check_kernels(const struct loader_firmware *firmware,
                                         const struct loader_launch_request *request,
                                         struct penrose_error *error)
{
    unsigned triscs = 0;
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        enum penrose_status status =
            check_kernel(firmware->layout.l1_bytes, &request->kernel[i],
                         loader_processor_name((enum loader_processor)i), error);
        if (status) {
            return status;
        }
        triscs += i >= LOADER_TRISC0 && request->kernel[i].blob;
    }
    if (triscs % 3) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "launch: kernels for %u of the three TRISCs, expected none or all: the "
                         "firmware starts all three together; give the others one that returns",
                         triscs);
    }
    return PENROSE_OK;
}

static enum penrose_status check_buffer(const struct loader_firmware *firmware,
                                        const struct loader_circular_buffer *buffer,
                                        struct penrose_error *error)
{
    uint32_t most = firmware->layout.NUM_CIRCULAR_BUFFERS;
    if (buffer->id >= most) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "launch: circular buffer %" PRIu32 ", expected 0 to %" PRIu32
                         ": this firmware has %" PRIu32,
                         buffer->id, most - 1, most);
    }
    if (buffer->address % ALIGNMENT || buffer->page_size % ALIGNMENT) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "launch: circular buffer %" PRIu32 " at 0x%" PRIx32
                         " with pages of %" PRIu32
                         " bytes, expected multiples of %d: the TRISCs count in 16 bytes",
                         buffer->id, buffer->address, buffer->page_size, ALIGNMENT);
    }
    if (!buffer->size || (uint64_t)buffer->num_pages * buffer->page_size != buffer->size) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "launch: circular buffer %" PRIu32 " of %" PRIu32 " bytes for %" PRIu32
                         " pages of %" PRIu32 ", expected the product",
                         buffer->id, buffer->size, buffer->num_pages, buffer->page_size);
    }
    uint64_t end = (uint64_t)buffer->address + buffer->size;
    if (end > firmware->layout.l1_bytes) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "launch: circular buffer %" PRIu32 " ends at 0x%" PRIx64
                         ", expected at most 0x%" PRIx32 ", the end of L1",
                         buffer->id, end, firmware->layout.l1_bytes);
    }
    return PENROSE_OK;
}

static enum penrose_status check_buffers(const struct loader_firmware *firmware,
                                         const struct loader_launch_request *request,
                                         struct penrose_error *error)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < request->buffers_count; i++) {
        const struct loader_circular_buffer *buffer = &request->buffers[i];
        enum penrose_status status = check_buffer(firmware, buffer, error);
        if (status) {
            return status;
        }
        if (seen >> buffer->id & 1) {
            return error_set(error, PENROSE_E_ARGUMENT,
                             "launch: circular buffer %" PRIu32 " is given twice, expected once",
                             buffer->id);
        }
        seen |= UINT64_C(1) << buffer->id;
    }
    return PENROSE_OK;
}

static enum penrose_status check_numbers(const struct loader_firmware *firmware,
                                         const struct loader_launch_request *request,
                                         struct penrose_error *error)
{
    const struct loader_layout *layout = &firmware->layout;
    const struct {
        const char *what;
        uint32_t value, end;
    } limit[] = {
        {"semaphores", request->semaphores_count, LOADER_MAX_SEMAPHORES + 1},
        {"NoC id", request->brisc_noc_id, 2},
        {"NoC mode", request->noc_mode, 2},
        {"dispatch mode", request->dispatch, 2},
        {"launch slot", request->slot, layout->mailboxes_launch.count},
        {"go message index", request->go_index, layout->mailboxes_go_messages.count},
        {"ring size", request->ring_size, layout->l1_bytes - firmware->ring_base + 1},
    };
    for (unsigned i = 0; i < sizeof limit / sizeof limit[0]; i++) {
        if (limit[i].value >= limit[i].end) {
            return error_set(error, PENROSE_E_ARGUMENT,
                             "launch: %s %" PRIu32 ", expected 0 to %" PRIu32, limit[i].what,
                             limit[i].value, limit[i].end - 1);
        }
    }
    return PENROSE_OK;
}

static struct plan plan_launch(const struct loader_firmware *firmware,
                               const struct loader_launch_request *request)
{
    struct plan plan = {.semaphores = 0};
    uint32_t end = request->semaphores_count * SEMAPHORE_SIZE;
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        plan.arguments[i] = end;
        end += request->kernel[i].arguments_count * (uint32_t)sizeof(uint32_t);
    }
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        plan.common_arguments[i] = end = aligned(end);
        end += request->kernel[i].common_arguments_count * (uint32_t)sizeof(uint32_t);
    }
    plan.buffers = end = aligned(end);
    uint32_t words = firmware->layout.UINT32_WORDS_PER_LOCAL_CIRCULAR_BUFFER_CONFIG;
    for (uint32_t i = 0; i < request->buffers_count; i++) {
        uint32_t after = plan.buffers + (request->buffers[i].id + 1) * words * 4;
        end = after > end ? after : end;
    }
    plan.buffers_end = end;
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        if (request->kernel[i].blob) {
            plan.kernel[i] = end = aligned(end);
            end += request->kernel[i].blob->size;
        }
    }
    plan.size = aligned(end);
    return plan;
}

static enum penrose_status check_plan(const struct loader_firmware *firmware,
                                      const struct loader_launch_request *request,
                                      const struct plan *plan, struct penrose_error *error)
{
    uint32_t room = request->ring_size ? request->ring_size : LOADER_RING_SIZE;
    uint32_t start = firmware->ring_base, end = start + plan->size;
    if (plan->size > room || end > firmware->layout.l1_bytes) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "launch: kernels and arguments need %" PRIu32
                         " bytes, expected at most %" PRIu32
                         ", the kernel_config ring; use smaller kernels or a larger "
                         "ring_size",
                         plan->size, room);
    }
    for (uint32_t i = 0; i < request->buffers_count; i++) {
        const struct loader_circular_buffer *buffer = &request->buffers[i];
        if (buffer->address < end && start < buffer->address + buffer->size) {
            return error_set(error, PENROSE_E_ARGUMENT,
                             "launch: circular buffer %" PRIu32 " at 0x%" PRIx32 " lies over the "
                             "kernels (0x%" PRIx32 " to 0x%" PRIx32 "); put it at 0x%" PRIx32
                             " or later",
                             buffer->id, buffer->address, start, end, start + room);
        }
    }
    return PENROSE_OK;
}

static void copy_words(uint8_t *image, uint32_t offset, const uint32_t *words, uint32_t count)
{
    if (count) {
        memcpy(image + offset, words, count * sizeof *words);
    }
}

/* Writes the blocks of the plan into the zeroed image. */
static void fill_image(const struct loader_firmware *firmware,
                       const struct loader_launch_request *request, const struct plan *plan,
                       uint8_t *image)
{
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        const struct loader_kernel *kernel = &request->kernel[i];
        copy_words(image, plan->arguments[i], kernel->arguments, kernel->arguments_count);
        copy_words(image, plan->common_arguments[i], kernel->common_arguments,
                   kernel->common_arguments_count);
        if (kernel->blob) {
            memcpy(image + plan->kernel[i], kernel->blob->bytes, kernel->blob->size);
        }
    }
    for (uint32_t i = 0; i < request->semaphores_count; i++) {
        copy_words(image, plan->semaphores + i * SEMAPHORE_SIZE, &request->semaphores[i], 1);
    }
    uint32_t words = firmware->layout.UINT32_WORDS_PER_LOCAL_CIRCULAR_BUFFER_CONFIG;
    for (uint32_t i = 0; i < request->buffers_count; i++) {
        const struct loader_circular_buffer *buffer = &request->buffers[i];
        const uint32_t config[] = {buffer->address, buffer->size, buffer->num_pages,
                                   buffer->page_size};
        uint32_t count = words < 4 ? words : 4;
        copy_words(image, plan->buffers + buffer->id * words * 4, config, count);
    }
}

/* A structure being filled; `status` keeps the first value that did not fit. */
struct encoder {
    uint8_t *bytes;
    enum penrose_status status;
    struct penrose_error *error;
};

/* Writes element `index` of a NUMBER member; members that the firmware lacks are left out. */
static void encode(struct encoder *encoder, const struct loader_member *member, uint32_t index,
                   uint64_t value, const char *name)
{
    if (encoder->status || index >= member->count) {
        return;
    }
    if (member->size < 8 && value >> (8 * member->size)) {
        encoder->status = error_set(encoder->error, PENROSE_E_ARGUMENT,
                                    "launch: %s is %" PRIu64 ", expected a number of %" PRIu32
                                    " bytes: the arguments, semaphores and buffers before it are "
                                    "too many",
                                    name, value, member->size);
        return;
    }
    memcpy(encoder->bytes + member->offset + index * member->size, &value, member->size);
}

/* The part of the message that has an entry for each hart. */
static void encode_kernels(const struct loader_layout *layout,
                           const struct loader_launch_request *request, const struct plan *plan,
                           struct encoder *encoder)
{
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        const struct loader_blob *blob = request->kernel[i].blob;
        struct encoder entry = *encoder;
        entry.bytes += layout->kernel_config_rta_offset.offset + i * layout->rta_size;
        encode(&entry, &layout->rta_rta_offset, 0, plan->arguments[i], "rta_offset");
        encode(&entry, &layout->rta_crta_offset, 0, plan->common_arguments[i], "crta_offset");
        encoder->status = entry.status;
        if (!blob) {
            continue;
        }
        encode(encoder, &layout->kernel_config_kernel_text_offset, i, plan->kernel[i],
               "kernel_text_offset");
        encode(encoder, &layout->kernel_config_kernel_text_size, i, blob->size, "kernel_text_size");
        encode(encoder, &layout->kernel_config_num_sw_threads, i, 1, "num_sw_threads");
    }
}

/* Fills a zeroed kernel_config_msg_t. preload stays 0: with it the firmware would not wait. */
static enum penrose_status encode_config(const struct loader_firmware *firmware,
                                         const struct loader_launch_request *request,
                                         const struct plan *plan, uint8_t *config,
                                         struct penrose_error *error)
{
    const struct loader_layout *l = &firmware->layout;
    struct encoder encoder = {.bytes = config, .error = error};
    for (uint32_t i = 0; i < l->kernel_config_kernel_config_base.count; i++) {
        encode(&encoder, &l->kernel_config_kernel_config_base, i, firmware->ring_base,
               "kernel_config_base");
    }
    for (uint32_t i = 0; i < l->kernel_config_sem_offset.count; i++) {
        encode(&encoder, &l->kernel_config_sem_offset, i, plan->semaphores, "sem_offset");
    }
    uint64_t buffers = 0;
    for (uint32_t i = 0; i < request->buffers_count; i++) {
        buffers |= UINT64_C(1) << request->buffers[i].id;
    }
    uint32_t enables = 0;
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        enables |= request->kernel[i].blob ? 1U << i : 0;
    }
    bool is_host = request->dispatch == LOADER_DISPATCH_HOST;
    bool is_dedicated = request->noc_mode == LOADER_NOC_DEDICATED;
    encode_kernels(l, request, plan, &encoder);
    encode(&encoder, &l->kernel_config_local_cb_offset, 0, plan->buffers, "local_cb_offset");
    encode(&encoder, &l->kernel_config_remote_cb_offset, 0, plan->buffers_end, "remote_cb_offset");
    encode(&encoder, &l->kernel_config_local_cb_mask, 0, buffers, "local_cb_mask");
    encode(&encoder, &l->kernel_config_min_remote_cb_start_index, 0, l->NUM_CIRCULAR_BUFFERS,
           "min_remote_cb_start_index"); /* behind the last one: there are no remote buffers */
    encode(&encoder, &l->kernel_config_mode, 0,
           is_host ? l->DISPATCH_MODE_HOST : l->DISPATCH_MODE_DEV, "mode");
    encode(&encoder, &l->kernel_config_brisc_noc_id, 0, request->brisc_noc_id, "brisc_noc_id");
    encode(&encoder, &l->kernel_config_brisc_noc_mode, 0,
           is_dedicated ? l->DM_DEDICATED_NOC : l->DM_DYNAMIC_NOC, "brisc_noc_mode");
    encode(&encoder, &l->kernel_config_host_assigned_id, 0, request->host_assigned_id,
           "host_assigned_id");
    encode(&encoder, &l->kernel_config_enables, 0, enables, "enables");
    return encoder.status;
}

static enum penrose_status out_of_memory(struct penrose_error *error)
{
    return error_set(error, PENROSE_E_MEMORY, "launch: out of memory");
}

/* The launch message, the index of the go message, and last the go message itself. */
static enum penrose_status add_messages(const struct loader_firmware *firmware,
                                        const struct loader_launch_request *request,
                                        const struct plan *plan, struct loader_launch *launch,
                                        struct penrose_error *error)
{
    const struct loader_layout *l = &firmware->layout;
    uint32_t base = l->mailbox_base;
    uint32_t slot = base + l->mailboxes_launch.offset + request->slot * l->launch_msg_size;
    uint32_t go = base + l->mailboxes_go_messages.offset + request->go_index * l->go_msg_size;
    uint8_t *message = loader_writes_add(&launch->writes, slot, l->launch_msg_size);
    if (!message) {
        return out_of_memory(error);
    }
    enum penrose_status status =
        encode_config(firmware, request, plan, message + l->launch_msg_kernel_config.offset, error);
    if (status) {
        return status;
    }
    uint32_t index_size = l->mailboxes_go_message_index.size;
    uint8_t *index =
        loader_writes_add(&launch->writes, base + l->mailboxes_go_message_index.offset, index_size);
    uint8_t *word = index ? loader_writes_add(&launch->writes, go, l->go_msg_size) : NULL;
    if (!word) {
        return out_of_memory(error);
    }
    memcpy(index, &request->go_index, index_size < 4 ? index_size : 4);
    word[l->go_msg_dispatch_message_offset.offset] = request->dispatch_message_offset;
    word[l->go_msg_master_x.offset] = request->master_x;
    word[l->go_msg_master_y.offset] = request->master_y;
    word[l->go_msg_signal.offset] = (uint8_t)l->RUN_MSG_GO;
    return PENROSE_OK;
}

static enum penrose_status add_image(const struct loader_firmware *firmware,
                                     const struct loader_launch_request *request,
                                     const struct plan *plan, struct loader_launch *launch,
                                     struct penrose_error *error)
{
    uint32_t base = firmware->ring_base;
    if (plan->size) {
        uint8_t *image = loader_writes_add(&launch->writes, base, plan->size);
        if (!image) {
            return out_of_memory(error);
        }
        fill_image(firmware, request, plan, image);
    }
    launch->image_address = base;
    launch->image_size = plan->size;
    launch->semaphores_address = base + plan->semaphores;
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        launch->kernel_address[i] = request->kernel[i].blob ? base + plan->kernel[i] : 0;
        launch->arguments_address[i] = base + plan->arguments[i];
        launch->common_arguments_address[i] = base + plan->common_arguments[i];
    }
    return PENROSE_OK;
}

enum penrose_status loader_launch_build(const struct loader_firmware *firmware,
                                        const struct loader_launch_request *request,
                                        struct loader_launch *launch, struct penrose_error *error)
{
    *launch = (struct loader_launch){0};
    enum penrose_status status = check_numbers(firmware, request, error);
    if (!status) {
        status = check_kernels(firmware, request, error);
    }
    if (!status) {
        status = check_buffers(firmware, request, error);
    }
    if (status) {
        return status;
    }
    struct plan plan = plan_launch(firmware, request);
    status = check_plan(firmware, request, &plan, error);
    if (!status) {
        status = add_image(firmware, request, &plan, launch, error);
    }
    if (!status) {
        status = add_messages(firmware, request, &plan, launch, error);
    }
    if (status) {
        loader_launch_free(launch);
    }
    return status;
}

void loader_launch_free(struct loader_launch *launch)
{
    loader_writes_free(&launch->writes);
    *launch = (struct loader_launch){0};
}
