/* Hand-over of the banks of SrcA and SrcB beyond what all units share (exec.h). */
#ifndef TENSIX_SRC_BANKS_H
#define TENSIX_SRC_BANKS_H

#include "tensix/tensix.h"

/* The Matrix Unit gives its bank back and stays with it. Nothing happens while SOFT_RESET_0 holds
 * the banks. */
void tensix_src_withdraw(struct tensix *tensix, enum tensix_src src);

/*
 * Must the Matrix Unit's `thread` wait before it gives these banks back (bit 0 SrcA, bit 1 SrcB)?
 * Nothing in hardware waits: a bank that has not been given is released all the same. But a
 * functional run may be ahead with one thread of what another one does in an adjacent cycle: LLK
 * unpacks to SrcA and sets the dvalid of SrcB by the next instruction of a MOP, and thread 1 waits
 * for SrcA alone before it gives both back. So it waits while others can still go on. *src is the
 * bank.
 */
bool tensix_src_comes_later(struct tensix *tensix, unsigned thread, unsigned banks,
                            enum tensix_src *src);

/* As after power-on: both sides at bank 0, both banks with the unpackers. Entering the soft reset
 * of the banks is to call it too. */
void tensix_src_reset(struct tensix *tensix, enum tensix_src src);

#endif
