/* Memory of the host, see host/pages.h. */
#include "host/pages.h"

#include <sys/mman.h>

void *host_pages_map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    madvise(memory, bytes, MADV_NOHUGEPAGE); /* a host that knows no large pages refuses advice */
    return memory;
}

void host_pages_unmap(void *memory, size_t bytes)
{
    munmap(memory, bytes);
}
