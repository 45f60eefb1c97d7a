#!/bin/bash
# The check `config`: pairs of a kernel with one mistake, which is named at its line, and of its repaired twin, of
# which nothing is said. What an operation leaves to the next one is a kernel that runs twice: in the first launch it
# is the one operation, in the second the other.
#
#   PENROSE_CASES   a regular expression: only cases whose name matches it
#
# SKIP without the firmware (scripts/fetch-firmware), the RISC-V cross compiler, and Python's numpy.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.bash" || exit 1
# shellcheck source=tests/checks/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# --- What an operation leaves to the next one ---

# operate NAME PART LINE...: a kernel whose TRISC of PART (unpack, compute or pack) runs LINEs, in which `first`
# tells the first launch from the second. What the checks say of both is in $work/said. $checks, if set, chooses them,
# and $policy, if set, is one more policy.
operate() {
    local name=$1 part=$2 other
    shift 2
    mkdir -p "$work/$name/src"
    {
        cat <<'C'
#include "grid/compute.h"
static inline uint32_t compute_argument(enum argument which)
{
    return which == ARGUMENT_IS_DST_32BIT ? 0 : FLOAT16_B;
}
static inline uint32_t is_first(void)
{
    const uint32_t launches = CONFIG(SCRATCH_SEC0_val); /* which nothing else uses */
    CONFIG(SCRATCH_SEC0_val) = launches + 1;
    return launches == 0;
}
C
        for other in unpack compute pack; do
            [ "$other" = "$part" ] || echo "static void $other(void) {}"
        done
        printf '%s\n' "static void $part(void)" '{' '    const uint32_t first = is_first();' '    (void)first;'
        printf '    %s\n' "$@"
        echo '}'
    } | sed 's/^C$//' | tr '~' '\n' >"$work/$name/src/trisc.c"
    "$srcdir/scripts/link-kernels" "$firmware" "$work/$name/kernels" "$work/$name/src" || exit 1
    (cd "$work" && timeout 120 "$PENROSE" boot "$firmware" --kernels "$name/kernels" --repeat 2 --check="${checks:-all}" \
        --policy all=warn ${policy:+--policy "$policy"}) >"$work/out" 2>"$work/said" </dev/null
}

# leaves NAME KIND TEXT PART REPAIRED LINE...: the line with `// here` breaks a rule of KIND, and TEXT is said of it.
# Nothing is said, and the run ends well, where the line REPAIRED stands before LINEs.
leaves() {
    local name=$1 kind=$2 text=$3 part=$4 repaired=$5 line
    [[ $name =~ ${PENROSE_CASES:-} ]] || return 0
    shift 5
    operate "$name" "$part" "$@"
    line=$(grep -n '// here' "$work/$name/src/trisc.c" | cut -d: -f1)
    awk -v kind="guest fault $kind:" '/guest fault/ { shows = index($0, kind) } shows' "$work/said" >"$work/found"
    report "$name" "$(grep -qE "$text" "$work/found" && grep -q "/trisc.c:$line\b" "$work/found" ||
        { echo "expected $kind, trisc.c:$line, /$text/; found:" && cut -c1-400 "$work/said"; })"
    operate "$name, repaired" "$part" "$repaired" "$@"
    report "$name, repaired" "$([ $? -eq 0 ] && ! grep -q 'guest fault' "$work/said" || cut -c1-400 "$work/said")"
}

add='PUSH(ADDDMAREG, .right_is_imm = 1, .right = 1, .result_reg = 62, .left_reg = 60); // here'
leaves "a GPR of the operation before" config-leak \
    'ADDDMAREG uses GPR 60, which this kernel has not set: as left by launch 0 in .*, trisc2 \(.*trisc.c:19' pack \
    'gpr_set(60, 7);' 'if (first) {~        gpr_set(60, 5);~    }' "$add"
checks=config leaves "a GPR of the operation before, without other checks" config-leak \
    'ADDDMAREG uses GPR 60, which this kernel has not set: as left by launch 0 in .*, trisc2 \(.*trisc.c:19' pack \
    'gpr_set(60, 7);' 'if (first) {~        gpr_set(60, 5);~    }' "$add"
mop='mop_run(); // here'
loops='struct mop_loops loops = mop_loops(1, 2, WORD(DMANOP, ));'
leaves "a MOP of the operation before" config-leak \
    'MOP uses word 0 of the MOP configuration.* and [0-9] more, which this kernel has not set: .* launch 0' pack \
    "$loops mop_use_loops(&loops);" "if (first) {~        ${loops/loops =/before =} mop_use_loops(&before);~    }" "$mop"
