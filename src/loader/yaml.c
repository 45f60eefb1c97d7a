/* Files in YAML, by libyaml; see yaml.h. */
#include "loader/yaml.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "isa/error.h"
#include "isa/plain_text.h"

/* The largest clusters that users describe need a tenth of the bytes, and are 5 deep. libyaml needs
 * quadratic time for some files that are larger. */
enum { MOST_YAML = 256 << 10, MOST_DEPTH = 64, MOST_MESSAGE = 400, MOST_NAME = 200 };

struct loader_yaml {
    char name[MOST_NAME];
    yaml_document_t document;
};

/* --- Looking at nodes --- */

static const yaml_node_t *node_of(const struct loader_yaml *yaml, unsigned node)
{
    const yaml_node_t *first = yaml->document.nodes.start;
    return node ? &first[node - 1] : NULL;
}

unsigned loader_yaml_root(const struct loader_yaml *yaml)
{
    (void)yaml;
    return 1;
}

enum loader_yaml_kind loader_yaml_kind(const struct loader_yaml *yaml, unsigned node)
{
    const yaml_node_t *at = node_of(yaml, node);
    return !at || at->type == YAML_SCALAR_NODE ? LOADER_YAML_SCALAR
           : at->type == YAML_SEQUENCE_NODE    ? LOADER_YAML_LIST
                                               : LOADER_YAML_MAPPING;
}

const char *loader_yaml_text(const struct loader_yaml *yaml, unsigned node)
{
    const yaml_node_t *at = node_of(yaml, node);
    return at && at->type == YAML_SCALAR_NODE ? (const char *)at->data.scalar.value : "";
}

size_t loader_yaml_count(const struct loader_yaml *yaml, unsigned node)
{
    const yaml_node_t *at = node_of(yaml, node);
    return !at || at->type == YAML_SCALAR_NODE ? 0
           : at->type == YAML_SEQUENCE_NODE
               ? (size_t)(at->data.sequence.items.top - at->data.sequence.items.start)
               : (size_t)(at->data.mapping.pairs.top - at->data.mapping.pairs.start);
}

unsigned loader_yaml_item(const struct loader_yaml *yaml, unsigned node, size_t index)
{
    const yaml_node_t *at = node_of(yaml, node);
    return (unsigned)(at->type == YAML_SEQUENCE_NODE ? at->data.sequence.items.start[index]
                                                     : at->data.mapping.pairs.start[index].value);
}

unsigned loader_yaml_key(const struct loader_yaml *yaml, unsigned node, size_t index)
{
    return (unsigned)node_of(yaml, node)->data.mapping.pairs.start[index].key;
}

size_t loader_yaml_line(const struct loader_yaml *yaml, unsigned node)
{
    return node_of(yaml, node ? node : loader_yaml_root(yaml))->start_mark.line + 1;
}

/* --- Asking for what is expected --- */

static enum penrose_status refuse_at(const char *name, size_t line, struct penrose_error *error,
                                     const char *message)
{
    char text[MOST_MESSAGE];
    snprintf(text, sizeof text, "%s", message);
    plain_text(text, strlen(text));
    for (char *at = text; (at = strpbrk(at, "\n\t")) != NULL; at++) {
        *at = ' ';
    }
    return error_set(error, PENROSE_E_FORMAT, "%s:%zu: %s", name, line, text);
}

enum penrose_status loader_yaml_refuse(const struct loader_yaml *yaml, unsigned node,
                                       struct penrose_error *error, const char *format, ...)
{
    char text[MOST_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return refuse_at(yaml->name, loader_yaml_line(yaml, node), error, text);
}

static bool is_empty_scalar(const char *text)
{
    return !*text || strcmp(text, "~") == 0 || strcasecmp(text, "null") == 0;
}

enum penrose_status loader_yaml_expect(const struct loader_yaml *yaml, unsigned node,
                                       enum loader_yaml_kind kind, const char *what,
                                       struct penrose_error *error)
{
    static const char *const kinds[] = {"a single value", "a list", "a mapping"};
    enum loader_yaml_kind own = loader_yaml_kind(yaml, node);
    bool is_empty = own == LOADER_YAML_SCALAR && is_empty_scalar(loader_yaml_text(yaml, node));
    if (own == kind || (is_empty && kind != LOADER_YAML_SCALAR)) {
        return PENROSE_OK;
    }
    return loader_yaml_refuse(yaml, node, error, "%s: this is %s; write %s", what, kinds[own],
                              kinds[kind]);
}

enum penrose_status loader_yaml_find(const struct loader_yaml *yaml, unsigned mapping,
                                     const char *key, unsigned *value, struct penrose_error *error)
{
    size_t count = loader_yaml_kind(yaml, mapping) == LOADER_YAML_MAPPING
                       ? loader_yaml_count(yaml, mapping)
                       : 0;
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned own = loader_yaml_key(yaml, mapping, i);
        if (strcmp(loader_yaml_text(yaml, own), key) != 0) {
            continue;
        }
        if (*value) {
            return loader_yaml_refuse(yaml, own, error,
                                      "'%s' is here a second time; take one of them out", key);
        }
        *value = loader_yaml_item(yaml, mapping, i);
    }
    return PENROSE_OK;
}

