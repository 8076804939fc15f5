/* SPDX-License-Identifier: Apache-2.0 */
/* Samplers and their prices [Abadi et al. 2016; Balle, Barthe & Gaboardi 2018 for samples of fixed size]. Proof: sampler.proof.md. */
#include "learn/sampler.h"

#include <math.h>
#include <stdio.h>

#include "accounting/account.h"
#include "base/error.h"
#include "base/format.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/learner.h"
#include "mechanisms/noise.h"

#define PLACES_MOST INT32_MAX /* of dusk_keyed_choose */
#define HAIR 0x1p-30          /* more noise than was found, for roundings */
#define HAIR_MOST 0x1p-3
#define HAIR_OF_DRAWN 0x1p-16 /* bounds are made of points there, and rise here and there as noise does */

/* --- the price ----------------------------------------------------------------------------------------------- */

dusk_status learn_sampler_init(learn_sampler *out, learn_sampling way, double rate, uint64_t rows,
                               dusk_neighbours neighbours, dusk_error *err)
{
    *out = (learn_sampler){ .way = way, .rate = fmin(rate, 1) };
    if (way == LEARN_POISSON) {
        /* a double has no more digits than that leaves */
        if (rate < 1 && DUSK_MUTATE(SAMPLED_CHANCE_IS_NOT_THE_RATE, true, false))
            out->rate = ldexp((double)dusk_keyed_rate_down(rate), -64);
        if (out->rate > 0) return DUSK_OK;
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 0.01",
                         "a sample that every row is in with chance %g has never any", rate);
    }
    if (way == LEARN_ALLOCATED) {
        if (neighbours != DUSK_ADD_REMOVE)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out --replace-one, or sample by poisson",
                             "rows that are allocated to steps have a price where one row is there or not");
        out->bins = (uint64_t)fmax(rint(1 / fmax(fmin(rate, 1), 1e-9)), 1);
        out->rate = 1 / (double)out->bins;
        return DUSK_OK;
    }
    if (neighbours != DUSK_REPLACE_ONE || rows == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --replace-one and --rows N, or sample by poisson",
                         "samples of a fixed size are of a number of rows that is public, for data of which "
                         "one row is replaced");
    if (rows > PLACES_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "sample by poisson",
                         "%llu rows are too many for samples of a fixed size", (unsigned long long)rows);
    out->places = rows;
    out->lot = (uint64_t)fmax(rint(fmin(rate, 1) * (double)rows), 1);
    out->rate = (double)out->lot / (double)rows;
    return DUSK_OK;
}

static bool takes_all(const learn_sampler *sampler)
{
    return sampler->way == LEARN_POISSON && sampler->rate >= 1;
}

/* Rows of a unit: the factor has it, and 2 for a replacement. */
static uint64_t rows_of_unit(const learn_budget *budget)
{
    const double rows = budget->neighbours == DUSK_REPLACE_ONE ? budget->factor / 2 : budget->factor;
    return DUSK_MUTATE(SAMPLED_UNIT_HAS_ONE_ROW, (uint64_t)rows, 1);
}

static bool is_drawn(const learn_sampler *sampler)
{
    return DUSK_MUTATE(DRAWN_PRICED_AS_FIXED, sampler->way == LEARN_DRAWN, false);
}

/* The event of one sample, gaussian(x) being what it releases. */
static void write_sample(const learn_sampler *sampler, const learn_budget *budget, char *out, size_t size)
{
    char inner[100];
    if (DUSK_MUTATE(SHUFFLED_PRICED_AS_POISSON, sampler->way == LEARN_POISSON, true))
        dusk_format(inner, sizeof inner, "poisson(%.17g, gaussian(x))", sampler->rate);
    else
        snprintf(inner, sizeof inner, "%s_replacement(%llu, %llu, gaussian(x))",
                 is_drawn(sampler) ? "with" : "without", (unsigned long long)sampler->lot,
                 (unsigned long long)sampler->places);
    if (rows_of_unit(budget) > 1)
        snprintf(out, size, "group(%llu, %s)", (unsigned long long)rows_of_unit(budget), inner);
    else
        snprintf(out, size, "%s", inner);
}

/* Of several rows that are each drawn several times nothing is known. */
static dusk_status check_unit(const learn_budget *budget, const learn_sampler *sampler, dusk_error *err)
{
    if (sampler->way != LEARN_DRAWN || rows_of_unit(budget) <= 1) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "sample by poisson, or let a unit have one row",
                     "draws with replacement have a price where every unit has one row");
}

