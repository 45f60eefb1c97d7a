/*
 * The last writers of chosen data; see writers.h. This file watches memory and the registers of
 * hardware. explain/values.h follows values inside harts, explain/packets.h values that packets
 * bring, and explain/held.h knows the state of the coprocessor.
 */
#include "observe/explain/writers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "chip/link.h"
#include "isa/error.h"
#include "observe/explain/held.h"
#include "observe/explain/packets.h"
#include "observe/explain/values.h"
#include "rv32/code.h"
#include "tensix/exec.h"
#include "tensix/tensix.h"
#include "tile/tile.h"

enum { WORD = 4 };

/* A datum of the coprocessor, and its value after the latest event. */
struct watched_state {
    size_t datum;
    uint32_t value;
};

/* What is known of an instruction's word; all zero at first, which is right of a word that is none. */
struct known_operands {
    uint32_t word, vtype;
    struct rv32_operands insn;
};

enum { KNOWN_OPERANDS = 256 };

struct writers {
    struct observer observer;
    struct penrose_chip *chip;
    struct tile *tile;
    unsigned x, y;
    struct writers_limit until;
    uint64_t sequence;
    struct writers_datum *data;
    struct writers_record *record;
    size_t count;
    uint32_t *l1;                   /* a word: number of its datum and 1; 0: none */
    uint32_t *local[PENROSE_HARTS]; /* the same of local RAMs */
    uint64_t *l1_written;           /* a word: `sequence` when it was written last; 0: never */
    uint64_t local_written[PENROSE_HARTS][VALUES_LOCAL_WORDS];
    struct watched_state *state;
    size_t states;
    struct hart_values hart[PENROSE_HARTS];
    struct known_operands known[KNOWN_OPERANDS];
    struct value_sources unit[OBSERVED_AGENTS][PENROSE_TENSIX_THREADS]; /* range of the reads */
    uint32_t unit_pc_word[OBSERVED_AGENTS][PENROSE_TENSIX_THREADS];     /* the word that it is of */
    struct held held;
    struct writers_early_read early;
    struct packet_requests requests;
};

/* --- Where values come from --- */

/* The number of a word of a hart's local RAM; false: it is elsewhere. */
static bool find_local_word(enum observed_agent hart, uint64_t address, unsigned *word)
{
    *word = (unsigned)(address - RV32_LOCAL_BASE) / WORD;
    return address >= RV32_LOCAL_BASE &&
           address - RV32_LOCAL_BASE < tile_local_size((enum rv32_core)hart);
}

/* Has anybody written a byte of it in this run? */
static bool was_written(const struct writers *writers, enum observed_agent agent, uint64_t first,
                        uint64_t last)
{
    const uint64_t *written = writers->l1_written;
    uint64_t end = writers->tile->kind->l1_bytes;
    unsigned word;
    bool is_written = false;
    if (agent <= OBSERVED_NCRISC && find_local_word(agent, first, &word)) {
        return writers->local_written[agent][word];
    }
    for (uint64_t at = first / WORD; at <= last / WORD && at * WORD < end; at++) {
        is_written |= written[at] != 0;
    }
    return is_written;
}

/* What a hart loads comes from that word, or from where that word of its stack came. */
static void note_load(struct writers *writers, const struct observed *event)
{
    struct hart_values *hart = &writers->hart[event->agent];
    unsigned word;
    const bool is_local = find_local_word(event->agent, event->address, &word);
    const bool is_l1 = event->address < writers->tile->kind->l1_bytes;
    const struct writers_source read = {
        .address = (uint32_t)event->address & ~(WORD - 1U),
        .value = event->value,
        .is_l1 = is_l1,
        .is_register = !is_l1 && !is_local,
        .was_written = was_written(writers, event->agent, event->address, event->address),
        .sequence = writers->sequence};
    values_load(hart, &read, is_local && hart->of_local[word].count ? &hart->of_local[word] : NULL);
}

static uint32_t word_of_code(const struct writers *writers, enum rv32_core core, uint32_t pc)
{
    uint32_t word = 0;
    const uint8_t *code = tile_code_at(writers->tile, core, pc);
    if (code) {
        memcpy(&word, code, sizeof word);
    }
    return word;
}

