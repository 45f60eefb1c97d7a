/* The processors of the host, see host/processors.h. SPEC: Linux, cgroup-v2 (cpu.max). */
#include "host/processors.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUPS "/sys/fs/cgroup"

unsigned host_quota(const char *text)
{
    char *end;
    unsigned long long quota = strtoull(text, &end, 10), period;
    if (*text < '1' || *text > '9' || *end != ' ' || end[1] < '1' || end[1] > '9') {
        return 0;
    }
    period = strtoull(end + 1, NULL, 10);
    unsigned long long processors = quota / period + (quota % period != 0);
    return processors < UINT_MAX ? (unsigned)processors : UINT_MAX;
}

static bool read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");
    bool is_read = file && fgets(line, size, file);
    if (file) {
        fclose(file);
    }
    return is_read;
}

/* The path of this process's group below the root of groups; empty when there is none. */
static void own_group(char path[PATH_MAX])
{
    char line[PATH_MAX];
    FILE *file = fopen("/proc/self/cgroup", "re");
    *path = '\0';
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::", 3) == 0) { /* version 2 */
            line[strcspn(line, "\n")] = '\0';
            memcpy(path, line + 3, strlen(line + 3) + 1);
        }
    }
    if (file) {
        fclose(file);
    }
}

/* The lower of two limits, of which 0 is none. */
static unsigned lower(unsigned a, unsigned b)
{
    return a && (!b || a < b) ? a : b;
}

static unsigned quota_of(const char *group)
{
    char path[PATH_MAX + sizeof GROUPS + sizeof "/cpu.max"], line[64];
    snprintf(path, sizeof path, GROUPS "%s/cpu.max", group);
    return read_line(path, line, sizeof line) ? host_quota(line) : 0;
}

/* Each group from this process's up to the root may set a limit; in a container the root is its own
 * group, by whatever name the host knows it. */
static unsigned lowest_quota(void)
{
    char group[PATH_MAX];
    unsigned lowest = quota_of("");
    own_group(group);
    for (char *end; (end = strrchr(group, '/')); *end = '\0') {
        lowest = lower(lowest, quota_of(group));
    }
    return lowest;
}

unsigned host_processors(unsigned most)
{
    cpu_set_t set;
    long processors = sysconf(_SC_NPROCESSORS_ONLN); /* where the set is too small for the host */
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        processors = CPU_COUNT(&set);
    }
    return lower(lower(processors > 0 ? (unsigned)processors : 1, lowest_quota()), most);
}
