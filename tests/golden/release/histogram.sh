# SPDX-License-Identifier: Apache-2.0
dusk release histogram --epsilon 1 --bins 0:100:4 --column age people.csv
printf '1 2 3 x 99' | dusk release histogram --epsilon 1 --edges 0,2,10
