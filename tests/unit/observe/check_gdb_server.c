/* The GDB server with a client that sends packets as it likes: what it answers, and that the chip goes
 * on whatever the client does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <penrose/debug.h>

#include "observe/gdb/gdb.h"
#include "observe/gdb/packet.h"
#include "unit/chip/chip_program.h"
#include "unit/random.h"
#include "unit/test.h"

enum { X = 1, Y = 2, CODE = 0x1000, WORD = 0x4000, ANSWER_BYTES = 1 << 20 };

static struct penrose_error error;
static struct penrose_chip *chip;
static struct gdb *gdb;
static char path[64], address[96];
static char answers[ANSWER_BYTES];
static enum penrose_outcome outcome; /* of a run that nobody debugs */
static const struct penrose_run a_while = {.size = sizeof a_while, .cycles = 20000};

/* Counts in WORD for ever. */
static const char counting[] = "lui t1, 4; addi t0, t0, 1; sw t0, 0(t1); jal zero, 0x1004";

static void make_server(bool is_new)
{
    ck_assert_int_eq(penrose_chip_create(NULL, &chip, &error), PENROSE_OK);
    outcome = is_new ? PENROSE_QUIET : PENROSE_CYCLES;
    if (!is_new) {
        start_program(chip, X, Y, PENROSE_BRISC, CODE, counting);
    }
    snprintf(path, sizeof path, "/tmp/check_gdb_server.%d", (int)getpid());
    snprintf(address, sizeof address, "unix:%s,nowait", path);
    ck_assert_msg(gdb_create(chip, address, &gdb, &error) == PENROSE_OK, "%s", error.text);
}

static void setup(void)
{
    make_server(false);
}

static void teardown(void)
{
    gdb_destroy(gdb, 0);
    penrose_chip_destroy(chip);
}

FIXTURE(setup, teardown);

static int connect_client(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    strcpy(at.sun_path, path);
    ck_assert_int_eq(connect(client, (struct sockaddr *)&at, sizeof at), 0);
    return client;
}

static void send_packet(int client, const char *payload, size_t size)
{
    struct gdb_text packet = {0};
    gdb_put_packet(&packet, payload, size);
    ck_assert_int_eq(write(client, packet.data, packet.size), (ssize_t)packet.size);
    gdb_text_free(&packet);
}

/* A client sends these packets (until NULL) and hangs up; the chip runs; all that it was answered. */
static const char *talk(const char *const *packets)
{
    int client = connect_client();
    size_t size = 0;
    ssize_t more;
    for (; *packets; packets++) {
        send_packet(client, *packets, strlen(*packets));
    }
    shutdown(client, SHUT_WR);
    usleep(11000); /* the server looks so often */
    ck_assert_int_eq(gdb_run(gdb, chip, &a_while), outcome);
    while ((more = recv(client, answers + size, sizeof answers - 1 - size, MSG_DONTWAIT)) > 0) {
        size += (size_t)more;
    }
    answers[size] = '\0';
    close(client);
    return answers;
}

static uint32_t counted(void)
{
    uint32_t word;
    ck_assert_int_eq(penrose_peek(chip, X, Y, WORD, &word, sizeof word, &error), PENROSE_OK);
    return word;
}

static void expect_answer(const char *all, const char *wanted)
{
    ck_assert_msg(strstr(all, wanted) != NULL, "no '%s' in '%.2000s'", wanted, all);
}

#define ATTACH "vAttach;18a9d" /* 101021 */

