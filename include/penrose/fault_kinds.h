/*
 * The kinds of guest fault, one row each.
 *
 * PENROSE_FAULT_KIND(token, name, policy, rule)
 *   name    as options and reports spell it
 *   policy  what happens unless the user says otherwise: STOP, WARN or IGNORE
 *   rule    what the guest must not do, in words
 *
 * Include with PENROSE_FAULT_KIND defined; no include guard on purpose.
 */
/* A row is a line. */
/* clang-format off */
PENROSE_FAULT_KIND(ILLEGAL, "illegal-instruction", STOP, "a word that is no instruction of this core was executed")
PENROSE_FAULT_KIND(STUB, "unsupported-instruction", STOP, "an instruction that the hardware does not have was executed")
PENROSE_FAULT_KIND(UNIMPLEMENTED, "unimplemented", STOP, "the guest used hardware that this version of Penrose does not model yet")
PENROSE_FAULT_KIND(FETCH, "bad-fetch", STOP, "instructions are fetched from L1, at multiples of four")
PENROSE_FAULT_KIND(MISALIGNED, "misaligned-access", STOP, "loads and stores must be aligned to their size")
PENROSE_FAULT_KIND(UNMAPPED, "unmapped-address", STOP, "nothing answers at the address")
PENROSE_FAULT_KIND(READ_ONLY, "read-only-address", STOP, "the address cannot be written")
PENROSE_FAULT_KIND(NARROW, "narrow-access", STOP, "the place takes accesses of another size only, mostly of 32 bits")
PENROSE_FAULT_KIND(ATOMIC, "atomic-outside-l1", STOP, "atomic instructions reach only L1")
PENROSE_FAULT_KIND(CSR, "bad-csr", STOP, "the CSR does not exist or cannot be written here")
PENROSE_FAULT_KIND(VECTOR, "bad-vector-state", STOP, "vtype or a register group does not fit the vector instruction")
PENROSE_FAULT_KIND(MRET, "mret-outside-handler", STOP, "mret returns from an interrupt handler")
PENROSE_FAULT_KIND(TENSIX_ILLEGAL, "illegal-tensix-instruction", STOP, "a word that is no Tensix instruction was pushed")
PENROSE_FAULT_KIND(TENSIX_UNDEFINED, "undefined-operands", STOP, "the ISA leaves undefined what a Tensix instruction does with these operands")
PENROSE_FAULT_KIND(TENSIX_EXPANSION, "bad-expansion", STOP, "MOP and REPLAY expand only what the stages behind them take")
PENROSE_FAULT_KIND(TENSIX_SEMAPHORE, "semaphore-range", WARN, "a semaphore counts from 0 to 15 and saturates there")
PENROSE_FAULT_KIND(TENSIX_MUTEX, "mutex-not-held", WARN, "a mutex is released by the thread that holds it")
PENROSE_FAULT_KIND(CONFIG_RACE, "config-race", WARN, "configuration must not change while a unit that uses it may be at work")
PENROSE_FAULT_KIND(VECTOR_HAZARD, "vector-hazard", WARN, "the Vector Unit must not read a result in the cycle before it is there, where nothing makes it wait")
PENROSE_FAULT_KIND(MOP_RACE, "mop-config-race", WARN, "the MOP configuration must not change while a MOP is queued or expanding")
PENROSE_FAULT_KIND(NOC_ADDRESS, "noc-address", STOP, "a NoC request goes to a tile and an address that answer")
PENROSE_FAULT_KIND(NOC_ALIGNMENT, "noc-alignment", STOP, "source and destination of a NoC transfer must be aligned alike")
PENROSE_FAULT_KIND(NOC_LENGTH, "noc-length", STOP, "a NoC request moves what its two ends can take at once")
PENROSE_FAULT_KIND(NOC_COMMAND, "noc-command", STOP, "the hardware does not define a NoC request with these flags")
PENROSE_FAULT_KIND(NOC_INLINE, "noc-inline-l1", STOP, "inline writes of Blackhole's NoC must not go to L1")
PENROSE_FAULT_KIND(NOC_ACCUMULATE, "noc-accumulate", STOP, "accumulating NoC writes do not work on Blackhole")
PENROSE_FAULT_KIND(NOC_MULTICAST, "noc-multicast", STOP, "a multicast must reach a tile, or nobody ever answers")
PENROSE_FAULT_KIND(NOC_CREDIT, "noc-credit", WARN, "a response goes to the NIU that waits for it")
PENROSE_FAULT_KIND(NOC_BUSY, "noc-busy-buffer", WARN, "registers of a request initiator must not change before bit 0 of its NOC_CMD_CTRL is clear")
PENROSE_FAULT_KIND(NOC_HELD, "noc-held-tile", STOP, "a tile that is fused off or whose clock is off answers nothing")
PENROSE_FAULT_KIND(NOC_LINKED, "noc-linked", STOP, "the requests of a linked transaction go to one destination on one virtual channel, and the last of them ends it")
PENROSE_FAULT_KIND(ETHERNET, "bad-frame", WARN, "what arrives over Ethernet must fit where it goes")
PENROSE_FAULT_KIND(HANG, "hardware-hang", STOP, "the hardware would wait for ever")
PENROSE_FAULT_KIND(TENSIX_DOUBTFUL, "doubtful-instruction", WARN, "software cannot rely on what the hardware does with this Tensix instruction")
PENROSE_FAULT_KIND(GPR_HAZARD, "gpr-hazard", WARN, "a GPR must not be read before the result that an earlier instruction has requested for it is there")
PENROSE_FAULT_KIND(NULL_ACCESS, "null-access", WARN, "a program has data in the first 16 bytes of L1, where null pointers lead, only if an object of its own is there")
PENROSE_FAULT_KIND(NOC_UNWAITED, "noc-unwaited", WARN, "data of a NoC read are used behind a barrier that has waited for them; found by the check noc")
PENROSE_FAULT_KIND(NOC_SOURCE, "noc-source", WARN, "what a NoC write sends changes only behind a barrier or flush that has waited for it to leave; found by the check noc")
PENROSE_FAULT_KIND(NOC_OPEN, "noc-open", WARN, "a kernel waits for its NoC requests before it ends; found by the check noc")
PENROSE_FAULT_KIND(CB_COUNT, "cb-count", WARN, "pages of a circular buffer are pushed into room that was reserved, and popped after they were waited for; found by the check cb")
PENROSE_FAULT_KIND(CB_ACCESS, "cb-access", WARN, "pages of a circular buffer are written between cb_reserve_back and cb_push_back, and read between cb_wait_front and cb_pop_front; found by the check cb")
PENROSE_FAULT_KIND(RACE_DST, "race-dst", WARN, "a unit uses rows of Dst behind a wait for the unit that has used them before; found by the check races")
PENROSE_FAULT_KIND(RACE_L1, "race-l1", WARN, "what the packer writes and unpackers read is used, pushed or popped behind a wait for them; found by the check races")
PENROSE_FAULT_KIND(RACE_OPEN, "race-open", WARN, "posts of semaphores and banks of Src that kernels give they also take; found by the check races")
PENROSE_FAULT_KIND(CODE_OVERWRITTEN, "code-overwritten", WARN, "a program does not write where code of a loaded program lies; found by the check memory")
PENROSE_FAULT_KIND(STACK_OVERFLOW, "stack-overflow", WARN, "a stack ends before the data below it, and before its memory does; found by the check memory")
PENROSE_FAULT_KIND(RETURN_ADDRESS, "return-address", WARN, "only the function that has saved its return address on the stack changes it; found by the check memory")
PENROSE_FAULT_KIND(ARGUMENT_RANGE, "argument-range", WARN, "a kernel reads arguments that its launch has; found by the check memory")
PENROSE_FAULT_KIND(UNDEFINED_DATA, "undefined-data", WARN, "nothing depends on data that nobody has written; found by the check uninit")
/* clang-format on */
