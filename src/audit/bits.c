/* SPDX-License-Identifier: Apache-2.0 */
/* The bit-level audit: a set of outputs is chosen by their bits on draws of its own
 * (bits_choice.c), counted on fresh ones, and bounded by Clopper & Pearson. The features
 * believe what they like; the bound believes only that draws are independent. */
#include "audit/bits.h"

#include <math.h>

#include "audit/bits_choice.h"
#include "audit/mechanism.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "numeric/rounding.h"

enum { SELECTION_MOST = 1 << 18, BUFFER = 1 << 12 };
#define DRAWS_DEFAULT (UINT64_C(1) << 22)
/* A pass could have shown a set that is so likely on one side and cannot happen on the other. */
#define WORTH 0.01

uint64_t dusk_audit_bits_selection(uint64_t draws)
{
    uint64_t half = (draws ? draws : DRAWS_DEFAULT) / 2;
    return half < SELECTION_MOST ? half & ~UINT64_C(3) : SELECTION_MOST; /* two halves of whole pairs */
}

/* --- what is asked ------------------------------------------------------------------------- */

static dusk_status check_sampler(const dusk_sampler *sampler, const dusk_input_pair *pair, double scale,
                                 dusk_error *err)
{
    size_t inputs = sampler->input_length, outputs = sampler->output_length;
    if (outputs < 1 || outputs > AUDIT_BITS_LENGTH || (inputs != 1 && inputs != outputs))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give one value, or one for each of at most 16 outputs",
                         "the bits of %zu outputs from %zu inputs cannot be audited", outputs, inputs);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < inputs; i++)
            if (!isfinite(pair->input[side][i]))
                return dusk_fail(err, DUSK_ERR_ARGUMENT, "give finite inputs, such as 0 and 1",
                                 "an input is no finite number");
    if (!(scale >= 0 && isfinite(scale)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give 0 when it is not known",
                         "the scale of the noise must be a finite number, not negative");
    return DUSK_OK;
}

static dusk_status check_options(const dusk_audit_options *o, dusk_error *err)
{
    dusk_status status = audit_options_check(o, err);
    if (status == DUSK_OK && o->draws > 0 && o->draws < 16)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give some millions", "fewer than 16 draws are too few");
    return status;
}

/* What is known of the sampler, for the features. */
static audit_bits known(const dusk_sampler *sampler, const dusk_input_pair *pair, double scale)
{
    audit_bits bits = { .centre = { pair->input[0], pair->input[1] },
                        .single = sampler->input_length == 1,
                        .length = sampler->output_length,
                        .scale = scale };
    double largest = 0;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < sampler->input_length; i++)
            largest = fmax(largest, fabs(pair->input[side][i]));
    bits.top = largest > 0 ? ilogb(largest) : 0;
    return bits;
}

/* --- draws ------------------------------------------------------------------------------------ */

/* Draws for the choice, and the set that they suggest. */
static dusk_status choose(audit_cells **out, const dusk_sampler *sampler, const dusk_input_pair *pair,
                          const audit_bits *bits, size_t n, const audit_forecast *forecast, dusk_error *err)
{
    double *outputs[2] = { NULL, NULL };
    dusk_status status = DUSK_OK;
    for (int side = 0; side < 2; side++) {
        DUSK_NEW(outputs[side], n * bits->length);
        DUSK_TRY(sampler->draw(sampler->context, outputs[side], n, pair->input[side], err));
    }
    DUSK_TRY(
        audit_cells_choose(out, bits, (const double *const[2]){ outputs[0], outputs[1] }, n, forecast, err));
done:
    dusk_deallocate(outputs[0]);
    dusk_deallocate(outputs[1]);
    return status;
}

/* Fresh draws on one input, looked at once each. */
DUSK_PROVEN(bits_count)
static dusk_status bits_count(uint64_t *hits, uint64_t *trials, const audit_cells *cells,
                              const audit_bits *bits, const dusk_sampler *sampler, const double *input,
                              uint64_t draws, dusk_error *err)
{
    double *outputs = NULL;
    dusk_status status = DUSK_OK;
    DUSK_NEW(outputs, BUFFER * bits->length);
    *hits = *trials = 0;
    while (draws > 0) {
        size_t n = draws < BUFFER ? (size_t)draws : BUFFER;
        if (DUSK_MUTATE(BITS_DRAWS_REPEATED, true, *trials == 0))
            DUSK_TRY(sampler->draw(sampler->context, outputs, n, input, err));
        *hits += audit_cells_hits(cells, bits, outputs, n);
        *trials += audit_lens_units(&cells->lens, n);
        draws -= n;
    }
done:
    dusk_deallocate(outputs);
    return status;
}

