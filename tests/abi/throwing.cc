/* See throwing.h. */
#include "abi/throwing.h"

#include <cstdio>
#include <stdexcept>

void throwing_read(uint64_t, void *, uint32_t)
{
    throw std::runtime_error("read of host memory that is not there");
}

void throwing_write(uint64_t, const void *, uint32_t size)
{
    throw size; /* anything can be thrown */
}

template <typename Call> static void catching(Call call, char *text, size_t size)
{
    try {
        call();
        *text = '\0';
    } catch (const std::exception &error) {
        std::snprintf(text, size, "%s", error.what());
    }
}

void catching_clock(void (*clock)(uint32_t), char *text, size_t size)
{
    catching([=] { clock(1); }, text, size);
}

void catching_init(void (*init)(void), char *text, size_t size)
{
    catching(init, text, size);
}
