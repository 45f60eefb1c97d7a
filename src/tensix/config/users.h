/*
 * Which words of Config unpackers, packer and Vector Unit look at. (The Matrix Unit is not here: it
 * takes its configuration when an instruction starts and keeps nothing; LLK changes it right
 * behind.) A unit may keep what it derives from Config: its bit in tensix->stale is set when such a
 * word is written, in either state, and the unit clears it. What it keeps is for one state
 * (CFG_STATE_ID) and must not hold anything from ThreadConfig or from counters; but what the Vector
 * Unit keeps is for a thread, and its bit is set when a word of ThreadConfig is written, too.
 */
#ifndef TENSIX_CONFIG_USERS_H
#define TENSIX_CONFIG_USERS_H

#include <stdint.h>

enum tensix_config_user {
    TENSIX_USED_BY_UNPACKER0 = 1 << 0,
    TENSIX_USED_BY_UNPACKER1 = 1 << 1,
    TENSIX_USED_BY_PACKER = 1 << 2,
    TENSIX_USED_BY_VECTOR = 1 << 3, /* SFPLOAD and SFPSTORE */
    TENSIX_USED_BY_ALL = 15,
};

struct tensix_config_use {
    uint8_t cached; /* bits of enum tensix_config_user: may keep what they derive from the word */
    uint8_t fresh;  /* read it for each instruction, so that nothing becomes stale */
};

/* By word of a state. */
extern const struct tensix_config_use tensix_config_uses[];

#endif
