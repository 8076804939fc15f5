/* SPDX-License-Identifier: Apache-2.0 */
/* What one example adds is never longer than the clip, counted in whole numbers of 128 bits, whatever the example is; it is its gradient,
 * held down; and sums are sums of that, however examples come in passes, past the room of 32 bits, in one sum or in two that
 * are merged. */
#include "deep/sums.h"

#include <math.h>

#include "base/platform.h"
#include "deep_nets.h"

enum { ROOM = 24 };

static const char *const way_names[] = { "outer", "ghost", "direct", "rows" };
static size_t ways[4];  /* how many layers of tried nets went each way */
static size_t compared; /* gradients of groups with what they should be */

static void forward_and_back(tried_pass *t, size_t examples, const deep_real *x, const deep_real *slopes)
{
    t->pass.examples = examples;
    memcpy(t->pass.value[0], x, examples * deep_size(t->net.in) * sizeof *x);
    deep_forward(&t->pass);
    memcpy(t->pass.slope[t->net.layers], slopes, examples * deep_size(t->net.out) * sizeof *slopes);
    deep_backward(&t->pass);
}

static void add_pass(deep_sum *sum, tried_pass *t)
{
    assert_int_equal(deep_sum_add(sum, &t->pass, NULL), DUSK_OK);
}

/* All totals, asked for in pieces of odd sizes; to be freed. */
static int64_t *totals_of(deep_sum *sum, uint64_t *coins)
{
    const size_t n = sum->net->parameters;
    int64_t *all = dusk_allocate(n, sizeof *all);
    for (size_t first = 0, size; first < n; first += size) {
        size = 1 + splitmix64(coins) % (n - first);
        const size_t asked = size;
        const int64_t *piece = deep_sum_totals(sum, first, &size);
        assert_true(size >= 1 && size <= asked);
        memcpy(all + first, piece, size * sizeof *all);
    }
    return all;
}

/* The squared length of v. */
static dusk_int128 square(const int64_t *v, size_t n)
{
    dusk_int128 sum = 0;
    for (size_t j = 0; j < n; j++) sum += (dusk_int128)v[j] * v[j];
    return sum;
}

/* What rounding may do to what one example adds, in steps: by the numbers of right and left, each of which is rounded to half a step, by definition and not by what was found. All but
 * `capped` are squares. */
typedef struct rounding {
    double most;   /* of how far off it is, for sure */
    double along;  /* of how far along the gradient, by chance: each rounding is anywhere in half a step */
    double slack;  /* of what is left free for halves of steps of the left */
    double rights; /* of how far off a gradient is of which right alone is rounded */
    double floats; /* of what sums of floats may be off by */
    bool capped;   /* numbers of the left are too large for 16 bits, and all are made smaller */
} rounding;

/* 2^11 over a power of two that is above the length of all that is on the right. */
static double power_of(const deep_factors *f)
{
    double square = f->constant ? (double)f->positions : 0;
    int exponent;
    for (size_t t = 0; t < f->positions; t++)
        for (size_t c = 0; c < f->columns; c++) square += pow((double)f->right[t * f->right_step + c], 2);
    (void)frexp(sqrt(square), &exponent);
    return ldexp(1, 11 - exponent);
}

static double length_of(const deep_real *x, size_t n)
{
    double square = 0;
    for (size_t j = 0; j < n; j++) square += (double)x[j] * (double)x[j];
    return sqrt(square);
}

