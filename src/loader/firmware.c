/* Opening a set of firmware and booting a tile with it; see firmware.h. */
#include "loader/firmware.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/error.h"
#include "loader/firmware_internal.h"
#include "loader/scratch.h"

/*
 * tt-metal lays the initialisation area out in this order: images of the local RAM of the five
 * harts, of NCRISC's instruction RAM, bank tables, logical-to-virtual map.
 */
enum { BANK_BYTES = 0x800, MAP_BYTES = 0x100 };

/* Where the image of a hart lies in the area; behind them all for LOADER_PROCESSORS. */
static uint32_t scratch_offset(const struct arch *facts, unsigned processor)
{
    static const enum penrose_hart hart_of[LOADER_PROCESSORS] = {
        PENROSE_BRISC, PENROSE_NCRISC, PENROSE_TRISC0, PENROSE_TRISC1, PENROSE_TRISC2};
    uint32_t offset = 0;
    for (unsigned i = 0; i < processor; i++) {
        offset += facts->hart_local_bytes[hart_of[i]];
    }
    return offset;
}

static uint32_t bank_offset(const struct arch *facts)
{
    return scratch_offset(facts, LOADER_PROCESSORS) + facts->iram_image_bytes;
}

static uint32_t area_size(const struct arch *facts)
{
    return bank_offset(facts) + BANK_BYTES + MAP_BYTES;
}

const char *loader_processor_name(enum loader_processor processor)
{
    static const char *const names[] = {"brisc", "ncrisc", "trisc0", "trisc1", "trisc2"};
    return (unsigned)processor < LOADER_PROCESSORS ? names[processor] : "no processor";
}

static enum penrose_status open_elf(const char *directory, const char *name,
                                    struct loader_elf **elf, struct penrose_error *error)
{
    size_t size = strlen(directory) + 2 * strlen(name) + sizeof "//.elf";
    char *path = malloc(size);
    if (!path) {
        return error_set(error, PENROSE_E_MEMORY, "%s: out of memory", name);
    }
    enum penrose_status status;
    snprintf(path, size, "%s/%s/%s.elf", directory, name, name);
    if (access(path, F_OK) != 0) {
        snprintf(path, size, "%s/%s.elf", directory, name);
    }
    if (access(path, F_OK) == 0) {
        status = loader_elf_open(path, elf, error);
    } else {
        char label[LOADER_LABEL];
        loader_quote(label, sizeof label, directory);
        status = error_set(error, PENROSE_E_FILE,
                           "%s: no firmware for %s: neither %s/%s.elf nor %s.elf is there; give "
                           "a folder like tt_metal/pre-compiled/<hash> of tt-metal or ttnn",
                           label, name, name, name, name);
    }
    free(path);
    return status;
}

/* Firmware of other chips looks alike, but has other addresses. The vendor's compiler names the chip
 * in the attributes; files of other compilers say nothing. */
static enum penrose_status check_chip(const struct arch *facts, const struct loader_elf *elf,
                                      struct penrose_error *error)
{
    static const char mark[] = "xtttensix";
    enum { LENGTH = sizeof mark - 1, CHIP_LETTERS = 2 };
    const struct loader_section *section = loader_elf_section(elf, ".riscv.attributes");
    const char *end =
        section && section->bytes ? (const char *)section->bytes + section->size : NULL;
    const char *found = end ? memmem(section->bytes, section->size, mark, LENGTH) : NULL;
    size_t own = strlen(facts->compiler_mark);
    if (!found || end - found < LENGTH + CHIP_LETTERS ||
        ((size_t)(end - found) >= own && memcmp(found, facts->compiler_mark, own) == 0)) {
        return PENROSE_OK;
    }
    char text[LENGTH + CHIP_LETTERS + 1] = "";
    memcpy(text, found, LENGTH + CHIP_LETTERS);
    char label[LOADER_QUOTE];
    return error_set(error, PENROSE_E_FORMAT,
                     "%s: built for another chip (%s), expected %s (%s): choose another "
                     "folder; tt-metal has some for each chip",
                     elf->name, loader_quote(label, sizeof label, text), facts->name,
                     facts->compiler_mark);
}

