# SPDX-License-Identifier: Apache-2.0
dusk release quantiles --epsilon 1 --bounds 0:100 --q 0.25,0.5,0.75 --column age people.csv
dusk release quantiles --epsilon 1 --bounds 0:100 --q 0.9 --column age people.csv
dusk release median --epsilon 1 --bounds 0:100 --column age people.csv
