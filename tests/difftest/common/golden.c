#include "golden.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static enum golden_result cannot_read(const char *path)
{
    fprintf(stderr, "cannot read %s: %s\n", path, strerror(errno));
    return GOLDEN_USELESS;
}

static enum golden_result replay_file(const char *path, golden_replay_file *replay, void *context)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        return cannot_read(path);
    }
    enum golden_result result = replay(context, file, path);
    fclose(file);
    return result;
}

static int is_case(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && !strcmp(entry->d_name + length - 5, ".case");
}

static enum golden_result replay_folder(const char *folder, golden_replay_file *replay,
                                        void *context)
{
    struct dirent **entry;
    enum golden_result result = GOLDEN_SAME;
    int count = scandir(folder, &entry, is_case, alphasort);
    if (count < 0) {
        return cannot_read(folder);
    }
    for (int i = 0; i < count; i++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        result = result == GOLDEN_SAME ? replay_file(path, replay, context) : result;
        free(entry[i]);
    }
    free(entry);
    return result;
}

enum golden_result golden_replay_all(const char *path, golden_replay_file *replay, void *context)
{
    struct stat stat_of;
    if (stat(path, &stat_of)) {
        return cannot_read(path);
    }
    return S_ISDIR(stat_of.st_mode) ? replay_folder(path, replay, context)
                                    : replay_file(path, replay, context);
}

enum golden_result golden_make_folder(const char *folder)
{
    if (mkdir(folder, 0777) && errno != EEXIST) {
        fprintf(stderr, "cannot make %s: %s\n", folder, strerror(errno));
        return GOLDEN_TROUBLE;
    }
    return GOLDEN_SAME;
}
