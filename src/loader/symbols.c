/*
 * Symbols of an ELF by name and by address. Built once when the ELF is opened; see struct
 * loader_symbols for the invariants. Needs the symbol table only, no DWARF.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "loader/elf_internal.h"

uint32_t loader_elf_raw_symbols(const struct loader_elf *elf)
{
    return elf->symtab ? elf->section[elf->symtab].size / (uint32_t)sizeof(Elf32_Sym) : 0;
}

bool loader_elf_raw_symbol(const struct loader_elf *elf, uint32_t index,
                           struct loader_raw_symbol *symbol)
{
    if (index >= loader_elf_raw_symbols(elf)) {
        return false;
    }
    const struct loader_section *table = &elf->section[elf->symtab];
    const struct loader_section *names = &elf->section[table->link];
    Elf32_Sym entry;
    memcpy(&entry, table->bytes + index * sizeof entry, sizeof entry);
    if (entry.st_name >= names->size) {
        return false;
    }
    *symbol = (struct loader_raw_symbol){
        .name = (const char *)names->bytes + entry.st_name,
        .value = entry.st_value,
        .size = entry.st_size,
        .section = entry.st_shndx,
        .type = ELF32_ST_TYPE(entry.st_info),
        .binding = ELF32_ST_BIND(entry.st_info),
    };
    if (symbol->type == STT_SECTION && symbol->section < elf->sections_count) {
        symbol->name = elf->section[symbol->section].name;
    }
    return true;
}

static bool is_wanted(const struct loader_raw_symbol *raw)
{
    const char *name = raw->name;
    bool mapping = name[0] == '$';        /* "$x", "$d": where code and data start */
    bool compiler_local = name[0] == '.'; /* ".L12", ".NO_CB469" */
    return raw->section != SHN_UNDEF && raw->type <= STT_FUNC && name[0] && !mapping &&
           !compiler_local;
}

static struct loader_symbol describe_symbol(const struct loader_elf *elf,
                                            const struct loader_raw_symbol *raw)
{
    bool in_section = raw->section < elf->sections_count;
    uint32_t flags = in_section ? elf->section[raw->section].flags : 0;
    return (struct loader_symbol){
        .name = raw->name,
        .value = raw->value,
        .size = raw->size,
        .kind = raw->type == STT_FUNC     ? LOADER_SYMBOL_FUNCTION
                : raw->type == STT_OBJECT ? LOADER_SYMBOL_OBJECT
                                          : LOADER_SYMBOL_LABEL,
        .global = raw->binding == STB_GLOBAL || raw->binding == STB_WEAK,
        .absolute = raw->section == SHN_ABS,
        .in_code = (flags & SHF_ALLOC) && (flags & SHF_EXECINSTR),
    };
}

static uint32_t lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Is something at the symbol's value? A linker script may place objects by absolute symbols. */
static bool is_place(const struct loader_elf *elf, const struct loader_raw_symbol *raw)
{
    if (raw->section < elf->sections_count) {
        return elf->section[raw->section].flags & SHF_ALLOC;
    }
    return raw->section == SHN_ABS && (raw->type != STT_NOTYPE || raw->binding != STB_LOCAL);
}

static uint32_t hash(const char *name)
{
    uint32_t value = 2166136261; /* FNV-1a */
    for (; *name; name++) {
        value = (value ^ (unsigned char)*name) * 16777619;
    }
    return value;
}

/* The bucket that holds `name`, or the empty one where it belongs. */
static uint32_t *find_bucket(const struct loader_symbols *symbols, const char *name)
{
    uint32_t at = hash(name) & symbols->mask;
    while (symbols->bucket[at] != UINT32_MAX &&
           strcmp(symbols->symbol[symbols->bucket[at]].name, name) != 0) {
        at = (at + 1) & symbols->mask;
    }
    return &symbols->bucket[at];
}

