/* qemu-riscv32: the image as an ELF executable in memory, its output in another memory file. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"

enum { HEADER_BYTES = 4096, SEGMENTS = 3 };

static const char cpu_model[] = "rv32,zba=true,zbb=true,zbkb=true,v=false";

/* --- The ELF file --- */

struct segment {
    uint32_t address;
    const void *bytes;
    uint32_t size, memory_size;
};

struct header {
    Elf32_Ehdr file;
    Elf32_Phdr segment[SEGMENTS];
};

static uint32_t whole_pages(uint32_t bytes)
{
    return (bytes + HEADER_BYTES - 1) & ~(uint32_t)(HEADER_BYTES - 1);
}

static bool write_all(int file, const void *bytes, size_t size, off_t at)
{
    const char *from = bytes;
    while (size) {
        ssize_t done = pwrite(file, from, size, at);
        if (done < 0) {
            return false;
        }
        from += done;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

static bool write_elf(int file, const struct image *image)
{
    const struct segment segment[SEGMENTS] = {
        {CODE_ADDRESS, image->code, 4 * image->words, 4 * image->words},
        {WINDOW_ADDRESS, image->window, WINDOW_BYTES, WINDOW_BYTES + LOG_BYTES},
        {LOCAL_ADDRESS, image->local, LOCAL_BYTES, LOCAL_BYTES},
    };
    struct header header = {
        .file = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
                             EV_CURRENT},
                 .e_type = ET_EXEC,
                 .e_machine = EM_RISCV,
                 .e_version = EV_CURRENT,
                 .e_entry = CODE_ADDRESS,
                 .e_phoff = sizeof(Elf32_Ehdr),
                 .e_ehsize = sizeof(Elf32_Ehdr),
                 .e_phentsize = sizeof(Elf32_Phdr),
                 .e_phnum = SEGMENTS},
    };
    uint32_t offset = HEADER_BYTES;
    bool ok = true;
    for (unsigned i = 0; i < SEGMENTS; i++) {
        header.segment[i] = (Elf32_Phdr){.p_type = PT_LOAD,
                                         .p_offset = offset,
                                         .p_vaddr = segment[i].address,
                                         .p_paddr = segment[i].address,
                                         .p_filesz = segment[i].size,
                                         .p_memsz = segment[i].memory_size,
                                         .p_flags = PF_R | PF_W | PF_X,
                                         .p_align = HEADER_BYTES};
        ok = ok && write_all(file, segment[i].bytes, segment[i].size, offset);
        offset += whole_pages(segment[i].size);
    }
    return ok && write_all(file, &header, sizeof header, 0) && !ftruncate(file, offset);
}

/* --- The process --- */

static void limit(int resource, rlim_t most)
{
    const struct rlimit value = {most, most};
    setrlimit((__rlimit_resource_t)resource, &value);
}

/* In the child: becomes qemu. Exit code 127: it cannot be run. */
static void become_qemu(const struct qemu *qemu, int executable, int output)
{
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", executable);
    limit(RLIMIT_CPU, qemu->cpu_seconds);
    limit(RLIMIT_CORE, 0);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        (qemu->quiet && dup2(nothing, STDERR_FILENO) < 0)) {
        _exit(127);
    }
    execlp(qemu->path, qemu->path, "-cpu", cpu_model, name, (char *)NULL);
    _exit(127);
}

bool qemu_start(struct qemu *qemu, const struct image *image)
{
    int executable = memfd_create("penrose-difftest-program", 0);
    qemu->output = memfd_create("penrose-difftest-output", 0);
    qemu->child = -1;
    if (executable >= 0 && qemu->output >= 0 && !fchmod(executable, 0700) &&
        write_elf(executable, image)) {
        qemu->child = fork();
        if (!qemu->child) {
            become_qemu(qemu, executable, qemu->output);
        }
    }
    if (executable >= 0) {
        close(executable);
    }
    if (qemu->child < 0 && qemu->output >= 0) {
        close(qemu->output);
    }
    return qemu->child > 0;
}

static bool read_all(int file, void *bytes, size_t size, off_t at)
{
    char *to = bytes;
    while (size) {
        ssize_t done = pread(file, to, size, at);
        if (done <= 0) {
            return false;
        }
        to += done;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return status;
}

void qemu_finish(struct qemu *qemu, const struct image *image, struct outcome *outcome)
{
    int status = wait_for(qemu->child);
    uint32_t l1_bytes = WINDOW_BYTES + image->log_bytes;
    outcome->ending = ENDED_BADLY;
    outcome->l1_words = l1_bytes / 4;
    if (WIFSIGNALED(status)) {
        snprintf(outcome->detail, sizeof outcome->detail, "signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status)) {
        snprintf(outcome->detail, sizeof outcome->detail, "exit code %d", WEXITSTATUS(status));
    } else if (!read_all(qemu->output, outcome->l1, l1_bytes, 0) ||
               !read_all(qemu->output, outcome->local, LOCAL_BYTES, l1_bytes)) {
        snprintf(outcome->detail, sizeof outcome->detail, "its output is short");
    } else {
        outcome->ending = ENDED;
    }
    close(qemu->output);
}

void qemu_kill(struct qemu *qemu)
{
    kill(qemu->child, SIGKILL);
}

bool qemu_works(struct qemu *qemu)
{
    pid_t child = fork();
    if (!child) {
        int nothing = open("/dev/null", O_RDWR);
        if (nothing < 0 || dup2(nothing, STDOUT_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0) {
            _exit(127);
        }
        execlp(qemu->path, qemu->path, "--version", (char *)NULL);
        _exit(127);
    }
    int status = child > 0 ? wait_for(child) : -1;
    return WIFEXITED(status) && !WEXITSTATUS(status);
}
