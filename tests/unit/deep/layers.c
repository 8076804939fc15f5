/* SPDX-License-Identifier: Apache-2.0 */
/* The fast layers, compiled in doubles, against the reference: values, slopes and gradients of single examples agree to 1e-10,
 * factors mean the gradient, and the loss rises as its slopes say. */
#include <math.h>

#include "deep/affine.h"
#include "deep/reference.h"
#include "deep_nets.h"

enum { ROOM = 5 };
#define CLOSE 1e-10

static void agree(const char *text, const char *what, size_t l, const double *x, const double *y, size_t n)
{
    double most = 0, apart = 0;
    for (size_t j = 0; j < n; j++) {
        most = fmax(most, fabs(y[j]));
        apart = fmax(apart, fabs(x[j] - y[j]));
        if (!isfinite(x[j]) || !isfinite(y[j]))
            fail_msg("%s: %s of layer %zu is not finite: %g, and %g by the reference", text, what, l + 1,
                     x[j], y[j]);
    }
    if (apart > CLOSE * (most + 1e-3))
        fail_msg("%s: %s of layer %zu is %g away, of %g", text, what, l + 1, apart, most);
}

/* The squared length of the gradient by its factors, as sums.c has it. */
static double ghost_length(const deep_factors *f)
{
    double sum = 0;
    for (size_t t = 0; t < f->positions; t++)
        for (size_t u = 0; u < f->positions; u++) {
            double left = 0, right = f->constant ? 1 : 0;
            for (size_t r = 0; r < f->rows; r++)
                left += f->left[t * f->left_step + r] * f->left[u * f->left_step + r];
            for (size_t c = 0; c < f->columns; c++)
                right += f->right[t * f->right_step + c] * f->right[u * f->right_step + c];
            sum += left * right;
        }
    return sum;
}

static void check_factors(const tried_net *tried, deep_pass *pass, size_t l, size_t i, const double *right)
{
    const deep_layer *layer = &pass->net->layer[l];
    deep_factors f[DEEP_PAIRS];
    double *out = dusk_allocate(layer->parameters, sizeof *out);
    size_t covered = 0;
    const size_t pairs = layer->kind->factors(pass, l, i, f);
    for (size_t k = 0; k < pairs; k++) {
        double square = 0;
        const size_t n = f[k].rows * (f[k].columns + f[k].constant);
        assert_int_equal(f[k].first, covered);
        deep_affine_gradient(pass, &f[k], out);
        agree(tried->text, "the product of factors", l, out, right + covered, n);
        for (size_t j = 0; j < n; j++) square += right[covered + j] * right[covered + j];
        const double ghost = ghost_length(&f[k]);
        agree(tried->text, "the length by factors", l, &ghost, &square, 1);
        covered += n;
    }
    assert_true(pairs == 0 || covered == layer->parameters);
    dusk_deallocate(out);
}

static void check_rows(const tried_net *tried, deep_pass *pass, size_t l, size_t i, const double *right)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t width = layer->out.channels;
    double *numbers = dusk_allocate(deep_size(layer->out), sizeof *numbers);
    double *out = dusk_allocate(layer->parameters, sizeof *out);
    uint32_t *row = dusk_allocate(deep_size(layer->in), sizeof *row);
    const size_t count = layer->kind->rows(pass, l, i, row, numbers);
    for (size_t k = 0; k < count; k++) {
        assert_true(row[k] < layer->parameters / width);
        for (size_t j = 0; j < k; j++) assert_true(row[j] != row[k]);
        memcpy(out + row[k] * width, numbers + k * width, width * sizeof *out);
    }
    agree(tried->text, "the gradient by rows", l, out, right, layer->parameters);
    dusk_deallocate(numbers);
    dusk_deallocate(out);
    dusk_deallocate(row);
}

/* All that a layer says of example i, against r. */
static void check_gradient(const tried_net *tried, deep_pass *pass, size_t l, size_t i, const double *right)
{
    const deep_layer *layer = &pass->net->layer[l];
    double *out;
    if (layer->parameters == 0) return;
    out = dusk_allocate(layer->parameters, sizeof *out);
    deep_gradient(pass, l, i, out);
    agree(tried->text, "the gradient", l, out, right, layer->parameters);
    if (layer->kind->factors && !layer->shared) check_factors(tried, pass, l, i, right);
    if (layer->kind->rows && !layer->shared) check_rows(tried, pass, l, i, right);
    dusk_deallocate(out);
}

