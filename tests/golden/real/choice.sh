# SPDX-License-Identifier: Apache-2.0
# Baskets, census and income: what is chosen against the exact counts. The confidence
# is 1 - 1e-9, so that a failure is a bug and not bad luck.
[ -n "${DUSK_DATA-}" ] || { echo "skipped: DUSK_DATA is not set" >&2; exit 77; }
enough="--confidence 0.999999999 --json"
gzip -dc "$DUSK_DATA/market-baskets/retail.dat.gz" | tr ' ' '\n' |
    awk 'NF { c[$1]++ } END { for (i in c) print i, c[i] }' > items.txt
gzip -dc "$DUSK_DATA/pums/PUMS5extract10000.csv.gz" > pums.csv
gzip -dc "$DUSK_DATA/adult/adult.data.gz" | awk -F', ' 'NF > 6 { print $7 }' > occupation.txt
income() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "income") c = i; next } { print $c }' pums.csv; }

dusk release top-keys --k 10 --limit 100 --epsilon 1 --delta 1e-6 --unrestricted $enough items.txt 2>/dev/null | python3 -c '
import json, sys
answer = json.load(sys.stdin)
count = dict((name, int(n)) for name, n in (line.split() for line in open("items.txt")))
ranked = sorted(count.values(), reverse=True)
shown, off = answer["values"], answer["shortfall"]
good = all(count[key] >= ranked[i] - off for i, key in enumerate(shown))
if len(shown) < 10:
    good &= all(n <= ranked[100] + answer["threshold"] + off for key, n in count.items() if key not in shown)
print("top-keys", "inside" if good else "OUTSIDE")'
for how in '--delta 1e-6' '--values Prof-specialty,Craft-repair,Exec-managerial,Sales'; do
    dusk release mode --epsilon 0.1 $how $enough occupation.txt 2>/dev/null | python3 -c '
import collections, json, sys
answer = json.load(sys.stdin)
count = collections.Counter(line.strip() for line in open("occupation.txt"))
chosen = answer["value"]
print("mode", "inside" if chosen is None or count[chosen] >= max(count.values()) - answer["shortfall"] else "OUTSIDE")'
done
dusk release candidates --epsilon 1 --sensitivity 1 $enough items.txt 2>/dev/null | python3 -c '
import json, sys
answer = json.load(sys.stdin)
count = dict((name, int(n)) for name, n in (line.split() for line in open("items.txt")))
print("candidates", "inside" if abs(answer["score"] - count[answer["value"]]) <= answer["half_width"] else "OUTSIDE")'
dusk release bounds --epsilon 0.5 --column income $enough pums.csv 2>/dev/null > bounds.json
income | python3 -c '
import json, sys
answer = json.load(open("bounds.json"))
low, high = answer["bounds"]
rows = [float(x) for x in sys.stdin]
outside = sum(x < low or x > high for x in rows)
print("bounds", "inside" if outside <= answer["outside"] and high <= 4 * max(rows) else "OUTSIDE")'
