# SPDX-License-Identifier: Apache-2.0
# A program that is right passes, one that is wrong is caught, few draws decide nothing.
# Verdicts are certain to 1e-9: --alarm, and faults far beyond what the draws can show.
# A right program passes where the set that decides is common enough; one run in some hundreds
# settles on a rare one and is inconclusive, so it may try three times.
cat >noisy.awk <<'END'
function laplace() { return log(1 - rand()) - log(1 - rand()) }
BEGIN {
    "od -An -N4 -tu4 /dev/urandom" | getline seed
    srand(seed % 2147483647)
    for (i = 0; i < ENVIRON["DUSK_DRAWS"]; i++) printf "%.9g\n", ARGV[2] + ARGV[1] * laplace()
}
END
. ./audit_try
passes() {
    for again in 1 2 3; do
        try "$@" >answer 2>answer_said
        grep -q inconclusive answer || break
    done
    cat answer
    cat answer_said >&2
}
passes --epsilon 1 --inputs 5,6 --draws 40000 -- awk -f noisy.awk 1
try --epsilon 1 --inputs 5,6 --draws 20000 -- awk -f noisy.awk 0.5
try --epsilon 1 --inputs 5,6 --draws 20000 -- sh -c 'yes $1' sh
try --epsilon 1 --inputs 5,6 --draws 100 -- awk -f noisy.awk 1
try --epsilon 1 --inputs 5,6 --draws 100 --strict -- awk -f noisy.awk 1
try --epsilon 1 --inputs 5,6 --draws 1000 --strict -- awk -f noisy.awk 1
try --epsilon 1 --inputs 5,6 --draws 3 --strict -- awk -f noisy.awk 1
try --epsilon 1 --delta 0.2 --inputs 5,6 --draws 20000 -- awk -f noisy.awk 0.5
passes --event 'laplace(0.5)' --inputs 5,6 --draws 40000 -- awk -f noisy.awk 0.5
try --epsilon 0.01 --inputs 0,100 --draws 20000 -- awk -f noisy.awk 10
