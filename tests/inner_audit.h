/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INNER_AUDIT_H
#define TESTS_INNER_AUDIT_H

/* Subjects that plan once and draw many times, and their audit; see audit/inner.c. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accounting/account.h"
#include "dusk/audit_mechanisms.h"
#include "seeded.h"

#define NOT_AUDITED 125 /* neither passed nor accused: tests/must_fail takes it for no catch */

/* A subject: worlds 0 and 1 are neighbours. `begin` plans for `epsilon` and gives the claim. */
typedef struct claim {
    double epsilon, delta;
} claim;
typedef struct subject {
    const char *name, *pair;
    double epsilon; /* that is asked for, unless DUSK_EPSILON says another */
    size_t outputs;
    uint64_t draws;
    claim (*begin)(double epsilon);
    void (*draw)(double *out, int world);
    double (*log_chance)(double output, int world); /* where it is believed; NULL: black box */
} subject;

static dusk_generator *coins;

static inline void must(dusk_status status)
{
    if (status == DUSK_OK) return;
    fprintf(stderr, "status %d\n", (int)status);
    exit(NOT_AUDITED);
}

/* What an event promises at delta. */
static inline claim priced(const dusk_event *event, double delta)
{
    dusk_account account;
    must(dusk_account_event(&account, event, delta, DUSK_ADD_REMOVE, DUSK_BEST, NULL));
    return (claim){ account.bound.upper, delta };
}

static inline dusk_status subject_draw(void *context, double *out, size_t n, const double *input,
                                       dusk_error *err)
{
    const subject *s = context;
    (void)err;
    for (size_t i = 0; i < n; i++) s->draw(out + i * s->outputs, (int)input[0]);
    return DUSK_OK;
}

static inline dusk_status subject_density(void *context, double *out, const double *outputs, size_t n,
                                          const double *input, dusk_error *err)
{
    const subject *s = context;
    (void)err;
    for (size_t i = 0; i < n; i++) out[i] = s->log_chance(outputs[i * s->outputs], (int)input[0]);
    return DUSK_OK;
}

static inline dusk_audit_report subject_report(const subject *s, double epsilon)
{
    static const double worlds[2] = { 0, 1 };
    const dusk_input_pair pair = { { &worlds[0], &worlds[1] }, s->pair };
    subject copy = *s;
    const dusk_sampler sampler = { &copy, 1, s->outputs, subject_draw,
                                   s->log_chance ? subject_density : NULL };
    const char *text = getenv("DUSK_SEED");
    dusk_audit_options options;
    dusk_audit_report report;
    dusk_error err = { 0 };
    dusk_audit_options_init(&options);
    options.seed = text ? strtoull(text, NULL, 10) : 20261116;
    options.draws = s->draws;
    options.density = s->log_chance ? DUSK_DENSITY_TRUSTED : DUSK_DENSITY_UNUSED;
    coins = seeded(options.seed);
    claim said = s->begin(epsilon);
    options.epsilon = said.epsilon;
    options.delta = said.delta;
    if (dusk_audit_run(&report, &sampler, &pair, 1, &options, &err) != DUSK_OK) {
        fprintf(stderr, "%s: %s\n", s->name, err.message);
        exit(NOT_AUDITED);
    }
    dusk_generator_free(coins);
    printf("%-18s claimed %g at %g, at least %.3f, surely %.3f, %s: %s\n", s->name, report.claimed,
           report.delta, report.epsilon, report.epsilon_sure, dusk_verdict_name(report.verdict),
           report.event);
    return report;
}

/* All of them, or the one that DUSK_SUBJECT names. All get a third of the draws, unless DUSK_DEEP is set as in make soak: enough
 * for an accusation where something is badly wrong. */
static inline void none_is_accused(const subject *subjects, size_t count)
{
    const char *name = getenv("DUSK_SUBJECT"), *epsilon = getenv("DUSK_EPSILON");
    unsigned audited = 0;
    for (size_t i = 0; i < count; i++) {
        if (name && strcmp(name, subjects[i].name)) continue;
        double asked = name && epsilon ? strtod(epsilon, NULL) : subjects[i].epsilon;
        subject audited_now = subjects[i];
        if (!name && !getenv("DUSK_DEEP")) audited_now.draws /= 3;
        assert_int_not_equal(subject_report(&audited_now, asked).verdict, DUSK_VIOLATION);
        audited++;
    }
    if (audited > 0) return;
    fprintf(stderr, "there is no subject %s\n", name);
    exit(NOT_AUDITED);
}

#endif
