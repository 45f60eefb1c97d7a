/* Where the matrix unit's thread sits: mixes each page in place with the key. */
#include "kernel.h"

void kernel_main(void)
{
    uint32_t key = rta_l1_base[ARG_KEY];
    for (uint32_t left = crta_l1_base[ARG_PAGES]; left; left--) {
        uint32_t *page = (uint32_t *)HART_MAILBOX(1);
        uint32_t words = HART_MAILBOX(1), sum = HART_MAILBOX(1);
        for (uint32_t i = 0; i < words; i++) {
            uint32_t mixed = page[i] ^ (key + i);
            page[i] = mixed << 7 | mixed >> 25;
        }
        TTINSN(TENSIX_NOP);
        TTINSN(TENSIX_NOP);
        fence();
        HART_MAILBOX(3) = (uint32_t)page;
        HART_MAILBOX(3) = words;
        HART_MAILBOX(3) = sum;
    }
}
