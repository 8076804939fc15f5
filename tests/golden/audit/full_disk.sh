# SPDX-License-Identifier: Apache-2.0
# A full disk is noticed by every word of audit and of attack; by the suite at its first line.
[ -e /dev/full ] || exit 77
try() { dusk "$@" >/dev/full || echo "exit $?"; }
for word in exec bits timing scores suite; do try audit $word -h; done
try audit exec --epsilon 1 --inputs 5,6 --draws 500 -- sh -c 'yes $0 | head -n $DUSK_DRAWS'
try audit exec --epsilon 1 --inputs 5,6 --draws 500 --json -- sh -c 'yes $0 | head -n $DUSK_DRAWS'
awk 'BEGIN { srand(1); for (i = 0; i < 500; i++) print rand(), rand() }' >times
try audit bits --epsilon 1 --inputs 0,1 times times
try audit timing times
try audit timing times --json
try audit scores canaries.csv
try audit scores canaries.csv --json
try audit suite --list
try audit suite --epsilon 0.7 --only laplace --draws 2000
try audit suite --epsilon 0.7 --json
awk 'BEGIN { srand(1); print "a,b"; for (i = 0; i < 400; i++) print int(2 * rand()) "," int(2 * rand()) }' >people
for word in differencing averaging reconstruction membership; do try attack $word -h; done
try attack differencing people --column a --release exact
try attack averaging people --column a --release exact
try attack reconstruction people --column a --release exact
try attack membership people --members 100 --release exact
