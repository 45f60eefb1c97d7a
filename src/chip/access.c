/* Accesses of hosts to any place, and those of packets to places without time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "arch/arch.h"
#include "chip/chip.h"
#include "chip/gddr.h"
#include "isa/error.h"
#include "tile/noc_serve.h"
#include "tile/observe.h"
#include "tile/tell.h"

/* An access of the host. */
struct host_access {
    unsigned x, y;
    uint16_t place;
    enum mmio_operation operation;
    uint64_t address;
    void *bytes;
    size_t size;
};

static bool is_write(const struct host_access *access)
{
    return access->operation == MMIO_WRITE || access->operation == MMIO_POKE;
}

static enum penrose_status refuse_host_access(const struct host_access *access, const char *rule,
                                              struct penrose_error *error)
{
    return error_set(error, PENROSE_E_ARGUMENT, "tile (%u, %u): 0x%llx, %zu bytes: %s", access->x,
                     access->y, (unsigned long long)access->address, access->size, rule);
}

/* Is it one of which observers are told? */
static bool is_told(const struct host_access *access)
{
    return access->operation != MMIO_PEEK;
}

/* Tells them of one that took place. */
static void tell_access(struct tile *tile, const struct host_access *access, bool is_gddr,
                        uint64_t cycle)
{
    const enum observed_kind kind = access->operation == MMIO_POKE ? OBSERVED_LOADED
                                    : is_write(access)             ? OBSERVED_WRITTEN
                                                                   : OBSERVED_READ;
    const struct observed event = {.kind = kind,
                                   .agent = OBSERVED_HOST,
                                   .thread = OBSERVED_NO_THREAD,
                                   .cycle = cycle,
                                   .address = access->address,
                                   .is_gddr = is_gddr,
                                   .size = (uint32_t)access->size};
    if (is_told(access) && tile_is_observed(tile, event.kind)) {
        tile_tell(tile, &event);
    }
}

static enum penrose_status access_tile_as_host(struct penrose_chip *chip,
                                               const struct host_access *access,
                                               struct penrose_error *error)
{
    struct tile *tile;
    const char *rule = NULL;
    uint32_t done = 0;
    enum penrose_status status =
        chip_take_tile(chip, access->place, access->x, access->y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (access->operation != MMIO_PEEK) {
        chip_touch(chip, access->place);
    }
    uint64_t end = access->address + access->size;
    if (access->size > UINT32_MAX || end > UINT64_C(1) << 32 || end < access->address) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "tile (%u, %u): %zu bytes at 0x%llx pass the end of its address space",
                         access->x, access->y, access->size, (unsigned long long)access->address);
    }
    enum answer answer =
        tile_noc_access(tile, access->operation, (uint32_t)access->address, access->bytes,
                        (uint32_t)access->size, tile->now, &done, &rule);
    if (answer == ANSWER_DONE) {
        tell_access(tile, access, false, tile->now);
        return PENROSE_OK;
    }
    uint32_t at = (uint32_t)access->address + done;
    const char *title = tile_range_title(tile->kind->type, AGENT_NOC, at);
    if (answer == ANSWER_WAIT) {
        return error_set(error, PENROSE_E_STATE,
                         "tile (%u, %u): 0x%08x (%s) would keep the request waiting", access->x,
                         access->y, at, title);
    }
    return error_set(error, PENROSE_E_ARGUMENT, "tile (%u, %u): 0x%08x (%s): %s", access->x,
                     access->y, at, title, rule ? rule : answer_rule(answer, ANSWER_TO_HOST));
}

/* Who tells observers of an access through a port whose tile is untouched: another tile of the bank, or
 * one that is made for that alone. Observation must not create an untouched tile, because no journal
 * has the reason for it. NULL: no memory. */
