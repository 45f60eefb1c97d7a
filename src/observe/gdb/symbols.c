/* Programs that only the host knows: it tells where they are, or the client names their folders
 * ("monitor symbols"). They are looked for when the host or a packet may have brought others. */
#include <stdlib.h>

#include "chip/calls.h"
#include "isa/host_time.h"
#include "metal/program_files.h"
#include "observe/gdb/internal.h"

void gdb_symbols_free(struct gdb *gdb)
{
    program_files_free(gdb->symbols);
    gdb->symbols = NULL;
}

static void tell_program(void *context, const struct tile_facts *tile, const char *path,
                         unsigned others)
{
    gdb_put(context, "(%u, %u): %s\n", tile->x, tile->y, path);
    if (others > 0) {
        gdb_put(context, "  %u other file%s the same code; this one is the newest\n", others,
                others == 1 ? " has" : "s have");
    }
}

/* Those whose lines may be another file's. */
static void tell_ambiguous_program(void *context, const struct tile_facts *tile, const char *path,
                                   unsigned others)
{
    if (others > 0) {
        tell_program(context, tile, path, others);
    }
}

enum { LOOK_NANOSECONDS = 1000000000 };

/* On the tiles that the client looks at. */
static void place_symbols(struct gdb *gdb, program_files_found *found, struct gdb_text *out)
{
    for (size_t i = 0; i < gdb->processes; i++) {
        const struct gdb_process *process = &gdb->process[i];
        struct tile_facts tile;
        if (gdb_tile_facts(gdb, process->chip, process->x, process->y, &tile)) {
            program_files_place(gdb->symbols, gdb_present(gdb, process->chip), &tile, found, out);
        }
    }
}

/* --- Launches by kernels --- */

/* The host's writes are told by gdb_note_write. */
static bool is_write_of_packet(struct penrose_chip *chip, const struct penrose_stop *stop,
                               void *context)
{
    (void)chip;
    (void)context;
    return stop->agent == PENROSE_AGENT_NOC;
}

static unsigned watch_mailbox(struct penrose_chip *chip, const struct tile_facts *tile,
                              const struct loader_member *mailbox)
{
    unsigned id = 0;
    const struct penrose_point point = {.size = sizeof point,
                                        .kind = PENROSE_WATCHPOINT,
                                        .x = tile->x,
                                        .y = tile->y,
                                        .hart = PENROSE_NO_HART,
                                        .address = tile->layout->mailbox_base + mailbox->offset,
                                        .bytes = mailbox->size * mailbox->count,
                                        .writes = true,
                                        .condition = is_write_of_packet};
    penrose_point_set(chip, &point, &id, NULL);
    return id;
}

/* In fast dispatch kernels launch others: whatever they launch is there when a message comes. */
static void watch_launches(struct gdb *gdb, struct gdb_process *process)
{
    struct penrose_chip *chip = gdb_present(gdb, process->chip);
    struct tile_facts tile;
    if (!process->launch && gdb_tile_facts(gdb, process->chip, process->x, process->y, &tile) &&
        tile.layout) {
        process->launch = watch_mailbox(chip, &tile, &tile.layout->mailboxes_launch);
        process->go = watch_mailbox(chip, &tile, &tile.layout->mailboxes_go_messages);
    }
}

void gdb_launches_forget(struct gdb *gdb, const struct gdb_process *process)
{
    penrose_point_clear(gdb_present(gdb, process->chip), process->launch, NULL);
    penrose_point_clear(gdb_present(gdb, process->chip), process->go, NULL);
}

bool gdb_is_launch(const struct gdb *gdb, const struct gdb_stop *at)
{
    const unsigned id = at->stop.id;
    bool is_launch = false;
    for (size_t i = 0; i < gdb->processes; i++) {
        const struct gdb_process *process = &gdb->process[i];
        is_launch |=
            id && process->chip == at->chip && (id == process->launch || id == process->go);
    }
    return is_launch;
}

/* --- Looking --- */

/* Once a second at most, since walking through folders takes long. */
static void look_for_files(struct gdb *gdb)
{
    uint64_t now = host_nanoseconds();
    if (now >= gdb->next_files) {
        program_files_look(gdb->symbols);
        gdb->next_files = now + LOOK_NANOSECONDS;
    }
}

void gdb_symbols_look(struct gdb *gdb)
{
    for (size_t i = 0; gdb->learn && i < gdb->processes; i++) {
        struct gdb_process *process = &gdb->process[i];
        gdb->learn(gdb->learn_context, process->chip, process->x, process->y);
        watch_launches(gdb, process);
    }
    if (gdb->symbols && gdb->processes > 0) {
        look_for_files(gdb);
        place_symbols(gdb, tell_ambiguous_program, &gdb->console);
    }
}

void gdb_monitor_symbols(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out)
{
    if (words->count < 2) {
        gdb_put(out, "symbols FILE, or a folder with programs\n");
        return;
    }
    if (!gdb->symbols) {
        gdb->symbols = program_files_create();
    }
    if (!gdb->symbols || !program_files_add(gdb->symbols, words->word[1])) {
        gdb_put(out, "%s\n", gdb->symbols ? "there is no such file or folder" : "no memory");
        return;
    }
    gdb_put(out, "%zu programs are known; their symbols come when they are found in a tile\n",
            program_files_count(gdb->symbols));
    place_symbols(gdb, tell_program, out);
}
