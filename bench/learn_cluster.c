/* SPDX-License-Identifier: Apache-2.0 */
/* Clustering: the mean squared distance to the nearest centre on rows that were held out (bounds being [-1, 1]), beside that of k-means without
 * privacy (greedy k-means++, Lloyd and swaps on the same rows), and beside private Lloyd as diffprivlib has it, written down anew: centres by
 * sphere packing, 2 to 7 rounds, Laplace noise on sums and counts, split and rounds by its formulas [Su et al. 2016]; in doubles, which
 * is enough to compare costs. Times beside the same passes over the same rows without exact sums, radii and noise. */
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dusk/learn.h"
#include "learn.h"
#include "learn/features.h"
#include "learn/points.h"
#include "learn_data.h"

typedef struct cluster_case {
    const char *data, *settings;
    size_t k;
    double epsilon;
    int trainings;
    bool peer;
} cluster_case;

/* --- rows --------------------------------------------------------------------------------------- */

/* Numbers only, [lower, upper] being [-1, 1]. */
static learn_points points_of(const dusk_frame *frame)
{
    const size_t d = frame->fields->count;
    learn_points p = { bench_allocate(frame->rows * d, sizeof *p.x),
                       bench_allocate(frame->rows, sizeof *p.weight), frame->rows, d };
    for (size_t i = 0; i < p.n; i++) {
        p.weight[i] = 1;
        for (size_t c = 0; c < d; c++) {
            const dusk_field *f = &frame->fields->field[c];
            double x = fmin(fmax(dusk_frame_number(&frame->column[c], i), f->lower), f->upper);
            p.x[i * d + c] = 2 * (x - f->lower) / (f->upper - f->lower) - 1;
        }
    }
    return p;
}

static void free_points(learn_points *p)
{
    free(p->x);
    free(p->weight);
}

static double cost_of(const learn_points *p, const double *centres, size_t k)
{
    double sum = 0, square;
    for (size_t i = 0; i < p->n; i++) {
        (void)learn_nearest(p->x + i * p->width, centres, k, p->width, &square);
        sum += square;
    }
    return sum / (double)p->n;
}

/* --- the three ------------------------------------------------------------------------------------ */

static double cost_of_dusk(const cluster_case *c, const bench_data *data, const learn_points *test,
                           dusk_generator *gen)
{
    char groups[32], second[64] = "";
    const char *settings[3] = { groups, second, NULL };
    dusk_train_options o;
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    double rows = (double)data->train->rows;
    size_t k, d;
    snprintf(groups, sizeof groups, "groups=%zu", c->k);
    dusk_train_options_init(&o);
    o.epsilon = c->epsilon;
    o.delta = c->peer ? 0 : 1 / rows / rows;
    o.neighbours = DUSK_ADD_REMOVE;
    o.rows = data->train->rows;
    o.settings = settings;
    o.settings_count = c->settings ? 2 : 1;
    if (c->settings) { /* "method=sketch rounds=0" */
        snprintf(second, sizeof second, "%s", c->settings);
        char *blank = strchr(second, ' ');
        if (blank) {
            *blank = 0;
            settings[o.settings_count++] = blank + 1;
        }
    }
    bench_require(dusk_training_prepare(&training, "kmeans", data->train->fields, &o, &err), &err);
    bench_require(dusk_training_run(training, &model, data->train, gen, &err), &err);
    double cost = cost_of(test, dusk_model_array(model, "centres", &k, &d), c->k);
    dusk_model_free(model);
    dusk_training_free(training);
    return cost;
}

static double cost_without_privacy(const cluster_case *c, const learn_points *train, const learn_points *test)
{
    dusk_error err;
    double *centres = bench_allocate(c->k * train->width, sizeof *centres);
    memset(centres, 0, c->k * train->width * sizeof *centres);
    bench_require(learn_points_cluster(train, centres, c->k, 1, &err), &err);
    double cost = cost_of(test, centres, c->k);
    free(centres);
    return cost;
}

