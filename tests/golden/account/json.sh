# SPDX-License-Identifier: Apache-2.0
# What machines read: the keys, and bounds on both sides of the truth.
python3 - <<'END'
import json, subprocess

def ask(*words):
    return json.loads(subprocess.run(["dusk", "account", *words, "--json"], check=True, capture_output=True).stdout)

def enclosed(lower, truth, upper, slack=1e-6):
    return lower <= truth <= upper and upper <= truth * (1 + slack)

a = ask("poisson(0.01, gaussian(1)) * 10000", "--delta", "1e-6")
print(sorted(a))
print(enclosed(a["epsilon_lower"], 6.907384495045, a["epsilon"]), a["delta"], a["neighbours"], a["event"])
a = ask("gaussian(1)", "--epsilon", "1", "--neighbours", "replace-one", "--attacker")
print(sorted(a))
print(enclosed(a["delta_lower"], 0.50986166005467025, a["delta"]), a["epsilon"], a["neighbours"])
print(enclosed(a["advantage_lower"], 0.6826894921370859, a["advantage"]))
a = ask("gaussian(1)", "--delta", "0")
print(a["epsilon"])
a = ask("gaussian(1)", "--delta", "1e-6", "--attacker")
print(2.7182818284 ** a["epsilon"] <= a["posterior_odds"] <= 1000)
a = ask("--solve", "sigma", "--epsilon", "1", "--delta", "1e-6", "poisson(0.01, gaussian(sigma)) * 10000")
print(sorted(a))
print(enclosed(0, 4.3021064656, a["sigma"]), a["epsilon"] <= 1, a["target_epsilon"], a["solved"])
a = ask("--solve", "epsilon", "--epsilon", "1", "--delta", "0", "pure(epsilon) * 4")
print(sorted(a), a["epsilon"])
a = ask("gaussian(1)", "--curve", "--points", "3", "--epsilon", "2")
print(sorted(a), a["epsilon"], [round(d, 7) for d in a["delta"]], all(x <= y for x, y in zip(a["delta_lower"], a["delta"])))
a = ask("gaussian(1)", "--tradeoff", "--points", "3")
print(sorted(a), a["alpha"], [round(b, 7) for b in a["beta"]], all(x <= y for x, y in zip(a["beta"], a["beta_upper"])))
a = ask("pure(0.1) * 100", "--delta", "1e-6", "--all")
print(sorted(a))
by = {one["method"]: one for one in a["accountants"]}
print(len(by), all(a["epsilon"] <= one["epsilon"] for one in by.values() if not one.get("approximation", True)))
print(all(("unsupported" in one) != ("epsilon" in one) for one in by.values()))
END
