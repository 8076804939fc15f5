/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked for is what happens: trained parameters follow from what was released by the optimiser, schedule, decay, average and clips of the settings, in doubles and
 * by their definitions; noise before clipping is as long as it should be; votes of all threads count. The training is the one that is shipped, and what it released is
 * in its record. */
#include <math.h>
#include <stdio.h>

#include "dusk/learn.h"
#include "random/record.h"
#include "seeded.h"

static const char *const fields_text = "x numeric -1:1\nz numeric -1:1\ny numeric -1:1\n";

/* What is written for a setting, or what it is otherwise. */
static const char *said(const char *const *settings, const char *name, const char *otherwise)
{
    const size_t n = strlen(name);
    for (; *settings; settings++)
        if (!strncmp(*settings, name, n) && (*settings)[n] == '=') return *settings + n + 1;
    return otherwise;
}

enum { GIVEN_MOST = 12 }; /* settings of a plan */

static double number(const char *const *settings, const char *name, const char *otherwise)
{
    return strtod(said(settings, name, otherwise), NULL);
}

static dusk_frame *some_rows(const char *text, size_t n)
{
    dusk_fields *fields;
    dusk_frame *frame;
    uint64_t seed = 3;
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, n, NULL), DUSK_OK);
    for (size_t c = 0; c < fields->count; c++)
        for (size_t i = 0; i < n; i++)
            frame->column[c].number[i] = (double)(splitmix64(&seed) >> 11) * 0x1p-52 - 1;
    dusk_fields_free(fields);
    return frame;
}

