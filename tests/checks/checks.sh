#!/bin/bash
# Checks on kernels of our own with one mistake each: `penrose run --check` names the mistake, at its
# line, and says nothing of the kernels as they are.
#
#   PENROSE_CASES   a regular expression: only cases whose name matches it
#
# SKIP without the firmware (scripts/fetch-firmware), the RISC-V cross compiler, and Python's numpy.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.bash" || exit 1

# shellcheck source=tests/checks/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

for good in add copy gather matmul; do
    clean "$good as it is" "$good"
done

# --- The NoC ---

finds "pushed before the barrier" noc-unwaited 'cb_push_pages\(INPUT_A' \
    'pushes pages of circular buffer 0, which the NoC read of ncrisc \(.*ncrisc.c:14\) fills; noc_async_read_barrier' \
    add ncrisc.c '/read_barrier/d'
finds "the barrier comes too late" noc-unwaited 'cb_push_pages' 'noc_async_read_barrier\(\) is missing' \
    copy ncrisc.c '/read_barrier/d; s/^(.*)cb_push_pages\(PAGES, 1\);/&\n\1read_barrier();/'
finds "read by the hart before the barrier" noc-unwaited 'volatile uint32_t' \
    'read of 4 bytes at 0x[0-9a-f]+, which the NoC read of ncrisc \(.*ncrisc.c:[0-9]+\) fills' \
    copy ncrisc.c 's/^( *)read_barrier\(\);/\1(void)*(volatile uint32_t *)cb_interface[PAGES].write;\n&/'
finds "sent on before the barrier" noc-unwaited 'noc_write\(all \+ 4' \
    'a NoC write sends bytes at 0x[0-9a-f]+, which the NoC read of brisc' \
    gather brisc.c 's/^    for \(/    noc_read(neighbour, all, all + 4096 * 12, 64);\n    noc_write(all + 4096 * 12, neighbour, all + 4096 * 13, 64);\n    read_barrier();\n&/'
finds "popped before it has left" noc-source 'cb_pop_pages\(RESULT' \
    'pops pages of circular buffer 16, which the NoC write of brisc \(.*brisc.c:[0-9]+\) sends; noc_async_writes_flushed' \
    add brisc.c '/write_departure/d'
finds "changed before it has left" noc-source 'volatile uint32_t' \
    'write of 4 bytes at 0x[0-9a-f]+, which the NoC write of brisc' \
    copy brisc.c 's/^( *)write_departure\(\);/\1*(volatile uint32_t *)cb_interface[PAGES].read = 0;\n&/'
finds "the source of a multicast of a semaphore" noc-source 'semaphore_set\(panel->valid, 0' \
    'which the NoC write of ncrisc' \
    matmul panel.h 's/^( *)semaphore_multicast\(panel->valid, .*/&\n\1semaphore_set(panel->valid, 0);\n\1semaphore_set(panel->valid, 1);/'
finds "a copy in its own tile is sent on" noc-unwaited 'noc_write\(all \+ position \* size, neighbour' \
    'a NoC write sends bytes at 0x[0-9a-f]+, which the NoC write of brisc \(.*\) to its own tile fills; noc_async_write_barrier' \
    gather brisc.c '0,/write_barrier/{/write_barrier/d}'
flag='*(volatile uint32_t *)0x100000 = 5;\n    noc_write(0x100000, own_tile(), 0x100040, 4);\n'
polls='    while (*(volatile uint32_t *)0x100040 != 5) {\n        fence();\n    }\n'
last='*(volatile uint32_t *)(all + position * size + size - 4)'
clean "a copy in its own tile whose last word is polled" gather brisc.c \
    "0,/write_barrier/ s/^    write_barrier.*/    while ($last == 0) {\\n        fence();\\n    }/; s/^    noc_write\\(common/    $last = 0;\\n&/"
clean "a copy in its own tile with a flag behind it" gather brisc.c "0,/write_barrier/ s|^    write_barrier.*|    $flag$polls|"
clean "a copy in its own tile that is posted" gather brisc.c \
    '0,/write_barrier/ s/^    write_barrier.*/    request(BUFFER_WRITE, CONTROL_WRITE \& ~CTRL_RESPONSE, (struct noc_end){own_tile(), common_argument(ARG_SHARD)}, (struct noc_end){own_tile(), all + position * size}, size);\n    while (NIU_COUNTER(11) == 0) {\n    }\n    for (volatile unsigned i = 0; i < 200; i++) {\n    }/; s/^    noc_write\(common.*//'
finds "a register of an initiator that may be busy" noc-busy-buffer 'LENGTH\) = 64' \
    'changes a register of request initiator 0, and the request of brisc .* may not have left it' \
    gather brisc.c "s|^    atomic_barrier.*|&\\n    $flag    NIU_BUFFER(BUFFER_WRITE, LENGTH) = 64;\\n    write_barrier();|"
clean "a register of an initiator behind a round trip" \
    gather brisc.c "s|^    atomic_barrier.*|&\\n    $flag$polls    NIU_BUFFER(BUFFER_WRITE, LENGTH) = 64;\\n    write_barrier();|"
clean "a register of an initiator that stays as it is" \
    gather brisc.c "s|^    atomic_barrier.*|&\\n    $flag    NIU_BUFFER(BUFFER_WRITE, LENGTH) = 4;\\n    write_barrier();|"
twice='NIU_BUFFER(BUFFER_READ, COMMAND) = 1;\n        reads_due++;'
finds "a request behind another one" noc-busy-buffer 'COMMAND\) = 1' \
    'changes a register of request initiator 1, and the request of ncrisc .* may not have left it; a loop until' \
    copy ncrisc.c "s/^( *)page_read\\(.*/&\\n\\1$twice/"
clean "a request when another one has left" \
    copy ncrisc.c "s/^( *)page_read\\(.*/&\\n\\1wait_for_buffer(BUFFER_READ);\\n\\1$twice/"
finds "an atomic at the end" noc-open 'semaphore_add\(ARRIVED' \
    'the kernel ends and has not waited for this NoC atomic; noc_async_atomic_barrier' \
    gather brisc.c '/atomic_barrier/d'
finds "a write at the end" noc-open 'noc_write\(all \+ 4' 'has not waited for this NoC write' \
    gather brisc.c 's/^    atomic_barrier\(\);/&\n    noc_write(all + 4096 * 12, neighbour, all + 4096 * 12, 64);/'
clean "a posted write at the end that has left" gather brisc.c \
    's/^    atomic_barrier\(\);/&\n    request(BUFFER_WRITE, CONTROL_WRITE \& ~CTRL_RESPONSE, (struct noc_end){own_tile(), all}, (struct noc_end){neighbour, 0x100000}, 64);\n    while (NIU_COUNTER(11) == 0) {\n    }/'
finds "a write at the end that has left" noc-open 'page_write' \
    'has not waited for this NoC write; noc_async_write_barrier' copy brisc.c '/write_barrier/d'
finds "a read at the end" noc-open 'noc_read\(neighbour' 'has not waited for this NoC read' \
    gather brisc.c 's/^    atomic_barrier\(\);/&\n    noc_read(neighbour, all, all + 4096 * 12, 64);/'
end='atomic_barrier\(\);'
read_into=('noc_read(neighbour, common_argument(ARG_SHARD), 0x100000, 64);' 'read_barrier();' 'noc_write(0x100000, neighbour, 0x100100, 64);')
finds "read into what is still sent" noc-source '0x100000, 64\); // again' \
    'a NoC read brings bytes to 0x100000, which the NoC write of brisc .* sends; noc_async_writes_flushed' \
    gather brisc.c "$(behind "$end" "${read_into[@]}" 'noc_read(neighbour, all, 0x100000, 64); // again' 'read_barrier();' 'write_barrier();')"
clean "read into what has left" gather brisc.c "$(behind "$end" "${read_into[@]}" 'write_departure();' 'noc_read(neighbour, all, 0x100000, 64);' 'read_barrier();' 'write_barrier();')"
clear='*(volatile uint32_t *)0x100000 = 0;'
finds "cleared while it is read" noc-unwaited '0x100000 = 0' \
    'write of 4 bytes at 0x100000, which the NoC read of brisc .* fills; noc_async_read_barrier' \
    gather brisc.c "$(behind "$end" 'noc_read(neighbour, all, 0x100000, 64);' "$clear" 'read_barrier();')"
