/* SPDX-License-Identifier: Apache-2.0 */
/* dusk account --curve and --tradeoff: whole curves, as tables; see account.h.
 * account_plot.c draws the same samples. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "cli/account.h"

dusk_status account_series_new(account_series *out, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *out = (account_series){ .n = n };
    DUSK_NEW(out->x, n);
    DUSK_NEW(out->lower, n);
    DUSK_NEW(out->upper, n);
done:
    return status;
}

void account_series_free(account_series *series)
{
    dusk_deallocate(series->x);
    dusk_deallocate(series->lower);
    dusk_deallocate(series->upper);
}

/* How far the curve goes: to --epsilon, or to where --delta (or else `delta`) is
 * reached. When no epsilon reaches it, to where something larger is, well above what the curve
 * never falls below; when every epsilon does, to where something smaller is. */
static dusk_status curve_end(const account_job *job, double delta, double *end, dusk_error *err)
{
    if (account_given(job, "delta") && job->settings->delta > 0) delta = job->settings->delta;
    bool raised = false, lowered = false;
    *end = job->settings->epsilon;
    if (account_given(job, "epsilon") && *end > 0) return DUSK_OK;
    while (delta > 1e-300 && delta < 0.5) {
        dusk_account found;
        dusk_status status = dusk_account_epsilon(&found, job->composition, delta, job->accountant, err);
        if (status != DUSK_OK) return status;
        *end = found.bound.upper;
        if (isfinite(*end) && *end > 0) return DUSK_OK;
        if (isfinite(*end) ? raised : lowered) break; /* the curve jumps over all that is between */
        raised = raised || !isfinite(*end);
        lowered = lowered || isfinite(*end);
        delta *= raised ? 300 : 1e-10;
    }
    *end = 1;
    return DUSK_OK;
}

/* The decimal with few digits that is nearest to x, so that tables are readable
 * and say exactly what was asked. */
static double few_digits(double x, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, x);
    double few = strtod(text, NULL);
    return isfinite(few) ? few : x;
}

dusk_status account_sample_curve(const account_job *job, account_series *out, size_t n, double delta,
                                 bool round, dusk_error *err)
{
    dusk_account found;
    double end;
    dusk_status status = curve_end(job, delta, &end, err);
    if (status == DUSK_OK) status = account_series_new(out, n, err);
    dusk_progress progress;
    dusk_progress_start(&progress, n, 0);
    double step = end / (double)(n - 1);
    if (round && !account_given(job, "epsilon")) step = few_digits(step, 2);
    for (size_t i = 0; status == DUSK_OK && i < n; i++) {
        out->x[i] = few_digits(fmin((double)i * step, DBL_MAX), 10);
        status = dusk_account_delta(&found, job->composition, out->x[i], job->accountant, err);
        if (status != DUSK_OK) break;
        dusk_progress_count(&progress, i);
        out->lower[i] = found.bound.lower;
        out->upper[i] = found.bound.upper;
        out->accountant = found.accountant;
        out->approximation = found.approximation != 0;
    }
    dusk_progress_end(&progress);
    return status;
}

/* Type I errors evenly from 0 to 1. */
static dusk_status sample_tradeoff(const account_job *job, account_series *out, size_t n, dusk_error *err)
{
    dusk_account found;
    dusk_progress progress;
    dusk_status status = account_series_new(out, n, err);
    dusk_progress_start(&progress, n, 0);
    for (size_t i = 0; status == DUSK_OK && i < n; i++) {
        out->x[i] = (double)i / (double)(n - 1);
        status = dusk_account_tradeoff(&found, job->composition, out->x[i], job->accountant, err);
        if (status != DUSK_OK) break;
        dusk_progress_count(&progress, i);
        out->lower[i] = found.bound.lower;
        out->upper[i] = found.bound.upper;
        out->accountant = found.accountant;
        out->approximation = found.approximation != 0;
    }
    dusk_progress_end(&progress);
    return status;
}

static void json_array(dusk_json *json, const char *name, const double *x, size_t n)
{
    dusk_json_key(json, name);
    dusk_json_open(json, '[');
    for (size_t i = 0; i < n; i++) dusk_json_number(json, x[i]);
    dusk_json_close(json, ']');
}

static void json_series(const account_job *job, const account_series *series, const char *const name[3])
{
    dusk_json json;
    account_json_begin(&json, job);
    json_array(&json, name[0], series->x, series->n);
    json_array(&json, name[1], series->upper, series->n);
    json_array(&json, name[2], series->lower, series->n);
    dusk_json_string_field(&json, "accountant", dusk_accountant_name(job->accountant));
    dusk_json_bool_field(&json, "approximation", series->approximation);
    account_json_end(&json);
}

static void print_series(const account_series *series, const char *const heading[3], bool lower_first)
{
    char x[DUSK_DECIMAL_SIZE], upper[DUSK_DECIMAL_SIZE], lower[DUSK_DECIMAL_SIZE];
    printf("%-14s  %-14s  %s\n", heading[0], heading[1], heading[2]);
    for (size_t i = 0; i < series->n; i++) {
        dusk_decimal(x, series->x[i]);
        dusk_decimal_up(upper, series->upper[i], ACCOUNT_DIGITS);
        dusk_decimal_down(lower, series->lower[i], ACCOUNT_DIGITS);
        printf("%-14s  %-14s  %s\n", x, lower_first ? lower : upper, lower_first ? upper : lower);
    }
    putchar('\n');
}

/* The end of a table for people. */
static void print_curve_end(const account_job *job, const account_series *series)
{
    account_print_end(job, account_method(job->accountant == DUSK_BEST ? DUSK_BEST : series->accountant));
}

dusk_status account_curve(const account_job *job, dusk_error *err)
{
    static const char *const keys[] = { "epsilon", "delta", "delta_lower" };
    static const char *const headings[] = { "epsilon", "delta at most", "at least" };
    account_series series = { .n = 0 };
    dusk_status status =
        account_sample_curve(job, &series, (size_t)job->settings->points, ACCOUNT_CURVE_DELTA, true, err);
    if (status == DUSK_OK && job->settings->json) {
        json_series(job, &series, keys);
    } else if (status == DUSK_OK) {
        print_series(&series, headings, false);
        print_curve_end(job, &series);
    }
    account_series_free(&series);
    return status;
}

dusk_status account_tradeoff(const account_job *job, dusk_error *err)
{
    static const char *const keys[] = { "alpha", "beta_upper", "beta" };
    static const char *const headings[] = { "type I", "type II", "at most" };
    account_series series = { .n = 0 };
    dusk_status status = sample_tradeoff(job, &series, (size_t)job->settings->points, err);
    if (status == DUSK_OK && job->settings->json) {
        json_series(job, &series, keys);
    } else if (status == DUSK_OK) {
        print_series(&series, headings, true);
        printf("a test with false alarms of type I misses with probability type II or more\n");
        print_curve_end(job, &series);
    }
    account_series_free(&series);
    return status;
}
