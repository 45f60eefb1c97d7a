/* See recording.h. */
#include "observe/history/recording.h"

#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "chip/calls.h"
#include "cluster/cluster.h"
#include "isa/error.h"

enum { CARD_ROOM = 32, BUILD_ROOM = 32, HEAD_BYTES = PENROSE_FAULT_ROOM + CARD_ROOM + BUILD_ROOM };

/* Names end with a 0. */
struct head_bytes {
    uint8_t policy[PENROSE_FAULT_ROOM];
    char card[CARD_ROOM], made_by[BUILD_ROOM];
};

_Static_assert(sizeof(struct head_bytes) == HEAD_BYTES, "it has no padding");

static void add_head(struct penrose_chip *chip)
{
    const struct chip_calls *calls = chip_calls_of(chip);
    const struct penrose_options *options = calls->options(chip);
    struct head_bytes bytes = {.made_by = PACKAGE_VERSION};
    const char *card = calls->card(chip);
    for (unsigned i = 0; i < PENROSE_FAULT_KINDS; i++) {
        bytes.policy[i] = (uint8_t)options->policy[i];
    }
    memcpy(bytes.card, card, strnlen(card, CARD_ROOM - 1));
    JOURNAL_ADD(chip_head(chip)->journal, JOURNAL_CHIP, &bytes, sizeof bytes, JOURNAL_VERSION,
                calls->layout(), (uint64_t)options->schedule, options->seed, options->quantum,
                options->timed, options->rounds_to_nearest);
}

enum penrose_status recording_start(struct penrose_chip *chip, struct penrose_error *error)
{
    if (chip_head(chip)->journal) {
        return error_set(error, PENROSE_E_STATE, "the chip is recorded already");
    }
    enum penrose_status status = cluster_check_one(chip, "recording", error);
    if (status != PENROSE_OK) {
        return status;
    }
    chip_head(chip)->journal = journal_create();
    if (!chip_head(chip)->journal) {
        return error_set(error, PENROSE_E_MEMORY, "no memory to record");
    }
    add_head(chip);
    return PENROSE_OK;
}

enum penrose_status recording_open(struct penrose_chip *chip, const char *path,
                                   struct penrose_error *error)
{
    char name[PATH_MAX];
    if (!chip_head(chip)->journal) {
        return error_set(error, PENROSE_E_STATE, "the chip is not recorded");
    }
    const char *process = strstr(path, "%p");
    int length = process ? snprintf(name, sizeof name, "%.*s%ld%s", (int)(process - path), path,
                                    (long)getpid(), process + 2)
                         : snprintf(name, sizeof name, "%s", path);
    if (length >= (int)sizeof name) {
        return error_set(error, PENROSE_E_FILE, "the path is too long");
    }
    return journal_record(chip_head(chip)->journal, name, error);
}

bool recording_stop(struct penrose_chip *chip)
{
    if (!chip || !chip_head(chip)->journal || !chip_head(chip)->journal->file) {
        return true;
    }
    journal_end(chip_head(chip)->journal);
    return journal_stop(chip_head(chip)->journal);
}

enum penrose_status recording_head(const struct journal *journal, struct recording_head *head,
                                   struct penrose_error *error)
{
    struct journal_entry entry;
    struct head_bytes bytes;
    if (!journal_get(journal, journal->start, &entry) || entry.kind != JOURNAL_CHIP ||
        entry.size != sizeof bytes || entry.number[0] != JOURNAL_VERSION) {
        return error_set(error, PENROSE_E_FORMAT, "the recording does not begin with a chip");
    }
    memcpy(&bytes, entry.bytes, sizeof bytes);
    if (bytes.card[CARD_ROOM - 1] || bytes.made_by[BUILD_ROOM - 1] ||
        entry.number[2] > PENROSE_RANDOM || entry.number[4] > UINT32_MAX) {
        return error_set(error, PENROSE_E_FORMAT, "the chip of the recording makes no sense");
    }
    const struct head_bytes *kept = (const void *)entry.bytes; /* only bytes: any alignment */
    *head = (struct recording_head){.card = kept->card,
                                    .made_by = kept->made_by,
                                    .layout = entry.number[1],
                                    .at = entry.next,
                                    .options = {.size = sizeof head->options,
                                                .schedule = (enum penrose_schedule)entry.number[2],
                                                .seed = entry.number[3],
                                                .quantum = (uint32_t)entry.number[4],
                                                .timed = entry.number[5] != 0,
                                                .rounds_to_nearest = entry.number[6] != 0,
                                                .card = kept->card}};
    for (unsigned i = 0; i < PENROSE_FAULT_KINDS; i++) {
        bool is_known = kept->policy[i] <= PENROSE_IGNORE;
        head->options.policy[i] = is_known ? (enum penrose_policy)kept->policy[i] : PENROSE_DEFAULT;
    }
    return PENROSE_OK;
}
