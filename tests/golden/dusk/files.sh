# SPDX-License-Identifier: Apache-2.0
# No command writes to a file that it reads, or twice to one; drawings are SVG; what cannot be written is found out before anything is released.
t() {
    echo "\$ dusk $*"
    dusk "$@" 2>&1
    echo "exit $?"
}
printf '1\n2\n3\n' >rows.txt
echo 'gaussian(2)' >events.txt
cp rows.txt rows.kept
t release count-stream --epsilon 1 --length 3 rows.txt --plot ./rows.txt
t release count-stream --epsilon 1 --length 3 rows.txt --plot nowhere/a.svg
t release count-stream --epsilon 1 --length 3 rows.txt --plot a.png
t account --file events.txt --plot events.txt
t account 'gaussian(2)' --plot -
t collect plan --domain 4 --users 1000 --epsilon 1 --out -
t attack reconstruction rows.txt --answers answers.txt --guesses answers.txt
t attack reconstruction rows.txt --guesses a.svg --plot ./a.svg
t predict a.model rows.csv --out -
t predict rows.txt rows.csv --out rows.txt
cmp rows.txt rows.kept
ls -- - a.svg a.png 2>/dev/null
exit 0
