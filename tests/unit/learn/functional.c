/* SPDX-License-Identifier: Apache-2.0 */
/* The functional mechanism: with much budget the released polynomial is that of the rows and the weights are its minimum; each released
 * number varies as is said, whatever the bounds of its column are; a form that noise made indefinite is never minimised. */
#include "regressions.h"

#include "learn/learner.h"

enum { WIDTH = 4, CELLS = WIDTH * WIDTH };

static const char fields[] = "a numeric 0:1\nb numeric -1:0\nc numeric 5:6\ngood category no,yes\n";

static dusk_frame *make_frame(size_t rows, uint64_t seed)
{
    dusk_fields *parsed;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&parsed, fields, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, parsed, rows, NULL), DUSK_OK);
    for (size_t i = 0; i < rows; i++) {
        double lean = 0;
        for (size_t j = 0; j < 3; j++) {
            double u = regression_uniform(&seed);
            frame->column[j].number[i] = parsed->field[j].lower + u;
            lean += (2 * u - 1) * (j == 1 ? -2 : 1);
        }
        frame->column[3].code[i] = regression_uniform(&seed) < 1 / (1 + exp(-lean));
    }
    dusk_fields_free(parsed);
    return frame;
}

static dusk_model *train(const dusk_frame *frame, double epsilon, double delta, const char *more,
                         uint64_t seed)
{
    regression_request r = { "functional", .label = "good",
                             .settings = { "polynomial=keep", "scaling=bounds", more }, .epsilon = epsilon,
                             .delta = delta };
    return regression_train(&r, frame, seed);
}

static const double *array_of(const dusk_model *model, const char *name, size_t cells)
{
    size_t rows, columns;
    const double *x = dusk_model_array(model, name, &rows, &columns);
    assert_non_null(x);
    assert_int_equal(rows * columns, cells);
    return x;
}

/* A and b of a frame, in doubles. */
static void sums_of(const dusk_frame *frame, double *quadratic, double *linear)
{
    for (size_t i = 0; i < frame->rows; i++) {
        double x[WIDTH] = { [WIDTH - 1] = 1 };
        for (size_t j = 0; j + 1 < WIDTH; j++)
            x[j] = 2 * (frame->column[j].number[i] - frame->fields->field[j].lower) - 1;
        for (size_t j = 0; j < WIDTH; j++) linear[j] += frame->column[3].code[i] ? x[j] : -x[j];
        for (size_t k = 0; k < CELLS; k++) quadratic[k] += x[k / WIDTH] * x[k % WIDTH];
    }
}

