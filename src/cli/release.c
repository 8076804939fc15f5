/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release: what all mechanisms have in common; see release.h. There is no
 * ledger behind it, and the receipt says so. There is no seed either. */
#include "cli/release.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cli/help.h"
#include "cli/operands.h"

/* Options that mean something for every mechanism. */
static const char everywhere[] = "json dry-run unit neighbours";

bool release_given(const release_job *job, const char *option)
{
    return dusk_options_given(&dusk_release_command, job->parsed, option);
}

/* ---- Before anything runs ------------------------------------------------------ */

static dusk_status check_data(release_job *job, dusk_error *err)
{
    const dusk_parsed *parsed = job->parsed;
    const char *file = parsed->operand_count > 1 ? parsed->operands[1] : NULL;
    const char *scores = job->settings->scores;
    if (parsed->operand_count > 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give one file, or the data on standard input",
                         "there are words too many: %.100s", parsed->operands[2]);
    if (file && (scores || release_given(job, "value")))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->mechanism->example,
                         "the data is given twice: %.60s and --%s", file, scores ? "scores" : "value");
    if (job->settings->column && release_given(job, "value"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->mechanism->example,
                         "the data is given twice: --column and --value");
    job->path = scores ? scores : file;
    return DUSK_OK;
}

/* The program's default is add-remove; answers of people who are there in any
 * case are compared with other answers. Keys and responses leave no choice. */
static dusk_status choose_relation(release_job *job, dusk_error *err)
{
    bool response = !strcmp(job->mechanism->name, "randomized-response");
    bool place = !strcmp(job->mechanism->name, "planar-laplace");
    bool keys = !strcmp(job->mechanism->name, "keys") || !strcmp(job->mechanism->name, "top-keys");
    dusk_neighbours wanted = job->settings->neighbours == 1 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    job->neighbours = response || place ? DUSK_REPLACE_ONE : wanted;
    job->unit = job->settings->unit;
    if (!job->unit) job->unit = response ? "person" : keys || job->settings->unit_column ? "unit" : "row";
    if (place && !job->settings->unit) job->unit = job->settings->rows_per_unit > 1 ? "person" : "location";
    if (release_given(job, "neighbours") && wanted != job->neighbours)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->mechanism->example,
                         "%s promises for replace-one neighbours only", job->mechanism->name);
    if (keys && wanted == DUSK_REPLACE_ONE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->mechanism->example,
                         "%s promises for add-remove neighbours only", job->mechanism->name);
    return DUSK_OK;
}

/* ---- Data ---------------------------------------------------------------------- */

dusk_status release_open(const release_job *job, dusk_input *input, dusk_input_kind kind, dusk_error *err)
{
    dusk_status status = dusk_input_open(input, job->path, job->settings->column, kind, err);
    input->epsilon = job->settings->epsilon;
    return status;
}

dusk_status release_read(const release_job *job, double **values, size_t *n, dusk_error *err)
{
    dusk_input input;
    dusk_status status = release_open(job, &input, DUSK_INPUT_NUMBERS, err), closed;
    if (status != DUSK_OK) return status;
    status = dusk_input_numbers(&input, values, n, err);
    closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    if (status == DUSK_OK && closed != DUSK_OK) dusk_numbers_free(*values, *n);
    return status != DUSK_OK ? status : closed;
}

/* ---- Results ------------------------------------------------------------------- */

dusk_status release_state(const release_job *job, dusk_statement *out, const dusk_event *event, double delta,
                          const char *fact, dusk_error *err)
{
    dusk_status status = dusk_statement_init(out, event, delta, job->neighbours, job->unit, err);
    if (status == DUSK_OK && fact[0]) status = dusk_statement_assume(out, fact, err);
    return status;
}

bool release_json(release_job *job)
{
    if (!job->settings->json) return false;
    job->json = (dusk_json){ .file = stdout };
    dusk_json_open(&job->json, '{');
    dusk_json_string_field(&job->json, "mechanism", job->mechanism->name);
    if (job->settings->dry_run) {
        dusk_json_bool_field(&job->json, "dry_run", true);
    }
    return true;
}

void release_json_interval(release_job *job, double low, double high)
{
    dusk_json_key(&job->json, "interval");
    dusk_json_open(&job->json, '[');
    dusk_json_number(&job->json, low);
    dusk_json_number(&job->json, high);
    dusk_json_close(&job->json, ']');
}

