# SPDX-License-Identifier: Apache-2.0
# Census microdata: each kind of noise for one number against the exact one. The confidence is 1 - 1e-9,
# so that a failure is a bug and not bad luck.
[ -n "${DUSK_DATA-}" ] || { echo "skipped: DUSK_DATA is not set" >&2; exit 77; }
gzip -dc "$DUSK_DATA/pums/PUMS5extract10000.csv.gz" > pums.csv
enough="--confidence 0.999999999 --unit person --json"
old=$(awk -F, 'NR > 1 && $5 >= 65' pums.csv | wc -l)
share=$(head -51 pums.csv | awk -F, 'NR > 1 { n++; m += $11 } END { print 100 * m / n }')

inside() { # inside WHAT EXACT < the JSON of an answer
    python3 -c '
import json, sys
answer, exact = json.load(sys.stdin), float(sys.argv[2])
low, high = answer["interval"]
far = answer.get("furthest", float("inf"))
good = low <= exact <= high and abs(answer["value"] - exact) <= far and (sys.argv[1] != "bounded" or 0 <= answer["value"] <= 100)
print(sys.argv[1], "inside" if good else "OUTSIDE %s of [%s, %s]" % (exact, low, high))' "$1" "$2"
}
echo "$old" | dusk release staircase -e 1 -s 1 $enough 2>/dev/null | inside staircase "$old"
echo "$old" | dusk release staircase -e 8 -s 1 --squared $enough 2>/dev/null | inside staircase-squared "$old"
echo "$old" | dusk release truncated-laplace -e 1 -d 1e-6 -s 1 $enough 2>/dev/null | inside truncated "$old"
echo "$share" | dusk release bounded-laplace -e 0.5 -s 2 -b 0:100 --neighbours replace-one $enough 2>/dev/null | inside bounded "$share"
echo "$old" | dusk release sinh-normal --rho 0.02 --omega 30 -d 1e-6 -s 1 $enough 2>/dev/null | inside sinh-normal "$old"
echo "$old" | dusk release sinh-normal -e 1 -d 1e-6 -s 1 $enough 2>/dev/null | inside sinh-normal-epsilon "$old"
