/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of streams, recomputed from their definition with the same draws: trees,
 * Honaker's estimate by inverse variances, epochs, and matrices in plain arithmetic. */
#include <math.h>

#include "mechanisms/stream.h"
#include "random/noise_additive.h"
#include "seeded.h"
#include "streams.h"

/* --- the answers, from the definition ---------------------------------------------------- */

/* What a step has to say: draws in the order in which nodes close, each used once and
 * kept; sums made of the fewest nodes. */
typedef struct model {
    int grid;
    unsigned levels;
    bool all;
    double node[9][256];  /* noisy sum of node i of a level */
    double below[9][256]; /* Honaker: estimates by inverse variances, in the plain way */
    double number[257], prefix[257];
} model;

static double variance_below(unsigned level)
{
    return level == 0 ? 1 : 1 / (1 + 1 / (2 * variance_below(level - 1)));
}

static void close_nodes(model *m, uint64_t t, const dusk_pool *pool, size_t *used)
{
    for (unsigned j = 0; j < m->levels && t % (1U << j) == 0; j++) {
        uint64_t i = (t >> j) - 1;
        if (!m->all && i % 2) continue;
        double exact = m->prefix[t] - m->prefix[t - (1U << j)], v = variance_below(j);
        m->node[j][i] = exact + ldexp((double)dusk_pool_add(pool, (*used)++, 0), m->grid);
        m->below[j][i] = m->node[j][i];
        if (m->all && j > 0)
            m->below[j][i] =
                v * m->node[j][i] + (1 - v) * (m->below[j - 1][2 * i] + m->below[j - 1][2 * i + 1]);
    }
}

static double model_sum(const model *m, uint64_t from, uint64_t to, bool honaker)
{
    double sum = 0;
    while (from < to) {
        unsigned j = m->levels - 1;
        while (from % (1U << j) || from + (1U << j) > to) j--;
        sum += (honaker ? m->below : m->node)[j][from >> j];
        from += 1U << j;
    }
    return sum;
}

static void answers_are_those_of_the_definition(dusk_stream_method method, uint64_t length, uint64_t window,
                                                double delta)
{
    static model m;
    dusk_stream_options o = stream_of_ones(method, length, delta);
    bool honaker = method == DUSK_STREAM_HONAKER;
    size_t used = 0;
    dusk_pool pool;
    o.window = window;
    dusk_stream *s;
    assert_int_equal(dusk_stream_new_on(&s, &o, DUSK_GRID_DEFAULT, DUSK_WIDTH_FULL, 600, NULL), DUSK_OK);
    dusk_generator *gen = seeded(length), *same = seeded(length);
    assert_int_equal(dusk_pool_draw(&pool, &s->noise, 600, DUSK_WIDTH_FULL, same, NULL), DUSK_OK);
    m = (model){ .grid = s->noise.grid, .levels = s->tree.levels, .all = s->tree.all };
    for (uint64_t t = 1; t <= length; t++) {
        double value, number = (double)(t * t % 7), from = window && t > window ? (double)(t - window) : 0;
        m.prefix[t] = m.prefix[t - 1] + number;
        close_nodes(&m, t, &pool, &used);
        assert_int_equal(dusk_stream_release(s, &value, number, gen, NULL), DUSK_OK);
        double expected = model_sum(&m, (uint64_t)from, t, honaker);
        if (fabs(value - expected) > (honaker ? 1e-9 * (1 + fabs(value)) : 0))
            fail_msg("method %d length %lu window %lu step %lu: %.17g, not %.17g", (int)method,
                     (unsigned long)length, (unsigned long)window, (unsigned long)t, value, expected);
    }
    dusk_pool_clear(&pool);
    dusk_stream_free(s);
    dusk_generator_free(gen);
    dusk_generator_free(same);
}

