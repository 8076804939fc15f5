/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release sample-and-aggregate: a function that nothing is known of, computed on
 * blocks of rows. Where it fails on a block the block counts as the middle of the bounds,
 * and nobody hears of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/block_command.h"
#include "cli/columns.h"
#include "cli/release.h"

typedef struct block_job {
    double *rows;
    size_t n, room;
    uint64_t *units; /* whose each row is; NULL: each stands for itself */
    size_t units_room;
    double *scratch; /* room for all rows */
    const char *command;
    dusk_lines lines; /* what it reads */
} block_job;

/* --- functions of a block; NaN without rows ------------------------------------------------ */

/* The numbers among the rows of a block, in scratch. */
static size_t numbers_of(const block_job *job, const size_t *index, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(job->rows[index[i]])) job->scratch[kept++] = job->rows[index[i]];
    return kept;
}

static double mean_of(const double *x, size_t n)
{
    double mean = 0; /* running, so that no sum overflows */
    for (size_t i = 0; i < n; i++) mean += (x[i] - mean) / (double)(i + 1);
    return n ? mean : NAN;
}

static double variance_of(const double *x, size_t n)
{
    double mean = mean_of(x, n), sum = 0;
    for (size_t i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return n ? sum / (double)n : NAN;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double block_mean(const size_t *index, size_t n, void *context)
{
    block_job *job = context;
    return mean_of(job->scratch, numbers_of(job, index, n));
}

static double block_variance(const size_t *index, size_t n, void *context)
{
    block_job *job = context;
    return variance_of(job->scratch, numbers_of(job, index, n));
}

static double block_deviation(const size_t *index, size_t n, void *context)
{
    return sqrt(block_variance(index, n, context));
}

static double block_median(const size_t *index, size_t n, void *context)
{
    block_job *job = context;
    size_t kept = numbers_of(job, index, n);
    if (kept) qsort(job->scratch, kept, sizeof *job->scratch, by_size);
    return kept ? job->scratch[kept / 2] / 2 + job->scratch[(kept - 1) / 2] / 2 : NAN;
}

static double block_command(const size_t *index, size_t n, void *context)
{
    block_job *job = context;
    return dusk_block_command(job->command, &job->lines, index, n, NULL);
}

/* Before any data is opened: on no rows at all it may fail, but it must be there. */
static dusk_status check_command(const char *command, dusk_error *err)
{
    int code;
    (void)dusk_block_command(command, NULL, NULL, 0, &code);
    if (code != 126 && code != 127 && code != -1) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "it is run by sh -c and reads rows from its standard input",
                     "the command of --exec cannot be run: %.100s", command);
}

static dusk_status choose_function(const release_job *job, block_job *block, dusk_block_function **function,
                                   dusk_error *err)
{
    static dusk_block_function *const functions[] = { block_mean, block_median, block_variance,
                                                      block_deviation };
    const release_settings *s = job->settings;
    block->command = s->exec;
    if ((s->exec != NULL) == release_given(job, "function"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->mechanism->example, "sample-and-aggregate needs %s",
                         s->exec ? "--function or --exec, not both" : "--function or --exec");
    if (s->exec && s->column)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --column away",
                         "the command of --exec gets whole rows");
    if (s->unit_column && !s->column)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --column as well, and no --exec",
                         "--unit-column goes with the --column of a table");
    if (s->unit_column && release_given(job, "rows-per-unit"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --rows-per-unit away",
                         "with --unit-column a unit may have any number of rows");
    *function = s->exec ? block_command : functions[s->function];
    return s->exec && !s->dry_run ? check_command(s->exec, err) : DUSK_OK;
}

/* --- the data ---------------------------------------------------------------------------------- */

/* A number for a name (FNV-1a). Names that get the same one share a block: that changes
 * which blocks there are, and no promise. */
static uint64_t number_of_name(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
    return hash;
}

static dusk_status read_units(const release_job *job, block_job *block, dusk_error *err)
{
    const char *const names[] = { job->settings->column, job->settings->unit_column };
    dusk_status status = DUSK_OK, closed;
    dusk_input input = { .file = NULL };
    dusk_columns *columns = NULL;

    DUSK_NEW(columns, 1);
    for (columns->count = 0; columns->count < 2; columns->count++) {
        const char *name = names[columns->count];
        if (strlen(name) >= DUSK_FIELD_MAX)
            DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "rename it", "the name of a column is too long"));
        memcpy(columns->name[columns->count], name, strlen(name) + 1);
    }
    DUSK_TRY(dusk_input_open(&input, job->path, NULL, DUSK_INPUT_RECORDS, err));
    input.epsilon = job->settings->epsilon;
    DUSK_TRY(dusk_columns_header(columns, &input, err));
    while (dusk_columns_next(columns, &input)) {
        DUSK_GROW(block->rows, block->room, block->n);
        DUSK_GROW(block->units, block->units_room, block->n);
        block->rows[block->n] = dusk_columns_number(columns, 0);
        block->units[block->n++] = number_of_name(columns->field[1]);
    }
