/* Files of the host. */
#ifndef HOST_FILES_H
#define HOST_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Removes a file that could not be completed, if what stands at `path` is the regular file that is
 * open: no device, and nothing that another process has put there. */
void host_discard_file(int file, const char *path);

/* Writes all `size` bytes, however many calls that takes; false with errno when it cannot. */
bool host_write_all(int file, const void *bytes, size_t size);

#endif
