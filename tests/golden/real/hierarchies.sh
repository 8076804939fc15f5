# SPDX-License-Identifier: Apache-2.0
# Census microdata by area, sex and education; block groups on a map; incomes in ranges:
# private counts against the exact ones. The confidence is 1 - 1e-9, so that a failure is a
# bug and not bad luck.
[ -n "${DUSK_DATA-}" ] || { echo "skipped: DUSK_DATA is not set" >&2; exit 77; }
gzip -dc "$DUSK_DATA/pums/FultonPUMS5full.csv.gz" > fulton.csv
gzip -dc "$DUSK_DATA/california-housing/housing.csv.gz" > housing.csv
sure="--confidence 0.999999999 --json"

for area in 1101 1102 1103 1104 1105 1106 1107 1199; do
    for sex in 0 1; do seq -f "$area/$sex/%g" 16; done
done > fulton.txt
for how in "--counts raw" "" "--counts non-negative" "--counts non-negative --delta 1e-9 --shares 0,1,2,4"; do
    dusk release hierarchy --epsilon 0.5 --unit person --regions fulton.txt --columns puma,sex,educ $how $sure \
        fulton.csv 2>/dev/null | python3 -c '
import csv, json, sys
exact = {}
for row in csv.DictReader(open("fulton.csv")):
    parts = [row["puma"], row["sex"], row["educ"]]
    for i in range(4):
        path = "/".join(parts[:i]) or "/"
        exact[path] = exact.get(path, 0) + 1
regions = json.load(sys.stdin)["regions"]
outside = [r["region"] for r in regions if not r["interval"][0] <= exact.get(r["region"], 0) <= r["interval"][1]]
counts = {r["region"]: r["count"] for r in regions}
areas = sum(c for r, c in counts.items() if r != "/" and "/" not in r)
print(sys.argv[1], len(regions), "regions, outside:", outside, "sums:", "raw" in sys.argv[1] or abs(counts["/"] - areas) < 1e-6)' "hierarchy $how"
done

for how in "" "--delta 1e-9" "--counts non-negative"; do
    dusk release quadtree --epsilon 0.5 --columns longitude,latitude --box -125:-114,32:42 --depth 5 $how $sure \
        housing.csv 2>/dev/null | python3 -c '
import csv, json, sys
points = [(float(r["longitude"]), float(r["latitude"])) for r in csv.DictReader(open("housing.csv"))]
cells = json.load(sys.stdin)["cells"]
side, exact = 32, {}
for x, y in points: # the edges are dyadic: -125 + 11 k / 32, 32 + 10 k / 32
    cell = (min(int((x + 125) * side / 11), side - 1), min(int((y - 32) * side / 10), side - 1))
    exact[cell] = exact.get(cell, 0) + 1
outside = 0
for c in cells:
    x, y = round((c["box"][0] + 125) * side / 11), round((c["box"][2] - 32) * side / 10)
    outside += not c["interval"][0] <= exact.get((x, y), 0) <= c["interval"][1]
print(sys.argv[1], len(cells), "cells, outside:", outside)' "quadtree $how"
done

dusk release range-histogram --epsilon 0.5 --bins 0:200000:4000 --column income \
    --query '0:20000;20000:50000;50000:200000' $sure fulton.csv 2>/dev/null | python3 -c '
import csv, json, sys
incomes = [float(r["income"]) for r in csv.DictReader(open("fulton.csv"))]
for a, (low, high) in zip(json.load(sys.stdin)["answers"], ((0, 20000), (20000, 50000), (50000, 200001))):
    exact = sum(low <= x < high and x <= 200000 for x in incomes)
    print("range", low, "inside" if abs(a["value"] - exact) <= a["half_width"] else "OUTSIDE")'
