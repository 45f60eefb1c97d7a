/* See recording.h. */
#include "observe/history/recording.h"

#include "config.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "chip/calls.h"
#include "cluster/cluster.h"
#include "isa/error.h"

enum { CARD_ROOM = 32, BUILD_ROOM = 32, KIND_ROOM = 16 };

/* The bytes of an entry CHIP: what makes the chip, however its card is called. Texts end with a 0. */
struct head_bytes {
    struct plan_bytes product;
    uint64_t asic, location, bus; /* of the identity, whose board is that of the product */
    char card[CARD_ROOM], made_by[BUILD_ROOM], kind[KIND_ROOM];
    uint8_t policy[PENROSE_FAULT_ROOM];
};

_Static_assert(sizeof(struct head_bytes) ==
                   48 + CARD_ROOM + BUILD_ROOM + KIND_ROOM + PENROSE_FAULT_ROOM,
               "it has no padding");

/* --- Writing --- */

static void put_text(char *to, size_t room, const char *text)
{
    memcpy(to, text, strnlen(text, room - 1));
}

static void add_chip(struct journal *journal, const struct penrose_chip *chip)
{
    const struct chip_calls *calls = chip_calls_of(chip);
    const struct penrose_options *options = calls->options(chip);
    const struct plan_chip plan = calls->plan(chip);
    struct head_bytes bytes = {.product = plan_to_bytes(&plan.product),
                               .asic = plan.identity.asic,
                               .location = plan.identity.location,
                               .bus = plan.identity.bus,
                               .made_by = PACKAGE_VERSION};
    for (unsigned i = 0; i < PENROSE_FAULT_KINDS; i++) {
        bytes.policy[i] = (uint8_t)options->policy[i];
    }
    put_text(bytes.card, sizeof bytes.card, plan.product.name);
    put_text(bytes.kind, sizeof bytes.kind, calls->arch->name);
    JOURNAL_ADD(journal, chip_head(chip)->number, JOURNAL_CHIP, &bytes, sizeof bytes,
                JOURNAL_VERSION, calls->layout(), (uint64_t)options->schedule, options->seed,
                options->quantum, options->timed, options->rounds_to_nearest);
}

/* Is it the end of a link by which the journal has it? Links have two ends, or one. */
static bool is_lower_end(const struct penrose_chip *chip, const struct tile_facts *tile,
                         const struct penrose_link_info *info)
{
    unsigned own = chip_head(chip)->number, other = chip_head(info->peer)->number;
    bool is_before = tile->y != info->at.y ? tile->y < info->at.y : tile->x <= info->at.x;
    return own != other ? own < other : is_before;
}

/* The links that the chip has already, as if they were made now. */
static void add_links(struct journal *journal, struct penrose_chip *chip)
{
    const struct chip_calls *calls = chip_calls_of(chip);
    struct tile_facts tile;
    struct penrose_link_info info;
    for (unsigned index = 0; calls->next_tile(chip, &index, &tile);) {
        if (tile.kind == PENROSE_TILE_ETHERNET &&
            calls->ethernet_info(chip, tile.x, tile.y, &info, NULL) == PENROSE_OK && info.peer &&
            is_lower_end(chip, &tile, &info)) {
            JOURNAL_ADD(journal, chip_head(chip)->number, JOURNAL_LINK, NULL, 0, tile.x, tile.y,
                        chip_head(info.peer)->number, info.at.x, info.at.y);
        }
    }
}

enum penrose_status recording_start(struct penrose_cluster *cluster, struct penrose_error *error)
{
    if (cluster->journal) {
        return error_set(error, PENROSE_E_STATE, "the chips are recorded already");
    }
    enum penrose_status status = cluster_check_kinds(cluster, "recording", error);
    if (status != PENROSE_OK) {
        return status;
    }
    for (unsigned i = 0; i < cluster->chips; i++) {
        if (chip_calls_of(cluster->chip[i])->options(cluster->chip[i])->costs) {
            return error_set(error, PENROSE_E_STATE,
                             "a recording does not have costs other than the chip's");
        }
    }
    struct journal *journal = journal_create();
    if (!journal) {
        return error_set(error, PENROSE_E_MEMORY, "no memory to record");
    }
    for (unsigned i = 0; i < cluster->chips; i++) {
        add_chip(journal, cluster->chip[i]);
    }
    for (unsigned i = 0; i < cluster->chips; i++) {
        add_links(journal, cluster->chip[i]);
    }
    cluster_set_journal(cluster, journal);
    return PENROSE_OK;
}

enum penrose_status recording_open(struct penrose_cluster *cluster, const char *path,
                                   struct penrose_error *error)
{
    char name[PATH_MAX];
    if (!cluster->journal) {
        return error_set(error, PENROSE_E_STATE, "the chips are not recorded");
    }
    const char *process = strstr(path, "%p");
    int length = process ? snprintf(name, sizeof name, "%.*s%ld%s", (int)(process - path), path,
                                    (long)getpid(), process + 2)
                         : snprintf(name, sizeof name, "%s", path);
    if (length >= (int)sizeof name) {
        return error_set(error, PENROSE_E_FILE, "the path is too long");
    }
    return journal_record(cluster->journal, name, error);
}

