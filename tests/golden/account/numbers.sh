# SPDX-License-Identifier: Apache-2.0
# Closed forms, as people read them; the second line of each is the lower bound.
ask() { dusk account "$@"; echo; }
ask 'gaussian(1)' --delta 1e-6
ask 'gaussian(1)' --delta 0
ask 'gaussian(1)' --epsilon 1
ask 'gaussian(1)' --epsilon 1 --neighbours replace-one
ask 'gaussian(10) * 100' --delta 1e-6 --accountant exact
ask 'pure(0.1) + pure(0.2)' --delta 0
ask 'pure(1)' --epsilon 0
ask 'approx(1, 1e-5)' --delta 1e-5
ask 'approx(1, 1e-5)' --delta 1e-6
ask 'laplace(1)' --delta 0
ask 'gaussian(1) * 0' --delta 0
ask 'poisson(0, gaussian(1))' --delta 1e-6
ask 'poisson(1, gaussian(1))' --delta 1e-6
ask 'group(2, gaussian(2))' --delta 1e-6 --attacker
ask 'gaussian(1)' --delta 1e-6 --attacker
ask 'gaussian(1)' --delta 1e-300
ask 'gaussian(1e12) * 4611686018427387904' --delta 1e-6
