/*
 * Debug information: opening it safely, the index from addresses to source lines, and the calls
 * that were inlined around an address.
 *
 * libdw is given only ELFs that loader_elf_open accepted, and only when their debug sections are
 * plain: compressed ones could expand without bound and links to further files would make it open
 * paths that the ELF names. The index holds, sorted by address, the rows of every line table that
 * lie in executable segments; after it is built, lines need no libdw. Calls are looked for when a
 * report wants them: of the tree of a unit only the branches around the address are walked.
 *
 * One debt: libdw ends the process when the host has no memory left for it. Its handler for that
 * case gets no context, so replacing it would need state outside of our objects.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "loader/elf_internal.h"

/* More rows than any kernel has; the index of a damaged file stops here. */
enum { MAX_LINES = 4 << 20 };

static bool is_debug_plain(const struct loader_elf *elf)
{
    bool found = false;
    for (unsigned i = 1; i < elf->sections_count; i++) {
        const struct loader_section *section = &elf->section[i];
        bool is_debug = strncmp(section->name, ".debug_", 7) == 0;
        bool is_compressed = strncmp(section->name, ".zdebug_", 8) == 0 ||
                             (is_debug && section->flags & SHF_COMPRESSED);
        if (is_compressed || strcmp(section->name, ".gnu_debugaltlink") == 0) {
            return false;
        }
        found |= strcmp(section->name, ".debug_info") == 0;
    }
    return found;
}

Dwarf *loader_debug_dwarf(struct loader_elf *elf)
{
    struct loader_debug *debug = &elf->debug;
    if (!debug->opened) {
        debug->opened = true;
        if (is_debug_plain(elf)) {
            debug->dwarf = dwarf_begin_elf(elf->handle, DWARF_C_READ, NULL);
        }
    }
    return debug->dwarf;
}

void loader_debug_free(struct loader_debug *debug)
{
    free(debug->line);
    dwarf_end(debug->dwarf);
    *debug = (struct loader_debug){0};
}

/* The addresses of row `i` of a line table, which end where the next row starts. */
static bool row_range(Dwarf_Lines *lines, size_t i, struct loader_line *row)
{
    Dwarf_Line *line = dwarf_onesrcline(lines, i), *next = dwarf_onesrcline(lines, i + 1);
    bool is_end = true;
    Dwarf_Addr start, end;
    if (!line || !next || dwarf_lineendsequence(line, &is_end) || is_end ||
        dwarf_lineaddr(line, &start) || dwarf_lineaddr(next, &end) || start >= end ||
        end > UINT32_MAX) {
        return false;
    }
    row->start = (uint32_t)start;
    row->end = (uint32_t)end;
    int number;
    row->file = dwarf_linesrc(line, NULL, NULL);
    if (!row->file || dwarf_lineno(line, &number) || number <= 0) {
        return false; /* code that the compiler made up has line 0 */
    }
    row->line = (uint32_t)number;
    return true;
}

/* Discarded functions keep rows at address 0, which is no code. */
static bool is_code(const struct loader_elf *elf, const struct loader_line *row)
{
    const struct loader_segment *segment = loader_elf_segment_at(elf, row->start);
    return segment && segment->flags & LOADER_SEGMENT_EXECUTE &&
           row->end - segment->vaddr <= segment->memsz;
}

/* Adds the rows of one line table; false when no more can be taken. */
static bool add_lines(struct loader_elf *elf, Dwarf_Lines *lines, size_t count)
{
    struct loader_debug *debug = &elf->debug;
    if (count > MAX_LINES - debug->lines_count) {
        return false;
    }
    size_t most = debug->lines_count + count;
    struct loader_line *grown = realloc(debug->line, (most + 1) * sizeof *grown);
    if (!grown) {
        return false;
    }
    debug->line = grown;
    for (size_t i = 0; i + 1 < count; i++) {
        struct loader_line row;
        if (row_range(lines, i, &row) && is_code(elf, &row)) {
            debug->line[debug->lines_count++] = row;
        }
    }
    return true;
}

