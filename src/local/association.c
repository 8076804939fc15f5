/* SPDX-License-Identifier: Apache-2.0 */
/* Two variables of the same people at once [Fanti, Pihur & Erlingsson 2016, "Building a RAPPOR with the unknown"]: from pairs of reports the shares of all pairs of values, by maximum likelihood. The likelihood of a
 * pair is the sum over pairs of values of their share times the chances of both reports, for coins of the two reports are independent; its logarithm is concave in the shares. Expectation maximisation climbs it,
 * in steps that are lengthened (SQUAREM, Varadhan & Roland 2008).
 *
 * Deviations are from the information of the shares: I = sum over people of g g', g the chances of a pair of values by the likelihood. Where it is largest I share = n 1, so that with shares that add up to 1 the
 * covariance is I^-1 - share share' / n. They are as if shares below 0 were allowed, and of shares of a population that these people are drawn from. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/local_strings.h"
#include "local/likelihood.h"
#include "local/record.h"

#define PAIRS_MOST 1024
#define CYCLES 2000
#define STILL 1e-8 /* no share moves by more in a step */
#define SAMPLE                                                                                               \
    20000 /* people whose information is added up, at least, and so many for each pair of values: */
#define PER_PAIR 20

typedef struct fit {
    size_t rows, columns, cells, people;
    float *a, *b; /* people x rows, people x columns: chances, the largest of a person is 1 */
    double *sum;
} fit;

size_t dusk_association_categories(const dusk_association_side *side)
{
    return side->candidates ? side->candidate_count + 1 : side->survey->task.domain;
}

/* ---- Chances ------------------------------------------------------------------------------------------------------------------- */

static dusk_status check_side(const dusk_association_side *side, local_likelihood *l, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(local_likelihood_of(l, side->survey, err));
    if (local_likelihood_hashed(l) != (side->candidates != NULL))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "candidates are for cms, hcms and rappor, which need them",
                           "%s of %s are given", side->candidates ? "candidates" : "no candidates",
                           dusk_randomiser_name(side->survey->task.mechanism)));
    for (size_t i = 0; i < side->candidate_count && side->candidates; i++)
        for (size_t j = 0; j < i; j++)
            if (side->candidates[i] == side->candidates[j])
                DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "give each candidate once",
                                   "a candidate is there twice"));
done:
    return status;
}

/* Those of a person in one row; false: no device makes the report. */
static bool chances(const local_likelihood *l, const dusk_association_side *side, size_t person, double *log,
                    float *to, size_t n)
{
    const uint8_t *report = side->reports + person * dusk_report_size(&side->survey->task);
    double most = -INFINITY;
    if (!local_likelihoods(l, report, side->candidates, side->candidates ? n - 1 : n, log)) return false;
    for (size_t i = 0; i < n; i++) most = fmax(most, log[i]);
    for (size_t i = 0; i < n; i++) to[i] = (float)exp(log[i] - most);
    return most > -INFINITY;
}

/* ---- Shares -------------------------------------------------------------------------------------------------------------------- */

/* The chance of a person's pair of reports, by shares. */
static double pair_chance(const fit *f, const double *share, const float *a, const float *b)
{
    double total = 0;
    for (size_t i = 0; i < f->rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < f->columns; j++) sum += share[i * f->columns + j] * (double)b[j];
        total += sum * (double)a[i];
    }
    return total;
}

/* One step of expectation maximisation; returns the log-likelihood of `from`. */
static double step(fit *f, const double *from, double *to)
{
    double likelihood = 0;
    memset(f->sum, 0, f->cells * sizeof *f->sum);
    for (size_t p = 0; p < f->people; p++) {
        const float *a = f->a + p * f->rows, *b = f->b + p * f->columns;
        const double total = pair_chance(f, from, a, b);
        likelihood += log(total);
        for (size_t i = 0; i < f->rows; i++) {
            const double weight = (double)a[i] / total;
            double *sum = f->sum + i * f->columns;
            for (size_t j = 0; j < f->columns; j++) sum[j] += weight * (double)b[j];
        }
    }
    for (size_t k = 0; k < f->cells; k++) to[k] = from[k] * f->sum[k] / (double)f->people;
    return likelihood;
}

