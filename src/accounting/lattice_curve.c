/* SPDX-License-Identifier: Apache-2.0 */
/* The privacy curve of one pair with a density. All of them are pairs of laws of
 * one real observation X whose loss increases with X (ADD is turned round), so
 * that the best test of e^eps is a half line X > t(eps):
 *     delta(eps) = P(X > t) - e^eps Q(X > t).
 * An enclosure of t gives an upper bound; any half line at all gives a lower one.
 * Parameters that are bounds are taken at the end that makes P and Q differ more
 * (or less). Nothing here is slower than a few calls of libm. */
#include <float.h>

#include "accounting/lattice.h"
#include "base/mutant.h"
#include "numeric/special.h"

#define TAIL_ERROR 2e-14  /* relative, of a computed tail, but for its argument */
#define TAIL_LEAST 2e-316 /* absolute, near underflow */
#define NEWTON_STEPS 60

/* A number that is only known to lie between two. */
typedef dusk_bound range;

DUSK_PROVEN(dusk_lattice_curve_make)
void dusk_lattice_curve_make(dusk_lattice_curve *out, const dusk_pair *pair, bool up)
{
    double nudge = up ? 1 + 0x1p-49 : 1 - 0x1p-49, rest = 1;
    *out = (dusk_lattice_curve){ .kind = pair->kind, .folded = pair->folded, .scale = pair->sigma };
    if (pair->kind == DUSK_PAIR_GAUSSIAN) {
        out->mu = up ? dusk_sqrt_up(pair->mu_squared.upper) : dusk_sqrt_down(pair->mu_squared.lower);
        return;
    }
    out->mixed_p = pair->direction != DUSK_ADD;
    out->mixed_q = pair->direction != DUSK_REMOVE;
    out->shifts = pair->shifts;
    for (size_t j = 1; j <= pair->shifts; j++) out->weight[j] = pair->weight[j] * nudge;
    if (pair->kind == DUSK_PAIR_LAPLACE) {
        out->scale = up ? pair->scale.lower : pair->scale.upper;
        out->shifts = 1;
        out->weight[1] = pair->rate < 1 ? pair->rate * nudge : 1;
        out->least = out->mixed_q ? -1 : 0;
        out->most = out->mixed_p ? 1 : 0;
    }
    for (size_t j = out->shifts; j > 0; j--) { /* large shifts keep their weight */
        if (out->weight[j] > rest) out->weight[j] = rest;
        rest -= out->weight[j];
    }
    out->weight[0] = rest;
}

/* P(noise > t) for the noise around 0, and how much it can change (relatively)
 * when t moves by one. */
static double noise_tail(const dusk_lattice_curve *c, double t, double *hazard)
{
    double z = t / c->scale;
    if (c->kind == DUSK_PAIR_LAPLACE) {
        *hazard = 1 / c->scale;
        return z > 0 ? 0.5 * exp(-z) : 1 - 0.5 * exp(z);
    }
    *hazard = (z > 0 ? z + 1 : 1) / c->scale;
    return dusk_normal_sf(z);
}

/* Tail of P or Q beyond t, both ends. */
static range tail(const dusk_lattice_curve *c, double t, bool mixed, double sign)
{
    if (isinf(t)) return t > 0 ? (range){ 0, 0 } : (range){ 1, 1 };
    range sum = { 0, 0 };
    for (size_t j = mixed ? 0 : c->shifts; j <= c->shifts; j++) {
        double at = mixed ? t - sign * (double)j : t, hazard;
        double weight = mixed ? c->weight[j] : 1, beyond = noise_tail(c, at, &hazard), mass = weight * beyond;
        double error = (c->kind == DUSK_PAIR_LAPLACE ? 8 * DUSK_ULP : TAIL_ERROR) +
                       hazard * (4 * DUSK_ULP) * (fabs(t) + fabs(at));
        if (mass < 1e-290) error += 1e-9;
        error = mass * error + TAIL_LEAST;
        if (j == 0 && c->shifts > 1) error += 32 * DUSK_ULP * beyond; /* weight[0] is a difference */
        sum.lower += mass - error;
        sum.upper += mass + error;
    }
    double error = (double)(c->shifts + 2) * DUSK_ULP;
    return (range){ sum.lower > 0 ? sum.lower * (1 - error) : 0, fmin(sum.upper * (1 + error), 1) };
}