static struct tile *witness_of(struct penrose_chip *chip, const struct host_access *access)
{
    struct dram_port *port = chip->place[access->place].port;
    for (unsigned i = 0; i < DRAM_PORTS; i++) {
        if (port->bank->port[i].tile) {
            return port->bank->port[i].tile;
        }
    }
    if (!port->witness) {
        struct grid_position at = chip_position(access->place);
        port->witness = tile_create(TILE_DRAM, at.x, at.y, chip->store, &chip->board, chip);
    }
    if (port->witness) {
        struct grid_position name = chip_logical(chip, access->place);
        tile_rename(port->witness, name.x, name.y);
        (void)tile_observe(port->witness, chip->observers);
    }
    return port->witness;
}

/* Tells observers of an access to GDDR. */
static void tell_gddr(struct penrose_chip *chip, const struct host_access *access)
{
    struct tile *tile = chip->place[access->place].tile;
    tile = tile ? tile : witness_of(chip, access);
    if (tile) {
        tell_access(tile, access, true, chip->head.time.now);
        chip_touch(chip, tile->node);
    }
}

static enum penrose_status access_dram(struct penrose_chip *chip, struct host_access *access,
                                       struct penrose_error *error)
{
    struct dram_port *port = chip->place[access->place].port;
    const struct tile *tile = port->tile;
    const char *rule;
    if (tile && !(tile->niu[0].word[NIU_CFG_0 / 4] & NIU_AXI_SUBORDINATE)) {
        tile_dram_address(access->address, &access->address);
        return access_tile_as_host(chip, access, error);
    }
    chip_gddr_settle(chip, port->bank);
    if (tile_dram_address(access->address, &access->address)) {
        return access_tile_as_host(chip, access, error);
    }
    if (dram_access(port, access->operation, access->address, access->bytes, access->size, &rule) !=
        ANSWER_DONE) {
        return refuse_host_access(access, rule, error);
    }
    if (chip->observers && is_told(access)) {
        tell_gddr(chip, access);
    }
    return PENROSE_OK;
}

/* --- Tiles without time: ARC, PCIe, L2CPU, security, routers alone --- */

bool chip_is_niu_of_tile(const struct penrose_chip *chip, uint16_t place, uint64_t address,
                         unsigned *noc, uint32_t *offset)
{
    bool is_dram = chip_grid_tile(chip, place)->kind == PENROSE_TILE_DRAM;
    uint64_t from = is_dram && address >= AT_DRAM_REGISTERS ? AT_DRAM_REGISTERS : 0;
    uint64_t in_range = address - from - AT_NIU;
    *noc = (unsigned)(in_range / STEP_NIU);
    *offset = (uint32_t)(in_range % STEP_NIU);
    return chip_has_harts(chip_grid_tile(chip, place)) && in_range < GRID_NOCS * STEP_NIU;
}

struct niu *chip_edge_niu(struct penrose_chip *chip, uint16_t place, unsigned noc)
{
    const struct grid_tile *tile = chip_grid_tile(chip, place);
    unsigned number;
    if (grid_plain_number(tile, &number)) {
        return &chip->plain_niu[number][noc & 1];
    }
    return tile->kind == PENROSE_TILE_ARC ? &chip->arc.niu[noc & 1]
                                          : &chip->pcie[tile->index & 1].niu[noc & 1];
}

static const char *access_arc(struct penrose_chip *chip, unsigned noc,
                              const struct host_access *access, char *rule)
{
    uint32_t size = (uint32_t)access->size;
    enum answer answer =
        is_write(access) ? arc_write(&chip->arc, noc, access->address, access->bytes, size, rule)
                         : arc_read(&chip->arc, noc, access->address, access->bytes, size, rule);
    return answer_is_done(answer) ? NULL : rule;
}

