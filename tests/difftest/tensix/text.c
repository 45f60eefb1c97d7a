/*
 * Programs as text. A case is
 *
 *   case NUMBER [unfenced] [scene|vector]
 *   T1 by brisc                      BRISC pushes for the thread
 *   T0 push INCRWC 0, 1, 0, 0        .ttinsn
 *   T0 store INCRWC 0, 1, 0, 0       store to the instruction buffer
 *   T0 mop 5 INCRWC 0, 1, 0, 0       word 5 of the MOP configuration (counts: a plain number)
 *   T0 gpr 3 0x12345678              stores by the hart
 *   T0 config 12 0x55
 *   T0 semaphore 3 0                 0 posts, 1 gets
 *   T0 fill 0x108000 64 7 0x1234     L1 holds 64 bytes of pattern 7 with this seed (data.h)
 *   T0 sync
 *   T0 sample T0.gpr[5]              waits, then appends the value to the log
 *   state                            what follows is what the program leaves:
 *   expect T0.gpr[5] 0x1234          values that differ from a tile that has done nothing
 *   log T0 0x1234 0x5678
 *   words 0x400 0x1234 0x5678        of a scene, from word 0x400 of it on; others are 0
 *   end
 *
 * Lines that begin with '#' say something to the reader. Groups are not kept.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "epilogue.h"
#include "state.h"
#include "tensix/table.h"

static const char *const kind_names[STEP_KINDS] = {
    [STEP_PUSH] = "push", [STEP_STORE] = "store",   [STEP_MOP] = "mop",
    [STEP_GPR] = "gpr",   [STEP_CONFIG] = "config", [STEP_SEMAPHORE] = "semaphore",
    [STEP_SYNC] = "sync", [STEP_SAMPLE] = "sample", [STEP_FILL] = "fill",
};

enum { LINE_SIZE = 1 << 18, MOP_COUNT_WORDS = 2 };

/* --- Writing --- */

void step_print(const struct step *step, const struct state_map *map, FILE *to)
{
    char text[160];
    struct data_place place;
    fprintf(to, "T%u %s", step->thread, kind_names[step->kind]);
    switch (step->kind) {
    case STEP_PUSH:
    case STEP_STORE:
        tensix_disassemble(step->word, text, sizeof text);
        fprintf(to, " %s", text);
        break;
    case STEP_MOP:
        tensix_disassemble(step->word, text, sizeof text);
        if (step->number < MOP_COUNT_WORDS || text[0] == '.') {
            snprintf(text, sizeof text, "0x%" PRIx32, step->word);
        }
        fprintf(to, " %u %s", step->number, text);
        break;
    case STEP_GPR:
    case STEP_CONFIG:
    case STEP_SEMAPHORE:
        fprintf(to, " %u 0x%" PRIx32, step->number, step->word);
        break;
    case STEP_FILL:
        place = data_place_of(step->word);
        fprintf(to, " 0x%" PRIx32 " %" PRIu32 " %u 0x%" PRIx32, place.address, place.bytes,
                step->number, step->seed);
        break;
    case STEP_SAMPLE:
        fprintf(to, " %s", state_probe_name(map, step->number));
        break;
    case STEP_SYNC:
    case STEP_KINDS:
        break;
    }
    fputc('\n', to);
}

/* Words that are not 0, in lines without gaps; a run of equal words is written as COUNTxWORD. */
static void print_scene(const struct outcome *expected, FILE *to)
{
    uint32_t in_line = 0;
    for (uint32_t i = 0; i < expected->scene_words;) {
        uint32_t value = expected->scene[i], run = 1;
        while (i + run < expected->scene_words && expected->scene[i + run] == value) {
            run++;
        }
        if (!value) {
            if (in_line) {
                fputc('\n', to);
            }
            in_line = 0;
            i += run;
            continue;
        }
        if (!in_line++) {
            fprintf(to, "words 0x%" PRIx32, i);
        }
        fprintf(to, run > 1 ? " %" PRIx32 "x%" PRIx32 : " %.0" PRIx32 "%" PRIx32, run > 1 ? run : 0,
                value);
        i += run;
    }
    if (in_line) {
        fputc('\n', to);
    }
}

static void print_expected(const struct outcome *expected, const struct state_map *map, FILE *to)
{
    fprintf(to, "state\n");
    for (unsigned i = 0; i < map->items; i++) {
        uint32_t value = state_item_value(&map->item[i], expected->dump);
        if (value != map->item[i].reset) {
            fprintf(to, "expect %s 0x%" PRIx32 "\n", map->item[i].name, value);
        }
    }
    uint32_t at = 0;
    for (unsigned thread = 0; thread < THREADS; thread++) {
        if (expected->logs[thread]) {
            fprintf(to, "log T%u", thread);
            for (uint32_t i = 0; i < expected->logs[thread]; i++) {
                fprintf(to, " 0x%" PRIx32, expected->log[at++]);
            }
            fputc('\n', to);
        }
    }
    print_scene(expected, to);
}