clean "cleared before it is read" gather brisc.c "$(behind "$end" "$clear" 'fence();' 'noc_read(neighbour, all, 0x100000, 64);' 'read_barrier();')"
spill='noc_write(all, page_tile(0), 0x3000000 + get_argument(ARG_POSITION) * 64, 64);'
restore='noc_read(page_tile(0), 0x3000000 + get_argument(ARG_POSITION) * 64, 0x100000, 64);'
description='s/^    "l1"/    "dram": {"told": {"page_size": 1024, "address": 50331648}},\n&/'
finds "read back from DRAM before it is there" noc-unwaited '0x100000, 64' \
    'a NoC read asks for bytes at 0x30[0-9a-f]+ of another place, which the NoC write of brisc .* still brings there' \
    gather brisc.c "$(behind "$end" "$spill" "$restore" 'read_barrier();' 'write_barrier();')"
clean "read back from DRAM" gather brisc.c "$(behind "$end" "$spill" 'write_barrier();' "$restore" 'read_barrier();')"
description=

# What tells of data and goes another way than they do; what keeps their order is no mistake.
tell='semaphore_add\(ARRIVED, neighbour, 1\);'
finds "told of on another virtual channel" noc-order 'request\(BUFFER_ATOMIC' \
    'may overtake the data of the NoC write of brisc \(.*brisc.c:[0-9]+\), of which it tells tile .*different virtual channels' \
    gather brisc.c "/^        write_barrier/d; s/^    atomic_barrier/    write_barrier();\\n&/; s/$tell/wait_for_buffer(BUFFER_ATOMIC);\\n        NIU_BUFFER(BUFFER_ATOMIC, DATA) = 1;\\n        request(BUFFER_ATOMIC, CONTROL_ATOMIC | CTRL_CHANNEL << 1, (struct noc_end){neighbour, semaphore_address(ARRIVED)}, (struct noc_end){own_tile(), ATOMIC_ANSWER}, ATOMIC_INCREMENT | (semaphore_address(ARRIVED) >> 2 \\& 3));\\n        atomics_due++;/"
clean "told of on the same virtual channel" gather brisc.c '/^        write_barrier/d; s/^    atomic_barrier/    write_barrier();\n&/'
free='request(BUFFER_WRITE, CONTROL_WRITE \& ~CTRL_STATIC, (struct noc_end){own_tile(), all + position * size}, (struct noc_end){neighbour, all + position * size}, size);\n        writes_due++;\n        writes_sent_due++;'
finds "data on any virtual channel" noc-order 'semaphore_add\(ARRIVED' 'may overtake the data of the NoC write' \
    gather brisc.c "/^        write_barrier/d; s/^    atomic_barrier/    write_barrier();\\n&/; s/noc_write\\(all \\+ position \\* size, neighbour, .*/$free/"
clean "a barrier behind data on any virtual channel" gather brisc.c "s/noc_write\\(all \\+ position \\* size, neighbour, .*/$free/"
share='    noc_write(all, page_tile(0), 0x3000000 + get_argument(ARG_POSITION) * 64, 64);\n    semaphore_add(ARRIVED, neighbour, 1); \/\/ told\n    semaphore_wait_at_least(ARRIVED, tiles);\n    noc_read(page_tile(0), 0x3000000 + (get_argument(ARG_POSITION) + tiles - 1) % tiles * 64, 0x100000, 64);\n    read_barrier();\n    write_barrier();'
finds "data in DRAM of which a neighbour is told" noc-order '// told' 'they go to different tiles; noc_async_write_barrier' \
    gather brisc.c "s/^    atomic_barrier/$share\\n&/"
description='s/^    "l1"/    "dram": {"told": {"page_size": 1024, "address": 50331648}},\n&/'
clean "data in DRAM that are there" gather brisc.c "s/^    atomic_barrier/${share/    semaphore_add/    write_barrier();\\n    semaphore_add}\\n&/"
told_again=${share/    semaphore_wait_at_least(ARRIVED, tiles)/    write_barrier();\\n    semaphore_add(ARRIVED, neighbour, 1);\\n    semaphore_wait_at_least(ARRIVED, tiles + 1)}
clean "told again of data in DRAM that are there" gather brisc.c "s/^    atomic_barrier/$told_again\\n&/"
description=
finds "told by a unicast of what a multicast brings" noc-order 'semaphore_add\(panel->valid' \
    'multicasts have virtual channels of their own' \
    matmul panel.h 's/^( *)semaphore_multicast\(panel->valid, .*/\1semaphore_add(panel->valid, (panel->rectangle >> 12 \& 0xfff) == own_tile() ? panel->rectangle \& 0xfff : panel->rectangle >> 12 \& 0xfff, 1);/'
ids='static void read_as(uint32_t id, const struct pages *pages, uint32_t page, uint32_t l1)\n{\n    struct noc_end from = {page_tile(page), page_address(pages, page)}, to = {own_tile(), l1};\n    wait_for_buffer(BUFFER_READ);\n    put_end(BUFFER_READ, TARGET, from);\n    put_end(BUFFER_READ, RETURN, to);\n    NIU_BUFFER(BUFFER_READ, PACKET_TAG) = id << 10;\n    NIU_BUFFER(BUFFER_READ, CONTROL) = CONTROL_READ;\n    NIU_BUFFER(BUFFER_READ, LENGTH) = pages->size;\n    NIU_BUFFER(BUFFER_READ, COMMAND) = 1;\n}\n\n'
finds "a barrier for another transaction id" noc-unwaited 'cb_push_pages' 'pushes pages of circular buffer 0, which the NoC read of ncrisc' \
    copy ncrisc.c "s/^void kernel_main/$ids&/; s/page_read\\(/read_as(2, /; s/read_barrier\\(\\);/while (NIU_COUNTER(16 + 1) != 0) {\\n        }/"
clean "a barrier for the transaction id" \
    copy ncrisc.c "s/^void kernel_main/$ids&/; s/page_read\\(/read_as(2, /; s/read_barrier\\(\\);/while (NIU_COUNTER(16 + 2) != 0) {\\n        }/"
finds "more destinations than the rectangle has" noc-count 'noc_multicast\(part' \
    'the multicast reaches [0-9]+ tiles besides its own, and the barrier of .* waits for [0-9]+ answers too many' \
    matmul panel.h 's/(noc_multicast.part.*)panel->receivers\)/\1panel->receivers + 1)/'
finds "fewer destinations than the rectangle has" noc-count 'semaphore_multicast\(panel' \
    'the multicast reaches [0-9]+ tiles besides its own, and the barrier of .* waits for [0-9]+ answers too few' \
    matmul panel.h 's/(semaphore_multicast.panel->valid.*)panel->receivers\)/\1panel->receivers - 1)/'
finds "a counter that was not loaded before" noc-count 'write_departure' \
    'waits by a counter of NoC 1 which it has not loaded before brisc .* changed it; kernels before' \
    add brisc.c '/dataflow_begin/d'

# --- Circular buffers ---

finds "no cb_wait_front" cb-count 'cb_pop_pages\(PAGES' 'pops 1 pages of circular buffer 0' \
    copy brisc.c '/cb_wait_pages/d'
finds "no cb_reserve_back" cb-count 'cb_push_pages\(PAGES' \
    'pushes 1 pages to circular buffer 0, in which it has seen room for 0; cb_reserve_back\(\) is missing' \
    copy ncrisc.c '/cb_reserve_pages/d'
clean "no cb_reserve_back for pages that all fit" copy ncrisc.c \
    's/^( *)(cb_reserve_pages.*)/\1if (page >= share.first + 4) {\n\1    \2\n\1}/'
finds "a page that nobody pops" cb-count 'cb_push_pages\(PAGES' \
    'the kernels end, and of 17 pages that were pushed to circular buffer 0 only 16 were popped' \
    copy ncrisc.c 's/page < share.end/page <= share.end/'
finds "pops more than it waits for" cb-count 'cb_pop_pages\(PAGES' 'pops 2 pages of circular buffer 0' \
    copy brisc.c 's/cb_pop_pages\(PAGES, 1\)/cb_pop_pages(PAGES, 2)/'
finds "pushes more than it has room for" cb-count 'cb_push_pages\(PAGES' \
    'pushes 2 pages to circular buffer 0, in which it has seen room for 1' \
    copy ncrisc.c 's/cb_push_pages\(PAGES, 1\)/cb_push_pages(PAGES, 2)/'
finds "pushes more than there are" cb-count 'cb_push_pages\(INPUT_A' 'pushes 3 pages to circular buffer 0, which has 2' \
    add ncrisc.c 's/cb_push_pages\(INPUT_A, 1\)/cb_push_pages(INPUT_A, 3)/'
finds "reads a page that it has popped" cb-access 'page_write' 'reads page [0-3] of circular buffer 0' \
    copy brisc.c 's/^( *)page_write(.*)cb_interface\[PAGES\].read\);/\1const uint32_t at = cb_interface[PAGES].read;\n\1cb_pop_pages(PAGES, 1);\n\1page_write\2at);/; 0,/cb_pop_pages\(PAGES, 1\);\n/! {/^ *cb_pop_pages\(PAGES, 1\);$/d}'