static const char *access_pcie(struct penrose_chip *chip, unsigned noc,
                               const struct host_access *access, char *rule)
{
    struct pcie *pcie = &chip->pcie[chip_grid_tile(chip, access->place)->index];
    uint32_t size = (uint32_t)access->size;
    enum answer answer = is_write(access)
                             ? pcie_write(pcie, noc, access->address, access->bytes, size, rule)
                             : pcie_read(pcie, noc, access->address, access->bytes, size, rule);
    return answer_is_done(answer) ? NULL : rule;
}

/* L2CPU and security tiles: memory that keeps what is written. */
static const char *access_memory(struct penrose_chip *chip, const struct host_access *access)
{
    struct chip_place *place = &chip->place[access->place];
    struct sparse none = {0};
    if (!is_write(access)) {
        sparse_read(place->memory ? place->memory : &none, access->address, access->bytes,
                    access->size);
        return NULL;
    }
    if (!place->memory) {
        place->memory = calloc(1, sizeof *place->memory);
    }
    bool is_done =
        place->memory && sparse_write(place->memory, access->address, access->bytes, access->size);
    return is_done ? NULL : "the host has no memory";
}

static const char niu_words[] = "access registers of NIUs as aligned 32-bit words";

static const char *access_niu(struct penrose_chip *chip, unsigned noc,
                              const struct host_access *access, uint32_t offset)
{
    struct niu *niu = chip_edge_niu(chip, access->place, noc);
    uint32_t value;
    if (access->size != sizeof value || offset % sizeof value) {
        return niu_words;
    }
    if (is_write(access)) {
        memcpy(&value, access->bytes, sizeof value);
        grid_niu_write(niu, offset, value);
    } else {
        grid_niu_read(niu, offset, &value);
        memcpy(access->bytes, &value, sizeof value);
    }
    return NULL;
}

static const char *access_edge(struct penrose_chip *chip, unsigned noc,
                               const struct host_access *access, char rule[GRID_RULE_BYTES])
{
    snprintf(rule, GRID_RULE_BYTES, "nothing answers there");
    bool is_memory = access->address >= AT_ARC_CSM && access->address < AT_ARC_CSM + ARC_CSM_BYTES;
    enum penrose_tile_kind kind = (enum penrose_tile_kind)chip_grid_tile(chip, access->place)->kind;
    uint32_t offset;
    if (access->operation == MMIO_POKE &&
        (kind == PENROSE_TILE_PCIE || (kind == PENROSE_TILE_ARC && !is_memory))) {
        return "a register of this tile cannot be written without effects";
    }
    switch (kind) {
    case PENROSE_TILE_ARC:
        return access_arc(chip, noc, access, rule);
    case PENROSE_TILE_PCIE:
        return access_pcie(chip, noc, access, rule);
    default:
        break;
    }
    if (grid_niu_address(kind, access->address, &offset)) {
        return access_niu(chip, noc, access, offset);
    }
    return kind == PENROSE_TILE_L2CPU || kind == PENROSE_TILE_SECURITY
               ? access_memory(chip, access)
               : "nothing stands there but a router, with registers at " ARCH_TEXT(AT_NIU);
}

/* A tile that is fused off: its NIUs can be read, and have what firmware left there. */
static const char *access_fused_off(const struct penrose_chip *chip,
                                    const struct host_access *access)
{
    struct niu niu = {0};
    uint32_t offset, value;
    unsigned noc;
    if (is_write(access) ||
        !chip_is_niu_of_tile(chip, access->place, access->address, &noc, &offset)) {
        return "it is fused off on this card, and nothing but its NIUs can be read";
    }
    if (access->size != sizeof value || offset % sizeof value) {
        return niu_words;
    }
    grid_configure_niu(&chip->grid, noc, chip_position(access->place), &niu);
    if (niu_read(&niu, offset, false, &value) == ANSWER_UNMAPPED) {
        return "the NIU has no register there";
    }
    memcpy(access->bytes, &value, sizeof value);
    return NULL;
}

