/* The processors of the host. */
#ifndef HOST_PROCESSORS_H
#define HOST_PROCESSORS_H

/* How many processors this process may keep busy, from 1 to `most`: those of its affinity mask, and
 * no more than the CPU bandwidth that its control groups (version 2) allow, rounded up. Any thread
 * may call it; it reads files of the host. */
unsigned host_processors(unsigned most);

/* How many the text of a control group's cpu.max allows, "QUOTA PERIOD" in microseconds, rounded
 * up; 0 where it sets no limit ("max PERIOD") or is not understood. */
unsigned host_quota(const char *text);

#endif
