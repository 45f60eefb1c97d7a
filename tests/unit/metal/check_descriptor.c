/*
 * Cluster descriptors: what is written for a card describes the same cluster when it is read, what
 * other files say is taken, and what cannot be is refused with the line, the thing and the remedy.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "chip/grid.h"
#include "loader/yaml.h"
#include "metal/cluster_file.h"
#include "metal/descriptor.h"
#include "observe/inside.h"
#include "unit/test.h"

/* Two chips of a p300, as UMD writes them. */
static const char pair[] = "arch:\n"                                                     /* 1 */
                           "  0: blackhole\n"                                            /* 2 */
                           "  1: Blackhole\n"                                            /* 3 */
                           "chips: {}\n"                                                 /* 4 */
                           "chip_unique_ids: {0: 640, 1: 641}\n"                         /* 5 */
                           "ethernet_connections:\n"                                     /* 6 */
                           "  - [{chip: 0, chan: 2}, {chip: 1, chan: 9}]\n"              /* 7 */
                           "  - [{chip: 0, chan: 3}, {chip: 1, chan: 8}]\n"              /* 8 */
                           "chips_with_mmio: [0: 1, 1: 0]\n"                             /* 9 */
                           "io_device_type: PCIe\n"                                      /* 10 */
                           "harvesting:\n"                                               /* 11 */
                           "  0: &right {noc_translation: true, harvest_mask: 192, "     /* 12 */
                           "dram_harvesting_mask: 0, eth_harvesting_mask: 288, "         /* 12 */
                           "pcie_harvesting_mask: 2, l2cpu_harvesting_mask: 0}\n"        /* 12 */
                           "  1: {noc_translation: true, harvest_mask: 192, "            /* 13 */
                           "eth_harvesting_mask: 288, pcie_harvesting_mask: 1}\n"        /* 13 */
                           "boards:\n"                                                   /* 14 */
                           "  - [{board_id: 20}, {board_type: p300}, {chips: [0, 1]}]\n" /* 15 */
                           "asic_locations: {0: 0, 1: 1}\n"                              /* 16 */
                           "chip_to_bus_id: {0: \"0x41\", 1: \"0x0042\"}\n"              /* 17 */
                           "ethernet_connections_to_remote_devices:\n"                   /* 18 */
                           "  - [{chip: 0, chan: 4}, {remote_chip_id: 7, chan: 4}]\n";   /* 19 */

static enum penrose_status plan_text(const char *text, size_t size, struct cluster_plan *plan,
                                     struct penrose_error *error)
{
    struct loader_yaml *yaml;
    enum penrose_status status = loader_yaml_parse(text, size, "c.yaml", &yaml, error);
    status = status ? status : metal_plan_descriptor(yaml, plan, error);
    loader_yaml_close(yaml);
    return status;
}

static void plan_good(const char *text, struct cluster_plan *plan)
{
    struct penrose_error error = {.text = ""};
    ck_assert_msg(plan_text(text, strlen(text), plan, &error) == PENROSE_OK, "%s", error.text);
}

/* `pair` with `to` in place of `from`, which is there once. */
static char *pair_with(const char *from, const char *to)
{
    const char *at = strstr(pair, from);
    char *text = NULL;
    ck_assert_msg(at && !strstr(at + 1, from), "'%s' is not there once", from);
    ck_assert_int_ge(asprintf(&text, "%.*s%s%s", (int)(at - pair), pair, to, at + strlen(from)), 0);
    return text;
}

/* --- What is taken --- */

static void compare_plans(const struct cluster_plan *a, const struct cluster_plan *b)
{
    ck_assert_uint_eq(a->chips, b->chips);
    ck_assert_uint_eq(a->links, b->links);
    ck_assert_ptr_eq(a->kind, b->kind);
    ck_assert_int_eq(memcmp(a->link, b->link, sizeof a->link), 0);
    for (unsigned i = 0; i < a->chips; i++) {
        const struct plan_chip *one = &a->chip[i], *other = &b->chip[i];
        ck_assert_str_eq(one->product.name, other->product.name);
        ck_assert_int_eq(
            memcmp(&one->product.fused, &other->product.fused, sizeof one->product.fused), 0);
        ck_assert_uint_eq(one->product.pcie, other->product.pcie);
        ck_assert_uint_eq(one->product.ports, other->product.ports);
        ck_assert_uint_eq(one->product.type, other->product.type);
        ck_assert_uint_eq(one->identity.board, other->identity.board);
        ck_assert_uint_eq(one->identity.asic, other->identity.asic);
        ck_assert_uint_eq(one->identity.location, other->identity.location);
        ck_assert_uint_eq(one->identity.bus, other->identity.bus);
    }
}

