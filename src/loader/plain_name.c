/*
 * Names of symbols as their programs spell them. GNU libiberty translates them. Names come from
 * files of any kind, so this file limits their time and memory: libiberty has a limit of recursion,
 * and a jump out of it ends long output early.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "loader/elf.h"

/* Longer names stay as they are: of this many characters libiberty refuses C++ itself. */
enum { MOST_MANGLED = 1023, MOST_PLAIN = 4095 };

/* What multiplies the time that a name takes. Rust's way back to what was named before, of which two
 * in one place double it; and templates in the type of a conversion of C++ ("operator T<int>"). */
enum { FEW_REFERENCES = 24, FEW_TEMPLATES = 8 };

struct text {
    jmp_buf too_long;
    size_t used;
    char plain[MOST_PLAIN + 1];
};

static void append_plain(const char *part, size_t length, void *context)
{
    struct text *text = context;
    if (length > MOST_PLAIN - text->used) {
        longjmp(text->too_long, 1);
    }
    if (length) { /* else there may be no part */
        memcpy(text->plain + text->used, part, length);
    }
    text->used += length;
    text->plain[text->used] = 0;
}

/* Would libiberty lose memory if it were left early? It has some while it prints an identifier that
 * is not ASCII, which "u" and a number begin. */
static bool must_end_by_itself(const char *symbol)
{
    unsigned references = 0;
    bool may_hold_memory = false;
    for (const char *at = symbol; *at; at++) {
        references += *at == 'B';
        may_hold_memory |= *at == 'u' && isdigit((unsigned char)at[1]);
    }
    return may_hold_memory && references > FEW_REFERENCES;
}

static bool print_rust(const char *symbol, struct text *text)
{
    return !must_end_by_itself(symbol) && setjmp(text->too_long) == 0 &&
           rust_demangle_callback(symbol, DMGL_NO_OPTS, append_plain, text) && text->used;
}

/* Leaves the arguments of templates out, and the parameters of functions around a local one. */
static void shorten(struct demangle_component *name)
{
    while (name) {
        switch (name->type) {
        case DEMANGLE_COMPONENT_TEMPLATE:
        case DEMANGLE_COMPONENT_TYPED_NAME:
            *name = *name->u.s_binary.left;
            break;
        case DEMANGLE_COMPONENT_QUAL_NAME:
        case DEMANGLE_COMPONENT_LOCAL_NAME:
            shorten(name->u.s_binary.left);
            name = name->u.s_binary.right;
            break;
        default:
            return;
        }
    }
}

/* libiberty reads twice what follows each "T_I" of a conversion's type. */
static bool takes_long(const char *symbol)
{
    unsigned templates = 0;
    for (const char *at = strstr(symbol, "cv"); at && (at = strstr(at, "_I")); at += 2) {
        templates++;
    }
    return templates > FEW_TEMPLATES;
}

static bool print_cpp(const char *symbol, struct text *text)
{
    void *memory = NULL;
    struct demangle_component *name =
        takes_long(symbol) ? NULL : cplus_demangle_v3_components(symbol, DMGL_NO_OPTS, &memory);
    bool is_whole = false;
    shorten(name);
    if (name && setjmp(text->too_long) == 0) {
        is_whole =
            cplus_demangle_print_callback(DMGL_NO_OPTS, name, append_plain, text) && text->used;
    }
    free(memory);
    return is_whole;
}

static bool is_mangled(const char *symbol)
{
    return strncmp(symbol, "_Z", 2) == 0 || strncmp(symbol, "_R", 2) == 0;
}

void loader_plain_name(const char *symbol, char *name, size_t size)
{
    struct text text;
    text.used = 0;
    bool is_plain = is_mangled(symbol) && strnlen(symbol, MOST_MANGLED + 1) <= MOST_MANGLED;
    if (is_plain && !print_rust(symbol, &text)) {
        text.used = 0;
        is_plain = symbol[1] == 'Z' && print_cpp(symbol, &text);
    }
    snprintf(name, size, "%s", is_plain ? text.plain : symbol);
}
