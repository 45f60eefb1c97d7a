/* Whole messages through pipes. */
#ifndef DIFFTEST_TRANSFER_H
#define DIFFTEST_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>

/* False: the other end is closed, or an error. */
bool read_all(int fd, void *bytes, size_t size);
bool write_all(int fd, const void *bytes, size_t size);

#endif
