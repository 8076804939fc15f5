/* SPDX-License-Identifier: Apache-2.0 */
/* dusk audit scores --plot: the ROC curve of the attack on logarithmic axes, where a few
 * members that are surely found can be seen; see audit_scores.h. */
#include <math.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/audit_scores.h"
#include "cli/plot.h"

enum { REGION_POINTS = 200 };

/* The largest share of members that a test can find under the claim: at most delta + e^epsilon
 * fpr, and misses at least as rare as e^-epsilon (1 - delta - fpr). */
static double most_found(double fpr, double epsilon, double delta)
{
    return fmin(1, fmin(delta + exp(epsilon) * fpr, 1 - exp(-epsilon) * (1 - delta - fpr)));
}

void audit_region(double *x, double *y, size_t n, double low, double epsilon, double delta)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = pow(low, 1 - (double)i / ((double)n - 1));
        y[i] = most_found(x[i], epsilon, delta);
    }
}

dusk_status audit_score_plot(const char *path, const char *name, const dusk_scores *scores, double epsilon,
                             double delta, dusk_error *err)
{
    double *fpr = NULL, *tpr = NULL, x[REGION_POINTS], y[REGION_POINTS];
    double others = (double)dusk_scores_others(scores), members = (double)dusk_scores_members(scores);
    double low = 0.5 / fmax(1, fmax(others, members)), ends[] = { low, 1 };
    char title[200], under[200], label[160], number[DUSK_DECIMAL_SIZE];
    size_t n = 0;
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_scores_roc_size(&n, scores, err));
    DUSK_NEW(fpr, n);
    DUSK_NEW(tpr, n);
    DUSK_TRY(dusk_scores_roc(fpr, tpr, scores, err));
    /* No false alarm yet: drawn at half of one, where the axis begins. */
    for (size_t i = 0; i < n; i++) fpr[i] = fmax(fpr[i], low);
    snprintf(under, sizeof under, "%.0f members, %.0f others; rates of these scores, without intervals",
             members, others);
    snprintf(title, sizeof title, "Members told from others: %.120s", name);
    dusk_decimal_up(number, epsilon, 4);
    snprintf(label, sizeof label, "the claim allows, \u03b5 = %s", number);
    audit_region(x, y, REGION_POINTS, low, isnan(epsilon) ? 0 : epsilon, delta);
    dusk_plot_line lines[] = {
        { .label = "attack", .x = fpr, .y = tpr, .n = n, .label_inside = true },
        { .label = label, .x = x, .y = y, .n = REGION_POINTS, .label_inside = true },
        { .label = "a blind guess",
          .x = ends,
          .y = ends,
          .n = 2,
          .reference = true,
          .dashed = true,
          .label_inside = true },
    };
    if (isnan(epsilon)) lines[1] = lines[2];
    dusk_plot plot = {
        .title = title,
        .subtitle = under,
        .x = { .label = "others that are accused (FPR)", .logarithmic = true, .low = low, .high = 1 },
        .y = { .label = "members that are found (TPR)", .logarithmic = true, .low = low, .high = 1 },
        .lines = lines,
        .line_count = isnan(epsilon) ? 2 : 3
    };
    status = dusk_plot_write(&plot, path, err);
done:
    dusk_deallocate(fpr);
    dusk_deallocate(tpr);
    return status;
}
