# SPDX-License-Identifier: Apache-2.0
# Values and durations: none tells the other, the larger the longer, a class takes longer.
make() {
    awk -v how="$1" 'BEGIN {
        for (i = 0; i < 20000; i++) {
            state = (state * 16807 + 12345) % 2147483647
            value = state % 1000 - 500
            state = (state * 16807 + 12345) % 2147483647
            time = 100 + int(state / 65536) % 40
            size = value < 0 ? -value : value
            if (how == "size") time += size / 50
            if (how == "class" && value > 100 && value < 200) time += 60
            if (i % 997 == 0) time = 1000000
            print value, time + i
        }
    }'
}
make none >times.txt
dusk audit timing times.txt
dusk audit timing --json times.txt
make size | dusk audit timing - || echo "exit $?"
make class >times.txt
dusk audit timing times.txt || echo "exit $?"
head -n 100 times.txt | dusk audit timing -
head -n 100 times.txt | dusk audit timing --strict - || echo "exit $?"
cat >program.sh <<'END'
awk -v n="$DUSK_DRAWS" -v seed="$(($(date +%N | sed 's/^0*//') % 1000000 + $$))" 'BEGIN {
    srand(seed)
    for (i = 0; i < n; i++) { v = rand(); print v, 100 + int(50 * v + 20 * rand()) }
}'
END
dusk audit timing --draws 4000 -- sh program.sh 2>/dev/null | sed 's/[0-9.e-]* (/R (/; s/p [0-9.e-]*/p P/' || true
