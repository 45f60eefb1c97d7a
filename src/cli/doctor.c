/*
 * See doctor.h. The library is tried in a process of its own: another one than ours may end the
 * process that uses it.
 */
#include "cli/doctor.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include <penrose/metal.h>
#include <penrose/penrose.h>

#include "arch/bar.h"
#include "cli/child.h"
#include "cli/compiler.h"
#include "cli/firmware_set.h"
#include "cli/installation.h"
#include "geometry.h"
#include "host/environment.h"

/* Adds a check that is ok; `format` says what was found. */
__attribute__((format(printf, 3, 4))) static struct doctor_check *
add(struct doctor *doctor, const char *name, const char *format, ...)
{
    struct doctor_check *check = &doctor->check[doctor->count];
    va_list arguments;
    doctor->count += doctor->count + 1 < DOCTOR_CHECKS;
    *check = (struct doctor_check){.name = name};
    va_start(arguments, format);
    vsnprintf(check->text, sizeof check->text, format, arguments);
    va_end(arguments);
    return check;
}

/* Says that a check is not ok, and what to do. */
__attribute__((format(printf, 3, 4))) static void
advise(struct doctor_check *check, enum doctor_state state, const char *format, ...)
{
    va_list arguments;
    check->state = state;
    va_start(arguments, format);
    vsnprintf(check->remedy, sizeof check->remedy, format, arguments);
    va_end(arguments);
}

/* --- The library --- */

enum library_answer {
    LIBRARY_FINE,
    LIBRARY_NO_LOAD,
    LIBRARY_NO_SYMBOLS,
    LIBRARY_OTHER_DEVICE,
    LIBRARY_NO_MEMORY, /* what was written to a tile is not read back */
};

struct library_functions {
    void (*init)(void);
    void (*exit)(void);
    uint32_t (*config)(uint32_t device, uint32_t offset);
    void (*read)(uint64_t address, void *bytes, uint32_t size);
    void (*write)(uint64_t address, const void *bytes, uint32_t size);
};

static bool find_functions(void *library, struct library_functions *functions)
{
    /* A function pointer cannot be cast from void * in ISO C; POSIX says that they are alike. */
    void *const symbol[] = {dlsym(library, "libttsim_init"), dlsym(library, "libttsim_exit"),
                            dlsym(library, "libttsim_pci_config_rd32"),
                            dlsym(library, "libttsim_pci_mem_rd_bytes"),
                            dlsym(library, "libttsim_pci_mem_wr_bytes")};
    for (unsigned i = 0; i < sizeof symbol / sizeof symbol[0]; i++) {
        if (!symbol[i]) {
            return false;
        }
    }
    _Static_assert(sizeof *functions == sizeof symbol, "one pointer a symbol");
    memcpy(functions, symbol, sizeof symbol);
    return true;
}

/* Points window 0 to tile (1, 2), writes a word to its L1, and reads it. SPEC: BlackholeA0
 * PCIExpressTile/HostToDeviceTLBs. */
static bool reaches_tile(const struct library_functions *functions)
{
    enum { ADDRESS = 0x20000 };
    const uint64_t registers = bar_regions[REGION_TLB].first;
    uint64_t bar = functions->config(0, 0x10) & ~UINT32_C(15);
    bar |= (uint64_t)functions->config(0, 0x14) << 32;
    const uint32_t target[] = {0, (1u | 2u << 6) << 11, 0};
    uint32_t word = 0x9e3779b9, found = 0;
    for (unsigned i = 0; i < sizeof target / sizeof target[0]; i++) {
        functions->write(bar + registers + 4 * i, &target[i], sizeof target[i]);
    }
    functions->write(bar + ADDRESS, &word, sizeof word);
    functions->read(bar + ADDRESS, &found, sizeof found);
    return found == word;
}

static enum library_answer try_library(const char *path, const char *card)
{
    struct library_functions functions;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return LIBRARY_NO_LOAD;
    }
    if (!find_functions(library, &functions)) {
        return LIBRARY_NO_SYMBOLS;
    }
    setenv("PENROSE_CARD", card, 1);
    unsetenv("PENROSE_TRACE");
    unsetenv("PENROSE_SUMMARY");
    functions.init();
    enum library_answer answer = functions.config(0, 0) != PCI_DEVICE_AND_VENDOR
                                     ? LIBRARY_OTHER_DEVICE
                                 : reaches_tile(&functions) ? LIBRARY_FINE
                                                            : LIBRARY_NO_MEMORY;
    functions.exit();
    return answer;
}

