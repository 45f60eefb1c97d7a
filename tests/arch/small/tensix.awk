# Makes tensix.def of the small chip from Blackhole's: PACR names packers, instructions that Wormhole
# has not are absent, and the rows of tensix_own.def (`own`) are there too.
/^INSN\(PACR,/ { is_pacr = 1 }
is_pacr && sub(/ABSENT\(packer_mask\)/, "FIELD(packer_mask, 6, 5)") {
    is_pacr = 0
    names_packers = 1
}
is_pacr { sub(/FIXED\(6, 5, 0\) /, "") }
/^(FRONT|INSN)\((RESOURCEDECL|MOVDBGB2D|STREAMWAIT|STREAMWRCFG|CFGSHIFTMASK),/ {
    sub(/^[A-Z]+/, "ABSENT_INSN")
}
/^SFPU\((SFPLE|SFPGT|SFPMUL24|SFPARECIP),/ { sub(/^SFPU/, "ABSENT_SFPU") }
/^#undef/ && !has_own {
    has_own = 1
    while ((getline row < own) > 0) {
        print row
    }
}
{ print }
END { exit !names_packers }