/* The noise multiplier with which all that was taken and `times` samples are what was asked for. */
static dusk_status find_multiplier(double *out, const learn_budget *budget, const learn_sampler *sampler,
                                   uint64_t times, dusk_error *err)
{
    char text[320], sample[160], before[64] = "";
    const double taken = budget->mu * sqrt(fmax(1 - budget->left, 0));
    const double sides = budget->neighbours == DUSK_REPLACE_ONE ? 2 : 1; /* as in learn_sampler_join */
    dusk_status status = check_unit(budget, sampler, err);
    if (status != DUSK_OK) return status;
    write_sample(sampler, budget, sample, sizeof sample);
    if (budget->any) dusk_format(before, sizeof before, "gaussian(%.17g) + ", sides / taken * (1 - 0x1p-40));
    snprintf(text, sizeof text, "%s%s * %llu", before, sample, (unsigned long long)times);
    return dusk_account_solve(out, text, "x", (dusk_budget){ budget->epsilon, budget->delta },
                              budget->neighbours, DUSK_BEST, err);
}

dusk_status learn_sampler_event(dusk_event *out, const learn_budget *budget, const learn_sampler *sampler,
                                const dusk_event *release, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event sampled;
    DUSK_TRY(check_unit(budget, sampler, err));
    DUSK_TRY(DUSK_MUTATE(SHUFFLED_PRICED_AS_POISSON, sampler->way == LEARN_POISSON, true)
                 ? dusk_event_poisson(&sampled, sampler->rate, release, err)
             : is_drawn(sampler)
                 ? dusk_event_with_replacement(&sampled, sampler->lot, sampler->places, release, err)
                 : dusk_event_without_replacement(&sampled, sampler->lot, sampler->places, release, err));
    if (rows_of_unit(budget) > 1)
        DUSK_TRY(dusk_event_group(out, rows_of_unit(budget), &sampled, err));
    else
        *out = sampled;
done:
    return status;
}

dusk_status learn_sampler_join(learn_budget *budget, const dusk_event *sampled, uint64_t times,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_statement before = { .event = budget->event, .neighbours = budget->neighbours };
    if (budget->any) DUSK_TRY(dusk_statement_as_charged(&before, &budget->event, err));
    DUSK_TRY(learn_budget_event(budget, sampled, budget->left, times, err));
done:
    return status;
}

uint64_t learn_sampler_epoch(const learn_sampler *sampler)
{
    if (sampler->way == LEARN_ALLOCATED) return sampler->bins;
    return (sampler->places + sampler->lot - 1) / sampler->lot;
}

/* Where the noise is given: the mu with which `times` releases that take all of the budget have it. */
static void give_noise(learn_budget *budget, uint64_t times)
{
    if (budget->multiplier > 0) budget->mu = sqrt((double)times) * budget->factor / budget->multiplier;
}

/* Samples with noise of this multiplier, of all that is left; *epsilon is what everything costs then. */
static dusk_status take_sampled(learn_budget *budget, double *epsilon, learn_noise *noise,
                                const learn_sampler *sampler, double steps, double multiplier, uint64_t times,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event, sampled;
    dusk_statement statement;
    DUSK_TRY(dusk_gaussian_multiplier_init(&noise->gauss, noise->dimension, ldexp(steps, noise->grid),
                                           multiplier, noise->grid, err));
    DUSK_TRY(dusk_noise_for_total(&noise->gauss, err));
    DUSK_TRY(dusk_noise_event(&noise->gauss, &event, err));
    DUSK_TRY(learn_sampler_event(&sampled, budget, sampler, &event, err));
    DUSK_TRY(learn_sampler_join(budget, &sampled, times, err));
    noise->deviation = noise->gauss.scale;
    *epsilon = 0;
    if (budget->multiplier > 0) return DUSK_OK; /* whatever it costs */
    DUSK_TRY(dusk_statement_init(&statement, &budget->event, budget->delta, budget->neighbours, "row", err));
    *epsilon = statement.epsilon;
done:
    return status;
}

