/* The life of a chip, and its options. */
#include "chip/gddr.h"
#include "chip/link.h"
#include "chip/links.h"
#include "chip/messages.h"

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "host/environment.h"
#include "isa/error.h"
#include "tile/timing.h"

enum { MOST_QUANTUM = 65536 };

/* Cycles of a window in which several units are awake, in whole rounds of tiles. In timed runs no packet
 * may arrive in the window in which it leaves, and one to its own tile takes 14 cycles (NOC_NIU twice and
 * NOC_END). */
enum { WINDOW_CYCLES = 512, TIMED_WINDOW_CYCLES = 10 };

/* What costs are charged for happens in the order of lockstep, unless somebody asks for bursts. */
static uint32_t choose_quantum(const struct penrose_options *options)
{
    bool in_step = options->schedule == PENROSE_LOCKSTEP ||
                   (options->schedule == PENROSE_FAST && options->timed);
    return options->quantum ? options->quantum : in_step ? 1 : TILE_QUANTUM;
}

/* *own is what the caller asks for, with defaults in place of zeros. */
static enum penrose_status take_options(const struct penrose_options *given,
                                        struct penrose_options *own, struct penrose_error *error)
{
    *own = *given;
    if (own->quantum > MOST_QUANTUM) {
        return error_set(error, PENROSE_E_ARGUMENT, "quantum %u is above %d cycles", own->quantum,
                         MOST_QUANTUM);
    }
    if (own->schedule > PENROSE_RANDOM) {
        return error_set(error, PENROSE_E_ARGUMENT, "schedule %d is unknown", (int)own->schedule);
    }
    for (unsigned kind = 0; kind < PENROSE_FAULT_ROOM; kind++) {
        const char *name = arch_fault_name((enum penrose_fault_kind)kind);
        if (own->policy[kind] > (name ? PENROSE_IGNORE : PENROSE_DEFAULT)) {
            return error_set(error, PENROSE_E_ARGUMENT, "policy %d for %s is unknown",
                             (int)own->policy[kind],
                             name ? name : "a kind of fault beyond the last");
        }
        if (name && own->policy[kind] == PENROSE_DEFAULT) {
            own->policy[kind] = arch_fault_policy((enum penrose_fault_kind)kind);
        }
    }
    own->quantum = choose_quantum(own);
    return PENROSE_OK;
}

/* The set that the options, or else the environment, name; otherwise the fastest. */
static enum penrose_status choose_kernels(const struct penrose_options *options,
                                          const struct num_kernels **kernels,
                                          struct penrose_error *error)
{
    static const char *const names[] = {"reference", "avx2", "avx512"};
    enum { NAMES = sizeof names / sizeof names[0] };
    const char *wanted = options->kernels ? options->kernels : host_variable("PENROSE_KERNELS");
    char here[64] = "";
    bool is_known = false;
    bool is_open = !wanted || strcmp(wanted, PENROSE_FASTEST_KERNELS) == 0;
    *kernels = num_kernels_find(is_open ? NULL : wanted);
    if (*kernels) {
        return PENROSE_OK;
    }
    for (unsigned i = 0; i < NAMES; i++) {
        size_t length = strlen(here);
        is_known |= strcmp(wanted, names[i]) == 0;
        if (num_kernels_find(names[i])) {
            snprintf(here + length, sizeof here - length, "%s%s", length ? ", " : "", names[i]);
        }
    }
    return error_set(
        error, PENROSE_E_ARGUMENT, "%s: %s '%s'; this host has %s; unset it for the fastest",
        options->kernels ? "penrose_options.kernels" : "PENROSE_KERNELS",
        is_known ? "this host cannot run" : "there is no set of kernels", wanted, here);
}

const char *chip_card(const struct penrose_chip *chip)
{
    return chip->card;
}

struct plan_chip chip_plan(const struct penrose_chip *chip)
{
    const struct grid *grid = &chip->grid;
    return (struct plan_chip){.product = {.name = chip->card,
                                          .board = chip->identity.board,
                                          .fused = grid->fused,
                                          .pcie = grid->pcie,
                                          .ports = grid->ports,
                                          .type = grid->type},
                              .identity = chip->identity};
}

double chip_clock_mhz(const struct penrose_chip *chip)
{
    return chip->arch->clock_mhz;
}

const char *chip_kernels(const struct penrose_chip *chip)
{
    return chip->kernels->name;
}

static enum penrose_status make_grid(const struct grid_product *product, struct grid *grid,
                                     struct penrose_error *error)
{
    const char *rule = grid_init(grid, product);
    return rule ? error_set(error, PENROSE_E_ARGUMENT, "chip %s: %s", product->name, rule)
                : PENROSE_OK;
}

/* Callers that have users report other texts to them. */
static bool allows_shortcuts(void)
{
    bool allows = true;
    const char *text = host_variable("PENROSE_SHORTCUTS");
    (void)(text && host_switch(text, &allows));
    return allows;
}

/* --- Making --- */

static uint64_t arc_time(void *context)
{
    return ((struct penrose_chip *)context)->head.time.now;
}

static void init_edge(struct penrose_chip *chip)
{
    struct pcie_bus bus;
    struct arc_board arc_board = {.now = arc_time, .message = chip_message, .context = chip};
    arc_init(&chip->arc, &chip->grid, &chip->identity, &arc_board);
    for (unsigned i = 0; i < 2; i++) {
        chip_connect_bus(chip, i, &bus);
        pcie_init(&chip->pcie[i], &chip->grid, i, &bus);
    }
    for (unsigned i = 0; i < GRID_TILES; i++) {
        struct grid_position at = {.x = (uint8_t)(i % GRID_WIDTH), .y = (uint8_t)(i / GRID_WIDTH)};
        unsigned number;
        bool is_plain = grid_plain_number(grid_tile(&chip->grid, at), &number);
        for (unsigned noc = 0; is_plain && noc < GRID_NOCS; noc++) {
            grid_configure_niu(&chip->grid, noc, at, &chip->plain_niu[number][noc]);
        }
    }
    noc_queue_init(&chip->edge);
    noc_queue_init(&chip->on_way);
}

