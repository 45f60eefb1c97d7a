/*
 * See firmware_link.h. In the cache: ttnn/<identity of the root>/root, the second root, and
 * ttnn/<identity>/keys/<what keys depend on>, a link whose text is the keys. Links that are
 * there stay, so that several runs at once do not disturb each other, and a run adds what a root
 * has got since the last one.
 */
#include "cli/firmware_link.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chip/grid.h"
#include "cli/child.h"
#include "cli/installation.h"
#include "host/environment.h"
#include "loader/firmware.h"

extern char **environ;

enum { PROBE_SECONDS = 120, MOST_KEY = 32, MOST_QUEUES = 2 };

/* What ttnn asks for with one command queue, and with two; images do not depend on their number. */
struct keys {
    char key[MOST_QUEUES][MOST_KEY];
};

static enum firmware_link compiled(struct firmware_link_answer *answer, const char *reason)
{
    snprintf(answer->reason, sizeof answer->reason, "%s", reason);
    return FIRMWARE_COMPILED;
}

/* --- What keys depend on --- */

static uint64_t hash_text(uint64_t hash, const char *text) /* FNV-1a */
{
    for (; *text; text++) {
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    }
    return (hash ^ '\n') * UINT64_C(0x100000001b3);
}

/* A file by its path, size and time of change. */
static uint64_t hash_file(uint64_t hash, const char *path)
{
    struct stat status;
    char text[64] = "";
    if (stat(path, &status) == 0) {
        snprintf(text, sizeof text, "%jd %jd %ld", (intmax_t)status.st_size,
                 (intmax_t)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    }
    return hash_text(hash_text(hash, path), text);
}

/* HW: variables of tt-metal that leave its firmware as it is; those that end in '*' begin a name.
 * DISABLE_SFPLOADMACRO changes the key and kernels, but no firmware. */
static const char *const harmless[] = {
    "BACKEND_DUMP_RUN_CMD",
    "CACHE",
    "CCACHE_KERNEL_SUPPORT",
    "DISABLE_BACKTRACE",
    "DISABLE_SFPLOADMACRO",
    "HOME",
    "INSPECTOR*",
    "JIT_ANALYTICS",
    "LOGGER_*",
    "LOGS_PATH",
    "LOG_*",
    "OPERATION_TIMEOUT_SECONDS",
    "RUNTIME_ROOT",
    "SIMULATOR*",
    "SLOW_DISPATCH_MODE",
    "VISIBLE_DEVICES",
};

static bool is_harmless(const char *name, size_t length)
{
    for (unsigned i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        size_t known = strcspn(harmless[i], "*");
        bool is_start = harmless[i][known] == '*';
        if ((is_start ? length >= known : length == known) &&
            strncmp(name, harmless[i], known) == 0) {
            return true;
        }
    }
    return false;
}

/* The first variable that may change firmware, as "NAME=value"; NULL: none. */
static const char *find_harmful(void)
{
    static const char prefix[] = "TT_METAL_";
    for (char **entry = environ; *entry; entry++) {
        const char *name = *entry + sizeof prefix - 1;
        if (strncmp(*entry, prefix, sizeof prefix - 1) == 0 &&
            !is_harmless(name, strcspn(name, "="))) {
            return *entry;
        }
    }
    return NULL;
}

/* --- The set --- */

/* Dispatch on Tensix tiles uses stream 48 of the overlay, on Ethernet tiles stream 16: the page of
 * its registers is in a LUI. */
static bool dispatches_on_tensix(const struct loader_elf *brisc)
{
    enum { LUI = 0x37, STREAM_48 = 0xffb70 };
    unsigned count;
    const struct loader_segment *segment = loader_elf_segments(brisc, &count);
    for (unsigned i = 0; i < count; i++) {
        for (uint32_t at = 0;
             segment[i].flags & LOADER_SEGMENT_EXECUTE && at + 4 <= segment[i].filesz; at += 4) {
            uint32_t word;
            memcpy(&word, segment[i].bytes + at, sizeof word);
            if ((word & 0x7f) == LUI && word >> 12 == STREAM_48) {
                return true;
            }
        }
    }
    return false;
}

/* One column of workers is for dispatch. */
static bool fits(const struct loader_firmware *firmware, const struct grid_product *product)
{
    enum { ROWS = 10 };
    unsigned columns = GRID_COLUMNS - (unsigned)__builtin_popcount(product->fused.columns);
    unsigned banks = GRID_BANKS - (unsigned)__builtin_popcount(product->fused.banks);
    return firmware->tables.l1_banks == (columns - 1) * ROWS &&
           firmware->tables.dram_banks == banks &&
           dispatches_on_tensix(firmware->elf[LOADER_BRISC]);
}

bool firmware_link_choose(const char *folder, const char *card, char path[PATH_MAX], unsigned *sets)
{
    const struct grid_product *product = grid_product(card);
    struct dirent **entry;
    bool found = false;
    int count = scandir(folder, &entry, NULL, alphasort);
    *sets = 0;
    for (int i = 0; i < count; i++) {
        struct loader_firmware *firmware;
        struct penrose_error error;
        char candidate[PATH_MAX];
        if (entry[i]->d_name[0] != '.' && product &&
            path_join(candidate, folder, entry[i]->d_name) &&
            loader_firmware_open(candidate, &firmware, &error) == PENROSE_OK) {
            ++*sets;
            if (!found && fits(firmware, product)) {
                found = true;
                memcpy(path, candidate, sizeof candidate);
            }
            loader_firmware_close(firmware);
        }
        free(entry[i]);
    }
    if (count >= 0) {
        free(entry);
    }
    return found;
}

/* --- The second root --- */

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static void remove_tree(const char *path)
{
    enum { MOST_OPEN = 16 };
    nftw(path, remove_entry, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
}

/* Links to all that is in `from`, but for one name. */
static bool link_entries(const char *from, const char *to, const char *except)
{
    DIR *folder = opendir(from);
    bool done = folder && path_make(to);
    struct dirent *entry;
    while (done && (entry = readdir(folder))) {
        char source[PATH_MAX], target[PATH_MAX];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            (except && strcmp(entry->d_name, except) == 0)) {
            continue;
        }
        done = path_join(source, from, entry->d_name) && path_join(target, to, entry->d_name) &&
               (symlink(source, target) == 0 || errno == EEXIST);
    }
    if (folder) {
        closedir(folder);
    }
    return done;
}

/* The second root, or what it lacks. */
static bool make_root(const char *base, const char *root, char to[PATH_MAX])
{
    char from_metal[PATH_MAX], to_metal[PATH_MAX], from_sets[PATH_MAX], to_sets[PATH_MAX];
    return path_join(to, base, "root") && path_join(from_metal, root, "tt_metal") &&
           path_join(to_metal, to, "tt_metal") &&
           path_join(from_sets, from_metal, "pre-compiled") &&
           path_join(to_sets, to_metal, "pre-compiled") && link_entries(root, to, "tt_metal") &&
           link_entries(from_metal, to_metal, "pre-compiled") &&
           link_entries(from_sets, to_sets, NULL);
}

/* --- The keys --- */

struct probe {
    char cache[PATH_MAX];
    char key[MOST_KEY];
};

/* Has ttnn made the folder tt-metal-cache<key>? */
static bool has_key(void *context)
{
    static const char prefix[] = "tt-metal-cache";
    struct probe *probe = context;
    DIR *folder = opendir(probe->cache);
    struct dirent *entry;
    while (folder && !*probe->key && (entry = readdir(folder))) {
        const char *key = entry->d_name + sizeof prefix - 1;
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) == 0 && *key &&
            strspn(key, "0123456789") == strlen(key)) {
            snprintf(probe->key, sizeof probe->key, "%.31s", key);
        }
    }
    if (folder) {
        closedir(folder);
    }
    return *probe->key;
}

