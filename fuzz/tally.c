/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: files of tallies and collectors. The bytes get the right beginning and hash, so that the fuzzer comes past them; what is
 * read estimates. */
#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/local_estimates.h"
#include "dusk/local_strings.h"
#include "dusk/local_wire.h"
#include "local/tally.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every kind of estimate. Counters are any, so that numbers may be; indices may not. */
static void use(const dusk_tally *tally)
{
    static const char *const texts[2] = { "a", "text" };
    double counts[4], deviations[4], mean;
    const double q[2] = { 0.1, 0.5 };
    const uint64_t domain = dusk_tally_survey(tally)->task.domain, values[4] = { 0, 1, 1000, UINT64_MAX };
    const dusk_range ranges[2] = { { 0, 0 }, { 1, domain ? domain - 1 : 1 } };
    dusk_quantile quantile[2];
    dusk_find_options options;
    dusk_string_found found[4];
    size_t n;
    (void)!dusk_tally_counts(tally, counts, deviations, values, 4, NULL);
    (void)!dusk_tally_mean(tally, &mean, deviations, NULL);
    (void)!dusk_tally_shares(tally, counts, 2, NULL);
    (void)!dusk_tally_decode(tally, counts, deviations, values, 4, NULL);
    (void)!dusk_tally_texts(tally, counts, deviations, texts, 2, NULL);
    (void)!dusk_tally_ranges(tally, counts, deviations, ranges, 2, NULL);
    if (dusk_tally_quantiles(tally, quantile, q, 2, 0.9, NULL) == DUSK_OK)
        for (size_t i = 0; i < 2; i++)
            if (!(quantile[i].low <= quantile[i].high && quantile[i].high < domain)) abort();
    dusk_find_options_init(&options);
    options.alphabet = "ab";
    options.keep = 2;
    if (dusk_tally_find(tally, &options, found, 4, &n, NULL) == DUSK_OK && n > 4) abort();
}

/* Any counters that a file may have, of a survey that the first bytes choose. */
static void use_counters(const uint8_t *data, size_t size)
{
    dusk_survey_options options;
    dusk_survey survey;
    dusk_tally *tally;
    if (size < 12) return;
    dusk_survey_options_init(&options);
    options.mechanism = (dusk_randomiser)(data[0] % 32);
    options.epsilon = 0.5 + data[1] % 64;
    options.domain = 2 + data[2] % 12;
    options.rows = data[3] % 8;
    options.width = data[3] % 8 ? 16 : 0;
    if (dusk_survey_init(&survey, &options, NULL) != DUSK_OK || dusk_survey_counters(&survey) > 1 << 14)
        return;
    if (dusk_tally_new(&tally, &survey, NULL) != DUSK_OK) abort();
    tally->reports = client_get(data + 4, 8) >> (11 + data[1] % 50);
    for (uint64_t i = 0; i < tally->cells; i++) {
        const uint64_t at = 12 + 3 * i % (size - 11);
        const int64_t x = at + 2 <= size ? (int64_t)client_get(data + at, 2) : 0;
        tally->cell[i] = ((x & 1 ? -x : x) * ((int64_t)1 << (x >> 1) % 37));
    }
    use(tally);
    dusk_tally_free(tally);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char magic[] = "dusk-tally 1\n";
    const size_t head = sizeof magic - 1, n = head + size + 32;
    uint8_t *bytes = malloc(n);
    dusk_tally *tally;
    dusk_collector *collector;
    memcpy(bytes, magic, head);
    if (size) memcpy(bytes + head, data, size);
    crypto_generichash(bytes + head + size, 32, bytes, head + size, NULL, 0);
    const dusk_status status = dusk_tally_parse(&tally, bytes, n, NULL);
    if (status == DUSK_OK) use(tally);
    if ((status == DUSK_OK) != (tally != NULL) || (status != DUSK_OK && status != DUSK_ERR_CORRUPT)) abort();
    dusk_tally_free(tally);
    if (dusk_collector_parse(&collector, bytes, n, 2, NULL) == DUSK_OK) use(dusk_collector_tally(collector));
    dusk_collector_free(collector);
    free(bytes);
    use_counters(data, size);
    return 0;
}
