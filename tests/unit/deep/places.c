/* SPDX-License-Identifier: Apache-2.0 */
/* Every example by itself: its values, slopes and gradients are the same bits alone, first, last or in the middle of a pass, and whatever
 * the others are - other numbers, huge ones, infinities, NaN - for all that this machine has. Clipping each example, and one row
 * more or less changing a sum by no more than that row, rests on it. */
#include "deep_nets.h"
#include "tensor/lanes.h"

enum { ROOM = 19 };

typedef struct seen {
    deep_real *numbers; /* all values, slopes and gradients of one example */
    size_t n;
} seen;

static void keep(seen *s, const deep_real *x, size_t n)
{
    memcpy(s->numbers + s->n, x, n * sizeof *x);
    s->n += n;
}

static size_t seen_size(const deep_net *net)
{
    size_t n = net->parameters;
    for (size_t l = 0; l <= net->layers; l++) n += 2 * tried_size(net, l);
    return n;
}

/* What the pass has of example i. */
static void look(seen *s, tried_pass *t, size_t i)
{
    s->n = 0;
    for (size_t l = 0; l <= t->net.layers; l++) {
        const size_t size = tried_size(&t->net, l);
        keep(s, t->pass.value[l] + i * size, size);
        keep(s, t->pass.slope[l] + i * size, size);
    }
    for (size_t l = 0; l < t->net.layers; l++) {
        const deep_layer *layer = &t->net.layer[l];
        if (layer->parameters == 0) continue;
        deep_gradient(&t->pass, l, i, s->numbers + s->n);
        s->n += layer->parameters;
    }
}

/* Strange company: of numbers, of large ones, and of what is no number. */
static void company(uint64_t *coins, deep_real *x, size_t n, size_t how)
{
    static const double scale[] = { 1, 1e-30, 1e6, 1e30 };
    random_numbers(coins, x, n, scale[how % 4]);
    for (size_t j = 0; how >= 4 && j < n; j++) {
        const uint64_t word = splitmix64(coins) % 4;
        if (word == 0) x[j] = (deep_real)NAN;
        if (word == 1) x[j] = (deep_real)INFINITY;
        if (word == 2) x[j] = (deep_real)-INFINITY;
    }
}

/* One example and its slopes at place i of `examples`. */
static void run_at(const tried_net *tried, tried_pass *t, const deep_real *x, const deep_real *d,
                   uint64_t coin, size_t i, size_t examples, size_t how)
{
    uint64_t coins[ROOM];
    const size_t out = deep_size(t->net.out);
    for (size_t j = 0; j < examples; j++) coins[j] = splitmix64(&t->coins);
    coins[i] = coin;
    t->pass.examples = examples;
    t->pass.training = true;
    t->pass.coin = coins;
    company(&t->coins, t->pass.value[0], examples * tried->in, how);
    memcpy(t->pass.value[0] + i * tried->in, x, tried->in * sizeof *x);
    deep_forward(&t->pass);
    company(&t->coins, t->pass.slope[t->net.layers], examples * out, how);
    memcpy(t->pass.slope[t->net.layers] + i * out, d, out * sizeof *d);
    back_to_input(&t->pass);
    t->pass.coin = NULL;
}

static void check_net(const tried_net *tried, int level, uint64_t seed)
{
    static const struct {
        size_t place, examples;
    } places[] = { { 0, 2 }, { 1, 2 },    { 0, 7 },    { 3, 7 },
                   { 6, 7 }, { 0, ROOM }, { 8, ROOM }, { ROOM - 1, ROOM } };
    tried_pass t;
    open_tried(&t, tried, ROOM, seed);
    t.pass.level = level;
    deep_real *x = dusk_allocate(tried->in, sizeof *x), *d = dusk_allocate(tried->out, sizeof *d);
    seen alone = { dusk_allocate(seen_size(&t.net), sizeof(deep_real)), 0 };
    seen amid = { dusk_allocate(seen_size(&t.net), sizeof(deep_real)), 0 };
    const uint64_t coin = splitmix64(&t.coins);
    random_numbers(&t.coins, x, tried->in, 2);
    random_numbers(&t.coins, d, tried->out, 1);
    run_at(tried, &t, x, d, coin, 0, 1, 0);
    look(&alone, &t, 0);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        run_at(tried, &t, x, d, coin, places[p].place, places[p].examples, p);
        look(&amid, &t, places[p].place);
        assert_int_equal(alone.n, amid.n);
        for (size_t j = 0; j < alone.n; j++)
            if (memcmp(&alone.numbers[j], &amid.numbers[j], sizeof(deep_real)) != 0)
                fail_msg("%s: number %zu of example %zu of %zu is %g, and alone it is %g (level %d)",
                         tried->text, j, places[p].place, places[p].examples, (double)amid.numbers[j],
                         (double)alone.numbers[j], level);
    }
    dusk_deallocate(x);
    dusk_deallocate(d);
    dusk_deallocate(alone.numbers);
    dusk_deallocate(amid.numbers);
    close_tried(&t);
}

static void test_places(void **state)
{
    (void)state;
    for (int level = 0; level <= tensor_lanes_level(); level++)
        for (size_t k = 0; k < TRIED_NETS; k++) check_net(&tried_nets[k], level, 10 + k);
}

static void test_by_chance(void **state)
{
    uint64_t coins = 12;
    (void)state;
    for (int run = 0; run < 150; run++) {
        char text[600];
        const tried_net net = chance_net(&coins, text, sizeof text);
        if (fits(&net)) check_net(&net, tensor_lanes_level(), splitmix64(&coins));
    }
}

