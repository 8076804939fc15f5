/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_REPLAY_LAW_H
#define TESTS_REPLAY_LAW_H

/* For replay.h: how far the inputs of two calls are apart, how likely it is that a selection
 * shows what only one side has, and what a move costs. None of it asks the mechanisms: only what
 * they declared, and the law of their noise. */

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "numeric/rounding.h"
#include "numeric/special.h"
#include "random/record.h"

/* --- how far apart ------------------------------------------------------------------------- */

typedef struct replay_move {
    double l1, l2_square, linf, rise, fall, l0;
    uint64_t worst;       /* the key that moved furthest */
    double alone[2];      /* how likely a key that only this side has is shown */
    size_t alone_keys[2]; /* how many there are */
    uint64_t alone_key;   /* one of them */
} replay_move;

/* b - a, rounded once; the same odd value on both sides has not moved. */
static inline double replay_difference(const dusk_record_input *a, const dusk_record_input *b)
{
    if (a->is_whole && b->is_whole) return (double)(b->whole - a->whole);
    if (memcmp(&a->real, &b->real, sizeof a->real) == 0 || a->real == b->real) return 0;
    double apart = b->real - a->real;
    return isnan(apart) ? INFINITY : apart;
}

static inline void replay_add(replay_move *m, double apart, uint64_t key)
{
    double far = fabs(apart);
    m->l1 += far;
    m->l2_square += far * far;
    m->l0 += far > 0;
    m->rise = fmax(m->rise, apart);
    m->fall = fmax(m->fall, -apart);
    if (far > m->linf) m->worst = key;
    m->linf = fmax(m->linf, far);
}

/* Steps of two functions, keys increasing on both sides. */
static inline void replay_move_steps(replay_move *m, const dusk_record_call *a, const dusk_record_call *b)
{
    for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
        uint64_t x = a->inputs[i].key, y = b->inputs[j].key, key = x > y ? x : y;
        replay_add(m, replay_difference(&a->inputs[i], &b->inputs[j]), key);
        uint64_t x_end = i + 1 < a->n ? a->inputs[i + 1].key : UINT64_MAX;
        uint64_t y_end = j + 1 < b->n ? b->inputs[j + 1].key : UINT64_MAX;
        i += x_end <= y_end;
        j += y_end <= x_end;
    }
}

/* --- how likely ------------------------------------------------------------------------------- */

/* Optimal probabilities of keys, by their recurrence [Desfontaines et al. 2022]; a little more. */
static inline double replay_keep_up(double epsilon, double delta, double units)
{
    double kept = 0;
    for (double n = 0; n < units && kept < 1; n++) {
        double likely = exp(epsilon) * kept + delta, rare = 1 - exp(-epsilon) * (1 - kept - delta);
        kept = fmin(fmin(likely, rare), 1);
    }
    return fmin(1, kept * (1 + 1e-12));
}

/* An upper bound of the probability that this input passes the threshold of its call. */
static inline double replay_chance_up(const dusk_record_header *h, const dusk_record_input *input)
{
    double value = input->is_whole ? (double)input->whole : input->real, j = ceil(h->threshold - value);
    double x =
        dusk_div_down(j - 0.5, h->scale); /* a rounded number reaches j when the ideal one reaches j - 1/2 */
    switch (h->law) {
    case DUSK_RECORD_LAPLACE:
        return j >= 1 ? dusk_exp_up(-x) / 2
                      : dusk_sub_up(1, dusk_exp_down(dusk_div_down(j - 0.5, h->scale)) / 2);
    case DUSK_RECORD_GAUSSIAN: return dusk_normal_cdf_up(-x);
    case DUSK_RECORD_DISCRETE_LAPLACE:
        if (j < 1) return 1;
        return dusk_div_up(dusk_exp_up(-dusk_div_down(j, h->scale)),
                           dusk_add_down(1, dusk_exp_down(-dusk_div_up(1, h->scale))));
    case DUSK_RECORD_TRUNCATED_GEOMETRIC:
        return replay_keep_up(h->epsilon / h->sensitivity, h->delta / h->sensitivity, value);
    case DUSK_RECORD_GUMBEL: { /* against the noisy threshold */
        double odds = dusk_exp_up(dusk_div_up(value - h->threshold, h->scale));
        return dusk_div_up(odds, dusk_add_down(1, odds));
    }
    default: return 1;
    }
}

/* Two keys that are there by themselves: either is shown. Gumbel noise: against one threshold, so
 * that the odds add up; all others have noise of their own. */
