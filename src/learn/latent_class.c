/* SPDX-License-Identifier: Apache-2.0 */
/* Latent classes by private variational inference [Park, Foulds, Chaudhuri & Welling 2020]: groups in which columns are independent, told by the
 * shares of every value. First noisy counts of all values; then in each round every row is shared out among the classes, in whole parts, by
 * what is known of them, and what is released are the expected counts of all values in all classes, with noise. That is the sufficient statistic: the posterior follows
 * from it (latent.c). Later rounds are averaged. Classes that are not heard above the noise in the end are not there. Proof:
 * latent_class.proof.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/latent.h"
#include "learn/learner.h"
#include "learn/shares.h"
#include "learn/tallies.h"

#define NUMBERS_MOST ((size_t)1 << 22)
#define HEARD 3.0 /* deviations of its rows that a class needs */

typedef struct latent_plan {
    learn_bins bins;
    size_t k;
    uint64_t rounds;
    learn_tally start;
    learn_noise round;
} latent_plan;

/* --- plan ---------------------------------------------------------------------------------------------------- */

static void forget(void *plan)
{
    latent_plan *p = plan;
    if (!p) return;
    learn_bins_clear(&p->bins);
    dusk_deallocate(p);
}

/* The parts of a row add to LEARN_PARTS; each is counted once for each column. */
DUSK_PROVEN(plan_rounds)
static dusk_status plan_rounds(learn_job *job, latent_plan *p, dusk_error *err)
{
    const double columns = DUSK_MUTATE(LATENT_COLUMNS_ARE_FREE, (double)p->bins.columns, 1);
    const double steps =
        job->budget.delta > 0 ? ceil(LEARN_PARTS * sqrt(columns) * (1 + 0x1p-50)) : LEARN_PARTS * columns;
    return learn_budget_cells(&job->budget, &p->round, (uint32_t)(p->bins.first[p->bins.columns] * p->k),
                              steps, -LEARN_PART_BITS, job->budget.left, p->rounds, err);
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    latent_plan *p = NULL;
    DUSK_NEW(p, 1);
    job->plan = p;
    p->k = (size_t)learn_setting(job, "groups");
    p->rounds = (uint64_t)learn_setting(job, "rounds");
    DUSK_TRY(learn_bins_init(&p->bins, job->fields, DUSK_NO_LINK, (size_t)learn_setting(job, "bins"), err));
    if (p->bins.first[p->bins.columns] > NUMBERS_MOST / p->k)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer groups or bins, or declare fewer categories",
                         "%zu groups with %zu values each are too many", p->k,
                         p->bins.first[p->bins.columns]);
    DUSK_TRY(learn_model_room(3 * (double)(p->bins.first[p->bins.columns] + 1) * (double)p->k, err));
    DUSK_TRY(learn_plan_tally(job, &p->start, p->bins.columns, learn_setting(job, "start"), err));
    DUSK_TRY(plan_rounds(job, p, err));
    learn_say(job, "the counts of all values of %zu column%s, with noise of deviation %.4g", p->bins.columns,
              p->bins.columns == 1 ? "" : "s", p->start.deviation);
    learn_say(job, "%llu times expected counts of all values in %zu classes, with noise of deviation %.4g",
              (unsigned long long)p->rounds, p->k, p->round.deviation);
done:
    return status;
}

/* --- rows ---------------------------------------------------------------------------------------------------- */

DUSK_PROVEN(count_values)
static dusk_status count_values(const latent_plan *p, const learn_codes *codes, double *out,
                                dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t cells = p->bins.first[p->bins.columns];
    int64_t *exact = NULL;
    DUSK_NEW(exact, cells);
    for (size_t c = 0; c < codes->columns; c++)
        for (size_t i = 0; i < codes->rows; i++) exact[p->bins.first[c] + codes->code[c][i]]++;
    DUSK_TRY(learn_fit_tally(&p->start, out, exact, cells, gen, err));
done:
    dusk_deallocate(exact);
    return status;
}

/* A row's parts, by its own values and what was released. */
static void share_row(const learn_latent *l, const learn_codes *codes, size_t i, double *part)
{
    const size_t k = l->k;
    memcpy(part, l->log_share, k * sizeof *part);
    for (size_t c = 0; c < codes->columns; c++) {
        const double *own = l->log_chance + (l->bins->first[c] + codes->code[c][i]) * k;
        for (size_t j = 0; j < k; j++) part[j] += own[j];
    }
    learn_share_out(part, k, -INFINITY);
}

DUSK_PROVEN(add_rows)
static void add_rows(int64_t *sums, const learn_latent *l, const learn_codes *codes, double *part,
                     int64_t *whole)
{
    const size_t k = l->k;
    for (size_t i = 0; i < codes->rows; i++) {
        share_row(l, codes, i, part);
        for (size_t j = 0; j < k; j++) whole[j] = (int64_t)part[j] + DUSK_MUTATE(LATENT_PARTS_ROUND_UP, 0, 1);
        for (size_t c = 0; c < codes->columns; c++) {
            int64_t *own = sums + (l->bins->first[c] + codes->code[c][i]) * k;
            for (size_t j = 0; j < k; j++) own[j] += whole[j];
        }
    }
}

