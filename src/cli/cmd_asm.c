/* `penrose asm`: words for instructions given as text. */
#include <stdio.h>
#include <stdlib.h>

#include "chip/calls.h"
#include "cli/options.h"
#include "cli/output.h"
#include "isa/json_text.h"

struct asm_options {
    struct cli *cli;
    const char **line; /* of argv's strings */
    unsigned lines;
    bool tensix;
    uint64_t pc;
};

enum { KEY_TENSIX = 0x800, KEY_PC };

static error_t parse_asm(int key, char *argument, struct argp_state *state)
{
    struct asm_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->cli;
        state->child_inputs[1] = options->cli;
        return 0;
    case KEY_TENSIX:
        options->tensix = true;
        return 0;
    case KEY_PC:
        return options_number(options->cli, "--pc", argument, UINT32_MAX, &options->pc);
    case ARGP_KEY_ARG:
        options->line[options->lines++] = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return options_refuse(options->cli, "give instructions, each as one argument, such as "
                                            "'addi a0, a0, 1' or, with --tensix, 'SETC16 5, 0x10'");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option rows[] = {
    {"pc", KEY_PC, "ADDRESS", 0, "The address of the first instruction (default 0)", 0},
    {"tensix", KEY_TENSIX, NULL, 0, "Tensix instructions, not RISC-V", 0},
    {0},
};

static const struct argp_child children[] = {
    {&json_argp, 0, "Output:", 5}, {&arch_argp, 0, "Chip:", 6}, {0}};

static const struct argp argp = {
    .options = rows,
    .parser = parse_asm,
    .args_doc = "INSTRUCTION...",
    .doc = "Assembles instructions, each given as one argument, and prints their words as 'penrose "
           "disasm' takes them."
           "\vExamples:\n"
           "  penrose asm 'lw ra, 12(sp)' 'jal zero, 0x2468'\n"
           "        two RISC-V instructions at 0 and 4\n"
           "  penrose asm --tensix 'SETC16 5, 0x10'\n"
           "        a Tensix instruction; operands in the order of LLK's TT_OP_ macros\n"
           "  penrose asm '.ttinsn SETC16 5, 0x10'\n"
           "        the RISC-V instruction that pushes it\n\n"
           "Exit codes: 0 done, 2 usage.",
    .children = children,
};

static enum cli_exit assemble(const struct asm_options *options, json_t *list)
{
    for (unsigned i = 0; i < options->lines; i++) {
        uint32_t word, pc = (uint32_t)options->pc + 4 * i;
        struct penrose_error error;
        enum penrose_status status =
            options->tensix ? options->cli->kind->tensix_assemble(options->line[i], &word, &error)
                            : options->cli->kind->assemble(options->line[i], pc, &word, &error);
        if (status != PENROSE_OK) {
            return complain(options->cli, "%s", error.text);
        }
        if (list) {
            json_array_append_new(list, json_address(word));
        } else {
            printf("%08x\n", word);
        }
    }
    return CLI_DONE;
}

static enum cli_exit put_words(const struct asm_options *options)
{
    json_t *list = options->cli->json ? json_array() : NULL;
    enum cli_exit exit = assemble(options, list);
    if (list && exit == CLI_DONE) {
        json_t *result = json_object();
        json_object_set_new(result, "command", json_string("asm"));
        json_object_set_new(result, "outcome", json_text(cli_exit_name(CLI_DONE)));
        json_object_set_new(result, "exit_status", json_integer(CLI_DONE));
        json_object_set(result, "words", list);
        exit = output_json(options->cli, result);
    }
    json_decref(list);
    return exit;
}

enum cli_exit cmd_asm(struct cli *cli, int argc, char **argv)
{
    struct asm_options options = {.cli = cli};
    enum cli_exit exit;
    options.line = calloc((size_t)argc, sizeof *options.line);
    if (!options.line) {
        return complain(cli, "no memory for %d instructions", argc);
    }
    if (options_parse(cli, &argp, argc, argv, &options, &exit)) {
        exit = put_words(&options);
    }
    free(options.line);
    return exit;
}
