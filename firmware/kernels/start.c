/* The first instruction of a kernel: the firmware calls it with its own stack and global
 * pointer. */
#include "kernel.h"

extern uint32_t __kernel_bss_start[], __kernel_bss_end[];
extern uint32_t __kernel_data_start[], __kernel_data_end[];
extern const uint32_t __kernel_data_lma[]; /* behind the text, wherever that has been loaded */

__attribute__((section(".start"))) uint32_t _start(void)
{
    const uint32_t *from = __kernel_data_lma;
    for (uint32_t *to = __kernel_bss_start; to < __kernel_bss_end; to++) {
        *to = 0;
    }
    for (uint32_t *to = __kernel_data_start; to < __kernel_data_end; to++) {
        *to = *from++;
    }
    kernel_main();
    return 0; /* unused stack, for firmware that measures it */
}
