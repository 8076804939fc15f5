# SPDX-License-Identifier: Apache-2.0
dusk audit suite --epsilon 0.7 --only 'dusk.permute-and-flip' --draws 100000 --json
