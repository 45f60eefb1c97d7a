/*
 * Text for the person at the host, by RISC-V semihosting: `penrose run` prints it. On a card nobody
 * answers, and the hart would stand; there build with -DNO_CONSOLE, which makes nothing of it.
 *
 *   print("%d of %u are right, the first at 0x%08x: %s\n", right, all, at, name);
 *
 * Conversions: %d %i %u %x %X %c %s %p %%, with a width and a 0 in front of it; each takes a word.
 * (An uint32_t is an unsigned long for this compiler, which wants %lu for it.)
 */
#ifndef CONSOLE_H
#define CONSOLE_H

#ifdef NO_CONSOLE
#define print(...) ((void)0)
#else
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif

#endif
