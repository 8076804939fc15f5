/* SPDX-License-Identifier: Apache-2.0 */
/* What dusk audit exec found: one line, more with --verbose, everything with --json. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/audit_exec.h"

#define WORDS_SHOWN 16

/* The input on a side of the deciding pair (0: that of P) as the program got it. */
static void put_input(char *text, size_t size, const exec_audit *audit, int side)
{
    const dusk_input_pair *pair = &audit->pairs[audit->report.pair];
    const double *input = pair->input[audit->report.swapped ? 1 - side : side];
    if (audit->words || audit->report.varied) {
        snprintf(text, size, "%s",
                 audit->report.varied ? audit->varied[side] : audit->words[(size_t)input[0]]);
        return;
    }
    size_t used = 0;
    for (size_t i = 0; i < audit->sampler.input_length && used + 1 < size; i++) {
        char number[64];
        dusk_format_number(number, sizeof number, input[i]);
        int n = snprintf(text + used, size - used, "%s%s", i ? "," : "", number);
        used += n > 0 ? (size_t)n : 0;
    }
}

/* Whether draws are words at all, whose numbers in an event need saying. */
static bool any_words(const exec_audit *audit)
{
    size_t field;
    for (size_t i = 0; i < audit->sampler.output_length; i++)
        if (draw_lines_place(program_draws_lines(audit->draws), i, &field)) return true;
    return false;
}

/* ---- Text ------------------------------------------------------------------------------ */

static void print_pair(const exec_audit *audit)
{
    const dusk_input_pair *pair = &audit->pairs[audit->report.pair];
    char input[2][80];
    for (int i = 0; i < 2; i++) put_input(input[i], sizeof input[i], audit, i);
    dusk_output_note("inputs", "'%s' against '%s'%s%s%s", input[0], input[1], *pair->name ? ", " : "",
                     pair->name, audit->report.varied ? ", varied" : "");
}

/* Which part of a line each output is, where that is not plain. */
static void print_places(const exec_audit *audit)
{
    const draw_lines *lines = program_draws_lines(audit->draws);
    char text[600];
    size_t used = 0, field = 0, n = audit->sampler.output_length;
    (void)draw_lines_place(lines, n - 1, &field);
    if (field == n - 1) return;
    for (size_t i = 0; i < n && i < WORDS_SHOWN && used < sizeof text; i++) {
        bool word = draw_lines_place(lines, i, &field);
        int more = snprintf(text + used, sizeof text - used, "%s[%zu] is the %s of field %zu", i ? ", " : "",
                            i + 1, word ? "word" : "number", field + 1);
        used += more > 0 ? (size_t)more : 0;
    }
    dusk_output_note("outputs", "%s%s", text, n > WORDS_SHOWN ? ", ..." : "");
}

static void print_words(const exec_audit *audit)
{
    const draw_lines *lines = program_draws_lines(audit->draws);
    char text[600];
    size_t used = 0, n = draw_lines_words(lines);
    if (!any_words(audit)) return;
    print_places(audit);
    for (size_t i = 0; i < n && i < WORDS_SHOWN && used < sizeof text; i++) {
        int more = snprintf(text + used, sizeof text - used, "%s%zu is %.24s", i ? ", " : "", i,
                            draw_lines_word(lines, i));
        used += more > 0 ? (size_t)more : 0;
    }
    dusk_output_note("words", "%s%s", text, n > WORDS_SHOWN ? ", ..." : "");
}

static void print_details(const exec_audit *audit)
{
    const dusk_audit_report *report = &audit->report;
    char caught[DUSK_DECIMAL_SIZE], mu[DUSK_DECIMAL_SIZE];
    print_pair(audit);
    dusk_output_note("set", "%s (%s): %llu of %llu against %llu of %llu", report->event, report->family,
                     (unsigned long long)report->hits[0], (unsigned long long)report->trials[0],
                     (unsigned long long)report->hits[1], (unsigned long long)report->trials[1]);
    print_words(audit);
    dusk_decimal_up(caught, report->detectable, 3);
    dusk_decimal_down(mu, report->mu, 3);
    dusk_output_note("would have caught", "a true epsilon of %s on this set", caught);
    dusk_output_note("mu", "at least %s", mu);
}

/* A program that always says the same has no noise, or a seed. */
static void note_constant(const exec_audit *audit)
{
    const dusk_input_pair *pair = &audit->pairs[audit->report.pair];
    char input[80];
    if (audit->report.verdict != DUSK_VIOLATION) return;
    for (int side = 0; side < 2; side++) {
        if (!program_draws_constant(audit->draws, pair->input[audit->report.swapped ? 1 - side : side]))
            continue;
        put_input(input, sizeof input, audit, side);
        dusk_output_note(
            "note", "on '%s' the program printed the same line every time: no noise, or a fixed seed", input);
    }
}

