/* SPDX-License-Identifier: Apache-2.0 */
/* Perturbed objectives, as approximate minima perturbation [Iyengar, Near, Song, Thakkar, Thakurta & Wang 2019]: a random linear
 * term (linear_term.h), a minimiser with a certified gradient (objective.h), and noise on the grid for what is left between it and
 * the exact one. Under it are objective perturbation as in [Chaudhuri, Monteleoni & Sarwate 2011] without a delta, and as in
 * [Kifer, Smith & Thakurta 2012; Jain & Thakurta 2014] with one, at a price that is derived anew. form=output: no linear term,
 * and noise for the distance between minimisers of neighbours [Chaudhuri et al. 2011; Wu et al. 2017].
 *
 * The objective is a sum, with an absolute regularisation; how many rows there are does not enter. Proof: amp.proof.md. */
#include <math.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/classifier.h"
#include "learn/learner.h"
#include "learn/linear_term.h"
#include "learn/objective.h"
#include "learn/regression.h"
#include "numeric/rounding.h"

#define SHARE 0x1p-14     /* of the budget (of mu^2), for the noise on an approximate minimiser */
#define PURE_SHARE 0x1p-6 /* the same without delta, of epsilon */
#define WEAKEST 0x1p-19   /* regularisation over norm^2: what the search for the minimum was tried on */
#define OUTPUT_RATIO 10.0 /* form=output: regularisation over the deviation of noise for a gradient */

enum { FORM_OBJECTIVE = 0, FORM_OUTPUT = 1 };

typedef struct amp_plan {
    learn_loss loss;
    size_t outputs;
    uint32_t cells;
    double strength; /* Lambda */
    double gamma;    /* of the gradient at the point that is found */
    bool linear;     /* there is a linear term */
    learn_linear_term term;
    double moved;      /* steps that weights move by for one row of a change */
    learn_noise noise; /* of the weights */
} amp_plan;

/* --- plan: what is left for what ------------------------------------------------------------------------------------ */

/* What the promise costs when the minimiser is (epsilon, delta)-private, and its noise `multiplier` times the sensitivity. */
static double price_of(const learn_budget *budget, double epsilon, double delta, double multiplier)
{
    dusk_event event, part;
    double price = INFINITY;
    if (dusk_event_approx(&event, epsilon, delta, NULL) != DUSK_OK ||
        dusk_event_gaussian(&part, multiplier, NULL) != DUSK_OK ||
        dusk_event_add(&event, &event, &part, NULL) != DUSK_OK)
        return INFINITY;
    if (budget->any && dusk_event_add(&event, &event, &budget->event, NULL) != DUSK_OK) return INFINITY;
    return dusk_event_epsilon_up(&event, &price, budget->delta, NULL) == DUSK_OK ? price : INFINITY;
}

/* The most epsilon that the minimiser may have; not above 0: none. What is charged in the end is priced by learn_budget_state. */
static double epsilon_for(const learn_budget *budget, double delta)
{
    double multiplier = 1 / (budget->mu * sqrt(SHARE * budget->left)) * (1 - 0x1p-20);
    double half = budget->epsilon / 2, rest = price_of(budget, half, delta, multiplier) - half;
    return (budget->epsilon - rest) * (1 - 0x1p-20);
}

static double share_of_noise(const learn_budget *budget) { return budget->delta > 0 ? SHARE : PURE_SHARE; }

/* How (epsilon, delta) is shared between minimiser and noise. */
static dusk_budget minimiser_budget(const learn_budget *budget)
{
    dusk_budget best = { 0, 0 };
    double least = INFINITY;
    if (budget->delta == 0)
        return (dusk_budget){ dusk_mul_down(budget->epsilon, budget->left * (1 - PURE_SHARE) * (1 - 0x1p-30)),
                              0 };
    const double parts[] = { 0.98, 0.9, 0.7, 0.5 };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        dusk_budget tried = { epsilon_for(budget, parts[i] * budget->delta), parts[i] * budget->delta };
        if (!(tried.epsilon > 0)) continue;
        double cost = sqrt(2 * log(1 / tried.delta)) / tried.epsilon; /* about the noise it needs */
        if (cost < least) {
            least = cost;
            best = tried;
        }
    }
    return best;
}

/* --- plan: how strong ------------------------------------------------------------------------------------------------- */

