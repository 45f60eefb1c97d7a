#!/bin/bash
# The check `races` on what harts and threads share: pairs of a kernel with one mistake, which is named at its
# line, and of its repaired twin, of which nothing is said.
#
#   PENROSE_CASES   a regular expression: only cases whose name matches it
#
# SKIP without the firmware (scripts/fetch-firmware), the RISC-V cross compiler, and Python's numpy.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.bash" || exit 1
# shellcheck source=tests/checks/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# pair NAME KIND LINE TEXT PROGRAM FILE MISTAKE REPAIR: two sed scripts for FILE; see `finds`.
pair() {
    finds "$1" "$2" "$3" "$4" "$5" "$6" "$7"
    clean "$1, repaired" "$5" "$6" "$8"
}

# before LINE TEXT...: as behind, in front of it.
before() {
    local line=$1 lines=
    shift
    for text; do
        lines+="\\\\1$text\\n"
    done
    printf '%s' "s|^( *)$line.*|${lines//\\\\/\\}&|"
}

end_of_math='half = math_end\(half\);' end_of_pack='half = pack_end\(half\);'
pack_begins='pack_begin\(\);' pop='cb_pop_unpacked\(INPUT_A, 1\);'

# --- MOP and replay memory ---

mop_done='MOP_EXPANDER_DONE = 0; consume(MOP_EXPANDER_DONE);'
pair "the MOP configuration is rewritten under a MOP" mop-config-race 'MOP_CONFIG\(0\) = 1' \
    'word 0 of the MOP configuration while (a MOP is queued|the MOP of ELWADD of trisc1 .* mop_sync\(\) is missing)' \
    add trisc.c "$(before "$end_of_math" 'MOP_CONFIG(0) = 1;')" \
    "$(before "$end_of_math" "$mop_done" 'MOP_CONFIG(0) = 1;')"
pair "the MOP configuration is rewritten behind a MOP" mop-config-race 'MOP_CONFIG\(0\) = ' \
    'word 0 of the MOP configuration while (a MOP is queued|the MOP of PACR of trisc2 .* mop_sync\(\) is missing)' \
    add trisc.c "$(behind "$end_of_pack" 'MOP_CONFIG(0) = FACES;')" \
    "$(behind "$end_of_pack" "$mop_done" 'MOP_CONFIG(0) = FACES;')"

# --- GPRs of harts ---

pair "a store to a GPR that WRCFG may not have read" gpr-hazard 'GPR\(GPR_HALF1\) = ' \
    'a store changes GPR 8, which WRCFG of trisc2 .* may not have read yet; tensix_sync\(\) is missing' \
    add trisc.c "$(behind "$end_of_pack" 'GPR(GPR_HALF1) = DST_HALF_ROWS;')" \
    "$(behind "$end_of_pack" 'tensix_wait();' 'gpr_write(GPR_HALF1, DST_HALF_ROWS);')"
add_gpr='PUSH(ADDDMAREG, .right_is_imm = 1, .right = 1, .result_reg = 62, .left_reg = 60);'
pair "a store to a GPR that may not have arrived" gpr-hazard 'ADDDMAREG' \
    'ADDDMAREG reads GPR 60, and the store of trisc2 .* may not have arrived; a load of the GPR' \
    add trisc.c "$(before "$end_of_pack" 'tensix_wait();' 'GPR(60) = 1;' "$add_gpr")" \
    "$(before "$end_of_pack" 'tensix_wait();' 'gpr_write(60, 1);' "$add_gpr")"
set_gpr='PUSH(SETDMAREG_IMM, .new_value = 1, .result_half_reg = 120);'
pair "a load of a GPR that is not set yet" gpr-hazard 'consume\(GPR\(60\)\)' \
    'a load reads GPR 60, which SETDMAREG of trisc2 .* may not have written yet; tensix_sync\(\) is missing' \
    add trisc.c "$(before "$end_of_pack" "$set_gpr" 'consume(GPR(60));')" \
    "$(before "$end_of_pack" "$set_gpr" 'tensix_wait();' 'consume(GPR(60));')"
load='gpr_set(61, 0x10000); PUSH(LOADIND, .size = 1, .result_reg = 60, .addr_reg = 61);'
pair "a store to a GPR that a load still writes" gpr-hazard 'GPR\(60\) = 1' \
    'a store changes GPR 60, for which the result of LOADIND of trisc2 .* may come later' \
    add trisc.c "$(before "$end_of_pack" "$load" 'GPR(60) = 1;')" \
    "$(before "$end_of_pack" "$load" 'tensix_wait();' 'GPR(60) = 1;')"