static uint64_t choose_window(const struct penrose_options *options)
{
    uint64_t cycles = options->timed ? TIMED_WINDOW_CYCLES : WINDOW_CYCLES;
    return (cycles + options->quantum - 1) / options->quantum * options->quantum;
}

static bool init_banks(struct penrose_chip *chip)
{
    bool is_good = true;
    for (unsigned number = 0; number < GRID_BANKS; number++) {
        uint16_t node[DRAM_PORTS] = {0};
        for (unsigned port = 0; port < DRAM_PORTS; port++) {
            struct grid_position at;
            if (grid_locate(&chip->grid, PENROSE_TILE_DRAM, number, port, &at)) {
                node[port] = noc_node(at.x, at.y);
                chip->place[node[port]].port = &chip->bank[number].port[port];
            }
        }
        dram_init(&chip->bank[number], number, node, &chip->board, chip);
        for (unsigned port = 0; port < DRAM_PORTS; port++) {
            struct dram_port *own = &chip->bank[number].port[port];
            struct grid_position name = chip_logical(chip, node[port]);
            snprintf(own->name, sizeof own->name, "DRAM (%u, %u)", name.x, name.y);
        }
        struct chip_unit unit = {
            .bank = &chip->bank[number], .order = NOC_NODES + number, .next = UINT64_MAX};
        struct chip_unit *made = chip_add_unit(chip, &unit);
        for (unsigned port = 0; port < DRAM_PORTS; port++) {
            chip->place[node[port]].unit = made;
        }
        is_good &= made != NULL;
    }
    return is_good;
}

enum penrose_status chip_create(const struct penrose_options *given, const struct plan_chip *plan,
                                struct penrose_chip **chip, struct penrose_error *error)
{
    *chip = NULL;
    const struct num_kernels *kernels;
    struct penrose_options own;
    enum penrose_status status = take_options(given, &own, error);
    const struct penrose_options *options = &own;
    status = status ? status : choose_kernels(options, &kernels, error);
    if (status != PENROSE_OK) {
        return status;
    }
    struct penrose_chip *made = calloc(1, sizeof *made);
    if (made) {
        made->store = rv32_code_store_create(&rv32_chip_decoder);
        snprintf(made->card, sizeof made->card, "%s", plan->product.name);
        made->costs = tile_costs;
        made->hart_costs = *tile_costs.harts;
        made->costs.harts = &made->hart_costs;
        status = make_grid(&plan->product, &made->grid, error);
        status = status ? status
                        : tile_costs_change(&made->costs, &made->hart_costs, options->costs, error);
    }
    if (!made || !made->store || status != PENROSE_OK) {
        chip_destroy(made);
        return status ? status : error_set(error, PENROSE_E_MEMORY, "no memory for a chip");
    }
    made->grid.product = made->card;
    made->head.calls = &chip_calls;
    made->head.window = choose_window(options);
    made->arch = &arch;
    made->options = *options;
    made->options.costs = options->costs ? "changed" : NULL; /* the text is the caller's */
    made->identity = plan->identity;
    made->kernels = kernels;
    made->shortcuts = allows_shortcuts();
    chip_board_init(&made->board, options, options->timed ? &made->costs : NULL, made->head.window);
    init_edge(made);
    bool keeps_flows = !made->board.delivery.at_once;
    made->flow = keeps_flows ? calloc(GRID_NOCS, sizeof *made->flow) : NULL;
    made->links = options->timed ? calloc(1, sizeof *made->links) : NULL;
    if (!init_banks(made) || (keeps_flows && !made->flow) || (options->timed && !made->links)) {
        chip_destroy(made);
        return error_set(error, PENROSE_E_MEMORY, "no memory for a chip");
    }
    *chip = made;
    return PENROSE_OK;
}

void chip_destroy(struct penrose_chip *chip)
{
    if (!chip) {
        return;
    }
    for (struct observer *observer = chip->observers, *next; observer; observer = next) {
        next = observer->next;
        if (observer->free) {
            observer->free(observer->context);
        }
    }
    for (struct chip_judge *judge = chip->judges, *next; judge; judge = next) {
        next = judge->next;
        judge->free(judge->context);
    }
    for (unsigned i = 0; i < chip->units; i++) {
        free(chip->unit[i]);
    }
    for (unsigned i = 0; i < NOC_NODES; i++) {
        if (chip->place[i].tile) {
            free(chip->place[i].tile->notes);
        }
        tile_destroy(chip->place[i].tile);
        if (chip->place[i].memory) {
            sparse_free(chip->place[i].memory);
            free(chip->place[i].memory);
        }
    }
    for (unsigned i = 0; i < GRID_BANKS; i++) {
        free(chip->bank[i].notes);
        dram_free(&chip->bank[i]);
    }
    noc_queue_free(&chip->edge, &chip->packets);
    if (chip->links) {
        chip_links_gather(chip);
    }
    noc_queue_free(&chip->on_way, &chip->packets);
    noc_pool_empty(&chip->packets);
    free(chip->flow);
    free(chip->links);
    images_free(&chip->head.images);
    rv32_code_store_destroy(chip->store);
    free(chip);
}