TEST(a_client_learns_what_there_is)
{
    const char *all = talk((const char *const[]){
        "qSupported:multiprocess+;swbreak+", "!", "?", "qXfer:osdata:read:processes:0,fff", ATTACH,
        "qXfer:threads:read::0,fff", "qC", "qXfer:features:read:target.xml:0,fff",
        "qXfer:memory-map:read::0,fff", "vCont?", NULL});
    expect_answer(all, "multiprocess+");
    expect_answer(all, "$W00#");
    expect_answer(all, "<column name=\"pid\">101021</column>");
    expect_answer(all, "<column name=\"state\">running</column>");
    expect_answer(all, "$T05thread:p18a9d.1;#");
    expect_answer(all, "name=\"brisc (1, 2)\"");
    expect_answer(all, "$QCp18a9d.1#");
    expect_answer(all, "<architecture>riscv:rv32</architecture>");
    expect_answer(all, "<memory type=\"ram\" start=\"0\"");
    expect_answer(all, "$vCont;c;C;s;S;t;r#");
    ck_assert_uint_gt(counted(), 1000); /* it has gone on */
}

/* Both chips of a cluster count; the second one by two. */
static struct penrose_cluster *make_pair_server(void)
{
    struct penrose_cluster *cluster;
    struct penrose_chip *second;
    teardown();
    ck_assert_int_eq(penrose_cluster_create(1, &cluster, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_cluster_add(cluster, NULL, &chip, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_cluster_add(cluster, NULL, &second, &error), PENROSE_OK);
    start_program(chip, X, Y, PENROSE_BRISC, CODE, counting);
    start_program(second, X, Y, PENROSE_BRISC, CODE,
                  "lui t1, 4; addi t0, t0, 2; sw t0, 0(t1); jal zero, 0x1004");
    ck_assert_msg(gdb_create(chip, address, &gdb, &error) == PENROSE_OK, "%s", error.text);
    return cluster;
}

static void put_monitor(struct gdb_text *packet, const char *command)
{
    gdb_put(packet, "qRcmd,");
    gdb_put_hex(packet, command, strlen(command));
}

static void expect_console(const char *all, const char *wanted)
{
    struct gdb_text text = {0};
    gdb_put_hex(&text, wanted, strlen(wanted));
    expect_answer(all, text.data);
    gdb_text_free(&text);
}

TEST(all_chips_of_a_cluster_are_debugged)
{
    struct penrose_cluster *cluster = make_pair_server();
    struct gdb_text waits = {0}, none = {0}, tile = {0};
    put_monitor(&waits, "waits 1");
    put_monitor(&none, "waits 2");
    put_monitor(&tile, "tile");
    const char *all = talk((const char *const[]){"qSupported:multiprocess+;swbreak+",
                                                 "!",
                                                 "qXfer:osdata:read:processes:0,fff",
                                                 ATTACH,
                                                 "vAttach;3113d", /* 201021 */
                                                 "vAttach;497dd", /* 301021: there is no chip 2 */
                                                 "qXfer:threads:read::0,fff",
                                                 "Z0,1008,4",
                                                 "vCont;c",
                                                 "p5",
                                                 "M8000,4:01020304",
                                                 waits.data,
                                                 none.data,
                                                 tile.data,
                                                 "bs",
                                                 "p20",
                                                 "Hgp18a9d.1",
                                                 "m8000,4",
                                                 "vCont;s:p18a9d.1",
                                                 "z0,1008,4",
                                                 NULL});
    expect_answer(all, "<column name=\"pid\">201021</column>");
    expect_answer(all, "<column name=\"device\">1</column>");
    expect_answer(all, "$E.there is no such hart");
    expect_answer(all, "name=\"chip 0 brisc (1, 2)\"");
    expect_answer(all, "name=\"chip 1 brisc (1, 2)\"");
    const char *hit = strstr(all, "$T05swbreak:;thread:p3113d.1;#");
    ck_assert_msg(hit != NULL, "%s", all);
    expect_answer(hit, "$02000000#");
    expect_console(hit, "  tile (1, 2) brisc at pc ");
    expect_console(hit, "there is no chip 2; chips are numbered from 0 to 1\n");
    expect_console(hit, "chip 1 tile (1, 2), cycle ");
    expect_answer(hit, "$T05thread:p3113d.1;#a1+$04100000#"); /* a step back */
    expect_answer(hit, "$00000000#");                         /* of chip 0's L1 */
    expect_answer(hit, "$T05thread:p18a9d.1;#");
    gdb_destroy(gdb, 0);
    penrose_cluster_destroy(cluster);
    gdb_text_free(&waits);
    gdb_text_free(&none);
    gdb_text_free(&tile);
    setup();
}

TEST(a_new_chip_has_processes)
{
    teardown();
    make_server(true);
    const char *all =
        talk((const char *const[]){"!", "qXfer:osdata:read:processes:0,fff", ATTACH, "p20", NULL});
    expect_answer(all, "<column name=\"pid\">101020</column>");
    expect_answer(all, "$T05thread:p18a9d.1;#");
}

TEST(registers_and_memory_are_read_and_written)
{
    const char *all = talk((const char *const[]){
        ATTACH, "p20", "P5=78563412", "p5", "m4000,4", "M8000,4:01020304", "m8000,4", "X8004,2:ab",
        "m8004,2", "mfffffff0,4", "m8000,0", "pffff", NULL});
    expect_answer(all, "$00100000#");
    expect_answer(all, "$OK#9a+$78563412#");
    expect_answer(all, "$00000000#");
    expect_answer(all, "$01020304#");
    expect_answer(all, "$6162#");
    expect_answer(all, "$E01#");
}

TEST(a_breakpoint_stops_and_a_condition_passes_it)
{
    const char *all = talk((const char *const[]){
        "qSupported:swbreak+", ATTACH, "Z0,1008,4", "vCont;c", "p5", "z0,1008,4",
        /* t0 == 50 */
        "Z0,1008,4;X7,26000522321327", "vCont;c", "p5", NULL});
    expect_answer(all, "T05swbreak:;thread:p18a9d.1;#");
    expect_answer(all, "$01000000#");
    expect_answer(all, "$32000000#");
    ck_assert_ptr_null(strstr(all, "E."));
    ck_assert_uint_gt(counted(), 1000);
}

/* Three instructions, and the pc behind them. */
#define THREE_STEPS "vCont;s", "vCont;s", "vCont;s", "p20"

TEST(the_chip_stands_until_the_connection_ends)
{
    static const char *const ways[] = {"D;18a9d", "vKill;18a9d", "k", "D"};
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        teardown();
        setup();
        const char *all = talk((const char *const[]){"!", ATTACH, THREE_STEPS, ways[i],
                                                     "vAttach;18a9e", "p20", ATTACH, "p20", NULL});
        const char *first = strstr(all, "$0c100000#");
        ck_assert_msg(first && strstr(first + 1, "$0c100000#"), "%s: %s", ways[i], all);
        expect_answer(all, "T05thread:p18a9e.2;");
        ck_assert_uint_gt(counted(), 1000);
    }
}

TEST(run_begins_at_the_beginning)
{
    const char *all = talk((const char *const[]){"!", ATTACH, THREE_STEPS, "vKill;18a9d", "vRun;",
                                                 "p20", "P20=00000000", THREE_STEPS, NULL});
    expect_answer(all, "$T05thread:p18a9d.1;#");
    expect_answer(all, "$00100000#");
    expect_answer(all, "$E.a past cannot be changed#");
    ck_assert_ptr_null(strstr(all, "replaylog"));
}

/* GDB takes a step that ends with the history for one that has not ended. */
TEST(a_step_that_arrives_at_the_present_is_a_step)
{
    const char *all = talk((const char *const[]){ATTACH, THREE_STEPS, "bs", "bs", "vCont;s",
                                                 "vCont;s", "p20", "vCont;s", "p20", NULL});
    ck_assert_ptr_null(strstr(all, "replaylog"));
    expect_answer(all, "$04100000#");
}

/* The step that GDB makes behind the hit of a watchpoint, of a hart that cannot. */
TEST(a_hart_in_reset_watches)
{
    const char *all =
        talk((const char *const[]){"vAttach;18a9e", "P20=00100000", "Z2,4000,4", "vCont;c",
                                   "z2,4000,4", "vCont;s", "m4000,4", NULL});
    const char *hit = strstr(all, "$T05watch:4000;thread:p18a9e.2;#");
    ck_assert_msg(hit != NULL, "%s", all);
    expect_answer(hit, "$T05thread:p18a9e.2;#");
    expect_answer(hit, "$01000000#");
    expect_answer(all, "$E.the hart is in reset#");
}

/* What the console says to a monitor command. */
static void expect_monitor(const char *command, const char *wanted)
{
    struct gdb_text packet = {0};
    put_monitor(&packet, command);
    expect_console(talk((const char *const[]){ATTACH, "vCont;s", packet.data, NULL}), wanted);
    gdb_text_free(&packet);
}

TEST(monitor_commands_refuse_bad_words)
{
    static const char *const bad[] = {"src",
                                      "src x 1",
                                      "src a",
                                      "src a 0 q",
                                      "src a 0 0 1 2",
                                      "dst x",
                                      "dst 0 1 fp64",
                                      "lreg x",
                                      "gpr x",
                                      "disassemble main",
                                      "disassemble 0 -1",
                                      "disassemble 0 1 2",
                                      "tensix go",
                                      "tensix step x",
                                      "last-writer q",
                                      "last-writer 0x4000 q"};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char usage[64];
        snprintf(usage, sizeof usage, "usage: monitor %.*s", (int)strcspn(bad[i], " "), bad[i]);
        expect_monitor(bad[i], usage);
    }
    expect_monitor("src a 0 0 1", "srca.0[0] 00000");
    expect_monitor("disassemble 0x1000 1", "lui t1, 4");
    teardown();
    setup();
    expect_monitor("tile", "tile (1, 2), cycle 1\n");
}

