/* Races on Config, see race.h. */
#include "tensix/race.h"

#include <stdio.h>
#include <string.h>

#include "addresses.h"
#include "tensix/config/users.h"
#include "tensix/exec.h"

/* Words of which units look at different fields, and fields that no race can be about. */
static const struct reads {
    enum tensix_field_id field;
    uint8_t users;
} reads[] = {
#define USES(first, words, cached, fresh)
#define READS(name, users) {TENSIX_FIELD_##name, users},
#define TAKES(name)        {TENSIX_FIELD_##name, 0},
#include "config_users.def"
#undef USES
#undef READS
#undef TAKES
};

const char *tensix_block_name(uint32_t word)
{
    static const struct {
        enum tensix_block block;
        const char *name;
    } blocks[] = {
        {TENSIX_BLOCK_SYNC, "STALL_SYNC"},     {TENSIX_BLOCK_PACK, "STALL_PACK"},
        {TENSIX_BLOCK_UNPACK, "STALL_UNPACK"}, {TENSIX_BLOCK_SCALAR, "STALL_THCON"},
        {TENSIX_BLOCK_MATRIX, "STALL_MATH"},   {TENSIX_BLOCK_CONFIG, "STALL_CFG"},
        {TENSIX_BLOCK_VECTOR, "STALL_SFPU"},   {TENSIX_BLOCK_TDMA, "STALL_TDMA"},
    };
    unsigned row = tensix_row_of(word);
    for (unsigned i = 0; row < TENSIX_ROWS && i < sizeof blocks / sizeof blocks[0]; i++) {
        if (tensix_row_infos[row].blocks & blocks[i].block) {
            return blocks[i].name;
        }
    }
    return "STALL_TDMA";
}

const char *tensix_mnemonic(uint32_t word)
{
    unsigned row = tensix_row_of(word);
    return row < TENSIX_ROWS ? tensix_rows[row].mnemonic : "an instruction";
}

uint32_t tensix_race_bits(unsigned word, unsigned user)
{
    uint32_t bits = UINT32_MAX;
    for (unsigned i = 0; i < sizeof reads / sizeof reads[0]; i++) {
        const struct tensix_field *field = &tensix_fields[reads[i].field];
        if (field->word == word && !(reads[i].users & user)) {
            bits &= ~tensix_field_mask(field);
        }
    }
    return bits;
}

void tensix_land(struct tensix *tensix, unsigned thread, unsigned users)
{
    for (unsigned i = 0; i < TENSIX_FLIGHTS; i++) {
        if (users >> i & 1 && tensix->flight[i].thread == thread) {
            tensix->flight[i].until = 0;
        }
    }
}

enum tensix_flight_unit tensix_race(const struct tensix *tensix, unsigned state, unsigned word,
                                    uint32_t changed, uint64_t now)
{
    bool is_global = word >= TENSIX_GLOBAL_WORD;
    for (unsigned i = 0; i < TENSIX_FLIGHTS; i++) {
        const struct tensix_flight *flight = &tensix->flight[i];
        unsigned user = 1u << i;
        if (now < flight->until && tensix_config_uses[word].cached & user &&
            changed & tensix_race_bits(word, user) && (is_global || flight->state == state)) {
            return (enum tensix_flight_unit)i;
        }
    }
    return TENSIX_FLIGHTS;
}

void tensix_note_fresh(struct tensix *tensix, const struct tensix_result *result)
{
    const struct tensix_thread *own = &tensix->thread[result->thread];
    struct tensix_fresh *fresh = &tensix->fresh;
    *fresh = (struct tensix_fresh){.cycle = tensix->now,
                                   .word = own->next,
                                   .pc = own->origin.pc,
                                   .first = result->first,
                                   .count = result->count,
                                   .thread = result->thread,
                                   .state = result->state};
    for (unsigned i = 0; i < result->count; i++) {
        fresh->changed[i] = tensix->config[result->state][result->first + i] ^ result->value[i];
    }
}

bool tensix_report_fresh(struct tensix *tensix, unsigned thread, enum tensix_flight_unit unit,
                         unsigned state, unsigned word)
{
    const struct tensix_fresh *fresh = &tensix->fresh;
    const unsigned user = 1u << unit;
    char fields[160];
    for (unsigned i = 0; i < fresh->count; i++) {
        unsigned at = fresh->first + i;
        bool is_used = tensix_config_uses[at].cached & user || at == word;
        uint32_t used = fresh->changed[i] & tensix_race_bits(at, user);
        if (!is_used || !used || (at < TENSIX_GLOBAL_WORD && fresh->state != state)) {
            continue;
        }
        tensix_field_names(false, at, used, fields, sizeof fields);
        return tensix_fault(tensix, thread, PENROSE_FAULT_CONFIG_RACE,
                            "%s uses %s before %s of trisc%u at pc 0x%08x has written it; a NOP is "
                            "missing between them",
                            tensix_mnemonic(tensix->thread[thread].next), fields,
                            tensix_mnemonic(fresh->word), fresh->thread, fresh->pc) == TENSIX_DONE;
    }
    return true;
}

void tensix_race_text(const struct tensix *tensix, enum tensix_flight_unit unit, unsigned word,
                      uint32_t changed, const char *writer, bool by_hart, char *text, size_t size)
{
    static const char *const waits[TENSIX_FLIGHTS] = {"STALLWAIT(STALL_CFG, UNPACK0)",
                                                      "STALLWAIT(STALL_CFG, UNPACK1)",
                                                      "STALLWAIT(STALL_CFG, PACK)"};
    const struct tensix_flight *flight = &tensix->flight[unit];
    char fields[160];
    tensix_field_names(false, word, changed & tensix_race_bits(word, 1u << unit), fields,
                       sizeof fields);
    snprintf(text, size, "%s changes %s while %s of trisc%u at pc 0x%08x may use it; %s is missing",
             writer, fields, tensix_mnemonic(flight->word), flight->thread, flight->pc,
             by_hart ? "tensix_sync()" : waits[unit]); /* no STALLWAIT holds a hart */
}