record='replay_record(4, 2);~    PUSH(DMANOP);~    PUSH(DMANOP);'
leaves "replay slots of the operation before" config-leak \
    'REPLAY uses slot 4 of the replay buffer.*, which this kernel has not set: .* launch 0' compute \
    "$record" "if (first) {~    $record~    }" 'tensix_push(REPLAY_WORD(4, 2)); // here'
leaves "replay slots that nobody has recorded" config-unset \
    'REPLAY uses slot 6 of the replay buffer, which nobody has recorded' compute \
    'replay_record(6, 1);~    PUSH(DMANOP);' "$record" 'tensix_push(REPLAY_WORD(4, 3)); // here'
zeros='PUSH(PACR, .read_intf_sel = 1, .zero_write = 1, .last = 1, .addr_mod = 0); // here'
packs='pack_configure(FACE_ROWS);~    pack_address(0x120000);'
counts='PUSH(SETADCXX, .cnt_set_mask = ADC_PACKER, .x1_val = 7);'
strides='tensix_wait();~    CONFIG(PCK0_ADDR_CTRL_ZW_REG_0_Zstride) = 64;~    tensix_wait();'
modifier='PACK_ADDR_MOD(2, .y_src_incr = 4);'
leaves "an address modifier of the operation before" config-leak \
    'PACR uses ADDR_MOD_PACK_SEC2_YsrcIncr, which this kernel has not set: .* launch 0' pack \
    "$modifier" "$packs" "if (first) {~        $modifier~    }" "${zeros/addr_mod = 0/addr_mod = 2}"
relu='config_change(STACC_RELU_ApplyRelu, 1);'
wait='PUSH(STALLWAIT, .block_mask = BLOCK_CONFIG, .condition_mask = WAIT_PACKER);'
policy=config-unset=ignore leaves "a field that is not put back" config-leak \
    'PACR uses THCON_SEC0_REG1_Exp_threshold, which this kernel has not set: .* launch 0' pack \
    'config_change(THCON_SEC0_REG1_Exp_threshold, 0);' "$packs" \
    "if (first) {~        ${relu/STACC_RELU_ApplyRelu, 1/THCON_SEC0_REG1_Exp_threshold, 3}~    }" \
    "config_change(THCON_SEC0_REG1_Exp_threshold_en, 1);~    $zeros"
policy=config-unset=ignore leaves "an address counter of the operation before" config-leak \
    'PACR uses counter [WZ] of channel [01] of the packer, which this kernel has not set: as left by launch 0' pack \
    'PUSH(SETADCZW, .cnt_set_mask = ADC_PACKER, .bit_mask = ALL_COUNTERS);' 'pack_address(0x120000);' \
    "if (first) {~        PUSH(SETADC, .cnt_set_mask = ADC_PACKER, .xyzw = COUNTER_W, .value = 1);~    }" "$zeros"
leaves "an LReg of the operation before" config-leak \
    'SFPIADD uses LReg 2, which this kernel has not set: .* launch 0' compute \
    'PUSH(SFPLOADI, .vd = 2, .imm16 = 2);' 'if (first) {~        PUSH(SFPLOADI, .vd = 2, .imm16 = 1);~    }' \
    'PUSH(SFPIADD, .vd = 1, .vc = 2, .mod1 = 1); // here'
leaves "an LReg that nobody has written" undefined-data 'SFPIADD reads LReg 2, which no instruction has written' compute \
    'PUSH(SFPLOADI, .vd = 2, .imm16 = 2);' 'PUSH(SFPIADD, .vd = 1, .vc = 2, .mod1 = 1); // here'
leaves "a semaphore of the operation before" config-leak \
    'SEMGET uses semaphore 6, which this kernel has not set: .* launch 0' compute \
    'PUSH(SEMINIT, .new_max = 2, .new_value = 1, .semaphore_mask = 1 << 6);' \
    'if (first) {~        PUSH(SEMINIT, .new_max = 2, .new_value = 2, .semaphore_mask = 1 << 6);~    }' \
    'semaphore_get(6); // here'
macro='PUSH(SFPLOADI, .vd = 0, .mod0 = 2, .imm16 = 0x44);~    PUSH(SFPCONFIG, .vd = 4);~    PUSH(SFPNOP);'
policy=config-unset=ignore leaves "a load macro of the operation before" config-leak \
    'SFPLOADMACRO uses load macro 0.*, which this kernel has not set: as left by launch 0' compute \
    "PUSH(SFPLOADI, .vd = 0, .mod0 = 2, .imm16 = 0);~    PUSH(SFPCONFIG, .vd = 4);~    PUSH(SFPNOP);" \
    "if (first) {~    $macro~    }" 'PUSH(SFPLOADMACRO, .addr_mod = 3); // here'

# --- What each kernel has to set ---