TEST(a_watchpoint_names_who_wrote)
{
    const char *all = talk((const char *const[]){ATTACH, "Z2,4000,4", "vCont;c", "p5", NULL});
    expect_answer(all, "T05watch:4000;thread:p18a9d.1;#");
    /* "brisc" in hexadecimal, on the console */
    expect_answer(all, "6272697363");
}

TEST(a_step_is_one_instruction)
{
    const char *all =
        talk((const char *const[]){ATTACH, "p20", "vCont;s:p18a9d.1", "p20", "vCont;s", "p20",
                                   "vCont;r1000,1010:p18a9d.1", NULL});
    expect_answer(all, "$00100000#");
    expect_answer(all, "$04100000#");
    expect_answer(all, "$08100000#");
}

TEST(wrong_packets_are_answered)
{
    static const char *const wrong[] = {"p",
                                        "P5",
                                        "m",
                                        "m100",
                                        "M100,4:01",
                                        "vAttach;1",
                                        "vAttach;zz",
                                        "vCont;x",
                                        "vCont",
                                        "Z9,0,0",
                                        "Z0,1001,4",
                                        "Z0,0,4;Xff",
                                        "Hx",
                                        "D;1",
                                        "vFile:open:2f,0,0",
                                        "vFile:pread:0,1,0",
                                        "qXfer:features:read:nothing:0,1",
                                        "qXfer:x:read::0,1",
                                        "qXfer:",
                                        "qRcmd,zz",
                                        "X100,5:a",
                                        "G00",
                                        "Tp1.1",
                                        "vFile:close:99"};
    for (int i = 0; i < COUNT(wrong); i++) {
        const char *all = talk((const char *const[]){ATTACH, wrong[i], NULL});
        bool is_error = strstr(all, "$E") || strstr(all, "$F-1") || strstr(all, "+$#00");
        ck_assert_msg(is_error, "%s: %s", wrong[i], all);
    }
}

