# SPDX-License-Identifier: Apache-2.0
# Counts of randomized answers are public: the result is fixed and mistakes are errors.
printf '310 690' | dusk release randomized-response --epsilon 1 --estimate
printf '310 690' | dusk release randomized-response --first 0.5 --second 0.5 --estimate --json
printf '310' | dusk release randomized-response --epsilon 1 --estimate || echo "exit $?"
printf '310 x' | dusk release randomized-response --epsilon 1 --estimate || echo "exit $?"
