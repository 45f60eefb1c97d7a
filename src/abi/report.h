/* Diagnostics: on stderr and in the file that PENROSE_REPORT names, each text once. If many tiles
 * make one mistake, stderr gets the first report and the places of the others. */
#ifndef ABI_REPORT_H
#define ABI_REPORT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MOST_REPORTS = 256,
    MOST_EVENTS = 4096,
    REPORT_BYTES = 1024, /* of a text, with its 0: the rest is cut off */
};

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

/* Reports a text that is no warning. */
__attribute__((format(printf, 2, 3))) void report_note(struct device *device, const char *format,
                                                       ...);

/* stderr and the file, or the file alone if it takes it. */
enum report_audience { REPORT_TO_ALL, REPORT_TO_FILE };

/* Reports a guest fault or a hang, also repeatedly, and at most MOST_EVENTS of them. */
void report_event(struct device *device, const char *text, enum report_audience audience);

/* Reports one that is new; false: it is not. */
bool report_new_event(struct device *device, const char *text, enum report_audience audience);

/* Reports a text if there is no device. */
void report_always(const char *text);

/* Writes a line to stderr alone: about a chip (`of` of its reports), or, where `of` is NULL, as it
 * is. */
void report_line(const char *of, const char *text);

/* Adds such a line to a file. Returns errno, or 0. */
int report_append(const char *path, const char *of, const char *text);

/* Cuts newlines at the end of a text off. */
void report_trim(char *text);

#endif
