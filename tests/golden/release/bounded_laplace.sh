# SPDX-License-Identifier: Apache-2.0
dusk release bounded-laplace --epsilon 1 --sensitivity 1 --bounds 0:100 --value 42
echo 3 | dusk release bounded-laplace -e 0.5 -s 2 -b 0:10 --grid 0 --unit person --neighbours replace-one
dusk release bounded-laplace -e 1 -s 1 --bounds=-5:5 --json --dry-run --grid 0
dusk release bounded-laplace -e 1 -s 1 --value 1 || echo "exit $?"
dusk release bounded-laplace -e 1 -s 1 --bounds 5 --value 1 || echo "exit $?"
dusk release bounded-laplace -e 1 -s 1 --bounds 5:1 --value 1 || echo "exit $?"
dusk release bounded-laplace -e 1 -s 1 --bounds 0.25:0.75 --grid 0 --value 1 || echo "exit $?"
echo 1 2 | dusk release bounded-laplace -e 1 -s 1 --bounds 0:1 || echo "exit $?"
