/* The socket of the GDB server, and packets over it. One client is served, others are told so. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "isa/error.h"
#include "isa/plain_text.h"
#include "observe/gdb/internal.h"

enum { BACKLOG = 4, SEND_MS = 10000 };

/* --- Listening --- */

static enum penrose_status refuse_address(const char *address, struct penrose_error *error)
{
    return error_set(error, PENROSE_E_ARGUMENT,
                     "'%.100s' is no address for GDB; write PORT, HOST:PORT or unix:PATH, with "
                     ",nowait behind it where the run shall not wait for GDB",
                     address);
}

static enum penrose_status listen_at(struct gdb *gdb, const struct sockaddr *at, socklen_t size,
                                     const char *address, struct penrose_error *error)
{
    int yes = 1;
    gdb->listener = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (gdb->listener >= 0) {
        setsockopt(gdb->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    }
    if (gdb->listener < 0 || bind(gdb->listener, at, size) || listen(gdb->listener, BACKLOG)) {
        bool is_taken = errno == EADDRINUSE;
        return error_set(error, PENROSE_E_FILE, "GDB cannot be waited for at '%.100s': %s%s",
                         address, strerror(errno),
                         is_taken ? " (by another chip or process; port 0 takes any that is free)"
                                  : "");
    }
    return PENROSE_OK;
}

/* Removes a socket that a process has left behind, to which nobody listens, and nothing else. */
static void remove_stale(const struct sockaddr_un *at)
{
    struct stat state;
    bool is_socket = lstat(at->sun_path, &state) == 0 && S_ISSOCK(state.st_mode);
    int probe = is_socket ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (probe >= 0) {
        if (connect(probe, (const struct sockaddr *)at, sizeof *at) && errno == ECONNREFUSED) {
            unlink(at->sun_path);
        }
        close(probe);
    }
}

static enum penrose_status listen_unix(struct gdb *gdb, const char *path, const char *address,
                                       struct penrose_error *error)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (!*path || strlen(path) >= sizeof at.sun_path) {
        return refuse_address(address, error);
    }
    strcpy(at.sun_path, path);
    remove_stale(&at);
    enum penrose_status status =
        listen_at(gdb, (const struct sockaddr *)&at, sizeof at, address, error);
    if (status == PENROSE_OK) {
        gdb->unix_path = lstat(path, &gdb->unix_socket) == 0 ? strdup(path) : NULL;
        snprintf(gdb->command, sizeof gdb->command, "target extended-remote %.100s", path);
    }
    return status;
}

/* The port that was taken, where any would do. */
static unsigned taken_port(const struct gdb *gdb)
{
    struct sockaddr_storage at;
    socklen_t size = sizeof at;
    if (getsockname(gdb->listener, (struct sockaddr *)&at, &size)) {
        return 0;
    }
    return ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
                                          : ((struct sockaddr_in *)&at)->sin_port);
}

static enum penrose_status listen_tcp(struct gdb *gdb, char *host, const char *port,
                                      const char *address, struct penrose_error *error)
{
    struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char *end;
    unsigned long number = strtoul(port, &end, 10);
    if (*port < '0' || *port > '9' || *end || number > UINT16_MAX) {
        return refuse_address(address, error);
    }
    size_t length = strlen(host);
    if (length > 1 && host[0] == '[' && host[length - 1] == ']') { /* IPv6 */
        host[length - 1] = '\0';
        host++;
    }
    int problem = getaddrinfo(*host ? host : "127.0.0.1", port, &hints, &found);
    if (problem) {
        return error_set(error, PENROSE_E_ARGUMENT, "GDB cannot be waited for at '%.100s': %s",
                         address, gai_strerror(problem));
    }
    enum penrose_status status = listen_at(gdb, found->ai_addr, found->ai_addrlen, address, error);
    freeaddrinfo(found);
    snprintf(gdb->command, sizeof gdb->command, "target extended-remote %.100s:%u",
             *host ? host : "127.0.0.1", status == PENROSE_OK ? taken_port(gdb) : 0);
    return status;
}

