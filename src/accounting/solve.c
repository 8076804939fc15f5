/* SPDX-License-Identifier: Apache-2.0 */
/* Calibration: the value of a variable in the text of a composition at which a
 * target is just met. A rough accountant, which need not even be right, says
 * where to look and which way privacy grows; from there the secant of
 * sqrt(-2 ln delta), nearly a straight line, leads to the value. What is
 * returned was priced by the accountant that was asked for, at that value.
 * The derivations are in solve.proof.md. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "accounting/account.h"
#include "base/mutant.h"

#define LEAST 1e-12 /* values that are tried; whole numbers up to MOST_WHOLE */
#define MOST 1e12
#define MOST_WHOLE 1e15
#define LOOKS_MAX 120
#define PATIENCE 6 /* looks in which the bracket must become four times smaller */
#define ENOUGH 10  /* after so many bounds do not fall evenly: each look may leave it four times as wide */
#define ROUGH 1e-3 /* relative width of the bracket of a guess */
#define FINE 1e-10 /* and of the answer */
#define NUDGES 14  /* steps to the safe side, each eight times as far as the last */
#define NUDGE_LEAST 1e-12

typedef struct solver {
    const char *text, *variable;
    dusk_budget target;
    dusk_neighbours neighbours;
    dusk_accountant lead[DUSK_DIRECTIONS_MAX];
    double low, high; /* values that the text takes */
    bool whole;
    bool answered;     /* some value had a price */
    dusk_error reason; /* why another had none */
} solver;

/* A value, and by how much it misses the target: excess <= 0 only when it is met. */
typedef struct trial {
    double x, excess;
    bool known;
} trial;

static dusk_status compose(dusk_composition **out, const solver *s, double x, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_composition *made = NULL;
    DUSK_TRY(dusk_composition_new(&made, s->neighbours, err));
    DUSK_TRY(dusk_composition_parse_with(made, s->text, s->variable, x, err));
    *out = made;
    return DUSK_OK;
done:
    dusk_composition_free(made);
    return status;
}

/* Nearly a straight line in the variable, increasing with delta. */
static double height(double delta) { return delta >= 1 ? 0 : -sqrt(-2 * log(delta)); }

/* By how much `price`, the upper bound of delta (or of epsilon when the target's
 * delta is 0), misses the target; the sign is that of a comparison. */
static double excess_of(const solver *s, double price)
{
    bool pure = !(s->target.delta > 0);
    double allowed = pure ? s->target.epsilon : s->target.delta;
    double excess = pure ? log(price / allowed) : height(price) - height(allowed);
    if (price <= allowed) return excess <= 0 ? excess : 0;
    return excess > 0 ? excess : isnan(excess) ? INFINITY : DBL_MIN;
}

/* Price the value x. Without a price it is not met, by any measure. */
static dusk_status look(trial *out, solver *s, double x, dusk_accountant accountant, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_composition *c = NULL;
    dusk_pricing pricing = { 0 };
    dusk_account a;
    dusk_question of_delta = { true, s->target.epsilon }, of_epsilon = { false, 0 };
    trial t = { .x = x, .known = true, .excess = INFINITY };
    DUSK_TRY(compose(&c, s, x, err));
    DUSK_TRY(dusk_pricing_begin(&pricing, c, accountant, err));
    memcpy(pricing.lead, s->lead, sizeof s->lead);
    pricing.goal = s->target.delta > 0 ? s->target.delta : s->target.epsilon;
    status = dusk_pricing_ask(&a, &pricing, s->target.delta > 0 ? of_delta : of_epsilon, &s->reason);
    if (status == DUSK_OK) {
        s->answered = true;
        t.excess = excess_of(s, a.bound.upper);
        if (accountant == DUSK_BEST) memcpy(s->lead, pricing.lead, sizeof s->lead);
    } else if (status != DUSK_ERR_UNSUPPORTED) {
        if (err) *err = s->reason;
        goto done;
    }
    *out = t;
    status = DUSK_OK;
done:
    dusk_pricing_end(&pricing);
    dusk_composition_free(c);
    return status;
}

