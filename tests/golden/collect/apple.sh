# SPDX-License-Identifier: Apache-2.0
# JSON as Apple's devices send it: counted once, whatever is wrong with some of it; and what is refused.
dusk collect plan --texts --mechanism hcms --rows 16 --width 64 --users 1000 --epsilon 4 --name emoji --out task.json >/dev/null 2>&1
cat >day.json <<'END'
{"version": 1, "segments": [
  {"algorithm": "HadamardCountMedianSketch", "key": "emoji", "parameters": {"epsilon": 4, "k": 16, "m": 64},
   "records": ["0,0,1", "15,63,-1", "3,7,+1", "16,0,1", "3,7", 12]},
  {"algorithm": "CountMedianSketch", "key": "emoji", "parameters": {"epsilon": 4, "k": 16, "m": 64}, "records": ["0,ff"]},
  {"algorithm": "HadamardCountMedianSketch", "key": "words", "parameters": {"epsilon": 4, "k": 16, "m": 64}, "records": ["0,0,1"]},
  {"algorithm": "HadamardCountMedianSketch"}]}
END
tr -d '\n' <day.json >lines.json
printf '\n{"segments": [\nnothing\n' >>lines.json
dusk collect aggregate --task task.json --state s.tally --format apple-json day.json
dusk collect aggregate --task task.json --state s.tally --format apple-json day.json
dusk collect aggregate --task task.json --state s.tally --format apple-json <lines.json
dusk collect aggregate --task task.json --state s.tally day.json # not as records
try() { dusk collect "$@" </dev/null || echo "exit $?"; }
dusk collect plan --domain 4 --mechanism grr --users 1000 --epsilon 4 --out grr.json >/dev/null 2>&1
try aggregate --task grr.json --state g.tally --format apple-json day.json
try aggregate --task task.json --state s.tally --format apple-json --listen 127.0.0.1:0
try aggregate --task task.json --state s.tally --format xml day.json
try aggregate --task task.json --state s.tally --format apple-json none.json
