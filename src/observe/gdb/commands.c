/* The commands of packets, by their first letter or word, and the answers. */
#include <stdlib.h>
#include <string.h>

#include "observe/gdb/internal.h"

static const char error_answer[] = "E01", done[] = "OK";

enum { READ_BYTES = GDB_PACKET_BYTES / 2 - 16 };

/* --- Registers --- */

static void put_register_value(struct gdb *gdb, uint64_t number, struct gdb_text *answer)
{
    uint32_t words[GDB_REGISTER_WORDS] = {0};
    unsigned bytes = number < gdb->registers ? gdb->reg[number].bits / 8 : 0;
    if (gdb_register_read(gdb, &gdb->general, number, words)) {
        gdb_put_hex(answer, words, bytes);
        return;
    }
    for (unsigned i = 0; i < bytes; i++) {
        gdb_put(answer, "xx"); /* the hart has it not */
    }
}

static void read_general(struct gdb *gdb, struct gdb_text *answer)
{
    for (unsigned i = 0; i < GDB_GENERAL; i++) {
        put_register_value(gdb, i, answer);
    }
}

static bool write_general(struct gdb *gdb, const char *packet)
{
    for (unsigned i = 0; i < GDB_GENERAL; i++) {
        uint32_t words[GDB_REGISTER_WORDS] = {0};
        if (!gdb_take_bytes(&packet, words, 4) ||
            !gdb_register_write(gdb, &gdb->general, i, words)) {
            return false;
        }
    }
    return true;
}

static void read_one_register(struct gdb *gdb, const char *packet, struct gdb_text *answer)
{
    uint64_t number;
    if (!gdb_take_hex(&packet, &number) || number >= gdb->registers) {
        gdb_put(answer, "%s", error_answer);
        return;
    }
    put_register_value(gdb, number, answer);
}

static bool write_one_register(struct gdb *gdb, const char *packet)
{
    uint64_t number;
    uint32_t words[GDB_REGISTER_WORDS] = {0};
    return gdb_take_hex(&packet, &number) && gdb_take_text(&packet, "=") &&
           number < gdb->registers && gdb_take_bytes(&packet, words, gdb->reg[number].bits / 8) &&
           gdb_register_write(gdb, &gdb->general, number, words);
}

/* A call of a function begins with writes of registers, and would never return on a hart that
 * executes nothing. */
static void write_register_packet(struct gdb *gdb, const char *packet, struct gdb_text *answer)
{
    const char *rests = gdb->general.pid ? gdb_why_it_rests(gdb, &gdb->general) : NULL;
    if (gdb_is_past(gdb) || rests) {
        gdb_put(answer, "E.%s", gdb_is_past(gdb) ? "a past cannot be changed" : rests);
    } else {
        gdb_put(answer, "%s", write_one_register(gdb, packet) ? done : error_answer);
    }
}

/* --- Memory --- */

/* "ADDRESS,SIZE" */
static bool take_range(const char **packet, uint64_t *address, uint64_t *size)
{
    return gdb_take_hex(packet, address) && gdb_take_text(packet, ",") &&
           gdb_take_hex(packet, size);
}

static void read_memory(struct gdb *gdb, const char *packet, struct gdb_text *answer)
{
    uint64_t address, size;
    size_t done_bytes = 0;
    uint8_t *bytes = NULL;
    if (gdb->general.pid && take_range(&packet, &address, &size)) {
        size = size < READ_BYTES ? size : READ_BYTES;
        bytes = malloc(size + 1);
        done_bytes = bytes ? gdb_peek(gdb, &gdb->general, address, bytes, (size_t)size) : 0;
    }
    if (done_bytes > 0) {
        gdb_put_hex(answer, bytes, done_bytes);
    } else {
        gdb_put(answer, "%s", bytes && size == 0 ? "" : error_answer);
    }
    free(bytes);
}

static bool write_memory(struct gdb *gdb, const char *packet)
{
    uint64_t address, size;
    bool is_written = false;
    if (!gdb->general.pid || !take_range(&packet, &address, &size) ||
        !gdb_take_text(&packet, ":") || size > strlen(packet) / 2) {
        return false;
    }
    uint8_t *bytes = malloc(size + 1);
    if (bytes && gdb_take_bytes(&packet, bytes, (size_t)size)) {
        is_written = gdb_poke(gdb, &gdb->general, address, bytes, (size_t)size);
    }
    free(bytes);
    return is_written;
}

