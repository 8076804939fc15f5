/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect: grids, places, and what is planned for them. */
#include "cli/collect_places.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"

/* Rounding of a quotient and of what survey and steps make of it again. */
#define BELOW (1 - 4e-15)

bool collect_is_places(const dusk_survey *survey) { return survey->task.mechanism == DUSK_PLANAR; }

/* Two numbers with `between` between them. */
static bool read_pair(const char *text, const char *between, double *a, double *b)
{
    const size_t first = strcspn(text, between);
    char head[64];
    if (text[first] == '\0' || first >= sizeof head) return false;
    memcpy(head, text, first);
    head[first] = '\0';
    const char *rest = text + first + strspn(text + first, between);
    return dusk_parse_number(head, a) && dusk_parse_number(rest, b);
}

static dusk_status read_grid(const char *text, uint32_t *columns, uint32_t *rows, dusk_error *err)
{
    double c, r;
    if (!text || !read_pair(text, "x", &c, &r) || !(c >= 2 && r >= 2 && c <= 4194304 && r <= 4194304) ||
        c != floor(c) || r != floor(r))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --grid 50x40",
                         "--grid is columns x rows, two of each at least");
    *columns = (uint32_t)c;
    *rows = (uint32_t)r;
    return DUSK_OK;
}

/* What goes with other surveys. */
static dusk_status refuse_others(const collect_job *job, dusk_error *err)
{
    static const char *const others[] = { "domain",    "texts",      "low",     "high",   "width",
                                          "rows",      "hashes",     "seed",    "length", "step",
                                          "permanent", "attributes", "order",   "for",    "liars",
                                          "targets",   "attack",     "defence", "rate",   "alphabet",
                                          "top",       "zipf" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (collect_given(job, others[i]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away", "--%s does not go with --grid",
                             others[i]);
    return DUSK_OK;
}

dusk_status collect_grid_options(const collect_job *job, dusk_survey_options *options, dusk_error *err)
{
    const collect_settings *s = job->settings;
    dusk_survey grid = { .task = { .mechanism = DUSK_PLANAR } };
    dusk_status status = DUSK_OK;
    options->mechanism = DUSK_PLANAR;
    DUSK_TRY(refuse_others(job, err));
    DUSK_TRY(read_grid(s->grid, &options->width, &options->rows, err));
    if (!(s->cell > 0 && isfinite(s->cell)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --cell 100", "--cell must be above 0");
    if (!collect_given(job, "within") || !(s->within > 0 && s->within / s->cell <= 1e6))
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "for example --within 500: --epsilon is for two places at most that far apart",
                         "places need --within, above 0 and at most 1e6 cells");
    if (s->corner && !read_pair(s->corner, ",", &options->left, &options->bottom))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --corner 0,0", "--corner is x,y");
    grid.cell = options->cell = s->cell;
    grid.within = options->within = s->within;
    options->epsilon = s->epsilon / dusk_survey_steps(&grid) * BELOW;
    if (options->epsilon < 0.01)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take larger cells, or a larger epsilon",
                         "%.6g has %u steps from cell to cell, and epsilon would be below 0.01 for each",
                         s->within, dusk_survey_steps(&grid));
done:
    return status;
}

bool collect_place(const dusk_survey *survey, const char *line, uint64_t *cell)
{
    double x = NAN, y = NAN;
    const bool fine = read_pair(line, ", \t;", &x, &y) && !isnan(x) && !isnan(y);
    *cell = fine ? dusk_place_cell(survey, x, y) : dusk_place_cell(survey, NAN, NAN);
    return fine;
}

double collect_within_epsilon(const dusk_survey *survey)
{
    return nextafter(survey->epsilon * dusk_survey_steps(survey), INFINITY);
}

/* ---- plan --------------------------------------------------------------------------------------------------- */

/* How far a report of somebody in the middle of the grid is from the truth: the root of the mean square. */
static dusk_status middle_distance(const dusk_survey *survey, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *squares = NULL;
    DUSK_NEW(squares, survey->task.domain);
    DUSK_TRY(dusk_survey_distances(survey, squares, err));
    *out = sqrt(squares[dusk_place_cell(survey, NAN, NAN)]);
done:
    dusk_deallocate(squares);
    return status;
}

static void print_json(const dusk_survey *survey, double distance)
{
    dusk_json json = { .file = stdout };
    const uint32_t bytes = dusk_report_size(&survey->task);
    dusk_json_open(&json, '{');
    dusk_json_string_field(&json, "mechanism", "planar");
    dusk_json_number_field(&json, "columns", survey->task.width);
    dusk_json_number_field(&json, "rows", survey->task.rows);
    dusk_json_number_field(&json, "cell", survey->cell);
    dusk_json_number_field(&json, "within", survey->within);
    dusk_json_number_field(&json, "steps", dusk_survey_steps(survey));
    dusk_json_number_field(&json, "epsilon_exact", collect_within_epsilon(survey));
    dusk_json_number_field(&json, "epsilon_step", survey->epsilon);
    dusk_json_number_field(&json, "distance", distance);
    dusk_json_number_field(&json, "bytes_per_report", bytes);
    dusk_json_number_field(&json, "bytes_per_record", collect_record_bytes(bytes));
    dusk_json_number_field(&json, "counters", survey->task.domain);
    dusk_json_close(&json, '}');
    putchar('\n');
}

static void print_table(const dusk_survey *survey, double distance)
{
    const uint32_t bytes = dusk_report_size(&survey->task);
    char epsilon[DUSK_DECIMAL_SIZE], step[DUSK_DECIMAL_SIZE];
    dusk_decimal_up(epsilon, collect_within_epsilon(survey), 6);
    dusk_decimal_up(step, survey->epsilon, 6);
    printf("%-11s %-10s %-10s %-10s %6s %-12s %8s %8s %10s\n", "randomiser", "epsilon", "within", "of a step",
           "steps", "+- distance", "bytes", "sent", "counters");
    printf("%-11s %-10s %-10.6g %-10s %6" PRIu32 " %-12.4g %8" PRIu32 " %8" PRIu32 " %10" PRIu32 "\n",
           "planar", epsilon, survey->within, step, dusk_survey_steps(survey), distance, bytes,
           collect_record_bytes(bytes), survey->task.domain);
}

dusk_status collect_plan_places(const collect_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_survey_options options;
    dusk_survey survey;
    double distance = NAN;
    if (job->settings->mechanism && strcmp(job->settings->mechanism, "planar") != 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --mechanism away, or say planar",
                         "%.30s is not for places", job->settings->mechanism);
    collect_survey_options(job, DUSK_PLANAR, &options);
    DUSK_TRY(collect_grid_options(job, &options, err));
    DUSK_TRY(dusk_survey_init(&survey, &options, err));
    DUSK_TRY(middle_distance(&survey, &distance, err));
    DUSK_TRY(collect_write_task(job, &survey, err));
    if (job->settings->c)
        collect_print_c(&survey);
    else if (job->settings->json)
        print_json(&survey, distance);
    else
        print_table(&survey, distance);
    if (!job->settings->json)
        dusk_output_note("promise",
                         "epsilon is for two places at most %.6g apart, and more for those further apart",
                         survey.within);
done:
    return status;
}
