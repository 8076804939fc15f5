/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_REPLAY_H
#define TESTS_REPLAY_H

/* Record and replay, for every room. A computation is run on two neighbouring inputs with the
 * same coins; the second run gets the outputs of the first, call by call (random/record.h). Then
 *   - every call of an operator has its twin, matched by (operator, scope, number);
 *   - what is public about it is equal: scale, grid, threshold, how many, ...;
 *   - its inputs are matched by key and are within the sensitivity that it declares;
 *   - no noise is used twice;
 *   - a call, or a key, that only one side has is allowed at a selection alone, where all of them
 *     together are shown with probability delta at most, by the law of the noise;
 *   - as many coins are taken, unless it is documented that they follow the data;
 *   - all the moves together cost no more than what the run promises;
 * and the test itself sees to it that all that left the two runs is equal to the last bit: it
 * follows from outputs that were equal.
 *
 *     replay r = replay_open(seed);
 *     for (int side = 0; side < 2; side++) answer[side] = run(rows[side], r.gen[side]);
 *     assert_memory_equal(&answer[0], &answer[1], sizeof answer[0]);
 *     replay_close(&r, (replay_declared){ .epsilon = 1 });
 *
 * What this shows holds for the pairs and coins that were run. It does not look at how noise is
 * drawn (tests/exhaustive, tests/statistical), and it sees what is recorded only: a leak that
 * avoids every recorded operator shows in the answers, where the test compares them. */

#include <stdio.h>
#include <stdlib.h>

#include "dusk/accounting.h"
#include "random/generator.h"
#include "random/record.h"
#include "random/tape.h"
#include "replay_law.h"
#include "support.h"

typedef struct replay {
    dusk_generator *gen[2];
    dusk_record *record[2];
} replay;

/* What the whole run may do. */
typedef struct replay_declared {
    double epsilon, delta; /* what it promises; epsilon 0: it is not priced (a run that is not the sum
                              of its calls) */
    double
        distance; /* how many of the sensitivities that calls declare neighbours may move: 2 where one row is
                              replaced, and noise is for one that comes or goes; 0: 1 */
    bool coins_vary; /* how many coins are taken may depend on the data */
    bool silent;     /* what is asked for is public, and no call is made */
} replay_declared;

enum { REPLAY_WHY = 512 };

/* --- the comparison --------------------------------------------------------------------------- */

static inline const char *replay_name(const dusk_record_call *c, char *out, size_t size)
{
    int n = snprintf(out, size, "%s #%llu", c->header.what, (unsigned long long)c->index);
    if (c->scope && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, " of %s %llu", c->scope, (unsigned long long)c->scope_key);
    return out;
}

#define REPLAY_FAIL(call, ...)                                                                               \
    do {                                                                                                     \
        char name_[120];                                                                                     \
        int n_ = snprintf(why, REPLAY_WHY, "%s: ", replay_name(call, name_, sizeof name_));                  \
        snprintf(why + n_, (size_t)(REPLAY_WHY - n_), __VA_ARGS__);                                          \
        return false;                                                                                        \
    } while (0)

static inline bool replay_same_number(double a, double b) { return a == b || (a != a && b != b); }

static inline bool replay_headers(char *why, const dusk_record_call *a, const dusk_record_call *b)
{
    const dusk_record_header *x = &a->header, *y = &b->header;
    const struct {
        const char *name;
        double x, y;
    } fields[] = {
        { "law", x->law, y->law },
        { "norm", x->norm, y->norm },
        { "sensitivity", x->sensitivity, y->sensitivity },
        { "scale", x->scale, y->scale },
        { "epsilon", x->epsilon, y->epsilon },
        { "delta", x->delta, y->delta },
        { "number of choices", x->choices, y->choices },
        { "threshold", x->threshold, y->threshold },
        { "guard", (double)a->guard, (double)b->guard },
        { "size of the output", (double)a->output_size, (double)b->output_size },
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!replay_same_number(fields[i].x, fields[i].y))
            REPLAY_FAIL(a, "%s is public, but %.17g on one side and %.17g on the other", fields[i].name,
                        fields[i].x, fields[i].y);
    for (size_t i = 0; i < DUSK_RECORD_PARAMETERS; i++)
        if (!replay_same_number(x->parameter[i].value, y->parameter[i].value))
            REPLAY_FAIL(a, "parameter \"%s\" is public, but %.17g on one side and %.17g on the other",
                        x->parameter[i].name ? x->parameter[i].name : "", x->parameter[i].value,
                        y->parameter[i].value);
    return true;
}

