/* Reading the mailbox layout: both versions, everything that can be missing or contradictory. */
#include "unit/loader/loader_debug.h"

#include <string.h>

#include "arch/arch.h"
#include "loader/layout.h"

FIXTURE(NULL, loader_release);

/* A program with debug information from `fill`. */
static struct loader_elf *open_debug(struct debug *debug)
{
    struct image *image = image_program();
    debug_finish(debug, image);
    image_finish(image);
    return image_open(image);
}

static enum penrose_status read_model(bool newer, const char *without, struct loader_layout *layout,
                                      struct penrose_error *error)
{
    struct debug *debug = debug_create();
    debug_mailboxes(debug, newer, without);
    struct loader_elf *elf = open_debug(debug);
    enum penrose_status status =
        loader_layout_read(elf, arch.l1_bytes[PENROSE_TILE_TENSIX], layout, error);
    return status;
}

static void check_member(struct loader_member member, uint32_t offset, uint32_t size,
                         uint32_t count)
{
    ck_assert_uint_eq(member.offset, offset);
    ck_assert_uint_eq(member.size, size);
    ck_assert_uint_eq(member.count, count);
}

TEST(january)
{
    struct loader_layout l;
    struct penrose_error error = {0};
    ck_assert_msg(read_model(false, NULL, &l, &error) == PENROSE_OK, "%s", error.text);
    ck_assert_uint_eq(l.mailbox_base, 0x60);
    ck_assert_uint_eq(l.mailboxes_size, 12768);
    ck_assert_uint_eq(l.launch_msg_size, 96);
    check_member(l.mailboxes_launch, 16, 96, 8);
    check_member(l.mailboxes_go_messages, 784, 4, 9);
    check_member(l.mailboxes_subordinate_sync, 8, 4, 1);
    check_member(l.core_info_absolute_logical_y, 233, 1, 1);
    check_member(l.go_msg_signal, 3, 1, 1);
    check_member(l.kernel_config_kernel_config_base, 0, 4, 3);
    check_member(l.kernel_config_rta_offset, 22, 4, 5);
    check_member(l.rta_crta_offset, 2, 2, 1);
    check_member(l.kernel_config_local_cb_mask, 64, 4, 1);
    check_member(l.kernel_config_kernel_text_size, 0, 0, 0);
    ck_assert_uint_eq(l.RUN_MSG_GO, 0x80);
    ck_assert_uint_eq(l.RUN_MSG_DONE, 0);
    ck_assert_uint_eq(l.RUN_SYNC_MSG_INIT_SYNC_REGISTERS, 3);
    ck_assert_uint_eq(l.DISPATCH_MODE_HOST, 1);
    ck_assert_uint_eq(l.NUM_CIRCULAR_BUFFERS, 32);
}

TEST(newer)
{
    struct loader_layout l;
    struct penrose_error error = {0};
    ck_assert_msg(read_model(true, NULL, &l, &error) == PENROSE_OK, "%s", error.text);
    ck_assert_uint_eq(l.launch_msg_size, 144);
    check_member(l.kernel_config_kernel_text_size, 72, 4, 5);
    check_member(l.kernel_config_local_cb_mask, 96, 8, 1);
    check_member(l.kernel_config_num_sw_threads, 143, 1, 0);
    check_member(l.kernel_config_kernel_thread_id, 143, 1, 0);
    ck_assert_uint_eq(l.NUM_CIRCULAR_BUFFERS, 64); /* from the variable cb_interface */
    ck_assert_uint_eq(l.UINT32_WORDS_PER_LOCAL_CIRCULAR_BUFFER_CONFIG, 4);
    ck_assert_uint_eq(l.launch_msg_buffer_num_entries, 8);
    ck_assert_uint_eq(l.OPERAND_START_STREAM, LOADER_UNKNOWN);
}

/* Every row of the table: without a required fact an error names it, without others all is well. */
enum { OPTIONAL, LAUNCHING, REQUIRED };
static const struct {
    const char *name;
    int need;
} facts[] = {
    {"mailboxes", REQUIRED},
#define STRUCT(group, type) {#type, REQUIRED},
#include "loader/layout.def"
#define MEMBER(group, member, need, kind) {#member, need},
#include "loader/layout.def"
#define CONSTANT(name, need, fallback) {#name, need},
#include "loader/layout.def"
};

