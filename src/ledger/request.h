/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEDGER_REQUEST_H
#define DUSK_LEDGER_REQUEST_H

/* A charge on its way: its prices, found before the file is locked, and the filters that they are
 * for, filled when it is. */

#include "ledger/balance.h"

#define LEDGER_ATTEMPTS 8 /* when limits change meanwhile */

typedef struct ledger_request {
    const char *analyst;
    const dusk_event *event;
    ledger_filter *total, *own; /* kept by the handle; own NULL: no limit of his own */
    dusk_price price, own_price;
    double at;                       /* the delta of a basic price */
    dusk_budget cost;                /* for history */
    const ledger_filter *refused_by; /* the limit that does not allow it */
    bool again;                      /* a limit is no longer the one that it was priced for: price anew */
    uint64_t charges, own_charges;
} ledger_request;

/* That the texts and numbers of a caller can be kept: DUSK_ERR_ARGUMENT. */
DUSK_MUST_USE dusk_status ledger_request_check(const dusk_charge *charge, dusk_error *err);
/* Find the filters of today's limits, and the prices. Locks nothing. */
DUSK_MUST_USE dusk_status ledger_request_price(dusk_ledger *ledger, ledger_request *request, double delta,
                                               dusk_error *err);
/* Inside a transaction: the sums of the file into the filters. Fails with `again` set when it must
 * be priced anew. */
DUSK_MUST_USE dusk_status ledger_request_load(dusk_ledger *ledger, ledger_request *request, dusk_error *err);
/* The answer to this charge, which must be there, has the hash that its entry says; a copy when `copy`
 * is not NULL, with a zero byte behind it. */
DUSK_MUST_USE dusk_status ledger_answer_check(dusk_ledger *ledger, const ledger_entry *charge, char **copy,
                                              size_t *length, dusk_error *err);
/* Inside a transaction: DUSK_ERR_BUDGET, for ledger_request_explain. */
dusk_status ledger_request_refuse(ledger_request *request, const ledger_filter *by, dusk_error *err);
/* When the transaction is over: says of DUSK_ERR_BUDGET which limit does not allow it and what is left
 * of that, which takes some time to find; any other status is passed on. */
DUSK_MUST_USE dusk_status ledger_request_explain(const ledger_request *request, dusk_status status,
                                                 dusk_error *err);

#endif