finds "an address modifier that nobody has set" config-unset 'mop_run\(\);' \
    'ELWADD uses ADDR_MOD_AB_SEC0_SrcAIncr.*, which this kernel has not set' add trisc.c 's/ADDR_MOD\(0,/ADDR_MOD(1,/'

leaves "an address modifier that two kernels have not set" config-unset \
    'PACR uses ADDR_MOD_PACK_SEC2_YsrcIncr.*, which this kernel has not set' pack \
    "$modifier" "$packs" 'if (first) {' "    ${zeros/addr_mod = 0); \/\/ here/addr_mod = 2);}" '    PUSH(DMANOP);' '} else {' \
    "    ${zeros/addr_mod = 0/addr_mod = 2}" '}'

leaves "a GPR that two kernels have not set" config-unset \
    'ADDDMAREG uses GPR 60, which this kernel has not set: it holds whatever' pack 'gpr_set(60, 7);' "$add"
half='tensix_push(WORD(SETDMAREG_IMM, .result_half_reg ='
leaves "half of a GPR that two kernels have not set" config-unset \
    'PACR uses THCON_SEC0_REG1_L1_Dest_addr, which this kernel has not set: it holds whatever' pack \
    "$half HIGH_HALF(60), .new_value = 0x8000));" "$modifier" 'pack_configure(FACE_ROWS);' \
    "$half LOW_HALF(60), .new_value = 0x7fff));" \
    'PUSH(WRCFG, .input_reg = 60, .cfg_index = THCON_SEC0_REG1_L1_Dest_addr_WORD);' 'PUSH(DMANOP);' \
    "${zeros/addr_mod = 0/addr_mod = 2}"
leaves "an RWC that two kernels have not set" config-unset 'SFPSTORE uses the RWC of Dst, which this kernel has not set' \
    compute 'PUSH(SETRWC, .dst = 1);' 'ADDR_MOD(3, .dst_incr = 0);' 'math_select(0, 0);' \
    'config_change(ALU_ACC_CTRL_SFPU_Fp32_enabled, 0);' 'PUSH(SFPSTORE, .vd = 9, .addr_mod = 3); // here'

# --- Halves of Dst ---

finds "a tile of Dst beyond the half" dst-section 'mop_run\(\);' \
    'ELWADD uses Dst row 512, and its thread has the half of Dst with rows 0 to 511, as semaphore 1 counts to two' \
    add trisc.c 's/math_select\(half, 0\)/math_select(half, 8)/'
clean "the last tile of the half" add trisc.c 's/math_select\(half, 0\)/math_select(half, 7)/; s/pack_tile\(0/pack_tile(7/'
finds "a tile that the packer reads beyond its half" dst-section 'pack_tile\(8' \
    'PACR uses Dst row 512, and its thread has the half of Dst with rows 0 to 511' \
    add trisc.c 's/pack_tile\(0/pack_tile(8/'

# says_no NAME KIND: no fault of KIND is in $work/said, of a run that ended with status 0.
says_no() {
    local status=$?
    report "$1" "$([ "$status" -eq 0 ] && ! grep -q "guest fault $2" "$work/said" || cut -c1-400 "$work/said")"
}

name="halves are counted from the beginning of a launch on"
if [[ $name =~ ${PENROSE_CASES:-} ]]; then
    operate "$name" compute 'if (first)' '    semaphore_init(6, 2);' \
        'PUSH(SEMWAIT, .block_mask = BLOCK_VECTOR, .semaphore_mask = 1 << 6, .condition_mask = WHILE_MAX);' \
        'math_select(0, 0);' 'PUSH(SFPSTORE, .vd = 9, .addr_mod = 3);' 'if (first)' '    semaphore_post(6);'
    says_no "$name" dst-section
fi

threshold='s/^    pack_configure.*/&\n    config_change(THCON_SEC0_REG1_Exp_threshold_en, 1);'
finds "a threshold of the packer that is on and not set" config-unset 'pack_tile\(0' \
    'PACR uses THCON_SEC0_REG1_Exp_threshold, which this kernel has not set' add trisc.c "$threshold/"
clean "a threshold of the packer that is on and set" add trisc.c "$threshold\n    config_change(THCON_SEC0_REG1_Exp_threshold, 0);/"

# --- Checks that begin late ---

name="what was set before the check began"
if [[ $name =~ ${PENROSE_CASES:-} ]]; then
    operate "$name" compute "if (first) {~    $record~    }" 'tensix_push(REPLAY_WORD(4, 2));'
    (cd "$work" && "$PENROSE" boot "$firmware" --kernels "$name/kernels" --save-snapshot "$work/first" &&
        "$PENROSE" boot "$firmware" --kernels "$name/kernels" --restore-snapshot "$work/first" --check=config) \
        >"$work/out" 2>"$work/said" </dev/null
    says_no "$name" config-unset
