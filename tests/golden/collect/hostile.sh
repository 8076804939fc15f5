# SPDX-License-Identifier: Apache-2.0
# Whatever is in the input, what is whole and right is taken, and the rest is counted by kind.
dusk collect plan --domain 100 --users 1000 --epsilon 1 --mechanism grr --name a --out a.json >/dev/null 2>&1
dusk collect plan --domain 100 --users 1000 --epsilon 1 --mechanism grr --name b --out b.json >/dev/null 2>&1
seq 0 99 | dusk collect encode --task a.json --out good.cbor 2>/dev/null
seq 0 9 | dusk collect encode --task b.json --out other.cbor 2>/dev/null
seq 0 9 | dusk collect encode --task a.json --epoch 7 --out later.cbor 2>/dev/null
head -c 10 good.cbor >cut.cbor
printf '\103abc\100\102\201\002' >garbage.cbor
printf '\132\377\377\377\377' >long.cbor
printf 'GET / HTTP/1.1\r\n\r\n' >http.cbor
cat good.cbor garbage.cbor other.cbor later.cbor good.cbor cut.cbor | dusk collect aggregate --task a.json --state s.tally
dusk collect aggregate --task a.json --state s.tally http.cbor long.cbor cut.cbor /dev/null --threads 3
dusk collect aggregate --task a.json --state s.tally http.cbor good.cbor --json
head -c 100000 /dev/urandom | dusk collect aggregate --task a.json --state r.tally >/dev/null && echo "random bytes"
dusk collect estimate --state s.tally --top 1 2>&1 >/dev/null | grep -v promise
# words that are no category are reported, as the last
printf '5\n100\n-1\nfive\n\n7.5\n' | dusk collect encode --task a.json 2>&1 >words.cbor | head -2
wc -c <words.cbor
