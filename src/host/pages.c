/* Memory of the host, see host/pages.h. */
#include "host/pages.h"

#include <stdint.h>
#include <sys/mman.h>

/* A host that knows no large pages refuses advice on them, and all stays as it is. */

static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void *host_pages_map(size_t bytes)
{
    void *memory = map(bytes);
    if (memory) {
        madvise(memory, bytes, MADV_NOHUGEPAGE);
    }
    return memory;
}

void host_pages_unmap(void *memory, size_t bytes)
{
    munmap(memory, bytes);
}
