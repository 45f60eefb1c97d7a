#include "side.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "data.h"
#include "epilogue.h"
#include "model.h"
#include "worker.h"

#define SOFT_RESET    UINT64_C(0xffb121b0)
#define TRISC_PC      UINT64_C(0xffb12228) /* T0, T1, T2, then which of them are used */
#define TRISC_PC_USED 7

enum { HOLD = 0x47800, HIGH_FD = 16, START_SECONDS = 60 };

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
    char name[] = "difftest-tensix", option[] = "--worker";
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
    side->tiles_left = head.bytes;
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

struct buffer {
    uint8_t *bytes;
    size_t size, room;
    uint32_t operations;
    bool ok;
};

static void append(struct buffer *buffer, const void *bytes, size_t size)
{
    if (buffer->size + size > buffer->room) {
        size_t room = 2 * (buffer->size + size) + 4096;
        uint8_t *larger = realloc(buffer->bytes, room);
        if (!larger) {
            buffer->ok = false;
            return;
        }
        buffer->bytes = larger;
        buffer->room = room;
    }
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
}

static void operation(struct buffer *buffer, enum operation_kind kind, uint64_t address,
                      uint32_t size, uint32_t value)
{
    struct operation operation = {.kind = kind, .size = size, .value = value, .address = address};
    append(buffer, &operation, sizeof operation);
    buffer->operations++;
}

static void write_word(struct buffer *buffer, uint64_t address, uint32_t word)
{
    operation(buffer, OPERATION_WRITE, address, sizeof word, 0);
    append(buffer, &word, sizeof word);
}

/* What STEP_FILLs put into L1. */
static void write_fills(struct buffer *buffer, const struct program *program)
{
    for (uint32_t i = 0; i < program->steps; i++) {
        const struct step *step = &program->step[i];
        struct data_place place = data_place_of(step->word);
        uint8_t *bytes = step->kind == STEP_FILL && place.bytes ? malloc(place.bytes) : NULL;
        if (bytes) {
            data_fill(step, bytes);
            operation(buffer, OPERATION_WRITE, place.address, place.bytes, 0);
            append(buffer, bytes, place.bytes);
            free(bytes);
        } else if (step->kind == STEP_FILL && place.bytes) {
            buffer->ok = false;
        }
    }
}

static void make_request(struct buffer *buffer, const struct image *image)
{
    struct request_head head = {.magic = WORKER_MAGIC};
    append(buffer, &head, sizeof head);
    write_word(buffer, SOFT_RESET, HOLD);
    for (unsigned agent = 0; agent < GUEST_AGENTS; agent++) {
        const struct code *code = &image->code[agent];
        if (code->words) {
            operation(buffer, OPERATION_WRITE, guest_code_address(agent), 4 * code->words, 0);
            append(buffer, code->word, 4 * code->words);
        }
    }
    write_fills(buffer, image->program);
    for (unsigned thread = 0; thread < THREADS; thread++) {
        write_word(buffer, TRISC_PC + 4 * thread, guest_code_address(thread));
    }
    write_word(buffer, TRISC_PC + 4 * THREADS, TRISC_PC_USED);
    write_word(buffer, SOFT_RESET, image->release);
    operation(buffer, OPERATION_POLL, GUEST_FLAGS, image->clocks, GUEST_FLAG_UP);
    write_word(buffer, SOFT_RESET, HOLD);
    operation(buffer, OPERATION_READ, GUEST_DUMP, 4 * image->dump_words, 0);
    if (image->program->scene) {
        struct epilogue_region region = epilogue_region(image->program);
        operation(buffer, OPERATION_READ, region.address, region.bytes, 0);
    }
    if (buffer->ok) {
        head.operations = buffer->operations;
        head.bytes = (uint32_t)(buffer->size - sizeof head);
        memcpy(buffer->bytes, &head, sizeof head);
    }
}

static bool send_request(struct side *side, const struct buffer *buffer)
{
    size_t at = 0;
    while (at < buffer->size) {
        ssize_t put = write(side->requests, buffer->bytes + at, buffer->size - at);
        if (put < 0 && errno != EINTR) {
            return false; /* it died; reading its answer will tell how */
        }
        at += put > 0 ? (size_t)put : 0;
    }
    return true;
}

bool side_start(struct side *side, const struct image *image, struct outcome *outcome)
{
    struct buffer buffer = {.ok = true};
    outcome->message[0] = '\0';
    if ((!side->pid || !side->tiles_left) && !start_worker(side, outcome)) {
        return false;
    }
    side->length = 0;
    side->tiles_left--;
    make_request(&buffer, image);
    bool ok = buffer.ok;
    if (ok) {
        send_request(side, &buffer);
    } else {
        outcome->ending = ENDED_NEVER_STARTED;
        snprintf(outcome->message, sizeof outcome->message, "out of memory");
    }
    free(buffer.bytes);
    return ok;
}

static enum ending read_scene(struct side *side, const struct program *program,
                              struct outcome *outcome, int64_t deadline)
{
    uint32_t rows[SCENE_DST_BYTES / 4];
    if (!program->vector) {
        return read_answer(side, outcome->scene, 4 * outcome->scene_words, deadline);
    }
    enum ending ending = read_answer(side, rows, sizeof rows, deadline);
    if (ending == ENDED) {
        epilogue_vector_order(rows, outcome->scene);
    }
    return ending;
}

void side_finish(struct side *side, const struct image *image, const struct state_map *map,
                 struct outcome *outcome)
{
    int64_t deadline = milliseconds() + (int64_t)side->timeout * 1000;
    struct answer_head head = {0};
    uint32_t log_words = image->dump_words - map->probes;
    uint32_t scene_words = epilogue_region(image->program).bytes / 4;
    memset(outcome->dump, 0, sizeof outcome->dump);
    memset(outcome->log, 0, sizeof outcome->log);
    memcpy(outcome->logs, image->logs, sizeof outcome->logs);
    enum ending ending = read_answer(side, &head, sizeof head, deadline);
    if (ending == ENDED &&
        (head.magic != WORKER_MAGIC || head.bytes != 4 * (image->dump_words + scene_words))) {
        ending = ENDED_DEATH;
    }
    if (ending == ENDED) {
        ending = read_answer(side, outcome->dump, 4 * map->probes, deadline);
    }
    if (ending == ENDED && log_words) {
        ending = read_answer(side, outcome->log, 4 * log_words, deadline);
    }
    outcome->scene_words = scene_words;
    if (ending == ENDED && scene_words) {
        ending = read_scene(side, image->program, outcome, deadline);
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
        side_stop(side); /* a library may have stopped the whole chip: the next run starts anew */
    }
}
