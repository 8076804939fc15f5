# SPDX-License-Identifier: Apache-2.0
dusk relase || echo "exit $?"
dusk laplace || echo "exit $?"
dusk frobnicate || echo "exit $?"
dusk --frobnicate || echo "exit $?"
dusk poisson || echo "exit $?"
