/* Comparing memory: words of 32 bits, by the segments of the tile's map of L1. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/error.h"
#include "observe/compare/internal.h"

enum { WORD = 4 };

/* Where memory lies on one side: a segment of the map. */
struct map_segment {
    uint64_t start, end;
    const char *kind, *name;
};

/* The segment that holds an address; of a map that says nothing about it, all of the memory. */
static struct map_segment segment_at(const json_t *map, uint64_t address)
{
    const json_t *entry;
    size_t i;
    json_array_foreach(map, i, entry)
    {
        const json_t *start = json_object_get(entry, "start"),
                     *size = json_object_get(entry, "size");
        if (!json_is_integer(start) || !json_is_integer(size)) {
            continue;
        }
        uint64_t first = (uint64_t)json_integer_value(start);
        uint64_t bytes = (uint64_t)json_integer_value(size);
        if (address >= first && address - first < bytes) {
            const char *kind = json_string_value(json_object_get(entry, "kind"));
            const char *name = json_string_value(json_object_get(entry, "name"));
            return (struct map_segment){first, first + bytes, kind ? kind : "", name ? name : ""};
        }
    }
    return (struct map_segment){0, UINT64_MAX, "", ""};
}

/* Two images under way, and where they stand. */
struct memory_pair {
    const char *name;
    const json_t *map_a, *map_b;
    struct map_segment a, b; /* of the latest address */
    bool leaves_out_zero_a, leaves_out_zero_b;
    size_t whole, part; /* numbers of the parts of all of the memory, and of the latest address;
                           SIZE_MAX: none yet */
    uint64_t compared, left_out;
};

static bool is_covered(const struct compare_run *run, uint64_t address)
{
    for (unsigned i = 0; i < run->ranges; i++) {
        if (address >= run->range[i].start && address < run->range[i].end) {
            return true;
        }
    }
    return false;
}

/* What the side does not have: the bytes there say nothing. */
static bool is_unknown_kind(const struct map_segment *segment)
{
    return strcmp(segment->kind, "unknown") == 0;
}

static bool is_zero_kind(const struct map_segment *segment)
{
    return strcmp(segment->kind, "zero") == 0;
}

/* Turns to the segments that hold `address`; a name that both sides give a segment is told once. */
static void turn_to_segments(struct memory_pair *pair, uint64_t address)
{
    if (address < pair->a.start || address >= pair->a.end) {
        pair->a = segment_at(pair->map_a, address);
        pair->part = SIZE_MAX;
    }
    if (address < pair->b.start || address >= pair->b.end) {
        pair->b = segment_at(pair->map_b, address);
        pair->part = SIZE_MAX;
    }
}

/* "circular_buffer cb16", from the side that knows more than that there is something. */
static void describe_segment(const struct memory_pair *pair, char text[COMPARE_DETAIL])
{
    const struct map_segment *segment =
        is_zero_kind(&pair->a) || !*pair->a.kind ? &pair->b : &pair->a;
    segment = *segment->kind ? segment : &pair->a;
    snprintf(text, COMPARE_DETAIL, "%.24s%s%.36s", segment->kind, *segment->name ? " " : "",
             segment->name);
}

/* Two words that differ. */
static void compare_word(struct compare_run *run, struct memory_pair *pair, uint64_t address,
                         uint32_t a, uint32_t b)
{
    if ((pair->leaves_out_zero_a && is_zero_kind(&pair->a)) ||
        (pair->leaves_out_zero_b && is_zero_kind(&pair->b))) {
        pair->compared--;
        pair->left_out++;
        return;
    }
    if (pair->part == SIZE_MAX) {
        char detail[COMPARE_DETAIL];
        describe_segment(pair, detail);
        if (*detail && !compare_add_part(run, pair->name, detail, "words")) {
            return;
        }
        pair->part = *detail ? run->result->parts - 1 : pair->whole;
    }
    struct compare_item item = {.ulps = -1, .index = address};
    const char *tile = compare_tile_name(run);
    snprintf(item.name, sizeof item.name, "%s%s%s[0x%llx]", tile, *tile ? "/" : "", pair->name,
             (unsigned long long)(run->options->base + address));
    snprintf(item.a, sizeof item.a, "0x%08x", a);
    snprintf(item.b, sizeof item.b, "0x%08x", b);
    compare_add_item(run, &run->result->part[pair->part], &item);
}

