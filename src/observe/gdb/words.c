/* Words of the command `monitor`, and how its commands are written. */
#include <stdlib.h>
#include <string.h>

#include "observe/gdb/internal.h"

static const char help[] =
    "tile                          harts and threads of the coprocessor, where they are\n"
    "disassemble [ADDRESS [N]]     instructions, with those of the coprocessor\n"
    "tensix step [N]               the next 'continue' stops after N Tensix instructions\n"
    "dst [ROW [N [fp32|bf16|fp16]]]\n"
    "src a|b BANK [ROW [N]]\n"
    "lreg [N]\n"
    "gpr [N]                       of the thread, as bits, integer and FP32; else those not 0\n"
    "config [TEXT]                 fields of the configuration with TEXT in their name\n"
    "config-diff                   what has changed since it was asked the last time\n"
    "semaphores                    of the coprocessor, and mutexes\n"
    "cb                            pages of circular buffers\n"
    "noc [CHIP]                    requests that nobody has waited for\n"
    "waits [CHIP]                  who waits for whom\n"
    "last-writer [X,Y:]ADDRESS [BYTES]   who wrote there last, before the present\n"
    "symbols FILE|FOLDER           programs that the host writes into tiles\n"
    "break [PLACE]                 stops at FUNCTION, FILE:LINE or 0xPC, found by Penrose\n"
    "unbreak [PLACE]               stops no longer there, or at none of them\n"
    "faults [CHIP]                 of guests\n"
    "resume                        the hart goes on behind its ebreak\n";

bool gdb_words_are_numbers(const struct gdb_words *words, unsigned first, unsigned last)
{
    bool are = true;
    for (unsigned i = first; i < words->count && i <= last; i++) {
        char *end;
        (void)strtoul(words->word[i], &end, 0);
        are &= *words->word[i] != '-' && end != words->word[i] && *end == '\0';
    }
    return are;
}

void gdb_put_help(struct gdb_text *out)
{
    gdb_put(out, "%s", help);
}

/* The line of the help that begins with the command. */
void gdb_put_usage(struct gdb_text *out, const struct gdb_words *words)
{
    const size_t length = strlen(words->word[0]);
    const char *line = help;
    while (line && (strncmp(line, words->word[0], length) != 0 || line[length] > ' ')) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    if (line) {
        gdb_put(out, "usage: monitor %.*s\n", (int)strcspn(line, "\n"), line);
    }
}
