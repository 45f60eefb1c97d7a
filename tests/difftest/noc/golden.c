/*
 * A state is a line for each item that is not 0: "expect VALUE NAME". The value of a memory is a
 * hash of its bytes.
 */
#include "golden.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { MOST_TRIES = 100 };

static uint64_t hash(const uint8_t *bytes, uint32_t size)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (uint32_t i = 0; i < size; i++) {
        value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return value;
}

static uint64_t value_of(const struct item *item, const uint8_t *answer)
{
    return item->kind == ITEM_MEMORY ? hash(answer + item->at, item->size)
                                     : item_value(item, answer);
}

/* --- Recording --- */

/* Families: what a file of golden cases is about. */
static const struct {
    const char *name;
    struct generate_options options;
} files[] = {
    {"tiles", {.tiles_only = true, .compact = true}},
    {"memories", {.compact = true}},
    {"large", {.compact = false}},
};

static void print_state(const struct bench *bench, FILE *to)
{
    fprintf(to, "state\n");
    for (uint32_t i = 0; i < bench->image.items; i++) {
        const struct item *item = &bench->image.item[i];
        uint64_t value = value_of(item, bench->reference_left.answer);
        if (value) {
            fprintf(to, "expect 0x%" PRIx64 " %s\n", value, item->name);
        }
    }
}

static bool record_case(struct bench *bench, uint64_t seed, uint64_t *number, unsigned file,
                        FILE *to)
{
    bool written = false, ok = true;
    for (unsigned i = 0; ok && !written && i < MOST_TRIES; i++, ++*number) {
        struct program program;
        program_generate(&program, seed, *number, &files[file].options);
        ok = program.ok;
        if (ok && program.transactions > 0) {
            ok = bench_run_side(bench, &bench->reference, &program, &bench->reference_left);
            written = ok && bench->reference_left.ending == ENDED;
        }
        if (written) {
            program_print(&program, to);
            print_state(bench, to);
        }
        program_free(&program);
    }
    return written;
}

static enum golden_result record_file(struct bench *bench, uint64_t seed, unsigned count,
                                      const char *folder, unsigned file)
{
    char path[PATH_SIZE];
    uint64_t number = 0;
    snprintf(path, sizeof path, "%s/%s.case", folder, files[file].name);
    FILE *to = fopen(path, "w");
    if (!to) {
        fprintf(stderr, "cannot write %s: %s\n", path, strerror(errno));
        return GOLDEN_TROUBLE;
    }
    fprintf(to, "# Random NoC transactions and the state they leave (difftest-noc --record).\n");
    bool ok = true;
    /* The large ones are long: a few will do. */
    unsigned wanted = files[file].options.compact ? count : (count + 49) / 50;
    for (unsigned i = 0; ok && i < wanted; i++) {
        ok = record_case(bench, seed + file, &number, file, to);
    }
    bool is_written = !ferror(to);
    is_written = !fclose(to) && is_written;
    if (!ok || !is_written) {
        fprintf(stderr, "%s: %s\n", path,
                !is_written         ? strerror(errno)
                : bench->trouble[0] ? bench->trouble
                                    : bench->reference_left.message);
        return GOLDEN_TROUBLE;
    }
    printf("%-10s %u cases\n", files[file].name, wanted);
    return GOLDEN_SAME;
}

enum golden_result golden_record(struct bench *bench, uint64_t seed, unsigned count,
                                 const char *folder)
{
    enum golden_result result = golden_make_folder(folder);
    for (unsigned i = 0; i < sizeof files / sizeof files[0] && result == GOLDEN_SAME; i++) {
        result = record_file(bench, seed, count, folder, i);
    }
    return result;
}

/* --- Expectations --- */

enum { MOST_NAME = sizeof((struct item *)0)->name };

struct expectation {
    uint64_t value;
    char name[MOST_NAME];
};

struct expectations {
    struct expectation *list;
    uint32_t count, room;
};

static bool expect(struct expectations *all, const char *text)
{
    if (all->count == all->room) {
        uint32_t room = 2 * all->room + 256;
        struct expectation *larger = realloc(all->list, room * sizeof *larger);
        if (!larger) {
            return false;
        }
        all->list = larger;
        all->room = room;
    }
    struct expectation *one = &all->list[all->count];
    int at = 0;
    if (sscanf(text, "expect %" SCNx64 " %n", &one->value, &at) != 1 || !at ||
        strlen(text + at) >= MOST_NAME) {
        return false;
    }
    strcpy(one->name, text + at);
    all->count++;
    return true;
}

/* The "expect" lines that follow; stops before anything else. */
static bool read_expectations(struct expectations *all, FILE *from, unsigned *line)
{
    char text[LINE_SIZE];
    all->count = 0;
    for (;;) {
        long at = ftell(from);
        if (!fgets(text, sizeof text, from)) {
            return true;
        }
        if (strncmp(text, "expect ", 7)) {
            return fseek(from, at, SEEK_SET) == 0;
        }
        ++*line;
        text[strcspn(text, "\n")] = '\0';
        if (!expect(all, text)) {
            return false;
        }
    }
}