/* The regularisation that was asked for, or 0: to be chosen. */
static dusk_status asked_strength(learn_job *job, double *out, double least, dusk_error *err)
{
    double strength = learn_setting(job, "regularisation"), each = learn_setting(job, "per_row");
    if (each > 0 && (strength > 0 || job->rows == 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         strength > 0 ? "give regularisation or per_row" : "declare the number of rows",
                         strength > 0 ? "the regularisation is given twice"
                                      : "a regularisation per row needs the number of rows as a public fact");
    *out = each > 0 ? each * (double)job->rows : strength;
    if (*out > 0 && *out < least)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give more, or 0: then it is chosen by the noise",
                         "a regularisation of %.3g is too weak for rows of this length (at least %.3g)", *out,
                         least);
    return DUSK_OK;
}

/* Noise for weights that differ by at most `distance` in l2 for each row of a change, once they are rounded to the grid. */
DUSK_PROVEN(plan_noise)
static dusk_status plan_noise(learn_job *job, amp_plan *p, double distance, double share, dusk_error *err)
{
    double root = dusk_sqrt_up(p->cells);
    int grid = (int)floor(log2(distance / root)) - 12;
    double steps = ceil(dusk_add_up(dusk_mul_up(distance, ldexp(1, -grid)), root));
    p->moved = steps;
    return learn_budget_noise(&job->budget, &p->noise, p->cells, steps, grid, share, 1, err);
}

/* --- plan: the two forms ------------------------------------------------------------------------------------------------ */

/* Charge what the minimiser costs. */
static dusk_status charge(learn_job *job, dusk_budget given, double share, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    if (given.delta > 0)
        DUSK_TRY(dusk_event_approx(&event, given.epsilon, given.delta, err));
    else
        DUSK_TRY(dusk_event_pure(&event, given.epsilon, err));
    DUSK_TRY(learn_budget_event(&job->budget, &event, share, 1, err));
done:
    return status;
}

