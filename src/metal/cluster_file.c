/*
 * Reads cluster descriptors; see cluster_file.h. The keys of the file are read one after the other, in
 * an order in which each knows what it needs: chips, their boards, what is fused off, links.
 */
#include "metal/cluster_file.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "chip/calls.h"
#include "chip/grid.h"
#include "geometry.h"
#include "isa/error.h"
#include "metal/descriptor.h"

struct cluster_reader {
    const struct loader_yaml *yaml;
    struct cluster_plan *plan;
    struct penrose_error *error;
    unsigned board[PLAN_CHIPS]; /* the nodes that say it; 0: none yet */
    unsigned id[PLAN_CHIPS];
    unsigned port[PLAN_CHIPS][GRID_ETHERNET_TILES]; /* of each that has a link */
};

#define REFUSE(reader, node, ...)                                                                  \
    loader_yaml_refuse((reader)->yaml, node, (reader)->error, __VA_ARGS__)

static enum penrose_status expect_node(struct cluster_reader *reader, unsigned node,
                                       enum loader_yaml_kind kind, const char *what)
{
    return loader_yaml_expect(reader->yaml, node, kind, what, reader->error);
}

static enum penrose_status read_number(struct cluster_reader *reader, unsigned node,
                                       const char *what, uint64_t most, uint64_t *number)
{
    return loader_yaml_number(reader->yaml, node, what, most, number, reader->error);
}

/* The value of a key that has to be there. */
static enum penrose_status find_needed(struct cluster_reader *reader, unsigned mapping,
                                       const char *what, const char *key, unsigned *value)
{
    enum penrose_status status = loader_yaml_find(reader->yaml, mapping, key, value, reader->error);
    return status || *value ? status
                            : REFUSE(reader, mapping, "%s: there is no '%s'; add it", what, key);
}

/* --- Chips --- */

/* A number of a chip that is there. */
static enum penrose_status read_chip(struct cluster_reader *reader, unsigned node, const char *what,
                                     unsigned *chip)
{
    uint64_t number;
    enum penrose_status status = read_number(reader, node, what, INT32_MAX, &number);
    if (status != PENROSE_OK) {
        return status;
    }
    if (number >= reader->plan->chips) {
        return REFUSE(reader, node, "%s: there is no chip %" PRIu64 "; 'arch' has chips 0 to %u",
                      what, number, reader->plan->chips - 1);
    }
    *chip = (unsigned)number;
    return PENROSE_OK;
}

/* Sees to it that the chips of a mapping, of which it has those in `found`, are all chips. */
static enum penrose_status check_all(struct cluster_reader *reader, unsigned node, const char *what,
                                     uint64_t found)
{
    for (unsigned chip = 0; chip < reader->plan->chips; chip++) {
        if (!(found >> chip & 1)) {
            return REFUSE(reader, node, "%s: chip %u is missing; add it", what, chip);
        }
    }
    return PENROSE_OK;
}

static enum penrose_status read_arch_of(struct cluster_reader *reader, unsigned node, unsigned chip)
{
    const char *text = loader_yaml_text(reader->yaml, node);
    enum penrose_status status = expect_node(reader, node, LOADER_YAML_SCALAR, "arch");
    if (status || strcasecmp(text, CHIP_NAME) == 0) {
        return status;
    }
    REFUSE(reader, node, "arch: chip %u is '%.40s', which is not emulated; %s is", chip, text,
           CHIP_NAME);
    reader->error->status = PENROSE_E_ARGUMENT;
    return PENROSE_E_ARGUMENT;
}

/* The keys are the chips, from 0 on without gaps. */
static enum penrose_status read_chips(struct cluster_reader *reader, unsigned node)
{
    const struct loader_yaml *yaml = reader->yaml;
    struct cluster_plan *plan = reader->plan;
    size_t count = loader_yaml_count(yaml, node);
    uint64_t found = 0, number;
    enum penrose_status status = expect_node(reader, node, LOADER_YAML_MAPPING, "arch");
    if (status == PENROSE_OK && (count == 0 || count > PLAN_CHIPS)) {
        return REFUSE(reader, node, "arch: these are %zu chips; a cluster has 1 to %d", count,
                      PLAN_CHIPS);
    }
    plan->chips = (unsigned)count;
    for (size_t i = 0; i < count && status == PENROSE_OK; i++) {
        unsigned key = loader_yaml_key(yaml, node, i);
        status = read_number(reader, key, "arch: the number of a chip", INT32_MAX, &number);
        if (status != PENROSE_OK) {
            return status;
        }
        if (number >= count) {
            return REFUSE(reader, key,
                          "arch: chip %" PRIu64 " is one of %zu, which have to be numbered from 0 "
                          "to %zu",
                          number, count, count - 1);
        }
        if (found >> number & 1) {
            return REFUSE(reader, key, "arch: chip %" PRIu64 " is here a second time", number);
        }
        found |= UINT64_C(1) << number;
        status = read_arch_of(reader, loader_yaml_item(yaml, node, i), (unsigned)number);
    }
    return status;
}

