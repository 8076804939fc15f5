# SPDX-License-Identifier: Apache-2.0
dusk release count --epsilon 1 --value 1234
dusk release count --epsilon 1 people.csv
printf 'a\n\nb b\nc' | dusk release count --epsilon 1 --delta 1e-6 --rows-per-unit 2
