/* `penrose info`: describes a program or a folder of firmware, the SoC descriptor of a card, or
 * which parts of the coprocessor are modelled. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "api/api.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/state.h"
#include "isa/json_text.h"
#include "loader/elf_internal.h"
#include "loader/firmware.h"
#include "observe/inside.h"

enum { MOST_ATTRIBUTE = 256, MOST_TITLE = 64 };

struct info_options {
    struct cli *cli;
    const char *path;
    const char *card;      /* --soc-descriptor; NULL: none */
    const char *cluster;   /* --cluster-descriptor */
    const char *chip_text; /* --chip; NULL: not given */
    unsigned chip;
    bool isa;
};

enum { KEY_SOC_DESCRIPTOR = 0x400, KEY_CLUSTER_DESCRIPTOR, KEY_INFO_CHIP, KEY_ISA };

static error_t parse_info(int key, char *argument, struct argp_state *state)
{
    struct info_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->cli;
        state->child_inputs[1] = options->cli;
        return 0;
    case ARGP_KEY_ARG:
        if (options->path) {
            return options_refuse(options->cli, "one file or folder is enough; what is '%s'?",
                                  argument);
        }
        options->path = argument;
        return 0;
    case KEY_SOC_DESCRIPTOR:
        options->card = argument;
        return 0;
    case KEY_CLUSTER_DESCRIPTOR:
        options->cluster = argument;
        return 0;
    case KEY_INFO_CHIP:
        options->chip_text = argument;
        return options_chip(options->cli, argument, &options->chip);
    case KEY_ISA:
        options->isa = true;
        return 0;
    case ARGP_KEY_END:
        if (!options->path + !options->card + !options->cluster + !options->isa != 3) {
            const char *wrong = options->card      ? "--soc-descriptor goes alone"
                                : options->cluster ? "--cluster-descriptor goes alone"
                                : options->isa     ? "--isa goes without a file"
                                                   : "name a program or a firmware folder";
            return options_refuse(options->cli, "%s", wrong);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&json_argp, 0, "Output:", 5}, {&arch_argp, 0, "Chip:", 6}, {0}};

static const struct argp_option option_rows[] = {
    {"soc-descriptor", KEY_SOC_DESCRIPTOR, "CARD", 0,
     "Print the soc_descriptor.yaml that UMD wants beside the library of a card (see penrose exec "
     "--help)",
     0},
    {"cluster-descriptor", KEY_CLUSTER_DESCRIPTOR, "CARD|FILE", 0,
     "Print the cluster_descriptor.yaml for a card with several chips, p300, p300x2, quietbox or "
     "galaxy, or what is taken from a file",
     0},
    {"chip", KEY_INFO_CHIP, "N", 0, "Which one of the snapshot's chips, from 0, the default", 0},
    {"isa", KEY_ISA, NULL, 0,
     "Print which instructions of the coprocessor are executed, of those that are not what was "
     "found "
     "and where it was sought, and fields of its configuration that nothing reads",
     0},
    {0},
};

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_info,
    .args_doc = "ELF\nFIRMWARE_DIR\nSNAPSHOT\nDUMP\n--soc-descriptor CARD\n--cluster-descriptor "
                "CARD|FILE\n--isa",
    .doc =
        "Tells what is in a program: segments, entry, symbols, architecture, compiler; or in a "
        "folder of tt-metal firmware: its five images, where the host finds its mailboxes, and "
        "whether it is for Blackhole; or in a snapshot or a dump: time, faults and where the harts "
        "are (penrose state shows the rest)."
        "\vExamples:\n"
        "  penrose info brisc.elf\n"
        "        describes one program\n"
        "  penrose info pre-compiled/1234 --json\n"
        "        describes a set of firmware for a script\n\n"
        "Exit codes: 0 done, 2 usage or bad file.",
    .children = children,
};

/* --- Facts about a program --- */

/* Reads a ULEB128 number and advances *at, which stays at most `end`. */
static uint32_t read_uleb(const uint8_t **at, const uint8_t *end)
{
    uint32_t value = 0;
    for (unsigned shift = 0; *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= shift < 32 ? (uint32_t)(byte & 0x7f) << shift : 0;
        if (!(byte & 0x80)) {
            break;
        }
    }
    return value;
}

/*
 * The architecture string of .riscv.attributes, empty when there is none. The section is 'A', a
 * length, "riscv", then one subsection: a tag, a length, and attributes, of which those with odd
 * numbers are strings. SPEC: RISC-V ELF psABI, attributes; Tag_RISCV_arch is 5.
 */
