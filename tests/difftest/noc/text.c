/*
 * A line is a word and "name=value" for the fields that are not 0; a transaction's word is its
 * kind. The lines of a case end with "state", whose lines golden.c reads.
 */
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct field {
    const char *name;
    size_t at;
};

static const struct field program_fields[] = {
#define PROGRAM(name) {#name, offsetof(struct program, name)},
#include "fields.def"
};
static const struct field memory_fields[] = {
#define MEMORY(name) {#name, offsetof(struct memory, name)},
#include "fields.def"
};
static const struct field agent_fields[] = {
#define AGENT(name) {#name, offsetof(struct agent, name)},
#include "fields.def"
};
static const struct field transaction_fields[] = {
#define TRANSACTION(name) {#name, offsetof(struct transaction, name)},
#include "fields.def"
};

struct record {
    const char *word;
    const struct field *field;
    size_t fields;
};

#define RECORD(word, table)                                                                        \
    {                                                                                              \
        word, table, sizeof table / sizeof table[0]                                                \
    }
static const struct record program_record = RECORD("arena", program_fields);
static const struct record memory_record = RECORD("memory", memory_fields);
static const struct record agent_record = RECORD("agent", agent_fields);

/* --- Writing --- */

static void print_record(const struct record *record, const void *of, FILE *to)
{
    fputs(record->word, to);
    for (size_t i = 0; i < record->fields; i++) {
        uint64_t value;
        memcpy(&value, (const char *)of + record->field[i].at, sizeof value);
        if (value) {
            fprintf(to, value < 1000 ? " %s=%" PRIu64 : " %s=0x%" PRIx64, record->field[i].name,
                    value);
        }
    }
    fputc('\n', to);
}

/* All but the kind, which is the first field. */
static struct record transaction_record(uint64_t kind)
{
    return (struct record){kind_names[kind], transaction_fields + 1,
                           sizeof transaction_fields / sizeof transaction_fields[0] - 1};
}

void program_print(const struct program *program, FILE *to)
{
    fprintf(to, "case %" PRIu64 "\n", program->number);
    print_record(&program_record, program, to);
    for (uint32_t i = 0; i < program->memories; i++) {
        print_record(&memory_record, &program->memory[i], to);
    }
    for (uint32_t i = 0; i < program->agents; i++) {
        print_record(&agent_record, &program->agent[i], to);
    }
    for (uint32_t i = 0; i < program->transactions; i++) {
        struct record record = transaction_record(program->transaction[i].kind);
        print_record(&record, &program->transaction[i], to);
    }
}

/* --- Reading --- */

static bool read_field(const struct record *record, const char *word, void *to)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : 0;
    for (size_t i = 0; equals && i < record->fields; i++) {
        const struct field *field = &record->field[i];
        if (strlen(field->name) == length && !strncmp(field->name, word, length)) {
            char *end;
            uint64_t value = strtoull(equals + 1, &end, 0);
            memcpy((char *)to + field->at, &value, sizeof value);
            return end != equals + 1 && *end == '\0';
        }
    }
    return false;
}

static bool read_record(const struct record *record, char *rest, void *to, char error[ERROR_SIZE])
{
    char *save = NULL;
    for (char *word = strtok_r(rest, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        if (!read_field(record, word, to)) {
            snprintf(error, ERROR_SIZE, "what is \"%.60s\" of a line \"%s\"?", word, record->word);
            return false;
        }
    }
    return true;
}

static bool read_transaction(struct program *program, const char *word, char *rest,
                             char error[ERROR_SIZE])
{
    for (uint64_t kind = 0; kind < KINDS; kind++) {
        if (!strcmp(word, kind_names[kind])) {
            struct transaction transaction = {.kind = kind};
            struct record record = transaction_record(kind);
            return read_record(&record, rest, &transaction, error) &&
                   program_add(program, &transaction);
        }
    }
    snprintf(error, ERROR_SIZE, "what is \"%.60s\"?", word);
    return false;
}

/* Any line of a case but its first. */
static bool read_line(struct program *program, char *text, char error[ERROR_SIZE])
{
    char *save = NULL, *word = strtok_r(text, " ", &save);
    snprintf(error, ERROR_SIZE, "too many memories or agents");
    if (!strcmp(word, program_record.word)) {
        return read_record(&program_record, save, program, error);
    }
    if (!strcmp(word, memory_record.word)) {
        return program->memories < MOST_MEMORIES &&
               read_record(&memory_record, save, &program->memory[program->memories++], error);
    }
    if (!strcmp(word, agent_record.word)) {
        return program->agents < MOST_AGENTS &&
               read_record(&agent_record, save, &program->agent[program->agents++], error);
    }
    return read_transaction(program, word, save, error);
}

static bool next_line(FILE *from, char text[LINE_SIZE], unsigned *line)
{
    while (fgets(text, LINE_SIZE, from)) {
        ++*line;
        text[strcspn(text, "\n")] = '\0';
        if (text[0] && text[0] != '#') {
            return true;
        }
    }
    return false;
}

/* The lines up to "state". */
static bool read_lines(struct program *program, FILE *from, unsigned *line, char error[ERROR_SIZE])
{
    char text[LINE_SIZE];
    while (next_line(from, text, line)) {
        if (!strcmp(text, "state")) {
            return true;
        }
        if (!read_line(program, text, error)) {
            return false;
        }
    }
    return true;
}

int program_read(struct program *program, FILE *from, unsigned *line, char error[ERROR_SIZE])
{
    char text[LINE_SIZE], why[ERROR_SIZE];
    program_init(program);
    if (!next_line(from, text, line)) {
        return 0;
    }
    bool ok = sscanf(text, "case %" SCNu64, &program->number) == 1;
    snprintf(why, sizeof why, "expected \"case\"");
    ok = ok && read_lines(program, from, line, why);
    const char *fault = ok ? program_fault(program) : NULL;
    if (ok && !fault) {
        return 1;
    }
    snprintf(error, ERROR_SIZE, "line %u: %.150s", *line, fault ? fault : why);
    return -1;
}
