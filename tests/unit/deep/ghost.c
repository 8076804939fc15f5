/* SPDX-License-Identifier: Apache-2.0 */
/* The lengths that gradients are clipped by, as sums.c finds them, against the reference: sums, touched rows and layers are compiled in doubles, in steps
 * so fine that no rounding is seen, and the length of each layer, and of all, is that of the reference to 1e-10, however it is found; never less
 * but for the last digits. And what is added is the reference's gradient, held down. */
#include "deep/sums.h"

#include <math.h>

#include "deep/reference.h"
#include "deep_nets.h"

enum { ROOM = 3, NAMES = 40 };
#define CLOSE 1e-10
#define BELOW 1e-12 /* of a square: what the last digits of doubles, and of steps, may leave out */
#define ADDED 5e-4  /* of the clip: what is added is rounded more */

enum { OUTER, GHOST, DIRECT, ROWS, WAYS };
static const char *const way_names[WAYS] = { "outer", "ghost", "direct", "rows" };
static size_t seen[WAYS][NAMES]; /* by kind: how many layers had their length found so */

static size_t kind_number(const deep_kind *kind)
{
    size_t q = 0;
    while (deep_kinds[q] != kind) q++;
    assert_true(q < NAMES);
    return q;
}

static size_t way_of(const deep_share *share)
{
    if (share->way == DEEP_DIRECT) return DIRECT;
    if (share->way == DEEP_ROWS) return ROWS;
    return share->outer[0].positions == 1 ? OUTER : GHOST;
}

/* What the reference says of example i; the pass went forward and back. */
static void open_reference(deep_reference *r, const tried_net *tried, const tried_pass *t, size_t i)
{
    const size_t last = t->net.layers, n = deep_size(t->net.out);
    assert_int_equal(deep_reference_open(r, &t->net, NULL), DUSK_OK);
    r->parameters = t->parameters;
    r->training = t->pass.training;
    r->coin = t->pass.coin[i];
    memcpy(r->value[0], t->pass.value[0] + i * tried->in, tried->in * sizeof(double));
    if (!deep_reference_forward(r)) fail_msg("%s: a kind has no reference", tried->text);
    memcpy(r->slope[last], t->pass.slope[last] + i * n, n * sizeof(double));
    deep_reference_backward(r);
}

/* Of all layers of group g. */
static double reference_square(const deep_reference *r, const deep_sum *sum, size_t g)
{
    double square = 0;
    for (size_t l = 0; l < sum->net->layers; l++) {
        const deep_layer *layer = &sum->net->layer[l];
        if (sum->share[l].way == DEEP_NOTHING || sum->share[l].group != g) continue;
        for (size_t j = layer->first; j < layer->first + layer->parameters; j++)
            square += r->gradient[j] * r->gradient[j];
    }
    return square;
}

static void check_lengths(const tried_net *tried, const deep_sum *sum, const deep_reference *r)
{
    for (size_t g = 0; g < sum->groups; g++) {
        const double right = reference_square(r, sum, g), ghost = sum->length[g].square;
        if (!(ghost >= right * (1 - BELOW) - 1e-20))
            fail_msg("%s: the length of group %zu is %.17g, less than %.17g", tried->text, g, sqrt(ghost),
                     sqrt(right));
        if (!(ghost <= right * (1 + CLOSE) + 1e-20))
            fail_msg("%s: the length of group %zu is %.17g, more than %.17g", tried->text, g, sqrt(ghost),
                     sqrt(right));
    }
}

/* What was added of this one example. */
static void check_added(const tried_net *tried, deep_sum *sum, const deep_reference *r, double clip)
{
    for (size_t l = 0; l < sum->net->layers; l++) {
        const deep_layer *layer = &sum->net->layer[l];
        const deep_share *share = &sum->share[l];
        if (share->way == DEEP_NOTHING) continue;
        const double size = sqrt(reference_square(r, sum, share->group)),
                     most = clip / sqrt((double)sum->groups), factor = size > most ? most / size : 1;
        for (size_t j = 0, n; j < share->count; j += n) {
            n = share->count - j;
            const int64_t *total = deep_sum_totals(sum, share->first + j, &n);
            for (size_t k = 0; k < n; k++) {
                const double right = factor * r->gradient[layer->first + j + k];
                const double added = (double)total[k] / DEEP_STEPS * clip;
                if (fabs(added - right) > ADDED * clip)
                    fail_msg("%s: %g is added to number %zu of layer %zu, not %g", tried->text, added, j + k,
                             l + 1, right);
            }
        }
    }
}

