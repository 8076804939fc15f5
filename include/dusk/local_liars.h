/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_LIARS_H
#define DUSK_LOCAL_LIARS_H

#include "dusk/local.h"

/* Liars: local privacy trusts nobody with values, and so nobody can see that a report was made up. How far that goes. */

#ifdef __cplusplus
extern "C" {
#endif

/* How far a share `liars` of all who report can move the estimated share of a value, or the sum of those of `targets` values together, upwards and downwards, on average and at most, whatever the others have: the
 * maximal gain attack of Cao, Jia & Gong (2021). Of surveys of numbers: the mean, in its units, and targets is 1. Noise comes on top. A push may be far above 1: then liars can make the estimate say
 * anything. DUSK_ERR_UNSUPPORTED where no bound is known. */
DUSK_API DUSK_MUST_USE dusk_status dusk_survey_push(const dusk_survey *survey, double liars, uint32_t targets,
                                                    double *up, double *down, dusk_error *err);

/* What liars send, for simulations [Cao, Jia & Gong 2021; Cheu, Smith & Ullman 2021]. */
typedef enum dusk_attack {
    DUSK_ATTACK_OUTPUT =
        1, /* any report that a device makes, all as likely                                  */
    DUSK_ATTACK_INPUT =
        2, /* an honest device, with a target, or the highest number, as its value           */
    DUSK_ATTACK_MAXIMAL =
        3, /* the report that supports as many targets as one can, or stands for the highest number: it moves the estimates as far as dusk_survey_push says at the most,
                              * where there is such a report (of hr: where targets share a block; of pgr: where they lie in one hyperplane) */
    DUSK_ATTACK_HIDDEN =
        4 /* the same among reports that look honest: bit maps have as many bits as those of honest devices, by the same law, and answers that are numbers are the best
                              * of 1000 honest ones. Not of numbers */
} dusk_attack;
/* The report of a liar, dusk_report_size bytes; 1 to 64 targets, each once, and none of surveys of numbers. DUSK_ERR_UNSUPPORTED where it is not known how to lie best. */
DUSK_API DUSK_MUST_USE dusk_status dusk_liar_report(const dusk_survey *survey, dusk_attack attack,
                                                    const uint64_t *targets, size_t n, uint8_t *report,
                                                    dusk_entropy *entropy, dusk_error *err);
/* "output", "input", "maximal", "hidden"; others: DUSK_ERR_ARGUMENT. */
DUSK_API DUSK_MUST_USE dusk_status dusk_attack_find(dusk_attack *out, const char *name, dusk_error *err);

/* --- defences -------------------------------------------------------------------------------------------------------------- */

/* The chance that an honest report of SUE, OUE or CMS has as many bits set as this one, or a number further out, on either side. A report with 10^-9 was made up; whoever throws away those below a
 * limit throws away that part of honest ones, whatever their values, so that estimates stay right. Liars who know of it set as many bits as honest people do, and then each pushes hardly less. Others:
 * DUSK_ERR_UNSUPPORTED. */
DUSK_API DUSK_MUST_USE dusk_status dusk_report_chance(const dusk_survey *survey, const uint8_t *report,
                                                      double *chance, dusk_error *err);

#define DUSK_SUSPECT_VALUES 16
typedef struct dusk_suspicion {
    uint64_t invalid; /* reports that no device makes                                                  */
    uint64_t bits;    /* with too many or too few bits                                                 */
    uint64_t repeats; /* the same as too many others                                                   */
    uint64_t sets;    /* supporting `together` or more of the targets, as far too many do              */
    uint32_t together;
    size_t target_count;
    uint64_t targets
        [DUSK_SUSPECT_VALUES]; /* values that are supported together far too often; some of them may be innocent */
} dusk_suspicion;
/* suspect[i] is set for reports that honest devices would hardly have made, of n: by the number of their bits, by how often they come, and by values that they support together
 * [Cao, Jia & Gong 2021]. The values that are looked at are the largest of values[0 .. value_count - 1] (NULL: 0 .. value_count - 1). If all reports are honest, and each by itself, then none is suspected, with probability 1 - rate
 * at least, whatever people have.
 *
 * Caveats
 *   - Liars who push one value and hide, or send what honest devices with a target send, are not found: nobody can. Nor are those of GRR, whose reports support one value each.
 *   - With suspects go honest reports that look alike, a small part of those who have a target: leave the reports out, and estimates of targets come out a little too low.
 *   - All reports have to be kept until then. Sets are looked for among 16 values at most, of OLH up to 4096 categories. */
DUSK_API DUSK_MUST_USE dusk_status dusk_reports_suspects(const dusk_survey *survey, const uint8_t *reports,
                                                         size_t n, const uint64_t *values, size_t value_count,
                                                         double rate, bool *suspect, dusk_suspicion *out,
                                                         dusk_error *err);

typedef struct dusk_recovery_options {
    size_t size;  /* by dusk_recovery_options_init                                                         */
    double liars; /* the share of liars that is assumed; 0.05                                              */
    const uint64_t
        *targets; /* places in the counts that were pushed; NULL: not known                                */
    size_t target_count;
    bool
        whole; /* counts are of all values that there are: in the end none is below 0, and they add up to the total; true */
} dusk_recovery_options;
DUSK_API void dusk_recovery_options_init(dusk_recovery_options *options);
/* Counts of `total` reports as they would be without liars [LDPRecover, Sun et al. 2024, arXiv:2403.09351]: what liars are thought to have added is taken off, what is left stands for honest reports and is
 * scaled to all, and then counts are made consistent (norm-sub).
 *
 * Targets not known: reports of liars are taken to support one value each, and values with counts above 0 to share what that adds, evenly. Targets known (LDPRecover*): each gets an equal part of what a
 * maximal gain attack adds to them at most, and others an equal part of what is left of 1, which is what a report is worth in all, an honest one or one that hides.
 *
 * Caveats
 *   - It is a what-if: with fewer liars than assumed targets come out too low by as much.
 *   - Without targets it moves all values that seem to be there by the same amount, as norm-sub does by itself: it takes hardly more from liars than that. */
DUSK_API DUSK_MUST_USE dusk_status dusk_counts_recover(double *counts, size_t n, double total,
                                                       const dusk_survey *survey,
                                                       const dusk_recovery_options *options, dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
