/* What the files that read a program description share. */
#ifndef LOADER_PROGRAM_INTERNAL_H
#define LOADER_PROGRAM_INTERNAL_H

#include <jansson.h>

#include "loader/program.h"

enum { LOADER_KEY = 96 }; /* bytes of "kernels[12].arguments[3]" */

struct program_reader {
    struct loader_program *program;
    struct loader_program_folders folders;
    struct penrose_error *error;
};

/* "FILE: KEY: MESSAGE". Returns PENROSE_E_FORMAT. */
enum penrose_status program_refuse(const struct program_reader *reader, const char *key,
                                   const char *format, ...) __attribute__((format(printf, 3, 4)));
enum penrose_status program_no_memory(const struct program_reader *reader);

/* Refuses an object with a key that is not in the list, which ends with NULL, and anything that is
 * no object. */
enum penrose_status program_check_keys(const struct program_reader *reader, const char *key,
                                       const json_t *object, const char *const *known);

/* A copy of a string member; *text is NULL when there is none. */
enum penrose_status program_string(const struct program_reader *reader, const char *key,
                                   const json_t *object, const char *member, char **text);

/* A number of the description, or an expression, as text; malloc'ed. */
enum penrose_status program_value(const struct program_reader *reader, const char *key,
                                  const json_t *value, char **text);

/* A number, or an expression that has nothing to do with tiles; *value is left alone when there is
 * no such member. */
enum penrose_status program_constant(const struct program_reader *reader, const char *key,
                                     const json_t *object, const char *member, uint32_t *value);

/* "all" (also when there is none, or no object), "0-7,2", or a list of such. Gives the set its rows,
 * also where it fails. */
enum penrose_status program_tiles(const struct program_reader *reader, const char *key,
                                  const json_t *object, struct loader_tiles *tiles);

/* Letters, digits and underscores. */
#define PROGRAM_NAME_RULE "'%.40s' is no name: letters, digits and underscores, at most 39"
bool program_is_name(const char *text);

/* x, y, index and the like, which expressions know without a "let". */
bool program_is_builtin(const char *name);

/* A path in `folder`, the description's own if that is NULL; NULL without memory. */
char *program_path(const struct program_reader *reader, const char *folder, const char *path);

/* Reads "dram" and "l1" and gives buffers in L1 their places from *next on. */
enum penrose_status program_buffers(const struct program_reader *reader, const json_t *root,
                                    uint64_t *next);

/* "address", up to `end` - 1 and a multiple of `alignment`; *is_placed is false where there is none.
 * What was in memory before the program came must not be overwritten by chance: with a snapshot an
 * address must be there. */
enum penrose_status program_address(const struct program_reader *reader, const char *key,
                                    const json_t *object, uint32_t alignment, uint64_t end,
                                    bool *is_placed, uint32_t *address);

/* Takes `size` bytes of L1: those that "address" says, or the next ones. */
enum penrose_status program_take_l1(const struct program_reader *reader, const char *key,
                                    const json_t *object, uint64_t size, uint64_t *next,
                                    uint32_t *address);

#endif
