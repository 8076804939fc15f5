# SPDX-License-Identifier: Apache-2.0
# Places: epsilon at a distance, replace-one; degrees need a box.
printf '350 1200\n' | dusk release planar-laplace --epsilon 1 --distance 200
printf '350 1200\n1 2\n' | dusk release planar-laplace --epsilon 1 --distance 200 --box 0:2000,0:1500 --grid 3 --json
printf 'id,lat,lon\n7,40.7,-73.9\n8,x,\n' |
    dusk release planar-laplace --epsilon 2 --distance 200 --columns lat,lon --lat-lon \
        --box 40.5:40.9,-74.3:-73.7 --rows-per-unit 2
dusk release planar-laplace --epsilon 1 --distance 200 --dry-run
dusk release planar-laplace --epsilon 1
dusk release planar-laplace --epsilon 1 --distance 200 --lat-lon
dusk release planar-laplace --epsilon 1 --distance 200 --lat-lon --box 40:39,0:1 --dry-run
dusk release planar-laplace --epsilon 1 --distance 200 --box 1:2 --dry-run
dusk release planar-laplace --epsilon 1 --distance 200 --columns lat --dry-run
dusk release planar-laplace --epsilon 1 --distance -1 --dry-run
dusk release planar-laplace --epsilon 1 --distance 200 --neighbours add-remove
dusk release planar-laplace --epsilon 1 --distance 200 --dry-run people.csv
echo 1 2 3 | dusk release planar-laplace --epsilon 1 --distance 200
