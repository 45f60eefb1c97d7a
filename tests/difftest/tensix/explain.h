/*
 * What is behind a difference of programs of the Vector Unit: the first instruction after which the
 * sides differ, with its operands. Everything such a program changes is seen at its end, so that
 * the instruction is found by cutting the program short, without shrinking.
 */
#ifndef DIFFTEST_TENSIX_EXPLAIN_H
#define DIFFTEST_TENSIX_EXPLAIN_H

#include "campaign.h"

/* Prints the instruction and lanes that differ. Returns its word; 0 when the difference is gone. */
uint32_t vector_explain(struct bench *bench, const struct program *program, FILE *to);

/* Runs `programs` programs on, past those that differ; explains the first of each row and mode and
 * counts the others. False: trouble, or some differ. */
bool vector_survey(const struct campaign *campaign, uint64_t programs, FILE *to);

#endif