/* The bytes of an X packet may be anything. */
static bool write_binary(struct gdb *gdb, const char *packet, const char *end)
{
    uint64_t address, size;
    return gdb->general.pid && take_range(&packet, &address, &size) &&
           gdb_take_text(&packet, ":") && size <= (size_t)(end - packet) &&
           (size == 0 || gdb_poke(gdb, &gdb->general, address, packet, (size_t)size));
}

/* --- Processes --- */

/* "Hg" and "Hc" */
static bool choose_thread(struct gdb *gdb, const char *packet)
{
    struct gdb_id id;
    bool is_general = *packet == 'g';
    if (!is_general && *packet != 'c') {
        return false;
    }
    packet++;
    struct gdb_thread *chosen = is_general ? &gdb->general : &gdb->resumed;
    return gdb_take_id(&packet, &id) &&
           (gdb_select(gdb, &id, chosen, chosen) || (id.process <= 0 && id.thread <= 0));
}

static void attach_packet(struct gdb *gdb, const char *packet, struct gdb_text *answer)
{
    uint64_t pid;
    if (!gdb_take_hex(&packet, &pid) || !gdb_attach(gdb, pid)) {
        gdb_put(answer, "E.there is no such hart, or it is attached already; see 'info os "
                        "processes'");
        return;
    }
    gdb->is_held = true;
    gdb_symbols_look(gdb);
    gdb_breaks_look(gdb);
    gdb->event = (struct gdb_event){.thread = gdb->general, .signal = GDB_SIGTRAP};
    gdb_put_event(answer, &gdb->event);
}

/* A client of the extended protocol that has let go of all may take another one, and finds the chip
 * as it was. One of the plain protocol is done, and the chip goes on. */
static void stand_without_processes(struct gdb *gdb)
{
    gdb->is_held = gdb->is_extended || gdb->processes > 0;
    if (!gdb->is_held) {
        gdb_reverse_leave(gdb);
    }
}

/* "D;PID" and "vKill;PID", or all. */
static bool detach_packet(struct gdb *gdb, const char *packet)
{
    uint64_t pid;
    if (*packet == '\0') {
        gdb_forget_client(gdb);
        stand_without_processes(gdb);
        return true;
    }
    if (!gdb_take_text(&packet, ";") || !gdb_take_hex(&packet, &pid) ||
        !gdb_process_of(gdb, (unsigned)pid)) {
        return false;
    }
    gdb->left_pid = (unsigned)pid;
    gdb->left_main = gdb_process_of(gdb, (unsigned)pid)->main;
    gdb_detach(gdb, (unsigned)pid);
    stand_without_processes(gdb);
    return true;
}

/* The one that a program was loaded for. */
static void attach_usual(struct gdb *gdb)
{
    struct gdb_process process;
    const unsigned end = gdb_pid(gdb_chips(gdb), 0, 0);
    for (uint64_t pid = gdb_pid(0, 0, 0); pid < end && gdb->processes == 0; pid++) {
        struct gdb_thread thread = {0};
        if (gdb_find_pid(gdb, pid, &process) && pid % 10 != 0 &&
            penrose_tile_kind(gdb_chip(gdb, process.chip), process.x, process.y) ==
                PENROSE_TILE_TENSIX) {
            thread = (struct gdb_thread){.pid = (unsigned)pid,
                                         .chip = process.chip,
                                         .x = process.x,
                                         .y = process.y,
                                         .hart = (enum penrose_hart)(pid % 10 - 1)};
            if (gdb_hart_state(gdb, &thread) != PENROSE_HART_HELD) {
                gdb_attach(gdb, pid);
            }
        }
    }
}

/* "vRun": the hart that the client has left last, or the usual one, from the beginning of the history
 * on. */
static void run_packet(struct gdb *gdb, struct gdb_text *answer)
{
    if (!gdb_process_of(gdb, gdb->left_pid) && !gdb_attach(gdb, gdb->left_pid)) {
        attach_usual(gdb);
    }
    struct gdb_thread thread = gdb->general;
    if (!thread.pid || !gdb_reverse_to_begin(gdb)) {
        gdb_put(answer, "E.there is no way back to the beginning");
        return;
    }
    gdb->is_held = true;
    gdb->event = (struct gdb_event){.thread = thread, .signal = GDB_SIGTRAP};
    gdb_put_event(answer, &gdb->event);
}

/* A client that has not chosen a process gets the usual one. */
static void why_stopped(struct gdb *gdb, struct gdb_text *answer)
{
    if (gdb->processes == 0 && !gdb->is_extended) {
        attach_usual(gdb);
    }
    if (!gdb->event.thread.pid) {
        gdb->event = (struct gdb_event){.thread = gdb->general, .signal = GDB_SIGTRAP};
    }
    gdb_put_event(answer, &gdb->event);
}

