/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEDGER_CHAIN_H
#define DUSK_LEDGER_CHAIN_H

/* The entries: everything that ever happened to a file, each with a hash of itself and of the
 * hash before it. The other tables follow from them. */

#include "ledger/store.h"

#define LEDGER_FORMAT 2 /* that entries are written in; what the others were is in format.c */

/* A row of the table `entry`; docs/ledger-format.md says what each kind has. Texts are borrowed. */
typedef struct ledger_entry {
    uint64_t number;
    uint64_t format; /* of the bytes that are hashed: 1 has no `asked` and no `version` */
    uint64_t kind;   /* dusk_entry_kind */
    int64_t time;
    const char *subject;
    const char *value; /* NULL: a fact was taken back */
    const char *purpose;
    uint64_t charge;
    dusk_budget cost;        /* CREATED, GRANTED: the limit */
    double at;               /* CHARGED: the delta at which a basic filter priced it */
    const char *fingerprint; /* may be NULL */
    double asked;
    uint64_t version;
    const char *price; /* what was added to filters, or the sums of a filter made anew */
    uint8_t hash[LEDGER_HASH];
} ledger_entry;

/* The hash of an entry (whose own hash is not looked at) behind `previous`. */
void ledger_entry_hash(uint8_t out[LEDGER_HASH], const ledger_entry *entry,
                       const uint8_t previous[LEDGER_HASH]);
/* Read a row of the statements LEDGER_ENTRY_* and LEDGER_FACT_ALL, and check it against its hash.
 * DUSK_ERR_CORRUPT when it is not what was written. */
DUSK_MUST_USE dusk_status ledger_entry_read(const ledger_cursor *cursor, ledger_entry *out, dusk_error *err);

/* The event of a CHARGED entry. */
DUSK_MUST_USE dusk_status ledger_entry_event(const dusk_ledger *ledger, dusk_event *out,
                                             const ledger_entry *entry, dusk_error *err);

/* Append: sets number, format, time and hash. For use inside ledger_write. */
DUSK_MUST_USE dusk_status ledger_chain_append(dusk_ledger *ledger, ledger_entry *entry, dusk_error *err);
/* The last entry's number and hash. */
DUSK_MUST_USE dusk_status ledger_chain_last(dusk_ledger *ledger, uint64_t *number, uint8_t hash[LEDGER_HASH],
                                            dusk_error *err);
/* Entry `number`, which must be there and of this kind (0: of any): the cursor stays open for as long as its
 * texts are used. */
DUSK_MUST_USE dusk_status ledger_chain_find(ledger_cursor *cursor, dusk_ledger *ledger, ledger_entry *out,
                                            uint64_t number, dusk_entry_kind kind, dusk_error *err);
/* Call for each entry from `first` on. */
typedef dusk_status ledger_entry_visitor(void *context, const ledger_entry *entry, dusk_error *err);
DUSK_MUST_USE dusk_status ledger_chain_walk(dusk_ledger *ledger, uint64_t first, ledger_entry_visitor *visit,
                                            void *context, dusk_error *err);

#endif
