# SPDX-License-Identifier: Apache-2.0
# Answers of the user's own, from files and from standard input.
echo 1342 1341 517 517 | dusk attack differencing --answers -
echo 1342 1341 | dusk attack differencing --answers - --event 'laplace(2)' --expect holds
echo 1342 1341 | dusk attack differencing --answers - --event 'gaussian(0.2)' --delta 1e-6
echo 90000 50000 | dusk attack differencing --answers - --step 40000
echo 1342.7 1346.4 | dusk attack differencing --answers - --expect falls
echo 10 12 10 9 10 10 10 10 9 10 11 12 8 10 10 10 10 10 10 13 | dusk attack averaging --answers - --expect falls
echo 10 12 11 9 10 11 10 10 9 10 11 12 8 10 10 11 9 10 10 13 |
    dusk attack averaging --answers - --event 'discrete_laplace(1)' --step 0 --confidence 0.8
echo 7 7 7 7 7 7 7 7 7 7 | dusk attack averaging --answers -
echo 7 8 | dusk attack averaging --answers -

# counts of all groups of neighbours in a row of ten people
echo 1 0 0 1 1 1 0 1 0 0 > truth.txt
awk '{ for (i = 1; i <= 10; i++) for (j = i; j <= 10; j++) {
    sum = 0; word = ""
    for (k = 1; k <= 10; k++) { in_it = k >= i && k <= j; word = word in_it; sum += in_it * $k }
    print sum, word } }' truth.txt > counts.txt
dusk attack reconstruction --answers counts.txt
dusk attack reconstruction --answers counts.txt --truth truth.txt --decoder absolute --event 'discrete_laplace(1)' \
    --guesses guesses.txt --expect falls
tr '\n' ' ' < guesses.txt && echo

# means of a study of the first three; the others are known not to be in it
cat > targets.csv <<'END'
a,b,c,d,e,f
1,1,1,0,0,0
0,0,0,1,1,1
END
(echo a,b,c,d,e,f; awk 'BEGIN { for (i = 0; i < 80; i++) { x = i * 37 % 64
    printf "%d,%d,%d,%d,%d,%d\n", x % 2, x / 2 % 2, x / 4 % 2, x / 8 % 2, x / 16 % 2, x / 32 % 2 } }') > others.csv
echo 1 1 0.9 0.1 0 0 > means.txt
dusk attack membership targets.csv --means means.txt --reference others.csv --false-positives 0.05
dusk attack membership targets.csv --means means.txt --reference others.csv --false-positives 0.05 --score inner --json
