/* Launches: the image, the messages in both layouts, every limit with its message. */
#include "unit/loader/loader_set.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "geometry.h"
#include "loader/launched.h"

/* A blob of `size` bytes that are all `fill`. */
static struct loader_blob make_blob(uint32_t size, uint8_t fill)
{
    struct loader_blob blob = {
        .bytes = malloc(size), .size = size, .text_size = size, .link_base = 0x5880};
    ck_assert_ptr_nonnull(blob.bytes);
    memset(blob.bytes, fill, size);
    return blob;
}

/* The kernels of boot spec 4.4: five of them, three semaphores, buffers 0 and 16. */
struct setup {
    struct loader_firmware *firmware;
    struct loader_blob blob[LOADER_PROCESSORS];
    uint32_t arguments[LOADER_PROCESSORS][3], common[LOADER_PROCESSORS][2], semaphores[3];
    struct loader_circular_buffer buffers[2];
    struct loader_launch_request request;
    uint8_t l1[TILE_L1_BYTES];
    struct loader_launch launch; /* the latest */
};

static struct setup *s; /* of the test */

static void setup(bool newer)
{
    s = calloc(1, sizeof *s);
    ck_assert_ptr_nonnull(s);
    struct set_options options = set_defaults();
    options.newer = newer;
    s->firmware = set_opened(&options);
    for (uint32_t i = 0; i < LOADER_PROCESSORS; i++) {
        s->blob[i] = make_blob(20 + 4 * i, (uint8_t)(0x10 + i));
        for (uint32_t j = 0; j < 3; j++) {
            s->arguments[i][j] = 0x1000 * (i + 1) + j;
        }
        s->common[i][0] = 0xc0 + i;
        s->request.kernel[i] = (struct loader_kernel){
            .blob = &s->blob[i],
            .arguments = s->arguments[i],
            .arguments_count = 3,
            .common_arguments = s->common[i],
            .common_arguments_count = i ? 1 : 0,
        };
    }
    s->semaphores[0] = 7;
    s->semaphores[2] = 9;
    s->buffers[0] = (struct loader_circular_buffer){16, 0x39000, 0x1000, 2, 0x800};
    s->buffers[1] = (struct loader_circular_buffer){0, 0x37000, 0x1800, 3, 0x800};
    s->request.semaphores = s->semaphores;
    s->request.semaphores_count = 3;
    s->request.buffers = s->buffers;
    s->request.buffers_count = 2;
    s->request.brisc_noc_id = 1;
    s->request.host_assigned_id = 0x12345678;
}

static void destroy(void)
{
    loader_launch_free(&s->launch);
    loader_release();
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        loader_blob_free(&s->blob[i]);
    }
    free(s);
}

FIXTURE(NULL, destroy);

static struct loader_launch launch(void)
{
    struct penrose_error error = {0};
    loader_launch_free(&s->launch);
    enum penrose_status status = loader_launch_build(s->firmware, &s->request, &s->launch, &error);
    ck_assert_msg(status == PENROSE_OK, "%s", error.text);
    memset(s->l1, 0xa5, sizeof s->l1);
    for (unsigned i = 0; i < s->launch.writes.count; i++) {
        const struct loader_write *write = &s->launch.writes.write[i];
        memcpy(s->l1 + write->address, write->bytes, write->size);
    }
    return s->launch;
}

static uint64_t number_at(uint32_t address, uint32_t size)
{
    uint64_t value = 0;
    memcpy(&value, s->l1 + address, size);
    return value;
}

static void expect(uint32_t address, uint32_t size, uint64_t value)
{
    ck_assert_msg(number_at(address, size) == value, "0x%x: 0x%llx, expected 0x%llx", address,
                  (unsigned long long)number_at(address, size), (unsigned long long)value);
}

