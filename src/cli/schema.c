/* SPDX-License-Identifier: Apache-2.0 */
/* dusk schema: what is public about a source, and changing it. Everything here is declared by
 * whoever holds the data; only `propose` looks at rows, and pays for it. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "cli/ask.h"

#define EXAMPLE "dusk schema clinic.dusk set visits.age type=integer bounds=0:120"

typedef struct schema_settings {
    double epsilon;
    int64_t rows;
    const char *analyst;
    bool json;
} schema_settings;

#define AT(field) .offset = offsetof(schema_settings, field)
/* clang-format off */
static const dusk_option schema_options[] = {
    { .name = "json", .letter = 'j', .type = DUSK_OPTION_FLAG, AT(json), .heading = "Output", .help = "one JSON object" },
    { .name = "epsilon", .letter = 'e', .argument = "E", .type = DUSK_OPTION_NUMBER, AT(epsilon), .sample = "0.1", .heading = "Propose and advise",
      .help = "what it may cost" },
    { .name = "rows", .letter = 'r', .argument = "N", .type = DUSK_OPTION_WHOLE, AT(rows), .low = 1, .high = UINT32_MAX, .sample = "5", .heading = "Propose and advise",
      .help = "how many rows of a person are looked at (default: as declared, else 1)" },
    { .name = "analyst", .letter = 'a', .argument = "NAME", .type = DUSK_OPTION_STRING, AT(analyst), .sample = "ana", .heading = "Propose and advise",
      .help = "who is charged (default: $DUSK_ANALYST, else owner)" },
    { .name = NULL },
};
/* clang-format on */

static const dusk_section schema_sections[] = {
    { "Description",
      "Show what is public about a source, or declare more of it. What is declared must not be taken from "
      "the rows: it is what you know beforehand, like the range an age can have.\n"
      "set TABLE.COLUMN: type=integer|real|text|boolean|date|timestamp, bounds=LOW:HIGH (values outside are "
      "moved to the nearest end), domain=a,b,c (the keys that exist; others count as missing), nullable or "
      "nullable=no, "
      "unique (no two rows have the same value), public. set TABLE: public (its rows are no secret and cost "
      "nothing), rows_per_unit=N, groups_per_unit=N (bounds that queries use when they say nothing), "
      "source=URI.\n"
      "link TABLE.COLUMN OTHER[.COLUMN]: the column names a row of OTHER, by a unique column; that is how a "
      "row "
      "finds its unit, and which joins are possible.\n"
      "propose TABLE.COLUMN --epsilon E: find bounds in the data, and pay for them. advise TABLE --epsilon "
      "E: how "
      "many rows nine of ten persons have at most; advise TABLE.COLUMN: how many different values.\n"
      "refresh: the data changed; stored answers are no longer given out for free.\n"
      "unset SUBJECT PROPERTY takes back what was declared." },
    { NULL, NULL },
};

static const dusk_example schema_examples[] = {
    { "ages are whole numbers up to 120", EXAMPLE },
    { "orders belong to customers", "dusk schema shop.dusk link orders.customer_id customer" },
    { NULL, NULL },
};

/* --- showing --------------------------------------------------------------------------------- */

static void print_domain(const dusk_column *column)
{
    printf("  domain=");
    for (size_t i = 0; i < column->values; i++) {
        if (i) putchar(',');
        for (const char *c = column->domain[i]; *c;) {
            char one[8];
            size_t n = dusk_utf8_length(c);
            if (*c == ',' || *c == '\\') putchar('\\');
            snprintf(one, sizeof one, "%.*s", n ? (int)n : 1, c);
            dusk_print_tame(stdout, one);
            c += n ? n : 1;
        }
    }
}

static void print_column(const dusk_schema *schema, size_t t, size_t c)
{
    const dusk_column *column = &schema->table[t].column[c];
    char low[DUSK_DECIMAL_SIZE], high[DUSK_DECIMAL_SIZE];
    bool plain = !column->unique && column->nullable && !column->is_public && isnan(column->lower) &&
                 !column->domain && column->link_table == DUSK_NO_LINK;
    bool unit = t == schema->unit_table && c == schema->unit_column;
    fputs("  ", stdout);
    ask_print_padded(column->name, 20, false);
    printf(" %-*s", plain && !unit ? 0 : 9, dusk_type_name(column->type));
    if (unit) printf("  unit");
    if (column->unique) printf("  unique");
    if (!column->nullable) printf("  nullable=no");
    if (column->is_public) printf("  public");
    if (!isnan(column->lower)) {
        dusk_decimal(low, column->lower);
        dusk_decimal(high, column->upper);
        printf("  bounds=%s:%s", low, high);
    }
    if (column->domain) print_domain(column);
    if (column->link_table != DUSK_NO_LINK) {
        const dusk_table_schema *target = &schema->table[column->link_table];
        fputs("  -> ", stdout);
        dusk_print_tame(stdout, target->name);
        if (column->link_column != DUSK_NO_LINK) {
            putchar('.');
            dusk_print_tame(stdout, target->column[column->link_column].name);
        }
    }
    putchar('\n');
}

