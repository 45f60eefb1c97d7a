# Completion of penrose for fish, from what --help of the program prints.
function __penrose_commands
    penrose help 2>/dev/null | awk '/^Commands:/ { on = 1; next } !NF { on = 0 } on { print $1 }'
end

function __penrose_options
    set -l words (commandline -opc)
    test (count $words) -gt 1; and penrose help $words[2] 2>/dev/null |
        string match -rg -- '^ +(?:-., )?(--[a-z-]+)'
end

complete -c penrose -n 'test (count (commandline -opc)) -eq 1' -f -a '(__penrose_commands)'
complete -c penrose -n 'string match -q -- "-*" (commandline -ct)' -a '(__penrose_options)'