enum penrose_status loader_yaml_number(const struct loader_yaml *yaml, unsigned node,
                                       const char *what, uint64_t most, uint64_t *number,
                                       struct penrose_error *error)
{
    const char *text = loader_yaml_text(yaml, node), *digits = text;
    enum penrose_status status = loader_yaml_expect(yaml, node, LOADER_YAML_SCALAR, what, error);
    if (status != PENROSE_OK) {
        return status;
    }
    bool is_hexadecimal = strncasecmp(text, "0x", strlen("0x")) == 0;
    digits += is_hexadecimal ? strlen("0x") : 0;
    size_t length = strspn(digits, is_hexadecimal ? "0123456789abcdefABCDEF" : "0123456789");
    if (length == 0 || digits[length]) {
        return loader_yaml_refuse(yaml, node, error, "%s: '%.40s' is no number", what, text);
    }
    if (!is_hexadecimal && length > 1 && *digits == '0') {
        return loader_yaml_refuse(yaml, node, error,
                                  "%s: %.40s may be octal; write it without the 0 in front", what,
                                  text);
    }
    errno = 0;
    *number = strtoull(digits, NULL, is_hexadecimal ? 16 : 10);
    if (errno || *number > most) {
        return loader_yaml_refuse(
            yaml, node, error, "%s: %.40s is too large; %" PRIu64 " is the most", what, text, most);
    }
    return PENROSE_OK;
}

/* --- Reading --- */

/* Does node `at` lie in `around`, or is it this node? */
static bool lies_inside(const yaml_node_t *at, const yaml_node_t *around)
{
    return around->start_mark.index <= at->start_mark.index &&
           at->end_mark.index <= around->end_mark.index;
}

/* An alias inside of what it stands for: every circle has one. */
static enum penrose_status check_circles(const struct loader_yaml *yaml,
                                         struct penrose_error *error)
{
    size_t nodes = (size_t)(yaml->document.nodes.top - yaml->document.nodes.start);
    for (unsigned node = 1; node <= nodes; node++) {
        bool is_mapping = loader_yaml_kind(yaml, node) == LOADER_YAML_MAPPING;
        for (size_t i = 0; i < loader_yaml_count(yaml, node); i++) {
            unsigned part[2] = {loader_yaml_item(yaml, node, i),
                                is_mapping ? loader_yaml_key(yaml, node, i) : 0};
            for (unsigned k = 0; k < 2; k++) {
                if (part[k] && part[k] <= node &&
                    loader_yaml_kind(yaml, part[k]) != LOADER_YAML_SCALAR &&
                    lies_inside(node_of(yaml, node), node_of(yaml, part[k]))) {
                    return loader_yaml_refuse(yaml, node, error,
                                              "an alias in here stands for what it lies in; write "
                                              "out what you mean");
                }
            }
        }
    }
    return PENROSE_OK;
}

/* libyaml tells a line, or for bytes that are no text how many stand before them. */
static enum penrose_status refuse_broken(const yaml_parser_t *parser, const char *bytes,
                                         const char *name, struct penrose_error *error)
{
    char message[MOST_MESSAGE];
    size_t line = parser->problem_mark.line + 1;
    if (parser->error == YAML_MEMORY_ERROR) {
        return error_set(error, PENROSE_E_MEMORY, "no memory to read %s", name);
    }
    if (parser->error == YAML_READER_ERROR) {
        line = 1;
        for (size_t i = 0; i < parser->problem_offset; i++) {
            line += bytes[i] == '\n';
        }
    }
    snprintf(message, sizeof message, "this is not YAML: %s%s%s",
             parser->problem ? parser->problem : "it cannot be read", parser->context ? " " : "",
             parser->context ? parser->context : "");
    return refuse_at(name, line, error, message);
}