TEST(monitor_commands_answer)
{
    static const char *const commands[] = {"help",
                                           "tile",
                                           "disassemble",
                                           "disassemble 0x1000 4",
                                           "dst",
                                           "dst 3 2 fp32",
                                           "src a 0",
                                           "src b 1 60 20",
                                           "lreg",
                                           "lreg 9",
                                           "lreg 99",
                                           "config ALU",
                                           "config-diff",
                                           "semaphores",
                                           "cb",
                                           "noc",
                                           "waits",
                                           "faults",
                                           "resume",
                                           "tensix step",
                                           "dst x y z",
                                           "nothing",
                                           "",
                                           "dst 1020 99999999"};
    for (int i = 0; i < COUNT(commands); i++) {
        struct gdb_text packet = {0};
        gdb_put(&packet, "qRcmd,");
        gdb_put_hex(&packet, commands[i], strlen(commands[i]));
        const char *all = talk((const char *const[]){"vAttach;18a9e", packet.data, NULL});
        expect_answer(all, "$O");
        expect_answer(all, "$OK#");
        gdb_text_free(&packet);
    }
}

TEST(a_second_client_is_told)
{
    int first = connect_client(), second;
    char answer[256] = "";
    usleep(11000);
    send_packet(first, "qC", 2);
    second = connect_client();
    shutdown(first, SHUT_WR);
    ck_assert_int_eq(gdb_run(gdb, chip, &a_while), PENROSE_CYCLES);
    ssize_t size = recv(second, answer, sizeof answer - 1, 0);
    ck_assert_int_gt(size, 0);
    expect_answer(answer, "$E.Penrose serves another GDB");
    close(first);
    close(second);
}