/* `examples` in a pass, of which the last is looked at. */
static void check_net(const tried_net *tried, deep_clipping clipping, size_t examples, double clip,
                      uint64_t seed)
{
    tried_pass t;
    deep_sum sum;
    deep_reference r;
    uint64_t coin[ROOM];
    open_tried(&t, tried, ROOM, seed);
    assert_int_equal(deep_sum_open(&sum, &t.pass, clipping, clip, NULL), DUSK_OK);
    for (size_t l = 0; l < t.net.layers; l++)
        if (sum.share[l].way != DEEP_NOTHING) seen[way_of(&sum.share[l])][kind_number(t.net.layer[l].kind)]++;
    for (size_t i = 0; i < ROOM; i++) coin[i] = splitmix64(&t.coins);
    t.pass.coin = coin;
    t.pass.examples = examples;
    t.pass.training = true;
    random_numbers(&t.coins, t.pass.value[0], examples * tried->in, 2);
    deep_forward(&t.pass);
    random_numbers(&t.coins, t.pass.slope[t.net.layers], examples * tried->out, 1);
    deep_backward(&t.pass);
    open_reference(&r, tried, &t, examples - 1);
    assert_int_equal(deep_sum_add(&sum, &t.pass, NULL), DUSK_OK);
    check_lengths(tried, &sum, &r);
    if (examples == 1) check_added(tried, &sum, &r, clip);
    deep_reference_close(&r);
    deep_sum_close(&sum);
    close_tried(&t);
}

static void check_ways(const tried_net *tried, uint64_t seed)
{
    for (size_t examples = 1; examples <= ROOM; examples++) {
        check_net(tried, DEEP_CLIP_FLAT, examples, examples == 1 ? 0.5 : 100, seed + examples);
        check_net(tried, DEEP_CLIP_LAYERS, examples, examples == 1 ? 100 : 0.5, seed + 10 + examples);
    }
}

static void test_every_kind(void **state)
{
    (void)state;
    for (size_t k = 0; k < TRIED_NETS; k++) check_ways(&tried_nets[k], 100 * k);
}

/* What is rare among nets by chance, and was there all the same. */
static const char *const rare[] = { "tied", "add;", "scatter", "groups", "embedding", "attention" };
enum { RARE = sizeof rare / sizeof *rare };

static void test_by_chance(void **state)
{
    uint64_t coins = 17;
    size_t tried = 0, met[RARE] = { 0 }, apart = 0;
    (void)state;
    for (int run = 0; run < 1500; run++) {
        char text[600];
        const tried_net net = chance_net(&coins, text, sizeof text);
        if (!fits(&net)) continue;
        check_ways(&net, splitmix64(&coins));
        tried++;
        for (size_t k = 0; k < RARE; k++) met[k] += strstr(text, rare[k]) != NULL;
        unsigned dilation, groups;
        const char *both = strstr(text, "dilation");
        apart += both && sscanf(both, "dilation %u groups %u", &dilation, &groups) == 2 && dilation > 1 &&
                 groups > 1;
    }
    if (!(tried > 300 && apart >= 10)) fail_msg("%zu nets, %zu of which have gaps and groups", tried, apart);
    for (size_t k = 0; k < RARE; k++)
        if (met[k] < 10) fail_msg("only %zu nets by chance have %s", met[k], rare[k]);
}

/* Positions of all numbers, up to where gradients are made. */
static void test_positions(void **state)
{
    static const char *const form[] = {
        "input %zu 1 4; dense 9 each; tanh; output",
        "input %zu 1 4; conv1d 8 3 stride 2 pad 1; tanh; conv1d 6 2 groups 2 dilation 2 pad 2; output",
        "input %zu 1 4; residual; lstm 4; add; gru 9; output",
        "input %zu 1 4; attention 2; dense 7 each; tanh; tied 3 each; output",
    };
    (void)state;
    for (size_t n = 1; n <= 40; n++)
        for (size_t f = 0; f < sizeof form / sizeof *form; f++) {
            char text[120];
            snprintf(text, sizeof text, form[f], n);
            const tried_net net = { text, 4 * n, 2 };
            check_ways(&net, 1000 * n + 100 * f);
        }
}

/* Run last: lengths were found in all ways, and by factors of several positions of all that have such. */
static void test_all_ways(void **state)
{
    static const struct {
        size_t way;
        const char *kind;
    } needed[] = {
        { OUTER, "dense" },      { OUTER, "conv" },       { OUTER, "lstm" },       { OUTER, "gru" },
        { OUTER, "attention" },  { GHOST, "dense" },      { GHOST, "conv" },       { GHOST, "conv1d" },
        { GHOST, "lstm" },       { GHOST, "gru" },        { GHOST, "attention" },  { DIRECT, "dense" },
        { DIRECT, "conv" },      { DIRECT, "conv1d" },    { DIRECT, "tied" },      { DIRECT, "embedding" },
        { DIRECT, "layernorm" }, { DIRECT, "groupnorm" }, { DIRECT, "positions" }, { ROWS, "embedding" },
    };
    (void)state;
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
        size_t q = 0;
        while (deep_kinds[q] && strcmp(deep_kinds[q]->name, needed[k].kind)) q++;
        assert_non_null(deep_kinds[q]);
        if (seen[needed[k].way][q] == 0)
            fail_msg("no %s had its length found the way %s", needed[k].kind, way_names[needed[k].way]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_by_chance),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_all_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