static void print_schema(const dusk_schema *schema)
{
    for (size_t t = 0; t < schema->tables; t++) {
        const dusk_table_schema *table = &schema->table[t];
        dusk_print_tame(stdout, table->name);
        printf("%s  (", table->is_public ? "  public" : "");
        dusk_print_tame(stdout, table->source);
        putchar(')');
        if (table->rows_per_unit) printf("  rows_per_unit=%u", table->rows_per_unit);
        if (table->groups_per_unit) printf("  groups_per_unit=%u", table->groups_per_unit);
        putchar('\n');
        for (size_t c = 0; c < table->columns; c++) print_column(schema, t, c);
    }
    printf("version %llu of the data\n", (unsigned long long)schema->version);
}

static void json_column(dusk_json *json, const dusk_schema *schema, size_t t, size_t c)
{
    const dusk_column *column = &schema->table[t].column[c];
    dusk_json_open(json, '{');
    dusk_json_string_field(json, "name", column->name);
    dusk_json_string_field(json, "type", dusk_type_name(column->type));
    dusk_json_bool_field(json, "unit", t == schema->unit_table && c == schema->unit_column);
    dusk_json_bool_field(json, "nullable", column->nullable);
    dusk_json_bool_field(json, "unique", column->unique);
    dusk_json_bool_field(json, "public", column->is_public);
    dusk_json_number_field(json, "lower", column->lower);
    dusk_json_number_field(json, "upper", column->upper);
    dusk_json_key(json, "domain");
    if (column->domain) {
        dusk_json_open(json, '[');
        for (size_t i = 0; i < column->values; i++) dusk_json_string(json, column->domain[i]);
        dusk_json_close(json, ']');
    } else {
        dusk_json_null(json);
    }
    dusk_json_key(json, "link");
    if (column->link_table != DUSK_NO_LINK)
        dusk_json_string(json, schema->table[column->link_table].name);
    else
        dusk_json_null(json);
    dusk_json_close(json, '}');
}

static void print_json(const dusk_schema *schema)
{
    dusk_json json = { .file = stdout };
    dusk_json_open(&json, '{');
    dusk_json_key(&json, "tables");
    dusk_json_open(&json, '[');
    for (size_t t = 0; t < schema->tables; t++) {
        const dusk_table_schema *table = &schema->table[t];
        dusk_json_open(&json, '{');
        dusk_json_string_field(&json, "name", table->name);
        dusk_json_string_field(&json, "source", table->source);
        dusk_json_bool_field(&json, "public", table->is_public);
        dusk_json_number_field(&json, "rows_per_unit",
                               table->rows_per_unit ? (double)table->rows_per_unit : NAN);
        dusk_json_number_field(&json, "groups_per_unit",
                               table->groups_per_unit ? (double)table->groups_per_unit : NAN);
        dusk_json_key(&json, "columns");
        dusk_json_open(&json, '[');
        for (size_t c = 0; c < table->columns; c++) json_column(&json, schema, t, c);
        dusk_json_close(&json, ']');
        dusk_json_close(&json, '}');
    }
    dusk_json_close(&json, ']');
    dusk_json_number_field(&json, "version", (double)schema->version);
    dusk_json_close(&json, '}');
    fputc('\n', stdout);
}

/* --- changing ---------------------------------------------------------------------------------- */

/* PROPERTY=VALUE; a bare PROPERTY is one that holds. */
static dusk_status set_one(dusk_source *source, const char *subject, const char *word, dusk_error *err)
{
    char property[64];
    size_t length = strcspn(word, "=");
    if (length == 0 || length >= sizeof property)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, EXAMPLE, "%.40s is no PROPERTY=VALUE", word);
    snprintf(property, sizeof property, "%.*s", (int)length, word);
    return dusk_source_declare(source, subject, property, word[length] ? word + length + 1 : "yes", err);
}

static dusk_status set(dusk_source *source, const dusk_parsed *parsed, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (parsed->operand_count < 4)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, EXAMPLE, "set needs a table or column, and what is to hold");
    for (size_t i = 3; i < parsed->operand_count; i++)
        DUSK_TRY(set_one(source, parsed->operands[2], parsed->operands[i], err));
done:
    return status;
}

static dusk_status refresh(dusk_source *source, dusk_error *err)
{
    char version[32];
    snprintf(version, sizeof version, "%llu", (unsigned long long)dusk_source_schema(source)->version + 1);
    return dusk_source_declare(source, "", "version", version, err);
}

static dusk_status needs(const dusk_parsed *parsed, size_t words, const char *form, dusk_error *err)
{
    if (parsed->operand_count == words) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, form, "%s has %s words", parsed->operands[1],
                     parsed->operand_count < words ? "too few" : "too many");
}

