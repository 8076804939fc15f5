/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of nets that are learned: as many numbers as is said; parameters are those to start from but for that; what an example adds is the gradient by these
 * numbers, made from the whole one in doubles, held down to the clip and never longer; and it is the same in whatever company. */
#include "deep/tuning.h"

#include <math.h>

#include "base/platform.h"
#include "deep/sums.h"
#include "deep_nets.h"
#include "seeded.h"

enum { ROOM = 9 };

static size_t ways[3]; /* how many layers of which a part is learned went each way */

typedef struct tuned {
    tried_pass t;
    deep_tuning tuning;
    deep_real *start, *learned;
} tuned;

static bool open_tuned(tuned *u, const tried_net *tried, deep_tune way, size_t rank, size_t room,
                       uint64_t seed)
{
    const deep_tuning_wish wish = { .way = way, .rank = rank, .start = 1000, .layers = "all" };
    open_tried(&u->t, tried, room, seed);
    if (deep_tuning_open(&u->tuning, &u->t.net, &wish, NULL) != DUSK_OK) {
        close_tried(&u->t);
        return false;
    }
    const size_t n = u->t.net.parameters;
    u->start = dusk_allocate(n, sizeof *u->start);
    u->learned = dusk_allocate(u->tuning.learned, sizeof *u->learned);
    memcpy(u->start, u->t.parameters, n * sizeof *u->start);
    random_numbers(&u->t.coins, u->learned, u->tuning.learned, 0.5);
    deep_tuning_apply(&u->tuning, &u->t.net, u->start, u->learned, u->t.parameters);
    u->t.pass.tuning = &u->tuning;
    u->t.pass.learned = u->learned;
    return true;
}

static void close_tuned(tuned *u)
{
    dusk_deallocate(u->start);
    dusk_deallocate(u->learned);
    deep_tuning_clear(&u->tuning);
    close_tried(&u->t);
}

/* --- by definition -------------------------------------------------------------------------------------------------------- */

/* The gradient of what is learned of a layer, by the whole one. */
static void by_definition(const tuned *u, size_t l, const deep_real *whole, double *out)
{
    const deep_layer *layer = &u->t.net.layer[l];
    const deep_part *part = &u->tuning.part[l];
    const size_t rank = u->tuning.rank;
    deep_matrix m[DEEP_PAIRS];
    const deep_real *a = u->learned + part->first;
    if (part->way == DEEP_TUNE_ALL)
        for (size_t j = 0; j < part->count; j++) out[j] = (double)whole[j];
    const size_t n = part->way == DEEP_TUNE_ALL ? 0 : layer->kind->matrices(layer, m);
    for (size_t k = 0; k < n; k++) {
        const size_t step = m[k].columns + m[k].constant;
        const size_t width = deep_tuned_width(part->way, rank, m[k].constant);
        const deep_real *g = whole + m[k].first, *b = a + rank * m[k].columns;
        if (part->way == DEEP_TUNE_CONSTANTS) {
            for (size_t r = 0; m[k].constant && r < m[k].rows; r++)
                *out++ = (double)g[r * step + m[k].columns];
            continue;
        }
        double *by_a = out, *by_b = out + rank * m[k].columns;
        for (size_t q = 0; q < rank; q++)
            for (size_t c = 0; c < m[k].columns; c++) {
                by_a[q * m[k].columns + c] = 0;
                for (size_t r = 0; r < m[k].rows; r++)
                    by_a[q * m[k].columns + c] += (double)b[r * width + q] * (double)g[r * step + c];
            }
        for (size_t r = 0; r < m[k].rows; r++) {
            for (size_t q = 0; q < rank; q++) {
                by_b[r * width + q] = 0;
                for (size_t c = 0; c < m[k].columns; c++)
                    by_b[r * width + q] += (double)g[r * step + c] * (double)a[q * m[k].columns + c];
            }
            if (width > rank) by_b[r * width + rank] = (double)g[r * step + m[k].columns];
        }
        out += rank * m[k].columns + m[k].rows * width;
        a += rank * m[k].columns + m[k].rows * width;
    }
}

