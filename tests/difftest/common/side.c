#include "side.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "transfer.h"

enum { HIGH_FD = 16, START_SECONDS = 60 };

extern char **environ;

/* --- Processes --- */

void side_init(struct side *side, const char *program, const char *library, const char *role,
               unsigned timeout)
{
    *side = (struct side){.program = program,
                          .library = library,
                          .role = role,
                          .timeout = timeout,
                          .requests = -1,
                          .answers = -1,
                          .messages = -1};
}

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

void side_stop(struct side *side)
{
    close_fd(&side->requests);
    close_fd(&side->answers);
    close_fd(&side->messages);
    if (side->pid > 0) {
        kill(side->pid, SIGKILL);
        while (waitpid(side->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    side->pid = 0;
}

/* A pipe whose ends no other worker inherits, away from the numbers that workers use. */
static bool make_pipe(int end[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC)) {
        end[0] = end[1] = -1;
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        end[i] = fcntl(low[i], F_DUPFD_CLOEXEC, HIGH_FD);
        close(low[i]);
    }
    return end[0] >= 0 && end[1] >= 0;
}

static bool spawn(struct side *side, int requests[2], int answers[2], int messages[2])
{
    char name[64], option[] = "--worker", library[4096];
    posix_spawn_file_actions_t actions;
    if (strlen(side->library) >= sizeof library || posix_spawn_file_actions_init(&actions)) {
        return false;
    }
    snprintf(name, sizeof name, "%s", side->program);
    strcpy(library, side->library);
    char *arguments[] = {name, option, library, NULL};
    bool ok = !posix_spawn_file_actions_adddup2(&actions, messages[1], STDOUT_FILENO) &&
              !posix_spawn_file_actions_adddup2(&actions, messages[1], STDERR_FILENO) &&
              !posix_spawn_file_actions_adddup2(&actions, requests[0], WORKER_REQUESTS) &&
              !posix_spawn_file_actions_adddup2(&actions, answers[1], WORKER_ANSWERS) &&
              !posix_spawn(&side->pid, "/proc/self/exe", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    side->pid = ok ? side->pid : 0;
    return ok;
}

/* --- Listening --- */

static void keep_text(struct side *side, const char *bytes, size_t size)
{
    size_t room = sizeof side->text - 1;
    if (size > room) {
        bytes += size - room;
        size = room;
    }
    if (side->length + size > room) {
        size_t drop = side->length + size - room;
        memmove(side->text, side->text + drop, side->length - drop);
        side->length -= drop;
    }
    memcpy(side->text + side->length, bytes, size);
    side->length += size;
    side->text[side->length] = '\0';
}

/* Reads what the library printed; false at its end. */
static bool read_messages(struct side *side)
{
    char bytes[1024];
    ssize_t got = read(side->messages, bytes, sizeof bytes);
    if (got > 0) {
        keep_text(side, bytes, (size_t)got);
    }
    return got > 0 || (got < 0 && errno == EINTR);
}

/* The last line that is not empty. */
static void last_line(const struct side *side, char message[MESSAGE_SIZE])
{
    size_t end = side->length;
    while (end && strchr("\n\r ", side->text[end - 1])) {
        end--;
    }
    size_t start = end;
    while (start && side->text[start - 1] != '\n') {
        start--;
    }
    size_t length = end - start < MESSAGE_SIZE - 1 ? end - start : MESSAGE_SIZE - 1;
    memcpy(message, side->text + start, length);
    message[length] = '\0';
}

/* What it said in all, in one line: a report of a fault has several. */
static void all_lines(const struct side *side, char message[MESSAGE_SIZE])
{
    size_t at = 0;
    for (size_t i = 0; i < side->length && at < MESSAGE_SIZE - 1; i++) {
        char c = side->text[i] == '\n' ? ' ' : side->text[i];
        if (c != ' ' || (at && message[at - 1] != ' ')) {
            message[at++] = c;
        }
    }
    message[at] = '\0';
}

static uint64_t deadline_in(unsigned seconds)
{
    return host_nanoseconds() + seconds * UINT64_C(1000000000);
}

/* Waits until an answer can be read. */
static enum ending listen_until(struct side *side, uint64_t deadline)
{
    for (;;) {
        struct pollfd poll_fds[2] = {{.fd = side->answers, .events = POLLIN},
                                     {.fd = side->messages, .events = POLLIN}};
        uint64_t now = host_nanoseconds();
        uint64_t left = deadline > now ? (deadline - now) / 1000000 : 0; /* milliseconds */
        if (!left) {
            return ENDED_SILENT;
        }
        int ready = poll(poll_fds, 2, left > 60000 ? 60000 : (int)left);
        if (ready > 0 && poll_fds[1].revents && !read_messages(side)) {
            close_fd(&side->messages); /* poll ignores it from now on */
        }
        if (ready > 0 && poll_fds[0].revents & POLLIN) {
            return ENDED;
        }
        if (ready > 0 && poll_fds[0].revents) {
            return ENDED_DEATH;
        }
    }
}

static enum ending read_answer(struct side *side, void *bytes, size_t size, uint64_t deadline)
{
    for (char *at = bytes; size;) {
        enum ending ending = listen_until(side, deadline);
        if (ending != ENDED) {
            return ending;
        }
        ssize_t got = read(side->answers, at, size);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return ENDED_DEATH;
        }
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return ENDED;
}

/* The worker is gone, or will be: says why. */
static enum ending explain_end(struct side *side, enum ending ending, char message[MESSAGE_SIZE])
{
    int status = 0;
    if (ending == ENDED_SILENT) {
        kill(side->pid, SIGKILL);
    }
    while (side->messages >= 0 && read_messages(side)) {
    }
    close_fd(&side->requests); /* a worker that waits for more ends by this */
    while (waitpid(side->pid, &status, 0) < 0 && errno == EINTR) {
    }
    side->pid = 0;
    last_line(side, message);
    if (ending == ENDED_SILENT) {
        snprintf(message, MESSAGE_SIZE, "no answer within %u seconds", side->timeout);
    } else if (!message[0] && WIFSIGNALED(status)) {
        snprintf(message, MESSAGE_SIZE, "killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else if (!message[0]) {
        snprintf(message, MESSAGE_SIZE, "exit code %d, without a message", WEXITSTATUS(status));
    }
    side_stop(side);
    return ending;
}

/* --- Starting --- */

bool side_open(struct side *side, char message[MESSAGE_SIZE])
{
    int requests[2] = {-1, -1}, answers[2] = {-1, -1}, messages[2] = {-1, -1};
    side_stop(side);
    side->length = 0;
    bool ok = make_pipe(requests) && make_pipe(answers) && make_pipe(messages) &&
              spawn(side, requests, answers, messages);
    close_fd(&requests[0]);
    close_fd(&answers[1]);
    close_fd(&messages[1]);
    side->requests = requests[1];
    side->answers = answers[0];
    side->messages = messages[0];
    if (!ok) {
        snprintf(message, MESSAGE_SIZE, "cannot start a worker: %s", strerror(errno));
        side_stop(side);
        return false;
    }
    struct answer_head head = {0};
    enum ending ending = read_answer(side, &head, sizeof head, deadline_in(START_SECONDS));
    if (ending != ENDED || head.magic != WORKER_MAGIC || head.status != WORKER_READY) {
        explain_end(side, ending == ENDED ? ENDED_DEATH : ending, message);
        return false;
    }
    side->requests_left = head.bytes;
    return true;
}

bool side_trouble(const struct side *side, const char *text, char trouble[MESSAGE_SIZE])
{
    snprintf(trouble, MESSAGE_SIZE, "%s (%s): %.300s", side->role, side->library, text);
    return false;
}

/* --- Runs --- */

bool side_start(struct side *side, const struct request *request, char message[MESSAGE_SIZE])
{
    message[0] = '\0';
    if ((!side->pid || !side->requests_left) && !side_open(side, message)) {
        return false;
    }
    side->length = 0;
    side->requests_left--;
    side->sent = host_nanoseconds();
    /* If it died, reading its answer will tell how. */
    write_all(side->requests, request->bytes, request->size);
    return true;
}

/* The head of the answer, then its parts. */
static enum ending read_parts(struct side *side, struct answer_head *head, const struct iovec *part,
                              unsigned parts)
{
    uint64_t deadline = deadline_in(side->timeout);
    size_t size = 0;
    for (unsigned i = 0; i < parts; i++) {
        size += part[i].iov_len;
    }
    enum ending ending = read_answer(side, head, sizeof *head, deadline);
    side->seconds = seconds_since(side->sent);
    if (ending == ENDED && (head->magic != WORKER_MAGIC || head->bytes != size)) {
        ending = ENDED_DEATH;
    }
    for (unsigned i = 0; ending == ENDED && i < parts; i++) {
        ending = read_answer(side, part[i].iov_base, part[i].iov_len, deadline);
    }
    return ending;
}

enum ending side_finish(struct side *side, const struct iovec *part, unsigned parts,
                        char message[MESSAGE_SIZE])
{
    struct answer_head head = {0};
    enum ending ending = read_parts(side, &head, part, parts);
    if (ending != ENDED) {
        return explain_end(side, ending, message);
    }
    struct pollfd fd = {.fd = side->messages, .events = POLLIN};
    while (side->messages >= 0 && poll(&fd, 1, 0) > 0 && read_messages(side)) {
    }
    if (head.status == WORKER_DONE) {
        last_line(side, message);
        return ENDED;
    }
    all_lines(side, message);
    side_stop(side); /* harts may still run, or the chip have stopped: the next run starts anew */
    return ENDED_NOT;
}