/* Events are what the file is made of. No error: those that stop libyaml are told when the document is
 * loaded. */
static enum penrose_status check_depth(yaml_parser_t *parser, const char *name,
                                       struct penrose_error *error)
{
    yaml_event_t event;
    unsigned depth = 0;
    bool is_end = false;
    size_t line = 1;
    while (!is_end && depth <= MOST_DEPTH && yaml_parser_parse(parser, &event)) {
        depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        is_end = event.type == YAML_STREAM_END_EVENT;
        line = event.start_mark.line + 1;
        yaml_event_delete(&event);
    }
    return depth <= MOST_DEPTH
               ? PENROSE_OK
               : refuse_at(name, line, error,
                           "lists and mappings lie deeper in each other than any such file needs");
}

static enum penrose_status load_documents(yaml_parser_t *parser, const char *bytes,
                                          struct loader_yaml *yaml, struct penrose_error *error)
{
    yaml_document_t next;
    if (!yaml_parser_load(parser, &yaml->document)) {
        return refuse_broken(parser, bytes, yaml->name, error);
    }
    if (!yaml_document_get_root_node(&yaml->document)) {
        return error_set(error, PENROSE_E_FORMAT, "%s is empty", yaml->name);
    }
    if (!yaml_parser_load(parser, &next)) {
        return refuse_broken(parser, bytes, yaml->name, error);
    }
    const yaml_node_t *second = yaml_document_get_root_node(&next);
    size_t line = second ? second->start_mark.line + 1 : 0;
    yaml_document_delete(&next);
    return second ? refuse_at(yaml->name, line, error,
                              "a second document begins here; write it into a file of its own")
                  : check_circles(yaml, error);
}

enum penrose_status loader_yaml_parse(const void *bytes, size_t size, const char *name,
                                      struct loader_yaml **yaml, struct penrose_error *error)
{
    yaml_parser_t events, parser;
    struct loader_yaml *made = calloc(1, sizeof *made);
    bool has_events = made && yaml_parser_initialize(&events);
    *yaml = NULL;
    if (!has_events || !yaml_parser_initialize(&parser)) {
        if (has_events) {
            yaml_parser_delete(&events);
        }
        free(made);
        return error_set(error, PENROSE_E_MEMORY, "no memory to read %s", name);
    }
    snprintf(made->name, sizeof made->name, "%s", name);
    yaml_parser_set_input_string(&events, bytes, size);
    yaml_parser_set_input_string(&parser, bytes, size);
    enum penrose_status status = check_depth(&events, made->name, error);
    status = status ? status : load_documents(&parser, bytes, made, error);
    yaml_parser_delete(&events);
    yaml_parser_delete(&parser);
    if (status != PENROSE_OK) {
        loader_yaml_close(made);
        return status;
    }
    *yaml = made;
    return PENROSE_OK;
}

enum penrose_status loader_yaml_open(const char *path, struct loader_yaml **yaml,
                                     struct penrose_error *error)
{
    FILE *file = fopen(path, "rbe");
    char *bytes = file ? malloc(MOST_YAML + 1) : NULL;
    size_t size = bytes ? fread(bytes, 1, MOST_YAML + 1, file) : 0;
    enum penrose_status status;
    *yaml = NULL;
    if (!file || (bytes && ferror(file))) {
        status = error_set(error, PENROSE_E_FILE, "%s cannot be read: %s", path, strerror(errno));
    } else if (!bytes) {
        status = error_set(error, PENROSE_E_MEMORY, "no memory to read %s", path);
    } else if (size > MOST_YAML) {
        status =
            error_set(error, PENROSE_E_FORMAT, "%s has more than %d KiB, which no such file needs",
                      path, MOST_YAML >> 10);
    } else {
        status = loader_yaml_parse(bytes, size, path, yaml, error);
    }
    free(bytes);
    if (file) {
        fclose(file);
    }
    return status;
}

void loader_yaml_close(struct loader_yaml *yaml)
{
    if (yaml) {
        yaml_document_delete(&yaml->document);
        free(yaml);
    }
}