static bool is_alive(struct gdb *gdb, const char *packet)
{
    struct gdb_id id;
    struct gdb_thread thread, none = {0};
    return gdb_take_id(&packet, &id) && gdb_select(gdb, &id, &none, &thread);
}

/* --- Packets that begin with v --- */

static void put_result(struct gdb_text *answer, bool is_done)
{
    gdb_put(answer, "%s", is_done ? done : error_answer);
}

/* False: the chip goes on, and the answer comes when it stops. */
static bool v_packet(struct gdb *gdb, const char *packet, struct gdb_text *answer)
{
    if (gdb_take_text(&packet, "vCont?")) {
        gdb_put(answer, "vCont;c;C;s;S;t;r");
    } else if (gdb_take_text(&packet, "vCont")) {
        if (gdb->processes > 0 && gdb_resume(gdb, packet)) {
            return false;
        }
        gdb_put(answer, "%s", error_answer);
    } else if (gdb_take_text(&packet, "vAttach;")) {
        attach_packet(gdb, packet, answer);
    } else if (gdb_take_text(&packet, "vRun")) {
        run_packet(gdb, answer);
    } else if (gdb_take_text(&packet, "vKill")) {
        put_result(answer, detach_packet(gdb, packet));
    } else if (gdb_take_text(&packet, "vFile:")) {
        gdb_file_packet(gdb, packet, answer);
    }
    return true;
}

/* --- All packets --- */

static void point_packet(struct gdb *gdb, const char *packet, struct gdb_text *answer)
{
    struct penrose_error error = {0};
    if (gdb_point_packet(gdb, packet[0] == 'Z', packet + 1, &error)) {
        gdb_put(answer, "%s", done);
    } else {
        gdb_put(answer, "E.%s", error.text);
    }
}

/* Old packets that go on or step: "c", "s", "C05", "s1000". */
static bool old_resume(struct gdb *gdb, char what)
{
    return gdb->processes > 0 && gdb_resume(gdb, what == 's' || what == 'S' ? ";s" : ";c");
}

/* False: no answer now. */
static bool answer_packet(struct gdb *gdb, const char *packet, size_t size, struct gdb_text *answer)
{
    switch (packet[0]) {
    case '!':
        gdb->is_extended = true;
        gdb_put(answer, "%s", done);
        break;
    case '?':
        why_stopped(gdb, answer);
        break;
    case 'g':
        read_general(gdb, answer);
        break;
    case 'G':
        put_result(answer, write_general(gdb, packet + 1));
        break;
    case 'p':
        read_one_register(gdb, packet + 1, answer);
        break;
    case 'P':
        write_register_packet(gdb, packet + 1, answer);
        break;
    case 'm':
        read_memory(gdb, packet + 1, answer);
        break;
    case 'M':
        put_result(answer, write_memory(gdb, packet + 1));
        break;
    case 'X':
        put_result(answer, write_binary(gdb, packet + 1, packet + size));
        break;
    case 'H':
        put_result(answer, choose_thread(gdb, packet + 1));
        break;
    case 'T':
        put_result(answer, is_alive(gdb, packet + 1));
        break;
    case 'D':
        put_result(answer, detach_packet(gdb, packet + 1));
        break;
    case 'k':
        gdb_forget_client(gdb);
        stand_without_processes(gdb);
        return false;
    case 'Z':
    case 'z':
        point_packet(gdb, packet, answer);
        break;
    case 'b': /* bs, bc: back */
        if (packet[1] && strchr("sc", packet[1]) &&
            gdb_reverse_search(gdb, packet[1] == 's', true)) {
            return false;
        }
        gdb_put(answer, gdb->history ? "E01" : "");
        break;
    case 'c':
    case 'C':
    case 's':
    case 'S':
        if (old_resume(gdb, packet[0])) {
            return false;
        }
        gdb_put(answer, "%s", error_answer);
        break;
    case 'v':
        return v_packet(gdb, packet, answer);
    case 'q':
    case 'Q':
        gdb_query(gdb, packet, answer);
        break;
    default: /* an empty answer: it is not supported */
        break;
    }
    return true;
}

void gdb_command_packet(struct gdb *gdb, const char *packet, size_t size)
{
    struct gdb_text answer = {0};
    if (answer_packet(gdb, packet, size, &answer)) {
        gdb_send(gdb, &answer);
    }
    gdb_text_free(&answer);
}