/* Of a matrix that is a sum of outer products; g is its gradient, size long. */
static void round_outer(rounding *r, const deep_factors *f, const deep_real *g, double size, double factor)
{
    const size_t width = f->columns + f->constant;
    const double power = power_of(f), unit = factor / power;
    const double half = 0.5 * sqrt((double)f->rows), halves = 0.5 * sqrt((double)width);
    double most = 0, slack = 0, off = 0, floats = 0; /* positions may all pull the same way */
    for (size_t t = 0; t < f->positions; t++) {
        const deep_real *left = f->left + t * f->left_step, *right = f->right + t * f->right_step;
        const double lefts = length_of(left, f->rows) * unit;
        const double rights = sqrt(pow(length_of(right, f->columns), 2) + f->constant) * power;
        most += half * (rights + halves) + halves * lefts;
        slack += half * (rights + halves);
        off += halves * lefts;
        floats += ((double)f->positions + 2) * 0x1p-23 * lefts * rights;
        for (size_t row = 0; size > 0 && row < f->rows; row++) { /* of each number of the left */
            double sum = f->constant ? (double)g[row * width + f->columns] : 0;
            for (size_t c = 0; c < f->columns; c++) sum += (double)g[row * width + c] * (double)right[c];
            r->along += pow(sum * power / size, 2) / 12;
            r->capped |= fabs((double)left[row]) * unit > 0x1p14 * (1 - 1e-6);
        }
        for (size_t c = 0; size > 0 && c < width; c++) { /* and of the right */
            double sum = 0;
            for (size_t row = 0; row < f->rows; row++) sum += (double)g[row * width + c] * (double)left[row];
            r->along += pow(sum * unit / size, 2) / 12;
        }
    }
    r->most += most * most;
    r->slack += slack * slack;
    r->rights += off * off;
    r->floats += floats * floats;
}

/* All of what rounding may do to the layers of a group, of which the gradient is `size` long. */
static rounding rounding_of(tried_pass *t, const deep_sum *sum, size_t group, const deep_real *g, double size,
                            double factor)
{
    rounding r = { .most = 0 };
    for (size_t l = 0; l < t->net.layers; l++) {
        const deep_share *share = &sum->share[l];
        const deep_layer *layer = &t->net.layer[l];
        deep_factors f[DEEP_PAIRS];
        if (share->way == DEEP_NOTHING || share->group != group) continue;
        const size_t pairs = share->way == DEEP_OUTER ? layer->kind->factors(&t->pass, l, 0, f) : 0;
        for (size_t k = 0; k < pairs; k++)
            round_outer(&r, &f[k], g + layer->first + f[k].first, size, factor);
        if (share->way == DEEP_OUTER) continue;
        size_t made = 0; /* what is 0 stays so */
        for (size_t j = 0; j < layer->parameters; j++) made += g[layer->first + j] != 0;
        r.most += 0.25 * (double)made;
        r.slack += 0.25 * (double)(share->way == DEEP_ROWS ? deep_size(layer->in) * layer->out.channels
                                                           : layer->parameters);
        r.along += 1.0 / 12;
    }
    return r;
}

static double group_length(const tried_pass *t, const deep_sum *sum, const deep_real *g, size_t group)
{
    double square = 0;
    for (size_t l = 0; l < t->net.layers; l++)
        if (t->net.layer[l].parameters > 0 && sum->share[l].group == group)
            square += pow(length_of(g + t->net.layer[l].first, t->net.layer[l].parameters), 2);
    return sqrt(square);
}

/* v, in steps, against the gradient of example 0, as the kinds give it, held down to `clip` in doubles: apart by no more than what rounding can do, and along the gradient by no more than
 * seven deviations of what it does by chance: of all that are compared one would be in less than one of 10^7 programs. */
