/* A small printf; see console.h. A line is put together on the stack and handed over in one call. */
#include "console.h"

#ifndef NO_CONSOLE

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

enum { SYS_WRITE0 = 4, ROOM = 128, DIGITS = 10 };

struct text {
    char characters[ROOM + 1];
    unsigned length;
};

/* The three instructions are what tells a call from a breakpoint, so none may be compressed. */
static void host_call(uint32_t number, const void *argument)
{
    register uint32_t a0 __asm__("a0") = number;
    register const void *a1 __asm__("a1") = argument;
    __asm__ volatile(".option push\n"
                     ".option norvc\n"
                     "slli x0, x0, 0x1f\n"
                     "ebreak\n"
                     "srai x0, x0, 7\n"
                     ".option pop"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
}

static void flush(struct text *text)
{
    text->characters[text->length] = 0;
    if (text->length) {
        __asm__ volatile("fence" : : : "memory"); /* the host reads what lies in memory */
        host_call(SYS_WRITE0, text->characters);
    }
    text->length = 0;
}

static void put(struct text *text, char character)
{
    if (text->length == ROOM) {
        flush(text);
    }
    text->characters[text->length++] = character;
}

static void put_padded(struct text *text, const char *string, unsigned length, unsigned width,
                       char padding)
{
    for (; width > length; width--) {
        put(text, padding);
    }
    for (unsigned i = 0; i < length; i++) {
        put(text, string[i]);
    }
}

static void put_number(struct text *text, uint32_t value, bool is_negative, unsigned base,
                       const char *digits, unsigned width, char padding)
{
    char reversed[DIGITS + 1], string[DIGITS + 1];
    unsigned length = 0;
    do {
        reversed[length++] = digits[value % base];
        value /= base;
    } while (value);
    if (is_negative && padding == '0') {
        put(text, '-');
        width = width ? width - 1 : 0;
    } else if (is_negative) {
        reversed[length++] = '-';
    }
    for (unsigned i = 0; i < length; i++) {
        string[i] = reversed[length - 1 - i];
    }
    put_padded(text, string, length, width, padding);
}

static void put_conversion(struct text *text, char conversion, uint32_t value, unsigned width,
                           char padding)
{
    static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
    bool is_negative = (int32_t)value < 0;
    switch (conversion) {
    case 'd':
    case 'i':
        put_number(text, is_negative ? -value : value, is_negative, 10, lower, width, padding);
        break;
    case 'u':
        put_number(text, value, false, 10, lower, width, padding);
        break;
    case 'p':
        put(text, '0');
        put(text, 'x');
        put_number(text, value, false, 16, lower, 8, '0');
        break;
    case 'x':
        put_number(text, value, false, 16, lower, width, padding);
        break;
    case 'X':
        put_number(text, value, false, 16, upper, width, padding);
        break;
    case 'c':
        put(text, (char)value);
        break;
    case 's': {
        const char *string = (const char *)value;
        unsigned length = 0;
        while (string[length]) {
            length++;
        }
        put_padded(text, string, length, width, ' ');
        break;
    }
    default: /* as it stands */
        put(text, '%');
        put(text, conversion);
        break;
    }
}

void print(const char *format, ...)
{
    struct text text;
    va_list arguments;
    text.length = 0;
    va_start(arguments, format);
    for (; *format; format++) {
        unsigned width = 0;
        char padding = ' ';
        if (*format != '%') {
            put(&text, *format);
            continue;
        }
        format++;
        if (*format == '0') {
            padding = '0';
        }
        for (; *format >= '0' && *format <= '9'; format++) {
            width = 10 * width + (unsigned)(*format - '0');
        }
        while (*format == 'l' || *format == 'z' || *format == 'h') {
            format++; /* all are words */
        }
        if (*format == '%' || !*format) {
            put(&text, '%');
            format -= !*format;
            continue;
        }
        put_conversion(&text, *format, va_arg(arguments, uint32_t), width, padding);
    }
    va_end(arguments);
    flush(&text);
}

#endif