static void normalise(double *share, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        share[k] = fmax(share[k], 1e-12); /* what is 0 stays 0 */
        sum += share[k];
    }
    for (size_t k = 0; k < n; k++) share[k] /= sum;
}

/* Two steps, and further along the way they went; back where that is less likely. */
static dusk_status climb(fit *f, double *share, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *one = NULL, *two = NULL, *far = NULL;
    const size_t n = f->cells;
    DUSK_NEW(one, n);
    DUSK_NEW(two, n);
    DUSK_NEW(far, n);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        double moved = 0, first = 0, second = 0;
        (void)step(f, share, one);
        const double before = step(f, one, two);
        for (size_t k = 0; k < n; k++) {
            const double r = one[k] - share[k], v = two[k] - one[k] - r;
            first += r * r;
            second += v * v;
            moved = fmax(moved, fabs(two[k] - one[k]));
        }
        if (moved < STILL || !(second > 0)) {
            memcpy(share, two, n * sizeof *share);
            break;
        }
        const double along = fmax(sqrt(first / second), 1);
        for (size_t k = 0; k < n; k++) {
            const double r = one[k] - share[k], v = two[k] - one[k] - r;
            far[k] = share[k] + 2 * along * r + along * along * v;
        }
        normalise(far, n);
        const double after = step(f, far, one);
        memcpy(share, after >= before ? one : two, n * sizeof *share);
        normalise(share, n);
    }
done:
    dusk_deallocate(one);
    dusk_deallocate(two);
    dusk_deallocate(far);
    return status;
}

/* ---- Deviations ------------------------------------------------------------------------------------------------------------------ */

/* The lower triangle of the information, of some people as if they were all. */
static void information(const fit *f, const double *share, double *matrix, double *g)
{
    const size_t n = f->cells, wanted = SAMPLE > PER_PAIR * n ? SAMPLE : PER_PAIR * n;
    const size_t stride = f->people > wanted ? f->people / wanted : 1;
    double used = 0;
    for (size_t p = 0; p < f->people; p += stride, used++) {
        const float *a = f->a + p * f->rows, *b = f->b + p * f->columns;
        const double total = pair_chance(f, share, a, b);
        for (size_t k = 0; k < n; k++) g[k] = (double)a[k / f->columns] * (double)b[k % f->columns] / total;
        for (size_t k = 0; k < n; k++)
            for (size_t m = 0; m <= k; m++) matrix[k * n + m] += g[k] * g[m];
    }
    for (size_t k = 0; k < n * n; k++) matrix[k] *= (double)f->people / used;
}

/* Cholesky's factor in place; false: nothing tells some pairs from others. */
static bool factor(double *m, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const double whole = m[k * n + k];
        for (size_t i = 0; i <= k; i++) {
            double sum = m[k * n + i];
            for (size_t j = 0; j < i; j++) sum -= m[k * n + j] * m[i * n + j];
            if (i < k)
                m[k * n + i] = sum / m[i * n + i];
            else if (sum > 1e-12 * whole)
                m[k * n + k] = sqrt(sum);
            else
                return false;
        }
    }
    return true;
}

/* The k-th element of the diagonal of the inverse: the squared length of L^-1 e_k. */
static double inverse_at(const double *m, size_t n, size_t at, double *x)
{
    double sum = 0;
    for (size_t k = at; k < n; k++) {
        double rest = k == at;
        for (size_t j = at; j < k; j++) rest -= m[k * n + j] * x[j];
        x[k] = rest / m[k * n + k];
        sum += x[k] * x[k];
    }
    return sum;
}