static void check_value(const char *text, tried_pass *t, const deep_sum *sum, const int64_t *v, double clip)
{
    deep_real *g = dusk_allocate(t->net.parameters, sizeof *g);
    memset(g, 0, t->net.parameters * sizeof *g);
    for (size_t l = 0; l < t->net.layers; l++)
        if (t->net.layer[l].parameters > 0) deep_gradient(&t->pass, l, 0, g + t->net.layer[l].first);
    for (size_t group = 0; group < sum->groups; group++) {
        const double share = DEEP_STEPS / sqrt((double)sum->groups), size = group_length(t, sum, g, group);
        double factor = fmin(DEEP_STEPS / clip, share / size), apart = 0, along = 0;
        if (sum->clipping == DEEP_CLIP_AUTOMATIC) factor = share / (size + 0.01);
        const rounding r = rounding_of(t, sum, group, g, size, factor);
        const double chance = 7 * sqrt(r.along) + sqrt(r.floats) + 1, whole = factor * size;
        /* what would not fit with halves of steps is made that much shorter; it is measured with right as rounded */
        const double measured = sqrt(pow(whole + chance, 2) + r.rights);
        const double shorter = fmax(measured + sqrt(r.slack) + 1e-8 * share - share, 0);
        const bool other =
            shorter > 0 || sum->clipping == DEEP_CLIP_AUTOMATIC; /* the factor follows from that */
        for (size_t l = 0; l < t->net.layers; l++) {
            const deep_layer *layer = &t->net.layer[l];
            for (size_t j = layer->first;
                 sum->share[l].group == group && j < layer->first + layer->parameters; j++) {
                const double off = (double)v[j] - factor * (double)g[j];
                apart += off * off;
                along += size > 0 ? off * (double)g[j] / size : off;
            }
        }
        if (r.capped) continue; /* 16 bits do not hold it: only how long it is was promised */
        const double most = sqrt(r.most) + chance + shorter + (other ? measured - whole : 0);
        if (!(sqrt(apart) <= most))
            fail_msg(
                "%s: what is added is %g steps away from the clipped gradient, of %g, and rounding makes %g",
                text, sqrt(apart), whole, most);
        const double least = -chance - shorter - (other ? measured - whole : 0);
        if (!(along <= chance && along >= least))
            fail_msg("%s: what is added is %g steps longer than the clipped gradient, of %g, and rounding "
                     "makes %g to %g",
                     text, along, whole, least, chance);
        compared++;
    }
    dusk_deallocate(g);
}

/* The squared length of the products of factors of example 0, in doubles, and how far above it an upper bound may be. */
static double products_square(const deep_outer *o, const deep_factors *f, double *room)
{
    double square = 0, lengths = 0, rights = 0, part[2];
    for (size_t t = 0; t < o->positions; t++) {
        for (size_t u = 0; u < o->positions; u++) {
            part[0] = part[1] = 0;
            for (size_t r = 0; r < o->rows; r++)
                part[0] += (double)f->left[t * f->left_step + r] * (double)f->left[u * f->left_step + r];
            for (size_t c = 0; c < o->columns; c++)
                part[1] += (double)o->right[t * o->columns + c] * (double)o->right[u * o->columns + c];
            square += part[0] * part[1];
            if (t == u) lengths += sqrt(part[0] * part[1]), rights += sqrt(part[1]);
        }
    }
    const double step = o->power > 0 ? 1 / o->power : 0;
    *room += ((double)o->rows + 2) * (0x1p-22 * lengths * lengths + 0x1p-123 * rights * rights) * step * step;
    return square * step * step;
}

/* Lengths of the one example that was added: never below those of gradients by factors as they were rounded, and above them by no more than the
 * error of floats. The reference is in ghost.c. */
static void check_length(const char *text, tried_pass *t, const deep_sum *sum)
{
    for (size_t g = 0; g < sum->groups; g++) {
        double square = 0, room = 0;
        for (size_t l = 0; l < sum->net->layers; l++) {
            const deep_share *share = &sum->share[l];
            const deep_layer *layer = &sum->net->layer[l];
            deep_factors f[DEEP_PAIRS];
            if (share->way == DEEP_NOTHING || share->group != g) continue;
            if (share->way == DEEP_OUTER) (void)layer->kind->factors(&t->pass, l, 0, f);
            for (size_t k = 0; k < share->outers; k++)
                square += products_square(&share->outer[k], &f[k], &room);
            const size_t made = share->way == DEEP_ROWS     ? share->rows * layer->out.channels
                                : share->way == DEEP_DIRECT ? share->count
                                                            : 0;
            for (size_t j = 0; j < made; j++)
                square += (double)sum->made[share->made + j] * (double)sum->made[share->made + j];
        }
        const double found = sum->length[g].square;
        if (!(found >= square * (1 - 1e-12)) || !(found <= square * (1 + 1e-12) + room))
            fail_msg("%s: the square of length %zu is %.17g, not %.17g to %.17g", text, g, found, square,
                     square + room);
    }
}

