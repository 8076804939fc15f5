/* SPDX-License-Identifier: Apache-2.0 */
/* From pairs to laws on a lattice. With x = e^eps a curve H(x) = delta(ln x) is
 * convex, and a law on lattice points is a curve that is straight between them.
 *   Worse: connect the dots (x_i, H(x_i)) [Doroshenko, Ghazi, Kamath, Kumar &
 *     Manurangsi 2022, "Connect the dots"]; each dot may be too high.
 *   Better: keep below the line P(A) - x Q(A) of one test A in each cell; each
 *     dot may be too low.
 * Both differ from H by the square of the step where H is smooth. Either way
 * the dots become the tail of the law,
 *     R_i = sum of masses beyond i = H_i + (H_i - H_(i+1)) / (e^step - 1),
 * made monotone on the right side. Atoms on a lattice of their own are taken as
 * they are. The argument is in lattice_law.proof.md. */
#include <float.h>

#include "accounting/lattice.h"
#include "base/memory.h"
#include "base/mutant.h"

#define DROPPED 1e-13       /* mass at the bottom of the better law */
#define LOSS_MAX 690.0      /* of one time: e^loss must be a double */
#define ATOM_RATIO 65536    /* largest ratio of steps of atoms */
#define ATOMS_MAX 4194304.0 /* points of their lattice */
#define RATIO_ERROR 1e-12   /* how close to whole it must be */

void dusk_lattice_free(dusk_lattice *lattice)
{
    for (size_t i = 0; lattice->law && i < lattice->count; i++) {
        dusk_deallocate(lattice->law[i].upper);
        dusk_deallocate(lattice->law[i].lower);
    }
    dusk_deallocate(lattice->law);
    lattice->law = NULL;
    lattice->count = 0;
}

static dusk_status law_new(dusk_lattice_law *law, size_t count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    law->count = count;
    DUSK_NEW(law->upper, count);
    DUSK_NEW(law->lower, count);
done: /* the lattice owns what there is */
    return status;
}

/* origin + k step and all that rounding can make of it */
static dusk_bound point(double origin, double step, size_t k)
{
    double at = origin + (double)k * step, error = 2 * DUSK_ULP * (fabs(origin) + fabs(at));
    return (dusk_bound){ at - error, at + error };
}

/* --- atoms on their own lattice ------------------------------------------ */

static dusk_status take_atoms(dusk_lattice_law *law, const dusk_pair *pair, size_t ratio, dusk_error *err)
{
    dusk_status status = law_new(law, (pair->atoms - 1) * ratio + 1, err);
    if (status != DUSK_OK) return status;
    for (size_t i = 0; i < pair->atoms; i++) {
        law->upper[i * ratio] = pair->mass[i].upper;
        law->lower[i * ratio] = pair->mass[i].lower > 0 ? pair->mass[i].lower : 0;
    }
    law->times = pair->times;
    law->infinite = dusk_bound_clamp(pair->infinite);
    law->origin = pair->origin;
    return DUSK_OK;
}

/* Steps that are whole multiples of `unit`, as far as doubles can tell; what they
 * cannot tell widens the origin. */
static bool fit_atoms(dusk_lattice_law *law, size_t *ratio, const dusk_pair *pair, dusk_bound unit)
{
    double quotient = pair->step.upper / unit.upper, whole = nearbyint(quotient);
    if (!(fabs(quotient - whole) <= RATIO_ERROR * whole) || !(whole >= 1 && whole <= ATOM_RATIO))
        return false;
    if (!((double)pair->atoms * whole < ATOMS_MAX)) return false;
    *ratio = (size_t)whole;
    double up = dusk_sub_up(pair->step.upper, dusk_mul_down(whole, unit.upper));
    double down = dusk_sub_up(dusk_mul_up(whole, unit.lower), pair->step.lower), last = (double)pair->atoms;
    if (up > 0) law->origin.upper = dusk_add_up(law->origin.upper, dusk_mul_up(last, up));
    if (down > 0) law->origin.lower = dusk_sub_down(law->origin.lower, dusk_mul_up(last, down));
    return true;
}

