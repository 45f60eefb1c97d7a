#include "cli/terminal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "isa/plain_text.h"

enum { PIECE = 4096, MOST_CHARACTER = 4 };

/* A stream, and the beginning of a character whose end comes with the next call. */
struct terminal {
    int descriptor;
    char held[MOST_CHARACTER];
    size_t holds;
};

static bool write_to_terminal(int descriptor, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(descriptor, bytes, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

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
        if (!write_to_terminal(terminal->descriptor, text, length)) {
            return 0;
        }
        done += part;
    }
    return (ssize_t)size;
}

/* The cookie lives as long as the stream, which is flushed when the process has ended. */
static void replace_stream(FILE **stream, int descriptor, int mode)
{
    const cookie_io_functions_t functions = {.write = write_plain};
    struct terminal *terminal = calloc(1, sizeof *terminal);
    FILE *file = terminal ? fopencookie(terminal, "w", functions) : NULL;
    if (!file) {
        free(terminal);
        return;
    }
    terminal->descriptor = descriptor;
    setvbuf(file, NULL, mode, mode == _IONBF ? 0 : BUFSIZ);
    *stream = file;
}

void terminal_begin(void)
{
    replace_stream(&stdout, STDOUT_FILENO, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
    replace_stream(&stderr, STDERR_FILENO, _IONBF);
}

int terminal_descriptor(FILE *file)
{
    return file == stderr ? STDERR_FILENO : file == stdout ? STDOUT_FILENO : fileno(file);
}

void terminal_control(FILE *file, const char *sequence)
{
    fflush(file);
    (void)write_to_terminal(terminal_descriptor(file), sequence, strlen(sequence));
}
