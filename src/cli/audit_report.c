/* SPDX-License-Identifier: Apache-2.0 */
/* What an audit found, on one line or as fields of JSON; see audit.h. A lower bound is cut,
 * never rounded up: a line that reads "measured >= 0.701" beside "claimed 0.700" means it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/audit.h"

#define PLACES_MAX 9
#define FEW_DRAWS 1000 /* a side: hardly any fault can be shown with fewer */

void audit_put_down(char text[DUSK_DECIMAL_SIZE], double x, int places)
{
    snprintf(text, DUSK_DECIMAL_SIZE, "%.*f", places, x);
    if (strtod(text, NULL) > x) snprintf(text, DUSK_DECIMAL_SIZE, "%.*f", places, x - pow(10, -places));
}

static bool is_plain(double x) { return isfinite(x) && x < 1e9; }

/* Decimal places with which a claim and a bound can be compared: three digits of the claim,
 * and more where a bound above the claim would look like the claim. */
static int places_for(double claimed, double measured)
{
    char text[DUSK_DECIMAL_SIZE], claim[DUSK_DECIMAL_SIZE];
    int places = 3;
    if (claimed > 0 && claimed < 0.1) places = 2 - (int)floor(log10(claimed));
    for (; places < PLACES_MAX && measured > claimed && is_plain(measured); places++) {
        dusk_format_up(claim, sizeof claim, claimed, places);
        audit_put_down(text, measured, places);
        if (strtod(text, NULL) > strtod(claim, NULL)) break;
    }
    return places < PLACES_MAX ? places : PLACES_MAX;
}

/* A claim, or what could have been seen at the least: never smaller than it is. */
static void print_up(FILE *file, const char *label, double x, int places)
{
    char text[DUSK_DECIMAL_SIZE] = "infinite";
    if (is_plain(x) && (x == 0 || x >= 1e-7))
        dusk_format_up(text, sizeof text, x, places);
    else if (isfinite(x))
        dusk_decimal_up(text, x, 3);
    fprintf(file, "%s %s", label, text);
}

/* A truth, to the nearest. */
static void print_nearest(FILE *file, const char *label, double x, int places)
{
    if (is_plain(x) && (x == 0 || x >= 1e-7))
        fprintf(file, "%s %.*f", label, places, x);
    else
        fprintf(file, isfinite(x) ? "%s %.3g" : "%s infinite", label, x);
}

static const char *density_words(dusk_density_use density)
{
    switch (density) {
    case DUSK_DENSITY_SCORE: return ", likelihood ratio";
    case DUSK_DENSITY_TRUSTED: return ", likelihood ratio believed";
    case DUSK_DENSITY_UNUSED: break;
    }
    return "";
}

static void print_measured(FILE *file, const dusk_audit_report *report, double confidence, int places)
{
    char text[DUSK_DECIMAL_SIZE], percent[DUSK_DECIMAL_SIZE];
    dusk_decimal_percent(percent, confidence);
    if (is_plain(report->epsilon) &&
        (report->epsilon == 0 || report->claimed == 0 || report->claimed >= 1e-7))
        audit_put_down(text, report->epsilon, places);
    else
        dusk_decimal_down(text, report->epsilon, 3);
    fprintf(file, " | measured >= %s (%s %%%s)", text, percent, density_words(report->density));
}

/* Whatever the C library writes as an exponent. */
void audit_put_draws(char text[DUSK_DECIMAL_SIZE], uint64_t draws)
{
    char digits[DUSK_DECIMAL_SIZE];
    snprintf(digits, sizeof digits, "%.1e", (double)draws);
    if (draws < 1000)
        snprintf(text, DUSK_DECIMAL_SIZE, "%d", (int)draws);
    else
        snprintf(text, DUSK_DECIMAL_SIZE, "%.3se%ld", digits, strtol(strchr(digits, 'e') + 1, NULL, 10));
}

/* Why no epsilon could have been shown: no set has more than delta, or all draws were too few. */
static const char *why_nothing(const dusk_audit_report *report)
{
    if (report->trials[0] < FEW_DRAWS) return ", too few draws";
    if ((double)report->hits[0] > report->delta * (double)report->trials[0])
        return ", too few draws for this claim";
    return ", no set of outputs stands out";
}