/* --- what it shows --------------------------------------------------------------------------- */

/* Bounds from the counts. A pair of releases pays delta twice and has twice the epsilon. */
DUSK_PROVEN(bits_bound)
static void bits_bound(dusk_audit_report *out, bool doubled, const dusk_audit_options *options)
{
    double parts = doubled ? DUSK_MUTATE(BITS_PAIR_NOT_HALVED, 2, 1) : 1;
    double error = dusk_sub_down(1, options->confidence);
    double delta = dusk_mul_up(DUSK_MUTATE(BITS_PAIR_DELTA_ONCE, parts, 1), out->delta);
    const uint64_t *k = out->hits, *n = out->trials;
    out->epsilon = dusk_epsilon_down(k[0], n[0], k[1], n[1], delta, error) / parts;
    out->epsilon_sure = dusk_epsilon_down(k[0], n[0], k[1], n[1], delta, options->alarm) / parts;
    double mu = dusk_gaussian_mu_down(k[0], n[0], k[1], n[1], error);
    out->mu = doubled ? dusk_div_down(mu, dusk_sqrt_up(2)) : mu;
}

/* The verdict, and what would have been seen. */
static void judge(dusk_audit_report *out, bool doubled, double alarm)
{
    double parts = doubled ? 2 : 1;
    out->detectable =
        audit_detectable(WORTH, parts * out->claimed, parts * out->delta, (double)out->trials[0], alarm) /
        parts;
    out->verdict = out->epsilon_sure > out->claimed ? DUSK_VIOLATION
                   : isfinite(out->detectable)      ? DUSK_PASS
                                                    : DUSK_INCONCLUSIVE;
}

static void describe(dusk_audit_report *out, const audit_cells *cells, const audit_bits *bits)
{
    const audit_bits_feature *feature = cells->lens.feature;
    dusk_text family, event;
    dusk_text_init(&family, out->family, sizeof out->family);
    dusk_text_init(&event, out->event, sizeof out->event);
    bool plain = feature == &audit_low_bits && cells->lens.form == 0;
    dusk_text_add(&family, "%s", plain ? "size" : feature->family);
    if (cells->count == 0) {
        dusk_text_add(&event, "none: no set of outputs looked different");
        return;
    }
    if (bits->length > 1) dusk_text_add(&event, "[%zu] ", cells->lens.coordinate);
    feature->say(&event, bits, cells->heaviest, cells->lens.form);
    if (cells->count > 1) dusk_text_add(&event, ", and %zu such sets", cells->count - 1);
}

static dusk_status find_claim(dusk_audit_report *out, const dusk_audit_options *options, dusk_error *err)
{
    dusk_account account;
    out->claimed = options->epsilon;
    out->delta = options->delta;
    if (!options->event) return DUSK_OK;
    dusk_status status = dusk_account_epsilon(&account, options->event, options->delta, DUSK_BEST, err);
    if (status == DUSK_OK) out->claimed = account.bound.upper;
    return status;
}

dusk_status dusk_audit_bits(dusk_audit_report *out, const dusk_sampler *sampler, const dusk_input_pair *pair,
                            double scale, const dusk_audit_options *options, dusk_error *err)
{
    audit_cells *cells = NULL;
    dusk_audit_report report = { .pair = 0 };
    dusk_status status = DUSK_OK;
    DUSK_TRY(check_sampler(sampler, pair, scale, err));
    DUSK_TRY(check_options(options, err));
    DUSK_TRY(find_claim(&report, options, err));
    audit_bits bits = known(sampler, pair, scale);
    uint64_t draws = options->draws ? options->draws : DRAWS_DEFAULT;
    uint64_t selection = dusk_audit_bits_selection(draws);
    audit_forecast forecast = { .delta = report.delta,
                                .draws = (double)draws,
                                .z = audit_deviations((1 - options->confidence) / 2),
                                .caution = 1 };
    DUSK_TRY(choose(&cells, sampler, pair, &bits, (size_t)selection, &forecast, err));
    report.swapped = cells->swapped;
    for (int i = 0; i < 2; i++)
        DUSK_TRY(bits_count(&report.hits[i], &report.trials[i], cells, &bits, sampler,
                            pair->input[i ^ (report.swapped ? 1 : 0)], draws, err));
    report.draws = 2 * (draws + selection);
    bits_bound(&report, cells->lens.doubled, options);
    judge(&report, cells->lens.doubled, options->alarm);
    describe(&report, cells, &bits);
    *out = report;
done:
    dusk_deallocate(cells);
    return status;
}
