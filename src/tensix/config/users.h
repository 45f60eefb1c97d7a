/*
 * Which words of Config unpackers and packer look at. (The Matrix Unit and the Vector Unit are not
 * here. They read their configuration when an instruction starts and keep nothing, because LLK
 * changes the configuration right after that.) A unit may keep data that it derives from Config.
 * Its bit in tensix->stale is set when such a word is written, in either state, and the unit clears
 * it. These data are for one state (CFG_STATE_ID), and must not depend on ThreadConfig or on
 * counters.
 */
#ifndef TENSIX_CONFIG_USERS_H
#define TENSIX_CONFIG_USERS_H

#include <stdint.h>

enum tensix_config_user {
    TENSIX_USED_BY_UNPACKER0 = 1 << 0,
    TENSIX_USED_BY_UNPACKER1 = 1 << 1,
    TENSIX_USED_BY_PACKER = 1 << 2,
    TENSIX_USED_BY_ALL = 7,
};

struct tensix_config_use {
    uint8_t cached; /* bits of enum tensix_config_user: may keep what they derive from the word */
    uint8_t fresh;  /* read it for each instruction, so that nothing becomes stale */
};

/* By word of a state. */
extern const struct tensix_config_use tensix_config_uses[];

#endif
