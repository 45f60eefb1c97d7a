/* The life of the machine behind the ABI: which chips it has, how they are linked, and what of the
 * environment is about all of them. */
#include "abi/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/card.h"
#include "abi/libttsim.h"
#include "abi/link_errors.h"
#include "api/api.h"
#include "cluster/cluster.h"
#include "host/environment.h"
#include "host/processors.h"
#include "isa/error.h"
#include "num/kernels.h"
#include "observe/error_line.h"
#include "observe/settings.h"

/* --- Options --- */

static void choose_kernels(struct device *device, struct penrose_options *options)
{
    const char *name = host_variable("PENROSE_KERNELS");
    char why[128];
    if (name && !num_kernels_find(name)) {
        snprintf(why, sizeof why,
                 "this host cannot run '%.40s'; choose reference, avx2 or avx512, or none for the "
                 "fastest",
                 name);
        device_complain(device, "PENROSE_KERNELS", why);
        options->kernels = PENROSE_FASTEST_KERNELS;
    }
}

static unsigned choose_threads(struct device *device)
{
    const char *text = host_variable("PENROSE_THREADS");
    char why[128];
    unsigned threads;
    if (text && host_count(text, CLUSTER_THREADS, &threads)) {
        return threads;
    }
    if (text) {
        snprintf(why, sizeof why, "'%.40s' is not a number from 1 to %d", text, CLUSTER_THREADS);
        device_complain(device, "PENROSE_THREADS", why);
    }
    return host_processors(LIBTTSIM_THREADS);
}

static void check_shortcuts(struct device *device)
{
    const char *text = host_variable("PENROSE_SHORTCUTS");
    char why[128];
    bool is_on;
    if (text && !host_switch(text, &is_on)) {
        snprintf(why, sizeof why, "'%.40s' is neither on nor off", text);
        device_complain(device, "PENROSE_SHORTCUTS", why);
    }
}

static void check_error_style(struct device *device)
{
    struct penrose_error error;
    if (error_line_check(&error) != PENROSE_OK) {
        device_complain(device, "PENROSE_ERROR_STYLE", error.text);
    }
}

static void choose_options(struct device *device, struct penrose_options *options)
{
    struct penrose_error error;
    const char *schedule = host_variable("PENROSE_SCHEDULE"),
               *policy = host_variable("PENROSE_POLICY");
    *options = (struct penrose_options){.size = sizeof *options};
    choose_kernels(device, options);
    check_shortcuts(device);
    check_error_style(device);
    if (schedule && settings_schedule(options, schedule, &error) != PENROSE_OK) {
        device_complain(device, "PENROSE_SCHEDULE", error.text);
    }
    if (policy && settings_policy(options, policy, &error) != PENROSE_OK) {
        device_complain(device, "PENROSE_POLICY", error.text);
    }
}

/* --- Cables --- */

/* The cable's ends are one; a tile that is named twice has one cable. */
static void plug_loopback(struct device *device, struct penrose_place at)
{
    struct penrose_error error;
    if (penrose_ethernet_link(device->chip, at.x, at.y, device->chip, at.x, at.y, &error) ==
        PENROSE_E_MEMORY) {
        device_complain(device, "PENROSE_LOOPBACK", error.text);
    }
}

static void plug_loopbacks(struct device *device)
{
    const char *text = host_variable("PENROSE_LOOPBACK"), *rest = text;
    struct penrose_place at;
    size_t named = 0;
    bool is_right = true;
    if (!text) {
        return;
    }
    if (strcmp(text, "all") == 0) {
        for (; penrose_tile_at(device->chip, PENROSE_TILE_ETHERNET, named, &at); named++) {
            plug_loopback(device, at);
        }
        if (named == 0) {
            device_complain(device, "PENROSE_LOOPBACK", "the card has no Ethernet tiles");
        }
        return;
    }
    for (; settings_next_tile(&at, &rest); named++) {
        is_right &= penrose_tile_kind(device->chip, at.x, at.y) == PENROSE_TILE_ETHERNET;
    }
    if (!is_right || rest[strspn(rest, " ")] || named == 0) {
        device_complain(device, "PENROSE_LOOPBACK",
                        "write all, or Ethernet tiles of the card, as in '20,25 21,25'");
        return;
    }
    while (settings_next_tile(&at, &text)) {
        plug_loopback(device, at);
    }
}

/* --- Chips --- */

