/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: streams of records. The bytes are taken whole, one by one, and in pieces that they choose themselves, and all counts and all
 * counters agree; a shuffler, which takes them whole, says the same; what it releases a new collector takes to the last; and a good record of another
 * input is taken afterwards. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/local_shuffle.h"
#include "local/tally.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static dusk_survey survey_of(uint8_t choice)
{
    static const dusk_randomiser mechanisms[] = { DUSK_GRR, DUSK_OUE, DUSK_OLH, DUSK_ONEBIT };
    dusk_survey_options options;
    dusk_survey survey;
    dusk_survey_options_init(&options);
    options.mechanism = mechanisms[choice % 4];
    options.epsilon = 1;
    options.domain = options.mechanism == DUSK_ONEBIT ? 0 : options.mechanism == DUSK_GRR ? 100 : 12;
    if (dusk_survey_init(&survey, &options, NULL) != DUSK_OK) abort();
    survey.task.id = 7; /* so that the fuzzer can find it */
    return survey;
}

/* In pieces: of so many bytes, or, for 0, as a generator from `seed` says. */
static void feed(dusk_collector *collector, const uint8_t *data, size_t size, size_t piece, uint64_t seed)
{
    dusk_intake *intake;
    if (dusk_intake_new(&intake, collector, 0, NULL) != DUSK_OK) abort();
    for (size_t i = 0, n; i < size; i += n) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        n = piece ? piece : (size_t)(seed >> 33) % 29; /* 0 too */
        if (n > size - i) n = size - i;
        if (dusk_intake_take(intake, data + i, n, NULL) != DUSK_OK) abort();
    }
    dusk_intake_end(intake);
    dusk_intake_free(intake);
}

static dusk_collector *collect(const dusk_survey *survey, const uint8_t *data, size_t size, size_t piece)
{
    dusk_collector *collector;
    if (dusk_collector_new(&collector, survey, 0, 1, NULL) != DUSK_OK) abort();
    feed(collector, data, size, piece, size ? data[size / 2] : 0);
    return collector;
}

static void compare(dusk_collector *a, dusk_collector *b, bool all)
{
    const dusk_tally *one = dusk_collector_tally(a), *other = dusk_collector_tally(b);
    uint64_t first[DUSK_TAKEN_KINDS], second[DUSK_TAKEN_KINDS];
    dusk_collector_kinds(a, first);
    dusk_collector_kinds(b, second);
    if (all && memcmp(first, second, sizeof first) != 0) abort();
    if (one->reports != other->reports || memcmp(one->cell, other->cell, one->cells * sizeof *one->cell) != 0)
        abort();
}

static dusk_status take_released(void *context, const uint8_t *bytes, size_t n, dusk_error *err)
{
    (void)err;
    feed(context, bytes, n, n, 0);
    return DUSK_OK;
}

/* What the shuffler says of the bytes, and what comes out of it. */
static void shuffle(const dusk_survey *survey, dusk_collector *whole, const uint8_t *data, size_t size)
{
    dusk_shuffler *shuffler;
    dusk_generator *gen;
    uint64_t kinds[DUSK_TAKEN_KINDS], said[DUSK_TAKEN_KINDS];
    if (dusk_shuffler_new(&shuffler, survey, 0, 1, NULL) != DUSK_OK) abort();
    if (dusk_shuffler_take(shuffler, data, size, NULL) != DUSK_OK) abort();
    dusk_collector_kinds(whole, kinds);
    dusk_shuffler_kinds(shuffler, said);
    if (memcmp(kinds, said, sizeof said) != 0) abort();
    if (kinds[DUSK_TAKEN] > 0) {
        dusk_collector *released = collect(survey, NULL, 0, 1);
        if (dusk_generator_new(&gen, NULL) != DUSK_OK) abort();
        if (dusk_shuffler_release(shuffler, gen, take_released, released, NULL) != DUSK_OK) abort();
        compare(whole, released, false);
        dusk_generator_free(gen);
        dusk_collector_free(released);
    }
    dusk_shuffler_free(shuffler);
}

/* Where all bytes are records, a list of them has as many fine ones as the collector took or dropped for what is in their reports or came twice. */
static void list(const dusk_survey *survey, dusk_collector *whole, const uint8_t *data, size_t size)
{
    uint64_t kinds[DUSK_TAKEN_KINDS], all = 0, good = 0;
    size_t count = 0, again = 0;
    if (dusk_records_list(survey, 0, data, size, NULL, NULL, &count, NULL) != DUSK_OK) return;
    uint8_t *reports = malloc(count * dusk_report_size(&survey->task) + 1);
    bool *fine = malloc(count + 1);
    if (!reports || !fine) abort();
    if (dusk_records_list(survey, 0, data, size, reports, fine, &again, NULL) != DUSK_OK || again != count)
        abort();
    for (size_t i = 0; i < count; i++) good += fine[i];
    dusk_collector_kinds(whole, kinds);
    for (unsigned k = 0; k < DUSK_TAKEN_KINDS; k++) all += kinds[k];
    if (all != count ||
        good != kinds[DUSK_TAKEN] + kinds[DUSK_DROPPED_INVALID] + kinds[DUSK_DROPPED_REPLAYED])
        abort();
    free(reports);
    free(fine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t good[] = {
        0x4f, 0x85, 0x01, 0x07, 0x00, 0x48, 'a', 'n', 'o', 'n', 'c', 'e', '!', '!', 0x41, 0x01
    };
    static const size_t pieces[] = { 1, 7, 0 };
    const dusk_survey survey = survey_of(size ? data[0] : 0);
    uint64_t before[DUSK_TAKEN_KINDS], after[DUSK_TAKEN_KINDS];
    if (size) data++, size--;
    dusk_collector *whole = collect(&survey, data, size, size ? size : 1);
    for (size_t i = 0; i < 3; i++) {
        dusk_collector *cut = collect(&survey, data, size, pieces[i]);
        compare(whole, cut, true);
        dusk_collector_free(cut);
    }
    shuffle(&survey, whole, data, size);
    list(&survey, whole, data, size);
    dusk_collector_kinds(whole, before);
    feed(whole, good, sizeof good, 5, 0);
    dusk_collector_kinds(whole, after);
    if (dusk_report_size(&survey.task) == 1 && after[DUSK_TAKEN] + after[DUSK_DROPPED_REPLAYED] !=
                                                   before[DUSK_TAKEN] + before[DUSK_DROPPED_REPLAYED] + 1)
        abort();
    dusk_collector_free(whole);
    return 0;
}
