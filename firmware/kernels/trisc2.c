/* Where the packer's thread sits: copies pages and their sums into the second circular buffer. */
#include "kernel.h"

void kernel_main(void)
{
    for (uint32_t left = crta_l1_base[ARG_PAGES]; left; left--) {
        const uint32_t *page = (const uint32_t *)HART_MAILBOX(2);
        uint32_t words = HART_MAILBOX(2), sum = HART_MAILBOX(2);
        cb_reserve_back(OUT);
        uint32_t *to = (uint32_t *)(cb_interface[OUT].write << 4);
        for (uint32_t i = 0; i < words; i++) {
            to[i] = page[i];
        }
        to[words] = sum;
        cb_push_back(OUT);
        TTINSN(TENSIX_NOP);
        SEMAPHORE(PAGE_FREE) = 0; /* even: one more */
    }
}