static double laplace(double scale, uint64_t *seed)
{
    double u = learn_points_uniform(seed) - 0.5;
    return u < 0 ? scale * log1p(2 * u) : -scale * log1p(-2 * u);
}

/* Random places as far apart as half the box can hold, the distance shrinking until all fit. */
static void pack_spheres(double *centres, size_t k, size_t d, uint64_t *seed)
{
    double radius = 1;
    for (size_t placed = 0, misses = 0; placed < k;) {
        double *at = centres + placed * d, square = INFINITY;
        for (size_t c = 0; c < d; c++) at[c] = (2 * learn_points_uniform(seed) - 1) * (1 - fmin(radius, 0.9));
        if (placed) (void)learn_nearest(at, centres, placed, d, &square);
        if (square >= 4 * radius * radius)
            placed++;
        else if (++misses > 100) {
            radius /= 2;
            misses = placed = 0;
        }
    }
}

/* One round: each sum has a sensitivity of the width of its bounds. */
static void peer_round(const learn_points *p, double *centres, size_t k, double per_sum, double per_count,
                       double *sums, uint64_t *seed)
{
    const size_t d = p->width, each = d + 1;
    double square;
    memset(sums, 0, k * each * sizeof *sums);
    for (size_t i = 0; i < p->n; i++) {
        double *own = sums + learn_nearest(p->x + i * d, centres, k, d, &square) * each;
        for (size_t c = 0; c < d; c++) own[c] += p->x[i * d + c];
        own[d]++;
    }
    for (size_t j = 0; j < k; j++) {
        double *own = sums + j * each, count = fmax(rint(own[d] + laplace(1 / per_count, seed)), 1);
        for (size_t c = 0; c < d; c++)
            centres[j * d + c] = fmin(fmax((own[c] + laplace(2 / per_sum, seed)) / count, -1), 1);
    }
}

static double cost_of_peer(const cluster_case *c, const learn_points *train, const learn_points *test,
                           uint64_t seed)
{
    const double d = (double)train->width, k = (double)c->k, n = (double)train->n,
                 more = cbrt(4 * d * 0.225 * 0.225);
    double least = sqrt(500 * k * k * k / (n * n) * pow(d + more, 3));
    int rounds = (int)fmax(fmin(c->epsilon / least, 7), 2);
    double part = c->epsilon / rounds / (d + more);
    double *centres = bench_allocate(c->k * train->width, sizeof *centres);
    double *sums = bench_allocate(c->k * (train->width + 1), sizeof *sums);
    pack_spheres(centres, c->k, train->width, &seed);
    for (int r = 0; r < rounds; r++) peer_round(train, centres, c->k, part, more * part, sums, &seed);
    double cost = cost_of(test, centres, c->k);
    free(sums);
    free(centres);
    return cost;
}

static void measure_cost(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const cluster_case *c = self->setup;
    double sum = 0, squares = 0, floor = 0, n = c->trainings;
    bench_data data;

    *out = (bench_result){ .value = NAN };
    if (!bench_data_open(&data, c->data)) {
        fprintf(stderr, "%s: skipped, DUSK_DATA has no %s\n", self->name, c->data);
        return;
    }
    learn_points train = points_of(data.train), test = points_of(data.test);
    for (int t = 0; t < c->trainings; t++) {
        double cost = cost_of_dusk(c, &data, &test, gen);
        sum += cost;
        squares += cost * cost;
        if (c->peer) floor += cost_of_peer(c, &train, &test, (uint64_t)t) / n;
    }
    if (!c->peer) floor = cost_without_privacy(c, &train, &test);
    *out = (bench_result){ .value = sum / n,
                           .floor_value = floor,
                           .epsilon = c->epsilon,
                           .spread = n > 1 ? sqrt(fmax(squares - sum * sum / n, 0) / (n - 1)) : 0,
                           .trainings = c->trainings };
    free_points(&train);
    free_points(&test);
    bench_data_close(&data);
}