static range tail_p(const dusk_lattice_curve *c, double t)
{
    if (c->kind != DUSK_PAIR_GAUSSIAN) return tail(c, t, c->mixed_p, 1);
    dusk_lattice_curve unit = { .kind = DUSK_PAIR_GAUSSIAN, .scale = 1 };
    return tail(&unit, t - 0.5 * c->mu, false, 0);
}

static range tail_q(const dusk_lattice_curve *c, double t)
{
    if (c->kind != DUSK_PAIR_GAUSSIAN) return tail(c, t, c->mixed_q, -1);
    dusk_lattice_curve unit = { .kind = DUSK_PAIR_GAUSSIAN, .scale = 1 };
    return tail(&unit, t + 0.5 * c->mu, false, 0);
}

/* --- the loss ------------------------------------------------------------ */

/* ln r(x), its slope, and a bound of its error */
static double log_ratio(const dusk_lattice_curve *c, double x, double *slope, double *error)
{
    double least = 0, most = 0, sum = 0, moment = 0, scale = 1 / (2 * c->scale * c->scale), all = 0;
    for (size_t j = 1; j <= c->shifts; j++) {
        double a = scale * (double)j * (2 * x - (double)j);
        most = fmax(most, a);
        least = fmin(least, a);
    }
    bool small = most < 1;
    for (size_t j = small ? 1 : 0; j <= c->shifts; j++) {
        double a = scale * (double)j * (2 * x - (double)j);
        double e = c->weight[j] * (small ? expm1(a) : exp(a - most));
        sum += e;
        moment += (double)j * (small ? e + c->weight[j] : e);
        all += fabs(e);
    }
    double ratio = small ? 1 + sum : sum;
    *slope = ratio > 0 ? moment / ratio * 2 * scale : 0;
    *error = (40 * all / ratio + (8 + 8 * (most - least) + 8 * fabs(x) * c->scale * scale)) * DUSK_ULP;
    if (!(ratio > 0)) *error = INFINITY;
    return small ? log1p(sum) : most + log(sum);
}

static double loss_at(const dusk_lattice_curve *c, double t, double *slope, double *error)
{
    double loss = 0, s, e;
    *slope = *error = 0;
    if (c->kind == DUSK_PAIR_GAUSSIAN) {
        *slope = c->mu;
        *error = 4 * DUSK_ULP * fabs(c->mu * t);
        return c->mu * t;
    }
    if (c->mixed_p) loss += log_ratio(c, t, slope, error);
    if (c->mixed_q) {
        loss -= log_ratio(c, -t, &s, &e);
        *slope += s;
        *error += e;
    }
    *error += 4 * DUSK_ULP * fabs(loss);
    return loss;
}

/* --- thresholds ---------------------------------------------------------- */

/* The x with y(x) = (2x - 1)/(2 sigma^2), or (2x - 1)/b, between two numbers. */
static range place_of(const dusk_lattice_curve *c, double lower, double upper)
{
    double half = c->kind == DUSK_PAIR_LAPLACE ? 0.5 * c->scale : c->scale * c->scale;
    return (range){ 0.5 + half * lower - 8 * DUSK_ULP * (1 + half * fabs(lower)),
                    0.5 + half * upper + 8 * DUSK_ULP * (1 + half * fabs(upper)) };
}

/* The x with e^y = 1 + w, when w is only known within `error`. */
static range place(const dusk_lattice_curve *c, double w, double error)
{
    range x = place_of(c, log1p(w - error), log1p(w + error));
    if (!(1 + w > -error) || isnan(x.upper)) x.upper = -INFINITY; /* 1 + w is surely negative */
    if (!(1 + w > error) || isnan(x.lower)) x.lower = -INFINITY;
    return x;
}