/* What its row says of a word. Programs have few different ones, so the latest are kept. */
static const struct rv32_operands *operands_of(struct writers *writers, enum observed_agent agent,
                                               uint32_t word)
{
    const uint32_t vtype = writers->tile->hart[agent].csr.vtype;
    struct known_operands *known =
        &writers->known[(word ^ word >> 8 ^ word >> 16 ^ word >> 24) % KNOWN_OPERANDS];
    if (known->word != word || known->vtype != vtype) {
        *known = (struct known_operands){
            word, vtype,
            rv32_find_operands(rv32_code_store_index(writers->chip->store), word, vtype)};
    }
    return &known->insn;
}

static void note_finished(struct writers *writers, const struct observed *event)
{
    values_finish(&writers->hart[event->agent], operands_of(writers, event->agent, event->word));
}

/* Where what a hart stores comes from. */
static void find_sources_of_store(struct writers *writers, const struct observed *event,
                                  struct value_sources *sources)
{
    values_stored(&writers->hart[event->agent],
                  operands_of(writers, event->agent,
                              word_of_code(writers, (enum rv32_core)event->agent, event->pc)),
                  sources);
}

/* A unit's reads, while it executes one instruction: the first and the last address, and what there
 * was. */
static void note_unit_read(struct writers *writers, const struct observed *event)
{
    unsigned thread = event->thread < PENROSE_TENSIX_THREADS ? event->thread : 0;
    struct value_sources *range = &writers->unit[event->agent][thread];
    uint32_t first = (uint32_t)event->address, last = first + (event->size ? event->size - 1 : 0);
    if (!range->count || writers->unit_pc_word[event->agent][thread] != event->word) {
        const struct writers_source begin = {.address = first, .sequence = writers->sequence};
        *range = (struct value_sources){.source = {begin, begin}, .count = 2};
        writers->unit_pc_word[event->agent][thread] = event->word;
    }
    struct writers_source *from = &range->source[0], *to = &range->source[1];
    from->address = first < from->address ? first : from->address;
    to->address = last > to->address ? last : to->address;
    from->was_written |= was_written(writers, event->agent, first, last);
    if (last < writers->tile->kind->l1_bytes) {
        from->value = held_hash_bytes(from->value, writers->tile->l1 + first, last - first + 1);
    }
}

/* --- Records --- */

static bool is_hart(enum observed_agent agent)
{
    return agent <= OBSERVED_NCRISC;
}

static void fill_sources(struct writers *writers, const struct observed *event,
                         struct writers_record *record)
{
    struct value_sources set;
    set.count = 0;
    unsigned thread = event->thread < PENROSE_TENSIX_THREADS ? event->thread : 0;
    if (event->kind == OBSERVED_WRITTEN && is_hart(event->agent)) {
        find_sources_of_store(writers, event, &set);
    } else if (event->kind == OBSERVED_WRITTEN && event->agent == OBSERVED_MOVER) {
        set = writers->unit[OBSERVED_MOVER][thread];
        record->is_range = true;
    } else if (event->kind == OBSERVED_TENSIX &&
               writers->unit_pc_word[OBSERVED_UNPACKER][thread] == event->word) {
        set = writers->unit[OBSERVED_UNPACKER][thread];
        record->is_range = true;
    }
    memcpy(record->source, set.source, set.count * sizeof set.source[0]);
    record->sources = set.count;
}

/* The tile whose program has the instruction: of a request it came from there. */
static void fill_place(const struct writers *writers, const struct observed *event,
                       struct writers_record *record)
{
    struct grid_position from = chip_logical(writers->chip, event->node);
    const struct penrose_chip *sender =
        event->agent == OBSERVED_ETHERNET ? chip_link_peer(writers->tile, &from) : NULL;
    bool is_request = event->agent == OBSERVED_NOC && event->packet <= NOC_ATOMIC;
    record->x = is_request ? from.x : writers->x;
    record->y = is_request ? from.y : writers->y;
    record->peer_x = from.x;
    record->peer_y = from.y;
    record->peer_chip = (sender ? sender : writers->chip)->head.number;
}

