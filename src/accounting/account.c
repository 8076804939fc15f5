/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the accountants. Those on dominating pairs answer for one direction
 * (a unit is removed, or added); the answer is the worse of the two. Those on
 * compositions answer for the neighbouring relation. `best` takes in each
 * direction the smallest upper bound that anybody certifies and the largest
 * lower bound; an approximation (clt) is never part of it. The derivations are
 * in account.proof.md. */
#include "accounting/account.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "accounting/bound.h"
#include "base/mutant.h"

/* Bounds that are this close, relatively, are as good as the truth; and so close
 * that what costs more or knows less need not be asked. */
#define NARROW 1e-9
#define CLOSE 1e-7

/* Samples of so many kinds are too many to invert the curve of each for a bound that
 * is far off. */
#define MANY_SAMPLES 1000

typedef dusk_status pairs_price(dusk_bound *, const dusk_pairs *, double, dusk_error *);
typedef dusk_status composition_price(dusk_bound *, const dusk_composition *, double, dusk_error *);

typedef struct method {
    dusk_accountant accountant;
    pairs_price *pairs_epsilon, *pairs_delta;
    composition_price *epsilon, *delta;
    bool approximation;
    bool from_pairs;   /* on compositions, but knows nothing that the pairs do not say */
    double worth;      /* asked when the bounds so far are farther apart than this */
    bool part_by_part; /* inverts the curve of every part */
} method;

/* In the order in which `best` tries them: first the tight ones, the fastest first. */
static const method methods[] = {
    { DUSK_EXACT, dusk_exact_epsilon, dusk_exact_delta, NULL, NULL, false, false, NARROW, false },
    { DUSK_OPTIMAL, dusk_optimal_epsilon, dusk_optimal_delta, NULL, NULL, false, false, NARROW, false },
    { DUSK_CONTOUR, dusk_contour_epsilon, dusk_contour_delta, NULL, NULL, false, false, NARROW, false },
    { DUSK_LATTICE, dusk_lattice_epsilon, dusk_lattice_delta, NULL, NULL, false, false, CLOSE, false },
    { DUSK_RDP, NULL, NULL, dusk_rdp_epsilon, dusk_rdp_delta, false, false, CLOSE, false },
    { DUSK_ZCDP, NULL, NULL, dusk_zcdp_epsilon, dusk_zcdp_delta, false, false, CLOSE, false },
    { DUSK_MCDP, NULL, NULL, dusk_mcdp_epsilon, dusk_mcdp_delta, false, false, CLOSE, false },
    { DUSK_TCDP, NULL, NULL, dusk_tcdp_epsilon, dusk_tcdp_delta, false, false, CLOSE, false },
    { DUSK_GDP, NULL, NULL, dusk_gdp_epsilon, dusk_gdp_delta, false, true, CLOSE, false },
    { DUSK_MOMENTS, NULL, NULL, dusk_moments_epsilon, dusk_moments_delta, false, true, CLOSE, false },
    { DUSK_BASIC, NULL, NULL, dusk_basic_epsilon, dusk_basic_delta, false, true, CLOSE, true },
    { DUSK_ADVANCED, NULL, NULL, dusk_advanced_epsilon, dusk_advanced_delta, false, true, CLOSE, true },
    { DUSK_CLT, NULL, NULL, dusk_clt_epsilon, dusk_clt_delta, true, false, CLOSE, false },
};
#define METHODS (sizeof methods / sizeof *methods)

static const method *method_of(dusk_accountant accountant)
{
    for (size_t i = 0; i < METHODS; i++)
        if (methods[i].accountant == accountant) return &methods[i];
    return NULL;
}

/* No promise at all. */
static double worst(dusk_question question) { return question.of_delta ? 1 : INFINITY; }

/* Ends that are no numbers, or crossed, promise nothing. */
static dusk_bound sound(dusk_bound b, dusk_question question)
{
    if (!(b.lower >= 0)) b.lower = 0;
    if (question.of_delta && b.lower > 1) b.lower = 1;
    if (!(b.upper >= b.lower && b.upper <= worst(question))) b.upper = worst(question);
    return b;
}

