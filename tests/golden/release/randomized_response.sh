# SPDX-License-Identifier: Apache-2.0
dusk release randomized-response --epsilon 40 answers.txt
dusk release randomized-response --epsilon 40 --answers 4 --value 2
dusk release randomized-response --first 0.5 --second 0.5 --value 1