bool release_value(release_job *job, double value)
{
    bool dry = job->settings->dry_run, json = release_json(job);
    if (json) dusk_json_number_field(&job->json, "value", dry ? NAN : value);
    if (json || dry) return json;
    dusk_print_number(stdout, value);
    fputc('\n', stdout);
    return false;
}

static dusk_status end_json(release_job *job, const dusk_statement *statement, dusk_error *err)
{
    char text[16384];
    dusk_json *json = &job->json;
    dusk_json_key(json, "statement");
    if (statement) {
        dusk_status status = dusk_statement_json(statement, text, sizeof text, err);
        if (status != DUSK_OK) return status;
        dusk_json_raw(json, text);
    } else {
        dusk_json_null(json);
    }
    dusk_json_key(json, "ledger");
    dusk_json_null(json);
    dusk_json_close(json, '}');
    fputc('\n', stdout);
    return DUSK_OK;
}

dusk_status release_end(release_job *job, const release_receipt *receipt, dusk_error *err)
{
    char text[16384] = "none needed: answers that are public already cost nothing";
    dusk_status status = DUSK_OK;
    if (receipt->statement) DUSK_TRY(dusk_statement_format(receipt->statement, text, sizeof text, err));
    if (job->settings->json) DUSK_TRY(end_json(job, receipt->statement, err));
    DUSK_TRY(dusk_output_flush(err));
    if (job->settings->dry_run) dusk_output_note("dry run", "no data was read and nothing was released");
    if (receipt->interval[0])
        dusk_output_note(receipt->label ? receipt->label : "interval", "%s", receipt->interval);
    dusk_output_note("promise", "%s", text);
    if (receipt->input[0]) dusk_output_note("input", "%s", receipt->input);
    if (receipt->statement) dusk_output_note("no ledger", "nothing was charged, keep count yourself");
done:
    return status;
}

dusk_status release_end_after(release_job *job, const release_receipt *receipt, dusk_status answered,
                              dusk_error *err)
{
    dusk_status status = release_end(job, receipt, answered == DUSK_OK ? err : NULL);
    return answered == DUSK_OK ? status : answered;
}

/* ---- The command --------------------------------------------------------------- */

static dusk_status run(const void *settings, const dusk_parsed *parsed, dusk_error *err)
{
    release_job job = { .settings = settings, .parsed = parsed };
    dusk_status status;
    if (job.settings->list) {
        dusk_help_list(stdout, &dusk_release_command);
        return DUSK_OK;
    }
    DUSK_TRY(dusk_operand_find(&job.mechanism, &dusk_release_command, parsed, "dusk release --list", err));
    /* An option that would be ignored is a misunderstanding about privacy. */
    DUSK_TRY(dusk_operand_check(job.mechanism, &dusk_release_command, parsed, everywhere, err));
    DUSK_TRY(check_data(&job, err));
    DUSK_TRY(choose_relation(&job, err));
    release_function *function = release_find(job.mechanism->name);
    if (!function) DUSK_TRY(dusk_fail(err, DUSK_ERR_INTERNAL, "", "%s is listed only", job.mechanism->name));
    DUSK_TRY(dusk_generator_new(&job.gen, err));
    DUSK_TRY(function(&job, err));
done:
    dusk_generator_free(job.gen);
    return status;
}

