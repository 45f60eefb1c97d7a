# Makes tables of the small chip from Blackhole's. In regs.def each field of Config and ThreadConfig
# lies in another word, those of two words at other bits too, and fields that Wormhole has not are
# absent; rows of other tables that name these are left out. In overlay.def the registers that
# hardware drives have other numbers; in eth.def the control registers are elsewhere; in resets.def
# harts have other bits and other places to start at; config_users.def has the words of a second packer;
# in arc.def telemetry tells of rows; in niu.def the fields of NOC_CTRL have other bits.
BEGIN {
    absent = "^(DISABLE_IMPLIED_.*|SFPU_(DEST_FMT|STACK)_.*|(PACK_|UNPACK_)?SCBD_BANK_.*|ADDR_MOD_AB2_.*" \
        "|UNPACK_MISC_CFG_CfgContextCntReset_metadata.*|TENSIX_(TRISC_SYNC|CSR_CONFIG)_.*" \
        "|STREAMWAIT_.*|STREAM_ID_.*|RISC_DEST_ACCESS_CTRL_.*|DEST_SP_BASE_.*|SCRATCH_.*" \
        "|PACK_COUNTERS_SEC._auto_ctxt_.*|PACK_GLOBAL_CFG_.*|UNP._NOP_REG_.*|CHICKEN_BITS_.*" \
        "|THCON_SEC._REG1_(ovrd|Auto_set|pack_start_intf|pack_dis|Unp_LF8|Pac_LF8)_.*" \
        "|THCON_SEC._REG2_(Context_count_non|Metadata)_.*|THCON_SEC._REG6_Metadata_.*" \
        "|THCON_SEC._REG8_(Unused1|Auto_set_.*|pack_dis_.*|unpack_tile_.*)" \
        "|THCON_SEC._REG10_(Unpacker|Packer)_Reg_.*|THCON_SEC._REG11_.*" \
        "|L1_CACHE_TAG_.*|(DEST|SRC)_ACCESS_CFG_.*)$"
}
/^(CONFIG_FIELD|CONFIG_ALIAS|THREAD_FIELD)\(/ {
    split($0, cell, /[(,) ]+/) # kind, name, word, shift, width
    if (cell[2] ~ absent) {
        printf "%s(%s, 0, 0, 0)\n", cell[1], cell[2]
        next
    }
    word = cell[3] + (cell[1] == "THREAD_FIELD" ? 3 : cell[3] < 64 ? 5 : cell[3] < 180 ? 8 : 5)
    shift = cell[4] + (cell[1] == "THREAD_FIELD" ? 0 : cell[3] == 0 ? 9 : cell[3] == 18 ? 8 : 0)
    printf "%s(%s, %d, %d, %d)\n", cell[1], cell[2], word, shift, cell[5]
    next
}
/^(USES|SPECIAL|THREAD_SPECIAL|PART)\(/ {
    split($0, cell, /[(,) ]+/) # kind, one or two fields
    is_left_out = cell[2] ~ absent || cell[3] ~ absent
}
is_left_out {
    is_left_out = !/\)$/
    next
}
/^REG\(STREAM, 4 \* (25[6-9]|2[6-9].|[34]..),/ && !/DEBUG_/ {
    split($0, cell, /[ ,]+/) # kind and bank, 4, *, number
    sub(/4 \* [0-9]+/, "4 * " (cell[4] + 32))
}
/^RESET_(HART|OTHER)\(/ {
    split($0, cell, /[(,] */)
    sub(cell[3], cell[3] == 18 ? 28 : cell[3] + 13)
    sub(/ 0x/, " 0x4")
}
{ sub(/^RESET_BITS\(0xffffff\)/, "RESET_BITS(0x1fffffff)") }
/^NIU_CONTROL\(/ {
    split($0, cell, /[(,] */) # kind, name, first bit
    sub(/, [0-9]+/, ", " (cell[3] + 3) % 32)
}
{ sub(/^BANK\(CTRL, 0x08000/, "BANK(CTRL, 0x09400") }
/^ARC_TELEMETRY\(40,/ { print "ARC_TELEMETRY(39, ENABLED_TENSIX_ROW, ROWS, 0)" }
{ print }
/^USES\(THCON_SEC0_REG7_Offset_address/ {
    print "USES(THCON_SEC0_REG8_Row_start_section_size, 1, TENSIX_USED_BY_PACKER, 0)"
    print "USES(THCON_SEC0_REG8_L1_Dest_addr, 1, 0, TENSIX_USED_BY_PACKER)"
    print "USES(THCON_SEC0_REG8_Disable_zero_compress, 2, TENSIX_USED_BY_PACKER, 0)"
}