static uint64_t expected_value(const struct expectations *all, const char *name, uint32_t near)
{
    for (uint32_t i = 0; i < all->count; i++) { /* items come in the same order */
        const struct expectation *one = &all->list[(near + i) % all->count];
        if (!strcmp(one->name, name)) {
            return one->value;
        }
    }
    return 0;
}

/* Does our outcome agree with what is expected? Says where not. */
static bool agrees(const struct bench *bench, const struct expectations *all)
{
    uint32_t found = 0, differ = 0;
    for (uint32_t i = 0; i < bench->image.items; i++) {
        const struct item *item = &bench->image.item[i];
        uint64_t ours = value_of(item, bench->ours_left.answer);
        uint64_t wanted = expected_value(all, item->name, found);
        found += wanted != 0;
        if (ours != wanted && ++differ <= 20) {
            printf("# %s: ours 0x%" PRIx64 ", expected 0x%" PRIx64 "\n", item->name, ours, wanted);
        }
    }
    if (found != all->count) {
        printf("# %" PRIu32 " values are expected of things that the case does not have\n",
               all->count - found);
    }
    return differ == 0 && found == all->count;
}

/* --- Replaying --- */

struct replay {
    struct bench *bench;
    bool both;
    unsigned cases, different, refused;
    struct expectations expectations;
};

static enum golden_result count_verdict(struct replay *replay, const char *path,
                                        const struct program *program, enum verdict verdict)
{
    replay->cases++;
    if (verdict == VERDICT_TROUBLE) {
        fprintf(stderr, "%s\n", replay->bench->trouble);
        return GOLDEN_TROUBLE;
    }
    if (verdict == VERDICT_REFUSED) {
        printf("# %s: case %" PRIu64 ": the reference refused it: %s\n", path, program->number,
               replay->bench->reference_left.message);
        replay->refused++;
    } else if (verdict != VERDICT_SAME) {
        printf("# %s: case %" PRIu64 " differs\n", path, program->number);
        replay->different++;
    }
    return GOLDEN_SAME;
}

static enum golden_result replay_case(struct replay *replay, const char *path,
                                      const struct program *program, bool has_state)
{
    struct bench *bench = replay->bench;
    enum verdict verdict;
    if (has_state) {
        bool ok = bench_run_side(bench, &bench->ours, program, &bench->ours_left);
        if (ok && bench->ours_left.ending != ENDED) {
            printf("# ours did not end: %s\n", bench->ours_left.message);
        }
        bool same = ok && bench->ours_left.ending == ENDED && agrees(bench, &replay->expectations);
        verdict = !ok ? VERDICT_TROUBLE : same ? VERDICT_SAME : VERDICT_DIFFERENT;
    } else if (replay->both) {
        verdict = bench_run(bench, program);
        if (verdict == VERDICT_DIFFERENT) {
            bench_print(bench, program, stdout);
        }
    } else {
        fprintf(stderr, "%s: case %" PRIu64 " has no state: --reference is needed\n", path,
                program->number);
        return GOLDEN_USELESS;
    }
    return count_verdict(replay, path, program, verdict);
}

static enum golden_result replay_file(void *context, FILE *file, const char *path)
{
    struct replay *replay = context;
    char error[ERROR_SIZE];
    unsigned line = 0;
    enum golden_result result = GOLDEN_SAME;
    for (int read = 1; result == GOLDEN_SAME && read > 0;) {
        struct program program;
        read = program_read(&program, file, &line, error);
        if (read > 0 && !read_expectations(&replay->expectations, file, &line)) {
            snprintf(error, sizeof error, "line %u: expected \"expect VALUE NAME\"", line);
            read = -1;
        }
        if (read > 0) {
            result = replay_case(replay, path, &program, replay->expectations.count > 0);
        } else if (read < 0) {
            fprintf(stderr, "%s: %s\n", path, error);
            result = GOLDEN_USELESS;
        }
        program_free(&program);
    }
    return result;
}

enum golden_result golden_replay(struct bench *bench, const char *path, bool both)
{
    struct replay replay = {.bench = bench, .both = both};
    enum golden_result result = golden_replay_all(path, replay_file, &replay);
    free(replay.expectations.list);
    if (result == GOLDEN_SAME && !replay.cases) {
        fprintf(stderr, "%s: no cases\n", path);
        return GOLDEN_USELESS;
    }
    printf("%u cases, %u differ", replay.cases, replay.different);
    if (replay.refused) {
        printf(", %u refused", replay.refused);
    }
    printf("\n");
    return result == GOLDEN_SAME && replay.different ? GOLDEN_DIFFERENT : result;
}
