/* Exceptions of clients end here, see abi/guard.h. */
#include "abi/guard.h"

#include <cxxabi.h>

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