TEST(descriptors_of_cards_are_their_clusters)
{
    for (size_t i = 0; chip_calls.card_at(i); i++) {
        struct cluster_plan plan, read;
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        ck_assert_ptr_nonnull(file);
        chip_calls.plan_card(chip_calls.card_at(i), &plan);
        metal_print_cluster(&plan, chip_calls.card_at(i), file);
        fclose(file);
        plan_good(text, &read);
        compare_plans(&plan, &read);
        free(text);
    }
}

TEST(a_descriptor_says_what_chips_are)
{
    struct cluster_plan plan;
    plan_good(pair, &plan);
    ck_assert_uint_eq(plan.chips, 2);
    ck_assert_uint_eq(plan.links, 2);
    ck_assert_uint_eq(plan.link[1].port[0], 3);
    ck_assert_uint_eq(plan.link[1].port[1], 8);
    ck_assert_str_eq(plan.chip[0].product.name, "p300-right");
    ck_assert_str_eq(plan.chip[1].product.name, "p300-left");
    ck_assert_uint_eq(plan.chip[1].identity.board, 20);
    ck_assert_uint_eq(plan.chip[1].identity.asic, 641);
    ck_assert_uint_eq(plan.chip[1].identity.location, 1);
    ck_assert_uint_eq(plan.chip[0].identity.bus, 0x41);
    ck_assert_uint_eq(plan.chip[1].identity.bus, 0x42);
}

/* Rows: what stands in place of what, and whether that changes anything. */
TEST_EACH(other_ways_to_say_it_are_taken, 11)
{
    static const struct {
        const char *from, *to;
        bool is_other;
    } rows[] = {
        {"chips: {}", "chips: {0: [0, 0, 0, 0]}", false},
        {"chips: {}", "chips:", false},
        {"io_device_type: PCIe", "of_a_later_version: [{a: 1}]", false},
        {"[0: 1, 1: 0]", "[1, 0]", false},
        {"[{chip: 0, chan: 2}, {chip: 1, chan: 9}]",
         "[{chip: 0, chan: 0x2}, {chip: 1, chan: 9}, {routing_enabled: true}]", false},
        {"[{board_id: 20}, {board_type: p300}, {chips: [0, 1]}]",
         "{chips: [1, 0], board_type: P300, board_id: 20}", false},
        {"\"0x0042\"", "0x42", false},
        {"  - [{chip: 0, chan: 4}, {remote_chip_id: 7, chan: 4}]", "  []", false},
        {"0: blackhole\n  1: Blackhole", "1: BLACKHOLE\n  0: blackhole", false},
        {"{0: 640, 1: 641}", "{}", false}, /* the ids that chips of such a board have */
        {"harvest_mask: 192, eth", "harvest_mask: 1, eth", true},
    };
    struct cluster_plan plan, wanted;
    char *text = pair_with(rows[_i].from, rows[_i].to);
    struct penrose_error error = {.text = ""};
    enum penrose_status status = plan_text(text, strlen(text), &plan, &error);
    free(text);
    ck_assert_msg(status == PENROSE_OK, "%s", error.text);
    plan_good(pair, &wanted);
    if (rows[_i].is_other) {
        ck_assert_str_eq(plan.chip[1].product.name, "p300-left-like");
        ck_assert_uint_eq(plan.chip[1].product.fused.columns, 1);
        ck_assert_uint_eq(plan.chip[1].product.pcie, 1);
    } else {
        compare_plans(&plan, &wanted);
    }
}