/* Example i, against the reference. */
static void check_example(const tried_net *tried, tried_pass *t, size_t i)
{
    deep_reference r;
    assert_int_equal(deep_reference_open(&r, &t->net, NULL), DUSK_OK);
    const size_t last = t->net.layers, n = deep_size(t->net.out);
    r.parameters = t->parameters;
    r.training = t->pass.training;
    if (t->pass.coin) r.coin = t->pass.coin[i];
    memcpy(r.value[0], t->pass.value[0] + i * tried->in, tried->in * sizeof(double));
    if (!deep_reference_forward(&r)) fail_msg("%s: a kind has no reference", tried->text);
    memcpy(r.slope[last], t->pass.slope[last] + i * n, n * sizeof(double));
    deep_reference_backward(&r);
    for (size_t l = 0; l <= last; l++) {
        const size_t size = tried_size(&t->net, l);
        agree(tried->text, "the input", l, t->pass.value[l] + i * size, r.value[l], size);
        agree(tried->text, "the slope", l, t->pass.slope[l] + i * size, r.slope[l], size);
        if (l < last) check_gradient(tried, &t->pass, l, i, r.gradient + t->net.layer[l].first);
    }
    deep_reference_close(&r);
}

/* Gradients of all examples at once, where a kind has a way for that. */
static void check_all_at_once(const tried_net *tried, tried_pass *t)
{
    for (size_t l = 0; l < t->net.layers; l++) {
        const deep_layer *layer = &t->net.layer[l];
        if (!layer->kind->add_gradients) continue;
        double *total = dusk_allocate(layer->parameters, sizeof *total);
        double *sum = dusk_allocate(layer->parameters, sizeof *sum);
        double *one = dusk_allocate(layer->parameters, sizeof *one);
        for (size_t j = 0; j < layer->parameters; j++) sum[j] = total[j] = (double)j;
        for (size_t i = 0; i < t->pass.examples; i++) {
            layer->kind->gradient(&t->pass, l, i, one);
            for (size_t j = 0; j < layer->parameters; j++) sum[j] += one[j];
        }
        layer->kind->add_gradients(&t->pass, l, total);
        agree(tried->text, "the sum of gradients", l, total, sum, layer->parameters);
        dusk_deallocate(total);
        dusk_deallocate(sum);
        dusk_deallocate(one);
    }
}

static void check_net(const tried_net *tried, size_t examples, uint64_t seed)
{
    tried_pass t;
    uint64_t coin[ROOM];
    open_tried(&t, tried, ROOM, seed);
    for (size_t i = 0; i < ROOM; i++) coin[i] = splitmix64(&t.coins);
    t.pass.examples = examples;
    t.pass.training = examples > 1;
    t.pass.coin = coin;
    random_numbers(&t.coins, t.pass.value[0], examples * tried->in, 2);
    deep_forward(&t.pass);
    random_numbers(&t.coins, t.pass.slope[t.net.layers], examples * tried->out, 1);
    back_to_input(&t.pass);
    for (size_t i = 0; i < examples; i++) check_example(tried, &t, i);
    check_all_at_once(tried, &t);
    close_tried(&t);
}

static void test_reference(void **state)
{
    (void)state;
    for (size_t k = 0; k < TRIED_NETS; k++)
        for (size_t examples = 1; examples <= ROOM; examples += 2)
            check_net(&tried_nets[k], examples, 100 * k + examples);
}

static void test_by_chance(void **state)
{
    uint64_t coins = 11;
    size_t tried = 0;
    (void)state;
    for (int run = 0; run < 600; run++) {
        char text[600];
        const tried_net net = chance_net(&coins, text, sizeof text);
        if (!fits(&net)) continue;
        check_net(&net, 3, splitmix64(&coins));
        tried++;
    }
    assert_true(tried > 150);
}

/* --- finite differences ------------------------------------------------------------------------------------------------ */

