/*
 * Files in YAML: mappings, lists and scalars, each of which knows its line. A file that is broken, huge
 * or deep is refused, and so is one whose aliases run in a circle. An alias is the node that it stands
 * for.
 *
 * A node is a number; 0 is none, for which the functions below answer as for an empty scalar. YAML
 * writes an empty list or mapping as an empty scalar, too.
 */
#ifndef LOADER_YAML_H
#define LOADER_YAML_H

#include <stddef.h>
#include <stdint.h>

#include <penrose/error.h>

enum loader_yaml_kind { LOADER_YAML_SCALAR, LOADER_YAML_LIST, LOADER_YAML_MAPPING };

struct loader_yaml;

/* Reads a file. PENROSE_E_FILE, PENROSE_E_FORMAT, PENROSE_E_MEMORY; *yaml is NULL after an error. */
enum penrose_status loader_yaml_open(const char *path, struct loader_yaml **yaml,
                                     struct penrose_error *error);

/* As loader_yaml_open, from bytes; `name` is what messages call them. */
enum penrose_status loader_yaml_parse(const void *bytes, size_t size, const char *name,
                                      struct loader_yaml **yaml, struct penrose_error *error);

/* NULL does nothing. */
void loader_yaml_close(struct loader_yaml *yaml);

/* The outermost node. */
unsigned loader_yaml_root(const struct loader_yaml *yaml);

enum loader_yaml_kind loader_yaml_kind(const struct loader_yaml *yaml, unsigned node);

/* The text of a scalar; "" for others. */
const char *loader_yaml_text(const struct loader_yaml *yaml, unsigned node);

/* How many items a list or a mapping has; 0 for a scalar. */
size_t loader_yaml_count(const struct loader_yaml *yaml, unsigned node);

/* An item of a list, or the value of an item of a mapping. */
unsigned loader_yaml_item(const struct loader_yaml *yaml, unsigned node, size_t index);

/* The key of an item of a mapping. */
unsigned loader_yaml_key(const struct loader_yaml *yaml, unsigned node, size_t index);

/* The line on which a node begins, counted from 1. */
size_t loader_yaml_line(const struct loader_yaml *yaml, unsigned node);

/* Returns PENROSE_E_FORMAT with a message that begins with file and line. */
enum penrose_status loader_yaml_refuse(const struct loader_yaml *yaml, unsigned node,
                                       struct penrose_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Is the node of this kind, or empty? `what` is what the message calls it. PENROSE_E_FORMAT. */
enum penrose_status loader_yaml_expect(const struct loader_yaml *yaml, unsigned node,
                                       enum loader_yaml_kind kind, const char *what,
                                       struct penrose_error *error);

/* The value of a key; 0 where the mapping has none. PENROSE_E_FORMAT: the key is there twice. */
enum penrose_status loader_yaml_find(const struct loader_yaml *yaml, unsigned mapping,
                                     const char *key, unsigned *value, struct penrose_error *error);

/* The number that a scalar is, in decimal digits, or behind 0x in hexadecimal ones. PENROSE_E_FORMAT: it
 * is none, or more than `most`. */
enum penrose_status loader_yaml_number(const struct loader_yaml *yaml, unsigned node,
                                       const char *what, uint64_t most, uint64_t *number,
                                       struct penrose_error *error);

#endif
