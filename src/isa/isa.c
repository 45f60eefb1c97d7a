#include "isa/isa.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"

static unsigned field_width(const struct isa_field *field)
{
    unsigned width = 0;
    for (unsigned i = 0; i < ISA_MAX_PIECES && field->piece[i].width; i++) {
        unsigned end = (unsigned)field->piece[i].shift + field->piece[i].width;
        width = end > width ? end : width;
    }
    return width;
}

static bool field_is_signed(const struct isa_field *field)
{
    return field->kind == ISA_SIGNED || field->kind == ISA_TARGET;
}

static uint32_t low_bits(unsigned width)
{
    return width >= 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
}

uint32_t isa_field_bits(const struct isa_field *field)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < ISA_MAX_PIECES && field->piece[i].width; i++) {
        bits |= low_bits(field->piece[i].width) << field->piece[i].lsb;
    }
    return bits;
}

int32_t isa_field_get(const struct isa_field *field, uint32_t word)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < ISA_MAX_PIECES && field->piece[i].width; i++) {
        const struct isa_piece *piece = &field->piece[i];
        value |= (word >> piece->lsb & low_bits(piece->width)) << piece->shift;
    }
    unsigned width = field_width(field);
    if (field_is_signed(field) && width < 32 && value >> (width - 1) & 1) {
        value |= ~low_bits(width);
    }
    return (int32_t)value;
}

bool isa_field_put(const struct isa_field *field, uint32_t *word, int64_t value)
{
    unsigned width = field_width(field);
    int64_t least = field_is_signed(field) ? -(INT64_C(1) << (width - 1)) : 0;
    int64_t most =
        field_is_signed(field) ? (INT64_C(1) << (width - 1)) - 1 : (INT64_C(1) << width) - 1;
    if (value < least || value > most) {
        return false;
    }
    uint32_t bits = 0, covered = 0;
    for (unsigned i = 0; i < ISA_MAX_PIECES && field->piece[i].width; i++) {
        const struct isa_piece *piece = &field->piece[i];
        uint32_t ones = low_bits(piece->width);
        bits |= ((uint32_t)value >> piece->shift & ones) << piece->lsb;
        covered |= ones << piece->shift;
    }
    if (((uint32_t)value & low_bits(width)) & ~covered) {
        return false; /* the value has bits that the encoding fixes at zero */
    }
    *word = (*word & ~isa_field_bits(field)) | bits;
    return true;
}

static uint32_t row_key(const struct isa_index *index, uint32_t word)
{
    return word >> index->key_lsb & low_bits(index->key_width);
}

bool isa_index_build(struct isa_index *index, const struct isa_row *rows, unsigned count,
                     unsigned key_lsb, unsigned key_width)
{
    *index = (struct isa_index){
        .rows = rows, .rows_count = count, .key_lsb = key_lsb, .key_width = key_width};
    index->order = malloc((count + 1) * sizeof *index->order);
    if (!index->order) {
        return false;
    }
    unsigned at = 0;
    for (uint32_t key = 0; key <= low_bits(key_width); key++) {
        index->first[key] = (uint16_t)at;
        for (unsigned i = 0; i < count; i++) {
            if (row_key(index, rows[i].match) == key) {
                index->order[at++] = (uint16_t)i;
            }
        }
    }
    index->first[low_bits(key_width) + 1] = (uint16_t)at;
    return true;
}

void isa_index_free(struct isa_index *index)
{
    free(index->order);
    *index = (struct isa_index){0};
}

int isa_index_find(const struct isa_index *index, uint32_t word)
{
    uint32_t key = row_key(index, word);
    for (unsigned at = index->first[key]; at < index->first[key + 1]; at++) {
        const struct isa_row *row = &index->rows[index->order[at]];
        if ((word & row->mask) == row->match) {
            return index->order[at];
        }
    }
    return -1;
}