/* --- time ------------------------------------------------------------------------------------------- */

enum { TIME_ROWS = 1000000, TIME_WIDTH = 20, TIME_K = 8, TIME_PASSES = 5, BLOCK = 1024 };

typedef struct timed {
    dusk_frame *frame;
    dusk_training *training;
    dusk_generator *gen;
    learn_features features;
} timed;

static void train_kmeans(void *context)
{
    timed *t = context;
    dusk_model *model;
    dusk_error err = { .message = "" };
    bench_require(dusk_training_run(t->training, &model, t->frame, t->gen, &err), &err);
    dusk_model_free(model);
}

/* Rows of floats from the frame, read the same way, then `passes` of Lloyd: products by BLAS, the nearest, sums. */
static void plain_passes(void *context)
{
    timed *t = context;
    static double block[BLOCK * TIME_WIDTH], product[BLOCK * TIME_K];
    double centre[TIME_K * TIME_WIDTH], sum[TIME_K * (TIME_WIDTH + 1)], square[TIME_K];
    learn_matrix read;
    dusk_error err = { .message = "" };
    bench_require(learn_matrix_make(&read, &t->features, t->frame, &err), &err);
    const float *x = read.rows.x;
    for (size_t i = 0; i < TIME_K * TIME_WIDTH; i++) centre[i] = (double)x[i];
    for (int pass = 0; pass < TIME_PASSES; pass++) {
        memset(sum, 0, sizeof sum);
        memset(square, 0, sizeof square);
        for (size_t i = 0; i < TIME_K * TIME_WIDTH; i++) square[i / TIME_WIDTH] += centre[i] * centre[i];
        for (size_t first = 0; first < TIME_ROWS; first += BLOCK) {
            size_t rows = TIME_ROWS - first < BLOCK ? TIME_ROWS - first : BLOCK;
            for (size_t i = 0; i < rows * TIME_WIDTH; i++) block[i] = (double)x[first * TIME_WIDTH + i];
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, TIME_K, TIME_WIDTH, 1, block,
                        TIME_WIDTH, centre, TIME_WIDTH, 0, product, TIME_K);
            for (size_t i = 0; i < rows; i++) {
                double least = INFINITY;
                size_t nearest = 0;
                for (size_t j = 0; j < TIME_K; j++) {
                    double here = square[j] - 2 * product[i * TIME_K + j];
                    nearest = here < least ? j : nearest;
                    least = here < least ? here : least;
                }
                double *own = sum + nearest * (TIME_WIDTH + 1);
                for (size_t c = 0; c < TIME_WIDTH; c++) own[c] += block[i * TIME_WIDTH + c];
                own[TIME_WIDTH]++;
            }
        }
        for (size_t j = 0; j < TIME_K; j++)
            for (size_t c = 0; c < TIME_WIDTH; c++)
                centre[j * TIME_WIDTH + c] =
                    sum[j * (TIME_WIDTH + 1) + c] / fmax(sum[j * (TIME_WIDTH + 1) + TIME_WIDTH], 1);
    }
    bench_keep(centre[0]);
    learn_matrix_clear(&read);
}

static void measure_time(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    timed t = { .gen = gen };
    dusk_fields *fields;
    dusk_train_options o;
    dusk_error err = { .message = "" };
    uint64_t seed = 1;
    (void)self;
    bench_require(dusk_fields_parse(&fields, "x[20] numeric -1:1\n", &err), &err);
    bench_require(dusk_frame_new(&t.frame, fields, TIME_ROWS, &err), &err);
    for (size_t i = 0; i < TIME_ROWS; i++) {
        uint64_t place = learn_points_coin(&seed) % TIME_K;
        for (size_t c = 0; c < TIME_WIDTH; c++)
            t.frame->column[c].number[i] =
                learn_points_uniform(&place) - 0.5 + 0.3 * (learn_points_uniform(&seed) - 0.5);
    }
    dusk_train_options_init(&o);
    o.epsilon = 1;
    o.delta = 1e-12;
    o.neighbours = DUSK_ADD_REMOVE;
    o.rows = TIME_ROWS;
    bench_require(dusk_training_prepare(&t.training, "kmeans", fields, &o, &err), &err);
    bench_require(learn_features_init(&t.features, fields, DUSK_NO_LINK, false, 0, &err), &err);
    t.features.unmeasured = true;
    bench_times times = bench_compare(train_kmeans, plain_passes, &t);
    *out = (bench_result){ .value = times.work, .floor_value = times.floor };
    learn_features_clear(&t.features);
    dusk_training_free(t.training);
    dusk_frame_free(t.frame);
    dusk_fields_free(fields);
}

