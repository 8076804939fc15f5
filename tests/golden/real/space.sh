# SPDX-License-Identifier: Apache-2.0
# Check-ins: places and hourly counts against the exact ones. The confidence is
# 1 - 1e-9 for all together, so that a failure is a bug and not bad luck.
[ -n "${DUSK_DATA-}" ] || { echo "skipped: DUSK_DATA is not set" >&2; exit 77; }
gzip -dc "$DUSK_DATA/checkins/foursquare_nyc.train.csv.gz" > nyc.csv
awk -F, 'NR == 1 { print "lat,lon"; next } !seen[$2]++ { print $3 "," $4 }' nyc.csv > first.csv
awk -F, 'NR > 1 && !seen[$2, $6]++ { users[$6]++ }
    END { for (h = 0; h < 24; h++) print users[h] + 0 }' nyc.csv > hours.txt

dusk release planar-laplace --epsilon 1.386 --distance 200 --lat-lon --box 40.4:41,-74.3:-73.6 \
    --columns lat,lon --confidence 0.999999999999 --json first.csv 2>/dev/null | python3 -c '
import csv, json, math, sys
answer = json.load(sys.stdin)
places = [(float(r["lat"]), float(r["lon"])) for r in csv.DictReader(open("first.csv"))]
def far(a, b):
    f, g = math.radians(a[0]), math.radians(b[0])
    h = math.sin((f - g) / 2) ** 2 + math.cos(f) * math.cos(g) * math.sin(math.radians(a[1] - b[1]) / 2) ** 2
    return 2 * 6371000 * math.asin(math.sqrt(h))
errors = sorted(map(far, places, answer["places"]))
print(len(errors), "places", "inside" if errors[-1] <= answer["radius"] else "OUTSIDE")
print("the noise is", "there" if errors[len(errors) // 2] > 50 else "MISSING")'

for norm in 'l1 24' 'l2 4.899' 'linf 1'; do
    set -- $norm
    dusk release k-norm --norm "$1" --sensitivity "$2" --epsilon 2 --confidence 0.999999999 --json hours.txt \
        2>/dev/null | python3 -c '
import json, math, sys
answer, exact = json.load(sys.stdin), [float(x) for x in open("hours.txt")]
error = [abs(a - b) for a, b in zip(answer["values"], exact)]
size = {"l1": sum(error), "l2": math.hypot(*error), "linf": max(error)}[sys.argv[1]]
print(sys.argv[1], "inside" if size <= answer["radius"] and max(error) <= answer["half_width"] else "OUTSIDE")' "$1"
done