TEST(an_alias_is_what_it_stands_for)
{
    struct cluster_plan plan;
    char *text = pair_with("{noc_translation: true, harvest_mask: 192, eth_harvesting_mask: 288, "
                           "pcie_harvesting_mask: 1}",
                           "*right");
    plan_good(text, &plan);
    free(text);
    ck_assert_str_eq(plan.chip[1].product.name, "p300-right");
}

/* --- What is refused --- */

static const struct {
    const char *from, *to, *text; /* `from` NULL: `to` is the whole file */
    enum penrose_status status;   /* 0: PENROSE_E_FORMAT */
} wrong[] = {
    /* No YAML, or no descriptor. */
    {NULL, "", "c.yaml is empty", 0},
    {NULL, "# nothing\n", "c.yaml is empty", 0},
    {NULL, "- 1\n", "c.yaml:1: a cluster descriptor: this is a list; write a mapping", 0},
    {NULL, "arch\n", "c.yaml:1: a cluster descriptor: this is a single value; write a mapping", 0},
    {NULL, "arch: {0: blackhole\nboards: []\n", "c.yaml:2: this is not YAML: did not find", 0},
    {NULL, "arch:\n\t0: blackhole\n", "c.yaml:2: this is not YAML: found character", 0},
    {NULL, "arch:\n  0: \xff\n", "c.yaml:2: this is not YAML: invalid leading UTF-8", 0},
    {NULL, "a: *b\n", "c.yaml:1: this is not YAML: found undefined alias", 0},
    {NULL, "a: &b {c: [*b]}\n", "c.yaml:1: an alias in here stands for what it lies in", 0},
    {NULL, "x: &a\n- &b\n  - *b\n", "c.yaml:2: an alias in here stands for what it lies in", 0},
    {NULL, "arch_name: BLACKHOLE\n", "c.yaml:1: arch_name: this is an SoC descriptor; name a cl",
     0},
    {"chips: {}", "version: 2", "c.yaml:4: version: UMD's cluster descriptors have no versions", 0},
    {"chips: {}", "boardtype: {0: p300}", "c.yaml:4: boardtype: this is of an early version", 0},
    {"chan: 4}]\n", "chan: 4}]\n---\narch: {}\n", "c.yaml:21: a second document begins here", 0},
    {"chips: {}", "boards: []", "'boards' is here a second time; take one of them out", 0},
    /* Chips. */
    {"arch:", "arcs:", "there is no 'arch'; add it", 0},
    {"0: blackhole", "0: wormhole_b0", "c.yaml:2: arch: chip 0 is 'wormhole_b0', which is not",
     PENROSE_E_ARGUMENT},
    {"1: Blackhole", "1: quasar",
     "c.yaml:3: arch: chip 1 is 'quasar', which is not emulated; black", PENROSE_E_ARGUMENT},
    {"1: Blackhole", "1: [blackhole]", "c.yaml:3: arch: this is a list; write a single value", 0},
    {"1: Blackhole", "2: Blackhole",
     "c.yaml:3: arch: chip 2 is one of 2, which have to be numbered", 0},
    {"1: Blackhole", "0: Blackhole", "c.yaml:3: arch: chip 0 is here a second time", 0},
    {"1: Blackhole", "one: Blackhole", "c.yaml:3: arch: the number of a chip: 'one' is no number",
     0},
    {"\n  0: blackhole\n  1: Blackhole", " {}", "arch: these are 0 chips; a cluster has 1 to 32",
     0},
    {"1: 641", "1: 640", "c.yaml:5: chip_unique_ids: chips 0 and 1 both have 640", 0},
    {"1: 641", "1: 18446744073709551616", "is too large; 18446744073709551615 is the most", 0},
    {"1: 641", "2: 641", "c.yaml:5: chip_unique_ids: there is no chip 2; 'arch' has chips 0 to 1",
     0},
    {"1: 641", "1: 0641", "0641 may be octal; write it without the 0 in front", 0},
    {"1: 1}", "1: 256}", "c.yaml:16: asic_locations: 256 is too large; 255 is the most", 0},
    {"\"0x0042\"", "42", "c.yaml:17: chip_to_bus_id: '42' is taken for hexadecimal; write \"0x42\"",
     0},
    {"[0: 1, 1: 0]", "[0: 0]", "c.yaml:9: chips_with_mmio: chip 1 has no PCIe, and there is", 0},
    /* Boards. */
    {"boards:", "bords:", "there is no 'boards'; add it", 0},
    {"p300}", "n300}", "c.yaml:15: board_type: 'n300' is no board that is emulated; p100, p150", 0},
    {"[0, 1]}]", "[0, 2]}]", "c.yaml:15: boards: there is no chip 2; 'arch' has chips 0 to 1", 0},
    {"[0, 1]}]", "[0]}]", "c.yaml:15: boards: chip 1 is missing; add it", 0},
    {"[0, 1]}]", "[0, 1, 0]}]", "boards: chip 0 is on the board of line 15 already", 0},
    {"[0, 1]}]\n", "[0]}]\n  - [{board_id: 20}, {board_type: p300}, {chips: [1]}]\n",
     "c.yaml:16: board_id: the board of line 15 has this id, too", 0},
    {"{board_id: 20}, ", "", "c.yaml:15: boards: there is no 'board_id'; a board is [{board_id: 1}",
     0},
    {"board_id: 20", "board_id: -1", "c.yaml:15: board_id: '-1' is no number", 0},
    {"board_id: 20", "board_id: 0x41100000001",
     "c.yaml:15: board_id: 0x41100000001 is of a p150, and board_type says p300", 0},
    {"board_id: 20", "board_id: 0x47100000001", "is of a ubb_blackhole, and board_type says p300",
     0},
    /* What is fused off. */
    {"harvesting:", "harvested:", "there is no 'harvesting'; add it", 0},
    {"0: &right", "1: &right", "c.yaml:13: harvesting: chip 1 is here a second time", 0},
    {"true, harvest_mask: 192, eth", "false, harvest_mask: 192, eth",
     "c.yaml:13: noc_translation: the firmware of these chips has coordinates translated", 0},
    {"harvest_mask: 192, eth", "eth", "c.yaml:13: harvesting: there is no 'harvest_mask'; add it",
     0},
    {"harvest_mask: 192, eth", "harvest_mask: 0x4000, eth",
     "c.yaml:13: harvest_mask: a bit is set beyond the 14 columns of Tensix tiles of a blackhole",
     0},
    {"harvest_mask: 192, eth", "harvest_mask: 0x3fff, eth",
     "c.yaml:13: harvesting: chip 1: all Tensix tiles are fused off: leave at least a column", 0},
    {"dram_harvesting_mask: 0", "dram_harvesting_mask: 3",
     "c.yaml:12: harvesting: chip 0: more than one DRAM bank is fused off", 0},
    {"dram_harvesting_mask: 0", "dram_harvesting_mask: 256",
     "dram_harvesting_mask: a bit is set beyond the 8 DRAM banks of a blackhole", 0},
    {"eth_harvesting_mask: 288, pcie_harvesting_mask: 1", "pcie_harvesting_mask: 1",
     "c.yaml:13: harvesting: chip 1: more Ethernet tiles than have translated coordinates", 0},
    {"pcie_harvesting_mask: 1", "pcie_harvesting_mask: 3",
     "c.yaml:13: pcie_harvesting_mask: 3 is not understood; write 2 for a host at PCIe tile 0", 0},
    /* Links. */
    {"ethernet_connections:", "ethernet_conections:", "there is no 'ethernet_connections'; add it",
     0},
    {"[{chip: 0, chan: 3}, {chip: 1, chan: 8}]", "{chip: 0, chan: 3}",
     "c.yaml:8: ethernet_connections: a link is a list of its two ends", 0},
    {"[{chip: 0, chan: 3}, {chip: 1, chan: 8}]", "[{chip: 0, chan: 3}]",
     "c.yaml:8: ethernet_connections: a link is a list of its two ends", 0},
    {", {chip: 1, chan: 8}]", ", {chip: 1}]",
     "c.yaml:8: ethernet_connections: there is no 'chan'; add it", 0},
    {", {chip: 1, chan: 8}]", ", {chip: 1, chan: [8]}]",
     "c.yaml:8: chan: this is a list; write a single value", 0},
    {", {chip: 1, chan: 8}]", ", {chip: 1, chan: eight}]", "c.yaml:8: chan: 'eight' is no number",
     0},
    {", {chip: 1, chan: 8}]", ", {chip: 2, chan: 8}]",
     "c.yaml:8: ethernet_connections: there is no chip 2; 'arch' has chips 0 to 1", 0},
    {", {chip: 1, chan: 8}]", ", {chip: 1, chan: 12}]",
     "c.yaml:8: ethernet_connections: chip 1 has no port 12: 12 of its 14 Ethernet tiles are there "
     "(eth_harvesting_mask 288), and ports count these from 0",
     0},
    {", {chip: 1, chan: 8}]", ", {chip: 1, chan: 9}]",
     "c.yaml:8: ethernet_connections: port 9 of chip 1 has the link of line 7 already; a port has "
     "one link",
     0},
    {", {chip: 1, chan: 8}]", ", {chip: 0, chan: 3}]",
     "c.yaml:8: ethernet_connections: port 3 of chip 0 has the link of line 8 already", 0},
    {"[{chip: 0, chan: 4}", "[{chip: 0, chan: 2}",
     "c.yaml:19: ethernet_connections_to_remote_devices: port 2 of chip 0 has the link of line 7",
     0},
};

