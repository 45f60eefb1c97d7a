/* Messages by which a host lets ARC's firmware change the rest of the chip. */
#ifndef CHIP_MESSAGES_H
#define CHIP_MESSAGES_H

#include <stdint.h>

#include "chip/arc.h"

/* The function `message` of struct arc_board; `context` is the chip. Messages that are not modelled
 * fail (exit code 1), so that no host takes them for done. */
uint8_t chip_message(void *context, const uint32_t request[ARC_MESSAGE_WORDS],
                     uint32_t response[ARC_MESSAGE_WORDS]);

#endif