static const char *value_name(const struct isa_field *field, uint32_t value)
{
    if (field->name_of) {
        return field->name_of(value);
    }
    return value < field->names_count ? field->names[value] : NULL;
}

static int print_field(const struct isa_field *field, uint32_t word, uint32_t pc, char *text,
                       size_t size)
{
    int32_t value = isa_field_get(field, word);
    const char *name;
    switch (field->kind) {
    case ISA_SIGNED:
        return snprintf(text, size, "%" PRId32, value);
    case ISA_TARGET:
        return snprintf(text, size, "0x%" PRIx32, pc + (uint32_t)value);
    case ISA_REGISTER:
    case ISA_NAMED:
    case ISA_OPTIONAL:
        name = value_name(field, (uint32_t)value);
        if (name) {
            return snprintf(text, size, "%s", name);
        }
        break;
    case ISA_NUMBER:
    case ISA_FIXABLE:
        break;
    }
    return snprintf(text, size, (uint32_t)value < 10 ? "%" PRIu32 : "0x%" PRIx32, (uint32_t)value);
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The field that the name at *template spells; advances past it. NULL where no name starts. */
static const struct isa_field *template_field(const struct isa_format *format, const char **at)
{
    if (!is_name(**at)) {
        return NULL;
    }
    size_t length = 0;
    while (is_name((*at)[length])) {
        length++;
    }
    for (unsigned i = 0; i < ISA_MAX_FIELDS && format->field[i]; i++) {
        const char *name = format->field[i]->name;
        if (strlen(name) == length && !memcmp(name, *at, length)) {
            *at += length;
            return format->field[i];
        }
    }
    return NULL;
}

/* The optional field that follows the comma at *template; advances past it. NULL for all else. */
static const struct isa_field *optional_field(const struct isa_format *format, const char **at)
{
    if (**at != ',') {
        return NULL;
    }
    const char *past = *at + 1;
    past += strspn(past, " ");
    const struct isa_field *field = template_field(format, &past);
    if (!field || field->kind != ISA_OPTIONAL) {
        return NULL;
    }
    *at = past;
    return field;
}

static bool is_left_out(const struct isa_field *optional, uint32_t word)
{
    return optional && (uint32_t)isa_field_get(optional, word) == optional->names_count;
}

int isa_print(const struct isa_row *row, uint32_t word, uint32_t pc, char *text, size_t size)
{
    const char *at = row->format->text;
    int length = snprintf(text, size, *at ? "%s " : "%s", row->mnemonic);
    while (*at) {
        const char *past = at;
        if (is_left_out(optional_field(row->format, &past), word)) {
            at = past;
            continue;
        }
        size_t used = (size_t)length < size ? (size_t)length : size;
        const struct isa_field *field = template_field(row->format, &at);
        if (field) {
            length += print_field(field, word, pc, text + used, size - used);
        } else {
            length += snprintf(text + used, size - used, "%c", *at++);
        }
    }
    return length;
}

/* The length of the operand at `text`: up to a delimiter that templates use. */
static size_t operand_length(const char *text)
{
    size_t length = strcspn(text, ",()=");
    while (length && isspace((unsigned char)text[length - 1])) {
        length--;
    }
    return length;
}

static bool parse_number(const char *text, size_t length, int64_t *value)
{
    char copy[32], *end;
    if (!length || length >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    bool negative = copy[0] == '-';
    unsigned long long magnitude = strtoull(copy + negative, &end, 0);
    if (*end || end == copy + negative || magnitude > UINT32_MAX ||
        !isdigit((unsigned char)copy[negative])) {
        return false;
    }
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

static bool parse_value(const struct isa_field *field, const char *text, size_t length, uint32_t pc,
                        int64_t *value)
{
    uint32_t named;
    if (field->value_of && field->value_of(text, length, &named)) {
        *value = named;
        return true;
    }
    for (unsigned i = 0; i < field->names_count; i++) {
        if (field->names[i] && strlen(field->names[i]) == length &&
            !memcmp(field->names[i], text, length)) {
            *value = i;
            return true;
        }
    }
    bool takes_names_only = field->kind == ISA_REGISTER || field->kind == ISA_OPTIONAL;
    if (takes_names_only || !parse_number(text, length, value)) {
        return false;
    }
    if (field->kind == ISA_TARGET) {
        *value = (int32_t)((uint32_t)*value - pc);
    }
    return true;
}

enum penrose_status isa_parse(const struct isa_row *row, const char *text, uint32_t pc,
                              uint32_t *word, struct penrose_error *error)
{
    uint32_t result = row->match;
    const char *at = row->format->text;
    while (*at) {
        text += strspn(text, " \t");
        if (*at == ' ') {
            at++;
            continue;
        }
        const char *past = at;
        const struct isa_field *optional = optional_field(row->format, &past);
        if (optional && *text != ',') {
            isa_field_put(optional, &result, optional->names_count);
            at = past;
            continue;
        }
        const struct isa_field *field = template_field(row->format, &at);
        if (!field) {
            if (*text != *at) {
                return error_set(error, PENROSE_E_ARGUMENT,
                                 "%s: expected '%c' before \"%s\"; operands are \"%s\"",
                                 row->mnemonic, *at, text, row->format->text);
            }
            text++;
            at++;
            continue;
        }
        size_t length = operand_length(text);
        int64_t value;
        if (!parse_value(field, text, length, pc, &value) ||
            !isa_field_put(field, &result, value) || (result & row->mask) != row->match) {
            return error_set(error, PENROSE_E_ARGUMENT,
                             "%s: \"%.*s\" is no value of operand %s; operands are \"%s\"",
                             row->mnemonic, (int)length, text, field->name, row->format->text);
        }
        text += length;
    }
    text += strspn(text, " \t");
    if (*text) {
        return error_set(error, PENROSE_E_ARGUMENT, "%s: \"%s\" is left over; operands are \"%s\"",
                         row->mnemonic, text, row->format->text);
    }
    *word = result;
    return PENROSE_OK;
}

static bool check_row(const struct isa_row *row, struct penrose_error *error)
{
    uint32_t named = row->mask;
    if (row->match & ~row->mask) {
        error_set(error, PENROSE_E_ARGUMENT, "%s: match has bits outside mask", row->mnemonic);
        return false;
    }
    for (unsigned list = 0; list < 2; list++) {
        const struct isa_field *const *field = list ? row->format->hidden : row->format->field;
        for (unsigned i = 0; i < ISA_MAX_FIELDS && field[i]; i++) {
            uint32_t bits = isa_field_bits(field[i]);
            if (field[i]->kind == ISA_FIXABLE) {
                bits &= ~row->mask;
            }
            if (bits & named) {
                error_set(error, PENROSE_E_ARGUMENT,
                          "%s: field %s covers bits %#" PRIx32 " that are named already",
                          row->mnemonic, field[i]->name, bits & named);
                return false;
            }
            named |= bits;
        }
    }
    if (named != UINT32_MAX) {
        error_set(error, PENROSE_E_ARGUMENT, "%s: bits %#" PRIx32 " have no name", row->mnemonic,
                  ~named);
        return false;
    }
    return true;
}

bool isa_check_rows(const struct isa_row *rows, unsigned count, struct penrose_error *error)
{
    for (unsigned i = 0; i < count; i++) {
        if (!check_row(&rows[i], error)) {
            return false;
        }
        for (unsigned j = 0; j < i; j++) {
            uint32_t both = rows[i].mask & rows[j].mask;
            bool is_special_case = both == rows[i].mask && rows[j].mask != rows[i].mask;
            if (!((rows[i].match ^ rows[j].match) & both) && !is_special_case) {
                error_set(error, PENROSE_E_ARGUMENT, "%s and %s match the same word",
                          rows[i].mnemonic, rows[j].mnemonic);
                return false;
            }
        }
    }
    return true;
}
