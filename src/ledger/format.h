/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEDGER_FORMAT_H
#define DUSK_LEDGER_FORMAT_H

/* The tables of a ledger (docs/ledger-format.md), and how older ones become new ones. */

#include "ledger/store.h"

/* In the header of the file, where `file` and `sqlite3` find it: "dusk". */
#define LEDGER_APPLICATION 0x6475736b

/* Write the tables into an empty file; inside ledger_write. */
DUSK_MUST_USE dusk_status ledger_format_make(dusk_ledger *ledger, dusk_error *err);
/* That the file has the tables of a ledger and nothing else; one of an older format is brought up
 * to date, in one transaction. DUSK_ERR_IO: it is something else; DUSK_ERR_UNSUPPORTED: it is newer. */
DUSK_MUST_USE dusk_status ledger_format_check(dusk_ledger *ledger, dusk_error *err);

#endif
