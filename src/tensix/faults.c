/* Guest faults of the coprocessor. */
#include <stdarg.h>
#include <stdio.h>

#include "tensix/exec.h"

enum { NAME_BYTES = 120 };

static enum tensix_exec report_tensix_fault(struct tensix *tensix, unsigned thread, uint32_t word,
                                            enum penrose_fault_kind kind, const char *format,
                                            va_list arguments)
{
    struct tensix_fault fault = {
        .kind = kind,
        .thread = thread,
        .cycle = tensix->now,
        .word = word,
        .origin = tensix->thread[thread].origin,
    };
    vsnprintf(fault.text, sizeof fault.text, format, arguments);
    if (!tensix->board->fault(tensix->owner, &fault)) {
        return TENSIX_DONE;
    }
    tensix->stopped = TENSIX_FAULTED;
    tensix->outcome.holds = true;
    return TENSIX_STOP;
}

enum tensix_exec tensix_fault(struct tensix *tensix, unsigned thread, enum penrose_fault_kind kind,
                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    enum tensix_exec result =
        report_tensix_fault(tensix, thread, tensix->thread[thread].next, kind, format, arguments);
    va_end(arguments);
    return result;
}

enum tensix_exec tensix_fault_of(struct tensix *tensix, unsigned thread, uint32_t word,
                                 enum penrose_fault_kind kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    enum tensix_exec result = report_tensix_fault(tensix, thread, word, kind, format, arguments);
    va_end(arguments);
    return result;
}

/* The instruction in words, cut where it is long. */
static void name_of_word(uint32_t word, char name[NAME_BYTES])
{
    tensix_disassemble(word, name, NAME_BYTES);
}

enum tensix_exec tensix_exec_stub(struct tensix *tensix, unsigned thread, uint32_t word)
{
    char name[NAME_BYTES];
    name_of_word(word, name);
    return tensix_fault(tensix, thread, PENROSE_FAULT_UNIMPLEMENTED,
                        "%s: no public source says what it does; remove it", name);
}

/* MOP, MOP_CFG, REPLAY and RESOURCEDECL behind the stage that knows them. */
enum tensix_exec tensix_exec_misplaced(struct tensix *tensix, unsigned thread, uint32_t word)
{
    char name[NAME_BYTES];
    enum replay_result judged = replay_judge(word);
    name_of_word(word, name);
    return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_EXPANSION,
                        "%s reached the wait gate: %s", name,
                        judged != REPLAY_OK ? replay_rule(judged)
                                            : "a TRISC must push it, outside of MOP and REPLAY");
}
