/* Exceptions of clients end here, and ours begin: see abi/guard.h. */
#include "abi/guard.h"

#include <cxxabi.h>
#include <stdexcept>
#include <unwind.h>

template <typename Function, typename... Arguments>
static bool guarded(Function *function, Arguments... arguments)
{
    try {
        function(arguments...);
        return true;
    } catch (abi::__forced_unwind &) { /* the client cancels its thread: nobody may stop that */
        throw;
    } catch (...) {
        return false;
    }
}

bool guard_read(void (*read)(uint64_t paddr, void *p, uint32_t size), uint64_t paddr, void *p,
                uint32_t size)
{
    return guarded(read, paddr, p, size);
}

bool guard_write(void (*write)(uint64_t paddr, const void *p, uint32_t size), uint64_t paddr,
                 const void *p, uint32_t size)
{
    return guarded(write, paddr, p, size);
}

/* Has a caller something to do when an exception passes? C++ alone has. */
static _Unwind_Reason_Code look_at_caller(_Unwind_Context *context, void *found)
{
    bool is_own = _Unwind_GetRegionStart(context) == reinterpret_cast<_Unwind_Ptr>(guard_throw);
    if (is_own || _Unwind_GetLanguageSpecificData(context) == nullptr) {
        return _URC_NO_REASON;
    }
    *static_cast<bool *>(found) = true;
    return _URC_END_OF_STACK; /* no need to look further */
}

void guard_throw(const char *text)
{
    bool is_caught = false;
    _Unwind_Backtrace(look_at_caller, &is_caught);
    if (is_caught) {
        throw std::runtime_error(text);
    }
}
