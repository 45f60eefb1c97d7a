#!/bin/bash
# Completion for bash offers every command and every option, and files for the rest; those for other
# shells are read by these where they are.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
folder=${srcdir:-.}/src/cli/completion
# shellcheck source=src/cli/completion/bash/penrose
. "$folder/bash/penrose"

# offer WORD...: what is offered for the last of these words
offer() {
    COMP_WORDS=("$PENROSE" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _penrose
    printf '%s\n' "${COMPREPLY[@]}"
}

# lacks NAME OFFERED...: words of stdin that were not offered
lacks() {
    local missing
    missing=$(grep -vxF -f <(printf '%s\n' "$@") || true)
    echo "${missing:+not offered: $(echo "$missing" | tr '\n' ' ')}"
}

commands=$("$PENROSE" help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
report "commands" "$(echo "$commands" | lacks $(offer ''))"
report "there are some" "$([ "$(echo "$commands" | wc -l)" -gt 8 ] || echo "only $commands")"
report "the beginning of one" "$([ "$(offer dis)" = disasm ] || offer dis)"
for command in $commands; do
    [ "$command" != help ] || continue
    options=$("$PENROSE" "$command" --help | grep -oE '^ +(-., )?--[a-z-]+=?' | grep -oE -- '--.*')
    report "options of $command" "$(echo "$options" | lacks $(offer "$command" --))"
    report "$command has some" "$(grep -q -- '--help' <<<"$options" || echo "none were found")"
done
report "help of a command" "$(echo "$commands" | lacks $(offer help ''))"
cd "$work" && touch program.elf
report "files" "$([ "$(offer run pro)" = program.elf ] || offer run pro)"
report "files of an option" "$([ "$(offer run --hart=pro)" = program.elf ] || offer run --hart=pro)"
report "a command behind --" "$(offer exec -- ec | grep -x echo >/dev/null || echo "no echo")"
for shell in "zsh _penrose" "fish penrose.fish"; do
    set -- $shell
    command -v "$1" >/dev/null && report "$1 reads its own" "$("$1" -n "$folder/$2" 2>&1)"
done
"$PENROSE" -V >"$work/out" 2>"$work/err"
report "-V" "$(grep -qE '^penrose [0-9]' "$work/out" || echo "no version")"
finish
