# SPDX-License-Identifier: Apache-2.0
# What would be released, before anything is: no row is read, so that rows need not be there.
dusk train pca nothing.csv --schema credit.fields --epsilon 1 --delta 1e-6 --dry-run 2>&1 >/dev/null | sed 's/; event.*//'
dusk train pca nothing.csv --schema credit.fields --epsilon 1 --delta 1e-6 --dry-run 2>/dev/null | grep -q noise && echo noise is said
dusk train pca nothing.csv --schema credit.fields --epsilon 1 --delta 1e-6 --dry-run --json 2>/dev/null |
    python3 -c 'import json, sys; said = json.load(sys.stdin); print(len(said["released"]) > 1, said["statement"]["epsilon"] <= 1)'
ls | grep model
exit 0
