# SPDX-License-Identifier: Apache-2.0
# Two files: the epsilons, and the ROC curves of what an attacker reaches. In a folder that is not
# there: exit 5.
dusk audit suite --epsilon 0.7 --only dusk.randomized-response,exact-count --draws 20000 --plot suite.svg >/dev/null
grep -c '<circle' suite.svg
grep -c 'dusk.randomized-response' suite.svg suite-roc.svg
grep -o 'all that epsilon 0.7 allows' suite-roc.svg
grep -o '>[a-z.-]*: [a-z]*<' suite-roc.svg
# The first points of the curves, in the picture's coordinates: exact-count is on the upper edge from
# the left on, above the claim.
grep -o 'stroke="#D55E00" stroke-width="2" stroke-linejoin="round" d="M[0-9.]* [0-9.]*' suite-roc.svg | sed 's/.*d="//'
grep -o '#000000" stroke-width="2" stroke-dasharray="2 4" stroke-linejoin="round" d="M[0-9.]* [0-9.]*' suite-roc.svg |
    sed 's/.*d="//'
dusk audit suite --epsilon 0.7 --only dusk.randomized-response --draws 2000 --plot nowhere/suite.svg >/dev/null
echo "exit $?"
