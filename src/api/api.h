/*
 * The public calls. Each one checks the sizes of the structs that it is given, writes the journal of
 * a chip that is recorded, and asks the chip, whichever kind it is (chip/calls.h). Nothing else
 * exports names.
 */
#ifndef API_API_H
#define API_API_H

#include "chip/calls.h"
#include "cluster/cluster.h"
#include "chip/journal.h"

/* A function of the public interface; everything else is hidden (-fvisibility=hidden). */
#define PENROSE_EXPORT __attribute__((visibility("default")))

/* NULL: the chip is not recorded. */
static inline struct journal *api_journal(const struct penrose_chip *chip)
{
    return chip_head(chip)->journal;
}

/* A call begins that is an entry of the chip's journal; see journal_begin. */
#define API_ENTRY(chip, kind, bytes, size, ...)                                                    \
    JOURNAL_BEGIN(api_journal(chip), chip_head(chip)->number, kind, bytes, size, __VA_ARGS__)

/* The call has ended; returns its status. */
static inline enum penrose_status api_end(const struct penrose_chip *chip, bool is_entry,
                                          enum penrose_status status)
{
    return journal_done(api_journal(chip), is_entry, status);
}

/* A call that answers with bytes has ended. */
static inline enum penrose_status api_end_read(const struct penrose_chip *chip, bool is_entry,
                                               enum penrose_status status, const void *bytes,
                                               size_t size)
{
    return journal_answered(api_journal(chip), is_entry, status, bytes, size);
}

/*
 * What a caller has `given` of a struct that begins with its size, into *own, which is zeros after
 * its own size. PENROSE_E_ARGUMENT where it has less than `least` bytes, those of the first version,
 * or more than *own with anything but zeros there.
 */
enum penrose_status api_take_sized(const void *given, void *own, size_t least, const char *name,
                                   struct penrose_error *error);

/* What a caller's options ask for: *own is complete, and the plan is that of its card. */
enum penrose_status api_plan(const struct penrose_options *given, struct penrose_options *own,
                             struct cluster_plan *plan, struct penrose_error *error);

/* PENROSE_E_ARGUMENT where the card has several chips. */
enum penrose_status api_check_single(const struct cluster_plan *plan,
                                     const struct penrose_options *options,
                                     struct penrose_error *error);

/* The kinds of chips in this library, and behind them NULL. Callers that name no kind get the first
 * one. */
extern const struct chip_calls *const api_chips[];

/* The kind of a chip; NULL: the first one. */
static inline const struct chip_calls *api_kind_of(const struct penrose_chip *chip)
{
    return chip ? chip_calls_of(chip) : api_chips[0];
}

/* The kind of chip that has such a card; NULL: none. A card that is NULL is the first one of all. */
const struct chip_calls *api_chip_of_card(const char *card);

/* The kind of chip of that name; NULL: there is none. */
const struct chip_calls *api_chip_of_name(const char *name);

/* The plan of a card; NULL is the first one of all. PENROSE_E_ARGUMENT, with the names of all, where
 * there is none. */
enum penrose_status api_plan_card(const char *card, struct cluster_plan *plan,
                                  struct penrose_error *error);

/* The plan of what a cluster descriptor says. PENROSE_E_FILE, PENROSE_E_FORMAT, PENROSE_E_ARGUMENT where
 * its chips are of no kind in this library. */
enum penrose_status api_plan_file(const char *path, struct cluster_plan *plan,
                                  struct penrose_error *error);

/* The name of a card, which stays; NULL: none has it. */
const char *api_card(const char *name);

/* The names of all cards, for messages; returns `text`. */
const char *api_cards(char *text, size_t size);

#endif
