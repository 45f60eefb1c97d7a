/* Hand-over of the banks of SrcA and SrcB beyond what all units share (exec.h). */
#ifndef TENSIX_SRC_BANKS_H
#define TENSIX_SRC_BANKS_H

#include "tensix/tensix.h"

/* The Matrix Unit gives its bank back and stays with it. Nothing happens while SOFT_RESET_0 holds
 * the banks. */
void tensix_src_withdraw(struct tensix *tensix, enum tensix_src src);

/* As after power-on: both sides at bank 0, both banks with the unpackers. Entering the soft reset
 * of the banks is to call it too. */
void tensix_src_reset(struct tensix *tensix, enum tensix_src src);

#endif