static void count_ways(const deep_sum *sum)
{
    for (size_t l = 0; l < sum->net->layers; l++) {
        const deep_share *share = &sum->share[l];
        for (size_t k = 0; k < share->outers; k++) ways[share->outer[k].positions == 1 ? 0 : 1]++;
        ways[2] += share->way == DEEP_DIRECT;
        ways[3] += share->way == DEEP_ROWS;
    }
}

static void check_one(const tried_net *tried, deep_clipping clipping, double clip, uint64_t seed)
{
    tried_pass t;
    deep_sum sum;
    open_tried(&t, tried, 1, seed);
    assert_int_equal(deep_sum_open(&sum, &t.pass, clipping, clip, NULL), DUSK_OK);
    count_ways(&sum);
    deep_real *x = dusk_allocate(tried->in, sizeof *x), *d = dusk_allocate(tried->out, sizeof *d);
    for (int run = 0; run < 6; run++) {
        random_numbers(&t.coins, x, tried->in, 1);
        random_numbers(&t.coins, d, tried->out, 1);
        forward_and_back(&t, 1, x, d);
        deep_sum_reset(&sum, clip);
        add_pass(&sum, &t);
        int64_t *v = totals_of(&sum, &t.coins);
        if (square(v, t.net.parameters) > (dusk_int128)1 << 44)
            fail_msg("%s: longer than the clip", tried->text);
        check_length(tried->text, &t, &sum);
        check_value(tried->text, &t, &sum, v, clip);
        dusk_deallocate(v);
    }
    dusk_deallocate(x);
    dusk_deallocate(d);
    deep_sum_close(&sum);
    close_tried(&t);
}

static const double clips[] = { 1e-3, 0.3, 1, 100 };

static void test_one(void **state)
{
    (void)state;
    for (size_t k = 0; k < TRIED_NETS; k++)
        for (deep_clipping c = DEEP_CLIP_FLAT; c <= DEEP_CLIP_AUTOMATIC; c++)
            for (size_t j = 0; j < sizeof clips / sizeof *clips; j++)
                check_one(&tried_nets[k], c, clips[j], 31 * k + j);
    for (size_t w = 0; w < 4; w++)
        if (ways[w] == 0) fail_msg("no layer of the nets goes the way %s", way_names[w]);
    assert_true(compared > 3000);
}

/* A hundred thousand inputs: 11 bits of the right are few for each, and what they are off by is known all the same. */
static void test_wide(void **state)
{
    static const tried_net nets[] = { { "dense 2", 100000, 2 },
                                      { "dense 3; tanh; output", 99991, 2 },
                                      { "input 5 1 20000; dense 2 each; output", 100000, 3 } };
    (void)state;
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++)
        for (deep_clipping c = DEEP_CLIP_FLAT; c <= DEEP_CLIP_AUTOMATIC; c++)
            check_one(&nets[k], c, 0.3, 700 + k);
}

/* Layers of 1 to 64 positions, from where products of matrices win to where gradients are made: constants over positions, windows that
 * step, leave gaps, reach outside, or see some of the channels. */
static void test_positions(void **state)
{
    (void)state;
    static const char *const form[] = { "input %zu 1 4; dense 3 each; tanh; output",
                                        "input %zu 1 4; conv1d 6 3 stride 2 pad 1; tanh; output",
                                        "input %zu 1 4; conv1d 4 2 pad 2 dilation 2 groups 2; output",
                                        "input %zu 1 4; layernorm; output" };
    for (size_t t = 1; t <= 64; t++)
        for (size_t f = 0; f < sizeof form / sizeof *form; f++) {
            char text[100];
            snprintf(text, sizeof text, form[f], t);
            const tried_net net = { text, 4 * t, 2 };
            check_one(&net, (deep_clipping)(t % 3), 0.3, 64 * f + t);
        }
}