/* Of example i, by all that is learned. */
static double *gradient_of(tuned *u, size_t i)
{
    double *all = dusk_allocate(u->tuning.learned, sizeof *all);
    deep_real *whole = dusk_allocate(u->t.net.parameters, sizeof *whole);
    for (size_t l = 0; l < u->t.net.layers; l++) {
        if (u->tuning.part[l].count == 0) continue;
        deep_gradient(&u->t.pass, l, i, whole);
        by_definition(u, l, whole, all + u->tuning.part[l].first);
    }
    dusk_deallocate(whole);
    return all;
}

/* --- sums ------------------------------------------------------------------------------------------------------------------- */

static void forward_and_back(tuned *u, size_t examples, const deep_real *x, const deep_real *slopes)
{
    u->t.pass.examples = examples;
    memcpy(u->t.pass.value[0], x, examples * deep_size(u->t.net.in) * sizeof *x);
    deep_forward(&u->t.pass);
    memcpy(u->t.pass.slope[u->t.net.layers], slopes, examples * deep_size(u->t.net.out) * sizeof *slopes);
    deep_backward(&u->t.pass);
}

static int64_t *totals_of(deep_sum *sum, size_t n)
{
    int64_t *all = dusk_allocate(n, sizeof *all);
    assert_int_equal(sum->learned, n);
    for (size_t first = 0, size; first < n; first += size) {
        size = n - first < 7 ? n - first : 7;
        const int64_t *piece = deep_sum_totals(sum, first, &size);
        memcpy(all + first, piece, size * sizeof *all);
    }
    return all;
}

static dusk_int128 square(const int64_t *v, size_t n)
{
    dusk_int128 sum = 0;
    for (size_t j = 0; j < n; j++) sum += (dusk_int128)v[j] * v[j];
    return sum;
}

static void check_value(const char *text, tuned *u, const deep_sum *sum, const int64_t *v, double clip)
{
    double *g = gradient_of(u, 0), apart = 0, most = 0;
    for (size_t q = 0; q < sum->groups; q++) {
        double length = 0;
        const double share = clip / sqrt((double)sum->groups);
        for (int turn = 0; turn < 2; turn++) {
            double factor = fmin(1, share / sqrt(length));
            if (sum->clipping == DEEP_CLIP_AUTOMATIC) factor = share / (sqrt(length) + 0.01);
            for (size_t l = 0; l < u->t.net.layers; l++) {
                const deep_part *part = &u->tuning.part[l];
                for (size_t j = part->first; j < part->first + part->count; j++) {
                    if (sum->share[l].group != q) continue;
                    const double right = factor * g[j], got = (double)v[j] * clip / DEEP_STEPS;
                    if (turn == 0) length += g[j] * g[j];
                    if (turn == 1) apart += (got - right) * (got - right), most += right * right;
                }
            }
        }
    }
    if (!(sqrt(apart) <= 0.04 * sqrt(most) + 2e-3 * clip))
        fail_msg("%s: what is added is %g away from the clipped gradient, of %g (clip %g)", text, sqrt(apart),
                 sqrt(most), clip);
    dusk_deallocate(g);
}

static void count_ways(const deep_sum *sum)
{
    for (size_t l = 0; l < sum->net->layers; l++) {
        const deep_share *share = &sum->share[l];
        if (!share->tuned || share->count == 0) continue;
        if (share->way == DEEP_OUTER) ways[share->outer[0].positions == 1 ? 0 : 1]++;
        if (share->way == DEEP_DIRECT) ways[2]++;
    }
}