/* Of what other tiles have in L1: GDDR and host memory are not watched. */
static void fill_origin(const struct writers *writers, const struct observed *event, uint64_t word,
                        struct writers_record *record)
{
    if (event->agent != OBSERVED_NOC || event->kind != OBSERVED_WRITTEN) {
        return;
    }
    const struct tile *peer = writers->chip->place[event->node].tile;
    const uint64_t address = packets_origin(&writers->requests, event, word);
    const bool has_l1 =
        peer && (peer->kind->type == TILE_TENSIX || peer->kind->type == TILE_ETHERNET);
    if (has_l1 && address < peer->kind->l1_bytes) {
        record->origin = (struct writers_origin){true, (uint32_t)address, event->sent};
    }
}

static void record_writer(struct writers *writers, size_t datum, const struct observed *event)
{
    struct writers_record *record = &writers->record[datum];
    *record =
        (struct writers_record){.is_written = true, .sequence = writers->sequence, .event = *event};
    if (event->agent == OBSERVED_ETHERNET) {
        record->event.pc = 0; /* of a tile of another chip */
    }
    if (!event->word && is_hart(event->agent)) {
        record->event.word = word_of_code(writers, (enum rv32_core)event->agent, event->pc);
    }
    if (event->thread < PENROSE_TENSIX_THREADS) {
        record->early = writers->early;
        memcpy(record->held, held_hashes(&writers->held, writers->sequence), sizeof record->held);
    }
    fill_sources(writers, event, record);
    fill_place(writers, event, record);
    fill_origin(writers, event, writers->data[datum].index, record);
}

/* A write to memory: of each watched word that it covers. */
static void note_written(struct writers *writers, const struct observed *event)
{
    const uint32_t *watched = writers->l1;
    uint64_t *written = writers->l1_written;
    uint64_t size = writers->tile->kind->l1_bytes, start = event->address;
    unsigned word;
    if (event->is_gddr) {
        return;
    }
    if (is_hart(event->agent) && find_local_word(event->agent, event->address, &word)) {
        find_sources_of_store(writers, event, &writers->hart[event->agent].of_local[word]);
        watched = writers->local[event->agent];
        written = writers->local_written[event->agent];
        size = tile_local_size((enum rv32_core)event->agent);
        start = event->address - RV32_LOCAL_BASE;
    }
    for (uint64_t at = start / WORD; watched && at * WORD < start + event->size && at * WORD < size;
         at++) {
        written[at] = writers->sequence;
        if (watched[at]) {
            record_writer(writers, watched[at] - 1, event);
        }
    }
}

/* --- State of the coprocessor --- */

static uint32_t state_value(const struct writers *writers, const struct writers_datum *datum)
{
    uint32_t row[PENROSE_LANES] = {0}, value = 0;
    const unsigned x = writers->x, y = writers->y, index = datum->index;
    switch (datum->kind) {
    case WRITERS_DST16:
        chip_dst_read(writers->chip, x, y, index / 16, PENROSE_DST_BF16, row, NULL);
        return row[index % 16];
    case WRITERS_DST32:
        chip_dst_read(writers->chip, x, y, index / 16, PENROSE_DST_FP32, row, NULL);
        return row[index % 16];
    case WRITERS_SRC:
        chip_src_read(writers->chip, x, y, datum->part > 1, datum->part & 1, index / 16, row, NULL);
        return row[index % 16];
    case WRITERS_LREG:
        chip_lreg_read(writers->chip, x, y, index / PENROSE_LANES, row, NULL);
        return row[index % PENROSE_LANES];
    case WRITERS_FIELD:
        chip_tensix_read(writers->chip, x, y, datum->name, &value, NULL);
        return value;
    default:
        return 0;
    }
}

static void look_at_state(struct writers *writers, const struct observed *event)
{
    for (size_t i = 0; i < writers->states; i++) {
        struct watched_state *state = &writers->state[i];
        uint32_t value = state_value(writers, &writers->data[state->datum]);
        if (value != state->value) {
            state->value = value;
            record_writer(writers, state->datum, event);
        }
    }
}