TEST_EACH(what_cannot_be_is_refused, COUNT(wrong))
{
    struct cluster_plan plan;
    struct penrose_error error = {.text = ""};
    char *text = wrong[_i].from ? pair_with(wrong[_i].from, wrong[_i].to) : strdup(wrong[_i].to);
    enum penrose_status status = plan_text(text, strlen(text), &plan, &error);
    free(text);
    ck_assert_msg(strstr(error.text, wrong[_i].text) != NULL, "row %d: '%s' is not in '%s'", _i,
                  wrong[_i].text, error.text);
    ck_assert_int_eq(status, wrong[_i].status ? wrong[_i].status : PENROSE_E_FORMAT);
    ck_assert_int_eq(error.status, status);
    ck_assert_ptr_null(strchr(error.text, '\n'));
}

/* A chip more than hosts look for, and a link more than there can be. */
TEST(too_many_chips_or_links_are_refused)
{
    struct cluster_plan plan;
    struct penrose_error error = {.text = ""};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    fputs("boards: []\nharvesting: {}\nchips_with_mmio: []\nethernet_connections: []\narch:\n",
          file);
    for (unsigned i = 0; i <= PLAN_CHIPS; i++) {
        fprintf(file, "  %u: blackhole\n", i);
    }
    fclose(file);
    ck_assert_int_eq(plan_text(text, size, &plan, &error), PENROSE_E_FORMAT);
    ck_assert_ptr_nonnull(
        strstr(error.text, "c.yaml:6: arch: these are 33 chips; a cluster has 1"));
    free(text);
    file = open_memstream(&text, &size);
    for (unsigned i = 0; i < PLAN_LINKS; i++) {
        fputs("  - []\n", file);
    }
    fclose(file);
    char *links = pair_with("ethernet_connections:\n", "ethernet_connections:\n  - []\n  - []\n"),
         *many;
    ck_assert_int_ge(asprintf(&many, "%.*s%s%s", (int)(strstr(links, "  - []") - links), links,
                              text, strstr(links, "  - []")),
                     0);
    ck_assert_int_eq(plan_text(many, strlen(many), &plan, &error), PENROSE_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "these are 260 links; 256 is the most"));
    free(text);
    free(links);
    free(many);
}

