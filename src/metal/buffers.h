/* Where tt-metal counts the pages of circular buffers: in registers of streams, 16 bits each, which go
 * round at 65536. */
#ifndef METAL_BUFFERS_H
#define METAL_BUFFERS_H

#include "loader/layout.h"

/* Numbers of the registers. The producer counts pages that it has pushed, the consumer those that it
 * has popped. */
enum { METAL_PAGES_ACKNOWLEDGED = 8, METAL_PAGES_RECEIVED = 10 };

/* The stream of circular buffer 0. Its firmware tells; older builds of tt-metal do not, and use 8. */
static inline unsigned metal_first_buffer_stream(const struct loader_layout *layout)
{
    enum { FIRST = 8 };
    return layout && layout->OPERAND_START_STREAM != LOADER_UNKNOWN ? layout->OPERAND_START_STREAM
                                                                    : FIRST;
}

#endif