/* Whether the text takes the value x. */
static dusk_status takes(bool *taken, const solver *s, double x, dusk_error *err)
{
    dusk_composition *c = NULL;
    dusk_error refusal;
    dusk_status status = compose(&c, s, x, &refusal);
    dusk_composition_free(c);
    *taken = status == DUSK_OK;
    if (status == DUSK_OK || status == DUSK_ERR_PARSE || status == DUSK_ERR_ARGUMENT) return DUSK_OK;
    if (err) *err = refusal;
    return status;
}

/* Whether x and a quarter more mean the same: a whole number. Both are taken. */
static dusk_status is_whole(bool *whole, const solver *s, double x, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_composition *a = NULL, *b = NULL;
    DUSK_TRY(compose(&a, s, x, err));
    DUSK_TRY(compose(&b, s, x + 0.25, err));
    *whole =
        a->count == b->count && (a->count == 0 || memcmp(a->node, b->node, a->count * sizeof *a->node) == 0);
done:
    dusk_composition_free(a);
    dusk_composition_free(b);
    return status;
}

/* The last value that is taken on the way from x, which is, to `end`. */
static dusk_status last_taken(double *out, const solver *s, double x, double end, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool taken = true;
    double factor = end > x ? 10 : 0.1, next = x;
    while (taken && next != end) {
        x = next;
        next = end > x ? fmin(end, x * factor) : fmax(end, x * factor);
        DUSK_TRY(takes(&taken, s, next, err));
    }
    if (taken) x = next;
    for (int i = 0; i < 60 && !taken; i++) {
        double middle = x + (next - x) / 2;
        bool inside;
        if (middle == x || middle == next) break;
        DUSK_TRY(takes(&inside, s, middle, err));
        *(inside ? &x : &next) = middle;
    }
    *out = x;
done:
    return status;
}

/* Which values the text takes; *start is one of them. */
static dusk_status find_range(solver *s, double *start, dusk_error *err)
{
    static const double first[] = { 1, 0.5, 2, 10, 0.1, 100, 0.01, 1e4, 1e-4, 1e8, 1e-8 };
    dusk_status status = DUSK_OK;
    bool taken = false;
    size_t i = 0;
    for (; i < sizeof first / sizeof *first && !taken; i++) DUSK_TRY(takes(&taken, s, first[i], err));
    if (!taken) {
        dusk_composition *c = NULL; /* say what is wrong with the first */
        status = compose(&c, s, first[0], err);
        dusk_composition_free(c);
        return status;
    }
    *start = first[i - 1];
    DUSK_TRY(takes(&taken, s, *start + 0.25, err));
    if (taken && *start >= 1) DUSK_TRY(is_whole(&s->whole, s, *start, err));
    DUSK_TRY(last_taken(&s->low, s, *start, s->whole ? 1 : LEAST, err));
    DUSK_TRY(last_taken(&s->high, s, *start, s->whole ? MOST_WHOLE : MOST, err));
    if (s->whole) {
        s->low = ceil(s->low);
        s->high = floor(s->high);
    }
done:
    return status;
}

static bool met(trial t) { return t.excess <= 0; }

/* What is known: a value at which the target is met, and one at which it is not. */
typedef struct bracket {
    trial safe, unsafe;
    trial last, before; /* the last two looks */
} bracket;

static void note(bracket *b, trial t)
{
    *(met(t) ? &b->safe : &b->unsafe) = t;
    b->before = b->last;
    b->last = t;
}

/* From `start` outward, both ways, until the target is met at one value and not
 * at another. A way on which the excess moves off is given up. */
static dusk_status find_bracket(bracket *b, solver *s, double start, dusk_accountant accountant,
                                dusk_error *err)
{
    static const double factors[] = { 4, 64, 1e4, 1e8, 1e15, 1e27 };
    dusk_status status = DUSK_OK;
    trial first, end[2];
    bool open[2] = { true, true };
    *b = (bracket){ 0 };
    DUSK_TRY(look(&first, s, start, accountant, err));
    end[0] = end[1] = first;
    for (size_t i = 0; i < 2 * (sizeof factors / sizeof *factors); i++) {
        size_t way = i % 2;
        double x = way ? start / factors[i / 2] : start * factors[i / 2];
        x = fmax(s->low, fmin(s->high, s->whole ? floor(x) : x));
        if (!open[way] || x == end[way].x) continue;
        trial t;
        DUSK_TRY(look(&t, s, x, accountant, err));
        if (met(t) != met(first)) {
            note(b, end[way]);
            note(b, t);
            return DUSK_OK;
        }
        bool away = met(first) ? t.excess < end[way].excess : t.excess > end[way].excess;
        bool nearer = met(first) ? t.excess > end[way].excess : t.excess < end[way].excess;
        if (away) open[way] = false;
        if (nearer) open[!way] = false;
        end[way] = t;
    }
    note(b, first);
done:
    return status;
}

