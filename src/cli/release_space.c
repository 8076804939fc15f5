/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release k-norm, planar-laplace: vectors and places with noise of a norm. How many
 * numbers and how many places there are is public. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/release.h"

static int grid_of(const release_job *job)
{
    return release_given(job, "grid") ? (int)job->settings->grid : DUSK_GRID_DEFAULT;
}

/* ---- Vectors --------------------------------------------------------------------- */

static const char *const norms[] = { "l1", "l2", "linf" };

static dusk_status calibrate_vector(const release_job *job, dusk_knorm *out, uint32_t dimension,
                                    dusk_error *err)
{
    const release_settings *s = job->settings;
    return dusk_knorm_init(out, (dusk_norm)(s->norm + 1), dimension, s->sensitivity, s->epsilon, grid_of(job),
                           err);
}

typedef struct vector_promise {
    dusk_statement statement;
    double radius, half_width;
} vector_promise;

static dusk_status state_vector(const release_job *job, const dusk_knorm *knorm, vector_promise *out,
                                dusk_error *err)
{
    char fact[128], sensitivity[64];
    dusk_text text;
    dusk_event event;
    dusk_status status;
    dusk_text_init(&text, fact, sizeof fact);
    dusk_format_number(sensitivity, sizeof sensitivity, knorm->sensitivity);
    dusk_text_add(&text, "%s sensitivity %s", norms[knorm->norm - 1], sensitivity);
    if (knorm->dimension > 1) dusk_text_add(&text, " of %u public coordinates", knorm->dimension);
    DUSK_TRY(dusk_knorm_event(knorm, &event, err));
    DUSK_TRY(release_state(job, &out->statement, &event, 0, fact, err));
    DUSK_TRY(dusk_knorm_interval(knorm, &out->radius, &out->half_width, job->settings->confidence, err));
done:
    return status;
}

static void print_vector(release_job *job, const dusk_knorm *knorm, const vector_promise *promise,
                         const double *answers)
{
    dusk_json *json = &job->json;
    if (!release_json(job)) {
        for (size_t i = 0; answers && i < knorm->dimension; i++) {
            dusk_print_number(stdout, answers[i]);
            fputc('\n', stdout);
        }
        return;
    }
    dusk_json_key(json, "values");
    if (answers) {
        dusk_json_open(json, '[');
        for (size_t i = 0; i < knorm->dimension; i++) dusk_json_number(json, answers[i]);
        dusk_json_close(json, ']');
    } else {
        dusk_json_null(json);
    }
    dusk_json_number_field(json, "radius", promise->radius);
    dusk_json_number_field(json, "half_width", promise->half_width);
    dusk_json_number_field(&job->json, "confidence", job->settings->confidence);
}

/* Print answers (NULL: a dry run) and the receipt. */
static dusk_status report_vector(release_job *job, const dusk_knorm *knorm, const double *answers,
                                 dusk_error *err)
{
    char radius[64], width[64];
    vector_promise promise;
    release_receipt receipt = { .statement = &promise.statement };
    dusk_status status = state_vector(job, knorm, &promise, err);
    if (status != DUSK_OK) return status;
    print_vector(job, knorm, &promise, answers);
    dusk_format_width(radius, sizeof radius, promise.radius);
    dusk_format_width(width, sizeof width, promise.half_width);
    snprintf(
        receipt.interval, sizeof receipt.interval,
        "the %s norm of the error is at most %s with %g %% confidence, and every coordinate is within %s "
        "with %g %% confidence%s",
        norms[knorm->norm - 1], radius, 100 * job->settings->confidence, width,
        100 * job->settings->confidence, answers ? "" : ", if it is one number");
    snprintf(receipt.input, sizeof receipt.input, "what is not a number counts as 0");
    return release_end(job, &receipt, err);
}

dusk_status release_k_norm(release_job *job, dusk_error *err)
{
    dusk_status status;
    dusk_knorm knorm;
    vector_promise promise;
    double *values = NULL, *answers = NULL;
    size_t n = 0;
    /* Everything public is checked before the data is opened. */
    DUSK_TRY(calibrate_vector(job, &knorm, 1, err));
    DUSK_TRY(state_vector(job, &knorm, &promise, err));
    if (job->settings->dry_run) return report_vector(job, &knorm, NULL, err);
    DUSK_TRY(release_read(job, &values, &n, err));
    if (n == 0)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_PARSE, job->mechanism->example, "there is no number to release"));
    if (n > UINT32_MAX) n = UINT32_MAX; /* refused as every vector that is too long */
    DUSK_TRY(calibrate_vector(job, &knorm, (uint32_t)n, err));
    DUSK_NEW(answers, n);
    DUSK_TRY(dusk_knorm_release(&knorm, answers, values, job->gen, err));
    DUSK_TRY(report_vector(job, &knorm, answers, err));
