/* SPDX-License-Identifier: Apache-2.0 */
/* dusk attack: releases to be attacked, made with the public functions of the library; what they
 * cost is asked of the accountant. See attack.h. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/attack.h"

/* job->spent = event * times. */
static dusk_status spend(attack_job *job, const dusk_event *event, uint64_t times, dusk_error *err)
{
    char text[8192];
    dusk_text words;
    dusk_status status = DUSK_OK;
    if (!job->spent) DUSK_TRY(dusk_composition_new(&job->spent, DUSK_ADD_REMOVE, err));
    DUSK_TRY(dusk_composition_add(job->spent, event, times, err));
    DUSK_TRY(dusk_event_format(event, text, sizeof text, err));
    dusk_text_init(&words, job->event, sizeof job->event);
    dusk_text_add(&words, times > 1 ? "%.150s * %llu" : "%.150s", text, (unsigned long long)times);
done:
    return status;
}

dusk_status attack_spend_event(attack_job *job, uint64_t times, dusk_error *err)
{
    dusk_event event;
    dusk_status status = DUSK_OK;
    if (!job->settings->event) return DUSK_OK;
    DUSK_TRY(dusk_event_parse(&event, job->settings->event, err));
    status = spend(job, &event, times, err);
done:
    return status;
}

/* The length of a vector of n ones, not below it. */
static double norm_of_ones(size_t n) { return sqrt((double)n) * (1 + 0x1p-50); }

/* What one of n answers may spend. */
static double share_of(const attack_job *job, double whole, size_t n)
{
    return job->settings->release == ATTACK_DUSK ? whole / (double)n : whole;
}

dusk_status attack_release_each(attack_job *job, double *answers, const double *exact, size_t n,
                                dusk_budget each, dusk_event *event, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_aggregate how;
    dusk_answer answer;
    dusk_aggregate_init(&how);
    how.neighbours = DUSK_ADD_REMOVE;
    how.epsilon = each.epsilon;
    how.delta = each.delta;
    for (size_t i = 0; i < n; i++) {
        DUSK_TRY(dusk_count_release(&answer, &how, (uint64_t)exact[i], job->gen, err));
        answers[i] = answer.value;
        *event = answer.statement.event;
    }
done:
    return status;
}

/* One Gaussian vector for all n counts, of which a person can move each by 1. */
static dusk_status release_together(attack_job *job, double *answers, const double *exact, size_t n,
                                    dusk_event *event, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (job->noise_for != n)
        DUSK_TRY(dusk_gaussian_init(&job->noise, (uint32_t)n, norm_of_ones(n), job->settings->epsilon,
                                    job->settings->delta, DUSK_GRID_DEFAULT, err));
    job->noise_for = n;
    DUSK_TRY(dusk_noise_release_vector(&job->noise, answers, exact, job->gen, err));
    status = dusk_noise_event(&job->noise, event, err);
done:
    return status;
}

dusk_status attack_release_counts(attack_job *job, double *answers, const double *exact, size_t n,
                                  dusk_error *err)
{
    const attack_settings *s = job->settings;
    dusk_status status = DUSK_OK;
    dusk_event event;
    dusk_budget each = { share_of(job, s->epsilon, n), isnan(s->delta) ? 0 : share_of(job, s->delta, n) };
    size_t drawn = s->release == ATTACK_KEPT ? 1 : n;
    if (s->release == ATTACK_EXACT) {
        memcpy(answers, exact, n * sizeof *answers);
        return DUSK_OK;
    }
    if (s->release == ATTACK_DUSK && s->delta > 0 && n > 1) {
        DUSK_TRY(release_together(job, answers, exact, n, &event, err));
        return job->spent ? DUSK_OK : spend(job, &event, 1, err);
    }
    DUSK_TRY(attack_release_each(job, answers, exact, drawn, each, &event, err));
    for (size_t i = drawn; i < n; i++) answers[i] = answers[0];
    if (!job->spent) status = spend(job, &event, drawn, err);
done:
    return status;
}

/* One vector of noise for all attributes, or noise for each as if it were alone. */
static dusk_status sums_noise(const attack_job *job, dusk_noise *out, size_t n, dusk_error *err)
{
    const attack_settings *s = job->settings;
    bool together = s->release == ATTACK_DUSK;
    uint32_t dimension = together ? (uint32_t)n : 1;
    if (s->delta > 0)
        return dusk_gaussian_init(out, dimension, norm_of_ones(dimension), s->epsilon, s->delta,
                                  DUSK_GRID_DEFAULT, err);
    return dusk_laplace_init(out, dimension, (double)dimension, s->epsilon, DUSK_GRID_DEFAULT, err);
}

dusk_status attack_release_sums(attack_job *job, double *answers, const double *exact, size_t n,
                                dusk_error *err)
{
    dusk_noise noise;
    dusk_event event;
    dusk_status status = DUSK_OK;
    memcpy(answers, exact, n * sizeof *answers);
    if (job->settings->release == ATTACK_EXACT) return DUSK_OK;
    DUSK_TRY(sums_noise(job, &noise, n, err));
    if (noise.dimension > 1 || n == 1)
        DUSK_TRY(dusk_noise_release_vector(&noise, answers, exact, job->gen, err));
    else
        for (size_t j = 0; j < n; j++)
            DUSK_TRY(dusk_noise_release(&noise, &answers[j], exact[j], job->gen, err));
    DUSK_TRY(dusk_noise_event(&noise, &event, err));
    status = spend(job, &event, noise.dimension > 1 ? 1 : n, err);
done:
    return status;
}
