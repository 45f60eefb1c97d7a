/* Environment variables, see host/environment.h. */
#include "host/environment.h"

#include <stdlib.h>

const char *host_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}
