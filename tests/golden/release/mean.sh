# SPDX-License-Identifier: Apache-2.0
dusk release mean --epsilon 1 --bounds 0:100 --column age people.csv
dusk release mean --epsilon 1 --delta 1e-6 --bounds 0:200 --column 'yearly cost, euro' --neighbours replace-one <people.csv
dusk release mean --epsilon 1 --bounds 0:100 </dev/null
