/* The writer of a copy from DRAM to DRAM: takes pages from circular buffer 0 to where they
 * belong. */
#include "grid/copy/copy.h"

void kernel_main(void)
{
    const struct pages to = {common_argument(ARG_TO), common_argument(ARG_PAGE_SIZE)};
    const struct share share = own_share();
    dataflow_begin();
    for (uint32_t page = share.first; page < share.end; page++) {
        cb_wait_pages(PAGES, 1);
        page_write(&to, page, cb_interface[PAGES].read);
        write_departure();
        cb_pop_pages(PAGES, 1);
    }
    write_barrier();
}
