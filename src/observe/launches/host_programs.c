/* See host_programs.h. */
#include "observe/launches/host_programs.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/environment.h"
#include "isa/error.h"
#include "loader/launched.h"
#include "observe/inside.h"

enum {
    MOST_FIRMWARE = 4, /* a host may load one after the other */
    MOST_SEARCHES = 3, /* in vain: each opens all sets that there are */
};

struct host_programs {
    struct penrose_chip *chip;
    struct penrose_firmware *firmware[MOST_FIRMWARE];
    unsigned count;
    unsigned searches;      /* in vain: programs that are not tt-metal's have none */
    unsigned opened;        /* of the firmware so many have their files among `files` */
    char folder[PATH_MAX];  /* that was named; empty: none */
    char kernels[PATH_MAX]; /* where tt-metal's kernels are, with wildcards */
    char tests[PATH_MAX];   /* where LLK's tests are; empty: they were not looked for yet */
    bool is_current;        /* firmware was looked for since programs were forgotten, */
    bool has_looked;        /* and so were files that have come */
    uint32_t looked_for;    /* files of this launch were looked for; 0: of none */
    struct program_files *files;
};

/* Below a folder that was named, or that a variable names, firmware has these places. */
static const struct {
    const char *variable; /* NULL: a folder that was named */
    const char *pattern;
} places[] = {
    {NULL, ""},
    {NULL, "firmware"},
    {NULL, "*/firmware"},
    {NULL, "*/*/firmware"},
    {NULL, "*"},
    {"TT_METAL_CACHE", "tt-metal-cache*/firmware"},
    {"TT_METAL_CACHE", "tt-metal-cache/*/firmware"},
    {"HOME", ".cache/tt-metal-cache*/firmware"},
    {"HOME", ".cache/tt-metal-cache/*/firmware"},
    {"TT_METAL_RUNTIME_ROOT", "tt_metal/pre-compiled/*"},
};

/* --- Firmware --- */

static bool is_firmware_known(const struct host_programs *programs)
{
    bool is_there = false;
    for (unsigned i = 0; i < programs->count; i++) {
        is_there |= inside(programs->chip)->metal_assume(programs->chip, programs->firmware[i]);
    }
    return is_there;
}

/* True where its code lies in tiles. */
static bool try_folder(struct host_programs *programs, const char *folder)
{
    struct penrose_firmware *firmware;
    if (penrose_firmware_open(programs->chip, folder, &firmware, NULL) != PENROSE_OK) {
        return false;
    }
    if (!inside(programs->chip)->metal_assume(programs->chip, firmware)) {
        penrose_firmware_close(firmware);
        return false;
    }
    programs->firmware[programs->count++] = firmware;
    return true;
}

static bool try_place(struct host_programs *programs, const char *root, const char *pattern)
{
    char path[PATH_MAX];
    glob_t found;
    bool is_found = false;
    if (snprintf(path, sizeof path, "%s/%s", root, pattern) >= (int)sizeof path ||
        glob(path, GLOB_NOSORT, NULL, &found) != 0) {
        return false;
    }
    for (size_t i = 0; i < found.gl_pathc && !is_found; i++) {
        is_found = try_folder(programs, found.gl_pathv[i]);
    }
    globfree(&found);
    return is_found;
}

void host_programs_know_firmware(struct host_programs *programs)
{
    if (!programs || is_firmware_known(programs) || programs->searches == MOST_SEARCHES ||
        programs->count == MOST_FIRMWARE) {
        return;
    }
    bool is_found = false;
    for (unsigned i = 0; i < sizeof places / sizeof places[0] && !is_found; i++) {
        const char *named = *programs->folder ? programs->folder : NULL;
        const char *root = places[i].variable ? host_variable(places[i].variable) : named;
        is_found = root && try_place(programs, root, places[i].pattern);
    }
    programs->searches += !is_found;
}

bool host_programs_add(struct host_programs *programs, const char *name)
{
    return programs && program_files_add(programs->files, name);
}