done:
    dusk_numbers_free(values, n);
    dusk_deallocate(answers);
    return status;
}

/* ---- Places ---------------------------------------------------------------------- */

typedef struct places {
    dusk_planar_laplace planar;
    dusk_columns *columns; /* NULL: plain text */
    double *place, *answer;
    size_t n, room;
    dusk_statement statement;
    double radius;
} places;

/* --box LO:HI,LO:HI */
static dusk_status parse_box(const char *text, double low[2], double high[2], dusk_error *err)
{
    char half[2][80];
    double ends[2];
    const char *comma = strchr(text, ',');
    size_t first = comma ? (size_t)(comma - text) : 0;
    bool right = comma && first < sizeof half[0] && strlen(comma + 1) < sizeof half[1];
    if (right) {
        memcpy(half[0], text, first);
        half[0][first] = '\0';
        memcpy(half[1], comma + 1, strlen(comma + 1) + 1);
    }
    for (int i = 0; i < 2 && right; i++) {
        right = dusk_parse_list(half[i], ':', ends, 2) == 2;
        if (!right) break;
        low[i] = ends[0];
        high[i] = ends[1];
    }
    if (right) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --box 40.5:40.9,-74.3:-73.7",
                     "--box must have the form LO:HI,LO:HI, one range for each coordinate");
}

/* The epsilon per unit of distance with which --epsilon holds at --distance for all
 * places of a unit together, rounded to the safe side. */
static dusk_status find_rate(const release_job *job, double *rate, dusk_error *err)
{
    const release_settings *s = job->settings;
    dusk_status status = DUSK_OK;
    if (!(s->epsilon > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common choices lie between 0.1 and 10",
                         "epsilon must be above 0");
    if (!(s->distance > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "say how far apart places are that must not be told apart",
                         "distance must be above 0");
    *rate = s->epsilon / s->distance / (double)s->rows_per_unit;
    for (int i = 0; i < 64; i++) {
        dusk_event event;
        double epsilon;
        DUSK_TRY(dusk_event_metric(&event, *rate, s->distance, err));
        DUSK_TRY(dusk_event_repeat(&event, &event, (uint64_t)s->rows_per_unit, err));
        DUSK_TRY(dusk_event_epsilon_up(&event, &epsilon, 0, err));
        if (epsilon <= s->epsilon) return DUSK_OK;
        *rate = nextafter(*rate, 0);
    }
    return dusk_fail(err, DUSK_ERR_INTERNAL, "", "no noise was found that keeps epsilon %.17g", s->epsilon);
done:
    return status;
}

static dusk_status calibrate_places(const release_job *job, dusk_planar_laplace *out, dusk_error *err)
{
    const release_settings *s = job->settings;
    dusk_status status;
    double rate = 0, low[2] = { 0, 0 }, high[2] = { 0, 0 };
    if (s->lat_lon && !s->box)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --box 40.5:40.9,-74.3:-73.7",
                         "--lat-lon needs a --box of latitudes and longitudes");
    if (s->box) DUSK_TRY(parse_box(s->box, low, high, err));
    DUSK_TRY(find_rate(job, &rate, err));
    if (s->lat_lon)
        return dusk_planar_laplace_degrees_init(out, rate, s->distance, low, high, grid_of(job), err);
    DUSK_TRY(dusk_planar_laplace_init(out, rate, s->distance, grid_of(job), err));
    if (s->box) DUSK_TRY(dusk_planar_laplace_bound(out, low, high, err));
done:
    return status;
}

/* What follows from the public parameters alone. */
static dusk_status state_places(const release_job *job, places *p, dusk_error *err)
{
    const release_settings *s = job->settings;
    char fact[200], distance[64];
    dusk_text text;
    dusk_event event;
    dusk_status status;
    dusk_text_init(&text, fact, sizeof fact);
    dusk_format_number(distance, sizeof distance, s->distance);
    dusk_text_add(&text, "a place is exchanged for one at most %s%s away", distance,
                  s->lat_lon ? " m (WGS 84)" : "");
    if (s->rows_per_unit > 1)
        dusk_text_add(&text, "; at most %lld places of each %.60s", (long long)s->rows_per_unit, job->unit);
    DUSK_TRY(dusk_planar_laplace_event(&p->planar, (uint64_t)s->rows_per_unit, &event, err));
    DUSK_TRY(release_state(job, &p->statement, &event, 0, fact, err));
    DUSK_TRY(dusk_planar_laplace_interval(&p->planar, &p->radius, s->confidence, err));
done:
    return status;
}

static dusk_status read_columns(const release_job *job, places *p, dusk_error *err)
{
    dusk_status status, closed;
    dusk_input input;
    DUSK_TRY(dusk_input_open(&input, job->path, NULL, DUSK_INPUT_RECORDS, err));
    input.epsilon = job->settings->epsilon;
    status = dusk_columns_header(p->columns, &input, err);
    while (status == DUSK_OK && dusk_columns_next(p->columns, &input)) {
        DUSK_GROW(p->place, p->room, 2 * p->n);
        for (size_t i = 0; i < 2; i++) p->place[2 * p->n + i] = dusk_columns_number(p->columns, i);
        p->n++;
    }
done:
    closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    return status != DUSK_OK ? status : closed;
}

static dusk_status read_places(const release_job *job, places *p, dusk_error *err)
{
    if (p->columns) return read_columns(job, p, err);
    size_t n = 0;
    dusk_status status = release_read(job, &p->place, &n, err);
    if (status != DUSK_OK) return status;
    p->n = n / 2;
    p->room = n;
    if (n % 2 == 0) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_PARSE, job->mechanism->example, "a place has two numbers");
}

