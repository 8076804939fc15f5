# SPDX-License-Identifier: Apache-2.0
dusk release discrete-laplace --epsilon 1 --sensitivity 1 --value 42
dusk release discrete-gaussian --epsilon 1 --delta 1e-6 --sensitivity 1 --value 42
printf '8 16' | dusk release discrete-laplace --epsilon 1 --sensitivity 4 --grid 2
