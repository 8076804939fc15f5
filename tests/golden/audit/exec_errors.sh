# SPDX-License-Identifier: Apache-2.0
# What is missing, contradictory or out of range, and what to type instead.
try() { dusk audit exec "$@" </dev/null || echo "exit $?"; }
dusk audit || echo "exit $?"
dusk audit exek --epsilon 1 || echo "exit $?"
try
try --epsilon 1 --inputs 5,6
try --epsilon 1 --inputs 5,6 --
try --epsilon 1 --inputs 5,6 echo
try --epsilon 1 --inputs 5,6 noisy -- echo
try --inputs 5,6 -- echo
try --epsilon 1 -- echo
try --epsilon 1 --event 'pure(1)' --inputs 5,6 -- echo
try --epsilon 1 --inputs 5,6 --queries 3 -- echo
try --epsilon 1 --inputs 5,6 --search -- echo
try --epsilon 1 --inputs 5,6 --moves one -- echo
try --epsilon 1 --inputs 5 -- echo
try --epsilon 1 --inputs 5,5 -- echo
try --epsilon 1 --inputs , -- echo
try --epsilon -1 --inputs 5,6 -- echo
try --epsilon nan --inputs 5,6 -- echo
try --epsilon 1 --delta 1 --inputs 5,6 -- echo
try --epsilon 1 --confidence 1 --inputs 5,6 -- echo
try --epsilon 1 --confidence 0 --inputs 5,6 -- echo
try --epsilon 1 --alarm 0 --inputs 5,6 -- echo
try --epsilon 1 --worth 0 --inputs 5,6 -- echo
try --epsilon 1 --draws 0 --inputs 5,6 -- echo
try --epsilon 1 --queries 0 -- echo
try --epsilon 1 --queries 5 --moves two -- echo
try --event 'gausian(2)' --inputs 5,6 -- echo
try --event 'gaussian(2)' --inputs 5,6 -- echo
try --epsilon 1 --pairs nothing -- echo
printf '' >empty
printf 'a\tb\nc d\n' >untidy
try --epsilon 1 --pairs empty -- echo
try --epsilon 1 --pairs untidy -- echo
try --epsilon 1 --inputs 5,6 --column x -- echo