/* ln r(x) = loss for one shift: e^y = 1 + (e^loss - 1)/q */
static range place_of_loss(const dusk_lattice_curve *c, dusk_bound loss)
{
    double at = 0.5 * (loss.lower + loss.upper), e = expm1(at), q = c->weight[1];
    double error = 8 * DUSK_ULP * fabs(e) + 1.1 * (loss.upper - loss.lower) * (1 + fabs(e));
    if (q >= 1) return place_of(c, loss.lower, loss.upper);
    return place(c, e / q, error / q);
}

/* Both mixed, Laplace, loss > 0: e^y = e^(-1/b) + (e^loss - 1) r0/q, r0 = r(0-) */
static range place_of_difference(const dusk_lattice_curve *c, dusk_bound loss)
{
    double at = 0.5 * (loss.lower + loss.upper), q = c->weight[1], e = expm1(at);
    double drop = expm1(-1 / c->scale), r0 = 1 + q * drop;
    double error = (16 * DUSK_ULP * fabs(e) + 1.1 * (loss.upper - loss.lower) * (1 + fabs(e))) * r0 / q;
    return place(c, drop + e * r0 / q, error + 16 * DUSK_ULP * fabs(drop) * (1 + fabs(e)));
}

static range turned(range x) { return (range){ -x.upper, -x.lower }; }

/* Both mixed, Gaussian, one shift: with a = q exp(-1/(2 sigma^2)), w = 1 - q and u = exp(x/sigma^2) the
 * ratio is (w + a u)/(w + a/u), so that x = sigma^2 (loss/2 + asinh(w/a sinh(loss/2))). */
static bool place_of_both(double *x, const dusk_lattice_curve *c, double loss, double outward)
{
    double square = c->scale * c->scale, half = 0.5 / square, at = 0.5 * loss;
    double z = c->weight[0] / c->weight[1] * (sinh(at) * exp(half)), part = asinh(z);
    double error = (16 + 4 * half) * DUSK_ULP * fmin(1, fabs(z)) + 8 * DUSK_ULP * (fabs(part) + fabs(at));
    *x = square * (at + part + outward * error);
    *x += outward * (4 * DUSK_ULP) * fabs(*x);
    return half < 600 && isfinite(z) && (at == 0 || fabs(at) > 1e-290); /* else it is not that exact */
}

/* Newton, kept between what is known; then moved until the loss shows the side. */
static range search(const dusk_lattice_curve *c, dusk_bound epsilon)
{
    double at = 0.5 * (epsilon.lower + epsilon.upper), t = 0, slope, error, reach = 64 * c->scale + 64;
    range in = { -reach, reach };
    for (int i = 0; i < NEWTON_STEPS; i++) {
        double gap = loss_at(c, t, &slope, &error) - at;
        *(gap > 0 ? &in.upper : &in.lower) = t;
        double next = t - gap / slope;
        if (!(next > in.lower && next < in.upper)) next = 0.5 * (in.lower + in.upper);
        double move = fabs(next - t);
        t = next;
        if (move <= 4 * DUSK_ULP * (fabs(t) + c->scale)) break;
    }
    range found = { -INFINITY, INFINITY };
    loss_at(c, t, &slope, &error);
    double margin = 8 * DUSK_ULP * (fabs(t) + c->scale) +
                    (slope > 0 ? 2 * (error + 0.5 * (epsilon.upper - epsilon.lower)) / slope : 0);
    for (int i = 0; i < 40; i++, margin *= 2)
        if (loss_at(c, t - margin, &slope, &error) <= epsilon.lower - error) {
            found.lower = t - margin;
            break;
        }
    margin = 8 * DUSK_ULP * (fabs(t) + c->scale);
    for (int i = 0; i < 60; i++, margin *= 2)
        if (loss_at(c, t + margin, &slope, &error) >= epsilon.upper + error) {
            found.upper = t + margin;
            break;
        }
    return found;
}