static dusk_status find_deviations(const fit *f, const double *share, double *deviations, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t n = f->cells;
    const double people = (double)f->people;
    double *matrix = NULL, *g = NULL;
    DUSK_NEW(matrix, n * n);
    DUSK_NEW(g, n);
    information(f, share, matrix, g);
    const bool known = factor(matrix, n);
    for (size_t k = 0; k < n; k++) {
        const double seen = share[k] * (1 - share[k]) / people; /* were values seen */
        const double variance = known ? inverse_at(matrix, n, k, g) - share[k] * share[k] / people : INFINITY;
        deviations[k] = sqrt(DUSK_MUTATE(ASSOCIATION_AS_IF_SEEN, fmax(variance, seen), seen));
    }
done:
    dusk_deallocate(matrix);
    dusk_deallocate(g);
    return status;
}

/* ---- Both together ---------------------------------------------------------------------------------------------------------------- */

static dusk_status read_pairs(fit *f, const dusk_association_side *a, const dusk_association_side *b,
                              size_t people, const bool *fine, uint64_t *dropped, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    local_likelihood of_a, of_b;
    double *log = NULL;
    DUSK_TRY(check_side(a, &of_a, err));
    DUSK_TRY(check_side(b, &of_b, err));
    f->rows = dusk_association_categories(a);
    f->columns = dusk_association_categories(b);
    if (f->rows > PAIRS_MOST || f->columns > PAIRS_MOST || f->rows * f->columns > PAIRS_MOST)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "give fewer candidates",
                           "%zu times %zu values are more than %d pairs", f->rows, f->columns, PAIRS_MOST));
    f->cells = f->rows * f->columns;
    DUSK_NEW(log, f->rows + f->columns);
    DUSK_NEW(f->a, people * f->rows);
    DUSK_NEW(f->b, people * f->columns);
    DUSK_NEW(f->sum, f->cells);
    for (size_t p = 0; p < people; p++)
        f->people += (!fine || fine[p]) && chances(&of_a, a, p, log, f->a + f->people * f->rows, f->rows) &&
                     chances(&of_b, b, p, log, f->b + f->people * f->columns, f->columns);
    *dropped = people - f->people;
done:
    dusk_deallocate(log);
    return status;
}

dusk_status dusk_reports_association(const dusk_association_side *a, const dusk_association_side *b,
                                     size_t people, const bool *fine, double *joint, double *deviations,
                                     uint64_t *dropped, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    fit f = { .people = 0 };
    DUSK_TRY(read_pairs(&f, a, b, people, fine, dropped, err));
    if (f.people == 0)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "give the two reports of each person",
                           "there is no pair of reports"));
    for (size_t k = 0; k < f.cells; k++) joint[k] = 1 / (double)f.cells;
    DUSK_TRY(climb(&f, joint, err));
    if (deviations) DUSK_TRY(find_deviations(&f, joint, deviations, err));
done:
    dusk_deallocate(f.a);
    dusk_deallocate(f.b);
    dusk_deallocate(f.sum);
    return status;
}

/* ---- Records ------------------------------------------------------------------------------------------------------------------------ */

dusk_status dusk_records_list(const dusk_survey *survey, uint64_t epoch, const uint8_t *bytes, size_t n,
                              uint8_t *reports, bool *fine, size_t *count, dusk_error *err)
{
    const uint32_t size = dusk_report_size(&survey->task);
    size_t many = 0, head = 0;
    uint64_t length = 0;
    while (n > 0) {
        local_record record;
        if (local_frame_read(bytes, n, &head, &length) != LOCAL_FRAME_WHOLE || length > n - head)
            return dusk_fail(err, DUSK_ERR_PARSE, "give the records of devices as they sent them",
                             "after %zu records there is none that is whole", many);
        const bool taken = local_record_read(&record, bytes + head, (size_t)length, &survey->task, epoch,
                                             size) == DUSK_TAKEN;
        if (fine) fine[many] = taken;
        if (reports && taken) memcpy(reports + many * size, record.report, size);
        many++;
        bytes += head + length;
        n -= head + (size_t)length;
    }
    *count = many;
    return DUSK_OK;
}
