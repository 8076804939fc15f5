# SPDX-License-Identifier: Apache-2.0
# A mistake in the expression is shown with its place.
try() { dusk account "$@" --delta 1e-6 </dev/null || echo "exit $?"; }
try ''
try '   '
try 'poisson(0.01, gausian(1)) * 10000'
try 'Gaussian(1)'
try 'normal(1)'
try 'frobnicate(1)'
try 'poisson(gaussian(1))'
try 'poisson(0.01 gaussian(1))'
try 'gaussian(1'
try 'gaussian(1))'
try 'gaussian(-1)'
try 'gaussian(0)'
try 'gaussian(1e999)'
try 'gaussian(1e-999)'
try 'gaussian(nan)'
try 'gaussian(sigma)'
try 'gaussian(1) *'
try 'gaussian(1) * 1.5'
try 'gaussian(1) * -1'
try 'gaussian(1) * 4611686018427387905'
try 'poisson(1.5, gaussian(1))'
try 'without_replacement(10, 3, gaussian(1))'
try 'gaussian(σ)'
try 'gaussian(1) + gaussian(1) + gaussian(1) + gaussian(1) + gaussian(1) + gaussian(1) + staircase(1) + gaussian(1) + gaussian(1) + gaussian(1)'
printf 'gaussian(1) +\n  laplace(2) +\n  gauss(3)\n' >three.txt
try --file three.txt
dusk account - --delta 1e-6 <three.txt || echo "exit $?"
