# SPDX-License-Identifier: Apache-2.0
# The drawing is a whole SVG with a line and a point for every value, and names are escaped.
dusk collect plan --domain 3 --users 100 --epsilon 2 --mechanism grr --out task.json >/dev/null 2>&1
printf '<b>\n"q" & r\nplain\n' >names.txt
printf 'plain\nplain\n<b>\n' | dusk collect encode --task task.json --values names.txt 2>/dev/null >r.cbor
dusk collect aggregate --task task.json --state s.tally r.cbor
dusk collect estimate --state s.tally --values names.txt --plot counts.svg >/dev/null 2>&1
grep -c '<circle' counts.svg
grep -o '&#60;b&#62;\|&#38; r\|plain' counts.svg
tail -1 counts.svg
python3 -c 'import xml.dom.minidom as m; m.parse("counts.svg")' && echo whole
