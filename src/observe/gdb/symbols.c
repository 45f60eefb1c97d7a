/* Programs that only the host knows, whose folders the client names ("monitor symbols"). */
#include <stdlib.h>

#include "metal/program_files.h"
#include "observe/gdb/internal.h"

void gdb_symbols_free(struct gdb *gdb)
{
    program_files_free(gdb->symbols);
    gdb->symbols = NULL;
}

static void tell_program(void *context, const struct tile *tile, const char *path, unsigned others)
{
    if (context) {
        gdb_put(context, "(%u, %u): %s\n", tile->x, tile->y, path);
    }
    if (context && others > 0) {
        gdb_put(context, "  %u other file%s the same code; this one is the newest\n", others,
                others == 1 ? " has" : "s have");
    }
}

/* On the tiles that the client looks at. */
static void place_symbols(struct gdb *gdb, struct gdb_text *out)
{
    for (size_t i = 0; i < gdb->processes; i++) {
        struct tile *tile;
        if (chip_tile(gdb->chip, gdb->process[i].x, gdb->process[i].y, &tile, NULL) == PENROSE_OK) {
            program_files_place(gdb->symbols, gdb->present, tile, tell_program, out);
        }
    }
}

void gdb_symbols_look(struct gdb *gdb)
{
    for (size_t i = 0; gdb->learn && i < gdb->processes; i++) {
        gdb->learn(gdb->learn_context, gdb->process[i].x, gdb->process[i].y);
    }
    if (gdb->symbols && gdb->processes > 0) {
        program_files_look(gdb->symbols);
        place_symbols(gdb, NULL);
    }
    gdb_breaks_look(gdb);
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
    place_symbols(gdb, out);
}