finds "reads the page behind the one that it waits for" cb-access 'page_write' \
    'reads page [0-3] of circular buffer 0' \
    copy brisc.c 's/cb_interface\[PAGES\].read\)/cb_interface[PAGES].read + (page > 5 \&\& cb_filled(PAGES) == 1 ? 2048 : 0))/'
finds "writes a page for which there is no room" cb-access 'page_read' \
    'writes page [0-3] of circular buffer 0 \(0x[0-9a-f]+\), in which it has seen no room for it' \
    copy ncrisc.c 's/^( *)cb_reserve_pages\(PAGES, 1\);//; s/^( *)read_barrier\(\);/&\n\1cb_reserve_pages(PAGES, 1);/'

# A loop that waits tells of the pages that it asks for, however many there are.
two='s/page\+\+/page += 2/; s/^( *)(page_write.*, )page, (.*)\);/\1\2page, \3);\n\1\2page + 1, \3 + to.size);/; s/pop_pages\(PAGES, 1/pop_pages(PAGES, 2/'
finds "writes two pages and waits for one" cb-access 'page \+ 1' \
    'reads page [0-3] of circular buffer 0 .*, for which it has not waited' copy brisc.c "$two"
clean "writes two pages and waits for two" copy brisc.c "$two; s/wait_pages\\(PAGES, 1/wait_pages(PAGES, 2/"
number='s/^( *)cb_wait_pages.*/\1unsigned there;\n\1do {\n\1    there = cb_filled(PAGES);\n\1} while (there == 0);/; s/^( *)page_write.*/\1for (unsigned i = 0; i < there; i++) {\n\1    page_write(\&to, page + i, cb_interface[PAGES].read + i * to.size);\n\1}/; s/page\+\+//; s/^( *)cb_pop_pages.*/\1cb_pop_pages(PAGES, there);\n\1page += there;/'
description='s/"pages": [0-9]+/"pages": 16/'
clean "takes as many pages as it has seen" copy brisc.c "$number"
description=
fill='s/page\+\+/page += 2/; s/^( *)(page_read.*, )page, (.*)\);/\1\2page, \3);\n\1\2page + 1, \3 + from.size);/; s/push_pages\(PAGES, 1/push_pages(PAGES, 2/'
finds "fills two pages and reserves one" cb-access 'page \+ 1' \
    'writes page [0-3] of circular buffer 0 .*, in which it has seen no room' copy ncrisc.c "$fill"
clean "fills two pages and reserves two" copy ncrisc.c "$fill; s/reserve_pages\\(PAGES, 1/reserve_pages(PAGES, 2/"

description='s/\{"id": 16,/{"id": 5, "pages": 1, "page_size": 1024},\n        &/'
clean "a page as memory of the hart that has pushed it" \
    add ncrisc.c 's/^    dataflow_begin\(\);/&\n    cb_reserve_pages(5, 1);\n    volatile uint32_t *own = (volatile uint32_t *)cb_interface[5].write;\n    cb_push_pages(5, 1);\n    *own = count;/'
description=
finds "pushes that cross the end" cb-count 'cb_push_pages\(PAGES, 3\)' \
    'pushes 3 pages of circular buffer 0 at once, the first of which is page 3 of 4: they cross the buffer.s end' \
    copy ncrisc.c 's/PAGES, 1\)/PAGES, 3)/; s/^( *)page_read.*/\1for (uint32_t i = 0; i < 3; i++) {\n&\n    }/; s/share.end; page\+\+/share.end \&\& page < share.first + 6; page += 3/'
clean "pushes that end at the end" \
    copy ncrisc.c 's/PAGES, 1\)/PAGES, 2)/; s/^( *)page_read\((.*)page, (.*)\);/\1for (uint32_t i = 0; i < 2; i++) {\n        page_read(\2page + i, \3 + i * common_argument(ARG_PAGE_SIZE));\n    }/; s/share.end; page\+\+/share.end; page += 2/'
finds "writes beyond the end of the buffer" cb-access 'noc_read' \
    'writes [0-9]+ bytes at 0x[0-9a-f]+, which go beyond the end of circular buffer 0 at 0x' \
    copy ncrisc.c 's/page_read\(.*/noc_read(page_tile(page), page_address(\&from, page), cb_interface[PAGES].write, page == share.first + 3 ? from.size + 64 : from.size);/'
finds "writes into the page behind the one it has reserved" cb-access 'noc_read' \
    'writes page [0-3] of circular buffer 0 \(0x[0-9a-f]+\), in which it has seen no room for it' \
    copy ncrisc.c 's/^( *)cb_reserve_pages.*/&\n\1while (page >= share.first + 4 \&\& cb_filled(PAGES) != 3) {\n\1}/; s/page_read\(.*/noc_read(page_tile(page), page_address(\&from, page), cb_interface[PAGES].write, page == share.first + 4 ? from.size + 64 : from.size);/'
half='noc_read(page_tile(tile), page_address(\&b, tile), cb_interface[INPUT_B].write, b.size \/ 2);'
finds "half a page" cb-access 'noc_read\(page_tile' \
    'only 1024 of the 2048 bytes of page 0 of circular buffer 1 were written when it was pushed; the others are read by trisc0 \(.*trisc.c:[0-9]+' \
    add ncrisc.c "s/page_read\\(&b.*/$half/"
clean "a page in two halves" add ncrisc.c "s/page_read\\(&b.*/$half\\n        noc_read(page_tile(tile), page_address(\\&b, tile) + b.size \\/ 2, cb_interface[INPUT_B].write + b.size \\/ 2, b.size \\/ 2);/"

finds "a page that is filled and not pushed" cb-count 'cb_push_pages\(PAGES' \
    'pushes pages of circular buffer 0, but not page [0-9], which ncrisc .* had filled, and which is filled again' \
    copy ncrisc.c 's/^( *)page_read.*/\1page_read(\&from, page, cb_interface[PAGES].write);\n\1page_read(\&from, page + 1, cb_interface[PAGES].write + from.size);/; s/cb_reserve_pages\(PAGES, 1/cb_reserve_pages(PAGES, 2/; s/page\+\+/page += 2/'
description='s/"id": 1, "pages": 2/"id": 1, "pages": 8/'
finds "no cb_pop_front" cb-count 'cb_push_pages\(INPUT_B' \
    'of 2 pages that were pushed to circular buffer 1 were neither read nor popped, though others were read; cb_pop_front\(\)' \
    add trisc.c '/cb_pop_unpacked\(INPUT_B/d' ncrisc.c
description='s/\{"id": 16/{"id": 5, "pages": 2, "page_size": 64}, &/'
two='    cb_reserve_pages(5, 2);\n    ((volatile uint32_t *)cb_back(5))[0] = 1;\n    fence();\n    cb_push_pages(5, 2);'
clean "two constants of which one is needed" add trisc.c \
    "s/^    pack_configure.*/&\n$two/; s/^    unpack_configure.*/&\n    cb_wait_pages(5, 1);\n    (void)((volatile uint32_t *)cb_front(5))[0];/"
description='s/\{"id": 16/{"id": 5, "pages": 3, "page_size": 64}, &/'
clean "a buffer that one hart alone uses" add \
    ncrisc.c 's/^( *)dataflow_begin.*/&\n\1cb_reserve_pages(5, 3);\n\1volatile uint32_t *own = (volatile uint32_t *)cb_interface[5].write;\n\1own[0] = 1;\n\1own[1] = own[0];\n\1cb_push_pages(5, 3);/'
description='s/("sum.npy", "format": "Float)16_b/\132/'
finds "half a page is packed" cb-access 'pack_tile\(0' \
    'only 2048 of the 4096 bytes of page 0 of circular buffer 16 were written when it was pushed; the others are read by brisc' \
    add trisc.c 's/return common_argument\(ARG_FORMAT_RESULT\)/return common_argument(ARG_FORMAT_A)/'
clean "a whole page is packed" add
description=

place() { echo "s/\"id\": $1,/& \"address\": $2,/"; }
description="$(place 0 1114112); $(place 1 1122304); $(place 16 1124352)"
finds "buffers that overlap" cb-access 'pack_tile\(0' \
    'writes a page of circular buffer 16 over page 1 of circular buffer 1, since they overlap; nobody has popped it yet, and it is read by trisc0' \
    add trisc.c 's/^( *)pack_begin\(\);/&\n        while (cb_filled(INPUT_B) == 1 \&\& left > 1) {\n        }/'
