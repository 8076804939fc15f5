# SPDX-License-Identifier: Apache-2.0
# Scores of canaries: a noisy sum of gradient canaries with noise multiplier 0.5 (mu is 2),
# scores without any leak, and LiRA from shadow models.
try() { dusk audit scores "$@" || echo "exit $?"; }
try canaries.csv
try canaries.csv --epsilon 1
try canaries.csv --epsilon 3
try canaries.csv --epsilon 20
try canaries.csv --epsilon 1 --delta 1e-5
try canaries.csv --epsilon 20 --strict
try canaries.csv --epsilon 1 --delta 1e-5 --assume-gaussian
try canaries.csv --event 'gaussian(2)' --delta 1e-5
try canaries.csv --guesses 40,40
try canaries.csv --split
try canaries.csv --runs --epsilon 1 --delta 1e-5
try canaries.csv --runs --threshold 0.9
try null.csv --runs --columns loss,in,run --epsilon 0.1
try shadows.csv --columns score,member
try shadows.csv --lira online
try shadows.csv --lira offline-pooled
try shadows.csv --lira relative
try canaries.csv --assume-gaussian
tail -n +2 canaries.csv | { echo score,member; cat; } | try - --confidence 0.99
try null.csv --columns loss,in --epsilon 0.1
