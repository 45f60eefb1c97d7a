/* Where the unpacker's thread sits: waits for pages, sums them, hands them to TRISC1. */
#include "kernel.h"

static void retire(void)
{
    while (SEMAPHORE(PAGE_FREE) == 0) {
    }
    SEMAPHORE(PAGE_FREE) = 1; /* odd: one less */
    cb_pop_front(IN);
}

void kernel_main(void)
{
    for (uint32_t left = crta_l1_base[ARG_PAGES]; left; left--) {
        cb_wait_front(IN);
        const uint32_t *page = (const uint32_t *)(cb_interface[IN].read << 4);
        uint32_t words = cb_interface[IN].page_size << 2, sum = 0;
        for (uint32_t i = 0; i < words; i++) {
            sum += page[i];
        }
        TTINSN(TENSIX_NOP);
        HART_MAILBOX(2) = (uint32_t)page;
        HART_MAILBOX(2) = words;
        HART_MAILBOX(2) = sum;
        retire();
    }
}