# --- Configuration of harts ---

context='while (SEMAPHORE(UNPACK_SYNC) > 0) {'
base_a='CONFIG_WORD(THCON_SEC0_REG3_Base_address_WORD + context) = cb_front(INPUT_A) / UNIT - 1; // A'
base_b='CONFIG_WORD(THCON_SEC1_REG3_Base_address_WORD + context) = cb_front(INPUT_B) / UNIT - 1;'
taken='SEMAPHORE(UNPACK_SYNC) = 0;'
arrived='PUSH(STALLWAIT, .block_mask = BLOCK_UNPACK, .condition_mask = WAIT_HART);'
unpack='context = unpack_tiles.*' ends='semaphore_get(UNPACK_SYNC);' # there is one context
begin_tile='PUSH(SETADCZW, .cnt_set_mask = 3, .bit_mask = ALL_COUNTERS);'
unpacks="s|^( *)$unpack|\\1$begin_tile"
pair "an unpacker does not wait for the store of its address" config-race 'mop_run\(\); \/\/ unpacks' \
    'UNPACR uses THCON_SEC0_REG3_Base_address.*, and the store of trisc0 .* may not have arrived; STALLWAIT\(STALL_UNPACK, TRISC_CFG\) is missing' \
    add trisc.c "$unpacks\\n$context }\\n$base_a\\n$base_b\\n$taken\\nmop_run(); // unpacks\\n$ends|" \
    "$unpacks\\n$context }\\n$base_a\\n$base_b\\n$taken\\n$arrived\\nmop_run(); // unpacks\\n$ends|"
twice="${base_a/INPUT_A/INPUT_B}\\n$taken\\n$arrived\\n$begin_tile\\nmop_run();\\n$ends|; s/face < FACES/face < 2 * FACES/"
pair "the address of a context that is in use" config-race 'INPUT_B\) \/ UNIT - 1; \/\/ A' \
    'a store changes THCON_SEC0_REG3_Base_.*address, which UNPACR of trisc0 .* may not have used yet; a wait for a free context' \
    add trisc.c "$unpacks\\n$context }\\n$base_a\\n$base_b\\n$taken\\n$arrived\\nmop_run();\\n$ends\\n$twice" \
    "$unpacks\\n$context }\\n$base_a\\n$base_b\\n$taken\\n$arrived\\nmop_run();\\n$ends\\n$context }\\n$twice"

set_word='CONFIG(SCRATCH_SEC0_val) = 0x100 + left;' change_word='config_change(SCRATCH_SEC0_val, 1);'
pair "bits of a word whose store may come later" config-race 'config_change\(SCRATCH' \
    'RMWCIB[0-3] changes SCRATCH_SEC0_val in a word, and the store of trisc2 .* to it may not have arrived; STALLWAIT\(STALL_CFG, TRISC_CFG\) is missing' \
    add trisc.c "$(before "$end_of_pack" 'tensix_wait();' "$set_word" "$change_word")" \
    "$(before "$end_of_pack" 'tensix_wait();' "$set_word" 'config_stored();' "$change_word")"

# --- What threads share ---

mutex='tensix_push(WORD(ATGETM, .index = 0));' release='tensix_push(WORD(ATRELM, .index = 0));'
change='config_change(SCRATCH_SEC0_val, 1 + left);'
pair "two threads change one word" config-race 'config_change\(SCRATCH' \
    'RMWCIB[0-3] changes SCRATCH_SEC0_val in a word that RMWCIB[0-3] of trisc[12] .* changes, too, in no order; a mutex around both' \
    add trisc.c "$(before "$end_of_math" "$change"); $(before "$pack_begins" "${change/1 + left/0x80 - left}")" \
    "$(before "$end_of_math" "$mutex" "$change" "$release"); $(before "$pack_begins" "$mutex" "${change/1 + left/0x80 - left}" "$release")"