/*
 * Derives all scratch addresses: those that the code tells must agree on the start of the area,
 * the others follow from it.
 */
static enum penrose_status find_scratch(struct loader_firmware *firmware,
                                        struct penrose_error *error)
{
    const struct arch *facts = firmware->facts;
    const uint32_t l1_bytes = facts->l1_bytes[PENROSE_TILE_TENSIX];
    const struct loader_elf *first = NULL;
    uint32_t base = 0;
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        uint32_t address;
        if (!loader_scratch_find(firmware->elf[i], l1_bytes, firmware->operands_of, &address)) {
            continue;
        }
        if (first && address - scratch_offset(facts, i) != base) {
            return error_set(error, PENROSE_E_FORMAT,
                             "%s: takes its data from 0x%" PRIx32 ", expected 0x%" PRIx32
                             " as for %s: the files are of different builds",
                             firmware->elf[i]->name, address, base + scratch_offset(facts, i),
                             first->name);
        }
        first = first ? first : firmware->elf[i];
        base = address - scratch_offset(facts, i);
    }
    if (!first) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: main() copies no data from L1 as tt-metal's firmware does; expected "
                         "an unmodified brisc.elf with its symbols",
                         firmware->elf[LOADER_BRISC]->name);
    }
    if (base % 16 || base > l1_bytes - area_size(facts)) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: its initialisation area would start at 0x%" PRIx32 ", expected a "
                         "multiple of 16 in L1; expected tt-metal's firmware",
                         first->name, base);
    }
    firmware->ring_base = base;
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        firmware->scratch[i] = base + scratch_offset(facts, i);
    }
    return PENROSE_OK;
}

/* The number of elements of an array of the firmware, 0 when it has none. */
static uint32_t elements(const struct loader_elf *elf, const char *name, uint32_t element_size)
{
    const struct loader_symbol *symbol = loader_elf_symbol(elf, name);
    return symbol ? symbol->size / element_size : 0;
}

static uint32_t round_up_address(uint32_t value, uint32_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

static uint32_t bank_tables_size(const struct loader_tables *tables)
{
    return (tables->dram_banks + tables->l1_banks) * 8;
}

static uint32_t map_size(const struct loader_tables *tables)
{
    return round_up_address(tables->columns, 4) + tables->rows;
}

static enum penrose_status find_tables(struct loader_firmware *firmware,
                                       struct penrose_error *error)
{
    enum { XY_SIZE = 2 * sizeof(uint16_t) }; /* an entry for each of two NoCs */
    const struct loader_elf *brisc = firmware->elf[LOADER_BRISC];
    struct loader_tables *tables = &firmware->tables;
    const uint32_t banks_at = firmware->ring_base + bank_offset(firmware->facts);
    *tables = (struct loader_tables){
        .bank_address = banks_at,
        .dram_banks = elements(brisc, "dram_bank_to_noc_xy", XY_SIZE),
        .l1_banks = elements(brisc, "l1_bank_to_noc_xy", XY_SIZE),
        .map_address = banks_at + BANK_BYTES,
        .columns = elements(brisc, "worker_logical_col_to_virtual_col", 1),
        .rows = elements(brisc, "worker_logical_row_to_virtual_row", 1),
    };
    enum { MOST_BANKS = BANK_BYTES / 8 };
    if (tables->dram_banks > MOST_BANKS || tables->l1_banks > MOST_BANKS ||
        bank_tables_size(tables) > BANK_BYTES || tables->columns > MAP_BYTES ||
        tables->rows > MAP_BYTES || map_size(tables) > MAP_BYTES) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: tables of %" PRIu32 " DRAM banks, %" PRIu32 " L1 banks and %" PRIu32
                         " x %" PRIu32 " tiles do not fit their places in L1; expected "
                         "tt-metal's firmware",
                         brisc->name, tables->dram_banks, tables->l1_banks, tables->columns,
                         tables->rows);
    }
    return PENROSE_OK;
}