/* What an example that is no number leaves behind in a pass (kept numbers, scratch) does not reach the next one. */
static void test_leftovers(void **state)
{
    (void)state;
    for (size_t k = 0; k < TRIED_NETS; k++) {
        const tried_net *tried = &tried_nets[k];
        tried_pass t, fresh;
        open_tried(&t, tried, 3, 50 + k);
        open_tried(&fresh, tried, 3, 50 + k);
        deep_real *x = dusk_allocate(tried->in, sizeof *x), *d = dusk_allocate(tried->out, sizeof *d);
        seen one = { dusk_allocate(seen_size(&t.net), sizeof(deep_real)), 0 };
        seen two = { dusk_allocate(seen_size(&t.net), sizeof(deep_real)), 0 };
        random_numbers(&t.coins, x, tried->in, 2);
        random_numbers(&t.coins, d, tried->out, 1);
        run_at(tried, &t, x, d, 77, 2, 3, 4);
        run_at(tried, &t, x, d, 77, 0, 3, 4); /* its former place has now another */
        look(&one, &t, 1);
        run_at(tried, &t, x, d, 77, 1, 2, 0);
        look(&one, &t, 1);
        run_at(tried, &fresh, x, d, 77, 0, 1, 0);
        look(&two, &fresh, 0);
        assert_int_equal(one.n, two.n);
        assert_memory_equal(one.numbers, two.numbers, one.n * sizeof(deep_real));
        dusk_deallocate(x);
        dusk_deallocate(d);
        dusk_deallocate(one.numbers);
        dusk_deallocate(two.numbers);
        close_tried(&t);
        close_tried(&fresh);
    }
}

/* --- losses ------------------------------------------------------------------------------------------------------ */

enum { OUTPUTS = 5 };

/* What is wanted of the examples of a pass. */
typedef struct answers {
    int32_t code[ROOM];
    deep_real number[ROOM * OUTPUTS];
    int8_t mark[ROOM * OUTPUTS];
} answers;

static void some_answers(answers *a, uint64_t *coins, size_t how)
{
    for (size_t i = 0; i < ROOM; i++) a->code[i] = (int32_t)(splitmix64(coins) % OUTPUTS);
    company(coins, a->number, ROOM * OUTPUTS, how);
    for (size_t j = 0; j < ROOM * OUTPUTS; j++) a->mark[j] = (int8_t)(splitmix64(coins) % 3) - 1;
}

/* Slopes of one example, whose outputs, input and answer are the first of `x`, `in` and `own`, at place i of `examples` in company. */
static void slopes_at(tried_pass *t, deep_loss loss, const deep_real *x, const deep_real *in,
                      const answers *own, size_t i, size_t examples, size_t how, deep_real *slope)
{
    answers all;
    const deep_wanted wanted = { all.code, all.number, all.mark };
    deep_real *value = t->pass.value[t->net.layers];
    t->pass.examples = examples;
    some_answers(&all, &t->coins, how);
    company(&t->coins, t->pass.value[0], examples * OUTPUTS, how);
    company(&t->coins, value, examples * OUTPUTS, how);
    memcpy(value + i * OUTPUTS, x, OUTPUTS * sizeof *x);
    memcpy(t->pass.value[0] + i * OUTPUTS, in, OUTPUTS * sizeof *in);
    all.code[i] = own->code[0];
    memcpy(all.number + i * OUTPUTS, own->number, OUTPUTS * sizeof *own->number);
    memcpy(all.mark + i * OUTPUTS, own->mark, OUTPUTS * sizeof *own->mark);
    deep_loss_slopes(loss, &t->pass, &wanted);
    memcpy(slope, t->pass.slope[t->net.layers] + i * OUTPUTS, OUTPUTS * sizeof *slope);
}

/* Slopes are by what is wanted of the example itself, and by its own outputs: the same bits wherever it stands, and whoever stands before and after it. */
static void test_losses(void **state)
{
    static const tried_net tried = { "dense 5", OUTPUTS, OUTPUTS };
    tried_pass t;
    (void)state;
    open_tried(&t, &tried, ROOM, 61);
    for (deep_loss loss = DEEP_SOFTMAX; loss <= DEEP_ANSWER; loss++)
        for (size_t run = 0; run < 40; run++) {
            deep_real x[OUTPUTS], in[OUTPUTS], alone[OUTPUTS], amid[OUTPUTS], other[OUTPUTS];
            answers own;
            random_numbers(&t.coins, x, OUTPUTS, 3);
            random_numbers(&t.coins, in, OUTPUTS, 3);
            some_answers(&own, &t.coins, 0);
            for (size_t j = 0; loss == DEEP_ANSWER && j < OUTPUTS; j++) own.number[j] = fabsf(own.number[j]);
            slopes_at(&t, loss, x, in, &own, 0, 1, 0, alone);
            for (size_t examples = 2; examples <= ROOM; examples += 1 + run % 7)
                for (size_t i = 0; i < examples; i++) {
                    slopes_at(&t, loss, x, in, &own, i, examples, run % 8, amid);
                    if (memcmp(alone, amid, sizeof amid) != 0)
                        fail_msg("loss %d: slopes of example %zu of %zu are not those that it has alone",
                                 (int)loss, i, examples);
                }
            for (size_t j = 0; j < OUTPUTS; j++)
                own.number[j] += 1, in[j] += 1, own.mark[j] = own.mark[j] == 1 ? 0 : 1;
            own.code[0] = (own.code[0] + 1) % OUTPUTS;
            slopes_at(&t, loss, x, in, &own, 0, 1, 0, other);
            assert_true(memcmp(alone, other, sizeof other) != 0); /* it is its own answer that counts */
        }
    close_tried(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_by_chance),
        cmocka_unit_test(test_leftovers),
        cmocka_unit_test(test_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
