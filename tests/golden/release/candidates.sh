# SPDX-License-Identifier: Apache-2.0
# One candidate: it is the best whatever the number of runs.
printf 'only 500\n' >one.txt
dusk release candidates --epsilon 1 --sensitivity 1 --scores one.txt
dusk release candidates --epsilon 1 --sensitivity 1 --runs 5 --eta 0 --padding 100 --json --unit person one.txt
dusk release candidates --epsilon 1 --sensitivity 1 --runs 40 --poisson --delta 1e-6 --neighbours replace-one <one.txt
dusk release candidates --epsilon 1 --sensitivity 1 --noise gaussian --delta 1e-6 <one.txt
dusk release candidates --epsilon 1 --sensitivity 2 --dry-run
try() { dusk release candidates "$@" <one.txt || echo "exit $?"; }
try --epsilon 0 --sensitivity 1
try --epsilon 1 --sensitivity -1
try --epsilon 1 --sensitivity 1 --runs 1
try --epsilon 1 --sensitivity 1 --eta -1
try --epsilon 1 --sensitivity 1 --poisson
try --epsilon 1 --sensitivity 1 --poisson --eta 2 --delta 1e-6
try --epsilon 1 --sensitivity 1 --noise gaussian
try --epsilon 1 --sensitivity 1 --noise gumbel
try --epsilon 1
dusk release candidates --epsilon 1 --sensitivity 1 </dev/null || echo "exit $?"