/* Single examples, plain ones and those of an adversary. */
static void check_one(const tried_net *tried, deep_tune way, size_t rank, deep_clipping clipping, double clip,
                      uint64_t seed)
{
    static const double scale[] = { 1, 1e6, 1e-6, 1e-20, 1e-38, 1e15, 3e38, 1 };
    tuned u;
    deep_sum sum;
    if (!open_tuned(&u, tried, way, rank, 1, seed)) return;
    assert_int_equal(deep_sum_open(&sum, &u.t.pass, clipping, clip, NULL), DUSK_OK);
    count_ways(&sum);
    deep_real *x = dusk_allocate(tried->in, sizeof *x), *d = dusk_allocate(tried->out, sizeof *d);
    for (size_t run = 0; run < 12; run++) {
        const bool plain = run < 3;
        random_numbers(&u.t.coins, x, tried->in, plain ? 1 : scale[splitmix64(&u.t.coins) % 8]);
        random_numbers(&u.t.coins, d, tried->out, plain ? 1 : scale[splitmix64(&u.t.coins) % 8]);
        if (run % 5 == 4) x[splitmix64(&u.t.coins) % tried->in] = (deep_real)NAN;
        if (run == 10) d[0] = (deep_real)NAN;
        forward_and_back(&u, 1, x, d);
        deep_sum_reset(&sum, clip);
        assert_int_equal(deep_sum_add(&sum, &u.t.pass, NULL), DUSK_OK);
        int64_t *v = totals_of(&sum, u.tuning.learned);
        if (square(v, u.tuning.learned) > (dusk_int128)1 << 44)
            fail_msg("%s: longer than the clip", tried->text);
        if (plain) check_value(tried->text, &u, &sum, v, clip);
        if (run == 10 && deep_size(u.t.net.out) == 1 && sum.groups == 1)
            assert_true(square(v, u.tuning.learned) == 0);
        dusk_deallocate(v);
    }
    dusk_deallocate(x);
    dusk_deallocate(d);
    deep_sum_close(&sum);
    close_tuned(&u);
}

static void clipped_gradients(void **state)
{
    (void)state;
    for (size_t k = 0; k < TRIED_NETS; k++)
        for (deep_clipping c = DEEP_CLIP_FLAT; c <= DEEP_CLIP_AUTOMATIC; c++) {
            check_one(&tried_nets[k], DEEP_TUNE_CONSTANTS, 1, c, 0.3, 3 * k + c);
            for (size_t rank = 1; rank <= 3; rank++)
                check_one(&tried_nets[k], DEEP_TUNE_LOW_RANK, rank, c, rank == 1 ? 100 : 0.1, 7 * k + c);
            for (size_t rank = 1; rank <= 3; rank += 2)
                check_one(&tried_nets[k], DEEP_TUNE_CARRIED, rank, c, rank == 1 ? 100 : 0.1, 9 * k + c);
        }
    for (size_t w = 0; w < 3; w++) assert_true(ways[w] > 0);
}

/* Sums over passes of many examples are sums of single ones. */
static void examples_by_themselves(void **state)
{
    (void)state;
    for (size_t k = 0; k < TRIED_NETS; k++) {
        const tried_net *tried = &tried_nets[k];
        tuned u;
        deep_sum sum, one;
        const deep_tune way = k % 4 == 0   ? DEEP_TUNE_CONSTANTS
                              : k % 4 == 1 ? DEEP_TUNE_CARRIED
                                           : DEEP_TUNE_LOW_RANK;
        if (!open_tuned(&u, tried, way, 2, ROOM, k)) continue;
        const size_t n = u.tuning.learned;
        assert_int_equal(deep_sum_open(&sum, &u.t.pass, DEEP_CLIP_FLAT, 1, NULL), DUSK_OK);
        assert_int_equal(deep_sum_open(&one, &u.t.pass, DEEP_CLIP_FLAT, 1, NULL), DUSK_OK);
        deep_real *x = dusk_allocate(ROOM * tried->in, sizeof *x),
                  *d = dusk_allocate(ROOM * tried->out, sizeof *d);
        random_numbers(&u.t.coins, x, ROOM * tried->in, 1);
        random_numbers(&u.t.coins, d, ROOM * tried->out, 1);
        for (size_t i = 0; i < ROOM; i++) {
            forward_and_back(&u, 1, x + i * tried->in, d + i * tried->out);
            assert_int_equal(deep_sum_add(&one, &u.t.pass, NULL), DUSK_OK);
        }
        forward_and_back(&u, ROOM, x, d);
        assert_int_equal(deep_sum_add(&sum, &u.t.pass, NULL), DUSK_OK);
        int64_t *all = totals_of(&sum, n), *single = totals_of(&one, n);
        assert_memory_equal(all, single, n * sizeof *all);
        dusk_deallocate(all);
        dusk_deallocate(single);
        dusk_deallocate(x);
        dusk_deallocate(d);
        deep_sum_close(&sum);
        deep_sum_close(&one);
        close_tuned(&u);
    }
}