/* The last line of ttnn's log that tells what is wrong, else the last one of Python's. */
static void explain(const char *log, struct firmware_link_answer *answer)
{
    char line[512], last[400] = "it ended without a message";
    FILE *file = fopen(log, "r");
    bool is_ttnns = false;
    while (file && fgets(line, sizeof line, file)) {
        const char *throw = strstr(line, "TT_THROW: "), *fatal = strstr(line, "TT_FATAL: ");
        const char *text = throw ? throw : fatal;
        if (text || (!is_ttnns && strstr(line, "Error: "))) {
            is_ttnns |= text != NULL;
            text = text ? text : line;
            snprintf(last, sizeof last, "%.*s", (int)strcspn(text, "\n"), text);
        }
    }
    if (file) {
        fclose(file);
    }
    snprintf(answer->reason, sizeof answer->reason, "ttnn cannot be asked for its build key: %s",
             last);
}

/* Lets ttnn open the device until it begins to compile firmware. */
static bool ask_key(const struct firmware_link_request *request, char *python, const char *base,
                    unsigned queues, struct probe *probe, struct firmware_link_answer *answer)
{
    char work[PATH_MAX], log[PATH_MAX], option[] = "-c", number[] = {(char)('0' + queues), 0};
    char script[] = "import os, sys; os.chdir(sys.argv[1]); import ttnn; "
                    "ttnn.open_device(device_id=0, num_command_queues=int(sys.argv[2]))";
    if (!path_make(base) || !path_join(work, base, "probe.XXXXXX") || !mkdtemp(work) ||
        !path_join(log, work, "log") || !path_join(probe->cache, work, "cache")) {
        snprintf(answer->reason, sizeof answer->reason, "cannot write to %.400s: %s", base,
                 strerror(errno));
        return false;
    }
    const struct child_variable variable[] = {
        {"TT_METAL_SIMULATOR", request->library},
        {"TT_METAL_SLOW_DISPATCH_MODE", "1"},
        {"TT_METAL_DISABLE_PRECOMPILED_FW", "1"},
        {"TT_METAL_CACHE", probe->cache},
        {"PENROSE_CARD", request->card},
        {"PENROSE_SCHEDULE", NULL},
        {"PENROSE_TRACE", NULL},
        {"PENROSE_REPORT", NULL},
        {"PENROSE_SUMMARY", NULL},
    };
    char *argv[] = {python, option, script, work, number, NULL};
    bool done = child_watch(argv, variable, sizeof variable / sizeof variable[0], PROBE_SECONDS,
                            log, has_key, probe);
    if (!done) {
        explain(log, answer);
    }
    remove_tree(work);
    return done;
}

