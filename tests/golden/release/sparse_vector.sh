# SPDX-License-Identifier: Apache-2.0
# Far from the threshold every comparison is right; it stops after the hits.
printf '3\n5\n90000\n2\n90000\n90000\n' | dusk release sparse-vector --epsilon 1 --sensitivity 1 --threshold 40000 --hits 2
printf '3\n90000\n' | dusk release sparse-vector --epsilon 1 --sensitivity 1 --threshold 40000 --numeric-epsilon 1