/* Of two symbols at one address or of one name, is `a` the better answer? */
static bool is_better(const struct loader_symbol *a, const struct loader_symbol *b)
{
    if (a->global != b->global) {
        return a->global;
    }
    if ((a->size != 0) != (b->size != 0)) {
        return a->size != 0;
    }
    return a->kind > b->kind;
}

static void enter_names(struct loader_symbols *symbols)
{
    memset(symbols->bucket, 0xff, ((size_t)symbols->mask + 1) * sizeof *symbols->bucket);
    for (uint32_t i = 0; i < symbols->count; i++) {
        uint32_t *bucket = find_bucket(symbols, symbols->symbol[i].name);
        if (*bucket == UINT32_MAX || is_better(&symbols->symbol[i], &symbols->symbol[*bucket])) {
            *bucket = i;
        }
    }
}

static int compare_addresses(const void *left, const void *right, void *context)
{
    const struct loader_symbols *symbols = context;
    uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
    const struct loader_symbol *a = &symbols->symbol[l], *b = &symbols->symbol[r];
    if (a->value != b->value) {
        return a->value < b->value ? -1 : 1;
    }
    if (is_better(a, b) != is_better(b, a)) {
        return is_better(a, b) ? -1 : 1;
    }
    return l < r ? -1 : l > r;
}

/* Sorts symbol numbers by address and keeps the best one of each address. */
static uint32_t sort_addresses(struct loader_symbols *symbols, uint32_t *order, uint32_t count)
{
    qsort_r(order, count, sizeof *order, compare_addresses, symbols);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!kept || symbols->symbol[order[i]].value != symbols->symbol[order[kept - 1]].value) {
            order[kept++] = order[i];
        }
    }
    return kept;
}

static void enter_addresses(struct loader_symbols *symbols)
{
    uint32_t functions = 0, others = 0;
    for (uint32_t i = 0; i < symbols->count; i++) {
        const struct loader_symbol *symbol = &symbols->symbol[i];
        if (symbol->kind == LOADER_SYMBOL_FUNCTION && !symbol->absolute) {
            symbols->function[functions++] = i;
        } else if (symbol->kind == LOADER_SYMBOL_OBJECT || !symbol->absolute) {
            symbols->other[others++] = i; /* absolute labels are constants, not places */
        }
    }
    symbols->functions_count = sort_addresses(symbols, symbols->function, functions);
    symbols->others_count = sort_addresses(symbols, symbols->other, others);
}

static bool allocate(struct loader_symbols *symbols, uint32_t most)
{
    symbols->mask = 15;
    while (symbols->mask / 2 < most) {
        symbols->mask = symbols->mask * 2 + 1;
    }
    symbols->symbol = calloc((size_t)most + 1, sizeof *symbols->symbol);
    symbols->bucket = calloc((size_t)symbols->mask + 1, sizeof *symbols->bucket);
    symbols->function = calloc((size_t)most + 1, sizeof *symbols->function);
    symbols->other = calloc((size_t)most + 1, sizeof *symbols->other);
    return symbols->symbol && symbols->bucket && symbols->function && symbols->other;
}

enum penrose_status loader_symbols_build(struct loader_elf *elf, struct penrose_error *error)
{
    struct loader_symbols *symbols = &elf->symbols;
    struct loader_raw_symbol raw;
    uint32_t total = loader_elf_raw_symbols(elf), wanted = 0;
    symbols->lowest = UINT32_MAX;
    for (uint32_t i = 1; i < total; i++) {
        if (!loader_elf_raw_symbol(elf, i, &raw)) {
            return error_set(error, PENROSE_E_FORMAT,
                             "%s: damaged: the name of symbol %u lies outside the string table; "
                             "copy or build the file again",
                             elf->name, i);
        }
        wanted += is_wanted(&raw);
    }
    if (!allocate(symbols, wanted)) {
        return error_set(error, PENROSE_E_MEMORY, "%s: out of memory", elf->name);
    }
    for (uint32_t i = 1; i < total; i++) {
        if (loader_elf_raw_symbol(elf, i, &raw) && is_wanted(&raw)) {
            symbols->symbol[symbols->count++] = describe_symbol(elf, &raw);
            symbols->lowest =
                is_place(elf, &raw) ? lower(symbols->lowest, raw.value) : symbols->lowest;
        }
    }
    enter_names(symbols);
    enter_addresses(symbols);
    return PENROSE_OK;
}

