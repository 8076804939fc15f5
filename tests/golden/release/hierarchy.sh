# SPDX-License-Identifier: Apache-2.0
# Sums are printed for the counts that must add up; the counts themselves are random.
tree="--epsilon 1 --regions regions.txt"
dusk release hierarchy $tree --columns town,sex survey.csv
dusk release hierarchy $tree --columns town,sex --counts raw --delta 1e-6 survey.csv
printf 'Lyon/Male 100\nLyon//Female, 50\n/Arles\t7\nParis/Male 9\nLyon 3\nArles -1\n' |
    dusk release hierarchy $tree --counts non-negative --shares 0,1,2 --unit person --neighbours replace-one
sums='{ n[$1] = $2 } END { print (n["/"] == n["Arles"] + n["Le Puy"] + n["Lyon"] && n["Lyon"] == n["Lyon/Female"] + n["Lyon/Male"] ? "adds up" : "DOES NOT ADD UP") }'
dusk release hierarchy $tree --columns town,sex --counts non-negative survey.csv 2>/dev/null | awk -F'\t' "$sums"
# With a large epsilon the exact counts come out: each row in its leaf and above it.
printf 'Lyon/Male 100\nLyon//Female, 50\n/Arles\t7\nParis/Male 9\nLyon 3\nArles -1\n' |
    dusk release hierarchy --epsilon 3000 --regions regions.txt --counts non-negative 2>/dev/null
dusk release hierarchy $tree --columns town,sex --shares optimal --dry-run
dusk release hierarchy $tree --columns town,sex --json survey.csv 2>/dev/null | python3 -c '
import json, sys
answer = json.load(sys.stdin)
print(sorted(answer), [sorted(r) for r in answer["regions"]][0], len(answer["regions"]))'
# Sums that go beyond 2^63 stay there: one row more moves none of them by more than one.
for i in 1 2; do seq 2047 | sed 's/.*/Arles 9007199254740992/' && echo "Arles $i"; done |
    dusk release hierarchy --epsilon 3000 --regions regions.txt --counts raw 2>/dev/null | grep Arles
