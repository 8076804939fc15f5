# SPDX-License-Identifier: Apache-2.0
# A parameter that reaches a promise; the printed value keeps it.
dusk account 'gaussian(sigma)' --solve sigma --epsilon 1 --delta 1e-6
dusk account 'pure(e) * 4' --solve e --epsilon 1 --delta 0
dusk account 'pure(0.1) * n' --solve n --epsilon 1 --delta 0
dusk account 'poisson(q, pure(1))' --solve q --epsilon 0.1 --delta 0
dusk account 'gaussian(sigma)' --solve mu --epsilon 1 --delta 1e-6 || echo "exit $?"
dusk account 'gaussian(sigma)' --solve 'si gma' --epsilon 1 --delta 1e-6 || echo "exit $?"
dusk account 'gaussian(sigma)' --solve sigma --epsilon 1 --delta 0 || echo "exit $?"
