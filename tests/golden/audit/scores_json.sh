# SPDX-License-Identifier: Apache-2.0
try() { dusk audit scores "$@" | sed 's/"cpu_s":.*}/"cpu_s":0}/'; }
try canaries.csv --epsilon 1 --json
try null.csv --runs --columns loss,in,run --json