DUSK_PROVEN(dusk_lattice_of_atoms)
dusk_status dusk_lattice_of_atoms(dusk_lattice *out, bool *found, const dusk_pairs *pairs, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_bound unit = { INFINITY, INFINITY };
    *found = false;
    *out = (dusk_lattice){ 0 };
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        if (pair->kind != DUSK_PAIR_ATOMS || !pair->lattice || pair->atoms == 0) return DUSK_OK;
        if (pair->atoms > 1 && pair->step.lower < unit.lower) unit = pair->step;
    }
    if (isinf(unit.lower)) unit = dusk_bound_of(1);
    if (!(unit.lower > 0)) return DUSK_OK;
    DUSK_NEW(out->law, pairs->count);
    out->count = pairs->count;
    out->step = unit;
    *found = true;
    for (size_t i = 0; i < pairs->count && *found; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        dusk_lattice_law widened = { .origin = pair->origin };
        size_t ratio = 1;
        *found = pair->atoms == 1 || fit_atoms(&widened, &ratio, pair, unit);
        if (!*found) break;
        DUSK_TRY(take_atoms(&out->law[i], pair, ratio, err));
        out->law[i].origin = widened.origin;
    }
    if (*found) return DUSK_OK;
done:
    dusk_lattice_free(out);
    return status;
}

/* --- dots to masses ------------------------------------------------------ */

/* dots[i] >= H(x_i), of which the last is what stays infinite. */
DUSK_PROVEN(worse_law)
static void worse_law(dusk_lattice_law *law, const double *dots, double step)
{
    double growth = expm1(step) * (1 - 4 * DUSK_ULP), beyond = 0, next = 0;
    double up = DUSK_MUTATE(LATTICE_MASS_ROUNDED_DOWN, 1 + 2 * DUSK_ULP, 1 - 0x1p-20);
    for (size_t i = law->count; i-- > 0;) {
        double dot = i + 1 < law->count ? fmax(dots[i], next) : dots[i];
        double least = dot > 0 ? 4 * DBL_TRUE_MIN : 0; /* for what is denormal */
        double tail = i + 1 < law->count ? (dot + (dot - next) / growth) * (1 + 8 * DUSK_ULP) + least : dot;
        tail = fmin(fmax(tail, beyond), 1);
        if (i + 1 < law->count) law->upper[i + 1] = (tail - beyond) * up;
        beyond = tail;
        next = dot;
    }
    law->upper[0] = (1 - beyond) * (1 + 2 * DUSK_ULP);
    law->infinite.upper = dots[law->count - 1];
}

/* R of the straight line from dot a to dot b > a; dots decrease. */
static double chord(const double *dots, size_t a, size_t b, double step)
{
    double y = (double)(b - a) * step, growth = expm1(y) * (1 + (4 + 2 * y) * DUSK_ULP);
    return (dots[a] + (dots[a] - dots[b]) / growth) * (1 - 8 * DUSK_ULP);
}

/* The tails of the lower convex hull of the dots; `vertex` is scratch. While it is
 * built, tails[k] is that of the line from vertex k to the next. */
static void hull_tails(double *tails, double *vertex, const double *dots, size_t n, double step)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        double line = m ? chord(dots, (size_t)vertex[m - 1], i, step) : 0;
        while (m >= 2 && tails[m - 2] < line) line = chord(dots, (size_t)vertex[--m - 1], i, step);
        if (m) tails[m - 1] = line;
        vertex[m++] = (double)i;
    }
    tails[n - 1] = 0;
    for (size_t end = n - 1, k = m - 1; k-- > 0;) { /* from the right: lines are stored further left */
        double line = tails[k];
        while (end > (size_t)vertex[k]) tails[--end] = line;
    }
}

/* Whether the law with these tails is surely not above the dots. */
static bool is_below(const double *tails, const double *dots, size_t n, double step)
{
    long double keep = expl(-(long double)step) * (1 + 0x1p-60L);
    long double gain = -expm1l(-(long double)step) * (1 + 0x1p-60L), height = 0;
    if (dots[n - 1] < 0) return false;
    for (size_t i = n - 1; i-- > 0;) {
        height = (gain * (long double)tails[i] + keep * height) * (1 + 0x1p-61L);
        if (height > (long double)dots[i]) return false;
    }
    return true;
}

/* dots[i] such that a straight line from one to the next is below H, as the first
 * line is towards the left. `whole`: so is the line from there to mass 1 at x = 0;
 * else the law has only the mass that the first line has there. */
