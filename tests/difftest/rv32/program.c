/* Encoding, linking and printing of programs, see program.h. */
#include "program.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { REG_A0 = 10, REG_A1, REG_A2, REG_A7 = 17, LAST_REGISTER = 31 };
enum { LINUX_WRITE = 64, LINUX_EXIT = 93, LINUX_STDOUT = 1 };

/* --- Rows --- */

unsigned row_named(const char *mnemonic)
{
    unsigned row = 0;
    while (row < RV32_ROWS && strcmp(rv32_rows[row].mnemonic, mnemonic) != 0) {
        row++;
    }
    assert(row < RV32_ROWS);
    return row;
}

static const struct isa_field *find_field(const struct isa_field *const *field, const char *name)
{
    for (unsigned i = 0; i < ISA_MAX_FIELDS && field[i]; i++) {
        if (!strcmp(field[i]->name, name)) {
            return field[i];
        }
    }
    return NULL;
}

const struct isa_field *row_field(unsigned row, const char *name)
{
    const struct isa_format *format = rv32_rows[row].format;
    const struct isa_field *field = find_field(format->field, name);
    return field ? field : find_field(format->hidden, name);
}

static bool put_field(const struct isa_field *field, const struct operands *operands,
                      uint32_t *word)
{
    const struct {
        const char *name;
        int32_t value;
    } known[] = {
        {"rd", (int32_t)operands->rd},   {"rs1", (int32_t)operands->rs1},
        {"rs2", (int32_t)operands->rs2}, {"imm", operands->imm},
        {"shamt", operands->imm},        {"target", operands->imm},
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!strcmp(field->name, known[i].name)) {
            return isa_field_put(field, word, known[i].value);
        }
    }
    *word |= operands->rest & isa_field_bits(field);
    return true;
}

bool row_encode(unsigned row, const struct operands *operands, uint32_t *word)
{
    const struct isa_format *format = rv32_rows[row].format;
    *word = rv32_rows[row].match;
    for (unsigned i = 0; i < ISA_MAX_FIELDS && format->field[i]; i++) {
        if (!put_field(format->field[i], operands, word)) {
            return false;
        }
    }
    for (unsigned i = 0; i < ISA_MAX_FIELDS && format->hidden[i]; i++) {
        if (!put_field(format->hidden[i], operands, word)) {
            return false;
        }
    }
    return true;
}

/* --- Programs --- */

uint32_t program_elements(const struct program *program)
{
    return WINDOW_WORDS + LOCAL_WORDS + program->items;
}

void program_free(struct program *program)
{
    free(program->item);
    *program = (struct program){0};
}

/* --- Linking --- */

struct linker {
    struct image *image;
    const struct program *program;
    uint32_t *address; /* of each item, and of the epilogue */
    bool ok;
};

static void append(struct linker *linker, uint32_t word, uint32_t item)
{
    struct image *image = linker->image;
    image->code[image->words] = word;
    image->item[image->words++] = item;
}

static void append_frame(struct linker *linker, const char *mnemonic, unsigned rd, unsigned rs1,
                         unsigned rs2, int32_t imm)
{
    struct operands operands = {.rd = rd, .rs1 = rs1, .rs2 = rs2, .imm = imm};
    uint32_t word;
    linker->ok = row_encode(row_named(mnemonic), &operands, &word) && linker->ok;
    append(linker, word, IMAGE_FRAME);
}

static int32_t low_part(uint32_t value)
{
    return (int32_t)(value << 20) >> 20;
}

static int32_t high_part(uint32_t value)
{
    return (int32_t)((value + 0x800) >> 12);
}

static void append_constant(struct linker *linker, unsigned rd, uint32_t value)
{
    append_frame(linker, "lui", rd, 0, 0, high_part(value));
    append_frame(linker, "addi", rd, rd, 0, low_part(value));
}

static void append_write(struct linker *linker, uint32_t address, uint32_t bytes)
{
    append_constant(linker, REG_A0, LINUX_STDOUT);
    append_constant(linker, REG_A1, address);
    append_constant(linker, REG_A2, bytes);
    append_constant(linker, REG_A7, LINUX_WRITE);
    append_frame(linker, "ecall", 0, 0, 0, 0);
}

static void append_prologue(struct linker *linker)
{
    uint32_t table = WINDOW_ADDRESS + WINDOW_BYTES - SAVED_BYTES;
    append_frame(linker, "lui", LAST_REGISTER, 0, 0, high_part(table));
    for (unsigned r = 1; r <= LAST_REGISTER; r++) {
        append_frame(linker, "lw", r, LAST_REGISTER, 0, low_part(table) + (int32_t)(4 * r));
    }
}

static void append_epilogue(struct linker *linker)
{
    const struct program *program = linker->program;
    for (unsigned r = 1; r <= LAST_REGISTER; r++) {
        append_frame(linker, "sw", 0, program->base, r,
                     WINDOW_BYTES - SAVED_BYTES - CENTRE + (int32_t)(4 * r));
    }
    append_write(linker, WINDOW_ADDRESS, WINDOW_BYTES + program->log_bytes);
    linker->image->end_pc = CODE_ADDRESS + 4 * linker->image->words;
    append_write(linker, LOCAL_ADDRESS, LOCAL_BYTES);
    append_constant(linker, REG_A0, 0);
    append_constant(linker, REG_A7, LINUX_EXIT);
    append_frame(linker, "ecall", 0, 0, 0, 0);
}

