# SPDX-License-Identifier: Apache-2.0
# What one event is and how it is written.
dusk account gaussian -h
dusk account shuffle --help
