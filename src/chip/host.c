/*
 * The host's side of PCIe: registers in the BARs, and which tiles its multicasts reach. SPEC:
 * BlackholeA0 PCIExpressTile/{README, HostToDeviceTLBs}.
 *
 * The host keeps the windows onto the NoC, and their registers.
 */
#include <string.h>

#include "arch/arch.h"
#include "chip/chip.h"
#include "isa/error.h"

static struct pcie *connected_tile(struct penrose_chip *chip)
{
    return &chip->pcie[chip->grid.pcie & 1];
}

/* --- Registers --- */

struct bar_access {
    unsigned bar;
    uint64_t offset;
    uint32_t *value;
    bool writes;
};

static bool is_in(const struct bar_region *region, const struct bar_access *access)
{
    return access->bar == region->bar && access->offset >= region->first &&
           access->offset <= region->last;
}

static enum answer access_niu(struct niu *niu, uint32_t offset, const struct bar_access *access)
{
    return access->writes ? grid_niu_write(niu, offset, *access->value)
                          : grid_niu_read(niu, offset, access->value);
}

static enum answer access_arc(struct penrose_chip *chip, const struct bar_access *access,
                              char *rule)
{
    uint64_t address;
    if (connected_tile(chip)->instance != 1) {
        strcpy(rule, "only PCIe tile 1 has a path to ARC, and this card connects tile 0");
        return ANSWER_UNMAPPED;
    }
    if (!arc_bar0_address(access->offset, &address)) {
        return ANSWER_UNMAPPED;
    }
    return access->writes
               ? arc_write(&chip->arc, 0, address, access->value, sizeof *access->value, rule)
               : arc_read(&chip->arc, 0, address, access->value, sizeof *access->value, rule);
}

static enum answer access_bar0(struct penrose_chip *chip, const struct bar_access *access,
                               char *rule)
{
    struct pcie *pcie = connected_tile(chip);
    for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
        const struct bar_region *region = arch_bar_region(&arch, noc ? REGION_NIU1 : REGION_NIU0);
        if (is_in(region, access)) {
            return access_niu(&pcie->niu[noc], (uint32_t)(access->offset - region->first), access);
        }
    }
    return is_in(arch_bar_region(&arch, REGION_ARC), access) ? access_arc(chip, access, rule)
                                                             : ANSWER_UNMAPPED;
}

static enum answer access_bar2(struct penrose_chip *chip, const struct bar_access *access,
                               char *rule)
{
    struct pcie *pcie = connected_tile(chip);
    if (access->offset >= END_BAR2) {
        return ANSWER_UNMAPPED;
    }
    uint32_t offset = (uint32_t)access->offset;
    return access->writes ? pcie_bar2_write(pcie, offset, *access->value, rule)
                          : pcie_bar2_read(pcie, offset, access->value, rule);
}

static enum penrose_status access_pcie_register(struct penrose_chip *chip,
                                                const struct bar_access *access,
                                                struct penrose_error *error)
{
    char rule[GRID_RULE_BYTES] = "";
    enum answer answer = ANSWER_UNMAPPED;
    if (access->offset % sizeof(uint32_t)) {
        answer = ANSWER_REFUSED;
        strcpy(rule, "registers are aligned 32-bit words");
    } else if (access->bar == 0) {
        answer = access_bar0(chip, access, rule);
    } else if (access->bar == 2) {
        answer = access_bar2(chip, access, rule);
    }
    chip->touched |= access->writes; /* DMA, messages to ARC */
    if (answer == ANSWER_DONE) {
        return PENROSE_OK;
    }
    if (!access->writes) {
        *access->value = answer == ANSWER_UNMODELLED ? 0 : UINT32_MAX;
    }
    return error_set(error, PENROSE_E_ARGUMENT, "BAR%u + 0x%llx: %s", access->bar,
                     (unsigned long long)access->offset,
                     *rule ? rule : answer_rule(answer, ANSWER_TO_BAR));
}

enum penrose_status chip_pcie_register_read(struct penrose_chip *chip, unsigned bar,
                                            uint64_t offset, uint32_t *value,
                                            struct penrose_error *error)
{
    struct bar_access access = {.bar = bar, .offset = offset, .value = value};
    return access_pcie_register(chip, &access, error);
}

enum penrose_status chip_pcie_register_write(struct penrose_chip *chip, unsigned bar,
                                             uint64_t offset, uint32_t value,
                                             struct penrose_error *error)
{
    struct bar_access access = {.bar = bar, .offset = offset, .value = &value, .writes = true};
    return access_pcie_register(chip, &access, error);
}

/* --- Multicast --- */

/* Does the tile's own NIU take multicasts? */
static bool takes_multicasts(const struct tile *tile, unsigned noc, struct grid_position at)
{
    const uint32_t *word = tile->niu[noc].word;
    return !(word[NIU_ROUTER_CFG_1 / 4] >> at.x & 1 || word[NIU_ROUTER_CFG_3 / 4] >> at.y & 1);
}

/* Adds a target if it is one; false when memory runs out. */
static bool add_target(struct penrose_chip *chip, unsigned noc, struct grid_position raw,
                       struct penrose_multicast *multicast)
{
    struct grid_position at = grid_mirror(noc, raw);
    const struct grid_tile *there = grid_tile(&chip->grid, at);
    if (there->kind != PENROSE_TILE_TENSIX || there->is_fused_off) {
        return true; /* all others have opted out since the chip was started */
    }
    uint16_t place = noc_node(at.x, at.y);
    struct tile *tile = chip_make_tile(chip, place);
    if (tile && takes_multicasts(tile, noc, raw)) {
        struct grid_position name = chip_logical(chip, place);
        if (multicast->count < multicast->room) {
            multicast->tile[multicast->count] = (struct penrose_place){name.x, name.y};
        }
        multicast->count++;
    }
    return tile != NULL;
}

enum penrose_status chip_multicast_targets(struct penrose_chip *chip,
                                           struct penrose_multicast *multicast,
                                           struct penrose_error *error)
{
    unsigned noc = multicast->noc & 1;
    struct grid_position source = {0};
    grid_locate(&chip->grid, PENROSE_TILE_PCIE, connected_tile(chip)->instance, 0, &source);
    struct grid_multicast wanted = {
        .source = grid_mirror(noc, source),
        .start = grid_translate(&chip->grid, noc, multicast->x_start, multicast->y_start),
        .end = grid_translate(&chip->grid, noc, multicast->x_end, multicast->y_end),
        .exclusion = grid_exclusion_of_window(multicast->strided)};
    struct grid_target target[GRID_TILES];
    const char *rule = grid_multicast_check(&wanted);
    unsigned count = rule ? 0 : grid_multicast(&wanted, target);
    multicast->count = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!add_target(chip, noc, target[i].at, multicast)) {
            return error_set(error, PENROSE_E_MEMORY, "no memory for the tiles of a multicast");
        }
    }
    if (multicast->count > 0) {
        return PENROSE_OK;
    }
    return error_set(error, PENROSE_E_ARGUMENT,
                     "a multicast from (%u, %u) to (%u, %u) on NoC %u reaches no worker tile: %s",
                     multicast->x_start, multicast->y_start, multicast->x_end, multicast->y_end,
                     noc, rule ? rule : "the rectangle holds none that takes multicasts");
}