DUSK_PROVEN(better_law)
static void better_law(dusk_lattice_law *law, double *dots, double *tails, double step, bool whole)
{
    size_t n = law->count;
    double share = 1, before = 1;
    for (size_t i = 1; i < n; i++) dots[i] = fmin(dots[i], dots[i - 1]);
    hull_tails(tails, law->lower, dots, n, step);
    for (size_t i = 1; i < n; i++) tails[i] = fmin(tails[i], tails[i - 1]);
    for (double less = 1e-14; !is_below(tails, dots, n, step); less *= 8) {
        share = less < 1e-6 ? 1 - less : 0; /* rounding errors: a little less of all */
        for (size_t i = 0; i < n; i++) tails[i] *= share;
    }
    for (size_t i = 0; i < n; i++) {
        if (i == 0 && !(whole && dots[0] > 0)) before = tails[0];
        double tail = fmin(tails[i], before);
        /* what rounding leaves at the bottom would only spoil bounds of tails */
        law->lower[i] = 1 - tail > DROPPED ? (before - tail) * (1 - 2 * DUSK_ULP) : 0;
        before = tail;
    }
    law->infinite.lower = 0;
}

/* --- pairs with a density ------------------------------------------------ */

/* Where the lattice of one pair lies: two lattices, a hair apart, so that a loss
 * with an atom is surely not above the point of one, nor below that of the other. */
typedef struct place {
    double step, least, most; /* losses */
    double worse, better;     /* origins */
    double test;              /* of the cell `odd` is at this loss; INFINITY: no such cell */
    size_t count, odd;
} place;

static bool place_make(place *out, double step, double least, double most, double fixed)
{
    double below = ceil((fixed - least) / step) + 1, above = ceil((most - fixed) / step - 1e-6) + 1;
    if (!(below + above < 0x1p40)) return false;
    double slack = 1e-9 * step + 32 * DUSK_ULP * (1 + 4 * fabs(least) + 4 * fabs(most));
    double origin = fixed - below * step;
    *out = (place){ .step = step, .least = least, .most = most };
    out->count = (size_t)(below + above) + 1;
    out->odd = (size_t)below;
    out->test = INFINITY;
    out->worse = origin + slack;
    out->better = origin - slack;
    return true;
}

/* The lowest of two lines at a lattice point, rounded down. */
static double line_down(double p, double q, double x_up)
{
    double cost = x_up * q * (1 + 2 * DUSK_ULP), gain = p - cost;
    return gain - 2 * DUSK_ULP * fabs(gain);
}

/* Dots below H, by a test in each cell; from where a line would be negative the
 * dots are 0, one point earlier. Whether the first is also below 1 - x. */
DUSK_PROVEN(dots_below)
static bool dots_below(double *dots, const dusk_lattice_curve *curve, const place *at)
{
    double p = 0, q = 0;
    bool over = false, whole = false, both = DUSK_MUTATE(LATTICE_LINE_OF_ONE_CELL, true, false);
    for (size_t i = 0; i < at->count; i++) {
        double x = exp(point(at->better, at->step, i).upper) * (1 + 4 * DUSK_ULP);
        double line = line_down(p, q, x), middle = at->better + ((double)i + 0.5) * at->step;
        if (i == at->odd && isfinite(at->test)) middle = at->test;
        if (i + 1 < at->count && !over)
            dusk_lattice_curve_test(&p, &q, curve, middle);
        else
            p = q = 0;
        double next = line_down(p, q, x);
        line = i == 0 ? next : both ? fmin(line, next) : next;
        if (i == 0) whole = line <= line_down(1, 1, x);
        if (!over && line < 0) {
            over = true;
            if (i > 0) dots[i - 1] = 0;
        }
        dots[i] = over ? 0 : line;
    }
    return whole;
}

