# SPDX-License-Identifier: Apache-2.0
dusk release truncated-laplace --epsilon 1 --delta 1e-6 --sensitivity 1 --value 42
dusk release truncated-laplace -e 0.5 -d 1e-3 -s 2 --value=-42 --grid 0 --unit person --confidence 0.9999
dusk release truncated-laplace -e 1 -d 1e-6 -s 1 --json --dry-run --grid 0
dusk release truncated-laplace -e 1 -s 1 --value 1 || echo "exit $?"
dusk release truncated-laplace -e 1 -d 2 -s 1 --value 1 || echo "exit $?"
echo 1 2 | dusk release truncated-laplace -e 1 -d 1e-6 -s 1 || echo "exit $?"
