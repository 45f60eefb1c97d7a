/*
 * Texts that come from files and guests: symbols, paths, keys, names. They may hold anything, and go
 * to terminals, which obey control characters, and into JSON, which is UTF-8.
 */
#ifndef ISA_PLAIN_TEXT_H
#define ISA_PLAIN_TEXT_H

#include <stddef.h>

/* How many of `size` bytes at `text` are one character of UTF-8; 0: none begins there. */
size_t plain_text_character(const char *text, size_t size);

/* Makes '?' of what is no character of UTF-8 and of each byte of a control character, but for
 * newlines and tabs. The last character may be cut; its beginning becomes '?', too. */
void plain_text(char *text, size_t size);

#endif
