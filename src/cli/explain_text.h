/* What `penrose explain` says of one writer and one input. */
#ifndef CLI_EXPLAIN_TEXT_H
#define CLI_EXPLAIN_TEXT_H

#include "observe/history/writers.h"

/* Has an input been what it is since the beginning, in both runs? */
bool explain_is_from_beginning(const struct writers_source *a, const struct writers_source *b);

/* What is known of an input from memory; b NULL: of the dumps alone. */
void explain_memory(const struct writers_source *a, const struct writers_source *b, bool is_number,
                    bool differs_at_end, char *text, size_t size);

/* "packer, thread 2, in cycle 812: PACR 0" */
void explain_writer(const struct writers_record *record, char *text, size_t size);

/* "at pc 0x00006a10 in pack, pack.h:140, pushed by trisc2"; "": the event has no place. */
void explain_place(const struct observed *event, const char *symbol, const char *source,
                   const char *calls, char *text, size_t size);

#endif
