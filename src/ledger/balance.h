/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEDGER_BALANCE_H
#define DUSK_LEDGER_BALANCE_H

/* Where limits stand: rows of the table `balance`, one for the whole file and one for each analyst
 * who has a limit of his own, and the filters that say what still fits. A row is written in the
 * transaction of the entry that changes it, and tied to that entry by a digest. */

#include "ledger/chain.h"

typedef struct ledger_balance {
    bool is_there;
    char analyst[LEDGER_NAME_MAX + 1]; /* "": the whole file */
    dusk_budget limit;
    uint64_t charges;
    uint64_t entry; /* that changed it last */
    char state[DUSK_FILTER_TEXT_MAX];
} ledger_balance;

/* The row of the analyst; !is_there when there is none. DUSK_ERR_CORRUPT when it was changed. */
DUSK_MUST_USE dusk_status ledger_balance_read(dusk_ledger *ledger, ledger_balance *out, const char *analyst,
                                              dusk_error *err);
/* The present row of LEDGER_BALANCE_ALL. */
DUSK_MUST_USE dusk_status ledger_balance_row(const ledger_cursor *cursor, ledger_balance *out,
                                             dusk_error *err);
/* Write a row with the sums of the filter; `entry` is why. */
DUSK_MUST_USE dusk_status ledger_balance_put(dusk_ledger *ledger, const ledger_filter *filter,
                                             uint64_t charges, const ledger_entry *entry, dusk_error *err);

/* The filter of a limit, kept with the handle. Its sums are not those of the file. */
DUSK_MUST_USE dusk_status ledger_filter_get(dusk_ledger *ledger, ledger_filter **out, const char *analyst,
                                            dusk_budget limit, dusk_error *err);
/* Whether the filter was made for this row. */
bool ledger_filter_is_for(const ledger_filter *filter, const ledger_balance *row);
/* Take the sums of a row over. DUSK_ERR_UNSUPPORTED when they are for orders that the filter does
 * not have: see ledger_refresh. */
DUSK_MUST_USE dusk_status ledger_filter_load(dusk_ledger *ledger, ledger_filter *filter,
                                             const ledger_balance *row, dusk_error *err);

/* What an event costs a filter, and at which delta a basic one prices it: 0 when the event has a
 * largest loss, else `delta`. */
DUSK_MUST_USE dusk_status ledger_price(dusk_price *out, double *at, dusk_filter *filter,
                                       const dusk_event *event, double delta, dusk_error *err);
/* The price in an entry, as it was added: to the whole file or (`own`) to the analyst's limit; false when
 * there is none. */
DUSK_MUST_USE bool ledger_entry_slots(dusk_slots *out, const ledger_entry *entry, bool own);
/* The sums of all that was charged to the analyst ("": to the file), at the filter's orders;
 * *charges counts. */
DUSK_MUST_USE dusk_status ledger_filter_replay(dusk_ledger *ledger, dusk_filter *filter, const char *analyst,
                                               uint64_t *charges, dusk_error *err);
/* The most that approx(epsilon, delta) may be to fit into both (own may be NULL), rounded down. */
DUSK_MUST_USE dusk_status ledger_left(dusk_budget *out, const ledger_filter *total, const ledger_filter *own,
                                      dusk_error *err);

/* Append that an analyst, or the file (""), has this limit, and make its filter from what was
 * charged so far; inside ledger_write. */
DUSK_MUST_USE dusk_status ledger_set_limit(dusk_ledger *ledger, const char *analyst, dusk_budget limit,
                                           dusk_error *err);
/* Filters of kind rdp have their orders from mathematical functions, whose last digits differ from
 * machine to machine. Set the limits anew whose sums are for other orders than here. */
DUSK_MUST_USE dusk_status ledger_refresh(dusk_ledger *ledger, dusk_error *err);

#endif
