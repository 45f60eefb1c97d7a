/* `monitor`: commands that GDB does not have itself. Commands about the coprocessor are in
 * monitor_tensix.c. */
#include <stdlib.h>
#include <string.h>

#include "chip/calls.h"
#include "observe/gdb/internal.h"

/* A report that the library writes as snprintf does. */
static void put_report(struct penrose_chip *chip, struct gdb_text *out,
                       int (*report)(struct penrose_chip *chip, char *text, size_t size))
{
    int length = report(chip, NULL, 0);
    char *text = length > 0 ? malloc((size_t)length + 1) : NULL;
    if (text) {
        report(chip, text, (size_t)length + 1);
        gdb_put(out, "%s", text);
        free(text);
    } else {
        gdb_put(out, "nothing\n");
    }
}

static void put_place(struct gdb *gdb, const struct gdb_thread *thread, uint32_t pc,
                      struct gdb_text *out)
{
    char symbol[128], source[256], calls[1024];
    gdb_put(out, "0x%08x", pc);
    if (penrose_locate(gdb_chip(gdb, thread->chip), thread->x, thread->y, pc, symbol, sizeof symbol,
                       source, sizeof source)) {
        images_calls_text(gdb_images(gdb, thread->chip), thread->x, thread->y, pc, true, calls,
                          sizeof calls);
        gdb_put(out, "  %s%s%s%s", symbol, *symbol && *source ? ", " : "", source, calls);
    }
    gdb_put(out, "\n");
}

static void monitor_tile(struct gdb *gdb, struct gdb_text *out)
{
    struct gdb_thread at = gdb->general;
    gdb_put_chip(gdb, out, at.chip);
    gdb_put(out, "tile (%u, %u), cycle %llu\n", at.x, at.y,
            (unsigned long long)(gdb->event.cycle ? gdb->event.cycle : penrose_now(gdb->chip)));
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        struct penrose_hart_info info;
        at.hart = (enum penrose_hart)hart;
        if (penrose_hart_info(gdb_chip(gdb, at.chip), at.x, at.y, at.hart, &info, NULL) ==
            PENROSE_OK) {
            gdb_put(out, "  %-7s %-9s ", gdb_hart_name(gdb, &at), gdb_state_name(info.state));
            put_place(gdb, &at, gdb_stands_at(gdb, &at), out);
        }
    }
    for (unsigned thread = 0; thread < PENROSE_TENSIX_THREADS; thread++) {
        struct penrose_gate gate;
        if (penrose_gate_read(gdb_chip(gdb, at.chip), at.x, at.y, thread, &gate, NULL) !=
            PENROSE_OK) {
            break;
        }
        gdb_put(out, "  T%u: %s%s%s", thread,
                gate.has_instruction ? gate.text : "nothing at its gate",
                *gate.waits ? ", waits: " : "", gate.waits);
        gdb_put(out, gate.queued ? ", %u queued\n" : "\n", gate.queued);
    }
}

static void monitor_disassemble(struct gdb *gdb, const struct gdb_words *words,
                                struct gdb_text *out)
{
    if (words->count > 3 || !gdb_words_are_numbers(words, 1, 2)) {
        gdb_put_usage(out, words);
        return;
    }
    uint32_t pc = gdb_pc(gdb, &gdb->general);
    uint32_t address = words->count > 1 ? (uint32_t)strtoul(words->word[1], NULL, 0) & ~3u : pc;
    unsigned long count = words->count > 2 ? strtoul(words->word[2], NULL, 0) : 8;
    for (unsigned long i = 0; i < count && i < 1000; i++, address += 4) {
        char text[160];
        if (penrose_hart_disassemble(gdb_chip(gdb, gdb->general.chip), gdb->general.x,
                                     gdb->general.y, address, NULL, text, sizeof text) < 0) {
            gdb_put(out, "   0x%08x: harts fetch nothing there\n", address);
            return;
        }
        gdb_put(out, "%s0x%08x:\t%s\n", address == pc ? "=> " : "   ", address, text);
    }
}

