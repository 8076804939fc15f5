# SPDX-License-Identifier: Apache-2.0
# Events about replacing are priced for replace-one unless told otherwise.
dusk account 'shuffle(1e6, 1)' --delta 1e-6
dusk account 'randomized_response(1, 4) * 10' --delta 1e-6 --json | sed 's/"epsilon".*//'
dusk account 'metric(0.01, 100) * 3' --delta 0
dusk account 'without_replacement(10, 1000, gaussian(4))' --delta 1e-6 --neighbours add-remove
dusk account 'metric(0.01, 100)' --delta 0 --neighbours add-remove