DUSK_PROVEN(plan_objective)
static dusk_status plan_objective(learn_job *job, amp_plan *p, const learn_row_facts *facts, double strength,
                                  dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double left = job->budget.left;
    dusk_budget given = minimiser_budget(&job->budget);

    if (!(given.epsilon > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give more of it, or pay less for scaling",
                         "nothing of the budget is left for the learner itself");
    if (!(strength > 0))
        strength =
            learn_linear_strength(facts, p->cells, given.epsilon, given.delta, learn_setting(job, "ratio"));
    p->strength = learn_strength_up(fmax(strength, WEAKEST * facts->norm * facts->norm));
    p->linear = true;
    DUSK_TRY(learn_linear_term_init(&p->term, facts, p->cells, given.epsilon, given.delta, p->strength,
                                    p->gamma, err));
    DUSK_TRY(charge(job, given, left * (1 - share_of_noise(&job->budget)), err));
    double gamma = dusk_add_up(p->gamma, DUSK_MUTATE(AMP_TERM_IS_NOT_ROUNDED, p->term.rounding, 0));
    DUSK_TRY(plan_noise(job, p,
                        dusk_div_up(2 * DUSK_MUTATE(AMP_MINIMUM_IS_EXACT, gamma, gamma / 1024), p->strength),
                        job->budget.left, err));
    learn_say(job,
              "the minimiser of a perturbed objective: a linear term of deviation %.4g, regularisation %.4g, "
              "%s of epsilon %s",
              p->term.deviation, p->strength, dusk_shown_up(given.epsilon, 4).text,
              dusk_shown_up(job->budget.epsilon, 4).text);
    learn_say(job, "the gradient there is at most %.3g long; %u weights, with noise of deviation %.4g",
              p->gamma, p->cells, p->noise.deviation);
done:
    return status;
}

DUSK_PROVEN(plan_output)
static dusk_status plan_output(learn_job *job, amp_plan *p, const learn_row_facts *facts, double strength,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_budget *budget = &job->budget;
    double slope = dusk_mul_up(facts->lipschitz, facts->norm);
    double each = budget->delta > 0 ? 1 / (budget->mu * sqrt(budget->left))
                                    : sqrt(p->cells + 1.0) / (budget->epsilon * budget->left);

    if (!(strength > 0))
        strength = learn_setting(job, "ratio") * OUTPUT_RATIO * slope * budget->factor * each;
    p->strength = learn_strength_up(fmax(strength, WEAKEST * facts->norm * facts->norm));
    double distance = dusk_div_up(
        dusk_add_up(DUSK_MUTATE(AMP_OUTPUT_FORGETS_GRADIENT, slope, slope / 2), 2 * p->gamma), p->strength);
    DUSK_TRY(plan_noise(job, p, distance, budget->left, err));
    learn_say(
        job,
        "the minimiser of an objective with regularisation %.4g: %u weights, with noise of deviation %.4g",
        p->strength, p->cells, p->noise.deviation);
done:
    return status;
}

static dusk_status plan_for(learn_job *job, learn_loss loss, size_t outputs, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    amp_plan *p = NULL;
    double strength = 0;

    DUSK_TRY(learn_plan_features(job, true, err));
    if (job->features.width > LEARN_OBJECTIVE_WIDTH || job->features.width * outputs > 1u << 20)
        return dusk_fail(
            err, DUSK_ERR_ARGUMENT, "declare fewer fields, or use a learner that descends by gradients",
            "%zu columns and %zu outputs are too many for an exact minimiser (at most %d columns, 2^20 "
            "weights)",
            job->features.width, outputs, LEARN_OBJECTIVE_WIDTH);
    DUSK_NEW(p, 1);
    job->plan = p;
    p->loss = loss;
    p->outputs = outputs;
    p->cells = (uint32_t)(job->features.width * outputs);
    const double norm = job->features.bound / LEARN_ONE;
    const learn_row_facts facts = learn_row_facts_of(&loss, outputs, norm, &job->budget);
    p->gamma = learn_certified_reachable(&loss, outputs, norm);
    DUSK_TRY(asked_strength(job, &strength, WEAKEST * norm * norm, err));
    if (learn_choice(job, "form") == FORM_OUTPUT)
        DUSK_TRY(plan_output(job, p, &facts, strength, err));
    else
        DUSK_TRY(plan_objective(job, p, &facts, strength, err));
done:
    return status;
}

static dusk_status plan_logistic(learn_job *job, dusk_error *err)
{
    return plan_for(job, learn_loss_of(LEARN_LOGISTIC, 1), 1, err);
}

static dusk_status plan_svm(learn_job *job, dusk_error *err)
{
    return plan_for(job, learn_loss_of(LEARN_HUBER_SVM, learn_setting(job, "knee")), 1, err);
}

static dusk_status plan_huber(learn_job *job, dusk_error *err)
{
    return plan_for(job, learn_loss_of(LEARN_HUBER, learn_setting(job, "knee")), 1, err);
}

static dusk_status plan_multinomial(learn_job *job, dusk_error *err)
{
    return plan_for(job, learn_loss_of(LEARN_LOGISTIC, 1), job->label_field->values, err);
}

/* --- fit ---------------------------------------------------------------------------------------------------------------------- */

/* The weights that will be released, before noise, in steps of its grid. */
DUSK_PROVEN(find_weights)
static dusk_status find_weights(learn_job *job, dusk_int128 *steps, const dusk_frame *frame,
                                dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const amp_plan *p = job->plan;
    learn_matrix matrix = { .bound = 0 };
    learn_point point = { .cells = 0 };
    double *linear = NULL;

    DUSK_NEW(linear, p->cells);
    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    if (p->linear) DUSK_TRY(learn_linear_term_draw(&p->term, linear, gen, err));
    const learn_objective objective = {
        .matrix = &matrix, .loss = p->loss, .outputs = p->outputs, .strength = p->strength, .linear = linear
    };
    DUSK_TRY(learn_minimise(&objective, &point, p->gamma, err));
    learn_point_steps(&point, steps, p->noise.grid);
done:
    learn_matrix_clear(&matrix);
    learn_point_clear(&point);
    if (linear) dusk_wipe(linear, p->cells * sizeof *linear);
    dusk_deallocate(linear);
    return status;
}

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const amp_plan *p = job->plan;
    double *weights = NULL;
    dusk_int128 *steps = NULL;

    DUSK_NEW(weights, p->cells);
    DUSK_NEW(steps, p->cells);
    DUSK_TRY(find_weights(job, steps, frame, gen, err));
    DUSK_TRY(learn_noise_release(&p->noise, weights, steps, gen, err));
    DUSK_TRY(learn_model_put(job->model, "weights", p->outputs, job->features.width, weights, err));
done:
    if (steps) dusk_wipe(steps, p->cells * sizeof *steps);
    dusk_deallocate(weights);
    dusk_deallocate(steps);
    return status;
}

/* --- stability ------------------------------------------------------------------------------------------------------------------ */

DUSK_PROVEN(stability)
static dusk_status stability(const learn_job *job, learn_stability *out, dusk_error *err)
{
    const amp_plan *p = job->plan;
    if (p->linear || job->scaling_is_paid)
        return dusk_fail(
            err, DUSK_ERR_UNSUPPORTED, "use form=output, and scaling=bounds",
            "weights of %s are stable with noise on the minimiser alone, and with public scaling",
            job->learner->shown.name);
    *out = (learn_stability){ .cells = p->cells, .moved = p->moved, .grid = p->noise.grid };
    return DUSK_OK;
}

