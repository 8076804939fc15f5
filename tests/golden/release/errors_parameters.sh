# SPDX-License-Identifier: Apache-2.0
# Each refused before anything is drawn, with one sentence, a hint and exit 2.
try() { dusk release "$@" <people.csv || echo "exit $?"; }
for epsilon in 0 -1 nan inf 1e-400 one ''; do try laplace --epsilon "$epsilon" --sensitivity 1 --value 1; done
for sensitivity in -1 nan inf; do try laplace --epsilon 1 --sensitivity "$sensitivity" --value 1; done
for delta in 0 1 -1 2 nan; do try gaussian --epsilon 1 --delta "$delta" --sensitivity 1 --value 1; done
for delta in 0 1; do try keys --epsilon 1 --delta "$delta"; done
try gaussian --classical --epsilon 1 --delta 1e-6 --sensitivity 1 --value 1
try exponential --epsilon 0 --sensitivity 1
try sparse-vector --epsilon 0 --sensitivity 1 --threshold 1
try randomized-response --epsilon 0 --value 1
try mean --epsilon 0 --bounds 0:1
try mean --epsilon 1 --bounds 1:0
try mean --epsilon 1 --bounds 0:inf
try count --epsilon 1 --delta 1
try median --epsilon -1 --bounds 0:1
try quantiles --epsilon 1 --bounds 0:1 --q 0.5,0.5
try quantiles --epsilon 1 --bounds 0:1 --q 1.5
try histogram --epsilon 1 --bins 1:0:3
try histogram --epsilon 1 --edges 3,2,1
try laplace --epsilon 1 --sensitivity 1 --value 1 --confidence 1
try mean --epsilon 1 --bounds 0:1 --confidence 0
