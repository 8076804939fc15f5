# SPDX-License-Identifier: Apache-2.0
# The help on one screen, in full, and of each attack.
dusk attack -h
dusk attack --help
for word in differencing averaging reconstruction membership; do dusk attack $word -h; done
