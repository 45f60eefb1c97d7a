# Guest programs with a wrong instruction, for the tests of the units of the coprocessor: how they are
# made, and what becomes of them under each policy. Sourced after lib.bash.
#
#   good       WORD=VALUE: what Config has before the wrong instruction (an array, may be empty)
#   prologue   lines behind that (an array, may be empty)

# --- Programs ---

# A TRISC waits here until its thread has executed all that it has pushed.
drain=('lui a5, 0xffe80' 'sw zero, 4(a5)' 'lw a0, 4(a5)')

# program HART LINE...: one for that hart, in 4 KiB of its own (trisc0 from 0x2000, trisc1 from
# 0x3000, trisc2 from 0x4000). It ends when all that it has pushed is executed.
program() {
    local hart=$1 base words
    shift
    case $hart in trisc0) base=0x2000 ;; trisc1) base=0x3000 ;; *) base=0x4000 ;; esac
    words=$("$PENROSE" asm "$@" "${drain[@]}" ebreak) || report "assembling: $*" "refused"
    make_elf "$work/$hart.elf" $((base)) "$((base)) 7 ${words//$'\n'/ }"
}

# configure WORD=VALUE...: sets `config` to lines that store to these words of Config state 0
configure() {
    local setting word value low
    config=('lui a3, 0xffef0')
    for setting in "$@"; do
        word=$((${setting%%=*})) value=$((${setting#*=} & 0xffffffff))
        low=$(((value & 0xfff) - (value & 0x800) * 2))
        config+=("lui a4, $(((value - low) >> 12 & 0xfffff))" "addi a4, a4, $low"
            "sw a4, $((4 * word))(a3)")
    done
}

# --- What becomes of them ---

# What comes behind the bad instruction: the thread writes 0x600d to 0x9000, the hart to 0x9010.
behind=('.ttinsn SETDMAREG 0, 0x600d, 0, 8' '.ttinsn SETDMAREG 0, 0x900, 0, 16'
    '.ttinsn SETDMAREG 0, 0, 0, 18' '.ttinsn STOREIND 1, 0, 1, 18, 0, 4, 8' "${drain[@]}"
    'lui a4, 9' 'lui a5, 0x600d' 'sw a5, 16(a4)')
untouched='00008010  deadbeef'
went_on=('out:00009000  0000600d' 'out:00009010  0600d000' "out:$untouched")
looks=(--poke 0x8010=0xdeadbeef --dump "0x8010,4" --dump "0x9000,4" --dump "0x9010,4")

# wrong NAME HART INSTRUCTION TEXT SETTING... -- LINE...
# With these settings in place of those of `good`, INSTRUCTION (which comes behind LINEs) is a fault
# of this text. stop: the run ends. Once for each instruction and kind also the other policies: unit
# tests show of each rule that its instruction has changed nothing. warn: it says so and all else
# happens. ignore: the same in silence. $pc is found in the program. What may be set: $kind is not undefined-operands; $warns: the
# run goes on unless it is told to stop; $culprit: the instruction in the report, where INSTRUCTION
# only lets it execute. $first tells the caller whether it was the first.
wrong() {
    local name=$1 hart=$2 instruction=$3 text=$4 settings=("${good[@]}") config
    local the_kind=${kind:-undefined-operands} thread=${2#trisc} pc stops=()
    shift 4
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        settings+=("$1")
        shift
    done
    shift
    configure "${settings[@]}"
    pc=$(printf '0x%08x' $((0x2000 + 0x1000 * thread + 4 * (${#config[@]} + ${#prologue[@]} + $#))))
    program "$hart" "${config[@]}" "${prologue[@]}" "$@" ".ttinsn $instruction" "${behind[@]}"
    [ -z "${warns:-}" ] || stops=(--policy "$the_kind=stop")
    expect "stop: $name" 1 "out:$untouched" 'out:00009000  00000000' "to go on +--policy $the_kind=warn" \
        "instruction +[0-9a-f]{8}  ${culprit:-$instruction}\$" 'rule  +[a-zA-Z]' \
        "guest fault $the_kind: tile \(1, 2\) tensix thread $thread, pushed by $hart at pc $pc: (scheduled |${instruction%% *}).*$text" \
        -- run --hart "$hart=$work/$hart.elf" "${stops[@]}" "${looks[@]}"
    first=
    if is_first "$the_kind ${instruction%% *}"; then
        first=yes
        messages=1 expect "warn: $name" 0 "warning: guest fault $the_kind: .* at pc $pc: .*$text" \
            "out:$hart +done" "${went_on[@]}" -- \
            run --hart "$hart=$work/$hart.elf" --policy "$the_kind=warn" "${looks[@]}"
        expect "ignore: $name" 0 "out:$hart +done" "${went_on[@]}" -- \
            run --hart "$hart=$work/$hart.elf" --policy "$the_kind=ignore" "${looks[@]}"
    fi
    kind= culprit=
}
