# SPDX-License-Identifier: Apache-2.0
# Spaces, commas and lines separate; what is no number is 0 and no error.
printf '10 20,30\n\nx\n' | dusk release laplace --epsilon 1 --sensitivity 1
printf '10 20 30' | dusk release gaussian --epsilon 1 --delta 1e-6 --sensitivity 1 -
