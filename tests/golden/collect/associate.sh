# SPDX-License-Identifier: Apache-2.0
# Two surveys of the same people, their records in the same order; and what is refused.
try() { dusk collect "$@" </dev/null || echo "exit $?"; }
awk 'BEGIN { for (i = 0; i < 6000; i++) print i % 3 ? "tea" : i % 12 ? "milk" : "other" i }' >drinks.txt
awk 'BEGIN { for (i = 0; i < 6000; i++) print i % 3 ? 0 : 1 }' >homes.txt
printf 'tea\nmilk\n' >words.txt
printf 'island\nmainland\n' >places.txt
dusk collect plan --texts --mechanism rappor --users 6000 --epsilon 8 --rows 16 --name drink --out drink.json >/dev/null 2>&1
dusk collect plan --domain 2 --mechanism grr --users 6000 --epsilon 4 --name home --out home.json >/dev/null 2>&1
dusk collect encode --task drink.json drinks.txt --out drink.cbor 2>/dev/null
dusk collect encode --task home.json homes.txt --out home.cbor 2>/dev/null
pair="--task drink.json --values words.txt --with home.json --with-values places.txt drink.cbor home.cbor"
dusk collect associate $pair --top 3 | tr -s ' '
dusk collect associate $pair --json | python3 -c 'import json, sys; d = json.load(sys.stdin); p = {(x["first"], x["second"]): x for x in d["pairs"]}; print(d["people"], d["dropped"], len(p), abs(p["tea", "island"]["share"] - 2 / 3) < 0.05, abs(p["(other)", "mainland"]["share"] - 1 / 12) < 0.05, 11.9 < d["promise"]["epsilon"] < 12.01, abs(sum(x["share"] for x in d["pairs"]) - 1) < 1e-9)'
head -c 1000 home.cbor >cut.cbor
dusk collect encode --task home.json words.txt --out few.cbor 2>/dev/null
try associate --task drink.json --with home.json drink.cbor home.cbor
try associate --task drink.json --values words.txt --with home.json drink.cbor
try associate --task drink.json --values words.txt --with home.json drink.cbor few.cbor
try associate --task drink.json --values words.txt --with home.json drink.cbor words.txt
try associate --task drink.json --values words.txt --with none.json drink.cbor home.cbor
try associate --task drink.json --values words.txt drink.cbor home.cbor
try associate --task drink.json --values words.txt --with drink.json --with-values words.txt drink.cbor home.cbor
dusk collect plan --domain 2 --mechanism olh --users 6000 --epsilon 4 --out olh.json >/dev/null 2>&1
try associate --task olh.json --with home.json home.cbor home.cbor