/* A part of L1 that something needs. */
struct range {
    const char *what;
    uint32_t start;
    uint64_t end;
};

bool loader_is_local(const struct arch *facts, const struct loader_segment *segment)
{
    return segment->vaddr >= facts->local_ram &&
           (uint64_t)segment->vaddr + segment->memsz <=
               (uint64_t)facts->local_ram + facts->local_bytes;
}

static enum penrose_status add_range(uint32_t l1_bytes, struct range *ranges, unsigned *count,
                                     struct range range, struct penrose_error *error)
{
    if (range.end > l1_bytes) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: needs addresses 0x%" PRIx32 " to 0x%" PRIx64 ", expected L1 (below "
                         "0x%" PRIx32 ") or local memory: not a firmware for a Tensix tile",
                         range.what, range.start, range.end, l1_bytes);
    }
    for (unsigned i = 0; i < *count; i++) {
        if (range.start < ranges[i].end && ranges[i].start < range.end) {
            return error_set(error, PENROSE_E_FORMAT,
                             "%s (0x%" PRIx32 " to 0x%" PRIx64 ") overlaps %s (0x%" PRIx32
                             " to 0x%" PRIx64 "): the files are of different builds",
                             range.what, range.start, range.end, ranges[i].what, ranges[i].start,
                             ranges[i].end);
        }
    }
    ranges[(*count)++] = range;
    return PENROSE_OK;
}

/* Checks that everything has its own place in L1. */
static enum penrose_status check_places(const struct loader_firmware *firmware,
                                        struct penrose_error *error)
{
    struct range ranges[2 + LOADER_PROCESSORS * LOADER_MAX_SEGMENTS];
    unsigned count = 0;
    const struct loader_layout *layout = &firmware->layout;
    const uint32_t l1_bytes = layout->l1_bytes;
    uint32_t base = layout->mailbox_base;
    enum penrose_status status = add_range(
        l1_bytes, ranges, &count,
        (struct range){"the mailboxes", base, (uint64_t)base + layout->mailboxes_size}, error);
    if (!status) {
        base = firmware->ring_base;
        status = add_range(
            l1_bytes, ranges, &count,
            (struct range){"the initialisation area", base, base + area_size(firmware->facts)},
            error);
    }
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        const struct loader_elf *elf = firmware->elf[i];
        for (unsigned j = 0; j < elf->segments_count && !status; j++) {
            const struct loader_segment *segment = &elf->segment[j];
            if (!loader_is_local(firmware->facts, segment)) {
                status = add_range(l1_bytes, ranges, &count,
                                   (struct range){elf->name, segment->vaddr,
                                                  (uint64_t)segment->vaddr + segment->memsz},
                                   error);
            }
        }
    }
    return status;
}

/* jal x0 from address 0; reaches 1 MiB. */
static bool encode_jump(uint32_t target, uint32_t *word)
{
    if (target % 2 || target >= 1 << 20) {
        return false;
    }
    *word = (target & 0xff000) | (target >> 11 & 1) << 20 | (target >> 1 & 0x3ff) << 21 | 0x6f;
    return true;
}

enum penrose_status loader_open_named(const struct arch *facts, const char *directory,
                                      const char *name, struct loader_elf **elf,
                                      struct penrose_error *error)
{
    enum penrose_status status = open_elf(directory, name, elf, error);
    return status ? status : check_chip(facts, *elf, error);
}

