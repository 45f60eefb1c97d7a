/*
 * snapshot.def against the debug information of this program: state has no gaps and no pointers,
 * and a limit for each bool and enum; every member of an owner has a row of the right kind. Exits
 * with 77 where there is no debug information.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "chip/calls.h"
#include "chip/snapshot.h"
#include "unit/test.h"

enum { MOST_TYPES = 256 };

/* Definitions of structs by their place in the table. */
struct definitions {
    Dwarf *dwarf;
    int file;
    Dwarf_Die die[MOST_TYPES];
    bool found[MOST_TYPES];
};

static struct definitions definitions;

static size_t count_types(void)
{
    size_t types = 0;
    while (snapshot_type_at(types)) {
        types++;
    }
    return types;
}

static void note_struct(Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);
    if (!name || dwarf_hasattr(die, DW_AT_declaration)) {
        return;
    }
    for (size_t i = 0; i < count_types(); i++) {
        if (!definitions.found[i] && strcmp(name, snapshot_type_at(i)->name) == 0) {
            definitions.die[i] = *die;
            definitions.found[i] = true;
        }
    }
}

/* Structs that are defined inside others are children of theirs, or stand beside them. */
static void note_structs(Dwarf_Die *parent)
{
    Dwarf_Die child;
    if (dwarf_child(parent, &child) != 0) {
        return;
    }
    do {
        if (dwarf_tag(&child) == DW_TAG_structure_type) {
            note_struct(&child);
            note_structs(&child);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* The table of calls brings the whole chip into this program: clang describes a type only in files that
 * use it, not in those that only measure it. */
static const char *open_definitions(void)
{
    if (count_types() > MOST_TYPES || !chip_calls.arch) {
        abort();
    }
    definitions.file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    definitions.dwarf = definitions.file < 0 ? NULL : dwarf_begin(definitions.file, DWARF_C_READ);
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    const char *lack = "there is no debug information in this program";
    while (definitions.dwarf &&
           dwarf_get_units(definitions.dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        note_structs(&die);
        lack = NULL;
    }
    return lack;
}

TESTS_NEED(open_definitions);

/* The type of a member without typedefs and qualifiers. */
static Dwarf_Die type_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    ck_assert_ptr_nonnull(dwarf_attr_integrate(die, DW_AT_type, &attribute));
    ck_assert_ptr_nonnull(dwarf_formref_die(&attribute, &type));
    ck_assert_int_eq(dwarf_peel_type(&type, &type), 0);
    return type;
}

/* The type of the elements of an array of any dimensions. */
static Dwarf_Die element_of(Dwarf_Die type)
{
    while (dwarf_tag(&type) == DW_TAG_array_type) {
        type = type_of(&type);
    }
    return type;
}

static uint64_t size_of(Dwarf_Die *type)
{
    Dwarf_Word size = 0;
    ck_assert_int_eq(dwarf_aggregate_size(type, &size), 0);
    return size;
}

static uint64_t offset_of(Dwarf_Die *member)
{
    Dwarf_Attribute attribute;
    Dwarf_Word offset = 0;
    if (dwarf_attr(member, DW_AT_data_member_location, &attribute)) {
        ck_assert_int_eq(dwarf_formudata(&attribute, &offset), 0);
    }
    return offset;
}

static bool is_bool(Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;
    return dwarf_tag(type) == DW_TAG_base_type && dwarf_attr(type, DW_AT_encoding, &attribute) &&
           dwarf_formudata(&attribute, &encoding) == 0 && encoding == DW_ATE_boolean;
}

/* Numbers alone, one behind the other, without a bool or an enum, which have limits. The parts of a
 * union are equally long. */
static bool is_plain(Dwarf_Die type)
{
    bool is_union = dwarf_tag(&type) == DW_TAG_union_type;
    Dwarf_Die member;
    uint64_t end = 0;
    if (!is_union && dwarf_tag(&type) != DW_TAG_structure_type) {
        return dwarf_tag(&type) == DW_TAG_base_type && !is_bool(&type);
    }
    if (dwarf_child(&type, &member) != 0) {
        return false;
    }
    do {
        if (dwarf_tag(&member) != DW_TAG_member) {
            continue; /* a type that is defined there */
        }
        Dwarf_Die own = type_of(&member);
        bool is_there = is_union ? size_of(&own) == size_of(&type) : offset_of(&member) == end;
        if (!is_there || !is_plain(element_of(own))) {
            return false;
        }
        end += size_of(&own);
    } while (dwarf_siblingof(&member, &member) == 0);
    return is_union || end == size_of(&type);
}

static const struct snapshot_member *row_of(const struct snapshot_type *type, Dwarf_Die *member)
{
    const char *name = dwarf_diename(member);
    for (uint32_t i = 0; i < type->members; i++) {
        const struct snapshot_member *row = &type->member[i];
        if (row->kind == SNAPSHOT_HINTS) {
            continue;
        }
        bool is_it = name ? strcmp(row->name, name) == 0 : row->offset == offset_of(member);
        if (is_it || (row->kind == SNAPSHOT_BESIDE && row->offset < offset_of(member))) {
            return row;
        }
    }
    return NULL;
}

static void check_kind(const char *struct_name, const struct snapshot_member *row, Dwarf_Die type)
{
    Dwarf_Die element = element_of(type);
    bool is_struct = dwarf_tag(&element) == DW_TAG_structure_type;
    const char *fault = NULL;
    switch (row->kind) {
    case SNAPSHOT_PLAIN:
    case SNAPSHOT_PAGES:
        fault = is_plain(element) ? NULL
                : is_struct       ? "a struct with gaps or other things than numbers: INNER"
                                  : "not a number: BOOL, LIMIT or BESIDE";
        break;
    case SNAPSHOT_LIMIT:
        fault = is_struct || dwarf_tag(&element) == DW_TAG_pointer_type
                    ? "no number: INNER or BESIDE"
                : row->unit != size_of(&element)     ? "of another size than LIMIT says"
                : is_bool(&element) && row->most > 1 ? "a bool: BOOL"
                                                     : NULL;
        break;
    case SNAPSHOT_INNER:
        fault = !is_struct || strcmp(dwarf_diename(&element), row->type->name) != 0
                    ? "not the struct that INNER says"
                    : NULL;
        break;
    case SNAPSHOT_HINTS:
    case SNAPSHOT_LEAVE:
    case SNAPSHOT_BESIDE:
        break;
    }
    ck_assert_msg(!fault, "%s.%s is %s", struct_name, row->name, fault);
}

/* The row that has a limit for the member, or rows of its own; NULL: none. */
static const struct snapshot_member *limit_of(const struct snapshot_type *type, Dwarf_Die *member)
{
    for (uint32_t i = 0; i < type->members; i++) {
        const struct snapshot_member *row = &type->member[i];
        if (row->offset <= offset_of(member) && offset_of(member) < row->offset + row->size) {
            return row;
        }
    }
    return NULL;
}

static void check_fields(const struct snapshot_type *type, Dwarf_Die *die)
{
    uint64_t end = 0;
    Dwarf_Die member;
    ck_assert_int_eq(dwarf_child(die, &member), 0);
    do {
        if (dwarf_tag(&member) != DW_TAG_member) {
            continue;
        }
        const char *name = dwarf_diename(&member);
        const struct snapshot_member *row = limit_of(type, &member);
        Dwarf_Die own = type_of(&member);
        ck_assert_msg(offset_of(&member) == end, "%s has a gap before %s", type->name, name);
        if (row) {
            check_kind(type->name, row, own);
        } else {
            ck_assert_msg(is_plain(element_of(own)),
                          "%s.%s has no row, and there is more in it than numbers without gaps",
                          type->name, name ? name : "(nameless)");
        }
        end += size_of(&own);
    } while (dwarf_siblingof(&member, &member) == 0);
    ck_assert_msg(end == type->size, "%s has a gap at its end", type->name);
}

static void check_members(const struct snapshot_type *type, Dwarf_Die *die)
{
    Dwarf_Die member;
    unsigned members = 0, rows = 0;
    for (uint32_t i = 0; i < type->members; i++) {
        rows += type->member[i].kind != SNAPSHOT_HINTS;
    }
    ck_assert_int_eq(dwarf_child(die, &member), 0);
    do {
        if (dwarf_tag(&member) != DW_TAG_member) {
            continue;
        }
        const struct snapshot_member *row = row_of(type, &member);
        const char *name = dwarf_diename(&member);
        ck_assert_msg(row != NULL, "%s.%s has no row in snapshot.def", type->name,
                      name ? name : "(nameless)");
        members += row->kind != SNAPSHOT_BESIDE || row->offset == offset_of(&member);
        if (row->kind != SNAPSHOT_BESIDE) {
            ck_assert_uint_eq(row->offset, offset_of(&member));
            check_kind(type->name, row, type_of(&member));
        }
    } while (dwarf_siblingof(&member, &member) == 0);
    ck_assert_msg(members == rows, "%s has %u members and %u rows", type->name, members, rows);
}

TEST_EACH(state_is_plain_and_members_have_rows, count_types())
{
    const struct snapshot_type *type = snapshot_type_at((size_t)_i);
    Dwarf_Die *die = &definitions.die[_i];
    ck_assert_msg(definitions.found[_i], "struct %s is in snapshot.def and nowhere else",
                  type->name);
    ck_assert_uint_eq(size_of(die), type->size);
    if (type->is_state) {
        check_fields(type, die);
    } else {
        check_members(type, die);
    }
}

/* What INNER rows refer to is in the table, too, and stands before them. */
TEST_EACH(inner_types_come_first, count_types())
{
    const struct snapshot_type *type = snapshot_type_at((size_t)_i);
    for (uint32_t i = 0; i < type->members; i++) {
        const struct snapshot_member *row = &type->member[i];
        if (row->kind != SNAPSHOT_INNER) {
            continue;
        }
        int at = 0;
        while (at < _i && snapshot_type_at((size_t)at) != row->type) {
            at++;
        }
        ck_assert_int_lt(at, _i);
        ck_assert_uint_eq(row->size % row->type->size, 0);
    }
}