/* libyaml counts none of it, and takes long for the first. */
TEST_EACH(deep_files_are_refused, 3)
{
    enum { DEEP = 100000 };
    static const char *const begins[] = {"[", "- ", "{a: "};
    struct cluster_plan plan;
    struct penrose_error error = {.text = ""};
    char *text = malloc(DEEP);
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0, length = strlen(begins[_i]); i < DEEP; i++) {
        text[i] = begins[_i][i % length];
    }
    ck_assert_int_eq(plan_text(text, DEEP, &plan, &error), PENROSE_E_FORMAT);
    ck_assert_ptr_nonnull(
        strstr(error.text, "c.yaml:1: lists and mappings lie deeper in each other than any"));
    free(text);
}

/* --- Files --- */

static char *path_with(const void *bytes, size_t size)
{
    static char path[64];
    snprintf(path, sizeof path, "%s", P_tmpdir "/check_descriptor_XXXXXX");
    int file = mkstemp(path);
    ck_assert(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    close(file);
    return path;
}

TEST(files_that_cannot_be_read_are_told)
{
    enum { HUGE = 300000 };
    struct penrose_cluster *cluster;
    struct penrose_error error;
    char *spaces = calloc(1, HUGE);
    ck_assert_int_eq(penrose_cluster_of_file(NULL, "/nowhere/c.yaml", &cluster, &error),
                     PENROSE_E_FILE);
    ck_assert_ptr_null(cluster);
    ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/c.yaml cannot be read: No such file"));
    ck_assert_int_eq(penrose_cluster_of_file(NULL, P_tmpdir, &cluster, &error), PENROSE_E_FILE);
    ck_assert_ptr_nonnull(strstr(error.text, "cannot be read: Is a directory"));
    const char *path = path_with(memset(spaces, ' ', HUGE), HUGE);
    ck_assert_int_eq(penrose_cluster_of_file(NULL, path, &cluster, &error), PENROSE_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "has more than 256 KiB"));
    unlink(path);
    free(spaces);
}