void program_print(const struct program *program, const struct outcome *expected,
                   const struct state_map *map, FILE *to)
{
    fprintf(to, "case %" PRIu64 "%s%s\n", program->number, program->unfenced ? " unfenced" : "",
            program->vector  ? " vector"
            : program->scene ? " scene"
                             : "");
    for (unsigned thread = 0; thread < THREADS; thread++) {
        if (program->by_brisc[thread]) {
            fprintf(to, "T%u by brisc\n", thread);
        }
    }
    for (uint32_t i = 0; i < program->steps; i++) {
        step_print(&program->step[i], map, to);
    }
    if (expected) {
        print_expected(expected, map, to);
    }
    fprintf(to, "end\n");
}

/* --- Reading --- */

struct reader {
    const struct state_map *map;
    struct program *program;
    struct outcome *expected;
    char *error;
    size_t size;
    unsigned line;
};

static bool complain(struct reader *r, const char *what, const char *text)
{
    snprintf(r->error, r->size, "line %u: %s \"%.80s\"", r->line, what, text);
    return false;
}

static bool read_number(struct reader *r, char **at, uint32_t *value)
{
    char *end;
    unsigned long number = strtoul(*at, &end, 0);
    if (end == *at || number > UINT32_MAX) {
        return complain(r, "no number:", *at);
    }
    *value = (uint32_t)number;
    *at = end + strspn(end, " ");
    return true;
}

static bool read_instruction(struct reader *r, const char *text, uint32_t *word)
{
    struct penrose_error error;
    if (tensix_assemble(text, word, &error) != PENROSE_OK) {
        return complain(r, "no instruction:", text);
    }
    return true;
}

static bool read_fill(struct reader *r, struct step *step, char *at)
{
    struct data_place place;
    uint32_t pattern = 0;
    if (!read_number(r, &at, &place.address) || !read_number(r, &at, &place.bytes) ||
        !read_number(r, &at, &pattern) || !read_number(r, &at, &step->seed)) {
        return false;
    }
    if (pattern >= DATA_PATTERNS || place.address % 16 || place.bytes % 64 ||
        place.address >= 0x180000 || place.bytes > 0x180000 - place.address) {
        return complain(r, "out of range:", at);
    }
    step->number = (uint16_t)pattern;
    step->word = data_pack_place(place);
    return true;
}

static bool read_operands(struct reader *r, struct step *step, char *at)
{
    uint32_t number = 0;
    if (step_is_push(step)) {
        return read_instruction(r, at, &step->word);
    }
    if (step->kind == STEP_SYNC) {
        return true;
    }
    if (step->kind == STEP_FILL) {
        return read_fill(r, step, at);
    }
    if (step->kind == STEP_SAMPLE) {
        int probe = state_probe_named(r->map, at);
        step->number = (uint16_t)probe;
        return probe >= 0 || complain(r, "no such state:", at);
    }
    if (!read_number(r, &at, &number)) {
        return false;
    }
    static const uint16_t limit[STEP_KINDS] = {
        [STEP_MOP] = 9, [STEP_GPR] = GPRS, [STEP_CONFIG] = CONFIG_WORDS, [STEP_SEMAPHORE] = 8};
    if (number >= limit[step->kind]) {
        return complain(r, "out of range:", at);
    }
    step->number = (uint16_t)number;
    if (step->kind == STEP_MOP && !isdigit((unsigned char)*at)) {
        return read_instruction(r, at, &step->word);
    }
    return read_number(r, &at, &step->word);
}

static bool read_step(struct reader *r, char *text)
{
    struct step step = {.thread = (uint8_t)(text[1] - '0')};
    if (step.thread >= THREADS || text[2] != ' ') {
        return complain(r, "no thread:", text);
    }
    char *word = text + 3;
    size_t length = strcspn(word, " ");
    char *operands = word + length + strspn(word + length, " ");
    if (!strcmp(word, "by brisc")) {
        r->program->by_brisc[step.thread] = true;
        return true;
    }
    for (int kind = 0; kind < STEP_KINDS; kind++) {
        if (strlen(kind_names[kind]) == length && !strncmp(word, kind_names[kind], length)) {
            step.kind = (enum step_kind)kind;
            if (!read_operands(r, &step, operands)) {
                return false;
            }
            program_add(r->program, step);
            return true;
        }
    }
    return complain(r, "no step:", word);
}

