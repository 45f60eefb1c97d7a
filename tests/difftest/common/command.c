#include "command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "side.h"

/* --- Options --- */

static uint64_t number(struct argp_state *state, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    uint64_t value = strtoull(text, &end, 0);
    if (end == text || *end || *text == '-' || value < least || value > most) {
        argp_error(state, "\"%s\" is no number from %" PRIu64 " to %" PRIu64, text, least, most);
    }
    return value;
}

static void set(const struct setting *setting, const char *argument, struct argp_state *state)
{
    void *to = (char *)state->input + setting->at;
    switch (setting->kind) {
    case SETTING_FLAG:
        *(bool *)to = true;
        break;
    case SETTING_TEXT:
        *(const char **)to = argument;
        break;
    case SETTING_NUMBER:
        *(uint32_t *)to = (uint32_t)number(state, argument, setting->least, setting->most);
        break;
    case SETTING_LARGE:
        *(uint64_t *)to = number(state, argument, setting->least, setting->most);
        break;
    }
}

error_t setting_parse(const struct setting *list, size_t count, int key, const char *argument,
                      struct argp_state *state)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].key == key) {
            set(&list[i], argument, state);
            return 0;
        }
    }
    if (key == ARGP_KEY_ARG) {
        argp_error(state, "what is \"%s\"?", argument);
    }
    return ARGP_ERR_UNKNOWN;
}

/* --- Modes --- */

static bool check_library(const char *tester, const char *path, const char *option,
                          unsigned timeout)
{
    struct side side;
    char message[MESSAGE_SIZE];
    side_init(&side, tester, path, option, timeout);
    bool ok = side_open(&side, message);
    side_stop(&side);
    if (!ok) {
        fprintf(stderr, "%s: cannot use %s %s: %s\n", tester, option, path, message);
    }
    return ok;
}

enum exit_code libraries_check(const char *tester, const struct mode *mode, const char **ours,
                               const char **reference, unsigned timeout)
{
    if (mode->self_test) {
        *ours = *ours ? *ours : *reference;
        *reference = *ours;
    }
    bool needs_ours = !mode->record;
    bool needs_reference = !mode->golden && !mode->replay;
    if ((needs_ours && !*ours) || (needs_reference && !*reference)) {
        fprintf(stderr, "%s: %s is missing; try --help\n", tester,
                needs_ours && !*ours ? "--ours" : "--reference");
        return EXIT_USAGE;
    }
    bool ok = (!*ours || check_library(tester, *ours, "--ours", timeout)) &&
              (!*reference || check_library(tester, *reference, "--reference", timeout));
    return ok ? EXIT_SAME : EXIT_LIBRARY;
}

bool mode_uses_files(const struct mode *mode)
{
    return mode->record || mode->golden || mode->replay;
}

enum exit_code golden_exit_code(enum golden_result result)
{
    static const enum exit_code codes[] = {
        [GOLDEN_SAME] = EXIT_SAME,
        [GOLDEN_DIFFERENT] = EXIT_DIFFERENT,
        [GOLDEN_USELESS] = EXIT_USAGE,
        [GOLDEN_TROUBLE] = EXIT_LIBRARY,
    };
    return codes[result];
}

void case_saved(FILE *file, const char *path)
{
    bool ok = file && !ferror(file);
    ok = file && !fclose(file) && ok;
    printf(ok ? "saved in %s; --replay runs it again\n" : "cannot write %s\n", path);
}
