/* SPDX-License-Identifier: Apache-2.0 */
/* Carriers of gradients, compiled in doubles, against the reference: what an example means for them follows from its gradient, and its length from factors;
 * the step is the gradient but for what no carrier sees, and with as many carriers as a matrix has columns or rows all of it; carriers are orthogonal, follow what has moved, and
 * stay where nothing has. */
#include "deep/carriers.h"

#include <math.h>

#include "deep/affine.h"
#include "deep/reference.h"
#include "deep_nets.h"
#include "seeded.h"

enum { ROOM = 3 };
#define CLOSE 1e-10

typedef struct carried {
    tried_pass t;
    deep_tuning tuning;
    deep_carriers c;
} carried;

/* Rank 0: as many as the smaller side of each matrix has, which no plan would choose; of nets of one matrix. */
static bool open_carried(carried *u, const tried_net *tried, size_t rank, uint64_t seed)
{
    const deep_tuning_wish wish = { DEEP_TUNE_CARRIED, rank > 0 ? rank : 1, 1000, 0, "all" };
    deep_matrix m = { 0, 0, false, 0 };
    dusk_generator *gen = seeded(seed);
    open_tried(&u->t, tried, ROOM, seed);
    assert_int_equal(deep_tuning_open(&u->tuning, &u->t.net, &wish, NULL), DUSK_OK);
    if (rank == 0) {
        const deep_layer *layer = &u->t.net.layer[0];
        assert_int_equal(layer->kind->matrices(layer, &m), 1);
        u->tuning.rank = m.rows < m.columns ? m.rows : m.columns;
        u->tuning.learned = deep_tuned_size(DEEP_TUNE_CARRIED, u->tuning.rank, &m);
        u->tuning.part[0] = (deep_part){ DEEP_TUNE_CARRIED, 0, u->tuning.learned };
    }
    assert_int_equal(deep_carriers_open(&u->c, &u->t.net, &u->tuning, NULL), DUSK_OK);
    assert_int_equal(deep_carriers_begin(&u->c, u->t.parameters, gen, NULL), DUSK_OK);
    u->t.pass.tuning = &u->tuning;
    u->t.pass.learned = u->c.carrier;
    dusk_generator_free(gen);
    return u->tuning.learned != u->t.net.parameters;
}

static void close_carried(carried *u)
{
    deep_carriers_close(&u->c);
    deep_tuning_clear(&u->tuning);
    close_tried(&u->t);
}

static void agree(const char *text, const char *what, const double *x, const double *y, size_t n)
{
    double most = 0, apart = 0;
    for (size_t j = 0; j < n; j++) {
        most = fmax(most, fabs(y[j]));
        apart = fmax(apart, fabs(x[j] - y[j]));
        if (!isfinite(x[j])) fail_msg("%s: %s is not finite", text, what);
    }
    if (apart > CLOSE * (most + 1e-3)) fail_msg("%s: %s is %g away, of %g", text, what, apart, most);
}

/* --- by definition ----------------------------------------------------------------------------------------------------------- */

typedef struct seen {
    deep_matrix m;
    size_t rank, width;
    const double *a, *b; /* rank x columns, rows x width */
} seen;

static double a_at(const seen *s, size_t q, size_t c) { return s->a[q * s->m.columns + c]; }
static double b_at(const seen *s, size_t r, size_t q) { return s->b[r * s->width + q]; }

/* Gradients by A and B, of that by W. */
static void by_carriers(const seen *s, const double *g, double *out)
{
    const size_t step = s->m.columns + s->m.constant;
    for (size_t q = 0; q < s->rank; q++)
        for (size_t c = 0; c < s->m.columns; c++, out++) {
            *out = 0;
            for (size_t r = 0; r < s->m.rows; r++) *out += b_at(s, r, q) * g[r * step + c];
        }
    for (size_t r = 0; r < s->m.rows; r++) {
        for (size_t q = 0; q < s->rank; q++, out++) {
            *out = 0;
            for (size_t c = 0; c < s->m.columns; c++) *out += g[r * step + c] * a_at(s, q, c);
        }
        if (s->m.constant) *out++ = g[r * step + s->m.columns];
    }
}

