# SPDX-License-Identifier: Apache-2.0
# In the order of their bytes whatever the order of the input; rare ones are gone.
dusk release keys --epsilon 1 --delta 1e-6 keys.txt
sort -r keys.txt | dusk release keys --epsilon 1 --delta 1e-6 --keys-per-unit 2
dusk release keys --epsilon 1 --delta 1e-6 --method laplace keys.txt
dusk release keys --epsilon 1 --delta 1e-6 --method gaussian keys.txt
dusk release keys --epsilon 1 --delta 1e-6 </dev/null
