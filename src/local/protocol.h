/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_PROTOCOL_H
#define DUSK_LOCAL_PROTOCOL_H

/* What a randomiser is to the server: a table of functions, one file a randomiser or a family of them, listed in protocols.c. Devices' side: client_*.c.
 *
 *     plan      fill survey->task (all but id, mechanism, domain and seed, which are set) from the options; refuse what cannot be
 *     epsilon   of one report, from the whole numbers of the task alone, rounded up: plan cannot claim less than that
 *     cells     how many counters
 *     absorb    add n reports; returns how many of them no device makes, which are left out. Integers only
 *     counts    unbiased estimates of values, and their deviations
 *     mean      of numbers in [-1, 1], and its deviation
 *     variance  what dusk_survey_variance says, of one report; the formula of the paper with the task's fractions
 *     variance_of   the same of one value, where values differ; NULL: they do not
 *     one       epsilon of two people who differ in one attribute; NULL: as epsilon
 *     texts     the same as counts for texts of any length; NULL: not for texts that are found
 *     find      dusk_tally_find, of options that were checked; NULL: likewise
 *     reach     the least and the most that one report, whatever its bytes, can add to the estimates of so many values together, or of a mean in [-1, 1]: a bound; NULL: not known
 *     supports  whether a report, one that a device makes, is worth as much to the estimate of a value as one can be; NULL: not known, or of numbers
 *     craft     the report of a liar (attacks.h); NULL: not known
 *     range     the variance that one report brings to the estimate of how many people have a value of a range, of a person who has one and of one who has none; NULL: not
 *               known, and deviations are added up */

#include "base/error.h"
#include "base/platform.h"
#include "dusk/local.h"
#include "dusk/local_strings.h"
#include "local/client.h"

#define LOCAL_CELLS_MOST ((uint64_t)1 << 28)

struct local_text;

typedef struct local_protocol {
    const char *name, *about;
    dusk_randomiser mechanism;
    dusk_question question;
    bool hashed;  /* values are any 64-bit numbers where the domain is 0 */
    bool several; /* values are of several attributes */
    dusk_status (*plan)(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err);
    double (*epsilon)(const dusk_client_task *task);
    double (*permanent)(const dusk_client_task *task); /* of all reports on one value; NULL: no end */
    uint64_t (*cells)(const dusk_client_task *task);
    uint64_t (*absorb)(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n);
    dusk_status (*counts)(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *counts,
                          double *deviations, const uint64_t *values, size_t n, dusk_error *err);
    dusk_status (*mean)(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *mean,
                        double *deviation, dusk_error *err);
    dusk_status (*texts)(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *counts,
                         double *deviations, const struct local_text *texts, size_t n, dusk_error *err);
    dusk_status (*find)(const dusk_tally *tally, const dusk_find_options *options, dusk_string_found *out,
                        size_t most, size_t *found, dusk_error *err);
    double (*variance)(const dusk_client_task *task, double share);
    double (*variance_of)(const dusk_client_task *task, uint64_t value, double share);
    double (*one)(const dusk_client_task *task);
    void (*reach)(const dusk_client_task *task, uint32_t targets, double *least, double *most);
    bool (*supports)(const dusk_client_task *task, const uint8_t *report, uint64_t value);
    int (*craft)(const dusk_client_task *task, const uint64_t *targets, uint32_t n, bool hides,
                 uint8_t *report, dusk_entropy *entropy);
    bool range_bound; /* it is no less than that */
    void (*range)(const dusk_client_task *task, uint64_t from, uint64_t to, double *inside, double *outside);
} local_protocol;

/* protocols.c: all of them, NULL at the end; and one by its number, or NULL. */
extern const local_protocol *const local_protocols[];
const local_protocol *local_protocol_of(uint32_t mechanism);

/* --- fractions (fractions.c) --------------------------------------------------------------------------------------------- */

/* The largest p with p / (2^64 - p) * weight <= e^epsilon: the truth is kept with it where `weight` stands for how many share the rest. At least 1. */
uint64_t local_keep_down(double epsilon, double weight);
/* At least |ln(a / b)|, both above 0: how far apart two probabilities are, whichever is larger. */
double local_log_ratio_up(dusk_uint128 a, dusk_uint128 b);
/* The same of p a and (2^64 - p) b, which must be below 2^128. */
double local_log_odds_up(uint64_t p, uint64_t a, uint64_t b);
/* p / 2^64. */
double local_chance(uint64_t p);

/* Where a report supports a value with probability `truth` if it is the reporter's and `other` if not (a pure protocol [Wang et al. 2017]): the estimate
 * from how many reports support it, and its deviation. */
void local_pure_estimate(double truth, double other, double supports, double reports, double *count,
                         double *deviation);
/* Of a value that nobody can have: 0, exactly. */
void local_no_estimate(double *count, double *deviation);
double local_pure_variance(double truth, double other, double share);
/* Where a report can support from none to `together` of so many values. */
void local_pure_reach(double truth, double other, uint32_t targets, uint32_t together, double *least,
                      double *most);

#endif
