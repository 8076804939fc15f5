/* SPDX-License-Identifier: Apache-2.0 */
/* Making events: the forms of all mechanisms, the check of their parameters,
 * sums and repetitions. Reading and writing their text is event_text.c; what
 * they cost is epsilon.c. Nothing here looks at data. */
#include "accounting/event.h"

#include <math.h>
#include <string.h>

static const dusk_event_form forms[DUSK_EVENT_KINDS] = {
    [DUSK_EVENT_PURE] = { .name = "pure",
                          .reals = 1,
                          .real_name = { "epsilon" },
                          .range = { DUSK_RANGE_NOT_NEGATIVE } },
    [DUSK_EVENT_APPROX] = { .name = "approx",
                            .reals = 2,
                            .real_name = { "epsilon", "delta" },
                            .range = { DUSK_RANGE_NOT_NEGATIVE, DUSK_RANGE_DELTA } },
    [DUSK_EVENT_ZCDP] = { .name = "zcdp", .reals = 1, .real_name = { "rho" } },
    [DUSK_EVENT_GDP] = { .name = "gdp", .reals = 1, .real_name = { "mu" } },
    [DUSK_EVENT_LAPLACE] = { .name = "laplace", .reals = 1, .real_name = { "scale" } },
    [DUSK_EVENT_GAUSSIAN] = { .name = "gaussian", .reals = 1, .real_name = { "sigma" } },
    [DUSK_EVENT_DISCRETE_LAPLACE] = { .name = "discrete_laplace",
                                      .reals = 1,
                                      .real_name = { "scale" },
                                      .whole_name = "sensitivity",
                                      .whole_least = 1,
                                      .whole_may_be_left_out = true },
    [DUSK_EVENT_DISCRETE_GAUSSIAN] = { .name = "discrete_gaussian",
                                       .reals = 1,
                                       .real_name = { "sigma" },
                                       .whole_name = "sensitivity",
                                       .whole_least = 1,
                                       .whole_may_be_left_out = true },
    [DUSK_EVENT_RANDOMIZED_RESPONSE] = { .name = "randomized_response",
                                         .reals = 1,
                                         .real_name = { "epsilon" },
                                         .whole_name = "answers",
                                         .whole_least = 2 },
    [DUSK_EVENT_EXPONENTIAL] = { .name = "exponential", .reals = 1, .real_name = { "epsilon" } },
    [DUSK_EVENT_PERMUTE_AND_FLIP] = { .name = "permute_and_flip", .reals = 1, .real_name = { "epsilon" } },
    [DUSK_EVENT_NOISY_MAX] = { .name = "noisy_max", .reals = 1, .real_name = { "epsilon" } },
    [DUSK_EVENT_SVT] = { .name = "svt",
                         .reals = 2,
                         .real_name = { "epsilon_threshold", "epsilon_queries" },
                         .whole_name = "hits",
                         .whole_least = 1 },
};

const dusk_event_form *dusk_event_form_of(uint64_t kind) { return &forms[kind]; }

uint64_t dusk_event_kind_named(const char *name, size_t length)
{
    for (uint64_t kind = 1; kind < DUSK_EVENT_KINDS; kind++)
        if (forms[kind].name && strlen(forms[kind].name) == length &&
            memcmp(forms[kind].name, name, length) == 0)
            return kind;
    return 0;
}

static dusk_status check_real(const dusk_event_form *form, unsigned i, double x, dusk_error *err)
{
    switch (form->range[i]) {
    case DUSK_RANGE_POSITIVE:
        if (isfinite(x) && x > 0) return DUSK_OK;
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a number such as 0.5",
                         "%s: %s must be finite and above 0", form->name, form->real_name[i]);
    case DUSK_RANGE_NOT_NEGATIVE:
        if (isfinite(x) && x >= 0) return DUSK_OK;
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a number such as 0.5",
                         "%s: %s must be finite and at least 0", form->name, form->real_name[i]);
    case DUSK_RANGE_DELTA:
        if (x >= 0 && x < 1) return DUSK_OK;
        break;
    }
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6",
                     "%s: %s must be at least 0 and below 1", form->name, form->real_name[i]);
}

