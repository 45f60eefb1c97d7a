/* Writing dumps: penrose/dump.h. */
#include "observe/dump/dump.h"

#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "chip/dram.h"
#include "isa/error.h"
#include "isa/json_text.h"
#include "observe/dump/html.h"
#include "chip/chip.h"
#include "cluster/cluster.h"
#include "observe/dump/parts.h"

/* --- The manifest --- */

/* Items that differ without anything being wrong. */
static const char *const volatile_items[] = {
    "tile/cycle",
    "tile/wall_clock",
    "harts/*.mcycle",
    "harts/*.mcycleh",
    "harts/*.minstret",
    "harts/*.minstreth",
    "harts/*.cycle",
    "harts/*.cycleh",
    "harts/*.instret",
    "harts/*.instreth",
    "harts/*.mhpmcounter*",
    "noc/*.NIU_MST_*",
    "noc/*.NIU_SLV_*",
    "noc/*.NIU_TRANS_COUNT_RTZ_*",
    "noc/*.ROUTER_DEBUG*",
    "noc/*.NIU_DEBUG*",
    "noc/*.PORT_FLIT_COUNTER*",
    "gates/*.queued",
    "dst_cleared*",
    "l1:zero",
};

static json_t *list_volatile(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof volatile_items / sizeof volatile_items[0]; i++) {
        json_array_append_new(list, json_text(volatile_items[i]));
    }
    return list;
}

/* The command line of the process, as far as it is text. */
static json_t *list_command(void)
{
    json_t *list = json_array();
    char text[64 << 10];
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = 0;
    for (size_t at = 0; at < length; at += strlen(text + at) + 1) {
        json_t *word = json_text(text + at);
        json_array_append_new(list, word ? word : json_string("?"));
    }
    if (file) {
        fclose(file);
    }
    return list;
}

static json_t *describe_fault(const struct penrose_fault *fault)
{
    json_t *object = json_object();
    json_object_set_new(object, "kind", json_text(arch_fault_name(fault->kind)));
    dump_put(object, fault->x, "x");
    dump_put(object, fault->y, "y");
    json_object_set_new(object, "hart", json_text(fault->hart_name));
    dump_put(object, fault->cycle, "cycle");
    dump_put(object, fault->pc, "pc");
    json_object_set_new(object, "rule", json_text(fault->rule));
    const struct {
        const char *name, *text;
    } known[] = {
        {"symbol", fault->symbol}, {"source", fault->source}, {"disassembly", fault->disassembly}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (*known[i].text) {
            json_object_set_new(object, known[i].name, json_text(known[i].text));
        }
    }
    if (*fault->inlined_at[0]) {
        json_object_set_new(object, "inlined_at", dump_fault_calls(fault));
    }
    return object;
}

static json_t *list_faults(struct penrose_chip *chip)
{
    json_t *list = json_array();
    struct penrose_fault fault;
    for (size_t i = 0; chip_fault_get(chip, i, &fault); i++) {
        json_array_append_new(list, describe_fault(&fault));
    }
    return list;
}

static json_t *list_elfs(const struct penrose_chip *chip)
{
    json_t *list = json_array();
    for (size_t i = 0; i < chip->head.images.count; i++) {
        const struct image *image = &chip->head.images.image[i];
        json_t *object = json_object();
        char id[LOADER_BUILD_ID];
        dump_put(object, image->x, "x");
        dump_put(object, image->y, "y");
        json_object_set_new(object, "path", json_text(loader_elf_path(image->elf)));
        if (loader_elf_build_id(image->elf, id)) {
            json_object_set_new(object, "build_id", json_text(id));
        }
        dump_put(object, image->base, "address");
        dump_put(object, image->size, "size");
        dump_put(object, image->link_base, "link_address");
        json_object_set_new(object, "role", json_text(dump_role(chip, image)));
        const char *hart = chip_hart_name_at(chip, image->x, image->y, image->hart);
        if (hart) {
            json_object_set_new(object, "hart", json_text(hart));
        }
        json_array_append_new(list, object);
    }
    return list;
}

json_t *dump_manifest(struct penrose_chip *chip, const char *reason, const char *text)
{
    char hash[20];
    json_t *manifest = json_object(), *producer = json_object(), *why = json_object();
    if (!chip->shares_time) { /* in the middle of a run there is none */
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)chip_state_hash(chip));
        json_object_set_new(manifest, "state_hash", json_text(hash));
    }
    json_object_set_new(manifest, "format", json_string("penrose-dump"));
    dump_put(manifest, DUMP_VERSION, "version");
    json_object_set_new(producer, "name", json_string("penrose"));
    json_object_set_new(producer, "version", json_text(PACKAGE_VERSION));
    json_object_set_new(manifest, "producer", producer);
    json_object_set_new(manifest, "source", json_string("emulator"));
    json_object_set_new(manifest, "chip", json_text(chip->arch->name));
    json_object_set_new(manifest, "card", json_text(chip_card(chip)));
    if (cluster_of(chip)->chips > 1) {
        dump_put(manifest, chip->head.number, "chip_number");
    }
    json_object_set_new(manifest, "clock_mhz", json_real(chip_clock_mhz(chip)));
    dump_put(manifest, chip_now(chip), "cycle");
    json_object_set_new(manifest, "command", list_command());
    json_object_set_new(why, "kind", json_text(reason ? reason : "request"));
    if (text) {
        json_object_set_new(why, "text", json_text(text));
    }
    json_object_set_new(manifest, "reason", why);
    json_object_set_new(manifest, "faults", list_faults(chip));
    json_object_set_new(manifest, "elfs", list_elfs(chip));
    json_object_set_new(manifest, "volatile", list_volatile());
    json_object_set_new(manifest, "tiles", json_array());
    return manifest;
}