void compare_cover(struct compare_run *run, uint64_t start, uint64_t size)
{
    if (run->ranges < COMPARE_MOST_RANGES) {
        run->range[run->ranges++] = (struct compare_range){start, start + size};
    }
}

/* Memory that the one side has never written is whatever it was on a card. */
static bool leaves_out_zero(const struct compare_run *run, const struct dump_files *side,
                            const struct dump_files *other)
{
    return run->a && compare_leaves_out(run, "l1:zero") &&
           strcmp(dump_text(side, "source"), "card") != 0 &&
           strcmp(dump_text(other, "source"), "card") == 0;
}

static uint32_t image_word_at(const struct loader_npy *image, size_t address, size_t size)
{
    uint32_t word = 0; /* the last one may be cut */
    memcpy(&word, image->data + address, size - address < WORD ? size - address : WORD);
    return word;
}

/* What only the other side has. */
static void note_unknown(struct compare_run *run, const char *name, const json_t *map,
                         const char *other)
{
    const json_t *entry;
    size_t i;
    json_array_foreach(map, i, entry)
    {
        uint64_t start = (uint64_t)json_integer_value(json_object_get(entry, "start"));
        const struct map_segment segment = segment_at(map, start);
        if (is_unknown_kind(&segment)) {
            compare_note(run, "%s/%s: only %s has what lies from 0x%" PRIx64 " to 0x%" PRIx64,
                         compare_tile_name(run), name, other, segment.start, segment.end);
        }
    }
}

/* A word of a buffer that is compared as memory is chosen by the buffer's name, too. */
static enum compare_choice choose_word(const struct compare_run *run,
                                       const struct memory_pair *pair, uint64_t address)
{
    static const char kind[] = "circular_buffer";
    const bool is_of_a = strcmp(pair->a.kind, kind) == 0;
    const struct map_segment *segment = is_of_a ? &pair->a : &pair->b;
    char name[COMPARE_NAME];
    snprintf(name, sizeof name, "%s[0x%" PRIx64 "]", pair->name, run->options->base + address);
    enum compare_choice choice = compare_choose(run, name);
    if (choice == COMPARE_UNWANTED && run->options->buffers_as_memory &&
        strcmp(segment->kind, kind) == 0 && strncmp(segment->name, "cb", 2) == 0) {
        snprintf(name, sizeof name, "cb_%.64s", segment->name + 2);
        choice = compare_wants_part(run, name) ? COMPARE_TAKE : COMPARE_UNWANTED;
    }
    return choice;
}

/* Does the side have all of a range? */
static bool has_range(const json_t *map, size_t size, uint64_t start, uint64_t end)
{
    bool is_there = start < end && end <= size;
    for (uint64_t at = start; is_there && at < end;) {
        const struct map_segment segment = segment_at(map, at);
        is_there = !is_unknown_kind(&segment);
        at = segment.end;
    }
    return is_there;
}

/* The numbers of a region as an array. */
static bool decode_region(const struct compare_region *region, const struct loader_npy *memory,
                          uint64_t start, struct loader_npy *array)
{
    if (!loader_tensor_decode(&region->tensor, memory->data + start, array)) {
        return false;
    }
    array->dimensions = 2;
    array->shape[0] = region->tensor.rows;
    array->shape[1] = region->tensor.columns;
    return true;
}

