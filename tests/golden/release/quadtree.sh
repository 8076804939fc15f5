# SPDX-License-Identifier: Apache-2.0
map="--columns lon,lat --box 4:5,43:46"
dusk release quadtree --epsilon 1 $map --depth 1 places.csv
dusk release quadtree --epsilon 1 --delta 1e-6 $map --depth 1 --counts raw --shares 1,3 --unit person places.csv
# With a large epsilon the exact counts come out: dropped, or moved to the edge.
dusk release quadtree --epsilon 9000 $map --depth 1 --counts non-negative places.csv 2>/dev/null
dusk release quadtree --epsilon 9000 $map --depth 1 --counts non-negative --outside clamp places.csv 2>/dev/null
dusk release quadtree --epsilon 9000 $map --depth 4 --counts non-negative --prune 2 places.csv 2>/dev/null
dusk release quadtree --epsilon 9000 $map --depth 4 --counts non-negative --query '4:5,43:46;4.5:5,45:46;4:4.1,43:44' places.csv 2>/dev/null
dusk release quadtree --epsilon 1 $map --depth 6 --query 4:5,43:46 places.csv
dusk release quadtree --epsilon 1 $map --depth 3 --dry-run
dusk release quadtree --epsilon 1 $map --depth 1 --json places.csv 2>/dev/null | python3 -c '
import json, sys
answer = json.load(sys.stdin)
print(sorted(answer), sorted(answer["cells"][0]), [c["box"] for c in answer["cells"]])'
try() { dusk release quadtree --epsilon 1 "$@" || echo "exit $?"; }
try --columns lon --box 4:5,43:46 --depth 3 places.csv
try --columns lon,lat --box 4:5 --depth 3 places.csv
try --columns lon,lat --box 5:4,43:46 --depth 3 places.csv
try --columns lon,lat --box 4:5,43:46 --depth 13 places.csv
try $map --depth 3 --shares 1,2 places.csv
try $map --depth 3 --query '4:5;43:46' places.csv
try $map --depth 3 --counts raw --query 4:5,43:46 places.csv
try --columns lon,height --box 4:5,43:46 --depth 3 places.csv