/* How far the ends are apart, relatively. */
static double width_of(dusk_bound b)
{
    /* An infinite upper bound is no answer yet, however far the lower one is. */
    if (!isfinite(b.upper)) return b.lower == b.upper ? 0 : INFINITY;
    return b.upper <= DBL_MIN ? 0 : (b.upper - b.lower) / b.upper;
}

/* Whether nothing more need be known. */
static bool is_enough(const dusk_pricing *pricing, dusk_bound b)
{
    return b.upper <= DBL_MIN || b.upper <= pricing->goal || b.lower > pricing->goal;
}

/* One accountant on pairs, one direction. */
static dusk_status ask_pairs(dusk_bound *out, const dusk_pricing *pricing, const method *m, size_t direction,
                             dusk_question question, dusk_error *err)
{
    const dusk_pairs *pairs = &pricing->pairs[direction];
    if (!pricing->resolved[direction]) {
        if (err) *err = pricing->refusal;
        return pricing->refusal.status;
    }
    dusk_bound b = { 0, 0 };
    if (pairs->count > 0) {
        dusk_status status =
            (question.of_delta ? m->pairs_delta : m->pairs_epsilon)(&b, pairs, question.at, err);
        if (status != DUSK_OK) return status;
    }
    *out = sound(b, question);
    return DUSK_OK;
}

static dusk_status ask_composition(dusk_bound *out, const dusk_pricing *pricing, const method *m,
                                   dusk_question question, dusk_error *err)
{
    dusk_bound b = { 0, 0 };
    if (pricing->composition->count > 0) {
        dusk_status status =
            (question.of_delta ? m->delta : m->epsilon)(&b, pricing->composition, question.at, err);
        if (status != DUSK_OK) return status;
    }
    *out = sound(b, question);
    return DUSK_OK;
}

/* What is known so far in one direction. */
typedef struct knowledge {
    dusk_account account; /* upper bound by whom; lower bound of the event */
    dusk_bound pairs;     /* what the pairs give, be they tight or not */
    bool answered;
} knowledge;

static knowledge nothing_known(dusk_question question)
{
    return (knowledge){ .account.bound = { 0, worst(question) }, .pairs = { 0, worst(question) } };
}

/* Learn an upper bound. */
static void learn(knowledge *k, double upper, const method *m)
{
    if (!k->answered || upper < k->account.bound.upper) {
        k->account.bound.upper = upper;
        k->account.accountant = m->accountant;
        k->account.approximation = m->approximation;
    }
    k->answered = true;
}

/* Ask one accountant on pairs and learn; being unsupported is no failure. */
static dusk_status try_pairs(knowledge *k, dusk_pricing *pricing, const method *m, size_t direction,
                             dusk_question question, dusk_error *reason)
{
    dusk_bound b;
    dusk_status status = ask_pairs(&b, pricing, m, direction, question, reason);
    if (status == DUSK_ERR_UNSUPPORTED) return DUSK_OK;
    if (status != DUSK_OK) return status;
    if (m->worth <= NARROW && width_of(b) <= CLOSE) pricing->lead[direction] = m->accountant;
    learn(k, b.upper, m);
    k->pairs = (dusk_bound){ fmax(k->pairs.lower, b.lower), fmin(k->pairs.upper, b.upper) };
    if (pricing->tight[direction]) k->account.bound.lower = k->pairs.lower;
    return DUSK_OK;
}

/* Whether some moment of the losses says that delta(epsilon) <= limit. Rough, but
 * quick where a direction is far from being the worse one. */
DUSK_PROVEN(is_covered_by_moments)
static dusk_status is_covered_by_moments(bool *covered, const dusk_pairs *pairs, double epsilon, double limit,
                                         dusk_error *reason)
{
    for (double s = 0.25; s <= 1024 && pairs->count <= 16 && !*covered; s *= 2) {
        double sum = 0;
        for (size_t i = 0; i < pairs->count; i++) {
            dusk_bound moment;
            dusk_status status = dusk_pair_log_moment(&moment, &pairs->pair[i], s, reason);
            if (status != DUSK_OK) return status;
            double times = dusk_bound_of_whole(pairs->pair[i].times).upper;
            sum = dusk_add_up(sum, dusk_mul_up(times, fmax(moment.upper, 0)));
        }
        *covered = dusk_rdp_to_delta_up(1 + s, dusk_div_up(sum, s), epsilon) <= limit;
    }
    return DUSK_OK;
}

