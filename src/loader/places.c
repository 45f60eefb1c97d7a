/* Places by name; see places.h. */
#include "loader/places.h"

#include <dwarf.h>
#include <string.h>

#include "loader/elf_internal.h"

static void add_place(struct loader_places *places, uint32_t address)
{
    for (unsigned i = 0; i < places->count; i++) {
        if (places->address[i] == address) {
            return;
        }
    }
    if (places->count < LOADER_MAX_PLACES) {
        places->address[places->count++] = address;
    }
}

/* --- Functions --- */

/* A damaged tree ends here. */
enum { DEEPEST = 64, MOST_ENTRIES = 1 << 20 };

struct search {
    const struct loader_elf *elf;
    const char *name;
    struct loader_places *places;
    unsigned entries; /* that were looked at */
};

static void look_at_entry(struct search *search, Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    Dwarf_Addr address;
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) {
        return;
    }
    const char *name = dwarf_diename(die);
    if (!name || strcmp(name, search->name) != 0 || dwarf_entrypc(die, &address) != 0) {
        return;
    }
    const struct loader_segment *segment =
        address <= UINT32_MAX ? loader_elf_segment_at(search->elf, (uint32_t)address) : NULL;
    if (segment && segment->flags & LOADER_SEGMENT_EXECUTE) {
        add_place(search->places, (uint32_t)address);
    }
}

static void search_children(struct search *search, Dwarf_Die *die, unsigned depth)
{
    Dwarf_Die child;
    if (depth == DEEPEST || dwarf_child(die, &child) != 0) {
        return;
    }
    do {
        if (search->entries++ == MOST_ENTRIES) {
            return;
        }
        if (!loader_debug_is_dropped(search->elf, &child)) {
            look_at_entry(search, &child);
            search_children(search, &child, depth + 1);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

void loader_places_function(struct loader_elf *elf, const char *name, struct loader_places *places)
{
    struct search search = {.elf = elf, .name = name, .places = places};
    const struct loader_symbol *symbol = loader_elf_symbol(elf, name);
    Dwarf *dwarf = loader_debug_dwarf(elf);
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    places->count = 0;
    if (symbol && symbol->in_code) {
        add_place(places, symbol->value);
    }
    symbol = NULL;
    while ((symbol = loader_elf_next_called(elf, name, symbol)) != NULL) {
        if (symbol->in_code) {
            add_place(places, symbol->value);
        }
    }
    while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        search_children(&search, &die, 0);
    }
}

/* --- Lines --- */

/* Is `end` the end of a path, from a folder on? */
static bool ends_path(const char *path, const char *end)
{
    size_t length = strlen(path), part = strlen(end);
    return part <= length && strcmp(path + length - part, end) == 0 &&
           (part == length || path[length - part - 1] == '/');
}

/* The line itself if it has code, else the next one of the file that has; 0: none has. */
static unsigned line_with_code(const struct loader_debug *debug, const char *file, unsigned line)
{
    unsigned best = 0;
    for (uint32_t i = 0; i < debug->lines_count; i++) {
        const struct loader_line *row = &debug->line[i];
        if (row->line >= line && (!best || row->line < best) && ends_path(row->file, file)) {
            best = row->line;
        }
    }
    return best;
}

void loader_places_line(struct loader_elf *elf, const char *file, unsigned line,
                        struct loader_places *places)
{
    const struct loader_debug *debug = &elf->debug;
    const char *any;
    unsigned any_line;
    uint32_t end = 0; /* of the latest row of the line */
    places->count = 0;
    (void)loader_elf_source(elf, 0, &any, &any_line); /* which makes the index */
    places->line = line = line_with_code(debug, file, line);
    for (uint32_t i = 0; line && i < debug->lines_count; i++) {
        const struct loader_line *row = &debug->line[i];
        if (row->line != line || !ends_path(row->file, file)) {
            continue;
        }
        if (!end || row->start != end) {
            add_place(places, row->start);
        }
        end = row->end;
    }
}