TEST(image)
{
    setup(false);
    struct loader_launch result = launch();
    ck_assert_uint_eq(result.image_address, 0x82b0);
    uint32_t end = result.image_address + result.image_size;
    for (uint32_t i = 0; i < LOADER_PROCESSORS; i++) {
        ck_assert_mem_eq(s->l1 + result.arguments_address[i], s->arguments[i], 12);
        ck_assert_mem_eq(s->l1 + result.kernel_address[i], s->blob[i].bytes, s->blob[i].size);
        ck_assert_uint_eq(result.kernel_address[i] % 16, 0);
        ck_assert_uint_eq(result.common_arguments_address[i] % 16, 0);
        ck_assert_uint_le(result.kernel_address[i] + s->blob[i].size, end);
        if (i) {
            expect(result.common_arguments_address[i], 4, 0xc0 + i);
            ck_assert_uint_eq(result.arguments_address[i], result.arguments_address[i - 1] + 12);
            ck_assert_uint_ge(result.kernel_address[i],
                              result.kernel_address[i - 1] + s->blob[i - 1].size);
        }
    }
    ck_assert_uint_eq(result.semaphores_address, result.image_address);
    ck_assert_uint_eq(result.arguments_address[0], result.semaphores_address + 48);
    expect(result.semaphores_address, 4, 7);
    expect(result.semaphores_address + 16, 4, 0);
    expect(result.semaphores_address + 32, 4, 9);
    uint32_t buffers = result.kernel_address[0] - 272;
    const uint32_t first[4] = {0x37000, 0x1800, 3, 0x800}, last[4] = {0x39000, 0x1000, 2, 0x800};
    ck_assert_mem_eq(s->l1 + buffers, first, 16);
    ck_assert_mem_eq(s->l1 + buffers + 256, last, 16);
    expect(buffers + 16, 8, 0);
    ck_assert_uint_eq(buffers % 16, 0);
    for (uint32_t i = 0; i < LOADER_PROCESSORS; i++) {
        ck_assert_uint_le(result.common_arguments_address[i] + 4, buffers);
    }
    ck_assert_uint_eq(s->l1[end], 0xa5);
    loader_launch_free(&s->launch);
    ck_assert_uint_eq(s->launch.writes.count, 0);
}

TEST(message_of_january)
{
    setup(false);
    struct loader_launch result = launch();
    uint32_t at = 0x70, base = 0x82b0;
    for (uint32_t i = 0; i < 3; i++) {
        expect(at + 4 * i, 4, base);
        expect(at + 12 + 2 * i, 2, result.semaphores_address - base);
    }
    expect(at + 18, 2, result.kernel_address[0] - 272 - base);
    expect(at + 20, 2, result.kernel_address[0] - base);
    uint32_t used = at + 22;
    for (uint32_t i = 0; i < LOADER_PROCESSORS; i++) {
        expect(used + 4 * i, 2, result.arguments_address[i] - base);
        expect(used + 4 * i + 2, 2, result.common_arguments_address[i] - base);
        expect(at + 44 + 4 * i, 4, result.kernel_address[i] - base);
    }
    expect(at + 42, 1, 1); /* HOST */
    expect(at + 43, 1, 0);
    expect(at + 64, 4, 0x10001);
    expect(at + 68, 1, 1); /* BRISC's NoC */
    expect(at + 69, 1, 0); /* dedicated */
    expect(at + 70, 1, 32);
    expect(at + 72, 4, 0x12345678);
    expect(at + 76, 4, 0x1f);
    for (uint32_t i = 80; i < 96; i++) { /* preload among them */
        expect(at + i, 1, 0);
    }
    expect(at + 96, 1, 0xa5); /* other slots stay */
}

TEST(newer_message)
{
    setup(true);
    s->buffers[0].id = 63;
    struct loader_launch result = launch();
    uint32_t at = 0x70;
    for (uint32_t i = 0; i < LOADER_PROCESSORS; i++) {
        expect(at + 52 + 4 * i, 4, result.kernel_address[i] - 0x82b0);
        expect(at + 72 + 4 * i, 4, s->blob[i].size);
    }
    expect(at + 96, 8, UINT64_C(0x8000000000000001));
    expect(at + 106, 1, 64);
    expect(at + 143, 1, 0); /* preload; num_sw_threads has no elements there */
}

