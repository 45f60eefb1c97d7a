/* Brings the panel of A: rows of it, which all tiles of the row of the grid need. */
#include "grid/matmul/panel.h"

void kernel_main(void)
{
    const uint32_t height = common_argument(ARG_HEIGHT), inner = common_argument(ARG_INNER);
    const struct panel a = {
        .pages = {common_argument(ARG_A), common_argument(ARG_SIZE_A)},
        .first = get_argument(ARG_Y) * height * inner,
        .step_inner = 1,
        .step_other = inner,
        .inner = inner,
        .other = height,
        .depth = common_argument(ARG_DEPTH),
        .cb = PANEL_A,
        .ready = A_READY,
        .valid = A_VALID,
        .is_sender = get_argument(ARG_X) == 0,
        .sender = get_argument(ARG_ROW_SENDER),
        .rectangle = noc_rectangle(get_argument(ARG_ROW_FIRST), get_argument(ARG_ROW_LAST)),
        .receivers = get_argument(ARG_ROW_RECEIVERS),
    };
    dataflow_begin();
    panel_move(&a);
}
