# SPDX-License-Identifier: Apache-2.0
# A mean of numbers, from a column of a table.
dusk collect plan --low 0 --high 120 --users 60 --epsilon 8 --mechanism piecewise --name ages --out task.json >/dev/null 2>&1
dusk collect encode --task task.json --column age survey.csv --out ages.cbor 2>&1 | head -1
dusk collect aggregate --task task.json --state ages.tally ages.cbor
dusk collect estimate --state ages.tally | tr -s ' ' | sed 's, #*$,,'
dusk collect estimate --state ages.tally --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["reports"], d["low"] < d["mean"] < d["high"])'
dusk collect estimate --state ages.tally --top 3 || echo "exit $?"
