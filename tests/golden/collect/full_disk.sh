# SPDX-License-Identifier: Apache-2.0
# A full disk is noticed, what was there stays, and nothing is left beside it.
[ -e /dev/full ] || exit 77
dusk collect plan --domain 100 --users 1000 --epsilon 1 --mechanism grr --out task.json >/dev/null 2>&1
awk 'BEGIN { for (i = 0; i < 30000; i++) print i % 100 }' >many.txt
dusk collect encode --task task.json --out many.cbor many.txt 2>/dev/null
dusk collect plan --domain 100 --users 1000 --epsilon 1 --mechanism grr >/dev/full 2>err || echo "exit $?"
dusk collect encode --task task.json many.txt >/dev/full 2>err || echo "exit $?"
dusk collect encode --task task.json --out /dev/full many.txt 2>err || echo "exit $?"
head -c 2700 many.cbor | dusk collect aggregate --task task.json --state s.tally | head -2
(trap '' XFSZ; ulimit -f 400; dusk collect aggregate --task task.json --state s.tally many.cbor 2>err || echo "exit $?")
cat err
dusk collect estimate --state s.tally --json | grep -o '"reports":[0-9]*'
dusk collect aggregate --task task.json --state s.tally many.cbor | awk '{ print $1, $2 }' | head -2
dusk collect estimate --state s.tally >/dev/full 2>/dev/null || echo "exit $?"
ls s.tally* *.cbor