counter='tensix_push(WORD(SETADCZW, .cnt_set_mask = ADC_PACKER, /* of thread 2 */ .ch1_w = 3 << 3, .bit_mask = 1));'
pair "the counters of another thread" race-state 'of thread 2' \
    '(SETADCZW|PACR) .* address counter [0-9]+, which (PACR|SETADCZW) of trisc[12] .* uses, too, in no order' \
    add trisc.c "$(before "$end_of_math" "$counter")" \
    "$(before "$end_of_math" "${counter/3 << 3/2 << 3}")"
lreg='PUSH(SFPLOADI, .vd = 2, .imm16 = 1);'
pair "LRegs of two threads" race-state 'SFPLOADI' \
    'SFPLOADI writes LReg 2, which SFPLOADI of trisc[12] .* uses, too, in no order' \
    add trisc.c "$(before "$end_of_math" "$lreg"); $(behind "$end_of_pack" "$lreg")" \
    "$(before 'math_begin\(\);' "$lreg")"
get='PUSH(SEMGET, .semaphore_mask = 1 << 6);'
pair "takes a post that nobody makes" race-open 'SEMGET' 'takes a post of semaphore 6, which is 0' \
    add trisc.c "$(before "$end_of_math" "$get")" \
    "$(before "$end_of_math" 'PUSH(SEMPOST, .semaphore_mask = 1 << 6);' "$get")"
wait_for_math='PUSH(STALLWAIT, .block_mask = BLOCK_CONFIG, .condition_mask = WAIT_MATRIX);'
format='config_change(ALU_ROUNDING_MODE_Fpu_srnd_en, left % 2);'
pair "formats change while the Matrix Unit works" config-race 'config_change\(ALU' \
    'RMWCIB[0-3] changes ALU_ROUNDING_MODE_Fpu_srnd_en while ELWADD of trisc1 .* may use it; STALLWAIT\(STALL_CFG, MATH\) is missing' \
    add trisc.c "$(before "$end_of_math" "$format")" "$(before "$end_of_math" "$wait_for_math" "$format")"

first='0,/meet\(\);/s//' begin='semaphore_init(6, 2);' use="$(before 'math_begin\(\);' 'semaphore_post(6);' 'semaphore_get(6);')"
pair "a semaphore that may not be set yet" race-state 'semaphore_post\(6' \
    'SEMPOST relies on semaphore 6, which SEMINIT of trisc0 .* may not have set yet' \
    add trisc.c "$first&\\n    $begin/; $use" "$first$begin\\n    &/; $use"

no_wait='tensix_wait();\n\1while (SEMAPHORE(UNPACK_SYNC) > 2) {\n\1}'
pair "math asks for what tells nothing of Dst" race-dst 'mop_run\(\)' \
    'ELWADD writes Dst row [0-9]+, which PACR of trisc2 .* reads, and its thread has not waited for room' \
    add trisc.c "s/^( *)math_begin\\(\\);/\\1$no_wait/;" \
    "s/^( *)math_begin\\(\\);/\\1${no_wait/UNPACK_SYNC) > 2/MATH_PACK) >= 2}/"
gives='semaphore_init(6, 2);\n    semaphore_post(6);\n    semaphore_post(6);\n    tensix_wait();'
takes='PUSH(SEMWAIT, .block_mask = BLOCK_MATRIX | BLOCK_SYNC, .semaphore_mask = 1 << 6, .condition_mask = WHILE_ZERO);\n        semaphore_get(6);'
frees='PUSH(STALLWAIT, .block_mask = BLOCK_SYNC, .condition_mask = WAIT_PACKER);\n        semaphore_post(6);'
left="for (unsigned i = 0; left == 1 \&\& i < 2; i++) {\n        $takes\n        }"
clean "math waits for what the packer gives back" add trisc.c \
    "s/^( *)pack_use_tile_mop\\(\\);/&\n    $gives/; s/^( *)math_begin\\(\\);/\\1$takes/; s/^( *)half = pack_end.*/&\n        $frees/; s/^( *)half = math_end.*/&\n        $left/"

mail="$(before 'pack_configure.*' 'HART_MAILBOX(2) = 5;')"
pair "a word in a mailbox that nobody takes" race-open 'HART_MAILBOX\(2\) = 5' \
    'the kernels end, and trisc1 has not taken this word from its mailbox' \
    add trisc.c "$mail" "$mail; $(before 'math_configure.*' 'consume(HART_MAILBOX(3));')"
