/* SPDX-License-Identifier: Apache-2.0 */
/* dusk account: one number, or one from each accountant; see account.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "cli/account.h"

#define EVENT_SHOWN 8191 /* a longer expression is not repeated */

const char *account_method(dusk_accountant accountant)
{
    switch (accountant) {
    case DUSK_BEST: return "best: the smallest of all bounds";
    case DUSK_EXACT: return "exact: the curve of a single mechanism";
    case DUSK_BASIC: return "basic: epsilons and deltas add up";
    case DUSK_ADVANCED: return "advanced composition";
    case DUSK_OPTIMAL: return "optimal composition";
    case DUSK_ZCDP: return "zcdp: zero-concentrated privacy";
    case DUSK_MCDP: return "mcdp: mean-concentrated privacy";
    case DUSK_TCDP: return "tcdp: truncated concentrated privacy";
    case DUSK_RDP: return "rdp: Renyi divergences at the best order";
    case DUSK_MOMENTS: return "moments accountant, closed form";
    case DUSK_GDP: return "gdp: Gaussian privacy";
    case DUSK_CLT: return "clt: central limit theorem; an approximation, not a bound";
    case DUSK_LATTICE: return "lattice: convolution of privacy losses, certified";
    case DUSK_CONTOUR: return "contour: integral of the moment generating function, certified";
    }
    return "unknown";
}

/* ---- What every answer has ------------------------------------------------------- */

void account_json_begin(dusk_json *json, const account_job *job)
{
    *json = (dusk_json){ .file = stdout };
    dusk_json_open(json, '{');
    dusk_json_key(json, "event");
    if (strlen(job->text) <= EVENT_SHOWN)
        dusk_json_string(json, job->text);
    else
        dusk_json_null(json);
    dusk_json_string_field(json, "neighbours", dusk_neighbours_name(job->neighbours));
}

void account_json_end(dusk_json *json)
{
    dusk_json_close(json, '}');
    fputc('\n', json->file);
}

void account_print_end(const account_job *job, const char *method)
{
    if (method) printf("method       %s\n", method);
    const char *by_default = job->replacing ? " (by nature of what is priced)" : " (default)";
    printf("neighbours   %s%s: one unit's data is %s\n", dusk_neighbours_name(job->neighbours),
           account_given(job, "neighbours") ? "" : by_default,
           job->neighbours == DUSK_REPLACE_ONE ? "exchanged for other data" : "there or is not");
}

/* ---- One answer ------------------------------------------------------------------ */

static bool asks_delta(const account_job *job) { return account_given(job, "epsilon"); }

static dusk_status ask(const account_job *job, dusk_account *out, dusk_accountant accountant, dusk_error *err)
{
    return asks_delta(job)
               ? dusk_account_delta(out, job->composition, job->settings->epsilon, accountant, err)
               : dusk_account_epsilon(out, job->composition, job->settings->delta, accountant, err);
}

/* What an attacker gains; the odds are those after even odds. */
typedef struct gain {
    dusk_account advantage;
    double odds;
} gain;

static dusk_status ask_gain(const account_job *job, gain *out, dusk_error *err)
{
    dusk_status status = dusk_account_advantage(&out->advantage, job->composition, job->accountant, err);
    if (status == DUSK_OK && !asks_delta(job))
        status = dusk_account_posterior_odds(&out->odds, job->composition, 1, job->settings->delta, err);
    return status;
}

static void print_gain(const account_job *job, const gain *found)
{
    char text[DUSK_DECIMAL_SIZE], delta[DUSK_DECIMAL_SIZE];
    bool replace = job->neighbours == DUSK_REPLACE_ONE;
    dusk_decimal_up(text, found->advantage.bound.upper, 4);
    printf("attacker     no test %s has an advantage above %s\n"
           "             (share of hits minus share of false alarms)\n",
           replace ? "of which of two values a unit has" : "of whether a unit is there", text);
    if (asks_delta(job)) return;
    dusk_decimal(delta, job->settings->delta);
    if (isfinite(found->odds)) {
        dusk_decimal_up(text, found->odds, 4);
        printf("             even odds become at most %s : 1, except with probability %s\n", text, delta);
    } else {
        printf("             even odds may become certainty\n");
    }
}

