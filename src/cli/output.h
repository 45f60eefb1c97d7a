/* What the program writes: messages, JSON, positions in code, memory. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include <penrose/penrose.h>

#include "cli/cli.h"

/* "penrose: MESSAGE" on stderr. With --json the first message is kept for output_answer, with the
 * command. Returns CLI_REFUSED. */
enum cli_exit complain(const struct cli *cli, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "penrose: MESSAGE" on stderr. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The version of what --json writes: members may be added to it, others are another version. */
enum { JSON_SCHEMA = 1 };

/* Keeps the result for output_answer; CLI_REFUSED when it is NULL (memory ran out). */
enum cli_exit output_json(const struct cli *cli, json_t *object);

/* Prints the one object of --json when the command is over: what has failed late makes it an error,
 * too. Returns the exit code. */
enum cli_exit output_answer(const struct cli *cli, enum cli_exit exit);

/* "0x00001234", as JSON has no hexadecimal numbers. */
json_t *json_address(uint32_t address);

/* Sets a member to an unsigned number. */
void json_set_count(json_t *object, const char *name, uint64_t value);

/* The file name and line of a path with folders and a line: "file.c:12" of "folder/file.c:12". */
const char *short_source(const char *source);

/* ", inlined at FILE:LINE, ..." of an instruction that was inlined, as images_calls_text chooses; else
 * an empty text. */
void output_calls(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t pc, char *text,
                  size_t size);

/* "FILE:LINE" of all the calls, the innermost first. */
json_t *json_calls(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t pc);

/* The wait report without its last newline, for the caller to free; where `file` is a terminal, long
 * lines are wrapped. NULL without memory. */
char *output_waits(struct penrose_chip *chip, FILE *file);

/* "running", "polling", ... */
const char *hart_state_name(enum penrose_hart_state state);

/* Lines of 16 bytes at `address` as words and characters, or as bytes where words do not fit. */
void output_dump(FILE *file, uint32_t address, const uint8_t *bytes, size_t size);

/* Milliseconds of the host's clock. */
double host_milliseconds(void);

#endif