/* --- parameters --------------------------------------------------------------------------------------------------------------- */

/* Every number of W is that of the start and a product of a row of B and a column of A; constants are as they were; or the other way round. */
static void check_parameters(tuned *u)
{
    const size_t rank = u->tuning.rank;
    for (size_t l = 0; l < u->t.net.layers; l++) {
        const deep_layer *layer = &u->t.net.layer[l];
        const deep_part *part = &u->tuning.part[l];
        const deep_real *a = u->learned + part->first, *was = u->start + layer->first,
                        *is = u->t.parameters + layer->first;
        deep_matrix m[DEEP_PAIRS];
        if (part->count == 0) assert_memory_equal(was, is, layer->parameters * sizeof *was);
        if (part->count > 0 && part->way == DEEP_TUNE_ALL)
            assert_memory_equal(a, is, layer->parameters * sizeof *a);
        const size_t n = part->count == 0 || part->way == DEEP_TUNE_ALL ? 0 : layer->kind->matrices(layer, m);
        size_t covered = 0, used = 0;
        for (size_t k = 0; k < n; k++) {
            const size_t step = m[k].columns + m[k].constant;
            assert_int_equal(m[k].first, covered);
            for (size_t j = 0; j < m[k].rows * step; j++) {
                const size_t r = j / step, c = j % step, at = m[k].first + j;
                const bool constant = c == m[k].columns;
                double right = (double)was[at];
                if (part->way == DEEP_TUNE_CONSTANTS && constant) right = (double)a[used + r];
                for (size_t q = 0; part->way == DEEP_TUNE_LOW_RANK && !constant && q < rank; q++)
                    right += (double)a[used + rank * m[k].columns + r * rank + q] *
                             (double)a[used + q * m[k].columns + c];
                assert_true(fabs(right - (double)is[at]) <= 1e-5);
                if ((part->way == DEEP_TUNE_LOW_RANK) == constant) assert_true(is[at] == was[at]);
            }
            covered += m[k].rows * step;
            if (part->way == DEEP_TUNE_LOW_RANK) used += rank * (m[k].rows + m[k].columns);
            if (part->way == DEEP_TUNE_CONSTANTS && m[k].constant) used += m[k].rows;
        }
        assert_true(n == 0 || (covered == layer->parameters && used == part->count));
    }
}

static void parameters_follow(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(4);
    for (size_t k = 0; k < TRIED_NETS; k++)
        for (int how = 0; how < 3; how++) {
            tuned u;
            if (!open_tuned(&u, &tried_nets[k], how ? DEEP_TUNE_LOW_RANK : DEEP_TUNE_CONSTANTS,
                            how ? (size_t)how : 1, 1, k))
                continue;
            check_parameters(&u);
            /* at first they are those to start from */
            assert_int_equal(deep_tuning_begin(&u.tuning, &u.t.net, u.start, u.learned, gen, NULL), DUSK_OK);
            deep_tuning_apply(&u.tuning, &u.t.net, u.start, u.learned, u.t.parameters);
            assert_memory_equal(u.start, u.t.parameters, u.t.net.parameters * sizeof *u.start);
            close_tuned(&u);
        }
    dusk_generator_free(gen);
}

/* Gradients without privacy follow from the whole ones as those of examples do. */
static void plain_gradients(void **state)
{
    (void)state;
    for (size_t k = 0; k < TRIED_NETS; k++) {
        tuned u;
        if (!open_tuned(&u, &tried_nets[k], (deep_tune)(1 + k % 3), 2, 1, k)) continue;
        deep_real *whole = dusk_allocate(u.t.net.parameters, sizeof *whole),
                  *got = dusk_allocate(u.tuning.learned, sizeof *got);
        double *right = dusk_allocate(u.tuning.learned, sizeof *right);
        random_numbers(&u.t.coins, whole, u.t.net.parameters, 1);
        deep_tuning_gradient(&u.t.pass, whole, got);
        for (size_t l = 0; l < u.t.net.layers; l++)
            if (u.tuning.part[l].count > 0)
                by_definition(&u, l, whole + u.t.net.layer[l].first, right + u.tuning.part[l].first);
        for (size_t j = 0; j < u.tuning.learned; j++) assert_true(fabs((double)got[j] - right[j]) < 1e-4);
        dusk_deallocate(whole);
        dusk_deallocate(got);
        dusk_deallocate(right);
        close_tuned(&u);
    }
}

