# SPDX-License-Identifier: Apache-2.0
dusk release laplace --epsilon 1 --sensitivity 1 --value 42
dusk release laplace -e0.5 -s 2 --value=-42 --grid 0 --unit person --neighbours replace-one --confidence 0.5
