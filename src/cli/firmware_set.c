/* See firmware_set.h. */
#include "cli/firmware_set.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "chip/grid.h"
#include "cli/installation.h"
#include "loader/firmware.h"
#include "rv32/rv32.h"

/* Dispatch on Tensix tiles uses stream 48 of the overlay, on Ethernet tiles stream 16: the page of
 * its registers is in a LUI. */
static bool dispatches_on_tensix(const struct loader_elf *brisc)
{
    const uint32_t stream_48 = AT_OVERLAY + 48 * STEP_STREAM;
    unsigned count;
    const struct loader_segment *segment = loader_elf_segments(brisc, &count);
    for (unsigned i = 0; i < count; i++) {
        for (uint32_t at = 0;
             segment[i].flags & LOADER_SEGMENT_EXECUTE && at + 4 <= segment[i].filesz; at += 4) {
            uint32_t word;
            memcpy(&word, segment[i].bytes + at, sizeof word);
            const struct rv32_operands insn = rv32_find_operands(NULL, word, 0);
            if (insn.row == RV32_ROW_LUI && (uint32_t)insn.imm << 12 == stream_48) {
                return true;
            }
        }
    }
    return false;
}

/* One column of workers is for dispatch. */
static bool fits(const struct loader_firmware *firmware, const struct grid_product *product)
{
    enum { ROWS = GRID_HEIGHT - GRID_TENSIX_ROW };
    unsigned columns = GRID_COLUMNS - (unsigned)__builtin_popcount(product->fused.columns);
    unsigned banks = GRID_BANKS - (unsigned)__builtin_popcount(product->fused.banks);
    return firmware->tables.l1_banks == (columns - 1) * ROWS &&
           firmware->tables.dram_banks == banks &&
           dispatches_on_tensix(firmware->elf[LOADER_BRISC]);
}

bool firmware_set_choose(const char *folder, const char *card, char path[PATH_MAX], unsigned *sets)
{
    const struct grid_product *product = grid_product(card);
    struct dirent **entry;
    bool found = false;
    int count = scandir(folder, &entry, NULL, alphasort);
    *sets = 0;
    for (int i = 0; i < count; i++) {
        struct loader_firmware *firmware;
        struct penrose_error error;
        char candidate[PATH_MAX];
        if (entry[i]->d_name[0] != '.' && product &&
            path_join(candidate, folder, entry[i]->d_name) &&
            loader_firmware_open(candidate, &firmware, &error) == PENROSE_OK) {
            ++*sets;
            if (!found && fits(firmware, product)) {
                found = true;
                memcpy(path, candidate, sizeof candidate);
            }
            loader_firmware_close(firmware);
        }
        free(entry[i]);
    }
    if (count >= 0) {
        free(entry);
    }
    return found;
}
