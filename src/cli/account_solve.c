/* SPDX-License-Identifier: Apache-2.0 */
/* dusk account --solve: the value of a parameter that reaches a promise; see
 * account.h. The value for people is rounded too, to the side on which the
 * promise still holds, and that is checked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "cli/account.h"

/* The promise when the variable has this value. */
static dusk_status promise(const account_job *job, dusk_account *out, double value, dusk_error *err)
{
    dusk_composition *composition = NULL;
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_composition_new(&composition, job->neighbours, err));
    DUSK_TRY(dusk_composition_parse_with(composition, job->text, job->settings->solve, value, err));
    DUSK_TRY(dusk_account_epsilon(out, composition, job->settings->delta, job->accountant, err));
done:
    dusk_composition_free(composition);
    return status;
}

/* `value` in few digits, up or down, whichever still reaches the target; all
 * digits when neither does. */
static dusk_status round_for_people(const account_job *job, char text[DUSK_DECIMAL_SIZE], double value,
                                    dusk_account *found, dusk_error *err)
{
    for (int side = 0; side < 2; side++) {
        (side ? dusk_decimal_down : dusk_decimal_up)(text, value, ACCOUNT_DIGITS);
        dusk_status status = promise(job, found, strtod(text, NULL), NULL);
        if (status == DUSK_OK && found->bound.upper <= job->settings->epsilon) return DUSK_OK;
    }
    dusk_decimal(text, value);
    return promise(job, found, value, err);
}

static dusk_status print_solution(const account_job *job, double value, dusk_error *err)
{
    char text[DUSK_DECIMAL_SIZE], epsilon[DUSK_DECIMAL_SIZE], delta[DUSK_DECIMAL_SIZE];
    dusk_account found;
    dusk_status status = round_for_people(job, text, value, &found, err);
    if (status != DUSK_OK) return status;
    dusk_decimal_up(epsilon, found.bound.upper, ACCOUNT_DIGITS);
    dusk_decimal(delta, job->settings->delta);
    printf("%-11s  %s\n", job->settings->solve, text);
    printf("promise      epsilon at most %s at delta %s with this value\n", epsilon, delta);
    account_print_end(job, account_method(found.accountant));
    return DUSK_OK;
}

/* A key, unless it is the name that was solved for. */
static bool key(dusk_json *json, const account_job *job, const char *name)
{
    if (!strcmp(name, job->settings->solve)) return false;
    dusk_json_key(json, name);
    return true;
}

static dusk_status json_solution(const account_job *job, double value, dusk_error *err)
{
    dusk_json json = { .file = stdout };
    dusk_account found;
    dusk_status status = promise(job, &found, value, err);
    if (status != DUSK_OK) return status;
    dusk_json_open(&json, '{');
    dusk_json_key(&json, job->settings->solve);
    dusk_json_number(&json, value);
    if (key(&json, job, "solved")) dusk_json_string(&json, job->settings->solve);
    if (key(&json, job, "epsilon")) dusk_json_number(&json, found.bound.upper);
    if (key(&json, job, "epsilon_lower")) dusk_json_number(&json, found.bound.lower);
    if (key(&json, job, "delta")) dusk_json_number(&json, job->settings->delta);
    if (key(&json, job, "target_epsilon")) dusk_json_number(&json, job->settings->epsilon);
    if (key(&json, job, "method")) dusk_json_string(&json, dusk_accountant_name(found.accountant));
    if (key(&json, job, "neighbours")) dusk_json_string(&json, dusk_neighbours_name(job->neighbours));
    if (key(&json, job, "event")) dusk_json_string(&json, job->text);
    account_json_end(&json);
    return DUSK_OK;
}

dusk_status account_solve(const account_job *job, dusk_error *err)
{
    dusk_budget target = { .epsilon = job->settings->epsilon, .delta = job->settings->delta };
    double value;
    dusk_status status = dusk_account_solve(&value, job->text, job->settings->solve, target, job->neighbours,
                                            job->accountant, err);
    if (status != DUSK_OK) return status;
    return job->settings->json ? json_solution(job, value, err) : print_solution(job, value, err);
}