/* -1: it ended the process. */
static int ask_library(const char *path, const char *card)
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        _exit((int)try_library(path, card));
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void judge_library(struct doctor_check *check, int answer)
{
    switch (answer) {
    case LIBRARY_FINE:
        return;
    case LIBRARY_NO_LOAD:
        advise(check, DOCTOR_FAILED, "it does not load; 'ldd' tells which library it lacks");
        return;
    case LIBRARY_NO_SYMBOLS:
        advise(check, DOCTOR_FAILED, "it lacks functions that UMD needs; name a libttsim.so");
        return;
    case LIBRARY_OTHER_DEVICE:
        advise(check, DOCTOR_FAILED, "it is no Blackhole (1e52:b140); name another one");
        return;
    case LIBRARY_NO_MEMORY:
        advise(check, DOCTOR_FAILED,
               "a word written to tile (1, 2) is not read back; run "
               "'make check', and report this");
        return;
    default:
        advise(check, DOCTOR_FAILED, "it ended its process; run 'make check', and report this");
    }
}

/* Does a descriptor have the line "arch_name: BLACKHOLE"? UMD takes any case. */
static bool is_blackholes(const char *descriptor)
{
    static const char key[] = "arch_name:";
    char line[256];
    bool is_one = false;
    FILE *file = fopen(descriptor, "r");
    while (file && !is_one && fgets(line, sizeof line, file)) {
        const char *value = line + sizeof key - 1;
        is_one = strncmp(line, key, sizeof key - 1) == 0 &&
                 strncasecmp(value + strspn(value, " \"'"), "blackhole", 9) == 0;
    }
    if (file) {
        fclose(file);
    }
    return is_one;
}

void doctor_check_library(struct doctor *doctor)
{
    char descriptor[PATH_MAX];
    bool found = *doctor->library ? path_exists(doctor->library)
                                  : find_library(doctor->card, doctor->library);
    struct doctor_check *check = add(doctor, "library", "%.480s", doctor->library);
    if (!found) {
        advise(check, DOCTOR_FAILED,
               "there is no such file: run 'make install', or 'make' in the "
               "build tree");
        return;
    }
    judge_library(check, ask_library(doctor->library, doctor->card));
    if (check->state == DOCTOR_OK) {
        size_t length = strlen(check->text);
        snprintf(check->text + length, sizeof check->text - length, " (1e52:b140%s%s)",
                 doctor->is_other_library ? "" : ", ",
                 doctor->is_other_library ? "" : doctor->card);
    }
    found = find_descriptor(doctor->library, descriptor);
    check = add(doctor, "descriptor", "%.480s", descriptor);
    if (!found || !is_blackholes(descriptor)) {
        advise(check, DOCTOR_FAILED, "%s: penrose info --soc-descriptor %s >%.300s",
               found ? "it does not describe a Blackhole" : "UMD needs this file", doctor->card,
               descriptor);
    }
}

/* --- Python --- */

struct package {
    const char *name, *tested, *purpose;
};

static const struct package packages[] = {
    {"tt-umd", "0.9.14", "tt-exalens and tests of UMD"},
    {"ttnn", "0.81.1", "ttnn programs"},
    {"tt-exalens", "0.4.2", "the LLK tests and looking at tiles"},
};

enum { PACKAGES = sizeof packages / sizeof packages[0] };

/* What Python says of a package: empty version where it is not there; shared libraries that its
 * modules lack, and what Debian calls the packages of these. */
struct found {
    char version[32], lacks[128], debian[128];
};