/* The value of the immediate of a linked item. */
static int32_t link_value(const struct linker *linker, uint32_t number)
{
    const struct item *item = &linker->program->item[number];
    uint32_t pc = linker->address[number];
    uint32_t target = linker->address[item->target];
    switch (item->link) {
    case LINK_NONE:
        break;
    case LINK_TARGET:
        return (int32_t)(target - pc);
    case LINK_RELATIVE_HIGH:
        return high_part(target - pc) & 0xfffff;
    case LINK_RELATIVE_LOW:
        return low_part(target - linker->address[number - 1]) | item->odd;
    case LINK_ABSOLUTE_HIGH:
        return high_part(target);
    case LINK_ABSOLUTE_LOW:
        return low_part(target) | item->odd;
    }
    return 0;
}

static void append_item(struct linker *linker, uint32_t number)
{
    const struct item *item = &linker->program->item[number];
    uint32_t word = item->word;
    if (item->link != LINK_NONE) {
        const struct isa_field *field =
            row_field(item->row, item->link == LINK_TARGET ? "target" : "imm");
        linker->ok = isa_field_put(field, &word, link_value(linker, number)) && linker->ok;
    }
    append(linker, word, number);
}

static bool is_present(const struct choice *choice, uint32_t element)
{
    return !choice || choice->present[element];
}

static void link_memory(struct image *image, const struct program *program,
                        const struct choice *choice)
{
    for (uint32_t i = 0; i < WINDOW_WORDS; i++) {
        image->window[i] = is_present(choice, i) ? program->window[i] : 0;
    }
    for (uint32_t i = 0; i < LOCAL_WORDS; i++) {
        image->local[i] = is_present(choice, WINDOW_WORDS + i) ? program->local[i] : 0;
    }
}

bool image_link(struct image *image, const struct program *program, const struct choice *choice)
{
    uint32_t room = program->items + FRAME_WORDS;
    struct linker linker = {.image = image, .program = program, .ok = true};
    *image = (struct image){.program = program, .log_bytes = program->log_bytes};
    image->code = malloc(room * sizeof *image->code);
    image->item = malloc(room * sizeof *image->item);
    linker.address = malloc((program->items + 1) * sizeof *linker.address);
    if (!image->code || !image->item || !linker.address) {
        free(linker.address);
        image_free(image);
        return false;
    }
    link_memory(image, program, choice);
    append_prologue(&linker);
    uint32_t address = CODE_ADDRESS + 4 * image->words;
    for (uint32_t i = 0; i < program->items; i++) {
        linker.address[i] = address;
        address += is_present(choice, WINDOW_WORDS + LOCAL_WORDS + i) ? 4 : 0;
    }
    linker.address[program->items] = address;
    for (uint32_t i = 0; i < program->items; i++) {
        if (is_present(choice, WINDOW_WORDS + LOCAL_WORDS + i)) {
            append_item(&linker, i);
        }
    }
    append_epilogue(&linker);
    free(linker.address);
    if (!linker.ok) {
        image_free(image);
    }
    return linker.ok;
}

void image_free(struct image *image)
{
    free(image->code);
    free(image->item);
    image->code = image->item = NULL;
}

bool image_is_tested(const struct image *image, uint32_t at)
{
    return at < image->words && image->item[at] != IMAGE_FRAME &&
           !image->program->item[image->item[at]].glue;
}

/* --- Printing --- */

static void print_words(const char *name, uint32_t address, const uint32_t *words, unsigned count,
                        FILE *to)
{
    for (unsigned i = 0; i < count; i++) {
        if (words[i]) {
            fprintf(to, "    %s[0x%08" PRIx32 "] = 0x%08" PRIx32 "\n", name, address + 4 * i,
                    words[i]);
        }
    }
}

void image_print(const struct image *image, const struct isa_index *index, FILE *to)
{
    const uint32_t *saved = image->window + WINDOW_WORDS - SAVED_BYTES / 4;
    fprintf(to, "  before:\n");
    for (unsigned r = 1; r <= LAST_REGISTER; r++) {
        if (saved[r]) {
            fprintf(to, "    %s (x%u) = 0x%08" PRIx32 "\n", rv32_x_names[r], r, saved[r]);
        }
    }
    print_words("L1", WINDOW_ADDRESS, image->window, WINDOW_WORDS - SAVED_BYTES / 4, to);
    print_words("local", LOCAL_ADDRESS, image->local, LOCAL_WORDS, to);
    fprintf(to, "  program:\n");
    for (uint32_t i = 0; i < image->words; i++) {
        char text[96];
        uint32_t pc = CODE_ADDRESS + 4 * i;
        if (image->item[i] != IMAGE_FRAME) {
            rv32_disassemble(index, image->code[i], pc, text, sizeof text);
            fprintf(to, "    %08" PRIx32 ": %08" PRIx32 "  %s\n", pc, image->code[i], text);
        }
    }
}