/* The order: image, message, index, and last the go message. */
TEST(go)
{
    setup(false);
    s->request.dispatch = LOADER_DISPATCH_DEV;
    s->request.noc_mode = LOADER_NOC_DYNAMIC;
    s->request.slot = 7;
    s->request.go_index = 8;
    s->request.dispatch_message_offset = 3;
    s->request.master_x = 18;
    s->request.master_y = 2;
    struct loader_launch result = launch();
    ck_assert_uint_eq(result.writes.count, 4);
    ck_assert_uint_eq(result.writes.write[0].address, 0x82b0);
    ck_assert_uint_eq(result.writes.write[1].address, 0x70 + 7 * 96);
    ck_assert_uint_eq(result.writes.write[2].address, 0x3a0);
    ck_assert_uint_eq(result.writes.write[3].address, 0x370 + 8 * 4);
    expect(0x3a0, 4, 8);
    expect(0x390, 4, 0x80021203);
    expect(0x70 + 7 * 96 + 42, 1, 0); /* DEV */
    expect(0x70 + 7 * 96 + 69, 1, 1); /* dynamic */
}

TEST(nothing)
{
    setup(false);
    s->request = (struct loader_launch_request){0};
    struct loader_launch result = launch();
    ck_assert_uint_eq(result.image_size, 0);
    ck_assert_uint_eq(result.writes.count, 3);
    expect(0x70 + 76, 4, 0);
    ck_assert_uint_eq(result.kernel_address[0], 0);
}

/* Every combination of kernels: enables has their bits; the TRISCs come together. */
TEST(enables)
{
    setup(false);
    for (unsigned mask = 0; mask < 32; mask++) {
        struct loader_launch_request request = {0};
        for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
            request.kernel[i].blob = mask >> i & 1 ? &s->blob[i] : NULL;
        }
        s->request = request;
        struct loader_launch result;
        struct penrose_error error = {0};
        if (mask >> 2 == 0 || mask >> 2 == 7) {
            result = launch();
            expect(0x70 + 76, 4, mask);
            for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
                ck_assert_int_eq(result.kernel_address[i] != 0, mask >> i & 1);
            }
        } else {
            ck_assert_int_eq(loader_launch_build(s->firmware, &request, &result, &error),
                             PENROSE_E_ARGUMENT);
            check_words(error.text, (const char *const[]){"TRISC", "none or all", NULL});
        }
    }
}

/* Members of the setup that are changed, and words of the refusal. */
#define SET(member, value)                                                                         \
    {                                                                                              \
        offsetof(struct setup, member), sizeof((struct setup *)NULL)->member, value                \
    }
