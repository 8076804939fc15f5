# SPDX-License-Identifier: Apache-2.0
dusk release sum --epsilon 1 --bounds 0:100 --column age people.csv
