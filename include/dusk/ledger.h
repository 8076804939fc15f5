/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEDGER_H
#define DUSK_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/accounting.h"
#include "dusk/base.h"

/* A durable budget: one file in which nothing is forgotten. It holds declared facts, limits
 * and everything ever spent, and never a private row. The file is a SQLite database, its
 * format is docs/ledger-format.md.
 *
 * A release goes in five steps, and a crash between any two keeps the charge:
 *   dusk_ledger_reserve   the charge is added to every limit that it falls under, or refused;
 *                         when the function returns it is on disk
 *   (run, draw)           by the caller
 *   dusk_ledger_commit    the answer is stored beside its charge, on disk, before it is shown
 * There is no way to take a charge back.
 *
 * Limits are enforced by a filter for fully adaptive composition (dusk/accounting.h), one
 * for the whole file and one for each analyst who has a limit of his own. Several processes
 * may use a file at the same time: charges are one transaction each, so that together they
 * never go beyond a limit.
 *
 * Entries are chained: each holds a hash of its content and of the entry before it. Whoever
 * notes the last hash (dusk_ledger_head) can later prove that nothing before it was removed
 * or changed; within the file dusk_ledger_verify finds every change that does not rewrite
 * the whole rest of the chain.
 *
 * A handle belongs to one thread, and to the process that opened it: a forked child opens its own. The
 * file must be on a local disk, and have one name: one with hard links is refused, and so is one that was
 * moved or replaced while it is open. */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dusk_ledger dusk_ledger;

/* What a file is made with, and keeps for ever. */
typedef struct dusk_ledger_options {
    size_t size;                /* set by _init                                  */
    dusk_filter_kind filter;    /* DUSK_FILTER_BASIC                             */
    dusk_neighbours neighbours; /* no default                                    */
    dusk_budget budget;         /* the total; no default                         */
} dusk_ledger_options;
DUSK_API void dusk_ledger_options_init(dusk_ledger_options *options);

/* Make a new file; DUSK_ERR_ARGUMENT when something is at `path` already. Whoever may read
 * the file learns no private row; who may write it can spend: it is made readable and
 * writable by its owner only. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_create(const char *path, const dusk_ledger_options *options,
                                                      dusk_error *err);
/* DUSK_ERR_IO when it is not there or not a ledger, DUSK_ERR_CORRUPT when its last entries or its
 * totals do not fit together, DUSK_ERR_UNSUPPORTED when a newer Dusk wrote it; an older
 * format is brought up to date. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_open(dusk_ledger **out, const char *path, dusk_error *err);
DUSK_API void dusk_ledger_close(dusk_ledger *ledger);
DUSK_API void dusk_ledger_made_with(const dusk_ledger *ledger, dusk_ledger_options *out);

/* ---- Declared facts ------------------------------------------------------------------ */

/* A fact is (subject, property) = value: ("visits.age", "bounds") = "0:120". A property is one word,
 * without blanks. What facts mean is not the ledger's business; it keeps them, each change being an
 * entry of the chain. A NULL value takes the fact back. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_declare(dusk_ledger *ledger, const char *subject,
                                                       const char *property, const char *value,
                                                       dusk_error *err);
/* Several at once: all of them, or on failure none. */
typedef struct dusk_fact {
    const char *subject, *property, *value;
} dusk_fact;
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_declare_all(dusk_ledger *ledger, const dusk_fact *facts,
                                                           size_t n, dusk_error *err);
/* The facts that hold now, in the order in which their (subject, property) was first declared.
 * A visitor that does not return DUSK_OK ends the visit with that status; it must not use the ledger. */