description="$(place 0 1114112); $(place 1 1122304); $(place 16 1126400)"
clean "buffers side by side" add
again='s/left = own_tiles\(\)/left = own_tiles() + 1/; s/\(INPUT_([AB]), 1/(left > 1 ? INPUT_\1 : RESULT, 1/; s/wait_pages\(left > 1 \? INPUT_B : RESULT, 1/wait_pages(left > 1 ? INPUT_B : RESULT, left > 1 ? 1 : 2/; s/cb_front\(INPUT_([AB])\)/cb_front(left > 1 ? INPUT_\1 : RESULT)/g'
description='s/"id": 16, "pages": 2/"id": 16, "pages": 4/; s/, "brisc"\]/]/'
clean "a result that is added again" add trisc.c "$again"
description+='; s/("sum.npy", "format": "Float16)_b/\1/'
finds "unpacked in another format" cb-format 'unpack_tiles' \
    'unpacks page 0 of circular buffer 16 as Float16_b, and it was packed as Float16 by trisc2' add trisc.c "$again"
description=
description='s/"grid": "4x4"/"grid": "2x2"/'
finds "pushed before a multicast brings the data" cb-access 'cb_push_pages' \
    'pushes page [0-9]+ of circular buffer [01], and the data that .* of tile .* come behind that' \
    matmul panel.h '/semaphore_set.panel->valid, 0/d'
description=

more='s/"pages": 4/"pages": 2, "address": 1114112/; s/"room": [^}]*[}]/"room": {"page_size": 4096, "address": 1118208}/'
description=$more
clean "a buffer that its kernels enlarge" copy copy.h \
    's/^    const uint32_t count/    cb_interface[PAGES].pages *= 2;\n    cb_interface[PAGES].limit += cb_interface[PAGES].size;\n    cb_interface[PAGES].size *= 2;\n&/'
description=

adds='PUSH(STALLWAIT, .block_mask = BLOCK_CONFIG, .condition_mask = WAIT_PACKER);\n        config_change(THCON_SEC0_REG1_Pack_L1_Acc, '
finds "adds to a page that nobody has written" cb-access 'pack_tile\(0' \
    'adds to page 0 of circular buffer 16 \(Pack_L1_Acc\), which nobody has written since the launch' \
    add trisc.c "s/^( *)pack_begin\\(\\);/&\\n        ${adds}1);/"
description='s/, "brisc"\]/]/'
clean "adds to what nobody pops" add trisc.c "s/^( *)pack_begin\\(\\);/&\\n        ${adds}1);/"
description=
clean "adds to a page that was packed" \
    add trisc.c "s/^( *)pack_tile\\(0.*/&\\n        ${adds}1);\\n&\\n        ${adds}0);/"

# --- Races ---

finds "no tile_regs_wait" race-dst 'pack_tile\(0' \
    'PACR uses Dst row [0-9]+, which ELWADD of trisc1 \(.*trisc.c:64.*\) writes; tile_regs_wait\(\)' \
    add trisc.c 's/^( *)pack_begin\(\);//'
one_half='s/half = math_end\(half\);/half = math_end(half | 1);/; s/half = pack_end\(half\);/half \&= pack_end(half | 1);/'
finds "no tile_regs_acquire" race-dst 'mop_run\(\)' \
    'ELWADD writes Dst row [0-9]+, which PACR of trisc2 \(.*\) reads, and its thread has not waited .*; tile_regs_acquire\(\)' \
    add trisc.c "s/^( *)math_begin\\(\\);//; $one_half"
finds "a semaphore that lets two into one half" race-dst 'mop_run\(\)' \
    'ELWADD uses Dst row [0-9]+, which PACR of trisc2' add trisc.c "$one_half"
clean "a semaphore that lets one into one half" add trisc.c \
    "s/^( *)meet\\(\\);/\\1semaphore_init(MATH_PACK, 1);\\n&/; $one_half"
finds "posted before the Matrix Unit is done" race-dst 'semaphore_post\(MATH_PACK' \
    'SEMPOST lets PACR of trisc2 \(.*\) use Dst row [0-9]+ while ELWADD may still .*STALLWAIT\(STALL_SYNC, MATH\)' \
    add trisc.c 's/half = math_end\(half\);/semaphore_post(MATH_PACK);\n        PUSH(STALLWAIT, .block_mask = BLOCK_CONFIG, .condition_mask = WAIT_MATRIX);\n        half = !half;\n        math_select(half, 0);/'
end_of_math='PUSH(STALLWAIT, .block_mask = BLOCK_SYNC, .condition_mask = WAIT_MATRIX);\n        semaphore_post(MATH_PACK);\n        half = !half;\n        math_select(half, 0);'
wait_for_math='PUSH(STALLWAIT, .block_mask = BLOCK_VECTOR, .condition_mask = WAIT_MATRIX);'
finds "posted before the Vector Unit is done" race-dst 'semaphore_post\(MATH_PACK' \
    'use Dst row [0-9]+ while SFPSTORE may still be at it; STALLWAIT\(STALL_SYNC, WAIT_SFPU\)' \
    add trisc.c "s/half = math_end\\(half\\);/$wait_for_math\\n        PUSH(SFPSTORE, .vd = 1, .mod0 = 2, .addr_mod = 3);\\n        $end_of_math/"
latest='PUSH(SFPLOAD, .vd = 1, .mod0 = 2, .addr_mod = 3, .imm10 = 60);' nop='PUSH(NOP);'
finds "the Vector Unit does not wait for the Matrix Unit" race-dst 'SFPLOAD' \
    'SFPLOAD uses Dst row [0-9]+, which ELWADD of trisc1 .* STALLWAIT\(STALL_SFPU, MATH\)' \
    add trisc.c "s/half = math_end\\(half\\);/$nop\\n        $latest\\n        &/"
clean "three instructions between the Matrix Unit and the Vector Unit" \
    add trisc.c "s/half = math_end\\(half\\);/$nop\\n        $nop\\n        $latest\\n        &/"
clean "the Vector Unit waits for the Matrix Unit" add trisc.c \
    "s/half = math_end\\(half\\);/$wait_for_math\\n        PUSH(SFPLOAD, .vd = 1, .mod0 = 2, .addr_mod = 3);\\n        PUSH(SFPSTORE, .vd = 1, .mod0 = 2, .addr_mod = 3);\\n        &/"
clean "the Matrix Unit reads what the Vector Unit has stored" add trisc.c \
    "s/half = math_end\\(half\\);/$wait_for_math\\n        PUSH(SFPSTORE, .vd = 9, .mod0 = 2, .addr_mod = 3);\\n        PUSH(SETRWC, .dst = 1);\\n        PUSH(MOVD2A, .addr_mod = 0);\\n        &/"
counters='PUSH(SETRWC, .bit_mask = 7);'
begins="math_select(half, 0);\\n        PUSH(SFPSTORE, .vd = 9, .mod0 = 2, .addr_mod = 3);\\n        $counters"
reads=
for row in 0 1 2 3; do
    reads+="PUSH(MOVD2A, .src_row = $row, .dst_row = $row, .addr_mod = 3);\\n        $counters\\n        "
done
finds "the Matrix Unit does not wait for the Vector Unit" race-dst 'mop_run\(\)' \
    'ELWADD uses Dst row [0-9]+, which SFPSTORE of trisc1 .* STALLWAIT\(STALL_MATH, WAIT_SFPU\)' \
    add trisc.c "s/math_select\\(half, 0\\);/$begins/"
clean "the Matrix Unit has read before what it writes" add trisc.c \
    "s/math_select\\(half, 0\\);/$begins\\n        $reads/"
finds "cleared before the packer is done" race-dst 'ZEROACC' \
    'ZEROACC uses Dst row [0-9]+, which PACR of trisc2 .* STALLWAIT\(STALL_MATH, PACK\)' \
    add trisc.c 's/^( *)half = pack_end\(half\);//; s/^( *)cb_push_packed.*/\1tensix_push(WORD(ZEROACC, .mode = 2, .use_dst32b = is_dst_32bit(), .addr_mod = 1, .dst_row = half));\n\1semaphore_get(MATH_PACK);\n&\n\1pack_select_half(!half);\n\1half = !half;/'
finds "pushed before the packer is done" race-l1 'cb_push_pages\(RESULT' \
    'pushes pages of circular buffer 16, which PACR of trisc2 .* may still write; tensix_sync\(\) is missing' \
    add trisc.c 's/cb_push_packed\(RESULT, 1\)/cb_push_pages(RESULT, 1)/'
finds "popped before the unpacker is done" race-l1 'cb_pop_pages\(INPUT_A' \
    'pops pages of circular buffer 0, which UNPACR of trisc0 .* may still read; tensix_sync\(\) is missing' \
    add trisc.c 's/cb_pop_unpacked\(INPUT_A, 1\)/cb_pop_pages(INPUT_A, 1)/'
description='s/"grid": "4x4"/"grid": "2x2"/'
finds "stores over what others have told" race-l1 'semaphore_set\(panel->ready' \
    'stores over 0x[0-9a-f]+, which .* of tile .* what it told gets lost; noc_semaphore_wait' \
    matmul panel.h '/semaphore_wait.panel->ready/d'
