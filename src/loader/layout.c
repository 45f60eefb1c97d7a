/*
 * Reading the mailbox layout from DWARF. One pass over the top-level entries of every unit
 * (link-time optimisation puts types and code in different ones); only the structures and
 * enumerations that layout.def names are entered. The first complete definition counts.
 *
 * DWARF is file contents: offsets of entries must rise, chains of types and nested anonymous
 * structures are followed for a bounded number of steps.
 */
#include "loader/layout.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "isa/error.h"
#include "loader/elf_internal.h"

enum { MAX_TYPE_STEPS = 16, MAX_NESTING = 4 };

enum need { OPTIONAL, LAUNCHING, REQUIRED };
enum kind { NUMBER, WHOLE };

enum group {
#define STRUCT(group, type) GROUP_##group,
#include "loader/layout.def"
    GROUPS
};

/* `at` is where in struct loader_layout the value goes. */
struct struct_row {
    const char *type;
    size_t at;
};

struct member_row {
    enum group group;
    const char *name;
    enum need need;
    enum kind kind;
    size_t at;
};

struct constant_row {
    const char *name;
    enum need need;
    uint32_t fallback;
    size_t at;
};

static const struct struct_row struct_rows[] = {
#define STRUCT(group, type) {#type, offsetof(struct loader_layout, group##_size)},
#include "loader/layout.def"
};

static const struct member_row member_rows[] = {
#define MEMBER(group, member, need, kind)                                                          \
    {GROUP_##group, #member, need, kind, offsetof(struct loader_layout, group##_##member)},
#include "loader/layout.def"
};

static const struct constant_row constant_rows[] = {
#define CONSTANT(name, need, fallback)                                                             \
    {#name, need, fallback, offsetof(struct loader_layout, name)},
#include "loader/layout.def"
};

static const char *const enumerations[] = {
#define ENUMERATION(type) #type,
#include "loader/layout.def"
};

enum {
    MEMBERS = sizeof member_rows / sizeof member_rows[0],
    CONSTANTS = sizeof constant_rows / sizeof constant_rows[0],
    ENUMERATIONS = sizeof enumerations / sizeof enumerations[0],
};

/* A layout in the making: what was found so far. */
struct reader {
    struct loader_layout *layout;
    bool struct_found[GROUPS], member_found[MEMBERS], constant_found[CONSTANTS];
    bool mailbox_found;
    bool to_launch;         /* kernels are to be launched on it */
    uint32_t cb_interfaces; /* elements of the variable cb_interface */
};

static struct loader_member *member_at(struct loader_layout *layout, const struct member_row *row)
{
    return (struct loader_member *)((char *)layout + row->at);
}

static uint32_t *number_at(struct loader_layout *layout, size_t at)
{
    return (uint32_t *)((char *)layout + at);
}

/* Steps to the next entry of the same level; false at the end. */
static bool next_entry(Dwarf_Die *die)
{
    Dwarf_Off before = dwarf_dieoffset(die);
    return dwarf_siblingof(die, die) == 0 && dwarf_dieoffset(die) > before;
}

/* A constant attribute of `die`, its low 32 bits. */
static bool number(Dwarf_Die *die, unsigned name, uint32_t *value)
{
    Dwarf_Attribute attribute;
    Dwarf_Word word;
    if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &word)) {
        return false;
    }
    *value = (uint32_t)word;
    return true;
}

/* The type of `die` without its typedefs and qualifiers. */
static bool peeled_type(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Die at = *die;
    for (unsigned step = 0; step < MAX_TYPE_STEPS; step++) {
        Dwarf_Attribute attribute;
        if (!dwarf_attr(&at, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, type)) {
            return false;
        }
        switch (dwarf_tag(type)) {
        case DW_TAG_typedef:
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
            at = *type;
            break;
        default:
            return true;
        }
    }
    return false;
}

/* The number of elements of an array type; 0 for an empty or open one. */
static uint32_t array_count(Dwarf_Die *array)
{
    Dwarf_Die dimension;
    uint32_t count = 1, bound;
    if (dwarf_child(array, &dimension)) {
        return 0;
    }
    do {
        if (dwarf_tag(&dimension) != DW_TAG_subrange_type) {
            continue;
        }
        if (number(&dimension, DW_AT_upper_bound, &bound)) {
            count *= bound + 1; /* the bound of an empty array is -1 */
        } else if (number(&dimension, DW_AT_count, &bound)) {
            count *= bound;
        } else {
            count = 0;
        }
    } while (next_entry(&dimension));
    return count;
}