/* --- Boards --- */

/* Boards are lists of mappings with a key each, or mappings. */
static enum penrose_status find_part(struct cluster_reader *reader, unsigned board, const char *key,
                                     unsigned *value)
{
    const struct loader_yaml *yaml = reader->yaml;
    size_t parts =
        loader_yaml_kind(yaml, board) == LOADER_YAML_LIST ? loader_yaml_count(yaml, board) : 0;
    enum penrose_status status = loader_yaml_find(yaml, board, key, value, reader->error);
    for (size_t i = 0; i < parts && !*value && status == PENROSE_OK; i++) {
        status =
            loader_yaml_find(yaml, loader_yaml_item(yaml, board, i), key, value, reader->error);
    }
    return status || *value
               ? status
               : REFUSE(reader, board,
                        "boards: there is no '%s'; a board is [{board_id: 1}, {board_type: p300}, "
                        "{chips: [0, 1]}]",
                        key);
}

static enum penrose_status read_board_type(struct cluster_reader *reader, unsigned node,
                                           enum plan_board *type)
{
    const char *text = loader_yaml_text(reader->yaml, node);
    const struct grid_fused none = {0};
    for (unsigned i = BOARD_P100; i < BOARDS; i++) {
        *type = (enum plan_board)i;
        if (strcasecmp(text, metal_board_name(i)) == 0 && grid_product_with(*type, &none, 0).name) {
            return PENROSE_OK;
        }
    }
    return REFUSE(reader, node,
                  "board_type: '%.40s' is no board that is emulated; p100, p150, p300 and "
                  "ubb_blackhole are",
                  text);
}

/* Ids of real boards have their type in them. Others, such as 1, may be of any. */
static enum penrose_status check_board_id(struct cluster_reader *reader, unsigned node, uint64_t id,
                                          enum plan_board type)
{
    unsigned own = grid_board_of_id(id);
    return own && own != type
               ? REFUSE(reader, node, "board_id: 0x%" PRIx64 " is of a %s, and board_type says %s",
                        id, metal_board_name(own), metal_board_name(type))
               : PENROSE_OK;
}

static enum penrose_status read_board(struct cluster_reader *reader, unsigned board)
{
    const struct loader_yaml *yaml = reader->yaml;
    unsigned id_at = 0, type_at = 0, chips = 0, chip = 0;
    uint64_t id = 0;
    enum plan_board type = BOARDS;
    enum penrose_status status = find_part(reader, board, "board_id", &id_at);
    status = status ? status : find_part(reader, board, "board_type", &type_at);
    status = status ? status : find_part(reader, board, "chips", &chips);
    status = status ? status : read_number(reader, id_at, "board_id", UINT64_MAX, &id);
    status = status ? status : read_board_type(reader, type_at, &type);
    status = status ? status : check_board_id(reader, id_at, id, type);
    status = status ? status : expect_node(reader, chips, LOADER_YAML_LIST, "chips of a board");
    for (chip = 0; chip < reader->plan->chips && status == PENROSE_OK; chip++) {
        if (reader->board[chip] && reader->plan->chip[chip].identity.board == id) {
            return REFUSE(reader, id_at, "board_id: the board of line %zu has this id, too",
                          loader_yaml_line(yaml, reader->board[chip]));
        }
    }
    for (size_t i = 0; i < loader_yaml_count(yaml, chips) && status == PENROSE_OK; i++) {
        unsigned node = loader_yaml_item(yaml, chips, i);
        status = read_chip(reader, node, "boards", &chip);
        if (status == PENROSE_OK && reader->board[chip]) {
            return REFUSE(reader, node, "boards: chip %u is on the board of line %zu already", chip,
                          loader_yaml_line(yaml, reader->board[chip]));
        }
        if (status == PENROSE_OK) {
            reader->board[chip] = node;
            reader->plan->chip[chip].identity.board = id;
            reader->plan->chip[chip].product.type = (uint8_t)type;
        }
    }
    return status;
}

