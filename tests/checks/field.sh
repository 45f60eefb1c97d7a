#!/bin/bash
# Mistakes that the vendor has found and described in public, rebuilt in kernels of our own: each is named at its
# line, and nothing is said of its repaired twin. tm#N is issue or pull request N of tenstorrent/tt-metal, llk#N of
# tenstorrent/tt-llk.
#
#   PENROSE_CASES   a regular expression: only cases whose name matches it
#
# Not rebuilt: tm#53412 and tm#53415, whose causes lie in the hardware by what is said there, and tm#55180 and llk#97,
# which tell symptoms only.
#
# SKIP without the firmware (scripts/fetch-firmware), the RISC-V cross compiler, and Python's numpy.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.bash" || exit 1
# shellcheck source=tests/checks/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# before LINE TEXT: a sed script that puts TEXT, with \n between its lines, in front of the first line that matches LINE.
before() {
    printf '%s' "0,/$1/ s|^( *)($1.*)|\\1$2\\n\\1\\2|;"
}

# tm#40879: a writer increments a semaphore of another tile, and ends without noc_async_atomic_barrier().
finds "tm#40879" noc-open 'semaphore_add\(ARRIVED' 'noc_async_atomic_barrier' gather brisc.c '/atomic_barrier/d'
clean "tm#40879, repaired" gather

# tm#41408: coordinates that nobody has given are (0, 0), a bank of DRAM, and its data lie on another multiple of 64.
zeros='noc_read(0, 0x32e0, cb_interface[PAGES].write, 32); // zeros'
finds "tm#41408" noc-alignment '// zeros' 'read of 32 bytes at 0x32e0 of DRAM .*equal modulo 64' copy ncrisc.c "$(before 'page_read' "$zeros")"
clean "tm#41408, repaired" copy ncrisc.c "$(before 'page_read' "${zeros/(0/(own_tile()}")"

# tm#53416: unpack and math change the base of Dst of the unpacker, each before it waits for the other.
aim='config_change(THCON_SEC0_REG5_Dest_cntx0_address, 64 + left % 2);'
mutex='tensix_push(WORD(ATGETM, .index = 0));' release='tensix_push(WORD(ATRELM, .index = 0));'
idle='PUSH(STALLWAIT, .block_mask = BLOCK_CONFIG, .condition_mask = WAIT_UNPACKER0);'
of_unpack="$(before 'cb_wait_pages\(INPUT_A, 1\);' "$idle\\n$aim")"
of_math="$(before 'math_begin\(\);' "${aim/64 + left/65 + left}")"
finds "tm#53416" config-race 'config_change\(THCON_SEC0_REG5' \
    'changes THCON_SEC0_REG5_Dest_cntx0_address in a word that RMWCIB0 of trisc[01]' add trisc.c "$of_unpack $of_math"
clean "tm#53416, repaired" add trisc.c "${of_unpack/"$aim"/$mutex\\n$aim\\n$release} ${of_math/"${aim/64 + left/65 + left}"/$mutex\\n${aim/64 + left/65 + left}\\n$release}"

# llk#1658, item 1: the packer's relu is set by a WRCFG of the whole word, in which math has flags of its own.
relu='PUSH(STALLWAIT, .block_mask = BLOCK_CONFIG, .condition_mask = WAIT_PACKER);\n        gpr_set(20, 0);\n        PUSH(STALLWAIT, .block_mask = BLOCK_CONFIG, .condition_mask = WAIT_SCALAR);\n        PUSH(WRCFG, .input_reg = 20, .cfg_index = STACC_RELU_ApplyRelu_WORD); // relu'
flag='config_change(ALU_ACC_CTRL_Zero_Flag_disabled_src, left % 2);'
finds "llk#1658, item 1" config-race '// relu' \
    'WRCFG changes ALU_ACC_CTRL_Zero_Flag_disabled_src in a word that RMWCIB0 of trisc1' add trisc.c \
    "$(before 'math_begin\(\);' "$flag") $(before 'half = pack_end' "$relu")"
clean "llk#1658, item 1, repaired" add trisc.c \
    "$(before 'math_begin\(\);' "$mutex\\n$flag\\n$release") $(before 'half = pack_end' "$mutex\\nconfig_change(STACC_RELU_ApplyRelu, 0);\\n$release")"

# tm#53413, repaired by tm#54483: unpack gives dummy banks behind its tiles, and math gives them back without having
# waited for them.
give='PUSH(STALLWAIT, .block_mask = BLOCK_UNPACK, .condition_mask = WAIT_SRC_A_UNPACK);\nPUSH(UNPACR_NOP_SETDVALID, .set_dvalid = 1); // dummy'
wait='PUSH(STALLWAIT, .block_mask = BLOCK_MATRIX, .condition_mask = WAIT_SRC_A_MATRIX);'
take='PUSH(SETRWC, .clear_ab_vld = 1); // clears'
finds "tm#53413" race-state '// clears' 'SETRWC gives back a bank of SrcA that the Matrix Unit does not have' add trisc.c \
    "$(before 'cb_pop_unpacked\(INPUT_B, 1\);' "$give") $(before 'half = math_end' "$take")"
clean "tm#53413, repaired" add trisc.c \
    "$(before 'cb_pop_unpacked\(INPUT_B, 1\);' "$give") $(before 'half = math_end' "$wait\\n$take")"

# tm#54689, an artefact of the vendor's tool and no race: math pushes NOPs for the unpackers.
clean "tm#54689" add trisc.c "$(before 'math_begin\(\);' 'for (unsigned i = 0; i < 80; i++) {\n            PUSH(UNPACR_NOP_NOP);\n        }')"
finish