/* False when it is no Python. Modules are not imported: that takes seconds, and acts. */
static bool ask_packages(char *python, struct found found[PACKAGES])
{
    char option[] = "-c", text[1024];
    char script[] =
        "import importlib.machinery as i, importlib.metadata as m, re, subprocess as s, sys\n"
        "def lacks(files):\n"
        "    try: text = s.run(['ldd', *files], stdout=-1, stderr=-3, text=True).stdout\n"
        "    except OSError: return []\n"
        "    return sorted({l.split()[0] for l in text.split('\\n') if l.endswith(' not found')})\n"
        "print('python')\n"
        "for n in sys.argv[1:]:\n"
        "    try: d = m.distribution(n)\n"
        "    except m.PackageNotFoundError: continue\n"
        "    ends = tuple(e for e in i.EXTENSION_SUFFIXES if e != '.so')\n"
        "    files = [str(f.locate()) for f in d.files or () if f.name.endswith(ends)]\n"
        "    libraries = lacks(files) if files else []\n"
        "    debian = [re.sub(r'\\.so\\.(\\d+).*', r'\\1', l).replace('_', '-') for l in "
        "libraries]\n"
        "    print(n, d.version, ', '.join(libraries), ' '.join(debian), sep='|')\n";
    char names[PACKAGES][16];
    char *argv[PACKAGES + 4] = {python, option, script};
    for (unsigned i = 0; i < PACKAGES; i++) {
        snprintf(names[i], sizeof names[i], "%s", packages[i].name);
        argv[3 + i] = names[i];
        found[i] = (struct found){0};
    }
    struct child_result result = child_capture(argv, NULL, 0, 30, text, sizeof text);
    bool is_python = strncmp(text, "python\n", 7) == 0;
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        const char *name = strsep(&line, "|");
        for (unsigned i = 0; line && i < PACKAGES; i++) {
            if (strcmp(name, packages[i].name) == 0) {
                const char *version = strsep(&line, "|"), *lacks = strsep(&line, "|");
                snprintf(found[i].version, sizeof found[i].version, "%s", version);
                snprintf(found[i].lacks, sizeof found[i].lacks, "%s", lacks ? lacks : "");
                snprintf(found[i].debian, sizeof found[i].debian, "%s", line ? line : "");
            }
        }
    }
    return result.end == CHILD_EXITED && result.status == 0 && is_python;
}

static void check_package(struct doctor *doctor, const struct package *package,
                          const struct found *found)
{
    const char *version = found->version;
    if (!*version) {
        advise(add(doctor, package->name, "not in this Python; %s need it", package->purpose),
               DOCTOR_NOTE, "%.400s -m pip install %s==%s", doctor->python, package->name,
               package->tested);
    } else if (*found->lacks) {
        advise(add(doctor, package->name, "%s, which does not load: it lacks %s", version,
                   found->lacks),
               DOCTOR_FAILED, "on Debian: apt-get install %s", found->debian);
    } else if (strcmp(version, package->tested) != 0) {
        advise(add(doctor, package->name, "%s", version), DOCTOR_NOTE,
               "tested with %s; if this one fails, try that", package->tested);
    } else {
        add(doctor, package->name, "%s", version);
    }
}

void doctor_check_python(struct doctor *doctor)
{
    struct found found[PACKAGES];
    if (!doctor->has_python) {
        advise(add(doctor, "python", "there is no python3 in PATH"), DOCTOR_NOTE,
               "name one with --python; programs in C++ need none");
    } else {
        struct doctor_check *check = add(doctor, "python", "%.480s", doctor->python);
        if (!ask_packages(doctor->python, found)) {
            advise(check, DOCTOR_FAILED, "it does not run Python; name another one with --python");
        } else {
            for (unsigned i = 0; i < PACKAGES; i++) {
                check_package(doctor, &packages[i], &found[i]);
            }
        }
    }
    if (!find_metal_root(doctor->has_python ? doctor->python : NULL, doctor->root)) {
        doctor->root[0] = 0;
    }
}

/* --- The compiler --- */

/* Compilers are known to work with the ttnn that this was tested with, which names another. */
static const char tested_compiler[] = "7.87.0", tested_wanted[] = "7.89.0";

/* The version in "riscv-tt-elf-g++ (tenstorrent/sfpi:7.87.0[1023]) 15.1.0". */
static void read_version(const char *text, char version[16])
{
    static const char mark[] = "sfpi:";
    const char *at = strstr(text, mark);
    if (!at || sscanf(at + sizeof mark - 1, "%15[0-9.]", version) != 1) {
        version[0] = 0;
    }
}

