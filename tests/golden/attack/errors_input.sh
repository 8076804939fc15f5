# SPDX-License-Identifier: Apache-2.0
# Files that are not what they should be: the place is named, never the value.
try() { dusk attack "$@" || echo "exit $?"; }
try averaging nowhere.csv --column sex --release exact
try averaging survey.csv --column height --release exact
try averaging survey.csv --column sex --release exact
try averaging survey.csv --column kids --equals 3 --people 1 --release exact
echo "1 2 x 3" | try averaging --answers -
printf '' | try averaging --answers -
echo "1 2 3" | try differencing --answers -
echo "1 2" | try differencing --answers - --event 'laplace('
echo "1 2" | try differencing --answers - --event 'metric(1, 1)'
printf '1 01\n2 011\n' | try reconstruction --answers -
printf '1 01\n2 0x\n' | try reconstruction --answers -
printf 'nan 01\n' | try reconstruction --answers -
printf '\n' | try reconstruction --answers -
printf '1 01\n1 10\n' > counts.txt
echo 1 > truth.txt
try reconstruction --answers counts.txt --truth truth.txt
try reconstruction --answers counts.txt --guesses nowhere/guesses.txt
try membership survey.csv --release exact
printf 'a,b\n0,1\n1\n' > short.csv
try membership short.csv --release exact
printf 'a,b\n0,1\n1,2\n0,0\n0,0\n0,0\n0,0\n' > large.csv
try membership large.csv --members 1 --release exact
printf 'a,b\n0,1\n1,1\n' > few.csv
try membership few.csv --members 1 --release exact
printf 'a\n0\n1\n0\n1\n0\n1\n' > one.csv
try membership one.csv --members 1 --release exact
echo 0.5 0.5 > means.txt
try membership one.csv --means means.txt --reference few.csv
printf '' > empty.csv
try membership empty.csv --release exact