/* --- records of an adversary ----------------------------------------------------------------------------------------------- */

static bool finite_all(const deep_real *x, size_t n)
{
    for (size_t j = 0; j < n; j++)
        if (!isfinite(x[j])) return false;
    return true;
}

/* Gradients are products with all that comes in; a window may leave some of it out. */
static bool is_product(const deep_layer *layer)
{
    static const char *const name[] = { "dense", "lstm", "gru", "attention" };
    for (size_t k = 0; k < sizeof name / sizeof *name; k++)
        if (!strcmp(layer->kind->name, name[k])) return true;
    return false;
}

/* True: a value or slope that gradients are made of is no finite number. */
static bool is_odd(const tried_pass *t)
{
    bool odd = false;
    for (size_t l = 0; l < t->net.layers; l++) {
        const deep_layer *layer = &t->net.layer[l];
        if (layer->parameters > 0) odd |= !finite_all(t->pass.slope[l + 1], deep_size(layer->out));
        if (is_product(layer)) odd |= !finite_all(t->pass.value[l], deep_size(layer->in));
    }
    return odd;
}

static void check_adversary(const tried_net *tried, deep_clipping clipping, uint64_t seed)
{
    static const double scale[] = { 1e6, 1e-6, 1e-20, 1e-38, 1e15, 1e30, 3e38, 0 };
    tried_pass t;
    deep_sum sum;
    open_tried(&t, tried, 1, seed);
    assert_int_equal(deep_sum_open(&sum, &t.pass, clipping, 1, NULL), DUSK_OK);
    deep_real *x = dusk_allocate(tried->in, sizeof *x), *d = dusk_allocate(tried->out, sizeof *d);
    for (int run = 0; run < 100; run++) {
        random_numbers(&t.coins, x, tried->in, scale[run % 8]);
        random_numbers(&t.coins, d, tried->out, scale[run / 8 % 8]);
        if (run % 7 == 0) x[splitmix64(&t.coins) % tried->in] = (deep_real)NAN;
        if (run % 7 == 1) x[splitmix64(&t.coins) % tried->in] = (deep_real)INFINITY;
        if (run % 7 == 2) d[splitmix64(&t.coins) % tried->out] = (deep_real)NAN;
        if (run % 7 == 3) d[splitmix64(&t.coins) % tried->out] = (deep_real)-INFINITY;
        forward_and_back(&t, 1, x, d);
        deep_sum_reset(&sum, 1);
        add_pass(&sum, &t);
        int64_t *v = totals_of(&sum, &t.coins);
        const dusk_int128 length = square(v, t.net.parameters);
        dusk_deallocate(v);
        if (length > (dusk_int128)1 << 44) fail_msg("%s: run %d is longer than the clip", tried->text, run);
        if (is_odd(&t) && length != 0) fail_msg("%s: run %d is no number, and is added", tried->text, run);
    }
    dusk_deallocate(x);
    dusk_deallocate(d);
    deep_sum_close(&sum);
    close_tried(&t);
}

static void test_adversary(void **state)
{
    (void)state;
    for (size_t k = 0; k < TRIED_NETS; k++)
        for (deep_clipping c = DEEP_CLIP_FLAT; c <= DEEP_CLIP_AUTOMATIC; c++)
            check_adversary(&tried_nets[k], c, 5 * k + c);
}

/* Inputs of one order of magnitude and slopes of another, so that gradients are short, long or as long as the clip while squares of
 * either are below or beyond all floats. */