static enum penrose_status read_boards(struct cluster_reader *reader, unsigned node)
{
    uint64_t found = 0;
    enum penrose_status status = expect_node(reader, node, LOADER_YAML_LIST, "boards");
    for (size_t i = 0; i < loader_yaml_count(reader->yaml, node) && status == PENROSE_OK; i++) {
        status = read_board(reader, loader_yaml_item(reader->yaml, node, i));
    }
    for (unsigned chip = 0; chip < reader->plan->chips; chip++) {
        found |= (uint64_t)(reader->board[chip] != 0) << chip;
    }
    return status ? status : check_all(reader, node, "boards", found);
}

/* --- What each chip is --- */

static enum penrose_status read_location(struct cluster_reader *reader, unsigned node,
                                         unsigned chip)
{
    return read_number(reader, node, "asic_locations", UINT8_MAX,
                       &reader->plan->chip[chip].identity.location);
}

static enum penrose_status read_id(struct cluster_reader *reader, unsigned node, unsigned chip)
{
    reader->id[chip] = node;
    return read_number(reader, node, "chip_unique_ids", UINT64_MAX,
                       &reader->plan->chip[chip].identity.asic);
}

static enum penrose_status read_bus(struct cluster_reader *reader, unsigned node, unsigned chip)
{
    uint64_t bus = 0;
    enum penrose_status status = read_number(reader, node, "chip_to_bus_id", UINT8_MAX, &bus);
    if (status == PENROSE_OK && strncmp(loader_yaml_text(reader->yaml, node), "0x", 2) != 0) {
        return REFUSE(reader, node,
                      "chip_to_bus_id: '%.40s' is taken for hexadecimal; write \"0x%s\"",
                      loader_yaml_text(reader->yaml, node), loader_yaml_text(reader->yaml, node));
    }
    reader->plan->chip[chip].identity.bus = bus;
    return status;
}

static enum penrose_status read_translation(struct cluster_reader *reader, unsigned node)
{
    const char *text = loader_yaml_text(reader->yaml, node);
    return strcasecmp(text, "true") == 0 || strcasecmp(text, "yes") == 0 ||
                   strcasecmp(text, "on") == 0
               ? PENROSE_OK
               : REFUSE(reader, node,
                        "noc_translation: the firmware of these chips has coordinates translated; "
                        "write true");
}

/* A mask that may be missing, in which case *mask stays as it is. */
static enum penrose_status read_mask(struct cluster_reader *reader, unsigned masks, const char *key,
                                     uint64_t *mask)
{
    unsigned node;
    enum penrose_status status = loader_yaml_find(reader->yaml, masks, key, &node, reader->error);
    return status || !node ? status : read_number(reader, node, key, UINT32_MAX, mask);
}

/* Columns from left to right; those that are left over are none of the chip's. */
static uint16_t take_columns(uint64_t *from_left)
{
    uint16_t columns = 0;
    for (unsigned number = 0; number < GRID_COLUMNS; number++) {
        uint64_t bit = grid_columns_from_left((uint16_t)(1u << number));
        columns |= (uint16_t)(*from_left & bit ? 1u << number : 0);
        *from_left &= ~bit;
    }
    return columns;
}

static enum penrose_status check_masks(struct cluster_reader *reader, unsigned node,
                                       uint64_t columns, uint64_t banks, uint64_t ethernet)
{
    const struct {
        const char *name, *what;
        uint64_t left;
        int units;
    } rows[] = {
        {"harvest_mask", "columns of Tensix tiles", columns, GRID_COLUMNS},
        {"dram_harvesting_mask", "DRAM banks", banks >> GRID_BANKS, GRID_BANKS},
        {"eth_harvesting_mask", "Ethernet tiles", ethernet >> GRID_ETHERNET_TILES,
         GRID_ETHERNET_TILES},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].left) {
            return REFUSE(reader, node, "%s: a bit is set beyond the %d %s of a %s", rows[i].name,
                          rows[i].units, rows[i].what, CHIP_NAME);
        }
    }
    return PENROSE_OK;
}

