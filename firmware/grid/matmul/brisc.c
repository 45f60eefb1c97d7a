/* Brings the panel of B: columns of it, which all tiles of the column of the grid need; then takes
 * the result to DRAM. */
#include "grid/matmul/panel.h"

static void write_result(void)
{
    const struct pages to = {common_argument(ARG_RESULT), common_argument(ARG_SIZE_RESULT)};
    const uint32_t height = common_argument(ARG_HEIGHT), width = common_argument(ARG_WIDTH);
    const uint32_t columns = common_argument(ARG_COLUMNS);
    uint32_t page = get_argument(ARG_Y) * height * columns + get_argument(ARG_X) * width;
    for (uint32_t row = 0; row < height; row++) {
        for (uint32_t column = 0; column < width; column++) {
            cb_wait_pages(RESULT, 1);
            page_write(&to, page + column, cb_interface[RESULT].read);
            write_departure();
            cb_pop_pages(RESULT, 1);
        }
        page += columns;
    }
    write_barrier();
}

void kernel_main(void)
{
    const uint32_t width = common_argument(ARG_WIDTH);
    const struct panel b = {
        .pages = {common_argument(ARG_B), common_argument(ARG_SIZE_B)},
        .first = get_argument(ARG_X) * width,
        .step_inner = common_argument(ARG_COLUMNS),
        .step_other = 1,
        .inner = common_argument(ARG_INNER),
        .other = width,
        .depth = common_argument(ARG_DEPTH),
        .cb = PANEL_B,
        .ready = B_READY,
        .valid = B_VALID,
        .is_sender = get_argument(ARG_Y) == 0,
        .sender = get_argument(ARG_COLUMN_SENDER),
        .rectangle = noc_rectangle(get_argument(ARG_COLUMN_FIRST), get_argument(ARG_COLUMN_LAST)),
        .receivers = get_argument(ARG_COLUMN_RECEIVERS),
    };
    dataflow_begin();
    panel_move(&b);
    write_result();
}
