# SPDX-License-Identifier: Apache-2.0
for command in init schema query explain budget; do
    dusk "$command" -h
done
