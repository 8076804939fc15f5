# SPDX-License-Identifier: Apache-2.0
# Randomisers of categories and of numbers have the same fields; the error is near what theory says, six deviations at most, and so is coverage.
fields() { python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["mechanism"], sorted(d))
assert abs(d["mse"] / d["theory"] - 1) < 6 * d["mse_error"] / d["mse"], d
assert abs(d["coverage"] - .95) < .05 and 0 < d["epsilon_exact"] <= 1, d
assert d["bytes_per_report"] >= 1 and d["encode_ns"] >= 0 and d["aggregate_ns"] >= 0, d'; }
dusk collect simulate --mechanism grr --domain 32 --users 2000 --epsilon 1 --runs 400 --json | fields
dusk collect simulate --mechanism duchi --users 2000 --epsilon 1 --runs 2000 --json | fields
printf 'you 287\ni 270\nthe 227\nto 175\na 148\n' >words.txt
dusk collect simulate --mechanism grr --data words.txt --users 2000 --epsilon 1 --runs 3000 --json | fields
printf 'x\ny\nx\nz\nx 1\n' | dusk collect simulate --mechanism grr --data - --users 1000 --epsilon 1 --runs 2 --json | grep -o '"domain":[0-9]*'
printf 'a 1\nb\n' | dusk collect simulate --mechanism grr --data - --users 1000 --epsilon 1 --runs 2 || echo "exit $?"
dusk collect simulate --mechanism grr --domain 4 --users 1000 --epsilon 1 --runs 3
dusk collect simulate --mechanism grr --domain 4 --users 1 --epsilon 1 --runs 1 --json | grep -o '"users_per_survey":1'
# ranges of trees, and of others for who asks
dusk collect simulate --mechanism tree --domain 50 --users 2000 --epsilon 1 --runs 200 --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["ranges"], sorted(x for x in d if x.startswith("range_")))
assert abs(d["mse"] / d["theory"] - 1) < 6 * d["mse_error"] / d["mse"], d
assert abs(d["range_mse"] / d["range_theory"] - 1) < 6 * d["range_mse_error"] / d["range_mse"], d
assert abs(d["range_coverage"] - .95) < .05, d'
dusk collect simulate --mechanism olh --domain 4 --users 1000 --epsilon 1 --runs 3 --for ranges | tail -2
dusk collect simulate --mechanism duchi --users 1000 --epsilon 1 --runs 3 --for ranges || echo "exit $?"