/* Hosts set the bit of the PCIe tile that they are not connected to. */
static enum penrose_status read_pcie(struct cluster_reader *reader, unsigned masks, uint8_t *pcie)
{
    unsigned node;
    uint64_t mask = 0;
    enum penrose_status status =
        find_needed(reader, masks, "harvesting", "pcie_harvesting_mask", &node);
    status = status ? status : read_number(reader, node, "pcie_harvesting_mask", UINT32_MAX, &mask);
    if (status == PENROSE_OK && mask != 1 && mask != 2) {
        return REFUSE(reader, node,
                      "pcie_harvesting_mask: %" PRIu64 " is not understood; write 2 for a host at "
                      "PCIe tile 0, and 1 for one at tile 1",
                      mask);
    }
    *pcie = mask == 1;
    return status;
}

static enum penrose_status read_harvesting(struct cluster_reader *reader, unsigned node,
                                           unsigned chip)
{
    struct grid_product *product = &reader->plan->chip[chip].product;
    enum plan_board type = (enum plan_board)product->type;
    uint8_t pcie = 0;
    uint64_t columns = 0, banks = 0, ethernet = 0;
    unsigned translation, needed;
    struct grid grid;
    enum penrose_status status = expect_node(reader, node, LOADER_YAML_MAPPING, "harvesting");
    status =
        status ? status : find_needed(reader, node, "harvesting", "noc_translation", &translation);
    status = status ? status : read_translation(reader, translation);
    status = status ? status : find_needed(reader, node, "harvesting", "harvest_mask", &needed);
    status = status ? status : read_mask(reader, node, "harvest_mask", &columns);
    status = status ? status : read_mask(reader, node, "dram_harvesting_mask", &banks);
    status = status ? status : read_mask(reader, node, "eth_harvesting_mask", &ethernet);
    status = status ? status : read_pcie(reader, node, &pcie);
    if (status != PENROSE_OK) {
        return status;
    }
    const struct grid_fused fused = {
        .columns = take_columns(&columns), .ethernet = (uint16_t)ethernet, .banks = (uint8_t)banks};
    status = check_masks(reader, node, columns, banks, ethernet);
    if (status != PENROSE_OK) {
        return status;
    }
    *product = grid_product_with(type, &fused, pcie);
    const char *rule = grid_init(&grid, product);
    return rule ? REFUSE(reader, node, "harvesting: chip %u: %s", chip, rule) : PENROSE_OK;
}

/* A mapping of chips to what `take` reads. */
static enum penrose_status
read_each(struct cluster_reader *reader, unsigned node, const char *what, bool is_of_all,
          enum penrose_status (*take)(struct cluster_reader *reader, unsigned node, unsigned chip))
{
    uint64_t found = 0;
    unsigned chip = 0;
    enum penrose_status status = expect_node(reader, node, LOADER_YAML_MAPPING, what);
    for (size_t i = 0; i < loader_yaml_count(reader->yaml, node) && status == PENROSE_OK; i++) {
        unsigned key = loader_yaml_key(reader->yaml, node, i);
        status = read_chip(reader, key, what, &chip);
        if (status == PENROSE_OK && found >> chip & 1) {
            return REFUSE(reader, key, "%s: chip %u is here a second time", what, chip);
        }
        if (status == PENROSE_OK) {
            found |= UINT64_C(1) << chip;
            status = take(reader, loader_yaml_item(reader->yaml, node, i), chip);
        }
    }
    return status || !is_of_all ? status : check_all(reader, node, what, found);
}

/* Chips with their PCI devices, or chips alone. Here each chip is the device of its own number. */
static enum penrose_status read_devices(struct cluster_reader *reader, unsigned node)
{
    const struct loader_yaml *yaml = reader->yaml;
    uint64_t found = 0;
    unsigned chip = 0;
    enum penrose_status status = expect_node(reader, node, LOADER_YAML_LIST, "chips_with_mmio");
    for (size_t i = 0; i < loader_yaml_count(yaml, node) && status == PENROSE_OK; i++) {
        unsigned item = loader_yaml_item(yaml, node, i);
        bool is_pair = loader_yaml_kind(yaml, item) == LOADER_YAML_MAPPING &&
                       loader_yaml_count(yaml, item) > 0;
        status = read_chip(reader, is_pair ? loader_yaml_key(yaml, item, 0) : item,
                           "chips_with_mmio", &chip);
        found |= status == PENROSE_OK ? UINT64_C(1) << chip : 0;
    }
    for (unsigned i = 0; i < reader->plan->chips && status == PENROSE_OK; i++) {
        if (!(found >> i & 1)) {
            return REFUSE(reader, node,
                          "chips_with_mmio: chip %u has no PCIe, and there is no other way to it "
                          "yet; add - %u: %u",
                          i, i, i);
        }
    }
    return status;
}

