/*
 * Findings in SARIF 2.1.0, which GitHub and editors show at the line.
 *
 * A file has one run, whose results come last. So results are added to a file of ours by writing
 * over its last bytes, which are always the same; several processes may do so, one after the other.
 */
#include "config.h"

#include "observe/check/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "arch/names.h"
#include "isa/json_text.h"

static const char tail[] = "\n]}]}\n";

static json_t *message_of(const char *text)
{
    return json_pack("{s:o}", "text", json_text(text));
}

/* The path as a URI has it (RFC 3986): bytes that mean something else there, or nothing, as %XX. */
static json_t *uri_of(const char *path)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    char uri[3 * PATH_MAX];
    size_t used = 0;
    const char *file = finding_file(path);
    for (; path < file; path++) { /* the scheme */
        uri[used++] = *path;
    }
    for (; *path && used < sizeof uri - 4; path++) {
        used += (size_t)sprintf(uri + used, strchr(plain, *path) ? "%c" : "%%%02X", (uint8_t)*path);
    }
    uri[used] = '\0';
    return json_string(uri);
}

static json_t *place_of(const char *path, unsigned line)
{
    json_t *artifact = json_pack("{s:o}", "uri", uri_of(path));
    if (strncmp(path, "file:", 5) != 0) {
        json_object_set_new(artifact, "uriBaseId", json_string("%SRCROOT%"));
    }
    return json_pack("{s:o, s:{s:i}}", "artifactLocation", artifact, "region", "startLine",
                     (int)line);
}

/* By which `penrose hunt` knows what to hold up. */
static json_t *properties_of(const struct finding *finding)
{
    json_t *chain = json_array(), *others = json_array();
    for (unsigned i = 0; i < finding->lines; i++) {
        json_array_append_new(chain, message_of(finding->line[i]));
    }
    for (unsigned i = 0; i < finding->others; i++) {
        json_array_append_new(others, json_pack("{s:s, s:I}", "hart", finding->other[i].hart, "pc",
                                                (json_int_t)finding->other[i].pc));
    }
    return json_pack("{s:s, s:[i, i], s:i, s:I, s:o, s:o}", "hart", finding->hart, "tile",
                     (int)finding->x, (int)finding->y, "launch", (int)finding->launch, "pc",
                     (json_int_t)finding->pc, "others", others, "calls", chain);
}

static json_t *result_of(const struct findings *findings, const struct finding *finding)
{
    char path[PATH_MAX], print[17];
    unsigned line = finding_shown(findings, finding, path);
    finding_print(findings, finding, print);
    json_t *location =
        json_pack("{s:[{s:o}]}", "logicalLocations", "name", json_text(finding->function));
    if (line) {
        json_object_set_new(location, "physicalLocation", place_of(path, line));
    }
    return json_pack("{s:s, s:s, s:o, s:[o], s:{s:s}, s:I, s:o}", "ruleId",
                     arch_fault_name(finding->kind), "level", finding->stops ? "error" : "warning",
                     "message", message_of(finding->message), "locations", location,
                     "partialFingerprints", "penrose/v1", print, "occurrenceCount",
                     (json_int_t)finding->count, "properties", properties_of(finding));
}

static bool put_head(FILE *file)
{
    json_t *rules = json_array();
    for (unsigned i = 0; i < PENROSE_FAULT_KINDS; i++) {
        enum penrose_fault_kind kind = (enum penrose_fault_kind)i;
        json_array_append_new(rules,
                              json_pack("{s:s, s:o}", "id", arch_fault_name(kind),
                                        "shortDescription", message_of(arch_fault_rule(kind))));
    }
    json_t *tool = json_pack("{s:{s:s, s:s, s:o}}", "driver", "name", "Penrose", "version",
                             PACKAGE_VERSION, "rules", rules);
    char *text = json_dumps(tool, JSON_COMPACT);
    bool is_put =
        text && fprintf(file,
                        "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", "
                        "\"version\": \"2.1.0\", \"runs\": [{\"tool\": %s, \"results\": [",
                        text) > 0;
    free(text);
    json_decref(tool);
    return is_put;
}

/* Is it a new file, or one of ours? `before` is what stands in front of its tail. */
static bool is_ours(FILE *file, bool *is_new, char *before)
{
    char last[sizeof tail] = "";
    long length = (long)sizeof tail - 1;
    *is_new = fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0;
    return *is_new ||
           (fseek(file, -length - 1, SEEK_END) == 0 && fread(before, 1, 1, file) == 1 &&
            fread(last, 1, (size_t)length, file) == (size_t)length && strcmp(last, tail) == 0);
}

bool findings_may_write_sarif(const char *path)
{
    FILE *file = fopen(path, "r+");
    bool is_new;
    char before;
    bool may = file && is_ours(file, &is_new, &before);
    if (file) {
        fclose(file);
    }
    return may;
}

/* Stands where the next result goes: behind the others, or in a new file. False: the file is
 * another one. */
static bool find_place(FILE *file, bool *has_results)
{
    bool is_new;
    char before = '[';
    if (!is_ours(file, &is_new, &before)) {
        return false;
    }
    *has_results = before != '[';
    return is_new ? put_head(file) : fseek(file, -(long)(sizeof tail - 1), SEEK_END) == 0;
}

bool findings_write_sarif(const struct findings *findings)
{
    FILE *file = fopen(findings->settings.report, "a+");
    if (file) { /* what is appended cannot be written over */
        fclose(file);
        file = fopen(findings->settings.report, "r+");
    }
    if (!file) {
        return false;
    }
    bool has_results, is_put = flock(fileno(file), LOCK_EX) == 0 && find_place(file, &has_results);
    for (unsigned i = 0; i < findings->count && is_put; i++) {
        if (findings->finding[i].fate != FINDING_REPORTED) {
            continue;
        }
        json_t *result = result_of(findings, &findings->finding[i]);
        char *text = result ? json_dumps(result, JSON_COMPACT) : NULL;
        is_put = text && fprintf(file, "%s\n%s", has_results ? "," : "", text) > 0;
        has_results = true;
        free(text);
        json_decref(result);
    }
    is_put = is_put && fputs(tail, file) >= 0;
    return fclose(file) == 0 && is_put;
}
