/* Files of the host. */
#ifndef HOST_FILES_H
#define HOST_FILES_H

/* Removes a file that could not be completed, if what stands at `path` is the regular file that is
 * open: no device, and nothing that another process has put there. */
void host_discard_file(int file, const char *path);

#endif
