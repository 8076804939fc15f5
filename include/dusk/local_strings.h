/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_STRINGS_H
#define DUSK_LOCAL_STRINGS_H

#include "dusk/local.h"

/* Texts: which of a list of candidates people have, and texts that are on no list. All of it is post-processing of reports, and costs no privacy beyond theirs. */

#ifdef __cplusplus
extern "C" {
#endif

/* --- a list of candidates ------------------------------------------------------------------------------------------------ */

/* How many people have each of n candidates, from all places of the sketch at once: a regression of places on the candidates that set them [Erlingsson, Pihur & Korolova 2014], so that
 * candidates which share places do not count for each other as they do in dusk_tally_counts. A first pass (LASSO, none below 0) finds which candidates stand out; the second estimates these together,
 * and every other one from what they leave over. Estimates are about unbiased and may be below 0, and deviations hold for all of them alike, those that stood out included:
 * dusk_counts_found on them controls false discoveries. People who have none of the candidates are allowed for.
 *
 * RAPPOR, CMS and HCMS; others DUSK_ERR_UNSUPPORTED. Candidates are 64-bit values (dusk_client_hash of a text), and none may be there twice. */
DUSK_API DUSK_MUST_USE dusk_status dusk_tally_decode(const dusk_tally *tally, double *counts,
                                                     double *deviations, const uint64_t *candidates, size_t n,
                                                     dusk_error *err);

/* As dusk_tally_counts, of texts: of PEM, TREEHIST and SFP, and of RAPPOR, CMS and HCMS by their hashes. Others DUSK_ERR_UNSUPPORTED. */
DUSK_API DUSK_MUST_USE dusk_status dusk_tally_texts(const dusk_tally *tally, double *counts,
                                                    double *deviations, const char *const *texts, size_t n,
                                                    dusk_error *err);

/* --- texts on no list ------------------------------------------------------------------------------------------------------ */

/* A survey by PEM, TREEHIST or SFP is like any other: its domain is how many bytes of a text count (0: 8; DUSK_STRING_MOST at most), `hashes` how many bytes more each level has, or of SFP how many a fragment
 * (0: 2, and 1 of TREEHIST), `rows` and `width` the size of each sketch (0: 64 and 4096). The variance of a survey by PEM or TREEHIST is that of a text of full length; shorter ones are reported whole by more levels, and are
 * known better. SFP has half of epsilon for the whole text, which all devices report. */
DUSK_API bool dusk_randomiser_finds(dusk_randomiser mechanism);

typedef struct dusk_find_options {
    size_t size;          /* by dusk_find_options_init                                             */
    const char *alphabet; /* "abcdefghijklmnopqrstuvwxyz'": bytes that texts have; others are not tried */
    size_t
        keep; /* 100: so many beginnings are followed, at most; of SFP 20 times as many fragments of a place */
    double rate; /* 0.05: of false discoveries among those found                          */
} dusk_find_options;
DUSK_API void dusk_find_options_init(dusk_find_options *options);

typedef struct dusk_string_found {
    char text[DUSK_STRING_MOST + 1]; /* ends with 0 */
    double count, deviation;         /* people of all who reported, and how far that may be off */
} dusk_string_found;
/* The texts that stand out among all that were looked at, the most frequent first; `most` at most. Texts with few people are lost on the way: who is not found may still be there. Counts are of those
 * that were found because their counts are large, and the rarest of them are rather too large than too small. DUSK_ERR_UNSUPPORTED: the survey is none that finds texts. */
DUSK_API DUSK_MUST_USE dusk_status dusk_tally_find(const dusk_tally *tally, const dusk_find_options *options,
                                                   dusk_string_found *out, size_t most, size_t *found,
                                                   dusk_error *err);

/* --- two variables at once ------------------------------------------------------------------------------------------------- */

/* One of two surveys that the same people answered. GRR, SUE and OUE: all categories; RAPPOR, CMS and HCMS: candidates, and one category more, the last, for texts that are none of them. */
typedef struct dusk_association_side {
    const dusk_survey *survey;
    const uint8_t *reports;     /* one for each person, of dusk_report_size bytes */
    const uint64_t *candidates; /* texts by dusk_client_hash; NULL where there are categories */
    size_t candidate_count;
} dusk_association_side;
DUSK_API size_t dusk_association_categories(const dusk_association_side *side);

/* joint[i * categories of b + j]: the share of people who have category i of a and j of b, by maximum likelihood from pairs of reports [Fanti, Pihur & Erlingsson 2016]: none below 0, together 1. deviations, unless NULL: of each, from the
 * information of the shares; INFINITY where pairs cannot be told apart. Shares near 0 are biased upwards. Texts that are no candidates are taken to have hashes as if drawn. fine, unless NULL: whose reports are to be used; *dropped: how many pairs
 * were not, those that no device makes included. There may be 1024 pairs of categories.
 *
 * Caveat: two reports of a person cost the epsilons of both, and that they are of one person is known to who pairs them. */
DUSK_API DUSK_MUST_USE dusk_status dusk_reports_association(const dusk_association_side *a,
                                                            const dusk_association_side *b, size_t people,
                                                            const bool *fine, double *joint,
                                                            double *deviations, uint64_t *dropped,
                                                            dusk_error *err);

/* The reports of records that stand one behind the other, in their order. fine[i] is false, and report i is left as it is, where record i is not of this task and epoch or malformed. NULL for both arrays: count
 * them. DUSK_ERR_PARSE where a record is not whole. Records that come twice are there twice. */
DUSK_API DUSK_MUST_USE dusk_status dusk_records_list(const dusk_survey *survey, uint64_t epoch,
                                                     const uint8_t *bytes, size_t n, uint8_t *reports,
                                                     bool *fine, size_t *count, dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
