/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TESTS_LOCAL_SURVEY_H
#define DUSK_TESTS_LOCAL_SURVEY_H

/* What every randomiser's unit test asks: surveys by a few words, devices that run, and what must hold for all of them. */

#include <math.h>

#include "dusk/local.h"
#include "local/protocol.h"
#include "local/tally.h"
#include "random/tape.h"
#include "support.h"

static inline dusk_survey survey_of(dusk_randomiser mechanism, uint64_t domain, double epsilon)
{
    dusk_survey survey;
    dusk_survey_options options;
    dusk_error err;
    dusk_survey_options_init(&options);
    options.mechanism = mechanism;
    options.domain = domain;
    options.epsilon = epsilon;
    if (dusk_survey_init(&survey, &options, &err) != DUSK_OK) fail_msg("%s", err.message);
    return survey;
}

/* Reports of n people with values i * i % values, to be freed. */
static inline uint8_t *survey_reports(const dusk_survey *survey, size_t n, uint64_t values, uint64_t seed)
{
    const size_t size = dusk_report_size(&survey->task);
    uint8_t *reports = malloc(n * size + 1);
    dusk_generator *gen;
    dusk_generator_entropy context;
    assert_non_null(reports);
    assert_int_equal(dusk_generator_new_seeded(&gen, seed, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(dusk_client_report(&survey->task, reports + i * size, i * i % values, &entropy),
                         DUSK_CLIENT_OK);
    dusk_generator_free(gen);
    return reports;
}

static inline dusk_tally *survey_tally(const dusk_survey *survey, const uint8_t *reports, size_t n)
{
    dusk_tally *tally;
    assert_int_equal(dusk_tally_new(&tally, survey, NULL), DUSK_OK);
    dusk_tally_add(tally, reports, n);
    return tally;
}

static inline void survey_same(const dusk_tally *a, const dusk_tally *b)
{
    assert_true(a->cells == b->cells && a->reports == b->reports && a->dropped == b->dropped);
    assert_memory_equal(a->cell, b->cell, a->cells * sizeof *a->cell);
}

/* All reports at once, one by one, and in two tallies that are merged: the same counters, and none of an honest device is dropped. */
static inline void survey_adds_up(const dusk_survey *survey, size_t n, uint64_t values)
{
    const size_t size = dusk_report_size(&survey->task), cut = n / 3;
    uint8_t *reports = survey_reports(survey, n, values, 7);
    dusk_tally *all = survey_tally(survey, reports, n), *single = survey_tally(survey, reports, 0);
    dusk_tally *first = survey_tally(survey, reports, cut);
    dusk_tally *rest = survey_tally(survey, reports + cut * size, n - cut);
    for (size_t i = 0; i < n; i++) dusk_tally_add(single, reports + i * size, 1);
    assert_int_equal(dusk_tally_merge(first, rest, NULL), DUSK_OK);
    survey_same(all, single);
    survey_same(all, first);
    assert_true(dusk_tally_reports(all) == n && dusk_tally_dropped(all) == 0);
    dusk_tally_free(all);
    dusk_tally_free(single);
    dusk_tally_free(first);
    dusk_tally_free(rest);
    free(reports);
}

/* Bytes that nobody made: each is added or dropped, whatever it is, and where it stands does not matter. */
static inline uint64_t survey_takes_garbage(const dusk_survey *survey, size_t n, uint64_t seed)
{
    const size_t size = dusk_report_size(&survey->task);
    uint8_t *reports = malloc(n * size + 1);
    assert_non_null(reports);
    for (size_t i = 0; i < n * size; i++) reports[i] = (uint8_t)(splitmix64(&seed) >> (seed % 3 ? 0 : 5));
    dusk_tally *all = survey_tally(survey, reports, n), *single = survey_tally(survey, reports, 0);
    for (size_t i = 0; i < n; i++) dusk_tally_add(single, reports + i * size, 1);
    survey_same(all, single);
    const uint64_t dropped = dusk_tally_dropped(all);
    assert_true(dusk_tally_reports(all) + dropped == n);
    dusk_tally_free(all);
    dusk_tally_free(single);
    free(reports);
    return dropped;
}

/* Entropy that ends after `left` bytes. */
static inline int survey_dry(void *context, uint8_t *bytes, size_t n)
{
    size_t *left = context;
    if (*left < n) return 1;
    *left -= n;
    for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)(0x5a + *left * 37 + i * 11);
    return 0;
}

/* Wherever entropy ends, the report is all 0, and nothing behind it is written. */
static inline void survey_without_entropy(const dusk_survey *survey, uint64_t value)
{
    const size_t size = dusk_report_size(&survey->task);
    uint8_t *report = malloc(size + 1);
    int status = DUSK_CLIENT_NO_ENTROPY;
    assert_non_null(report);
    for (size_t bytes = 0; status && bytes < 1 << 16; bytes = bytes < 64 ? bytes + 1 : bytes * 3 / 2) {
        size_t left = bytes;
        dusk_entropy entropy = { survey_dry, &left };
        memset(report, 0xff, size + 1);
        status = dusk_client_report(&survey->task, report, value, &entropy);
        for (size_t i = 0; status && i < size; i++) assert_int_equal(report[i], 0);
        assert_int_equal(report[size], 0xff);
        assert_true(status == DUSK_CLIENT_OK || status == DUSK_CLIENT_NO_ENTROPY);
    }
    assert_int_equal(status, DUSK_CLIENT_OK);
    free(report);
}

/* Tasks that nobody planned: those that pass the check are safe to report by, and have an epsilon. */
static inline void survey_hostile_tasks(dusk_randomiser mechanism, unsigned rounds)
{
    static uint8_t report[DUSK_REPORT_MOST + 1];
    static const uint32_t edge[] = { 0,        1,        2,         3,     5,       7,
                                     8,        64,       65,        255,   256,     257,
                                     4096,     65535,    65536,     65537, 1 << 20, (1 << 20) + 1,
                                     1u << 28, 1u << 31, UINT32_MAX };
    enum { EDGES = sizeof edge / sizeof *edge };
    uint64_t seed = 11;
    dusk_generator *gen;
    dusk_generator_entropy context;
    assert_int_equal(dusk_generator_new_seeded(&gen, 5, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    for (unsigned i = 0; i < rounds; i++) {
        const uint64_t x = splitmix64(&seed);
        dusk_client_task task = { .mechanism = (uint32_t)mechanism,
                                  .p = x & 1   ? splitmix64(&seed)
                                       : x & 2 ? UINT64_MAX
                                               : x >> 2 & 1,
                                  .q = x & 8    ? splitmix64(&seed)
                                       : x & 16 ? UINT64_MAX
                                                : x >> 5 & 1,
                                  .f = x & 64 ? splitmix64(&seed) : 0,
                                  .domain = edge[(x >> 8) % EDGES],
                                  .width = edge[(x >> 16) % EDGES],
                                  .rows = edge[(x >> 24) % EDGES],
                                  .hashes = edge[(x >> 32) % EDGES] };
        if (dusk_client_check(&task)) continue;
        const uint32_t size = dusk_report_size(&task);
        const local_protocol *protocol = local_protocol_of(task.mechanism);
        assert_true(size >= 1 && size <= DUSK_REPORT_MOST && protocol);
        assert_true(protocol->epsilon(&task) >= 0 && protocol->epsilon(&task) < INFINITY);
        assert_true(protocol->cells(&task) >= 1);
        if (size > 4096 && i % 16) continue;
        report[size] = 0xee;
        assert_int_equal(dusk_client_report(&task, report, splitmix64(&seed), &entropy), DUSK_CLIENT_OK);
        assert_int_equal(report[size], 0xee);
    }
    dusk_generator_free(gen);
}

/* Estimates of many reports lie where they should: within six deviations, over the whole domain, and beyond it nobody. */
static inline void survey_estimates(const dusk_survey *survey, size_t n, uint64_t values)
{
    uint8_t *reports = survey_reports(survey, n, values, 3);
    dusk_tally *tally = survey_tally(survey, reports, n);
    for (uint64_t v = 0; v <= survey->task.domain; v++) {
        double count, deviation, truth = 0;
        for (size_t i = 0; i < n; i++) truth += i * i % values == v;
        assert_int_equal(dusk_tally_counts(tally, &count, &deviation, &v, 1, NULL), DUSK_OK);
        if (!(fabs(count - truth) <= 6 * deviation))
            fail_msg("%.3f +- %.3f have value %llu, not %.0f", count, deviation, (unsigned long long)v,
                     truth);
        if (v == survey->task.domain) assert_true(count == 0 && deviation == 0);
    }
    dusk_tally_free(tally);
    free(reports);
}

#endif