void host_programs_add_firmware(struct host_programs *programs, struct penrose_firmware *firmware)
{
    if (programs && programs->count < MOST_FIRMWARE) {
        programs->firmware[programs->count++] = firmware;
    } else {
        penrose_firmware_close(firmware);
    }
}

/* --- Programs --- */

/* Where Python makes temporary files, or a runner of CI. */
static const char *temporary_folder(void)
{
    static const char *const variable[] = {"RUNNER_TEMP", "TMPDIR", "TEMP", "TMP"};
    const char *folder = NULL;
    for (unsigned i = 0; i < sizeof variable / sizeof *variable && !folder; i++) {
        folder = host_variable(variable[i]);
    }
    return folder ? folder : "/tmp";
}

/* LLK's tests compile into a folder of their own. Their plugin of pytest sets LLK_HOME, after it has
 * opened the library. */
static void open_tests(struct host_programs *programs)
{
    if (!*programs->tests && !*programs->folder && host_variable("LLK_HOME")) {
        snprintf(programs->tests, sizeof programs->tests, "%.*s/tt-llk-build", PATH_MAX - 32,
                 temporary_folder());
        program_files_add(programs->files, programs->tests);
    }
}

/* Reads the files of the firmware, and of kernels if nobody has named a folder. */
static void open_files(struct host_programs *programs)
{
    open_tests(programs);
    if (!programs->is_current) {
        host_programs_know_firmware(programs);
        programs->is_current = true;
    }
    for (; programs->opened < programs->count; programs->opened++) {
        program_files_add(programs->files, programs->firmware[programs->opened]->directory);
        if (programs->opened == 0 && !*programs->folder) {
            program_files_add(programs->files, programs->kernels);
        }
    }
}

static struct loader_launched launched_in(const struct tile_facts *tile)
{
    struct loader_launched launched = {0};
    if (tile->layout && tile->kind == PENROSE_TILE_TENSIX) {
        loader_launched_read(tile->layout, tile->memory, &launched);
    }
    return launched;
}

/* Of a launch, how many kernels run, and how many of them no known file has. */
struct launched_kernels {
    unsigned run, unknown;
};

static struct launched_kernels count_kernels(const struct host_programs *programs,
                                             const struct tile_facts *tile,
                                             const struct loader_launched *launched)
{
    struct launched_kernels count = {0, 0};
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        const struct loader_launched_kernel *kernel = &launched->kernel[i];
        count.run += kernel->runs;
        count.unknown +=
            kernel->runs &&
            !program_files_kernel(programs->files, inside(programs->chip)->metal_hart_of(i), tile,
                                  kernel->address);
    }
    return count;
}

/* The programs of the tile's launch; false: not all of its kernels are found so. */
static bool know_launched(struct host_programs *programs, const struct tile_facts *tile)
{
    const struct loader_launched launched = launched_in(tile);
    program_files_place_launched(programs->files, programs->chip, tile, &launched);
    const struct launched_kernels count = count_kernels(programs, tile, &launched);
    return count.run > 0 && count.unknown == 0;
}

/* New files are looked for once a report, since walking through all that is compiled takes long. */
static void look_once(struct host_programs *programs)
{
    if (!programs->has_looked) {
        program_files_look(programs->files);
        programs->has_looked = true;
    }
}

/* The host may load other firmware, and compile; whoever has named a folder has compiled before. */
static void expect_change(struct host_programs *programs)
{
    programs->is_current = false;
    programs->has_looked = *programs->folder != '\0';
}

static void know_tile(struct host_programs *programs, const struct tile_facts *tile)
{
    const struct loader_launched launched = launched_in(tile);
    const unsigned unknown = count_kernels(programs, tile, &launched).unknown;
    if (unknown > 0 || !tile->layout) { /* without firmware of tt-metal any program may be new */
        look_once(programs);
    }
    if (unknown > 0) {
        images_forget_found(&chip_head(programs->chip)->images, tile->x, tile->y); /* of others */
    }
    program_files_place(programs->files, programs->chip, tile, NULL, NULL);
    if (count_kernels(programs, tile, &launched).unknown > unknown) { /* files were written anew */
        look_once(programs);
        program_files_place(programs->files, programs->chip, tile, NULL, NULL);
    }
}