/* The shape of a variable or member: its elements and their size. */
static bool shape(Dwarf_Die *die, struct loader_member *member)
{
    Dwarf_Die type, element;
    if (!peeled_type(die, &type)) {
        return false;
    }
    member->count = 1;
    if (dwarf_tag(&type) == DW_TAG_array_type) {
        member->count = array_count(&type);
        if (!peeled_type(&type, &element)) {
            return false;
        }
        type = element;
    }
    if (dwarf_tag(&type) == DW_TAG_pointer_type) {
        member->size = 4;
        return true;
    }
    return number(&type, DW_AT_byte_size, &member->size);
}

static void take_member(struct reader *reader, enum group group, const char *name,
                        const struct loader_member *member)
{
    for (unsigned i = 0; i < MEMBERS; i++) {
        const struct member_row *row = &member_rows[i];
        if (row->group == group && !reader->member_found[i] && strcmp(row->name, name) == 0) {
            *member_at(reader->layout, row) = *member;
            reader->member_found[i] = true;
        }
    }
}

/* Takes the members of a structure; those of anonymous structures and unions inside count too. */
static void read_members(struct reader *reader, enum group group, Dwarf_Die *structure,
                         uint32_t base, unsigned nesting)
{
    Dwarf_Die die, type;
    if (nesting == MAX_NESTING || dwarf_child(structure, &die)) {
        return;
    }
    do {
        if (dwarf_tag(&die) != DW_TAG_member) {
            continue;
        }
        struct loader_member member = {0};
        number(&die, DW_AT_data_member_location, &member.offset); /* members of unions have none */
        member.offset += base;
        const char *name = dwarf_diename(&die);
        if (name) {
            if (shape(&die, &member)) {
                take_member(reader, group, name, &member);
            }
        } else if (peeled_type(&die, &type)) {
            read_members(reader, group, &type, member.offset, nesting + 1);
        }
    } while (next_entry(&die));
}

/* `type` is how the structure is called, `die` its definition. */
static void take_struct(struct reader *reader, const char *type, Dwarf_Die *die)
{
    uint32_t size;
    int tag = dwarf_tag(die);
    if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type) ||
        !number(die, DW_AT_byte_size, &size)) {
        return; /* a declaration */
    }
    for (unsigned i = 0; i < GROUPS; i++) {
        if (!reader->struct_found[i] && strcmp(struct_rows[i].type, type) == 0) {
            *number_at(reader->layout, struct_rows[i].at) = size;
            reader->struct_found[i] = true;
            read_members(reader, (enum group)i, die, 0, 0);
        }
    }
}

static void take_typedef(struct reader *reader, const char *name, Dwarf_Die *die)
{
    for (unsigned i = 0; i < GROUPS; i++) {
        Dwarf_Die type;
        if (!reader->struct_found[i] && strcmp(struct_rows[i].type, name) == 0 &&
            peeled_type(die, &type)) {
            take_struct(reader, name, &type);
        }
    }
}

static void take_constant(struct reader *reader, const char *name, Dwarf_Die *die)
{
    for (unsigned i = 0; i < CONSTANTS; i++) {
        if (!reader->constant_found[i] && strcmp(constant_rows[i].name, name) == 0) {
            reader->constant_found[i] =
                number(die, DW_AT_const_value, number_at(reader->layout, constant_rows[i].at));
        }
    }
}

static void take_variable(struct reader *reader, const char *name, Dwarf_Die *die)
{
    if (!reader->mailbox_found && strcmp(name, "mailboxes") == 0) {
        reader->mailbox_found = number(die, DW_AT_const_value, &reader->layout->mailbox_base);
    } else if (!reader->cb_interfaces && strcmp(name, "cb_interface") == 0) {
        struct loader_member variable;
        if (shape(die, &variable)) {
            reader->cb_interfaces = variable.count;
        }
    } else {
        take_constant(reader, name, die);
    }
}

static void take_enumeration(struct reader *reader, const char *name, Dwarf_Die *die)
{
    for (unsigned i = 0; i < ENUMERATIONS; i++) {
        Dwarf_Die enumerator;
        if (strcmp(enumerations[i], name) != 0 || dwarf_child(die, &enumerator)) {
            continue;
        }
        do {
            const char *constant = dwarf_diename(&enumerator);
            if (constant) {
                take_constant(reader, constant, &enumerator);
            }
        } while (next_entry(&enumerator));
    }
}

