/* SPDX-License-Identifier: Apache-2.0 */
/* dusk init: a new source. No row of the data is read. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/ask.h"

#define EXAMPLE "dusk init clinic.dusk --source visits.csv --unit visits.patient --epsilon 3"

typedef struct init_settings {
    dusk_option_list sources;
    const char *unit, *engine;
    double epsilon, delta;
    int filter, neighbours;
} init_settings;

#define AT(field) .offset = offsetof(init_settings, field)
/* clang-format off */
static const dusk_option init_options[] = {
    { .name = "source", .letter = 's', .argument = "[NAME=]URI", .type = DUSK_OPTION_LIST, AT(sources), .sample = "visits.csv",
      .heading = "The contract",
      .help = "where rows are: a CSV, Parquet, SQLite or DuckDB file, or postgres://...; may be given several times, "
              "and words after the file are sources too. A table is named after its file unless NAME= says otherwise; #TABLE picks one table of a database, or a view, which must keep the rows of persons apart and never fail; "
              "file.csv?delimiter=; and ?header=a,b,c describe unusual text files" },
    { .name = "unit", .letter = 'u', .argument = "TABLE.COLUMN", .type = DUSK_OPTION_STRING, AT(unit), .sample = "visits.patient",
      .heading = "The contract", .help = "the column that says whose row it is: everything is promised for whole persons, not for rows" },
    { .name = "epsilon", .letter = 'e', .argument = "E", .type = DUSK_OPTION_NUMBER, AT(epsilon), .sample = "3", .heading = "The contract",
      .help = "all that may ever be spent on this data" },
    { .name = "delta", .letter = 'd', .argument = "D", .type = DUSK_OPTION_NUMBER, AT(delta), .sample = "1e-6", .heading = "The contract",
      .help = "failure probability of the whole, far below 1 over the number of people; without one there are no private keys and "
              "no Gaussian noise" },
    { .name = "filter", .argument = "basic|zcdp|rdp|gdp", .type = DUSK_OPTION_CHOICE, AT(filter), .fallback = "basic",
      .sample = "zcdp", .heading = "More",
      .help = "how charges add up: basic adds epsilons and deltas; zcdp, rdp and gdp need --delta and leave more room for many "
              "queries, zcdp and gdp for Gaussian noise; only basic can charge keys that are not declared" },
    { .name = "neighbours", .argument = "add-remove|replace-one", .type = DUSK_OPTION_CHOICE, AT(neighbours), .fallback = "add-remove",
      .sample = "replace-one", .heading = "More", .help = "which data the promise compares" },
    { .name = "engine", .argument = "sqlite|duckdb|postgres", .type = DUSK_OPTION_STRING, AT(engine), .sample = "duckdb", .heading = "More",
      .help = "what reads the data; by default the fastest engine that is there and serves the sources" },
    { .name = NULL },
};
/* clang-format on */

static const dusk_section init_sections[] = {
    { "Description",
      "Make FILE.dusk, the contract over one private data source: where the data is, whose privacy, what is "
      "public about it, the budget, and later everything that is spent. The file is a SQLite database and "
      "holds no private row.\n"
      "Names and types of columns are taken from the database's catalogue, or the names from the header "
      "line of a text file, whose columns are text until you say otherwise (dusk schema FILE set). Nothing "
      "is inferred from rows." },
    { NULL, NULL },
};

static const dusk_example init_examples[] = {
    { "a table of visits, one person's privacy, a budget of 3 for ever", EXAMPLE },
    { "a whole PostgreSQL database",
      "dusk init shop.dusk --source postgres://localhost/shop --unit customer.id --epsilon 5 --delta 1e-6" },
    { NULL, NULL },
};

static dusk_status check(const init_settings *s, const dusk_parsed *parsed, dusk_error *err)
{
    if (parsed->operand_count == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, EXAMPLE, "say which file is to be made");
    if (s->sources.count + parsed->operand_count == 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, EXAMPLE, "--source is missing: where the data is");
    if (!s->unit)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, EXAMPLE, "--unit is missing: whose privacy is at stake");
    if (!(s->epsilon > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, EXAMPLE,
                         "--epsilon must be given, and be above 0: all that may ever be spent");
    if (!isnan(s->delta) && !(s->delta >= 0 && s->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --delta 1e-6",
                         "--delta must be at least 0 and below 1");
    if (s->filter > 0 && !(s->delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --delta 1e-6",
                         "this filter needs a --delta above 0");
    return DUSK_OK;
}

static dusk_status print_made(const char *path, const init_settings *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_source *source = NULL;
    const dusk_schema *schema;
    dusk_spending total;
    char budget[ASK_BUDGET_SIZE], word[ASK_WORD_SIZE];
    DUSK_TRY(dusk_source_open(&source, path, err));
    schema = dusk_source_schema(source);
    DUSK_TRY(dusk_ledger_spending(dusk_source_ledger(source), &total, NULL, err));
    ask_budget_down(budget, total.limit);
    for (size_t t = 0; t < schema->tables; t++)
        printf("table   %s, %zu column%s\n", schema->table[t].name, schema->table[t].columns,
               schema->table[t].columns == 1 ? "" : "s");
    printf("unit    %s, %s\n", s->unit, dusk_neighbours_name((dusk_neighbours)(s->neighbours + 1)));
    printf("budget  %s\n", budget);
    ask_word(word, path);
    dusk_output_note("next", "dusk schema %s shows what is public and says how to declare more", word);
done:
    dusk_source_close(source);
    return status;
}

static dusk_status run(const void *settings, const dusk_parsed *parsed, dusk_error *err)
{
    const init_settings *s = settings;
    dusk_status status = DUSK_OK;
    dusk_source_options options;
    const char *sources[DUSK_OPTION_LIST_MAX + DUSK_OPERANDS_MAX];
    DUSK_TRY(check(s, parsed, err));
    ask_begin();
    dusk_source_options_init(&options);
    for (size_t i = 0; i < s->sources.count; i++) sources[options.sources_count++] = s->sources.word[i];
    for (size_t i = 1; i < parsed->operand_count; i++) sources[options.sources_count++] = parsed->operands[i];
    options.sources = sources;
    options.unit = s->unit;
    options.engine = s->engine;
    options.ledger.filter = (dusk_filter_kind)(s->filter + 1);
    options.ledger.neighbours = (dusk_neighbours)(s->neighbours + 1);
    options.ledger.budget = (dusk_budget){ s->epsilon, isnan(s->delta) ? 0 : s->delta };
    DUSK_TRY(dusk_source_create(parsed->operands[0], &options, err));
    DUSK_TRY(print_made(parsed->operands[0], s, err));
done:
    return status;
}

const dusk_command dusk_init_command = {
    .name = "dusk init",
    .summary = "make a source: where private data is, whose privacy, and the budget",
    .synopsis = "FILE.dusk --source URI... --unit TABLE.COLUMN --epsilon E [options]",
    .options = init_options,
    .sections = init_sections,
    .examples = init_examples,
    .settings_size = sizeof(init_settings),
    .run = run,
};
