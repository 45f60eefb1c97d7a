/*
 * An observer that counts how often places are reached, and stops at the n-th time; see moments.h.
 */
#include "observe/history/moments.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <penrose/debug.h>

#include "chip/chip.h"
#include "cluster/cluster.h"
#include "isa/error.h"
#include "tensix/table.h"

/* An address of a moment's code in a tile. */
struct moment_place {
    uint16_t node;
    uint32_t address;
};

/* What is known of a moment beside what the caller has. */
struct watched_moment {
    struct moment *moment;
    struct moment_place *place; /* FUNCTION and LINE */
    unsigned places;
    uint64_t passed[NOC_NODES];
};

struct moments {
    struct observer observer;
    struct penrose_chip *chip;
    struct watched_moment *watched;
    unsigned count;
    moment_look *look;
    void *context;
    bool is_looking;
    bool looks_at[NOC_NODES];
    /* The instruction that was about to start last: it is told again when a stopped tile goes on. */
    struct {
        uint32_t pc;
        uint64_t retired;
        bool is_known;
    } started[NOC_NODES][RV32_CORES];
};

/* --- Texts --- */

/* Cuts ":N" off the end; false where there is none. */
static bool cut_number(char *text, uint64_t *number)
{
    char *colon = strrchr(text, ':'), *end;
    if (!colon || !isdigit((unsigned char)colon[1])) {
        return false;
    }
    *number = strtoull(colon + 1, &end, 0);
    if (*end) {
        return false;
    }
    *colon = 0;
    return true;
}

static bool is_mnemonic(const char *name)
{
    for (unsigned i = 0; i < TENSIX_ROWS; i++) {
        if (strcmp(tensix_rows[i].mnemonic, name) == 0) {
            return true;
        }
    }
    return false;
}

static enum penrose_status refuse_moment(struct penrose_error *error, const char *text,
                                         const char *why)
{
    return error_set(error, PENROSE_E_ARGUMENT,
                     "'%.100s': %s; write FUNCTION, FILE:LINE, 0xPC or MNEMONIC, with HART: before "
                     "it for one hart and :N behind it for the N-th time, cycle:N or launch:N",
                     text, why);
}

/* "cycle:N" and "launch:N"; false: it is something else. */
static bool take_counted(struct moment *moment, const char *text)
{
    char copy[32] = "";
    if (strlen(text) < sizeof copy) {
        memcpy(copy, text, strlen(text));
    }
    bool has_number = cut_number(copy, &moment->number);
    moment->kind = strcmp(copy, "cycle") == 0 ? MOMENT_CYCLE : MOMENT_LAUNCH;
    return has_number && (strcmp(copy, "cycle") == 0 || strcmp(copy, "launch") == 0);
}

/* The hart that tiles of some type call so, -1: none. */
static int find_hart(const char *name, size_t length)
{
    for (int i = 0; i < TILE_TYPES * PENROSE_HARTS; i++) {
        const char *known = tile_kinds[i / PENROSE_HARTS].hart[i % PENROSE_HARTS];
        if (known && strlen(known) == length && strncmp(known, name, length) == 0) {
            return i % PENROSE_HARTS;
        }
    }
    return -1;
}

/* Cuts "trisc1:" off the front, but not of "trisc1:3", the third time of a function, nor of
 * "trisc1::run". */
static const char *take_hart(struct moment *moment, const char *text)
{
    size_t length = strcspn(text, ":");
    const char *place = text + length + 1;
    int hart = text[length] ? find_hart(text, length) : -1;
    bool is_count = hart >= 0 && isdigit((unsigned char)*place) && strncmp(place, "0x", 2) != 0;
    if (hart < 0 || *place == ':' || is_count) {
        return text;
    }
    moment->only = hart;
    return place;
}

/* Functions have colons in pairs ("a::b"), and then spaces, too ("<a::T as b::U>::c" of Rust). */
static bool is_named_well(const struct moment *moment)
{
    const char *at = moment->name;
    bool is_qualified = false;
    while (moment->kind == MOMENT_FUNCTION && (at = strchr(at, ':')) != NULL) {
        if (at[1] != ':') {
            return false;
        }
        is_qualified = true;
        at += 2;
    }
    return *moment->name && (is_qualified || !strpbrk(moment->name, ": "));
}