/* Whether delta is next to nothing, before somebody looks at it in detail. */
static dusk_status try_nothing(knowledge *k, const dusk_pricing *pricing, size_t direction,
                               dusk_question question, dusk_error *reason)
{
    bool covered = false;
    dusk_status status =
        is_covered_by_moments(&covered, &pricing->pairs[direction], question.at, DBL_MIN, reason);
    if (covered) {
        learn(k, DBL_MIN, method_of(DUSK_RDP));
        k->pairs.upper = DBL_MIN;
    }
    return status == DUSK_ERR_UNSUPPORTED ? DUSK_OK : status;
}

/* The best bounds from pairs in one direction. */
static dusk_status best_of_pairs(knowledge *k, dusk_pricing *pricing, size_t direction,
                                 dusk_question question, dusk_error *reason)
{
    dusk_status status = DUSK_OK;
    dusk_accountant lead = pricing->lead[direction];
    *k = nothing_known(question);
    if (!pricing->resolved[direction]) return DUSK_OK;
    if (lead) status = try_pairs(k, pricing, method_of(lead), direction, question, reason);
    for (size_t i = 0; i < METHODS && status == DUSK_OK; i++) {
        const method *m = &methods[i];
        if (k->answered && is_enough(pricing, k->account.bound)) break;
        if (!m->pairs_epsilon || m->accountant == lead || !(width_of(k->pairs) > m->worth)) continue;
        if (m->worth > NARROW && question.of_delta)
            status = try_nothing(k, pricing, direction, question, reason);
        if (status == DUSK_OK && width_of(k->pairs) > 0)
            status = try_pairs(k, pricing, m, direction, question, reason);
    }
    return status;
}

/* The worse of two directions. */
static dusk_account worse(dusk_account a, dusk_account b)
{
    dusk_account answer = a.bound.upper >= b.bound.upper ? a : b;
    answer.bound.lower = fmax(a.bound.lower, b.bound.lower);
    return answer;
}

/* Whether the second direction is no worse than the bound `first`, by a look or
 * two at its curve: delta(eps) <= delta means that its epsilon is at most eps. */
DUSK_PROVEN(is_covered)
static dusk_status is_covered(bool *covered, dusk_pricing *pricing, dusk_account first,
                              dusk_question question, dusk_error *reason)
{
    double epsilon = question.of_delta ? question.at : first.bound.upper;
    double limit = question.of_delta ? first.bound.upper : question.at;
    const method *m = method_of(first.accountant);
    dusk_bound b;
    *covered = pricing->alike;
    if (pricing->alike || !isfinite(epsilon) || !m->pairs_delta) return DUSK_OK;
    dusk_status status = DUSK_ERR_UNSUPPORTED;
    if (m->worth <= NARROW) status = ask_pairs(&b, pricing, m, 1, (dusk_question){ true, epsilon }, reason);
    if (status == DUSK_OK) *covered = b.upper <= limit;
    if (status == DUSK_ERR_UNSUPPORTED && pricing->resolved[1] && limit > 0)
        status = is_covered_by_moments(covered, &pricing->pairs[1], epsilon, limit, reason);
    return status == DUSK_ERR_UNSUPPORTED ? DUSK_OK : status;
}

static bool has_many_samples(const dusk_composition *composition)
{
    size_t samples = 0;
    for (const dusk_event_node *t = dusk_composition_first(composition); t && samples <= MANY_SAMPLES;
         t = dusk_composition_next(composition, t))
        samples += t->span > 1;
    return samples > MANY_SAMPLES;
}

/* The best of those on compositions, into what the pairs know. `all` says that all
 * directions are asked about: only then their lower bounds mean something. */