static bool ask_keys(const struct firmware_link_request *request, char *python, const char *base,
                     struct keys *keys, struct firmware_link_answer *answer)
{
    for (unsigned i = 0; i < MOST_QUEUES; i++) {
        struct probe probe = {.key = ""};
        if (ask_key(request, python, base, i + 1, &probe, answer)) {
            memcpy(keys->key[i], probe.key, sizeof probe.key);
        } else if (i == 0) {
            return false;
        } else { /* a ttnn that has only one */
            memcpy(keys->key[i], keys->key[0], sizeof probe.key);
        }
    }
    return true;
}

/* What was kept of an earlier run. */
static bool recall_keys(const char *path, struct keys *keys)
{
    char text[MOST_QUEUES * MOST_KEY];
    ssize_t length = readlink(path, text, sizeof text - 1);
    text[length > 0 ? length : 0] = 0;
    return sscanf(text, "%31[0-9]-%31[0-9]", keys->key[0], keys->key[1]) == MOST_QUEUES;
}

static void keep_keys(const char *base, const char *path, const struct keys *keys)
{
    char folder[PATH_MAX], text[MOST_QUEUES * MOST_KEY];
    snprintf(text, sizeof text, "%s-%s", keys->key[0], keys->key[1]);
    if (path_join(folder, base, "keys") && path_make(folder)) {
        unlink(path);
        if (symlink(text, path) != 0) {
            return; /* they will be asked for again */
        }
    }
}

/* --- Together --- */

