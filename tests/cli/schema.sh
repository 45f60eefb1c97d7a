#!/bin/bash
# docs/schema itself: words that it lists are those of the program, a document with another member, or
# one member changed, does not fit, and the descriptions in examples/ do. What the other tests let the
# program print as JSON they compare with it (lib.bash). SKIP without Python's jsonschema.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
[ -n "$schema_python" ] || skip "no jsonschema for python3"
cd "$work" || exit 1
outputs=$srcdir/docs/schema/output.json programs=$srcdir/docs/schema/program.json

# words FILE PATH: what a list of a schema has, sorted.
words() {
    "$schema_python" - "$1" "$2" <<'PYTHON'
import functools, json, sys
value = functools.reduce(lambda value, name: value[name], sys.argv[2].split("/"), json.load(open(sys.argv[1])))
print("\n".join(sorted(map(str, value))))
PYTHON
}

# same NAME FILE PATH: such a list has the words on stdin.
same() {
    report "$1" "$(diff <(words "$2" "$3") <(sort -u))"
}

# --- The words of tables ---

same "kinds of faults" "$outputs" '$defs/fault_kind/enum' < <(
    sed -n 's/^PENROSE_FAULT_KIND([A-Z0-9_]*, "\([^"]*\)".*/\1/p' "$srcdir/include/penrose/fault_kinds.h")
same "data formats" "$outputs" '$defs/format/enum' < <(
    sed -n 's/.*\[NUM_FORMAT_[A-Z0-9_]*\] = {"\([^"]*\)".*/\1/p' "$srcdir/src/num/tensix_format.c"
    grep -oE '\{"[A-Za-z0-9_]+", NUM_FORMAT_[A-Z0-9]+, true\}' "$srcdir/src/loader/tensor.c" | cut -d'"' -f2)
expect "units of the coprocessor" 0 'out:"unread_fields"' -- info --isa --json
same "units" "$outputs" '$defs/unit/enum' < <(sed -n 's/^ *"unit": "\(.*\)",$/\1/p' out)
expect "cards" 2 'known are' -- doctor --card none
same "cards" "$outputs" '$defs/card/enum' < <(sed -n 's/.*known are \([^(]*\) (.*/\1/p' err | sed 's/, \| and /\n/g')
expect "commands" 0 'out:doctor' -- help
same "commands" "$outputs" '$defs/error/properties/command/enum' < <(
    sed -n 's/^  \([a-z-]\{3,\}\)  .*/\1/p' out | grep -v '^help$')

# keys NAME PATH DESCRIPTION: the loader lists the keys that it knows where it finds one that it does not.
keys() {
    echo "$3" >wrong.json
    expect "keys of $1" 2 'there is no key "wrong"; there are' -- run wrong.json --firmware none
    same "keys of $1" "$programs" "$2" < <(sed -n 's/.*"; there are //p' err | sed 's/, /\n/g')
}
keys "a program" properties '{"wrong": 1}'
keys "buffers in DRAM" properties/dram/additionalProperties/properties '{"grid": "1x1", "dram": {"A": {"wrong": 1}}}'
keys "buffers in L1" properties/l1/additionalProperties/properties '{"grid": "1x1", "l1": {"A": {"wrong": 1}}}'
keys "circular buffers" properties/circular_buffers/items/properties '{"grid": "1x1", "circular_buffers": [{"wrong": 1}]}'
keys "kernels" properties/kernels/items/properties '{"grid": "1x1", "kernels": [{"wrong": 1}]}'

# --- Documents that fit, and what does not ---

make_elf fault.elf 0 '0 7 004007b7 0007a503' # from 0x400000, where nothing is
expect "a document with much in it" 1 'unmapped-address' -- \
    run fault.elf --json --dump 0x8000,8 --dump 0x8001,1 --policy bad-csr=warn
cp out run.json
expect "another" 0 -- disasm 00c12083 --json
cp out disasm.json
report "a member changed, or one more" "$(PYTHONDONTWRITEBYTECODE=1 "$schema_python" \
    "$srcdir/tests/cli/documents.py" "$srcdir/docs/schema" --changed run.json disasm.json 2>&1)"
sed 's/"outcome": "fault"/"outcome": "done"/' run.json >outcome.json
report "an outcome with the exit status of another" \
    "$(documents_fit outcome.json | grep -q '^outcome.json: ' || echo "it fits")"
keep "$srcdir"/examples/*.json
echo '{"grid": "15x1", "kernels": [{"hart": "brisc"}]}' >wide.json
report "a description that is wrong" "$(documents_fit wide.json | grep -q "'15x1' does not match" || echo "it fits")"
finish