const char *chip_edge_access(struct penrose_chip *chip, uint16_t place, unsigned noc,
                             enum mmio_operation operation, uint64_t address, void *bytes,
                             uint32_t size, char rule[GRID_RULE_BYTES])
{
    struct host_access access = {
        .place = place, .operation = operation, .address = address, .bytes = bytes, .size = size};
    return chip_grid_tile(chip, place)->is_fused_off ? access_fused_off(chip, &access)
                                                     : access_edge(chip, noc, &access, rule);
}

/* --- All of them --- */

static enum penrose_status access_place(struct penrose_chip *chip, struct host_access *access,
                                        struct penrose_error *error)
{
    if (!chip_find(chip, access->x, access->y, &access->place)) {
        return error_set(error, PENROSE_E_ARGUMENT, "there is no tile at (%u, %u)", access->x,
                         access->y);
    }
    if (access->size > UINT32_MAX) {
        return refuse_host_access(access, "more than 4 GiB at once", error);
    }
    const struct grid_tile *there = chip_grid_tile(chip, access->place);
    bool has_time = !there->is_fused_off && chip_has_harts(there);
    if (has_time) {
        return there->kind == PENROSE_TILE_DRAM ? access_dram(chip, access, error)
                                                : access_tile_as_host(chip, access, error);
    }
    char text[GRID_RULE_BYTES];
    const char *rule =
        there->is_fused_off ? access_fused_off(chip, access) : access_edge(chip, 0, access, text);
    return rule ? refuse_host_access(access, rule, error) : PENROSE_OK;
}

#define HOST_ACCESS(name, operation_, constness)                                                   \
    enum penrose_status name(struct penrose_chip *chip, unsigned x, unsigned y, uint64_t address,  \
                             constness void *bytes, size_t size, struct penrose_error *error)      \
    {                                                                                              \
        struct host_access access = {.x = x,                                                       \
                                     .y = y,                                                       \
                                     .operation = operation_,                                      \
                                     .address = address,                                           \
                                     .bytes = (void *)(uintptr_t)bytes,                            \
                                     .size = size};                                                \
        return access_place(chip, &access, error);                                                 \
    }

HOST_ACCESS(chip_read, MMIO_READ, )
HOST_ACCESS(chip_write, MMIO_WRITE, const)
HOST_ACCESS(chip_peek, MMIO_PEEK, )
HOST_ACCESS(chip_poke, MMIO_POKE, const)

/* SPEC: BlackholeA0 NoC/MemoryMap, PCIExpressTile; ARC: what UMD relies on. Where only the lower
 * half of an address counts, registers come again in every 4 GiB. */
uint64_t chip_memory_span(const struct penrose_chip *chip, unsigned x, unsigned y, uint64_t address)
{
    static const struct {
        uint64_t registers, counts; /* where they begin, and in which bits of an address */
    } kinds[] = {
        [PENROSE_TILE_TENSIX] = {AT_REGISTERS, UINT32_MAX},
        [PENROSE_TILE_ETHERNET] = {AT_REGISTERS, UINT32_MAX},
        [PENROSE_TILE_DRAM] = {AT_REGISTERS, UINT32_MAX},
        [PENROSE_TILE_ARC] = {AT_ARC_APB, UINT32_MAX},
        [PENROSE_TILE_PCIE] = {AT_PCIE_DBI, UINT64_MAX},
        [PENROSE_TILE_L2CPU] = {AT_EDGE_REGISTERS, UINT64_MAX},
        [PENROSE_TILE_SECURITY] = {AT_EDGE_REGISTERS, UINT64_MAX},
        [PENROSE_TILE_EMPTY] = {AT_NOC_REGISTERS, UINT64_MAX},
        [PENROSE_NO_TILE] = {AT_REGISTERS, UINT32_MAX}, /* NIUs of tiles that are fused off */
    };
    enum penrose_tile_kind kind = chip_tile_kind(chip, x, y);
    address &= kinds[kind].counts;
    return address < kinds[kind].registers ? kinds[kind].registers - address : 0;
}
