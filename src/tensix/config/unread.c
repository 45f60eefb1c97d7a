/* Fields that no unit reads, see unread.h. */
#include "tensix/config/unread.h"

const struct tensix_unread tensix_unread[] = {
#define UNREAD(first, last, kind, text)                                                            \
    {TENSIX_FIELD_##first, TENSIX_FIELD_##last, TENSIX_UNREAD_##kind, text},
#include "unread.def"
    {.text = NULL},
};

/* Words that may have such a field: few of those that programs write all the time. */
#define MARK_TIME(first, last)
#define MARK_ABSENT(first, last)
#define MARK_RESULTS(first, last)       [TENSIX_WORD_##first... TENSIX_WORD_##last] = true,
#define UNREAD(first, last, kind, text) MARK_##kind(first, last)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Woverride-init"
static const bool marks[TENSIX_STATE_WORDS] = {
#include "unread.def"
};
#pragma GCC diagnostic pop

const struct tensix_field *tensix_unread_field(bool thread, unsigned word, uint32_t written)
{
    if (!written || !marks[word]) {
        return NULL;
    }
    for (const struct tensix_unread *row = tensix_unread; row->text; row++) {
        for (unsigned i = row->first; row->kind == TENSIX_UNREAD_RESULTS && i <= row->last; i++) {
            const struct tensix_field *field = &tensix_fields[i];
            if (field->thread == thread && field->word == word &&
                written & tensix_field_mask(field)) {
                return field;
            }
        }
    }
    return NULL;
}