DUSK_PROVEN(learn_budget_sampled)
dusk_status learn_budget_sampled(learn_budget *budget, learn_noise *out, uint32_t dimension, double steps,
                                 int grid, double share, const learn_sampler *sampler, uint64_t times,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_budget before = *budget;
    learn_noise noise = { .gaussian = true, .dimension = dimension, .grid = grid };
    double multiplier, hair, epsilon;

    if (!sampler || takes_all(sampler)) {
        give_noise(budget, times);
        return learn_budget_noise(budget, out, dimension, steps, grid, share, times, err);
    }
    if (times > UINT32_MAX) /* beyond, coins would come again: learn_draw_take */
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer steps, or a larger rate",
                         "%llu samples are too many", (unsigned long long)times);
    if (DUSK_MUTATE(SHUFFLED_PRICED_AS_POISSON, sampler->way == LEARN_SHUFFLED, false)) {
        const uint64_t epoch = learn_sampler_epoch(sampler);
        times = DUSK_MUTATE(SHUFFLED_EPOCHS_FREE, times / epoch + (times % epoch > 0), 1);
        give_noise(budget, times);
        return learn_budget_noise(budget, out, dimension, steps, grid, budget->left, times, err);
    }
    if (!(budget->delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a delta, or take all rows",
                         "sampled gradients need a delta");
    if (sampler->way == LEARN_ALLOCATED)
        return learn_budget_allocated(budget, out, dimension, steps, grid, sampler, times, err);
    multiplier = budget->multiplier;
    if (!(multiplier > 0)) DUSK_TRY(find_multiplier(&multiplier, budget, sampler, times, err));
    /* bounds do not fall evenly as noise grows: a little more, until what is drawn is within the promise */
    for (hair = is_drawn(sampler) ? HAIR_OF_DRAWN : HAIR; hair < HAIR_MOST; hair *= 8) {
        *budget = before;
        DUSK_TRY(take_sampled(budget, &epsilon, &noise, sampler, steps, multiplier * (1 + hair), times, err));
        if (DUSK_MUTATE(SAMPLED_PRICE_IS_TAKEN_ON_TRUST, epsilon <= budget->epsilon, true)) break;
    }
    if (hair >= HAIR_MOST)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for another epsilon, or a larger delta",
                           "no noise was found of which the price is seen to be epsilon %.6g",
                           budget->epsilon));
    *out = noise;
done:
    return status;
}

void learn_sampler_say(learn_job *job, const learn_sampler *s)
{
    if (s->way == LEARN_POISSON)
        learn_say(job, "each is over a sample that every row is in with chance %g, by coins of its own",
                  s->rate);
    else if (s->way == LEARN_ALLOCATED)
        learn_say(job,
                  "each is over the rows that were put into this step, one of the %llu of an epoch, by "
                  "coins of their own",
                  (unsigned long long)s->bins);
    else if (s->way == LEARN_DRAWN)
        learn_say(job, "each is over %llu draws of %llu rows, in which a row may come more than once",
                  (unsigned long long)s->lot, (unsigned long long)s->places);
    else
        learn_say(job, "each is over %llu of %llu rows, %s", (unsigned long long)s->lot,
                  (unsigned long long)s->places,
                  s->way == LEARN_FIXED ? "any as likely as any other"
                  : s->once             ? "all of them in a random order, the same in every epoch"
                                        : "all of them in a random order, once an epoch");
}

/* --- samples ---------------------------------------------------------------------------------------------------- */

size_t learn_sampler_most(const learn_sampler *sampler, size_t rows)
{
    return sampler->way == LEARN_DRAWN && sampler->lot > rows ? (size_t)sampler->lot : rows;
}

static size_t room_of(const learn_draw *d)
{
    return d->sampler.way == LEARN_POISSON || d->sampler.way == LEARN_ALLOCATED ? d->rows
                                                                                : (size_t)d->sampler.places;
}

void learn_draw_close(learn_draw *draw)
{
    const size_t n = room_of(draw);
    if (draw->order) dusk_wipe(draw->order, n * sizeof *draw->order);
    if (draw->bin) dusk_wipe(draw->bin, n * sizeof *draw->bin);
    if (draw->row) dusk_wipe(draw->row, n * sizeof *draw->row);
    dusk_deallocate(draw->order);
    dusk_deallocate(draw->bin);
    dusk_deallocate(draw->row);
    dusk_keyed_free(draw->coins);
    *draw = (learn_draw){ .rows = 0 };
}

