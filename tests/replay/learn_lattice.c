/* SPDX-License-Identifier: Apache-2.0 */
/* Learners on lattices on neighbouring tables. The Bernstein mechanism is a release like others: with the same coins its inputs are within
 * what it declares. A perturbed minimum is private by a shift of its noise: with the shift that the proof names, for the point that was chosen
 * and the row that came or left, a neighbour's minimum is at the same point, and the shift is no longer than noise was made for. */
#include "learners.h"

#include "learn/learner.h"
#include "learn/oracle.h"
#include "learn/polynomial.h"
#include "replay.h"

#define FIELDS "a numeric 0:1\nb numeric -1:0\nc category p,q\n"
#define BINARY FIELDS "y category no,yes\n"
#define NUMBER FIELDS "y numeric 5:6\n"

static double uniform(uint64_t *seed) { return (double)(splitmix64(seed) >> 11) * 0x1p-53; }

/* Rows of any kind, at the ends of bounds and beyond; the last is the one that comes, leaves, or is exchanged. */
static dusk_frame *table(const char *text, size_t rows, uint64_t seed, int last)
{
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < fields->count; c++) {
            double u = uniform(&seed), ends[] = { -1e308, 1e308, 0.3, 0.7 };
            if (last && r + 1 == rows) u = last == 1 ? 0.4 : c + 1 < fields->count ? 0.1 : 0.4;
            if (frame->column[c].number) frame->column[c].number[r] = ends[(int)(u * 4) % 4];
            if (frame->column[c].code) frame->column[c].code[r] = u > 0.3;
        }
    dusk_fields_free(fields);
    return frame;
}

/* --- the Bernstein mechanism ------------------------------------------------------------------------------- */

static void run_bernstein(const char *learner, const char *text, int k)
{
    const char *settings[] = { "degree=2", k & 1 ? "clip=1" : "clip=0.2", "polynomial=keep" };
    const dusk_learner *l = dusk_learner_named(learner);
    dusk_train_options o = learners_options(l, 2, k & 2 ? 1e-6 : 0);
    dusk_model *model[2];
    o.label = "y";
    o.settings = settings;
    o.settings_count = 3;
    o.neighbours = k & 4 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    replay p = replay_open((uint64_t)k);
    for (int side = 0; side < 2; side++) {
        dusk_frame *frame = table(text, 20 + (k & 4 ? 0 : (size_t)side), 3, k & 4 ? 1 + side : side);
        dusk_training *training;
        assert_int_equal(dusk_training_prepare(&training, l->name, frame->fields, &o, NULL), DUSK_OK);
        assert_int_equal(dusk_training_run(training, &model[side], frame, p.gen[side], NULL), DUSK_OK);
        dusk_training_free(training);
        dusk_frame_free(frame);
    }
    size_t rows, columns;
    const char *const arrays[] = { "polynomial", "weights" };
    for (int a = 0; a < 2; a++) {
        const double *x = dusk_model_array(model[0], arrays[a], &rows, &columns);
        replay_same(x, dusk_model_array(model[1], arrays[a], &rows, &columns), rows * columns);
    }
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    replay_close(&p, (replay_declared){ .epsilon = o.epsilon, .delta = o.delta });
}

static void values_are_within_what_they_declare(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        run_bernstein("bernstein_logistic", BINARY, k);
        run_bernstein("bernstein_huber", NUMBER, k);
    }
}

/* --- perturbed minima -------------------------------------------------------------------------------------- */

/* The shift of the noise for a row that comes or leaves and a point, as the proof has it. By slopes: with the signs of the point, by how much the row's loss may differ
 * between neighbours on the lattice. By the range: half of the most that a loss can be, in one sign a column. Returns its length in l1. */
static double shift_noise(const learn_oracle *o, const learn_matrix *m, size_t row, bool comes, size_t point,
                          dusk_int128 *noise)
{
    size_t at[LEARN_ORACLE_WIDTH_MOST];
    double slope[LEARN_ORACLE_WIDTH_MOST], sum = 0, length = 0, numbers = 0;
    learn_lattice_point(point, o->sides, o->width, at);
    for (size_t j = 0; j < o->width; j++) {
        const double size = fabs((double)m->rows.x[row * o->width + j]);
        slope[j] = ceil(o->half * size * 0x1p-12);
        sum += slope[j];
        numbers += size;
    }
    if (numbers > o->length) return 0;
    const bool range = !o->ramp || sum * (double)o->sides > o->knee * (double)o->width;
    for (size_t j = 0; j < o->width; j++) {
        const double x = (double)m->rows.x[row * o->width + j] * (m->code[row] == 1 ? 1 : -1);
        const size_t next = at[j] + ((x > 0) == comes); /* the sign toward which the loss falls */
        for (size_t t = 1; t <= o->sides; t++) {
            const double by = !range ? slope[j] : x != 0 && t == next ? o->knee : 0;
            noise[j * o->sides + t - 1] += (dusk_int128)(t <= at[j] ? by : -by);
            length += by;
        }
    }
    return length;
}

