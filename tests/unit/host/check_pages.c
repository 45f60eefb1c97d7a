/* Memory of the host: zeros, and small pages. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/pages.h"
#include "unit/test.h"

enum { BYTES = 4 << 20 };

TEST(zeros_from_the_start_of_a_page)
{
    uint8_t *memory = host_pages_map(BYTES);
    ck_assert_ptr_nonnull(memory);
    ck_assert_uint_eq((uintptr_t)memory % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
    ck_assert(memory[0] == 0 && memcmp(memory, memory + 1, BYTES - 1) == 0);
    memory[BYTES - 1] = 1;
    host_pages_unmap(memory, BYTES);
}

TEST(no_memory_is_no_crash)
{
    ck_assert_ptr_null(host_pages_map(SIZE_MAX / 2));
}

/* Does the mapping that holds `memory` have the flag, as Linux names flags in smaps? */
static bool has_flag(const void *memory, const char *flag)
{
    char line[512];
    unsigned long first, last;
    bool here = false, found = false;
    FILE *maps = fopen("/proc/self/smaps", "r");
    ck_assert_ptr_nonnull(maps);
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx ", &first, &last) == 2) {
            here = (uintptr_t)memory >= first && (uintptr_t)memory < last;
        } else if (here && strncmp(line, "VmFlags:", 8) == 0) {
            found = strstr(line, flag) != NULL;
        }
    }
    fclose(maps);
    return found;
}

/* Also where the host prefers large ones. */
TEST(pages_are_small)
{
    if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0) {
        return; /* it has no others */
    }
    void *memory = host_pages_map(BYTES);
    ck_assert_ptr_nonnull(memory);
    ck_assert(has_flag(memory, " nh"));
    host_pages_unmap(memory, BYTES);
}
