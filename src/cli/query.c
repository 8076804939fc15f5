/* SPDX-License-Identifier: Apache-2.0 */
/* dusk query and dusk explain: private SQL on a source. explain takes the same options, says what
 * would happen and what it would cost, and spends nothing. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/ask.h"

#define EXAMPLE "dusk query clinic.dusk \"SELECT COUNT(*) FROM visits\" --epsilon 0.1"

typedef struct query_settings {
    double epsilon, delta, confidence;
    int64_t groups, rows, rows_per_unit, memory, threads;
    const char *analyst, *engine, *folder;
    int noise;
    bool json, csv, dry;
} query_settings;

#define AT(field) .offset = offsetof(query_settings, field)
#define MANY .low = 1, .high = UINT32_MAX
/* clang-format off */
static const dusk_option query_options[] = {
    { .name = "epsilon", .letter = 'e', .argument = "E", .type = DUSK_OPTION_NUMBER, AT(epsilon), .sample = "0.1", .heading = "Question",
      .help = "what this query may cost; all of its answers together" },
    { .name = "delta", .letter = 'd', .argument = "D", .type = DUSK_OPTION_NUMBER, AT(delta), .sample = "1e-6", .heading = "Question",
      .help = "failure probability; needed for keys that are not declared, and for Gaussian noise" },
    { .name = "groups", .letter = 'g', .argument = "N", .type = DUSK_OPTION_WHOLE, AT(groups), MANY, .sample = "3", .heading = "Question",
      .help = "a person counts in at most N groups, chosen at random (default: as declared, else 1)" },
    { .name = "rows", .letter = 'r', .argument = "N", .type = DUSK_OPTION_WHOLE, AT(rows), MANY, .sample = "5", .heading = "Question",
      .help = "and with at most N rows in each of them (default: as declared, else 1)" },
    { .name = "json", .letter = 'j', .type = DUSK_OPTION_FLAG, AT(json), .heading = "Question", .help = "one JSON object" },
    { .name = "noise", .argument = "laplace|gaussian", .type = DUSK_OPTION_CHOICE, AT(noise), .fallback = "laplace", .sample = "gaussian",
      .heading = "More of the question", .help = "gaussian is better where one person is in many groups, or many numbers are asked for" },
    { .name = "analyst", .letter = 'a', .argument = "NAME", .type = DUSK_OPTION_STRING, AT(analyst), .sample = "ana", .heading = "More of the question",
      .help = "who asks; charged to this analyst's limit too (default: $DUSK_ANALYST, else owner)" },
    { .name = "rows-per-unit", .argument = "N", .type = DUSK_OPTION_WHOLE, AT(rows_per_unit), MANY, .sample = "10", .heading = "More of the question",
      .help = "and with at most N rows in all" },
    { .name = "ci", .argument = "P", .type = DUSK_OPTION_NUMBER, AT(confidence), .fallback = "0.95", .sample = "0.99", .heading = "Output",
      .help = "confidence of the interval of each cell" },
    { .name = "csv", .type = DUSK_OPTION_FLAG, AT(csv), .heading = "Output", .help = "comma-separated values; the interval of a column follows it" },
    { .name = "dry-run", .letter = 'n', .type = DUSK_OPTION_FLAG, AT(dry), .heading = "Output", .help = "as dusk explain: spend nothing" },
    { .name = "engine", .argument = "NAME", .type = DUSK_OPTION_STRING, AT(engine), .sample = "sqlite", .heading = "Resources",
      .help = "sqlite, duckdb or postgres; by default the fastest that serves the sources" },
    { .name = "memory", .argument = "MIB", .type = DUSK_OPTION_WHOLE, AT(memory), .low = 16, .high = INT64_C(1) << 24, .sample = "512", .heading = "Resources",
      .help = "before rows are put on disk, encrypted (default 1024)" },
    { .name = "temporary", .argument = "FOLDER", .type = DUSK_OPTION_STRING, AT(folder), .sample = "/var/tmp", .heading = "Resources",
      .help = "where that is (default: $TMPDIR, else /tmp)" },
    { .name = "threads", .argument = "N", .type = DUSK_OPTION_WHOLE, AT(threads), .low = 1, .high = 256, .sample = "2", .heading = "Resources",
      .help = "by default as many as there are processors" },
    { .name = NULL },
};
/* clang-format on */

static const dusk_section query_sections[] = {
    { "Description",
      "Answer one SELECT statement with differential privacy for whole persons (the unit of the source). The "
      "charge is on disk before a row is read; asking again what was answered costs nothing.\n"
      "COUNT, COUNT(DISTINCT), SUM, AVG, VARIANCE, STDDEV, MEDIAN, PERCENTILE_CONT, MIN and MAX (as extreme "
      "quantiles), GROUP BY, WHERE, CASE, joins along declared links and to public tables, subqueries, "
      "WITH, UNION ALL; HAVING, ORDER BY and LIMIT look at released numbers only. Groups of declared "
      "keys all appear, with noise; other keys are shown when enough persons have them, which needs "
      "--delta.\n"
      "A person with more rows than the bounds allow is sampled down. That loses rows, never privacy: "
      "raise --groups and --rows where persons have many, at the price of more noise." },
    { "Output",
      "Every number comes with an interval that holds the exact answer on the bounded data with the "
      "confidence of --ci. Values are as they were drawn: a small count may be negative." },
    { NULL, NULL },
};

