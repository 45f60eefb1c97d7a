/*
 * Findings: what checks have found, and what becomes of it.
 *
 * A finding is a place in a program that breaks a rule, however often, in however many launches and
 * on however many tiles, whether a check or the core has seen it. Some are not reported: those that
 * a comment in the source excuses, those of a file of suppressions, and those that a baseline has.
 *
 * A suppression is a line: KIND PATTERN REASON. KIND is a kind of fault or "*". PATTERN is one of
 * fnmatch(3) for "FILE:LINE", "FILE", or the function. The reason is for readers, and has to be
 * there. A line that begins with # is a comment.
 *
 * A comment "penrose: KIND REASON" on a line of the program, or on the line above it, excuses that
 * line.
 */
#ifndef OBSERVE_CHECK_FINDINGS_H
#define OBSERVE_CHECK_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "observe/check/names.h"

enum { FINDINGS = 512, FINDING_LINES = 16, FINDING_OTHERS = 4 };

/* An instruction of another hart, or of the same one, that a finding is about, too. */
struct finding_other {
    const char *hart;
    uint32_t pc;
};

/* What becomes of a finding. */
enum finding_fate {
    FINDING_REPORTED,
    FINDING_EXCUSED,
    FINDING_SUPPRESSED,
    FINDING_KNOWN,         /* the baseline has it */
    FINDING_FOLLOWS,       /* from another one at the same place */
    FINDING_OTHERS_KERNEL, /* it is not of the kernel that the settings choose */
    FINDING_FATES
};

struct finding {
    enum penrose_fault_kind kind;
    enum finding_fate fate;
    bool is_of_check; /* else the core has seen it */
    bool stops;       /* its tile */
    const char *hart;
    unsigned x, y;
    uint32_t launch, pc;
    uint64_t count;
    uint64_t place; /* hash of hart and lines */
    char *message, *function;
    char *line[FINDING_LINES]; /* "FILE:LINE", the innermost first */
    unsigned lines;
    struct finding_other other[FINDING_OTHERS];
    unsigned others;
};

struct suppression {
    char *kind, *pattern;
};

struct findings {
    struct check_settings settings;
    struct finding finding[FINDINGS];
    unsigned count;
    unsigned fates[FINDING_FATES]; /* how many have met each */
    uint64_t more;                 /* for which there was no room */
    bool is_of_core_only;          /* no check is on */
    uint64_t launches, blind; /* whose kernels were checked; tiles whose launches are not known */
    bool made_report, made_generate; /* the file was not there */
    struct suppression *suppression;
    size_t suppressions;
    char (*baseline)[17]; /* fingerprints */
    size_t baselines;
    char root[PATH_MAX]; /* the folder to which paths are relative */
};

/* Takes the settings, and reads the files that they name. */
enum penrose_status findings_begin(struct findings *findings, const struct check_settings *settings,
                                   struct penrose_error *error);

/* The checks do not begin: nothing is written, and files that were made for it go. */
void findings_drop(struct findings *findings);

/* Do the settings ask for findings of this tile and launch? */
bool findings_want(const struct findings *findings, unsigned x, unsigned y, uint32_t launch);

/* Adds a finding, whose texts are copied. The result is its index, or FINDINGS if there is no room;
 * *is_new: it was not there, and is to be reported. */
unsigned findings_add(struct findings *findings, const struct finding *finding, bool *is_new);

/* How many are reported. */
uint64_t findings_reported(const struct findings *findings);

/* Was nothing launched that a check could have looked at? */
bool findings_are_blind(const struct findings *findings);

/* One sentence on what was found and what was not checked. */
void findings_summary(const struct findings *findings, char *text, size_t size);

/* Writes the files that the settings ask for, and frees all. False: a file could not be written. */
bool findings_end(struct findings *findings);

/* Adds results to a SARIF file of ours, or makes it (sarif.c). */
bool findings_write_sarif(const struct findings *findings);
/* Can results be added there? The file is there, and may be empty. */
bool findings_may_write_sarif(const char *path);

/* --- finding.c --- */

/* Which line of the finding is shown: the innermost that lies in the source tree and in no header,
 * else the innermost there, else the innermost in no header, else the outermost. Its path as SARIF has it, and its number. */
unsigned finding_shown(const struct findings *findings, const struct finding *finding,
                       char path[PATH_MAX]);

/* The file of such a path. */
const char *finding_file(const char *shown);

/* 16 hexadecimal digits that stay when lines move. */
void finding_print(const struct findings *findings, const struct finding *finding, char print[17]);

/* The parts of "FILE:LINE"; 0: it has no line. */
unsigned finding_line_number(const char *line);
void finding_line_path(const char *line, char path[PATH_MAX]);

/* The hash of what had that hash, and a text behind it. */
uint64_t finding_hash(uint64_t hash, const char *text);

#endif
