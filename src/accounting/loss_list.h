/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_LOSS_LIST_H
#define DUSK_ACCOUNTING_LOSS_LIST_H

/* Laws of finite losses as sorted lists, in long double with error bounds that
 * are carried along. A list is of one side: the law of the upper ends of a pair
 * or that of the lower ends (pair.h). */

#include "accounting/pair.h"

#define DUSK_LOSS_LIST_MAX ((size_t)1 << 17)

/* loss[0] <= loss[1] <= ...; every mass has a relative error of at most
 * `relative`, every loss an absolute one of at most `absolute`; `lost` bounds the
 * mass that is not listed. The largest |loss| is at most `reach`. */
typedef struct dusk_loss_list {
    size_t count;
    long double *loss, *mass;
    double relative, absolute, lost, reach;
} dusk_loss_list;

void dusk_loss_list_free(dusk_loss_list *list);

/* Entries that the list of a pair would have; SIZE_MAX when it has none. */
size_t dusk_loss_list_count(const dusk_pair *pair);
/* Whether there is a list of the lower ends, too: masses that are 0 have no ratios. */
bool dusk_loss_list_has_lower(const dusk_pair *pair);
/* All times of a pair whose count is at most DUSK_LOSS_LIST_MAX. */
DUSK_MUST_USE dusk_status dusk_loss_list_of(dusk_loss_list *out, const dusk_pair *pair, bool up,
                                            dusk_error *err);
/* The law of a sum; the counts' product is the caller's care. */
DUSK_MUST_USE dusk_status dusk_loss_list_product(dusk_loss_list *out, const dusk_loss_list *a,
                                                 const dusk_loss_list *b, dusk_error *err);
/* Loss 0 for sure. */
DUSK_MUST_USE dusk_status dusk_loss_list_one(dusk_loss_list *out, dusk_error *err);

/* Whether P and Q have the same mass where the other has none and the two losses
 * are +-b: then the masses are (1 - infinite) / (1 + e^-+b) exactly. */
bool dusk_pair_is_symmetric(const dusk_pair *pair);

#endif