static inline bool replay_used_once(char *why, const dusk_record_call *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->inputs[i].uses > 1)
            REPLAY_FAIL(c, "key %llu is there %u times: noise was used again",
                        (unsigned long long)c->inputs[i].key, c->inputs[i].uses);
    return true;
}

/* Whether the call is behind a test that neither side passes but with probability delta. */
static inline bool replay_is_guarded(const dusk_record *a, const dusk_record *b, const dusk_record_call *call,
                                     replay_price *price)
{
    if (!call->guard || call->guard > a->n || call->guard > b->n) return false;
    const dusk_record_call *test[2] = { &a->calls[call->guard - 1], &b->calls[call->guard - 1] };
    for (int side = 0; side < 2; side++) {
        const dusk_record_header *h = &test[side]->header;
        if (!h->selects || test[side]->n != 1) return false;
        if (replay_chance_up(h, &test[side]->inputs[0]) > h->delta) return false;
    }
    price->delta += test[0]->header.delta;
    return true;
}

/* Whether a selection of either side has `key` alone: then calls about this key may be alone too. */
static inline bool replay_key_is_alone(const dusk_record *a, const dusk_record *b, uint64_t key)
{
    for (size_t i = 0; i < a->n; i++) {
        const dusk_record_call *c = &a->calls[i],
                               *twin = c->header.selects ? dusk_record_twin(b, c, i) : NULL;
        if (!twin) continue;
        bool here = c->n && dusk_record_find(c, key, 0), there = twin->n && dusk_record_find(twin, key, 0);
        if (here != there) return true;
    }
    return false;
}

/* Whether all keys that only one of two calls has are such: their noise is seen when the selection shows
 * them, and not otherwise. */
static inline bool replay_alone_are_selected(const dusk_record *ra, const dusk_record *rb,
                                             const dusk_record_call *a, const dusk_record_call *b)
{
    for (size_t i = 0; i < a->n; i++) {
        uint64_t key = a->inputs[i].key;
        if (!(b->n && dusk_record_find(b, key, i % b->n)) && !replay_key_is_alone(ra, rb, key)) return false;
    }
    return true;
}

/* Keys on one side. */
static inline bool replay_alone_allowed(char *why, const dusk_record_call *a, const replay_move *m,
                                        bool selected)
{
    for (int side = 0; side < 2; side++) {
        if (m->alone_keys[side] == 0 || (!a->header.selects && selected)) continue;
        if (!a->header.selects)
            REPLAY_FAIL(a, "only one side has key %llu, and this is no selection",
                        (unsigned long long)m->alone_key);
        if (m->alone[side] > a->header.delta * (1 + 1e-9))
            REPLAY_FAIL(a, "%zu keys such as %llu are on one side, shown with probability %.6g > delta %.6g",
                        m->alone_keys[side], (unsigned long long)m->alone_key, m->alone[side],
                        a->header.delta);
    }
    return true;
}

static inline bool replay_pair(char *why, const dusk_record *ra, const dusk_record *rb,
                               const dusk_record_call *a, const dusk_record_call *b, replay_price *price)
{
    if (!replay_headers(why, a, b) || !replay_used_once(why, a) || !replay_used_once(why, b)) return false;
    if (a->output_size && memcmp(a->output, b->output, a->output_size) != 0)
        REPLAY_FAIL(a, "the output was not taken over");
    replay_move m = replay_move_of(a, b);
    bool selected = replay_alone_are_selected(ra, rb, a, b) && replay_alone_are_selected(rb, ra, b, a);
    if (!replay_alone_allowed(why, a, &m, selected)) return false;
    if (!a->header.selects)
        m.alone[0] = m.alone[1] = 0; /* that they are shown costs what the selection says */
    if (a->header.norm == DUSK_RECORD_SMOOTH) {
        if (!replay_is_smooth(a, b))
            REPLAY_FAIL(a, "value %.17g with sensitivity %.17g against %.17g with %.17g is not %.6g-smooth",
                        a->inputs[0].real, a->inputs[1].real, b->inputs[0].real, b->inputs[1].real,
                        a->header.sensitivity);
    } else {
        double moved = replay_norm(&m, a->header.norm);
        if (!(moved <= a->header.sensitivity * price->distance * (1 + 0x1p-50))) {
            if (replay_is_guarded(ra, rb, a, price)) return true;
            REPLAY_FAIL(a, "inputs move by %.17g (key %llu by %.17g), declared %.17g", moved,
                        (unsigned long long)m.worst, m.linf, a->header.sensitivity);
        }
    }
    replay_charge(price, &a->header, &m);
    return true;
}