static void json_gain(const account_job *job, dusk_json *json, const gain *found)
{
    dusk_json_number_field(json, "advantage", found->advantage.bound.upper);
    dusk_json_number_field(json, "advantage_lower", found->advantage.bound.lower);
    if (asks_delta(job)) return;
    dusk_json_number_field(json, "posterior_odds", found->odds);
}

static void json_bound(dusk_json *json, const account_job *job, const dusk_account *found)
{
    bool delta = asks_delta(job);
    dusk_json_key(json, delta ? "delta" : "epsilon");
    dusk_json_number(json, found->bound.upper);
    dusk_json_key(json, delta ? "delta_lower" : "epsilon_lower");
    dusk_json_number(json, found->bound.lower);
}

static void json_asked(dusk_json *json, const account_job *job)
{
    dusk_json_key(json, asks_delta(job) ? "epsilon" : "delta");
    dusk_json_number(json, asks_delta(job) ? job->settings->epsilon : job->settings->delta);
}

static void print_bound(const account_job *job, const dusk_account *found)
{
    char upper[DUSK_DECIMAL_SIZE], lower[DUSK_DECIMAL_SIZE], at[DUSK_DECIMAL_SIZE];
    bool delta = asks_delta(job);
    dusk_decimal_up(upper, found->bound.upper, ACCOUNT_DIGITS);
    dusk_decimal_down(lower, found->bound.lower, ACCOUNT_DIGITS);
    dusk_decimal(at, delta ? job->settings->epsilon : job->settings->delta);
    const char *what = delta ? "delta  " : "epsilon", *given = delta ? "epsilon" : "delta";
    if (found->approximation) {
        printf("%s      about %s at %s %s: an approximation, not a bound; never charge it\n", what, upper,
               given, at);
    } else if (isinf(found->bound.upper)) {
        printf("%s      infinite at %s %s: no finite %s is promised\n", what, given, at,
               delta ? "delta" : what);
    } else {
        printf("%s      at most %s at %s %s\n", what, upper, given, at);
        if (found->bound.lower > 0)
            printf("             at least %s: nobody can promise less\n", lower);
        else if (found->bound.upper > 0)
            printf("             no lower bound is known here\n");
    }
}

dusk_status account_answer(const account_job *job, dusk_error *err)
{
    dusk_account found;
    gain attacker;
    dusk_json json;
    dusk_status status = DUSK_OK;
    bool attacked = job->settings->attacker;
    DUSK_TRY(ask(job, &found, job->accountant, err));
    if (attacked) DUSK_TRY(ask_gain(job, &attacker, err));
    if (!job->settings->json) {
        print_bound(job, &found);
        if (attacked) print_gain(job, &attacker);
        account_print_end(job, account_method(found.accountant));
        goto done;
    }
    account_json_begin(&json, job);
    json_bound(&json, job, &found);
    json_asked(&json, job);
    dusk_json_string_field(&json, "method", dusk_accountant_name(found.accountant));
    dusk_json_bool_field(&json, "approximation", found.approximation != 0);
    if (attacked) json_gain(job, &json, &attacker);
    account_json_end(&json);
done:
    return status;
}

/* ---- All accountants --------------------------------------------------------------- */

typedef struct row {
    dusk_accountant accountant;
    dusk_account found;
    dusk_error refusal; /* status DUSK_OK: it answered */
} row;

