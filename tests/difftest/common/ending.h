/* How the runs of a program ended, and what that says of it. */
#ifndef DIFFTEST_ENDING_H
#define DIFFTEST_ENDING_H

#include <stdio.h>

enum { MESSAGE_SIZE = 400 }; /* of what a library says */

enum ending {
    ENDED,               /* the answer is there */
    ENDED_NOT,           /* the budget of clocks was used up */
    ENDED_DEATH,         /* the library ended its process */
    ENDED_SILENT,        /* the library did not come back in time, and was killed */
    ENDED_NEVER_STARTED, /* the library could not be used at all */
};

enum verdict {
    VERDICT_SAME,
    VERDICT_DIFFERENT,
    VERDICT_REFUSED, /* the reference ended its process; its message says why */
    VERDICT_ENDLESS, /* neither library came to an end */
    VERDICT_TROUBLE, /* no memory, or a worker cannot be started */
};

/* What the endings alone say; VERDICT_SAME: what the runs left decides. */
enum verdict ending_judge(enum ending ours, enum ending reference);

/* Prints a comment: how the run of a side ended, and what it said. */
void ending_print(enum ending ending, const char *role, const char *message, FILE *to);

#endif