/* Options of what looks at data, and is paid for. */
static dusk_status fill_options(dusk_query_options *options, const schema_settings *s, const char *word,
                                dusk_error *err)
{
    if (!(s->epsilon > 0))
        return dusk_fail(
            err, DUSK_ERR_ARGUMENT, "for example --epsilon 0.1",
            "--epsilon must be given, and be above 0: %s looks at the data, and that is paid for", word);
    dusk_query_options_init(options);
    options->epsilon = s->epsilon;
    options->rows_per_group = (uint32_t)s->rows;
    options->analyst = ask_analyst(s->analyst);
    return DUSK_OK;
}

static dusk_status propose(dusk_source *source, const schema_settings *s, const dusk_parsed *parsed,
                           dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_query_options options;
    dusk_generator *gen = NULL;
    dusk_receipt receipt;
    dusk_bounds bounds;
    char low[DUSK_DECIMAL_SIZE], high[DUSK_DECIMAL_SIZE], path[ASK_WORD_SIZE], column[ASK_WORD_SIZE];
    DUSK_TRY(fill_options(&options, s, "propose", err));
    DUSK_TRY(dusk_generator_new(&gen, err));
    DUSK_TRY(dusk_source_propose(source, &bounds, &receipt, parsed->operands[2], &options, gen, err));
    dusk_decimal(low, bounds.lower);
    dusk_decimal(high, bounds.upper);
    if (bounds.found)
        printf("bounds=%s:%s\n", low, high);
    else
        puts("no bounds stand out; more epsilon may find some");
    DUSK_TRY(dusk_output_flush(err));
    ask_print_receipt(&receipt, &options);
    ask_word(path, parsed->operands[0]);
    ask_word(column, parsed->operands[2]);
    if (bounds.found) dusk_output_note("next", "dusk schema %s set %s bounds=%s:%s", path, column, low, high);
done:
    dusk_generator_free(gen);
    return status;
}

static dusk_status advise(dusk_source *source, const schema_settings *s, const dusk_parsed *parsed,
                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_query_options options;
    DUSK_TRY(fill_options(&options, s, "advise", err));
    DUSK_TRY(ask_advise(source, parsed->operands[0], parsed->operands[2], &options, err));
done:
    return status;
}

static dusk_status change(dusk_source *source, const schema_settings *s, const dusk_parsed *parsed,
                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const char *word = parsed->operands[1];
    if (!strcmp(word, "propose")) {
        DUSK_TRY(needs(parsed, 3, "dusk schema FILE propose visits.age --epsilon 0.1", err));
        return propose(source, s, parsed, err);
    }
    if (!strcmp(word, "advise")) {
        DUSK_TRY(needs(parsed, 3, "dusk schema FILE advise visits --epsilon 0.1", err));
        return advise(source, s, parsed, err);
    }
    if (!isnan(s->epsilon) || s->rows || s->analyst)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave them away",
                         "--epsilon, --rows and --analyst go with propose and advise");
    if (!strcmp(word, "set")) return set(source, parsed, err);
    if (!strcmp(word, "link")) {
        DUSK_TRY(needs(parsed, 4, "dusk schema FILE link orders.customer_id customer", err));
        return dusk_source_declare(source, parsed->operands[2], "link", parsed->operands[3], err);
    }
    if (!strcmp(word, "unset")) {
        DUSK_TRY(needs(parsed, 4, "dusk schema FILE unset visits.age bounds", err));
        return dusk_source_declare(source, parsed->operands[2], parsed->operands[3], NULL, err);
    }
    if (!strcmp(word, "refresh")) {
        DUSK_TRY(needs(parsed, 2, "dusk schema FILE refresh", err));
        return refresh(source, err);
    }
    return dusk_fail(err, DUSK_ERR_ARGUMENT, EXAMPLE,
                     "%.40s is none of set, unset, link, propose, advise and refresh", word);
done:
    return status;
}

static dusk_status run(const void *settings, const dusk_parsed *parsed, dusk_error *err)
{
    const schema_settings *s = settings;
    dusk_status status = DUSK_OK;
    dusk_source *source = NULL;
    DUSK_TRY(ask_open(&source, parsed, "dusk schema clinic.dusk", err));
    if (parsed->operand_count > 1) {
        DUSK_TRY(change(source, s, parsed, err));
    } else if (s->json) {
        print_json(dusk_source_schema(source));
    } else {
        print_schema(dusk_source_schema(source));
    }
done:
    dusk_source_close(source);
    return status;
}

const dusk_command dusk_schema_command = {
    .name = "dusk schema",
    .summary = "what is public about a source; declare bounds, keys and links",
    .synopsis = "FILE.dusk [--json]\nFILE.dusk set TABLE[.COLUMN] PROPERTY[=VALUE]...\n"
                "FILE.dusk unset TABLE[.COLUMN] PROPERTY\nFILE.dusk link TABLE.COLUMN TABLE[.COLUMN]\n"
                "FILE.dusk propose TABLE.COLUMN --epsilon E\n"
                "FILE.dusk advise TABLE[.COLUMN] --epsilon E\nFILE.dusk refresh",
    .options = schema_options,
    .sections = schema_sections,
    .examples = schema_examples,
    .settings_size = sizeof(schema_settings),
    .run = run,
};