description=
load='gpr_set(61, 0x10000); PUSH(LOADIND, .size = 1, .result_reg = 60, .addr_reg = 61);'
add='PUSH(ADDDMAREG, .right_is_imm = 1, .right = 1, .result_reg = 62, .left_reg = 60);'
finds "a GPR before its load is there" gpr-hazard 'ADDDMAREG' \
    'ADDDMAREG reads GPR 60 before the result of LOADIND of trisc2 .*STALLWAIT\(STALL_THCON, THCON\)' \
    add trisc.c "s/^( *)half = pack_end\\(half\\);/\\1$load\\n\\1$add\\n&/"
clean "a GPR when its load is there" add trisc.c \
    "s/^( *)half = pack_end\\(half\\);/\\1$load\\n\\1PUSH(STALLWAIT, .block_mask = BLOCK_SCALAR, .condition_mask = WAIT_SCALAR);\\n\\1$add\\n&/"

select='tensix_push(WORD(WRCFG, .input_reg = half ? GPR_HALF0 : GPR_HALF1, .is_128bit = 1, .cfg_index = DEST_TARGET_REG_CFG_PACK_SEC0_Offset_WORD));'
pacr='PUSH(PACR, .read_intf_sel = 1, .zero_write = 1, .last = 1);'
idle='for (unsigned i = 0; i < 100; i++) {\n            PUSH(DMANOP);\n        }'
wait_for_packer='PUSH(STALLWAIT, .block_mask = BLOCK_CONFIG, .condition_mask = WAIT_PACKER);'
change='config_change(STACC_RELU_ReluThreshold, 1 + half);'
finds "configured while the packer may be at work" config-race 'config_change\(STACC' \
    'RMWCIB[0-3] changes STACC_RELU_ReluThreshold while PACR of trisc2 .*STALLWAIT\(STALL_CFG, PACK\)' \
    add trisc.c "s/^( *)half = pack_end\\(half\\);/\\1$idle\\n\\1$change\\n&/"
clean "configured when the packer is done" add trisc.c \
    "s/^( *)half = pack_end\\(half\\);/\\1$wait_for_packer\\n\\1$change\\n&/"
late='for (volatile unsigned i = 0; i < 300; i++) {\n        }\n        ' given='cb_pop_unpacked\(INPUT_A, 1\);'
deepens='config_change(THCON_SEC0_REG0_TileDescriptor_z_dim, 5);'
finds "changed while the unpacker may use it" config-race 'config_change\(THCON' \
    'RMWCIB2 changes THCON_SEC0_REG0_TileDescriptor_z_dim while UNPACR of trisc0 .*STALLWAIT\(STALL_CFG, UNPACK0\)' \
    add trisc.c "s/$given/$late$deepens\\n        &/"
clean "changed behind an UNPACR_NOP that waits for the unpacker" add trisc.c \
    "s/$given/PUSH(UNPACR_NOP_ZEROSRC, .wait_like_unpacr = 1);\\n        $late$deepens\\n        &/"
finds "used right behind WRCFG" config-race 'PUSH\(PACR' \
    'PACR uses a word of Config before WRCFG of trisc2 .* has written it; a NOP is missing' \
    add trisc.c "s/^( *)half = pack_end\\(half\\);/\\1$wait_for_packer\\n\\1$select\\n\\1$pacr\\n&/"
clean "used with a NOP behind WRCFG" add trisc.c \
    "s/^( *)half = pack_end\\(half\\);/\\1$wait_for_packer\\n\\1$select\\n\\1PUSH(DMANOP);\\n\\1$pacr\\n&/"
finds "a post that nobody takes" race-open 'semaphore_post\(5' \
    'nobody has taken this post of semaphore 5; a SEMGET is missing' \
    add trisc.c 's/^( *)half = math_end\(half\);/\1semaphore_post(5);\n&/'
clean "a post that is taken" add trisc.c 's/^( *)half = math_end\(half\);/\1semaphore_post(5);\n\1semaphore_get(5);\n&/'
finds "initialised behind a post" race-open 'semaphore_init' \
    'SEMINIT takes back the post of semaphore 1 by trisc1' \
    add trisc.c 's/^( *)math_begin\(\);/        semaphore_init(MATH_PACK, 2);\n&/'
finds "a bank of Src that is left" race-open 'SETDVALID' \
    'the Matrix Unit has not given back the bank of SrcA that this SETDVALID has handed over' \
    add trisc.c 's/^( *)cb_pop_unpacked\(INPUT_B, 1\);/&\n        if (left == 1) {\n            PUSH(SETDVALID, .set_valid = 1);\n        }/'

# --- Memory ---

finds "stores to a null pointer" null-access '\[1\] = 5' 'store to 0x00000004, where the program has no object' \
    copy ncrisc.c 's/^    dataflow_begin.*/&\n    ((volatile uint32_t *)get_argument(ARG_INDEX))[1] = 5;/'
finds "loads from a null pointer" null-access 'none\[1\]' 'load from 0x00000004, where the program has no object' \
    gather brisc.c 's/^    dataflow_begin.*/&\n    volatile uint32_t *volatile none = 0;\n    (void)none[1];/'
clean "loads the result of an atomic, which comes to address 4" \
    gather brisc.c 's/^    atomic_barrier.*/&\n    volatile uint32_t *volatile none = 0;\n    (void)none[1];/'
finds "writes to a null pointer of a neighbour" null-access 'neighbour, 0, 64' 'NoC request to 0x00000000' \
    gather brisc.c 's/^    atomic_barrier.*/&\n    noc_write(all, neighbour, 0, 64);\n    write_barrier();/'
finds "reads from DRAM to a null pointer" null-access 'page_read' 'NoC read to 0x00000000' \
    copy ncrisc.c 's/cb_interface\[PAGES\].write/get_argument(ARG_INDEX)/'
finds "stores over code of its own" code-overwritten 'kernel_main = 0' \
    'write of [24] bytes at 0x[0-9a-f]+, where the code of kernel_main \(ncrisc\) lies' \
    copy ncrisc.c 's/^    dataflow_begin.*/&\n    *(volatile uint32_t *)(uintptr_t)kernel_main = 0;/'
finds "reads from DRAM over code" code-overwritten 'page_read' 'NoC read of [0-9]+ bytes at 0x[0-9a-f]+, where the code of' \
    copy ncrisc.c 's/cb_interface\[PAGES\].write/(uint32_t)(uintptr_t)kernel_main \& ~63u/'
# An object right before the code of that section. It shares its last line of 64 bytes.
beside='__asm__(".pushsection SECTION; .balign 64; .type beside, @object; .size beside, 96; beside: .zero 96; .popsection");\nextern volatile uint32_t beside[24];\n\n'
finds "reads from DRAM into an object and over the code behind it" code-overwritten 'page_read' \
    'NoC read of 2048 bytes at 0x[0-9a-f]+, where the code of kernel_main \(ncrisc\) lies' \
    copy ncrisc.c "s/^void kernel_main/${beside/SECTION/.text}&/; s/cb_interface\\[PAGES\\].write/(uint32_t)(uintptr_t)(beside + 16) \\& ~63u/"
deep='static __attribute__((noinline)) uint32_t deep(uint32_t left)\n{\n    volatile uint32_t room[40];\n    room[0] = left;\n    return left ? deep(left - 1) + room[0] : 0; \/\/ frame\n}\n\n'
finds "a stack that grows into data" stack-overflow '^\{' \
    'the stack grows by [0-9]+ bytes to 0xffb0[0-9a-f]+, and its memory ends at 0xffb0' \
    copy ncrisc.c "s/^void kernel_main/$deep&/; s/^    dataflow_begin.*/&\n    *(volatile uint32_t *)0x100000 = deep(get_argument(ARG_TILES) * 40);/"
clean "a deep stack" copy ncrisc.c "s/^void kernel_main/$deep&/; s/^    dataflow_begin.*/&\n    *(volatile uint32_t *)0x100000 = deep(get_argument(ARG_TILES) * 2);/"
spoil='static __attribute__((noinline)) void spoil(uint32_t words)\n{\n    volatile uint32_t room[4];\n    for (uint32_t i = 0; i < words; i++) {\n        room[i] = i;\n    }\n    (void)room[0];\n    write_barrier();\n}\n\nstatic __attribute__((noinline)) void spoiled(uint32_t words)\n{\n    spoil(words);\n    write_barrier();\n}\n\n'
finds "an array on the stack that is too short" return-address 'room\[i\] = i' \
    'overwrites the return address at 0xffb0[0-9a-f]+ of the stack with 0x[0-9a-f]+, by which the function that has saved it at brisc \(brisc.c:[0-9]+\) returns' \
    copy brisc.c "s/^void kernel_main/$spoil&/; s/^    dataflow_begin.*/&\n    spoiled(get_argument(ARG_TILES) * 12);/"
