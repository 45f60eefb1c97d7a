/*
 * Circular buffers of the kernels that were launched last, and what L1 is used for; see dump.h.
 * Both come from tt-metal's launch message and need firmware whose layout is known.
 */
#include "chip/chip.h"
#include "metal/buffers.h"
#include "metal/firmware.h"
#include "observe/dump/parts.h"
#include "tensix/exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/json_text.h"
#include "loader/launched.h"
#include "loader/tensor.h"

enum { TILE_SIDE = 32 };

/* --- The launch message --- */

struct launched {
    const struct loader_layout *layout; /* NULL: not known */
    struct loader_launched by;          /* base 0: nothing */
};

static struct launched find_launched(const struct dump_scene *scene)
{
    struct tile *tile = scene->tile;
    struct launched launched = {.layout = metal_layout(scene->chip, tile)};
    if (tile->kind->type == TILE_TENSIX && !launched.layout && scene->firmware) {
        launched.layout = &scene->firmware->loader->layout;
    }
    if (launched.layout && tile->kind->type == TILE_TENSIX) {
        loader_launched_read(launched.layout, metal_l1(tile), &launched.by);
    }
    return launched;
}

/* --- The format of pages --- */

struct page_format {
    bool is_known;
    enum num_format format;
    const char *from;
};

/* Does a unit work on the buffer? Its addresses count 16 bytes, and LLK's are one too low. */
static bool works_on(const struct loader_circular_buffer *buffer, uint32_t unit_address)
{
    uint64_t address = ((uint64_t)(unit_address & INT32_MAX) + 1) * 16;
    return address >= buffer->address && address < (uint64_t)buffer->address + buffer->size;
}

/* Of a tile of 32x32, in formats that no other shares its size with. */
static struct page_format guess_format(const struct loader_circular_buffer *buffer)
{
    static const enum num_format formats[] = {NUM_FORMAT_FLOAT32, NUM_FORMAT_FLOAT16_B,
                                              NUM_FORMAT_BFP8_B, NUM_FORMAT_BFP4_B};
    for (unsigned i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct loader_tensor tile = {.form = {.format = formats[i], .layout = LOADER_TILES},
                                     .rows = TILE_SIDE,
                                     .columns = TILE_SIDE};
        if (loader_tensor_size(&tile) == buffer->page_size) {
            return (struct page_format){true, formats[i], "page_size"};
        }
    }
    return (struct page_format){.is_known = false};
}

static struct page_format find_format(const struct tensix *tensix,
                                      const struct loader_circular_buffer *buffer)
{
    static const struct {
        uint16_t base, descriptor; /* words; the format is in the lowest bits of the latter */
    } unpackers[] = {{TENSIX_WORD_THCON_SEC0_REG3_Base_address,
                      TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor_in_data_format},
                     {TENSIX_WORD_THCON_SEC1_REG3_Base_address,
                      TENSIX_WORD_THCON_SEC1_REG0_TileDescriptor_in_data_format}};
    unsigned unpack = tensix_state_id(tensix, 0), pack = tensix_state_id(tensix, 2);
    for (unsigned i = 0; i < 2; i++) {
        if (works_on(buffer, tensix->config[unpack][unpackers[i].base])) {
            uint32_t code = tensix->config[unpack][unpackers[i].descriptor] & 0xf;
            return (struct page_format){true, (enum num_format)code, "unpacker"};
        }
    }
    if (works_on(buffer, tensix_get_THCON_SEC0_REG1_L1_Dest_addr(tensix, pack))) {
        unsigned code = tensix_get_THCON_SEC0_REG1_Out_data_format(tensix, pack);
        return (struct page_format){true, (enum num_format)code, "packer"};
    }
    return guess_format(buffer);
}

/* --- Circular buffers --- */

static void put_pages_as_bytes(struct dump_scene *scene,
                               const struct loader_circular_buffer *buffer)
{
    const uint32_t shape[DUMP_DIMENSIONS] = {buffer->num_pages, buffer->page_size};
    char name[DUMP_NAME];
    snprintf(name, sizeof name, "cb_%u_bytes", buffer->id);
    dump_add_array(scene, name, LOADER_NPY_UNSIGNED, 1, shape, scene->tile->l1 + buffer->address);
}