enum penrose_status gdb_listen(struct gdb *gdb, const char *address, struct penrose_error *error)
{
    static const char option[] = ",nowait", prefix[] = "unix:";
    char text[256];
    size_t length = strlen(address);
    if (length >= sizeof text) {
        return refuse_address(address, error);
    }
    strcpy(text, address);
    gdb->waits = true;
    if (length >= strlen(option) && strcmp(text + length - strlen(option), option) == 0) {
        gdb->waits = false;
        text[length - strlen(option)] = '\0';
    }
    if (strncmp(text, prefix, strlen(prefix)) == 0) {
        return listen_unix(gdb, text + strlen(prefix), address, error);
    }
    char *colon = strrchr(text, ':'), none[] = "";
    if (colon) {
        *colon = '\0';
    }
    return listen_tcp(gdb, colon ? text : none, colon ? colon + 1 : text, address, error);
}

void gdb_close(struct gdb *gdb)
{
    gdb_drop_client(gdb);
    if (gdb->listener >= 0) {
        close(gdb->listener);
        gdb->listener = -1;
    }
    if (gdb->unix_path) {
        struct stat now; /* somebody may have put something else there */
        if (lstat(gdb->unix_path, &now) == 0 && now.st_ino == gdb->unix_socket.st_ino &&
            now.st_dev == gdb->unix_socket.st_dev) {
            unlink(gdb->unix_path);
        }
        free(gdb->unix_path);
        gdb->unix_path = NULL;
    }
}

/* --- The client --- */

void gdb_drop_client(struct gdb *gdb)
{
    if (gdb->client >= 0) {
        close(gdb->client);
        gdb->client = -1;
    }
}

/* Waits a moment for what another client says; false: nothing, or it has gone. */
static bool hear_other(int client)
{
    enum { PATIENCE_MS = 200 };
    char ignored[1024];
    struct pollfd ready = {.fd = client, .events = POLLIN};
    return poll(&ready, 1, PATIENCE_MS) > 0 && recv(client, ignored, sizeof ignored, 0) > 0;
}

/* GDB shows this answer to its first packet, if it can send that before: an acknowledgement, and the packet. */
static void refuse_client(int client)
{
    static const char text[] = "E.Penrose serves another GDB already; end that one first";
    struct gdb_text frame = {0};
    gdb_put(&frame, "+");
    gdb_put_packet(&frame, text, strlen(text));
    if (hear_other(client)) {
        hear_other(client);
    }
    if (!frame.is_lost) {
        (void)!send(client, frame.data, frame.size, MSG_NOSIGNAL | MSG_DONTWAIT);
        hear_other(client);
    }
    gdb_text_free(&frame);
    close(client);
}

static void take_client(struct gdb *gdb, int client)
{
    gdb->client = client;
    gdb->input_at = gdb->input_size = 0;
    gdb->reader->state = GDB_OUTSIDE;
    gdb->has_no_acks = gdb->has_swbreak = gdb->is_extended = false;
    gdb->is_held = true;
    gdb_text_clear(&gdb->frame);
    gdb_text_clear(&gdb->console);
}

/* Has the client hung up, though it has left packets behind that nobody has read? */
static bool has_hung_up(const struct gdb *gdb, short how)
{
    struct pollfd state = {.fd = gdb->client, .events = how};
    return poll(&state, 1, 0) > 0 && state.revents & (how | POLLHUP | POLLERR);
}

bool gdb_is_replaced(const struct gdb *gdb)
{
    struct pollfd other = {.fd = gdb->listener, .events = POLLIN};
    return gdb->client >= 0 && !gdb->is_held && poll(&other, 1, 0) > 0 &&
           has_hung_up(gdb, POLLRDHUP);
}

void gdb_accept(struct gdb *gdb, bool wait)
{
    struct pollfd ready = {.fd = gdb->listener, .events = POLLIN};
    while (poll(&ready, 1, wait ? -1 : 0) < 0 && errno == EINTR) {
    }
    int client = accept4(gdb->listener, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0) {
        return;
    }
    if (gdb->client >= 0) {
        refuse_client(client);
    } else {
        take_client(gdb, client);
    }
}

/* Waits for the client so long (and refuses others meanwhile); false: nothing has come. */
static bool wait_for_input(struct gdb *gdb, int milliseconds)
{
    for (;;) {
        struct pollfd ready[2] = {{.fd = gdb->client, .events = POLLIN},
                                  {.fd = gdb->listener, .events = POLLIN}};
        int count = poll(ready, 2, milliseconds);
        if (count > 0 && ready[1].revents) {
            gdb_accept(gdb, false);
        }
        if (count == 0 || (count > 0 && ready[0].revents) || (count < 0 && errno != EINTR)) {
            return count > 0;
        }
    }
}

