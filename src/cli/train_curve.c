/* SPDX-License-Identifier: Apache-2.0 */
/* How a training goes; see train_curve.h. */
#include "cli/train_curve.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/text.h"

#define FEW_STEPS 20      /* fewer take long to price */
#define PRICING_MOST 3.0  /* seconds for the points of a curve */
#define PRICING_PART 0.02 /* of the time so far, for the line */
#define LINE_PRICES 16    /* at most */
#define USUAL_COLUMNS 80  /* of a terminal */
#define LINE_SIZE 240

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What a line says. */
typedef struct train_line {
    uint64_t step, steps;
    double left, rate;               /* seconds, and steps a second */
    double spent, promised;          /* epsilon of steps so far, and of all; 0: not known, or none */
    const dusk_train_point *checked; /* the last, or NULL */
} train_line;

/* ---- The line ------------------------------------------------------------------------------------------- */

/* What steps so far cost at most, priced a sixteenth of all steps ahead so that it seldom has to be. */
static void price_line(train_curve *c, uint64_t step, double elapsed)
{
    const dusk_statement *promise = dusk_training_statement(c->training);
    if (dusk_statement_is_none(promise) || step <= c->shown_until) return;
    const uint64_t part = c->steps / LINE_PRICES + 1;
    uint64_t until = (step + part - 1) / part * part;
    double epsilon = promise->epsilon;
    if (until < FEW_STEPS) until = FEW_STEPS;
    if (until > c->steps) until = c->steps;
    if (until < c->steps) {
        if (c->pricing > PRICING_PART * elapsed) return;
        const double from = now();
        if (dusk_training_spent(c->training, until, &epsilon, NULL) != DUSK_OK) return;
        c->pricing += now() - from;
    }
    c->shown_until = until;
    c->shown_spent = epsilon;
}

/* A piece of the line, where there is room for it and for the cursor. */
static bool add_piece(dusk_text *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool add_piece(dusk_text *line, const char *format, ...)
{
    char piece[120];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof piece || line->length + (size_t)length >= line->capacity)
        return false;
    dusk_text_add(line, "%s", piece);
    return true;
}

/* What public rows say: in a few words at least. */
static void add_public(dusk_text *line, const dusk_train_point *p)
{
    const bool numbers = !isnan(p->rmse);
    const char *what = numbers ? "rmse" : "loss";
    const double x = numbers ? p->rmse : p->loss;
    if (!isnan(p->accuracy) && add_piece(line, ", public %s %.3g, right %.1f %%", what, x, 100 * p->accuracy))
        return;
    if (!add_piece(line, ", public %s %.3g", what, x)) add_piece(line, ", %s %.3g", what, x);
}

static void add_rate(dusk_text *line, double rate)
{
    add_piece(line, rate < 10 ? ", %.2g/s" : ", %.0f/s", rate);
}

/* What matters most comes first, and on 80 columns there is room for all of it: a price outranks a loss. Steps so far would have cost their epsilon had it been planned that
 * they are all, and what was charged is for all steps. */
static void write_line(char *text, size_t columns, const train_line *l)
{
    dusk_text line;
    dusk_text_init(&line, text, columns);
    add_piece(&line, "%llu/%llu", (unsigned long long)l->step, (unsigned long long)l->steps);
    if (columns >= USUAL_COLUMNS) add_rate(&line, l->rate);
    add_piece(&line, ", %.0f s left", l->left);
    const bool priced =
        l->spent > 0 &&
        add_piece(&line, ", epsilon %s if planned to stop here",
                  DUSK_MUTATE(TRAIN_LINE_SHOWN_DOWN, dusk_shown_up(l->spent, 3), dusk_shown_down(l->spent, 3))
                      .text);
    const dusk_shown all = dusk_shown_up(l->promised, 4);
    if (!priced && l->promised > 0) add_piece(&line, ", costs epsilon %s", all.text);
    if (l->checked) add_public(&line, l->checked);
    if (priced) add_piece(&line, ", epsilon %s in all", all.text);
    if (columns < USUAL_COLUMNS) add_rate(&line, l->rate);
}

/* How many there are may follow from a count of the rows. */
static void find_steps(train_curve *c)
{
    if (c->steps == 0 && c->training) c->steps = dusk_training_steps(c->training);
}

void train_curve_progress(void *context, double part)
{
    train_curve *c = context;
    char text[LINE_SIZE];
    find_steps(c);
    if (c->steps == 0) {
        dusk_progress_part(&c->progress, part);
        return;
    }
    const uint64_t step = (uint64_t)rint(part * (double)c->steps);
    if (c->begun ==
        0) { /* what came before the first step, and steps of an earlier run, say nothing of the rate */
        c->begun = step;
        c->since = now();
        return;
    }
    if (!dusk_progress_due(&c->progress) || step == c->begun) return;
    const double elapsed = now() - c->since, rate = (double)(step - c->begun) / elapsed;
    const dusk_statement *promise = dusk_training_statement(c->training);
    price_line(c, step, elapsed);
    const train_line line = { .step = step,
                              .steps = c->steps,
                              .left = ceil((double)(c->steps - step) / rate),
                              .rate = rate,
                              .spent = c->shown_until >= step ? c->shown_spent : 0,
                              .promised = dusk_statement_is_none(promise) ? 0 : promise->epsilon,
                              .checked = c->count > 0 ? &c->point[c->count - 1] : NULL };
    const size_t columns = dusk_progress_columns();
    write_line(text, columns < LINE_SIZE ? columns : LINE_SIZE, &line);
    dusk_progress_show(&c->progress, text);
}