static void read_unit(struct reader *reader, Dwarf_Die *unit)
{
    Dwarf_Die die;
    if (dwarf_child(unit, &die)) {
        return;
    }
    do {
        int tag = dwarf_tag(&die);
        bool is_wanted = tag == DW_TAG_variable || tag == DW_TAG_typedef ||
                         tag == DW_TAG_structure_type || tag == DW_TAG_enumeration_type;
        const char *name = is_wanted ? dwarf_diename(&die) : NULL;
        if (!name) {
            continue;
        }
        if (tag == DW_TAG_variable) {
            take_variable(reader, name, &die);
        } else if (tag == DW_TAG_typedef) {
            take_typedef(reader, name, &die);
        } else if (tag == DW_TAG_structure_type) {
            take_struct(reader, name, &die);
        } else {
            take_enumeration(reader, name, &die);
        }
    } while (next_entry(&die));
}

/* Counts what is required and was not found; `text` says what the first one is. */
static unsigned find_missing(const struct reader *reader, char *text, size_t size)
{
    unsigned missing = 0;
    if (!reader->mailbox_found) {
        missing++;
        snprintf(text, size, "the address of variable mailboxes");
    }
    for (unsigned i = 0; i < GROUPS; i++) {
        if (!reader->struct_found[i] && !missing++) {
            snprintf(text, size, "struct %s", struct_rows[i].type);
        }
    }
    for (unsigned i = 0; i < MEMBERS; i++) {
        const struct member_row *row = &member_rows[i];
        bool is_missing =
            row->need == REQUIRED && reader->struct_found[row->group] && !reader->member_found[i];
        if (is_missing && !missing++) {
            snprintf(text, size, "member %s of struct %s", row->name, struct_rows[row->group].type);
        }
    }
    for (unsigned i = 0; i < CONSTANTS; i++) {
        enum need least = reader->to_launch ? LAUNCHING : REQUIRED;
        bool is_missing = constant_rows[i].need >= least && !reader->constant_found[i];
        if (is_missing && !missing++) {
            snprintf(text, size, "constant %s", constant_rows[i].name);
        }
    }
    return missing;
}

/* What is wrong with the layout as a whole, or NULL; see the invariants in layout.h. */
static const char *find_contradiction(const struct loader_layout *l)
{
    enum { HARTS = 5 };
    if (l->mailbox_base % 4 || (uint64_t)l->mailbox_base + l->mailboxes_size > l->l1_bytes) {
        return "the mailboxes are not in L1";
    }
    if (l->mailboxes_launch.size != l->launch_msg_size || !l->mailboxes_launch.count) {
        return "the ring mailboxes_t.launch holds no launch_msg_t";
    }
    if (l->mailboxes_go_messages.size != l->go_msg_size || !l->mailboxes_go_messages.count) {
        return "mailboxes_t.go_messages holds no go_msg_t";
    }
    if (l->mailboxes_core_info.size != l->core_info_size) {
        return "mailboxes_t.core_info is no core_info_msg_t";
    }
    if (l->launch_msg_kernel_config.size != l->kernel_config_size) {
        return "launch_msg_t.kernel_config is no kernel_config_msg_t";
    }
    if (l->mailboxes_subordinate_sync.size * l->mailboxes_subordinate_sync.count < HARTS - 1) {
        return "mailboxes_t.subordinate_sync has less than four bytes";
    }
    if (l->kernel_config_rta_offset.size != l->rta_size ||
        l->kernel_config_rta_offset.count < HARTS ||
        l->kernel_config_kernel_text_offset.count < HARTS) {
        return "kernel_config_msg_t has no entries for five harts";
    }
    if (!l->kernel_config_kernel_config_base.count || !l->kernel_config_sem_offset.count) {
        return "kernel_config_msg_t has no entry for Tensix tiles";
    }
    return NULL;
}