/* What tt-metal names may differ from what there is; it does not complain then. */
static void compare_versions(const struct doctor *doctor, struct doctor_check *check,
                             const char *version)
{
    char wanted[16] = "";
    size_t length = strlen(check->text);
    if (*doctor->root) {
        compiler_wanted(doctor->root, wanted);
    }
    if (!*wanted || strcmp(wanted, version) == 0) {
        return;
    }
    if (strcmp(version, tested_compiler) == 0 && strcmp(wanted, tested_wanted) == 0) {
        snprintf(check->text + length, sizeof check->text - length,
                 "; ttnn names %s and works with it", wanted);
        return;
    }
    advise(check, DOCTOR_NOTE,
           "this ttnn names %s; if kernels do not compile, unpack that release of "
           "github.com/tenstorrent/sfpi to /opt/tenstorrent/sfpi",
           wanted);
}

/* The driver says its version where the compiler proper, for want of a library, does not run. */
static bool compiles(char *path, char *text, size_t size)
{
    char cpu[] = "-mcpu=tt-bh", language[] = "-xc++", syntax[] = "-fsyntax-only";
    char input[] = "/dev/null", *argv[] = {path, cpu, language, syntax, input, NULL};
    struct child_result result = child_capture(argv, NULL, 0, 30, text, size);
    text[strcspn(text, "\n")] = 0;
    return result.end == CHILD_EXITED && result.status == 0;
}

static void try_compiler(struct doctor *doctor, const struct compiler *compiler)
{
    char path[PATH_MAX] = "", option[] = "--version", text[256], version[16];
    char *argv[] = {path, option, NULL};
    path_join(path, compiler->folder, "compiler/bin/riscv-tt-elf-g++");
    struct child_result result = child_capture(argv, NULL, 0, 30, text, sizeof text);
    text[strcspn(text, "\n")] = 0;
    read_version(text, version);
    struct doctor_check *check = *version
                                     ? add(doctor, "compiler", "%.400s (SFPI %s)", path, version)
                                     : add(doctor, "compiler", "%.300s (%.150s)", path, text);
    if (result.end != CHILD_EXITED || result.status != 0) {
        advise(check, DOCTOR_FAILED, "it does not run; get SFPI again");
    } else if (!compiles(path, text, sizeof text)) {
        advise(check, DOCTOR_FAILED,
               "it compiles nothing (%.250s); on Debian: apt-get install libmpc3", text);
    } else {
        compare_versions(doctor, check, version);
    }
}

void doctor_check_compiler(struct doctor *doctor)
{
    const char *python = doctor->has_python ? doctor->python : NULL;
    struct compiler compiler;
    compiler_find(*doctor->root ? doctor->root : NULL, python, &compiler);
    if (compiler.place == COMPILER_PACKED) {
        add(doctor, "compiler",
            "in the jax-tt-plugin of this Python; 'penrose exec' unpacks it when ttnn needs it");
    } else if (compiler.place == COMPILER_NOWHERE) {
        char remedy[PATH_MAX + 128];
        compiler_remedy(python, remedy);
        advise(add(doctor, "compiler", "no riscv-tt-elf-g++ of SFPI; ttnn opens no device without"),
               *doctor->root ? DOCTOR_FAILED : DOCTOR_NOTE, "%.480s", remedy);
    } else {
        try_compiler(doctor, &compiler);
    }
}

/* --- Firmware --- */

/* The set of a folder that fits the card; true when there are Blackhole sets at all. */
static bool look_for_set(struct doctor *doctor, const char *folder)
{
    unsigned sets;
    bool fits =
        path_exists(folder) && firmware_set_choose(folder, doctor->card, doctor->set, &sets);
    if (!path_exists(folder) || !sets) {
        return false;
    }
    struct doctor_check *check =
        add(doctor, "firmware", "%u Blackhole sets in %.400s", sets, folder);
    if (!fits) {
        doctor->set[0] = 0;
        advise(check, DOCTOR_NOTE,
               "none is for the banks of this card; 'scripts/fetch-firmware' of the source tree "
               "downloads others");
    }
    return true;
}

void doctor_check_firmware(struct doctor *doctor)
{
    char cache[PATH_MAX], folder[PATH_MAX], path[PATH_MAX];
    if (*doctor->root && path_join(path, doctor->root, "tt_metal/pre-compiled") &&
        look_for_set(doctor, path)) {
        return;
    }
    if (host_cache(cache, sizeof cache) && path_join(folder, cache, "ttnn-0.81.1") &&
        path_join(path, folder, "pre-compiled") && look_for_set(doctor, path)) {
        return;
    }
    advise(add(doctor, "firmware", "no set of tt-metal firmware"), DOCTOR_NOTE,
           "'penrose boot' wants one: 'scripts/fetch-firmware' of the source tree downloads all; "
           "ttnn compiles its own");
}

