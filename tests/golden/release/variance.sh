# SPDX-License-Identifier: Apache-2.0
dusk release variance --epsilon 1 --bounds 0:100 --column age people.csv