/* Finds a contradiction in the parts that launching needs. */
static const char *find_launch_contradiction(const struct loader_layout *l)
{
    if (!l->NUM_CIRCULAR_BUFFERS ||
        l->NUM_CIRCULAR_BUFFERS > 8 * l->kernel_config_local_cb_mask.size) {
        return "kernel_config_msg_t.local_cb_mask has no bit for each circular buffer";
    }
    if (l->UINT32_WORDS_PER_LOCAL_CIRCULAR_BUFFER_CONFIG < 4 ||
        l->UINT32_WORDS_PER_LOCAL_CIRCULAR_BUFFER_CONFIG > 64) {
        return "UINT32_WORDS_PER_LOCAL_CIRCULAR_BUFFER_CONFIG is not 4 to 64";
    }
    return NULL;
}

static enum penrose_status check_members(struct loader_layout *layout, const char *file,
                                         struct penrose_error *error)
{
    for (unsigned i = 0; i < MEMBERS; i++) {
        const struct member_row *row = &member_rows[i];
        const struct loader_member *member = member_at(layout, row);
        uint32_t whole = *number_at(layout, struct_rows[row->group].at);
        uint64_t end = member->offset + (uint64_t)member->size * member->count;
        bool is_sized = member->size == 1 || member->size == 2 || member->size == 4 ||
                        member->size == 8 || !member->count || row->kind == WHOLE;
        bool is_empty = row->need == REQUIRED && !member->count;
        if (end > whole || !is_sized || is_empty) {
            return error_set(
                error, PENROSE_E_LAYOUT,
                "%s: debug information gives member %s of struct %s bytes %" PRIu32 " to %" PRIu64
                " of %" PRIu32 "; expected a number inside it: the file "
                "is damaged",
                file, row->name, struct_rows[row->group].type, member->offset, end, whole);
        }
    }
    return PENROSE_OK;
}

static enum penrose_status finish_layout(struct reader *reader, const char *file,
                                         struct penrose_error *error)
{
    char text[120];
    unsigned missing = find_missing(reader, text, sizeof text);
    if (missing) {
        return error_set(error, PENROSE_E_LAYOUT,
                         "%s: debug information lacks %s (%u missing in all); expected the "
                         "unstripped brisc.elf of tt-metal, January 2026 or later",
                         file, text, missing);
    }
    struct loader_layout *layout = reader->layout;
    if (!layout->NUM_CIRCULAR_BUFFERS) {
        layout->NUM_CIRCULAR_BUFFERS = reader->cb_interfaces;
    }
    if (!layout->launch_msg_buffer_num_entries) {
        layout->launch_msg_buffer_num_entries = layout->mailboxes_launch.count;
    }
    enum penrose_status status = check_members(layout, file, error);
    const char *contradiction = status ? NULL : find_contradiction(layout);
    if (!status && !contradiction && reader->to_launch) {
        contradiction = find_launch_contradiction(layout);
    }
    if (contradiction) {
        status = error_set(error, PENROSE_E_LAYOUT,
                           "%s: debug information makes no sense: %s; expected tt-metal's "
                           "brisc.elf, January 2026 or later",
                           file, contradiction);
    }
    return status;
}

static enum penrose_status read_layout(struct loader_elf *brisc, uint32_t l1_bytes, bool to_launch,
                                       struct loader_layout *layout, struct penrose_error *error)
{
    *layout = (struct loader_layout){.l1_bytes = l1_bytes};
    for (unsigned i = 0; i < CONSTANTS; i++) {
        *number_at(layout, constant_rows[i].at) = constant_rows[i].fallback;
    }
    Dwarf *dwarf = loader_debug_dwarf(brisc);
    if (!dwarf) {
        return error_set(error, PENROSE_E_LAYOUT,
                         "%s: no debug information (uncompressed DWARF); expected the unstripped "
                         "brisc.elf of tt-metal, which says where its mailboxes are",
                         loader_elf_name(brisc));
    }
    struct reader reader = {.layout = layout, .to_launch = to_launch};
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        read_unit(&reader, &die);
    }
    return finish_layout(&reader, loader_elf_name(brisc), error);
}

enum penrose_status loader_layout_read(struct loader_elf *brisc, uint32_t l1_bytes,
                                       struct loader_layout *layout, struct penrose_error *error)
{
    return read_layout(brisc, l1_bytes, true, layout, error);
}

enum penrose_status loader_layout_read_boot(struct loader_elf *elf, uint32_t l1_bytes,
                                            struct loader_layout *layout,
                                            struct penrose_error *error)
{
    return read_layout(elf, l1_bytes, false, layout, error);
}
