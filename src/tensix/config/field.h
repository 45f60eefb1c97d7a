/* A field of the configuration as data: a row of regs.def. */
#ifndef TENSIX_CONFIG_FIELD_H
#define TENSIX_CONFIG_FIELD_H

#include <stdbool.h>
#include <stdint.h>

struct tensix_field {
    const char *name;
    uint16_t word;
    uint8_t shift, width; /* bits; a width above 32 runs on into the next words */
    bool thread;          /* of ThreadConfig */
    bool alias;           /* second name for bits of another field */
};

/* By its number, from 0 on; NULL: beyond the last. */
const struct tensix_field *tensix_field_at(unsigned number);

#endif