/* --- Links --- */

/* An end of a link, which no other link has. */
static enum penrose_status read_end(struct cluster_reader *reader, unsigned node, const char *what,
                                    unsigned *chip, unsigned *port)
{
    unsigned chip_at, port_at;
    uint64_t number = 0;
    enum penrose_status status = expect_node(reader, node, LOADER_YAML_MAPPING, what);
    status = status ? status : find_needed(reader, node, what, "chip", &chip_at);
    status = status ? status : find_needed(reader, node, what, "chan", &port_at);
    status = status ? status : read_chip(reader, chip_at, what, chip);
    status = status ? status : read_number(reader, port_at, "chan", INT32_MAX, &number);
    if (status != PENROSE_OK) {
        return status;
    }
    unsigned fused = reader->plan->chip[*chip].product.fused.ethernet;
    unsigned ports = GRID_ETHERNET_TILES - (unsigned)__builtin_popcount(fused);
    if (number >= ports) {
        return REFUSE(reader, port_at,
                      "%s: chip %u has no port %" PRIu64 ": %u of its %d Ethernet tiles are there "
                      "(eth_harvesting_mask %u), and ports count these from 0",
                      what, *chip, number, ports, GRID_ETHERNET_TILES, fused);
    }
    unsigned *owner = &reader->port[*chip][number];
    if (*owner) {
        return REFUSE(reader, port_at,
                      "%s: port %" PRIu64 " of chip %u has the link of line %zu "
                      "already; a port has one link",
                      what, number, *chip, loader_yaml_line(reader->yaml, *owner));
    }
    *owner = port_at;
    *port = (unsigned)number;
    return PENROSE_OK;
}

static enum penrose_status read_link(struct cluster_reader *reader, unsigned node, const char *what)
{
    const struct loader_yaml *yaml = reader->yaml;
    struct cluster_plan *plan = reader->plan;
    unsigned chip[2] = {0}, port[2] = {0};
    enum penrose_status status = PENROSE_OK;
    for (unsigned end = 0; end < 2 && status == PENROSE_OK; end++) {
        status = read_end(reader, loader_yaml_item(yaml, node, end), what, &chip[end], &port[end]);
    }
    if (status == PENROSE_OK) {
        struct plan_link *link = &plan->link[plan->links++];
        for (unsigned end = 0; end < 2; end++) {
            link->chip[end] = (uint8_t)chip[end];
            link->port[end] = (uint8_t)port[end];
        }
    }
    return status;
}

/* Its second end is a device that is not in the file. */
static enum penrose_status read_link_away(struct cluster_reader *reader, unsigned node,
                                          const char *what)
{
    unsigned chip = 0, port;
    return read_end(reader, loader_yaml_item(reader->yaml, node, 0), what, &chip, &port);
}

/* A list of links of two ends, and up to `most` parts; every other part is passed over. */
static enum penrose_status read_links(struct cluster_reader *reader, unsigned node,
                                      const char *what, unsigned most,
                                      enum penrose_status (*take)(struct cluster_reader *reader,
                                                                  unsigned node, const char *what))
{
    const struct loader_yaml *yaml = reader->yaml;
    size_t count = loader_yaml_count(yaml, node);
    enum penrose_status status = expect_node(reader, node, LOADER_YAML_LIST, what);
    if (status == PENROSE_OK && count > PLAN_LINKS) {
        return REFUSE(reader, node, "%s: these are %zu links; %d is the most", what, count,
                      PLAN_LINKS);
    }
    for (size_t i = 0; i < count && status == PENROSE_OK; i++) {
        unsigned link = loader_yaml_item(yaml, node, i);
        size_t parts = loader_yaml_count(yaml, link);
        if (loader_yaml_kind(yaml, link) != LOADER_YAML_LIST || parts < 2 || parts > most) {
            return REFUSE(reader, link,
                          "%s: a link is a list of its two ends: "
                          "- [{chip: 0, chan: 2}, {chip: 1, chan: 9}]",
                          what);
        }
        status = take(reader, link, what);
    }
    return status;
}

