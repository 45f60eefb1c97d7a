/* Fields of Config and ThreadConfig that no unit reads (unread.def), and the text for a program
 * that sets one. */
#ifndef TENSIX_CONFIG_UNREAD_H
#define TENSIX_CONFIG_UNREAD_H

#include "tensix/config/regs.h"

enum tensix_unread_kind {
    TENSIX_UNREAD_TIME,    /* only times, power or guesses of the hardware depend on it */
    TENSIX_UNREAD_ABSENT,  /* the chip has not what it is for, or using that is a fault */
    TENSIX_UNREAD_RESULTS, /* results would depend on it: reported when it is set */
};

/* Fields `first` to `last` in the order of the table. */
struct tensix_unread {
    enum tensix_field_id first, last;
    enum tensix_unread_kind kind;
    const char *text; /* what is known of them, and the source */
};

/* By field, in the order of the table; the row behind the last has no text. */
extern const struct tensix_unread tensix_unread[];

/* The first field of RESULTS of a word of Config or, with `thread`, of ThreadConfig that has one of
 * the bits `written`; NULL: there is none. */
const struct tensix_field *tensix_unread_field(bool thread, unsigned word, uint32_t written);

#endif