/* P G + G Q - P G Q, with P = B B^T and Q = A^T A; constants as they are. */
static void what_is_seen(const seen *s, const double *g, double *out)
{
    const size_t rows = s->m.rows, columns = s->m.columns, step = columns + s->m.constant;
    double *pg = dusk_allocate(rows * columns, sizeof *pg),
           *rest = dusk_allocate(rows * columns, sizeof *rest);
    double *p = dusk_allocate(rows * rows, sizeof *p), *q = dusk_allocate(columns * columns, sizeof *q);
    for (size_t k = 0; k < s->rank; k++) {
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < rows; j++) p[i * rows + j] += b_at(s, i, k) * b_at(s, j, k);
        for (size_t i = 0; i < columns; i++)
            for (size_t j = 0; j < columns; j++) q[i * columns + j] += a_at(s, k, i) * a_at(s, k, j);
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) {
            double sum = 0;
            for (size_t i = 0; i < rows; i++) sum += p[r * rows + i] * g[i * step + c];
            pg[r * columns + c] = sum;
            rest[r * columns + c] = g[r * step + c] - sum;
        }
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) {
            double sum = pg[r * columns + c];
            for (size_t i = 0; i < columns; i++) sum += rest[r * columns + i] * q[i * columns + c];
            out[r * step + c] = sum;
        }
    for (size_t r = 0; s->m.constant && r < rows; r++) out[r * step + columns] = g[r * step + columns];
    dusk_deallocate(pg);
    dusk_deallocate(rest);
    dusk_deallocate(p);
    dusk_deallocate(q);
}

/* What carriers of layer l should make of its gradient: what is released, and what is said of it. */
static void right_of(const carried *u, size_t l, const double *g, double *released, double *whole)
{
    const deep_layer *layer = &u->t.net.layer[l];
    const deep_part *part = &u->tuning.part[l];
    deep_matrix m[DEEP_PAIRS];
    size_t at = part->first;
    if (part->way == DEEP_TUNE_ALL) {
        memcpy(released, g, part->count * sizeof *g);
        memcpy(whole, g, part->count * sizeof *g);
        return;
    }
    const size_t n = layer->kind->matrices(layer, m);
    for (size_t k = 0; k < n; k++) {
        const size_t size = deep_tuned_size(DEEP_TUNE_CARRIED, u->tuning.rank, &m[k]);
        seen s = { .m = m[k], .rank = u->tuning.rank };
        s.width = s.rank + m[k].constant;
        s.a = u->c.carrier + at;
        s.b = s.a + s.rank * m[k].columns;
        by_carriers(&s, g + m[k].first, released + at - part->first);
        what_is_seen(&s, g + m[k].first, whole + m[k].first);
        at += size;
    }
    assert_int_equal(at - part->first, part->count);
}

/* --- examples -------------------------------------------------------------------------------------------------------------------- */

static double ghost_length(const deep_factors *f)
{
    double sum = 0;
    for (size_t t = 0; t < f->positions; t++)
        for (size_t v = 0; v < f->positions; v++) {
            double left = 0, right = f->constant ? 1 : 0;
            for (size_t r = 0; r < f->rows; r++)
                left += f->left[t * f->left_step + r] * f->left[v * f->left_step + r];
            for (size_t c = 0; c < f->columns; c++)
                right += f->right[t * f->right_step + c] * f->right[v * f->right_step + c];
            sum += left * right;
        }
    return sum;
}