static void check_magnitudes(const tried_net *tried, deep_clipping clipping, uint64_t seed)
{
    tried_pass t;
    deep_sum sum;
    open_tried(&t, tried, 1, seed);
    assert_int_equal(deep_sum_open(&sum, &t.pass, clipping, 1, NULL), DUSK_OK);
    deep_real *x = dusk_allocate(tried->in, sizeof *x), *d = dusk_allocate(tried->out, sizeof *d);
    for (int up = -148; up < 128; up += 6)
        for (int down = -up - 24; down <= -up + 24; down += 6) {
            random_numbers(&t.coins, x, tried->in, ldexp(1, up));
            random_numbers(&t.coins, d, tried->out, ldexp(1, down));
            forward_and_back(&t, 1, x, d);
            deep_sum_reset(&sum, 1);
            add_pass(&sum, &t);
            int64_t *v = totals_of(&sum, &t.coins);
            if (square(v, t.net.parameters) > (dusk_int128)1 << 44)
                fail_msg("%s: longer than the clip at 2^%d and 2^%d", tried->text, up, down);
            dusk_deallocate(v);
        }
    dusk_deallocate(x);
    dusk_deallocate(d);
    deep_sum_close(&sum);
    close_tried(&t);
}

static void test_magnitudes(void **state)
{
    static const tried_net nets[] = {
        { "dense 5", 9, 5 },
        { "input 3 1 7; dense 19 each", 21, 57 },
        { "input 6 6 3; conv 17 4 stride 2", 108, 68 },
        { "input 9 8; conv 5 3", 72, 210 },
    };
    (void)state;
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++)
        for (deep_clipping c = DEEP_CLIP_FLAT; c <= DEEP_CLIP_AUTOMATIC; c++)
            check_magnitudes(&nets[k], c, 7 * k + c);
}

/* The product of two vectors of slopes may be beyond all floats where that of each with itself is not: by pairs of numbers of
 * which squares are rounded up by a step, and products, too. It was found by a search. */
enum { LONG = 96 };
static float by_floats(const float *a, const float *b, size_t n)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum = fmaf(a[i], b[i], sum);
    return sum;
}

static void make_twins(float *a, float *b)
{
    const float step = 0x1p104f,
                most = sqrtf(FLT_MAX / 64) * (1 - 0x1p-20f); /* a step of the largest floats */
    size_t n = 0;
    while (n < 64) a[n++] = most;
    for (; n < 80; n++) a[n] = sqrtf(fmaxf(FLT_MAX - 12 * step - by_floats(a, a, n), 0)) * (1 - 0x1p-23f);
    for (; n < LONG; n += 2) {
        a[n] = sqrtf(0.4f * step);
        a[n + 1] = sqrtf(0.69f * step);
    }
    for (size_t i = 0; i < LONG; i++) b[i] = i < 80 ? a[i] : a[i ^ 1];
}

static void test_products_beyond_floats(void **state)
{
    (void)state;
    static const tried_net net = { "input 2 1 4; dense 96 each", 8, 2 * LONG };
    tried_pass t;
    deep_sum sum;
    deep_real x[8] = { 1 }, d[2 * LONG];
    open_tried(&t, &net, 1, 1);
    make_twins(d, d + LONG);
    assert_true(isfinite(by_floats(d, d, LONG)) && isfinite(by_floats(d + LONG, d + LONG, LONG)));
    assert_true(isinf(by_floats(d, d + LONG, LONG)));
    for (size_t i = LONG; i < 2 * LONG; i++) d[i] = -d[i];
    assert_int_equal(deep_sum_open(&sum, &t.pass, DEEP_CLIP_FLAT, 1, NULL), DUSK_OK);
    assert_int_equal(sum.share[0].way, DEEP_OUTER);
    forward_and_back(&t, 1, x, d);
    add_pass(&sum, &t);
    int64_t *v = totals_of(&sum, &t.coins);
    assert_true(square(v, t.net.parameters) <= (dusk_int128)1 << 44);
    dusk_deallocate(v);
    deep_sum_close(&sum);
    close_tried(&t);
}

