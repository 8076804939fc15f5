# SPDX-License-Identifier: Apache-2.0
# Best first; the rare ones stay below the threshold, however many are asked for.
dusk release top-keys --k 2 --epsilon 2 --delta 1e-6 keys.txt
sort -r keys.txt | dusk release top-keys --k 9 --limit 20 --epsilon 9 --delta 1e-6 --unrestricted
dusk release top-keys --k 2 --epsilon 2 --delta 1e-6 --keys-per-unit 3 --json --unit person keys.txt
dusk release top-keys --k 3 --epsilon 1 --delta 1e-6 </dev/null
dusk release top-keys --k 3 --epsilon 1 --delta 1e-6 --dry-run
dusk release top-keys --k 3 --epsilon 3 --delta 1e-6 --numeric-epsilon 1 keys.txt
dusk release top-keys --k 1 --epsilon 1 --delta 1e-6 --numeric-epsilon 1 --keys-per-unit 2 --json keys.txt
# a place in the list is no key: it moves when a unit brings another
printf '90\n80\n' | dusk release top-keys --k 2 --epsilon 9 --delta 1e-6 2>/dev/null | wc -l
try() { dusk release top-keys "$@" <keys.txt || echo "exit $?"; }
try --k 3 --epsilon 1 --delta 0
try --k 3 --epsilon 1 --delta 1e-6 --limit 2
try --k 3 --epsilon 1e-30 --delta 1e-6
try --k 3 --epsilon 1
try --k 3 --epsilon 1 --delta 1e-6 --neighbours replace-one
try --k 3 --epsilon 1 --delta 1e-6 --numeric-epsilon 0
