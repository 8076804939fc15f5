# SPDX-License-Identifier: Apache-2.0
# Tables of the hd-discrete collection: private answers against the exact ones. The confidence is
# 1 - 1e-9, so that a failure is a bug and not bad luck.
[ -n "${DUSK_DATA-}" ] || { echo "skipped: DUSK_DATA is not set" >&2; exit 77; }
gzip -dc "$DUSK_DATA/hd-discrete/nltcs.csv.gz" > nltcs.csv
gzip -dc "$DUSK_DATA/hd-discrete/nltcs-domain.json.gz" | python3 -c '
import json, sys
for name, size in json.load(sys.stdin).items(): print("\"%s\" whole 0:%d" % (name, size - 1))' > nltcs.schema
ask="--epsilon 1 --delta 1e-9 --confidence 0.999999999 --schema nltcs.schema --unit person"

inside() { # inside WHAT KEY < JSON: is every cell within what the answer says?
    python3 -c '
import csv, json, sys
from collections import Counter
answer, rows = json.load(sys.stdin), list(csv.reader(open("nltcs.csv")))
worst = 0
for marginal in answer["marginals"]:
    place = [rows[0].index(name) for name in marginal["columns"]]
    exact = Counter(tuple(row[i] for i in place) for row in rows[1:])
    for cell in marginal["cells"]:
        worst = max(worst, abs(cell["count"] - exact[tuple(cell["values"])]))
print(sys.argv[1], "inside" if worst <= answer[sys.argv[2]] else "OUTSIDE: %s" % worst)' "$1" "$2"
}
dusk release marginals $ask --marginals 2 --counts raw --json nltcs.csv 2>/dev/null | inside marginals half_width
dusk release mwem $ask --marginals 2 --rounds 20 --json nltcs.csv 2>/dev/null | inside mwem error
dusk release synthetic-table $ask nltcs.csv 2>/dev/null > synthetic.csv
python3 -c '
import csv, itertools
from collections import Counter
def read(path):
    rows = list(csv.reader(open(path)))
    return rows[0], list(zip(*rows[1:]))
header, real = read("nltcs.csv")
names, made = read("synthetic.csv")
made = [made[names.index(name)] for name in header]
n, m, tree, alone = len(real[0]), len(made[0]), 0, 0
for i, j in itertools.combinations(range(len(header)), 2):
    p, q = Counter(zip(real[i], real[j])), Counter(zip(made[i], made[j]))
    a, b = Counter(real[i]), Counter(real[j])
    for x in a:
        for y in b:
            tree += abs(p[x, y] / n - q[x, y] / m)
            alone += abs(p[x, y] / n - a[x] * b[y] / n / n)
print("synthetic-table", "better" if tree < 0.7 * alone else "NOT BETTER", "than independent columns")'
