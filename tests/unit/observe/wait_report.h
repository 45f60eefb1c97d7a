/* Chips whose harts wait, and the report of that, for tests of what it says. */
#ifndef WAIT_REPORT_H
#define WAIT_REPORT_H

#include <penrose/penrose.h>

#include "chip/chip.h"
#include "unit/chip/chip_program.h"
#include "unit/test.h"

enum { CODE = 0x1000, WAIT_REPORT_BYTES = 65536 };
#define NIU(noc) (UINT32_C(0xffb20000) + ((uint32_t)(noc) << 16))
#define AT(x, y) ((uint32_t)(x) | (uint32_t)(y) << 6)
enum { READ = 0, ATOMIC = 1, WRITE = 2, RESPONSE = 16, MULTICAST = 32, LINKED = 64 };

struct penrose_chip *wait_chip(void);
enum penrose_outcome wait_pass(struct penrose_chip *chip, uint64_t cycles);

/* The latest report, and that there is a line in it, or none. */
extern char wait_text[WAIT_REPORT_BYTES];
void wait_make_report(struct penrose_chip *chip);
bool wait_matches(const char *pattern);
unsigned wait_count_lines(void);
#define has(pattern)   ck_assert_msg(wait_matches(pattern), "no /%s/ in:\n%s", pattern, wait_text)
#define lacks(pattern) ck_assert_msg(!wait_matches(pattern), "/%s/ in:\n%s", pattern, wait_text)

void wait_set_register(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t address,
                       uint32_t value);

/* What command buffer 0 of (1, 2) asks for; a hart gives the command. */
void wait_prepare_request(struct penrose_chip *chip, unsigned noc, uint32_t target,
                          uint32_t target_tile, uint32_t back, uint32_t back_tile, uint32_t ctrl,
                          uint32_t length, uint32_t tag);

#endif