/* --- The cache --- */

void doctor_check_cache(struct doctor *doctor)
{
    char path[PATH_MAX];
    if (!host_cache(path, sizeof path)) {
        advise(add(doctor, "cache", "no folder: HOME is not set"), DOCTOR_NOTE,
               "set PENROSE_CACHE to a folder");
        return;
    }
    struct doctor_check *check = add(doctor, "cache", "%.480s", path);
    if (!path_make(path) || access(path, W_OK | X_OK) != 0) {
        advise(check, DOCTOR_NOTE,
               "cannot be written (%s), so no compiler can be put there: set PENROSE_CACHE to "
               "another folder",
               strerror(errno));
    }
}

/* --- A tile at work --- */

enum { TILE_X = 1, TILE_Y = 2, MOST_CYCLES = 1000000 };

static bool is_ready(struct penrose_chip *chip, void *context)
{
    return penrose_firmware_ready(chip, TILE_X, TILE_Y, context);
}

/* Boots a worker; the cycles that it took, 0 after an error. */
static uint64_t boot_tile(struct penrose_chip *chip, struct penrose_firmware *firmware,
                          struct penrose_error *error)
{
    struct penrose_run run = {
        .size = sizeof run, .cycles = MOST_CYCLES, .until = is_ready, .context = firmware};
    if (penrose_boot(chip, TILE_X, TILE_Y, firmware, error) != PENROSE_OK) {
        return 0;
    }
    penrose_run(chip, &run);
    if (!penrose_firmware_ready(chip, TILE_X, TILE_Y, firmware)) {
        snprintf(error->text, sizeof error->text, "the firmware does not become ready");
        return 0;
    }
    return penrose_now(chip);
}

static void check_boot(struct doctor *doctor, struct penrose_chip *chip)
{
    struct penrose_firmware *firmware;
    struct penrose_error error;
    uint64_t cycles = 0;
    if (penrose_firmware_open(doctor->set, &firmware, &error) == PENROSE_OK) {
        cycles = boot_tile(chip, firmware, &error);
    } else {
        firmware = NULL;
    }
    if (cycles) {
        add(doctor, "tile", "firmware boots on tile (%d, %d) in %llu cycles", TILE_X, TILE_Y,
            (unsigned long long)cycles);
    } else {
        advise(add(doctor, "tile", "firmware does not boot: %.400s", error.text), DOCTOR_FAILED,
               "penrose boot %.440s", doctor->set);
    }
    penrose_firmware_close(firmware);
}

/* Without firmware: a program of two instructions. */
static void check_program(struct doctor *doctor, struct penrose_chip *chip)
{
    enum { A0 = 10, ANSWER = 42 };
    const uint32_t program[] = {0x02a00513 /* li a0, 42 */, 0x00100073 /* ebreak */};
    struct penrose_run run = {.size = sizeof run, .cycles = MOST_CYCLES};
    struct penrose_hart_info info;
    struct penrose_error error;
    if (penrose_write(chip, TILE_X, TILE_Y, 0, program, sizeof program, &error) == PENROSE_OK &&
        penrose_hart_release(chip, TILE_X, TILE_Y, PENROSE_BRISC, 0, &error) == PENROSE_OK) {
        penrose_run(chip, &run);
        if (penrose_hart_info(chip, TILE_X, TILE_Y, PENROSE_BRISC, &info, &error) == PENROSE_OK &&
            info.state == PENROSE_HART_PAUSED && info.x[A0] == ANSWER) {
            add(doctor, "tile", "a small program runs on tile (%d, %d)", TILE_X, TILE_Y);
            return;
        }
    }
    advise(add(doctor, "tile", "a small program does not run"), DOCTOR_FAILED,
           "run 'make check', and report this");
}

void doctor_check_tile(struct doctor *doctor)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_error error;
    struct penrose_chip *chip;
    options.card = doctor->card;
    if (penrose_chip_create(&options, &chip, &error) != PENROSE_OK) {
        advise(add(doctor, "tile", "no chip: %.400s", error.text), DOCTOR_FAILED,
               "see the message");
        return;
    }
    if (*doctor->set) {
        check_boot(doctor, chip);
    } else {
        check_program(doctor, chip);
    }
    penrose_chip_destroy(chip);
}
