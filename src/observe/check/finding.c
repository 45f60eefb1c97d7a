/* One finding: its place, and what names it in files. See findings.h. */
#include "observe/check/findings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/names.h"

enum { WORDS_BYTES = 1024 };

static const char scheme[] = "file://"; /* of paths that are not in the source tree */

unsigned finding_line_number(const char *line)
{
    const char *colon = strrchr(line, ':');
    return colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

void finding_line_path(const char *line, char path[PATH_MAX])
{
    const char *colon = strrchr(line, ':');
    snprintf(path, PATH_MAX, "%.*s", (int)(colon ? colon - line : (long)strlen(line)), line);
}

/* The path below the source tree; NULL: the file is not there. */
static const char *below_root(const struct findings *findings, const char *path)
{
    size_t length = strlen(findings->root);
    if (path[0] != '/') {
        return access(path, R_OK) == 0 ? path : NULL;
    }
    return length > 0 && strncmp(path, findings->root, length) == 0 && path[length] == '/'
               ? path + length + 1
               : NULL;
}

/* ".h", ".hpp", ".inl" and the like: other programs may have it, too. */
static bool is_header(const char *path)
{
    const char *dot = strrchr(path, '.');
    return !dot || strncmp(dot, ".c", 2) != 0;
}

/* How well a line tells readers where the program is; the path is as finding_shown gives it. */
static unsigned worth_of(const struct findings *findings, const char *whole, char path[PATH_MAX])
{
    const char *below = below_root(findings, whole);
    snprintf(path, PATH_MAX, "%s%.*s", !below && whole[0] == '/' ? scheme : "", PATH_MAX - 8,
             below ? below : whole);
    return 1u + (below ? 2u : 0u) + (is_header(whole) ? 0u : 1u);
}

unsigned finding_shown(const struct findings *findings, const struct finding *finding,
                       char path[PATH_MAX])
{
    char whole[PATH_MAX], there[PATH_MAX];
    unsigned best = 0, number = 0;
    path[0] = '\0';
    for (unsigned i = 0; i < finding->lines; i++) {
        finding_line_path(finding->line[i], whole);
        unsigned worth = worth_of(findings, whole, there);
        bool is_outer = worth == best && worth == 1; /* of headers elsewhere the outermost */
        if (worth > best || is_outer) {
            best = worth;
            number = finding_line_number(finding->line[i]);
            memcpy(path, there, PATH_MAX);
        }
    }
    return number;
}

uint64_t finding_hash(uint64_t hash, const char *text)
{
    for (; *text; text++) {
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    }
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

/* Numbers of a message change with lines and addresses. */
void finding_print(const struct findings *findings, const struct finding *finding, char print[17])
{
    char path[PATH_MAX], words[WORDS_BYTES];
    size_t used = 0;
    finding_shown(findings, finding, path);
    for (const char *at = finding->message; *at && used < sizeof words - 1; at++) {
        if (!isxdigit((unsigned char)*at)) {
            words[used++] = *at;
        }
    }
    words[used] = '\0';
    uint64_t hash = finding_hash(UINT64_C(0xcbf29ce484222325), arch_fault_name(finding->kind));
    hash = finding_hash(finding_hash(finding_hash(hash, path), finding->function), words);
    snprintf(print, 17, "%016llx", (unsigned long long)hash);
}

const char *finding_file(const char *shown)
{
    size_t length = sizeof scheme - 1;
    return strncmp(shown, scheme, length) == 0 ? shown + length : shown;
}
