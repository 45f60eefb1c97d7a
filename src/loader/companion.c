/* Firmware of Ethernet and DRAM tiles, see companion.h. SPEC: tt-metal's HAL for these cores. */
#include "loader/companion.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "loader/elf_internal.h"
#include "loader/firmware_internal.h"
#include "loader/scratch.h"

static const struct {
    const char *elf[LOADER_COMPANION_HARTS];
    enum penrose_tile_kind tile;
} kinds[LOADER_COMPANIONS] = {
    [LOADER_ACTIVE_ETHERNET] = {{"active_erisc", "subordinate_active_erisc"},
                                PENROSE_TILE_ETHERNET},
    [LOADER_IDLE_ETHERNET] = {{"idle_erisc", "subordinate_idle_erisc"}, PENROSE_TILE_ETHERNET},
    [LOADER_DRAM] = {{"drisc", NULL}, PENROSE_TILE_DRAM},
};

/* The first segment in local memory, whose image main() copies; NULL when there is none. */
static const struct loader_segment *data_segment(const struct loader_companion *companion,
                                                 const struct loader_elf *elf)
{
    for (unsigned i = 0; i < elf->segments_count; i++) {
        if (loader_is_local(companion->facts, &elf->segment[i])) {
            return &elf->segment[i];
        }
    }
    return NULL;
}

static enum penrose_status open_hart(struct loader_companion *companion, const char *directory,
                                     unsigned hart, struct penrose_error *error)
{
    const char *name = kinds[companion->kind].elf[hart];
    uint32_t l1_bytes = companion->facts->l1_bytes[kinds[companion->kind].tile];
    struct loader_elf *elf;
    enum penrose_status status = loader_open_named(companion->facts, directory, name, &elf, error);
    if (status) {
        return status;
    }
    companion->elf[hart] = elf;
    companion->harts++;
    const struct loader_segment *data = data_segment(companion, elf);
    companion->entry[hart] = elf->entry;
    if (data && data->filesz &&
        !loader_scratch_find(elf, l1_bytes, companion->operands_of, &companion->scratch[hart])) {
        return error_set(error, PENROSE_E_FORMAT,
                         "%s: main() copies no data from L1 as tt-metal's firmware does",
                         elf->name);
    }
    for (unsigned i = 0; i < elf->segments_count; i++) {
        const struct loader_segment *segment = &elf->segment[i];
        uint64_t end = (uint64_t)segment->vaddr + segment->memsz;
        if (!loader_is_local(companion->facts, segment) && end > l1_bytes) {
            return error_set(error, PENROSE_E_FORMAT,
                             "%s: needs addresses up to 0x%" PRIx64
                             ", expected L1 (below 0x%" PRIx32 ") or local memory",
                             elf->name, end, l1_bytes);
        }
    }
    return PENROSE_OK;
}

enum penrose_status loader_companion_open(const struct arch *facts, rv32_operands_of *operands_of,
                                          const char *directory, enum loader_companion_kind kind,
                                          struct loader_companion **result,
                                          struct penrose_error *error)
{
    *result = NULL;
    struct loader_companion *companion = calloc(1, sizeof *companion);
    if (!companion) {
        return error_set(error, PENROSE_E_MEMORY, "%s: out of memory", directory);
    }
    companion->facts = facts;
    companion->operands_of = operands_of;
    companion->kind = kind;
    enum penrose_status status = PENROSE_OK;
    for (unsigned i = 0; i < LOADER_COMPANION_HARTS && !status && kinds[kind].elf[i]; i++) {
        status = open_hart(companion, directory, i, error);
    }
    if (status == PENROSE_E_FILE && companion->harts == 1 && kind == LOADER_ACTIVE_ETHERNET) {
        status = PENROSE_OK; /* it is made for one hart */
    }
    if (!status) {
        status = loader_layout_read_boot(companion->elf[0], facts->l1_bytes[kinds[kind].tile],
                                         &companion->layout, error);
    }
    if (status) {
        loader_companion_close(companion);
        return status;
    }
    *result = companion;
    return PENROSE_OK;
}

void loader_companion_close(struct loader_companion *companion)
{
    if (!companion) {
        return;
    }
    for (unsigned i = 0; i < companion->harts; i++) {
        loader_elf_close(companion->elf[i]);
    }
    free(companion);
}

static bool add_segments(const struct loader_companion *companion, unsigned hart,
                         struct loader_writes *writes)
{
    const struct loader_elf *elf = companion->elf[hart];
    const struct loader_segment *data = data_segment(companion, elf);
    for (unsigned i = 0; i < elf->segments_count; i++) {
        const struct loader_segment *segment = &elf->segment[i];
        uint32_t address = segment->vaddr;
        if (loader_is_local(companion->facts, segment)) {
            address = companion->scratch[hart] + (segment->vaddr - data->vaddr);
        }
        if (!loader_writes_put(writes, address, segment->bytes, segment->filesz)) {
            return false;
        }
    }
    return true;
}

/* Zeros but for who the tile is, which of a DRAM tile's NIUs lead to the bank (both), and INIT. */
static bool add_mailboxes(const struct loader_companion *companion, const struct loader_boot *boot,
                          struct loader_writes *writes)
{
    enum { BOTH_NIUS = 3 };
    const struct loader_layout *layout = &companion->layout;
    const struct loader_member *mask = &layout->core_info_noc2axi_niu_mask;
    uint8_t *mailboxes = loader_writes_add(writes, layout->mailbox_base, layout->mailboxes_size);
    if (!mailboxes) {
        return false;
    }
    uint8_t *core_info = mailboxes + layout->mailboxes_core_info.offset;
    core_info[layout->core_info_absolute_logical_x.offset] = boot->logical_x;
    core_info[layout->core_info_absolute_logical_y.offset] = boot->logical_y;
    if (mask->count && companion->kind == LOADER_DRAM) {
        core_info[mask->offset] = BOTH_NIUS;
    }
    uint8_t *go_message = mailboxes + layout->mailboxes_go_messages.offset;
    go_message[layout->go_msg_signal.offset] = (uint8_t)layout->RUN_MSG_INIT;
    return true;
}

enum penrose_status loader_companion_boot(const struct loader_companion *companion,
                                          const struct loader_boot *boot,
                                          struct loader_writes *writes, struct penrose_error *error)
{
    bool done = true;
    for (unsigned i = 0; i < companion->harts && done; i++) {
        done = add_segments(companion, i, writes);
    }
    done = done && add_mailboxes(companion, boot, writes);
    return done ? PENROSE_OK : error_set(error, PENROSE_E_MEMORY, "boot writes: out of memory");
}

bool loader_companion_ready(const struct loader_companion *companion, struct loader_memory memory)
{
    const struct loader_layout *layout = &companion->layout;
    uint32_t go_message = layout->mailbox_base + layout->mailboxes_go_messages.offset;
    uint8_t signal;
    return memory.read(memory.context, go_message + layout->go_msg_signal.offset, &signal, 1) &&
           signal == layout->RUN_MSG_DONE &&
           loader_is_loaded(companion->elf[0], companion->entry[0], memory);
}
