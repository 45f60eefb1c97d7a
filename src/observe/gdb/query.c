/* Queries: the abilities of the server, threads, and the documents of qXfer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/calls.h"
#include "observe/gdb/internal.h"

/* --- Documents --- */

static const char *file_part(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

/* The program that the hart executes, or else its main one; NULL: nobody knows. */
static const struct image *image_of(const struct gdb *gdb, const struct gdb_thread *thread,
                                    bool is_main)
{
    const struct images *images = gdb_images(gdb, thread->chip);
    struct penrose_hart_info info;
    const struct image *found = NULL;
    if (!is_main &&
        penrose_hart_info(gdb_chip(gdb, thread->chip), thread->x, thread->y, thread->hart, &info,
                          NULL) == PENROSE_OK &&
        info.state != PENROSE_HART_HELD) {
        found = images_find(images, thread->x, thread->y, info.pc);
    }
    for (size_t i = 0; !found && i < images->count; i++) {
        const struct image *image = &images->image[i];
        if (image->x == thread->x && image->y == thread->y && image->hart == thread->hart &&
            !image->is_kernel) {
            found = image;
        }
    }
    return found;
}

static void put_column(struct gdb_text *xml, const char *name, const char *value)
{
    gdb_put(xml, "<column name=\"%s\">", name);
    gdb_put_xml(xml, value);
    gdb_put(xml, "</column>");
}

static void put_number_column(struct gdb_text *xml, const char *name, unsigned value)
{
    gdb_put(xml, "<column name=\"%s\">%u</column>", name, value);
}

/* As tt-exalens calls the kinds of tiles that have harts. */
static const char *core_type(enum penrose_tile_kind kind)
{
    return kind == PENROSE_TILE_TENSIX ? "worker" : kind == PENROSE_TILE_DRAM ? "dram" : "eth";
}

/*
 * The columns are those of tt-exalens' GDB server in its order, then our own. The last one is a
 * number: VS Code's C/C++ extension, which parses the table as text, leaves out lines that end
 * otherwise.
 */
static void put_process_row(struct gdb_text *xml, unsigned chip, unsigned pid,
                            const char *core_type, const char *risc, const char *command,
                            const char *state, unsigned threads)
{
    gdb_put(xml, "<item>");
    put_number_column(xml, "pid", pid);
    put_column(xml, "user", "penrose");
    put_number_column(xml, "cores", pid);
    put_number_column(xml, "device", chip);
    put_column(xml, "core_type", core_type);
    gdb_put(xml, "<column name=\"core_location\">%u-%u</column>", pid / 1000 % 100, pid / 10 % 100);
    put_column(xml, "risc", risc);
    put_column(xml, "command", command);
    put_column(xml, "state", state);
    put_number_column(xml, "threads", threads);
    gdb_put(xml, "</item>\n");
}

/* A row for each worker, of none of which anybody has used anything. */
static void put_unused_processes(struct gdb *gdb, struct gdb_text *xml)
{
    for (unsigned pid = gdb_pid(0, 0, 0); pid < gdb_pid(gdb_chips(gdb), 0, 0); pid += 10) {
        struct gdb_process process;
        if (gdb_find_pid(gdb, pid, &process) &&
            penrose_tile_kind(gdb_chip(gdb, process.chip), process.x, process.y) ==
                PENROSE_TILE_TENSIX) {
            put_process_row(xml, process.chip, pid, "worker", "all", "", "in reset",
                            (unsigned)__builtin_popcount(process.harts));
        }
    }
}

/* The tiles of a chip that anybody has used: a row for each, and for each of its harts. */
static void put_processes_of(struct gdb *gdb, struct gdb_text *xml, unsigned chip)
{
    struct penrose_chip *of = gdb_chip(gdb, chip);
    struct tile_facts tile;
    unsigned next = 0;
    while (chip_calls_of(of)->next_tile(of, &next, &tile)) {
        struct gdb_thread at = {.chip = chip, .x = tile.x, .y = tile.y};
        unsigned pid = gdb_pid(chip, tile.x, tile.y);
        put_process_row(xml, chip, pid, core_type(tile.kind), "all", "", "",
                        (unsigned)__builtin_popcount(tile.harts));
        for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
            at.hart = (enum penrose_hart)hart;
            if (tile.harts >> hart & 1) {
                const struct image *image = image_of(gdb, &at, false);
                const char *program = image ? loader_elf_path(image->elf) : NULL;
                put_process_row(xml, chip, pid + hart + 1, core_type(tile.kind),
                                gdb_hart_name(gdb, &at), program ? file_part(program) : "",
                                gdb_state_name(gdb_hart_state(gdb, &at)), 1);
            }
        }
    }
}

