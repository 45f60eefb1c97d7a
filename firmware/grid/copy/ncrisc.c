/*
 * The reader of a copy from DRAM to DRAM: brings this tile's share of the pages into circular
 * buffer 0, as many at a time as there is room for.
 */
#include "grid/copy/copy.h"

void kernel_main(void)
{
    const struct pages from = {common_argument(ARG_FROM), common_argument(ARG_PAGE_SIZE)};
    const struct share share = own_share();
    dataflow_begin();
    for (uint32_t page = share.first; page < share.end; page++) {
        cb_reserve_pages(PAGES, 1);
        page_read(&from, page, cb_interface[PAGES].write);
        read_barrier();
        cb_push_pages(PAGES, 1);
    }
}
