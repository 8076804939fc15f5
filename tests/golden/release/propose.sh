# SPDX-License-Identifier: Apache-2.0
# Eight people cannot pass the test, ten thousand equal ages always do.
ptr="dusk release propose-test-release --epsilon 1 --delta 1e-6 --bounds 0:100"
$ptr --sensitivity 5 --column age people.csv
seq 1 10000 | awk '{ print 40 }' | $ptr --sensitivity 0.0001
$ptr --sensitivity 5 --column age people.csv --json
$ptr --sensitivity 5 --q 0.9 --noise gaussian --neighbours replace-one --dry-run
for wrong in "--noise cauchy --sensitivity 5" "--sensitivity 0" "--sensitivity 5 --q 0.1,0.2" "--sensitivity 5 --q 2" ""; do
    $ptr $wrong people.csv || echo "exit $?"
done
