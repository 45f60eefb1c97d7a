/*
 * The XIP transform. Two passes over the relocations of loaded sections: the first checks every
 * one and collects the high parts (lui, auipc) that matter, the second gives each low part to its
 * high part and patches it; at last the high parts are patched.
 *
 * An absolute pair finds its high part by the symbol, as the nearest one at a lower address: that
 * is how compilers place them, and the file records nothing better. A pc-relative low part names
 * the address of its high part. "In text" means that the symbol's section lies in the segment of
 * the entry point.
 */
#include "loader/xip.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/array.h"
#include "isa/error.h"
#include "loader/elf_internal.h"

enum { OPCODE_AUIPC = 0x17, OPCODE_LUI = 0x37, OPCODE_MASK = 0x7f };

enum action {
    REFUSE,  /* what the transform cannot do */
    IGNORE,  /* holds at any address */
    POINTER, /* an absolute word */
    JUMP,    /* must not leave the text */
    ADD,     /* these three come in pairs at one place: a difference of two symbols */
    SET,
    SUBTRACT,
    HIGH, /* lui, and the instruction with the low 12 bits */
    LOW_I,
    LOW_S,
    PCREL_HIGH, /* auipc, and the same */
    PCREL_LOW_I,
    PCREL_LOW_S,
};

struct relocation_row {
    unsigned type;
    const char *name;
    enum action action;
};

static const struct relocation_row relocation_rows[] = {
#define RELOCATION(number, name, action) {number, #name, action},
#include "loader/xip.def"
};

/* One relocation, read. `row` is NULL for a type that is not in the table. */
struct relocation {
    const struct loader_section *section; /* that it patches */
    const struct relocation_row *row;
    unsigned type;
    uint32_t address, symbol_index;
    struct loader_raw_symbol symbol;
    uint32_t target; /* symbol value + addend */
    bool from_text, to_text;
};

/* A high part: the instruction at `address` makes the upper bits of `target`. */
struct high {
    uint32_t address, symbol_index, target;
    bool is_pcrel; /* as linked */
    bool is_kept;  /* pc-relative inside the text already: nothing to patch */
    bool is_used;  /* by a low part */
    struct relocation relocation;
};

struct transform {
    const struct loader_elf *elf;
    const struct loader_segment *text;
    struct loader_blob *blob;
    struct high *high; /* sorted by kind, symbol (absolute ones) and address */
    size_t highs_count, highs_size;
    struct penrose_error *error;
};

static enum penrose_status refuse_relocation(const struct transform *transform,
                                             const struct relocation *relocation, const char *why)
{
    char number[32], symbol[LOADER_QUOTE], section[LOADER_QUOTE / 2];
    snprintf(number, sizeof number, "relocation type %u", relocation->type);
    loader_quote(symbol, sizeof symbol, relocation->symbol.name);
    loader_quote(section, sizeof section, relocation->section->name);
    return error_set(transform->error, PENROSE_E_FORMAT,
                     "%s: %s against symbol \"%s\" at 0x%" PRIx32 " in section %s: %s",
                     transform->elf->name, relocation->row ? relocation->row->name : number, symbol,
                     relocation->address, section, why);
}

static bool is_in_segment(const struct loader_section *section,
                          const struct loader_segment *segment)
{
    return section->flags & SHF_ALLOC && section->address >= segment->vaddr &&
           (uint64_t)section->address + section->size <= (uint64_t)segment->vaddr + segment->memsz;
}

static bool is_text_symbol(const struct transform *transform,
                           const struct loader_raw_symbol *symbol)
{
    const struct loader_elf *elf = transform->elf;
    return symbol->section && symbol->section < elf->sections_count &&
           is_in_segment(&elf->section[symbol->section], transform->text);
}

static const struct relocation_row *find_row(unsigned type)
{
    for (size_t i = 0; i < sizeof relocation_rows / sizeof relocation_rows[0]; i++) {
        if (relocation_rows[i].type == type) {
            return &relocation_rows[i];
        }
    }
    return NULL;
}