typedef dusk_status dusk_fact_visitor(void *context, const dusk_fact *fact, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_facts(dusk_ledger *ledger, dusk_fact_visitor *visit,
                                                     void *context, dusk_error *err);

/* ---- Limits ---------------------------------------------------------------------------- */

/* Give an analyst a limit of his own, within the total, or change it. A limit below what the
 * analyst has spent stops him; it gives nothing back. Analysts without a limit share the
 * total. A name is what the caller says; nothing here proves it. Names are 1 to 63 bytes of UTF-8 without
 * control characters, and without blanks at their ends. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_grant(dusk_ledger *ledger, const char *analyst,
                                                     dusk_budget limit, dusk_error *err);
/* Raise or lower the total. Raising it weakens what was promised so far to what is
 * promised from now on; both numbers stay in the chain. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_set_total(dusk_ledger *ledger, dusk_budget total,
                                                         dusk_error *err);

/* Where a limit stands.
 *   share  of the limit that is spent, 0 to 1, rounded up; more than 1 when a limit was lowered
 *   spent  basic: the sums, rounded up. Others: epsilon at limit.delta of all charges so far, as an
 *          odometer says it, which may be a little above the limit while charges still fit
 *   left   what one further charge approx(epsilon, delta) may cost at most, by this limit and by the
 *          total, rounded down; filters other than basic: pure(epsilon), and delta is 0 */
typedef struct dusk_spending {
    dusk_budget limit;
    double share;
    dusk_budget spent, left;
    uint64_t charges;
    bool limited; /* false: an analyst without a limit of his own; `limit` and `left` are the total's */
} dusk_spending;
/* Of the whole file (analyst NULL), or of one analyst, who need not have been seen before. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_spending(dusk_ledger *ledger, dusk_spending *out,
                                                        const char *analyst, dusk_error *err);
typedef dusk_status dusk_analyst_visitor(void *context, const char *analyst, const dusk_spending *spending,
                                         dusk_error *err);
/* Everybody who has a limit or has spent, by name. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_analysts(dusk_ledger *ledger, dusk_analyst_visitor *visit,
                                                        void *context, dusk_error *err);

/* ---- Charges ---------------------------------------------------------------------------- */

/* What is to be charged. Texts are borrowed. */
typedef struct dusk_charge {
    const char *analyst;     /* who asks; required                                        */
    const dusk_event *event; /* what will be released                                     */
    double delta;            /* basic filter: the delta at which an event that has no largest loss is
                                  priced (0: it must have one). Other filters: 0              */
    const char *purpose;     /* what it is for, in words: the query                       */
    const char *fingerprint; /* names the request but for its epsilon, for repeats; NULL: never repeated */
    double epsilon;          /* that was asked for; a repeat gets an answer made with at least this */
    uint64_t version;        /* of the data, a number the curator declares                */
} dusk_charge;

/* Charge, durably; *id names the charge. DUSK_ERR_BUDGET: some limit does not allow it, nothing
 * is spent, and the message says which limit and what is left of it. DUSK_ERR_IO: the disk
 * refused, nothing is spent and nothing may be drawn (should the machine stop right then, the charge
 * may be found on disk all the same). DUSK_ERR_BUSY: other processes held the file
 * for too long. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_reserve(dusk_ledger *ledger, uint64_t *id,
                                                       const dusk_charge *charge, dusk_error *err);
/* The same for what a statement says, at its epsilon and delta, for the relation that it has: a training, a score. Its
 * numerics must not be idealised (DUSK_ERR_UNSUPPORTED), and its relation must be the ledger's (DUSK_ERR_ARGUMENT). */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_reserve_statement(dusk_ledger *ledger, uint64_t *id,
                                                                 const dusk_statement *statement,
                                                                 const char *analyst, const char *purpose,
                                                                 uint64_t version, dusk_error *err);
/* Would it be allowed now? Spends nothing. *cost (may be NULL): what it takes from a basic filter;
 * others: the event's epsilon at the total's delta. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_quote(dusk_ledger *ledger, dusk_budget *cost,
                                                     const dusk_charge *charge, dusk_error *err);
/* The same for what a statement says. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_quote_statement(dusk_ledger *ledger, dusk_budget *cost,
                                                               const dusk_statement *statement,
                                                               const char *analyst, dusk_error *err);
/* Store the answer, a text of up to 2^29 bytes, with its charge. Once only. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_commit(dusk_ledger *ledger, uint64_t id, const char *answer,
                                                      size_t length, dusk_error *err);
/* The stored answer to charge->fingerprint at charge->version that was made with at least
 * charge->epsilon (the best of those that the analyst has paid for, else the one that costs least):
 * *answer is to be freed with dusk_ledger_free_text, NULL when there is none. It costs the total nothing. An
 * analyst with a limit of his own who has not paid for it before pays what it cost the one who has, within that
 * limit, and it is on disk before the function returns (DUSK_ERR_BUDGET: *answer is NULL); he is given
 * what was made with charge->epsilon and no more, so that he pays no more than he asks for. *charged (may
 * be NULL): he paid now. charge->event is not used. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_recall(dusk_ledger *ledger, char **answer, size_t *length,
                                                      bool *charged, const dusk_charge *charge,
                                                      dusk_error *err);
DUSK_API void dusk_ledger_free_text(char *text);

/* ---- History ------------------------------------------------------------------------------- */

typedef enum dusk_entry_kind {
    DUSK_ENTRY_CREATED = 1,  /* value: the options as text                     */
    DUSK_ENTRY_DECLARED = 2, /* subject: "subject property"; value, NULL: taken back */
    DUSK_ENTRY_GRANTED = 3,  /* subject: the analyst, or "" for the total; value: "epsilon=1 delta=1e-06" */
    DUSK_ENTRY_CHARGED = 4,  /* subject: the analyst; value: the event's text  */
    DUSK_ENTRY_ANSWERED = 5, /* charge: which; value: a hash of the answer     */
    DUSK_ENTRY_RECALLED = 6  /* subject: the analyst; charge: which was repeated */
} dusk_entry_kind;

typedef struct dusk_entry {
    uint64_t number; /* 1, 2, ... without a gap; a charge's number is its id */
    dusk_entry_kind kind;
    int64_t time; /* seconds since 1970, by this machine's clock */
    const char *subject;
    const char *value;   /* NULL only for a fact that was taken back */
    const char *purpose; /* of a charge */
    uint64_t charge;     /* of ANSWERED and RECALLED */
    dusk_budget cost;    /* of CHARGED and RECALLED: what the basic price is; otherwise 0 */
    uint8_t hash[32];
} dusk_entry;
typedef dusk_status dusk_entry_visitor(void *context, const dusk_entry *entry, dusk_error *err);
/* All entries from number `first` on, in order. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_history(dusk_ledger *ledger, uint64_t first,
                                                       dusk_entry_visitor *visit, void *context,
                                                       dusk_error *err);
/* Number and hash of the last entry. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_head(dusk_ledger *ledger, uint64_t *number, uint8_t hash[32],
                                                    dusk_error *err);
/* Read all of it: every hash is what it should be, no number is missing, every total is what the
 * charges add up to, every stored answer has its hash. DUSK_ERR_CORRUPT names the first entry
 * that is wrong. */
DUSK_API DUSK_MUST_USE dusk_status dusk_ledger_verify(dusk_ledger *ledger, dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