/* As tiles where pages hold whole ones, else row by row. */
static void put_pages_as_numbers(struct dump_scene *scene,
                                 const struct loader_circular_buffer *buffer,
                                 enum num_format format)
{
    const struct num_format_info *info = num_format_info(format);
    struct loader_tensor tensor = {.form = {.format = format, .layout = LOADER_TILES},
                                   .rows = TILE_SIDE,
                                   .columns = TILE_SIDE};
    uint32_t shape[DUMP_DIMENSIONS] = {0, TILE_SIDE, TILE_SIDE};
    struct loader_npy numbers = {0};
    char name[DUMP_NAME];
    uint64_t tile_bytes = info ? loader_tensor_size(&tensor) : 0;
    if (!info || (buffer->page_size % tile_bytes && (info->is_block || info->bits < 8))) {
        return;
    }
    if (buffer->page_size % tile_bytes == 0) {
        shape[0] = (uint32_t)(buffer->num_pages * (buffer->page_size / tile_bytes));
        tensor.rows = shape[0] * TILE_SIDE;
    } else {
        shape[0] = tensor.rows = buffer->num_pages;
        shape[1] = tensor.columns = buffer->page_size / (info->bits / 8U);
        shape[2] = 0;
        tensor.form.layout = LOADER_ROWS;
        if (!shape[1] || buffer->page_size % (info->bits / 8U)) {
            return;
        }
    }
    snprintf(name, sizeof name, "cb_%u", buffer->id);
    (void)loader_tensor_decode(&tensor, scene->tile->l1 + buffer->address, &numbers);
    json_t *about = dump_add_made(scene, name, &numbers, shape);
    json_object_set_new(about, "num_format", json_text(loader_tensor_format_name(&tensor.form)));
}

static void put_buffer(struct dump_scene *scene, const struct loader_layout *layout,
                       const struct loader_circular_buffer *buffer, json_t *list)
{
    const struct overlay *overlay = &scene->tile->overlay;
    struct page_format format = find_format(&scene->tile->tensix, buffer);
    unsigned stream = metal_first_buffer_stream(layout) + buffer->id;
    uint32_t received = overlay_register(overlay, stream, METAL_PAGES_RECEIVED) & 0xffff;
    uint32_t acknowledged = overlay_register(overlay, stream, METAL_PAGES_ACKNOWLEDGED) & 0xffff;
    json_t *object = json_object();
    dump_put(object, buffer->id, "id");
    dump_put(object, buffer->address, "address");
    dump_put(object, buffer->size, "size");
    dump_put(object, buffer->num_pages, "pages");
    dump_put(object, buffer->page_size, "page_size");
    dump_put(object, received, "received");
    dump_put(object, acknowledged, "acknowledged");
    if (0x10000 % buffer->num_pages == 0) { /* else counts that have wrapped mean another page */
        dump_put(object, acknowledged % buffer->num_pages, "read_page");
    }
    put_pages_as_bytes(scene, buffer);
    if (format.is_known && num_format_info(format.format)) {
        json_object_set_new(object, "format", json_text(num_format_info(format.format)->name));
        json_object_set_new(object, "format_from", json_text(format.from));
        put_pages_as_numbers(scene, buffer, format.format);
    }
    json_array_append_new(list, object);
}

void dump_buffers(struct dump_scene *scene)
{
    struct launched launched = find_launched(scene);
    json_t *list = json_array();
    if (!launched.by.base) {
        json_decref(list);
        return;
    }
    for (unsigned i = 0; i < launched.by.buffers; i++) {
        put_buffer(scene, launched.layout, &launched.by.buffer[i], list);
    }
    dump_add_json(scene, "circular_buffers", list);
}

/* --- The map of L1 --- */

struct segment {
    uint32_t start, end;
    const char *kind;
    char name[64];
};

enum { SEGMENTS = 256, LINE_BYTES = 64, LEAST_ZEROS = 1024 };

/* What is known, in any order. */
struct l1_use {
    struct segment segment[SEGMENTS];
    unsigned segments;
};

static void add_segment(struct l1_use *use, const struct tile *tile, uint64_t start, uint64_t size,
                        const char *kind, const char *name)
{
    if (use->segments == SEGMENTS || size == 0 || start >= tile->kind->l1_bytes) {
        return;
    }
    uint64_t room = tile->kind->l1_bytes - start;
    struct segment *segment = &use->segment[use->segments++];
    *segment = (struct segment){.start = (uint32_t)start,
                                .end = (uint32_t)(start + (size < room ? size : room)),
                                .kind = kind};
    snprintf(segment->name, sizeof segment->name, "%s", name);
}

static bool is_of_firmware(const struct penrose_firmware *firmware, const struct loader_elf *elf)
{
    bool is_one = false;
    for (unsigned i = 0; firmware && i < LOADER_PROCESSORS; i++) {
        const struct loader_elf *own = firmware->loader->elf[i];
        is_one |= own == elf || strcmp(loader_elf_path(own), loader_elf_path(elf)) == 0;
    }
    return is_one;
}

