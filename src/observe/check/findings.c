/* What becomes of findings, see findings.h. */
#include "observe/check/findings.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "arch/names.h"
#include "isa/error.h"

enum { LINE_BYTES = 1024 };

/* --- What is not reported --- */

/* Does the line have the comment "penrose: KIND[, KIND...] REASON" with this kind, or "all"? */
static bool has_mark(const char *text, const char *kind)
{
    static const char mark[] = "penrose: ";
    const char *at = strstr(text, mark);
    bool is_meant = false, goes_on = true;
    if (!at) {
        return false;
    }
    for (at += sizeof mark - 1; goes_on;) {
        size_t length = strcspn(at, " ,:\r\n");
        is_meant |= (length == 3 && strncmp(at, "all", length) == 0) ||
                    (length == strlen(kind) && strncmp(at, kind, length) == 0);
        goes_on = at[length] == ',';
        at += length + goes_on;
        at += strspn(at, " :");
    }
    return is_meant && *at && !strchr("\r\n", *at);
}

static bool is_excused(const char *line, const char *kind)
{
    char path[PATH_MAX], text[LINE_BYTES];
    unsigned wanted = finding_line_number(line);
    bool excused = false;
    finding_line_path(line, path);
    FILE *file = wanted ? fopen(path, "r") : NULL;
    for (unsigned number = 1; file && number <= wanted && fgets(text, sizeof text, file);
         number++) {
        excused |= number + 1 >= wanted && has_mark(text, kind);
    }
    if (file) {
        fclose(file);
    }
    return excused;
}

static bool matches(const char *pattern, const struct finding *finding)
{
    char path[PATH_MAX];
    for (unsigned i = 0; i < finding->lines; i++) {
        finding_line_path(finding->line[i], path);
        if (fnmatch(pattern, finding->line[i], 0) == 0 || fnmatch(pattern, path, 0) == 0) {
            return true;
        }
    }
    return fnmatch(pattern, finding->function, 0) == 0;
}

static bool is_suppressed(const struct findings *findings, const struct finding *finding)
{
    const char *kind = arch_fault_name(finding->kind);
    for (size_t i = 0; i < findings->suppressions; i++) {
        const struct suppression *rule = &findings->suppression[i];
        if (fnmatch(rule->kind, kind, 0) == 0 && matches(rule->pattern, finding)) {
            return true;
        }
    }
    return false;
}

static bool is_in_baseline(const struct findings *findings, const struct finding *finding)
{
    char print[17];
    finding_print(findings, finding, print);
    for (size_t i = 0; i < findings->baselines; i++) {
        if (strcmp(findings->baseline[i], print) == 0) {
            return true;
        }
    }
    return false;
}

/* --- Files --- */

static enum penrose_status read_suppressions(struct findings *findings, struct penrose_error *error)
{
    const char *path = findings->settings.suppress;
    char text[LINE_BYTES], kind[64], pattern[512];
    unsigned number = 0;
    FILE *file = *path ? fopen(path, "r") : NULL;
    if (*path && !file) {
        return error_set(error, PENROSE_E_ARGUMENT, "suppress: %.200s cannot be read", path);
    }
    while (file && fgets(text, sizeof text, file)) {
        int used = 0;
        bool is_empty = text[strspn(text, " \t\r\n")] == '\0' || text[0] == '#';
        number++;
        if (is_empty) {
            continue;
        }
        bool is_whole = sscanf(text, "%63s %511s %n", kind, pattern, &used) == 2 && text[used];
        struct suppression *grown =
            realloc(findings->suppression, (findings->suppressions + 1) * sizeof *grown);
        findings->suppression = grown ? grown : findings->suppression;
        if (!grown || !is_whole) {
            fclose(file);
            return error_set(error, grown ? PENROSE_E_ARGUMENT : PENROSE_E_MEMORY,
                             "suppress: %.200s:%u: a line is KIND PATTERN REASON", path, number);
        }
        grown[findings->suppressions++] =
            (struct suppression){.kind = strdup(kind), .pattern = strdup(pattern)};
    }
    if (file) {
        fclose(file);
    }
    return PENROSE_OK;
}

static void take_baseline(struct findings *findings, json_t *results)
{
    size_t i;
    json_t *result;
    findings->baseline = calloc(json_array_size(results) + 1, sizeof *findings->baseline);
    json_array_foreach(results, i, result)
    {
        const char *print = json_string_value(
            json_object_get(json_object_get(result, "partialFingerprints"), "penrose/v1"));
        if (print && findings->baseline) {
            snprintf(findings->baseline[findings->baselines++], 17, "%s", print);
        }
    }
}

