#include "host/files.h"

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

void host_discard_file(int file, const char *path)
{
    struct stat own, there;
    if (fstat(file, &own) == 0 && S_ISREG(own.st_mode) && lstat(path, &there) == 0 &&
        own.st_dev == there.st_dev && own.st_ino == there.st_ino) {
        unlink(path);
    }
}

bool host_write_all(int file, const void *bytes, size_t size)
{
    const uint8_t *next = bytes;
    while (size) {
        ssize_t written = write(file, next, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            errno = written == 0 ? EIO : errno;
            return false;
        }
        next += written;
        size -= (size_t)written;
    }
    return true;
}
