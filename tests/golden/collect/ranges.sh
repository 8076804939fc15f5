# SPDX-License-Identifier: Apache-2.0
# Ranges, quantiles, discoveries and consistent counts: what is printed, what is near the truth, and what is refused.
try() { dusk collect estimate "$@" 2>&1 >/dev/null || echo "exit $?"; }
dusk collect plan --domain 100 --users 20000 --epsilon 4 --mechanism tree --name ages --out task.json >/dev/null 2>&1
awk 'BEGIN { for (i = 0; i < 20000; i++) print 20 + i % 40 }' >ages.txt
dusk collect encode --task task.json ages.txt --out ages.cbor 2>/dev/null
dusk collect aggregate --task task.json --state ages.tally ages.cbor >/dev/null
printf '0:19\n20:39\n\n40:59\n' >ranges.txt
dusk collect estimate --state ages.tally --range 0:99 --ranges ranges.txt --quantiles 0,0.5,1 --plot ranges.svg | tr -s ' ' | sed 's/-//g'
grep -c '<circle' ranges.svg
dusk collect estimate --state ages.tally --ranges ranges.txt --quantiles 0.5 --json >ranges.json
dusk collect estimate --state ages.tally --range 5:5 --top 2 2>/dev/null | grep -c '^value\|^range\|^5:5'
dusk collect estimate --state ages.tally --consistent norm-sub --json >sub.json
dusk collect estimate --state ages.tally --consistent base-pos --json >pos.json
dusk collect estimate --state ages.tally --discoveries 0.05 --consistent base-cut --json >cut.json
dusk collect estimate --state ages.tally --discoveries 0.05 --consistent norm-sub 2>&1 >/dev/null | grep '^consistent\|^discoveries' | sed 's/[0-9]* of 100/N of 100/'
python3 - <<'PYTHON'
import json
d = json.load(open("ranges.json"))
print(sorted(d), sorted(d["ranges"][0]), sorted(d["quantiles"][0]))
for r, truth in zip(d["ranges"], [0, 10000, 10000]):
    assert abs(r["count"] - truth) < 6 * r["deviation"] < 6000 and r["low"] < r["count"] < r["high"], r
q = d["quantiles"][0]
assert int(q["low"]) <= int(q["value"]) <= int(q["high"]) and 30 <= int(q["value"]) <= 50, q
for name in "sub", "pos", "cut":
    d = json.load(open(name + ".json"))
    counts = [v["count"] for v in d["values"]]
    assert name == "cut" or min(counts) >= 0
    assert all(abs((v["low"] + v["high"]) / 2 - v["unbiased"]) < 1e-6 for v in d["values"])
    print(d["consistent"], abs(sum(counts) - 20000) < 1e-6, sorted(d.get("discoveries", {})))
PYTHON
# names, and a histogram of another kind, whose deviations are bounds
printf 'low\nmiddle\nhigh: very\n' >names.txt
dusk collect plan --domain 3 --users 100 --epsilon 2 --mechanism olh --out olh.json >/dev/null 2>&1
printf 'low\nmiddle\nlow\n' | dusk collect encode --task olh.json --values names.txt 2>/dev/null >olh.cbor
dusk collect aggregate --task olh.json --state olh.tally olh.cbor >/dev/null
dusk collect estimate --state olh.tally --values names.txt --range 'low:high: very' --range middle:middle --quantiles 1 2>&1 | grep '^range\|^low\|^middle' | sed 's/  .*//'
# numbers
dusk collect plan --low 0 --high 100 --users 20000 --epsilon 4 --mechanism squarewave --out wave.json >/dev/null 2>&1
dusk collect encode --task wave.json ages.txt --out wave.cbor 2>/dev/null
dusk collect aggregate --task wave.json --state wave.tally wave.cbor >/dev/null
dusk collect estimate --state wave.tally --bins 5 --range 15:65 --quantiles 0.5 --plot wave.svg 2>/dev/null | sed 's/#*$//' | awk '{ print NF }' | tr '\n' ' '
dusk collect estimate --state wave.tally --bins 5 --range 15:65 --quantiles 0.5 --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(len(d["distribution"]), abs(sum(b["share"] for b in d["distribution"]) - 1) < 1e-9, d["ranges"][0]["share"] > .9, 33 < d["quantiles"][0]["value"] < 46)'
python3 -c 'import xml.dom.minidom as m; m.parse("wave.svg")' && echo whole
for bad in '--range 5:3' '--range 0:100' '--range x:y' '--range 7' '--ranges none.txt' '--ranges ages.txt' '--quantiles 1.5' '--quantiles 0.5,' '--discoveries 1' \
    '--discoveries 0' '--consistent never' '--bins 4' '--range 1:2 --consistent norm-sub'; do
    try --state ages.tally $bad
done
for bad in '--range 0:101' '--range 5:3' '--bins 0' '--bins 60000' '--top 3' '--discoveries 0.1'; do try --state wave.tally $bad; done
dusk collect plan --low 0 --high 1 --users 1000 --epsilon 1 --mechanism duchi --out mean.json >/dev/null 2>&1
dusk collect aggregate --task mean.json --state mean.tally </dev/null >/dev/null
try --state mean.tally --quantiles 0.5
dusk collect plan --texts --users 1000 --epsilon 1 --mechanism hcms --out texts.json >/dev/null 2>&1
dusk collect aggregate --task texts.json --state texts.tally </dev/null >/dev/null
try --state texts.tally --range 0:1
try --state texts.tally --values names.txt --consistent norm-sub
dusk collect plan --attributes age:10,sex:2 --users 1000 --epsilon 2 --out several.json >/dev/null 2>&1
dusk collect aggregate --task several.json --state several.tally </dev/null >/dev/null
try --state several.tally --range 0:1
