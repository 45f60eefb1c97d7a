/* The reader: generates pages of pseudo-random words into the first circular buffer. */
#include "kernel.h"

static uint32_t produced;           /* .bss */
static uint32_t state = 0x9e3779b9; /* .data */

void kernel_main(void)
{
    uint32_t pages = crta_l1_base[ARG_PAGES];
    uint32_t multiplier = rta_l1_base[ARG_MULTIPLIER], increment = rta_l1_base[ARG_INCREMENT];
    state ^= crta_l1_base[ARG_SEED];
    while (produced < pages) {
        cb_reserve_back(IN);
        uint32_t *page = (uint32_t *)cb_interface[IN].write;
        for (uint32_t i = 0; i < cb_interface[IN].page_size / 4; i++) {
            state = state * multiplier + increment;
            page[i] = state;
        }
        cb_push_back(IN);
        produced++;
    }
    L1_SEMAPHORE(SEMAPHORE_PRODUCED) = produced;
    fence();
}
