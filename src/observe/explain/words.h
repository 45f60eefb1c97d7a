/* Texts about one writer and one input. */
#ifndef OBSERVE_EXPLAIN_WORDS_H
#define OBSERVE_EXPLAIN_WORDS_H

#include "observe/explain/explain.h"

/* Has an input been what it is since the beginning, in both runs? */
bool words_from_beginning(const struct writers_source *a, const struct writers_source *b);

/* What is known of an input from memory; b NULL: of the dumps alone. */
void words_of_memory(const struct writers_source *a, const struct writers_source *b, bool is_number,
                     bool differs_at_end, char *text, size_t size);

/* "packer, thread 2, in cycle 812: PACR 0" */
void words_of_writer(const struct writers_record *record, char *text, size_t size);

/* "at pc 0x00006a10 in pack, pack.h:140, pushed by trisc2"; "": the event has no place. */
void words_of_place(const struct explain_writer *writer, char *text, size_t size);

/* What a packer did not wait for; false: nothing. */
bool words_of_race(const struct explain_writer *writer, char *text, size_t size);

/* Describes a read of a value that was not there yet. False: there was none. */
bool words_of_early_read(const struct explain_writer *writer, char *text, size_t size);

#endif
