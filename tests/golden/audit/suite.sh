# SPDX-License-Identifier: Apache-2.0
# One right subject and one broken one: both are sorted as they should be.
dusk audit suite --epsilon 0.7 --only dusk.randomized-response,noisy-hist2
