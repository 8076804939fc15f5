# SPDX-License-Identifier: Apache-2.0
# Two files: the epsilons, and what an attacker reaches. In a folder that is not there: exit 5.
dusk audit suite --epsilon 0.7 --only dusk.randomized-response,exact-count --draws 20000 --plot suite.svg >/dev/null
grep -c '<circle' suite.svg
grep -c 'dusk.randomized-response' suite.svg suite-roc.svg
grep -o 'all that epsilon 0.7 allows' suite-roc.svg
dusk audit suite --epsilon 0.7 --only dusk.randomized-response --draws 2000 --plot nowhere/suite.svg >/dev/null
echo "exit $?"
