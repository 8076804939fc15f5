# SPDX-License-Identifier: Apache-2.0
dusk release laplace -h
dusk release histogram --help
