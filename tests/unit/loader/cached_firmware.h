/* Firmware that scripts/fetch-firmware has put into the cache. */
#ifndef CACHED_FIRMWARE_H
#define CACHED_FIRMWARE_H

/* The folder of all sets, or NULL after a line that says that tests with them are left out. */
const char *cached_firmware(void);

/* The folder of a set for Blackhole, or NULL after such a line. */
const char *cached_firmware_set(void);

#endif