/* Expected counts of all values in all classes, released. */
DUSK_PROVEN(release_counts)
static dusk_status release_counts(const latent_plan *p, const learn_latent *l, const learn_codes *codes,
                                  double *out, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t n = l->cells * l->k;
    int64_t *sums = NULL, *whole = NULL;
    dusk_int128 *totals = NULL;
    double *part = NULL;
    DUSK_NEW(sums, n);
    DUSK_NEW(totals, n);
    DUSK_NEW(part, l->k);
    DUSK_NEW(whole, l->k);
    add_rows(sums, l, codes, part, whole);
    for (size_t i = 0; i < n; i++) totals[i] = sums[i];
    DUSK_TRY(learn_noise_release(&p->round, out, totals, gen, err));
done:
    if (sums) dusk_wipe(sums, n * sizeof *sums);
    if (totals) dusk_wipe(totals, n * sizeof *totals);
    if (part) dusk_wipe(part, l->k * sizeof *part);
    if (whole) dusk_wipe(whole, l->k * sizeof *whole);
    dusk_deallocate(sums);
    dusk_deallocate(totals);
    dusk_deallocate(part);
    dusk_deallocate(whole);
    return status;
}

/* --- fit ----------------------------------------------------------------------------------------------------- */

/* What round r counts for: all in the first half, an average of the rest. */
static double part_of(uint64_t r, uint64_t rounds)
{
    uint64_t alone = (rounds + 1) / 2;
    return r < alone ? 1 : 1 / (double)(r - alone + 2);
}

/* Classes that are heard, those of most rows first; at least one. */
static size_t order_classes(const learn_latent *l, size_t *order)
{
    const double least = HEARD * learn_latent_doubt(l);
    size_t n = 0;
    for (size_t j = 0; j < l->k; j++) {
        size_t at = n++;
        for (; at > 0 && l->rows[order[at - 1]] < l->rows[j]; at--) order[at] = order[at - 1];
        order[at] = j;
    }
    while (n > 1 && l->rows[order[n - 1]] < least) n--;
    return n;
}

/* Means of the Dirichlet laws; deviations of those, and of what noise may have done to the count and to the rows of the class. */
static void describe(const learn_latent *l, size_t j, double *mean, double *deviation)
{
    const double doubt = learn_latent_doubt(l);
    for (size_t c = 0; c < l->bins->columns; c++) {
        double total = 0, noise = l->noise[c * l->k + j];
        for (size_t v = l->bins->first[c]; v < l->bins->first[c + 1]; v++) total += l->alpha[v * l->k + j];
        for (size_t v = l->bins->first[c]; v < l->bins->first[c + 1]; v++) {
            mean[v] = l->alpha[v * l->k + j] / total;
            deviation[v] = sqrt(mean[v] * (1 - mean[v]) / (total + 1) +
                                (pow((1 - mean[v]) * noise, 2) + pow(mean[v] * doubt, 2)) / (total * total));
        }
    }
}

static dusk_status put_model(learn_job *job, const learn_latent *l, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t *order = NULL;
    double *mean = NULL, *deviation = NULL, *rows = NULL, *share = NULL, all = 0;
    DUSK_NEW(order, l->k);
    DUSK_NEW(mean, l->k * l->cells);
    DUSK_NEW(deviation, l->k * l->cells);
    DUSK_NEW(rows, l->k);
    DUSK_NEW(share, l->k);
    const size_t n = order_classes(l, order);
    for (size_t i = 0; i < n; i++) all += rows[i] = l->rows[order[i]];
    for (size_t i = 0; i < n; i++) {
        share[i] = (rows[i] + 1 / (double)n) / (all + 1);
        describe(l, order[i], mean + i * l->cells, deviation + i * l->cells);
    }
    DUSK_TRY(learn_model_put(job->model, "shares", 1, n, share, err));
    DUSK_TRY(learn_model_put(job->model, "rows", 1, n, rows, err));
    DUSK_TRY(learn_model_put(job->model, "chances", n, l->cells, mean, err));
    DUSK_TRY(learn_model_put(job->model, "deviations", n, l->cells, deviation, err));
done:
    dusk_deallocate(order);
    dusk_deallocate(mean);
    dusk_deallocate(deviation);
    dusk_deallocate(rows);
    dusk_deallocate(share);
    return status;
}

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const latent_plan *p = job->plan;
    learn_codes codes = { .rows = 0 };
    learn_latent l = { .k = 0 };
    double *released = NULL;

    DUSK_TRY(learn_latent_init(&l, &p->bins, p->k, err));
    DUSK_NEW(released, l.cells * l.k);
    DUSK_TRY(learn_codes_make_all(&codes, &p->bins, frame, err));
    DUSK_TRY(count_values(p, &codes, released, gen, err));
    learn_latent_begin(&l, released, p->start.deviation);
    for (uint64_t r = 0; r < p->rounds; r++) {
        learn_progress(job, (double)(r + 1) / (double)(p->rounds + 1));
        DUSK_TRY(release_counts(p, &l, &codes, released, gen, err));
        learn_latent_move(&l, released, part_of(r, p->rounds), p->round.deviation);
    }
    DUSK_TRY(put_model(job, &l, err));
