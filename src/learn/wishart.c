/* SPDX-License-Identifier: Apache-2.0 */
/* Wishart noise, with as many degrees of freedom as a delta needs. The pure form [Jiang, Xie & Zhang 2016] has too few: its noise has no
 * density where a neighbour's has. Proof: wishart.proof.md. */
#include "learn/wishart.h"

#include <cblas.h>
#include <math.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/normals.h"
#include "numeric/special.h"

/* --- how much -------------------------------------------------------------------------------------------------- */

/* first - e^epsilon second, and a billionth of `first` for the rounding of both. */
static double excess(double first, double second, double epsilon)
{
    return first - exp(fmin(epsilon, 700)) * second + 1e-9 * first;
}

/* delta of a chi-squared number of k degrees, k >= 3, beside the same plus r. */
static double delta_of(double epsilon, double k, double r)
{
    const double power = k / 2 - 1;
    const double low = r / -expm1(-(epsilon + r / 2) / power); /* below it the loss is above epsilon */
    double delta =
        excess(dusk_gamma_p(k / 2, low / 2), low > r ? dusk_gamma_p(k / 2, (low - r) / 2) : 0, epsilon);
    if (epsilon < r / 2) { /* otherwise the other side never loses more */
        const double high = r / -expm1((epsilon - r / 2) / power);
        delta =
            fmax(delta, excess(dusk_gamma_q(k / 2, (high - r) / 2), dusk_gamma_q(k / 2, high / 2), epsilon));
    }
    return delta;
}

/* Degrees far beyond the width, since noise grows with the square root of their sum; then as little of it as will do. */
bool learn_wishart_find(double epsilon, double delta, learn_wishart *out)
{
    const double k = 4 * (double)out->width + 64;
    double low = 0, high = 1e6;
    for (int turn = 0; turn < 200 && high - low > 1e-9 * high && high > 1e-9; turn++) {
        double r = low > 0 ? (low + high) / 2 : high / 8;
        if (delta_of(epsilon, k, r) <= delta)
            low = r;
        else
            high = r;
    }
    if (!(low > 0)) return false;
    out->rows = (size_t)k + out->width - 1;
    out->scale = 1 / low;
    return true;
}

/* --- plan ---------------------------------------------------------------------------------------------------------- */

DUSK_PROVEN(learn_plan_wishart)
dusk_status learn_plan_wishart(learn_job *job, learn_wishart *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double epsilon;
    if (!(job->budget.delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a delta such as 1e-6, or use method=exponential",
                         "Wishart noise needs a delta above 0");
    if (job->budget.factor != 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use method=exponential",
                         "Wishart noise is for one row that is added or removed only");
    DUSK_TRY(learn_budget_rest(&job->budget, &epsilon, job->budget.delta / 2, err));
    out->width = job->features.width;
    if (!(epsilon > 0) || !learn_wishart_find(DUSK_MUTATE(WISHART_TWICE_EPSILON, epsilon, 2 * epsilon),
                                              job->budget.delta / 2, out))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a larger epsilon", "Wishart noise would be too large");
    learn_say(job,
              "X^T X with %.6g times Wishart noise of %zu degrees of freedom, rows being at most 1 long: "
              "epsilon %s",
              out->scale, out->rows, dusk_shown_up(epsilon, 6).text);
done:
    return status;
}

/* --- noise ---------------------------------------------------------------------------------------------------------- */

DUSK_PROVEN(learn_fit_wishart)
dusk_status learn_fit_wishart(const learn_wishart *wishart, double *matrix, dusk_generator *gen,
                              dusk_error *err)
{
    enum { AT_ONCE = 128 };
    dusk_status status = DUSK_OK;
    const size_t d = wishart->width;
    double *normals = NULL;
    DUSK_NEW(normals, AT_ONCE * d);
    for (size_t first = 0; first < wishart->rows; first += AT_ONCE) {
        const size_t some = wishart->rows - first < AT_ONCE ? wishart->rows - first : AT_ONCE;
        DUSK_TRY(learn_normals(normals, some * d, gen, err));
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)some, wishart->scale, normals, (int)d,
                    1, matrix, (int)d);
    }
    for (size_t i = 0; i < d; i++) {
        matrix[i * d + i] -= wishart->scale * (double)wishart->rows;
        for (size_t j = 0; j < i; j++) matrix[i * d + j] = matrix[j * d + i];
    }
done:
    if (normals) dusk_wipe(normals, AT_ONCE * d * sizeof *normals);
    dusk_deallocate(normals);
    return status;
}