/* The value at which the line through the last two looks meets the target, or NAN. */
static double secant(const bracket *b)
{
    if (!b->before.known || !isfinite(b->last.excess) || !isfinite(b->before.excess)) return NAN;
    double slope = (b->last.excess - b->before.excess) / log(b->last.x / b->before.x);
    return b->last.x * exp(-b->last.excess / slope);
}

/* Strictly inside the bracket: where the secant points to, unless that is so
 * close to the safe end that only the unsafe end can still be drawn near. */
static double propose(const solver *s, const bracket *b, double width, bool halve)
{
    double safe = b->safe.x, unsafe = b->unsafe.x, toward = unsafe > safe ? 1 : -1;
    double low = fmin(safe, unsafe), high = fmax(safe, unsafe), x = secant(b);
    double near = s->whole ? 1 : width * safe / 2;
    if (halve || !(x > low - near && x < high + near))
        x = high / low > 4 ? sqrt(low) * sqrt(high) : low + (high - low) / 2;
    else
        x -= toward * near / 4; /* to the safe side */
    if ((x - safe) * toward < near) x = safe + toward * near;
    if ((unsafe - x) * toward < near) x = unsafe - toward * near;
    if (s->whole) x = floor(x);
    if (!(x > low && x < high)) x = s->whole ? floor(low + (high - low) / 2) : low + (high - low) / 2;
    return x;
}

static bool is_close(const solver *s, const bracket *b, double width)
{
    double apart = fabs(b->safe.x - b->unsafe.x);
    return apart <= (s->whole ? 1 : width * b->safe.x);
}

/* Draw the bracket together until it is as narrow as `width`, relatively. */
static dusk_status narrow(bracket *b, solver *s, double width, dusk_accountant accountant, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double before = INFINITY;
    for (int i = 0; i < LOOKS_MAX && !is_close(s, b, width * exp2(2 * fmax(0, i - ENOUGH))); i++) {
        double apart = fabs(b->safe.x - b->unsafe.x);
        bool halve = false;
        if (i % PATIENCE == PATIENCE - 1) {
            halve = !(apart <= before / 4);
            before = apart;
        }
        trial t;
        double x = propose(s, b, width, halve);
        if (x == b->safe.x || x == b->unsafe.x) break;
        DUSK_TRY(look(&t, s, x, accountant, err));
        note(b, t);
    }
done:
    return status;
}

/* A bracket around what is nearly the answer, in few looks: from `start` in
 * steps toward the side that is not known yet. */
static dusk_status find_near(bracket *b, solver *s, double start, double toward_safe,
                             dusk_accountant accountant, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double step = 1.02, x = start;
    *b = (bracket){ 0 };
    for (int i = 0; i < LOOKS_MAX; i++) {
        trial t;
        DUSK_TRY(look(&t, s, x, accountant, err));
        note(b, t);
        if (b->safe.known && b->unsafe.known) break;
        double way = met(t) ? -toward_safe : toward_safe;
        if (x == (way > 0 ? s->high : s->low)) break;
        double next = secant(b), most = way > 0 ? x * step : x / step;
        /* a little beyond the secant; not less than a step that tells, nor too far */
        if (next > 0) {
            next = way > 0 ? next * (1 + 1e-5) : next / (1 + 1e-5);
            if ((next - x) * way > 0 && (most - next) * way > 0) most = next;
        }
        x = s->whole ? (way > 0 ? ceil(most) : floor(most)) : most;
        x = fmax(s->low, fmin(s->high, x));
        step = step < 1e6 ? step * step * step : step;
    }
done:
    return status;
}