static uint32_t relocations_count(const struct loader_section *table)
{
    return table->size / (uint32_t)sizeof(Elf32_Rela);
}

/* Reads entry `index` of a relocation section. */
static enum penrose_status read_relocation(const struct transform *transform,
                                           const struct loader_section *table, uint32_t index,
                                           struct relocation *relocation)
{
    const struct loader_section *section = &transform->elf->section[table->info];
    Elf32_Rela entry;
    memcpy(&entry, table->bytes + index * sizeof entry, sizeof entry);
    *relocation = (struct relocation){
        .section = section,
        .row = find_row(ELF32_R_TYPE(entry.r_info)),
        .type = ELF32_R_TYPE(entry.r_info),
        .address = entry.r_offset,
        .symbol_index = ELF32_R_SYM(entry.r_info),
        .symbol = {.name = "(none)"},
        .from_text = is_in_segment(section, transform->text),
    };
    if (!loader_elf_raw_symbol(transform->elf, relocation->symbol_index, &relocation->symbol) &&
        relocation->symbol_index) {
        return refuse_relocation(transform, relocation,
                                 "no such symbol; the file is damaged: build it again");
    }
    relocation->target = relocation->symbol.value + (uint32_t)entry.r_addend;
    relocation->to_text = is_text_symbol(transform, &relocation->symbol);
    if (relocation->address - section->address >= section->size) {
        return refuse_relocation(
            transform, relocation,
            "the place lies outside the section; the file is damaged: build it again");
    }
    return PENROSE_OK;
}

static enum penrose_status add_high(struct transform *transform,
                                    const struct relocation *relocation)
{
    if (!array_grow(&transform->high, transform->highs_count, &transform->highs_size,
                    sizeof *transform->high)) {
        return error_set(transform->error, PENROSE_E_MEMORY, "%s: out of memory",
                         transform->elf->name);
    }
    bool is_pcrel = relocation->row->action == PCREL_HIGH;
    transform->high[transform->highs_count++] = (struct high){
        .address = relocation->address,
        .symbol_index = is_pcrel ? 0 : relocation->symbol_index,
        .target = relocation->target,
        .is_pcrel = is_pcrel,
        .is_kept = is_pcrel && relocation->to_text,
        .relocation = *relocation,
    };
    return PENROSE_OK;
}

/* A symbol difference is constant when both symbols move, or neither does. */
static enum penrose_status check_pair(const struct transform *transform,
                                      const struct relocation *first,
                                      const struct relocation *second)
{
    if (!second || second->address != first->address) {
        return refuse_relocation(transform, first,
                                 "half of a symbol difference, the other one is missing; "
                                 "the file is damaged: build it again");
    }
    if (first->to_text != second->to_text) {
        return refuse_relocation(transform, first,
                                 "a difference between text and other memory, which changes "
                                 "when the kernel moves");
    }
    return PENROSE_OK;
}

/* The first pass over one relocation; `before` and `after` are its neighbours or NULL. */
static enum penrose_status check_relocation(struct transform *transform,
                                            const struct relocation *relocation,
                                            const struct relocation *before,
                                            const struct relocation *after)
{
    enum action action = relocation->row ? relocation->row->action : REFUSE;
    bool is_crossing = relocation->from_text != relocation->to_text;
    switch (action) {
    case REFUSE:
        return refuse_relocation(transform, relocation,
                                 "cannot be made position independent; build with "
                                 "relaxation on and without a PLT");
    case POINTER:
        return relocation->to_text
                   ? refuse_relocation(transform, relocation,
                                       "an absolute pointer into the text would have to "
                                       "be fixed at run time; build with "
                                       "-fno-jump-tables, take no function addresses")
                   : PENROSE_OK;
    case JUMP:
        return is_crossing
                   ? refuse_relocation(transform, relocation, "a jump out of the kernel's text")
                   : PENROSE_OK;
    case ADD:
        return check_pair(transform, relocation,
                          after && after->row && after->row->action == SUBTRACT ? after : NULL);
    case SUBTRACT: {
        bool is_second =
            before && before->row && (before->row->action == ADD || before->row->action == SET);
        return check_pair(transform, relocation, is_second ? before : NULL);
    }
    case HIGH:
    case PCREL_HIGH:
        if (relocation->to_text && !relocation->from_text) {
            return refuse_relocation(transform, relocation, "a reference from data into the text");
        }
        /* Local memory and registers do not move: lui on them stays, auipc becomes lui. */
        if (action == HIGH ? relocation->to_text : relocation->from_text) {
            return add_high(transform, relocation);
        }
        return PENROSE_OK;
    default:
        return PENROSE_OK;
    }
}

