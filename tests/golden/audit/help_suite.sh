# SPDX-License-Identifier: Apache-2.0
dusk audit suite -h
