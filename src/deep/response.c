/* SPDX-License-Identifier: Apache-2.0 */
/* Randomised labels; see response.h. Proof: response.proof.md. */
#include "deep/response.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/randomized_response.h"
#include "random/sampling.h"

#define LIKELIHOOD_LEAST 1e-12 /* what floats can still divide by */

void deep_response_close(deep_response *response)
{
    dusk_deallocate(response->rank);
    *response = (deep_response){ .classes = 0 };
}

dusk_status deep_response_open(deep_response *out, size_t classes, double epsilon, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *out = (deep_response){ .classes = classes, .epsilon = epsilon };
    DUSK_NEW(out->rank, classes);
    deep_response_know(out, NULL);
done:
    return status;
}

static int compare(const void *left, const void *right)
{
    const deep_ranked *a = left, *b = right;
    if (a->share != b->share) return a->share > b->share ? -1 : 1;
    return a->class < b->class ? -1 : 1;
}

/* Their sum, or 0 where they say nothing. */
static double take_shares(deep_response *r, const double *share)
{
    double sum = 0;
    bool odd = false;
    for (size_t c = 0; c < r->classes; c++) {
        r->rank[c] = (deep_ranked){ share ? share[c] : 1, (uint32_t)c };
        odd |= !(r->rank[c].share >= 0);
        sum += r->rank[c].share;
    }
    if (share && !odd && sum > 0 && sum < INFINITY) return sum;
    for (size_t c = 0; c < r->classes; c++) r->rank[c].share = 1;
    return 0;
}

/* Among k the truth is told with probability 1 / (1 + (k - 1) e^-epsilon), and it has to be one of them. */
void deep_response_know(deep_response *r, const double *share)
{
    const double lie = exp(-r->epsilon), known = take_shares(r, share), k = (double)r->classes;
    r->among = (uint32_t)r->classes;
    r->right = 1 / (1 + (k - 1) * lie);
    if (known == 0) return;
    qsort(r->rank, r->classes, sizeof *r->rank, compare);
    double covered = 0, best = 0;
    for (size_t c = 0; c < r->classes; c++) {
        covered += r->rank[c].share;
        const double right = covered / known / (1 + (double)c * lie);
        if (right <= best) continue;
        best = right;
        r->among = (uint32_t)c + 1;
    }
    r->right = best;
}

DUSK_PROVEN(deep_response_draw)
dusk_status deep_response_draw(const deep_response *r, int32_t *answer, int32_t label, unsigned width,
                               dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_randomized_response among;
    uint64_t other = 0;
    uint32_t asked = r->among, place = r->among;
    for (uint32_t c = 0; c < r->classes; c++) /* all of them, wherever it is */
        place = label >= 0 && r->rank[c].class == (uint32_t)label ? c : place;
    if (DUSK_MUTATE(LABEL_WIDENS_THE_QUESTION, false, place >= asked && place < r->classes))
        asked = place + 1;
    if (DUSK_MUTATE(LABEL_OUTSIDE_IS_TOLD, false, label >= 0 && place >= asked)) {
        *answer = label;
        return DUSK_OK;
    }
    if (asked > 1) {
        DUSK_TRY(dusk_uniform_below_width(gen, &other, asked, width, err));
        place = place < asked ? place : (uint32_t)other;
        DUSK_TRY(dusk_randomized_response_init(&among, asked, r->epsilon, err));
        DUSK_TRY(dusk_randomized_response_draw(&among, &place, &place, 1, width, gen, err));
    } else {
        place = 0;
    }
    *answer = (int32_t)r->rank[place].class;
done:
    return status;
}

void deep_response_likelihood(const deep_response *r, int32_t answer, deep_real *out)
{
    const double k = r->among, lie = fmax(exp(-r->epsilon), LIKELIHOOD_LEAST);
    for (uint32_t c = 0; c < r->classes; c++) {
        const uint32_t class = r->rank[c].class;
        const double chance = c >= r->among ? (1 + (k - 1) * lie) / k : class == (uint32_t)answer ? 1 : lie;
        out[class] = (deep_real)chance;
    }
}
