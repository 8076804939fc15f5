/* SPDX-License-Identifier: Apache-2.0 */
/* CPU time, medians, and the data that several cases share. */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "random/generator.h"

enum { REPETITIONS = 7 };

double bench_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_doubles);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static double seconds_of(bench_work *work, void *context)
{
    double start = bench_cpu_seconds();
    work(context);
    return bench_cpu_seconds() - start;
}

bench_times bench_compare(bench_work *work, bench_work *floor, void *context)
{
    double works[REPETITIONS], floors[REPETITIONS];
    work(context);
    floor(context);
    for (size_t i = 0; i < REPETITIONS; i++) {
        works[i] = seconds_of(work, context);
        floors[i] = seconds_of(floor, context);
    }
    return (bench_times){ bench_median(works, REPETITIONS), bench_median(floors, REPETITIONS) };
}

bench_result bench_rate(bench_times times, double amount)
{
    return (bench_result){ 1e-6 * amount / times.work, 1e-6 * amount / times.floor };
}

bench_result bench_cost(bench_times times, double amount)
{
    return (bench_result){ 1e9 * times.work / amount, 1e9 * times.floor / amount };
}

void bench_require(dusk_status status, const dusk_error *err)
{
    if (status == DUSK_OK) return;
    fprintf(stderr, "dusk-bench: %s: %s\n", dusk_status_name(status), err->message);
    exit(status == DUSK_ERR_ENTROPY || status == DUSK_ERR_MEMORY ? 5 : 70);
}

void *bench_allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory) {
        fprintf(stderr, "dusk-bench: no memory for %zu elements of %zu bytes\n", n, size);
        exit(5);
    }
    memset(memory, 1, n * size);
    return memory;
}

double *bench_uniform(size_t n, double low, double high, dusk_generator *gen)
{
    dusk_error err;
    double *out = bench_allocate(n, sizeof *out);
    uint64_t word[512];
    for (size_t at = 0; at < n; at += 512) {
        size_t m = n - at < 512 ? n - at : 512;
        bench_require(dusk_generator_words(gen, word, m, 64, &err), &err);
        for (size_t i = 0; i < m; i++) out[at + i] = low + (high - low) * 0x1p-53 * (double)(word[i] >> 11);
    }
    return out;
}

void bench_take_bytes(dusk_generator *gen, double bytes)
{
    dusk_error err;
    uint64_t word[512];
    for (double taken = 0; taken < bytes; taken += sizeof word)
        bench_require(dusk_generator_words(gen, word, 512, 64, &err), &err);
}

void bench_read_bytes(const void *bytes, size_t n)
{
    const uint8_t *from = bytes;
    uint64_t sum = 0, word;
    for (size_t at = 0; at + 8 <= n; at += 8) {
        memcpy(&word, from + at, 8);
        sum += word;
    }
    bench_keep((double)sum);
}

double bench_memory(const char *name)
{
    char line[256];
    double kilobytes = NAN;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name))) kilobytes = strtod(line + strlen(name) + 1, NULL);
    if (file) fclose(file);
    return kilobytes / 1024;
}

void bench_forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    malloc_trim(0); /* what earlier cases left would be taken for what this one has */
    if (!file) return;
    fputs("5", file);
    fclose(file);
}
