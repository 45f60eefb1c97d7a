/* The writer. */
#include "grid/add/add.h"
#include "grid/dataflow.h"

void kernel_main(void)
{
    const struct pages to = {common_argument(ARG_RESULT), common_argument(ARG_SIZE_RESULT)};
    const uint32_t count = common_argument(ARG_COUNT), step = common_argument(ARG_TILES);
    dataflow_begin();
    for (uint32_t tile = get_argument(ARG_INDEX); tile < count; tile += step) {
        cb_wait_pages(RESULT, 1);
        page_write(&to, tile, cb_interface[RESULT].read);
        write_departure();
        cb_pop_pages(RESULT, 1);
    }
    write_barrier();
}
