/* Ethernet tiles as their base firmware leaves them: what it has written into L1, and who runs. */
#include "addresses.h"
#include "chip/chip.h"
#include "eth/base_firmware.h"
#include "tile/eth_window.h"

bool chip_has_link(const struct tile *tile)
{
    return tile->eth && tile->eth->link != ETH_LINK_DOWN;
}

static void write_base_word(void *owner, uint32_t address, uint32_t value)
{
    struct tile *tile = owner;
    tile_l1_write(tile, address, &value, sizeof value, tile->now);
}

static struct eth_chip_info port_of(const struct penrose_chip *chip, uint16_t place)
{
    struct grid_position name = chip_logical(chip, place);
    uint8_t logical =
        (uint8_t)((name.y - NAMED_ETHERNET_Y) * NAMED_ETHERNET_COLUMNS + name.x - NAMED_ETHERNET_X);
    /* HW: firmware numbers ports through from the lower half of the chip's id. */
    uint32_t mac_of_chip = (chip->identity.asic & 0xffff) * NAMED_ETHERNET;
    return (struct eth_chip_info){.pcb_type = chip->grid.type,
                                  .asic_location = (uint8_t)chip->identity.location,
                                  .eth_id = grid_tile(&chip->grid, chip_position(place))->index,
                                  .logical_eth_id = logical,
                                  .board_id = chip->identity.board,
                                  .asic_id = chip->identity.asic,
                                  .mac_organisation = ETH_BASE_MAC_ORGANISATION,
                                  .mac_id = mac_of_chip + logical};
}

static enum eth_port port_status(const struct penrose_chip *chip, const struct tile *tile)
{
    unsigned number = grid_tile(&chip->grid, chip_position(tile->node))->index;
    return chip_has_link(tile)              ? ETH_PORT_UP
           : chip->grid.ports >> number & 1 ? ETH_PORT_DOWN
                                            : ETH_PORT_UNUSED;
}

void chip_start_ethernet(struct penrose_chip *chip, struct tile *tile)
{
    const struct chip_place *place = &chip->place[tile->node];
    struct eth_base_facts facts = {.port = port_status(chip, tile),
                                   .is_loopback = place->peer == chip,
                                   .local = port_of(chip, tile->node)};
    if (place->peer) {
        facts.remote = port_of(place->peer, place->peer_place);
    }
    eth_base_firmware_write(&facts, write_base_word, tile);
    if (facts.port == ETH_PORT_UP) {
        chip_load_word(chip, tile, AT_RESET_PC, ETH_BASE_ENTRY);
        chip_hold_harts(chip, tile, false);
    }
}