void audit_print_report(FILE *file, const dusk_audit_report *report, double confidence, double exact,
                        double cpu_s)
{
    char delta[DUSK_DECIMAL_SIZE], draws[DUSK_DECIMAL_SIZE];
    int places = places_for(report->claimed, report->epsilon);
    print_up(file, "claimed", report->claimed, places);
    if (report->delta > 0) {
        dusk_decimal(delta, report->delta);
        fprintf(file, " at delta %s", delta);
    }
    print_measured(file, report, confidence, places);
    if (!isnan(exact)) print_nearest(file, " | exact", exact, places);
    fprintf(file, " | %s", dusk_verdict_name(report->verdict));
    if (report->verdict == DUSK_INCONCLUSIVE && isinf(report->detectable))
        fputs(why_nothing(report), file);
    else if (report->verdict == DUSK_INCONCLUSIVE)
        print_up(file, ", could have caught", report->detectable, places);
    audit_put_draws(draws, report->draws);
    fprintf(file, " | %s draws", draws);
    fprintf(file, cpu_s >= 0.1 ? " | %.1f s" : " | %.2f s", cpu_s);
}

void audit_json_report(dusk_json *json, const dusk_audit_report *report, double exact, double cpu_s)
{
    static const char *const sides[] = { "p", "q" };
    dusk_json_number_field(json, "claimed", report->claimed);
    dusk_json_number_field(json, "delta", report->delta);
    dusk_json_number_field(json, "measured", report->epsilon);
    dusk_json_number_field(json, "measured_sure", report->epsilon_sure);
    dusk_json_number_field(json, "exact", exact);
    dusk_json_string_field(json, "verdict", dusk_verdict_name(report->verdict));
    dusk_json_number_field(json, "detectable", report->detectable);
    dusk_json_number_field(json, "mu", report->mu);
    dusk_json_string_field(json, "family", report->family);
    dusk_json_string_field(json, "event", report->event);
    dusk_json_number_field(json, "pair", (double)report->pair);
    dusk_json_bool_field(json, "swapped", report->swapped);
    dusk_json_bool_field(json, "varied", report->varied);
    for (int i = 0; i < 2; i++) {
        dusk_json_key(json, sides[i]);
        dusk_json_open(json, '{');
        dusk_json_number_field(json, "hits", (double)report->hits[i]);
        dusk_json_number_field(json, "trials", (double)report->trials[i]);
        dusk_json_close(json, '}');
    }
    dusk_json_number_field(json, "draws", (double)report->draws);
    dusk_json_number_field(json, "cpu_s", cpu_s);
}

dusk_status audit_conclude(const audit_job *job, const dusk_audit_report *report, dusk_error *err)
{
    char bound[DUSK_DECIMAL_SIZE];
    /* A claim that is a curve may be refuted elsewhere than at its delta. */
    if (report->verdict == DUSK_VIOLATION && !(report->epsilon_sure > report->claimed))
        return dusk_fail(
            err, DUSK_ERR_CHECK, "",
            "the claim does not hold: its curve does not allow %llu of %llu against %llu of %llu "
            "(%.90s)",
            (unsigned long long)report->hits[0], (unsigned long long)report->trials[0],
            (unsigned long long)report->hits[1], (unsigned long long)report->trials[1], report->event);
    if (report->verdict == DUSK_VIOLATION) {
        dusk_decimal_down(bound, report->epsilon_sure, 3);
        return dusk_fail(err, DUSK_ERR_CHECK, "", "the claim does not hold: epsilon is at least %s (%.140s)",
                         bound, report->event);
    }
    if (report->verdict == DUSK_INCONCLUSIVE && job->settings->strict) {
        dusk_decimal_up(bound, report->detectable, 3);
        return dusk_fail(err, DUSK_ERR_CHECK, "give more --draws",
                         isinf(report->detectable)
                             ? "inconclusive: these draws cannot show any epsilon"
                             : "inconclusive: a true epsilon below %s might not have been seen",
                         bound);
    }
    return DUSK_OK;
}
