/*
 * Debug information: opening it safely, the index from addresses to source lines, and the calls
 * that were inlined around an address.
 *
 * libdw is given only ELFs that loader_elf_open accepted, and only when their debug sections are
 * plain: compressed ones could expand without bound and links to further files would make it open
 * paths that the ELF names. The index holds, sorted by address, the rows of every line table that
 * lie in executable sections; after it is built, lines need no libdw. Calls are looked for when a
 * report wants them. Then only those branches of a unit's tree are walked that contain the address.
 *
 * Functions that a linker has dropped keep their debug information, with address 0 (both ld and
 * lld) or an address in no section. If a program has code at 0 itself, a function there counts only
 * if the symbol table has it there, too.
 *
 * One debt: libdw ends the process when the host has no memory left for it. Its handler for that
 * case gets no context, so replacing it would need state outside of our objects.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "loader/elf_internal.h"
#include "loader/line_program.h"

/* More rows, and operations that make them, than any kernel has; the index of a damaged file stops
 * here. */
enum { MAX_LINES = 4 << 20, MAX_STEPS = 64 << 20 };

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

/* Do the addresses lie in one piece of code? What lies in no section was dropped by the linker, even
 * where a segment begins with the file's header. */
static bool is_code(const struct loader_elf *elf, uint32_t start, uint32_t end)
{
    enum { CODE = SHF_ALLOC | SHF_EXECINSTR };
    const struct loader_segment *segment = loader_elf_segment_at(elf, start);
    bool is_loaded = segment && segment->flags & LOADER_SEGMENT_EXECUTE &&
                     end - segment->vaddr <= segment->memsz;
    bool has_sections = false;
    for (unsigned i = 1; i < elf->sections_count && is_loaded; i++) {
        const struct loader_section *section = &elf->section[i];
        has_sections |= (section->flags & CODE) == CODE;
        if ((section->flags & CODE) == CODE && start >= section->address &&
            end - section->address <= section->size) {
            return true;
        }
    }
    return is_loaded && !has_sections;
}

/* --- Functions that the linker has dropped --- */

enum dropped { KEPT, DROPPED, PERHAPS_DROPPED };

/* Has the program a symbol at address 0 that is called so, or "NAME.isra.0" and the like? */
static bool is_at_zero(const struct loader_elf *elf, const char *name)
{
    size_t length = name ? strlen(name) : 0;
    const struct loader_symbols *symbols = &elf->symbols;
    for (uint32_t i = 0; length && i < symbols->count; i++) {
        const struct loader_symbol *symbol = &symbols->symbol[i];
        if (symbol->value == 0 && strncmp(symbol->name, name, length) == 0 &&
            (symbol->name[length] == 0 || symbol->name[length] == '.')) {
            return true;
        }
    }
    return false;
}

static enum dropped find_dropped(const struct loader_elf *elf, Dwarf_Die *die)
{
    Dwarf_Addr start;
    Dwarf_Attribute linkage;
    if (dwarf_tag(die) != DW_TAG_subprogram || dwarf_lowpc(die, &start) != 0 || start != 0) {
        return KEPT;
    }
    if (elf->symbols.count == 0) {
        return PERHAPS_DROPPED; /* strip leaves none */
    }
    const char *mangled =
        dwarf_attr_integrate(die, DW_AT_linkage_name, &linkage) ? dwarf_formstring(&linkage) : NULL;
    return is_at_zero(elf, mangled) || is_at_zero(elf, dwarf_diename(die)) ? KEPT : DROPPED;
}

bool loader_debug_is_dropped(const struct loader_elf *elf, Dwarf_Die *die)
{
    return find_dropped(elf, die) == DROPPED;
}

/* Has the entry no addresses of its own, but perhaps functions in it? */
static bool is_scope(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type;
}

/* A damaged tree ends here. */
enum { MAX_DEPTH = 64, MAX_ENTRIES = 1 << 20 };

/* A sequence of rows from address 0 on, and what the functions there say of it. */
struct sequence {
    const struct loader_elf *elf;
    uint32_t end;
    unsigned line; /* of its first row */
    enum dropped found;
    unsigned nearest; /* line at which the function begins that ends where the sequence does */
    unsigned entries; /* that were looked at */
};

