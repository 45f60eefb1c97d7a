/*
 * How a Tensix instruction lies in the code of a hart: as the hart's own instruction .ttinsn, which
 * is the word rotated left by two bits. The assembler keeps lines of instructions and of labels
 * only, so the word gets a label: __asm__ volatile(TTINSN_TEXT : : "i"(TTINSN_BITS(word)))
 */
#ifndef TTINSN_H
#define TTINSN_H

#define TTINSN_TEXT       ".loc_mark_labels 1\n0: .word %0\n.loc_mark_labels 0"
#define TTINSN_BITS(word) ((uint32_t)(word) << 2 | (uint32_t)(word) >> 30)

#endif
