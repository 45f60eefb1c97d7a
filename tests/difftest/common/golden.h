/* Files of golden cases. */
#ifndef DIFFTEST_GOLDEN_H
#define DIFFTEST_GOLDEN_H

#include <stdio.h>

enum { PATH_SIZE = 4096 };

enum golden_result {
    GOLDEN_SAME,
    GOLDEN_DIFFERENT,
    GOLDEN_USELESS, /* the cases cannot be read */
    GOLDEN_TROUBLE, /* a file cannot be written, or a library not be used */
};

typedef enum golden_result golden_replay_file(void *context, FILE *file, const char *path);

/* Replays a file, or the .case files of a folder in the order of their names, up to the first one
 * that is not GOLDEN_SAME; its result. */
enum golden_result golden_replay_all(const char *path, golden_replay_file *replay, void *context);

/* Makes the folder if there is none. */
enum golden_result golden_make_folder(const char *folder);

#endif
