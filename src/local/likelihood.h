/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_LIKELIHOOD_H
#define DUSK_LOCAL_LIKELIHOOD_H

/* How likely a report is under each of a list of values: what an estimate from single reports, not from their sums, starts from. */

#include "local/protocol.h"

typedef struct local_likelihood {
    dusk_client_task task;
    double yes,
        no; /* logs: of a bit, by how much likelier it is to be set, or unset, where the value has it; of GRR and HCMS those of the truth and of a lie */
} local_likelihood;

/* GRR, SUE, OUE, CMS, HCMS and RAPPOR; others DUSK_ERR_UNSUPPORTED. */
DUSK_MUST_USE dusk_status local_likelihood_of(local_likelihood *out, const dusk_survey *survey,
                                              dusk_error *err);
/* Whether values are texts, of which there may be one on no list. */
bool local_likelihood_hashed(const local_likelihood *l);
/* out[i] = log of the chance of a report under candidates[i] (NULL: value i), less what is the same for all values; where values are texts out[n] is that of a text on no list, on average over
 * texts. False: no device makes the report. */
bool local_likelihoods(const local_likelihood *l, const uint8_t *report, const uint64_t *candidates, size_t n,
                       double *out);

#endif
