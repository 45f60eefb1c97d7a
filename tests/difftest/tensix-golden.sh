#!/bin/bash
# Our library leaves the state that the golden Tensix cases tell, and the tester's messages and
# exit codes are as its --help says.
tester=tensix
# shellcheck source=tests/difftest/golden.bash
. "$srcdir/tests/difftest/golden.bash" || exit 1

# A case whose state is not what its program leaves.
cat >"$work/wrong.case" <<'END'
case 1
T0 push SETDMAREG 0, 0x1234, 0, 6
state
expect T0.gpr[3] 0x1235
end
END
echo "T0 push INCRWC" >"$work/broken.case"

expect "a wrong expectation" 1 'gpr\[3\]: ours 0x1234, reference 0x1235' \
    --ours "$library" --golden "$work/wrong.case"
expect "no row" 2 'has no row FROBNICATE' --rows FROBNICATE --ours "$library"

golden_end