static enum penrose_status read_baseline(struct findings *findings, struct penrose_error *error)
{
    const char *path = findings->settings.baseline;
    json_t *file = *path ? json_load_file(path, 0, NULL) : NULL;
    json_t *results = json_object_get(json_array_get(json_object_get(file, "runs"), 0), "results");
    if (*path && !json_is_array(results)) {
        json_decref(file);
        return error_set(error, PENROSE_E_ARGUMENT, "baseline: %.200s is no SARIF file", path);
    }
    if (*path) {
        take_baseline(findings, results);
    }
    json_decref(file);
    return PENROSE_OK;
}

static bool write_suppressions(const struct findings *findings)
{
    const char *path = findings->settings.generate;
    FILE *file = *path ? fopen(path, "a") : NULL;
    if (!file) {
        return !*path;
    }
    for (unsigned i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->finding[i];
        char shown[PATH_MAX];
        unsigned line = finding_shown(findings, finding, shown);
        if (line && finding->fate == FINDING_REPORTED) {
            const char *from = finding_file(shown);
            fprintf(file, "%s *%s:%u TODO: say why this is right\n", arch_fault_name(finding->kind),
                    from, line);
        }
    }
    return fclose(file) == 0;
}

/* Who has asked for a file must not learn at the end that there is none. A file that is not there is
 * made, and `*is_made` says so. */
static bool try_output(const char *path, bool *is_made)
{
    const bool was_there = access(path, F_OK) == 0;
    FILE *file = *path ? fopen(path, "a") : NULL;
    *is_made = file && !was_there;
    return !*path || (file && fclose(file) == 0);
}

static enum penrose_status try_outputs(struct findings *findings, struct penrose_error *error)
{
    const struct check_settings *settings = &findings->settings;
    if (!try_output(settings->generate, &findings->made_generate)) {
        return error_set(error, PENROSE_E_ARGUMENT, "generate: %.200s cannot be written",
                         settings->generate);
    }
    if (!try_output(settings->report, &findings->made_report) ||
        (*settings->report && !findings_may_write_sarif(settings->report))) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "report: %.200s cannot be written, or is no report of checks",
                         settings->report);
    }
    return PENROSE_OK;
}

static void drop_output(char *path, bool is_made)
{
    if (is_made) {
        remove(path);
    }
    *path = '\0';
}

void findings_drop(struct findings *findings)
{
    drop_output(findings->settings.report, findings->made_report);
    drop_output(findings->settings.generate, findings->made_generate);
}

/* --- Life --- */

enum penrose_status findings_begin(struct findings *findings, const struct check_settings *settings,
                                   struct penrose_error *error)
{
    findings->settings = *settings;
    if (!getcwd(findings->root, sizeof findings->root)) {
        findings->root[0] = '\0';
    }
    enum penrose_status status = read_suppressions(findings, error);
    status = status ? status : read_baseline(findings, error);
    return status ? status : try_outputs(findings, error);
}

bool findings_want(const struct findings *findings, unsigned x, unsigned y, uint32_t launch)
{
    const struct check_settings *settings = &findings->settings;
    return (!settings->has_tile || (settings->x == x && settings->y == y)) &&
           (!settings->has_launch || settings->launch == launch);
}

static bool is_chosen_finding(const struct findings *findings, const struct finding *finding)
{
    const char *kernel = findings->settings.kernel;
    return !*kernel || matches(kernel, finding);
}

/* Which kinds say nothing new where the same instruction has made the first mistake: what a race
 * gives may be undefined, and what lies at a null pointer is not the point. */
static bool follows_from(enum penrose_fault_kind kind, enum penrose_fault_kind first)
{
    static const struct {
        enum penrose_fault_kind first, kind;
    } rows[] = {
        {PENROSE_FAULT_NULL_ACCESS, PENROSE_FAULT_CODE_OVERWRITTEN},
        {PENROSE_FAULT_NULL_ACCESS, PENROSE_FAULT_OUT_OF_BOUNDS},
        {PENROSE_FAULT_NULL_ACCESS, PENROSE_FAULT_UNDEFINED_DATA},
        {PENROSE_FAULT_RACE_OPEN, PENROSE_FAULT_TENSIX_SEMAPHORE},
        {PENROSE_FAULT_TENSIX_SEMAPHORE, PENROSE_FAULT_RACE_OPEN},
        {PENROSE_FAULT_RACE_DST, PENROSE_FAULT_UNDEFINED_DATA},
        {PENROSE_FAULT_RACE_L1, PENROSE_FAULT_UNDEFINED_DATA},
        {PENROSE_FAULT_RACE_STATE, PENROSE_FAULT_UNDEFINED_DATA},
        {PENROSE_FAULT_NOC_UNWAITED, PENROSE_FAULT_UNDEFINED_DATA},
        {PENROSE_FAULT_NOC_ORDER, PENROSE_FAULT_UNDEFINED_DATA},
        {PENROSE_FAULT_CB_ACCESS, PENROSE_FAULT_UNDEFINED_DATA},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].kind == kind && rows[i].first == first) {
            return true;
        }
    }
    return false;
}

