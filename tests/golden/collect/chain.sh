# SPDX-License-Identifier: Apache-2.0
# Devices, two shards of which one is killed and started again, a merge, estimates: nothing is lost and nothing counts twice.
dusk collect plan --domain 4 --users 6000 --epsilon 3 --mechanism grr --name fruit --out task.json >/dev/null 2>&1
printf 'apple\npear\nplum\nquince\n' >fruit.txt
awk 'BEGIN { for (i = 0; i < 3000; i++) print i % 10 < 6 ? "apple" : i % 10 < 9 ? "pear" : "plum" }' >one.txt
dusk collect encode --task task.json --values fruit.txt one.txt --out one.cbor
dusk collect encode --task task.json --values fruit.txt one.txt >two.cbor
mkfifo pipe
dusk collect aggregate --task task.json --state one.tally --checkpoint 0 - <pipe >/dev/null &
server=$!
exec 3>pipe
head -c 30000 one.cbor >&3
while ! dusk collect estimate --state one.tally --json 2>/dev/null | grep -q '"reports":1250,'; do sleep 0.05; done
kill -9 $server
wait $server 2>/dev/null || echo "killed"
exec 3>&-
dusk collect aggregate --task task.json --state one.tally one.cbor | awk '{ print $1, $2 }' | head -2
dusk collect aggregate --task task.json --state two.tally two.cbor
dusk collect aggregate --task task.json --state all.tally --merge one.tally --merge two.tally | awk '{ print $1, $2 }' | head -2
dusk collect aggregate --task task.json --state all.tally --merge two.tally --json
dusk collect estimate --task task.json --state all.tally --values fruit.txt | tr -s ' '
dusk collect estimate --state one.tally --state two.tally --values fruit.txt 2>/dev/null >sum.txt
dusk collect estimate --state all.tally --values fruit.txt 2>/dev/null | cmp - sum.txt && echo "the same"
dusk collect estimate --state all.tally --state two.tally --values fruit.txt 2>says.txt >again.txt
head -1 says.txt
cmp again.txt sum.txt && echo "the same"
ls *.tally*