static void read_arch(const struct loader_elf *elf, char text[MOST_ATTRIBUTE])
{
    enum { FILE_HEADER = 1 + 4 + sizeof "riscv", TAG_SIZE = 1 + 4, TAG_ARCH = 5 };
    const struct loader_section *section = loader_elf_section(elf, ".riscv.attributes");
    text[0] = 0;
    if (!section || !section->bytes || section->size < FILE_HEADER + TAG_SIZE ||
        section->bytes[0] != 'A') {
        return;
    }
    const uint8_t *at = section->bytes + FILE_HEADER + TAG_SIZE;
    const uint8_t *end = section->bytes + section->size;
    while (at < end) {
        uint32_t tag = read_uleb(&at, end);
        if (tag % 2 == 0) {
            read_uleb(&at, end);
            continue;
        }
        size_t length = strnlen((const char *)at, (size_t)(end - at));
        if (tag == TAG_ARCH) {
            snprintf(text, MOST_ATTRIBUTE, "%.*s", (int)length, (const char *)at);
            return;
        }
        at += length + (at + length < end);
    }
}

/* What the compiler left in .comment, empty when there is none. */
static void read_compiler(const struct loader_elf *elf, char text[MOST_ATTRIBUTE])
{
    const struct loader_section *section = loader_elf_section(elf, ".comment");
    text[0] = 0;
    if (section && section->bytes) {
        int length = (int)strnlen((const char *)section->bytes, section->size);
        snprintf(text, MOST_ATTRIBUTE, "%.*s", length < MOST_ATTRIBUTE ? length : MOST_ATTRIBUTE,
                 (const char *)section->bytes);
    }
}

struct symbol_counts {
    unsigned functions, objects;
};

static struct symbol_counts count_symbols(const struct loader_elf *elf)
{
    struct symbol_counts counts = {0};
    struct loader_raw_symbol symbol;
    for (uint32_t i = 0; i < loader_elf_raw_symbols(elf); i++) {
        if (loader_elf_raw_symbol(elf, i, &symbol)) {
            counts.functions += symbol.type == STT_FUNC;
            counts.objects += symbol.type == STT_OBJECT;
        }
    }
    return counts;
}

static bool has_relocations(const struct loader_elf *elf)
{
    for (unsigned i = 0; i < elf->sections_count; i++) {
        const struct loader_section *section = &elf->section[i];
        if (section->type == SHT_RELA && section->info < elf->sections_count &&
            elf->section[section->info].flags & SHF_ALLOC) {
            return true;
        }
    }
    return false;
}

struct facts {
    char arch[MOST_ATTRIBUTE], compiler[MOST_ATTRIBUTE];
    struct symbol_counts symbols;
    bool relocations;
    const char *source_file; /* of main, the entry or any code; NULL: no debug information */
    unsigned source_line;
    char entry_name[LOADER_PLAIN_NAME]; /* empty: no symbol */
};

static struct facts gather(struct loader_elf *elf)
{
    struct facts facts = {.symbols = count_symbols(elf), .relocations = has_relocations(elf)};
    uint32_t offset;
    const struct loader_symbol *entry = loader_elf_symbol_at(elf, loader_elf_entry(elf), &offset);
    const struct loader_symbol *main = loader_elf_symbol(elf, "main");
    read_arch(elf, facts.arch);
    read_compiler(elf, facts.compiler);
    if (entry && offset == 0) {
        loader_plain_name(entry->name, facts.entry_name, sizeof facts.entry_name);
    }
    if ((!main || !loader_elf_source(elf, main->value, &facts.source_file, &facts.source_line)) &&
        !loader_elf_source(elf, loader_elf_entry(elf), &facts.source_file, &facts.source_line) &&
        !loader_elf_any_source(elf, &facts.source_file, &facts.source_line)) {
        facts.source_file = NULL;
    }
    return facts;
}

static const char *known(const char *text)
{
    return text && *text ? text : "unknown";
}

static json_t *known_json(const char *text)
{
    return text && *text ? json_text(text) : json_null();
}

static void flags_text(uint32_t flags, char text[4])
{
    text[0] = flags & LOADER_SEGMENT_READ ? 'r' : '-';
    text[1] = flags & LOADER_SEGMENT_WRITE ? 'w' : '-';
    text[2] = flags & LOADER_SEGMENT_EXECUTE ? 'x' : '-';
    text[3] = 0;
}

/* --- A program --- */

