# SPDX-License-Identifier: Apache-2.0
# Whole curves: epsilon at deltas, Renyi divergences, a drawing, and a claim that is a curve.
. ./audit_try
cat >gauss.awk <<'END'
BEGIN {
    "od -An -N4 -tu4 /dev/urandom" | getline seed
    srand(seed % 2147483647)
    for (i = 0; i < ENVIRON["DUSK_DRAWS"]; i++)
        printf "%.9g\n", ARGV[2] + ARGV[1] * sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand())
}
END
# The bound in a row is below what is claimed there, or above it where the claim is wrong.
rows() { awk '$3 ~ /^[0-9]/ && $1 >= least { print $1, $2, ($2 == "-" ? "no claim" : $3 > $2 ? "above" : "below") }' least="$1"; }
try --event 'gaussian(2)' --delta 1e-3 --inputs 0,1 --draws 20000 --confidence 0.999999999 --curve -- awk -f gauss.awk 2 | rows 0
try --event 'gaussian(4)' --delta 1e-6 --inputs 0,1 --draws 20000 --curve -- awk -f gauss.awk 2 2>/dev/null | rows 0.01
try --event 'gaussian(4)' --delta 1e-6 --inputs 0,1 --draws 20000 -- awk -f gauss.awk 2
try --epsilon 1 --inputs 5,6 --draws 2000 --curve --renyi 2,8 -- sh -c 'yes $1' sh | sed -E 's/^([0-9].* )[0-9.]+$/\1BOUND/'
dusk audit exec --epsilon 1 --delta 0.01 --inputs 5,6 --draws 2000 --renyi 2 --curve --json --plot x.svg -- sh -c 'yes $1' sh >found 2>/dev/null || echo "exit $?"
python3 - <<'END'
import json, xml.etree.ElementTree as tree
found = json.loads(open("found").read())
print(len(found["curve_delta"]), found["curve_claimed"][:2], min(found["curve_measured"]) > 1, found["renyi_measured"][0] > 1)
words = [e.text for e in tree.parse("x.svg").getroot().iter("{http://www.w3.org/2000/svg}text") if e.text]
print([w for w in words if any(c.isalpha() for c in w)])
END
# Divergences that are claimed: of a Gaussian with deviation 2 order 2 has 0.25.
try --event 'gaussian(2)' --delta 1e-3 --inputs 0,1 --draws 20000 --renyi 2:0.25,4 -- awk -f gauss.awk 2 | sed -E '1d; /^[0-9]/s/[0-9.]+$/BOUND/'
try --event 'gaussian(1)' --delta 1e-3 --inputs 0,1 --draws 40000 --renyi 2:0.01 -- awk -f gauss.awk 1 | sed -E '1d; /^[0-9]/s/[0-9.]+$/BOUND/'
# A chance of alarm that 1 - alarm would forget: what always tells has 3.3 for sure, whatever more is likely.
dusk audit exec --epsilon 100 --inputs 5,6 --draws 2000 --alarm 1e-30 --renyi 2:3 -- sh -c 'yes $1' sh >/dev/null 2>&1 || echo "exit $?"
dusk audit exec --epsilon 100 --inputs 5,6 --draws 2000 --alarm 1e-30 --renyi 2:4 -- sh -c 'yes $1' sh >/dev/null 2>&1 || echo "exit $?"
try --epsilon 1 --inputs 5,6 --renyi 2:x -- echo
try --epsilon 1 --inputs 5,6 --renyi 1 -- echo
try --epsilon 1 --inputs 5,6 --renyi two -- echo
try --epsilon 1 --inputs 5,6 --renyi 2,,4 -- echo
try --epsilon 1 --inputs 5,6 --draws 2000 --plot nowhere/x.svg -- sh -c 'yes $1' sh