/* The parameters of one run, to be freed, and its record; *sigma, where it is not NULL, is the first noise of the statement, in clips. `from`: a record whose outputs it gets, or NULL. */
static double *run(const char *const *settings, const dusk_frame *frame, double noise, uint64_t seed,
                   dusk_record *record, const dusk_record *from, double *sigma)
{
    dusk_train_options o;
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    dusk_generator *gen = seeded(seed);
    size_t rows, columns;
    char text[2000];
    const char *given[GIVEN_MOST + 1];
    dusk_train_options_init(&o);
    o.label = "y";
    if (said(settings, "noise_fall", NULL))
        o.epsilon = 3; /* falling noise is found */
    else
        o.noise = noise;
    o.delta = 1e-4;
    o.neighbours = DUSK_ADD_REMOVE;
    o.rows = frame->rows;
    for (; settings[o.settings_count]; o.settings_count++)
        given[o.settings_count] = settings[o.settings_count];
    assert_true(o.settings_count < GIVEN_MOST);
    if (!said(settings, "learning_rate", NULL)) given[o.settings_count++] = "learning_rate=0.5";
    o.settings = given;
    if (dusk_training_prepare(&training, "net_numbers", frame->fields, &o, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(dusk_event_format(&dusk_training_statement(training)->event, text, sizeof text, NULL),
                     DUSK_OK);
    if (sigma) *sigma = strtod(strstr(text, "gaussian(") + 9, NULL);
    *record = (dusk_record){ .outputs = from };
    dusk_generator_record(gen, record);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    assert_int_equal(record->n, dusk_training_steps(training));
    const double *p = dusk_model_array(model, "parameters", &rows, &columns);
    double *copy = malloc(rows * columns * sizeof *copy);
    memcpy(copy, p, rows * columns * sizeof *copy);
    dusk_model_free(model);
    dusk_training_free(training);
    dusk_generator_free(gen);
    return copy;
}

/* --- a reference descent ------------------------------------------------------------------------------------- */

enum { ROWS = 40, N = 3 };

/* Of the rate, at step `s` of `steps`. */
static double schedule(const char *const *settings, double s, double steps)
{
    const char *falling = said(settings, "schedule", "constant");
    const double part = (s + 0.5) / steps, up = number(settings, "warm_up", "0"),
                 down = number(settings, "cool_down", "0");
    double rate = 1;
    if (!strcmp(falling, "root")) rate = pow(s + 1, -0.5);
    if (!strcmp(falling, "cosine")) rate = pow(cos(M_PI * part / 2), 2);
    if (up > 0) rate *= fmin(1, part / up);
    if (down > 0) rate *= fmin(1, (1 - part) / down);
    return rate;
}

typedef struct descent {
    double p[N], m[N], v[N], average[N], steps;
} descent;

/* A step down g, whose numbers have noise of this variance. */
static void step_down(descent *d, const char *const *settings, const double *g, double rate, double variance)
{
    const char *method = said(settings, "optimiser", "sgd");
    const double keep = number(settings, "momentum", "0.9"), decay = number(settings, "decay", "0"),
                 average = number(settings, "average", "0");
    const bool apart = !strncmp(method, "adamw", 5), known = strstr(method, "unbiased") != NULL;
    d->steps++;
    for (int j = 0; j < N; j++) {
        const double slope = g[j] + (apart ? 0 : decay * d->p[j]);
        if (!strcmp(method, "sgd")) {
            d->m[j] = keep * d->m[j] + slope;
            d->p[j] -= rate * d->m[j];
        } else if (!strcmp(method, "adagrad")) {
            d->v[j] += slope * slope;
            d->p[j] -= rate * slope / (sqrt(d->v[j]) + 1e-8);
        } else {
            d->m[j] = keep * d->m[j] + (1 - keep) * slope;
            d->v[j] = 0.999 * d->v[j] + 0.001 * slope * slope;
            const double square = d->v[j] / (1 - pow(0.999, d->steps)), off = known ? variance : 0;
            if (apart) d->p[j] -= rate * decay * d->p[j];
            d->p[j] -=
                rate * d->m[j] / (1 - pow(keep, d->steps)) / sqrt(fmax(square - off, fmax(off / 100, 1e-16)));
        }
        d->average[j] += (1 - average) * (d->p[j] - d->average[j]);
    }
}

/* From 0 on, by what was released. */
static void descend(descent *d, const char *const *settings, const dusk_record *record)
{
    const double steps = (double)record->n, lot = ROWS * number(settings, "rate", "0.1");
    double clip = number(settings, "clip", "1");
    *d = (descent){ .steps = 0 };
    for (size_t s = 0; s < record->n; s++) {
        const dusk_record_call *call = &record->calls[s];
        const double unit = ldexp(clip / lot, -22);
        double g[N];
        for (int j = 0; j < N; j++) g[j] = (double)call->inputs[j].whole_output * unit;
        step_down(d, settings, g,
                  number(settings, "learning_rate", "0.5") * schedule(settings, (double)s, steps),
                  pow(call->header.scale * unit, 2));
        if (strcmp(said(settings, "clipping", "flat"), "adaptive")) continue;
        /* votes for and against, an eighth of the clip each */
        const double votes = ldexp((double)call->inputs[N].whole_output, -19);
        const double within = fmin(fmax(0.5 + votes / (2 * lot), 0), 1);
        clip *= exp(number(settings, "clip_rate", "0.2") * (number(settings, "quantile", "0.5") - within));
    }
}

#define SOME "net=output", "rate=0.5", "steps=30", "clip=0.5"

static void parameters_follow_from_releases(void **state)
{
    (void)state;
    static const char *const plans[][12] = {
        { SOME, NULL },
        { SOME, "momentum=0", "learning_rate=0.3", "schedule=root", NULL },
        { SOME, "momentum=0", "schedule=cosine", NULL },
        { SOME, "momentum=0", "warm_up=0.4", NULL },
        { SOME, "momentum=0", "cool_down=0.6", NULL },
        { SOME, "momentum=0.7", "schedule=cosine", "warm_up=0.3", "cool_down=0.5", NULL },
        { SOME, "momentum=0.5", "decay=0.2", NULL },
        { SOME, "momentum=0", "decay=0.3", NULL },
        { SOME, "momentum=0", "average=0.9", NULL },
        { SOME, "optimiser=adam", "learning_rate=0.05", "decay=0.1", "average=0.5", NULL },
        { SOME, "optimiser=adamw", "learning_rate=0.05", "decay=1", "warm_up=0.2", NULL },
        { SOME, "optimiser=adagrad", "learning_rate=0.1", "decay=0.1", NULL },
        { SOME, "optimiser=adam_unbiased", "learning_rate=0.01", NULL },
        { SOME, "optimiser=adam_unbiased", "learning_rate=0.01", "noise_fall=0.2", NULL },
        { SOME, "optimiser=adamw_unbiased", "learning_rate=0.01", "decay=0.5", "clipping=adaptive", NULL },
        { SOME, "momentum=0", "clipping=adaptive", "clip_rate=0.7", "quantile=0.3", "threads=2", NULL },
        { SOME, "momentum=0.3", "clipping=automatic", "threads=3", "schedule=root", NULL },
    };
    dusk_frame *frame = some_rows(fields_text, ROWS);
    for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
        const char *const *settings = plans[k];
        dusk_record record;
        descent d;
        double sigma;
        double *p = run(settings, frame, 0.7, 40 + k, &record, NULL, &sigma);
        const double *right = said(settings, "average", NULL) ? d.average : d.p;
        descend(&d, settings, &record);
        const double first = ldexp(record.calls[0].header.scale, -22);
        /* what is taken off is the noise that the statement has, which votes make 0.8 % longer */
        assert_true(first >= sigma * (1 - 1e-6) && first <= sigma * 1.008);
        for (int j = 0; j < N; j++)
            if (!(fabs(p[j] - right[j]) < 1e-4 * (fabs(right[j]) + 0.1)))
                fail_msg("plan %zu: parameter %d is %.9g, and what was released makes it %.9g", k, j, p[j],
                         right[j]);
        free(p);
        dusk_record_clear(&record);
    }
    dusk_frame_free(frame);
}

/* --- noise before clipping ------------------------------------------------------------------------------------- */

/* Rows that have no gradient at first: what they add is noise of their own coins, B times the clip long, in any direction. In 7200 numbers, each of which has less
 * spread than a square of a normal one, the squares are as they should be but for a tenth, six deviations; sums of a number over all are 0 but for six. */
static void noise_before_clipping_is_as_long_as_asked_for(void **state)
{
    (void)state;
    enum { FEW = 12, RUNS = 200, PARAMETERS = 41 };
    static const char *const lengths[] = { "bias_noise=0.5", "bias_noise=0.1" };
    char text[1000] = "";
    for (int c = 0; c < PARAMETERS - 1; c++) snprintf(text + strlen(text), 40, "x%d numeric -1:1\n", c);
    snprintf(text + strlen(text), 40, "y numeric -1:1\n");
    dusk_frame *frame = some_rows(text, FEW);
    for (size_t i = 0; i < FEW; i++) frame->column[PARAMETERS - 1].number[i] = 0;
    for (size_t k = 0; k < 2; k++) {
        const char *const settings[] = { "net=output", "rate=1", "steps=1", "clip=0.3", lengths[k], NULL };
        const double length = number(settings, "bias_noise", NULL);
        double square = 0, sum[PARAMETERS] = { 0 };
        for (uint64_t r = 0; r < RUNS; r++) {
            dusk_record record;
            free(run(settings, frame, 1, 1000 * k + r, &record, NULL, NULL));
            assert_int_equal(record.calls[0].n, PARAMETERS);
            for (size_t j = 0; j < PARAMETERS; j++) {
                const double total = ldexp((double)record.calls[0].inputs[j].whole, -22);
                square += total * total / (length * length * FEW * RUNS);
                sum[j] += total;
            }
            dusk_record_clear(&record);
        }
        if (!(fabs(square - 1) < 6 * sqrt(2.0 / (RUNS * PARAMETERS))))
            fail_msg("%s: squares are %g of what they should be", lengths[k], square);
        for (size_t j = 0; j < PARAMETERS; j++)
            assert_true(fabs(sum[j]) < 6 * length * sqrt((double)FEW * RUNS / PARAMETERS));
    }
    dusk_frame_free(frame);
}

/* --- threads ------------------------------------------------------------------------------------------------------- */

/* One thread and four, of which the second run gets what the first released: whatever they add up is the same, votes among it, and so are clips and parameters. Some rows are within
 * the clip and some are not, so that a vote that is lost is seen. */
static void votes_of_all_threads_count(void **state)
{
    (void)state;
    enum { MANY = 6000, VOTE = 1 << 19 };
    static const char *const ways[][8] = {
        { "net=dense 24; tanh; dense 24; tanh; output", "rate=1", "steps=6", "clip=0.5", "clipping=adaptive",
          "threads=1", NULL },
        { "net=dense 24; tanh; dense 24; tanh; output", "rate=1", "steps=6", "clip=0.5", "clipping=adaptive",
          "threads=4", NULL },
    };
    dusk_frame *frame = some_rows(fields_text, MANY);
    dusk_record record[2];
    double *p[2];
    for (int w = 0; w < 2; w++) p[w] = run(ways[w], frame, 1, 9, &record[w], w ? &record[0] : NULL, NULL);
    assert_int_equal(record[0].n, record[1].n);
    for (size_t s = 0; s < record[0].n; s++) {
        const dusk_record_call *a = &record[0].calls[s], *b = &record[1].calls[s];
        const int64_t votes = (int64_t)a->inputs[a->n - 1].whole;
        assert_true(votes % VOTE == 0 && llabs(votes) < (int64_t)MANY * VOTE);
        assert_int_equal(a->n, b->n);
        for (size_t j = 0; j < a->n; j++)
            if (a->inputs[j].whole != b->inputs[j].whole)
                fail_msg("step %zu: total %zu of %zu is not the same with four threads", s, j, a->n);
    }
    const size_t n = record[0].calls[0].n - 1;
    assert_true(n > 600 && !memcmp(p[0], p[1], n * sizeof **p));
    for (int w = 0; w < 2; w++) {
        free(p[w]);
        dusk_record_clear(&record[w]);
    }
    dusk_frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_follow_from_releases),
        cmocka_unit_test(noise_before_clipping_is_as_long_as_asked_for),
        cmocka_unit_test(votes_of_all_threads_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