static int compare_lines(const void *left, const void *right)
{
    const struct loader_line *a = left, *b = right;
    if (a->start != b->start) {
        return a->start < b->start ? -1 : 1;
    }
    return a->end < b->end ? 1 : a->end > b->end ? -1 : 0;
}

static void build_index(struct loader_elf *elf)
{
    struct loader_debug *debug = &elf->debug;
    Dwarf *dwarf = loader_debug_dwarf(elf);
    debug->indexed = true;
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        Dwarf_Lines *lines;
        size_t count;
        if (dwarf_getsrclines(&die, &lines, &count) == 0 && !add_lines(elf, lines, count)) {
            break; /* diagnostics without lines are better than none */
        }
    }
    if (debug->lines_count) {
        qsort(debug->line, debug->lines_count, sizeof *debug->line, compare_lines);
    }
}

bool loader_elf_source(struct loader_elf *elf, uint32_t address, const char **file, unsigned *line)
{
    const struct loader_debug *debug = &elf->debug;
    if (!debug->indexed) {
        build_index(elf);
    }
    uint32_t low = 0, high = debug->lines_count; /* rows below `low` start at or before it */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (debug->line[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (!low || address >= debug->line[low - 1].end) {
        return false;
    }
    *file = debug->line[low - 1].file;
    *line = debug->line[low - 1].line;
    return true;
}

/* --- Inlined calls --- */

/* A damaged tree ends here. */
enum { MAX_DEPTH = 64, MAX_ENTRIES = 1 << 20 };

struct walk {
    Dwarf_Addr address;
    Dwarf_Files *files; /* of the unit */
    size_t files_count;
    unsigned entries; /* that were looked at */
    unsigned calls;   /* the outermost first */
    struct loader_call call[LOADER_MAX_CALLS];
};

static bool get_number(Dwarf_Die *die, unsigned attribute, Dwarf_Word *number)
{
    Dwarf_Attribute found;
    return dwarf_attr(die, attribute, &found) && dwarf_formudata(&found, number) == 0;
}

/* Of more calls than there is room for the innermost give way to what they contain. */
static void add_call(struct walk *walk, Dwarf_Die *die)
{
    Dwarf_Word file, line;
    const char *name = get_number(die, DW_AT_call_file, &file) &&
                               get_number(die, DW_AT_call_line, &line) && file < walk->files_count
                           ? dwarf_filesrc(walk->files, file, NULL, NULL)
                           : NULL;
    if (name && line > 0 && line <= INT32_MAX) {
        walk->calls -= walk->calls == LOADER_MAX_CALLS;
        walk->call[walk->calls++] = (struct loader_call){.file = name, .line = (unsigned)line};
    }
}

/* Has the entry no addresses of its own, but perhaps functions in it? */
static bool is_scope(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type;
}

static bool is_code_entry(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
           tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Walks down to the address; false when it is not in the children of `die`. */
static bool walk_children(struct walk *walk, Dwarf_Die *die, unsigned depth)
{
    Dwarf_Die child;
    if (depth == MAX_DEPTH || dwarf_child(die, &child) != 0) {
        return false;
    }
    do {
        int tag = dwarf_tag(&child);
        if (walk->entries++ == MAX_ENTRIES) {
            return false;
        }
        if (is_code_entry(tag) && dwarf_haspc(&child, walk->address) == 1) {
            if (tag == DW_TAG_inlined_subroutine) {
                add_call(walk, &child);
            }
            walk_children(walk, &child, depth + 1);
            return true;
        }
        if (is_scope(tag) && walk_children(walk, &child, depth + 1)) {
            return true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

unsigned loader_elf_calls(struct loader_elf *elf, uint32_t address,
                          struct loader_call call[LOADER_MAX_CALLS])
{
    struct walk walk = {.address = address};
    Dwarf *dwarf = loader_debug_dwarf(elf);
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    bool found = false;
    while (!found && dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        if (dwarf_haspc(&die, address) == 1 &&
            dwarf_getsrcfiles(&die, &walk.files, &walk.files_count) == 0) {
            found = walk_children(&walk, &die, 0);
        }
    }
    for (unsigned i = 0; i < walk.calls; i++) {
        call[i] = walk.call[walk.calls - 1 - i];
    }
    return walk.calls;
}
