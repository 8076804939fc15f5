# SPDX-License-Identifier: Apache-2.0
# docs/learning.md lists the learners as the program does.
python3 "$(dirname "$0")/../../../tools/list_learners" --check --program "$DUSK"
