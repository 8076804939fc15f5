# SPDX-License-Identifier: Apache-2.0
dusk release gaussian --epsilon 1 --delta 1e-6 --sensitivity 1 --value 42
dusk release gaussian --epsilon 0.5 --delta 1e-6 --sensitivity 1 --value 42 --classical