TEST(an_address_must_make_sense)
{
    static const char *const wrong[] = {"", "x", "1:2:3x", "70000", "unix:", "host.invalid:1"};
    struct gdb *other;
    for (int i = 0; i < COUNT(wrong); i++) {
        ck_assert_int_ne(gdb_create(chip, wrong[i], &other, &error), PENROSE_OK);
        ck_assert_ptr_null(other);
        ck_assert_uint_gt(strlen(error.text), 10);
    }
    ck_assert_int_eq(gdb_create(chip, address, &other, &error), PENROSE_E_FILE);
    ck_assert_int_eq(gdb_create(chip, "0", &other, &error), PENROSE_OK);
    ck_assert_msg(strstr(gdb_command(other), "127.0.0.1:"), "%s", gdb_command(other));
    ck_assert(gdb_will_wait(other));
    gdb_destroy(other, 0);
}

/* --- Any packets --- */

static const char *const usual[] = {ATTACH,
                                    "vAttach;18a9e",
                                    "vAttach;18a9c",
                                    "g",
                                    "p20",
                                    "pffff",
                                    "m1000,20",
                                    "mfffff000,ffff",
                                    "M4000,4:01020304",
                                    "X4000,4:abcd",
                                    "Z0,1004,4",
                                    "Z2,4000,4",
                                    "z0,1004,4",
                                    "Z1,1008,4",
                                    "Z0,1004,4;X3,222a27",
                                    "vCont;s",
                                    "vCont;c",
                                    "vCont;s:p18a9d.1;c",
                                    "vCont;r1000,1010:p18a9d.1",
                                    "vCont;c:p18a9e.-1",
                                    "Hgp18a9d.1",
                                    "Hc-1",
                                    "qXfer:features:read:target.xml:0,ffff",
                                    "qXfer:libraries:read::0,fff",
                                    "qXfer:exec-file:read:18a9d:0,fff",
                                    "qRcmd,74696c65",
                                    "qRcmd,77616974",
                                    "vFile:open:2f657463,0,0",
                                    "vFile:pread:0,10,0",
                                    "D;18a9d",
                                    "vKill;18a9e",
                                    "QStartNoAckMode",
                                    "qSupported:swbreak+",
                                    "?",
                                    "!",
                                    "T",
                                    "k",
                                    "D",
                                    "P5=00000000",
                                    "G"};