/* The card that PENROSE_CARD names, or that of the library. */
static const char *choose_card(struct device *device)
{
    const char *name = host_variable("PENROSE_CARD"), *card = name ? api_card(name) : NULL;
    char why[256], known[200] = "";
    if (name && !card) {
        snprintf(why, sizeof why, "there is no card '%.40s'; known are %s", name,
                 api_cards(known, sizeof known));
        device_complain(device, "PENROSE_CARD", why);
    }
    return card ? card : abi_default_card();
}

/* The chips of the file that PENROSE_CLUSTER names; true unless it is wrong, which is told. */
static bool make_cluster_of_file(struct machine *machine, const char *file,
                                 struct penrose_options *options, enum penrose_status *status,
                                 struct penrose_error *error)
{
    options->card = NULL;
    *status = penrose_cluster_of_file(options, file, &machine->cluster, error);
    bool is_wrong = *status != PENROSE_OK && *status != PENROSE_E_MEMORY;
    if (is_wrong) {
        device_complain(machine->device[0], "PENROSE_CLUSTER", error->text);
    }
    return !is_wrong;
}

static enum penrose_status make_cluster(struct machine *machine, struct penrose_error *error)
{
    struct penrose_options options;
    const char *file = host_variable("PENROSE_CLUSTER");
    enum penrose_status status;
    choose_options(machine->device[0], &options);
    options.threads = choose_threads(machine->device[0]);
    if (file && make_cluster_of_file(machine, file, &options, &status, error)) {
        return status;
    }
    options.card = choose_card(machine->device[0]);
    return penrose_cluster_of_card(&options, &machine->cluster, error);
}

static enum penrose_status make_devices(struct machine *machine, struct penrose_error *error)
{
    enum penrose_status status = make_cluster(machine, error);
    struct penrose_chip *chip;
    bool is_alone = status != PENROSE_OK || !penrose_cluster_chip(machine->cluster, 1);
    for (unsigned i = 0; status == PENROSE_OK && (chip = penrose_cluster_chip(machine->cluster, i));
         i++) {
        struct device *device = i ? calloc(1, sizeof *device) : machine->device[0];
        if (!device) {
            return error_set(error, PENROSE_E_MEMORY, "no memory for a device");
        }
        machine->device[i] = device;
        machine->devices = i + 1;
        device->machine = machine;
        device->number = i;
        device->chip = chip;
        if (!is_alone) {
            snprintf(device->reports.of, sizeof device->reports.of, "chip %u: ", i);
        }
        if (!device_make_windows(device)) {
            return error_set(error, PENROSE_E_MEMORY, "no memory for windows");
        }
    }
    return status;
}

/* --- Life --- */

static void free_devices(struct machine *machine)
{
    for (unsigned i = 0; i < MACHINE_DEVICES; i++) {
        free(machine->device[i]);
    }
    free(machine);
}

struct machine *machine_create(const struct host_callbacks *host, struct penrose_error *error)
{
    enum penrose_status status = PENROSE_OK;
    struct machine *machine = calloc(1, sizeof *machine);
    if (machine) {
        machine->device[0] = calloc(1, sizeof *machine->device[0]);
    }
    if (!machine || !machine->device[0]) {
        free(machine);
        error_set(error, PENROSE_E_MEMORY, "no memory for a device");
        return NULL;
    }
    machine->host = *host;
    machine->device[0]->machine = machine;
    if (make_devices(machine, error) != PENROSE_OK) {
        penrose_cluster_destroy(machine->cluster);
        free_devices(machine);
        return NULL;
    }
    for (unsigned i = 0; i < machine->devices; i++) {
        enum penrose_status opened = device_open(machine->device[i], error);
        status = opened ? opened : status;
    }
    plug_loopbacks(machine->device[0]);
    link_errors_start(machine);
    summary_open(machine);
    clock_init(machine);
    if (status != PENROSE_OK) {
        machine_destroy(machine);
        return NULL;
    }
    return machine;
}

void machine_destroy(struct machine *machine)
{
    if (!machine) {
        return;
    }
    link_errors_end(machine);
    for (unsigned i = 0; i < machine->devices; i++) {
        device_end(machine->device[i]);
    }
    summary_close(machine);
    gdb_destroy(machine->gdb, 0);
    for (unsigned i = 0; i < machine->devices; i++) {
        device_close(machine->device[i]);
    }
    penrose_cluster_destroy(machine->cluster);
    for (unsigned i = 0; i < machine->devices; i++) {
        host_programs_free(machine->device[i]->programs); /* to which the chips referred */
    }
    free_devices(machine);
}
