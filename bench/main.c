/* SPDX-License-Identifier: Apache-2.0 */
/* dusk-bench [PATTERN...] [--json] [--list]: one line a case. A pattern is part
 * of a name, and may contain * and ?. docs/benchmarks.md is written from it by
 * tools/benchmarks. */
#include <fnmatch.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

static const bench_case *const tables[] = {
    bench_generator_cases,
    bench_noise_cases,
    bench_sum_cases,
    bench_select_cases,
    bench_mechanism_cases,
    bench_total_cases,
    bench_number_cases,
    bench_accounting_cases,
    bench_space_cases,
    bench_filter_cases,
    bench_hierarchy_cases,
    bench_dpbench_cases,
    bench_time_cases,
    bench_synthetic_cases,
    bench_choice_cases,
    bench_smooth_cases,
    bench_sparse_cases,
    bench_keyed_cases,
    bench_audit_suite_cases,
    bench_score_cases,
    bench_attack_cases,
    bench_audit_float_cases,
    bench_line_cases,
    bench_audit_mechanism_cases,
    bench_csv_cases,
    bench_frame_cases,
    bench_bounding_cases,
    bench_ledger_cases,
    bench_query_cases,
    bench_tpch_cases,
    bench_pushdown_cases,
    bench_tensor_cases,
    bench_learn_linear_cases,
    bench_learn_memory_cases,
    bench_learn_cluster_cases,
    bench_learn_spectral_cases,
    bench_learn_gradient_cases,
    bench_learn_tree_cases,
    bench_learn_select_cases,
    bench_learn_perturb_cases,
    bench_learn_functional_cases,
    bench_learn_lattice_cases,
    bench_learn_sparse_cases,
    bench_deep_cases,
    bench_deep_utility_cases,
    bench_pate_cases,
    bench_teachers_cases,
    bench_allocation_cases,
    bench_labels_cases,
    bench_deep_audit_cases,
    bench_embedding_cases,
    bench_local_frequency_cases,
    bench_local_string_cases,
    bench_local_range_cases,
    bench_local_several_cases,
    bench_local_wire_cases,
    bench_local_place_cases,
};
enum { TABLES = sizeof tables / sizeof *tables, EXIT_DONE = 0, EXIT_USAGE = 2 };

typedef struct request {
    bool json, list, help;
    char **patterns; /* borrowed from argv, in place */
    int patterns_count;
} request;

static const char usage[] = "usage: dusk-bench [PATTERN...] [--json] [--list]\n"
                            "Measure the cases whose name contains a pattern (all without one).\n"
                            "  --json  one JSON object a line\n"
                            "  --list  say what the cases are, and measure nothing\n"
                            "Times are CPU times, medians; ratio is value over floor value.\n"
                            "example: dusk-bench laplace 'gaussian*2^20'\n";

/* Collects patterns at the front of argv; false for an option not known. */
static bool read_arguments(request *r, int argc, char **argv)
{
    *r = (request){ .patterns = argv };
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (!strcmp(a, "--json"))
            r->json = true;
        else if (!strcmp(a, "--list"))
            r->list = true;
        else if (!strcmp(a, "--help") || !strcmp(a, "-h"))
            r->help = true;
        else if (a[0] == '-') {
            fprintf(stderr, "dusk-bench: option %s is not known\nhint: dusk-bench --help\n", a);
            return false;
        } else
            r->patterns[r->patterns_count++] = argv[i];
    }
    return true;
}

static bool wanted(const request *r, const char *name)
{
    char glob[256];
    for (int i = 0; i < r->patterns_count; i++) {
        snprintf(glob, sizeof glob, "*%s*", r->patterns[i]);
        if (fnmatch(glob, name, 0) == 0) return true;
    }
    return r->patterns_count == 0;
}

/* Names and units of the tables need no escapes in JSON. */
static void print_json(const bench_case *c, const bench_result *result, double cpu)
{
    printf("{\"case\": \"%s\", \"value\": %.6g, \"unit\": \"%s\", \"floor\": \"%s\", \"floor_value\": %.6g, "
           "\"ratio\": %.6g, \"aim\": \"%s\", \"cpu_s\": %.3f, \"what\": \"%s\"",
           c->name, result->value, c->unit, c->floor, result->floor_value,
           result->floor_value > 0 ? result->value / result->floor_value : 0, c->aim, cpu, c->what);
    if (result->trainings)
        printf(", \"epsilon\": %g, \"spread\": %.3g, \"trainings\": %d", result->epsilon, result->spread,
               result->trainings);
    printf("}\n");
}

static void print_line(const bench_case *c, const bench_result *result, double cpu)
{
    printf("%-36s %10.4g %-12s floor %10.4g (%s)  ratio %.3g  cpu %.2f s%s%s\n", c->name, result->value,
           c->unit, result->floor_value, c->floor,
           result->floor_value > 0 ? result->value / result->floor_value : 0, cpu, *c->aim ? "  aim " : "",
           c->aim);
    if (result->trainings)
        printf("    epsilon %g, spread %.2g over %d trainings\n", result->epsilon, result->spread,
               result->trainings);
}

static void measure(const request *r, const bench_case *c, dusk_generator *gen)
{
    bench_result result = { 0 };
    double start = bench_cpu_seconds();
    c->run(c, &result, gen);
    double cpu = bench_cpu_seconds() - start;
    if (isnan(result.value)) return;
    (r->json ? print_json : print_line)(c, &result, cpu);
    fflush(stdout);
}

static void list(const bench_case *c)
{
    printf("%-36s %s; %s, floor: %s\n", c->name, c->what, c->unit, c->floor);
}

static int run_wanted(const request *r, dusk_generator *gen)
{
    int found = 0;
    for (size_t t = 0; t < TABLES; t++)
        for (const bench_case *c = tables[t]; c->name; c++) {
            if (!wanted(r, c->name)) continue;
            found++;
            if (r->list)
                list(c);
            else
                measure(r, c, gen);
        }
    return found;
}

int main(int argc, char **argv)
{
    request r;
    dusk_error err;
    dusk_generator *gen;

    if (!read_arguments(&r, argc, argv)) return EXIT_USAGE;
    if (r.help) {
        fputs(usage, stdout);
        return EXIT_DONE;
    }
    bench_require(dusk_generator_new(&gen, &err), &err);
    int found = run_wanted(&r, gen);
    bench_tpch_end();
    dusk_generator_free(gen);
    if (found > 0) return EXIT_DONE;
    fputs("dusk-bench: no case has such a name\nhint: dusk-bench --list\n", stderr);
    return EXIT_USAGE;
}
