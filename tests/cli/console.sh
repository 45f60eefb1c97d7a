#!/bin/bash
# What guests print by semihosting calls, made of words: see src/cli/console.h.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

call="01f01013 00100073 40705013" # slli x0, x0, 31; ebreak; srai x0, x0, 7
end=00100073

# number N: li a0, N; text: lui a1, 0x1 (0x1000)
number() { printf '%03x00513' "$1"; }
text=000015b7

# program FILE WORD...: code at 0, "Hi!\n<ESC>you" at 0x1000, a block for SYS_WRITE at 0x1020
program() {
    local file=$1
    shift
    make_elf "$file" 0 "0 5 $*" "0x1000 6 0a216948 756f791b 0 0 0 0 0 0 1 1000 3 20026 7"
}

program "$work/write0.elf" "$(number 4) $text $call $(number 0) $end"
expect "SYS_WRITE0" 0 "out:^Hi!$" "out:^\?you$" "out:brisc   done +0 " -- run "$work/write0.elf"
program "$work/writec.elf" "$(number 3) $text $call $end"
expect "SYS_WRITEC" 0 "out:^H$" "out:brisc   done +3 " -- run "$work/writec.elf"
program "$work/write.elf" "$(number 5) $text 02058593 $call $end" # addi a1, a1, 0x20
expect "SYS_WRITE" 0 "out:^Hi!$" "out:brisc   done +0 " -- run "$work/write.elf"
program "$work/exit.elf" "$(number 24) 000205b7 02658593 $call $end" # a1 = 0x20026
expect "SYS_EXIT" 0 "out:brisc   done +0 .*0x00000014" -- run "$work/exit.elf"
program "$work/abort.elf" "$(number 24) $text $call $end"
expect "SYS_EXIT for another reason" 0 "out:brisc   done +1 " -- run "$work/abort.elf"
program "$work/extended.elf" "$(number 32) $text 02c58593 $call $end" # addi a1, a1, 0x2c
expect "SYS_EXIT_EXTENDED" 0 "out:brisc   done +7 " -- run "$work/extended.elf"
program "$work/other.elf" "$(number 1) $text $call $end"
expect "a call that nobody answers" 0 "out:brisc   done +-1 " -- run "$work/other.elf"
program "$work/nowhere.elf" "$(number 4) 004005b7 $call $end" # lui a1, 0x400
messages=1 expect "text that is nowhere" 0 "brisc prints text at 0x00400000" -- run "$work/nowhere.elf"

# The call alone is a call: all three words.
program "$work/before.elf" "$(number 4) $text 01f01013 $end"
expect "without what is behind it" 0 "out:brisc   done +4 " -- run "$work/before.elf"
report "it prints nothing" "$(grep Hi "$work/out")"

# Who talks, and when: names where several could, the same with any number of threads and any order
make_elf "$work/two.elf" 0x100 "0x100 5 $(number 4) $text $call $(number 0) $end"
expect "two harts" 0 "out:^brisc: Hi!$" "out:^ncrisc: Hi!$" -- run --hart brisc="$work/write0.elf" \
    --hart ncrisc="$work/two.elf"
for option in --threads=3 "--schedule=lockstep" "--schedule=random:5" --trace="$work/trace"; do
    expect "with $option" 0 "out:^Hi!$" "out:^\?you$" -- run "$work/write0.elf" "$option"
done
expect "in JSON" 0 'out:"text": "Hi!"' 'out:"hart": "brisc"' -- run --json "$work/write0.elf"
report "which is JSON" "$(python3 -m json.tool <"$work/out" 2>&1 >/dev/null)"

# Time: a call takes a window of the scheduler at most, also when a long quiet time has come before.
cycles=$(sed -n 's/^  "cycles": \([0-9]*\),/\1/p' "$work/out")
report "how long it takes" "$([ "${cycles:-9999}" -lt 1200 ] || echo "$cycles cycles")"
# lui a5, 0x40; addi a5, a5, -1; bnez a5, -4: half a million cycles
program "$work/late.elf" "000407b7 fff78793 fe079ee3 $(number 4) $text $call $(number 0) $end"
expect "after a long time" 0 "out:^Hi!$" "out:done after 52[45][0-9]{3} cycles" -- run "$work/late.elf"
loop="$(number 4) $text $call ff1ff06f" # j -16
program "$work/loop.elf" "$loop"
expect "without an end" 3 "cycle limit" -- run "$work/loop.elf" --max-cycles 20k
report "prints on" "$([ "$(grep -c Hi "$work/out")" -gt 30 ] || echo "too few lines")"
finish
