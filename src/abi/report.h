/* Diagnostics: on stderr and in the file that PENROSE_REPORT names, each text once. If many tiles
 * make one mistake, stderr gets the first report and the places of the others. */
#ifndef ABI_REPORT_H
#define ABI_REPORT_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_REPORTS = 256, MOST_EVENTS = 4096 };

struct reports {
    char of[16];                 /* "chip 1: " where the machine has several, else empty */
    uint64_t seen[MOST_REPORTS]; /* hashes of the texts that were reported */
    unsigned count;
    uint64_t event[MOST_EVENTS]; /* the same of guest faults and hangs */
    unsigned events;
};

struct device;

/* Reports a text of one line or several, without a newline at its end, unless it was reported
 * before. After MOST_REPORTS texts a last line says that no more will come. */
__attribute__((format(printf, 2, 3))) void report(struct device *device, const char *format, ...);

/* Reports a file that was asked for and could not be written to its end. */
void report_incomplete(struct device *device, const char *text);
void report_text(struct device *device, const char *text);

/* Reports a text that is no warning. */
__attribute__((format(printf, 2, 3))) void report_note(struct device *device, const char *format,
                                                       ...);

/* Reports a hang, also repeatedly. There are at most MOST_EVENTS hangs and guest faults. */
void report_hang(struct device *device, const char *text);

/* Reports a text if there is no device. */
void report_always(const char *text);

#endif
