# SPDX-License-Identifier: Apache-2.0
dusk account --help