/* The first that reads a GPR before a result that was requested for it is there. */
static void note_early_read(struct writers *writers, const struct observed *event)
{
    unsigned gpr;
    if (!writers->early.is_there && tensix_find_early_read(&writers->tile->tensix, event->thread,
                                                           event->word, event->cycle, &gpr)) {
        writers->early = (struct writers_early_read){true,        event->cycle,  event->pc,
                                                     event->word, event->thread, gpr};
    }
}

/* --- Events --- */

static bool changes_state(const struct observed *event)
{
    bool is_register = event->kind == OBSERVED_WRITTEN && is_hart(event->agent) &&
                       event->address >= RV32_LOCAL_BASE;
    return event->kind == OBSERVED_TENSIX || is_register;
}

static bool see_writer(void *context, struct tile *tile, const struct observed *event)
{
    struct writers *writers = context;
    (void)tile;
    if (event->cycle > writers->until.cycle || writers->sequence >= writers->until.sequence) {
        return false;
    }
    writers->sequence++;
    if (event->kind == OBSERVED_READ && is_hart(event->agent)) {
        note_load(writers, event);
    } else if (event->kind == OBSERVED_READ) {
        note_unit_read(writers, event);
    } else if (event->kind == OBSERVED_FINISHED) {
        note_finished(writers, event);
    } else if (event->kind == OBSERVED_WRITTEN) {
        note_written(writers, event);
    } else if (event->kind == OBSERVED_SENT) {
        packets_note_sent(&writers->requests, event);
    }
    if (event->kind == OBSERVED_TENSIX && event->thread < PENROSE_TENSIX_THREADS) {
        note_early_read(writers, event);
    }
    if (changes_state(event)) {
        look_at_state(writers, event);
        held_look(&writers->held, &writers->tile->tensix, event, writers->sequence);
    }
    if (event->kind == OBSERVED_TENSIX && event->thread < PENROSE_TENSIX_THREADS) {
        writers->unit[OBSERVED_UNPACKER][event->thread].count = 0; /* that instruction is over */
    }
    return false;
}

static bool wants_tile(void *context, const struct tile *tile)
{
    const struct writers *writers = context;
    return tile == writers->tile;
}

/* --- Beginning and end --- */

static bool watch_datum(struct writers *writers, size_t i, unsigned watched[WRITERS_KINDS])
{
    const struct writers_datum *datum = &writers->data[i];
    if (datum->kind == WRITERS_L1 && datum->index < writers->tile->kind->l1_bytes) {
        writers->l1[datum->index / WORD] = (uint32_t)i + 1;
        return true;
    }
    if (datum->kind == WRITERS_LOCAL && datum->part < PENROSE_HARTS &&
        datum->index < VALUES_LOCAL_WORDS * WORD) {
        writers->local[datum->part][datum->index / WORD] = (uint32_t)i + 1;
        return true;
    }
    if (datum->kind > WRITERS_LOCAL && watched[datum->kind] < WRITERS_MOST_STATE) {
        watched[datum->kind]++;
        writers->state[writers->states++] = (struct watched_state){i, state_value(writers, datum)};
        return true;
    }
    return false;
}

static bool make_writers_room(struct writers *writers, size_t count)
{
    bool has_room = true;
    writers->data = calloc(count + 1, sizeof *writers->data);
    writers->record = calloc(count + 1, sizeof *writers->record);
    writers->state = calloc(count + 1, sizeof *writers->state);
    writers->l1 = calloc(writers->tile->kind->l1_bytes / WORD, sizeof *writers->l1);
    writers->l1_written = calloc(writers->tile->kind->l1_bytes / WORD, sizeof *writers->l1_written);
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        writers->local[hart] = calloc(VALUES_LOCAL_WORDS, sizeof *writers->local[hart]);
        has_room &= writers->local[hart] != NULL;
    }
    return has_room && writers->data && writers->record && writers->state && writers->l1 &&
           writers->l1_written;
}

