/* Lists which parts of the coprocessor are modelled, from its tables; see listing.h. */
#include "observe/listing.h"

#include <stdbool.h>
#include <stdio.h>

#include "isa/json_text.h"
#include "tensix/config/unread.h"
#include "tensix/table.h"

/* Rows of one opcode stand together; they are forms of one instruction. */
static unsigned count_forms(unsigned first)
{
    unsigned end = first + 1;
    while (end < TENSIX_ROWS && tensix_rows[end].match >> 24 == tensix_rows[first].match >> 24) {
        end++;
    }
    return end - first;
}

/* What of an instruction is executed. */
struct coverage {
    unsigned forms, stubs;
    const struct tensix_sought *sought; /* of the first form that no public source defines */
};

static struct coverage coverage_of(unsigned first)
{
    struct coverage coverage = {.forms = count_forms(first)};
    for (unsigned row = first + coverage.forms; row-- > first;) {
        const struct tensix_sought *sought = tensix_sought_of(row);
        coverage.stubs += sought != NULL;
        coverage.sought = sought ? sought : coverage.sought;
    }
    return coverage;
}

/* What it means for a program that nothing reads a field. */
static const char *const meanings[] = {
    [TENSIX_UNREAD_TIME] = "only times, power or guesses of the hardware depend on them",
    [TENSIX_UNREAD_ABSENT] = "the chip has not what they are for, or using that is a fault",
    [TENSIX_UNREAD_RESULTS] = "results would depend on them; --warn-unmodelled lists who sets them",
};
static const char *const kinds[] = {
    [TENSIX_UNREAD_TIME] = "time",
    [TENSIX_UNREAD_ABSENT] = "absent",
    [TENSIX_UNREAD_RESULTS] = "results",
};

/* --- Text --- */

static void print_instructions(void)
{
    unsigned executed = 0, partly = 0, all = 0;
    printf("Instructions of the coprocessor:\n");
    for (unsigned row = 0; row < TENSIX_ROWS; row += count_forms(row), all++) {
        struct coverage coverage = coverage_of(row);
        bool is_executed = coverage.stubs < coverage.forms;
        printf("  %-14s 0x%02x  %-9s  %s\n", tensix_rows[row].mnemonic,
               tensix_rows[row].match >> 24, tensix_unit_name(tensix_row_infos[row].unit),
               !is_executed     ? "not modelled"
               : coverage.stubs ? "executed, but for one form"
                                : "executed");
        if (coverage.sought) {
            printf("      found   %s\n      sought  %s\n", coverage.sought->found,
                   coverage.sought->places);
        }
        executed += is_executed;
        partly += is_executed && coverage.stubs;
    }
    printf("%u of %u are executed, %u of them not in all forms.\n", executed, all, partly);
}

static void print_fields(enum tensix_unread_kind kind)
{
    printf("\nFields of the configuration that nothing reads: %s:\n", meanings[kind]);
    for (const struct tensix_unread *row = tensix_unread; row->text; row++) {
        for (unsigned id = row->first; row->kind == kind && id <= row->last; id++) {
            const struct tensix_field *field = &tensix_fields[id];
            printf("  %-55s %s word %u, bits %u to %u\n", field->name,
                   field->thread ? "ThreadConfig" : "Config", field->word, field->shift,
                   field->shift + field->width - 1U);
        }
        if (row->kind == kind) {
            printf("      %s\n", row->text);
        }
    }
}

void listing_print(void)
{
    print_instructions();
    print_fields(TENSIX_UNREAD_RESULTS);
    print_fields(TENSIX_UNREAD_ABSENT);
    print_fields(TENSIX_UNREAD_TIME);
}

/* --- JSON --- */

static json_t *instructions_json(void)
{
    json_t *array = json_array();
    for (unsigned row = 0; row < TENSIX_ROWS; row += count_forms(row)) {
        struct coverage coverage = coverage_of(row);
        json_t *object = json_object();
        json_object_set_new(object, "mnemonic", json_text(tensix_rows[row].mnemonic));
        json_object_set_new(object, "opcode", json_integer(tensix_rows[row].match >> 24));
        json_object_set_new(object, "unit",
                            json_text(tensix_unit_name(tensix_row_infos[row].unit)));
        json_object_set_new(object, "forms", json_integer(coverage.forms));
        json_object_set_new(object, "unknown_forms", json_integer(coverage.stubs));
        json_object_set_new(object, "executed", json_boolean(coverage.stubs < coverage.forms));
        if (coverage.sought) {
            json_object_set_new(object, "found", json_text(coverage.sought->found));
            json_object_set_new(object, "sought", json_text(coverage.sought->places));
        }
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *fields_json(void)
{
    json_t *array = json_array();
    for (const struct tensix_unread *row = tensix_unread; row->text; row++) {
        for (unsigned id = row->first; id <= row->last; id++) {
            const struct tensix_field *field = &tensix_fields[id];
            json_t *object = json_object();
            json_object_set_new(object, "name", json_text(field->name));
            json_object_set_new(object, "thread", json_boolean(field->thread));
            json_object_set_new(object, "word", json_integer(field->word));
            json_object_set_new(object, "shift", json_integer(field->shift));
            json_object_set_new(object, "width", json_integer(field->width));
            json_object_set_new(object, "kind", json_text(kinds[row->kind]));
            json_object_set_new(object, "text", json_text(row->text));
            json_array_append_new(array, object);
        }
    }
    return array;
}

void listing_json(json_t *object)
{
    json_object_set_new(object, "instructions", instructions_json());
    json_object_set_new(object, "unread_fields", fields_json());
}
