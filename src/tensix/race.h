/*
 * Races on Config: a word changes while a unit may still work with it.
 *
 * Hardware reads configuration at some time while an instruction is in its unit, so software waits
 * for the unit before it writes (STALLWAIT, or the coprocessor-done check of a hart). In a
 * functional run an instruction is over at once. This file notes that it would still be under way,
 * for its nominal time or until software waits for it.
 *
 * Only words that units may keep (config/users.h) count. Software regularly writes other words,
 * such as addresses by context, while units work. Fields that an instruction takes along (TAKES in
 * config_users.def) do not count either.
 */
#ifndef TENSIX_RACE_H
#define TENSIX_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bit i of enum tensix_config_user is flight i. */
enum tensix_flight_unit {
    TENSIX_FLIGHT_UNPACKER0,
    TENSIX_FLIGHT_UNPACKER1,
    TENSIX_FLIGHT_PACKER,
    TENSIX_FLIGHTS
};

/* The latest instruction of a unit. */
struct tensix_flight {
    uint64_t until; /* first cycle at which it is over */
    uint32_t word, pc;
    uint32_t thread, state;
};

/*
 * The latest write of Config through the pipeline of the Configuration Unit. SPEC: WRCFG,
 * CFGSHIFTMASK: the thread's next instruction does not find it yet. Functional runs write at once,
 * so they note what would not be there. Beside the state.
 */
struct tensix_fresh {
    uint64_t cycle;      /* in which the instruction `word`, pushed at `pc`, has passed */
    uint32_t changed[4]; /* bits of the words from `first` of the state on */
    uint32_t word, pc;
    uint16_t first;
    uint8_t count; /* 0: there has been none */
    uint8_t thread, state;
};

struct tensix;
struct tensix_result;

/* What reports call an instruction, and the block of STALLWAIT that holds it, as LLK names it. */
const char *tensix_mnemonic(uint32_t word);
const char *tensix_block_name(uint32_t word);

/* The bits of a word that the unit with this bit of enum tensix_config_user looks at while it works. */
uint32_t tensix_race_bits(unsigned word, unsigned user);

/* All flights of a thread are over: it has waited for the units with these bits of enum
 * tensix_config_user. */
void tensix_land(struct tensix *tensix, unsigned thread, unsigned users);

/* A word of Config changes by `changed` at cycle `now`: which flight that races, or
 * TENSIX_FLIGHTS. */
enum tensix_flight_unit tensix_race(const struct tensix *tensix, unsigned state, unsigned word,
                                    uint32_t changed, uint64_t now);

/* An instruction writes this to Config through the pipeline. */
void tensix_note_fresh(struct tensix *tensix, const struct tensix_result *result);

/* Reports an UNPACR or PACR that uses what the instruction before it has written. `word` is the one
 * from which it takes its address in L1, or TENSIX_STATE_WORDS. False: it stops there. */
bool tensix_report_fresh(struct tensix *tensix, unsigned thread, enum tensix_flight_unit unit,
                         unsigned state, unsigned word);

/* The race in words, as the check races has them. `writer` is what changes the word: "WRCFG", "a
 * store". Where the other instruction was pushed is said so that chip_name_places finds it. */
void tensix_race_text(const struct tensix *tensix, enum tensix_flight_unit unit, unsigned word,
                      uint32_t changed, const char *writer, bool by_hart, char *text, size_t size);

#endif