static const struct {
    struct {
        size_t at, size;
        uint64_t value;
    } change[3];
    const char *words[6];
} refusals[] = {
    {{SET(request.kernel[1].arguments_count, 341)},
     {"341 arguments and 1 common", "ncrisc", "at most 341"}},
    {{SET(request.kernel[1].arguments_count, UINT32_MAX),
      SET(request.kernel[1].common_arguments_count, UINT32_MAX)},
     {"4294967295", "ncrisc", "at most 341"}},
    {{SET(request.kernel[1].blob, 0)}, {"4 arguments for ncrisc", "no kernel"}},
    {{SET(blob[3].entry, 8)}, {"trisc1", "8 bytes", "expected 0", "_start first"}},
    {{SET(blob[0].size, 0)}, {"brisc", "0 bytes", "1572864"}},
    {{SET(blob[0].size, 0x180004)}, {"brisc", "1572868", "1572864"}},
    {{SET(request.semaphores_count, 17)}, {"semaphores 17", "0 to 16"}},
    {{SET(request.brisc_noc_id, 2)}, {"NoC id 2", "0 to 1"}},
    {{SET(request.dispatch, 2)}, {"dispatch mode 2", "0 to 1"}},
    {{SET(request.noc_mode, 7)}, {"NoC mode 7", "0 to 1"}},
    {{SET(request.slot, 8)}, {"launch slot 8", "0 to 7"}},
    {{SET(request.go_index, 9)}, {"go message index 9", "0 to 8"}},
    {{SET(request.ring_size, 0x180000)}, {"ring size", "1572864"}},
    {{SET(request.ring_size, 512)}, {"at most 512", "ring", "smaller kernels"}},
    {{SET(blob[0].size, 70 << 10)}, {"at most 70656", "ring", "ring_size"}},
    {{SET(buffers[0].id, 32)}, {"circular buffer 32", "0 to 31"}},
    {{SET(buffers[0].id, 0)}, {"circular buffer 0", "twice"}},
    {{SET(buffers[0].address, 0x39008)}, {"circular buffer 16", "0x39008", "multiples of 16"}},
    {{SET(buffers[0].page_size, 0x7f8)}, {"circular buffer 16", "2040", "multiples of 16"}},
    {{SET(buffers[0].size, 0xff0)}, {"circular buffer 16", "4080", "2 pages of 2048"}},
    {{SET(buffers[0].size, 0), SET(buffers[0].num_pages, 0)}, {"circular buffer 16 of 0 bytes"}},
    {{SET(buffers[0].size, 0x8000), SET(buffers[0].num_pages, 0x20001),
      SET(buffers[0].page_size, 0x8000)},
     {"circular buffer 16", "expected the product"}},
    {{SET(buffers[0].address, 0x17fff0)}, {"circular buffer 16", "0x180ff0", "0x180000"}},
    {{SET(buffers[0].address, 0x8300)},
     {"circular buffer 16", "0x8300", "0x82b0", "0x196b0 or later"}},
};

TEST_EACH(refused, COUNT(refusals))
{
    setup(false);
    for (int i = 0; i < COUNT(refusals[_i].change); i++) {
        memcpy((char *)s + refusals[_i].change[i].at, &refusals[_i].change[i].value,
               refusals[_i].change[i].size);
    }
    struct loader_launch result;
    struct penrose_error error = {0};
    ck_assert_int_eq(loader_launch_build(s->firmware, &s->request, &result, &error),
                     PENROSE_E_ARGUMENT);
    ck_assert_uint_eq(result.writes.count, 0);
    check_words(error.text, (const char *const[]){"launch: ", NULL});
    check_words(error.text, refusals[_i].words);
}

/* A firmware with narrower offsets than any known one. */
TEST(offset_too_large)
{
    setup(false);
    s->firmware->layout.kernel_config_remote_cb_offset.size = 1;
    struct loader_launch result;
    struct penrose_error error = {0};
    ck_assert_int_eq(loader_launch_build(s->firmware, &s->request, &result, &error),
                     PENROSE_E_ARGUMENT);
    ck_assert_uint_eq(result.writes.count, 0);
    check_words(error.text, (const char *const[]){"remote_cb_offset", "1 bytes", NULL});
}

/* At the limits everything still fits. */
TEST(limits)
{
    setup(true);
    uint32_t arguments[341] = {0}, semaphores[16] = {0};
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        s->request.kernel[i].arguments = arguments;
        s->request.kernel[i].arguments_count = 341;
        s->request.kernel[i].common_arguments_count = 0;
    }
    s->request.semaphores = semaphores;
    s->request.semaphores_count = 16;
    s->buffers[0] = (struct loader_circular_buffer){63, 0x17fff0, 16, 1, 16};
    s->request.ring_size = 0x180000 - 0x82b0;
    struct loader_launch result = launch();
    ck_assert_uint_gt(result.image_size, 5 * 341 * 4);
}

/* --- The way back --- */

static bool read_l1(void *context, uint32_t address, void *bytes, size_t size)
{
    const struct setup *setup = context;
    if (address > sizeof setup->l1 || size > sizeof setup->l1 - address) {
        return false;
    }
    memcpy(bytes, setup->l1 + address, size);
    return true;
}

