# SPDX-License-Identifier: Apache-2.0
# Liars in a simulation: their gain is the bound within noise, detection and known targets take it away, and who sends honest reports of a target is not found.
attack() { dusk collect simulate --users 4000 --epsilon 1 --liars 0.1 --runs 2 --json "$@"; }
check() { python3 -c '
import json, sys
d = json.load(sys.stdin)
v = d["defences"]
print(d["mechanism"], d["attack"], d["targets"], sorted(d), sorted(v), sorted(v.get("detect", v["none"])))
gain = {k: v[k]["gain"] for k in v}
assert abs(d["liars"] - .1) < 1e-9 and all(v[k]["mse"] > 0 and v[k]["gain_error"] >= 0 for k in v), d
'"$1"; }
attack --mechanism oue --domain 64 --targets 6 --defence all | check 'assert abs(gain["none"] - d["bound"]) < .6 < .75 * d["bound"] and v["detect"]["liars_found"] == 400 and gain["detect"] < .6, d'
attack --mechanism oue --domain 64 --targets 6 --attack hidden --defence all | check 'assert v["detect"]["liars_found"] > 300 and v["detect"]["honest_suspected"] < 100 and gain["known"] < .6 * gain["none"], d'
attack --mechanism oue --domain 64 --targets 6 --attack input --defence detect | check 'assert v["detect"]["liars_found"] == 0 and gain["none"] < .8 < d["bound"], d'
attack --mechanism grr --domain 16 --targets 2 --defence normalise | check 'assert 0 < gain["normalise"] < gain["none"] < d["bound"] + .3, d'
attack --mechanism cms --domain 16 --width 32 --rows 16 --defence recover | check 'assert gain["none"] > 0, d'
attack --mechanism piecewise | check 'assert gain["none"] > .1 and d["bound"] > gain["none"] - .3 and d["domain"] == 0, d'
printf 'you 287\ni 270\nthe 227\nto 175\na 148\n' >words.txt
attack --mechanism olh --data words.txt --attack output | check 'assert gain["none"] < 1, d'
dusk collect simulate --mechanism oue --domain 32 --users 1000 --epsilon 1 --liars 0.1 --targets 3 --defence detect --runs 2
dusk collect simulate --mechanism duchi --users 1500 --epsilon 1 --liars 0.1 --attack input --runs 2
try() { dusk collect simulate --users 1000 --epsilon 1 --runs 1 "$@" || echo "exit $?"; }
try --mechanism grr --domain 8 --targets 2
try --mechanism grr --domain 8 --defence detect
try --mechanism grr --domain 8 --liars 1
try --mechanism grr --domain 8 --liars 0.9999
try --mechanism grr --domain 8 --liars 0.1 --targets 9
try --mechanism grr --domain 8 --liars 0.1 --targets 0
try --mechanism grr --domain 8 --liars 0.1 --attack sly
try --mechanism grr --domain 8 --liars 0.1 --defence hope
try --mechanism duchi --liars 0.1 --attack hidden
try --mechanism duchi --liars 0.1 --defence normalise
dusk collect simulate --mechanism grr --domain 8 --users 9000000000 --epsilon 1 --liars 0.1 || echo "exit $?"