/* What is said when there is no bracket. */
static dusk_status fail_to_reach(const solver *s, const bracket *b, dusk_error *err)
{
    if (!s->answered && s->reason.status == DUSK_ERR_UNSUPPORTED) {
        if (err) *err = s->reason;
        return DUSK_ERR_UNSUPPORTED;
    }
    if (b->safe.known)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "ask for a smaller epsilon or delta",
                         "the target is met at every %s from %g to %g, so that it sets none", s->variable,
                         s->low, s->high);
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "allow a larger epsilon or delta",
                     "no %s from %g to %g reaches the target", s->variable, s->low, s->high);
}

/* The safe end, moved to the safe side until epsilon itself is at most the target. */
DUSK_PROVEN(certify)
static dusk_status certify(double *out, const solver *s, const bracket *b, dusk_accountant accountant,
                           dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double toward_safe = b->safe.x > b->unsafe.x ? 1 : -1, step = s->whole ? 1 : NUDGE_LEAST * b->safe.x;
    double x = b->safe.x;
    for (int i = 0; i < NUDGES && x >= s->low && x <= s->high; i++) {
        dusk_composition *c = NULL;
        dusk_account a;
        DUSK_TRY(compose(&c, s, x, err));
        status = dusk_account_epsilon(&a, c, s->target.delta, accountant, err);
        dusk_composition_free(c);
        if (status != DUSK_OK) goto done;
        if (DUSK_MUTATE(SOLVE_NOT_CERTIFIED, a.bound.upper <= s->target.epsilon, true)) {
            *out = DUSK_MUTATE(SOLVE_NOT_CERTIFIED, x, x - toward_safe * 1e-7 * x);
            goto done;
        }
        x += toward_safe * step;
        step *= 8;
    }
    status = fail_to_reach(s, &(bracket){ 0 }, err);
done:
    return status;
}

/* Where to start: a rough answer by the approximation, which is quick, and which
 * way is safe (0: it has none). */
static dusk_status guess(double *start, double *toward_safe, solver *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bracket b;
    trial t;
    *toward_safe = 0;
    if (!(s->target.delta > 0)) return DUSK_OK;
    DUSK_TRY(look(&t, s, *start, DUSK_CLT, err));
    if (!s->answered) goto done;
    DUSK_TRY(find_bracket(&b, s, *start, DUSK_CLT, err));
    if (!b.safe.known || !b.unsafe.known) goto done;
    DUSK_TRY(narrow(&b, s, ROUGH, DUSK_CLT, err));
    *start = b.safe.x;
    *toward_safe = b.safe.x > b.unsafe.x ? 1 : -1;
done:
    return status;
}

static dusk_status check(dusk_budget target, dusk_neighbours neighbours, dusk_accountant accountant,
                         dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_check_epsilon(target.epsilon, err));
    DUSK_TRY(dusk_check_delta(target.delta, err));
    if (neighbours != DUSK_ADD_REMOVE && neighbours != DUSK_REPLACE_ONE)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "give DUSK_ADD_REMOVE or DUSK_REPLACE_ONE",
                           "neighbours is no neighbouring relation"));
    if (accountant == DUSK_CLT)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_UNSUPPORTED, "ask for the accountant best",
                           "the clt accountant is an approximation and cannot vouch for a target"));
done:
    return status;
}

dusk_status dusk_account_solve(double *out, const char *text, const char *variable, dusk_budget target,
                               dusk_neighbours neighbours, dusk_accountant accountant, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    solver s = { .text = text, .variable = variable, .target = target, .neighbours = neighbours };
    bracket b = { 0 };
    double start = 1, toward_safe = 0;
    DUSK_TRY(check(target, neighbours, accountant, err));
    DUSK_TRY(find_range(&s, &start, err));
    DUSK_TRY(guess(&start, &toward_safe, &s, err));
    s.answered = false;
    if (toward_safe != 0) DUSK_TRY(find_near(&b, &s, start, toward_safe, accountant, err));
    if (!b.safe.known || !b.unsafe.known) DUSK_TRY(find_bracket(&b, &s, start, accountant, err));
    if (!b.safe.known || !b.unsafe.known) DUSK_TRY(fail_to_reach(&s, &b, err));
    DUSK_TRY(narrow(&b, &s, FINE, accountant, err));
    DUSK_TRY(certify(out, &s, &b, accountant, err));
done:
    return status;
}