/* Factors of example i are those of what it means for carriers: products of them, and their length. */
static void check_factors(const char *text, carried *u, size_t l, size_t i, const double *right)
{
    deep_factors f[DEEP_TUNED_PAIRS];
    const size_t n = u->tuning.part[l].count;
    double *room = dusk_allocate(deep_tuned_room(&u->t.pass, l) + 1, sizeof *room);
    double *out = dusk_allocate(n, sizeof *out), square = 0, ghost = 0;
    deep_tuned_prepare(&u->t.pass, l, room);
    const size_t pairs = deep_tuned_factors(&u->t.pass, l, i, room, f);
    for (size_t k = 0; k < pairs; k++) {
        deep_affine_gradient(&u->t.pass, &f[k], out + f[k].first);
        ghost += ghost_length(&f[k]);
    }
    for (size_t j = 0; j < n; j++) square += right[j] * right[j];
    if (pairs > 0) agree(text, "the product of factors", out, right, n);
    if (pairs > 0) agree(text, "the length by factors", &ghost, &square, 1);
    dusk_deallocate(room);
    dusk_deallocate(out);
}

static void reference_gradient(const tried_net *tried, carried *u, size_t i, deep_reference *r)
{
    const size_t last = u->t.net.layers, n = deep_size(u->t.net.out);
    assert_int_equal(deep_reference_open(r, &u->t.net, NULL), DUSK_OK);
    r->parameters = u->t.parameters;
    memcpy(r->value[0], u->t.pass.value[0] + i * tried->in, tried->in * sizeof(double));
    assert_true(deep_reference_forward(r));
    memcpy(r->slope[last], u->t.pass.slope[last] + i * n, n * sizeof(double));
    deep_reference_backward(r);
}

static void check_example(const tried_net *tried, carried *u, size_t i)
{
    deep_reference r;
    double *whole = dusk_allocate(u->t.net.parameters, sizeof *whole);
    double *released = dusk_allocate(u->tuning.learned, sizeof *released);
    double *room = dusk_allocate(u->t.net.parameters, sizeof *room);
    reference_gradient(tried, u, i, &r);
    for (size_t l = 0; l < u->t.net.layers; l++) {
        const deep_part *part = &u->tuning.part[l];
        const size_t first = u->t.net.layer[l].first;
        if (part->count == 0) continue;
        right_of(u, l, r.gradient + first, released + part->first, whole + first);
        deep_tuned_gradient(&u->t.pass, l, i, room, u->c.released + part->first);
        if (part->way == DEEP_TUNE_CARRIED) check_factors(tried->text, u, l, i, released + part->first);
    }
    agree(tried->text, "what it means for carriers", u->c.released, released, u->tuning.learned);
    deep_carriers_expand(&u->c, &u->t.pass);
    agree(tried->text, "the step", u->c.whole, whole, u->t.net.parameters);
    if (u->tuning.rank > 3) agree(tried->text, "all of it", u->c.whole, r.gradient, u->t.net.parameters);
    deep_reference_close(&r);
    dusk_deallocate(whole);
    dusk_deallocate(released);
    dusk_deallocate(room);
}

static void check_net(const tried_net *tried, size_t rank, uint64_t seed, size_t *count)
{
    carried u;
    if (open_carried(&u, tried, rank, seed)) {
        ++*count;
        u.t.pass.examples = ROOM;
        random_numbers(&u.t.coins, u.t.pass.value[0], ROOM * tried->in, 2);
        deep_forward(&u.t.pass);
        random_numbers(&u.t.coins, u.t.pass.slope[u.t.net.layers], ROOM * tried->out, 1);
        back_to_input(&u.t.pass);
        for (size_t i = 0; i < ROOM; i++) check_example(tried, &u, i);
    }
    close_carried(&u);
}

static void steps_are_what_carriers_see(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t k = 0; k < TRIED_NETS; k++)
        for (size_t rank = 1; rank <= 3; rank++) check_net(&tried_nets[k], rank, 10 * k + rank, &count);
    assert_true(count > 40);
}

