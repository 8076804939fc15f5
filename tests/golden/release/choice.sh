# SPDX-License-Identifier: Apache-2.0
# The best is so far ahead that it is chosen with overwhelming probability.
dusk release exponential --epsilon 1 --sensitivity 1 --scores scores.txt
dusk release permute-and-flip --epsilon 1 --sensitivity 1 --monotonic --scores scores.txt
dusk release noisy-max --epsilon 1 --sensitivity 1 scores.txt
dusk release noisy-max --noise gumbel --epsilon 1 --sensitivity 1 --scores - <scores.txt
dusk release noisy-max --noise laplace --epsilon 1 --sensitivity 1 <scores.txt
printf '3\n999\nx\n' | dusk release permute-and-flip --epsilon 1 --sensitivity 1