/* Where in the cache things about this root are, and the file of the keys. */
static bool name_places(const struct firmware_link_request *request, const char *root,
                        const char *python, char base[PATH_MAX], char key_file[PATH_MAX])
{
    char cache[PATH_MAX], library[PATH_MAX], sfpi[PATH_MAX] = "";
    const char *macros = getenv("TT_METAL_DISABLE_SFPLOADMACRO");
    if (!host_cache(cache, sizeof cache) || !path_join(library, root, "build/lib/libtt_metal.so")) {
        return false;
    }
    find_sfpi(root, sfpi);
    uint64_t seed = UINT64_C(0xcbf29ce484222325);
    uint64_t identity = hash_file(hash_text(seed, root), library);
    uint64_t detail = hash_text(hash_text(identity, request->library), request->card);
    detail = hash_file(detail, sfpi);
    detail = hash_text(hash_text(detail, python), macros ? macros : "unset");
    return snprintf(base, PATH_MAX, "%s/ttnn/%016" PRIx64, cache, identity) < PATH_MAX &&
           snprintf(key_file, PATH_MAX, "%s/keys/%016" PRIx64, base, detail) < PATH_MAX;
}

/* Links from all keys to the set, in `folder`. */
static bool link_keys(const char *folder, const struct keys *keys, const char *set)
{
    char link[PATH_MAX];
    for (unsigned i = 0; i < MOST_QUEUES; i++) {
        if (!path_join(link, folder, keys->key[i])) {
            return false;
        }
        if (!path_exists(link)) {
            unlink(link);
            if (symlink(set, link) != 0 && errno != EEXIST) {
                return false;
            }
        }
    }
    return true;
}

/* Are there sets under all keys? */
static bool has_sets(const char *folder, const struct keys *keys)
{
    char path[PATH_MAX];
    bool has = true;
    for (unsigned i = 0; i < MOST_QUEUES; i++) {
        has = has && path_join(path, folder, keys->key[i]) && path_exists(path);
    }
    return has;
}

static enum firmware_link link_set(const struct firmware_link_request *request, const char *base,
                                   const char *root, const struct keys *keys,
                                   struct firmware_link_answer *answer)
{
    char sets[PATH_MAX], own[PATH_MAX], set[PATH_MAX];
    unsigned count;
    if (!path_join(sets, root, "tt_metal/pre-compiled") || has_sets(sets, keys)) {
        return FIRMWARE_AS_IS;
    }
    if (!make_root(base, root, answer->root) ||
        !path_join(own, answer->root, "tt_metal/pre-compiled")) {
        return compiled(answer, "a folder of links cannot be made in the cache");
    }
    if (has_sets(own, keys)) {
        return FIRMWARE_LINKED;
    }
    if (!firmware_link_choose(sets, request->card, set, &count)) {
        return compiled(answer, "ttnn ships no firmware for this card");
    }
    return link_keys(own, keys, set) ? FIRMWARE_LINKED
                                     : compiled(answer, "a link cannot be made in the cache");
}

enum firmware_link firmware_link_make(const struct firmware_link_request *request,
                                      struct firmware_link_answer *answer)
{
    char python[PATH_MAX], found[PATH_MAX], root[PATH_MAX], base[PATH_MAX], key_file[PATH_MAX];
    struct keys keys;
    bool has_python = find_python(request->command, python);
    if (!find_metal_root(has_python ? python : NULL, found) || !realpath(found, root) ||
        !path_join(found, root, "tt_metal/pre-compiled") || !path_exists(found) ||
        getenv("TT_METAL_DISABLE_PRECOMPILED_FW")) {
        return FIRMWARE_AS_IS;
    }
    const char *harmful = find_harmful();
    if (harmful) {
        snprintf(answer->reason, sizeof answer->reason,
                 "%.*s is set, which may change it, so ttnn compiles its own",
                 (int)strcspn(harmful, "="), harmful);
        return FIRMWARE_COMPILED;
    }
    if (!has_python || !name_places(request, root, python, base, key_file)) {
        return compiled(answer, has_python ? "there is no cache folder: set PENROSE_CACHE"
                                           : "there is no Python to ask ttnn for its build key");
    }
    if (!find_sfpi(root, found)) {
        return compiled(answer, "there is no SFPI compiler, without which it opens no device; "
                                "'penrose doctor' says more");
    }
    if (!recall_keys(key_file, &keys)) {
        if (!ask_keys(request, python, base, &keys, answer)) {
            return FIRMWARE_COMPILED;
        }
        keep_keys(base, key_file, &keys);
    }
    return link_set(request, base, root, &keys, answer);
}