static void every_answer_is_the_sum_of_kept_nodes(void **state)
{
    (void)state;
    for (uint64_t length = 1; length <= 64; length += 1 + length / 9)
        for (int gaussian = 0; gaussian < 2; gaussian++)
            for (uint64_t window = 0; window <= length; window += 1 + window / 3) {
                double delta = gaussian ? 1e-6 : 0;
                answers_are_those_of_the_definition(DUSK_STREAM_TREE, length, window, delta);
                answers_are_those_of_the_definition(DUSK_STREAM_HONAKER, length, window, delta);
            }
    answers_are_those_of_the_definition(DUSK_STREAM_HONAKER, 256, 0, 0);
}

/* Without a length: epochs of 1, 2, 4, ... steps, a tree each, with the noise of its levels. */
typedef struct epochs {
    double before; /* sum of the epochs that are over, with their noise */
    model now;
    uint64_t steps; /* of this epoch */
    dusk_pool pool;
    size_t used;
} epochs;

static void begin_epoch(epochs *e, const dusk_stream *s, unsigned epoch, dusk_generator *same)
{
    dusk_noise noise = s->noise;
    double levels = epoch + 1;
    noise.scale = nextafter(s->unit_scale * (s->options.delta == 0 ? levels : sqrt(levels)), INFINITY);
    noise.scale = dusk_stream_epoch_scale(s, epoch) <= noise.scale ? dusk_stream_epoch_scale(s, epoch) : NAN;
    assert_true(noise.scale >= s->unit_scale * (s->options.delta == 0 ? levels : sqrt(levels)));
    dusk_pool_clear(&e->pool);
    assert_int_equal(dusk_pool_draw(&e->pool, &noise, 200, DUSK_WIDTH_FULL, same, NULL), DUSK_OK);
    e->used = 0;
    e->steps = 0;
    e->now = (model){ .grid = s->noise.grid, .levels = epoch + 1, .all = s->tree.all };
}

