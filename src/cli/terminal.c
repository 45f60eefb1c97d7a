#include "cli/terminal.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "host/files.h"
#include "isa/plain_text.h"

enum { PIECE = 4096, MOST_CHARACTER = TERMINAL_CHARACTER };

/* How many bytes at the end of a text are the beginning of a character. */
static size_t cut_bytes(const char *text, size_t size)
{
    for (size_t count = 1; count < MOST_CHARACTER && count <= size; count++) {
        unsigned char byte = (unsigned char)text[size - count];
        if (byte >= 0xc0) {
            return count < (byte >= 0xf0 ? 4u : byte >= 0xe0 ? 3u : 2u) ? count : 0;
        }
        if (byte < 0x80) {
            return 0;
        }
    }
    return 0;
}

static ssize_t write_plain(void *cookie, const char *bytes, size_t size)
{
    struct terminal *terminal = cookie;
    for (size_t done = 0; done < size;) {
        char text[MOST_CHARACTER + PIECE];
        size_t part = size - done < PIECE ? size - done : PIECE, length = terminal->holds + part;
        memcpy(text, terminal->held, terminal->holds);
        memcpy(text + terminal->holds, bytes + done, part);
        terminal->holds = cut_bytes(text, length);
        length -= terminal->holds;
        memcpy(terminal->held, text + length, terminal->holds);
        plain_text(text, length);
        if (!host_write_all(terminal->descriptor, text, length)) {
            return 0;
        }
        done += part;
    }
    return (ssize_t)size;
}

static void replace_stream(FILE **stream, struct terminal *terminal, int descriptor, int mode)
{
    const cookie_io_functions_t functions = {.write = write_plain};
    *terminal = (struct terminal){.descriptor = descriptor, .original = *stream};
    FILE *file = fopencookie(terminal, "w", functions);
    if (file) {
        setvbuf(file, NULL, mode, mode == _IONBF ? 0 : BUFSIZ);
        *stream = file;
    }
}

static void restore_stream(FILE **stream, const struct terminal *terminal)
{
    if (*stream != terminal->original) {
        fclose(*stream);
        *stream = terminal->original;
    }
}

void terminal_begin(struct terminal terminals[2])
{
    replace_stream(&stdout, &terminals[0], STDOUT_FILENO, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
    replace_stream(&stderr, &terminals[1], STDERR_FILENO, _IONBF);
}

void terminal_end(const struct terminal terminals[2])
{
    restore_stream(&stdout, &terminals[0]);
    restore_stream(&stderr, &terminals[1]);
}

int terminal_descriptor(FILE *file)
{
    return file == stderr ? STDERR_FILENO : file == stdout ? STDOUT_FILENO : fileno(file);
}

void terminal_control(FILE *file, const char *sequence)
{
    fflush(file);
    (void)host_write_all(terminal_descriptor(file), sequence, strlen(sequence));
}