finds "three words in a mailbox" race-open 'HART_MAILBOX\(2\) = 7' 'trisc1 has not taken this word and 2 before it from its mailbox' \
    add trisc.c "$(before 'pack_configure.*' 'HART_MAILBOX(2) = 5;' 'HART_MAILBOX(2) = 6;' 'HART_MAILBOX(2) = 7;')"

pair "a mutex that is not released" race-open 'ATGETM' 'their thread has not released mutex 2: ATRELM is missing' \
    add trisc.c "$(before "$end_of_math" 'PUSH(ATGETM, .index = 2);')" \
    "$(before "$end_of_math" 'PUSH(ATGETM, .index = 2);' 'PUSH(ATRELM, .index = 2);')"

# --- Dst, seen by a hart ---

pair "a hart looks at Dst while the Matrix Unit works" race-dst 'AT_DST' \
    'a load of a hart uses Dst row [0-9]+, which (ELWADD|SETRWC) of trisc1 .* may still be at; tensix_sync\(\) is missing' \
    add trisc.c "$(before "$end_of_math" 'consume(REGISTER(AT_DST + half * 32 * 512));')" \
    "$(before "$end_of_math" 'tensix_wait();' 'consume(REGISTER(AT_DST + half * 32 * 512));')"

# --- The right to use banks of Src ---

give='PUSH(UNPACR_NOP_SETDVALID, .set_dvalid = 1);'
wait_for_bank='PUSH(STALLWAIT, .block_mask = BLOCK_UNPACK, .condition_mask = WAIT_SRC_A_UNPACK);'
take='PUSH(CLEARDVALID, .clear_dvalid = 1);' wait_for_data='PUSH(STALLWAIT, .block_mask = BLOCK_MATRIX, .condition_mask = WAIT_SRC_A_MATRIX);'
pair "a bank of Src that is given unasked" race-state 'SETDVALID.*again' \
    'UNPACR_NOP hands over a bank of SrcA that .*STALLWAIT\(STALL_UNPACK, SRCA_CLR\) is missing' \
    add trisc.c "$(before "$pop" "$give" "$give // again" "$give"); $(before "$end_of_math" "$wait_for_data" "$take" "$wait_for_data" "$take" "$wait_for_data" "$take")" \
    "$(before "$pop" "$wait_for_bank" "$give" "$wait_for_bank" "$give" "$wait_for_bank" "$give"); $(before "$end_of_math" "$wait_for_data" "$take" "$wait_for_data" "$take" "$wait_for_data" "$take")"
pair "a bank of Src that is given back twice" race-state 'CLEARDVALID.*twice' \
    'CLEARDVALID gives back a bank of SrcA that the Matrix Unit does not have' \
    add trisc.c "$(before "$pop" "$wait_for_bank" "$give"); $(before "$end_of_math" "$wait_for_data" "$take" "$take // twice" "$take")" \
    "$(before "$pop" "$wait_for_bank" "$give"); $(before "$end_of_math" "$wait_for_data" "$take")"

# --- L1 of two harts ---

word='*(volatile uint32_t *)0x100000' other='*(volatile uint32_t *)0x100004'
begins='dataflow_begin\(\);'

# two NAME TEXT NCRISC BRISC: as finds or (no TEXT) clean, where both harts of `copy` get lines of their own. The
# report is at the line of brisc with the word.
two() {
    [[ $1 =~ ${PENROSE_CASES:-} ]] || return 0
    local name=$1 said line
    program "$name" copy ncrisc.c "$(behind "$begins" "$3")"
    sed -i -E "$(behind "$begins" "$4")" "$work/$name/src/brisc.c"
    "$srcdir/scripts/link-kernels" "$firmware" "$work/$name/kernels" "$work/$name/src" || exit 1
    line=$(grep -n '0x100000' "$work/$name/src/brisc.c" | head -1 | cut -d: -f1)
    run "$name" copy --check
    said=$(grep 'guest fault race-l1' "$work/said")
    report "$name" "$(if [ -n "$2" ]; then grep -qE "/brisc.c:$line: $2" <<<"$said"; else [ -z "$said" ]; fi ||
        { echo "expected brisc.c:$line: /$2/; found:" && cut -c1-400 "$work/said"; })"
}
two "two harts store to one word" 'stores to 0x100000, to which ncrisc .* has stored something else' \
    "$word = 1;" "$word = 2;"
