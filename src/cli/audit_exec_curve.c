/* SPDX-License-Identifier: Apache-2.0 */
/* dusk audit exec: not one number but curves, on the pair that the audit chose. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/audit_exec.h"
#include "cli/plot.h"

#define ORDERS_MAX 32

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* From 0 to 0.1, with the delta of the claim among them. */
static dusk_status plan_deltas(exec_audit *audit, dusk_error *err)
{
    static const double usual[] = { 0, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1 };
    size_t n = sizeof usual / sizeof *usual;
    double own = audit->job->settings->delta;
    bool among = false;
    dusk_status status = DUSK_OK;
    DUSK_NEW(audit->deltas, n + 1);
    DUSK_NEW(audit->claims, n + 1);
    DUSK_NEW(audit->epsilons, n + 1);
    memcpy(audit->deltas, usual, sizeof usual);
    for (size_t i = 0; i < n; i++) among = among || usual[i] == own;
    if (!among) audit->deltas[n++] = own;
    qsort(audit->deltas, n, sizeof *audit->deltas, by_size);
    audit->delta_count = n;
done:
    return status;
}

/* "2" or "2:0.1", up to a comma or the end: an order above 1, and what is claimed of it. */
static bool read_order(const char *text, size_t length, double *order, double *claim)
{
    char word[64];
    double pair[2];
    if (length >= sizeof word) return false;
    memcpy(word, text, length);
    word[length] = '\0';
    size_t n = dusk_parse_list(word, ':', pair, 2);
    *order = n ? pair[0] : 0;
    *claim = n == 2 ? pair[1] : NAN;
    return *order > 1 && !(*claim < 0);
}

static dusk_status plan_orders(exec_audit *audit, const char *text, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool right = true;
    DUSK_NEW(audit->orders, ORDERS_MAX);
    DUSK_NEW(audit->order_claims, ORDERS_MAX);
    DUSK_NEW(audit->divergences, ORDERS_MAX);
    DUSK_NEW(audit->divergences_sure, ORDERS_MAX);
    for (const char *at = text; right && at;) {
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at), i = audit->order_count++;
        right = i < ORDERS_MAX && read_order(at, length, &audit->orders[i], &audit->order_claims[i]);
        at = comma ? comma + 1 : NULL;
    }
    if (!right)
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "for example --renyi 2,4,8, or --renyi 2:0.1,8:0.5 for claims",
                         "--renyi must be at most %d orders above 1, with commas between them", ORDERS_MAX);
done:
    return status;
}

dusk_status exec_curve_plan(exec_audit *audit, dusk_error *err)
{
    const audit_settings *settings = audit->job->settings;
    dusk_status status = DUSK_OK;
    if (settings->curve || settings->plot) DUSK_TRY(plan_deltas(audit, err));
    if (settings->renyi) DUSK_TRY(plan_orders(audit, settings->renyi, err));
done:
    return status;
}

dusk_status exec_curve_measure(exec_audit *audit, dusk_error *err)
{
    const dusk_input_pair *pair = &audit->pairs[audit->report.pair];
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < audit->delta_count; i++)
        DUSK_TRY(exec_claim_at(audit, audit->deltas[i], &audit->claims[i], err));
    if (audit->delta_count)
        DUSK_TRY(dusk_audit_curve(audit->epsilons, NULL, audit->deltas, audit->delta_count, &audit->sampler,
                                  pair, &audit->options, err));
    if (audit->order_count) /* claims are held against what is wrong with a chance of `alarm` */
        DUSK_TRY(dusk_audit_renyi(audit->divergences, audit->divergences_sure, audit->orders,
                                  audit->order_count, &audit->sampler, pair, &audit->options, err));
done:
    return status;
}

dusk_status exec_renyi_conclude(const exec_audit *audit, dusk_error *err)
{
    for (size_t i = 0; i < audit->order_count; i++)
        if (audit->divergences_sure[i] > audit->order_claims[i]) /* never where no claim is */
            return dusk_fail(err, DUSK_ERR_CHECK, "",
                             "the claim does not hold: the Renyi divergence of order %g is at least %s",
                             audit->orders[i], dusk_shown_down(audit->divergences_sure[i], 4).text);
    return DUSK_OK;
}

void exec_curve_free(exec_audit *audit)
{
    dusk_deallocate(audit->deltas);
    dusk_deallocate(audit->claims);
    dusk_deallocate(audit->epsilons);
    dusk_deallocate(audit->orders);
    dusk_deallocate(audit->divergences);
    dusk_deallocate(audit->order_claims);
    dusk_deallocate(audit->divergences_sure);
}

/* The points of a line with a delta above 0 and a finite epsilon. */
static size_t points_of(const exec_audit *audit, const double *epsilons, double *x, double *y)
{
    size_t n = 0;
    for (size_t i = 0; i < audit->delta_count; i++)
        if (audit->deltas[i] > 0 && isfinite(epsilons[i])) {
            x[n] = audit->deltas[i];
            y[n++] = epsilons[i];
        }
    return n;
}

/* The command, as far as there is room. */
static void put_title(char *text, size_t size, char *const *words)
{
    dusk_text title;
    dusk_text_init(&title, text, size);
    dusk_text_add(&title, "An audit of");
    for (; *words && title.length + strlen(*words) < 60; words++) dusk_text_add(&title, " %s", *words);
    if (*words) dusk_text_add(&title, " ...");
}

dusk_status exec_curve_plot(const exec_audit *audit, dusk_error *err)
{
    enum { MOST = 8 };
    double x[2][MOST], y[2][MOST], top = 0.1;
    char title[120];
    if (!audit->job->settings->plot) return DUSK_OK;
    size_t n[2] = { points_of(audit, audit->claims, x[0], y[0]),
                    points_of(audit, audit->epsilons, x[1], y[1]) };
    for (int i = 0; i < 2; i++)
        for (size_t j = 0; j < n[i]; j++) top = fmax(top, y[i][j]);
    const dusk_plot_line lines[] = {
        { .label = "claimed", .x = x[0], .y = y[0], .n = n[0] },
        { .label = "measured", .x = x[1], .y = y[1], .n = n[1], .dashed = true },
    };
    put_title(title, sizeof title, audit->job->parsed->program);
    const dusk_plot plot = {
        .title = title,
        .subtitle = "epsilon over delta: the truth is above what was measured",
        .x = { .label = "delta", .logarithmic = true, .low = 1e-6, .high = 0.1 },
        .y = { .label = "epsilon", .low = 0, .high = 1.05 * top },
        .lines = lines,
        .line_count = 2,
    };
    dusk_status status = dusk_plot_write(&plot, audit->job->settings->plot, err);
    if (status == DUSK_OK) dusk_output_note("drawn", "%s", audit->job->settings->plot);
    return status;
}
