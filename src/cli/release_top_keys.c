/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release top-keys: the keys that most units have, best first, when the
 * keys come from the data. The program's epsilon is that of the whole choice: it
 * is shared among the k choices in the way that leaves the least noise. Counts of
 * the keys shown, with fresh noise, cost --numeric-epsilon on top. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/release.h"

static dusk_status init(const release_job *job, dusk_limit_domain *out, double each, double delta,
                        dusk_error *err)
{
    const release_settings *s = job->settings;
    size_t k = (size_t)s->k, limit = release_given(job, "limit") ? (size_t)s->limit : 10 * k;
    return dusk_limit_domain_init(out, k, limit, s->unrestricted ? 0 : (uint32_t)s->keys_per_unit, 1, each,
                                  delta, err);
}

/* Half of delta for the threshold and half for k choices that are priced
 * together: each may then cost more than epsilon / k. */
static dusk_status share_delta(const release_job *job, dusk_limit_domain *out, dusk_error *err)
{
    const release_settings *s = job->settings;
    char text[96];
    dusk_text line;
    double each;
    dusk_status status;
    dusk_text_init(&line, text, sizeof text);
    dusk_text_add(&line, "exponential(x) * %lld + approx(0, ", (long long)s->k);
    dusk_text_number(&line, s->delta / 2);
    dusk_text_add(&line, ")");
    DUSK_TRY(dusk_account_solve(&each, text, "x", (dusk_budget){ s->epsilon, s->delta }, DUSK_ADD_REMOVE,
                                DUSK_RDP, err));
    DUSK_TRY(init(job, out, each, s->delta / 2, err));
done:
    return status;
}

/* By how much a key may have to stand out to be shown for sure. */
static dusk_status need(const release_job *job, const dusk_limit_domain *domain, double *out, dusk_error *err)
{
    dusk_status status = dusk_limit_domain_interval(domain, out, job->settings->confidence, err);
    if (status == DUSK_OK) *out += domain->threshold;
    return status;
}

static dusk_status prepare(const release_job *job, dusk_limit_domain *out, dusk_error *err)
{
    const release_settings *s = job->settings;
    double each = s->k > 1 ? nextafter(s->epsilon / (double)s->k, 0) : s->epsilon, simple, shared;
    dusk_limit_domain other;
    dusk_status status;
    DUSK_TRY(init(job, out, each, s->delta, err));
    DUSK_TRY(need(job, out, &simple, err));
    if (s->k > 1 && share_delta(job, &other, NULL) == DUSK_OK) {
        DUSK_TRY(need(job, &other, &shared, err));
        if (shared < simple) *out = other;
    }
done:
    return status;
}

/* The counts of the keys that are shown: a unit is in at most so many of them. */
typedef struct shown_counts {
    bool wanted;
    dusk_aggregate how;
    dusk_event event;
    double half_width, *noisy;
    uint64_t *exact;
} shown_counts;

