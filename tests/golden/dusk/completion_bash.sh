# SPDX-License-Identifier: Apache-2.0
# What bash would offer for some half-typed lines.
dusk --generate bash >completion
cat >try <<'END'
. ./completion
try() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _dusk
    echo "$*: ${COMPREPLY[*]}"
}
try dusk re
try dusk --v
try dusk release la
try dusk release laplace --ep
try dusk release noisy-max --noise ""
try dusk release keys --method l
try dusk release exponential --scores sc
try dusk release mean peo
try dusk release laplace --epsilon ""
try dusk train pate --set te
try dusk train pate --set ""
try dusk train net --set optimiser =
try dusk train net --set optimiser = ada
try dusk train net --set = optimiser = ada
try dusk train net --set = wa
try dusk train net --set lot = ""
try dusk train net --schema = cred
try dusk train net --ch
try dusk train linear --ch
try dusk train pca --l
END
bash ./try
