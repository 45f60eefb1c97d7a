/* Errors as ttsim writes them, see error_line.h. */
#include "observe/error_line.h"

#include <string.h>

#include "arch/names.h"
#include "host/environment.h"
#include "isa/error.h"
#include "observe/report.h"
#include "observe/sink.h"

/* What ttsim calls such an error (TTSimErrorCategory of its common.h). No fault here is of its other
 * five categories: AssertionFailure, MissingSpecification, UntestedFunctionality, SystemError,
 * ConfigurationError. */
static const char *const category_of[PENROSE_FAULT_KINDS] = {
    [PENROSE_FAULT_ILLEGAL] = "UndefinedBehavior",
    [PENROSE_FAULT_STUB] = "UnsupportedFunctionality",
    [PENROSE_FAULT_UNIMPLEMENTED] = "UnimplementedFunctionality",
    [PENROSE_FAULT_FETCH] = "UndefinedBehavior",
    [PENROSE_FAULT_MISALIGNED] = "UndefinedBehavior",
    [PENROSE_FAULT_UNMAPPED] = "UndefinedBehavior",
    [PENROSE_FAULT_READ_ONLY] = "UndefinedBehavior",
    [PENROSE_FAULT_NARROW] = "UndefinedBehavior",
    [PENROSE_FAULT_ATOMIC] = "UndefinedBehavior",
    [PENROSE_FAULT_CSR] = "UndefinedBehavior",
    [PENROSE_FAULT_VECTOR] = "UndefinedBehavior",
    [PENROSE_FAULT_MRET] = "UndefinedBehavior",
    [PENROSE_FAULT_TENSIX_ILLEGAL] = "UndefinedBehavior",
    [PENROSE_FAULT_TENSIX_UNDEFINED] = "UndefinedBehavior",
    [PENROSE_FAULT_TENSIX_EXPANSION] = "UndefinedBehavior",
    [PENROSE_FAULT_TENSIX_SEMAPHORE] = "NonContractualBehavior",
    [PENROSE_FAULT_TENSIX_MUTEX] = "NonContractualBehavior",
    [PENROSE_FAULT_CONFIG_RACE] = "UnpredictableValueUsed",
    [PENROSE_FAULT_VECTOR_HAZARD] = "UnpredictableValueUsed",
    [PENROSE_FAULT_MOP_RACE] = "UnpredictableValueUsed",
    [PENROSE_FAULT_NOC_ADDRESS] = "UndefinedBehavior",
    [PENROSE_FAULT_NOC_ALIGNMENT] = "UndefinedBehavior",
    [PENROSE_FAULT_NOC_LENGTH] = "UndefinedBehavior",
    [PENROSE_FAULT_NOC_COMMAND] = "UndefinedBehavior",
    [PENROSE_FAULT_NOC_INLINE] = "UndefinedBehavior",
    [PENROSE_FAULT_NOC_ACCUMULATE] = "UnsupportedFunctionality",
    [PENROSE_FAULT_NOC_MULTICAST] = "UndefinedBehavior",
    [PENROSE_FAULT_NOC_CREDIT] = "UndefinedBehavior",
    [PENROSE_FAULT_NOC_BUSY] = "UndefinedBehavior",
    [PENROSE_FAULT_NOC_HELD] = "UndefinedBehavior",
    [PENROSE_FAULT_NOC_LINKED] = "UndefinedBehavior",
    [PENROSE_FAULT_ETHERNET] = "UndefinedBehavior",
    [PENROSE_FAULT_HANG] = "UndefinedBehavior",
    [PENROSE_FAULT_TENSIX_DOUBTFUL] = "NonContractualBehavior",
    [PENROSE_FAULT_GPR_HAZARD] = "UnpredictableValueUsed",
    [PENROSE_FAULT_NULL_ACCESS] = "UndefinedBehavior",
    [PENROSE_FAULT_CB_ACCESS] = "UndefinedBehavior",
    [PENROSE_FAULT_CB_FORMAT] = "UndefinedBehavior",
    [PENROSE_FAULT_CB_COUNT] = "UndefinedBehavior",
    [PENROSE_FAULT_NOC_OPEN] = "UndefinedBehavior",
    [PENROSE_FAULT_NOC_ORDER] = "UndefinedBehavior",
    [PENROSE_FAULT_NOC_COUNT] = "UndefinedBehavior",
    [PENROSE_FAULT_STALE_LOAD] = "UndefinedBehavior",
    [PENROSE_FAULT_NOC_SOURCE] = "UndefinedBehavior",
    [PENROSE_FAULT_CODE_OVERWRITTEN] = "UndefinedBehavior",
    [PENROSE_FAULT_STACK_OVERFLOW] = "UndefinedBehavior",
    [PENROSE_FAULT_RETURN_ADDRESS] = "UndefinedBehavior",
    [PENROSE_FAULT_ARGUMENT_RANGE] = "UndefinedBehavior",
    [PENROSE_FAULT_OUT_OF_BOUNDS] = "UndefinedBehavior",
    [PENROSE_FAULT_UNDEFINED_DATA] = "UnpredictableValueUsed",
    [PENROSE_FAULT_NOC_UNWAITED] = "UndefinedBehavior",
    [PENROSE_FAULT_RACE_DST] = "UndefinedBehavior",
    [PENROSE_FAULT_RACE_L1] = "UndefinedBehavior",
    [PENROSE_FAULT_RACE_OPEN] = "UndefinedBehavior",
    [PENROSE_FAULT_CONFIG_LEAK] = "UndefinedBehavior",
    [PENROSE_FAULT_CONFIG_UNSET] = "UndefinedBehavior",
    [PENROSE_FAULT_DST_SECTION] = "UndefinedBehavior",
    [PENROSE_FAULT_RACE_STATE] = "UndefinedBehavior",
};

int error_line_format(const struct penrose_fault *fault, char *text, size_t size)
{
    struct sink sink = {.text = text, .size = size};
    char report[2048];
    const char *name = arch_fault_name(fault->kind), *details = report + strlen(name) + 2;
    report_fault_format(fault, report, sizeof report);
    sink_put(&sink, "[%llu] ERROR: %s: ", (unsigned long long)fault->cycle,
             category_of[fault->kind]);
    for (const char *at = name; *at; at++) { /* a function is one word */
        sink_put(&sink, "%c", *at == '-' ? '_' : *at);
    }
    sink_put(&sink, ": %.*s", (int)strcspn(details, "\n"), details);
    return sink.length;
}

static const char variable[] = "PENROSE_ERROR_STYLE", ttsim[] = "ttsim", penrose[] = "penrose";

bool error_line_wanted(const struct penrose_fault *fault)
{
    const char *style = host_variable(variable);
    if (fault->policy != PENROSE_STOP || (style && strcmp(style, penrose) == 0)) {
        return false;
    }
    /* LLK's plugin of pytest sets LLK_HOME, after it has opened the library; pytest sets the other
     * while a test runs. */
    return (style && strcmp(style, ttsim) == 0) ||
           (host_variable("LLK_HOME") && host_variable("PYTEST_CURRENT_TEST"));
}

enum penrose_status error_line_check(struct penrose_error *error)
{
    const char *style = host_variable(variable);
    return !style || strcmp(style, ttsim) == 0 || strcmp(style, penrose) == 0
               ? PENROSE_OK
               : error_set(error, PENROSE_E_ARGUMENT,
                           "'%.40s' is no style of errors; choose penrose or ttsim", style);
}