/* Noise as it would be drawn, which does not depend on rows, is that of a release of zeros. */
DUSK_PROVEN(rehearse)
static dusk_status rehearse(learn_job *job, dusk_int128 *weights, const dusk_frame *frame,
                            dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const amp_plan *p = job->plan;
    dusk_int128 *zero = NULL;
    double *noise = NULL;

    DUSK_NEW(zero, p->cells);
    DUSK_NEW(noise, p->cells);
    DUSK_TRY(find_weights(job, weights, frame, gen, err));
    DUSK_TRY(learn_noise_release(&p->noise, noise, zero, gen, err));
    for (uint32_t c = 0; c < p->cells; c++) {
        const double steps = ldexp(noise[c], -p->noise.grid);
        weights[c] += (dusk_int128)fmin(fmax(rint(steps), -0x1p100), 0x1p100);
    }
done:
    if (noise) dusk_wipe(noise, p->cells * sizeof *noise);
    dusk_deallocate(noise);
    dusk_deallocate(zero);
    return status;
}

/* --- the learners ------------------------------------------------------------------------------------------------------------------ */

#define SHARED_SETTINGS                                                                                      \
    { "form",                                                                                                \
      "objective",                                                                                           \
      "objective|output",                                                                                    \
      0,                                                                                                     \
      0,                                                                                                     \
      false,                                                                                                 \
      "a random linear term in the objective, or noise on its minimiser alone" },                            \
        { "regularisation",                                                                                  \
          "0",                                                                                               \
          NULL,                                                                                              \
          0,                                                                                                 \
          0x1p40,                                                                                            \
          false,                                                                                             \
          "of the sum of losses: half of it times |weights|^2; 0: by the ratio" },                           \
        { "per_row", "0", NULL, 0, 0x1p20, false, "the same, over the number of rows, which is declared" },  \
        { "ratio",                                                                                           \
          "1",                                                                                               \
          NULL,                                                                                              \
          0x1p-10,                                                                                           \
          0x1p10,                                                                                            \
          false,                                                                                             \
          "regularisation over the deviation of the linear term, where it is not given" },                   \
        LEARN_FEATURE_SETTINGS,                                                                              \
    {                                                                                                        \
        NULL, NULL, NULL, 0, 0, false, NULL                                                                  \
    }

static const dusk_setting settings[] = { SHARED_SETTINGS };
static const dusk_setting svm_settings[] = {
    { "knee", "2", NULL, 0.05, 4, false, "half the width of the rounded part of the hinge" }, SHARED_SETTINGS
};
static const dusk_setting huber_settings[] = {
    { "knee", "0.25", NULL, 0.01, 1, false, "residuals above it count linearly; the label's range being 2" },
    SHARED_SETTINGS
};

#define LEARNER(identifier, name_, task_, summary_, settings_, plan_, says, stability_, rehearse_)           \
    const learn_learner identifier = {                                                                       \
        .shown = { name_, task_, DUSK_NUMERICS_EXACT, summary_,                                              \
                   "Iyengar, Near, Song, Thakkar, Thakurta & Wang 2019", settings_ },                        \
        .plan = plan_,                                                                                       \
        .fit = fit,                                                                                          \
        .stability = stability_,                                                                             \
        .rehearse = rehearse_,                                                                               \
        .outputs = says##_outputs,                                                                           \
        .predict = says##_predict,                                                                           \
        .complete = says##_complete,                                                                         \
    }

LEARNER(learn_amp_logistic, "amp_logistic", DUSK_TASK_BINARY, "logistic regression by a perturbed objective",
        settings, plan_logistic, learn_classifier, stability, rehearse);
LEARNER(learn_amp_svm, "amp_svm", DUSK_TASK_BINARY, "support vector machine by a perturbed objective",
        svm_settings, plan_svm, learn_classifier, stability, rehearse);
LEARNER(learn_amp_huber, "amp_huber", DUSK_TASK_NUMBER, "robust regression by a perturbed objective",
        huber_settings, plan_huber, learn_linear, stability, rehearse);
LEARNER(learn_amp_multinomial, "amp_multinomial", DUSK_TASK_CLASS,
        "multinomial logistic regression by a perturbed objective", settings, plan_multinomial,
        learn_classifier, NULL, NULL);
