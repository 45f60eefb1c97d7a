/* Files that a run leaves; see output_file.h. */
#include "cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "host/files.h"

/* One name for a file, which need not exist, however it is spelled; malloc'ed. NULL: see errno. */
static char *resolve(const char *path)
{
    char *whole = realpath(path, NULL);
    if (whole || errno != ENOENT) {
        return whole;
    }
    char *of_folder = strdup(path), *of_name = strdup(path);
    char *folder = of_folder && of_name ? realpath(dirname(of_folder), NULL) : NULL;
    if (folder && asprintf(&whole, "%s/%s", folder, basename(of_name)) < 0) {
        whole = NULL;
        errno = ENOMEM;
    }
    int reason = errno;
    free(folder);
    free(of_folder);
    free(of_name);
    errno = reason;
    return whole;
}

enum cli_exit output_file_check(const struct cli *cli, struct output_file *file)
{
    struct stat state;
    bool exists = stat(file->path, &state) == 0;
    if (exists && !S_ISREG(state.st_mode)) {
        return complain(cli, "%s: %s is %s; name a file that may be replaced", file->label,
                        file->path, S_ISDIR(state.st_mode) ? "a folder" : "no regular file");
    }
    file->target = resolve(file->path);
    int reason = errno;
    char *copy = strdup(file->target ? file->target : file->path);
    if (!copy) {
        return complain(cli, "%s: no memory for %s", file->label, file->path);
    }
    const char *folder = dirname(copy);
    enum cli_exit exit = CLI_DONE;
    if (stat(folder, &state) != 0 || access(folder, W_OK | X_OK) != 0) {
        exit = complain(cli, "%s: %s cannot be written: %s: %s", file->label, file->path, folder,
                        strerror(errno));
    } else if (!S_ISDIR(state.st_mode)) {
        exit = complain(cli, "%s: %s cannot be written: %s is no folder", file->label, file->path,
                        folder);
    } else if (!file->target) {
        exit = complain(cli, "%s: %s cannot be written: %s", file->label, file->path,
                        strerror(reason));
    }
    free(copy);
    return exit;
}

enum cli_exit output_file_check_added(const struct cli *cli, const char *label, const char *path)
{
    struct output_file file = {.label = label, .path = path};
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int reason = fd < 0 ? errno : 0;
    if (fd >= 0) {
        struct stat state;
        bool is_device = fstat(fd, &state) == 0 && S_ISCHR(state.st_mode);
        if (is_device && write(fd, "", 0) < 0) { /* /dev/full */
            reason = errno;
        }
        close(fd);
    }
    if (reason == ENOENT) {
        enum cli_exit exit = output_file_check(cli, &file);
        output_file_free(&file);
        return exit;
    }
    if (!reason || reason == ENXIO) { /* that is a pipe which nobody reads yet */
        return CLI_DONE;
    }
    return complain(cli, "%s: %s cannot be written: %s", label, path, strerror(reason));
}

enum cli_exit output_file_write(const struct cli *cli, struct output_file *file,
                                const uint8_t *bytes, size_t size)
{
    char *name = NULL;
    if (asprintf(&name, "%s.penrose-%ld", file->target, (long)getpid()) < 0) {
        return complain(cli, "%s: no memory for %s", file->label, file->path);
    }
    int out = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (out < 0) {
        enum cli_exit exit =
            complain(cli, "%s: %s cannot be written: %s", file->label, name, strerror(errno));
        free(name);
        return exit;
    }
    file->pending = name;
    bool is_written = host_write_all(out, bytes, size);
    int reason = errno;
    if (close(out) != 0 && is_written) {
        is_written = false;
        reason = errno;
    }
    return is_written ? CLI_DONE
                      : complain(cli, "%s: %s cannot be written: %s", file->label, file->path,
                                 strerror(reason));
}

enum cli_exit output_file_finish(const struct cli *cli, struct output_file *file,
                                 enum cli_exit exit)
{
    if (!exit && rename(file->pending, file->target) != 0) {
        exit =
            complain(cli, "%s: %s cannot be written: %s", file->label, file->path, strerror(errno));
    }
    if (exit && file->pending) {
        unlink(file->pending);
    }
    return exit;
}

void output_file_free(struct output_file *file)
{
    free(file->target);
    free(file->pending);
}
