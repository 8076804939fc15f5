# SPDX-License-Identifier: Apache-2.0
# Texts that nobody listed, from devices to a table; and what is refused.
try() { dusk collect "$@" </dev/null || echo "exit $?"; }
awk 'BEGIN { for (i = 0; i < 24000; i++) print i % 10 < 5 ? "the" : i % 10 < 8 ? "you" : "wonderful" }' >texts.txt
for m in pem treehist sfp; do
    dusk collect plan --mechanism $m --users 24000 --epsilon 8 --rows 8 --width 1024 --length 6 --out $m.json >/dev/null 2>&1
    dusk collect encode --task $m.json texts.txt --out $m.cbor 2>&1 | head -1
    dusk collect shuffle --task $m.json --out mixed.cbor $m.cbor >/dev/null 2>&1
    dusk collect aggregate --task $m.json --state $m.tally mixed.cbor | tail -1
    dusk collect estimate --state $m.tally --alphabet theyouwndrfl --rate 0.000001 2>found.txt | tr -s ' '
    grep found: found.txt
    dusk collect estimate --state $m.tally --alphabet theyouwndrfl --rate 0.000001 --top 2 --json |
        python3 -c 'import json, sys; d = json.load(sys.stdin); print([v["value"] for v in d["values"]], all(v["low"] < v["count"] < v["high"] for v in d["values"]))'
    printf 'the\nwonderfully\nnobody\n' >asked.txt
    dusk collect estimate --state $m.tally --values asked.txt 2>/dev/null | tr -s ' '
    dusk collect simulate --mechanism $m --data texts.txt --length 6 --users 24000 --epsilon 8 --rows 8 --width 1024 --alphabet theyouwndrfl --rate 0.000001 --runs 1 --top 3 --json |
        python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["found"], d["recall"], d["precision"], d["top"], d["epsilon_exact"] <= 8, d["mse"] > 0 and d["theory"] > 0)'
done
dusk collect simulate --mechanism pem --data texts.txt --length 6 --users 24000 --epsilon 8 --rows 8 --width 1024 --alphabet theyouwndrfl --rate 0.000001 --runs 1 | tail -1
try plan --mechanism pem --users 100 --epsilon 1 --length 33
try plan --mechanism pem --users 100 --epsilon 1 --length 4 --step 5
try plan --mechanism pem --users 100 --epsilon 1 --width 1000
try plan --mechanism pem --users 100 --epsilon 1 --domain 10
try plan --mechanism grr --users 100 --epsilon 1 --domain 10 --length 8
try plan --texts --users 100 --epsilon 1 --length 8
try simulate --mechanism pem --users 100 --epsilon 1
try simulate --mechanism cms --domain 5 --users 100 --epsilon 1 --alphabet ab
try estimate --state pem.tally --alphabet aa
try estimate --state pem.tally --rate 0
try estimate --state pem.tally --top 1000000
try encode --task pem.json --values asked.txt