static double loss_at(tried_pass *t, const deep_wanted *wanted, deep_loss loss)
{
    deep_forward(&t->pass);
    return deep_loss_of(loss, &t->pass, wanted, 0);
}

/* The loss of one example rises with *x as `slope` says. */
static void check_rise(const char *text, tried_pass *t, const deep_wanted *wanted, deep_loss loss, double *x,
                       double slope)
{
    const double step = 1e-5, before = *x;
    *x = before + step;
    const double up = loss_at(t, wanted, loss);
    *x = before - step;
    const double down = loss_at(t, wanted, loss);
    *x = before;
    if (fabs((up - down) / (2 * step) - slope) > 1e-6 * (1 + fabs(slope)))
        fail_msg("%s: the loss rises by %g, and the slope is %g", text, (up - down) / (2 * step), slope);
}

static void check_loss(const tried_net *tried, deep_loss loss, uint64_t seed)
{
    tried_pass t;
    double number[64];
    int32_t code = 0;
    open_tried(&t, tried, 1, seed);
    random_numbers(&t.coins, number, tried->out, 1);
    for (size_t j = 0; loss == DEEP_ANSWER && j < tried->out; j++) number[j] = 0.1 + fabs(number[j]);
    random_numbers(&t.coins, t.pass.value[0], tried->in, 2);
    code = (int32_t)(splitmix64(&t.coins) % tried->out);
    int8_t mark[64];
    for (size_t j = 0; j < tried->out; j++) mark[j] = (int8_t)(splitmix64(&t.coins) % 3) - 1;
    const deep_wanted wanted = { &code, number, mark };
    t.pass.examples = 1;
    deep_forward(&t.pass);
    deep_loss_slopes(loss, &t.pass, &wanted);
    back_to_input(&t.pass);
    double *gradient = dusk_allocate(t.net.parameters, sizeof *gradient);
    double *slope = dusk_allocate(tried->in, sizeof *slope);
    memcpy(slope, t.pass.slope[0], tried->in * sizeof *slope);
    for (size_t l = 0; l < t.net.layers; l++)
        if (t.net.layer[l].parameters > 0) deep_gradient(&t.pass, l, 0, gradient + t.net.layer[l].first);
    for (size_t l = 0; l < t.net.layers; l++)
        for (size_t c = 0; c < 12 && t.net.layer[l].parameters > 0; c++) {
            const size_t j = t.net.layer[l].first + splitmix64(&t.coins) % t.net.layer[l].parameters;
            check_rise(tried->text, &t, &wanted, loss, &t.parameters[j], gradient[j]);
        }
    for (size_t c = 0; c < 8 && goes_back(&t.net); c++) {
        const size_t j = splitmix64(&t.coins) % tried->in;
        check_rise(tried->text, &t, &wanted, loss, &t.pass.value[0][j], slope[j]);
    }
    dusk_deallocate(gradient);
    dusk_deallocate(slope);
    close_tried(&t);
}

static void test_loss(void **state)
{
    (void)state;
    for (size_t k = 0; k < TRIED_NETS; k++) {
        check_loss(&tried_nets[k], DEEP_SOFTMAX, 1000 + k);
        check_loss(&tried_nets[k], DEEP_SQUARED, 2000 + k);
        check_loss(&tried_nets[k], DEEP_MARKS, 3000 + k);
        check_loss(&tried_nets[k], DEEP_ANSWER, 4000 + k);
    }
}

/* Every kind is in one of the nets. */
static void test_all_kinds(void **state)
{
    (void)state;
    for (size_t q = 0; deep_kinds[q]; q++) {
        bool seen = false;
        for (size_t k = 0; k < TRIED_NETS; k++) {
            deep_net net;
            assert_int_equal(
                deep_net_parse(&net, tried_nets[k].text, tried_nets[k].in, tried_nets[k].out, NULL), DUSK_OK);
            for (size_t l = 0; l < net.layers; l++) seen |= net.layer[l].kind == deep_kinds[q];
            deep_net_clear(&net);
        }
        if (!seen) fail_msg("no net in deep_nets.h has a layer %s", deep_kinds[q]->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_by_chance),
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_all_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