static void print_places(release_job *job, const places *p)
{
    dusk_json *json = &job->json;
    bool as_json = release_json(job);
    if (as_json) {
        dusk_json_key(json, "places");
        if (p->answer) dusk_json_open(json, '[');
    }
    for (size_t k = 0; p->answer && k < p->n; k++) {
        if (as_json) dusk_json_open(json, '[');
        for (size_t i = 0; i < 2; i++) {
            if (as_json) {
                dusk_json_number(json, p->answer[2 * k + i]);
                continue;
            }
            dusk_print_number(stdout, p->answer[2 * k + i]);
            fputc(i ? '\n' : '\t', stdout);
        }
        if (as_json) dusk_json_close(json, ']');
    }
    if (!as_json) return;
    if (p->answer)
        dusk_json_close(json, ']');
    else
        dusk_json_null(json);
    dusk_json_number_field(json, "radius", p->radius);
    dusk_json_number_field(&job->json, "confidence", job->settings->confidence);
}

static dusk_status report_places(release_job *job, const places *p, dusk_error *err)
{
    char radius[64];
    const release_settings *s = job->settings;
    release_receipt receipt = { .statement = &p->statement };
    print_places(job, p);
    dusk_format_width(radius, sizeof radius, p->radius);
    snprintf(receipt.interval, sizeof receipt.interval,
             "each answer is within %s%s of its place%s with %g %% confidence", radius,
             s->lat_lon ? " m" : "", s->lat_lon || s->box ? ", where that is in the box," : "",
             100 * s->confidence);
    snprintf(receipt.input, sizeof receipt.input, "what is not a number counts as 0%s",
             s->lat_lon ? ", a place outside the box as one in it"
             : s->box   ? ", a place outside the box as the nearest point of it"
                        : "");
    return release_end(job, &receipt, err);
}

static dusk_status check_columns(const release_job *job, places *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t length = job->path ? strlen(job->path) : 0;
    if (!job->settings->columns && length > 4 && !strcmp(job->path + length - 4, ".csv"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "say which columns to read, for example --columns lat,lon",
                         "%.150s is a table", job->path);
    if (!job->settings->columns) return DUSK_OK;
    DUSK_NEW(p->columns, 1);
    DUSK_TRY(dusk_columns_parse(p->columns, job->settings->columns, err));
    if (p->columns->count != 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --columns lat,lon",
                         "a place has two coordinates: --columns needs two names");
done:
    return status;
}

dusk_status release_planar_laplace(release_job *job, dusk_error *err)
{
    dusk_status status;
    places p = { 0 };
    DUSK_TRY(calibrate_places(job, &p.planar, err));
    DUSK_TRY(check_columns(job, &p, err));
    DUSK_TRY(state_places(job, &p, err));
    if (!job->settings->dry_run) {
        DUSK_TRY(read_places(job, &p, err));
        DUSK_NEW(p.answer, 2 * p.n);
        DUSK_TRY(dusk_planar_laplace_release(&p.planar, p.answer, p.place, p.n, job->gen, err));
    }
    DUSK_TRY(report_places(job, &p, err));
done:
    dusk_numbers_free(p.place, p.room);
    dusk_deallocate(p.answer);
    if (p.columns) dusk_wipe(p.columns->field, sizeof p.columns->field);
    dusk_deallocate(p.columns);
    return status;
}