static enum penrose_status open_members(struct loader_firmware *firmware, const char *directory,
                                        struct penrose_error *error)
{
    enum penrose_status status = PENROSE_OK;
    for (unsigned i = 0; i < LOADER_PROCESSORS && !status; i++) {
        const char *name = loader_processor_name((enum loader_processor)i);
        status = loader_open_named(firmware->facts, directory, name, &firmware->elf[i], error);
        firmware->entry[i] = status ? 0 : firmware->elf[i]->entry;
    }
    if (!status) {
        status = loader_layout_read(firmware->elf[LOADER_BRISC],
                                    firmware->facts->l1_bytes[PENROSE_TILE_TENSIX],
                                    &firmware->layout, error);
    }
    if (!status) {
        status = find_scratch(firmware, error);
    }
    if (!status) {
        status = find_tables(firmware, error);
    }
    if (!status) {
        status = check_places(firmware, error);
    }
    uint32_t word;
    if (!status && !encode_jump(firmware->entry[LOADER_BRISC], &word)) {
        status = error_set(error, PENROSE_E_FORMAT,
                           "%s: entry point 0x%" PRIx32 " is out of reach of a jump at address 0 "
                           "(even, below 0x100000)",
                           firmware->elf[LOADER_BRISC]->name, firmware->entry[LOADER_BRISC]);
    }
    return status;
}

enum penrose_status loader_firmware_open(const struct arch *facts, rv32_operands_of *operands_of,
                                         const char *directory, struct loader_firmware **result,
                                         struct penrose_error *error)
{
    *result = NULL;
    struct loader_firmware *firmware = calloc(1, sizeof *firmware);
    if (!firmware) {
        return error_set(error, PENROSE_E_MEMORY, "%s: out of memory", directory);
    }
    firmware->facts = facts;
    firmware->operands_of = operands_of;
    enum penrose_status status = open_members(firmware, directory, error);
    if (status) {
        loader_firmware_close(firmware);
        return status;
    }
    *result = firmware;
    return PENROSE_OK;
}

void loader_firmware_close(struct loader_firmware *firmware)
{
    if (!firmware) {
        return;
    }
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        loader_elf_close(firmware->elf[i]);
    }
    free(firmware);
}

bool loader_writes_put(struct loader_writes *writes, uint32_t address, const void *bytes,
                       uint32_t size)
{
    uint8_t *to = size ? loader_writes_add(writes, address, size) : NULL;
    if (to) {
        memcpy(to, bytes, size);
    }
    return to || !size;
}

/* Texts go where they were linked, the contents of local memory to the scratch area. */
static bool add_segments(const struct loader_firmware *firmware, unsigned processor,
                         struct loader_writes *writes)
{
    const struct loader_elf *elf = firmware->elf[processor];
    for (unsigned i = 0; i < elf->segments_count; i++) {
        const struct loader_segment *segment = &elf->segment[i];
        uint32_t address = segment->vaddr;
        if (loader_is_local(firmware->facts, segment)) {
            address = firmware->scratch[processor] + (segment->vaddr - firmware->facts->local_ram);
        }
        if (!loader_writes_put(writes, address, segment->bytes, segment->filesz)) {
            return false;
        }
    }
    return true;
}

static uint8_t *put_boot_bytes(uint8_t *to, const void *bytes, size_t size)
{
    if (bytes) {
        memcpy(to, bytes, size);
    }
    return to + size;
}

static bool add_tables(const struct loader_tables *tables, const struct loader_boot *boot,
                       struct loader_writes *writes)
{
    size_t dram = tables->dram_banks, l1 = tables->l1_banks;
    if (dram + l1) {
        uint8_t *at = loader_writes_add(writes, tables->bank_address, bank_tables_size(tables));
        if (!at) {
            return false;
        }
        at = put_boot_bytes(at, boot->dram_bank_to_noc_xy, 2 * dram * sizeof(uint16_t));
        at = put_boot_bytes(at, boot->l1_bank_to_noc_xy, 2 * l1 * sizeof(uint16_t));
        at = put_boot_bytes(at, boot->bank_to_dram_offset, dram * sizeof(int32_t));
        put_boot_bytes(at, boot->bank_to_l1_offset, l1 * sizeof(int32_t));
    }
    if (tables->columns + tables->rows) {
        uint8_t *at = loader_writes_add(writes, tables->map_address, map_size(tables));
        if (!at) {
            return false;
        }
        put_boot_bytes(at, boot->column_to_virtual, tables->columns);
        put_boot_bytes(at + round_up_address(tables->columns, 4), boot->row_to_virtual,
                       tables->rows);
    }
    return true;
}

