# SPDX-License-Identifier: Apache-2.0
# Every accountant has a line: a bound, or why it has none; small bounds first.
dusk account 'gaussian(1)' --delta 1e-6 --all >table
sed '/^$/,$d' table | cut -d ' ' -f 1 | sort
sed -n '/^$/,$p' table
python3 - <<'END'
rows = [line.split() for line in open("table").read().split("\n\n")[0].split("\n")[1:]]
bounds = [float(r[1]) for r in rows if r[1] != "-" and "approximation," not in r]
assert bounds == sorted(bounds) and bounds[0] == 4.8865542, rows
assert all(len(r) > 3 for r in rows if r[1] == "-"), rows
END
dusk account 'gaussian(1)' --epsilon 1 --all | sed -n '/^$/,$p'
