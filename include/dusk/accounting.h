/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_H
#define DUSK_ACCOUNTING_H

#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"

/* What was released, and what it costs. An event says which mechanism ran with
 * which public parameters, never anything about the data. A statement puts an
 * event beside the promise that follows from it. Both are values: copy them,
 * compare their texts, store them.
 *
 * Text form of events (it round-trips; the ledger stores it):
 *   pure(eps)  approx(eps, delta)  zcdp(rho)  gdp(mu)
 *   laplace(b)                    noise scale over l1 sensitivity
 *   gaussian(sigma)               noise deviation over l2 sensitivity
 *   discrete_laplace(b[, s])      law ~ exp(-|k|/b), integer sensitivity s (1)
 *   discrete_gaussian(sigma[, s]) law ~ exp(-k^2/(2 sigma^2)), sensitivity s (1)
 *   randomized_response(eps, k)   k answers
 *   exponential(eps)              bounded range eps
 *   permute_and_flip(eps)
 *   noisy_max(eps)                Laplace noise
 *   svt(eps1, eps2, c)            sparse vector, threshold and query shares, c hits
 *   e * n    e + e    (e)         n times; one after the other
 * An event is kept in a normal form: sums and repetitions are multiplied out,
 * (a + b) * 2 being a * 2 + b * 2, and equal parts are counted together, up to
 * 2^62 times. The order of parts does not matter to any price.
 *
 * Sensitivities are those of the neighbouring relation that goes with the
 * statement; the library has no default for it. */

#ifdef __cplusplus
extern "C" {
#endif

/* A bound, plain and copyable: epsilon >= 0, delta in [0, 1). */
typedef struct dusk_budget {
    double epsilon;
    double delta;
} dusk_budget;

/* Which two data sets a promise compares. */
typedef enum dusk_neighbours {
    DUSK_ADD_REMOVE = 1, /* one unit's data is there or is not           */
    DUSK_REPLACE_ONE = 2 /* one unit's data is exchanged for other data; the
                            number of units is the same, hence public    */
} dusk_neighbours;

/* "add-remove" or "replace-one". */
DUSK_API const char *dusk_neighbours_name(dusk_neighbours neighbours);

#define DUSK_EVENT_NODES_MAX 64

/* An event. The bytes are private: make one with the functions below or by
 * dusk_event_parse, read it with dusk_event_format. Every event that exists
 * is valid. */
typedef struct dusk_event {
    uint64_t opaque[1 + 5 * DUSK_EVENT_NODES_MAX];
} dusk_event;

DUSK_API DUSK_MUST_USE dusk_status dusk_event_pure(dusk_event *out, double epsilon, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_approx(dusk_event *out, double epsilon, double delta,
                                                     dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_zcdp(dusk_event *out, double rho, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_gdp(dusk_event *out, double mu, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_laplace(dusk_event *out, double scale_over_sensitivity,
                                                      dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_gaussian(dusk_event *out, double sigma_over_sensitivity,
                                                       dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_discrete_laplace(dusk_event *out, double scale,
                                                               uint64_t sensitivity, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_discrete_gaussian(dusk_event *out, double sigma,
                                                                uint64_t sensitivity, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_randomized_response(dusk_event *out, double epsilon,
                                                                  uint64_t answers, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_exponential(dusk_event *out, double epsilon, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_permute_and_flip(dusk_event *out, double epsilon,
                                                               dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_noisy_max(dusk_event *out, double epsilon, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_event_svt(dusk_event *out, double epsilon_threshold,
                                                  double epsilon_queries, uint64_t hits, dusk_error *err);

/* a, then b (adaptively). `out` may be one of the inputs. DUSK_ERR_ARGUMENT
 * when the two together have more than DUSK_EVENT_NODES_MAX different parts or
 * a text of more than 4095 bytes. */
DUSK_API DUSK_MUST_USE dusk_status dusk_event_add(dusk_event *out, const dusk_event *a, const dusk_event *b,
                                                  dusk_error *err);
/* The same event `times` times, times >= 1. */
DUSK_API DUSK_MUST_USE dusk_status dusk_event_repeat(dusk_event *out, const dusk_event *event, uint64_t times,
                                                     dusk_error *err);

/* Write the text form with its '\0' into `text`; DUSK_ERR_ARGUMENT when `size`
 * is too small (4096 always suffices). */
DUSK_API DUSK_MUST_USE dusk_status dusk_event_format(const dusk_event *event, char *text, size_t size,
                                                     dusk_error *err);
/* Read the text form. DUSK_ERR_PARSE names the column of a mistake. */
DUSK_API DUSK_MUST_USE dusk_status dusk_event_parse(dusk_event *out, const char *text, dusk_error *err);

/* An upper bound on the epsilon of the event at `delta` in [0, 1), by basic
 * composition over its parts, each part priced exactly (Gaussian: Balle & Wang
 * 2018, Theorem 8; discrete Gaussian: Canonne, Kamath & Steinke 2020, Theorem
 * 7; zCDP: Proposition 12 there). All Gaussian parts are first merged into one,
 * and so are all zCDP parts. Approx parts take their own delta; what is left is
 * shared equally among the parts that need one, and goes unused when none does
 * (unless the event is a single laplace or randomized_response, which gets a
 * smaller epsilon for it). +inf when no finite epsilon exists at this delta (a
 * Gaussian at delta 0). */
DUSK_API DUSK_MUST_USE dusk_status dusk_event_epsilon_up(const dusk_event *event, double *epsilon,
                                                         double delta, dusk_error *err);

/* How the numbers of a release were made. */
typedef enum dusk_numerics {
    DUSK_NUMERICS_EXACT = 1,     /* the law is exactly that of the proof        */
    DUSK_NUMERICS_CERTIFIED = 2, /* but for an event whose probability is in delta */
    DUSK_NUMERICS_IDEALISED = 3  /* the law holds for real numbers only         */
} dusk_numerics;

/* A promise: what was released, how, and what follows from it. */
typedef struct dusk_statement {
    dusk_event event;
    dusk_numerics numerics;
    double numerics_delta; /* with CERTIFIED: contained in delta           */
    double epsilon, delta; /* an upper bound, by `accountant`              */
    char accountant[24];   /* "basic", ...                                 */
    dusk_neighbours neighbours;
    char unit[64];     /* whose privacy: "row", "person", ...          */
    char assumed[256]; /* declared facts it rests on, "; " between them */
} dusk_statement;

/* Make a statement for an event: epsilon is dusk_event_epsilon_up at delta,
 * numerics exact, nothing assumed. `unit` NULL means "unit". */
DUSK_API DUSK_MUST_USE dusk_status dusk_statement_init(dusk_statement *out, const dusk_event *event,
                                                       double delta, dusk_neighbours neighbours,
                                                       const char *unit, dusk_error *err);
/* Append a declared fact ("; " between facts); what does not fit is DUSK_ERR_ARGUMENT. */
DUSK_API DUSK_MUST_USE dusk_status dusk_statement_assume(dusk_statement *statement, const char *fact,
                                                         dusk_error *err);
/* One line of text (epsilon to six digits, rounded up), or one JSON object (all digits); 8192 bytes always suffice. */
DUSK_API DUSK_MUST_USE dusk_status dusk_statement_format(const dusk_statement *statement, char *text,
                                                         size_t size, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_statement_json(const dusk_statement *statement, char *text,
                                                       size_t size, dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