two "two harts store to one word, repaired" '' "$word = 1;\n$other = 1;" "while ($other != 1) { }\n$word = 2;"
update="for (unsigned i = 0; i < 4; i++) { $word += 1; }"
two "two harts add to one word" 'changes 0x100000, which ncrisc .* changes, too, .*an update gets lost' "$update" "$update"
two "two harts add to one word, repaired" '' "$update\n$other = 1;" "while ($other != 1) { }\n$update"
swap='__asm__ volatile(".insn r 0x2f, 2, 4, %0, %1, %2" : "=r"(old) : "r"(0x100000), "r"(1) : "memory")'
sum='*(volatile uint32_t *)0x100008'
locked="for (unsigned i = 0, old = 1; i < 8; i++) { do { $swap; } while (old); $sum += 1; $word = 0; }"
two "two harts take turns by a lock" '' "$locked" "$locked"
add='__asm__ volatile(".insn r 0x2f, 2, 0, x0, %0, %1" : : "r"(0x100000), "r"(1) : "memory")'
atomically="for (unsigned i = 0; i < 8; i++) { $add; }"
two "one of two harts adds to a word without an atomic" 'changes 0x100000, which ncrisc .* changes, too, .*an update gets lost' "$atomically" "$update"
two "both harts add to a word by atomics" '' "$atomically" "$atomically"
two "a hart counts and another one begins again" '' "$update" "while ($word != 4) { }\n$word = 0;"
two "a hart counts by atomics and another one begins again" '' "$atomically" "while ($word != 8) { }\n$word = 0;"

# --- What programs without firmware leave open; the kit as it is leaves nothing ---

in_kit "a bare post that nobody takes" \
    'race-open: .*trisc1.c:[0-9]+: the programs end, and nobody has taken this post of semaphore 1' trisc2.c '/SEMGET/d'
in_kit "a bare bank that is given back twice" \
    'race-state: .*trisc1.c:[0-9]+: CLEARDVALID gives back a bank of SrcA that the Matrix Unit does not have; nobody has handed' \
    trisc1.c 's/^    TTI_MVMUL\(GIVE.*/&\n    TTI_CLEARDVALID(1, 0);/'
stores='    tensix_wait();\n    config_set(ALU_FORMAT_SPEC_REG_SrcA_val, FLOAT16_B);\n    config_set(ALU_FORMAT_SPEC_REG_SrcA_override, 1);'
in_kit "the Matrix Unit does not wait for a store to Config" \
    'config-race: .*trisc1.c:20: MVMUL uses ALU_FORMAT_SPEC_REG_SrcA_override, and the store of trisc1 .* may not have arrived' \
    trisc1.c "s/^    TTI_MVMUL\\(GIVE.*/$stores\\n&/"
in_kit "the Matrix Unit waits for a store to Config" '' \
    trisc1.c "s/^    TTI_MVMUL\\(GIVE.*/$stores\\n    config_wait();\\n&/"
in_kit "a mailbox tells of Dst" 'race-dst: .*trisc1.c:16: MVMUL uses Dst row 0, which PACR of trisc2 .* reads' \
    trisc1.c 's/^    TTI_SEMPOST.*/    mailbox_send(TRISC2, 1);/' trisc2.c 's/^    TTI_SEMWAIT.*/    consume(mailbox_receive(TRISC1));/; /SEMGET/d'
in_kit "a mailbox tells of Dst behind the Matrix Unit" '' \
    trisc1.c 's/^    TTI_SEMPOST.*/    tensix_wait();\n    mailbox_send(TRISC2, 1);/' \
    trisc2.c 's/^    TTI_SEMWAIT.*/    consume(mailbox_receive(TRISC1));/; /SEMGET/d'

# --- Harts that begin ---

late="s|^    unsigned node|    for (volatile unsigned i = 0; i < 2000; i++) {\\n    }\\n    $word = 2;\\n&|"
in_kit "a hart stores what another one has stored" 'race-l1: .* ncrisc .*stores to 0x100000, to which brisc' \
    brisc.c "$(before 'fill\(LEFT' "$word = 1;")" ncrisc.c "$late"
reset='REGISTER(AT_SOFT_RESET_0)' bit='(1u << 18)'
in_kit "a hart that begins behind it" '' \
    brisc.c "$(before 'fill\(LEFT' "$reset += $bit;" "$word = 1;" "$reset -= $bit;")" ncrisc.c "$late"
finish
