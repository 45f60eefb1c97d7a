/*
 * See child.h. A child reports a failed execvp through a pipe that a successful one closes, so that
 * "not found" is told from a program that ends with the same code.
 */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/output.h"

/* What the child does between fork and exec. */
struct start {
    char *const *argv;
    const struct child_variable *variable;
    unsigned count;
    int output;           /* becomes stdout and stderr, with no input; -1: all as in the parent */
    bool leads_group;     /* so that all that it starts can be ended */
    const sigset_t *mask; /* NULL: as in the parent */
};

__attribute__((noreturn)) static void become(const struct start *start, int report)
{
    for (unsigned i = 0; i < start->count; i++) {
        const struct child_variable *variable = &start->variable[i];
        if (variable->value) {
            setenv(variable->name, variable->value, 1);
        } else {
            unsetenv(variable->name);
        }
    }
    if (start->leads_group) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a signal may end this process meanwhile */
    }
    if (start->output >= 0) {
        int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        dup2(nothing, STDIN_FILENO);
        dup2(start->output, STDOUT_FILENO);
        dup2(start->output, STDERR_FILENO);
    }
    if (start->mask) {
        sigprocmask(SIG_SETMASK, start->mask, NULL);
    }
    execvp(start->argv[0], start->argv);
    int error = errno;
    while (write(report, &error, sizeof error) < 0 && errno == EINTR) {
    }
    _exit(127);
}

static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* The child, which runs its program; or -1 and errno. */
static pid_t spawn(const struct start *start)
{
    int report[2], error = 0;
    if (pipe2(report, O_CLOEXEC) != 0) {
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        become(start, report[1]);
    }
    close(report[1]);
    if (pid < 0) {
        error = errno;
    } else {
        ssize_t got;
        while ((got = read(report[0], &error, sizeof error)) < 0 && errno == EINTR) {
        }
        error = got == (ssize_t)sizeof error ? error : 0;
        if (error) {
            wait_for(pid);
        }
    }
    close(report[0]);
    errno = error;
    return error ? -1 : pid;
}

static struct child_result result_of(int status)
{
    if (WIFSIGNALED(status)) {
        return (struct child_result){CHILD_KILLED, WTERMSIG(status)};
    }
    return (struct child_result){CHILD_EXITED, WEXITSTATUS(status)};
}

/* --- A child whose output is wanted --- */

/* Reads until the end, or until the time is over: false. */
static bool read_output(int fd, double deadline, char *text, size_t size)
{
    size_t length = 0;
    char rest[512];
    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        double left = deadline - host_milliseconds();
        if (left <= 0) {
            text[length] = 0;
            return false;
        }
        if (poll(&wait, 1, (int)left + 1) <= 0) {
            continue;
        }
        bool is_full = length + 1 >= size;
        ssize_t got =
            is_full ? read(fd, rest, sizeof rest) : read(fd, text + length, size - 1 - length);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            text[length] = 0;
            return true;
        }
        length += got > 0 && !is_full ? (size_t)got : 0;
    }
}

struct child_result child_capture(char *const argv[], const struct child_variable *variable,
                                  unsigned count, unsigned seconds, char *text, size_t size)
{
    int output[2];
    text[0] = 0;
    if (pipe2(output, O_CLOEXEC) != 0) {
        return (struct child_result){CHILD_FAILED, errno};
    }
    struct start start = {argv, variable, count, output[1], true, NULL};
    pid_t pid = spawn(&start);
    int error = errno;
    close(output[1]);
    if (pid < 0) {
        close(output[0]);
        return (struct child_result){CHILD_FAILED, error};
    }
    bool in_time = read_output(output[0], host_milliseconds() + 1e3 * seconds, text, size);
    close(output[0]);
    if (!in_time) {
        kill(-pid, SIGKILL);
        kill(pid, SIGKILL); /* it may not lead its group yet */
    }
    int status = wait_for(pid);
    return in_time ? result_of(status) : (struct child_result){CHILD_LATE, 0};
}

/* --- A child that this process stands in for --- */

/* Those that somebody may send to end or to steer a program. */
static const int passed_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT};

static struct child_result pass_signals(pid_t pid, const sigset_t *set)
{
    for (;;) {
        siginfo_t info;
        int signal = sigwaitinfo(set, &info), status;
        if (signal == SIGCHLD && waitpid(pid, &status, WNOHANG) == pid) {
            return result_of(status);
        }
        /* What comes from the terminal, comes to all of its foreground processes. */
        if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL) {
            kill(pid, signal);
        }
    }
}

struct child_result child_stand_in(char *const argv[], const struct child_variable *variable,
                                   unsigned count)
{
    sigset_t set, before;
    signal(SIGCHLD, SIG_DFL); /* it may be ignored, and then never comes */
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (unsigned i = 0; i < sizeof passed_signals / sizeof passed_signals[0]; i++) {
        sigaddset(&set, passed_signals[i]);
    }
    sigprocmask(SIG_BLOCK, &set, &before);
    struct start start = {argv, variable, count, -1, false, &before};
    pid_t pid = spawn(&start);
    struct child_result result = {CHILD_FAILED, errno};
    if (pid > 0) {
        result = pass_signals(pid, &set);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return result;
}
