/* Life of chips: making them, saving them, letting time pass. */
#include "config.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "cluster/snapshot.h"
#include "isa/error.h"
#include "observe/inside.h"

PENROSE_EXPORT const char *penrose_version(void)
{
    return PACKAGE_VERSION;
}

/* --- Options --- */

enum { LEAST_OPTIONS = offsetof(struct penrose_options, costs) }; /* the first version */

static enum penrose_status take_options(const struct penrose_options *given,
                                        struct penrose_options *own, struct penrose_error *error)
{
    *own = (struct penrose_options){.size = sizeof *own};
    return given ? api_take_sized(given, own, LEAST_OPTIONS, "penrose_options", error) : PENROSE_OK;
}

const struct chip_calls *api_chip_of_card(const char *card)
{
    const char *name;
    for (size_t i = 0; api_chips[i]; i++) {
        for (size_t at = 0; (name = api_chips[i]->card_at(at)); at++) {
            if (!card || strcmp(name, card) == 0) {
                return api_chips[i];
            }
        }
    }
    return NULL;
}

const struct chip_calls *api_chip_of_name(const char *name)
{
    size_t i = 0;
    while (api_chips[i] && strcmp(api_chips[i]->arch->name, name) != 0) {
        i++;
    }
    return api_chips[i];
}

const char *api_card(const char *name)
{
    const struct chip_calls *kind = api_chip_of_card(name);
    size_t i = 0;
    while (kind && strcmp(kind->card_at(i), name) != 0) {
        i++;
    }
    return kind ? kind->card_at(i) : NULL;
}

const char *api_cards(char *text, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; api_chips[i]; i++) {
        const char *between = i ? "; " : "", *name, *next = api_chips[i]->card_at(0);
        for (size_t at = 1; (name = next) && length < size; at++) {
            next = api_chips[i]->card_at(at);
            length += (size_t)snprintf(text + length, size - length, "%s%s", between, name);
            between = next && api_chips[i]->card_at(at + 1) ? ", " : " and ";
        }
    }
    return text;
}

enum penrose_status api_plan_card(const char *card, struct cluster_plan *plan,
                                  struct penrose_error *error)
{
    const struct chip_calls *kind = api_chip_of_card(card);
    if (kind) {
        kind->plan_card(card ? card : kind->card_at(0), plan);
        return PENROSE_OK;
    }
    char known[PENROSE_ERROR_TEXT] = "";
    return error_set(error, PENROSE_E_ARGUMENT, "there is no card '%s'; known are %s", card,
                     api_cards(known, sizeof known));
}

enum penrose_status api_plan_file(const char *path, struct cluster_plan *plan,
                                  struct penrose_error *error)
{
    struct loader_yaml *yaml;
    struct penrose_error own = {0};
    enum penrose_status status = loader_yaml_open(path, &yaml, &own);
    if (status == PENROSE_OK) {
        size_t kind = 0;
        do {
            status = api_chips[kind]->inside->metal_plan_descriptor(yaml, plan, &own);
        } while (status == PENROSE_E_ARGUMENT && api_chips[++kind]);
    }
    loader_yaml_close(yaml);
    return status ? error_set(error, status, "%s", own.text) : PENROSE_OK;
}

/* --- Life --- */

enum penrose_status api_plan(const struct penrose_options *given, struct penrose_options *own,
                             struct cluster_plan *plan, struct penrose_error *error)
{
    enum penrose_status status = take_options(given, own, error);
    return status ? status : api_plan_card(own->card, plan, error);
}

enum penrose_status api_check_single(const struct cluster_plan *plan,
                                     const struct penrose_options *options,
                                     struct penrose_error *error)
{
    return plan->chips == 1
               ? PENROSE_OK
               : error_set(error, PENROSE_E_ARGUMENT,
                           "the card %s has %u chips; penrose_cluster_of_card makes them",
                           options->card, plan->chips);
}

PENROSE_EXPORT enum penrose_status penrose_chip_create(const struct penrose_options *options,
                                                       struct penrose_chip **chip,
                                                       struct penrose_error *error)
{
    struct penrose_options own;
    struct cluster_plan plan;
    *chip = NULL;
    enum penrose_status status = api_plan(options, &own, &plan, error);
    status = status ? status : api_check_single(&plan, &own, error);
    status = status ? status : plan.kind->create(&own, &plan.chip[0], chip, error);
    return status ? status : cluster_of_one(chip, own.threads, error);
}

PENROSE_EXPORT void penrose_chip_destroy(struct penrose_chip *chip)
{
    if (chip && cluster_of(chip)->is_complete) {
        cluster_destroy(cluster_of(chip));
    }
}

/* --- Snapshots --- */

PENROSE_EXPORT enum penrose_status
penrose_snapshot_save(struct penrose_chip *chip, const char *path, struct penrose_error *error)
{
    return cluster_snapshot_save(cluster_of(chip), path, error);
}

PENROSE_EXPORT enum penrose_status penrose_snapshot_to_memory(struct penrose_chip *chip,
                                                              void **bytes, size_t *size,
                                                              struct penrose_error *error)
{
    return cluster_snapshot_to_memory(cluster_of(chip), bytes, size, error);
}

static enum penrose_status begin_loading(const struct penrose_options *given,
                                         struct snapshot_loading *loading,
                                         struct penrose_error *error)
{
    struct penrose_options own;
    enum penrose_status status = take_options(given, &own, error);
    if (status == PENROSE_OK && own.costs && !own.timed) {
        return error_set(error, PENROSE_E_ARGUMENT, "costs are for timed runs; set timed, too");
    }
    *loading = (struct snapshot_loading){
        .kinds = api_chips, .threads = own.threads, .is_timed = own.timed, .costs = own.costs};
    return status;
}

PENROSE_EXPORT enum penrose_status penrose_snapshot_load(const struct penrose_options *given,
                                                         const char *path,
                                                         struct penrose_chip **chip,
                                                         struct penrose_error *error)
{
    struct snapshot_loading loading;
    struct penrose_cluster *cluster = NULL;
    enum penrose_status status = begin_loading(given, &loading, error);
    status = status ? status : cluster_snapshot_load(&loading, path, &cluster, error);
    *chip = cluster ? cluster->chip[0] : NULL;
    return status;
}

PENROSE_EXPORT enum penrose_status penrose_snapshot_from_memory(const struct penrose_options *given,
                                                                const void *bytes, size_t size,
                                                                struct penrose_chip **chip,
                                                                struct penrose_error *error)
{
    struct snapshot_loading loading;
    struct penrose_cluster *cluster = NULL;
    enum penrose_status status = begin_loading(given, &loading, error);
    status = status ? status : cluster_snapshot_from_memory(&loading, bytes, size, &cluster, error);
    *chip = cluster ? cluster->chip[0] : NULL;
    return status;
}

PENROSE_EXPORT uint64_t penrose_state_hash(struct penrose_chip *chip)
{
    return chip_calls_of(chip)->state_hash(chip);
}
