/*
 * Fuzzes cluster descriptors: an input is refused with a message, or it plans a cluster whose parts fit
 * each other, and whose own descriptor plans the same one.
 */
#include "chip/calls.h"
#include "chip/grid.h"
#include "fuzz/fuzz.h"
#include "loader/yaml.h"
#include "metal/cluster_file.h"
#include "metal/descriptor.h"

const unsigned fuzz_inputs = 20000;

static const char *const texts[] = {
    "arch:\n  0: blackhole\n  1: blackhole\nchips: {}\nchip_unique_ids: {0: 640, 1: 641}\n"
    "ethernet_connections:\n  - [{chip: 0, chan: 2}, {chip: 1, chan: 9}]\n"
    "  - [{chip: 0, chan: 3}, {chip: 1, chan: 8}, {routing_enabled: true}]\n"
    "ethernet_connections_to_remote_devices:\n  - [{chip: 0, chan: 4}, {remote_chip_id: 7, chan: "
    "4}]\n"
    "chips_with_mmio:\n  - 0: 1\n  - 1\nharvesting:\n"
    "  0: &right {noc_translation: true, harvest_mask: 192, dram_harvesting_mask: 0,\n"
    "      eth_harvesting_mask: 288, pcie_harvesting_mask: 2, l2cpu_harvesting_mask: 0}\n"
    "  1: *right\nboards:\n  - [{board_id: 20}, {board_type: p300}, {chips: [0, 1]}]\n"
    "asic_locations: {0: 0, 1: 1}\nchip_to_bus_id:\n  0: \"0x41\"\n  1: \"0x0042\"\n",
    "# one\n---\n{arch: {0: blackhole}, ethernet_connections: [], chips_with_mmio: [0],\n"
    " harvesting: {0: {noc_translation: yes, harvest_mask: 0xc0, dram_harvesting_mask: 8,\n"
    "   eth_harvesting_mask: 0x3fff, pcie_harvesting_mask: 2}}, a: &a [1, &b {? [c] : !!str 2}],\n"
    " boards: [{board_id: 1, board_type: p100, chips: [0]}], d: [*a, *b, \"\\u00e9\\n\"], e: |\n"
    "  text\n}\n",
};

bool fuzz_seed(unsigned number, struct fuzz_bytes *seed)
{
    const unsigned cards = 8, count = sizeof texts / sizeof texts[0];
    if (number < count) {
        fuzz_append(seed, texts[number], strlen(texts[number]));
        return true;
    }
    const char *card = number < count + cards ? chip_calls.card_at(number - count) : NULL;
    if (card) {
        struct cluster_plan plan;
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        REQUIRE(file);
        chip_calls.plan_card(card, &plan);
        metal_print_cluster(&plan, card, file);
        fclose(file);
        fuzz_append(seed, text, size);
        free(text);
    }
    return card != NULL;
}

static bool plan_bytes(const void *bytes, size_t size, struct cluster_plan *plan)
{
    struct loader_yaml *yaml;
    struct penrose_error error = {.text = ""};
    enum penrose_status status = loader_yaml_parse(bytes, size, "fuzz.yaml", &yaml, &error);
    REQUIRE((status == PENROSE_OK) == (yaml != NULL));
    status = status ? status : metal_plan_descriptor(yaml, plan, &error);
    loader_yaml_close(yaml);
    REQUIRE(status == PENROSE_OK || (*error.text && !strchr(error.text, '\n')));
    return status == PENROSE_OK;
}

static void check_links(const struct cluster_plan *plan)
{
    uint32_t used[PLAN_CHIPS] = {0};
    REQUIRE(plan->chips >= 1 && plan->chips <= PLAN_CHIPS && plan->links <= PLAN_LINKS);
    for (unsigned i = 0; i < plan->links; i++) {
        for (unsigned end = 0; end < 2; end++) {
            unsigned chip = plan->link[i].chip[end];
            REQUIRE(chip < plan->chips);
            uint32_t port = UINT32_C(1) << plan->link[i].port[end];
            REQUIRE(!(used[chip] & port));
            used[chip] |= port;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cluster_plan plan, again;
    if (!plan_bytes(bytes, size, &plan)) {
        return 0;
    }
    check_links(&plan);
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    REQUIRE(file);
    metal_print_cluster(&plan, "the input", file);
    fclose(file);
    REQUIRE(plan_bytes(text, length, &again));
    free(text);
    REQUIRE(again.chips == plan.chips && again.links == plan.links);
    REQUIRE(memcmp(again.link, plan.link, sizeof plan.link) == 0);
    for (unsigned i = 0; i < plan.chips; i++) {
        REQUIRE(strcmp(again.chip[i].product.name, plan.chip[i].product.name) == 0);
        REQUIRE(again.chip[i].identity.asic == plan.chip[i].identity.asic);
        REQUIRE(again.chip[i].identity.bus == plan.chip[i].identity.bus);
    }
    return 0;
}