void loader_symbols_free(struct loader_symbols *symbols)
{
    free(symbols->symbol);
    free(symbols->bucket);
    free(symbols->function);
    free(symbols->other);
    *symbols = (struct loader_symbols){0};
}

uint32_t loader_elf_lowest(const struct loader_elf *elf)
{
    uint32_t lowest = elf->symbols.lowest;
    bool has_sections = false;
    for (unsigned i = 1; i < elf->sections_count; i++) {
        const struct loader_section *section = &elf->section[i];
        bool is_loaded = section->flags & SHF_ALLOC && section->size > 0;
        lowest = is_loaded ? lower(lowest, section->address) : lowest;
        has_sections |= is_loaded;
    }
    for (unsigned i = 0; i < elf->segments_count && !has_sections; i++) {
        lowest = lower(lowest, elf->segment[i].vaddr);
    }
    return lowest;
}

const struct loader_symbol *loader_elf_symbol(const struct loader_elf *elf, const char *name)
{
    uint32_t found = *find_bucket(&elf->symbols, name);
    return found == UINT32_MAX ? NULL : &elf->symbols.symbol[found];
}

const struct loader_symbol *loader_elf_next_called(const struct loader_elf *elf, const char *name,
                                                   const struct loader_symbol *after)
{
    const struct loader_symbols *symbols = &elf->symbols;
    for (uint32_t i = after ? (uint32_t)(after - symbols->symbol) + 1 : 0; i < symbols->count;
         i++) {
        char plain[LOADER_PLAIN_NAME];
        loader_plain_name(symbols->symbol[i].name, plain, sizeof plain);
        if (strcmp(plain, name) == 0) {
            return &symbols->symbol[i];
        }
    }
    return NULL;
}

/* The last symbol of order[count] at or before `address`, or NULL. */
static const struct loader_symbol *last_before(const struct loader_symbols *symbols,
                                               const uint32_t *order, uint32_t count,
                                               uint32_t address)
{
    uint32_t low = 0, high = count; /* everything below `low` is at or before the address */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (symbols->symbol[order[middle]].value <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low ? &symbols->symbol[order[low - 1]] : NULL;
}

static bool is_around(const struct loader_symbol *symbol, uint32_t address)
{
    return symbol && address - symbol->value < symbol->size;
}

const struct loader_symbol *loader_elf_symbol_at(const struct loader_elf *elf, uint32_t address,
                                                 uint32_t *offset)
{
    const struct loader_symbols *symbols = &elf->symbols;
    const struct loader_symbol *function =
        last_before(symbols, symbols->function, symbols->functions_count, address);
    const struct loader_symbol *other =
        last_before(symbols, symbols->other, symbols->others_count, address);
    const struct loader_symbol *found = function;
    if (!is_around(function, address)) {
        if (!function || (other && other->value > function->value)) {
            found = other;
        }
        if (is_around(other, address)) {
            found = other;
        } else if (found) {
            const struct loader_segment *segment = loader_elf_segment_at(elf, address);
            found = segment && segment == loader_elf_segment_at(elf, found->value) ? found : NULL;
        }
    }
    if (found && offset) {
        *offset = address - found->value;
    }
    return found;
}

const struct loader_symbol *loader_elf_function_at(const struct loader_elf *elf, uint32_t address)
{
    const struct loader_symbol *symbol = loader_elf_symbol_at(elf, address, NULL);
    bool is_function = symbol && symbol->kind == LOADER_SYMBOL_FUNCTION && symbol->in_code;
    return is_function && is_around(symbol, address) ? symbol : NULL;
}