clean "an array on the stack that is long enough" copy brisc.c "s/^void kernel_main/$spoil&/; s/^    dataflow_begin.*/&\n    spoiled(get_argument(ARG_TILES) * 4);/"
finds "an argument that was not given" argument-range 'get_argument\(2\)' \
    'reads runtime argument 2, and the kernel was launched with 2' \
    copy ncrisc.c 's/^    dataflow_begin.*/&\n    *(volatile uint32_t *)0x100000 = get_argument(2);/'
finds "stores behind its arguments" argument-range 'rta_l1_base\[2\] = 1' \
    'writes runtime argument 2, and the kernel was launched with 2' \
    copy ncrisc.c 's/^    dataflow_begin.*/&\n    rta_l1_base[2] = 1;/'
clean "stores to an argument" copy ncrisc.c 's/^    dataflow_begin.*/&\n    rta_l1_base[1] = rta_l1_base[1];/'
finds "an argument where the common ones lie" argument-range 'get_argument\(4\)' \
    'reads runtime argument 4, and the kernel was launched with 2' \
    copy brisc.c 's/^    dataflow_begin.*/&\n    *(volatile uint32_t *)0x100000 = get_argument(4);/'
finds "a common argument that was not given" argument-range 'common_argument\(4\)' \
    'reads common argument 4, and the kernel was launched with 4' \
    copy brisc.c 's/^    dataflow_begin.*/&\n    *(volatile uint32_t *)0x100000 = common_argument(4);/'

finds "a page behind the last one" out-of-bounds 'page_write' \
    'NoC write of 2048 bytes at 0x[0-9a-f]+ of DRAM bank [0-7], which the program has not allocated; dram.to ends at 0x' \
    copy brisc.c 's/(page_write\(.*)page, /\1page + 1, /'
finds "more of DRAM than there is" out-of-bounds 'noc_read\(page_tile' \
    'NoC read of 8192 bytes at 0x[0-9a-f]+ of DRAM bank [0-7], .*; dram.B ends at 0x' \
    add ncrisc.c 's/page_read\(&b.*/noc_read(page_tile(tile), page_address(\&b, tile), cb_interface[INPUT_B].write, b.size * 4);/'
finds "L1 that is not allocated" out-of-bounds '0x140000' \
    'write of 4 bytes at 0x140000 of L1 of tile \(1, 2\), which the program has not allocated; l1.room ends at' \
    copy ncrisc.c 's/^    dataflow_begin.*/&\n    *(volatile uint32_t *)0x140000 = 1;/'
clean "L1 that is allocated" copy ncrisc.c 's/^    dataflow_begin.*/&\n    *(volatile uint32_t *)0x1003fc = 1;/'
across='s/^    dataflow_begin.*/&\n    noc_read(page_tile(0), page_address(\&from, 0), 0x1003c0, 128);\n    read_barrier();/'
description='s/^    "l1": \{"room": [^}]*\}/&, "more": {"page_size": 1024, "address": 1049600}/'
finds "from one buffer into the next" out-of-bounds '0x1003c0' 'NoC read of 128 bytes at 0x1003c0 of L1 .*; l1.room ends at 0x100400' copy ncrisc.c "$across"
description='s/^    "l1": \{"room": [^}]*\}/&, "more": {"page_size": 2048, "address": 1048576}/'
clean "two buffers in one place" copy ncrisc.c "$across"
description=
finds "L1 of a neighbour that is not allocated" out-of-bounds '0x140000' \
    'NoC write of 64 bytes at 0x140000 of L1 of tile \([0-9]+, [0-9]+\)' \
    gather brisc.c 's/^    atomic_barrier\(\);/&\n    noc_write(all, neighbour, 0x140000, 64);\n    write_barrier();/'
finds "a multicast behind what is allocated" out-of-bounds 'noc_multicast\(part' \
    'NoC multicast of [0-9]+ bytes at 0x14[0-9a-f]+ of L1 of tile .*, which the program has not allocated' \
    matmul panel.h 's/(noc_multicast\(part, panel->rectangle, )part,/\10x140000,/'

# allocates NAME TEXT LINE: with this file of a host the checks say TEXT of the copy, or nothing if it is empty.
allocates() {
    [[ $1 =~ ${PENROSE_CASES:-} ]] || return 0
    local status=0
    program "$1" copy
    printf '%s\n' "$3" >"$work/allocated"
    run "$1" copy --check="memory,allocated=$work/allocated" || status=$?
    report "$1" "$(if [ -n "$2" ]; then
        grep -qE "$2" "$work/said"
    else
        [ "$status" -eq 0 ] && ! grep -q 'guest fault' "$work/said"
    fi || cut -c1-300 "$work/said")"
}
allocates "a host's buffers that hold all" '' 'dram 0 ffffffff'
allocates "a host's buffer that ends early" \
    'out-of-bounds: .*NoC read of 2048 bytes at 0x[0-9a-f]+ of DRAM bank 0, .*; a buffer of the host ends at 0x40$' 'dram 0 40'
allocates "a host that tells of nothing" '' ''
allocates "a host's file with a wrong line" '' $'dram 0 40\nram 0 40'
allocates "a host's file with half a line" '' $'dram 0 40\ndram 40'

finds "the arguments of a neighbour" out-of-bounds 'rta_l1_base' \
    'NoC write of 64 bytes at 0x[0-9a-f]+ of tile \([0-9]+, [0-9]+\), over arguments of the kernel that runs on its brisc' \
    gather brisc.c 's/^    atomic_barrier\(\);/&\n    noc_write((uint32_t)rta_l1_base, neighbour, (uint32_t)rta_l1_base, 64);\n    write_barrier();/'
finds "the code of a neighbour" code-overwritten 'kernel_main \&' \
    'NoC write of 64 bytes at 0x[0-9a-f]+ of tile \([0-9]+, [0-9]+\), where the code of kernel_main \(brisc\) lies' \
    gather brisc.c 's/^    atomic_barrier\(\);/&\n    noc_write((uint32_t)(uintptr_t)kernel_main \& ~63u, neighbour, (uint32_t)(uintptr_t)kernel_main \& ~63u, 64);\n    write_barrier();/'

# --- Data that nobody has written ---

finds "a branch on L1" undefined-data '0x100000 \& 4' 'a branch depends on L1 at 0x100000, which nobody has written' \
    copy ncrisc.c 's/^    dataflow_begin.*/&\n    if (*(volatile uint32_t *)0x100000 \& 4) {\n        fence();\n    }/'
clean "a branch on L1 that was written" copy ncrisc.c 's/^    dataflow_begin.*/&\n    *(volatile uint8_t *)0x100000 = 1;\n    if (*(volatile uint32_t *)0x100000 \& 4) {\n        fence();\n    }/'
pick='static __attribute__((noinline)) uint32_t pick(uint32_t which)\n{\n    volatile uint32_t room[4];\n    room[0] = 1;\n    return room[which];\n}\n\n'
finds "a branch on a variable that is not set" undefined-data 'if \(pick' \
    'a branch depends on the variable at 0xffb0[0-9a-f]+ on the stack, which is not set; its function is that of ncrisc \(ncrisc.c:8\)' \
    copy ncrisc.c "s/^void kernel_main/$pick&/; s/^    dataflow_begin.*/&\n    if (pick(get_argument(ARG_TILES) * 2) == 7) {\n        fence();\n    }/"
clean "a branch on a variable that is set" copy ncrisc.c "s/^void kernel_main/$pick&/; s/^    dataflow_begin.*/&\n    if (pick(get_argument(ARG_INDEX)) == 7) {\n        fence();\n    }/"
masked() { echo "s/^static void compute/$pick&/; s/^    math_configure.*/&\\n    tensix_push(WORD(RMWCIB0, .mask = $1, .new_value = pick(own_tiles()) \\& 3, .index4 = SCRATCH_SEC0_val_WORD)); \/\/ masked/"; }
finds "a bit of Config that is not set" undefined-data '// masked' \
    'an instruction for the coprocessor, gets a value from the variable at .* its function is that of trisc1 ' \
    add trisc.c "$(masked 0xfe)"
clean "bits that a mask leaves out" add trisc.c "$(masked 0xfc)"
finds "a store whose address is not set" undefined-data 'pick\(get_argument' 'a store has an address from the variable' \
    copy ncrisc.c "s/^void kernel_main/$pick&/; s/^    dataflow_begin.*/&\n    *(volatile uint32_t *)(0x100000 + (pick(get_argument(ARG_TILES) * 3) \& 0xff0)) = 1;/"
