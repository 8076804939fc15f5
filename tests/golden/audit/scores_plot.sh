# SPDX-License-Identifier: Apache-2.0
dusk audit scores canaries.csv --epsilon 1 --delta 1e-5 --plot roc.svg >/dev/null
grep -c '<path clip-path' roc.svg
grep -o '>the claim allows[^<]*<' roc.svg
dusk audit scores canaries.csv --plot roc.svg >/dev/null
grep -c '<path clip-path' roc.svg
dusk audit scores canaries.csv --plot no/such/folder.svg >/dev/null || echo "exit $?"
