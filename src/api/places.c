/* Tiles and their places, accesses of the host, host memory and PCIe registers. */
#include "api/api.h"

#include "arch/names.h"

PENROSE_EXPORT double penrose_clock_mhz(const struct penrose_chip *chip)
{
    return chip_calls_of(chip)->clock_mhz(chip);
}

PENROSE_EXPORT const char *penrose_kernels(const struct penrose_chip *chip)
{
    return chip_calls_of(chip)->kernels(chip);
}

PENROSE_EXPORT const char *penrose_tile_kind_name(enum penrose_tile_kind kind)
{
    return arch_tile_kind_name(kind);
}

PENROSE_EXPORT enum penrose_tile_kind penrose_tile_kind(const struct penrose_chip *chip, unsigned x,
                                                        unsigned y)
{
    return chip_calls_of(chip)->tile_kind(chip, x, y);
}

PENROSE_EXPORT bool penrose_tile_at(const struct penrose_chip *chip, enum penrose_tile_kind kind,
                                    size_t index, struct penrose_place *at)
{
    return chip_calls_of(chip)->tile_at(chip, kind, index, at);
}

PENROSE_EXPORT bool penrose_from_noc1(const struct penrose_chip *chip, unsigned x, unsigned y,
                                      unsigned *noc0_x, unsigned *noc0_y)
{
    return chip_calls_of(chip)->from_noc1(chip, x, y, noc0_x, noc0_y);
}

PENROSE_EXPORT enum penrose_status penrose_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                                uint64_t address, void *bytes, size_t size,
                                                struct penrose_error *error)
{
    bool is_entry = API_ENTRY(chip, JOURNAL_READ, NULL, 0, x, y, address, size);
    enum penrose_status status = chip_calls_of(chip)->read(chip, x, y, address, bytes, size, error);
    return api_end_read(chip, is_entry, status, bytes, size);
}

PENROSE_EXPORT enum penrose_status penrose_write(struct penrose_chip *chip, unsigned x, unsigned y,
                                                 uint64_t address, const void *bytes, size_t size,
                                                 struct penrose_error *error)
{
    bool is_entry = API_ENTRY(chip, JOURNAL_WRITE, bytes, size, x, y, address);
    return api_end(chip, is_entry,
                   chip_calls_of(chip)->write(chip, x, y, address, bytes, size, error));
}

PENROSE_EXPORT enum penrose_status penrose_peek(struct penrose_chip *chip, unsigned x, unsigned y,
                                                uint64_t address, void *bytes, size_t size,
                                                struct penrose_error *error)
{
    return chip_calls_of(chip)->peek(chip, x, y, address, bytes, size, error);
}

PENROSE_EXPORT enum penrose_status penrose_poke(struct penrose_chip *chip, unsigned x, unsigned y,
                                                uint64_t address, const void *bytes, size_t size,
                                                struct penrose_error *error)
{
    bool is_entry = API_ENTRY(chip, JOURNAL_POKE, bytes, size, x, y, address);
    return api_end(chip, is_entry,
                   chip_calls_of(chip)->poke(chip, x, y, address, bytes, size, error));
}

PENROSE_EXPORT uint64_t penrose_memory_span(const struct penrose_chip *chip, unsigned x, unsigned y,
                                            uint64_t address)
{
    return chip_calls_of(chip)->memory_span(chip, x, y, address);
}

PENROSE_EXPORT enum penrose_status penrose_multicast_targets(struct penrose_chip *chip,
                                                             struct penrose_multicast *multicast,
                                                             struct penrose_error *error)
{
    return chip_calls_of(chip)->multicast_targets(chip, multicast, error);
}

PENROSE_EXPORT void penrose_host_memory_set(struct penrose_chip *chip,
                                            const struct penrose_host_memory *memory)
{
    chip_calls_of(chip)->host_memory_set(chip, memory);
}

PENROSE_EXPORT enum penrose_status penrose_pcie_register_read(struct penrose_chip *chip,
                                                              unsigned bar, uint64_t offset,
                                                              uint32_t *value,
                                                              struct penrose_error *error)
{
    bool is_entry = API_ENTRY(chip, JOURNAL_REGISTER_READ, NULL, 0, bar, offset);
    enum penrose_status status =
        chip_calls_of(chip)->pcie_register_read(chip, bar, offset, value, error);
    return api_end_read(chip, is_entry, status, value, sizeof *value);
}

PENROSE_EXPORT enum penrose_status penrose_pcie_register_write(struct penrose_chip *chip,
                                                               unsigned bar, uint64_t offset,
                                                               uint32_t value,
                                                               struct penrose_error *error)
{
    bool is_entry = API_ENTRY(chip, JOURNAL_REGISTER_WRITE, NULL, 0, bar, offset, value);
    return api_end(chip, is_entry,
                   chip_calls_of(chip)->pcie_register_write(chip, bar, offset, value, error));
}

PENROSE_EXPORT void penrose_pcie_device_set(struct penrose_chip *chip,
                                            const struct penrose_host_memory *device)
{
    chip_calls_of(chip)->pcie_device_set(chip, device);
}
