/* SPDX-License-Identifier: Apache-2.0 */
/* The step of the trapezoid rule for the moments of a Gaussian mixture. On the line
 * Im x = v = sigma^2 b of the strip where the integrand is analytic it is not
 * larger than on the real axis but for
 *     exp(sigma^2 b^2 / 2) of f,    exp(v^2 / (2 tau^2)) of the taper,
 *     exp(t |arg r_a| + t |arg r_b|) of the powers, and (r_b(x) / |r_b(x + iv)|)^c,
 * and a step h errs by exp(-2 pi v / h) of what is on that line. arg r is at most J b;
 * where sampling is rare it is next to nothing as far as x reaches, and cells of x
 * say so: a hundred nodes then do for what would else take millions. */
#include <math.h>

#include "accounting/mixture.h"
#include "base/mutant.h"

#define ANGLES 40
#define CELLS_MAX 400
#define MANY 400  /* nodes that make cells worth their while */
#define PIECES 32 /* of the way up at an end of the strip */

/* The edge Im x = sigma^2 b of the strip. */
typedef struct edge {
    double b;        /* in (0, pi / J) */
    double log_rise; /* of f and the taper */
    double angle;    /* J b */
    double sine;     /* at least sin(j b), j = 1 .. J */
} edge;

static edge edge_at(const dusk_mixture *m, double b)
{
    double variance = m->pair->sigma * m->pair->sigma, taper = m->width > 0 ? variance * b / m->width : 0;
    edge e = { .b = b,
               .log_rise = variance * b * b / 2 + taper * taper / 2,
               .angle = (double)m->pair->shifts * b };
    e.sine = e.angle < M_PI / 2 ? sin(e.angle) : 1;
    return e;
}

/* Which edges are tried; the last one is the best where the shape of f alone counts. */
static double angle_of(const dusk_mixture *m, int i, double wanted)
{
    double half = ANGLES / 2, all = M_PI / (double)m->pair->shifts;
    if (i == ANGLES - 1) return fmin(sqrt(2 * wanted) / m->pair->sigma, all / 2);
    return all * (i < half ? 0.5 * exp2((i - half) / 3) : 1 - 0.5 * exp2((half - i) / 4));
}

/* r(x + iv) / r(x) = 1 - k + sum_j k_j e^{ijb}, k = sum of k_j <= share: a bound of its
 * argument and of minus the logarithm of its modulus. */
DUSK_PROVEN(turn)
static void turn(double *arg, double *log_less, const edge *e, double share)
{
    double real = 1 - share * (1 - cos(e->angle)), half = cos(e->angle / 2);
    *arg = real > 0 ? atan(share * e->sine / real) : e->angle;
    if (*arg > e->angle) *arg = e->angle;
    *arg *= DUSK_BLUR;
    *log_less = -log(real > half ? real : half) * DUSK_BLUR;
}

/* 1 - w_0 / r(x): the chance, after x was seen, that the unit was in. Rounded up: excess and
 * `in` may cancel, and what is left is as far off as ln r is. */
static double share_of(const dusk_mixture_ratio *r, const dusk_pair *pair)
{
    double in = 0;
    for (size_t j = 1; j <= pair->shifts; j++) in += pair->weight[j];
    double off = DUSK_BLUR * r->error + 4 * (double)(pair->shifts + 2) * 0x1p-53 * in / (1 + r->excess);
    double share = isinf(r->excess) ? 1 : ((r->excess + in) / (1 + r->excess) + off) * DUSK_BLUR + 1e-15;
    return share < 1 ? share : 1;
}

/* What is known at one x. */
typedef struct place {
    double log_mass; /* of f r_a^{c+1} r_b^{-c} w sigma sqrt(2 pi), rounded up */
    double share_a, share_b;
    bool known;
} place;

