/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BENCH_BENCH_H
#define DUSK_BENCH_BENCH_H

/* A case measures one thing beside a floor: the least that any program would
 * have to do for it, measured in the same run. Times are CPU times, medians of
 * repetitions in which case and floor take turns, so that a busy machine slows
 * both. */

#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"
#include "dusk/random.h"

typedef struct bench_result {
    double value, floor_value; /* in the unit of the case; NAN: skipped, and stderr says why */
    double epsilon, spread; /* of learners: the promise, and the deviation of one training's value; else 0 */
    int trainings;          /* of which `value` is the mean; else 0 */
} bench_result;

typedef struct bench_case {
    const char *name;  /* "laplace/rounded/constant/2^20"                          */
    const char *what;  /* one line for --list                                      */
    const char *unit;  /* of value and floor_value; "... /s" grows with speed      */
    const char *floor; /* what the floor is                                        */
    const char *aim;   /* ">= 10" (of the value), "ratio <= 10", both with a comma, "": none */
    void (*run)(const struct bench_case *self, bench_result *out, dusk_generator *gen);
    const void *setup; /* what `run` wants to know besides */
} bench_case;

/* One table a file; the entry after the last has no name. */
extern const bench_case bench_generator_cases[], bench_noise_cases[], bench_sum_cases[], bench_select_cases[],
    bench_mechanism_cases[], bench_accounting_cases[], bench_number_cases[], bench_space_cases[],
    bench_filter_cases[], bench_hierarchy_cases[], bench_dpbench_cases[], bench_time_cases[],
    bench_synthetic_cases[], bench_choice_cases[], bench_smooth_cases[], bench_sparse_cases[],
    bench_keyed_cases[], bench_audit_suite_cases[], bench_score_cases[], bench_attack_cases[],
    bench_audit_float_cases[], bench_line_cases[], bench_audit_mechanism_cases[], bench_csv_cases[],
    bench_frame_cases[], bench_bounding_cases[], bench_ledger_cases[], bench_query_cases[],
    bench_tpch_cases[], bench_pushdown_cases[], bench_learn_linear_cases[], bench_learn_memory_cases[],
    bench_learn_cluster_cases[], bench_learn_spectral_cases[], bench_learn_gradient_cases[],
    bench_learn_tree_cases[], bench_learn_select_cases[], bench_learn_perturb_cases[],
    bench_learn_functional_cases[], bench_learn_lattice_cases[], bench_learn_sparse_cases[],
    bench_tensor_cases[], bench_total_cases[], bench_deep_cases[], bench_deep_utility_cases[],
    bench_embedding_cases[], bench_pate_cases[], bench_teachers_cases[], bench_allocation_cases[],
    bench_labels_cases[], bench_deep_audit_cases[], bench_local_frequency_cases[], bench_local_string_cases[],
    bench_local_range_cases[], bench_local_wire_cases[], bench_local_several_cases[],
    bench_local_place_cases[];
/* Removes the data that its cases share. */
void bench_tpch_end(void);

/* --- measuring -------------------------------------------------------------- */

typedef void bench_work(void *context);
typedef struct bench_times {
    double work, floor; /* CPU seconds of one call, median */
} bench_times;

double bench_cpu_seconds(void);
/* By the clock, for what several threads do: on a machine that does nothing else. */
double bench_clock_seconds(void);
/* Call both once to warm up, then both in turn, and take medians. A call should
 * take a few milliseconds. */
bench_times bench_compare(bench_work *work, bench_work *floor, void *context);
/* A line of /proc/self/status, "VmRSS" or "VmHWM", in MB; NAN where there is none. */
double bench_memory(const char *name);
/* From now on the peak is counted anew. */
void bench_forget_peak(void);
double bench_median(double *values, size_t n); /* sorts them */

/* `amount` millions a second, and nanoseconds for each of `amount`. */
bench_result bench_rate(bench_times times, double amount);
bench_result bench_cost(bench_times times, double amount);

/* --- helpers ---------------------------------------------------------------- */

/* End the program with the message unless the status is DUSK_OK. */
void bench_require(dusk_status status, const dusk_error *err);
/* n elements of `size` bytes, touched; ends the program when there is no memory. */
void *bench_allocate(size_t n, size_t size);
/* n doubles uniform on [low, high). */
double *bench_uniform(size_t n, double low, double high, dusk_generator *gen);
/* Take `bytes` bytes from the generator, 4 KB at a time: the floor of noise. */
void bench_take_bytes(dusk_generator *gen, double bytes);
/* Read n bytes once: the floor of looking at them. */
void bench_read_bytes(const void *bytes, size_t n);
/* Make the compiler believe that `value` is used. */
static inline void bench_keep(double value) { __asm__ volatile("" : : "m"(value)); }

#endif