done:
    learn_codes_clear(&codes);
    learn_latent_clear(&l);
    dusk_deallocate(released);
    return status;
}

/* --- prediction ------------------------------------------------------------------------------------------------- */

static size_t outputs(const dusk_model *model)
{
    size_t rows = 0, columns;
    (void)dusk_model_array(model, "chances", &rows, &columns);
    return rows;
}

/* Memberships of each row, or (`densities`) the logarithm of its density in units of the bounds. */
static dusk_status say_of_rows(const dusk_model *model, const dusk_frame *frame, double *out, bool densities,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t k, cells, one;
    const double *chances = dusk_model_array(model, "chances", &k, &cells);
    const double *shares = dusk_model_array(model, "shares", &one, &k);
    learn_bins bins = { 0 };
    learn_codes codes = { 0 };
    double *log_chance = NULL, *own = NULL;

    DUSK_TRY(learn_bins_init(&bins, model->fields, DUSK_NO_LINK, learn_model_whole(model, "bins", 1), err));
    DUSK_TRY(learn_codes_make_all(&codes, &bins, frame, err));
    DUSK_NEW(log_chance, k * cells);
    DUSK_NEW(own, k);
    for (size_t i = 0; i < k * cells; i++) log_chance[i] = log(chances[i]);
    for (size_t i = 0; i < frame->rows; i++) {
        double most = -INFINITY, sum = 0, wide = 0;
        for (size_t j = 0; j < k; j++) {
            own[j] = log(shares[j]);
            for (size_t c = 0; c < bins.columns; c++)
                own[j] += log_chance[j * cells + bins.first[c] + codes.code[c][i]];
            most = fmax(most, own[j]);
        }
        for (size_t j = 0; j < k; j++) sum += own[j] = exp(own[j] - most);
        for (size_t j = 0; j < k && !densities; j++) out[i * k + j] = own[j] / sum;
        for (size_t c = 0; c < bins.columns && densities; c++)
            wide += log(learn_bin_width(&bins, model->fields, c, codes.code[c][i]));
        if (densities) out[i] = most + log(sum) - wide;
    }
done:
    learn_codes_clear(&codes);
    learn_bins_clear(&bins);
    dusk_deallocate(log_chance);
    dusk_deallocate(own);
    return status;
}

static dusk_status predict(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err)
{
    return say_of_rows(model, frame, out, false, err);
}

static dusk_status likelihood(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err)
{
    return say_of_rows(model, frame, out, true, err);
}

static bool all_chances(const double *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(p[i] > 0 && p[i] <= 1)) return false;
    return true;
}

static bool complete(const dusk_model *model)
{
    size_t k = 0, cells = 0, one = 0, n = 0;
    const double *chances = dusk_model_array(model, "chances", &k, &cells);
    const double *shares = dusk_model_array(model, "shares", &one, &n);
    learn_bins bins;
    if (!chances || !shares || k < 1 || one != 1 || n != k || learn_model_whole(model, "bins", 1) == 0 ||
        learn_bins_init(&bins, model->fields, DUSK_NO_LINK, learn_model_whole(model, "bins", 1), NULL) !=
            DUSK_OK)
        return false;
    bool fits = cells == bins.first[bins.columns];
    learn_bins_clear(&bins);
    return fits && all_chances(chances, k * cells) && all_chances(shares, k);
}

static const dusk_setting settings[] = {
    { "groups", "8", NULL, 1, 1024, true, "classes, at most; those that are not heard above noise go" },
    { "rounds", "12", NULL, 1, 1000, true, "in which rows are shared out anew" },
    { "bins", "8", NULL, 1, LEARN_BINS_MOST, true,
      "equal parts of the bounds of a number; those beside 0 are cut further" },
    { "start", "0.25", NULL, 0.01, 0.9, false, "of the budget, for the counts of all values" },
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_latent_class = {
    .shown = { "latent_class", DUSK_TASK_GROUPS, DUSK_NUMERICS_EXACT,
               "latent classes of any columns by private variational inference",
               "Park, Foulds, Chaudhuri & Welling 2020", settings },
    .plan = plan,
    .fit = fit,
    .forget = forget,
    .outputs = outputs,
    .predict = predict,
    .likelihood = likelihood,
    .complete = complete,
};