/* Chips that are new have their workers listed, so that a client finds one to attach to. */
static void put_processes(struct gdb *gdb, struct gdb_text *xml)
{
    gdb_put(xml, "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"osdata.dtd\">"
                 "<osdata type=\"processes\">\n");
    const size_t before = xml->size;
    for (unsigned i = 0; i < gdb_chips(gdb); i++) {
        put_processes_of(gdb, xml, i);
    }
    if (xml->size == before) {
        put_unused_processes(gdb, xml);
    }
    gdb_put(xml, "</osdata>\n");
}

static void put_data_types(struct gdb_text *xml)
{
    gdb_put(xml, "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"osdata.dtd\">"
                 "<osdata type=\"types\"><item><column name=\"Type\">processes</column>"
                 "<column name=\"Description\">Harts of the chip</column>"
                 "<column name=\"Title\">Processes</column></item></osdata>\n");
}

static void put_threads(struct gdb *gdb, struct gdb_text *xml)
{
    struct gdb_thread thread;
    gdb_put(xml, "<?xml version=\"1.0\"?><threads>\n");
    for (size_t i = 0; gdb_thread_at(gdb, i, &thread); i++) {
        gdb_put(xml, "<thread id=\"");
        gdb_put_thread(xml, &thread);
        gdb_put(xml, "\" name=\"");
        gdb_put_chip(gdb, xml, thread.chip);
        gdb_put(xml, "%s (%u, %u)\">%s</thread>\n", gdb_hart_name(gdb, &thread), thread.x, thread.y,
                gdb_state_name(gdb_hart_state(gdb, &thread)));
    }
    gdb_put(xml, "</threads>\n");
}

/* L1, and everything from the local RAM on: registers answer or not. */
static void put_memory_map(struct gdb *gdb, struct gdb_text *xml)
{
    const uint32_t local = chip_calls_of(gdb->chip)->arch->local_ram;
    struct tile_facts tile;
    if (!gdb_tile_facts(gdb, gdb->general.chip, gdb->general.x, gdb->general.y, &tile)) {
        return;
    }
    gdb_put(xml,
            "<?xml version=\"1.0\"?><memory-map>"
            "<memory type=\"ram\" start=\"0\" length=\"0x%x\"/>"
            "<memory type=\"ram\" start=\"0x%x\" length=\"0x%x\"/></memory-map>\n",
            tile.l1_bytes, local, 0u - local);
}

static uint32_t segment_address(const struct image *image, const struct loader_segment *segment)
{
    return segment->vaddr +
           (segment->vaddr == image->link_base ? image->base - image->link_base : 0);
}

/* GDB breaks on libraries whose segments, as linked or as loaded, go down. */
static bool is_ascending(const struct image *image, const struct loader_segment *segment,
                         unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        if (segment[i].vaddr < segment[i - 1].vaddr ||
            segment_address(image, &segment[i]) < segment_address(image, &segment[i - 1])) {
            return false;
        }
    }
    return true;
}

/* A program that lies in the tile: the address of each of its segments. */
static void put_library(struct gdb *gdb, struct gdb_text *xml, const struct image *image)
{
    unsigned count;
    const char *path = loader_elf_path(image->elf);
    const struct loader_segment *segment = loader_elf_segments(image->elf, &count);
    if (!path || !is_ascending(image, segment, count)) {
        return;
    }
    gdb_name_file(gdb, path);
    gdb_put(xml, "<library name=\"");
    gdb_put_xml(xml, path);
    gdb_put(xml, "\">");
    for (unsigned i = 0; i < count; i++) {
        gdb_put(xml, "<segment address=\"0x%x\"/>", segment_address(image, &segment[i]));
    }
    gdb_put(xml, "</library>\n");
}

