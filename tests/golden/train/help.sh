# SPDX-License-Identifier: Apache-2.0
dusk train -h | grep -v -A 100 '^Learners' | head -4
dusk train pca -h | sed -n '1p; /^settings/p'
dusk train pate -h | sed -n '/^needs/,/^after/p'
dusk predict -h
dusk score -h