static dusk_status best_of_compositions(knowledge *k, const dusk_pricing *pricing, bool all,
                                        dusk_question question, dusk_error *reason)
{
    for (size_t i = 0; i < METHODS; i++) {
        dusk_bound b;
        if (!methods[i].epsilon || DUSK_MUTATE(CLT_IS_CHARGED, methods[i].approximation, false)) continue;
        if (methods[i].from_pairs && !(width_of(k->pairs) > methods[i].worth)) continue;
        if (k->answered && is_enough(pricing, k->account.bound)) break;
        if (methods[i].part_by_part && k->answered && k->account.bound.upper < worst(question) &&
            has_many_samples(pricing->composition))
            continue;
        dusk_status status = ask_composition(&b, pricing, &methods[i], question, reason);
        if (status == DUSK_ERR_UNSUPPORTED) continue;
        if (status != DUSK_OK) return status;
        learn(k, b.upper, &methods[i]);
        if (all) k->account.bound.lower = fmax(k->account.bound.lower, b.lower);
    }
    return DUSK_OK;
}

/* Nobody has an answer: the reason that helps most is that of the pairs when it
 * says what to do, else that of whoever was asked last. */
static dusk_status fail_for_all(const dusk_pricing *pricing, const dusk_error *reason, dusk_error *err)
{
    const dusk_error *why = pricing->refusal.status != DUSK_OK ? &pricing->refusal : reason;
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED,
                     strstr(why->hint, "accountant best") ? "price its parts by another event" : why->hint,
                     "no accountant can price this: %s", why->message);
}

/* `best`, for one direction (NULL: for all). */
DUSK_PROVEN(ask_best)
static dusk_status ask_best(dusk_account *out, dusk_pricing *pricing, const size_t *only,
                            dusk_question question, dusk_error *err)
{
    dusk_error reason = { .status = DUSK_OK };
    knowledge k, other;
    bool covered = true, tight = pricing->tight[only ? *only : 0];
    dusk_status status = best_of_pairs(&k, pricing, only ? *only : 0, question, &reason);
    bool both = !only && pricing->directions == 2;
    if (status == DUSK_OK && both)
        status = k.answered ? is_covered(&covered, pricing, k.account, question, &reason) : DUSK_OK;
    if (status == DUSK_OK && both && !(k.answered && covered)) {
        status = best_of_pairs(&other, pricing, 1, question, &reason);
        /* without an answer for one direction there is none, but for the lower bound */
        bool answered = k.answered && other.answered;
        k.pairs =
            (dusk_bound){ fmax(k.pairs.lower, other.pairs.lower), fmax(k.pairs.upper, other.pairs.upper) };
        tight = tight && pricing->tight[1];
        k.account = worse(k.account, other.account);
        if (!answered) k.account.bound.upper = worst(question);
        k.answered = answered;
    }
    if (status == DUSK_OK &&
        !(k.answered && ((tight && width_of(k.pairs) <= CLOSE) || is_enough(pricing, k.account.bound))))
        status = best_of_compositions(&k, pricing, !only, question, &reason);
    if (status != DUSK_OK) {
        if (err) *err = reason;
        return status;
    }
    if (!k.answered) return fail_for_all(pricing, &reason, err);
    /* sound bounds cannot cross; should they, the larger one is promised */
    if (k.account.bound.upper < k.account.bound.lower) k.account.bound.upper = k.account.bound.lower;
    *out = k.account;
    return DUSK_OK;
}

/* An accountant by name, for one direction (NULL: for all). */
DUSK_PROVEN(ask_one)
static dusk_status ask_one(dusk_account *out, dusk_pricing *pricing, const size_t *only,
                           dusk_question question, dusk_error *err)
{
    const method *m = method_of(pricing->accountant);
    if (!m)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "ask for the accountant best",
                         "the %s accountant has no answer", dusk_accountant_name(pricing->accountant));
    dusk_account account = { .accountant = m->accountant, .approximation = m->approximation };
    dusk_status status;
    if (m->epsilon) {
        status = ask_composition(&account.bound, pricing, m, question, err);
        if (status == DUSK_OK) *out = account;
        return status;
    }
    bool covered = true;
    size_t first = only ? *only : 0;
    status = ask_pairs(&account.bound, pricing, m, first, question, err);
    if (status != DUSK_OK) return status;
    if (!pricing->tight[first]) account.bound.lower = 0;
    if (!only && pricing->directions == 2) status = is_covered(&covered, pricing, account, question, err);
    if (status == DUSK_OK && !covered) {
        dusk_account other = account;
        status = ask_pairs(&other.bound, pricing, m, 1, question, err);
        if (!pricing->tight[1]) other.bound.lower = 0;
        account = worse(account, other);
    }
    if (status == DUSK_OK) *out = account;
    return status;
}

