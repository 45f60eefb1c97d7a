/* What users say through environment variables. */
#ifndef HOST_ENVIRONMENT_H
#define HOST_ENVIRONMENT_H

/* A variable's value, which lives until the environment changes; NULL where it is not set, or empty.
 * Not while another thread changes the environment. */
const char *host_variable(const char *name);

#endif
