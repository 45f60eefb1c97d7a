/* The file of a journal, for journal.c. */
#ifndef OBSERVE_JOURNAL_FILE_H
#define OBSERVE_JOURNAL_FILE_H

#include "observe/journal.h"

/* Writes what is left and the end; false when not all could be written. */
bool journal_file_close(struct journal *journal);

#endif