dusk_status dusk_pricing_ask(dusk_account *out, dusk_pricing *pricing, dusk_question question,
                             dusk_error *err)
{
    return (pricing->accountant == DUSK_BEST ? ask_best : ask_one)(out, pricing, NULL, question, err);
}

dusk_status dusk_pricing_ask_direction(dusk_account *out, dusk_pricing *pricing, size_t direction,
                                       dusk_question question, dusk_error *err)
{
    return (pricing->accountant == DUSK_BEST ? ask_best : ask_one)(out, pricing, &direction, question, err);
}

/* One parallel, run once, where a unit is added or removed: the unit is in one part, so the
 * answer is that of the worst branch, each at its best. NULL when it is something else. */
static const dusk_event_node *only_parallel(const dusk_composition *composition)
{
    const dusk_event_node *tree = dusk_composition_first(composition);
    bool only = tree && !dusk_composition_next(composition, tree) && tree->kind == DUSK_EVENT_PARALLEL;
    return only && tree->times == 1 && composition->neighbours == DUSK_ADD_REMOVE ? tree : NULL;
}

static dusk_status account(dusk_account *out, const dusk_composition *composition, dusk_accountant accountant,
                           dusk_question question, dusk_error *err);

DUSK_PROVEN(account_branches)
static dusk_status account_branches(dusk_account *out, const dusk_event_node *parallel,
                                    dusk_question question, dusk_error *err)
{
    dusk_account all = { .accountant = DUSK_EXACT };
    for (const dusk_event_node *b = dusk_event_first_below(parallel); b;
         b = dusk_event_next_below(parallel, b)) {
        /* what is below the branch, borrowed: nothing is added to it */
        dusk_composition branch = { .neighbours = DUSK_ADD_REMOVE, .count = b->span - 1 };
        branch.node = (dusk_event_node *)(b + 1);
        dusk_account one;
        dusk_status status = account(&one, &branch, DUSK_BEST, question, err);
        if (status != DUSK_OK) return status;
        double lower = fmax(all.bound.lower, one.bound.lower);
        if (one.bound.upper >= all.bound.upper) all = one;
        all.bound.lower = lower;
    }
    *out = all;
    return DUSK_OK;
}

static dusk_status account(dusk_account *out, const dusk_composition *composition, dusk_accountant accountant,
                           dusk_question question, dusk_error *err)
{
    const dusk_event_node *parallel = accountant == DUSK_BEST ? only_parallel(composition) : NULL;
    if (parallel) return account_branches(out, parallel, question, err);
    dusk_pricing pricing;
    dusk_status status = dusk_pricing_begin(&pricing, composition, accountant, err);
    if (status == DUSK_OK) status = dusk_pricing_ask(out, &pricing, question, err);
    dusk_pricing_end(&pricing);
    return status;
}

dusk_status dusk_account_epsilon(dusk_account *out, const dusk_composition *composition, double delta,
                                 dusk_accountant accountant, dusk_error *err)
{
    dusk_status status = dusk_check_delta(delta, err);
    return status == DUSK_OK ? account(out, composition, accountant, (dusk_question){ false, delta }, err)
                             : status;
}

dusk_status dusk_account_delta(dusk_account *out, const dusk_composition *composition, double epsilon,
                               dusk_accountant accountant, dusk_error *err)
{
    dusk_status status = dusk_check_epsilon(epsilon, err);
    return status == DUSK_OK ? account(out, composition, accountant, (dusk_question){ true, epsilon }, err)
                             : status;
}

dusk_status dusk_account_event(dusk_account *out, const dusk_event *event, double delta,
                               dusk_neighbours neighbours, dusk_accountant accountant, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_composition *composition = NULL;
    DUSK_TRY(dusk_composition_new(&composition, neighbours, err));
    DUSK_TRY(dusk_composition_add(composition, event, 1, err));
    DUSK_TRY(dusk_account_epsilon(out, composition, delta, accountant, err));
done:
    dusk_composition_free(composition);
    return status;
}
