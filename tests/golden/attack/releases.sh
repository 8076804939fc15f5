# SPDX-License-Identifier: Apache-2.0
# Releases under one budget hold, those that spend for each answer fall, an answer that is kept
# says no more the second time. The noise is fresh: shown is only what does not depend on it.
awk 'BEGIN { print "id,sick"; for (i = 1; i <= 300; i++) print i "," (i * 7919 % 601) % 2 }' > town.csv
run() { dusk attack "$@" --column sick town.csv | grep '^spent\|^bound\|^verdict'; }
run differencing --release dusk --epsilon 0.1 --expect holds
run differencing --release overspent --epsilon 20 --trials 500 --expect falls
run averaging --release dusk --epsilon 0.1 --expect holds
run averaging --release dusk --epsilon 0.1 --delta 1e-6 --expect holds
run averaging --release overspent --epsilon 3 --expect falls
run averaging --release kept --epsilon 1 --queries 100 --expect holds
run reconstruction --release dusk --epsilon 0.1 --expect holds
run reconstruction --release dusk --epsilon 0.1 --delta 1e-6 --decoder absolute --expect holds
run reconstruction --release overspent --epsilon 4 --expect falls

# luck makes no release fall, and noise that is never seen is no kept answer
for i in 1 2 3 4 5 6 7 8; do dusk attack differencing town.csv --column sick --release dusk --epsilon 0.1 --trials 1; done |
    grep '^verdict' | uniq
for i in 1 2 3 4 5 6 7 8; do dusk attack reconstruction town.csv --people 2 --column sick --release dusk --epsilon 0.1; done |
    grep '^verdict' | uniq
run averaging --release overspent --epsilon 50 --expect falls
awk 'BEGIN { print "a,b"; for (i = 0; i < 1300; i++) print i * 7919 % 601 % 2 "," i * 104729 % 997 % 2 }' > pairs.csv
dusk attack membership pairs.csv --members 1000 --release dusk --epsilon 0.1 --false-positives 0.6 --expect holds | grep '^verdict'
