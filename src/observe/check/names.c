/* The names and settings of checks, see names.h. */
#include "observe/check/names.h"

#include <stdio.h>
#include <string.h>

#include "isa/error.h"

static bool is_named(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(word, name, length) == 0;
}

/* Sets what "NAME=VALUE" says; false: there is no such setting, or it has another form. */
static bool take_setting(struct check_settings *settings, const char *word, size_t length)
{
    const struct {
        const char *name;
        char *value;
    } texts[] = {{"report", settings->report},       {"baseline", settings->baseline},
                 {"suppress", settings->suppress},   {"generate", settings->generate},
                 {"allocated", settings->allocated}, {"kernel", settings->kernel}};
    size_t name = strcspn(word, "=");
    size_t size = length > name ? length - name - 1 : 0;
    char value[PATH_MAX];
    int used = 0;
    if (name >= length || size == 0 || size >= sizeof value) {
        return false;
    }
    snprintf(value, sizeof value, "%.*s", (int)size, word + name + 1);
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (is_named(word, name, texts[i].name)) {
            snprintf(texts[i].value, PATH_MAX, "%s", value);
            return true;
        }
    }
    if (is_named(word, name, "tile")) {
        settings->has_tile = sscanf(value, "%u-%u%n", &settings->x, &settings->y, &used) == 2;
        return settings->has_tile && !value[used];
    }
    if (is_named(word, name, "launch")) {
        settings->has_launch = sscanf(value, "%u%n", &settings->launch, &used) == 1;
        return settings->has_launch && !value[used];
    }
    return false;
}

enum penrose_status check_settings_parse(const char *list, struct check_settings *settings,
                                         struct penrose_error *error)
{
    static const char *const known[CHECKS] = {
        [CHECK_CORE] = "core",     [CHECK_NOC] = "noc",       [CHECK_BUFFERS] = "cb",
        [CHECK_RACES] = "races",   [CHECK_MEMORY] = "memory", [CHECK_UNINIT] = "uninit",
        [CHECK_CONFIG] = "config",
    };
    bool has_name = false;
    size_t length;
    *settings = (struct check_settings){.has_tile = false};
    for (const char *word = list;; word += length + 1) {
        length = strcspn(word, ",");
        bool is_setting = memchr(word, '=', length) != NULL;
        bool is_all = is_named(word, length, "all"), is_known = is_all;
        for (unsigned i = 0; i < CHECKS; i++) {
            bool is_it = is_named(word, length, known[i]);
            settings->does[i] |= is_all || is_it;
            is_known |= is_it;
        }
        has_name |= is_known;
        if (is_setting && !take_setting(settings, word, length)) {
            return error_set(
                error, PENROSE_E_ARGUMENT,
                "no setting '%.*s' of checks; there are report=FILE, baseline=FILE, "
                "suppress=FILE, generate=FILE, allocated=FILE, kernel=PATTERN, tile=X-Y and "
                "launch=N",
                (int)(length < 60 ? length : 60), word);
        }
        if (!is_setting && !is_known) {
            return error_set(
                error, PENROSE_E_ARGUMENT,
                "no check '%.*s'; there are core, noc, cb, races, memory, uninit, config and all",
                (int)(length < 40 ? length : 40), word);
        }
        if (!word[length]) {
            break;
        }
    }
    for (unsigned i = 0; i < CHECKS && !has_name; i++) {
        settings->does[i] = true;
    }
    return PENROSE_OK;
}
