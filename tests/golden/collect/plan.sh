# SPDX-License-Identifier: Apache-2.0
# A survey is planned, written and read again; without a randomiser one is chosen and the reason given.
dusk collect plan --domain 100 --users 100000 --epsilon 1 --mechanism grr --name colours --out task.json 2>&1
cat task.json
dusk collect plan --domain 100 --users 100000 --epsilon 1 --mechanism grr --name colours --c 2>&1
dusk collect plan --domain 100 --users 100000 --epsilon 1 --mechanism grr --json
dusk collect plan --low 0 --high 10 --users 10000 --epsilon 1 --mechanism duchi 2>&1
dusk collect plan --domain 1024 --users 1000000 --epsilon 1 2>&1 | grep -c '<-$\|^chosen: '
dusk collect plan --low 0 --high 10 --users 10000 --epsilon 1 2>&1 | grep -c '<-$\|^chosen: '
# the initialiser is C99, and the survey that was changed is none
dusk collect plan --domain 100 --users 100000 --epsilon 1 --mechanism grr --c 2>/dev/null | grep -v '^/\*' >task.h
sed 's/"p":"\([0-9]*\)[0-9]"/"p":"\19"/' task.json >changed.json
echo 1 | dusk collect encode --task changed.json 2>&1 || echo "exit $?"
# for ranges: a tree where there are many values, and no randomiser whose ranges are not known
dusk collect plan --domain 1024 --users 1000000 --epsilon 1 --for ranges 2>&1 | sed 's/^\([a-z]* *\).*<-$/\1<-/' | grep '<-\|+-\|^chosen'
dusk collect plan --domain 4 --users 1000000 --epsilon 1 --for ranges --json | grep -o '"mechanism":"[a-z]*","why":"[^"]*","for":"ranges"'
dusk collect plan --domain 100 --users 1000 --epsilon 1 --mechanism olh --for ranges 2>&1 || echo "exit $?"
dusk collect plan --low 0 --high 1 --users 1000 --epsilon 1 --for ranges 2>&1 || echo "exit $?"
