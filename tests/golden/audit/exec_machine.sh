# SPDX-License-Identifier: Apache-2.0
# For machines: one object with everything in it. A full disk is noticed.
dusk audit exec --epsilon 1 --inputs a,b --draws 2000 --alarm 1e-9 --json -- sh -c 'yes $1' sh >found 2>/dev/null
echo "exit $?"
python3 - <<'END'
import json
found = json.loads(open("found").read())
print(*found)
for key in ("command", "claimed", "delta", "verdict", "pair", "varied", "p", "q", "words", "outputs"):
    print(key, found[key])
assert 4 < found["measured_sure"] < found["measured"] < 9, found
assert found["cpu_s"] >= 0 and found["draws"] > 4000 and found["exact"] is None and sorted(found["inputs"]) == ["a", "b"]
END
[ -e /dev/full ] || exit 77
dusk audit exec --epsilon 1 --inputs a,b --draws 2000 --alarm 1e-9 -- sh -c 'yes 1' sh >/dev/full || echo "exit $?"