/* Changes, cuts or doubles some bytes. */
static size_t mutate(char *packet, size_t size, size_t room, uint64_t *random)
{
    for (unsigned changes = random_below(random, 4); changes > 0; changes--) {
        size_t at = random_below(random, (uint32_t)size + 1);
        switch (random_below(random, 3)) {
        case 0:
            packet[at < size ? at : 0] = (char)random_next(random);
            break;
        case 1:
            size = at;
            break;
        default:
            if (size * 2 < room) {
                memcpy(packet + size, packet, size);
                size *= 2;
            }
        }
    }
    return size;
}

TEST(a_chip_goes_on_whatever_a_client_sends)
{
    enum { CLIENTS = 300, PACKETS = 30 };
    uint64_t random = 3;
    const struct penrose_run shortly = {.size = sizeof shortly, .cycles = 256};
    for (unsigned i = 0; i < CLIENTS; i++) {
        int client = connect_client();
        for (unsigned k = random_below(&random, PACKETS); k > 0; k--) {
            char packet[512];
            strcpy(packet, usual[random_below(&random, COUNT(usual))]);
            size_t size = mutate(packet, strlen(packet), sizeof packet, &random);
            send_packet(client, packet, size);
        }
        if (random_below(&random, 2)) {
            (void)!write(client, "$m1000,2", random_below(&random, 8)); /* cut in its middle */
        }
        if (random_below(&random, 2)) {
            shutdown(client, SHUT_WR);
            usleep(11000);
            (void)gdb_run(gdb, chip, &shortly);
            close(client);
        } else {
            close(client);
            usleep(11000);
            (void)gdb_run(gdb, chip, &shortly);
        }
        penrose_fault_clear(chip);
    }
    ck_assert_ptr_nonnull(strstr(talk((const char *const[]){"!", NULL}), "$OK#"));
}

/* --- What is at the place of the socket --- */

static struct gdb *listen_there(const char *there)
{
    struct gdb *other = NULL;
    char text[128];
    snprintf(text, sizeof text, "unix:%s,nowait", there);
    if (gdb_create(chip, text, &other, &error) != PENROSE_OK) {
        ck_assert_ptr_nonnull(strstr(error.text, "GDB cannot be waited for"));
        return NULL;
    }
    return other;
}

static void expect_kind(const char *there, mode_t kind)
{
    struct stat state;
    ck_assert_msg(lstat(there, &state) == 0 && (state.st_mode & S_IFMT) == kind, "%s", there);
}

TEST(what_is_no_socket_stays)
{
    char there[96];
    gdb_destroy(gdb, 0);
    gdb = NULL;
    snprintf(there, sizeof there, "%s.other", path);
    fclose(fopen(there, "w"));
    ck_assert_ptr_null(listen_there(there));
    expect_kind(there, S_IFREG);
    unlink(there);
    ck_assert_int_eq(mkfifo(there, 0600), 0);
    ck_assert_ptr_null(listen_there(there));
    expect_kind(there, S_IFIFO);
    unlink(there);
    ck_assert_int_eq(symlink(path, there), 0);
    ck_assert_ptr_null(listen_there(there));
    expect_kind(there, S_IFLNK);
    unlink(there);
}

/* A socket to which nobody listens is replaced; what has taken the place of one's own stays. */
TEST(only_a_dead_socket_and_ones_own_are_removed)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    gdb_destroy(gdb, 0);
    ck_assert_int_ne(access(path, F_OK), 0);
    int dead = socket(AF_UNIX, SOCK_STREAM, 0);
    strcpy(at.sun_path, path);
    ck_assert_int_eq(bind(dead, (struct sockaddr *)&at, sizeof at), 0);
    close(dead);
    gdb = listen_there(path);
    ck_assert_ptr_nonnull(gdb);
    unlink(path);
    fclose(fopen(path, "w"));
    gdb_destroy(gdb, 0);
    gdb = NULL;
    expect_kind(path, S_IFREG);
    unlink(path);
}