static inline double replay_either_up(const dusk_record_header *h, double p, double q)
{
    if (h->law == DUSK_RECORD_TRUNCATED_GEOMETRIC) return fmin(1, dusk_add_up(p, q));
    if (h->law != DUSK_RECORD_GUMBEL)
        return fmin(1, dusk_sub_up(1, dusk_mul_down(1 - p, 1 - q) * (1 - 0x1p-50)));
    if (p >= 1 || q >= 1) return 1;
    double odds = (p / (1 - p) + q / (1 - q)) * (1 + 0x1p-48);
    return fmin(1, odds / (1 + odds) * (1 + 0x1p-50));
}

/* --- both ----------------------------------------------------------------------------------------- */

/* Keys of one side that the other has not. */
static inline void replay_alone(replay_move *m, int side, const dusk_record_call *a,
                                const dusk_record_call *b)
{
    for (size_t i = 0; i < a->n; i++) {
        if (b->n && dusk_record_find(b, a->inputs[i].key, i % b->n)) continue;
        m->alone[side] =
            replay_either_up(&a->header, m->alone[side], replay_chance_up(&a->header, &a->inputs[i]));
        m->alone_keys[side]++;
        m->alone_key = a->inputs[i].key;
    }
}

static inline replay_move replay_move_of(const dusk_record_call *a, const dusk_record_call *b)
{
    replay_move m = { .l1 = 0 };
    if (a->header.is_step) {
        replay_move_steps(&m, a, b);
        return m;
    }
    for (size_t i = 0; i < a->n && b->n; i++) {
        const dusk_record_input *other = dusk_record_find(b, a->inputs[i].key, i % b->n);
        if (other) replay_add(&m, replay_difference(&a->inputs[i], other), a->inputs[i].key);
    }
    replay_alone(&m, 0, a, b);
    replay_alone(&m, 1, b, a);
    return m;
}

/* The move in the norm that the call declares. */
static inline double replay_norm(const replay_move *m, dusk_record_norm norm)
{
    switch (norm) {
    case DUSK_RECORD_L1: return m->l1;
    case DUSK_RECORD_L2: return sqrt(m->l2_square);
    case DUSK_RECORD_LINF: return m->linf;
    case DUSK_RECORD_RANGE: return m->rise + m->fall;
    default: return m->l0;
    }
}

/* Smooth sensitivity: the value moves by no more than either S, and S by no more than e^beta. */
static inline bool replay_is_smooth(const dusk_record_call *a, const dusk_record_call *b)
{
    double moved = fabs(replay_difference(&a->inputs[0], &b->inputs[0]));
    double s = a->inputs[1].real, t = b->inputs[1].real;
    return moved <= fmin(s, t) * (1 + 0x1p-50) &&
           fabs(log(s / t)) <= a->header.sensitivity * (1 + 1e-9) + 1e-12;
}

/* What a run costs: epsilons that add up, squares of Gaussian shifts in deviations, and deltas. */
typedef struct replay_price {
    double epsilon, mu_square, delta;
    double distance; /* of neighbours, in sensitivities as they are declared */
} replay_price;

static inline void replay_charge(replay_price *price, const dusk_record_header *h, const replay_move *m)
{
    double alone = fmax(m->alone[0], m->alone[1]);
    size_t keys = m->alone_keys[0] > m->alone_keys[1] ? m->alone_keys[0] : m->alone_keys[1];
    if (h->law == DUSK_RECORD_TRUNCATED_GEOMETRIC) {
        double touched = (m->l0 + (double)keys) / h->sensitivity;
        price->epsilon += h->epsilon * touched;
        price->delta += h->delta * touched;
        return;
    }
    price->delta += alone;
    if (h->law == DUSK_RECORD_GUMBEL)
        price->epsilon += (h->choices ? h->choices : 1) * (m->rise + m->fall) / h->scale;
    else if (h->selects)
        return; /* the noise is a call of its own */
    else if (h->law == DUSK_RECORD_LAPLACE || h->law == DUSK_RECORD_DISCRETE_LAPLACE)
        price->epsilon += m->l1 / h->scale;
    else if (h->law == DUSK_RECORD_NORM)
        price->epsilon += replay_norm(m, h->norm) / h->scale;
    else if (h->law == DUSK_RECORD_GAUSSIAN)
        price->mu_square += m->l2_square / (h->scale * h->scale);
    else if (m->l0 > 0) {
        price->epsilon += h->epsilon;
        price->delta += h->delta;
    }
}

#endif
