# SPDX-License-Identifier: Apache-2.0
# Census microdata: private answers against the exact ones. The confidence is
# 1 - 1e-9, so that a failure is a bug and not bad luck.
[ -n "${DUSK_DATA-}" ] || { echo "skipped: DUSK_DATA is not set" >&2; exit 77; }
gzip -dc "$DUSK_DATA/pums/PUMS5extract10000.csv.gz" > pums.csv
column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' pums.csv; }
enough="--epsilon 1 --confidence 0.999999999 --unit person --json"

inside() { # inside WHAT EXACT < the JSON of an answer
    python3 -c '
import json, sys
answer, exact = json.load(sys.stdin), float(sys.argv[2])
low, high = answer["interval"]
print(sys.argv[1], "inside" if low <= exact <= high else "OUTSIDE %s of [%s, %s]" % (exact, low, high))' "$1" "$2"
}
dusk release mean --column age --bounds 0:100 $enough pums.csv 2>/dev/null |
    inside mean "$(column age | awk '{ s += $1 } END { printf "%.12f", s / NR }')"
dusk release sum --column income --bounds 0:200000 $enough pums.csv 2>/dev/null |
    inside sum "$(column income | awk '{ x = $1 < 0 ? 0 : $1 > 200000 ? 200000 : $1; s += x } END { printf "%.6f", s }')"
dusk release variance --column age --bounds 0:100 $enough pums.csv 2>/dev/null |
    inside variance "$(column age | awk '{ s += $1; q += $1 * $1 } END { m = s / NR; printf "%.9f", q / NR - m * m }')"
dusk release count --delta 1e-9 $enough pums.csv 2>/dev/null | inside count "$(column age | wc -l)"
dusk release median --column age --bounds 0:100 $enough pums.csv 2>/dev/null | python3 -c '
import json, sys
answer = json.load(sys.stdin)
value, off = answer["values"][0] if "values" in answer else answer["value"], answer["rank_error"]
ages = sorted(float(x) for x in sys.argv[1].split())
below, upto = sum(a < value for a in ages), sum(a <= value for a in ages)
print("median", "inside" if below - off <= len(ages) / 2 <= upto + off else "OUTSIDE")' "$(column age | tr '\n' ' ')"
