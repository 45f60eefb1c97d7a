#include "isa/plain_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

size_t plain_text_character(const char *text, size_t size)
{
    static const uint32_t least[] = {0, 0, 1 << 7, 1 << 11, 1 << 16};
    const uint8_t *byte = (const uint8_t *)text;
    if (size == 0 || byte[0] < 0x80) {
        return size > 0;
    }
    size_t length = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
    if (byte[0] < 0xc2 || byte[0] > 0xf4 || length > size) {
        return 0;
    }
    uint32_t character = byte[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xc0) != 0x80) {
            return 0;
        }
        character = character << 6 | (byte[i] & 0x3f);
    }
    bool is_surrogate = character >= 0xd800 && character < 0xe000;
    return character < least[length] || character > 0x10ffff || is_surrogate ? 0 : length;
}

/* U+0000 to U+001F and U+007F to U+009F. */
static bool is_control(const char *text, size_t length)
{
    const uint8_t *byte = (const uint8_t *)text;
    return length == 1 ? (byte[0] < ' ' && byte[0] != '\n' && byte[0] != '\t') || byte[0] == 0x7f
                       : length == 2 && byte[0] == 0xc2 && byte[1] < 0xa0;
}

void plain_text(char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t length = plain_text_character(text + at, size - at);
        if (length == 0 || is_control(text + at, length)) {
            length += length == 0;
            memset(text + at, '?', length);
        }
        at += length;
    }
}