void host_programs_know(struct host_programs *programs)
{
    struct tile_facts tile;
    unsigned next = 0;
    if (programs) {
        open_files(programs);
    }
    while (programs && chip_calls_of(programs->chip)->next_tile(programs->chip, &next, &tile)) {
        know_tile(programs, &tile);
    }
}

/* The tile has the layout of firmware that is known by then. False: it was not touched. */
static bool find_tile(struct host_programs *programs, unsigned x, unsigned y,
                      struct tile_facts *tile)
{
    open_files(programs);
    return chip_calls_of(programs->chip)->tile_facts(programs->chip, x, y, false, tile);
}

void host_programs_know_tile(struct host_programs *programs, unsigned x, unsigned y)
{
    struct tile_facts tile;
    if (programs && find_tile(programs, x, y, &tile)) {
        know_tile(programs, &tile);
    }
}

void host_programs_find(void *context, unsigned x, unsigned y)
{
    struct host_programs *programs = context;
    struct tile_facts tile;
    if (!programs) {
        return;
    }
    expect_change(programs); /* time has passed */
    if (!find_tile(programs, x, y, &tile) || know_launched(programs, &tile)) {
        return;
    }
    const struct loader_launched launched = launched_in(&tile);
    if (launched.id == 0 || launched.id != programs->looked_for) {
        know_tile(programs, &tile);
        programs->looked_for = launched.id; /* in all tiles: it was compiled before */
    }
}

void host_programs_serve(struct host_programs *programs)
{
    if (programs) {
        chip_head(programs->chip)->find_programs = host_programs_find;
        chip_head(programs->chip)->find_context = programs;
    }
}

void host_programs_forget(struct host_programs *programs)
{
    if (programs) {
        expect_change(programs);
        programs->looked_for = 0;
        program_files_forget(programs->files, programs->chip);
    }
}

const char *host_programs_kernel(struct host_programs *programs, enum penrose_hart hart,
                                 const struct tile_facts *tile, uint32_t address)
{
    if (!programs) {
        return NULL;
    }
    open_files(programs);
    const char *path = program_files_kernel(programs->files, hart, tile, address);
    if (!path) {
        program_files_look(programs->files);
        path = program_files_kernel(programs->files, hart, tile, address);
    }
    return path;
}

/* --- Life --- */

struct program_files *host_programs_files(struct host_programs *programs)
{
    return programs ? programs->files : NULL;
}

const char *host_programs_place(const struct host_programs *programs)
{
    return programs ? programs->kernels : "";
}

/* Where tt-metal keeps what it compiles. */
static void name_place_of_kernels(struct host_programs *programs)
{
    const char *cache = host_variable("TT_METAL_CACHE"), *home = host_variable("HOME");
    const char *root = cache ? cache : home ? home : "";
    snprintf(programs->kernels, sizeof programs->kernels, "%s%s", root,
             cache ? "" : "/.cache/tt-metal-cache*");
}

enum penrose_status host_programs_create(struct penrose_chip *chip, const char *folder,
                                         struct host_programs **programs,
                                         struct penrose_error *error)
{
    struct host_programs *made = calloc(1, sizeof *made);
    enum penrose_status status = PENROSE_OK;
    *programs = NULL;
    if (made) {
        made->chip = chip;
        made->files = program_files_create();
        snprintf(made->folder, sizeof made->folder, "%s", folder ? folder : "");
        name_place_of_kernels(made);
    }
    if (!made || !made->files) {
        status = error_set(error, PENROSE_E_MEMORY, "no memory for the host's programs");
    } else if (folder && !program_files_add(made->files, folder)) {
        status = error_set(error, PENROSE_E_FILE, "there is no file or folder %s", folder);
    }
    if (status) {
        host_programs_free(made);
        return status;
    }
    *programs = made;
    return PENROSE_OK;
}

void host_programs_free(struct host_programs *programs)
{
    for (unsigned i = 0; programs && i < programs->count; i++) {
        penrose_firmware_close(programs->firmware[i]);
    }
    if (programs) {
        program_files_free(programs->files);
    }
    free(programs);
}
