/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release marginals, mwem: what is true of whole tables. The schema and everything public is
 * checked before the data is opened, marginals on a table of no rows; a dry run ends there. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/release_table.h"

enum { RAW, CONSISTENT, NON_NEGATIVE }; /* of --counts */

/* Where rows are exchanged and every unit has one, their number is public. */
static bool total_is_public(const release_table *t)
{
    return t->how.neighbours == DUSK_REPLACE_ONE && t->how.rows_per_unit == 1;
}

static dusk_status release_cells(release_job *job, release_table *t, double *counts, double *half_width,
                                 dusk_statement *statement, dusk_error *err)
{
    dusk_status status;
    double gap;
    DUSK_TRY(dusk_marginals_release(counts, half_width, statement, &t->how, &t->table, t->marginals,
                                    t->marginal_count, job->gen, err));
    if (job->settings->counts != RAW && t->codes)
        DUSK_TRY(dusk_marginals_reconcile(counts, &gap, &t->table, t->marginals, t->marginal_count, NULL,
                                          total_is_public(t) ? (double)t->table.rows : (double)NAN,
                                          job->settings->counts == NON_NEGATIVE, err));
done:
    return status;
}

dusk_status release_marginals(release_job *job, dusk_error *err)
{
    dusk_status status;
    release_table t = { 0 };
    dusk_statement statement;
    release_receipt receipt = { .statement = &statement, .input = RELEASE_TABLE_INPUT };
    double *counts = NULL, half_width;
    bool dry = job->settings->dry_run, json, adjusted;
    size_t cells = 0;
    char width[64];
    dusk_text text;

    DUSK_TRY(release_table_prepare(job, &t, err));
    DUSK_TRY(dusk_marginals_cells(&cells, &t.table, t.marginals, t.marginal_count, err));
    DUSK_NEW(counts, cells);
    DUSK_TRY(release_cells(job, &t, counts, &half_width, &statement, err));
    if (!dry) {
        DUSK_TRY(release_table_read(job, &t, err));
        DUSK_TRY(release_cells(job, &t, counts, &half_width, &statement, err));
    }
    adjusted = job->settings->counts == NON_NEGATIVE ||
               (job->settings->counts == CONSISTENT && (t.marginal_count > 1 || total_is_public(&t)));
    json = release_json(job);
    release_table_print(job, &t, dry ? NULL : counts, json);
    if (json) {
        dusk_json_number_field(&job->json, "half_width", half_width);
        dusk_json_number_field(&job->json, "confidence", t.how.confidence);
    }
    dusk_format_width(width, sizeof width, half_width);
    dusk_text_init(&text, receipt.interval, sizeof receipt.interval);
    dusk_text_add(&text, "all counts%s %s within %s of the exact ones with %g %% confidence",
                  adjusted ? ", before they are made consistent," : "", dry ? "will be" : "are", width,
                  100 * t.how.confidence);
    DUSK_TRY(release_end(job, &receipt, err));
done:
    dusk_deallocate(counts);
    release_table_free(&t);
    return status;
}

/* ---- MWEM ---------------------------------------------------------------------------- */

static dusk_mwem_options options_of(const release_job *job, const release_table *t)
{
    dusk_mwem_options options;
    dusk_mwem_options_init(&options);
    options.marginals = t->marginals;
    options.marginals_count = t->marginal_count;
    options.prefixes = job->settings->prefixes;
    options.rounds = (uint32_t)job->settings->rounds;
    return options;
}

static dusk_status domain_cells(const release_table *t, size_t *cells, dusk_error *err)
{
    *cells = 1;
    for (size_t c = 0; c < t->schema.columns; c++) {
        *cells *= t->sizes[c];
        if (*cells > DUSK_CELLS_MAX)
            return dusk_fail(err, DUSK_ERR_ARGUMENT,
                             "leave columns out of the schema, or use synthetic-table",
                             "the whole table has more than %u cells", DUSK_CELLS_MAX);
    }
    return DUSK_OK;
}

dusk_status release_mwem(release_job *job, dusk_error *err)
{
    dusk_status status;
    release_table t = { 0 };
    dusk_statement statement;
    release_receipt receipt = { .statement = &statement, .input = RELEASE_TABLE_INPUT };
    dusk_mwem_options options;
    double *model = NULL, *counts = NULL, error = NAN;
    bool dry = job->settings->dry_run, json;
    size_t cells = 0, queries = 0;
    char width[64];
    dusk_text text;

    DUSK_TRY(release_table_prepare(job, &t, err));
    DUSK_TRY(domain_cells(&t, &cells, err));
    DUSK_TRY(dusk_marginals_cells(&queries, &t.table, t.marginals, t.marginal_count, err));
    options = options_of(job, &t);
    DUSK_TRY(dusk_mwem_state(&statement, &t.how, &options, &t.table, err));
    if (!dry) {
        DUSK_NEW(model, cells);
        DUSK_NEW(counts, queries);
        DUSK_TRY(release_table_read(job, &t, err));
        DUSK_TRY(dusk_mwem_release(model, &error, &statement, &t.how, &options, &t.table, job->gen, err));
        DUSK_TRY(dusk_marginals_of(counts, &t.table, t.marginals, t.marginal_count, model, err));
    }
    json = release_json(job);
    release_table_print(job, &t, dry ? NULL : counts, json);
    if (json) {
        dusk_json_number_field(&job->json, "error", error);
        dusk_json_number_field(&job->json, "confidence", t.how.confidence);
    }
    dusk_format_width(width, sizeof width, error);
    dusk_text_init(&text, receipt.interval, sizeof receipt.interval);
    if (dry)
        dusk_text_add(&text, "what it is follows from the answers");
    else
        dusk_text_add(&text, "all %zu queries%s are within %s of the exact counts with %g %% confidence",
                      queries, job->settings->prefixes ? ", sums up to each value of single columns," : "",
                      width, 100 * t.how.confidence);
    DUSK_TRY(release_end(job, &receipt, err));
done:
    dusk_deallocate(model);
    dusk_deallocate(counts);
    release_table_free(&t);
    return status;
}
