# SPDX-License-Identifier: Apache-2.0
# One object for each run; a check that fails still prints it.
try() { dusk attack "$@" --json || echo "exit $?"; }
try differencing survey.csv --column sex --equals Male --release exact --trials 50
echo 3 2 1 1 | try differencing --answers - --event 'laplace(1)'
try averaging survey.csv --column sex --equals Male --release exact --expect holds
echo 1 2 3 | try averaging --answers -
try reconstruction survey.csv --column sex --equals Male --release exact | sed 's/"misfit":[^,]*/"misfit":.../'
try averaging survey.csv --column sex --equals Male --release kept --epsilon 1 --queries 3 |
    python3 -c 'import json, sys; a = json.load(sys.stdin); print(sorted(a), a["epsilon"], a["verdict"])'
try membership survey.csv --release exact
