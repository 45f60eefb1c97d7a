#!/bin/bash
# The folder of each card, as UMD opens it: the library and the descriptor beside it agree with what
# telemetry says, without any variable that names the card; UMD finds the links of cards with several
# chips by itself. Needs a network, or CLIENT_VENV_UMD.
#
#   cards.sh [FOLDER]     FOLDER has unharvested, p150a and p100a ($builddir/cards)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
cards=${1:-${builddir:?set builddir, or name the folder of the cards}/cards}
cards=$(cd "$cards" && pwd)
venv=$(client_venv umd 3.11 tt-umd==0.9.14)
unset PENROSE_CARD
status=0
for card in unharvested p150a p100a; do
    [ -f "$cards/$card/libttsim.so" ] || skip "no $cards/$card/libttsim.so"
    timeout 120 "$venv/bin/python" "$here/ttnn/umd.py" --card $card "$cards/$card/libttsim.so" |
        sed "s/^/$card: /" || status=1
done
for card in p300 p300x2 quietbox galaxy; do
    timeout 120 "$venv/bin/python" "$here/ttnn/topology.py" "$cards/$card" | sed "s/^/$card: /" || status=1
done
exit $status