static dusk_status discretise_curve(dusk_lattice_law *law, const dusk_pair *pair, double step,
                                    dusk_lattice_cut cut, double *room, dusk_error *err)
{
    dusk_lattice_curve worse, better;
    double least, most;
    place at;
    dusk_lattice_curve_make(&worse, pair, true);
    dusk_lattice_curve_make(&better, pair, false);
    dusk_lattice_curve_range(&least, &most, &worse, cut);
    dusk_lattice_edge edge = dusk_lattice_curve_edge(&better, most, step);
    if (!place_make(&at, step, least, most, edge.point)) return dusk_fail_memory(err);
    at.test = edge.test;
    if (pair->folded) at.odd += (size_t)nearbyint(fmax(most / step, 0));
    if (!edge.above) at.odd -= at.odd > 0;
    if (!room) { /* count only */
        law->count = at.count;
        return DUSK_OK;
    }
    dusk_status status = law_new(law, at.count, err);
    if (status != DUSK_OK) return status;
    for (size_t i = 0; i < at.count; i++)
        room[i] = dusk_lattice_curve_delta_up(&worse, point(at.worse, step, i));
    worse_law(law, room, step);
    bool whole = dots_below(room, &better, &at);
    better_law(law, room, room + at.count, step, whole);
    law->origin = (dusk_bound){ at.better, at.worse };
    law->infinite.upper = fmin(dusk_add_up(law->infinite.upper, pair->infinite.upper), 1);
    return DUSK_OK;
}

/* --- atoms anywhere ------------------------------------------------------ */

/* Each atom between two points: split so that P's and Q's masses stay (worse),
 * or moved down (better). */
DUSK_PROVEN(discretise_atoms)
static dusk_status discretise_atoms(dusk_lattice_law *law, const dusk_pair *pair, double step, bool measure,
                                    dusk_error *err)
{
    place at;
    double least = pair->loss[0].lower, most = pair->loss[pair->atoms - 1].upper;
    if (!place_make(&at, step, least, most, most)) return dusk_fail_memory(err);
    law->count = at.count;
    if (measure) return DUSK_OK;
    dusk_status status = law_new(law, at.count, err);
    if (status != DUSK_OK) return status;
    double width = -expm1(-step) * (1 - 4 * DUSK_ULP);
    for (size_t i = 0; i < pair->atoms; i++) {
        double l = pair->loss[i].upper, k = floor((l - at.worse) / step);
        size_t cell = k > 0 ? (size_t)k : 0;
        if (cell > at.count - 2) cell = at.count - 2;
        while (cell + 2 < at.count && l > point(at.worse, step, cell + 1).lower) cell++;
        double inside = dusk_sub_up(l, point(at.worse, step, cell).lower);
        double share =
            inside > 0 ? fmin(-expm1(-inside) * (1 + 4 * DUSK_ULP) / width * (1 + 2 * DUSK_ULP), 1) : 0;
        double high = pair->mass[i].upper * share * (1 + 2 * DUSK_ULP);
        law->upper[cell + 1] = dusk_add_up(law->upper[cell + 1], high);
        law->upper[cell] =
            dusk_add_up(law->upper[cell], dusk_mul_up(pair->mass[i].upper, dusk_sub_up(1, share)));
        l = pair->loss[i].lower;
        k = floor((l - at.better) / step);
        cell = k > 0 ? (size_t)k : 0;
        if (cell > at.count - 1) cell = at.count - 1;
        if (point(at.better, step, cell).upper > l && cell > 0) cell--;
        if (pair->mass[i].lower > 0 && point(at.better, step, cell).upper <= l)
            law->lower[cell] = dusk_add_down(law->lower[cell], pair->mass[i].lower);
    }
    law->origin = (dusk_bound){ at.better, at.worse };
    law->infinite = dusk_bound_clamp(pair->infinite);
    return DUSK_OK;
}

/* No loss is finite. */
static dusk_status law_of_nothing(dusk_lattice_law *law, const dusk_pair *pair, dusk_error *err)
{
    law->infinite = dusk_bound_clamp(pair->infinite);
    return law_new(law, 1, err);
}

/* --- all pairs ----------------------------------------------------------- */

/* A Gaussian pair with large losses is as good as many with small ones. */
static dusk_pair in_parts(const dusk_pair *pair)
{
    dusk_pair part = *pair;
    if (pair->kind != DUSK_PAIR_GAUSSIAN) return part;
    double mu = sqrt(pair->mu_squared.upper), parts = ceil((0.5 * mu + 40) * mu / 400);
    if (!(parts > 1 && parts < 0x1p30)) return part;
    part.times = (uint64_t)parts; /* times is 1: resolving has merged them */
    if (pair->times > 1) {
        if (pair->times > UINT64_C(1) << 32) return *pair;
        part.times *= pair->times;
    }
    part.mu_squared = dusk_bound_div(pair->mu_squared, dusk_bound_of(parts));
    return part;
}

