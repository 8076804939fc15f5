# SPDX-License-Identifier: Apache-2.0
# What cannot be audited bit by bit, and what to type instead.
try() { dusk audit "$@" </dev/null || echo "exit $?"; }
seq 100 | awk '{ print $1 % 7 }' >a.txt
seq 101 200 | awk '{ print $1 % 7 }' >b.txt
seq 100 >sorted.txt
printf '1\ntwo\n3\n' >words.txt
try bits
try bits --epsilon 1 --inputs 0,1
try bits --epsilon 1 --inputs 0,1 a.txt
try bits --epsilon 1 --inputs 0,1 a.txt b.txt -- true
try bits --epsilon 1 --inputs 0,one a.txt b.txt
try bits --epsilon 1 --inputs 0 a.txt b.txt
try bits --epsilon -1 --inputs 0,1 a.txt b.txt
try bits --epsilon 1 --delta 2 --inputs 0,1 a.txt b.txt
try bits --epsilon 1 --inputs 0,1 --scale -2 a.txt b.txt
try bits --epsilon 1 --inputs 0,1 --queries 10 a.txt b.txt
try bits --epsilon 1 --inputs 0,1 words.txt b.txt
try bits --epsilon 1 --inputs 0,1 nowhere.txt b.txt
printf '1\n2\n' >few.txt
try bits --epsilon 1 --inputs 0,1 few.txt b.txt
try bits --epsilon 1 --inputs 0,1 a.txt sorted.txt
try timing
try timing a.txt b.txt
try timing words.txt
try timing few.txt
try timing nowhere.txt
try timing --epsilon 1 a.txt
seq 3 >odd.txt
try timing odd.txt
try timing -- echo 1
awk '{ print $1, 100 + $1 % 3 }' sorted.txt >times.txt
try timing times.txt