/* --- The dump --- */

struct dump_writer {
    struct penrose_chip *chip;
    const char *directory;
    unsigned groups;
    const struct penrose_firmware *firmware;
    json_t *manifest;
    struct dump_page *page; /* NULL: no pictures */
};

static enum penrose_status write_one(struct dump_writer *writer, struct penrose_place at,
                                     struct penrose_error *error)
{
    struct dump_tile tile;
    enum penrose_status status =
        dump_collect(writer->chip, at, writer->groups, writer->firmware, &tile, error);
    if (status == PENROSE_OK) {
        status = dump_write_tile(writer->directory, &tile, writer->manifest, error);
    }
    if (status == PENROSE_OK && writer->page) {
        dump_page_add(writer->page, &tile);
    }
    dump_tile_free(&tile);
    return status;
}

/* Where the GDDR of a bank is to be written by itself: as the first of its tiles that is not in the
 * dump. False: a tile that is has it already. */
static bool find_place_of_bank(const struct dump_writer *writer, unsigned bank,
                               struct penrose_place *at)
{
    const json_t *tiles = json_object_get(writer->manifest, "tiles"), *tile;
    bool has_place = false;
    for (unsigned port = 0; port < DRAM_PORTS; port++) {
        const struct grid_position place =
            chip_logical(writer->chip, writer->chip->bank[bank].port[port].node);
        const struct penrose_place here = {place.x, place.y};
        bool is_in_dump = false;
        size_t i;
        json_array_foreach(tiles, i, tile)
        {
            is_in_dump |= json_integer_value(json_object_get(tile, "x")) == (json_int_t)here.x &&
                          json_integer_value(json_object_get(tile, "y")) == (json_int_t)here.y;
        }
        if (is_in_dump && dump_has_gddr(writer->chip, bank, here)) {
            return false;
        }
        *at = has_place || is_in_dump ? *at : here;
        has_place |= !is_in_dump;
    }
    return has_place;
}

static enum penrose_status write_bank(struct dump_writer *writer, unsigned bank,
                                      struct penrose_error *error)
{
    struct penrose_place at;
    struct dump_tile tile;
    if (!writer->chip->bank[bank].memory.used || !find_place_of_bank(writer, bank, &at)) {
        return PENROSE_OK;
    }
    dump_collect_bank(writer->chip, bank, at, &tile);
    enum penrose_status status =
        tile.failed ? error_set(error, PENROSE_E_MEMORY, "no memory for a dump of GDDR")
                    : dump_write_tile(writer->directory, &tile, writer->manifest, error);
    dump_tile_free(&tile);
    return status;
}

static enum penrose_status write_tiles(struct dump_writer *writer,
                                       const struct penrose_dump_options *options,
                                       struct penrose_error *error)
{
    enum penrose_status status = PENROSE_OK;
    struct tile_facts tile;
    unsigned next = 0;
    for (size_t i = 0; i < options->tiles_count && status == PENROSE_OK; i++) {
        status = write_one(writer, options->tiles[i], error);
    }
    while (!options->tiles && status == PENROSE_OK && chip_next_tile(writer->chip, &next, &tile)) {
        status = write_one(writer, (struct penrose_place){tile.x, tile.y}, error);
    }
    for (unsigned i = 0; i < GRID_BANKS && writer->groups & DUMP_GDDR; i++) {
        status = status == PENROSE_OK ? write_bank(writer, i, error) : status;
    }
    return status;
}

static enum penrose_status open_page(struct dump_writer *writer, struct penrose_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/index.html", writer->directory);
    return dump_page_open(path, writer->manifest, &writer->page, error);
}

static enum penrose_status write_all(struct dump_writer *writer,
                                     const struct penrose_dump_options *options,
                                     struct penrose_error *error)
{
    enum penrose_status status = dump_begin(writer->directory, error);
    writer->manifest = dump_manifest(writer->chip, options->reason, options->text);
    if (status == PENROSE_OK && options->html) {
        status = open_page(writer, error);
    }
    status = status == PENROSE_OK ? write_tiles(writer, options, error) : status;
    if (writer->page) {
        enum penrose_status closed = dump_page_close(writer->page, error);
        status = status == PENROSE_OK ? closed : status;
    }
    status =
        status == PENROSE_OK ? dump_finish(writer->directory, writer->manifest, error) : status;
    json_decref(writer->manifest);
    return status;
}

enum penrose_status chip_dump_write(struct penrose_chip *chip,
                                    const struct penrose_dump_options *options,
                                    const char *directory, struct penrose_error *error)
{
    struct dump_writer writer = {.chip = chip, .directory = directory};
    writer.firmware = options->firmware;
    enum penrose_status status = dump_groups(options->parts, &writer.groups, error);
    status = status == PENROSE_OK ? dump_check_directory(directory, error) : status;
    return status == PENROSE_OK ? write_all(&writer, options, error) : status;
}
