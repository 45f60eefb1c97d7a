#include "side.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "worker.h"

enum { HIGH_FD = 16, START_SECONDS = 60 };

extern char **environ;

/* --- Processes --- */

void side_init(struct side *side, const char *library, const char *role, unsigned timeout)
{
    *side = (struct side){.library = library,
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
    char name[] = "difftest-noc", option[] = "--worker";
    char library[4096];
    posix_spawn_file_actions_t actions;
    if (strlen(side->library) >= sizeof library || posix_spawn_file_actions_init(&actions)) {
        return false;
    }
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

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits until an answer can be read. */
static enum ending listen_until(struct side *side, int64_t deadline)
{
    for (;;) {
        struct pollfd poll_fds[2] = {{.fd = side->answers, .events = POLLIN},
                                     {.fd = side->messages, .events = POLLIN}};
        int64_t left = deadline - milliseconds();
        int ready = left > 0 ? poll(poll_fds, 2, left > 60000 ? 60000 : (int)left) : 0;
        if (left <= 0) {
            return ENDED_SILENT;
        }
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

static enum ending read_answer(struct side *side, void *bytes, size_t size, int64_t deadline)
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

/* The worker is gone, or will be: fills in why. */
static void explain_end(struct side *side, enum ending ending, struct outcome *outcome)
{
    int status = 0;
    outcome->ending = ending;
    if (ending == ENDED_SILENT) {
        kill(side->pid, SIGKILL);
    }
    while (side->messages >= 0 && read_messages(side)) {
    }
    close_fd(&side->requests); /* a worker that waits for more ends by this */
    while (waitpid(side->pid, &status, 0) < 0 && errno == EINTR) {
    }
    side->pid = 0;
    last_line(side, outcome->message);
    if (ending == ENDED_SILENT) {
        snprintf(outcome->message, sizeof outcome->message, "no answer within %u seconds",
                 side->timeout);
    } else if (!outcome->message[0] && WIFSIGNALED(status)) {
        snprintf(outcome->message, sizeof outcome->message, "killed by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else if (!outcome->message[0]) {
        snprintf(outcome->message, sizeof outcome->message, "exit code %d, without a message",
                 WEXITSTATUS(status));
    }
    side_stop(side);
}

/* --- Starting --- */

static bool start_worker(struct side *side, struct outcome *outcome)
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
    outcome->ending = ENDED_NEVER_STARTED;
    if (!ok) {
        snprintf(outcome->message, sizeof outcome->message, "cannot start a worker: %s",
                 strerror(errno));
        side_stop(side);
        return false;
    }
    struct answer_head head = {0};
    enum ending ending =
        read_answer(side, &head, sizeof head, milliseconds() + START_SECONDS * 1000);
    if (ending != ENDED || head.magic != WORKER_MAGIC || head.status != ANSWER_READY) {
        explain_end(side, ending == ENDED ? ENDED_DEATH : ending, outcome);
        outcome->ending = ENDED_NEVER_STARTED;
        return false;
    }
    return true;
}

bool side_works(struct side *side, char message[MESSAGE_SIZE])
{
    struct outcome *outcome = calloc(1, sizeof *outcome);
    bool ok = outcome && start_worker(side, outcome);
    if (!ok) {
        snprintf(message, MESSAGE_SIZE, "%s", outcome ? outcome->message : "out of memory");
    }
    free(outcome);
    return ok;
}

/* --- Runs --- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void send_request(struct side *side, const struct image *image)
{
    size_t at = 0;
    while (at < image->size) {
        ssize_t put = write(side->requests, image->request + at, image->size - at);
        if (put < 0 && errno != EINTR) {
            return; /* it died; reading its answer will tell how */
        }
        at += put > 0 ? (size_t)put : 0;
    }
}

static bool make_room(struct outcome *outcome, size_t size)
{
    if (outcome->room < size) {
        uint8_t *larger = realloc(outcome->answer, size);
        outcome->answer = larger ? larger : outcome->answer;
        outcome->room = larger ? size : outcome->room;
    }
    return outcome->room >= size;
}

bool side_start(struct side *side, const struct image *image, struct outcome *outcome)
{
    outcome->message[0] = '\0';
    outcome->ending = ENDED_NEVER_STARTED;
    if (!make_room(outcome, image->answer)) {
        snprintf(outcome->message, sizeof outcome->message, "out of memory");
        return false;
    }
    memset(outcome->answer, 0, image->answer);
    if (!side->pid && !start_worker(side, outcome)) {
        return false;
    }
    side->length = 0;
    side->sent = seconds();
    send_request(side, image);
    return true;
}

void side_finish(struct side *side, const struct image *image, struct outcome *outcome)
{
    int64_t deadline = milliseconds() + (int64_t)side->timeout * 1000;
    struct answer_head head = {0};
    enum ending ending = read_answer(side, &head, sizeof head, deadline);
    if (ending == ENDED && (head.magic != WORKER_MAGIC || head.bytes != image->answer)) {
        ending = ENDED_DEATH;
    }
    outcome->seconds = seconds() - side->sent;
    if (ending == ENDED) {
        ending = read_answer(side, outcome->answer, image->answer, deadline);
    }
    if (ending != ENDED) {
        explain_end(side, ending, outcome);
        return;
    }
    outcome->ending = head.status == ANSWER_DONE ? ENDED : ENDED_NOT;
    struct pollfd fd = {.fd = side->messages, .events = POLLIN};
    while (side->messages >= 0 && poll(&fd, 1, 0) > 0 && read_messages(side)) {
    }
    last_line(side, outcome->message);
    if (outcome->ending == ENDED_NOT) {
        all_lines(side, outcome->message);
        side_stop(side); /* harts may still run: the next program starts anew */
    }
}
