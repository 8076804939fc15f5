# SPDX-License-Identifier: Apache-2.0
# Records through the shuffler: not below the threshold, not with nonsense, and what comes out counts as what went in; what it promises is printed.
dusk collect plan --domain 8 --users 2000 --epsilon 1 --mechanism oue --out task.json >plan.txt 2>&1
awk 'BEGIN { for (i = 0; i < 2000; i++) print i % 8 }' >answers.txt
dusk collect encode --task task.json --out records.cbor answers.txt 2>encode.txt
dusk collect shuffle --task task.json --threshold 2001 --out few.cbor records.cbor
ls few.cbor 2>/dev/null
dusk collect shuffle --task task.json --liars 1 --out few.cbor records.cbor
dusk collect shuffle --task task.json --delta 0 --out few.cbor records.cbor
dusk collect shuffle --task task.json --out few.cbor nothere.cbor
printf 'garbage' >garbage.cbor
dusk collect shuffle --task task.json --out few.cbor garbage.cbor
dusk collect shuffle --task task.json --delta 1e-6 --buds 10 --out shuffled.cbor records.cbor garbage.cbor records.cbor
cmp -s records.cbor shuffled.cbor || echo in another order
dusk collect aggregate --task task.json --state direct.tally records.cbor
dusk collect aggregate --task task.json --state shuffled.tally shuffled.cbor
dusk collect estimate --state direct.tally >direct.txt 2>/dev/null
dusk collect estimate --state shuffled.tally >shuffled.txt 2>/dev/null
cmp direct.txt shuffled.txt && echo the same estimates
# How many report is hidden: fewer leave, by chance, and only that is said; too few leave nothing, and nothing is said of them.
hide="--task task.json --threshold-epsilon 1 --delta 1e-6"
dusk collect shuffle $hide --json --out hidden.cbor records.cbor garbage.cbor records.cbor | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(sorted(d), d["promise"]["neighbours"] if "neighbours" in d["promise"] else sorted(d["promise"]))
assert 1970 <= d["reports"] <= 2000 and 1 < d["epsilon_shuffled"] < 1.2 and d["delta"] == 1e-6, d
open("left.txt", "w").write(str(d["reports"]))'
dusk collect aggregate --task task.json --state hidden.tally hidden.cbor --json | grep -q "\"taken\":$(cat left.txt)[,}]" && echo as many are counted
dusk collect shuffle $hide --threshold 2000 --out few.cbor records.cbor && echo not hidden
dusk collect shuffle $hide --liars 0.1 --out few.cbor records.cbor
dusk collect shuffle --task task.json --threshold-epsilon 0 --out few.cbor records.cbor
ls few.cbor 2>/dev/null
exit 0
