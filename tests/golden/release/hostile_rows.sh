# SPDX-License-Identifier: Apache-2.0
# Every mechanism's example, on its data and on the same with hostile rows: exit code and
# receipt, but for its numbers, must not tell which it was. (The pairs of a synthetic table
# are part of what is released, and so is whether bounds were found, which noise may hide.)
dusk release --list | sed -n 's/^  \([a-z-]*\) .*/\1/p' >mechanisms
hostile_row() { # hostile_row COLUMNS VALUE: a row that holds the value everywhere
    awk -v n="$1" -v v="$2" 'BEGIN { for (i = 1; i <= n; i++) printf "%s%s", (i > 1 ? "," : ""), v; print "" }'
}
mkdir clean hostile
cp *.csv *.txt *.schema clean
cp *.csv *.txt *.schema hostile
for table in hostile/people.csv hostile/survey.csv hostile/places.csv; do
    for value in nan inf -1e999 '' '"a ""b"","' 0x1p9 9999999999999999999999 -- "$(printf '\001\377')" "'"; do
        hostile_row 4 "$value"
    done >>$table
    printf '1\n1,2,3,4,5,6,7,8,9\n,,,,,,,,\n""""\n' >>$table
done
printf 'tea nan\nwater -inf\nwine 1e999\nsoup\n' >>hostile/scores.txt
printf 'nan nan\nsoup 99999999999999999999\nfish -3\nbread\n' >>hostile/keys.txt
printf 'nan\n-1\n1e99\nyes\n\n' >>hostile/answers.txt
masked() { sed -E 's/-?[0-9][0-9.e+-]*|inf\b/#/g; s/; pairs: .*//; s/^(accuracy: )(at most # rows lie outside|no rows stood out).*/\1FOUND/' receipt; }
while IFS= read -r mechanism; do
    line=$(dusk release "$mechanism" -h | sed -n 's/^ *\$ //p')
    for data in clean hostile; do
        (cd $data && sh -c "$line" >output 2>receipt; echo "exit $?" && masked) >$data.told
    done
    if grep -q '^exit 0' clean.told && cmp -s clean.told hostile.told; then
        echo "$mechanism: nothing is told"
    else
        echo "$mechanism: TOLD"
        diff clean.told hostile.told
    fi
done <mechanisms