static void set_item(const struct item *item, uint32_t *dump, uint32_t value)
{
    uint64_t mask = ((UINT64_C(1) << item->width) - 1) << item->lsb;
    uint64_t bits = (uint64_t)value << item->lsb & mask;
    dump[item->probe] = (dump[item->probe] & ~(uint32_t)mask) | (uint32_t)bits;
    if (mask >> 32) {
        uint32_t *next = &dump[item->probe + 1];
        *next = (*next & ~(uint32_t)(mask >> 32)) | (uint32_t)(bits >> 32);
    }
}

static void expect_reset(struct outcome *expected, const struct state_map *map)
{
    memset(expected, 0, sizeof *expected);
    expected->ending = ENDED;
    for (unsigned i = 0; i < map->items; i++) {
        set_item(&map->item[i], expected->dump, map->item[i].reset);
    }
}

static bool read_expectation(struct reader *r, char *text)
{
    size_t length = strcspn(text, " ");
    char *at = text + length + strspn(text + length, " ");
    text[length] = '\0';
    int item = state_item_find(r->map, text);
    uint32_t value;
    if (item < 0) {
        return complain(r, "no such state:", text);
    }
    if (!read_number(r, &at, &value)) {
        return false;
    }
    set_item(&r->map->item[item], r->expected->dump, value);
    return true;
}

static bool read_log(struct reader *r, char *text)
{
    struct outcome *expected = r->expected;
    unsigned thread = text[0] == 'T' ? (unsigned)(text[1] - '0') : THREADS;
    uint32_t at = expected->logs[0] + expected->logs[1] + expected->logs[2];
    if (thread >= THREADS) {
        return complain(r, "no thread:", text);
    }
    for (char *word = text + 2 + strspn(text + 2, " "); *word; at++) {
        if (at >= MOST_LOG) {
            return complain(r, "too many:", word);
        }
        if (!read_number(r, &word, &expected->log[at])) {
            return false;
        }
        expected->logs[thread]++;
    }
    return true;
}

static bool read_scene(struct reader *r, char *text)
{
    struct outcome *expected = r->expected;
    uint32_t at = 0;
    if (!read_number(r, &text, &at)) {
        return false;
    }
    while (*text) {
        char *end;
        unsigned long run = 1, value = strtoul(text, &end, 16);
        if (*end == 'x') {
            run = value;
            text = end + 1;
            value = strtoul(text, &end, 16);
        }
        if (end == text || value > UINT32_MAX || run > MOST_SCENE || at + run > MOST_SCENE) {
            return complain(r, "no words of a scene:", text);
        }
        while (run-- > 0) {
            expected->scene[at++] = (uint32_t)value;
        }
        text = end + strspn(end, " ");
    }
    return true;
}

/* 1: go on, 0: the case is complete, -1: an error. */
static int read_line(struct reader *r, char *text)
{
    if (!strcmp(text, "end")) {
        return 0;
    }
    bool ok = true;
    if (text[0] == 'T') {
        ok = read_step(r, text);
    } else if (!strcmp(text, "state")) {
        expect_reset(r->expected, r->map);
        r->expected->scene_words = epilogue_region(r->program).bytes / 4;
    } else if (r->expected->ending != ENDED) {
        ok = complain(r, "not understood in front of \"state\":", text);
    } else if (!strncmp(text, "words ", 6)) {
        ok = read_scene(r, text + 6);
    } else if (!strncmp(text, "expect ", 7) || !strncmp(text, "log ", 4)) {
        ok = text[0] == 'e' ? read_expectation(r, text + 7) : read_log(r, text + 4);
    } else {
        ok = complain(r, "not understood:", text);
    }
    return ok ? 1 : -1;
}

int program_read(struct program *program, struct outcome *expected, const struct state_map *map,
                 FILE *from, unsigned *line, char *error, size_t size)
{
    char *text = malloc(LINE_SIZE);
    struct reader r = {map, program, expected, error, size, *line};
    bool inside = false;
    int result = text ? 1 : -1;
    program_init(program);
    if (!text) {
        snprintf(error, size, "out of memory");
    }
    while (result == 1 && fgets(text, LINE_SIZE, from)) {
        r.line++;
        text[strcspn(text, "\r\n")] = '\0';
        char *start = text + strspn(text, " ");
        if (!*start || *start == '#') {
            continue;
        }
        if (!inside && strncmp(start, "case ", 5) != 0) {
            complain(&r, "expected \"case\":", start);
            result = -1;
        } else if (!inside) {
            inside = true;
            program->number = strtoull(start + 5, NULL, 0);
            program->unfenced = strstr(start, "unfenced");
            program->vector = strstr(start, "vector");
            program->scene = program->vector || strstr(start, "scene");
        } else {
            result = read_line(&r, start);
        }
    }
    if (result == 1 && inside) {
        complain(&r, "the file ends in the middle of", "case");
        result = -1;
    }
    *line = r.line;
    free(text);
    if (result < 0) {
        return -1;
    }
    return inside ? 1 : 0;
}