/* As many carriers as the smaller side has: nothing is lost. */
static void all_of_it(void **state)
{
    (void)state;
    static const tried_net nets[] = { { "dense 5", 9, 5 },
                                      { "dense 9", 5, 9 },
                                      { "input 3 1 7; dense 4 each", 21, 12 },
                                      { "input 6 6; conv 4 3", 36, 64 } };
    size_t count = 0;
    for (size_t k = 0; k < 4; k++) check_net(&nets[k], 0, k, &count);
    assert_int_equal(count, 4);
}

/* --- carriers ---------------------------------------------------------------------------------------------------------------------- */

static void expect_orthogonal(const carried *u, size_t rows, size_t columns)
{
    const size_t rank = u->tuning.rank;
    const double *a = u->c.carrier, *b = a + rank * columns;
    for (size_t p = 0; p < rank; p++)
        for (size_t q = 0; q < rank; q++) {
            double of_a = 0, of_b = 0;
            for (size_t c = 0; c < columns; c++) of_a += a[p * columns + c] * a[q * columns + c];
            for (size_t r = 0; r < rows; r++) of_b += b[r * (rank + 1) + p] * b[r * (rank + 1) + q];
            assert_true(fabs(of_a - (p == q)) < CLOSE && fabs(of_b - (p == q)) < CLOSE);
        }
    for (size_t r = 0; r < rows; r++) assert_true(b[r * (rank + 1) + rank] == 0); /* constants have none */
}

/* How much of what has moved carriers see. */
static double seen_of(carried *u, const double *moved)
{
    double apart = 0, all = 0;
    deep_tuning_gradient(&u->t.pass, moved, u->c.released);
    deep_carriers_expand(&u->c, &u->t.pass);
    for (size_t j = 0; j < u->t.net.parameters; j++) {
        apart += (u->c.whole[j] - moved[j]) * (u->c.whole[j] - moved[j]);
        all += moved[j] * moved[j];
    }
    return 1 - apart / all;
}

static void carriers_follow(void **state)
{
    (void)state;
    static const tried_net net = { "dense 20", 30, 20 };
    carried u;
    double moved[20 * 31] = { 0 }, now[20 * 31], before[400];
    assert_true(open_carried(&u, &net, 3, 4));
    expect_orthogonal(&u, 20, 30);
    /* of rank 3, the third much smaller */
    for (size_t k = 0; k < 3; k++)
        for (size_t r = 0; r < 20; r++)
            for (size_t c = 0; c < 30; c++)
                moved[r * 31 + c] += (k == 2 ? 0.01 : 1) * cos((double)(k * 7 + r * (k + 1))) *
                                     sin((double)(k * 3 + c * (k + 2)));
    assert_true(seen_of(&u, moved) < 0.7);
    for (size_t j = 0; j < 20 * 31; j++) now[j] = u.t.parameters[j] + moved[j];
    deep_carriers_find(&u.c, now, &u.t.pass);
    expect_orthogonal(&u, 20, 30);
    assert_true(seen_of(&u, moved) > 1 - 1e-9);
    /* of rank 2, of no rank, and of no numbers: they stay */
    memcpy(before, u.c.carrier, u.tuning.learned * sizeof *before);
    for (size_t j = 0; j < 20 * 31; j++) now[j] = u.t.parameters[j] + (j % 31 < 2 ? moved[j] : 0);
    deep_carriers_find(&u.c, now, &u.t.pass);
    deep_carriers_find(&u.c, u.t.parameters, &u.t.pass);
    for (size_t j = 0; j < 20 * 31; j++) now[j] = j % 31 < 2 ? NAN : 1e300 * moved[j];
    deep_carriers_find(&u.c, now, &u.t.pass);
    assert_memory_equal(before, u.c.carrier, u.tuning.learned * sizeof *before);
    close_carried(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_what_carriers_see),
        cmocka_unit_test(all_of_it),
        cmocka_unit_test(carriers_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