enum penrose_status moment_parse(const char *text, struct moment *moment,
                                 struct penrose_error *error)
{
    uint64_t last = 0, before = 0;
    *moment = (struct moment){.text = text, .nth = 1, .only = -1, .hart = -1};
    if (strlen(text) >= MOMENT_NAME || !*text) {
        return refuse_moment(error, text, "no place is called so");
    }
    if (take_counted(moment, text)) {
        return moment->number ? PENROSE_OK : refuse_moment(error, text, "they count from 1 on");
    }
    const char *place = take_hart(moment, text);
    struct moment counted;
    if (place != text && take_counted(&counted, place)) {
        return refuse_moment(error, text, "cycles and launches are those of all harts");
    }
    strcpy(moment->name, place);
    bool has_last = cut_number(moment->name, &last);
    bool is_file = strchr(moment->name, '.') != NULL;
    if (is_file && has_last && cut_number(moment->name, &before)) { /* FILE:LINE:N */
        moment->nth = last;
        last = before;
    } else if (!is_file && has_last) {
        moment->nth = last;
    }
    moment->kind = is_file                               ? MOMENT_LINE
                   : strncmp(moment->name, "0x", 2) == 0 ? MOMENT_PC
                   : is_mnemonic(moment->name)           ? MOMENT_TENSIX
                                                         : MOMENT_FUNCTION;
    if (is_file && (!has_last || !last)) {
        return refuse_moment(error, text, "a file needs the number of a line");
    }
    char *end = moment->name;
    moment->number = moment->kind == MOMENT_PC ? strtoull(moment->name, &end, 0) : last;
    if ((moment->kind == MOMENT_PC && (*end || moment->number > UINT32_MAX)) || !moment->nth ||
        !is_named_well(moment)) {
        return refuse_moment(error, text, "that is no place in a program");
    }
    return PENROSE_OK;
}

/* --- Looking --- */

/* Counts one more time; true when it is the one. */
static bool pass_moment(struct watched_moment *watched, struct tile *tile,
                        const struct observed *event)
{
    struct moment *moment = watched->moment;
    if (++watched->passed[tile->node] < moment->nth) {
        return false;
    }
    moment->is_over = true;
    moment->at = (struct penrose_place){tile->x, tile->y};
    moment->hart = (int)event->agent;
    moment->cycle = event->cycle;
    return true;
}

static bool is_code_of(const struct watched_moment *watched, const struct tile *tile, uint32_t pc)
{
    if (watched->moment->kind == MOMENT_PC) {
        return pc == watched->moment->number;
    }
    for (unsigned i = 0; i < watched->places; i++) {
        if (watched->place[i].address == pc && watched->place[i].node == tile->node) {
            return true;
        }
    }
    return false;
}

static bool is_of_row(const struct watched_moment *watched, uint32_t word)
{
    int row = watched->moment->kind == MOMENT_TENSIX ? tensix_find(word) : -1;
    return row >= 0 && strcmp(tensix_rows[row].mnemonic, watched->moment->name) == 0;
}

/* Was this start told before the tile was stopped there? */
static bool is_told_again(struct moments *moments, const struct tile *tile,
                          const struct observed *event)
{
    const uint64_t retired = tile->hart[event->agent].retired;
    bool is_again = moments->started[tile->node][event->agent].is_known &&
                    moments->started[tile->node][event->agent].pc == event->pc &&
                    moments->started[tile->node][event->agent].retired == retired;
    moments->started[tile->node][event->agent].is_known = true;
    moments->started[tile->node][event->agent].pc = event->pc;
    moments->started[tile->node][event->agent].retired = retired;
    return is_again;
}

static bool see_moment(void *context, struct tile *tile, const struct observed *event)
{
    struct moments *moments = context;
    bool stops = false, starts = event->kind == OBSERVED_STARTS;
    if (starts && is_told_again(moments, tile, event)) {
        return false;
    }
    for (unsigned i = 0; i < moments->count; i++) {
        struct watched_moment *watched = &moments->watched[i];
        int only = watched->moment->only;
        bool is_meant = !watched->moment->is_over && (only < 0 || only == (int)event->agent);
        bool is_here = is_meant && (starts ? is_code_of(watched, tile, event->pc)
                                           : is_of_row(watched, event->word));
        bool is_it = is_here && pass_moment(watched, tile, event);
        stops |= is_it && starts;
        if (is_it && !starts) {
            moments->look(moments->context, i);
            cluster_stop(cluster_of(moments->chip));
        }
    }
    return stops;
}

static bool wants_moments(void *context, const struct tile *tile)
{
    const struct moments *moments = context;
    return moments->looks_at[tile->node];
}

/* --- Where places are --- */

static void add_places(struct watched_moment *watched, const struct image *image, uint16_t node,
                       const struct loader_places *found)
{
    for (unsigned i = 0; i < found->count; i++) {
        uint32_t offset = found->address[i] - image->link_base;
        if (offset >= image->size) {
            continue;
        }
        struct moment_place *grown = realloc(watched->place, (watched->places + 1) * sizeof *grown);
        if (!grown) {
            return;
        }
        watched->place = grown;
        watched->place[watched->places++] =
            (struct moment_place){.node = node, .address = image->base + offset};
        watched->moment->is_known = true;
    }
}

/* What was found in a file: tiles run one program mostly, each from an image of its own. */
enum { SEARCHED = 16 };
struct searched {
    const char *path[SEARCHED];
    struct loader_places found[SEARCHED];
    unsigned count;
};

static const struct loader_places *search_elf(struct searched *searched,
                                              const struct moment *moment, struct loader_elf *elf)
{
    const char *path = loader_elf_path(elf);
    for (unsigned i = 0; i < searched->count; i++) {
        if (strcmp(searched->path[i], path) == 0) {
            return &searched->found[i];
        }
    }
    unsigned at = searched->count < SEARCHED ? searched->count++ : SEARCHED - 1;
    searched->path[at] = path;
    if (moment->kind == MOMENT_FUNCTION) {
        loader_places_function(elf, moment->name, &searched->found[at]);
    } else {
        loader_places_line(elf, moment->name, (unsigned)moment->number, &searched->found[at]);
    }
    return &searched->found[at];
}