dusk_status learn_draw_open(learn_draw *out, const learn_sampler *sampler, size_t rows, dusk_generator *gen,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_draw draw = { .sampler = *sampler, .rows = rows };
    *out = (learn_draw){ .rows = 0 };
    const size_t n = room_of(&draw) + 1;
    if (sampler->way == LEARN_ALLOCATED || sampler->way == LEARN_DRAWN) DUSK_NEW(draw.bin, n);
    if (sampler->way == LEARN_FIXED || sampler->way == LEARN_SHUFFLED) DUSK_NEW(draw.order, n);
    DUSK_NEW(draw.row, n);
    DUSK_TRY(dusk_keyed_new(&draw.coins, gen, err));
    *out = draw;
    draw = (learn_draw){ .rows = 0 };
done:
    learn_draw_close(&draw);
    return status;
}

static dusk_status take_poisson(learn_draw *d, uint64_t step, size_t *count, dusk_error *err)
{
    const size_t lot = (size_t)rint(d->sampler.rate * (double)d->rows);
    if (DUSK_MUTATE(POISSON_IS_OF_FIXED_SIZE, false, lot < d->rows))
        return dusk_keyed_choose(d->coins, (uint32_t)step, 0, d->rows, lot, d->row, count, err);
    if (!takes_all(&d->sampler))
        return dusk_keyed_sample(d->coins, (uint32_t)DUSK_MUTATE(SAMPLE_IS_DRAWN_ONCE, step, 0), d->row,
                                 d->rows, dusk_keyed_rate_down(d->sampler.rate), count, err);
    for (size_t i = 0; i < d->rows; i++) d->row[i] = i;
    *count = d->rows;
    return DUSK_OK;
}

static dusk_status take_allocated(learn_draw *d, uint64_t step, size_t *count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const uint64_t bins = d->sampler.bins, now = step % bins;
    const uint64_t epoch = DUSK_MUTATE(ALLOCATED_EACH_STEP, step / bins, step);
    size_t n = 0;
    if (!d->ordered || d->epoch != epoch)
        DUSK_TRY(dusk_keyed_below(d->coins, (uint32_t)epoch, NULL, d->bin, d->rows, bins, err));
    d->epoch = epoch;
    d->ordered = true;
    for (size_t i = 0; i < d->rows; i++) {
        d->row[n] = i;
        n += d->bin[i] == now;
    }
    *count = n;
done:
    return status;
}

static dusk_status take_drawn(learn_draw *d, uint64_t step, size_t *count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t lot = (size_t)d->sampler.lot;
    size_t n = 0;
    DUSK_TRY(dusk_keyed_below(d->coins, (uint32_t)step, NULL, d->bin, lot, d->sampler.places, err));
    for (size_t i = 0; i < lot; i++) {
        d->row[n] = (size_t)d->bin[i];
        n += d->bin[i] < d->rows;
    }
    *count = n;
done:
    return status;
}

/* Of places those that have a row. */
static size_t keep_rows(learn_draw *d, const size_t *place, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (place[i] < d->rows) d->row[kept++] = place[i];
    return kept;
}

DUSK_PROVEN(learn_draw_take)
dusk_status learn_draw_take(learn_draw *d, uint64_t step, size_t *count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t places = (size_t)d->sampler.places, lot = (size_t)d->sampler.lot;
    if (d->sampler.way == LEARN_POISSON) return take_poisson(d, step, count, err);
    if (d->sampler.way == LEARN_ALLOCATED) return take_allocated(d, step, count, err);
    if (d->sampler.way == LEARN_DRAWN) return take_drawn(d, step, count, err);
    if (d->sampler.way == LEARN_FIXED) {
        size_t n;
        DUSK_TRY(dusk_keyed_choose(d->coins, (uint32_t)step, 0, places, lot, d->order, &n, err));
        *count = keep_rows(d, d->order, n);
        return DUSK_OK;
    }
    const uint64_t epoch = DUSK_MUTATE(SHUFFLED_ONCE_IS_REDRAWN, d->sampler.once, false)
                               ? 0
                               : step / learn_sampler_epoch(&d->sampler);
    const size_t first = (size_t)(step % learn_sampler_epoch(&d->sampler)) * lot;
    if (!d->ordered || d->epoch != epoch) {
        DUSK_TRY(dusk_keyed_order(d->coins, (uint32_t)epoch, NULL, d->order, places, err));
        d->epoch = epoch;
        d->ordered = true;
    }
    *count = keep_rows(d, d->order + first, places - first < lot ? places - first : lot);
done:
    return status;
}