finds "a NoC request whose address is not set" undefined-data 'page_read' \
    'a register of the hardware, or an instruction for the coprocessor, gets a value from L1 at 0x100000' \
    copy ncrisc.c 's/cb_interface\[PAGES\].write\)/cb_interface[PAGES].write + (*(volatile uint32_t *)0x100000 \& 1) * 64)/'
finds "DRAM that nobody has written" undefined-data '0x100020 == 4' \
    'a branch depends on bytes of DRAM at 0x3000000, which nobody has written; the NoC request of ncrisc \(.*ncrisc.c:12\)' \
    copy ncrisc.c 's/^    dataflow_begin.*/&\n    noc_read(page_tile(0), 0x3000000, 0x100000, 64);\n    read_barrier();\n    if (*(volatile uint32_t *)0x100020 == 4) {\n        fence();\n    }/'
finds "a page that is not filled" undefined-data 'unpack_tiles' 'unpacks nothing but L1 at 0x[0-9a-f]+, which nobody has written' \
    add ncrisc.c 's/page_read\(&b, tile, cb_interface\[INPUT_B\]/page_read(\&b, tile, cb_interface[INPUT_A]/' trisc.c
finds "a page that is not filled and sent" undefined-data 'page_write' \
    'a host reads what this has computed or sent from bytes of L1 at 0x[0-9a-f]+, which nobody has written' \
    copy ncrisc.c '/page_read/d; s/^    const struct pages from.*//' brisc.c
clean "a flag that is polled" gather brisc.c 's/^    atomic_barrier\(\);/&\n    *(volatile uint32_t *)0x100040 = 5;\n    noc_write(0x100040, neighbour, 0x100000, 4);\n    write_barrier();\n    while (*(volatile uint32_t *)0x100000 != 5) {\n        fence();\n    }/'

finds "a tile of Dst that was cleared" undefined-data 'pack_tile\(1' \
    'packs a whole tile from Dst row [0-9]+ on, which nobody has written since it was cleared' \
    add trisc.c 's/pack_tile\(0/pack_tile(1/'
finds "rows of a bank of Src that are of the past" undefined-data 'mop_run' \
    'computes with nothing but rows from [0-9]+ on of a bank of SrcA, which nobody has written' \
    add trisc.c 's/\.a_clear = 1, /.a_clear = 0, /'

# --- Dst of programs without firmware ---

in_kit "Dst is cleared and written" ''
in_kit "Dst is not cleared" 'undefined-data: .* trisc1 .*trisc1.c:15: computes with nothing but Dst row 0, which nobody has written or cleared yet' \
    trisc1.c '/TTI_ZEROACC/d'
in_kit "Dst is not written" 'undefined-data: .* trisc2 .*: packs nothing but Dst row 0' \
    trisc1.c '/TTI_ZEROACC/d; s/^    TTI_MVMUL\(0, 0, 0, 0\);.*/    TTI_STALLWAIT(BLOCK_SYNC, UNTIL_MATRIX);/; /MVMUL\(GIVE/d'

# --- Src of programs without firmware ---

in_kit "Src is not written" \
    'undefined-data: .*trisc1.c:[0-9]*: computes with nothing but rows from 0 on of a bank of SrcA, which nobody has written or cleared yet' \
    trisc0.c 's/TTI_UNPACR\(0,.*/TTI_SETDVALID(1);/'
in_kit "Src is cleared" '' trisc0.c 's/TTI_UNPACR\(0,.*/TTI_ZEROSRC(0, 0, 1, 1);\n    TTI_STALLWAIT(BLOCK_UNPACK, UNTIL_MATRIX);\n    TTI_SETDVALID(1);/'

# --- What is unpacked, computed and packed, in programs without firmware ---

in_kit "a row of a matrix that nobody fills" \
    'undefined-data: .*brisc.c:21: a branch depends on L1 at 0x20[01]e[0-9a-f], which nobody has written' \
    brisc.c '0,/i < DATA/s//i < DATA - SIDE/'
in_kit "half of a bank of SrcB" \
    'undefined-data: .*brisc.c:21: a branch depends on rows of Src that nobody has written, with which trisc1 \(trisc1.c:17\) computes' \
    trisc0.c 's/^    TTI_UNPACR\(1.*/    TTI_SETADCXX(OF_UNPACKER1, DATA \/ 2 - 1, 0);\n&/'

in_kit "a load macro may have filled the row" '' brisc.c '0,/i < DATA/s//i < DATA - SIDE/' \
    trisc1.c 's/^    TTI_SEMPOST/    TTI_SFPLOADMACRO(0, 2, 3, 0);\n&/'

# --- Local RAM by the slow path, which leads to that of any hart ---

slow='    volatile uint32_t own[4];\n    volatile uint32_t *slow = (volatile uint32_t *)((uintptr_t)own - 0xffb00000u + 0xffb14000u);\n'
in_kit "set by the slow path" '' brisc.c "s/^    fill\(LEFT/$slow    slow[1] = 5;\n    while (own[1] != 5) {\n    }\n&/"
in_kit "copied by the slow path" 'undefined-data: .* brisc .*: a branch depends on' \
    brisc.c "s/^    fill\(LEFT/$slow    slow[1] = own[0];\n    if (own[1] == 5) {\n        own[2] = 0;\n    }\n&/"

# --- Code of programs without firmware; this needs no check ---

in_kit "stores over code" \
    'code-overwritten: .* brisc .*brisc.c:[0-9]+: write of [24] bytes at 0x[0-9a-f]+, where the code of main \(brisc\) lies$' \
    brisc.c 's/^    fill\(LEFT/    *(volatile uint32_t *)(uintptr_t)main = 0x13;\n&/'
in_kit "a null pointer to code" 'checks: 1 finding' \
    brisc.c 's/^    fill\(LEFT/    for (volatile uint32_t *volatile at = 0; !at; at++) {\n        *at = 0x13;\n    }\n&/'
in_kit "stores beside code" '' \
    brisc.c "s/^int main/${beside/SECTION/.text.startup.main}&/; s/^    fill\\(LEFT/    beside[23] = 0x13;\\n&/"

# --- Caches of programs without firmware; that of tt-metal turns them off ---

tell='s/^    unsigned node/    for (volatile unsigned i = 0; i < 500; i++) {\n    }\n    *(volatile uint32_t *)0x100000 = 5;\n&/'
poll='while (*(volatile uint32_t *)0x100000 != 5) {\n'
in_kit "a flag that is polled without a fence" \
    'stale-load: .* brisc .*brisc.c:6[0-9]: loads 0x100000 again behind brisc .*, and ncrisc \(ncrisc.c:[0-9]+\) of tile \(1, 2\) has changed it since; a fence' \
    ncrisc.c "$tell" brisc.c "s/^    fill\\(LEFT/    $poll    }\\n&/"
in_kit "a flag that is polled with a fence" '' ncrisc.c "$tell" brisc.c "s/^    fill\\(LEFT/    $poll        fence();\\n    }\\n&/"

# --- A finding that stops ---

[[ ! "it stops behind the instruction" =~ ${PENROSE_CASES:-} ]] || {
    program stops copy ncrisc.c '/read_barrier/d'
    run stops copy --check --policy noc-unwaited=stop --show gprs
    at=$(sed -nE '1,/guest fault noc-unwaited/ s/.* ncrisc at pc (0x[0-9a-f]+) .*/\1/p' "$work/said")
    report "it stops behind the instruction" "$(grep -q "^  ncrisc is .*, pc $(printf '0x%08x' $((at + 4)))$" "$work/out" ||
        { echo "it is at $at:" && cat "$work/out" "$work/said"; })"
}

# --- Reports, suppressions, a baseline ---