bool recording_stop(struct penrose_cluster *cluster)
{
    if (!cluster || !cluster->journal || !cluster->journal->file) {
        return true;
    }
    journal_end(cluster->journal);
    return journal_stop(cluster->journal);
}

/* --- Reading --- */

/* What makes a chip of a recording. */
struct recorded_chip {
    struct penrose_options options;
    struct plan_chip plan;
    const char *kind, *made_by;
    uint64_t layout;
};

/* The chip of an entry, which is the one of that number. False: the entry makes no sense. */
static bool take_chip(const struct journal_entry *entry, unsigned number,
                      struct recorded_chip *chip)
{
    struct head_bytes bytes;
    const char *kept = (const char *)entry->bytes; /* of any alignment */
    if (entry->chip != number || entry->size != sizeof bytes ||
        entry->number[0] != JOURNAL_VERSION) {
        return false;
    }
    memcpy(&bytes, entry->bytes, sizeof bytes);
    if (bytes.card[CARD_ROOM - 1] || bytes.made_by[BUILD_ROOM - 1] || bytes.kind[KIND_ROOM - 1] ||
        entry->number[2] > PENROSE_RANDOM || entry->number[4] > UINT32_MAX ||
        bytes.product.type >= BOARDS) {
        return false;
    }
    *chip = (struct recorded_chip){
        .options = {.size = sizeof chip->options,
                    .schedule = (enum penrose_schedule)entry->number[2],
                    .seed = entry->number[3],
                    .quantum = (uint32_t)entry->number[4],
                    .timed = entry->number[5] != 0,
                    .rounds_to_nearest = entry->number[6] != 0,
                    .card = kept + offsetof(struct head_bytes, card)},
        .plan = {.product = plan_of_bytes(&bytes.product, kept + offsetof(struct head_bytes, card)),
                 .identity = {.board = bytes.product.board,
                              .asic = bytes.asic,
                              .location = bytes.location,
                              .bus = bytes.bus}},
        .kind = kept + offsetof(struct head_bytes, kind),
        .made_by = kept + offsetof(struct head_bytes, made_by),
        .layout = entry->number[1]};
    for (unsigned i = 0; i < PENROSE_FAULT_KINDS; i++) {
        bool is_known = bytes.policy[i] <= PENROSE_IGNORE;
        chip->options.policy[i] = is_known ? (enum penrose_policy)bytes.policy[i] : PENROSE_DEFAULT;
    }
    return true;
}

enum penrose_status recording_head(const struct journal *journal, struct recording_head *head,
                                   struct penrose_error *error)
{
    struct journal_entry entry;
    struct recorded_chip chip;
    *head = (struct recording_head){.at = journal->start};
    while (journal_get(journal, head->at, &entry) && entry.kind == JOURNAL_CHIP) {
        bool is_good = head->chips < CLUSTER_CHIPS && take_chip(&entry, head->chips, &chip) &&
                       (head->chips == 0 ||
                        (chip.layout == head->layout && strcmp(chip.kind, head->kind) == 0));
        if (!is_good) {
            return error_set(error, PENROSE_E_FORMAT, "chip %u of the recording makes no sense",
                             head->chips);
        }
        if (head->chips == 0) {
            head->options = chip.options;
            head->kind = chip.kind;
            head->made_by = chip.made_by;
            head->layout = chip.layout;
        }
        head->chips++;
        head->at = entry.next;
    }
    return head->chips > 0
               ? PENROSE_OK
               : error_set(error, PENROSE_E_FORMAT, "the recording does not begin with a chip");
}

/* The number of the next entry's chip is that of the cluster's next chip: the head was read. */
static enum penrose_status make_chip(const struct journal_entry *entry,
                                     const struct chip_calls *kind,
                                     const struct penrose_options *options,
                                     struct penrose_cluster *cluster, struct penrose_error *error)
{
    struct recorded_chip recorded;
    struct penrose_chip *chip;
    if (!take_chip(entry, cluster->chips, &recorded)) {
        return error_set(error, PENROSE_E_FORMAT, "chip %u of the recording makes no sense",
                         cluster->chips);
    }
    bool is_other = options->schedule != recorded.options.schedule;
    recorded.options.seed = is_other ? options->seed : recorded.options.seed;
    recorded.options.schedule = options->schedule;
    recorded.options.quantum = options->quantum;
    recorded.options.timed = options->timed;
    enum penrose_status status = kind->create(&recorded.options, &recorded.plan, &chip, error);
    return status ? status : cluster_add(cluster, chip, error);
}

enum penrose_status recording_make(const struct journal *journal, const struct chip_calls *kind,
                                   const struct penrose_options *options,
                                   struct penrose_cluster **cluster, struct penrose_error *error)
{
    struct journal_entry entry;
    struct penrose_cluster *made;
    uint64_t at = journal->start;
    *cluster = NULL;
    enum penrose_status status = cluster_create(options->threads, &made, error);
    while (status == PENROSE_OK && journal_get(journal, at, &entry) && entry.kind == JOURNAL_CHIP) {
        status = make_chip(&entry, kind, options, made, error);
        at = entry.next;
    }
    if (status != PENROSE_OK) {
        cluster_destroy(made);
        return status;
    }
    made->is_complete = true;
    *cluster = made;
    return PENROSE_OK;
}