static place place_at(const dusk_mixture *m, double c, double x)
{
    const dusk_pair *pair = m->pair;
    dusk_mixture_ratio a, b;
    double error, taper = dusk_mixture_log_taper(m, x, &error);
    dusk_mixture_ratios(&a, &b, pair, x);
    double log_f = -x * x / (2 * (pair->sigma * pair->sigma)), up = (c + 1) * a.log, down = c * b.log;
    place p = { .known = a.error + b.error + error < 1e-6 };
    p.log_mass = log_f + up - down + taper + (2 * c + 1) * (a.error + b.error) + error + 1e-9 +
                 0x1p-48 * (fabs(log_f) + fabs(up) + fabs(down) + fabs(taper));
    p.share_a = pair->direction == DUSK_ADD ? 0 : share_of(&a, pair);
    p.share_b = pair->direction == DUSK_REMOVE ? 0 : share_of(&b, pair);
    return p;
}

typedef struct cells {
    size_t count;
    double width;
    place end[CELLS_MAX + 1]; /* cell i is between end[i] and end[i + 1] */
} cells;

static bool lay_cells(cells *out, const dusk_mixture *m, double c, const dusk_mixture_frame *frame)
{
    double from = -frame->left - 2 * m->pair->sigma, to = frame->right + 2 * m->pair->sigma;
    double number = ceil((to - from) / (m->pair->sigma / 3));
    if (!(number < CELLS_MAX)) return false;
    out->count = (size_t)number;
    out->width = (to - from) / number;
    for (size_t i = 0; i <= out->count; i++) {
        out->end[i] = place_at(m, c, from + (double)i * out->width);
        if (!out->end[i].known) return false;
    }
    return true;
}

/* ln of Int |f r_a^{s+1} r_b^{-s} w| / M(c) over the cells on an edge, but for log_rise. */
DUSK_PROVEN(on_edge)
static double on_edge(const cells *k, const dusk_mixture *m, const edge *e, double c, double t,
                      double log_moment)
{
    double sigma = m->pair->sigma, variance = sigma * sigma, J = (double)m->pair->shifts, sum = 0;
    double width = 1.0001 * k->width, taper_bend = m->width > 0 ? 1 / (m->width * m->width) : 0;
    for (size_t i = 0; i < k->count; i++) {
        const place *p = &k->end[i], *q = p + 1;
        double arg_a, arg_b, less_a, less_b, share_b = fmax(p->share_b, q->share_b);
        turn(&arg_a, &less_a, e, fmax(p->share_a, q->share_a));
        turn(&arg_b, &less_b, e, share_b);
        /* the logarithm of the integrand bends down by at most this */
        double bend = 1 / variance + c * share_b * J * J / (variance * variance) + taper_bend;
        double log_top = fmax(p->log_mass, q->log_mass) + bend * width * width / 8;
        sum += exp(log_top + t * (arg_a + arg_b) + c * less_b - log_moment);
    }
    return log(sum * width / (sigma * DUSK_ROOT_2PI)) + 1e-6;
}

static dusk_mixture_step finish(const dusk_mixture *m, double step, double b, double log_top)
{
    dusk_mixture_step out = { .error = INFINITY };
    double variance = m->pair->sigma * m->pair->sigma;
    if (!(step > 0) || !isfinite(step)) return out;
    int exponent; /* few bits: k step is exact */
    double digits = frexp(step, &exponent);
    out.step = ldexp(floor(digits * 0x1p24), exponent - 24);
    double fall = 2 * M_PI * variance * b / out.step * (1 - 0x1p-40);
    out.step *= DUSK_MUTATE(MIXTURE_STEP_TOO_LONG, 1, 2);
    out.error = DUSK_BLUR * exp(log_top - fall) / -expm1(-fall);
    out.b = b;
    return out;
}

/* Every edge gives a bound, relative to M(c), of
 *     2 e^log_rise (e^power + 1 + 2 (c + t)) / (exp(2 pi sigma^2 b / h) - 1),
 * power = k t J b - c' ln cos(J b / 2); k is 2 where both ratios move, c' = 0 where r_b is 1.
 * The one with the longest step is taken. */