enum penrose_status writers_start(struct penrose_chip *chip, unsigned x, unsigned y,
                                  const struct writers_datum *data, size_t count,
                                  struct writers_limit until, struct writers **writers,
                                  struct penrose_error *error)
{
    struct tile *tile;
    unsigned watched[WRITERS_KINDS] = {0};
    enum penrose_status status = chip_tile(chip, x, y, &tile, error);
    struct writers *new = status ? NULL : calloc(1, sizeof *new);
    *writers = new;
    if (status) {
        return status;
    }
    if (new) {
        *new = (struct writers){
            .chip = chip, .tile = tile, .x = x, .y = y, .until = until, .count = count};
    }
    if (!new || !make_writers_room(new, count)) {
        writers_end(new);
        *writers = NULL;
        return error_set(error, PENROSE_E_MEMORY, "no memory to watch who writes");
    }
    memcpy(new->data, data, count * sizeof *data);
    for (size_t i = 0; i < count; i++) {
        watch_datum(new, i, watched);
    }
    held_start(&new->held, &tile->tensix);
    new->observer = (struct observer){.kinds = 1 << OBSERVED_READ | 1 << OBSERVED_WRITTEN |
                                               1 << OBSERVED_FINISHED | 1 << OBSERVED_TENSIX |
                                               1 << OBSERVED_SENT,
                                      .lets_sleep = true,
                                      .see = see_writer,
                                      .wants = wants_tile,
                                      .context = new};
    return chip_observe(chip, &new->observer, error);
}

/* Has any word of a range been written since? `hart` has a local RAM, and read it. */
static bool is_overwritten(const struct writers *writers, enum observed_agent hart, uint32_t from,
                           uint32_t to, uint64_t since)
{
    const uint64_t *written = writers->l1_written;
    unsigned word;
    if (is_hart(hart) && find_local_word(hart, from, &word)) {
        return writers->local_written[hart][word] > since;
    }
    for (uint32_t at = from; at <= to && at < writers->tile->kind->l1_bytes; at += WORD) {
        if (written[at / WORD] > since) {
            return true;
        }
    }
    return false;
}

static void find_overwritten(const struct writers *writers, struct writers_record *record)
{
    struct writers_source *source = record->source;
    for (unsigned i = 0; i < record->sources; i += record->is_range ? 2 : 1) {
        uint32_t to = source[record->is_range ? i + 1 : i].address;
        source[i].was_overwritten =
            is_overwritten(writers, record->event.agent, source[i].address, to, source[i].sequence);
    }
}

static void name_instructions(struct writers_record *record)
{
    const struct observed *event = &record->event;
    if (record->later.is_there) {
        chip_tensix_disassemble(record->later.word, record->later_instruction,
                                sizeof record->later_instruction);
    }
    if (record->early.is_there) {
        chip_tensix_disassemble(record->early.word, record->early_instruction,
                                sizeof record->early_instruction);
    }
    if (*record->instruction || !event->word) {
        return;
    }
    if (event->thread < PENROSE_TENSIX_THREADS || event->kind == OBSERVED_TENSIX) {
        chip_tensix_disassemble(event->word, record->instruction, sizeof record->instruction);
    } else if (is_hart(event->agent)) {
        chip_disassemble(event->word, event->pc, record->instruction, sizeof record->instruction);
    }
}

const struct writers_record *writers_record(const struct writers *writers, size_t index)
{
    if (index >= writers->count) {
        return NULL;
    }
    struct writers_record *record = &writers->record[index];
    if (record->event.agent == OBSERVED_PACKER) {
        record->later = held_dst_change(&writers->held, record->sequence);
    }
    name_instructions(record);
    find_overwritten(writers, record);
    return record;
}

void writers_end(struct writers *writers)
{
    if (!writers) {
        return;
    }
    chip_unobserve(writers->chip, &writers->observer);
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        free(writers->local[hart]);
    }
    free(writers->data);
    free(writers->record);
    free(writers->state);
    free(writers->l1);
    free(writers->l1_written);
    held_free(&writers->held);
    free(writers);
}