static void test_truth(void **unused)
{
    (void)unused;
    dusk_frame *frame = make_frame(3000, 1);
    double quadratic[CELLS] = { 0 }, linear[WIDTH] = { 0 };
    sums_of(frame, quadratic, linear);
    for (int pure = 0; pure < 2; pure++) {
        dusk_model *model = train(frame, 1e6, pure ? 0 : 1e-6, "radius=1000", 2);
        const double *q = array_of(model, "quadratic", CELLS), *l = array_of(model, "linear", WIDTH),
                     *w = array_of(model, "weights", WIDTH);
        for (size_t k = 0; k < CELLS; k++) assert_true(fabs(q[k] - quadratic[k]) < 1);
        for (size_t j = 0; j < WIDTH; j++) {
            double slope = -2 * linear[j]; /* of 4 times the polynomial, at its minimum */
            for (size_t k = 0; k < WIDTH; k++) slope += quadratic[j * WIDTH + k] * w[k];
            assert_true(fabs(l[j] - linear[j]) < 1);
            if (fabs(slope) > 5) fail_msg("the slope in %zu is %g", j, slope);
        }
        assert_true(w[0] > 0.6 && w[1] < -1 && w[2] > 0.6 && fabs(w[3]) < 0.2);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
}

/* No number of a polynomial comes out twice the same, and each varies by what is said: columns in [0, 1], [-1, 0] and [5, 6]. */
static void test_every_number_varies(void **unused)
{
    (void)unused;
    enum { RUNS = 300 };
    dusk_frame *frame = make_frame(50, 3);
    for (int pure = 0; pure < 2; pure++) {
        double sum[CELLS + WIDTH] = { 0 }, squares[CELLS + WIDTH] = { 0 }, lambda = 0;
        for (uint64_t t = 0; t < RUNS; t++) {
            dusk_model *model = train(frame, 1, pure ? 0 : 1e-6, "ridge=1", 100 + t);
            for (size_t k = 0; k < CELLS + WIDTH; k++) {
                double x = k < CELLS ? array_of(model, "quadratic", CELLS)[k]
                                     : array_of(model, "linear", WIDTH)[k - CELLS];
                sum[k] += x;
                squares[k] += x * x;
            }
            lambda = regression_number(model, "lambda", 0);
            dusk_model_free(model);
        }
        /* lambda is corner * sqrt(d). Rows are at most 2 long, so that y x has half the length of x x^T, and shares are equal. Noise
         * of density exp(-epsilon |z| / most) in n numbers has the variance (n + 1) (most / epsilon)^2 in each. */
        double corner = lambda / sqrt(WIDTH);
        if (pure) assert_true(fabs(corner / (sqrt(11) * 4 / 0.5) - 1) < 1e-3);
        for (size_t k = 0; k < CELLS + WIDTH; k++) {
            double deviation = sqrt((squares[k] - sum[k] * sum[k] / RUNS) / (RUNS - 1)), claimed = corner;
            if (k >= CELLS)
                claimed = pure ? sqrt(5) * 2 / 0.5 : corner * M_SQRT2 / 2;
            else if (!pure && k / WIDTH == k % WIDTH)
                claimed = corner * M_SQRT2;
            if (!(deviation > 0.8 * claimed && deviation < 1.25 * claimed))
                fail_msg("pure %d, number %zu: deviation %g, claimed %g", pure, k, deviation, claimed);
        }
    }
    dusk_frame_free(frame);
}

/* With noise alone half of the eigenvalues are negative; what is minimised bends everywhere by lambda at least. */
static void test_indefinite(void **unused)
{
    (void)unused;
    dusk_frame *frame = make_frame(0, 1);
    double negative = 0;
    for (uint64_t t = 0; t < 60; t++) {
        dusk_model *model = train(frame, 0.5, t % 2 ? 0 : 1e-6, "radius=1000000", t);
        const double *w = array_of(model, "weights", WIDTH), *l = array_of(model, "linear", WIDTH);
        double lambda = regression_number(model, "lambda", 0), product = 0, length = 0, most = 0;
        for (size_t j = 0; j < WIDTH; j++) {
            product += w[j] * l[j]; /* <2 b, w> = <w, (A + lambda) w> >= lambda |w|^2 */
            length += w[j] * w[j];
            most += l[j] * l[j];
        }
        assert_true(2 * product >= lambda * length * (1 - 1e-9));
        assert_true(sqrt(length) * lambda <= 2 * sqrt(most) * (1 + 1e-9));
        negative += regression_number(model, "negative", 0);
        dusk_model_free(model);
    }
    assert_true(negative > 60);
    dusk_frame_free(frame);
}

static void test_radius(void **unused)
{
    (void)unused;
    dusk_frame *frame = make_frame(500, 4);
    dusk_model *model = train(frame, 1e6, 1e-6, "radius=0.25", 5);
    double square = 0;
    for (size_t j = 0; j < WIDTH; j++) square += pow(regression_number(model, "weights", j), 2);
    assert_true(fabs(square - 0.0625) < 1e-9);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

static void test_odd_data(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < 40; n += 3)
        for (int pure = 0; pure < 2; pure++) {
            dusk_frame *frame = make_frame(n, n);
            for (size_t i = 0; i < n; i++) {
                frame->column[0].number[i] = i % 2 ? NAN : 0.5;
                frame->column[3].code[i] = i % 3 ? 1 : -1; /* one class is missing, and so are labels */
            }
            dusk_model *model = train(frame, 1, pure ? 0 : 1e-6, NULL, 5);
            regression_all_finite(model);
            assert_true(model->learner->complete(model));
            dusk_model_free(model);
            dusk_frame_free(frame);
        }
}

static void test_refusals(void **unused)
{
    (void)unused;
    regression_request number = { "functional", .label = "y", .epsilon = 1 };
    regression_expect_refusal(&number, regression_fields, "categor");
    regression_request three = { "functional", .label = "y", .epsilon = 1 };
    regression_expect_refusal(&three, "x numeric 0:1\ny category a,b,c\n", "a category of two values");
    regression_request ridge = { "functional", .label = "good", .settings = { "ridge=0" }, .epsilon = 1 };
    regression_expect_refusal(&ridge, fields, "ridge");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth),      cmocka_unit_test(test_every_number_varies),
        cmocka_unit_test(test_indefinite), cmocka_unit_test(test_radius),
        cmocka_unit_test(test_odd_data),   cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
