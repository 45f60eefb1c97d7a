#include "unit/tile/tile_harness.h"

#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tile/observe.h"

static enum penrose_policy note_fault(void *owner, struct tile *tile,
                                      const struct tile_fault *fault)
{
    struct tile_harness *harness = owner;
    (void)tile;
    harness->fault = *fault;
    harness->faults++;
    return harness->policy;
}

static void note_unmodelled(void *owner, struct tile *tile, const struct mmio_access *access,
                            const char *field)
{
    struct tile_harness *harness = owner;
    (void)tile;
    (void)access;
    (void)field;
    harness->unmodelled++;
}

void harness_open(struct tile_harness *harness)
{
    harness_open_type(harness, TILE_TENSIX);
}

void harness_open_type(struct tile_harness *harness, enum tile_type type)
{
    *harness = (struct tile_harness){.board = {.fault = note_fault, .unmodelled = note_unmodelled},
                                     .policy = PENROSE_STOP};
    harness->store = rv32_code_store_create(&rv32_chip_decoder);
    ck_assert_ptr_nonnull(harness->store);
    harness->tile = tile_create(type, 1, 2, harness->store, &harness->board, harness);
    ck_assert_ptr_nonnull(harness->tile);
}

void harness_close(struct tile_harness *harness)
{
    tile_destroy(harness->tile);
    rv32_code_store_destroy(harness->store);
}

static bool is_label(const char *line)
{
    return isdigit((unsigned char)line[0]) && line[1] == ':' && !line[2];
}

/* The address that "1b" or "1f" means at line `at`. */
static uint32_t label_address(const char *const *lines, unsigned at, char label, char direction,
                              uint32_t base)
{
    uint32_t address = base, found = 0;
    bool has_found = false;
    for (unsigned i = 0; lines[i]; i++) {
        if (!is_label(lines[i])) {
            address += 4;
        } else if (lines[i][0] == label && (direction == 'b' ? i < at : i > at && !has_found)) {
            found = address;
            has_found = true;
        }
    }
    ck_assert_msg(has_found, "no label %c%c", label, direction);
    return found;
}

/* Replaces a last operand such as "1b" by the address that it means. */
static void resolve(const char *const *lines, unsigned at, uint32_t base, char *text, size_t size)
{
    const char *line = lines[at];
    size_t length = strlen(line);
    bool is_reference = length > 3 && isdigit((unsigned char)line[length - 2]) &&
                        (line[length - 1] == 'b' || line[length - 1] == 'f') &&
                        line[length - 3] == ' ';
    if (is_reference) {
        snprintf(text, size, "%.*s0x%x", (int)(length - 2), line,
                 label_address(lines, at, line[length - 2], line[length - 1], base));
    } else {
        snprintf(text, size, "%s", line);
    }
}

void harness_assemble_lines(struct tile_harness *harness, uint32_t address,
                            const char *const *lines)
{
    uint32_t pc = address;
    for (unsigned i = 0; lines[i]; i++) {
        char text[80];
        uint32_t word;
        struct penrose_error error = {0};
        if (is_label(lines[i])) {
            continue;
        }
        resolve(lines, i, address, text, sizeof text);
        ck_assert_msg(rv32_assemble(text, pc, &word, &error) == PENROSE_OK, "%s: %s", text,
                      error.text);
        harness_set_word(harness, pc, word);
        pc += 4;
    }
}

void harness_assemble(struct tile_harness *harness, uint32_t address, const char *program)
{
    char text[2000], labels[] = "0:\0001:\0002:\0003:\0004:\0005:\0006:\0007:\0008:\0009:";
    char *rest = text;
    const char *lines[100];
    unsigned count = 0;
    ck_assert_uint_lt(strlen(program), sizeof text);
    strcpy(text, program);
    for (char *line; (line = strsep(&rest, ";"));) {
        line += strspn(line, " ");
        while (isdigit((unsigned char)line[0]) && line[1] == ':') {
            lines[count++] = &labels[3 * (line[0] - '0')];
            line += 2 + strspn(line + 2, " ");
        }
        lines[count++] = line;
        ck_assert_uint_lt(count, 90);
    }
    lines[count] = NULL;
    harness_assemble_lines(harness, address, lines);
}

void harness_release(struct tile_harness *harness, enum rv32_core core, uint32_t pc)
{
    static const uint32_t bits[RV32_CORES] = {1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 18};
    uint32_t value = 0;
    ck_assert_int_eq(harness_access(harness, MMIO_READ, AGENT_NOC, 0xffb121b0, &value),
                     ANSWER_DONE);
    value &= ~bits[core];
    ck_assert_int_eq(harness_access(harness, MMIO_WRITE, AGENT_NOC, 0xffb121b0, &value),
                     ANSWER_DONE);
    harness->tile->hart[core].pc = pc;
}

uint32_t harness_word(const struct tile_harness *harness, uint32_t address)
{
    uint32_t value;
    memcpy(&value, harness->tile->l1 + address, sizeof value);
    return value;
}

void harness_set_word(struct tile_harness *harness, uint32_t address, uint32_t value)
{
    memcpy(harness->tile->l1 + address, &value, sizeof value);
    tile_l1_written(harness->tile, address, sizeof value, harness->tile->now);
}

enum answer harness_access(struct tile_harness *harness, enum mmio_operation operation,
                           enum tile_agent agent, uint32_t address, uint32_t *value)
{
    struct mmio_access access = {.operation = operation,
                                 .agent = agent,
                                 .size = 4,
                                 .address = address,
                                 .value = *value,
                                 .cycle = harness->tile->now};
    enum answer reply = tile_access(harness->tile, &access);
    *value = access.value;
    return reply;
}

static bool look_on(void *context, struct tile *tile, const struct observed *event)
{
    (void)context;
    (void)tile;
    (void)event;
    return false;
}

void harness_look(struct tile *tile, bool looks)
{
    static const struct observer observer = {.kinds = OBSERVED_OF_HARTS, .see = look_on};
    ck_assert(tile_observe(tile, looks ? &observer : NULL));
}
