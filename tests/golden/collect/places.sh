# SPDX-License-Identifier: Apache-2.0
# Places on a grid: from a plan to a map, with places that are none; and what is refused.
plan="--grid 12x10 --cell 100 --corner -600,0 --within 200 --users 1000 --epsilon 40"
dusk collect plan $plan --name town --out task.json
dusk collect plan $plan --json
dusk collect plan $plan --c 2>/dev/null | grep -v id
awk 'BEGIN { for (i = 0; i < 600; i++) print i % 3 ? "-250 450" : "333.5,12"; print "nowhere"; print "1e9;-1e9"; print "nan 3" }' >places.txt
dusk collect encode --task task.json places.txt --out places.cbor
dusk collect aggregate --task task.json --state town.tally places.cbor
dusk collect estimate --state town.tally --top 2 --plot town.svg
dusk collect estimate --state town.tally --json | python3 -c 'import json, sys; d = json.load(sys.stdin); c = d["cells"]; print(d["mechanism"], len(c), round(sum(x["share"] for x in c), 6), d["promise"]["event"])'
python3 -c 'import xml.dom.minidom as m; m.parse("town.svg")' && grep -c '<rect' town.svg | awk '{ print ($1 > 40 ? "whole" : "empty") }'
dusk collect simulate --mechanism planar --grid 12x10 --within 3 --users 20000 --epsilon 2 --json |
    python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["domain"], d["bytes_per_report"], abs(d["mse"] - d["theory"]) < 6 * d["mse_error"], d["apart"] < d["apart_reports"], d["epsilon_exact"] <= 2)'
dusk collect simulate --mechanism planar --grid 12x10 --cell 100 --corner -600,0 --within 200 --users 100 --epsilon 3 --data places.txt | head -1
try() { dusk collect "$@" </dev/null || echo "exit $?"; }
try plan --grid 12 --within 3 --users 9 --epsilon 1
try plan --grid 1x9 --within 3 --users 9 --epsilon 1
try plan --grid 12x10 --users 9 --epsilon 1
try plan --grid 12x10 --within 3 --cell 0 --users 9 --epsilon 1
try plan --grid 12x10 --within 3 --corner 7 --users 9 --epsilon 1
try plan --grid 12x10 --within 3000 --users 9 --epsilon 1
try plan --grid 9999x9999 --within 3 --users 9 --epsilon 1
try plan --grid 12x10 --within 3 --domain 9 --users 9 --epsilon 1
try plan --grid 12x10 --within 3 --mechanism grr --users 9 --epsilon 1
try plan --domain 9 --mechanism planar --users 9 --epsilon 1
try plan --domain 9 --within 3 --users 9 --epsilon 1
try simulate --mechanism planar --users 9 --epsilon 1
try simulate --mechanism grr --grid 3x3 --within 1 --users 9 --epsilon 1
try simulate --mechanism planar --grid 3x3 --within 1 --users 9 --epsilon 1 --liars 0.1
try plan --mechanism planar --grid 3x3 --within 1 --users 9 --epsilon 1 --width 7
try encode --task task.json --values keys.txt
try encode --task task.json --column age survey.csv
try shuffle --task task.json --out shuffled.cbor places.cbor
try estimate --state town.tally --values keys.txt
test ! -e shuffled.cbor && echo 'no batch'