/* The mailboxes start as zeros: an empty launch ring at its first entry. */
static bool add_mailboxes(const struct loader_layout *layout, const struct loader_boot *boot,
                          struct loader_writes *writes)
{
    uint8_t *mailboxes = loader_writes_add(writes, layout->mailbox_base, layout->mailboxes_size);
    if (!mailboxes) {
        return false;
    }
    uint8_t *core_info = mailboxes + layout->mailboxes_core_info.offset;
    core_info[layout->core_info_absolute_logical_x.offset] = boot->logical_x;
    core_info[layout->core_info_absolute_logical_y.offset] = boot->logical_y;
    uint8_t *go_message = mailboxes + layout->mailboxes_go_messages.offset;
    go_message[layout->go_msg_signal.offset] = (uint8_t)layout->RUN_MSG_INIT;
    return true;
}

enum penrose_status loader_firmware_boot(const struct loader_firmware *firmware,
                                         const struct loader_boot *boot,
                                         struct loader_writes *writes, struct penrose_error *error)
{
    bool done = true;
    for (unsigned i = 0; i < LOADER_PROCESSORS && done; i++) {
        done = add_segments(firmware, i, writes);
    }
    uint32_t jump = 0;
    encode_jump(firmware->entry[LOADER_BRISC], &jump);
    done = done && loader_writes_put(writes, 0, &jump, sizeof jump) &&
           add_tables(&firmware->tables, boot, writes) &&
           add_mailboxes(&firmware->layout, boot, writes);
    return done ? PENROSE_OK : error_set(error, PENROSE_E_MEMORY, "boot writes: out of memory");
}

bool loader_is_loaded(const struct loader_elf *elf, uint32_t entry, struct loader_memory memory)
{
    enum { ENOUGH = 32 };
    uint8_t bytes[ENOUGH];
    const struct loader_segment *segment = loader_elf_segment_at(elf, entry);
    uint32_t offset = segment ? entry - segment->vaddr : 0;
    if (!segment || offset >= segment->filesz) {
        return false;
    }
    size_t size = segment->filesz - offset < ENOUGH ? segment->filesz - offset : ENOUGH;
    return memory.read(memory.context, entry, bytes, size) &&
           memcmp(bytes, segment->bytes + offset, size) == 0;
}

bool loader_firmware_ready(const struct loader_firmware *firmware, struct loader_memory memory)
{
    const struct loader_layout *layout = &firmware->layout;
    uint32_t base = layout->mailbox_base;
    uint32_t index = 0, go_message = base + layout->mailboxes_go_messages.offset;
    uint8_t signal, sync[4]; /* NCRISC, TRISC0, TRISC1, TRISC2 */
    uint32_t index_size = layout->mailboxes_go_message_index.size;
    if (!memory.read(memory.context, base + layout->mailboxes_go_message_index.offset, &index,
                     index_size < sizeof index ? index_size : sizeof index) ||
        index >= layout->mailboxes_go_messages.count) {
        return false;
    }
    go_message += index * layout->go_msg_size;
    if (!memory.read(memory.context, go_message + layout->go_msg_signal.offset, &signal, 1) ||
        !memory.read(memory.context, base + layout->mailboxes_subordinate_sync.offset, sync,
                     sizeof sync)) {
        return false;
    }
    uint32_t done = layout->RUN_SYNC_MSG_DONE;
    return signal == layout->RUN_MSG_DONE && sync[0] == done && sync[2] == done &&
           sync[3] == done &&
           (sync[1] == done || sync[1] == layout->RUN_SYNC_MSG_INIT_SYNC_REGISTERS) &&
           loader_is_loaded(firmware->elf[LOADER_BRISC], firmware->entry[LOADER_BRISC], memory);
}
