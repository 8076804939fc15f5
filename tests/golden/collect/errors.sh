# SPDX-License-Identifier: Apache-2.0
# What is missing, contradictory or unreadable, and what to type instead.
try() { dusk collect "$@" </dev/null || echo "exit $?"; }
plan="--users 1000 --epsilon 1"
dusk collect plan --domain 10 $plan --mechanism grr --out task.json >/dev/null 2>&1
dusk collect plan --domain 11 $plan --mechanism grr --out other.json >/dev/null 2>&1
dusk collect plan --low 0 --high 1 $plan --mechanism duchi --out number.json >/dev/null 2>&1
dusk collect aggregate --task task.json --state s.tally </dev/null >/dev/null
try
try aggregat
try plan
try plan $plan
try plan $plan --domain 10 --low 0 --high 1
try plan $plan --low 0
try plan $plan --low 1 --high 0
try plan --domain 10 --users 1000 --epsilon 0
try plan --domain 10 --users 1000 --epsilon 100 --mechanism grr
try plan --domain 1 $plan
try plan --domain 10 $plan --mechanism warner
try plan --domain 10 $plan --mechanism duchi
try plan --low 0 --high 1 $plan --mechanism grr
try plan --domain 10 $plan --width 3
try plan --domain 10 $plan --name 'a b' --mechanism grr
try plan --domain 10 $plan answers.txt
try plan --domain 10 $plan --mechanism grr --out nowhere/task.json
try encode
try encode --task none.json
try encode --task keys.txt
try encode --task task.json none.txt
try encode --task task.json survey.csv --column none
try encode --task number.json --values keys.txt
try encode --task task.json --values none.txt
try encode --task task.json --out nowhere/x.cbor
try aggregate --task task.json
try aggregate --task task.json --state none/s.tally
try aggregate --task task.json --state s.tally none.cbor
try aggregate --task task.json --state s.tally .
try aggregate --task other.json --state s.tally
try aggregate --task task.json --state s.tally --epoch 3
try aggregate --task task.json --state keys.txt
try aggregate --task task.json --state s.tally --merge keys.txt
try aggregate --task task.json --state s.tally --state t.tally
try aggregate --task task.json --state s.tally --listen 1.2.3.4.5:x
try aggregate --task task.json --state s.tally --listen none/socket
try estimate
try estimate --state none.tally
try estimate --state keys.txt
try estimate --state s.tally --task other.json
try estimate --state s.tally --confidence 1
try estimate --state s.tally --values none.txt
try estimate --state s.tally s.tally
try estimate --state s.tally --plot nowhere/x.svg
try simulate --mechanism grr --users 100 --epsilon 1
try simulate --mechanism grr --domain 10 --users 100 --epsilon 1 --runs 0
try simulate --mechanism grr --domain 10 --users 100 --epsilon 1 --zipf -1
try simulate --mechanism grr --users 100 --epsilon 1 --data none.txt
