/* The reader: every ARG_TILES-th tile of both inputs. */
#include "grid/add/add.h"
#include "grid/dataflow.h"

void kernel_main(void)
{
    const struct pages a = {common_argument(ARG_A), common_argument(ARG_SIZE_A)};
    const struct pages b = {common_argument(ARG_B), common_argument(ARG_SIZE_B)};
    const uint32_t count = common_argument(ARG_COUNT), step = common_argument(ARG_TILES);
    dataflow_begin();
    for (uint32_t tile = get_argument(ARG_INDEX); tile < count; tile += step) {
        cb_reserve_pages(INPUT_A, 1);
        cb_reserve_pages(INPUT_B, 1);
        page_read(&a, tile, cb_interface[INPUT_A].write);
        page_read(&b, tile, cb_interface[INPUT_B].write);
        read_barrier();
        cb_push_pages(INPUT_A, 1);
        cb_push_pages(INPUT_B, 1);
    }
}