/* Besides its main program. */
static bool is_library(const struct gdb_process *process, const struct image *image)
{
    return gdb_may_run(process, image) && image->elf != process->main;
}

static void put_libraries(struct gdb *gdb, struct gdb_text *xml)
{
    const struct images *images = gdb_images(gdb, gdb->general.chip);
    struct gdb_process *process = gdb_process_of(gdb, gdb->general.pid);
    if (process) {
        process->images = images->changes;
    }
    gdb_put(xml, "<library-list>\n");
    for (size_t i = 0; process && i < images->count; i++) {
        if (is_library(process, &images->image[i])) {
            put_library(gdb, xml, &images->image[i]);
        }
    }
    gdb_put(xml, "</library-list>\n");
}

static void put_exec_file(struct gdb *gdb, const char *annex, struct gdb_text *text)
{
    uint64_t pid = gdb->general.pid;
    struct gdb_process process;
    if ((*annex && !gdb_take_hex(&annex, &pid)) || !gdb_find_pid(gdb, pid, &process) ||
        pid % 10 == 0) {
        return;
    }
    struct gdb_thread at = {.chip = process.chip,
                            .x = process.x,
                            .y = process.y,
                            .hart = (enum penrose_hart)(pid % 10 - 1)};
    const struct image *image = image_of(gdb, &at, true);
    const char *path = image ? loader_elf_path(image->elf) : NULL;
    struct gdb_process *attached = gdb_process_of(gdb, (unsigned)pid);
    if (path) {
        gdb_name_file(gdb, path);
        gdb_put(text, "%s", path);
    }
    if (attached && !gdb->left_main) {
        attached->main = path ? image->elf : NULL;
    }
}

/* --- qXfer --- */

/* "OFFSET,LENGTH" of a document: 'm', a piece; 'l', the last. */
static void put_piece(struct gdb_text *answer, const struct gdb_text *document, const char *range)
{
    enum { MOST = GDB_PACKET_BYTES / 2 - 16 }; /* each byte may need an escape */
    uint64_t offset, length;
    if (!gdb_take_hex(&range, &offset) || !gdb_take_text(&range, ",") ||
        !gdb_take_hex(&range, &length) || document->is_lost) {
        gdb_put(answer, "E01");
        return;
    }
    if (offset >= document->size) {
        gdb_put(answer, "l");
        return;
    }
    uint64_t left = document->size - offset;
    length = length < MOST ? length : MOST;
    gdb_put(answer, left > length ? "m" : "l");
    gdb_put_escaped(answer, document->data + offset, (size_t)(left < length ? left : length));
}

/* Makes the document; false: there is none of that name. */
static bool make_document(struct gdb *gdb, const char *object, const char *annex,
                          struct gdb_text *document)
{
    const struct gdb_process *process = gdb_process_of(gdb, gdb->general.pid);
    if (strcmp(object, "features") == 0) {
        const struct gdb_text *xml =
            process && strcmp(annex, "target.xml") == 0 ? gdb_features(gdb, process) : NULL;
        if (xml && !xml->is_lost) {
            gdb_put_bytes(document, xml->data, xml->size);
        }
        return xml != NULL;
    }
    if (strcmp(object, "osdata") == 0) {
        bool is_types = *annex == '\0';
        if (is_types) {
            put_data_types(document);
        } else {
            put_processes(gdb, document);
        }
        return is_types || strcmp(annex, "processes") == 0;
    }
    if (strcmp(object, "threads") == 0) {
        put_threads(gdb, document);
    } else if (strcmp(object, "memory-map") == 0) {
        put_memory_map(gdb, document);
    } else if (strcmp(object, "libraries") == 0) {
        put_libraries(gdb, document);
    } else if (strcmp(object, "exec-file") == 0) {
        put_exec_file(gdb, annex, document);
        return document->size > 0; /* an empty one would be opened */
    } else {
        return false;
    }
    return true;
}