/* Answers before refusals, small bounds before large ones, approximations last. */
static int compare_rows(const void *left, const void *right)
{
    const row *a = left, *b = right;
    bool none_a = a->refusal.status != DUSK_OK, none_b = b->refusal.status != DUSK_OK;
    int kind_a = none_a ? 2 : a->found.approximation != 0, kind_b = none_b ? 2 : b->found.approximation != 0;
    if (kind_a != kind_b) return kind_a - kind_b;
    if (!none_a && a->found.bound.upper < b->found.bound.upper) return -1;
    if (!none_a && a->found.bound.upper > b->found.bound.upper) return 1;
    return (int)a->accountant - (int)b->accountant;
}

/* What it said, without its name, which is in the first column already. */
static const char *reason(const row *one)
{
    char before[64];
    snprintf(before, sizeof before, "the %s accountant ", dusk_accountant_name(one->accountant));
    size_t length = strlen(before);
    return strncmp(one->refusal.message, before, length) ? one->refusal.message
                                                         : one->refusal.message + length;
}

static void print_row(const row *one)
{
    char upper[DUSK_DECIMAL_SIZE], lower[DUSK_DECIMAL_SIZE] = "-";
    const char *name = dusk_accountant_name(one->accountant);
    if (one->refusal.status != DUSK_OK) {
        printf("%-10s  %14s  %14s  %s\n", name, "-", "-", reason(one));
        return;
    }
    dusk_decimal_up(upper, one->found.bound.upper, ACCOUNT_DIGITS);
    if (one->found.bound.lower > 0 && !one->found.approximation)
        dusk_decimal_down(lower, one->found.bound.lower, ACCOUNT_DIGITS);
    printf("%-10s  %14s  %14s%s\n", name, upper, lower,
           one->found.approximation ? "  approximation, not a bound; never charge it" : "");
}

static void json_row(dusk_json *json, const account_job *job, const row *one)
{
    dusk_json_open(json, '{');
    dusk_json_string_field(json, "method", dusk_accountant_name(one->accountant));
    if (one->refusal.status == DUSK_OK) {
        json_bound(json, job, &one->found);
        dusk_json_bool_field(json, "approximation", one->found.approximation != 0);
    } else {
        dusk_json_string_field(json, "unsupported", one->refusal.message);
    }
    dusk_json_close(json, '}');
}

static void print_table(const account_job *job, const dusk_account *best, const row *rows, size_t n)
{
    printf("%-10s  %14s  %14s\n", "accountant", asks_delta(job) ? "delta at most" : "epsilon at most",
           "at least");
    for (size_t i = 0; i < n; i++) print_row(&rows[i]);
    putchar('\n');
    print_bound(job, best);
    account_print_end(job, account_method(best->accountant));
}

dusk_status account_compare(const account_job *job, dusk_error *err)
{
    row rows[DUSK_ACCOUNTANTS];
    dusk_account best;
    dusk_json json;
    size_t n = 0;
    dusk_status status = DUSK_OK;
    DUSK_TRY(ask(job, &best, DUSK_BEST, err));
    for (int i = DUSK_BEST + 1; i <= DUSK_ACCOUNTANTS; i++) {
        row *one = &rows[n++];
        *one = (row){ .accountant = (dusk_accountant)i };
        status = ask(job, &one->found, one->accountant, &one->refusal);
        if (status != DUSK_OK && status != DUSK_ERR_UNSUPPORTED) {
            if (err) *err = one->refusal;
            return status;
        }
        one->refusal.status = status;
    }
    status = DUSK_OK;
    qsort(rows, n, sizeof rows[0], compare_rows);
    if (!job->settings->json) {
        print_table(job, &best, rows, n);
        goto done;
    }
    account_json_begin(&json, job);
    json_bound(&json, job, &best);
    json_asked(&json, job);
    dusk_json_string_field(&json, "method", dusk_accountant_name(best.accountant));
    dusk_json_key(&json, "accountants");
    dusk_json_open(&json, '[');
    for (size_t i = 0; i < n; i++) json_row(&json, job, &rows[i]);
    dusk_json_close(&json, ']');
    account_json_end(&json);
done:
    return status;
}