/* Compares a region as numbers, and notes that its words are. */
static enum penrose_status compare_region(struct compare_run *run, const struct memory_pair *pair,
                                          const struct compare_region *region,
                                          const struct loader_npy *a, const struct loader_npy *b)
{
    const uint64_t start = region->address - run->options->base;
    const uint64_t end = start + loader_tensor_size(&region->tensor);
    const bool is_in_a = has_range(pair->map_a, (size_t)a->rows * a->columns, start, end);
    const bool is_in_b = has_range(pair->map_b, (size_t)b->rows * b->columns, start, end);
    const struct compare_form form = {.format = &region->tensor.form.format};
    struct loader_npy x = {0}, y = {0};
    char name[COMPARE_DETAIL];
    enum penrose_status status = PENROSE_OK;
    snprintf(name, sizeof name, "%s_0x%" PRIx64, pair->name, region->address);
    if (!is_in_a || !is_in_b) {
        compare_note(run, "%s%s%s: %s does not have all of it", compare_tile_name(run),
                     run->tile_a ? "/" : "", name, is_in_a ? "B" : "A");
    } else if (compare_wants_part(run, name)) {
        bool is_decoded =
            decode_region(region, a, start, &x) && decode_region(region, b, start, &y);
        run->result->ran_out |= !is_decoded;
        status = is_decoded ? compare_arrays(run, name, &x, &y, form) : PENROSE_OK;
        compare_cover(run, start, end - start);
    }
    loader_npy_free(&x);
    loader_npy_free(&y);
    return status;
}

static void compare_words(struct compare_run *run, struct memory_pair *pair,
                          const struct loader_npy *a, const struct loader_npy *b, size_t size)
{
    bool is_whole = compare_is_whole(run, pair->name);
    enum compare_choice choice = compare_choose(run, pair->name);
    for (size_t i = 0; i < size; i += WORD) {
        uint32_t x = image_word_at(a, i, size), y = image_word_at(b, i, size);
        turn_to_segments(pair, i);
        choice = is_whole ? choice : choose_word(run, pair, i);
        bool is_compared = choice == COMPARE_TAKE && !is_covered(run, i) &&
                           !is_unknown_kind(&pair->a) && !is_unknown_kind(&pair->b);
        pair->compared += is_compared;
        pair->left_out += choice == COMPARE_VOLATILE;
        if (is_compared && x != y) {
            compare_word(run, pair, i, x, y);
        }
    }
}

enum penrose_status compare_memory(struct compare_run *run, const char *name,
                                   const struct loader_npy *a, const struct loader_npy *b)
{
    size_t size_a = (size_t)a->rows * a->columns, size_b = (size_t)b->rows * b->columns;
    size_t size = size_a < size_b ? size_a : size_b;
    bool is_l1 = strcmp(name, "l1") == 0;
    struct memory_pair pair = {.name = name, .part = SIZE_MAX};
    if (is_l1 && run->tile_a) {
        pair.map_a = run->tile_a->l1_map;
        pair.map_b = run->tile_b->l1_map;
        pair.leaves_out_zero_a = leaves_out_zero(run, run->a, run->b);
        pair.leaves_out_zero_b = leaves_out_zero(run, run->b, run->a);
    }
    enum penrose_status status = PENROSE_OK;
    for (size_t i = 0; i < run->options->regions && !status && (is_l1 || !run->tile_a); i++) {
        status = compare_region(run, &pair, &run->options->region[i], a, b);
    }
    if (status || !compare_add_part(run, name, "", "words")) {
        return status;
    }
    pair.whole = run->result->parts - 1;
    note_unknown(run, name, pair.map_a, "B");
    note_unknown(run, name, pair.map_b, "A");
    compare_words(run, &pair, a, b, size);
    run->result->part[pair.whole].compared = pair.compared;
    run->result->part[pair.whole].left_out = pair.left_out;
    if (size_a != size_b) {
        compare_note(run, "%s%s%s: only %s has what lies from 0x%zx to 0x%zx",
                     compare_tile_name(run), run->tile_a ? "/" : "", name,
                     size_a > size_b ? "A" : "B", (size_t)run->options->base + size,
                     (size_t)run->options->base + (size_a > size_b ? size_a : size_b));
    }
    return PENROSE_OK;
}