TEST_EACH(missing_fact, COUNT(facts))
{
    struct loader_layout layout;
    struct penrose_error error = {0};
    /* rta_offset is a member of two structures, and the first one that is missing is named. */
    enum penrose_status status = read_model(_i % 2, facts[_i].name, &layout, &error);
    if (facts[_i].need != OPTIONAL) {
        ck_assert_int_eq(status, PENROSE_E_LAYOUT);
        check_words(error.text, (const char *const[]){"test.elf", facts[_i].name, "missing in all",
                                                      "brisc.elf", NULL});
    } else {
        ck_assert_msg(status == PENROSE_OK, "%s", error.text);
    }
}

TEST(how_many_are_missing)
{
    struct debug *debug = debug_create();
    debug_constant(debug, "mailboxes", 0x60);
    struct loader_elf *elf = open_debug(debug);
    struct loader_layout layout;
    struct penrose_error error = {0};
    ck_assert_int_eq(loader_layout_read(elf, arch.l1_bytes[PENROSE_TILE_TENSIX], &layout, &error),
                     PENROSE_E_LAYOUT);
    /* six structures, two enumerators and seven constants */
    check_words(error.text, (const char *const[]){"struct mailboxes_t", "(15 missing", NULL});
}

TEST(buffers_from_the_variable)
{
    struct loader_layout layout;
    struct penrose_error error = {0};
    ck_assert_int_eq(read_model(false, "NUM_CIRCULAR_BUFFERS", &layout, &error), PENROSE_OK);
    ck_assert_uint_eq(layout.NUM_CIRCULAR_BUFFERS, 32);
    ck_assert_int_eq(read_model(true, "cb_interface", &layout, &error), PENROSE_E_LAYOUT);
    check_words(error.text, (const char *const[]){"test.elf", "local_cb_mask", NULL});
}

TEST(without_debug_information)
{
    struct image *image = image_program();
    image_finish(image);
    struct loader_elf *elf = image_open(image);
    struct loader_layout layout;
    struct penrose_error error = {0};
    ck_assert_int_eq(loader_layout_read(elf, arch.l1_bytes[PENROSE_TILE_TENSIX], &layout, &error),
                     PENROSE_E_LAYOUT);
    check_words(error.text,
                (const char *const[]){"test.elf", "no debug information", "brisc.elf", NULL});
}

/* A structure or constant that comes first, so that it wins over the model's good one. */
static const struct {
    const char *word; /* of the error */
    const char *name;
    unsigned value; /* the constant, or how many bytes the structure has */
    unsigned width; /* of its members; 0: a constant */
    struct {
        const char *name;
        unsigned offset;
    } member[4];
} contradictions[] = {
    {"not in L1", "mailboxes", 0x17f000, 0, {{0}}},
    {"not in L1", "mailboxes", 0x61, 0, {{0}}},
    {"crta_offset", "rta_offset_t", 4, 2, {{"rta_offset", 0}, {"crta_offset", 3}}}, /* outside */
    {"rta_offset", "rta_offset_t", 8, 3, {{"rta_offset", 0}, {"crta_offset", 4}}},
    {"five harts", "rta_offset_t", 8, 4, {{"rta_offset", 0}, {"crta_offset", 4}}},
    {"launch", "launch_msg_t", 100, 96, {{"kernel_config", 0}}},
    {"go_messages",
     "go_msg_t",
     8,
     1,
     {{"dispatch_message_offset", 0}, {"master_x", 1}, {"master_y", 2}, {"signal", 3}}},
    {"core_info", "core_info_msg_t", 8, 1, {{"absolute_logical_x", 0}, {"absolute_logical_y", 1}}},
    {"local_cb_mask", "NUM_CIRCULAR_BUFFERS", 33, 0, {{0}}},
    {"UINT32_WORDS", "UINT32_WORDS_PER_LOCAL_CIRCULAR_BUFFER_CONFIG", 3, 0, {{0}}},
};

static void expect_nonsense(struct debug *debug, const char *word)
{
    debug_mailboxes(debug, false, NULL);
    struct loader_elf *elf = open_debug(debug);
    struct loader_layout layout;
    struct penrose_error error = {0};
    ck_assert_int_eq(loader_layout_read(elf, arch.l1_bytes[PENROSE_TILE_TENSIX], &layout, &error),
                     PENROSE_E_LAYOUT);
    check_words(error.text, (const char *const[]){"test.elf", "debug information", word, NULL});
}

