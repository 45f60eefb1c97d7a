/* Life of chips: making them, saving them, linking them, letting time pass. */
#include "config.h"

#include <stddef.h>
#include <stdio.h>

#include "api/api.h"
#include "isa/error.h"

PENROSE_EXPORT const char *penrose_version(void)
{
    return PACKAGE_VERSION;
}

/* --- Options --- */

static enum penrose_status take_options(const struct penrose_options *given,
                                        struct penrose_options *own, struct penrose_error *error)
{
    *own = (struct penrose_options){.size = sizeof *own};
    return given ? api_take_sized(given, own, sizeof *own, "penrose_options", error) : PENROSE_OK;
}

/* The kind of chip that has such a card; NULL: none. */
static const struct chip_calls *find_chip(const char *card)
{
    for (size_t i = 0; api_chips[i]; i++) {
        if (!card || api_chips[i]->has_card(card)) {
            return api_chips[i];
        }
    }
    return NULL;
}

static enum penrose_status refuse_card(const char *card, struct penrose_error *error)
{
    char known[PENROSE_ERROR_TEXT] = "", own[PENROSE_ERROR_TEXT];
    size_t length = 0;
    for (size_t i = 0; api_chips[i] && length < sizeof known; i++) {
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? "; " : "",
                                   api_chips[i]->cards(own, sizeof own));
    }
    return error_set(error, PENROSE_E_ARGUMENT, "there is no card '%s'; known are %s", card, known);
}

/* --- Life --- */

PENROSE_EXPORT enum penrose_status penrose_chip_create(const struct penrose_options *given,
                                                       struct penrose_chip **chip,
                                                       struct penrose_error *error)
{
    struct penrose_options own;
    *chip = NULL;
    enum penrose_status status = take_options(given, &own, error);
    if (status != PENROSE_OK) {
        return status;
    }
    const struct chip_calls *calls = find_chip(own.card);
    return calls ? calls->create(&own, chip, error) : refuse_card(own.card, error);
}

PENROSE_EXPORT void penrose_chip_destroy(struct penrose_chip *chip)
{
    if (chip) {
        api_calls(chip)->destroy(chip);
    }
}

/* --- Snapshots --- */

PENROSE_EXPORT enum penrose_status
penrose_snapshot_save(struct penrose_chip *chip, const char *path, struct penrose_error *error)
{
    return api_calls(chip)->snapshot_save(chip, path, error);
}

PENROSE_EXPORT enum penrose_status penrose_snapshot_to_memory(struct penrose_chip *chip,
                                                              void **bytes, size_t *size,
                                                              struct penrose_error *error)
{
    return api_calls(chip)->snapshot_to_memory(chip, bytes, size, error);
}

/* Each kind refuses snapshots of the others by their headers. */

PENROSE_EXPORT enum penrose_status penrose_snapshot_load(const struct penrose_options *given,
                                                         const char *path,
                                                         struct penrose_chip **chip,
                                                         struct penrose_error *error)
{
    struct penrose_options own;
    *chip = NULL;
    enum penrose_status status = take_options(given, &own, error);
    if (status != PENROSE_OK) {
        return status;
    }
    size_t kind = 0;
    do {
        status = api_chips[kind]->snapshot_load(&own, path, chip, error);
    } while (status == PENROSE_E_FORMAT && api_chips[++kind]);
    return status;
}

PENROSE_EXPORT enum penrose_status penrose_snapshot_from_memory(const struct penrose_options *given,
                                                                const void *bytes, size_t size,
                                                                struct penrose_chip **chip,
                                                                struct penrose_error *error)
{
    struct penrose_options own;
    *chip = NULL;
    enum penrose_status status = take_options(given, &own, error);
    if (status != PENROSE_OK) {
        return status;
    }
    size_t kind = 0;
    do {
        status = api_chips[kind]->snapshot_from_memory(&own, bytes, size, chip, error);
    } while (status == PENROSE_E_FORMAT && api_chips[++kind]);
    return status;
}

PENROSE_EXPORT uint64_t penrose_state_hash(struct penrose_chip *chip)
{
    return api_calls(chip)->state_hash(chip);
}

/* --- Links --- */

PENROSE_EXPORT enum penrose_status penrose_ethernet_link(struct penrose_chip *chip_a, unsigned x_a,
                                                         unsigned y_a, struct penrose_chip *chip_b,
                                                         unsigned x_b, unsigned y_b,
                                                         struct penrose_error *error)
{
    const struct chip_calls *calls = api_calls(chip_a);
    struct penrose_chip *const chips[] = {chip_a, chip_b};
    if (api_calls(chip_b) != calls) {
        return error_set(error, PENROSE_E_ARGUMENT, "a %s and a %s cannot be linked", calls->name,
                         api_calls(chip_b)->name);
    }
    if (chip_a == chip_b) {
        bool is_entry = API_ENTRY(chip_a, JOURNAL_LINK, NULL, 0, x_a, y_a, x_b, y_b);
        return api_end(chip_a, is_entry,
                       calls->ethernet_link(chip_a, x_a, y_a, chip_b, x_b, y_b, error));
    }
    for (unsigned i = 0; i < 2; i++) { /* no journal of one chip can tell what another one does */
        struct journal *journal = api_journal(chips[i]);
        if (journal) {
            journal->failed = true;
        }
    }
    return calls->ethernet_link(chip_a, x_a, y_a, chip_b, x_b, y_b, error);
}

/* --- Time --- */

PENROSE_EXPORT uint64_t penrose_now(const struct penrose_chip *chip)
{
    return api_calls(chip)->now(chip);
}

PENROSE_EXPORT uint64_t penrose_last_activity(const struct penrose_chip *chip)
{
    return api_calls(chip)->last_activity(chip);
}

PENROSE_EXPORT enum penrose_outcome penrose_run(struct penrose_chip *chip,
                                                const struct penrose_run *given)
{
    struct penrose_run own = {.size = sizeof own};
    return api_take_sized(given, &own, sizeof own, "penrose_run", NULL) == PENROSE_OK
               ? api_calls(chip)->run(chip, &own)
               : PENROSE_REFUSED;
}

PENROSE_EXPORT enum penrose_outcome penrose_run_together(struct penrose_chip *const *chips,
                                                         size_t count,
                                                         const struct penrose_run *given)
{
    struct penrose_run own = {.size = sizeof own};
    const struct chip_calls *calls = count ? api_calls(chips[0]) : api_chips[0];
    if (api_take_sized(given, &own, sizeof own, "penrose_run", NULL) != PENROSE_OK) {
        return PENROSE_REFUSED;
    }
    for (size_t i = 0; i < count; i++) {
        if (api_calls(chips[i]) != calls) {
            return PENROSE_REFUSED;
        }
    }
    return calls->run_together(chips, count, &own);
}
