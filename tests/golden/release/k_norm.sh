# SPDX-License-Identifier: Apache-2.0
# Vectors with noise of a norm: l1, l2, linf.
printf '3 1 4\n' | dusk release k-norm --norm l2 --epsilon 1 --sensitivity 1
printf '3,x,4\n' | dusk release k-norm --norm l1 --epsilon 1 --sensitivity 1 --confidence 0.9
printf '3 1\n' | dusk release k-norm --norm linf --epsilon 2 --sensitivity 1 --grid -3 --json
dusk release k-norm --norm linf --epsilon 2 --sensitivity 1 --dry-run --json
dusk release k-norm --norm l2 --epsilon 1
dusk release k-norm --norm l3 --epsilon 1 --sensitivity 1
dusk release k-norm --norm l2 --epsilon 1 --sensitivity 1 --delta 1e-6
dusk release k-norm --norm l2 --epsilon 1 --sensitivity 1 --grid 60 --dry-run
dusk release k-norm --norm l2 --epsilon 1 --sensitivity 1e-320 --dry-run
dusk release k-norm --norm l2 --epsilon 1 --sensitivity 1 </dev/null