static void print_curve(const exec_audit *audit)
{
    char delta[DUSK_DECIMAL_SIZE], claim[DUSK_DECIMAL_SIZE], bound[DUSK_DECIMAL_SIZE];
    size_t rows = audit->job->settings->curve ? audit->delta_count : 0; /* --plot has them, too */
    if (rows) printf("%-10s  %-12s  %s\n", "delta", "claimed", "measured >=");
    for (size_t i = 0; i < rows; i++) {
        dusk_decimal(delta, audit->deltas[i]);
        dusk_decimal_up(claim, audit->claims[i], 4);
        dusk_decimal_down(bound, audit->epsilons[i], 4);
        printf("%-10s  %-12s  %s\n", delta, isfinite(audit->claims[i]) ? claim : "-", bound);
    }
    if (audit->order_count) printf("%-10s  %-12s  %s\n", "order", "claimed", "Renyi divergence >=");
    for (size_t i = 0; i < audit->order_count; i++) {
        dusk_decimal(delta, audit->orders[i]);
        dusk_decimal_up(claim, audit->order_claims[i], 4);
        dusk_decimal_down(bound, audit->divergences[i], 4);
        printf("%-10s  %-12s  %s\n", delta, isfinite(audit->order_claims[i]) ? claim : "-", bound);
    }
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void json_strings(dusk_json *json, const char *key, char *const *list)
{
    dusk_json_key(json, key);
    dusk_json_open(json, '[');
    for (; *list; list++) dusk_json_string(json, *list);
    dusk_json_close(json, ']');
}

static void json_numbers(dusk_json *json, const char *key, const double *x, size_t n)
{
    if (!n) return;
    dusk_json_key(json, key);
    dusk_json_open(json, '[');
    for (size_t i = 0; i < n; i++) dusk_json_number(json, x[i]);
    dusk_json_close(json, ']');
}

/* What the places of an output are: "field 1", "word 2". */
static void json_outputs(dusk_json *json, const exec_audit *audit)
{
    const draw_lines *lines = program_draws_lines(audit->draws);
    size_t field, shown = draw_lines_words(lines);
    char text[40];
    if (!any_words(audit)) return;
    dusk_json_key(json, "outputs");
    dusk_json_open(json, '[');
    for (size_t i = 0; i < audit->sampler.output_length; i++) {
        bool word = draw_lines_place(lines, i, &field);
        snprintf(text, sizeof text, "%s %zu", word ? "word" : "number", field + 1);
        dusk_json_string(json, text);
    }
    dusk_json_close(json, ']');
    dusk_json_key(json, "words");
    dusk_json_open(json, '[');
    for (size_t i = 0; i < shown && i < WORDS_SHOWN; i++) dusk_json_string(json, draw_lines_word(lines, i));
    dusk_json_close(json, ']');
}

static void print_json(const exec_audit *audit, double cpu_s)
{
    const audit_settings *settings = audit->job->settings;
    dusk_json json = { .file = stdout };
    char input[2][4096];
    dusk_json_open(&json, '{');
    json_strings(&json, "command", audit->job->parsed->program);
    if (settings->event) dusk_json_string_field(&json, "claim", settings->event);
    dusk_json_key(&json, "inputs");
    dusk_json_open(&json, '[');
    for (int i = 0; i < 2; i++) {
        put_input(input[i], sizeof input[i], audit, i);
        dusk_json_string(&json, input[i]);
    }
    dusk_json_close(&json, ']');
    dusk_json_string_field(&json, "pattern", audit->pairs[audit->report.pair].name);
    dusk_json_number_field(&json, "confidence", settings->confidence);
    dusk_json_number_field(&json, "alarm", settings->alarm);
    audit_json_report(&json, &audit->report, NAN, cpu_s);
    json_outputs(&json, audit);
    json_numbers(&json, "curve_delta", audit->deltas, audit->delta_count);
    json_numbers(&json, "curve_claimed", audit->claims, audit->delta_count);
    json_numbers(&json, "curve_measured", audit->epsilons, audit->delta_count);
    json_numbers(&json, "renyi_order", audit->orders, audit->order_count);
    json_numbers(&json, "renyi_claimed", audit->order_claims, audit->order_count);
    json_numbers(&json, "renyi_measured", audit->divergences, audit->order_count);
    dusk_json_close(&json, '}');
    putchar('\n');
}

void exec_print(const exec_audit *audit)
{
    double cpu_s = audit_cpu();
    if (audit->job->settings->json) {
        print_json(audit, cpu_s);
    } else {
        audit_print_report(stdout, &audit->report, audit->job->settings->confidence, NAN, cpu_s);
        putchar('\n');
        print_curve(audit);
    }
    fflush(stdout);
    if (audit->job->settings->verbose) print_details(audit);
    if (!audit->job->settings->verbose && audit->report.verdict == DUSK_VIOLATION) print_words(audit);
    note_constant(audit);
}
