# SPDX-License-Identifier: Apache-2.0
# What is missing, contradictory or unknown, and what to type instead.
try() { dusk release "$@" </dev/null || echo "exit $?"; }
try
try laplce
try svt
try frobnicate
try laplace
try gaussian --epsilon 1 --sensitivity 1 --value 42
try mean --column 'yearly cost' people.csv --epsilon 1
try laplace --epsilon 1 --sensitivity 1 --value 1 --epsilo 2
try laplace --epsilon 1 --epsilon 2 --sensitivity 1
try laplace --epsilon
try laplace --json=yes
try laplace --epsilon 1 --sensitivity 1 --delta 1e-6 --value 1
try laplace --epsilon 1 --sensitivity 1 --value 1 answers.txt
try laplace --epsilon 1 --sensitivity 1 --seed 1
try laplace --epsilon 1 --sensitivity 1 one two
try histogram --epsilon 1
try histogram --epsilon 1 --bins 0:1:2 --edges 0,1
try histogram --epsilon 1 --bins 0:1
try mean --epsilon 1 --bounds 5
try noisy-max --noise cauchy --epsilon 1 --sensitivity 1
try top-k --k 0 --epsilon 1 --sensitivity 1
try randomized-response
try randomized-response --first 0.5
try randomized-response --first 0.5 --second 0.5 --epsilon 1
try randomized-response --epsilon 1 --neighbours add-remove