static dusk_status check_part(const dusk_event_part *part, dusk_error *err)
{
    const dusk_event_form *form = &forms[part->kind];
    for (unsigned i = 0; i < form->reals; i++) {
        dusk_status status = check_real(form, i, part->real[i], err);
        if (status != DUSK_OK) return status;
    }
    if (form->whole_name && part->whole < form->whole_least)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a larger whole number", "%s: %s must be at least %d",
                         form->name, form->whole_name, (int)form->whole_least);
    return DUSK_OK;
}

dusk_status dusk_event_make(dusk_event *out, const dusk_event_part *part, dusk_error *err)
{
    dusk_status status = check_part(part, err);
    if (status != DUSK_OK) return status;
    dusk_event_parts parts = { .count = 1 };
    parts.part[0] = *part;
    for (unsigned i = 0; i < 2; i++) parts.part[0].real[i] += 0.0; /* -0 is 0: equal parts have equal bytes */
    memcpy(out, &parts, sizeof *out);
    return DUSK_OK;
}

dusk_status dusk_event_read(dusk_event_parts *out, const dusk_event *event, dusk_error *err)
{
    memcpy(out, event, sizeof *out);
    bool made = out->count >= 1 && out->count <= DUSK_EVENT_NODES_MAX;
    for (uint64_t i = 0; made && i < out->count; i++) {
        const dusk_event_part *part = &out->part[i];
        made = part->kind >= 1 && part->kind < DUSK_EVENT_KINDS && part->times >= 1 &&
               part->times <= DUSK_EVENT_TIMES_MAX && check_part(part, NULL) == DUSK_OK;
    }
    if (made) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it with a dusk_event function or dusk_event_parse",
                     "the event was never made");
}

static dusk_status make_plain(dusk_event *out, dusk_event_kind kind, double x, dusk_error *err)
{
    return dusk_event_make(out, &(dusk_event_part){ .kind = kind, .real = { x }, .times = 1 }, err);
}

static dusk_status make_whole(dusk_event *out, dusk_event_kind kind, double x, uint64_t whole,
                              dusk_error *err)
{
    dusk_event_part part = { .kind = kind, .real = { x }, .whole = whole, .times = 1 };
    return dusk_event_make(out, &part, err);
}

dusk_status dusk_event_pure(dusk_event *out, double epsilon, dusk_error *err)
{
    return make_plain(out, DUSK_EVENT_PURE, epsilon, err);
}

dusk_status dusk_event_approx(dusk_event *out, double epsilon, double delta, dusk_error *err)
{
    dusk_event_part part = { .kind = DUSK_EVENT_APPROX, .real = { epsilon, delta }, .times = 1 };
    return dusk_event_make(out, &part, err);
}

dusk_status dusk_event_zcdp(dusk_event *out, double rho, dusk_error *err)
{
    return make_plain(out, DUSK_EVENT_ZCDP, rho, err);
}

dusk_status dusk_event_gdp(dusk_event *out, double mu, dusk_error *err)
{
    return make_plain(out, DUSK_EVENT_GDP, mu, err);
}

dusk_status dusk_event_laplace(dusk_event *out, double scale_over_sensitivity, dusk_error *err)
{
    return make_plain(out, DUSK_EVENT_LAPLACE, scale_over_sensitivity, err);
}

dusk_status dusk_event_gaussian(dusk_event *out, double sigma_over_sensitivity, dusk_error *err)
{
    return make_plain(out, DUSK_EVENT_GAUSSIAN, sigma_over_sensitivity, err);
}

dusk_status dusk_event_discrete_laplace(dusk_event *out, double scale, uint64_t sensitivity, dusk_error *err)
{
    return make_whole(out, DUSK_EVENT_DISCRETE_LAPLACE, scale, sensitivity, err);
}

dusk_status dusk_event_discrete_gaussian(dusk_event *out, double sigma, uint64_t sensitivity, dusk_error *err)
{
    return make_whole(out, DUSK_EVENT_DISCRETE_GAUSSIAN, sigma, sensitivity, err);
}

