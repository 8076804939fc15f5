# SPDX-License-Identifier: Apache-2.0
# What docs/audit-a-program.md says; a third of its commands.
python3 audit_page.py "$(dirname "$0")/../../../docs/audit-a-program.md" 2 3
