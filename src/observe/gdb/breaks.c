/*
 * Breakpoints at places that Penrose finds itself ("monitor break PLACE"). A client finds none in code
 * that it knows no symbols of, or that a compiler has inlined across files; Penrose looks in every
 * program that lies in the tile, as --show-at does, and again whenever others have come.
 */
#include <stdlib.h>
#include <string.h>

#include "loader/places.h"
#include "observe/gdb/internal.h"
#include "observe/inside.h"

struct gdb_break {
    struct gdb_break *next;
    struct gdb_thread thread;
    struct moment place;
    unsigned places; /* where it was found */
    unsigned line;   /* whose code is there: the wanted one may have none; 0: no line was found */
    char text[];
};

static void free_break(struct gdb *gdb, struct gdb_break **link)
{
    struct gdb_break *dropped = *link;
    *link = dropped->next;
    gdb_points_drop_of(gdb, dropped);
    free(dropped);
}

void gdb_breaks_drop(struct gdb *gdb, unsigned pid)
{
    for (struct gdb_break **link = &gdb->breaks; *link;) {
        if (pid == 0 || (*link)->thread.pid == pid) {
            free_break(gdb, link);
        } else {
            link = &(*link)->next;
        }
    }
}

static void add_points_in(struct gdb *gdb, struct gdb_break *wanted, const struct image *image)
{
    struct loader_places found;
    if (wanted->place.kind == MOMENT_FUNCTION) {
        loader_places_function(image->elf, wanted->place.name, &found);
    } else {
        loader_places_line(image->elf, wanted->place.name, (unsigned)wanted->place.number, &found);
        wanted->line = found.count > 0 ? found.line : wanted->line;
    }
    for (unsigned i = 0; i < found.count; i++) {
        uint32_t offset = found.address[i] - image->link_base;
        wanted->places += offset < image->size &&
                          gdb_point_add_own(gdb, &wanted->thread, image->base + offset, wanted);
    }
}

static void find_break(struct gdb *gdb, struct gdb_break *wanted)
{
    const struct images *images = gdb_images(gdb, wanted->thread.chip);
    gdb_points_drop_of(gdb, wanted);
    wanted->places = wanted->line = 0;
    if (wanted->place.kind == MOMENT_PC) {
        wanted->places +=
            gdb_point_add_own(gdb, &wanted->thread, (uint32_t)wanted->place.number, wanted);
        return;
    }
    for (size_t i = 0; i < images->count; i++) {
        const struct image *image = &images->image[i];
        if (gdb_may_run(gdb_process_of(gdb, wanted->thread.pid), image)) {
            add_points_in(gdb, wanted, image);
        }
    }
}

void gdb_breaks_look(struct gdb *gdb)
{
    unsigned changes = 0;
    for (unsigned i = 0; i < gdb_chips(gdb); i++) {
        changes += gdb_images(gdb, i)->changes;
    }
    if (gdb->breaks_images != changes) {
        gdb->breaks_images = changes;
        for (struct gdb_break *wanted = gdb->breaks; wanted; wanted = wanted->next) {
            find_break(gdb, wanted);
        }
    }
}

const char *gdb_break_text(const struct gdb_break *shown)
{
    return shown->text;
}

/* --- Commands --- */

static bool is_line_moved(const struct gdb_break *shown)
{
    return shown->line && shown->line != shown->place.number;
}

static void put_break(struct gdb_text *out, const struct gdb_break *shown)
{
    if (shown->places > 0) {
        gdb_put(out, "%s, process %u: at %u place%s", shown->text, shown->thread.pid, shown->places,
                shown->places == 1 ? "" : "s");
        if (is_line_moved(shown)) {
            gdb_put(out, " of line %u, as line %u has no code of its own", shown->line,
                    (unsigned)shown->place.number);
        }
        gdb_put(out, "\n");
    } else {
        gdb_put(
            out,
            "%s, process %u: no program that is known in the tile has code of that%s; it is looked "
            "for in those that come\n",
            shown->text, shown->thread.pid,
            shown->place.kind == MOMENT_LINE ? " line, or of a later one of the file" : "");
    }
}

static void list_breaks(struct gdb *gdb, struct gdb_text *out)
{
    for (const struct gdb_break *shown = gdb->breaks; shown; shown = shown->next) {
        put_break(out, shown);
    }
    if (!gdb->breaks) {
        gdb_put(out, "none; 'monitor break PLACE' makes one: FUNCTION, FILE:LINE or 0xPC\n");
    }
}

void gdb_monitor_break(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out)
{
    struct penrose_error error = {.text = "write FUNCTION, FILE:LINE or 0xPC"};
    struct moment place;
    gdb_symbols_look(gdb);
    gdb_breaks_look(gdb);
    if (words->count < 2) {
        list_breaks(gdb, out);
        return;
    }
    const char *text = words->word[1];
    struct gdb_break *made = calloc(1, sizeof *made + strlen(text) + 1);
    if (!made || words->count > 2 ||
        inside(gdb->chip)->moment_parse(text, &place, &error) != PENROSE_OK ||
        place.kind > MOMENT_PC || place.nth != 1 || place.only >= 0) {
        gdb_put(out, "%s\n", made ? error.text : "no memory");
        free(made);
        return;
    }
    made->place = place;
    made->thread = gdb->general;
    strcpy(made->text, text);
    made->next = gdb->breaks;
    gdb->breaks = made;
    find_break(gdb, made);
    put_break(out, made);
}

/* One by its place, or all. */
void gdb_monitor_unbreak(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out)
{
    unsigned count = 0;
    for (struct gdb_break **link = &gdb->breaks; *link;) {
        if (words->count < 2 || strcmp((*link)->text, words->word[1]) == 0) {
            free_break(gdb, link);
            count++;
        } else {
            link = &(*link)->next;
        }
    }
    gdb_put(out, count ? "" : "there is no such breakpoint; 'monitor break' lists them\n");
}