static void print_program(const struct info_options *options, const struct loader_elf *elf,
                          const struct facts *facts)
{
    unsigned count;
    const struct loader_segment *segments = loader_elf_segments(elf, &count);
    printf("%s: a program for a RISC-V hart\n", options->path);
    printf("  entry         0x%08x%s%s\n", loader_elf_entry(elf), *facts->entry_name ? " " : "",
           facts->entry_name);
    printf("  architecture  %s\n", known(facts->arch));
    printf("  compiler      %s\n", known(facts->compiler));
    if (facts->source_file) {
        printf("  source        %s:%u\n", facts->source_file, facts->source_line);
    } else {
        printf("  source        unknown: no debug information; compile with -g\n");
    }
    printf("  symbols       %u functions, %u objects\n", facts->symbols.functions,
           facts->symbols.objects);
    printf("  relocations   %s\n", facts->relocations ? "kept; it can be launched as a kernel"
                                                      : "none; it runs where it was linked");
    printf("  segments      %-10s %10s %10s\n", "address", "in file", "in memory");
    for (unsigned i = 0; i < count; i++) {
        char flags[4];
        flags_text(segments[i].flags, flags);
        printf("                0x%08x %10u %10u  %s\n", segments[i].vaddr, segments[i].filesz,
               segments[i].memsz, flags);
    }
}