TEST_EACH(contradiction, COUNT(contradictions))
{
    struct debug *debug = debug_create();
    if (contradictions[_i].width) {
        debug_base(debug, "base", contradictions[_i].width);
        debug_struct(debug, contradictions[_i].name, "first", contradictions[_i].value);
        for (unsigned i = 0; i < 4 && contradictions[_i].member[i].name; i++) {
            debug_member(debug, contradictions[_i].member[i].name, "base",
                         contradictions[_i].member[i].offset);
        }
        debug_end(debug);
    } else {
        debug_constant(debug, contradictions[_i].name, contradictions[_i].value);
    }
    expect_nonsense(debug, contradictions[_i].word);
}

TEST(empty_array)
{
    struct debug *debug = debug_create();
    debug_base(debug, "short", 2);
    debug_array(debug, "none", "short", DEBUG_EMPTY);
    debug_struct(debug, "rta_offset_t", "first rta", 4);
    debug_member(debug, "rta_offset", "none", 0);
    debug_member(debug, "crta_offset", "short", 2);
    debug_end(debug);
    expect_nonsense(debug, "rta_offset");
}

/* Types that refer to themselves, and structures that contain themselves, end somewhere. */
TEST(endless_types)
{
    struct debug *debug = debug_create();
    debug_typedef_at(debug, "mailboxes_t", debug_offset(debug)); /* of itself */
    debug_struct(debug, "go_msg_t", "endless", 4);
    debug_member(debug, "", "endless", 0);
    debug_end(debug);
    debug_typedef_at(debug, "launch_msg_t", 0x7fffffff); /* outside */
    debug_typedef_at(debug, "core_info_msg_t", 1);       /* inside the header */
    struct loader_elf *elf = open_debug(debug);
    struct loader_layout layout;
    struct penrose_error error = {0};
    ck_assert_int_eq(loader_layout_read(elf, arch.l1_bytes[PENROSE_TILE_TENSIX], &layout, &error),
                     PENROSE_E_LAYOUT);
}

TEST(structures_behind_typedefs)
{
    struct debug *debug = debug_create();
    debug_base(debug, "short", 2);
    debug_struct(debug, "", "nameless", 4);
    debug_member(debug, "rta_offset", "short", 2);
    debug_member(debug, "crta_offset", "short", 0);
    debug_end(debug);
    debug_volatile(debug, "volatile nameless", "nameless");
    debug_typedef(debug, "rta_offset_t", "volatile nameless");
    debug_mailboxes(debug, false, NULL);
    struct loader_elf *elf = open_debug(debug);
    struct loader_layout layout;
    struct penrose_error error = {0};
    ck_assert_msg(loader_layout_read(elf, arch.l1_bytes[PENROSE_TILE_TENSIX], &layout, &error) ==
                      PENROSE_OK,
                  "%s", error.text);
    check_member(layout.rta_rta_offset, 2, 2, 1);
}

/* Clang writes the count of an array, not its upper bound; pointers need no size. */
TEST(other_descriptions)
{
    struct debug *debug = debug_create();
    debug_base(debug, "word", 4);
    debug_counted_array(debug, "words", "word", 40);
    debug_variable(debug, "cb_interface", "words");
    debug_pointer(debug, "pointer", "word");
    debug_struct(debug, "rta_offset_t", "first rta", 4);
    debug_member(debug, "rta_offset", "pointer", 0);
    debug_member(debug, "crta_offset", "pointer", 0);
    debug_end(debug);
    debug_mailboxes(debug, true, NULL);
    struct loader_elf *elf = open_debug(debug);
    struct loader_layout layout;
    struct penrose_error error = {0};
    ck_assert_msg(loader_layout_read(elf, arch.l1_bytes[PENROSE_TILE_TENSIX], &layout, &error) ==
                      PENROSE_OK,
                  "%s", error.text);
    ck_assert_uint_eq(layout.NUM_CIRCULAR_BUFFERS, 40);
    check_member(layout.rta_rta_offset, 0, 4, 1);
}
