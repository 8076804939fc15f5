# SPDX-License-Identifier: Apache-2.0
dusk release staircase --epsilon 2 --sensitivity 1 --value 42
dusk release staircase -e 0.5 -s 2 --value=-42 --grid 0 --gamma 0.25 --unit person --neighbours replace-one
dusk release staircase -e 1 -s 1 --squared --json --dry-run --grid -4
dusk release staircase -e 1 -s 1 --gamma 0.5 --squared --value 1 || echo "exit $?"
dusk release staircase -e 1 -s 1 --gamma 1 --value 1 || echo "exit $?"
echo 1 2 | dusk release staircase -e 1 -s 1 || echo "exit $?"
dusk release stairs -e 1 -s 1 --value 1 || echo "exit $?"