/* ---- Points --------------------------------------------------------------------------------------------- */

static dusk_status add_point(train_curve *c, const dusk_train_point *point, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_GROW(c->point, c->room, c->count);
    c->point[c->count++] = *point;
done:
    return status;
}

void train_curve_observe(void *context, const dusk_train_point *point)
{
    train_curve *c = context;
    find_steps(c);
    if (add_point(c, point, NULL) != DUSK_OK) c->failed = true;
}

void train_curve_start(train_curve *curve, const dusk_training *training, const dusk_statement *promise)
{
    curve->training = training;
    curve->steps = training ? dusk_training_steps(training) : 0;
    dusk_progress_start(&curve->progress, 1, dusk_statement_is_none(promise) ? 0 : promise->epsilon);
}

dusk_status train_curve_end(train_curve *curve, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_progress_end(&curve->progress);
    if (curve->failed) return dusk_fail_memory(err);
    if (curve->count == 0) return DUSK_OK;
    const dusk_statement *promise = dusk_training_statement(curve->training);
    const double from = now();
    DUSK_NEW(curve->epsilon, curve->count);
    for (size_t i = curve->count; i-- > 0;) {
        const uint64_t step = curve->point[i].step;
        curve->epsilon[i] = NAN;
        if (dusk_statement_is_none(promise)) continue;
        if (step == curve->steps)
            curve->epsilon[i] = promise->epsilon;
        else if (step >= FEW_STEPS && now() - from < PRICING_MOST)
            DUSK_TRY(dusk_training_spent(curve->training, step, &curve->epsilon[i], err));
    }
done:
    return status;
}

void train_curve_clear(train_curve *curve)
{
    dusk_deallocate(curve->point);
    dusk_deallocate(curve->epsilon);
    *curve = (train_curve){ .training = NULL };
}

/* ---- Afterwards ----------------------------------------------------------------------------------------- */

static void print_cell(const char *format, int width, double x)
{
    char text[40];
    if (isnan(x))
        snprintf(text, sizeof text, "-");
    else
        snprintf(text, sizeof text, format, x);
    printf("  %*s", width, text);
}

static void print_price(int width, double epsilon)
{
    char text[40] = "-";
    if (!isnan(epsilon)) dusk_format_up(text, sizeof text, epsilon, 3);
    printf("  %*s", width, text);
}

void train_curve_print(const train_curve *c)
{
    if (c->count == 0) return;
    const bool classes = !isnan(c->point[0].accuracy), numbers = !isnan(c->point[0].rmse);
    const bool priced = !dusk_statement_is_none(dusk_training_statement(c->training));
    printf("%-10s on %zu public rows, by which nothing was chosen\n", "checked", c->rows);
    printf("%-10s %8s  %9s", "", "step", "loss");
    if (classes || numbers) printf("  %9s", classes ? "accuracy" : "rmse");
    puts(priced ? "  epsilon, had it been planned to stop there" : "");
    for (size_t i = 0; i < c->count; i++) {
        const dusk_train_point *p = &c->point[i];
        printf("%-10s %8llu", "", (unsigned long long)p->step);
        print_cell("%.4f", 9, p->loss);
        if (classes || numbers) print_cell(classes ? "%.4f" : "%.4g", 9, classes ? p->accuracy : p->rmse);
        if (priced) print_price(7, c->epsilon[i]);
        fputc('\n', stdout);
    }
}

static void number_unless_nan(dusk_json *json, const char *key, double x)
{
    if (!isnan(x)) dusk_json_number_field(json, key, x);
}

void train_curve_json(const train_curve *c, dusk_json *json)
{
    if (c->count == 0) return;
    dusk_json_key(json, "check");
    dusk_json_open(json, '{');
    dusk_json_number_field(json, "public_rows", (double)c->rows);
    dusk_json_number_field(json, "steps", (double)c->steps);
    dusk_json_key(json, "points");
    dusk_json_open(json, '[');
    for (size_t i = 0; i < c->count; i++) {
        const dusk_train_point *p = &c->point[i];
        dusk_json_open(json, '{');
        dusk_json_number_field(json, "step", (double)p->step);
        dusk_json_number_field(json, "loss", p->loss);
        number_unless_nan(json, "accuracy", p->accuracy);
        number_unless_nan(json, "rmse", p->rmse);
        number_unless_nan(json, "epsilon_if_planned_to_stop_here", c->epsilon[i]);
        dusk_json_close(json, '}');
    }
    dusk_json_close(json, ']');
    dusk_json_close(json, '}');
}