done:
    if (columns) dusk_wipe(columns->field, sizeof columns->field);
    dusk_deallocate(columns);
    closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    return status != DUSK_OK ? status : closed;
}

static dusk_status read_data(const release_job *job, block_job *block, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (block->command) {
        DUSK_TRY(dusk_lines_read(&block->lines, job->path, err));
        block->n = block->lines.n;
        return DUSK_OK;
    }
    if (job->settings->unit_column) {
        DUSK_TRY(read_units(job, block, err));
    } else {
        DUSK_TRY(release_read(job, &block->rows, &block->n, err));
        block->room = block->n;
    }
    DUSK_NEW(block->scratch, block->n);
done:
    return status;
}

/* --- results -------------------------------------------------------------------------------- */

static void print_answer(release_job *job, const dusk_answer *answer, bool narrow)
{
    if (!release_value(job, answer->value)) return;
    if (narrow && !job->settings->dry_run) release_json_interval(job, answer->low, answer->high);
    dusk_json_number_field(&job->json, "confidence", answer->confidence);
}

static void describe(const release_job *job, const dusk_answer *answer, bool narrow, release_receipt *receipt)
{
    char range[200];
    dusk_text text;
    dusk_text_init(&text, receipt->interval, sizeof receipt->interval);
    if (narrow && !job->settings->dry_run) {
        receipt->label = "interval";
        dusk_format_interval(range, sizeof range, answer->low, answer->high);
        dusk_text_add(&text, "the mean of the blocks' values is between %s with %g %% confidence", range,
                      100 * answer->confidence);
    } else {
        dusk_text_add(&text,
                      "the answer is about the values of %llu blocks, which differ from that of all rows",
                      (unsigned long long)job->settings->blocks);
    }
}

dusk_status release_sample_and_aggregate(release_job *job, dusk_error *err)
{
    static const dusk_blocks_aggregate aggregates[] = { DUSK_BLOCKS_MEAN, DUSK_BLOCKS_MEDIAN,
                                                        DUSK_BLOCKS_SMOOTH_MEDIAN };
    dusk_status status;
    dusk_aggregate how;
    dusk_answer answer;
    dusk_block_function *function;
    release_receipt receipt = { .statement = &answer.statement,
                                .label = "accuracy",
                                .input =
                                    "the values of blocks are clamped into the bounds; a block without one "
                                    "counts as their middle" };
    block_job block = { 0 };
    dusk_blocks_aggregate aggregate = aggregates[job->settings->aggregate];
    uint32_t blocks = (uint32_t)job->settings->blocks;
    const uint64_t nobody = 0;
    /* names of units or none: the same for no rows at all */
    const uint64_t *units = job->settings->unit_column ? &nobody : NULL;
    DUSK_TRY(release_aggregate(job, &how, err));
    DUSK_TRY(dusk_sample_and_aggregate_release(&answer, &how, aggregate, blocks, 0, units, block_mean, &block,
                                               job->gen, err));
    DUSK_TRY(choose_function(job, &block, &function, err));
    if (!job->settings->dry_run) {
        DUSK_TRY(read_data(job, &block, err));
        if (block.units) units = block.units;
        DUSK_TRY(dusk_sample_and_aggregate_release(&answer, &how, aggregate, blocks, block.n, units, function,
                                                   &block, job->gen, err));
    }
    if (block.command)
        DUSK_TRY(dusk_statement_assume(&answer.statement, "the command depends on its block only", err));
    print_answer(job, &answer, aggregate == DUSK_BLOCKS_MEAN);
    describe(job, &answer, aggregate == DUSK_BLOCKS_MEAN, &receipt);
    DUSK_TRY(release_end(job, &receipt, err));
done:
    if (block.scratch) dusk_wipe(block.scratch, block.n * sizeof *block.scratch);
    if (block.units) dusk_wipe(block.units, block.units_room * sizeof *block.units);
    dusk_deallocate(block.scratch);
    dusk_deallocate(block.units);
    if (block.rows) dusk_numbers_free(block.rows, block.room);
    dusk_lines_free(&block.lines);
    return status;
}