static const dusk_example query_examples[] = {
    { "how many rows, by one person's privacy", EXAMPLE },
    { "a mean by keys that were not declared",
      "dusk query clinic.dusk \"SELECT ward, AVG(age) FROM visits GROUP BY ward\" --epsilon 0.5 --delta "
      "1e-6" },
    { NULL, NULL },
};

static const dusk_section explain_sections[] = {
    { "Description",
      "Say how a query would be answered: the plan, how each row finds its unit, sensitivities, noise, the "
      "error to expect of every number, and the cost. No data is touched and nothing is spent." },
    { NULL, NULL },
};

static const dusk_example explain_examples[] = {
    { "what would it cost", "dusk explain clinic.dusk \"SELECT COUNT(*) FROM visits\" --epsilon 0.1" },
    { NULL, NULL },
};

static dusk_status check(const query_settings *s, const dusk_parsed *parsed, dusk_error *err)
{
    if (parsed->operand_count != 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, EXAMPLE,
                         parsed->operand_count < 2 ? "a source and a query are needed"
                                                   : "there are words too many; quote the query");
    if (!(s->epsilon > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, EXAMPLE,
                         "--epsilon must be given, and be above 0: what this query may cost");
    if (!isnan(s->delta) && !(s->delta >= 0 && s->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --delta 1e-6",
                         "--delta must be at least 0 and below 1");
    if (!(s->confidence > 0 && s->confidence < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --ci 0.95", "--ci must be above 0 and below 1");
    if (s->json && s->csv)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave one away", "--json and --csv do not go together");
    return DUSK_OK;
}

static void fill_options(dusk_query_options *options, const query_settings *s)
{
    dusk_query_options_init(options);
    options->epsilon = s->epsilon;
    options->delta = isnan(s->delta) ? 0 : s->delta;
    options->noise = (dusk_query_noise)(s->noise + 1);
    options->groups_per_unit = (uint32_t)s->groups;
    options->rows_per_group = (uint32_t)s->rows;
    options->rows_per_unit = (uint32_t)s->rows_per_unit;
    options->confidence = s->confidence;
    options->analyst = ask_analyst(s->analyst);
    options->engine = s->engine;
    options->memory = (size_t)s->memory << 20;
    options->folder = s->folder;
    options->threads = (unsigned)s->threads;
}

static dusk_status answer(dusk_query *query, const dusk_query_options *options, const query_settings *s,
                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_generator *gen = NULL;
    dusk_result *result = NULL;
    dusk_receipt receipt;
    DUSK_TRY(dusk_generator_new(&gen, err));
    DUSK_TRY(dusk_query_run(query, &result, &receipt, gen, err));
    DUSK_TRY(ask_print(result, &receipt, s->json ? ASK_JSON : s->csv ? ASK_CSV : ASK_TABLE, err));
    DUSK_TRY(dusk_output_flush(err));
    ask_print_receipt(&receipt, options);
done:
    dusk_result_free(result);
    dusk_generator_free(gen);
    return status;
}

static dusk_status explain(const dusk_query *query, dusk_error *err)
{
    char *text;
    dusk_status status = dusk_query_explain(query, &text, err);
    if (status != DUSK_OK) return status;
    dusk_print_tame_lines(stdout, text);
    dusk_ledger_free_text(text);
    return DUSK_OK;
}

static dusk_status run(const void *settings, const dusk_parsed *parsed, bool dry, dusk_error *err)
{
    const query_settings *s = settings;
    dusk_status status = DUSK_OK;
    dusk_query_options options;
    dusk_source *source = NULL;
    dusk_query *query = NULL;
    DUSK_TRY(check(s, parsed, err));
    DUSK_TRY(ask_open(&source, parsed, EXAMPLE, err));
    fill_options(&options, s);
    status = dusk_query_prepare(&query, source, parsed->operands[1], &options, err);
    if (status == DUSK_ERR_UNSUPPORTED) err->status = status = DUSK_ERR_PARSE; /* a bad query: exit code 3 */
    if (status != DUSK_OK) goto done;
    status = dry || s->dry ? explain(query, err) : answer(query, &options, s, err);
done:
    dusk_query_free(query);
    dusk_source_close(source);
    return status;
}

static dusk_status run_query(const void *settings, const dusk_parsed *parsed, dusk_error *err)
{
    return run(settings, parsed, false, err);
}

static dusk_status run_explain(const void *settings, const dusk_parsed *parsed, dusk_error *err)
{
    return run(settings, parsed, true, err);
}

const dusk_command dusk_query_command = {
    .name = "dusk query",
    .summary = "ask a source a question in SQL, privately",
    .synopsis = "FILE.dusk \"SELECT ...\" --epsilon E [options]",
    .options = query_options,
    .sections = query_sections,
    .examples = query_examples,
    .settings_size = sizeof(query_settings),
    .run = run_query,
};

const dusk_command dusk_explain_command = {
    .name = "dusk explain",
    .summary = "how a query would be answered, and what it would cost",
    .synopsis = "FILE.dusk \"SELECT ...\" --epsilon E [options]",
    .options = query_options,
    .sections = explain_sections,
    .examples = explain_examples,
    .settings_size = sizeof(query_settings),
    .run = run_explain,
};
