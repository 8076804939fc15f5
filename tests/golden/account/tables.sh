# SPDX-License-Identifier: Apache-2.0
# Curves and trade-offs of closed forms.
dusk account 'gaussian(1)' --curve --points 5 --epsilon 4
echo
dusk account 'gaussian(1)' --tradeoff --points 5
echo
dusk account 'pure(1)' --curve --points 3
