# SPDX-License-Identifier: Apache-2.0
dusk release top-k --k 2 --epsilon 1 --sensitivity 1 --scores scores.txt
