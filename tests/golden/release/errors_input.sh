# SPDX-License-Identifier: Apache-2.0
# Found out before the data is looked at.
try() { dusk release "$@" || echo "exit $?"; }
try laplace --epsilon 1 --sensitivity 1 absent.txt
try laplace --epsilon 1 --sensitivity 1 .
try exponential --epsilon 1 --sensitivity 1 --scores absent.txt
try mean --epsilon 1 --bounds 0:1 --column size people.csv
try mean --epsilon 1 --bounds 0:1 people.csv
try laplace --epsilon 1 --sensitivity 1 </dev/null
try exponential --epsilon 1 --sensitivity 1 </dev/null
try top-k --k 9 --epsilon 1 --sensitivity 1 --scores scores.txt