static void put_faults(struct penrose_chip *chip, struct gdb_text *out)
{
    enum { REPORT = 8192 };
    char text[REPORT];
    struct penrose_fault fault;
    for (size_t i = 0; penrose_fault_get(chip, i, &fault); i++) {
        penrose_fault_format(&fault, text, sizeof text);
        gdb_put(out, "%s", text);
    }
    if (out->size == 0) {
        gdb_put(out, "none\n");
    }
}

/* A report of the chip that the command names ("waits 1"), or else of the one of the process. */
static void monitor_chip(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out)
{
    const char *name = words->word[0];
    unsigned long number = words->count > 1 ? strtoul(words->word[1], NULL, 0) : gdb->general.chip;
    if (words->count > 2 || !gdb_words_are_numbers(words, 1, 1)) {
        gdb_put_usage(out, words);
    } else if (number >= gdb_chips(gdb)) {
        gdb_put(out, "there is no chip %lu; chips are numbered from 0 to %u\n", number,
                gdb_chips(gdb) - 1);
    } else if (strcmp(name, "faults") == 0) {
        put_faults(gdb_chip(gdb, (unsigned)number), out);
    } else {
        put_report(gdb_chip(gdb, (unsigned)number), out,
                   strcmp(name, "noc") == 0 ? penrose_noc_wait_report : penrose_wait_report);
    }
}

static void monitor_resume(struct gdb *gdb, struct gdb_text *out)
{
    struct penrose_error error = {.text = "a past cannot be changed"};
    if (gdb_is_past(gdb) ||
        penrose_hart_resume(gdb_chip(gdb, gdb->general.chip), gdb->general.x, gdb->general.y,
                            gdb->general.hart, &error) != PENROSE_OK) {
        gdb_put(out, "%s\n", error.text);
    }
}

static void split_words(char *command, struct gdb_words *words)
{
    char *rest = command;
    words->count = 0;
    for (char *word; words->count < sizeof words->word / sizeof words->word[0] &&
                     (word = strsep(&rest, " \t")) != NULL;) {
        if (*word) {
            words->word[words->count++] = word;
        }
    }
}

static bool monitor_general(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out)
{
    const char *name = words->word[0];
    if (strcmp(name, "tile") == 0) {
        monitor_tile(gdb, out);
    } else if (strcmp(name, "disassemble") == 0) {
        monitor_disassemble(gdb, words, out);
    } else if (strcmp(name, "faults") == 0 || strcmp(name, "waits") == 0 ||
               strcmp(name, "noc") == 0) {
        monitor_chip(gdb, words, out);
    } else if (strcmp(name, "symbols") == 0) {
        gdb_monitor_symbols(gdb, words, out);
    } else if (strcmp(name, "break") == 0) {
        gdb_monitor_break(gdb, words, out);
    } else if (strcmp(name, "unbreak") == 0) {
        gdb_monitor_unbreak(gdb, words, out);
    } else if (strcmp(name, "last-writer") == 0) {
        gdb_monitor_last_writer(gdb, words, out);
    } else if (strcmp(name, "resume") == 0) {
        monitor_resume(gdb, out);
    } else {
        return false;
    }
    return true;
}

void gdb_monitor(struct gdb *gdb, char *command, struct gdb_text *out)
{
    struct gdb_words words;
    split_words(command, &words);
    if (words.count == 0 || strcmp(words.word[0], "help") == 0) {
        gdb_put_help(out);
        return;
    }
    if (!gdb->general.pid) {
        gdb_put(out, "attach to a process first; 'info os processes' lists them\n");
        return;
    }
    if (!monitor_general(gdb, &words, out) && !gdb_monitor_tensix(gdb, &words, out)) {
        gdb_put(out, "there is no command '%s'; 'monitor help' lists them\n", words.word[0]);
    }
}
