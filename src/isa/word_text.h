/* Texts of words that may hold an integer or an FP32 number. */
#ifndef ISA_WORD_TEXT_H
#define ISA_WORD_TEXT_H

#include <stdint.h>

enum { WORD_TEXT = 48 };

/* "0x3f800000 (1065353216, 1)": bits, integer, FP32. */
void word_text(uint32_t word, char text[WORD_TEXT]);

#endif
