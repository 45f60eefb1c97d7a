/*
 * Does a kernel belong to a firmware? tt-metal links kernels with --just-symbols against the
 * firmware's ELF, so what they import shows as absolute symbols with the firmware's addresses.
 */
#include <inttypes.h>
#include <string.h>

#include "isa/error.h"
#include "loader/elf_internal.h"
#include "loader/launch.h"

/* Does the firmware decide on this symbol's value? */
static bool is_exported(const struct loader_symbol *symbol)
{
    bool is_variable = !symbol->absolute && symbol->kind == LOADER_SYMBOL_OBJECT;
    return symbol->global && (is_variable || strncmp(symbol->name, "__fw_export_", 12) == 0 ||
                              strcmp(symbol->name, "__global_pointer$") == 0);
}

static enum penrose_status check_symbols(const struct loader_elf *kernel,
                                         const struct loader_elf *firmware,
                                         struct penrose_error *error)
{
    for (uint32_t i = 0; i < kernel->symbols.count; i++) {
        const struct loader_symbol *ours = &kernel->symbols.symbol[i];
        if (!ours->absolute || !ours->global) {
            continue; /* defined by the kernel itself, which overrides a weak import */
        }
        const struct loader_symbol *theirs = loader_elf_symbol(firmware, ours->name);
        if (theirs && is_exported(theirs) && theirs->value != ours->value) {
            char name[LOADER_QUOTE];
            return error_set(error, PENROSE_E_FORMAT,
                             "%s: a kernel of another build: its %s is 0x%" PRIx32
                             ", expected 0x%" PRIx32
                             " as in %s; link it against that file (--just-symbols)",
                             kernel->name, loader_quote(name, sizeof name, ours->name), ours->value,
                             theirs->value, firmware->name);
        }
    }
    return PENROSE_OK;
}

/* The kernel's local memory lies between the firmware's and the top of the stack. */
static enum penrose_status check_local_memory(const struct loader_elf *kernel,
                                              const struct loader_elf *firmware,
                                              struct penrose_error *error)
{
    const struct loader_symbol *end = loader_elf_symbol(firmware, "__fw_export_ldm_end");
    const struct loader_symbol *top = loader_elf_symbol(firmware, "__stack_top");
    const struct loader_segment *text = loader_elf_segment_at(kernel, kernel->entry);
    for (unsigned i = 0; i < kernel->segments_count; i++) {
        const struct loader_segment *segment = &kernel->segment[i];
        if (segment == text) {
            continue;
        }
        if (end && segment->vaddr < end->value) {
            return error_set(error, PENROSE_E_FORMAT,
                             "%s: a kernel of another build: its data starts at 0x%" PRIx32
                             ", expected 0x%" PRIx32 " or later, __fw_export_ldm_end of %s",
                             kernel->name, segment->vaddr, end->value, firmware->name);
        }
        uint64_t last = (uint64_t)segment->vaddr + segment->memsz;
        if (top && last > top->value) {
            return error_set(error, PENROSE_E_FORMAT,
                             "%s: its data ends at 0x%" PRIx64 ", expected at most 0x%" PRIx32
                             ", __stack_top of %s: use less static data",
                             kernel->name, last, top->value, firmware->name);
        }
    }
    return PENROSE_OK;
}

enum penrose_status loader_kernel_check(const struct loader_elf *kernel,
                                        const struct loader_firmware *firmware,
                                        enum loader_processor processor,
                                        struct penrose_error *error)
{
    const struct loader_elf *other = firmware->elf[processor];
    enum penrose_status status = check_symbols(kernel, other, error);
    return status ? status : check_local_memory(kernel, other, error);
}