static void find_places(struct moments *moments, struct watched_moment *watched)
{
    const struct images *images = &moments->chip->head.images;
    struct searched *searched = calloc(1, sizeof *searched);
    uint16_t node;
    watched->places = 0;
    for (size_t i = 0; searched && i < images->count; i++) {
        const struct image *image = &images->image[i];
        if (chip_find(moments->chip, image->x, image->y, &node) && moments->looks_at[node]) {
            add_places(watched, image, node, search_elf(searched, watched->moment, image->elf));
        }
    }
    free(searched);
}

/* While no program has any of the places nobody can come to one: then harts may sleep in loops that
 * poll, and a deadlock is found. */
static void let_sleep(struct moments *moments)
{
    bool lets_sleep = true;
    for (unsigned i = 0; i < moments->count; i++) {
        const struct watched_moment *watched = &moments->watched[i];
        enum moment_kind kind = watched->moment->kind;
        bool is_place = kind == MOMENT_FUNCTION || kind == MOMENT_LINE;
        lets_sleep &=
            watched->moment->is_over || kind > MOMENT_PC || (is_place && watched->places == 0);
    }
    if (moments->is_looking && lets_sleep != moments->observer.lets_sleep) {
        chip_unobserve(moments->chip, &moments->observer);
        moments->observer.lets_sleep = lets_sleep;
        moments->is_looking = chip_observe(moments->chip, &moments->observer, NULL) == PENROSE_OK;
    }
}

void moments_prepare(struct moments *moments)
{
    for (unsigned i = 0; moments && i < moments->count; i++) {
        struct watched_moment *watched = &moments->watched[i];
        enum moment_kind kind = watched->moment->kind;
        if (!watched->moment->is_over && (kind == MOMENT_FUNCTION || kind == MOMENT_LINE)) {
            find_places(moments, watched);
        }
    }
    if (moments) {
        let_sleep(moments);
    }
}

/* --- Life --- */

static void free_moments(struct moments *moments)
{
    for (unsigned i = 0; moments->watched && i < moments->count; i++) {
        free(moments->watched[i].place);
    }
    free(moments->watched);
    free(moments);
}

/* What has to be told of for these moments; 0: nothing. */
static unsigned needed_kinds(const struct moment *moment, unsigned count)
{
    unsigned kinds = 0;
    for (unsigned i = 0; i < count; i++) {
        kinds |= moment[i].kind <= MOMENT_PC       ? 1u << OBSERVED_STARTS
                 : moment[i].kind == MOMENT_TENSIX ? 1u << OBSERVED_TENSIX
                                                   : 0;
    }
    return kinds;
}

enum penrose_status moments_start(struct penrose_chip *chip, struct moment *moment, unsigned count,
                                  const struct penrose_place *tiles, unsigned tiles_count,
                                  moment_look *look, void *context, struct moments **moments,
                                  struct penrose_error *error)
{
    unsigned kinds = needed_kinds(moment, count);
    uint16_t node;
    *moments = NULL;
    if (!kinds) {
        return PENROSE_OK;
    }
    struct moments *made = calloc(1, sizeof *made);
    struct watched_moment *watched = calloc(count, sizeof *watched);
    if (!made || !watched) {
        free(made);
        free(watched);
        return error_set(error, PENROSE_E_MEMORY, "no memory to look out for places");
    }
    made->chip = chip;
    made->watched = watched;
    made->count = count;
    made->look = look;
    made->context = context;
    for (unsigned i = 0; i < count; i++) {
        watched[i].moment = &moment[i];
    }
    for (unsigned i = 0; i < tiles_count; i++) {
        if (chip_find(chip, tiles[i].x, tiles[i].y, &node)) {
            made->looks_at[node] = true;
        }
    }
    made->is_looking = true;
    made->observer = (struct observer){
        .kinds = kinds, .see = see_moment, .wants = wants_moments, .context = made};
    enum penrose_status status = chip_observe(chip, &made->observer, error);
    if (status != PENROSE_OK) {
        free_moments(made);
        return status;
    }
    *moments = made;
    return PENROSE_OK;
}

void moments_rest(struct moments *moments)
{
    bool are_over = true;
    for (unsigned i = 0; moments && i < moments->count; i++) {
        const struct moment *moment = moments->watched[i].moment;
        are_over &= moment->is_over || moment->kind > MOMENT_TENSIX;
    }
    if (moments && are_over && moments->is_looking) {
        memset(moments->looks_at, 0, sizeof moments->looks_at);
        moments->is_looking = false;
        chip_look_again(moments->chip, NULL);
    }
}

void moments_end(struct moments *moments)
{
    if (moments) {
        chip_unobserve(moments->chip, &moments->observer);
        free_moments(moments);
    }
}