static inline bool replay_calls(char *why, const dusk_record *a, const dusk_record *b, replay_price *price)
{
    for (size_t i = 0; i < a->n; i++) {
        const dusk_record_call *c = &a->calls[i], *twin = b->n ? dusk_record_twin(b, c, i) : NULL;
        if (!twin && !(c->scope && replay_key_is_alone(a, b, c->scope_key)))
            REPLAY_FAIL(c, "only one side has this call");
        if (twin && price && !replay_pair(why, a, b, c, twin, price)) return false;
    }
    return true;
}

/* The moves of this pair, priced together: at what is left of delta. */
static inline bool replay_affordable(char *why, const replay_price *price, const replay_declared *declared)
{
    double epsilon = 0, left = declared->delta - price->delta * (1 - 1e-9);
    dusk_event event, gaussian;
    dusk_status status = dusk_event_pure(&event, price->epsilon > 0 ? price->epsilon : 1e-300, NULL);
    if (status == DUSK_OK && price->mu_square > 0) {
        status = dusk_event_gaussian(&gaussian, 1 / sqrt(price->mu_square), NULL);
        if (status == DUSK_OK) status = dusk_event_add(&event, &event, &gaussian, NULL);
    }
    if (status == DUSK_OK && left >= 0) status = dusk_event_epsilon_up(&event, &epsilon, fmax(left, 0), NULL);
    if (status == DUSK_OK && left >= 0 && epsilon <= declared->epsilon * (1 + 1e-9)) return true;
    snprintf(why, REPLAY_WHY,
             "the moves cost epsilon %.9g, Gaussian shift %.9g and delta %.3g: more than %.9g at %.3g",
             price->epsilon, sqrt(price->mu_square), price->delta, declared->epsilon, declared->delta);
    return false;
}

/* Whether the two runs are as neighbours must be; if not, why (REPLAY_WHY bytes) says what differs. */
static inline bool replay_compare(char *why, const dusk_record *a, const dusk_record *b,
                                  const replay_declared *declared)
{
    replay_price price = { .distance = declared->distance > 0 ? declared->distance : 1 };
    if (!replay_calls(why, a, b, &price) || !replay_calls(why, b, a, NULL)) return false;
    if (!declared->coins_vary && a->taken != b->taken) {
        snprintf(why, REPLAY_WHY, "%llu bytes of coins were taken on one side and %llu on the other",
                 (unsigned long long)a->taken, (unsigned long long)b->taken);
        return false;
    }
    return declared->epsilon == 0 || replay_affordable(why, &price, declared);
}

/* --- a run --------------------------------------------------------------------------------------- */

/* Two generators with the same coins; run the sides in order: the second takes over outputs. */
static inline replay replay_open(uint64_t seed)
{
    replay r;
    for (int side = 0; side < 2; side++) {
        assert_int_equal(dusk_generator_new_seeded(&r.gen[side], seed, NULL), DUSK_OK);
        r.record[side] = calloc(1, sizeof *r.record[side]);
        assert_non_null(r.record[side]);
        dusk_generator_record(r.gen[side], r.record[side]);
    }
    r.record[1]->outputs = r.record[0];
    return r;
}

static inline void replay_free(replay *r)
{
    for (int side = 0; side < 2; side++) {
        dusk_generator_free(r->gen[side]);
        dusk_record_clear(r->record[side]);
        free(r->record[side]);
    }
}

/* Compare, and free. A run without a call would show nothing, unless none is expected. */
static inline void replay_close(replay *r, replay_declared declared)
{
    char why[REPLAY_WHY];
    assert_true(declared.silent == (r->record[0]->n == 0));
    bool fine = replay_compare(why, r->record[0], r->record[1], &declared);
    replay_free(r);
    if (!fine) fail_msg("%s", why);
}

/* What left the two runs is the same: numbers bit for bit, NaN for NaN. */
static inline void replay_same(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!replay_same_number(a[i], b[i]))
            fail_msg("answer %zu is %.17g on one side and %.17g on the other: not all of it is noise", i,
                     a[i], b[i]);
}

#endif
