/*
 * The fields of Config and ThreadConfig by name. From a row of regs.def with the ISA's <name> come
 *   TENSIX_FIELD_<name>               its number, an index of tensix_fields
 *   TENSIX_WORD_<name>                its word in Config or ThreadConfig
 *   tensix_get_<name>(tensix, bank)   its value, as fast as a handler wants it; the bank is a state
 *                                     (0 or 1) for Config, a thread (0 to 2) for ThreadConfig
 * Where the number of the field is a variable there are tensix_config_field and
 * tensix_thread_field. Of a field wider than 32 bits (a tile descriptor) they all give the first
 * word. Nothing here has side effects: stores of guests go through backend.c.
 *
 * SPEC: BlackholeA0 BackendConfiguration.
 */
#ifndef TENSIX_REGS_H
#define TENSIX_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensix/config/field.h"
#include "tensix/tensix.h"

enum tensix_field_id {
#define CONFIG_FIELD(name, word, shift, width) TENSIX_FIELD_##name,
#define THREAD_FIELD(name, word, shift, width) TENSIX_FIELD_##name,
#define CONFIG_ALIAS(name, word, shift, width) TENSIX_FIELD_##name,
#include "regs.def"
    TENSIX_FIELDS
};

enum tensix_field_word {
#define CONFIG_FIELD(name, word, shift, width) TENSIX_WORD_##name = (word),
#define THREAD_FIELD(name, word, shift, width) TENSIX_WORD_##name = (word),
#define CONFIG_ALIAS(name, word, shift, width) TENSIX_WORD_##name = (word),
#include "regs.def"
};

extern const struct tensix_field tensix_fields[TENSIX_FIELDS];

/* `width` ones, at most 32. */
static inline uint32_t tensix_field_ones(unsigned width)
{
    return width < 32 ? (UINT32_C(1) << width) - 1 : UINT32_MAX;
}

/* `width` bits of a word, from bit `shift`. */
static inline uint32_t tensix_field_value(uint32_t word, unsigned shift, unsigned width)
{
    return (word >> shift) & tensix_field_ones(width);
}

#define CONFIG_FIELD(name, word, shift, width)                                                     \
    static inline uint32_t tensix_get_##name(const struct tensix *tensix, unsigned state)          \
    {                                                                                              \
        return tensix_field_value(tensix->config[state][word], shift, width);                      \
    }
#define CONFIG_ALIAS CONFIG_FIELD
#define THREAD_FIELD(name, word, shift, width)                                                     \
    static inline uint32_t tensix_get_##name(const struct tensix *tensix, unsigned thread)         \
    {                                                                                              \
        return tensix_field_value(tensix->thread_config[thread][word], shift, width);              \
    }
#include "regs.def"

/* The field's bits of its (first) word. */
static inline uint32_t tensix_field_mask(const struct tensix_field *field)
{
    return tensix_field_ones(field->width) << field->shift;
}

/* The value of a field of Config in `state`, of a field of ThreadConfig in the bank of `thread`. */
uint32_t tensix_config_field(const struct tensix *tensix, unsigned state, enum tensix_field_id id);
uint32_t tensix_thread_field(const struct tensix *tensix, unsigned thread, enum tensix_field_id id);

/* Sets it, for tests; bits of `value` above the field's width are dropped. A global word of Config
 * is set in both states. */
void tensix_set_config_field(struct tensix *tensix, unsigned state, enum tensix_field_id id,
                             uint32_t value);
void tensix_set_thread_field(struct tensix *tensix, unsigned thread, enum tensix_field_id id,
                             uint32_t value);

/* The field of this name, spelled as in cfg_defines.h, or NULL. */
const struct tensix_field *tensix_field_find(const char *name);

/*
 * Writes the names of the fields that have any of these bits of a word of Config or, with `thread`,
 * of ThreadConfig: "STACC_RELU_ApplyRelu, STACC_RELU_ReluThreshold", in the order of the rows; ""
 * when there are none. A part of a field that has a name of its own is called by that alone.
 * Returns the length as snprintf does.
 */
int tensix_field_names(bool thread, unsigned word, uint32_t bits, char *text, size_t size);

#endif
