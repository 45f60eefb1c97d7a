# The programs that the host program (host.c) loads, in $work. Sourced after lib.bash.

objcopy=${RISCV_CC%gcc}objcopy

# build NAME ROLE HART TEXT_BASE: NAME.elf and NAME.bin
build() {
    "$RISCV_CC" -march=rv32im_zicsr_zba_zbb -mabi=ilp32 -std=c11 -O2 -g -nostdlib -ffreestanding \
        -I"$srcdir/firmware/bare" -I"$srcdir/src/arch/blackhole" "-DROLE=$2" "-DHART=$3" \
        "-Wl,--defsym=TEXT_BASE=$4" "-Wl,--defsym=MAILBOX=$(($4 + 0x8000))" \
        -Wl,--no-warn-rwx-segments -Wl,--build-id=none -Wl,-T,"$srcdir/firmware/bare/bare.ld" \
        "$srcdir/firmware/bare/crt0.S" "$srcdir/tests/gdb/targets.c" -o "$work/$1.elf" -lgcc &&
        "$objcopy" -O binary "$work/$1.elf" "$work/$1.bin" || exit 1
}
build brisc-1-2 COUNTER 0 0
build trisc1-1-2 FEEDER 2 0x20000
build brisc-2-2 SENDER 0 0
build brisc-3-2 IDLER 0 0
build trisc0-3-2 IDLER 1 0x10000
