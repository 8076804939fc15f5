# SPDX-License-Identifier: Apache-2.0
# Printed upper bounds are never below the bound, lower bounds never above it,
# and not far from it.
python3 - <<'END'
import json, random, re, subprocess
from fractions import Fraction

def run(*words):
    return subprocess.run(["dusk", "account", *words], check=True, capture_output=True, text=True).stdout

random.seed(1)
checked = 0
for i in range(60):
    x = random.choice([1e-300, 1e-9, 1e-5, 0.01, 1, 30, 1e5, 1e17]) * random.random()
    event = f"pure({x!r})"
    exact = json.loads(run(event, "--delta", "0", "--json"))
    text = run(event, "--delta", "0")
    upper = re.search(r"at most (\S+)", text).group(1)
    assert Fraction(upper) >= Fraction(exact["epsilon"]), (event, upper)
    assert Fraction(upper) <= Fraction(exact["epsilon"]) * (1 + Fraction(1, 10**7)), (event, upper)
    lower = re.search(r"at least (\S+):", text)
    if lower:
        assert Fraction(lower.group(1)) <= Fraction(exact["epsilon_lower"]), (event, lower)
    checked += 1
print(checked, "rounded outward")
END
