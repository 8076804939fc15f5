# SPDX-License-Identifier: Apache-2.0
try() { dusk audit suite "$@"; echo "exit $?"; }
try --epsilon 0.7 --only dusk.randomised-response
try --epsilon 0.7 --only nothing-like-that
try --epsilon 0.7 --only 'dusk.sum,,'
try --epsilon 0.7 --only 'dusk.laplace' --part standard
try
try --epsilon -1 --only dusk.sum
try --epsilon 0.7 --part mine
