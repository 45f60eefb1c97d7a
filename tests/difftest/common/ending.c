#include "ending.h"

enum verdict ending_judge(enum ending ours, enum ending reference)
{
    if (reference == ENDED_DEATH || reference == ENDED_SILENT) {
        return VERDICT_REFUSED;
    }
    if (reference == ENDED_NOT && ours == ENDED_NOT) {
        return VERDICT_ENDLESS;
    }
    return ours == reference ? VERDICT_SAME : VERDICT_DIFFERENT;
}

void ending_print(enum ending ending, const char *role, const char *message, FILE *to)
{
    static const char *const texts[] = {
        [ENDED] = "ended",
        [ENDED_NOT] = "did not come to an end",
        [ENDED_DEATH] = "ended its process",
        [ENDED_SILENT] = "had to be killed",
        [ENDED_NEVER_STARTED] = "could not be started",
    };
    fprintf(to, "# %s %s", role, texts[ending]);
    if (message[0]) {
        fprintf(to, ": %s", message);
    }
    fputc('\n', to);
}