/* --- which layers --------------------------------------------------------------------------------------------------------------- */

static size_t learned_of(const char *text, size_t in, deep_tuning_wish wish)
{
    deep_net net;
    deep_tuning tuning;
    assert_int_equal(deep_net_parse(&net, text, in, 2, NULL), DUSK_OK);
    const dusk_status status = deep_tuning_open(&tuning, &net, &wish, NULL);
    const size_t learned = tuning.learned;
    assert_true((status == DUSK_OK) == (tuning.part != NULL));
    deep_tuning_clear(&tuning);
    deep_net_clear(&net);
    return status == DUSK_OK ? learned : 0;
}

static void as_many_as_said(void **state)
{
    (void)state;
    static const char text[] = "dense 20; layernorm; tanh; dense 30; output";
    const size_t parts[] = { 20 * 31, 40, 0, 30 * 21, 2 * 31 };
    deep_tuning_wish w = { DEEP_TUNE_LOW_RANK, 2, 5, 0, "all" };
    assert_int_equal(learned_of(text, 30, w),
                     2 * (20 + 30) + 2 * (30 + 20) + parts[4]); /* the last is small */
    w.start = 3;
    assert_int_equal(learned_of(text, 30, w), 2 * (20 + 30) + parts[3] + parts[4]);
    w.frozen = 1;
    assert_int_equal(learned_of(text, 30, w), parts[3] + parts[4]);
    w = (deep_tuning_wish){ DEEP_TUNE_CARRIED, 2, 5, 0, "all" }; /* and constants, and norms */
    assert_int_equal(learned_of(text, 30, w), 2 * 50 + 20 + 40 + 2 * 50 + 30 + parts[4]);
    w.rank = 1;
    assert_int_equal(learned_of(text, 30, w), 50 + 20 + 40 + 50 + 30 + (30 + 2 + 2));
    w = (deep_tuning_wish){ DEEP_TUNE_CONSTANTS, 2, 5, 0, "all" };
    assert_int_equal(learned_of(text, 30, w), 20 + 40 + 30 + 2);
    w.layers = "2,5";
    assert_int_equal(learned_of(text, 30, w), 40 + 2);
    w.way = DEEP_TUNE_ALL;
    assert_int_equal(learned_of(text, 30, w), 40 + parts[4]);
    w.way = DEEP_TUNE_LOW_RANK;
    w.layers = "4";
    assert_int_equal(learned_of(text, 30, w), 2 * (30 + 20));
    static const char *const wrong[] = {
        "", "3", "1,", "x", "6", "1;2", "1 2", "-1", "99999999999999999999"
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        w.layers = wrong[k];
        assert_int_equal(learned_of(text, 30, w), 0);
    }
    w.layers = "2"; /* it has no matrix */
    assert_int_equal(learned_of(text, 30, w), 0);
    w = (deep_tuning_wish){ DEEP_TUNE_LOW_RANK, 2, 9, 0, "all" };
    assert_int_equal(learned_of("dense 20; tanh; tied 1; output", 30, w), 0);
    w.way = DEEP_TUNE_CONSTANTS;
    assert_int_equal(learned_of("dense 20; tanh; tied 1; output", 30, w), 20 + 30 + 2);
    w = (deep_tuning_wish){ DEEP_TUNE_CARRIED, 1, 9, 0, "all" }; /* what is shared is as it is */
    assert_int_equal(learned_of("dense 20; tanh; tied 1; output", 30, w), 20 * 31 + 30 + (30 + 2 + 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clipped_gradients), cmocka_unit_test(examples_by_themselves),
        cmocka_unit_test(parameters_follow), cmocka_unit_test(plain_gradients),
        cmocka_unit_test(as_many_as_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