/* --- sums ------------------------------------------------------------------------------------------------------------------ */

/* `many` examples in passes of all sizes equal the sum of single ones, and of two sums merged. */
static void check_many(const tried_net *tried, size_t many, double size, uint64_t seed)
{
    tried_pass t;
    deep_sum sum, half, one;
    open_tried(&t, tried, ROOM, seed);
    const size_t n = t.net.parameters;
    int64_t *total = dusk_allocate(n, sizeof *total);
    deep_real *x = dusk_allocate(many * tried->in, sizeof *x),
              *d = dusk_allocate(many * tried->out, sizeof *d);
    deep_sum *const all[] = { &sum, &half, &one };
    for (size_t s = 0; s < 3; s++)
        assert_int_equal(deep_sum_open(all[s], &t.pass, DEEP_CLIP_FLAT, 1, NULL), DUSK_OK);
    random_numbers(&t.coins, x, many * tried->in, size);
    random_numbers(&t.coins, d, many * tried->out, size);
    for (size_t j = 0; size > 100 && j < many * tried->in; j++) x[j] = x[j] < 0 ? -x[j] : x[j];
    for (size_t j = 0; size > 100 && j < many * tried->out; j++) d[j] = d[j] < 0 ? -d[j] : d[j];
    memset(total, 0, n * sizeof *total);
    for (size_t i = 0; i < many; i++) {
        forward_and_back(&t, 1, x + i * tried->in, d + i * tried->out);
        deep_sum_reset(&one, 1);
        add_pass(&one, &t);
        int64_t *v = totals_of(&one, &t.coins);
        for (size_t j = 0; j < n; j++) total[j] += v[j];
        dusk_deallocate(v);
    }
    for (size_t i = 0, step = 0; i < many; i += step) {
        step = 1 + splitmix64(&t.coins) % ROOM;
        if (step > many - i) step = many - i;
        forward_and_back(&t, step, x + i * tried->in, d + i * tried->out);
        add_pass(&sum, &t);
        if (i % 3 == 0) add_pass(&half, &t);
    }
    int64_t *whole = totals_of(&sum, &t.coins), *part = totals_of(&half, &t.coins);
    assert_memory_equal(whole, total, n * sizeof *total);
    assert_int_equal(deep_sum_merge(&sum, &half, NULL), DUSK_OK);
    int64_t *both = totals_of(&sum, &t.coins);
    for (size_t j = 0; j < n; j++) assert_true(both[j] == total[j] + part[j]);
    dusk_deallocate(whole);
    dusk_deallocate(part);
    dusk_deallocate(both);
    dusk_deallocate(total);
    dusk_deallocate(x);
    dusk_deallocate(d);
    for (size_t s = 0; s < 3; s++) deep_sum_close(all[s]);
    close_tried(&t);
}

static void test_many(void **state)
{
    (void)state;
    for (size_t k = 0; k < TRIED_NETS; k++) check_many(&tried_nets[k], 40, 1, 400 + k);
}

/* All of 1300 examples pull one number as far as they may: 32 bits hold 511 of them. */
static void test_flush(void **state)
{
    static const tried_net outer = { "dense 1", 1, 1 },
                           direct = { "input 30 1 1; dense 1 each; dense 1", 30, 1 };
    (void)state;
    check_many(&outer, 1300, 1000, 1);
    check_many(&direct, 700, 1000, 2);
}

static void test_by_chance(void **state)
{
    uint64_t coins = 13;
    (void)state;
    for (int run = 0; run < 150; run++) {
        char text[600];
        const tried_net net = chance_net(&coins, text, sizeof text);
        if (!fits(&net)) continue;
        check_adversary(&net, (deep_clipping)(run % 3), splitmix64(&coins));
        check_many(&net, 30, 1, splitmix64(&coins));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_adversary),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_by_chance),
        cmocka_unit_test(test_flush),
        cmocka_unit_test(test_magnitudes),
        cmocka_unit_test(test_products_beyond_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
