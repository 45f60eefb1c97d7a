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
    char fields[160], reader[24], writer[24];
    for (unsigned i = 0; i < fresh->count; i++) {
        unsigned at = fresh->first + i;
        bool is_used = tensix_config_uses[at].cached & user || at == word;
        uint32_t used = fresh->changed[i] & tensix_race_bits(at, user);
        if (!is_used || !used || (at < TENSIX_GLOBAL_WORD && fresh->state != state)) {
            continue;
        }
        tensix_field_names(false, at, used, fields, sizeof fields);
        tensix_disassemble(tensix->thread[thread].next, reader, sizeof reader);
        tensix_disassemble(fresh->word, writer, sizeof writer);
        reader[strcspn(reader, " ")] = writer[strcspn(writer, " ")] = '\0';
        return tensix_fault(tensix, thread, PENROSE_FAULT_CONFIG_RACE,
                            "%s uses %s before %s, pushed at 0x%08x, has written it; a NOP is "
                            "missing between them",
                            reader, fields, writer, fresh->pc) == TENSIX_DONE;
    }
    return true;
}

void tensix_race_text(const struct tensix *tensix, enum tensix_flight_unit unit, unsigned word,
                      uint32_t changed, const char *writer, bool by_hart, char *text, size_t size)
{
    static const char *const waits[TENSIX_FLIGHTS] = {"C1 (unpacker 0)", "C2 (unpacker 1)",
                                                      "C3 (packer)"};
    const struct tensix_flight *flight = &tensix->flight[unit];
    char fields[160], name[24], remedy[60];
    tensix_field_names(false, word, changed & tensix_race_bits(word, 1u << unit), fields,
                       sizeof fields);
    tensix_disassemble(flight->word, name, sizeof name);
    name[strcspn(name, " ")] = '\0';
    if (by_hart) { /* which no STALLWAIT holds */
        snprintf(remedy, sizeof remedy, "trisc%u loads 0x%08x (coprocessor done)", flight->thread,
                 AT_COPROCESSOR_DONE);
    } else {
        snprintf(remedy, sizeof remedy, "STALLWAIT on %s in thread %u", waits[unit],
                 flight->thread);
    }
    snprintf(text, size,
             "%s changes %s while %s of thread %u, pushed at 0x%08x, may use it: wait first: %s",
             writer, fields, name, flight->thread, flight->pc, remedy);
}