dusk_status dusk_event_randomized_response(dusk_event *out, double epsilon, uint64_t answers, dusk_error *err)
{
    return make_whole(out, DUSK_EVENT_RANDOMIZED_RESPONSE, epsilon, answers, err);
}

dusk_status dusk_event_exponential(dusk_event *out, double epsilon, dusk_error *err)
{
    return make_plain(out, DUSK_EVENT_EXPONENTIAL, epsilon, err);
}

dusk_status dusk_event_permute_and_flip(dusk_event *out, double epsilon, dusk_error *err)
{
    return make_plain(out, DUSK_EVENT_PERMUTE_AND_FLIP, epsilon, err);
}

dusk_status dusk_event_noisy_max(dusk_event *out, double epsilon, dusk_error *err)
{
    return make_plain(out, DUSK_EVENT_NOISY_MAX, epsilon, err);
}

dusk_status dusk_event_svt(dusk_event *out, double epsilon_threshold, double epsilon_queries, uint64_t hits,
                           dusk_error *err)
{
    dusk_event_part part = {
        .kind = DUSK_EVENT_SVT, .real = { epsilon_threshold, epsilon_queries }, .whole = hits, .times = 1
    };
    return dusk_event_make(out, &part, err);
}

static bool same_mechanism(const dusk_event_part *a, const dusk_event_part *b)
{
    return a->kind == b->kind && memcmp(a->real, b->real, sizeof a->real) == 0 && a->whole == b->whole;
}

static dusk_status fail_times(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "split it into several events",
                     "an event cannot have one part more than 2^62 times");
}

static dusk_status add_part(dusk_event_parts *sum, const dusk_event_part *part, dusk_error *err)
{
    uint64_t i = 0;
    while (i < sum->count && !same_mechanism(&sum->part[i], part)) i++;
    if (i == sum->count) {
        if (i == DUSK_EVENT_NODES_MAX)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "split it into several events",
                             "an event cannot have more than %d different parts", DUSK_EVENT_NODES_MAX);
        sum->part[sum->count++] = *part;
        return DUSK_OK;
    }
    if (part->times > DUSK_EVENT_TIMES_MAX - sum->part[i].times) return fail_times(err);
    sum->part[i].times += part->times;
    return DUSK_OK;
}

static dusk_status check_length(const dusk_event_parts *parts, dusk_error *err)
{
    /* A part is at most 100 bytes with what joins it to the next one. */
    if (parts->count <= DUSK_EVENT_TEXT_MAX / 101 || dusk_event_text_length(parts) < DUSK_EVENT_TEXT_MAX)
        return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "split it into several events",
                     "an event cannot have a text of more than %d bytes", DUSK_EVENT_TEXT_MAX - 1);
}

dusk_status dusk_event_add(dusk_event *out, const dusk_event *a, const dusk_event *b, dusk_error *err)
{
    dusk_event_parts sum, more;
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_event_read(&sum, a, err));
    DUSK_TRY(dusk_event_read(&more, b, err));
    for (uint64_t i = 0; i < more.count; i++) DUSK_TRY(add_part(&sum, &more.part[i], err));
    DUSK_TRY(check_length(&sum, err));
    memcpy(out, &sum, sizeof *out);
done:
    return status;
}

dusk_status dusk_event_repeat(dusk_event *out, const dusk_event *event, uint64_t times, dusk_error *err)
{
    dusk_event_parts parts;
    dusk_status status = dusk_event_read(&parts, event, err);
    if (status != DUSK_OK) return status;
    if (times < 1) return dusk_fail(err, DUSK_ERR_ARGUMENT, "give 1 or more", "times must be at least 1");
    for (uint64_t i = 0; i < parts.count; i++) {
        if (times > DUSK_EVENT_TIMES_MAX / parts.part[i].times) return fail_times(err);
        parts.part[i].times *= times;
    }
    status = check_length(&parts, err);
    if (status == DUSK_OK) memcpy(out, &parts, sizeof *out);
    return status;
}