DUSK_PROVEN(dusk_mixture_choose_step)
dusk_mixture_step dusk_mixture_choose_step(const dusk_mixture *m, double c, double t, double tolerance)
{
    double variance = m->pair->sigma * m->pair->sigma, wanted = log(1 / tolerance), best = 0, best_b = 0,
           best_log = 0;
    double k = m->pair->direction == DUSK_REPLACE ? 2 : 1, bottom = m->pair->direction == DUSK_REMOVE ? 0 : c;
    for (int i = 0; i < ANGLES; i++) {
        edge e = edge_at(m, angle_of(m, i, wanted));
        double power = fmax(0, k * t * e.angle - bottom * log(cos(e.angle / 2)));
        double log_top = log(2) + e.log_rise + power + log(2.02 + 2.02 * (c + t));
        double step = 2 * M_PI * variance * e.b / (wanted + log_top);
        if (step > best) best = step, best_b = e.b, best_log = log_top;
    }
    return finish(m, best, best_b, best_log);
}

/* The same by cells, for f r_a^{c+1} r_b^{-c} w (e^{itL} - 1) between two ends; what happens
 * at the ends is dusk_mixture_end's. The shorter step is the answer where cells
 * cannot be laid or do not help. */
DUSK_PROVEN(dusk_mixture_choose_long_step)
dusk_mixture_step dusk_mixture_choose_long_step(const dusk_mixture *m, double c, double t, double tolerance,
                                                const dusk_mixture_frame *frame)
{
    dusk_mixture_step plain = dusk_mixture_choose_step(m, c, t, tolerance);
    double variance = m->pair->sigma * m->pair->sigma, wanted = log(1 / tolerance), best = 0, best_b = 0,
           best_log = 0;
    cells laid;
    if (frame->left + frame->right < MANY * plain.step || !lay_cells(&laid, m, c, frame)) return plain;
    for (int i = 0; i < ANGLES; i += 3) { /* 39 is one of them */
        edge e = edge_at(m, angle_of(m, i, wanted));
        double log_top = log(4) + e.log_rise + fmax(0, on_edge(&laid, m, &e, c, t, frame->log_moment));
        double step = 2 * M_PI * variance * e.b / (wanted + log_top);
        if (step > best) best = step, best_b = e.b, best_log = log_top;
    }
    dusk_mixture_step out = finish(m, fmin(best, m->pair->sigma), best_b, best_log);
    out.ends = true;
    return out.step > 1.5 * plain.step ? out : plain;
}

/* The vertical way from the real axis to the edge at x = an end, half a step beyond the last
 * node, where the rule's kernel is 1/(1 + exp(2 pi Im x / h)); relative to M(c), both halves. */
DUSK_PROVEN(dusk_mixture_end)
double dusk_mixture_end(const dusk_mixture *m, double c, double t, const dusk_mixture_step *step, double x,
                        double log_moment)
{
    double sigma = m->pair->sigma, variance = sigma * sigma, sum = 0;
    place p = place_at(m, c, x);
    if (!p.known) return INFINITY;
    for (int i = 0; i < PIECES; i++) {
        edge low = edge_at(m, step->b * i / PIECES),
             high = edge_at(m, step->b * (i + 1) / PIECES * 1.0000001);
        double arg_a, arg_b, less_a, less_b;
        turn(&arg_a, &less_a, &high, p.share_a);
        turn(&arg_b, &less_b, &high, p.share_b);
        double log_top = p.log_mass + high.log_rise + t * (arg_a + arg_b) + c * less_b - log_moment;
        sum += exp(log_top - 2 * M_PI * variance * low.b / step->step * (1 - 0x1p-40));
    }
    /* 2 halves, 2 for e^{itL} - 1 */
    return 4 * DUSK_BLUR * sum * variance * step->b / PIECES * 1.000001 / (sigma * DUSK_ROOT_2PI);
}
