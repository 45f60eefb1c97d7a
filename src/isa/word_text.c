/* Words as integers and as numbers; see word_text.h. */
#include "isa/word_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void word_text(uint32_t word, char text[WORD_TEXT])
{
    float number;
    memcpy(&number, &word, sizeof number);
    snprintf(text, WORD_TEXT, "0x%08" PRIx32 " (%" PRId32 ", %.9g)", word, (int32_t)word,
             (double)number);
}