static const dusk_section sections[] = {
    { "Description",
      "Releases one number, choice or summary of private data through one mechanism. The answer goes to "
      "standard output; the receipt goes to standard error: the interval that holds the exact answer, "
      "what was promised to whom, and that no ledger was charged. Two releases cost the sum of what they "
      "cost alone: keep count.\n"
      "Noise is drawn exactly and lies on a grid of powers of two that is fixed before the data is seen. "
      "Coins come from the operating system. There is no seed." },
    { "Input",
      "Data comes from --value, from FILE, or from standard input. Plain text is numbers with spaces, "
      "commas or line ends between them. With --column, or when FILE ends in .csv, it is comma-separated "
      "values with a header; blank lines are skipped, but are rows of a table that has one column. A "
      "table must be well-formed: a quotation mark that is never closed takes the rest of the file into one "
      "row. For "
      "laplace, gaussian, k-norm and the discrete twins several numbers are one "
      "vector, --sensitivity is that of the whole vector, and how many numbers there are is public. "
      "planar-laplace reads two numbers a place, or two --columns; how many places there are is public.\n"
      "Selections read lines of a name and a score with a tab, comma or space between them, or only "
      "scores; then the answer is the place in the list, from 1. keys and top-keys read lines of a key and "
      "the "
      "number of distinct units that have it. randomized-response reads one answer 0, 1, ... per person, "
      "with "
      "--estimate the counts of each answer. sparse-vector reads one query answer a line and replies to "
      "each as it comes. threshold-monitor reads records from FILE and one condition a line from standard "
      "input: column op value for a table (= != < <= > >=, several with 'and' between them), words that a "
      "line must have for other text. count-stream and sum-stream read one number a line, a step, and a "
      "blank line is a "
      "step in which nothing happened; each is answered as it comes.\n"
      "What a private field holds never causes an error: what is not a number is treated by the "
      "mechanism's rule (0 for a released number, the bound nearest 0 in sums, no bin, the lowest score), "
      "and the receipt says so without saying how often." },
    { "Schema",
      "marginals, mwem and synthetic-table read comma-separated values by a schema, a text file with one "
      "line "
      "a column: NAME numeric LO:HI bins N, NAME whole LO:HI, or NAME category A,B,...; a line may end in "
      "else WORD. # begins a comment, and names with blanks or commas stand in double quotes. Numbers "
      "outside the "
      "range count as its nearest end; what is no number, or no declared word, counts as the word after "
      "else, otherwise as the number nearest 0 or the last word. Columns that are not named are not "
      "read. Cells are printed as NAME=VALUE, a tab between them and the count." },
    { "Output",
      "One answer is one number or name on a line. Vectors are a line a coordinate, places a line each; "
      "histogram gives lines "
      "of low, high and count; several quantiles lines of q and value; keys a line a key in the order of "
      "its bytes, with a noisy count where the method has one; sparse-vector above or below for each "
      "query; propose-test-release a number or refused; streams a sum for each step; a tab is between "
      "fields. Numbers have the fewest digits that read "
      "back as the same double. "
      "With --json the output is one object that also holds interval and statement." },
    { "Privacy",
      "The promise compares neighbouring data: with add-remove (the default) one unit's rows are there or "
      "are not; with replace-one they are exchanged for others. The unit is a row unless --unit names "
      "another, and then --rows-per-unit (or the sensitivity) must say how much one unit may contribute: "
      "the program cannot check that. --sensitivity, --bounds and --box must not be looked up in the "
      "data." },
    { NULL, NULL },
};

static const dusk_example examples[] = {
    { "The mean age in a table, and how sure it is",
      "dusk release mean --epsilon 1 --bounds 0:100 --column age people.csv" },
    { "A number whose value one person changes by at most 1",
      "dusk release laplace --epsilon 0.5 --sensitivity 1 --value 1234" },
    { "The same for machines", "dusk release count --epsilon 1 --value 1234 --json" },
    { "What would it cost, without reading anything",
      "dusk release gaussian --epsilon 1 --delta 1e-6 --sensitivity 1 --dry-run" },
    { "A vector of three sums, one person moves it by at most 2 in the l2 norm",
      "printf '10 20 30' | dusk release gaussian --epsilon 1 --delta 1e-6 --sensitivity 2" },
    { "The most popular of a few candidates", "printf 'tea 40\\ncoffee 52\\nwater 11\\n' | dusk release "
                                              "permute-and-flip --epsilon 1 --sensitivity 1" },
    { "Quartiles of a column",
      "dusk release quantiles --epsilon 1 --bounds 0:100 --q 0.25,0.5,0.75 --column age people.csv" },
    { "A histogram over ten public bins",
      "dusk release histogram --epsilon 1 --bins 0:100:10 --column age people.csv" },
    { NULL, NULL },
};

const dusk_command dusk_release_command = {
    .name = "dusk release",
    .summary = "release one number, choice or summary of private data through one mechanism",
    .synopsis = "MECHANISM --epsilon E [options] [FILE]\n--list",
    .operand = "Mechanisms",
    .noun = "a mechanism",
    .operands = dusk_release_mechanisms,
    .options = dusk_release_options,
    .sections = sections,
    .examples = examples,
    .settings_size = sizeof(release_settings),
    .run = run,
};