/* "OBJECT:read:ANNEX:OFFSET,LENGTH" */
static void transfer(struct gdb *gdb, const char *packet, struct gdb_text *answer)
{
    char object[32], annex[256];
    struct gdb_text document = {0};
    const char *range = strrchr(packet, ':'), *read = strstr(packet, ":read:");
    if (!range || !read || range < read + 6) {
        return;
    }
    snprintf(object, sizeof object, "%.*s", (int)(read - packet), packet);
    snprintf(annex, sizeof annex, "%.*s", (int)(range - (read + 6)), read + 6);
    if (make_document(gdb, object, annex, &document)) {
        put_piece(answer, &document, range + 1);
    } else {
        gdb_put(answer, "E00");
    }
    gdb_text_free(&document);
}

/* --- Others --- */

static void supported(struct gdb *gdb, const char *packet, struct gdb_text *answer)
{
    gdb->has_swbreak = strstr(packet, "swbreak+") != NULL;
    gdb_put(answer,
            "PacketSize=%x;QStartNoAckMode+;multiprocess+;swbreak+;hwbreak+;"
            "ConditionalBreakpoints+;vContSupported+;qXfer:features:read+;"
            "qXfer:osdata:read+;qXfer:threads:read+;qXfer:memory-map:read+;"
            "qXfer:libraries:read+;qXfer:exec-file:read+%s",
            GDB_PACKET_BYTES, gdb->history ? ";ReverseStep+;ReverseContinue+" : "");
}

static void list_threads(struct gdb *gdb, struct gdb_text *answer)
{
    struct gdb_thread thread;
    for (size_t i = 0; gdb_thread_at(gdb, i, &thread); i++) {
        gdb_put(answer, i ? "," : "m");
        gdb_put_thread(answer, &thread);
    }
    if (answer->size == 0) {
        gdb_put(answer, "l");
    }
}

static void current_thread(struct gdb *gdb, struct gdb_text *answer)
{
    if (gdb->general.pid) {
        gdb_put(answer, "QC");
        gdb_put_thread(answer, &gdb->general);
    }
}

/* A monitor command, whose text is in hexadecimal; so is what it says. */
static void monitor_packet(struct gdb *gdb, const char *packet, struct gdb_text *answer)
{
    char command[256];
    size_t size = strlen(packet) / 2;
    struct gdb_text out = {0};
    size = size < sizeof command - 1 ? size : sizeof command - 1;
    if (!gdb_take_bytes(&packet, command, size)) {
        gdb_put(answer, "E01");
        return;
    }
    command[size] = '\0';
    gdb_monitor(gdb, command, &out);
    if (out.size > 0) {
        gdb_send_console(gdb, out.data);
    }
    gdb_put(answer, "OK");
    gdb_text_free(&out);
}

void gdb_query(struct gdb *gdb, const char *packet, struct gdb_text *answer)
{
    if (gdb_take_text(&packet, "qSupported")) {
        supported(gdb, packet, answer);
    } else if (gdb_take_text(&packet, "QStartNoAckMode")) {
        gdb->has_no_acks = true;
        gdb_put(answer, "OK");
    } else if (gdb_take_text(&packet, "qXfer:")) {
        transfer(gdb, packet, answer);
    } else if (gdb_take_text(&packet, "qfThreadInfo")) {
        list_threads(gdb, answer);
    } else if (gdb_take_text(&packet, "qsThreadInfo")) {
        gdb_put(answer, "l");
    } else if (gdb_take_text(&packet, "qAttached")) {
        gdb_put(answer, "1");
    } else if (gdb_take_text(&packet, "qRcmd,")) {
        monitor_packet(gdb, packet, answer);
    } else if (strcmp(packet, "qC") == 0) {
        current_thread(gdb, answer);
    }
}