static uint32_t load_word(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static void store_word(uint8_t *at, uint32_t word)
{
    memcpy(at, &word, sizeof word);
}

/* The instruction in the blob that a relocation patches, or NULL. */
static uint8_t *instruction_at(const struct transform *transform, uint32_t address)
{
    uint32_t offset = address - transform->blob->link_base;
    bool is_inside = transform->blob->text_size >= 4 && offset <= transform->blob->text_size - 4;
    return is_inside && offset % 4 == 0 ? transform->blob->bytes + offset : NULL;
}

/* What lui (for an absolute value) or auipc (for a distance) must make so that low 12 bits fit. */
static uint32_t new_value(const struct high *high, uint32_t target)
{
    return high->is_pcrel ? target : target - high->address;
}

static uint32_t upper_bits(uint32_t value)
{
    return (value + 0x800) & ~UINT32_C(0xfff);
}

static int compare_highs(const void *left, const void *right)
{
    const struct high *a = left, *b = right;
    if (a->is_pcrel != b->is_pcrel) {
        return a->is_pcrel ? 1 : -1;
    }
    if (a->symbol_index != b->symbol_index) {
        return a->symbol_index < b->symbol_index ? -1 : 1;
    }
    return a->address < b->address ? -1 : a->address > b->address;
}

/* The last high part at or before the given place in sorting order, or NULL. */
static struct high *last_high(const struct transform *transform, const struct high *place)
{
    size_t low = 0, high = transform->highs_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_highs(&transform->high[middle], place) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low ? &transform->high[low - 1] : NULL;
}

/* The high part that the low part `relocation` belongs to, or NULL. */
static struct high *find_high(const struct transform *transform,
                              const struct relocation *relocation, bool is_pcrel)
{
    struct high place = {
        .address = is_pcrel ? relocation->target : relocation->address,
        .symbol_index = is_pcrel ? 0 : relocation->symbol_index,
        .is_pcrel = is_pcrel,
    };
    struct high *found = last_high(transform, &place);
    if (!found || found->is_pcrel != is_pcrel || found->symbol_index != place.symbol_index ||
        (is_pcrel && found->address != place.address)) {
        return NULL;
    }
    return found;
}

/* Puts the low 12 bits of `value` into a load, an addi (I form) or a store (S form). */
static uint32_t with_low_bits(uint32_t instruction, uint32_t value, bool is_store)
{
    if (!is_store) {
        return (instruction & 0x000fffff) | (value & 0xfff) << 20;
    }
    return (instruction & 0x01fff07f) | (value & 0x1f) << 7 | (value >> 5 & 0x7f) << 25;
}

static enum penrose_status patch_low(struct transform *transform,
                                     const struct relocation *relocation)
{
    enum action action = relocation->row->action;
    bool is_pcrel = action == PCREL_LOW_I || action == PCREL_LOW_S;
    bool is_store = action == LOW_S || action == PCREL_LOW_S;
    if (is_pcrel ? !relocation->from_text : !relocation->to_text) {
        return PENROSE_OK; /* belongs to a high part that needs no patch */
    }
    struct high *high = find_high(transform, relocation, is_pcrel);
    if (!high) {
        return refuse_relocation(
            transform, relocation,
            "its upper part (HI20) was not found; give the original kernel, not one "
            "that is transformed already");
    }
    high->is_used = true;
    if (high->is_kept) {
        return PENROSE_OK;
    }
    uint8_t *at = instruction_at(transform, relocation->address);
    if (!at) {
        return refuse_relocation(transform, relocation,
                                 "no instruction there; the file is damaged");
    }
    /* Absolute parts may have addends of their own: struct members share one lui. */
    uint32_t value = new_value(high, is_pcrel ? high->target : relocation->target);
    uint32_t low = value - upper_bits(new_value(high, high->target));
    if (low + 0x800 > 0xfff) {
        return refuse_relocation(
            transform, relocation,
            "does not fit behind the upper part (HI20) that it shares with others once "
            "that is pc-relative; keep constant data out of the text");
    }
    store_word(at, with_low_bits(load_word(at), low, is_store));
    return PENROSE_OK;
}

static enum penrose_status patch_high(const struct transform *transform, const struct high *high)
{
    if (!high->is_used) {
        return refuse_relocation(transform, &high->relocation,
                                 "its lower part (LO12) was not found; the file "
                                 "is damaged: build it again");
    }
    if (high->is_kept) {
        return PENROSE_OK;
    }
    uint8_t *at = instruction_at(transform, high->address);
    uint32_t before = high->is_pcrel ? OPCODE_AUIPC : OPCODE_LUI;
    uint32_t after = high->is_pcrel ? OPCODE_LUI : OPCODE_AUIPC;
    if (!at || (load_word(at) & OPCODE_MASK) != before) {
        return refuse_relocation(transform, &high->relocation,
                                 high->is_pcrel
                                     ? "the instruction there is no auipc"
                                     : "the instruction there is no lui; give the original "
                                       "kernel, not one that is transformed already");
    }
    uint32_t rest = load_word(at) & 0xfff & ~(uint32_t)OPCODE_MASK;
    store_word(at, upper_bits(new_value(high, high->target)) | rest | after);
    return PENROSE_OK;
}

/* Is this section a list of relocations of something that is loaded? */
static bool is_relocation_table(const struct loader_elf *elf, const struct loader_section *table)
{
    if (table->type != SHT_RELA || !table->info || table->info >= elf->sections_count ||
        !elf->symtab || table->link != elf->symtab) {
        return false;
    }
    const struct loader_section *section = &elf->section[table->info];
    bool is_loaded = false;
    for (unsigned i = 0; i < elf->segments_count; i++) {
        is_loaded |= is_in_segment(section, &elf->segment[i]);
    }
    return is_loaded && section->type != SHT_NOBITS;
}

static enum penrose_status check_table(struct transform *transform,
                                       const struct loader_section *table)
{
    /* A window of three entries, since differences are pairs of neighbours. */
    struct relocation window[3];
    uint32_t count = relocations_count(table);
    for (uint32_t i = 0; i <= count; i++) {
        enum penrose_status status = PENROSE_OK;
        if (i < count) {
            status = read_relocation(transform, table, i, &window[i % 3]);
        }
        if (!status && i > 0) {
            status = check_relocation(transform, &window[(i - 1) % 3],
                                      i > 1 ? &window[(i - 2) % 3] : NULL,
                                      i < count ? &window[i % 3] : NULL);
        }
        if (status) {
            return status;
        }
    }
    return PENROSE_OK;
}

static enum penrose_status patch_table(struct transform *transform,
                                       const struct loader_section *table)
{
    for (uint32_t i = 0; i < relocations_count(table); i++) {
        struct relocation relocation;
        enum penrose_status status = read_relocation(transform, table, i, &relocation);
        if (!status && relocation.row) {
            switch (relocation.row->action) {
            case LOW_I:
            case LOW_S:
            case PCREL_LOW_I:
            case PCREL_LOW_S:
                status = patch_low(transform, &relocation);
                break;
            default:
                break;
            }
        }
        if (status) {
            return status;
        }
    }
    return PENROSE_OK;
}

static enum penrose_status run_transform(struct transform *transform)
{
    const struct loader_elf *elf = transform->elf;
    enum penrose_status status = PENROSE_OK;
    for (unsigned i = 1; i < elf->sections_count && !status; i++) {
        if (is_relocation_table(elf, &elf->section[i])) {
            status = check_table(transform, &elf->section[i]);
        }
    }
    if (transform->highs_count) {
        qsort(transform->high, transform->highs_count, sizeof *transform->high, compare_highs);
    }
    for (unsigned i = 1; i < elf->sections_count && !status; i++) {
        if (is_relocation_table(elf, &elf->section[i])) {
            status = patch_table(transform, &elf->section[i]);
        }
    }
    for (size_t i = 0; i < transform->highs_count && !status; i++) {
        status = patch_high(transform, &transform->high[i]);
    }
    return status;
}

static bool has_relocations(const struct loader_elf *elf)
{
    for (unsigned i = 1; i < elf->sections_count; i++) {
        if (is_relocation_table(elf, &elf->section[i])) {
            return true;
        }
    }
    return false;
}

/* Lays text and data out one behind the other, as their load addresses demand. */
static enum penrose_status make_blob(const struct loader_elf *elf, uint32_t l1_bytes,
                                     const struct loader_segment *text, struct loader_blob *blob,
                                     struct penrose_error *error)
{
    uint32_t end = text->paddr + text->filesz;
    uint64_t size = text->filesz;
    for (unsigned i = 0; i < elf->segments_count; i++) {
        const struct loader_segment *segment = &elf->segment[i];
        if (segment == text || !segment->filesz) {
            continue;
        }
        if (segment->paddr != end) {
            return error_set(error, PENROSE_E_FORMAT,
                             "%s: the data for 0x%" PRIx32 " is to be loaded at 0x%" PRIx32
                             ", expected 0x%" PRIx32 " right behind the text: give .data an "
                             "AT() address in the linker script",
                             elf->name, segment->vaddr, segment->paddr, end);
        }
        end += segment->filesz;
        size += segment->filesz;
    }
    if (size > l1_bytes) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: a kernel of %" PRIu64 " bytes, expected at most %" PRIu32
                         " (all of L1)",
                         elf->name, size, l1_bytes);
    }
    *blob = (struct loader_blob){
        .size = ((uint32_t)size + 3) & ~UINT32_C(3),
        .text_size = text->filesz,
        .data_size = (uint32_t)size - text->filesz,
        .entry = elf->entry - text->vaddr,
        .link_base = text->vaddr,
    };
    blob->bytes = calloc(1, blob->size + 4);
    if (!blob->bytes) {
        return error_set(error, PENROSE_E_MEMORY, "%s: out of memory", elf->name);
    }
    memcpy(blob->bytes, text->bytes, text->filesz);
    uint8_t *at = blob->bytes + text->filesz;
    for (unsigned i = 0; i < elf->segments_count; i++) {
        if (&elf->segment[i] != text && elf->segment[i].filesz) {
            memcpy(at, elf->segment[i].bytes, elf->segment[i].filesz);
            at += elf->segment[i].filesz;
        }
    }
    return PENROSE_OK;
}

enum penrose_status loader_xip(const struct loader_elf *elf, uint32_t l1_bytes,
                               struct loader_blob *blob, struct penrose_error *error)
{
    *blob = (struct loader_blob){0};
    if (!has_relocations(elf)) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: no relocations of text or data; link the kernel with "
                         "-Wl,--emit-relocs (firmware is no kernel: it runs where it is linked)",
                         elf->name);
    }
    const struct loader_segment *text = loader_elf_segment_at(elf, elf->entry);
    enum penrose_status status = make_blob(elf, l1_bytes, text, blob, error);
    if (status) {
        return status;
    }
    struct transform transform = {.elf = elf, .text = text, .blob = blob, .error = error};
    status = run_transform(&transform);
    free(transform.high);
    if (status) {
        loader_blob_free(blob);
    }
    return status;
}

void loader_blob_free(struct loader_blob *blob)
{
    free(blob->bytes);
    *blob = (struct loader_blob){0};
}
