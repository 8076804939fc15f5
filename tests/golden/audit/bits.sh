# SPDX-License-Identifier: Apache-2.0
# Naive noise as doubles, from a program and from files: seen by its last bits, and led back
# through its formula. What prints three digits has none of these holes, and says so. The
# numbers are pseudorandom and always the same.
cat >noisy.awk <<'END'
# Laplace noise by the inverse of its distribution, around `value`. A multiplicative generator
# with 2^31 - 1, twice for 52 digits.
function next31() { state = (state * 16807) % 2147483647; return state }
function unit() { return (next31() % 67108864 * 67108864 + next31() % 67108864) / 4503599627370496 }
BEGIN {
    state = seed
    for (i = 0; i < n; i++) {
        u = unit() - 0.5
        while (u == -0.5) u = unit() - 0.5
        s = u < 0 ? -u : u
        noise = -log(1 - 2 * s)
        printf format "\n", value + (u < 0 ? -noise : noise)
    }
}
END
make() { awk -v seed="$1" -v value="$2" -v n="$3" -v format="$4" -f noisy.awk; }
make 11 0 60000 %.17g >a.txt
make 12 1 60000 %.17g >b.txt
dusk audit bits --epsilon 1 --inputs 0,1 a.txt b.txt | sed 's/ | [0-9.]* s$/ | T s/' ; echo
dusk audit bits --epsilon 1 --inputs 0,1 a.txt b.txt >/dev/null || echo "exit $?"
dusk audit bits --epsilon 1 --inputs 0,1 --scale 1 --json a.txt b.txt 2>/dev/null |
    python3 -c 'import json, sys
r = json.load(sys.stdin)
print(r["verdict"], r["family"], r["measured"] > 5, r["decimals"])'
make 13 0 60000 %.3f >a.txt
make 14 1 60000 %.3f >b.txt
dusk audit bits --epsilon 1.5 --inputs 0,1 --scale 1 a.txt b.txt | sed 's/ | [0-9.]* s$/ | T s/'
# any number of draws can be shared out
for n in $(seq 1195 1206); do
    head -n "$n" a.txt >c.txt
    head -n "$n" b.txt >d.txt
    dusk audit bits --epsilon 5 --inputs 0,1 c.txt d.txt 2>&1
done | grep -c claimed
# all draws of one program, whatever it is asked
cat >program.sh <<'END'
make() { awk -v seed="$1" -v value="$2" -v n="$3" -v format="%.17g" -f noisy.awk; }
make "$(($(date +%N | sed 's/^0*//') % 1000000 + $$))" "$1" "$DUSK_DRAWS"
END
dusk audit bits --epsilon 1 --inputs 0,1 --draws 20000 -- sh program.sh >out.txt 2>/dev/null || echo "exit $?"
grep -c violation out.txt