/* An enclosure of t(eps); for Laplace, where all of a flat piece is one loss, not
 * yet cut to the piece that is not flat. */
static range threshold(const dusk_lattice_curve *c, dusk_bound epsilon)
{
    if (c->kind == DUSK_PAIR_GAUSSIAN) {
        double lower = epsilon.lower / c->mu, upper = epsilon.upper / c->mu;
        return (range){ lower - 2 * DUSK_ULP * fabs(lower), upper + 2 * DUSK_ULP * fabs(upper) };
    }
    if (c->shifts == 1 && !c->mixed_q) return place_of_loss(c, epsilon);
    if (c->shifts == 1 && !c->mixed_p) return turned(place_of_loss(c, dusk_bound_neg(epsilon)));
    if (c->kind == DUSK_PAIR_LAPLACE && epsilon.lower >= 0) return place_of_difference(c, epsilon);
    if (c->kind == DUSK_PAIR_LAPLACE && epsilon.upper <= 0)
        return turned(place_of_difference(c, dusk_bound_neg(epsilon)));
    if (c->kind == DUSK_PAIR_LAPLACE) {
        range low = turned(place_of_difference(c, (dusk_bound){ 0, -epsilon.lower }));
        range high = place_of_difference(c, (dusk_bound){ 0, epsilon.upper });
        return (range){ low.lower, high.upper };
    }
    range x;
    if (c->shifts == 1 && place_of_both(&x.lower, c, epsilon.lower, -1) &&
        place_of_both(&x.upper, c, epsilon.upper, 1))
        return x;
    return search(c, epsilon);
}

/* e^x within 4 units of its last place */
static range exponential(dusk_bound x)
{
    return (range){ exp(x.lower) * (1 - 4 * DUSK_ULP), exp(x.upper) * (1 + 4 * DUSK_ULP) };
}

/* p - x q, rounded up; never below 0 */
static double gain_up(double p, double x, double q)
{
    double cost = x * q * (1 - 2 * DUSK_ULP), gain = (p - cost) * (1 + 2 * DUSK_ULP);
    if (isnan(gain)) return p;
    return gain > 0 ? gain : 0;
}

static double delta_up(const dusk_lattice_curve *c, dusk_bound epsilon)
{
    range t = threshold(c, epsilon), x = exponential(epsilon);
    double all = gain_up(1, x.lower, 1);
    if (c->kind == DUSK_PAIR_LAPLACE) {
        if (t.lower >= c->most) return 0; /* at or above the largest loss */
        if (t.upper < c->least) return all;
        bool flat = t.lower < c->least;
        t.lower = fmax(t.lower, c->least);
        t.upper = fmin(t.upper, c->most);
        double gain = gain_up(tail_p(c, t.lower).upper, x.lower, tail_q(c, t.upper).lower);
        return flat ? fmax(gain, all) : gain;
    }
    return gain_up(tail_p(c, t.lower).upper, x.lower, tail_q(c, t.upper).lower);
}

DUSK_PROVEN(dusk_lattice_curve_delta_up)
double dusk_lattice_curve_delta_up(const dusk_lattice_curve *curve, dusk_bound epsilon)
{
    if (!curve->folded || epsilon.lower >= 0) return delta_up(curve, epsilon);
    /* delta is at most that at the lower end: 1 - e^eps (1 - delta(-eps)) */
    double x = exponential(dusk_bound_of(epsilon.lower)).lower;
    double there = delta_up(curve, dusk_bound_of(-epsilon.lower));
    return fmin(gain_up(1, x, dusk_sub_down(1, there)), 1);
}