/* --- cases ------------------------------------------------------------------------------------------- */

#define COST(set, groups, e, runs)                                                                           \
    {                                                                                                        \
        "learn/kmeans/" set "/" #e, "k-means on " set ", " #groups " groups", "cost",                        \
            "k-means++ and Lloyd without privacy", "", measure_cost, &(const cluster_case)                   \
        {                                                                                                    \
            set, NULL, groups, e, runs, false                                                                \
        }                                                                                                    \
    }
#define PEER(set, groups, e, runs)                                                                           \
    {                                                                                                        \
        "learn/kmeans/" set "/peer/" #e, "k-means on " set ", " #groups " groups, delta 0", "cost",          \
            "private Lloyd as in diffprivlib", "ratio <= 1", measure_cost, &(const cluster_case)             \
        {                                                                                                    \
            set, NULL, groups, e, runs, true                                                                 \
        }                                                                                                    \
    }
#define SKETCH(set, groups, e, runs)                                                                         \
    {                                                                                                        \
        "learn/kmeans/" set "/sketch/" #e, "k-means by a sketch on " set ", " #groups " groups", "cost",     \
            "k-means++ and Lloyd without privacy", "", measure_cost, &(const cluster_case)                   \
        {                                                                                                    \
            set, "method=sketch", groups, e, runs, false                                                     \
        }                                                                                                    \
    }
#define ALONE(set, groups, e, runs)                                                                          \
    {                                                                                                        \
        "learn/kmeans/" set "/sketch_alone/" #e,                                                             \
            "k-means by a sketch, without rounds, on " set ", " #groups " groups", "cost",                   \
            "k-means++ and Lloyd without privacy", "", measure_cost, &(const cluster_case)                   \
        {                                                                                                    \
            set, "method=sketch rounds=0", groups, e, runs, false                                            \
        }                                                                                                    \
    }
#define SKETCHES(set, groups, runs)                                                                          \
    SKETCH(set, groups, 0.1, runs), SKETCH(set, groups, 1, runs), ALONE(set, groups, 0.1, runs),             \
        ALONE(set, groups, 1, runs), ALONE(set, groups, 1e6, 1)
#define BOTH(set, groups, runs)                                                                              \
    COST(set, groups, 0.1, runs), COST(set, groups, 1, runs), PEER(set, groups, 0.1, runs),                  \
        PEER(set, groups, 1, runs)

#define BAYES(set, e, metric, numbers)                                                                       \
    {                                                                                                        \
        "learn/naive_bayes/" set "/" numbers "/" #e, "naive Bayes on " set,                                  \
            metric == BENCH_AUC ? "AUC" : "accuracy", "the same at epsilon 10^6", "", bench_learn_run,       \
            &(const bench_learn)                                                                             \
        {                                                                                                    \
            "naive_bayes", "numbers=" numbers, set, metric, e, -1, 10                                        \
        }                                                                                                    \
    }

#define WIDE(set, groups, e, runs)                                                                           \
    {                                                                                                        \
        "learn/kmeans/" set "/" #e, "k-means on " set ", " #groups " groups", "cost",                        \
            "the same at epsilon 10^6", "", bench_learn_run, &(const bench_learn)                            \
        {                                                                                                    \
            "kmeans", "groups=" #groups, set, BENCH_INERTIA, e, -1, runs                                     \
        }                                                                                                    \
    }
