#include "unit/loader/loader_debug.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static void put8(struct debug_buffer *buffer, unsigned byte)
{
    ck_assert_uint_lt(buffer->size, DEBUG_BYTES);
    buffer->bytes[buffer->size++] = (uint8_t)byte;
}

static void put_bytes(struct debug_buffer *buffer, const void *bytes, uint32_t size)
{
    ck_assert_uint_le(buffer->size + size, DEBUG_BYTES);
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
}

static void put16(struct debug_buffer *buffer, uint16_t value)
{
    put_bytes(buffer, &value, sizeof value);
}

static void put32(struct debug_buffer *buffer, uint32_t value)
{
    put_bytes(buffer, &value, sizeof value);
}

static void put_text(struct debug_buffer *buffer, const char *text)
{
    put_bytes(buffer, text, (uint32_t)strlen(text) + 1);
}

static void put_uleb(struct debug_buffer *buffer, uint32_t value)
{
    do {
        put8(buffer, (value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value);
}

static void put_sleb(struct debug_buffer *buffer, int32_t value)
{
    bool more = true;
    while (more) {
        unsigned byte = (unsigned)value & 0x7f;
        value >>= 7; /* arithmetic */
        more = !((value == 0 && !(byte & 0x40)) || (value == -1 && byte & 0x40));
        put8(buffer, byte | (more ? 0x80 : 0));
    }
}

/* The abbreviations, in the order of their codes from 1: tag, children, up to three attributes. */
enum code {
    END,
    UNIT,
    BASE,
    STRUCT,
    ANONYMOUS,
    UNION,
    DECLARATION,
    MEMBER,
    NAMELESS,
    ARRAY,
    BOUND,
    OPEN_BOUND,
    COUNT_BOUND,
    VOLATILE,
    TYPEDEF,
    POINTER,
    ENUMERATION,
    ENUMERATOR,
    CONSTANT,
    VARIABLE,
};

static const struct {
    uint8_t tag, children, attribute[8];
} abbreviations[] = {
    [UNIT] = {DW_TAG_compile_unit,
              1,
              {DW_AT_name, DW_FORM_string, DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_comp_dir,
               DW_FORM_string}},
    [BASE] = {DW_TAG_base_type, 0, {DW_AT_name, DW_FORM_string, DW_AT_byte_size, DW_FORM_udata}},
    [STRUCT] = {DW_TAG_structure_type,
                1,
                {DW_AT_name, DW_FORM_string, DW_AT_byte_size, DW_FORM_udata}},
    [ANONYMOUS] = {DW_TAG_structure_type, 1, {DW_AT_byte_size, DW_FORM_udata}},
    [UNION] = {DW_TAG_union_type, 1, {DW_AT_byte_size, DW_FORM_udata}},
    [DECLARATION] = {DW_TAG_structure_type,
                     0,
                     {DW_AT_name, DW_FORM_string, DW_AT_declaration, DW_FORM_flag_present}},
    [MEMBER] = {DW_TAG_member,
                0,
                {DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4, DW_AT_data_member_location,
                 DW_FORM_udata}},
    [NAMELESS] = {DW_TAG_member,
                  0,
                  {DW_AT_type, DW_FORM_ref4, DW_AT_data_member_location, DW_FORM_udata}},
    [ARRAY] = {DW_TAG_array_type, 1, {DW_AT_type, DW_FORM_ref4}},
    [BOUND] = {DW_TAG_subrange_type, 0, {DW_AT_upper_bound, DW_FORM_data4}},
    [OPEN_BOUND] = {DW_TAG_subrange_type, 0, {0}},
    [COUNT_BOUND] = {DW_TAG_subrange_type, 0, {DW_AT_count, DW_FORM_udata}},
    [VOLATILE] = {DW_TAG_volatile_type, 0, {DW_AT_type, DW_FORM_ref4}},
    [TYPEDEF] = {DW_TAG_typedef, 0, {DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4}},
    [POINTER] = {DW_TAG_pointer_type, 0, {DW_AT_type, DW_FORM_ref4}},
    [ENUMERATION] = {DW_TAG_enumeration_type, 1, {DW_AT_name, DW_FORM_string}},
    [ENUMERATOR] = {DW_TAG_enumerator,
                    0,
                    {DW_AT_name, DW_FORM_string, DW_AT_const_value, DW_FORM_udata}},
    [CONSTANT] = {DW_TAG_variable,
                  0,
                  {DW_AT_name, DW_FORM_string, DW_AT_const_value, DW_FORM_udata}},
    [VARIABLE] = {DW_TAG_variable, 0, {DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4}},
};

static void put_line_header(struct debug_buffer *line)
{
    static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}; /* of opcodes 1.. */
    put32(line, 0); /* length, known at the end */
    put16(line, 4);
    uint32_t header = line->size;
    put32(line, 0);
    put8(line, 4); /* minimum instruction length */
    put8(line, 1);
    put8(line, 1);           /* is_stmt by default */
    put8(line, (uint8_t)-5); /* line base */
    put8(line, 14);          /* line range */
    put8(line, 13);          /* first special opcode */
    put_bytes(line, lengths, sizeof lengths);
    put8(line, 0); /* no directories */
    put_text(line, "kernel.cc");
    put8(line, 0);
    put8(line, 0);
    put8(line, 0);
    put8(line, 0); /* no more files */
    uint32_t length = line->size - header - 4;
    memcpy(line->bytes + header, &length, sizeof length);
}

struct debug *debug_create(void)
{
    struct debug *debug = calloc(1, sizeof *debug);
    ck_assert_ptr_nonnull(debug);
    loader_own(debug, free);
    put32(&debug->info, 0); /* length, known at the end */
    put16(&debug->info, 4);
    put32(&debug->info, 0); /* abbreviations */
    put8(&debug->info, 4);  /* address size */
    put_uleb(&debug->info, UNIT);
    put_text(&debug->info, "kernel.cc");
    put32(&debug->info, 0); /* line table */
    put_text(&debug->info, "/project");
    put_line_header(&debug->line);
    return debug;
}

uint32_t debug_offset(const struct debug *debug)
{
    return debug->info.size;
}

/* Starts an entry; `key` names it for others, unless NULL. */
static void entry(struct debug *debug, enum code code, const char *key)
{
    if (key) {
        ck_assert_uint_lt(debug->types, DEBUG_TYPES);
        strncpy(debug->type[debug->types].key, key, sizeof debug->type[0].key - 1);
        debug->type[debug->types++].offset = debug->info.size;
    }
    put_uleb(&debug->info, code);
}

static void put_type(struct debug *debug, const char *key)
{
    for (unsigned i = 0; i < debug->types; i++) {
        if (strcmp(debug->type[i].key, key) == 0) {
            put32(&debug->info, debug->type[i].offset);
            return;
        }
    }
    ck_abort_msg("no type %s", key);
}

void debug_base(struct debug *debug, const char *name, unsigned size)
{
    entry(debug, BASE, name);
    put_text(&debug->info, name);
    put_uleb(&debug->info, size);
}

void debug_array(struct debug *debug, const char *key, const char *element, int count)
{
    entry(debug, ARRAY, key);
    put_type(debug, element);
    if (count == DEBUG_OPEN) {
        entry(debug, OPEN_BOUND, NULL);
    } else {
        entry(debug, BOUND, NULL);
        put32(&debug->info, count == DEBUG_EMPTY ? UINT32_MAX : (uint32_t)count - 1);
    }
    debug_end(debug);
}

void debug_counted_array(struct debug *debug, const char *key, const char *element, unsigned count)
{
    entry(debug, ARRAY, key);
    put_type(debug, element);
    entry(debug, COUNT_BOUND, NULL);
    put_uleb(&debug->info, count);
    debug_end(debug);
}

void debug_volatile(struct debug *debug, const char *key, const char *type)
{
    entry(debug, VOLATILE, key);
    put_type(debug, type);
}

void debug_typedef(struct debug *debug, const char *name, const char *type)
{
    entry(debug, TYPEDEF, name);
    put_text(&debug->info, name);
    put_type(debug, type);
}

void debug_typedef_at(struct debug *debug, const char *name, uint32_t offset)
{
    entry(debug, TYPEDEF, name);
    put_text(&debug->info, name);
    put32(&debug->info, offset);
}

void debug_pointer(struct debug *debug, const char *key, const char *type)
{
    entry(debug, POINTER, key);
    put_type(debug, type);
}

void debug_struct(struct debug *debug, const char *name, const char *key, unsigned size)
{
    entry(debug, *name ? STRUCT : ANONYMOUS, key);
    if (*name) {
        put_text(&debug->info, name);
    }
    put_uleb(&debug->info, size);
}

void debug_union(struct debug *debug, const char *key, unsigned size)
{
    entry(debug, UNION, key);
    put_uleb(&debug->info, size);
}

void debug_declaration(struct debug *debug, const char *name)
{
    entry(debug, DECLARATION, NULL);
    put_text(&debug->info, name);
}

void debug_member(struct debug *debug, const char *name, const char *type, unsigned offset)
{
    entry(debug, *name ? MEMBER : NAMELESS, NULL);
    if (*name) {
        put_text(&debug->info, name);
    }
    put_type(debug, type);
    put_uleb(&debug->info, offset);
}

void debug_enumeration(struct debug *debug, const char *name)
{
    entry(debug, ENUMERATION, name);
    put_text(&debug->info, name);
}

void debug_enumerator(struct debug *debug, const char *name, uint32_t value)
{
    entry(debug, ENUMERATOR, NULL);
    put_text(&debug->info, name);
    put_uleb(&debug->info, value);
}

void debug_end(struct debug *debug)
{
    put_uleb(&debug->info, END);
}

void debug_constant(struct debug *debug, const char *name, uint32_t value)
{
    entry(debug, CONSTANT, NULL);
    put_text(&debug->info, name);
    put_uleb(&debug->info, value);
}

void debug_variable(struct debug *debug, const char *name, const char *type)
{
    entry(debug, VARIABLE, NULL);
    put_text(&debug->info, name);
    put_type(debug, type);
}

static void set_address(struct debug *debug, uint32_t address)
{
    put8(&debug->line, 0);
    put8(&debug->line, 5);
    put8(&debug->line, DW_LNE_set_address);
    put32(&debug->line, address);
}

void debug_row(struct debug *debug, uint32_t address, unsigned line)
{
    set_address(debug, address);
    put8(&debug->line, DW_LNS_advance_line); /* relative: up to the line, a row, and back to 1 */
    put_sleb(&debug->line, (int32_t)line - 1);
    put8(&debug->line, DW_LNS_copy);
    put8(&debug->line, DW_LNS_advance_line);
    put_sleb(&debug->line, 1 - (int32_t)line);
}

void debug_sequence_end(struct debug *debug, uint32_t address)
{
    set_address(debug, address);
    put8(&debug->line, 0);
    put8(&debug->line, 1);
    put8(&debug->line, DW_LNE_end_sequence);
}

void debug_finish(struct debug *debug, struct image *image)
{
    struct debug_buffer abbrev = {.size = 0};
    for (unsigned code = UNIT; code <= VARIABLE; code++) {
        put_uleb(&abbrev, code);
        put_uleb(&abbrev, abbreviations[code].tag);
        put8(&abbrev, abbreviations[code].children);
        for (unsigned i = 0; i < 8 && abbreviations[code].attribute[i]; i++) {
            put_uleb(&abbrev, abbreviations[code].attribute[i]);
        }
        put16(&abbrev, 0);
    }
    put8(&abbrev, 0);
    debug_end(debug); /* of the unit */
    uint32_t length = debug->info.size - 4;
    memcpy(debug->info.bytes, &length, sizeof length);
    length = debug->line.size - 4;
    memcpy(debug->line.bytes, &length, sizeof length);
    image_section(image, ".debug_info", SHT_PROGBITS, debug->info.bytes, debug->info.size);
    image_section(image, ".debug_abbrev", SHT_PROGBITS, abbrev.bytes, abbrev.size);
    image_section(image, ".debug_line", SHT_PROGBITS, debug->line.bytes, debug->line.size);
}

/* A member of a structure; rows of a structure stand together. Count 0: not an array. */
struct member_row {
    const char *structure, *name, *type;
    int count;
    unsigned offset, newer_offset;
};

enum { ABSENT = 1 << 20 };

static const struct {
    const char *name;
    unsigned size, newer_size;
} structures[] = {
    {"rta_offset_t", 4, 4},        {"kernel_config_msg_t", 96, 144}, {"launch_msg_t", 96, 144},
    {"core_info_msg_t", 248, 256}, {"subordinate_sync_msg_t", 4, 4}, {"mailboxes_t", 12768, 13440},
};

static const struct member_row members[] = {
    {"rta_offset_t", "rta_offset", "u16", 0, 0, 0},
    {"rta_offset_t", "crta_offset", "u16", 0, 2, 2},
    {"kernel_config_msg_t", "kernel_config_base", "u32", 3, 0, 0},
    {"kernel_config_msg_t", "sem_offset", "u16", 3, 12, 16},
    {"kernel_config_msg_t", "local_cb_offset", "u16", 0, 18, 24},
    {"kernel_config_msg_t", "remote_cb_offset", "u16", 0, 20, 26},
    {"kernel_config_msg_t", "rta_offset", "rta_offset_t", 5, 22, 28},
    {"kernel_config_msg_t", "mode", "u8", 0, 42, 48},
    {"kernel_config_msg_t", "kernel_text_offset", "u32", 5, 44, 52},
    {"kernel_config_msg_t", "kernel_text_size", "u32", 5, ABSENT, 72},
    {"kernel_config_msg_t", "local_cb_mask", "mask", 0, 64, 96},
    {"kernel_config_msg_t", "brisc_noc_id", "u8", 0, 68, 104},
    {"kernel_config_msg_t", "brisc_noc_mode", "u8", 0, 69, 105},
    {"kernel_config_msg_t", "min_remote_cb_start_index", "u8", 0, 70, 106},
    {"kernel_config_msg_t", "host_assigned_id", "u32", 0, 72, 108},
    {"kernel_config_msg_t", "enables", "u32", 0, 76, 112},
    {"kernel_config_msg_t", "num_sw_threads", "u8", DEBUG_EMPTY, ABSENT, 143},
    {"kernel_config_msg_t", "kernel_thread_id", "u8", DEBUG_OPEN, ABSENT, 143},
    {"launch_msg_t", "kernel_config", "kernel_config_msg_t", 0, 0, 0},
    {"core_info_msg_t", "absolute_logical_x", "u8", 0, 232, 235},
    {"core_info_msg_t", "absolute_logical_y", "u8", 0, 233, 236},
    {"subordinate_sync_msg_t", "map", "u8", 4, 0, 0},
    {"mailboxes_t", "subordinate_sync", "subordinate_sync_msg_t", 0, 8, 8},
    {"mailboxes_t", "launch_msg_rd_ptr", "u32", 0, 12, 12},
    {"mailboxes_t", "launch", "launch_msg_t", 8, 16, 16},
    {"mailboxes_t", "go_messages", "go_msg_t", 9, 784, 1168},
    {"mailboxes_t", "go_message_index", "u32", 0, 832, 1216},
    {"mailboxes_t", "core_info", "core_info_msg_t", 0, 2136, 2672},
};

static const struct {
    const char *name;
    uint32_t value;
    bool newer; /* still there in newer versions */
} constants[] = {
    {"mailboxes", 0x60, true},
    {"RUN_MSG_INIT", 0x40, true},
    {"RUN_MSG_GO", 0x80, true},
    {"RUN_MSG_RESET_READ_PTR_FROM_HOST", 0xe0, true},
    {"RUN_MSG_DONE", 0, true},
    {"RUN_SYNC_MSG_INIT", 0x40, true},
    {"RUN_SYNC_MSG_GO", 0x80, true},
    {"RUN_SYNC_MSG_LOAD", 1, true},
    {"RUN_SYNC_MSG_INIT_SYNC_REGISTERS", 3, true},
    {"RUN_SYNC_MSG_DONE", 0, true},
    {"NUM_CIRCULAR_BUFFERS", 32, false},
    {"UINT32_WORDS_PER_LOCAL_CIRCULAR_BUFFER_CONFIG", 4, false},
    {"launch_msg_buffer_num_entries", 8, true},
};

static bool is_left(const char *name, const char *without)
{
    return !without || strcmp(name, without) != 0;
}

/* go_msg_t is a word and, in an anonymous union with it, four bytes. */
static void put_go_message(struct debug *debug, const char *without)
{
    static const char *const bytes[] = {"dispatch_message_offset", "master_x", "master_y",
                                        "signal"};
    debug_struct(debug, "", "go bytes", 4);
    for (unsigned i = 0; i < 4; i++) {
        if (is_left(bytes[i], without)) {
            debug_member(debug, bytes[i], "u8", i);
        }
    }
    debug_end(debug);
    debug_union(debug, "go union", 4);
    debug_member(debug, "all", "u32", 0);
    debug_member(debug, "", "go bytes", 0);
    debug_end(debug);
    debug_struct(debug, is_left("go_msg_t", without) ? "go_msg_t" : "", "go_msg_t", 4);
    debug_member(debug, "", "go union", 0);
    debug_end(debug);
}

/* The arrays that the members of a structure need: entries cannot stand inside the structure. */
static void put_arrays(struct debug *debug, const char *structure)
{
    for (unsigned i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (strcmp(members[i].structure, structure) == 0 && members[i].count) {
            debug_array(debug, members[i].name, members[i].type, members[i].count);
        }
    }
}

static void put_structure(struct debug *debug, const char *name, unsigned size, bool newer,
                          const char *without)
{
    put_arrays(debug, name);
    debug_struct(debug, is_left(name, without) ? name : "", name, size);
    for (unsigned i = 0; i < sizeof members / sizeof members[0]; i++) {
        const struct member_row *row = &members[i];
        unsigned offset = newer ? row->newer_offset : row->offset;
        if (strcmp(row->structure, name) == 0 && offset != ABSENT && is_left(row->name, without)) {
            debug_member(debug, row->name, row->count ? row->name : row->type, offset);
        }
    }
    debug_end(debug);
}

void debug_mailboxes(struct debug *debug, bool newer, const char *without)
{
    debug_base(debug, "u8", 1);
    debug_base(debug, "u16", 2);
    debug_base(debug, "unsigned", 4);
    debug_volatile(debug, "volatile unsigned", "unsigned");
    debug_typedef(debug, "u32", "volatile unsigned");
    debug_base(debug, "mask", newer ? 8 : 4);
    debug_declaration(debug, "mailboxes_t");
    put_go_message(debug, without);
    for (unsigned i = 0; i < sizeof structures / sizeof structures[0]; i++) {
        put_structure(debug, structures[i].name,
                      newer ? structures[i].newer_size : structures[i].size, newer, without);
    }
    debug_enumeration(debug, "dispatch_mode");
    for (uint32_t i = 0; i < 2; i++) {
        static const char *const modes[] = {"DISPATCH_MODE_DEV", "DISPATCH_MODE_HOST"};
        if (is_left(modes[i], without)) {
            debug_enumerator(debug, modes[i], i);
        }
    }
    debug_end(debug);
    for (unsigned i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        if (is_left(constants[i].name, without) && (!newer || constants[i].newer)) {
            debug_constant(debug, constants[i].name, constants[i].value);
        }
    }
    debug_array(debug, "cb_interface[]", "u32", newer ? 64 : 32);
    if (is_left("cb_interface", without)) {
        debug_variable(debug, "cb_interface", "cb_interface[]");
    }
}