/* More bytes of it; false: it has gone. */
static bool fill_input(struct gdb *gdb)
{
    ssize_t size = recv(gdb->client, gdb->input, sizeof gdb->input, 0);
    gdb->input_at = 0;
    gdb->input_size = size > 0 ? (size_t)size : 0;
    return size > 0 || (size < 0 && (errno == EINTR || errno == EAGAIN));
}

/* All of it, for as long as the client takes it. */
static void send_bytes(struct gdb *gdb, const char *bytes, size_t size)
{
    while (size > 0 && gdb->client >= 0) {
        ssize_t sent = send(gdb->client, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            bytes += sent;
            size -= (size_t)sent;
            continue;
        }
        struct pollfd ready = {.fd = gdb->client, .events = POLLOUT};
        bool is_full = sent < 0 && (errno == EAGAIN || errno == EINTR);
        if (!is_full || poll(&ready, 1, SEND_MS) == 0) {
            shutdown(gdb->client, SHUT_RDWR); /* the next look finds that it has gone */
            return;
        }
    }
}

/* An acknowledgement, where the client wants them. */
static void acknowledge(struct gdb *gdb, enum gdb_input input)
{
    if (!gdb->has_no_acks && (input == GDB_INPUT_PACKET || input == GDB_INPUT_DAMAGED)) {
        send_bytes(gdb, input == GDB_INPUT_PACKET ? "+" : "-", 1);
    }
}

bool gdb_receive(struct gdb *gdb, int milliseconds, enum gdb_input *input)
{
    *input = GDB_INPUT_NOTHING;
    while (*input == GDB_INPUT_NOTHING) {
        if (gdb->input_at == gdb->input_size) {
            if (!wait_for_input(gdb, milliseconds)) {
                return milliseconds >= 0;
            }
            if (!fill_input(gdb)) {
                return false;
            }
            continue;
        }
        *input = gdb_reader_take(gdb->reader, gdb->input[gdb->input_at++]);
        if (*input == GDB_INPUT_AGAIN && !gdb->has_no_acks && gdb->frame.size > 0) {
            send_bytes(gdb, gdb->frame.data, gdb->frame.size);
            *input = GDB_INPUT_NOTHING;
        }
    }
    acknowledge(gdb, *input);
    return true;
}

bool gdb_receive_interrupt(struct gdb *gdb, enum gdb_input *input)
{
    *input = GDB_INPUT_NOTHING;
    if (has_hung_up(gdb, 0)) {
        return false;
    }
    do {
        if (gdb->input_at == gdb->input_size) {
            if (!wait_for_input(gdb, 0)) {
                return true;
            }
            if (!fill_input(gdb)) {
                return false;
            }
        } else if (gdb->input[gdb->input_at] != '$') {
            *input = gdb_reader_take(gdb->reader, gdb->input[gdb->input_at++]);
        }
    } while (*input != GDB_INPUT_INTERRUPT &&
             (gdb->input_at == gdb->input_size || gdb->input[gdb->input_at] != '$'));
    return true;
}

void gdb_send(struct gdb *gdb, const struct gdb_text *payload)
{
    static const char no_memory[] = "E.no memory for the answer";
    gdb_text_clear(&gdb->frame);
    gdb_put_packet(&gdb->frame, payload->size > 0 ? payload->data : "", payload->size);
    if (payload->is_lost || gdb->frame.is_lost) {
        gdb_text_free(&gdb->frame);
        gdb_put_packet(&gdb->frame, no_memory, strlen(no_memory));
    }
    if (!gdb->frame.is_lost) {
        send_bytes(gdb, gdb->frame.data, gdb->frame.size);
    }
}

void gdb_send_console(struct gdb *gdb, const char *text)
{
    enum { PIECE = 1024 };
    size_t size = strlen(text);
    char *plain = strdup(text); /* GDB shows it on a terminal */
    if (!plain) {
        return;
    }
    plain_text(plain, size);
    for (size_t at = 0; at < size; at += PIECE) {
        struct gdb_text payload = {0};
        gdb_put(&payload, "O");
        gdb_put_hex(&payload, plain + at, size - at < PIECE ? size - at : PIECE);
        gdb_send(gdb, &payload);
        gdb_text_free(&payload);
    }
    free(plain);
}