static json_t *segments_json(const struct loader_elf *elf)
{
    json_t *array = json_array();
    unsigned count;
    const struct loader_segment *segments = loader_elf_segments(elf, &count);
    for (unsigned i = 0; i < count; i++) {
        char flags[4];
        json_t *object = json_object();
        flags_text(segments[i].flags, flags);
        json_object_set_new(object, "address", json_address(segments[i].vaddr));
        json_set_count(object, "in_file", segments[i].filesz);
        json_set_count(object, "in_memory", segments[i].memsz);
        json_object_set_new(object, "flags", json_text(flags));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *program_json(const char *path, const struct loader_elf *elf,
                            const struct facts *facts)
{
    json_t *object = json_object();
    json_object_set_new(object, "path", json_text(path));
    json_object_set_new(object, "entry", json_address(loader_elf_entry(elf)));
    json_object_set_new(object, "entry_symbol", known_json(facts->entry_name));
    json_object_set_new(object, "architecture", known_json(facts->arch));
    json_object_set_new(object, "compiler", known_json(facts->compiler));
    json_object_set_new(object, "source", known_json(facts->source_file));
    json_set_count(object, "functions", facts->symbols.functions);
    json_set_count(object, "objects", facts->symbols.objects);
    json_object_set_new(object, "relocations", json_boolean(facts->relocations));
    json_object_set_new(object, "segments", segments_json(elf));
    return object;
}

/* What every result begins with. */
static json_t *begin_json(void)
{
    json_t *object = json_object();
    json_object_set_new(object, "command", json_string("info"));
    json_object_set_new(object, "outcome", json_text(cli_exit_name(CLI_DONE)));
    json_object_set_new(object, "exit_status", json_integer(CLI_DONE));
    return object;
}

static enum cli_exit info_program(const struct info_options *options)
{
    struct loader_elf *elf;
    struct penrose_error error;
    enum cli_exit exit = CLI_DONE;
    if (loader_elf_open(options->path, &elf, &error) != PENROSE_OK) {
        return complain(options->cli, "%s", error.text);
    }
    struct facts facts = gather(elf);
    if (options->cli->json) {
        json_t *result = begin_json();
        json_object_set_new(result, "program", program_json(options->path, elf, &facts));
        exit = output_json(options->cli, result);
    } else {
        print_program(options, elf, &facts);
    }
    loader_elf_close(elf);
    return exit;
}

/* --- A set of firmware --- */

/* TRISCs are built for the Tensix instructions of a chip; the vendor's compiler leaves a mark. */
static bool says_chip(const struct loader_firmware *firmware,
                      const struct facts facts[LOADER_PROCESSORS])
{
    return strstr(facts[LOADER_TRISC0].arch, firmware->facts->compiler_mark) != NULL;
}

struct item {
    const char *name; /* in JSON */
    const char *text; /* for people; NULL: only in JSON */
    uint32_t value;
    bool is_address;
};

enum { ITEMS = 16 };

/* Where the host and the firmware meet. */
static void list_items(const struct loader_firmware *firmware, struct item items[ITEMS])
{
    const struct loader_layout *layout = &firmware->layout;
    const struct loader_tables *tables = &firmware->tables;
    uint32_t base = layout->mailbox_base;
    uint32_t go = base + layout->mailboxes_go_messages.offset;
    const struct item list[ITEMS] = {
        {"mailboxes", "mailboxes", base, true},
        {"mailboxes_size", "  their bytes", layout->mailboxes_size, false},
        {"launch", "launch messages", base + layout->mailboxes_launch.offset, true},
        {"launch_count", "  in the ring", layout->mailboxes_launch.count, false},
        {"launch_size", "  bytes each", layout->launch_msg_size, false},
        {"go_messages", "go messages", go, true},
        {"go_messages_count", "  of them", layout->mailboxes_go_messages.count, false},
        {"go_signal", "  first signal byte", go + layout->go_msg_signal.offset, true},
        {"subordinate_sync", "subordinate sync", base + layout->mailboxes_subordinate_sync.offset,
         true},
        {"kernel_ring", "kernel ring", firmware->ring_base, true},
        {"bank_tables", "bank tables", tables->bank_address, true},
        {"dram_banks", "  DRAM banks", tables->dram_banks, false},
        {"l1_banks", "  L1 banks", tables->l1_banks, false},
        {"circular_buffers", "circular buffers", layout->NUM_CIRCULAR_BUFFERS, false},
        {"first_stream", "  first stream", layout->OPERAND_START_STREAM, false},
        {"done_signal", "signal of a finished launch", layout->RUN_MSG_DONE, false},
    };
    memcpy(items, list, sizeof list);
}

static void image_sizes(const struct loader_elf *elf, uint32_t *text, uint32_t *data,
                        uint32_t *memory)
{
    unsigned count;
    const struct loader_segment *segments = loader_elf_segments(elf, &count);
    *text = *data = *memory = 0;
    for (unsigned i = 0; i < count; i++) {
        bool is_code = segments[i].flags & LOADER_SEGMENT_EXECUTE;
        *text += is_code ? segments[i].filesz : 0;
        *data += is_code ? 0 : segments[i].filesz;
        *memory += is_code ? 0 : segments[i].memsz;
    }
}

static void print_firmware(const struct info_options *options,
                           const struct loader_firmware *firmware,
                           const struct facts facts[LOADER_PROCESSORS])
{
    printf("%s: tt-metal firmware for ", options->path);
    if (says_chip(firmware, facts)) {
        printf("%s\n", firmware->facts->name);
    } else {
        printf("an unknown chip (no %s in trisc0.elf)\n", firmware->facts->compiler_mark);
    }
    printf("  compiler  %s\n", known(facts[0].compiler));
    printf("  source    %s\n\n", known(facts[0].source_file));
    printf("  %-7s %-10s %8s %8s %10s  %-10s %9s\n", "image", "entry", "text", "data", "local RAM",
           "scratch", "functions");
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        uint32_t text, data, memory;
        image_sizes(firmware->elf[i], &text, &data, &memory);
        printf("  %-7s 0x%08x %8u %8u %10u  0x%08x %9u\n",
               loader_processor_name((enum loader_processor)i), firmware->entry[i], text, data,
               memory, firmware->scratch[i], facts[i].symbols.functions);
    }
    struct item items[ITEMS];
    list_items(firmware, items);
    putchar('\n');
    for (unsigned i = 0; i < ITEMS; i++) {
        printf("  %-28s", items[i].text);
        if (items[i].value == LOADER_UNKNOWN) {
            puts("unknown");
        } else if (items[i].is_address) {
            printf("0x%08x\n", items[i].value);
        } else {
            printf("%u\n", items[i].value);
        }
    }
}

static json_t *firmware_json(const struct loader_firmware *firmware, const char *path,
                             const struct facts facts[LOADER_PROCESSORS])
{
    json_t *object = json_object(), *images = json_object(), *layout = json_object();
    struct item items[ITEMS];
    list_items(firmware, items);
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        const struct loader_elf *elf = firmware->elf[i];
        json_t *image = program_json(loader_elf_name(elf), elf, &facts[i]);
        json_object_set_new(image, "scratch", json_address(firmware->scratch[i]));
        json_object_set_new(images, loader_processor_name((enum loader_processor)i), image);
    }
    for (unsigned i = 0; i < ITEMS; i++) {
        json_object_set_new(layout, items[i].name,
                            items[i].value == LOADER_UNKNOWN ? json_null()
                            : items[i].is_address            ? json_address(items[i].value)
                                                             : json_integer(items[i].value));
    }
    json_object_set_new(object, "path", json_text(path));
    json_object_set_new(object, "chip",
                        says_chip(firmware, facts) ? json_string(firmware->facts->name)
                                                   : json_null());
    json_object_set_new(object, "images", images);
    json_object_set_new(object, "layout", layout);
    return object;
}