/* Fewer steps between two losses with mass: a whole number of them. */
static double aligned_step(const dusk_pairs *pairs, double step)
{
    const dusk_pair *best = NULL;
    double span = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        if (best && pair->times <= best->times) continue;
        if (pair->kind == DUSK_PAIR_LAPLACE) {
            dusk_lattice_curve curve;
            double least, most;
            dusk_lattice_curve_make(&curve, pair, true);
            dusk_lattice_curve_range(&least, &most, &curve, (dusk_lattice_cut){ 0 });
            span = pair->folded ? most : most - least;
        } else if (pair->kind == DUSK_PAIR_ATOMS && pair->lattice && pair->atoms > 1) {
            span = pair->step.upper;
        } else {
            continue;
        }
        best = pair;
    }
    if (!best || !(span > 0)) return step;
    return step < span || best->kind != DUSK_PAIR_ATOMS ? span / ceil(span / step)
                                                        : span * floor(step / span);
}

static dusk_lattice_cut cut_for_one(dusk_lattice_cut cut, const dusk_pairs *pairs)
{
    double runs = 0;
    for (size_t i = 0; i < pairs->count; i++) runs += (double)in_parts(&pairs->pair[i]).times;
    cut.above = fmax(cut.above / runs, 1e-314);
    cut.below /= runs;
    return cut;
}

/* What a point of a pair costs, a sampled Gaussian being 1. */
static double effort_of(const dusk_pair *pair)
{
    if (pair->kind != DUSK_PAIR_MIXTURE) return 0.5;
    double shifts = (double)pair->shifts, tails = 0.5 * (shifts + 1);
    if (pair->direction == DUSK_REPLACE) tails = shifts;
    if (pair->shifts == 1) return pair->direction == DUSK_REPLACE ? 1.5 : 1;
    return tails + 8 * shifts; /* thresholds are searched for */
}

double dusk_lattice_length(double *effort, const dusk_pairs *pairs, dusk_lattice_cut cut)
{
    double length = 0;
    *effort = 0;
    cut = cut_for_one(cut, pairs);
    for (size_t i = 0; i < pairs->count; i++) {
        dusk_pair pair = in_parts(&pairs->pair[i]);
        double least, most;
        if (pair.kind == DUSK_PAIR_ATOMS) {
            if (pair.atoms == 0) continue;
            least = pair.loss[0].lower, most = pair.loss[pair.atoms - 1].upper;
        } else {
            dusk_lattice_curve curve;
            dusk_lattice_curve_make(&curve, &pair, true);
            dusk_lattice_curve_range(&least, &most, &curve, cut);
            if (!(most < LOSS_MAX && least > -LOSS_MAX)) return INFINITY;
        }
        length += most - least;
        *effort += (most - least) * effort_of(&pair);
    }
    return length;
}

dusk_status dusk_lattice_make(dusk_lattice *out, const dusk_pairs *pairs, double step, dusk_lattice_cut cut,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *room = NULL;
    size_t longest = 0;
    *out = (dusk_lattice){ 0 };
    step = aligned_step(pairs, step);
    DUSK_NEW(out->law, pairs->count);
    out->count = pairs->count;
    out->step = dusk_bound_of(step);
    cut = cut_for_one(cut, pairs);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < pairs->count; i++) {
            dusk_pair pair = in_parts(&pairs->pair[i]);
            dusk_lattice_law *law = &out->law[i];
            law->times = pair.times;
            if (pair.kind == DUSK_PAIR_ATOMS && pair.atoms > 0)
                DUSK_TRY(discretise_atoms(law, &pair, step, pass == 0, err));
            else if (pair.kind != DUSK_PAIR_ATOMS)
                DUSK_TRY(discretise_curve(law, &pair, step, cut, pass == 0 ? NULL : room, err));
            else if (pass == 1)
                DUSK_TRY(law_of_nothing(law, &pair, err));
            if (law->count > longest) longest = law->count;
        }
        if (pass == 0) DUSK_NEW(room, 2 * longest);
    }
    dusk_deallocate(room);
    return DUSK_OK;
done:
    dusk_deallocate(room);
    dusk_lattice_free(out);
    return status;
}