# reported NAME TEXT EXIT FINDINGS OPTION...: with these options the checks say TEXT at the end of "reads at the end"
# (or of copy as it is, if FINDINGS is "none"), the run ends with EXIT, and reports so many findings. $checks, if set,
# stands for --check, and $broken for the program and its description.
KERNELS_OF_ANY_FOLDER='' program open gather brisc.c 's/^    atomic_barrier\(\);/&\n    noc_read(neighbour, all, 0x100000, 64);/'
program fine copy
reported() {
    local name=$1 text=$2 wanted=$3 findings=$4 status=0 found kernels program
    read -r kernels program <<<"${broken:-open gather}"
    shift 4
    [[ $name =~ ${PENROSE_CASES:-} ]] || return 0
    [ "$findings" != none ] || { kernels=fine program=copy findings=0; }
    # shellcheck disable=SC2086 # no word where it is empty
    run "$kernels" "$program" ${checks---check} "$@" || status=$?
    found=$(grep -c 'guest fault' "$work/said")
    report "$name" "$([ "$status" -eq "$wanted" ] && [ "$found" -eq "$findings" ] && grep -qE "$text" "$work/said" ||
        { echo "exit code $status, $found findings:" && cat "$work/said"; })"
}
line=$(grep -n 'noc_read(neighbour' "$work/open/src/brisc.c" | cut -d: -f1)
reported "one mistake is one report" '^checks: 1 finding, 0 excused' 0 1
reported "a finding lets a run fail" '^checks: 1 finding' 1 1 --fail-on finding
reported "no finding lets no run fail" '^checks: 0 findings' 0 none --fail-on finding
reported "a report in SARIF" '^checks: 1 finding' 0 1 --report first.sarif
reported "a second report in the same file" '^checks: 1 finding' 0 1 --report first.sarif
[[ ! "the file has both" =~ ${PENROSE_CASES:-} ]] || report "the file has both" "$("$python" - "$work/first.sarif" "$line" 2>&1 <<'PYTHON'
import json, sys
log = json.load(open(sys.argv[1]))
run = log["runs"][0]
rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
assert log["version"] == "2.1.0" and len(log["runs"]) == 1 and run["tool"]["driver"]["name"], log["version"]
assert len(run["results"]) == 2, len(run["results"])
for result in run["results"]:
    place = result["locations"][0]["physicalLocation"]
    assert result["ruleId"] in rules and result["message"]["text"] and result["level"] == "warning", result
    assert place["artifactLocation"]["uri"] == "open/src/brisc.c", place
    assert place["region"]["startLine"] == int(sys.argv[2]), place
    assert result["occurrenceCount"] == 16, result["occurrenceCount"]
PYTHON
)"
reported "what a baseline has" '^checks: 0 findings, 0 excused, 0 suppressed, 1 known' 0 0 --baseline first.sarif --fail-on finding
reported "suppressions for all findings" '^checks: 1 finding' 0 1 --gen-suppressions all.txt
[[ ! "the suppression" =~ ${PENROSE_CASES:-} ]] || report "the suppression" "$(grep -qx "noc-open \*open/src/brisc.c:$line TODO: say why this is right" "$work/all.txt" || cat "$work/all.txt")"
# The library's header, too, lies below /.
[[ ! "a line of the kernel" =~ ${PENROSE_CASES:-} ]] || report "a line of the kernel" "$(cd / &&
    "$PENROSE" run "$work/gather.json" --firmware "$firmware" --kernels "$work/open/kernels" --check \
        --gen-suppressions "$work/root.txt" >"$work/out" 2>&1 </dev/null
    grep -q "^noc-open \*.*/open/src/brisc.c:$line " "$work/root.txt" || cat "$work/root.txt" "$work/out")"
reported "what a file suppresses" '^checks: 0 findings, 0 excused, 1 suppressed' 0 0 --suppress all.txt
echo 'noc-open */brisc.c' >"$work/bare.txt"
reported "a suppression without a reason" 'bare.txt:1: a line is KIND PATTERN REASON' 2 0 --suppress bare.txt
sed -i "${line}s|\$| // penrose: noc-open nobody reads it|" "$work/open/src/brisc.c"
reported "what a comment excuses" '^checks: 0 findings, 1 excused' 0 0
sed -i "${line}s|noc-open nobody|noc-source, noc-open nobody|" "$work/open/src/brisc.c"
reported "what a comment excuses, of several kinds" '^checks: 0 findings, 1 excused' 0 0
sed -i "${line}s|noc-source, noc-open nobody.*|noc-open|" "$work/open/src/brisc.c"
reported "a comment without a reason" '^checks: 1 finding, 0 excused' 0 1
sed -i "${line}s|noc-open\$|noc-source nobody reads it|" "$work/open/src/brisc.c"
reported "a comment about another kind" '^checks: 1 finding, 0 excused' 0 1
reported "one of its tiles" '^checks: 1 finding' 0 1 --check=tile=3-3
reported "another tile" '^checks: 0 findings' 0 0 --check=tile=3-5
reported "another kernel" '^checks: 0 findings' 0 0 --check='noc,kernel=*/ncrisc.c'
reported "its kernel" '^checks: 1 finding' 0 1 --check='noc,kernel=*/brisc.c'

# Tiles of a launch whose kernels differ, with a mistake at the same pc.
KERNELS_OF_ANY_FOLDER='' program twin gather brisc.c '1s/^/\n/; s/^    atomic_barrier\(\);/&\n    noc_read(neighbour, all, 0x100000, 64);/'
cp -r "$work/twin/kernels" "$work/open/kernels/twin"
description='/"hart"/{N;N;h;s/"brisc"/&, "tiles": "0-7,0"/p;x;s/"brisc"/&, "tiles": "0-7,1", "elf": "twin\/{hart}.elf"/;s/^ *\{/,{/}'
reported "two kernels are two mistakes" '^checks: 2 findings' 0 2
description=

# What the core sees is a finding like others, with checks and without.
broken='raced add' checks=
KERNELS_OF_ANY_FOLDER='' program raced add trisc.c "s/^( *)half = pack_end\\(half\\);/\\1$change\\n&/"
raced=$(grep -n 'config_change(STACC' "$work/raced/src/trisc.c" | cut -d: -f1)
reported "of the core, none" '^checks: 0 findings.*; only the rules that are always on were checked' 0 none --fail-on finding
reported "of the core, one" '^checks: 1 finding' 1 1 --fail-on finding --report core.sarif
[[ ! "of the core, its line" =~ ${PENROSE_CASES:-} ]] || report "of the core, its line" "$("$python" - "$work/core.sarif" "$raced" 2>&1 <<'PYTHON'
import json, sys
(result,) = json.load(open(sys.argv[1]))["runs"][0]["results"]
place = result["locations"][0]["physicalLocation"]
assert result["ruleId"] == "config-race" and result["occurrenceCount"] > 8, result
assert place["artifactLocation"]["uri"] == "raced/src/trisc.c" and place["region"]["startLine"] == int(sys.argv[2]), place
PYTHON
)"
reported "of the core, known" '^checks: 0 findings, 0 excused, 0 suppressed, 1 known' 0 0 --baseline core.sarif --fail-on finding
reported "of the core, for a file" '^checks: 1 finding' 0 1 --gen-suppressions core.txt
reported "of the core, suppressed" '^checks: 0 findings, 0 excused, 1 suppressed' 0 0 --suppress core.txt
reported "of the core, another tile" '^checks: 0 findings' 0 0 --check=core,tile=9-9
checks=--check
reported "of the core and a check, one" '^checks: 1 finding' 0 1
reported "of the core and a check, known" '^checks: 0 findings, 0 excused, 0 suppressed, 1 known' 0 0 --baseline core.sarif
sed -i "${raced}s|\$| // penrose: config-race it is the same value|" "$work/raced/src/trisc.c"
reported "of the core and a check, excused" '^checks: 0 findings, 1 excused' 0 0
checks=
reported "of the core, excused" '^checks: 0 findings, 1 excused' 0 0 --fail-on finding
clean "without a check, copy as it is" copy
finds "without a check, pops more than were pushed" cb-count 'cb_pop_pages\(PAGES' \
    'circular buffer 0: 1 more page is popped than were pushed; cb_wait_front' copy brisc.c 's/cb_pop_pages\(PAGES, 1\)/cb_pop_pages(PAGES, 2)/'
[[ ! "a path with spaces in SARIF" =~ ${PENROSE_CASES:-} ]] || {
    KERNELS_OF_ANY_FOLDER='' program "50% too many" copy brisc.c 's/cb_pop_pages\(PAGES, 1\)/cb_pop_pages(PAGES, 2)/'
    run "50% too many" copy --report "$work/spaced.sarif"
    report "a path with spaces in SARIF" "$(grep -q '"uri": *"50%25%20too%20many/src/brisc.c"' "$work/spaced.sarif" || echo "it has another one: $(tail -n +2 "$work/spaced.sarif")")"
    report "SARIF is as docs/schema says" "$(documents_fit "$work/spaced.sarif" && documents_fit --changed "$work/spaced.sarif")"
}
unset broken checks

echo '{}' >"$work/other.sarif"
expect "a report that is none of ours" 2 'is no report of checks' -- run "$work/copy.json" --firmware "$firmware" --check \
    --report "$work/other.sarif" --gen-suppressions "$work/none.txt"
report "a report that is none of ours: nothing is left" "$([ ! -e "$work/none.txt" ] || echo "there is a file of suppressions")"
expect "a setting that there is not" 2 "no setting 'tiles=3' of checks" -- \
    run "$work/copy.json" --firmware "$firmware" --check=noc,tiles=3

# --- Words ---

expect "a check that there is not" 2 "no check 'raced'; there are core, noc, cb, races, memory, uninit, config and all" -- \
    run "$work/copy.json" --firmware "$firmware" --check=noc,raced
expect "checks behind a space" 2 "--check: write --check=noc,cb, without a space" -- \
    run "$work/copy.json" --firmware "$firmware" --check noc,cb
finish