/* On no counts first: everything public is checked before the data is opened. */
static dusk_status prepare_counts(release_job *job, const dusk_limit_domain *domain, shown_counts *counts,
                                  dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_statement statement;
    bool few = domain->keys_per_unit > 0 && domain->keys_per_unit < domain->k;
    counts->wanted = release_given(job, "numeric-epsilon");
    DUSK_NEW(counts->noisy, domain->k);
    DUSK_NEW(counts->exact, domain->k);
    if (!counts->wanted) return DUSK_OK;
    if (!(job->settings->numeric_epsilon > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --numeric-epsilon away for no counts",
                         "--numeric-epsilon must be above 0");
    dusk_aggregate_init(&counts->how);
    counts->how.neighbours = DUSK_ADD_REMOVE;
    counts->how.rows_per_unit = few ? domain->keys_per_unit : (uint32_t)domain->k;
    counts->how.epsilon = job->settings->numeric_epsilon;
    counts->how.confidence = job->settings->confidence;
    DUSK_TRY(dusk_counts_release(counts->noisy, &counts->half_width, &statement, &counts->how, counts->exact,
                                 domain->k, job->gen, err));
    counts->event = statement.event;
done:
    return status;
}

/* As many counts as keys could be shown: those of no key are not printed. */
static dusk_status count_shown(release_job *job, const dusk_limit_domain *domain, shown_counts *counts,
                               const size_t *indices, size_t shown, const uint64_t *units, dusk_error *err)
{
    dusk_statement statement;
    if (!counts->wanted) return DUSK_OK;
    for (size_t i = 0; i < shown; i++) counts->exact[i] = units[indices[i]];
    return dusk_counts_release(counts->noisy, &counts->half_width, &statement, &counts->how, counts->exact,
                               domain->k, job->gen, err);
}

static void free_counts(shown_counts *counts, size_t k)
{
    if (counts->exact) dusk_wipe(counts->exact, k * sizeof *counts->exact);
    dusk_deallocate(counts->exact);
    dusk_deallocate(counts->noisy);
}

static dusk_status state(const release_job *job, const dusk_limit_domain *domain, const shown_counts *counts,
                         dusk_statement *out, dusk_error *err)
{
    char fact[128];
    dusk_text text;
    dusk_event event;
    dusk_status status;
    DUSK_TRY(dusk_limit_domain_event(domain, &event, err));
    if (counts->wanted) DUSK_TRY(dusk_event_add(&event, &event, &counts->event, err));
    dusk_text_init(&text, fact, sizeof fact);
    if (domain->keys_per_unit == 0)
        dusk_text_add(&text, "a unit counts at most once for a key");
    else
        dusk_text_add(&text, "a unit has at most %lu key%s", (unsigned long)domain->keys_per_unit,
                      domain->keys_per_unit == 1 ? "" : "s");
    DUSK_TRY(release_state(job, out, &event, job->settings->delta, fact, err));
done:
    return status;
}

static void print_counted(dusk_json *json, const char *name, double count)
{
    dusk_json_open(json, '{');
    dusk_json_string_field(json, "key", name);
    dusk_json_number_field(json, "count", count);
    dusk_json_close(json, '}');
}

static void print_keys(release_job *job, const dusk_named *list, const size_t *indices, size_t shown,
                       const shown_counts *counts)
{
    dusk_json *json = &job->json;
    bool as_json = release_json(job);
    if (as_json) dusk_json_key(json, counts->wanted ? "keys" : "values");
    if (as_json) dusk_json_open(json, '[');
    for (size_t i = 0; i < shown; i++) {
        const char *name = list[indices[i]].name;
        if (as_json && counts->wanted) {
            print_counted(json, name, counts->noisy[i]);
        } else if (as_json) {
            dusk_json_string(json, name);
        } else {
            fputs(name, stdout);
            if (counts->wanted) fputc('\t', stdout);
            if (counts->wanted) dusk_print_number(stdout, counts->noisy[i]);
            fputc('\n', stdout);
        }
    }
    if (as_json) dusk_json_close(json, ']');
}

static dusk_status describe(release_job *job, const dusk_limit_domain *domain, const shown_counts *counts,
                            release_receipt *receipt, dusk_error *err)
{
    double shortfall;
    char width[64], above[64], around[64];
    dusk_text text;
    dusk_status status = dusk_limit_domain_interval(domain, &shortfall, job->settings->confidence, err);
    if (status != DUSK_OK) return status;
    dusk_format_width(width, sizeof width, shortfall);
    dusk_format_width(above, sizeof above, domain->threshold + shortfall);
    dusk_text_init(&text, receipt->interval, sizeof receipt->interval);
    dusk_text_add(&text,
                  "each count is at most %s below the true one of its rank, and when fewer than %zu keys are "
                  "shown no other is more than %s above the count of rank %zu, with %g %% confidence",
                  width, domain->k, above, domain->limit + 1, 100 * job->settings->confidence);
    dusk_format_width(around, sizeof around, counts->half_width);
    if (counts->wanted) dusk_text_add(&text, "; all counts shown are within %s as surely", around);
    return DUSK_OK;
}

static dusk_status end(release_job *job, const dusk_limit_domain *domain, const shown_counts *counts,
                       release_receipt *receipt, dusk_error *err)
{
    if (job->settings->json) {
        double shortfall;
        dusk_status status = dusk_limit_domain_interval(domain, &shortfall, job->settings->confidence, err);
        if (status != DUSK_OK) return status;
        dusk_json_number_field(&job->json, "threshold", domain->threshold);
        dusk_json_number_field(&job->json, "shortfall", shortfall);
        if (counts->wanted) dusk_json_key(&job->json, "half_width");
        if (counts->wanted) dusk_json_number(&job->json, counts->half_width);
        dusk_json_number_field(&job->json, "confidence", job->settings->confidence);
    }
    return release_end(job, receipt, err);
}

dusk_status release_top_keys(release_job *job, dusk_error *err)
{
    dusk_status status;
    dusk_limit_domain domain = { .k = 0 };
    dusk_statement statement;
    release_receipt receipt = {
        .statement = &statement,
        .label = "accuracy",
        .input = "what is not a number of units counts as none, and a line without a key is left out"
    };
    dusk_named *list = NULL;
    uint64_t *units = NULL;
    size_t n = 0, keys = 0, shown = 0, *indices = NULL;
    shown_counts counts = { .wanted = false };
    DUSK_TRY(prepare(job, &domain, err));
    DUSK_TRY(prepare_counts(job, &domain, &counts, err));
    DUSK_TRY(state(job, &domain, &counts, &statement, err));
    DUSK_TRY(describe(job, &domain, &counts, &receipt, err));
    if (!job->settings->dry_run) {
        DUSK_NEW(indices, domain.k);
        DUSK_TRY(release_read_keys(job, &list, &n, &units, &keys, err));
        DUSK_TRY(dusk_limit_domain_release(&domain, indices, &shown, units, keys, job->gen, err));
        DUSK_TRY(count_shown(job, &domain, &counts, indices, shown, units, err));
    }
    print_keys(job, list, indices, shown, &counts);
    DUSK_TRY(end(job, &domain, &counts, &receipt, err));
done:
    free_counts(&counts, domain.k);
    release_keys_free(list, n, units);
    dusk_deallocate(indices);
    return status;
}