const char *dump_role(const struct penrose_chip *chip, const struct image *image)
{
    uint16_t place;
    const struct penrose_firmware *firmware =
        chip_find(chip, image->x, image->y, &place) ? chip->place[place].firmware : NULL;
    return image->is_kernel                       ? "kernel"
           : is_of_firmware(firmware, image->elf) ? "firmware"
                                                  : "program";
}

static void add_images(struct l1_use *use, const struct dump_scene *scene)
{
    const struct images *images = &scene->chip->head.images;
    const struct tile *tile = scene->tile;
    for (size_t i = 0; i < images->count; i++) {
        const struct image *image = &images->image[i];
        if (image->x == tile->x && image->y == tile->y) {
            const char *path = loader_elf_name(image->elf), *slash = strrchr(path, '/');
            bool is_kernel = strcmp(dump_role(scene->chip, image), "kernel") == 0;
            add_segment(use, tile, image->base, image->size, is_kernel ? "kernel" : "firmware",
                        slash ? slash + 1 : path);
        }
    }
}

static int compare_segments(const void *a, const void *b)
{
    const struct segment *first = a, *second = b;
    return first->start < second->start ? -1 : first->start > second->start;
}

static void put_segment(json_t *list, uint32_t start, uint32_t end, const char *kind,
                        const char *name)
{
    json_t *object = json_object();
    dump_put(object, start, "start");
    dump_put(object, end - start, "size");
    json_object_set_new(object, "kind", json_text(kind));
    if (*name) {
        json_object_set_new(object, "name", json_text(name));
    }
    json_array_append_new(list, object);
}

static bool is_all_zero(const uint8_t *bytes, size_t size)
{
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* How far zeros go from `start` on, in lines. */
static uint32_t zeros_end(const struct tile *tile, uint32_t start, uint32_t end)
{
    while (start < end) {
        uint32_t next = start / LINE_BYTES * LINE_BYTES + LINE_BYTES;
        next = next < end ? next : end;
        if (!is_all_zero(tile->l1 + start, next - start)) {
            break;
        }
        start = next;
    }
    return start;
}

/* What nobody knows the use of: data, and long runs of zeros. */
static void put_unknown(json_t *list, const struct tile *tile, uint32_t start, uint32_t end)
{
    uint32_t data = start;
    for (uint32_t at = start; at < end;) {
        uint32_t zeros = zeros_end(tile, at, end);
        if (zeros - at >= LEAST_ZEROS || (zeros > at && data == at && zeros == end)) {
            if (at > data) {
                put_segment(list, data, at, "data", "");
            }
            put_segment(list, at, zeros, "zero", "");
            data = at = zeros;
        } else {
            at = zeros + LINE_BYTES < end ? zeros / LINE_BYTES * LINE_BYTES + LINE_BYTES : end;
        }
    }
    if (end > data) {
        put_segment(list, data, end, "data", "");
    }
}

/* All that is known, in order. */
static void gather_use(struct l1_use *use, const struct dump_scene *scene)
{
    const struct tile *tile = scene->tile;
    const struct launched launched = find_launched(scene);
    add_images(use, scene);
    if (launched.layout) {
        add_segment(use, tile, launched.layout->mailbox_base, launched.layout->mailboxes_size,
                    "mailboxes", "");
    }
    if (launched.by.kernels_at > launched.by.base) {
        add_segment(use, tile, launched.by.base, launched.by.kernels_at - launched.by.base,
                    "kernel_config", "");
    }
    for (unsigned i = 0; i < launched.by.buffers; i++) {
        const struct loader_circular_buffer *buffer = &launched.by.buffer[i];
        char name[16];
        snprintf(name, sizeof name, "cb%u", buffer->id);
        add_segment(use, tile, buffer->address, buffer->size, "circular_buffer", name);
    }
    qsort(use->segment, use->segments, sizeof use->segment[0], compare_segments);
}

void dump_l1_map(struct dump_scene *scene)
{
    const struct tile *tile = scene->tile;
    struct l1_use *use = calloc(1, sizeof *use);
    json_t *list = json_array();
    uint32_t at = 0;
    scene->to->failed |= !use || !list;
    if (use) {
        gather_use(use, scene);
    }
    for (unsigned i = 0; use && i < use->segments; i++) {
        const struct segment *segment = &use->segment[i];
        uint32_t start = segment->start > at ? segment->start : at;
        if (segment->end > at) { /* else something lies over it */
            put_unknown(list, tile, at, start);
            put_segment(list, start, segment->end, segment->kind, segment->name);
            at = segment->end;
        }
    }
    put_unknown(list, tile, at, tile->kind->l1_bytes);
    free(use);
    json_object_set_new(scene->to->about, "l1_map", list);
}
