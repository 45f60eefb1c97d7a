/* What a compiler calls by itself, and expects of every program. */
#include <stddef.h>

void *memset(void *to, int value, size_t size)
{
    unsigned char *bytes = to;
    while (size--) {
        *bytes++ = (unsigned char)value;
    }
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    unsigned char *bytes = to;
    const unsigned char *source = from;
    while (size--) {
        *bytes++ = *source++;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *bytes = to;
    const unsigned char *source = from;
    if (bytes <= source) {
        return memcpy(to, from, size);
    }
    while (size--) {
        bytes[size] = source[size];
    }
    return to;
}

int memcmp(const void *left, const void *right, size_t size)
{
    const unsigned char *a = left, *b = right;
    for (size_t i = 0; i < size; i++) {
        if (a[i] != b[i]) {
            return a[i] - b[i];
        }
    }
    return 0;
}
