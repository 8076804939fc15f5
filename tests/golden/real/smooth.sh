# SPDX-License-Identifier: Apache-2.0
# California housing: noise that follows the data, against the exact answers. The
# confidence is 1 - 1e-9, so that a failure is a bug and not bad luck.
[ -n "${DUSK_DATA-}" ] || { echo "skipped: DUSK_DATA is not set" >&2; exit 77; }
gzip -dc "$DUSK_DATA/california-housing/housing.csv.gz" > housing.csv
enough="--epsilon 1 --confidence 0.999999999 --json housing.csv"
inside() { # inside WHAT EXACT [SLACK] < the JSON of an answer
    python3 -c '
import json, sys
answer, exact, slack = json.load(sys.stdin), float(sys.argv[2]), float(sys.argv[3])
low, high = answer["interval"]
print(sys.argv[1], "inside" if low - slack <= exact <= high + slack else "OUTSIDE %s of [%s, %s]" % (exact, low, high))' "$1" "$2" "${3-0}"
}
value="--column median_house_value --bounds 0:600000"
median=$(awk -F, 'NR > 1 { print $9 }' housing.csv | sort -g | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }')
for noise in "--noise cauchy" "--degrees 3" "--noise laplace --delta 1e-6" "--noise gaussian --delta 1e-6"; do
    dusk release smooth-median $value $noise --interval-epsilon 1 $enough 2>/dev/null | inside "smooth-median $noise" "$median"
done
# 20000 is far above what 100 rows about the median span
dusk release propose-test-release $value --delta 1e-9 --sensitivity 20000 $enough 2>/dev/null | inside propose-test-release "$median"
# the interval is about the mean of the blocks' values, which is near that of all rows
deviation=$(awk -F, 'NR > 1 { s += $9; q += $9 * $9; n++ } END { printf "%.6f", sqrt(q / n - (s / n) ^ 2) }' housing.csv)
dusk release sample-and-aggregate --function deviation --blocks 100 --column median_house_value --bounds 0:300000 $enough 2>/dev/null |
    inside sample-and-aggregate "$deviation" 10000