fi

# --- Programs without firmware ---

first='^    TTI_MVMUL\(0, 0, 0, 0\);.*'
in_kit "a bare replay of what nobody has recorded" 'config-unset: .*trisc1.c:1[0-9]: REPLAY uses slot 3 ' \
    trisc1.c "s/$first/    TTI_REPLAY(3, 1, 0, 0);\\n&/"
in_kit "a bare replay of what was recorded" '' \
    trisc1.c "s/$first/    TTI_REPLAY(3, 1, 0, 1);\\n    TTI_NOP;\\n    TTI_REPLAY(3, 1, 0, 0);\\n&/"
in_kit "a bare MOP that nobody has programmed" 'config-unset: .*trisc1.c:1[0-9]: MOP uses word 0 ' \
    trisc1.c "s/$first/    TTI_MOP(1, 0, 0);\\n&/"
in_kit "a bare unpacker without an address" \
    'config-unset: .*trisc0.c:[0-9]+: UNPACR uses THCON_SEC1_REG3_Base_address, which nobody has set since reset' \
    trisc0.c '/SEC1_REG3_Base/d'
in_kit "a bare unpacker without a number of datums" \
    'config-unset: .*trisc0.c:[0-9]+: UNPACR uses counter X of channel [01] of unpacker 0' trisc0.c 's/SETADCXX\(BOTH/SETADCXX(OF_UNPACKER1/'
# An instruction is given something at which it does not look.
in_kit "a row of Dst where MVMUL cannot begin" \
    'doubtful-instruction: .*trisc1.c:1[0-9]: MVMUL is given 1 for the row of Dst, and takes the aligned rows' \
    trisc1.c 's/MVMUL\(0, 0, 0, 0/MVMUL(0, 0, 0, 1/'
in_kit "a counter of SrcB where MVMUL cannot begin" \
    'doubtful-instruction: .*trisc1.c:1[0-9]: MVMUL is given 9 for the row of SrcB, and takes the aligned rows' \
    trisc1.c 's/ROWS << ADDR_MOD_AB/(ROWS + 1) << ADDR_MOD_AB/'
in_kit "a counter that the mask of SETRWC leaves out" \
    'doubtful-instruction: .*trisc1.c:1[0-9]: SETRWC is given 8 for SrcA, and its mask leaves that counter out' \
    trisc1.c 's/(SETRWC.*0, )0, SRC_A [|]/\18,/'
in_kit "counters where MVMUL can begin, which the mask of SETRWC has" '' \
    trisc1.c 's/^ *TTI_SETRWC/    TTI_SETRWC(0, 0, 8, 8, 8, SRC_A | SRC_B | DST);\n&/'
in_kit "a counter that the mask of SETADCXY leaves out" \
    'doubtful-instruction: .*trisc2.c:[0-9]+: SETADCXY is given 1 for X, and its mask leaves that counter out' \
    trisc2.c 's/SETADCXY\(OF_PACKER, 0, 0/SETADCXY(OF_PACKER, 0, 1/'
in_kit "a place in Dst, all of which is cleared" \
    'doubtful-instruction: .*trisc1.c:1[0-9]: ZEROACC is given 8 for the place in Dst, and clears all of it' \
    trisc1.c 's/ZEROACC\(CLEAR_ALL, 0, 0, 0, 0/ZEROACC(CLEAR_ALL, 0, 0, 0, 8/'
in_kit "a group of four that begins at no multiple of four" \
    'doubtful-instruction: .*trisc2.c:[0-9]+: WRCFG is given [0-9]+ for the word of Config, and with 128 bits takes four' \
    trisc2.c 's/WRCFG\(GPR_ADDRESS, 0/WRCFG(GPR_ADDRESS, 1/'
load='    TTI_SFPLOAD(0, 2, 3, 0);\n    TTI_STALLWAIT(BLOCK_MATRIX, 1 << 11);\n&'
in_kit "a vector of Dst that nobody has written" \
    'undefined-data: .*trisc1.c:15: computes with nothing but Dst row 0, which nobody has written or cleared yet' \
    trisc1.c "/TTI_ZEROACC/d; s/$first/$load/"
store='    TTI_SFPSTORE(3, 2, 3, 0);\n    TTI_STALLWAIT(BLOCK_SYNC, UNTIL_MATRIX | 1 << 11);\n&'
in_kit "a bare store of an LReg that nobody has written" \
    'undefined-data: .*trisc1.c:1[0-9]: SFPSTORE reads LReg 3, which no instruction has written' \
    trisc1.c "s/^    TTI_SEMPOST.*/$store/"
finish
