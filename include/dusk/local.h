/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_H
#define DUSK_LOCAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/accounting.h"
#include "dusk/base.h"
#include "dusk/local_client.h"
#include "dusk/random.h"

/* Local privacy, the server's side: plan a survey, add up reports, estimate.
 *
 *     dusk_survey_init      an epsilon and a domain -> a survey, whose task goes to devices (dusk/local_client.h)
 *     dusk_tally_new        all counters at 0
 *     dusk_tally_add        reports, in any order
 *     dusk_tally_merge      of a thread, a shard, yesterday
 *     dusk_tally_counts     how many people have a value, with the deviation of that
 *
 * Nobody has to be trusted: a report is private by itself, whatever the server does with it, so nothing here is charged
 * to a ledger, and errors may speak of reports. A tally is a vector of whole numbers, and merging is addition: a tally that was written,
 * merged or restarted is the same as one that saw all reports at once.
 *
 * Caveats
 *   - Estimates are unbiased for honest reports; how far liars can move them: dusk_survey_push.
 *   - An epsilon is that of one report. Who reports twice without a memory spends twice. */

#ifdef __cplusplus
extern "C" {
#endif

/* --- surveys --------------------------------------------------------------------------------------------------------- */

typedef struct dusk_survey_options {
    size_t size;      /* by dusk_survey_options_init                                                  */
    const char *name; /* "survey"; letters, digits, "-", "_" and ".", 63 bytes at most                */
    dusk_randomiser
        mechanism;    /* must be set                                                                  */
    double epsilon;   /* must be set: of one report, at most                                          */
    uint64_t domain;  /* categories: how many; of hashed texts 0; of texts on no list their bytes    */
    double low, high; /* numbers: their range; [-1, 1]                                                */
    uint32_t width, rows,
        hashes;          /* 0: chosen by epsilon and domain; of SPL SMP RSFD hashes is the order, 1 or 2 */
    double permanent;    /* RAPPOR: epsilon of all reports on one value; 0: chosen                       */
    uint64_t seed;       /* of hash functions; public                                                    */
    uint32_t attributes; /* SPL SMP RSFD: how many, instead of a domain; 0: one, of `domain` categories  */
    uint32_t sizes[DUSK_ATTRIBUTES_MOST];        /* categories of each, at least 2 */
    const char *attribute[DUSK_ATTRIBUTES_MOST]; /* names, 31 bytes at most; NULL: "a0", "a1", ... */
    /* PLANAR (dusk/local_places.h): the side of a cell, 1 where it is 0; the lower left corner of the grid; how far apart places are that are to be hidden from each other, 0: one step */
    double cell, left, bottom, within;
} dusk_survey_options;

#define DUSK_ATTRIBUTE_NAME 32 /* bytes, with the 0 at the end */

/* A survey. A value. */
typedef struct dusk_survey {
    dusk_client_task task; /* what devices need */
    char name[64];
    char attribute[DUSK_ATTRIBUTES_MOST][DUSK_ATTRIBUTE_NAME]; /* their names, "" behind the last */
    double low, high;                                          /* of numbers */
    double
        epsilon; /* of one report: an upper bound of the largest log ratio that the fractions of the task have */
    double permanent; /* of all reports on one value, with a memory; INFINITY: none */
    double cell, left, bottom,
        within; /* PLANAR, whose epsilon is for one step of the grid: dusk/local_places.h */
} dusk_survey;

DUSK_API void dusk_survey_options_init(dusk_survey_options *options);
DUSK_API DUSK_MUST_USE dusk_status dusk_survey_init(dusk_survey *out, const dusk_survey_options *options,
                                                    dusk_error *err);
/* One JSON object, and back; the id of the task is a hash of the other fields, and epsilon is computed from the fractions, so that a text that was
 * changed is refused (DUSK_ERR_CORRUPT). 2048 bytes always suffice. */
DUSK_API DUSK_MUST_USE dusk_status dusk_survey_format(const dusk_survey *survey, char *text, size_t size,
                                                      dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_survey_parse(dusk_survey *out, const char *text, size_t length,
                                                     dusk_error *err);

/* "grr", "oue", ...; NULL for a number that is none. And back: DUSK_ERR_ARGUMENT. */
DUSK_API const char *dusk_randomiser_name(uint32_t mechanism);
/* One line on it, for people. */
DUSK_API const char *dusk_randomiser_about(uint32_t mechanism);
DUSK_API DUSK_MUST_USE dusk_status dusk_randomiser_find(dusk_randomiser *out, const char *name,
                                                        dusk_error *err);
/* What is estimated: how many people have a value, or a mean of numbers, or a distribution of numbers. */
typedef enum dusk_question {
    DUSK_ASKS_COUNTS = 1,
    DUSK_ASKS_MEAN = 2,
    DUSK_ASKS_DISTRIBUTION = 3
} dusk_question;
DUSK_API dusk_question dusk_randomiser_question(dusk_randomiser mechanism);

/* The variance that one report brings to the estimate of a count, of a value that a share of all people have (DUSK_ASKS_COUNTS), or to the
 * estimate of a mean, in units of the range's half, of people who all have the number -1 + 2 share (others). Of PLANAR the mean squared distance of a report from the truth, in cells, of people who are all in cell
 * share * domain: in the middle of a row for 0.5. */
DUSK_API double dusk_survey_variance(const dusk_survey *survey, double share);
/* The same of one value, where values differ: those of surveys of several attributes. */
DUSK_API double dusk_survey_variance_of(const dusk_survey *survey, uint64_t value, double share);
/* How many counters a tally of it has, of 8 bytes each. */
DUSK_API uint64_t dusk_survey_counters(const dusk_survey *survey);

/* What a report takes from a dusk_client_budget: its epsilon in millionths, rounded up; of PLANAR that of two places at most `within` apart. */
DUSK_API uint32_t dusk_survey_cost(const dusk_survey *survey);

/* Coins of the library's generator for dusk/local_client.h; *failed is set when it has none. `buffer` is wiped as it is used. */
typedef struct dusk_generator_entropy {
    dusk_generator *gen;
    size_t left;
    uint8_t buffer[512];
} dusk_generator_entropy;
DUSK_API dusk_entropy dusk_entropy_of(dusk_generator_entropy *context, dusk_generator *gen);

/* --- several attributes ----------------------------------------------------------------------------------------------- */

/* Surveys by SPL, SMP and RSFD are of several attributes of a person. Values of their tallies are cells: the categories of all attributes one behind the other, or with order 2 (SMP, `hashes` of the
 * options) those of all pairs of attributes, (0, 1), (0, 2), ..., (1, 2), ..., the first of a pair lowest. `epsilon` is that of all attributes of a person together.
 */
DUSK_API bool dusk_randomiser_several(dusk_randomiser mechanism);
/* The cell of categories of n attributes, n being the order; UINT64_MAX where there is none. */
DUSK_API uint64_t dusk_survey_cell(const dusk_survey *survey, const uint32_t *attributes,
                                   const uint32_t *categories, uint32_t n);
/* What one report brings to the variance of a cell of the table of n attributes that dusk_tally_marginal makes, as dusk_survey_variance; INFINITY where there is no such table. */
DUSK_API double dusk_survey_marginal_variance(const dusk_survey *survey, const uint32_t *attributes,
                                              uint32_t n, double share);
/* The number of an attribute, by its name; UINT32_MAX where there is none. */
DUSK_API uint32_t dusk_survey_attribute(const dusk_survey *survey, const char *name);
/* Epsilon of two people who differ in one attribute, whichever: at most that of the survey. With RSFD it is smaller, for the answers of the other attributes hide which one is true; so it is with SPL. */
DUSK_API double dusk_survey_attribute_epsilon(const dusk_survey *survey);

/* --- tallies ---------------------------------------------------------------------------------------------------------- */

/* Counters of the reports of one survey. */
typedef struct dusk_tally dusk_tally;

DUSK_API DUSK_MUST_USE dusk_status dusk_tally_new(dusk_tally **out, const dusk_survey *survey,
                                                  dusk_error *err);
DUSK_API void dusk_tally_free(dusk_tally *tally);
DUSK_API const dusk_survey *dusk_tally_survey(const dusk_tally *tally);
/* Add n reports of dusk_report_size bytes, one after the other. Reports that no device makes are dropped and counted; nothing fails. */
DUSK_API void dusk_tally_add(dusk_tally *tally, const uint8_t *reports, size_t n);
/* DUSK_ERR_ARGUMENT when the other one is of another survey; DUSK_ERR_CORRUPT where files that nobody counted would overflow. */
DUSK_API DUSK_MUST_USE dusk_status dusk_tally_merge(dusk_tally *tally, const dusk_tally *other,
                                                    dusk_error *err);
/* How many were added, and how many of those given were dropped. */
DUSK_API uint64_t dusk_tally_reports(const dusk_tally *tally);
DUSK_API uint64_t dusk_tally_dropped(const dusk_tally *tally);

/* --- estimates -------------------------------------------------------------------------------------------------------- */

/* counts[i]: an unbiased estimate of how many of those who reported have values[i] (NULL: value i). deviations[i], unless NULL: an estimate
 * of its standard deviation. DUSK_ERR_UNSUPPORTED for surveys of numbers. */
DUSK_API DUSK_MUST_USE dusk_status dusk_tally_counts(const dusk_tally *tally, double *counts,
                                                     double *deviations, const uint64_t *values, size_t n,
                                                     dusk_error *err);
/* The table of n attributes, 1 or 2, of a survey of several: counts, and unless NULL deviations, of all categories, the first attribute's lowest. Of a survey of order 2 the table of one
 * attribute is put together from all pairs with it. DUSK_ERR_UNSUPPORTED: devices did not answer for two together. */
DUSK_API DUSK_MUST_USE dusk_status dusk_tally_marginal(const dusk_tally *tally, const uint32_t *attributes,
                                                       uint32_t n, double *counts, double *deviations,
                                                       dusk_error *err);
/* The mean of the numbers, within their range or not, and its standard deviation. */
DUSK_API DUSK_MUST_USE dusk_status dusk_tally_mean(const dusk_tally *tally, double *mean, double *deviation,
                                                   dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