static struct loader_launched launched_now(void)
{
    struct loader_launched launched;
    loader_launched_read(&s->firmware->layout,
                         (struct loader_memory){.read = read_l1, .context = s}, &launched);
    return launched;
}

/* A span begins with what was given; what is behind it up to the next block comes with it. */
static void expect_span(struct loader_span span, uint32_t address, uint32_t bytes)
{
    ck_assert_uint_ge(span.size, bytes);
    ck_assert_uint_lt(span.size, bytes + 16);
    ck_assert_uint_eq(span.address, address);
}

TEST_EACH(a_launch_is_read_back, 2)
{
    setup(_i);
    s->request.slot = 1;
    s->request.kernel[LOADER_NCRISC] = (struct loader_kernel){.blob = NULL};
    struct loader_launch result = launch();
    const struct loader_layout *layout = &s->firmware->layout;
    const struct loader_memory memory = {.read = read_l1, .context = s};
    memset(s->l1 + layout->mailbox_base + layout->mailboxes_launch_msg_rd_ptr.offset, 0, 4);
    s->l1[layout->mailbox_base + layout->mailboxes_launch_msg_rd_ptr.offset] = 1;
    ck_assert_uint_eq(loader_launch_slot(layout, memory), 1);
    ck_assert_uint_eq(loader_launch_go_index(layout, memory), 0);
    ck_assert_uint_eq(s->l1[loader_go_signal(layout, memory)], layout->RUN_MSG_GO);
    struct loader_launched launched = launched_now();
    ck_assert_uint_eq(launched.base, result.image_address);
    ck_assert_uint_eq(launched.kernels_at, result.kernel_address[0]);
    for (uint32_t i = 0; i < LOADER_PROCESSORS; i++) {
        const struct loader_launched_kernel *kernel = &launched.kernel[i];
        ck_assert_uint_eq(kernel->runs, i != LOADER_NCRISC);
        if (kernel->runs) {
            ck_assert_uint_eq(kernel->address, result.kernel_address[i]);
            expect_span(kernel->arguments, result.arguments_address[i], 12);
            ck_assert_uint_eq(kernel->common_arguments.address, result.common_arguments_address[i]);
        }
    }
    expect_span(launched.kernel[LOADER_TRISC1].common_arguments,
                result.common_arguments_address[LOADER_TRISC1], 4);
    expect_span(launched.semaphores, result.semaphores_address, 48);
    ck_assert_uint_eq(launched.buffers, 2);
    ck_assert_uint_eq(launched.buffer[0].id, 0);
    ck_assert_mem_eq(&launched.buffer[1], &s->buffers[0], sizeof s->buffers[0]);
    ck_assert(!launched.has_remote_buffers);
    ck_assert_uint_eq(launched.brisc_noc, 1);
    ck_assert_int_eq(launched.noc_mode, LOADER_NOC_DEDICATED);
    ck_assert_uint_eq(launched.id, 0x12345678);
}

/* Whatever L1 holds is answered, and nothing beyond it is read. */
TEST(anything_is_read_back)
{
    setup(true);
    launch();
    const struct loader_layout *layout = &s->firmware->layout;
    uint32_t start = layout->mailbox_base + layout->mailboxes_launch.offset;
    for (unsigned value = 0; value < 256; value += 51) {
        for (uint32_t at = 0; at < layout->launch_msg_size; at++) {
            uint8_t old = s->l1[start + at];
            s->l1[start + at] = (uint8_t)value;
            struct loader_launched launched = launched_now();
            ck_assert_uint_le(launched.buffers, LOADER_MOST_BUFFERS);
            ck_assert_uint_le(launched.kernel[0].arguments.size, 4 * LOADER_MAX_ARGUMENTS);
            ck_assert_uint_le(launched.semaphores.size, 16 * LOADER_MAX_SEMAPHORES);
            s->l1[start + at] = old;
        }
    }
    memset(s->l1 + start, 0, layout->launch_msg_size);
    ck_assert_uint_eq(launched_now().base, 0);
}
