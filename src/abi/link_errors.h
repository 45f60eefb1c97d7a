/* PENROSE_LINK_ERRORS: what goes wrong on links, and what came of it. */
#ifndef ABI_LINK_ERRORS_H
#define ABI_LINK_ERRORS_H

struct machine;

/* Lets things go wrong as the environment says; links have been plugged before. */
void link_errors_start(struct machine *machine);

/* Call when time has passed: reports links that have gone away or come back. */
void link_errors_look(struct machine *machine);

/* Reports what each of these links has come to. */
void link_errors_end(struct machine *machine);

#endif
