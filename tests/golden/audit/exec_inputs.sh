# SPDX-License-Identifier: Apache-2.0
# Pairs from a file, standard ones, and which of them decided.
. ./audit_try
# Only one pair of three gives itself away.
printf 'a\tb\nc\td\r\n\nx y\t\n' >pairs
try --epsilon 1 --draws 1000 --pairs pairs -v -- sh -c 'case $1 in d) yes 1;; *) yes 0;; esac' sh
try --epsilon 1 --draws 1000 --pairs - -v -- sh -c 'case $1 in "x y") yes 1;; *) yes 0;; esac' sh <pairs
# The last query is told apart.
last='BEGIN { n = split(ARGV[1], q, ","); for (i = 0; i < ENVIRON["DUSK_DRAWS"]; i++) print q[n] }'
try --epsilon 1 --draws 1000 --queries 3 --moves one -v -- awk "$last"
try --epsilon 1 --draws 1000 --queries 1 -v -- awk "$last"
try --epsilon 1 --draws 1000 --queries 12 -- awk 'BEGIN { exit 1 }'
try --epsilon 1 --draws 1000 --queries 2 --search -- awk "$last" 2>/dev/null