/* The public call: the cluster is that of the card, and options have no card of their own. */
TEST(a_file_makes_the_cluster_of_the_card)
{
    struct penrose_options options = {.size = sizeof options, .threads = 1, .card = "p300"};
    struct penrose_cluster *cluster, *of_card;
    struct penrose_error error;
    struct cluster_plan plan;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    chip_calls.plan_card("p300", &plan);
    metal_print_cluster(&plan, "p300", file);
    fclose(file);
    const char *path = path_with(text, size);
    ck_assert_int_eq(penrose_cluster_of_card(&options, &of_card, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_cluster_of_file(&options, path, &cluster, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "options name the card p300"));
    options.card = NULL;
    ck_assert_msg(penrose_cluster_of_file(&options, path, &cluster, &error) == PENROSE_OK, "%s",
                  error.text);
    ck_assert_uint_eq(penrose_cluster_state_hash(cluster), penrose_cluster_state_hash(of_card));
    penrose_cluster_destroy(cluster);
    penrose_cluster_destroy(of_card);
    unlink(path);
    free(text);
}

/* A snapshot has what makes a chip, also one that is like no product. */
TEST(chips_of_no_product_are_restored)
{
    struct penrose_cluster *cluster;
    struct penrose_chip *restored;
    struct penrose_error error;
    static const char one[] =
        "arch: {0: blackhole}\nethernet_connections: []\nchips_with_mmio: [0]\n"
        "harvesting: {0: {noc_translation: true, harvest_mask: 3, eth_harvesting_mask: 288,\n"
        "  pcie_harvesting_mask: 2}}\nboards: [[{board_id: 1}, {board_type: p150}, {chips: "
        "[0]}]]\n";
    void *bytes;
    size_t size;
    const char *path = path_with(one, sizeof one - 1);
    ck_assert_msg(penrose_cluster_of_file(NULL, path, &cluster, &error) == PENROSE_OK, "%s",
                  error.text);
    struct penrose_chip *chip = penrose_cluster_chip(cluster, 0);
    ck_assert_ptr_null(grid_product(chip_calls.card(chip)));
    ck_assert_str_eq(chip_calls.card(chip), "p150a-like");
    ck_assert_int_eq(penrose_snapshot_to_memory(chip, &bytes, &size, &error), PENROSE_OK);
    ck_assert_msg(penrose_snapshot_from_memory(NULL, bytes, size, &restored, &error) == PENROSE_OK,
                  "%s", error.text);
    ck_assert_uint_eq(penrose_state_hash(restored), penrose_state_hash(chip));
    ck_assert_str_eq(chip_calls.card(restored), "p150a-like");
    penrose_chip_destroy(restored);
    penrose_cluster_destroy(cluster);
    free(bytes);
    unlink(path);
}