static enum cli_exit info_firmware(const struct info_options *options)
{
    struct loader_firmware *firmware;
    struct penrose_error error;
    struct facts facts[LOADER_PROCESSORS];
    enum cli_exit exit = CLI_DONE;
    const struct chip_calls *kind = options->cli->kind;
    if (loader_firmware_open(kind->arch, kind->inside->rv32_find_operands, options->path, &firmware,
                             &error) != PENROSE_OK) {
        return complain(options->cli, "%s", error.text);
    }
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        facts[i] = gather(firmware->elf[i]);
    }
    if (options->cli->json) {
        json_t *result = begin_json();
        json_object_set_new(result, "firmware", firmware_json(firmware, options->path, facts));
        exit = output_json(options->cli, result);
    } else {
        print_firmware(options, firmware, facts);
    }
    loader_firmware_close(firmware);
    return exit;
}

/* --- A snapshot or a dump --- */

static enum cli_exit info_state(const struct info_options *options)
{
    struct state *state;
    enum cli_exit exit = state_open(options->cli, options->path, options->chip, &state);
    if (!exit && options->cli->json) {
        json_t *what = state_json(state), *result = what ? begin_json() : NULL;
        json_object_set_new(result, "state", what);
        exit = what ? output_json(options->cli, result) : CLI_REFUSED;
    } else if (!exit) {
        exit = state_print(state);
    }
    state_close(state);
    return exit;
}

static enum cli_exit info_isa(const struct cli *cli)
{
    if (cli->json) {
        json_t *result = begin_json();
        cli->kind->inside->listing_json(result);
        return output_json(cli, result);
    }
    cli->kind->inside->listing_print();
    return CLI_DONE;
}

static enum cli_exit info_descriptor(const struct cli *cli, const char *card)
{
    const struct chip_calls *kind = api_chip_of_card(card);
    struct penrose_error error;
    char known[200] = "";
    if (!kind) {
        return complain(cli, "--soc-descriptor: there is no card '%s'; known are %s", card,
                        api_cards(known, sizeof known));
    }
    return kind->inside->metal_print_descriptor(api_card(card), &error) == PENROSE_OK
               ? CLI_DONE
               : complain(cli, "%s", error.text);
}

/* Of a card, or of a file: names of cards have no dots and slashes. */
static enum cli_exit info_cluster(const struct cli *cli, const char *name)
{
    struct cluster_plan plan;
    struct penrose_error error;
    char title[MOST_TITLE];
    bool is_file = strpbrk(name, "./") != NULL;
    if ((is_file ? api_plan_file(name, &plan, &error) : api_plan_card(name, &plan, &error)) !=
        PENROSE_OK) {
        return complain(cli, "--cluster-descriptor: %s", error.text);
    }
    if (plan.chips == 1) {
        return complain(cli, "--cluster-descriptor: %s has one chip, for which UMD wants none",
                        name);
    }
    snprintf(title, sizeof title, is_file ? "a cluster file" : "the card %s", name);
    plan.kind->inside->metal_print_cluster(&plan, title, stdout);
    return CLI_DONE;
}

enum cli_exit cmd_info(struct cli *cli, int argc, char **argv)
{
    struct info_options options = {.cli = cli};
    struct stat status;
    enum cli_exit exit;
    if (!options_parse(cli, &argp, argc, argv, &options, &exit)) {
        return exit;
    }
    if (options.chip_text && (!options.path || state_kind(options.path) != STATE_SNAPSHOT)) {
        return complain(cli, "--chip goes with a snapshot, which may have several chips");
    }
    if (options.isa) {
        return info_isa(cli);
    }
    if (options.card) {
        return info_descriptor(cli, options.card);
    }
    if (options.cluster) {
        return info_cluster(cli, options.cluster);
    }
    if (stat(options.path, &status) != 0) {
        return complain(cli,
                        "%s: %s; expected an ELF file, a firmware folder, a snapshot "
                        "or a dump",
                        options.path, strerror(errno));
    }
    if (state_kind(options.path) != STATE_NONE) {
        return info_state(&options);
    }
    return S_ISDIR(status.st_mode) ? info_firmware(&options) : info_program(&options);
}