/* Of functions that end where the sequence does the one counts at whose line it begins; else one that
 * was kept. */
static void look_at_function(struct sequence *sequence, Dwarf_Die *die)
{
    Dwarf_Addr start, end;
    Dwarf_Attribute attribute;
    Dwarf_Word line = 0;
    if (dwarf_lowpc(die, &start) != 0 || start != 0) {
        return;
    }
    (void)dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_line, &attribute), &line);
    bool ends_there = dwarf_highpc(die, &end) == 0 && end == sequence->end;
    if (ends_there && line <= sequence->line && line >= sequence->nearest) {
        sequence->nearest = (unsigned)line + 1;
        sequence->found = find_dropped(sequence->elf, die);
    } else if (!sequence->nearest && sequence->found != KEPT) {
        sequence->found = find_dropped(sequence->elf, die);
    }
}

static void look_at_functions(struct sequence *sequence, Dwarf_Die *die, unsigned depth)
{
    Dwarf_Die child;
    if (depth == MAX_DEPTH || dwarf_child(die, &child) != 0) {
        return;
    }
    do {
        int tag = dwarf_tag(&child);
        if (++sequence->entries > MAX_ENTRIES) {
            return;
        }
        if (tag == DW_TAG_subprogram) {
            look_at_function(sequence, &child);
        } else if (is_scope(tag)) {
            look_at_functions(sequence, &child, depth + 1);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* --- The index --- */

/* What reads line programs into the index. */
struct lines {
    struct loader_elf *elf;
    enum dropped wanted; /* sequences of that kind */
    unsigned doubts;     /* sequences that perhaps are of dropped code */
    bool is_full;
    uint32_t steps; /* that may still be made */
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t files_count;
    uint32_t first; /* row of the sequence that is being read, */
    uint32_t start; /* its address, */
    uint32_t line;  /* and its line */
    bool is_inside; /* there is one */
    struct loader_line_row before;
};

static bool grow_lines(struct loader_debug *debug, uint32_t *room)
{
    uint32_t wanted = *room ? 2 * *room : 1024;
    struct loader_line *grown =
        wanted <= MAX_LINES ? realloc(debug->line, wanted * sizeof *grown) : NULL;
    debug->line = grown ? grown : debug->line;
    *room = grown ? wanted : *room;
    return grown;
}

/* Is the sequence code of the program? */
static enum dropped look_at_sequence(struct lines *lines, uint32_t start, uint32_t end)
{
    if (start >= end || !is_code(lines->elf, start, end)) {
        return DROPPED;
    }
    if (start != 0) {
        return KEPT;
    }
    struct sequence sequence = {
        .elf = lines->elf, .end = end, .line = lines->line, .found = PERHAPS_DROPPED};
    look_at_functions(&sequence, &lines->unit, 0);
    return sequence.found;
}

/* The addresses of a row end where the next one starts. Code that the compiler made up has line 0. */
static void add_row(struct lines *lines, uint32_t end)
{
    struct loader_debug *debug = &lines->elf->debug;
    const struct loader_line_row *row = &lines->before;
    const char *file =
        row->file < lines->files_count ? dwarf_filesrc(lines->files, row->file, NULL, NULL) : NULL;
    if (!file || row->address >= end || row->line == 0 || row->line > INT32_MAX) {
        return;
    }
    lines->is_full = debug->lines_count == debug->room && !grow_lines(debug, &debug->room);
    if (!lines->is_full) {
        debug->line[debug->lines_count++] = (struct loader_line){
            .start = row->address, .end = end, .file = file, .line = row->line};
    }
}

static bool take_row(void *context, const struct loader_line_row *row)
{
    struct lines *lines = context;
    struct loader_debug *debug = &lines->elf->debug;
    if (lines->is_inside) {
        add_row(lines, row->address);
    } else {
        lines->first = debug->lines_count;
        lines->start = row->address;
        lines->line = row->line;
    }
    lines->is_inside = !row->ends_sequence;
    lines->before = *row;
    if (row->ends_sequence) {
        enum dropped kind = look_at_sequence(lines, lines->start, row->address);
        lines->doubts += kind == PERHAPS_DROPPED && lines->wanted == KEPT;
        debug->lines_count = kind == lines->wanted ? debug->lines_count : lines->first;
    }
    return !lines->is_full;
}

/* Adds the rows of the unit's line table that belong to sequences of the wanted kind. */
static void add_lines(struct lines *lines)
{
    const struct loader_section *section = loader_elf_section(lines->elf, ".debug_line");
    Dwarf_Attribute attribute;
    Dwarf_Word offset;
    if (!section || !section->bytes ||
        dwarf_formudata(dwarf_attr(&lines->unit, DW_AT_stmt_list, &attribute), &offset) != 0 ||
        offset > UINT32_MAX ||
        dwarf_getsrcfiles(&lines->unit, &lines->files, &lines->files_count) != 0) {
        return;
    }
    lines->is_inside = false;
    loader_line_program(section->bytes, section->size, (uint32_t)offset, &lines->steps, take_row,
                        lines);
    if (lines->is_inside) { /* the table is damaged: its last sequence has no end */
        lines->elf->debug.lines_count = lines->first;
    }
}

static int compare_lines(const void *left, const void *right)
{
    const struct loader_line *a = left, *b = right;
    if (a->start != b->start) {
        return a->start < b->start ? -1 : 1;
    }
    return a->end < b->end ? 1 : a->end > b->end ? -1 : 0;
}

static void sort_lines(struct loader_debug *debug)
{
    if (debug->lines_count) {
        qsort(debug->line, debug->lines_count, sizeof *debug->line, compare_lines);
    }
}

/* Takes away the rows behind the first `count`, which perhaps are of dropped code, where they overlap
 * with those. */
static void settle_doubt(struct loader_debug *debug, uint32_t count)
{
    uint32_t end = debug->lines_count > count ? debug->line[debug->lines_count - 1].end : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (debug->line[i].start < end) {
            debug->lines_count = count;
            return;
        }
    }
}

static void add_units(struct lines *lines, enum dropped wanted)
{
    Dwarf *dwarf = loader_debug_dwarf(lines->elf);
    Dwarf_CU *unit = NULL;
    lines->wanted = wanted;
    while (dwarf && !lines->is_full && /* diagnostics without lines are better than none */
           dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &lines->unit, NULL) == 0) {
        add_lines(lines);
    }
}

static void build_index(struct loader_elf *elf)
{
    struct lines lines = {.elf = elf, .steps = MAX_STEPS};
    elf->debug.indexed = true;
    add_units(&lines, KEPT);
    if (lines.doubts == 1) { /* of several nobody knows which is the program's */
        uint32_t count = elf->debug.lines_count;
        add_units(&lines, PERHAPS_DROPPED);
        settle_doubt(&elf->debug, count);
    }
    sort_lines(&elf->debug);
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

bool loader_elf_any_source(struct loader_elf *elf, const char **file, unsigned *line)
{
    const struct loader_debug *debug = &elf->debug;
    if (!debug->indexed) {
        build_index(elf);
    }
    if (debug->lines_count) {
        *file = debug->line[0].file;
        *line = debug->line[0].line;
    }
    return debug->lines_count > 0;
}

/* --- Inlined calls --- */

struct walk {
    const struct loader_elf *elf;
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
        if (is_code_entry(tag) && dwarf_haspc(&child, walk->address) == 1 &&
            !loader_debug_is_dropped(walk->elf, &child)) {
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
    struct walk walk = {.elf = elf, .address = address};
    Dwarf *dwarf = loader_debug_dwarf(elf);
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    /* Units overlap: assemblers tell the length that code had before the linker has shortened it. */
    while (!walk.calls && dwarf &&
           dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        if (dwarf_haspc(&die, address) == 1 &&
            dwarf_getsrcfiles(&die, &walk.files, &walk.files_count) == 0) {
            walk_children(&walk, &die, 0);
        }
    }
    for (unsigned i = 0; i < walk.calls; i++) {
        call[i] = walk.call[walk.calls - 1 - i];
    }
    return walk.calls;
}