static bool follows_another(const struct findings *findings, const struct finding *finding)
{
    for (unsigned i = 0; i < findings->count; i++) {
        const struct finding *other = &findings->finding[i];
        if (other->place == finding->place && follows_from(finding->kind, other->kind)) {
            return true;
        }
    }
    return false;
}

/* What stops its tile cannot be excused any more. */
static enum finding_fate fate_of(const struct findings *findings, const struct finding *finding)
{
    const char *kind = arch_fault_name(finding->kind);
    if (!is_chosen_finding(findings, finding)) {
        return FINDING_OTHERS_KERNEL;
    }
    for (unsigned i = 0; i < finding->lines && !finding->stops; i++) {
        if (is_excused(finding->line[i], kind)) {
            return FINDING_EXCUSED;
        }
    }
    if (finding->stops) {
        return FINDING_REPORTED;
    }
    return is_suppressed(findings, finding)     ? FINDING_SUPPRESSED
           : is_in_baseline(findings, finding)  ? FINDING_KNOWN
           : follows_another(findings, finding) ? FINDING_FOLLOWS
                                                : FINDING_REPORTED;
}

unsigned findings_add(struct findings *findings, const struct finding *finding, bool *is_new)
{
    uint64_t place = finding_hash(finding->lines ? 0 : finding->pc, finding->hart);
    for (unsigned i = 0; i < finding->lines; i++) {
        place = finding_hash(place, finding->line[i]);
    }
    *is_new = false;
    for (unsigned i = 0; i < findings->count; i++) {
        struct finding *known = &findings->finding[i];
        if (known->place == place && known->kind == finding->kind) {
            known->count += known->is_of_check == finding->is_of_check;
            return i;
        }
    }
    if (findings->count == FINDINGS) {
        findings->more++;
        return FINDINGS;
    }
    struct finding *added = &findings->finding[findings->count];
    *added = *finding;
    added->place = place;
    added->count = 1;
    added->fate = fate_of(findings, added);
    findings->fates[added->fate]++;
    added->message = strdup(finding->message);
    added->function = strdup(finding->function);
    for (unsigned i = 0; i < finding->lines; i++) {
        added->line[i] = strdup(finding->line[i]);
    }
    *is_new = added->fate == FINDING_REPORTED;
    return findings->count++;
}

uint64_t findings_reported(const struct findings *findings)
{
    return findings->fates[FINDING_REPORTED] + findings->more;
}

bool findings_are_blind(const struct findings *findings)
{
    return !findings->is_of_core_only && findings->launches == 0 && findings->blind == 0;
}

void findings_summary(const struct findings *findings, char *text, size_t size)
{
    const unsigned *fates = findings->fates;
    int used =
        snprintf(text, size, "checks: %u %s, %u excused, %u suppressed, %u known",
                 fates[FINDING_REPORTED], fates[FINDING_REPORTED] == 1 ? "finding" : "findings",
                 fates[FINDING_EXCUSED], fates[FINDING_SUPPRESSED], fates[FINDING_KNOWN]);
    if (fates[FINDING_FOLLOWS]) {
        used +=
            snprintf(text + used, size - (size_t)used, ", and %u that %s from these",
                     fates[FINDING_FOLLOWS], fates[FINDING_FOLLOWS] == 1 ? "follows" : "follow");
    }
    const size_t at = used > 0 && (size_t)used < size ? (size_t)used : size - 1;
    if (findings_are_blind(findings)) {
        snprintf(text + at, size - at, "; nothing was launched, so nothing was checked");
    } else if (findings->is_of_core_only) {
        snprintf(text + at, size - at, "; only the rules that are always on were checked");
    } else if (findings->blind > 0) {
        snprintf(text + at, size - at,
                 "; not checked: the beginnings and ends of kernels, and circular buffers, where "
                 "firmware without debug information runs");
    }
}

bool findings_end(struct findings *findings)
{
    bool is_written = !*findings->settings.report || findings_write_sarif(findings);
    is_written &= write_suppressions(findings);
    for (unsigned i = 0; i < findings->count; i++) {
        struct finding *finding = &findings->finding[i];
        for (unsigned k = 0; k < finding->lines; k++) {
            free(finding->line[k]);
        }
        free(finding->message);
        free(finding->function);
    }
    for (size_t i = 0; i < findings->suppressions; i++) {
        free(findings->suppression[i].kind);
        free(findings->suppression[i].pattern);
    }
    free(findings->suppression);
    free(findings->baseline);
    return is_written;
}