static void one_coupling(uint64_t seed, bool ramp, double half, double scale)
{
    enum { SIDES = 3, MOST = 64 };
    dusk_frame *frame = table(BINARY, 12, seed, 0);
    learn_features features = { .width = 0 };
    learn_matrix matrix = { .bound = 0 };
    assert_int_equal(learn_features_init(&features, frame->fields, 3, true, seed % 3 ? 0 : 1, NULL), DUSK_OK);
    assert_int_equal(learn_matrix_make(&matrix, &features, frame, NULL), DUSK_OK);
    const int64_t centre[LEARN_ORACLE_WIDTH_MOST] = { 100, -2000, 0, 37, 4096 };
    /* three fields and the constant, or so little that some rows are too long */
    learn_oracle o = { features.width, SIDES, ramp, 0x1p15, half, (seed % 5 ? 4 : 3) * LEARN_ONE, centre };
    dusk_int128 noise[MOST];
    for (size_t i = 0; i < o.width * SIDES; i++) noise[i] = (dusk_int128)((uniform(&seed) - 0.5) * scale);

    /* with all rows, and without the last: either way */
    learn_matrix fewer = matrix;
    fewer.rows.rows--;
    for (int way = 0; way < 2; way++) {
        dusk_int128 moved[MOST];
        size_t from, to;
        memcpy(moved, noise, sizeof noise);
        assert_int_equal(learn_oracle_minimise(&o, &from, way ? &fewer : &matrix, noise, NULL), DUSK_OK);
        double length = shift_noise(&o, &matrix, fewer.rows.rows, way, from, moved);
        assert_int_equal(learn_oracle_minimise(&o, &to, way ? &matrix : &fewer, moved, NULL), DUSK_OK);
        if (from != to) fail_msg("the minimum is at %zu, and at %zu for a neighbour", from, to);
        assert_true(length <= learn_oracle_shift(&o));
    }
    learn_matrix_clear(&matrix);
    learn_features_clear(&features);
    dusk_frame_free(frame);
}

static void shifts_keep_the_minimum(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++)
        for (int k = 0; k < 4; k++) one_coupling(seed, k & 1, k & 2 ? 4096 : 50, seed % 2 ? 0x1p16 : 0x1p18);
}

/* What is planned is noise for the shift of all rows of a change, and rounds that add to the promise. */
static void noise_is_made_for_the_shift(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        const char *settings[] = { k & 1 ? "loss=errors" : "loss=ramp", "rounds=3", "sides=2", "radius=2" };
        dusk_train_options o = learners_options(dusk_learner_named("oracle_ramp"), 1.5, k & 2 ? 1e-6 : 0);
        dusk_fields *fields;
        dusk_training *training;
        dusk_model *model;
        double cost = 0;
        o.label = "y";
        o.settings = settings;
        o.settings_count = 4;
        o.neighbours = k & 4 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
        replay p = replay_open((uint64_t)k);
        dusk_frame *frame = table(BINARY "rows_per_unit 2\n", 20, 3, 1);
        assert_int_equal(dusk_fields_parse(&fields, BINARY "rows_per_unit 2\n", NULL), DUSK_OK);
        assert_int_equal(dusk_training_prepare(&training, "oracle_ramp", fields, &o, NULL), DUSK_OK);
        assert_int_equal(dusk_training_run(training, &model, frame, p.gen[0], NULL), DUSK_OK);
        assert_int_equal(p.record[0]->n, 3);
        for (size_t r = 0; r < 3; r++) {
            /* five columns, a margin of 1 being 2^15: 4 numbers of at most 1, or a loss of at most 2 */
            double half = ldexp(1, -(int)r), rows = k & 4 ? 4 : 2;
            double shift = rows * (k & 1 ? 5 * 0x1p15 : fmin(2 * (half * 4 * 0x1p15 + 5), 5 * 0x1p15));
            cost += shift / p.record[0]->calls[r].header.scale;
        }
        if (cost > 1.5 || cost < 1.49) fail_msg("the rounds cost %g", cost);
        dusk_model_free(model);
        dusk_training_free(training);
        dusk_fields_free(fields);
        dusk_frame_free(frame);
        replay_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_within_what_they_declare),
        cmocka_unit_test(shifts_keep_the_minimum),
        cmocka_unit_test(noise_is_made_for_the_shift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
