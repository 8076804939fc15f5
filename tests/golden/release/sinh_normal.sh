# SPDX-License-Identifier: Apache-2.0
dusk release sinh-normal --rho 0.1 --omega 5 --delta 1e-6 --sensitivity 1 --value 42
dusk release sinh-normal -e 0.5 -d 1e-6 -s 2 --value=-42 --grid 0 --unit person --neighbours replace-one
dusk release sinh-normal --rho 1 --omega 20 -d 1e-6 -s 1 --json --dry-run --grid 0
dusk release sinh-normal -d 1e-6 -s 1 --value 1 || echo "exit $?"
dusk release sinh-normal -e 1 --rho 1 --omega 3 -d 1e-6 -s 1 --value 1 || echo "exit $?"
dusk release sinh-normal --rho 1 -d 1e-6 -s 1 --value 1 || echo "exit $?"
dusk release sinh-normal --rho 1 --omega 1 -d 1e-6 -s 1 --value 1 || echo "exit $?"
dusk release sinh-normal --rho 1 --omega 3 -s 1 --value 1 || echo "exit $?"
