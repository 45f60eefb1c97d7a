/*
 * The fields of the backend configuration as a table, see regs.h.
 *
 * Invariant: config words from TENSIX_GLOBAL_WORD on are the same in both states.
 */
#include "tensix/config/regs.h"

#include "tensix/config/users.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define WORD_BITS 32U

const struct tensix_field tensix_fields[TENSIX_FIELDS] = {
#define CONFIG_FIELD(name, word, shift, width) {#name, word, shift, width, false, false},
#define CONFIG_ALIAS(name, word, shift, width) {#name, word, shift, width, false, true},
#define THREAD_FIELD(name, word, shift, width) {#name, word, shift, width, true, false},
#include "regs.def"
};

static const struct tensix_field *field_of(enum tensix_field_id id, bool thread)
{
    assert(id < TENSIX_FIELDS && tensix_fields[id].thread == thread);
    return &tensix_fields[id];
}

/* `old` with the field's bits replaced. */
static uint32_t replace(const struct tensix_field *field, uint32_t old, uint32_t value)
{
    uint32_t mask = tensix_field_mask(field);
    return (old & ~mask) | (value << field->shift & mask);
}

uint32_t tensix_config_field(const struct tensix *tensix, unsigned state, enum tensix_field_id id)
{
    const struct tensix_field *field = field_of(id, false);
    return tensix_field_value(tensix->config[state][field->word], field->shift, field->width);
}

uint32_t tensix_thread_field(const struct tensix *tensix, unsigned thread, enum tensix_field_id id)
{
    const struct tensix_field *field = field_of(id, true);
    return tensix_field_value(tensix->thread_config[thread][field->word], field->shift,
                              field->width);
}

void tensix_set_config_field(struct tensix *tensix, unsigned state, enum tensix_field_id id,
                             uint32_t value)
{
    const struct tensix_field *field = field_of(id, false);
    uint32_t word = replace(field, tensix->config[state][field->word], value);
    tensix->config[state][field->word] = word;
    tensix->stale |= tensix_config_uses[field->word].cached;
    if (field->word >= TENSIX_GLOBAL_WORD) {
        tensix->config[!state][field->word] = word;
    }
}

void tensix_set_thread_field(struct tensix *tensix, unsigned thread, enum tensix_field_id id,
                             uint32_t value)
{
    const struct tensix_field *field = field_of(id, true);
    uint16_t *word = &tensix->thread_config[thread][field->word];
    *word = (uint16_t)replace(field, *word, value);
}

const struct tensix_field *tensix_field_at(unsigned number)
{
    return number < TENSIX_FIELDS ? &tensix_fields[number] : NULL;
}

const struct tensix_field *tensix_field_find(const char *name)
{
    for (unsigned i = 0; i < TENSIX_FIELDS; i++) {
        if (strcmp(tensix_fields[i].name, name) == 0) {
            return &tensix_fields[i];
        }
    }
    return NULL;
}

/* The field's bits of `word`. A field that runs on into it covers whole words. */
static uint32_t bits_in(const struct tensix_field *field, unsigned word)
{
    unsigned last = field->word + (field->shift + field->width - 1U) / WORD_BITS;
    return word >= field->word && word <= last ? tensix_field_mask(field) : 0;
}

/* Bits of `word` that belong to parts of the field with names of their own, which stand behind
 * it. */
static uint32_t bits_of_parts(unsigned id, unsigned word)
{
    uint32_t bits = 0;
    bool is_part = tensix_fields[id].alias;
    for (unsigned i = id + 1; !is_part && i < TENSIX_FIELDS && tensix_fields[i].alias; i++) {
        bits |= bits_in(&tensix_fields[i], word);
    }
    return bits;
}

int tensix_field_names(bool thread, unsigned word, uint32_t bits, char *text, size_t size)
{
    size_t length = 0;
    if (size > 0) {
        text[0] = '\0';
    }
    for (unsigned i = 0; i < TENSIX_FIELDS; i++) {
        const struct tensix_field *field = &tensix_fields[i];
        if (field->thread == thread && bits_in(field, word) & bits & ~bits_of_parts(i, word)) {
            size_t left = length < size ? size - length : 0;
            int more = snprintf(left ? text + length : NULL, left, "%s%s", length ? ", " : "",
                                field->name);
            length += more > 0 ? (size_t)more : 0;
        }
    }
    return (int)length;
}
