/* Clusters: chips under one clock, links between them, time. */
#include "api/api.h"
#include "cluster/plan.h"
#include "isa/error.h"

/* --- Life --- */

PENROSE_EXPORT enum penrose_status penrose_cluster_create(unsigned threads,
                                                          struct penrose_cluster **cluster,
                                                          struct penrose_error *error)
{
    return cluster_create(threads, cluster, error);
}

PENROSE_EXPORT void penrose_cluster_destroy(struct penrose_cluster *cluster)
{
    cluster_destroy(cluster);
}

PENROSE_EXPORT enum penrose_status penrose_cluster_add(struct penrose_cluster *cluster,
                                                       const struct penrose_options *options,
                                                       struct penrose_chip **chip,
                                                       struct penrose_error *error)
{
    struct penrose_options own;
    struct cluster_plan plan;
    *chip = NULL;
    enum penrose_status status = api_plan(options, &own, &plan, error);
    status = status ? status : api_check_single(&plan, &own, error);
    if (status != PENROSE_OK) {
        return status;
    }
    struct chip_identity *identity = &plan.chip[0].identity;
    *identity = plan_identity(identity->board + cluster->chips, 0, identity->location);
    status = plan.kind->create(&own, &plan.chip[0], chip, error);
    status = status ? status : cluster_add(cluster, *chip, error);
    *chip = status == PENROSE_OK ? *chip : NULL;
    return status;
}

PENROSE_EXPORT enum penrose_status penrose_cluster_of_card(const struct penrose_options *options,
                                                           struct penrose_cluster **cluster,
                                                           struct penrose_error *error)
{
    struct penrose_options own;
    struct cluster_plan plan;
    *cluster = NULL;
    enum penrose_status status = api_plan(options, &own, &plan, error);
    return status ? status : cluster_of_plan(&plan, &own, cluster, error);
}

PENROSE_EXPORT enum penrose_status penrose_cluster_of_file(const struct penrose_options *options,
                                                           const char *path,
                                                           struct penrose_cluster **cluster,
                                                           struct penrose_error *error)
{
    struct penrose_options own;
    struct cluster_plan plan;
    *cluster = NULL;
    enum penrose_status status = api_plan(options, &own, &plan, error);
    if (status == PENROSE_OK && own.card) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "options name the card %s, and %s says which chips there are; leave the "
                         "card out",
                         own.card, path);
    }
    status = status ? status : api_plan_file(path, &plan, error);
    return status ? status : cluster_of_plan(&plan, &own, cluster, error);
}

PENROSE_EXPORT struct penrose_chip *penrose_cluster_chip(const struct penrose_cluster *cluster,
                                                         size_t number)
{
    return number < cluster->chips ? cluster->chip[number] : NULL;
}

PENROSE_EXPORT struct penrose_cluster *penrose_chip_cluster(const struct penrose_chip *chip,
                                                            unsigned *number)
{
    if (number) {
        *number = chip_head(chip)->number;
    }
    return cluster_of(chip);
}

/* --- Links --- */

PENROSE_EXPORT enum penrose_status penrose_ethernet_link(struct penrose_chip *chip_a, unsigned x_a,
                                                         unsigned y_a, struct penrose_chip *chip_b,
                                                         unsigned x_b, unsigned y_b,
                                                         struct penrose_error *error)
{
    const struct chip_calls *calls = chip_calls_of(chip_a);
    if (cluster_of(chip_a) != cluster_of(chip_b)) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "the chips are not of one cluster; make both by penrose_cluster_add");
    }
    if (chip_calls_of(chip_b) != calls) {
        return error_set(error, PENROSE_E_ARGUMENT, "a %s and a %s cannot be linked",
                         calls->arch->name, chip_calls_of(chip_b)->arch->name);
    }
    bool is_entry =
        API_ENTRY(chip_a, JOURNAL_LINK, NULL, 0, x_a, y_a, chip_head(chip_b)->number, x_b, y_b);
    return api_end(chip_a, is_entry,
                   calls->ethernet_link(chip_a, x_a, y_a, chip_b, x_b, y_b, error));
}

PENROSE_EXPORT enum penrose_status penrose_ethernet_unlink(struct penrose_chip *chip, unsigned x,
                                                           unsigned y, struct penrose_error *error)
{
    bool is_entry = API_ENTRY(chip, JOURNAL_UNLINK, NULL, 0, x, y);
    return api_end(chip, is_entry, chip_calls_of(chip)->ethernet_unlink(chip, x, y, error));
}

PENROSE_EXPORT enum penrose_status penrose_ethernet_errors(struct penrose_chip *chip, unsigned x,
                                                           unsigned y,
                                                           const struct penrose_link_errors *given,
                                                           struct penrose_error *error)
{
    struct penrose_link_errors errors = {.size = sizeof errors};
    enum penrose_status status =
        api_take_sized(given, &errors, sizeof errors, "penrose_link_errors", error);
    if (status != PENROSE_OK) {
        return status;
    }
    bool is_entry = API_ENTRY(chip, JOURNAL_LINK_ERRORS, &errors, sizeof errors, x, y);
    return api_end(chip, is_entry,
                   chip_calls_of(chip)->ethernet_errors(chip, x, y, &errors, error));
}

PENROSE_EXPORT enum penrose_status penrose_ethernet_info(struct penrose_chip *chip, unsigned x,
                                                         unsigned y, struct penrose_link_info *info,
                                                         struct penrose_error *error)
{
    return chip_calls_of(chip)->ethernet_info(chip, x, y, info, error);
}

/* --- Time --- */

PENROSE_EXPORT uint64_t penrose_now(const struct penrose_chip *chip)
{
    return chip_calls_of(chip)->now(chip);
}

PENROSE_EXPORT uint64_t penrose_last_activity(const struct penrose_chip *chip)
{
    return chip_calls_of(chip)->last_activity(chip);
}

PENROSE_EXPORT enum penrose_outcome penrose_run(struct penrose_chip *chip,
                                                const struct penrose_run *given)
{
    struct penrose_run own = {.size = sizeof own};
    return api_take_sized(given, &own, sizeof own, "penrose_run", NULL) == PENROSE_OK
               ? cluster_run(cluster_of(chip), chip, &own)
               : PENROSE_REFUSED;
}

PENROSE_EXPORT void penrose_stop_request(struct penrose_chip *chip)
{
    cluster_stop(cluster_of(chip));
}

PENROSE_EXPORT uint64_t penrose_cluster_state_hash(struct penrose_cluster *cluster)
{
    return cluster_state_hash(cluster);
}
