/*
 * Which card the built library is: by the folder from which it is loaded ($builddir/cards/CARD), and
 * as a copy in an anonymous file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "abi/client.h"
#include "unit/test.h"

/* What one library says about its card stays in the process. */
TESTS_ALWAYS_FORK;

enum { PATH_ROOM = 4096 };

static void cards_prepare(void)
{
    client_silence();
    unsetenv("PENROSE_CARD");
    unsetenv("TT_METAL_SIMULATOR");
}

FIXTURE(cards_prepare, NULL);

/* Of the cards, p100a alone lacks the column of workers at x = 16. */
static bool is_p100a(const struct client *client)
{
    uint32_t word = 5;
    client->init();
    client->tile_write(16, 2, 0x100, &word, sizeof word);
    client->tile_read(16, 2, 0x100, &word, sizeof word);
    client->exit();
    return word == UINT32_MAX;
}

static bool file_is_p100a(const char *path)
{
    struct client client;
    client_load_path(&client, path);
    bool answer = is_p100a(&client);
    client_unload(&client);
    return answer;
}

static bool copy_is_p100a(const char *path)
{
    struct client client;
    client_load_copy_of(&client, path);
    bool answer = is_p100a(&client);
    client_unload(&client);
    return answer;
}

static void card_path(char path[PATH_ROOM], const char *card)
{
    char name[PATH_ROOM], folder[PATH_ROOM];
    const char *build = getenv("builddir");
    snprintf(name, sizeof name, "%s/cards/%s", build ? build : ".", card);
    ck_assert_ptr_nonnull(realpath(name, folder));
    ck_assert_int_lt(snprintf(path, PATH_ROOM, "%s/libttsim.so", folder), PATH_ROOM);
}

TEST(the_folder_tells_the_card)
{
    char p100a[PATH_ROOM], p150a[PATH_ROOM];
    card_path(p100a, "p100a");
    card_path(p150a, "p150a");
    ck_assert(file_is_p100a(p100a));
    ck_assert(!file_is_p100a(p150a));
    setenv("PENROSE_CARD", "p150a", 1);
    ck_assert(!file_is_p100a(p100a));
}

/* The file itself lies in no card's folder. */
TEST(links_are_followed_to_the_folder_of_a_card)
{
    char p100a[PATH_ROOM], itself[PATH_ROOM], folder[] = "/tmp/check_cards.XXXXXX", link[64];
    card_path(p100a, "p100a");
    ck_assert_ptr_nonnull(realpath(p100a, itself));
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(link, sizeof link, "%s/libttsim.so", folder);
    ck_assert_int_eq(symlink(itself, link), 0);
    bool first = file_is_p100a(link);
    unlink(link);
    ck_assert_int_eq(symlink(p100a, link), 0);
    bool second = file_is_p100a(link);
    unlink(link);
    rmdir(folder);
    ck_assert(!first && second);
}

/* As UMD does: the file, to see what is there, then copies of it. */
TEST(copies_are_of_the_card_that_was_there_before)
{
    char p100a[PATH_ROOM], p150a[PATH_ROOM];
    card_path(p100a, "p100a");
    card_path(p150a, "p150a");
    ck_assert(!copy_is_p100a(p100a)); /* nothing tells */
    unsigned files = client_count_entries("/proc/self/fd");
    for (unsigned i = 0; i < 3; i++) {
        ck_assert(file_is_p100a(p100a));
        ck_assert(copy_is_p100a(p100a));
        ck_assert(copy_is_p100a(p100a));
        ck_assert(!file_is_p100a(p150a));
        ck_assert(!copy_is_p100a(p150a));
    }
    ck_assert_uint_eq(client_count_entries("/proc/self/fd"), files);
}

/* Of a card with several chips each is a device. */
TEST(the_folder_tells_how_many_chips)
{
    static const struct {
        const char *card;
        uint32_t chips;
    } rows[] = {{"p300", 2}, {"p300x2", 4}, {"quietbox", 4}, {"galaxy", 32}};
    for (int i = 0; i < COUNT(rows); i++) {
        struct client client;
        char path[PATH_ROOM];
        card_path(path, rows[i].card);
        client_load_path(&client, path);
        client.init();
        for (uint32_t chip = 0; chip <= rows[i].chips; chip++) {
            uint32_t id = client.config_read(chip << 3, 0);
            ck_assert_uint_eq(id, chip < rows[i].chips ? 0xb1401e52 : UINT32_MAX);
        }
        client.exit();
        client_unload(&client);
    }
}

TEST(copies_follow_the_variable_of_tt_metal)
{
    char p100a[PATH_ROOM];
    card_path(p100a, "p100a");
    setenv("TT_METAL_SIMULATOR", p100a, 1);
    ck_assert(copy_is_p100a(p100a));
    setenv("PENROSE_CARD", "unharvested", 1);
    ck_assert(!copy_is_p100a(p100a));
}
