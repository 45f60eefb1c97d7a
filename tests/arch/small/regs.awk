# Makes regs.def of the small chip from Blackhole's: each field of Config and ThreadConfig lies in
# another word, those of two words at other bits too.
/^(CONFIG_FIELD|CONFIG_ALIAS|THREAD_FIELD)\(/ {
    split($0, cell, /[(,) ]+/) # kind, name, word, shift, width
    word = cell[3] + (cell[1] == "THREAD_FIELD" ? 3 : cell[3] < 64 ? 5 : cell[3] < 180 ? 8 : 5)
    shift = cell[4] + (cell[1] == "THREAD_FIELD" ? 0 : cell[3] == 0 ? 9 : cell[3] == 18 ? 8 : 0)
    printf "%s(%s, %d, %d, %d)\n", cell[1], cell[2], word, shift, cell[5]
    next
}
{ print }
