/*
 * Makes tensix_run_<token> of the handlers of one unit: see exec.h. A file defines
 * TENSIX_RUNS_<unit>(token) for its unit and includes this once; no include guard on purpose.
 */
#ifndef TENSIX_RUNS_FRONTEND
#define TENSIX_RUNS_FRONTEND(token)
#endif
#ifndef TENSIX_RUNS_SYNC
#define TENSIX_RUNS_SYNC(token)
#endif
#ifndef TENSIX_RUNS_MATRIX
#define TENSIX_RUNS_MATRIX(token)
#endif
#ifndef TENSIX_RUNS_VECTOR
#define TENSIX_RUNS_VECTOR(token)
#endif
#ifndef TENSIX_RUNS_UNPACK
#define TENSIX_RUNS_UNPACK(token)
#endif
#ifndef TENSIX_RUNS_PACK
#define TENSIX_RUNS_PACK(token)
#endif
#ifndef TENSIX_RUNS_SCALAR
#define TENSIX_RUNS_SCALAR(token)
#endif
#ifndef TENSIX_RUNS_CONFIG
#define TENSIX_RUNS_CONFIG(token)
#endif
#ifndef TENSIX_RUNS_MOVER
#define TENSIX_RUNS_MOVER(token)
#endif
#ifndef TENSIX_RUNS_MISC
#define TENSIX_RUNS_MISC(token)
#endif

#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    TENSIX_RUNS_##unit(token)
#define STUB(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)
#include "tensix.def"

#undef TENSIX_RUNS_FRONTEND
#undef TENSIX_RUNS_SYNC
#undef TENSIX_RUNS_MATRIX
#undef TENSIX_RUNS_VECTOR
#undef TENSIX_RUNS_UNPACK
#undef TENSIX_RUNS_PACK
#undef TENSIX_RUNS_SCALAR
#undef TENSIX_RUNS_CONFIG
#undef TENSIX_RUNS_MOVER
#undef TENSIX_RUNS_MISC
