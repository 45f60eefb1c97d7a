/* What stopped a session's run, for people: on stderr, at once. */
#ifndef CLI_SESSION_EXPLAIN_H
#define CLI_SESSION_EXPLAIN_H

#include "cli/session.h"

/* Tells why a run that ended with `exit` has not reached its goal: faults, or who waits for what. */
void session_explain(struct session *session, const struct goal *goal, enum cli_exit exit);

/* Tells faults that did not stop the run, once. */
void session_explain_warnings(struct session *session);

/* Lists the registers and fields that were used and are not modelled. */
void session_list_unmodelled(struct session *session);

#endif