#define MIXTURE(set, groups, shape, e)                                                                       \
    {                                                                                                        \
        "learn/mixture/" set "/" shape "/" #e, "mixture of normal densities on " set ", " #groups " groups", \
            "log likelihood", "the same at epsilon 10^6", "", bench_learn_run, &(const bench_learn)          \
        {                                                                                                    \
            "mixture", "groups=" #groups " covariance=" shape, set, BENCH_LOG_LIKELIHOOD, e, -1, 10          \
        }                                                                                                    \
    }
#define MIXTURES(set, groups)                                                                                \
    MIXTURE(set, groups, "diagonal", 0.1), MIXTURE(set, groups, "diagonal", 1),                              \
        MIXTURE(set, groups, "full", 0.1), MIXTURE(set, groups, "full", 1)

#define LATENT(set, groups, e)                                                                               \
    {                                                                                                        \
        "learn/latent_class/" set "/" #groups "/" #e, "latent classes on " set ", at most " #groups,         \
            "log likelihood", "the same at epsilon 10^6", "", bench_learn_run, &(const bench_learn)          \
        {                                                                                                    \
            "latent_class", "groups=" #groups, set, BENCH_LOG_LIKELIHOOD, e, -1, 10                          \
        }                                                                                                    \
    }
#define LATENTS(set)                                                                                         \
    LATENT(set, 1, 1), LATENT(set, 8, 0.1), LATENT(set, 8, 0.5), LATENT(set, 8, 1), LATENT(set, 8, 4)

const bench_case bench_learn_cluster_cases[] = {
    LATENTS("bank"),
    LATENTS("compas"),
    LATENTS("adult"),
    LATENTS("german"),
    MIXTURES("s1", 15),
    MIXTURES("s3", 15),
    MIXTURES("a1", 20),
    MIXTURES("unbalance", 8),
    BAYES("bank", 0.1, BENCH_AUC, "bins"),
    BAYES("bank", 1, BENCH_AUC, "bins"),
    BAYES("bank", 1, BENCH_AUC, "normal"),
    BAYES("adult", 0.1, BENCH_ACCURACY, "bins"),
    BAYES("adult", 0.5, BENCH_ACCURACY, "bins"),
    BAYES("adult", 1, BENCH_ACCURACY, "bins"),
    BAYES("adult", 1, BENCH_ACCURACY, "normal"),
    WIDE("covertype", 7, 0.1, 10),
    WIDE("covertype", 7, 1, 10),
    WIDE("mnist", 10, 0.1, 3),
    WIDE("mnist", 10, 1, 3),
    BOTH("s1", 15, 10),
    BOTH("s2", 15, 10),
    BOTH("s3", 15, 10),
    BOTH("s4", 15, 10),
    BOTH("a1", 20, 10),
    BOTH("a2", 35, 10),
    BOTH("a3", 50, 10),
    BOTH("birch1", 100, 3),
    BOTH("birch2", 100, 3),
    BOTH("unbalance", 8, 10),
    SKETCHES("s1", 15, 10),
    SKETCHES("s2", 15, 10),
    SKETCHES("s3", 15, 10),
    SKETCHES("s4", 15, 10),
    SKETCHES("a1", 20, 10),
    SKETCHES("a2", 35, 10),
    SKETCHES("a3", 50, 5),
    SKETCHES("birch1", 100, 2),
    SKETCHES("birch2", 100, 2),
    SKETCHES("unbalance", 8, 10),
    { "learn/kmeans/time/1e6x20",
      "k-means of 10^6 rows, 20 columns, 8 groups; scikit-learn 1.4 s, diffprivlib 16.8 s", "s",
      "five passes of Lloyd without privacy", "ratio <= 1.1", measure_time, NULL },
    { NULL, NULL, NULL, NULL, NULL, NULL, NULL },
};
