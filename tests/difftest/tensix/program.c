#include "program.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

void program_init(struct program *program)
{
    *program = (struct program){.ok = true};
}

void program_free(struct program *program)
{
    free(program->step);
    *program = (struct program){.ok = true};
}

void program_add(struct program *program, struct step step)
{
    if (program->steps == program->room) {
        uint32_t room = program->room ? 2 * program->room : FIRST_ROOM;
        struct step *larger = realloc(program->step, room * sizeof *larger);
        if (!larger) {
            program->ok = false;
            return;
        }
        program->step = larger;
        program->room = room;
    }
    program->step[program->steps++] = step;
}

bool program_copy(struct program *to, const struct program *from)
{
    *to = *from;
    to->room = from->steps ? from->steps : 1;
    to->step = malloc(to->room * sizeof *to->step);
    if (!to->step) {
        *to = (struct program){.ok = false};
        return false;
    }
    if (from->steps) {
        memcpy(to->step, from->step, from->steps * sizeof *to->step);
    }
    return true;
}