DUSK_PROVEN(dusk_lattice_curve_test)
void dusk_lattice_curve_test(double *p_down, double *q_up, const dusk_lattice_curve *curve, double epsilon)
{
    bool fold = curve->folded && epsilon < 0;
    range about = threshold(curve, dusk_bound_of(fold ? -epsilon : epsilon));
    double t = 0.5 * (about.lower + about.upper);
    if (isnan(t)) t = isinf(about.lower) ? about.upper : about.lower;
    if (curve->kind == DUSK_PAIR_LAPLACE) {
        if (t < curve->least) t = -INFINITY;
        if (t > curve->most - 1e-12) t = t > curve->most + 1e-12 ? INFINITY : curve->most;
    }
    *p_down = tail_p(curve, t).lower;
    *q_up = tail_q(curve, t).upper;
    if (fold) {
        double p = *p_down;
        *p_down = dusk_sub_down(1, *q_up);
        *q_up = dusk_sub_up(1, p);
    }
}

/* The t where P's tail is about `mass`; tails fall with t. */
static double quantile(const dusk_lattice_curve *c, double mass)
{
    double low = -64 * (c->scale + c->mu + 1), high = (double)c->shifts + 64 * (c->scale + c->mu + 1);
    if (c->kind == DUSK_PAIR_GAUSSIAN) low = -64 - c->mu, high = 64 + c->mu;
    for (int i = 0; i < 60; i++) {
        double t = 0.5 * (low + high);
        *(tail_p(c, t).lower > mass ? &low : &high) = t;
    }
    return high;
}

dusk_lattice_edge dusk_lattice_curve_edge(const dusk_lattice_curve *c, double most, double step)
{
    dusk_lattice_edge none = { .point = c->folded ? 0 : most, .test = INFINITY }, edge = none;
    double p, q;
    if (c->kind == DUSK_PAIR_LAPLACE) edge.test = most;
    if (c->kind != DUSK_PAIR_MIXTURE || c->folded || c->mixed_p == c->mixed_q) return edge;
    double end = c->mixed_p ? log(c->weight[0]) : -log(c->weight[0]);
    if (!isfinite(end)) return none;
    edge.above = c->mixed_p; /* REMOVE has a least loss, ADD a largest */
    edge.test = edge.above ? end + step : end - step;
    dusk_lattice_curve_test(&p, &q, c, edge.test);
    edge.point = edge.above ? log((1 - p) / (1 - q)) : log(p / q);
    return fabs(edge.point - end) < step && (edge.above ? 1 - p : p) > 1e-9 ? edge : none;
}

/* The z with exp(tilt loss) P(Z > z) = below, loss at -z being about what is cut. */
static double lowest(const dusk_lattice_curve *c, dusk_lattice_cut cut)
{
    double low = 0, high = 38, slope, error;
    for (int i = 0; i < 40; i++) {
        double z = 0.5 * (low + high);
        double loss =
            loss_at(c, c->kind == DUSK_PAIR_GAUSSIAN ? 0.5 * c->mu - z : -z * c->scale, &slope, &error);
        *(dusk_normal_log_sf(z) + cut.tilt * loss > log(cut.below) ? &low : &high) = z;
    }
    return high;
}

void dusk_lattice_curve_range(double *least, double *most, const dusk_lattice_curve *c, dusk_lattice_cut cut)
{
    double slope, error;
    if (c->kind == DUSK_PAIR_LAPLACE) {
        double q = c->weight[1], y = 1 / c->scale;
        double up = q < 1 ? log1p(q * expm1(y)) : y, down = q < 1 ? log1p(q * expm1(-y)) : -y;
        *most = (c->mixed_p ? up : 0) - (c->mixed_q ? down : 0);
        *least = (c->mixed_p ? down : 0) - (c->mixed_q ? up : 0);
    } else {
        double z = lowest(c, cut);
        *most = loss_at(c, quantile(c, cut.above), &slope, &error);
        *least = loss_at(c, c->kind == DUSK_PAIR_GAUSSIAN ? 0.5 * c->mu - z : -z * c->scale, &slope, &error);
    }
    if (c->folded) *least = -*most;
}
