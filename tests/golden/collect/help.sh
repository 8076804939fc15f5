# SPDX-License-Identifier: Apache-2.0
# The help on one screen, in full, and of each step.
dusk collect -h
dusk collect --help
for word in plan simulate encode aggregate estimate associate; do dusk collect $word -h; done
