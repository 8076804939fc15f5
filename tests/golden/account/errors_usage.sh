# SPDX-License-Identifier: Apache-2.0
# What is missing, contradictory or unknown, and what to type instead.
try() { dusk account "$@" </dev/null || echo "exit $?"; }
try
try 'gaussian(1)'
try gaussian 1 --delta 1e-6
try 'gaussian(1)' --delta 1
try 'gaussian(1)' --delta -1
try 'gaussian(1)' --delta nan
try 'gaussian(1)' --delta 1e-6 --epsilon 1
try 'gaussian(1)' --epsilon -1
try 'gaussian(1)' --epsilon inf
try 'gaussian(1)' --all
try 'gaussian(1)' --all --epsilon 1 --plot x.svg
try 'gaussian(1)' --delta 1e-6 --accountant fourier
try 'gaussian(1)' --delta 1e-6 --neighbours anybody
try 'gaussian(1)' --delta 1e-6 --steps 7
try 'gaussian(1)' --curve --tradeoff
try 'gaussian(1)' --curve --points 1
try 'gaussian(sigma)' --solve sigma
try 'gaussian(sigma)' --solve sigma --epsilon 1
try 'gaussian(sigma)' --solve sigma --epsilon 1 --delta 1e-6 --accountant clt
try 'gaussian(1)' --file events.txt --delta 1e-6
try --file nowhere.txt --delta 1e-6
try --file . --delta 1e-6
try 'gaussian(1)' --delt 1e-6
ls x.svg 2>/dev/null || true
