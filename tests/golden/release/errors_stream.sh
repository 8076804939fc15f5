# SPDX-License-Identifier: Apache-2.0
dusk release sum-stream --epsilon 1 --length 10 || echo $?
dusk release sum-stream --epsilon 1 --length 10 --bounds 0 || echo $?
dusk release sum-stream --epsilon 1 --length 10 --bounds 5:5 || echo $?
dusk release count-stream --epsilon 0 --length 10 || echo $?
dusk release count-stream --epsilon 1 --delta 0 --length 10 || echo $?
dusk release count-stream --epsilon 1 --length 10 --method laplace || echo $?
dusk release keys --epsilon 1 --delta 1e-6 --method tree keys.txt || echo $?
dusk release count-stream --epsilon 1 --length 10 --sensitivity 0 || echo $?
dusk release count-stream --epsilon 1 --length 1099511627776 --bounds 0:1e18 || echo $?
dusk release count-stream --epsilon 1 --length 10 --method square-root || echo $?
dusk release count-stream --epsilon 1 --delta 1e-6 --window 10 --method banded --bands 3 || echo $?
dusk release count-stream --epsilon 1 --delta 1e-6 --length 10 --method banded || echo $?
dusk release count-stream --epsilon 1 --window 10 --smooth || echo $?
dusk release count-stream --epsilon 1 --length 100000000 --smooth || echo $?
dusk release count-stream --epsilon 1 --length 10 --bands 3 || echo $?
dusk release count-stream --epsilon 1 --delta 1e-6 --length 5000000 --method square-root || echo $?
