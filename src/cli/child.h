/* Processes that the program starts: one whose output it wants, one that it stands in for. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <stdbool.h>
#include <stddef.h>

/* A variable of a child's environment; a NULL value unsets it. */
struct child_variable {
    const char *name, *value;
};

/* How a child ended. */
enum child_end {
    CHILD_EXITED, /* status: its exit code */
    CHILD_KILLED, /* status: the signal */
    CHILD_LATE,   /* it took longer than it may, and was ended */
    CHILD_FAILED, /* it could not be started; status: errno */
};

struct child_result {
    enum child_end end;
    int status;
};

/* Runs argv[0], looked up in PATH, with no input; what it writes to stdout and stderr goes to
 * `text`, which is cut to size - 1 bytes and ends with 0. variable[count] is added to its
 * environment. */
struct child_result child_capture(char *const argv[], const struct child_variable *variable,
                                  unsigned count, unsigned seconds, char *text, size_t size);

/*
 * Runs argv[0] as if it were this process: with its input and output, and signals that this process
 * gets go to it (those of the terminal reach it anyway). Returns when it has ended.
 */
struct child_result child_stand_in(char *const argv[], const struct child_variable *variable,
                                   unsigned count);

#endif