/* --- The whole --- */

/* What is of another kind, or of another version. */
static enum penrose_status check_version(struct cluster_reader *reader, unsigned root)
{
    static const char *const rows[][2] = {
        {"arch_name", "this is an SoC descriptor; name a cluster descriptor, which has 'arch'"},
        {"version", "UMD's cluster descriptors have no versions; take this one out if the file is "
                    "one of UMD's"},
        {"boardtype", "this is of an early version, which does not tell the boards; write 'boards' "
                      "as UMD does now"},
    };
    enum penrose_status status =
        expect_node(reader, root, LOADER_YAML_MAPPING, "a cluster descriptor");
    for (unsigned i = 0; i < sizeof rows / sizeof *rows && status == PENROSE_OK; i++) {
        unsigned node;
        status = loader_yaml_find(reader->yaml, root, rows[i][0], &node, reader->error);
        if (node && status == PENROSE_OK) {
            return REFUSE(reader, node, "%s: %s", rows[i][0], rows[i][1]);
        }
    }
    return status;
}

/* Chips without an id get those that cards have; of each there is one. */
static enum penrose_status finish_identities(struct cluster_reader *reader)
{
    struct cluster_plan *plan = reader->plan;
    for (unsigned i = 0; i < plan->chips; i++) {
        struct chip_identity *own = &plan->chip[i].identity;
        unsigned rank = 0;
        for (unsigned k = 0; k < i; k++) {
            rank += plan->chip[k].identity.board == own->board;
        }
        if (!reader->id[i] && plan->chips > 1) {
            own->asic = plan_identity(own->board, rank, own->location).asic;
        }
        for (unsigned k = 0; k < i; k++) {
            if (plan->chip[k].identity.asic == own->asic) {
                return REFUSE(reader, reader->id[i] ? reader->id[i] : reader->id[k],
                              "chip_unique_ids: chips %u and %u both have %" PRIu64
                              "; hosts know chips by it",
                              k, i, own->asic);
            }
        }
    }
    return PENROSE_OK;
}

enum penrose_status metal_plan_descriptor(const struct loader_yaml *yaml, struct cluster_plan *plan,
                                          struct penrose_error *error)
{
    enum { ARCH, BOARDS_OF, HARVESTING, DEVICES, LINKS, AWAY, LOCATIONS, IDS, BUSES, KEYS };
    static const char *const keys[KEYS] = {
        [ARCH] = "arch",
        [BOARDS_OF] = "boards",
        [HARVESTING] = "harvesting",
        [DEVICES] = "chips_with_mmio",
        [LINKS] = "ethernet_connections",
        [AWAY] = "ethernet_connections_to_remote_devices",
        [LOCATIONS] = "asic_locations",
        [IDS] = "chip_unique_ids",
        [BUSES] = "chip_to_bus_id",
    };
    enum { NEEDED = AWAY, LINK_PARTS = 3 /* the third says whether routing is on */ };
    struct cluster_reader own = {.yaml = yaml, .plan = plan, .error = error}, *reader = &own;
    unsigned root = loader_yaml_root(yaml), at[KEYS];
    *plan = (struct cluster_plan){.kind = &chip_calls};
    enum penrose_status status = check_version(reader, root);
    for (unsigned i = 0; i < KEYS && status == PENROSE_OK; i++) {
        status = i < NEEDED ? find_needed(reader, root, "a cluster descriptor", keys[i], &at[i])
                            : loader_yaml_find(yaml, root, keys[i], &at[i], error);
    }
    status = status ? status : read_chips(reader, at[ARCH]);
    status = status ? status : read_boards(reader, at[BOARDS_OF]);
    status = status ? status
                    : read_each(reader, at[HARVESTING], keys[HARVESTING], true, read_harvesting);
    status = status ? status : read_devices(reader, at[DEVICES]);
    status =
        status ? status : read_each(reader, at[LOCATIONS], keys[LOCATIONS], false, read_location);
    status = status ? status : read_each(reader, at[IDS], keys[IDS], false, read_id);
    status = status ? status : read_each(reader, at[BUSES], keys[BUSES], false, read_bus);
    status = status ? status : finish_identities(reader);
    status = status ? status : read_links(reader, at[LINKS], keys[LINKS], LINK_PARTS, read_link);
    return status ? status : read_links(reader, at[AWAY], keys[AWAY], 2, read_link_away);
}
