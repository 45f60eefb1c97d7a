/* The functions that compilers call on their own. The empty statement keeps the compiler from
 * making a loop into a call of the function that it is in. */
#include <stddef.h>

#ifdef __cplusplus /* the stand-in takes C for C++ */
extern "C" {
#endif
void *memset(void *to, int value, size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
#ifdef __cplusplus
}
#endif

#define KEEP_LOOP __asm__ volatile("")

void *memset(void *to, int value, size_t size)
{
    unsigned char *byte = (unsigned char *)to;
    for (size_t i = 0; i < size; i++) {
        byte[i] = (unsigned char)value;
        KEEP_LOOP;
    }
    return to;
}

void *memcpy(void *to, const void *from, size_t size)
{
    unsigned char *byte = (unsigned char *)to;
    const unsigned char *source = (const unsigned char *)from;
    for (size_t i = 0; i < size; i++) {
        byte[i] = source[i];
        KEEP_LOOP;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *byte = (unsigned char *)to;
    const unsigned char *source = (const unsigned char *)from;
    if (byte < source) {
        return memcpy(to, from, size);
    }
    for (size_t i = size; i-- > 0;) {
        byte[i] = source[i];
        KEEP_LOOP;
    }
    return to;
}
