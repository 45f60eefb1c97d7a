/*
 * Auto TTSync: the resources that instructions of a thread use, as RESOURCEDECL declares them by
 * class. tensix_must_wait (tensix.h) uses this.
 *
 * SPEC: BlackholeA0 AutoTTSync. YAML: RESOURCEDECL in LLK's instructions/assembly.yaml of
 * Blackhole.
 */
#ifndef TENSIX_AUTO_TTSYNC_H
#define TENSIX_AUTO_TTSYNC_H

#include <stdint.h>

#include "tensix/tensix.h"

/*
 * What a class uses: the layout of tensix_thread.declared and of the resources operand of
 * RESOURCEDECL (YAML). The three parts of Config are those of the state that CFG_STATE_ID selects,
 * and say nothing where neither TENSIX_READS_CONFIG nor TENSIX_WRITES_CONFIG is set.
 */
enum tensix_use {
    TENSIX_READS_CONFIG = 1 << 0,
    TENSIX_WRITES_CONFIG = 1 << 1,
    TENSIX_USES_UNPACKER0 = 1 << 2, /* the part of Config that applies to unpacker 0 */
    TENSIX_USES_UNPACKER1 = 1 << 3,
    TENSIX_USES_REMAINDER = 1 << 4,
    TENSIX_READS_GPRS = 1 << 5,
    TENSIX_WRITES_GPRS = 1 << 6,
    TENSIX_READS_TDMA = 1 << 7,
    TENSIX_WRITES_TDMA = 1 << 8,

    TENSIX_USES_PARTS = TENSIX_USES_UNPACKER0 | TENSIX_USES_UNPACKER1 | TENSIX_USES_REMAINDER,
};

/* Executes a RESOURCEDECL of the thread. GUESS: its linger_time, during which the gate stays shut
 * after an access of the hart that an instruction had to wait for, has no effect here. */
void tensix_declare(struct tensix *tensix, unsigned thread, uint32_t word);

/* The declarations of a thread that has executed no RESOURCEDECL. */
void tensix_declare_defaults(struct tensix_thread *thread);

#endif
