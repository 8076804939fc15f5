# SPDX-License-Identifier: Apache-2.0
# Several attributes of a person, from the plan to tables of one and two of them.
dusk collect plan --attributes age:10,sex:2,region:20 --epsilon 1 --users 1000000 2>&1
dusk collect plan --attributes age:3,sex:2,region:4 --order 2 --epsilon 6 --users 30000 --name census --out task.json 2>&1
cat task.json
dusk collect plan --attributes age:3,sex:2 --epsilon 1 --users 1000 --mechanism rsfd --json
dusk collect plan --attributes age:3,sex:2 --epsilon 1 --users 1000 --mechanism rsfd --c 2>/dev/null | tail -2
printf 'age:young\nage:middle\nage:old\nsex:f\nsex:m\nregion:north\nregion:east\nregion:south\nregion:west\n' >names.txt
awk 'BEGIN {
    split("young middle old", a, " "); split("f m", s, " "); split("north east south west", r, " ")
    for (i = 0; i < 30000; i++) { x = i % 10 < 6 ? 1 : i % 10 < 9 ? 2 : 3; print a[x] "," s[x == 1 ? 1 : 2] "," r[1 + i % 4] }
}' >people.txt
dusk collect encode --task task.json --values names.txt people.txt --out records.cbor 2>/dev/null
dusk collect aggregate --task task.json --state state.tally records.cbor
dusk collect estimate --state state.tally --values names.txt 2>/dev/null | tr -s ' '
# every estimate is within 6 deviations of the truth, both ways round
dusk collect estimate --state state.tally --attribute sex --json | tr '{' '\n' | sed -n 's/.*"value":"\([^"]*\)","count":\([^,]*\),.*"deviation":\([^,]*\),.*/\1 \2 \3/p' |
    awk '{ t = $1 == "sex:0" ? 18000 : 12000; print $1, ($2 - t) ^ 2 < 36 * $3 ^ 2 ? "holds" : "does not" }'
dusk collect estimate --state state.tally --marginal sex,age --json | tr '{' '\n' | sed -n 's/.*"value":"\([^"]*\)","count":\([^,]*\),.*"deviation":\([^,]*\),.*/\1 \2 \3/p' |
    awk '{ t = $1 == "sex:0,age:0" ? 18000 : $1 == "sex:1,age:1" ? 9000 : $1 == "sex:1,age:2" ? 3000 : 0; print $1, ($2 - t) ^ 2 < 36 * $3 ^ 2 ? "holds" : "does not" }'
dusk collect estimate --state state.tally --values names.txt --marginal age,sex --top 1 2>/dev/null | head -2 | tail -1 | cut -d' ' -f1
# numbers, spaces, and what is no category
printf '1,1,3\n0, 1, 2\nx,1\n1,0,2,5\n' | dusk collect encode --task task.json 2>&1 >/dev/null | head -2
printf '0,1\n2,0\n' >pairs.txt
dusk collect simulate --mechanism spl --attributes age:3,sex:2 --users 1000 --epsilon 2 --data pairs.txt --runs 1 | head -1
dusk collect simulate --mechanism smp --attributes age:3,sex:2 --order 2 --users 1000 --epsilon 2 --runs 1 --json | cut -d, -f1-5
try() { dusk collect "$@" 2>&1 || echo "exit $?"; }
plan="--users 1000 --epsilon 1"
try plan $plan --attributes age
try plan $plan --attributes age:1
try plan $plan --attributes age:5,age:6
try plan $plan --attributes age:5 --domain 3
try plan $plan --attributes age:5,sex:2 --mechanism grr
try plan $plan --attributes age:5,sex:2 --order 2 --mechanism rsfd
try plan $plan --attributes age:5 --order 2
try estimate --state state.tally --attribute hair
try estimate --state state.tally --marginal sex
try estimate --state state.tally --marginal sex,sex
try encode --task task.json --values pairs.txt people.txt
try simulate --mechanism smp --attributes age:3,sex:2 --data people.txt $plan
try simulate --mechanism smp --attributes age:3,sex:2 --liars 0.1 $plan
dusk collect plan --domain 4 $plan --mechanism grr --out one.json >/dev/null 2>&1
dusk collect aggregate --task one.json --state one.tally </dev/null >/dev/null
try estimate --state one.tally --attribute age
try estimate --state state.tally --attribute age --quantiles 0.5
dusk collect estimate --state state.tally --consistent norm-sub --json 2>/dev/null | tr "{" "\n" | sed -n "s/.*\"value\":\"\([a-z]*\):[0-9]*\",\"count\":\([^,]*\),.*/\1 \2/p" | awk '{ s[$1] += $2 } END { print (s["age"] + s["sex"] + s["region"]) / 3 }'
