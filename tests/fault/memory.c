/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th allocation fails, for every n until the call succeeds: each public
 * release must answer DUSK_ERR_MEMORY with one sentence, leave its outputs
 * untouched, and leak nothing (the sanitizer build looks). */
#include <string.h>

#include "failing_memory.h"
#include "support.h"

#define PEOPLE 40

typedef struct work { /* inputs and outputs of every subject */
    dusk_generator *gen;
    dusk_aggregate how;
    double rows[PEOPLE], out[PEOPLE], width;
    size_t index[4];
    dusk_answer answer;
    dusk_statement statement;
} work;

typedef dusk_status subject(work *w, dusk_error *err);

static dusk_status laplace_vector(work *w, dusk_error *err)
{
    dusk_noise noise;
    dusk_status status = dusk_laplace_init(&noise, PEOPLE, 1, 1, DUSK_GRID_DEFAULT, err);
    return status == DUSK_OK ? dusk_noise_release_vector(&noise, w->out, w->rows, w->gen, err) : status;
}

static dusk_status total(work *w, dusk_error *err)
{
    dusk_noise noise;
    dusk_total *t = NULL;
    dusk_status status = dusk_gaussian_init(&noise, PEOPLE, 1, 1, 1e-6, DUSK_GRID_DEFAULT, err);
    if (status == DUSK_OK) status = dusk_noise_for_total(&noise, err);
    if (status == DUSK_OK) status = dusk_total_new(&t, &noise, err);
    if (status == DUSK_OK) {
        dusk_total_add(t, w->rows);
        status = dusk_total_release(t, w->out, w->gen, err);
    }
    dusk_total_free(t);
    return status;
}

static dusk_status choose(work *w, dusk_selection_method method, size_t k, dusk_error *err)
{
    dusk_selection selection;
    dusk_status status = dusk_selection_init(&selection, method, 1, false, 1, err);
    if (status != DUSK_OK) return status;
    return k == 1 ? dusk_selection_release(&selection, w->index, w->rows, PEOPLE, w->gen, err)
                  : dusk_selection_release_top(&selection, w->index, k, w->rows, PEOPLE, w->gen, err);
}

static dusk_status exponential(work *w, dusk_error *err)
{
    return choose(w, DUSK_SELECT_EXPONENTIAL, 1, err);
}
static dusk_status flip(work *w, dusk_error *err) { return choose(w, DUSK_SELECT_PERMUTE_AND_FLIP, 1, err); }
static dusk_status noisy_max(work *w, dusk_error *err)
{
    return choose(w, DUSK_SELECT_NOISY_MAX_LAPLACE, 1, err);
}
static dusk_status top(work *w, dusk_error *err) { return choose(w, DUSK_SELECT_EXPONENTIAL, 4, err); }

static dusk_status sparse_vector(work *w, dusk_error *err)
{
    dusk_sparse_vector_options options;
    dusk_sparse_vector *sv = NULL;
    bool above;
    dusk_sparse_vector_options_init(&options);
    options.sensitivity = options.epsilon = 1;
    options.threshold = 10;
    options.hits = 1;
    dusk_status status = dusk_sparse_vector_new(&sv, &options, w->gen, err);
    if (status == DUSK_OK) status = dusk_sparse_vector_release(sv, &above, NULL, 3, w->gen, err);
    dusk_sparse_vector_free(sv);
    return status;
}

static dusk_status sum(work *w, dusk_error *err)
{
    return dusk_sum_release(&w->answer, &w->how, w->rows, PEOPLE, w->gen, err);
}
static dusk_status mean(work *w, dusk_error *err)
{
    return dusk_mean_release(&w->answer, &w->how, w->rows, PEOPLE, w->gen, err);
}
static dusk_status variance(work *w, dusk_error *err)
{
    return dusk_variance_release(&w->answer, &w->how, w->rows, PEOPLE, w->gen, err);
}
static dusk_status histogram(work *w, dusk_error *err)
{
    static const double edges[] = { 0, 10, 20, 40 };
    return dusk_histogram_release(w->out, &w->width, &w->statement, &w->how, edges, 3, w->rows, PEOPLE,
                                  w->gen, err);
}
static dusk_status quantiles(work *w, dusk_error *err)
{
    static const double q[] = { 0.25, 0.5, 0.75 };
    return dusk_quantiles_release(w->out, &w->width, &w->statement, &w->how, q, 3, w->rows, PEOPLE, w->gen,
                                  err);
}
static dusk_status keys(work *w, dusk_error *err)
{
    static const uint64_t units[] = { 1, 50, 1000 };
    dusk_key_selection selection;
    bool keep[3];
    dusk_status status = dusk_key_selection_init(&selection, DUSK_KEYS_LAPLACE, 2, 1, 1e-6, err);
    return status == DUSK_OK ? dusk_key_selection_release(&selection, keep, NULL, units, 3, w->gen, err)
                             : status;
}

static void fail_everywhere(subject *run, bool allocates)
{
    work w = { .width = -1 };
    dusk_error err;
    long n = 1;
    assert_int_equal(dusk_generator_new(&w.gen, NULL), DUSK_OK);
    dusk_aggregate_init(&w.how);
    w.how.neighbours = DUSK_ADD_REMOVE;
    w.how.lower = 0;
    w.how.upper = 40;
    w.how.epsilon = 1;
    for (int i = 0; i < PEOPLE; i++) w.rows[i] = i;
    for (;; n++) {
        work before = w;
        memset(&err, 0, sizeof err);
        dusk_memory_fail_at(n);
        if (went_through(run(&w, &err), &err, n, 1000)) break;
        assert_memory_equal(&w, &before, sizeof w);
    }
    assert_int_equal(allocates, n > 1);
    dusk_generator_free(w.gen);
}

static void test_releases(void **state)
{
    subject *const allocating[] = { laplace_vector, total,     exponential, flip, noisy_max, top,
                                    sparse_vector,  histogram, quantiles };
    subject *const others[] = { sum, mean, variance };
    (void)state;
    for (size_t i = 0; i < sizeof allocating / sizeof *allocating; i++) fail_everywhere(allocating[i], true);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) fail_everywhere(others[i], false);
    fail_everywhere(keys, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_releases) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
