# SPDX-License-Identifier: Apache-2.0
# Baskets and words: every comparison beyond the margin is right. The confidence is
# 1 - 1e-9, so that a failure is a bug and not bad luck.
[ -n "${DUSK_DATA-}" ] || { echo "skipped: DUSK_DATA is not set" >&2; exit 77; }
gzip -dc "$DUSK_DATA/market-baskets/retail.dat.gz" > retail.txt
gzip -dc "$DUSK_DATA/word-frequency/subtlex_us.tsv.gz" | LC_ALL=C sort | cut -f2 > words.txt
awk '{ delete seen; for (i = 1; i <= NF; i++) if (!($i in seen)) { seen[$i]; n[$i]++ } }
    END { for (item = 1; item <= 16470; item++) print n[item] + 0 }' retail.txt > items.txt
often="--confidence 0.999999999 --json"

right() { # right WHAT THRESHOLD EXACT.txt < the JSON of answers
    python3 -c '
import json, sys
answer = json.load(sys.stdin)
threshold, exact = float(sys.argv[2]), [float(x) for x in open(sys.argv[3])]
far = [(a["above"], x) for a, x in zip(answer["answers"], exact) if abs(x - threshold) > answer["margin"]]
wrong = sum(above != (x > threshold) for above, x in far)
print(sys.argv[1], "right" if not wrong else "%d WRONG of %d" % (wrong, len(far)), "many" if len(far) > 9 else "FEW")' "$@"
}
sparse() { dusk release sparse-vector -e 1 -s 1 $often "$@" 2>/dev/null; }
sparse -t 4000 --monotonic --hits 10 items.txt | right items 4000 items.txt
sparse -t 1000 --monotonic --hits 80 -d 1e-6 items.txt | right 'items, delta' 1000 items.txt
sparse -t 5000 --hits 10 -d 1e-6 --noise gaussian --length 20000 items.txt | right 'items, gaussian' 5000 items.txt
sparse -t 10000 --monotonic --hits 600 -d 1e-6 words.txt | right words 10000 words.txt
for a in 40 49 39 33 42 66 90; do for b in 40 49 39 33 42 66 90; do [ $a -lt $b ] && echo "$a $b"; done; done > pairs.txt
python3 -c '
rows = [set(line.split()) for line in open("retail.txt")]
for pair in open("pairs.txt"): print(sum(set(pair.split()) <= row for row in rows))' > exact.txt
dusk release threshold-monitor -e 1 -d 1e-6 -t 2000 --contributions 20 $often retail.txt < pairs.txt 2>/dev/null |
    right pairs 2000 exact.txt