static void endless(dusk_stream_method method, double delta)
{
    static epochs e;
    dusk_stream_options o = stream_of_ones(method, 0, delta);
    dusk_stream *s;
    dusk_generator *gen = seeded(77), *same = seeded(77);
    e = (epochs){ 0 };
    assert_int_equal(dusk_stream_new_on(&s, &o, DUSK_GRID_DEFAULT, DUSK_WIDTH_FULL, 200, NULL), DUSK_OK);
    for (uint64_t t = 1; t < 128; t++) {
        double value, number = (double)(t * t % 7), sum;
        if ((t & (t - 1)) == 0) begin_epoch(&e, s, dusk_tree_levels(t) - 1, same);
        e.steps++;
        e.now.prefix[e.steps] = e.now.prefix[e.steps - 1] + number;
        close_nodes(&e.now, e.steps, &e.pool, &e.used);
        assert_int_equal(dusk_stream_release(s, &value, number, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_stream_steps(s), t);
        sum = model_sum(&e.now, 0, e.steps, method == DUSK_STREAM_HONAKER);
        if (!(fabs(value - e.before - sum) <= 1e-9 * (1 + fabs(value))))
            fail_msg("step %d: %.17g, not %.17g", (int)t, value, e.before + sum);
        if ((t & (t + 1)) == 0) e.before += sum;
    }
    dusk_pool_clear(&e.pool);
    dusk_stream_free(s);
    dusk_generator_free(gen);
    dusk_generator_free(same);
}

static void streams_without_end_go_by_epochs(void **state)
{
    (void)state;
    endless(DUSK_STREAM_TREE, 0);
    endless(DUSK_STREAM_TREE, 1e-6);
    endless(DUSK_STREAM_HONAKER, 0);
    endless(DUSK_STREAM_HONAKER, 1e-6);
}

/* The noisy entries of C x are all that an answer may depend on. Other numbers with other
 * noise that give the same entries must give the same answers, to the last bit. */
static void matrix_answers_depend_on_noisy_values_only(void **state)
{
    (void)state;
    enum { N = 50 };
    for (int banded = 0; banded < 2; banded++) {
        dusk_stream_options o =
            stream_of_ones(banded ? DUSK_STREAM_BANDED : DUSK_STREAM_SQUARE_ROOT, N, 1e-6);
        dusk_stream *one, *other;
        dusk_generator *gen = seeded(9);
        dusk_matrix c;
        assert_int_equal(dusk_matrix_new(&c, N, banded ? o.bands : N, N, NULL), DUSK_OK);
        assert_int_equal(dusk_stream_new_on(&one, &o, DUSK_GRID_DEFAULT, DUSK_WIDTH_FULL, N, NULL), DUSK_OK);
        assert_int_equal(dusk_stream_new_on(&other, &o, DUSK_GRID_DEFAULT, DUSK_WIDTH_FULL, N, NULL),
                         DUSK_OK);
        assert_int_equal(dusk_pool_draw(&one->pool, &one->noise, N, DUSK_WIDTH_FULL, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_pool_draw(&other->pool, &one->noise, N, DUSK_WIDTH_FULL, gen, NULL), DUSK_OK);
        for (int64_t t = 0; t < N; t++) {
            int64_t number = t * 7 % 5, instead = t * t % 3;
            double value[2];
            other->pool.wide[t] = one->pool.wide[t] + dusk_matrix_add(&c, number - instead);
            c.at++; /* no estimate is wanted of this one */
            assert_int_equal(dusk_stream_release(one, &value[0], (double)number, gen, NULL), DUSK_OK);
            assert_int_equal(dusk_stream_release(other, &value[1], (double)instead, gen, NULL), DUSK_OK);
            assert_true(value[0] == value[1]);
        }
        dusk_matrix_free(&c);
        dusk_stream_free(one);
        dusk_stream_free(other);
        dusk_generator_free(gen);
    }
}

/* Sums of the numbers plus A C^-1 of the draws, in plain arithmetic. */
static void matrix_answers_are_those_of_the_definition(void **state)
{
    (void)state;
    enum { N = 60 };
    for (int banded = 0; banded < 2; banded++) {
        dusk_stream_options o =
            stream_of_ones(banded ? DUSK_STREAM_BANDED : DUSK_STREAM_SQUARE_ROOT, N, 1e-6);
        dusk_stream *s;
        dusk_pool pool;
        dusk_generator *gen = seeded(19), *same = seeded(19);
        double weight[N], exact = 0;
        assert_int_equal(dusk_stream_new_on(&s, &o, DUSK_GRID_DEFAULT, DUSK_WIDTH_FULL, N, NULL), DUSK_OK);
        assert_int_equal(dusk_pool_draw(&pool, &s->noise, N, DUSK_WIDTH_FULL, same, NULL), DUSK_OK);
        for (int t = 0; t < N; t++) {
            double value, number = t * 7 % 5, noise = 0;
            weight[t] = 1;
            for (int k = 1; k <= t && k < (banded ? 8 : N); k++)
                weight[t] -= (double)s->matrix.diagonal[k] * 0x1p-30 * weight[t - k];
            for (int j = 0; j <= t; j++) noise += weight[t - j] * (double)dusk_pool_add(&pool, (size_t)j, 0);
            exact += number;
            assert_int_equal(dusk_stream_release(s, &value, number, gen, NULL), DUSK_OK);
            assert_true(fabs(value - exact - noise * 0x1p-30) < 1e-6);
        }
        dusk_pool_clear(&pool);
        dusk_stream_free(s);
        dusk_generator_free(gen);
        dusk_generator_free(same);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer_is_the_sum_of_kept_nodes),
        cmocka_unit_test(streams_without_end_go_by_epochs),
        cmocka_unit_test(matrix_answers_are_those_of_the_definition),
        cmocka_unit_test(matrix_answers_depend_on_noisy_values_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
