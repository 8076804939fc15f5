/* SPDX-License-Identifier: Apache-2.0 */
/* dusk attack reconstruction --plot: the share of a column that is given back, over what all answers
 * together have spent. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/attack.h"
#include "cli/plot.h"

#define POINTS 25
#define EPSILON_LEAST 1.0
#define EACH_MOST 2 /* epsilon of one answer, at the right end */

typedef struct curve {
    double x[POINTS], share[POINTS], theory[POINTS], bound[POINTS];
} curve;

static dusk_status bound_of(double *out, const dusk_event *event, size_t times, double prior, dusk_error *err)
{
    dusk_composition *all = NULL;
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_composition_new(&all, DUSK_ADD_REMOVE, err));
    DUSK_TRY(dusk_composition_add(all, event, times, err));
    DUSK_TRY(dusk_right_guesses_up(out, all, prior, err));
done:
    dusk_composition_free(all);
    return status;
}

/* One release at x[i], attacked. */
static dusk_status sample(attack_job *job, curve *c, size_t i, const attack_secret *secret,
                          const dusk_groups *groups, const double *exact, double *answers, double *values,
                          dusk_error *err)
{
    size_t n = secret->people, m = dusk_groups_questions(groups);
    dusk_budget each = { c->x[i] / (double)m, 0 };
    dusk_reconstruction_options options;
    dusk_reconstruction found;
    dusk_event event;
    dusk_status status = DUSK_OK;
    DUSK_TRY(attack_release_each(job, answers, exact, m, each, &event, err));
    attack_reconstruction_options(job, &options, (double)secret->holders / (double)n);
    DUSK_TRY(dusk_reconstruct(&found, values, groups, answers, &options, err));
    c->share[i] = (double)dusk_reconstruction_right(values, secret->values, n) / (double)n;
    /* of discrete Laplace noise: the deviation is sqrt(2 q) / (1 - q), q = exp(-epsilon) */
    double q = exp(-each.epsilon);
    c->theory[i] = dusk_reconstruction_expected(n, m, sqrt(2 * q) / (1 - q));
    status = bound_of(&c->bound[i], &event, m, (double)secret->holders / (double)n, err);
done:
    return status;
}

static dusk_status draw(attack_job *job, const curve *c, const attack_secret *secret, size_t m,
                        dusk_error *err)
{
    char title[200], subtitle[200], name[160];
    dusk_text text;
    double n = (double)secret->people, holders = (double)secret->holders;
    double majority = fmax(holders, n - holders) / n;
    const double ends[2] = { c->x[0], c->x[POINTS - 1] }, flat[2] = { majority, majority };
    const dusk_plot_line lines[] = {
        { .label = "recovered", .x = c->x, .y = c->share, .n = POINTS, .label_inside = true },
        { .x = c->x, .y = c->theory, .n = isnan(c->theory[0]) ? 0 : POINTS, .dashed = true },
        { .label = "bound", .x = c->x, .y = c->bound, .n = POINTS, .label_inside = true },
        { .label = "majority", .x = ends, .y = flat, .n = 2, .reference = true },
    };
    attack_name_secret(job, name, sizeof name);
    dusk_text_init(&text, title, sizeof title);
    dusk_text_add(&text, "Which of %zu people have %s", secret->people, name);
    dusk_text_init(&text, subtitle, sizeof subtitle);
    dusk_text_add(&text, "from noisy counts of %zu random groups, by least %s%s", m,
                  job->settings->decoder == 1 ? "absolute errors" : "squares",
                  isnan(c->theory[0]) ? "" : "; dotted: what theory expects");
    const dusk_plot plot = {
        .title = title,
        .subtitle = subtitle,
        .x = { .label = "epsilon of all answers together",
               .logarithmic = true,
               .low = ends[0],
               .high = ends[1] },
        .y = { .label = "share of people guessed right", .low = 0.4, .high = 1 },
        .lines = lines,
        .line_count = sizeof lines / sizeof *lines,
    };
    return dusk_plot_write(&plot, job->settings->plot, err);
}

dusk_status attack_plot_reconstruction(attack_job *job, const attack_secret *secret,
                                       const dusk_groups *groups, const double *exact, dusk_error *err)
{
    curve *c = NULL;
    double *answers = NULL, *values = NULL;
    dusk_status status = DUSK_OK;
    dusk_progress progress;
    size_t m = dusk_groups_questions(groups);
    double most = EACH_MOST * (double)m;
    dusk_progress_start(&progress, POINTS, 0);
    DUSK_NEW(c, 1);
    DUSK_NEW(answers, m);
    DUSK_NEW(values, secret->people);
    for (size_t i = 0; i < POINTS; i++) {
        c->x[i] = EPSILON_LEAST * pow(most / EPSILON_LEAST, (double)i / (POINTS - 1));
        DUSK_TRY(sample(job, c, i, secret, groups, exact, answers, values, err));
        dusk_progress_count(&progress, i + 1);
    }
    dusk_progress_end(&progress);
    DUSK_TRY(draw(job, c, secret, m, err));
    dusk_output_note("drawn", "%s", job->settings->plot);
done:
    dusk_progress_end(&progress);
    dusk_deallocate(c);
    dusk_deallocate(answers);
    dusk_deallocate(values);
    return status;
}
