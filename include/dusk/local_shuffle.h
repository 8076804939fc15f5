/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_SHUFFLE_H
#define DUSK_LOCAL_SHUFFLE_H

#include "dusk/local_wire.h"

/* Shuffling: between devices and the server stands somebody who takes the records of an epoch, forgets where they came from and when, and passes them on in random order. What
 * the server then sees is far more private than a report by itself.
 *
 *     dusk_shuffler_new        of one task and epoch
 *     dusk_shuffler_take       whole inputs: files of records
 *     dusk_shuffler_release    once, when there are enough: new records in uniformly random order
 *     dusk_shuffled_statement  what that promises, beside the epsilon of a report
 *
 * A record that goes out has the task, the epoch, the report, and a new nonce, so that the server still finds replays of it; nothing else is kept. How many
 * reports there are is public, and so is whether they were enough: neighbouring batches differ in what one person reports, not in how many do. Unless that is hidden, too:
 *
 *     dusk_shuffler_hide_number  a random number of reports is thrown away, and the threshold is for what is left [Bittau et al. 2017, Prochlo]
 *     dusk_hidden_statement      what that promises to who reports or does not
 *
 * Caveats
 *   - The shuffler is trusted to forget the order, and to pass on nothing else. Who does not trust it has the epsilon of a report, as before.
 *   - Reports of liars hide nobody: say how many of them there may be. */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dusk_shuffler dusk_shuffler;

/* `threshold` (1 at least): with fewer reports nothing is released. */
DUSK_API DUSK_MUST_USE dusk_status dusk_shuffler_new(dusk_shuffler **out, const dusk_survey *survey,
                                                     uint64_t epoch, uint64_t threshold, dusk_error *err);
/* From now on how many people report is private: `noise` by truncated Laplace of epsilon and delta / 2, all for one decision, says how many reports leave. As many as it can add at the most, about 1 / epsilon ln(1 / delta), and twice that at
 * the most, are thrown away, by lot. A release that fails is then final, and says nothing of how many there were. */
DUSK_API DUSK_MUST_USE dusk_status dusk_shuffler_hide_number(dusk_shuffler *shuffler, double epsilon,
                                                             double delta, dusk_error *err);
DUSK_API void dusk_shuffler_free(dusk_shuffler *shuffler);
/* One whole input of n bytes. Bytes are hostile: what is no record of this task and epoch, comes twice, or holds a report that no device makes is counted and
 * dropped. DUSK_ERR_MEMORY: some of it was taken, and the shuffler must be freed. DUSK_ERR_ARGUMENT after the release. */
DUSK_API DUSK_MUST_USE dusk_status dusk_shuffler_take(dusk_shuffler *shuffler, const uint8_t *bytes, size_t n,
                                                      dusk_error *err);
DUSK_API void dusk_shuffler_kinds(const dusk_shuffler *shuffler, uint64_t kinds[DUSK_TAKEN_KINDS]);
/* How many reports there are; and how many left: all of them, unless the number is hidden. */
DUSK_API uint64_t dusk_shuffler_reports(const dusk_shuffler *shuffler);
DUSK_API uint64_t dusk_shuffler_left(const dusk_shuffler *shuffler);

/* Where records go, some at a time. */
typedef dusk_status dusk_shuffler_write(void *context, const uint8_t *bytes, size_t n, dusk_error *err);
/* Below the threshold DUSK_ERR_ARGUMENT, nothing is written, and more can be taken, unless the number is hidden. Otherwise this is the one release, and the reports are forgotten, whether it succeeds or not: a second
 * one would have other nonces, and count everybody twice. */
DUSK_API DUSK_MUST_USE dusk_status dusk_shuffler_release(dusk_shuffler *shuffler, dusk_generator *gen,
                                                         dusk_shuffler_write *write, void *context,
                                                         dusk_error *err);

/* What a shuffled batch of so many reports promises a person whose report is in it, at `delta`, when a share `liars` (below 1) of the others may send anything and tell everybody what they
 * sent: the honest ones alone are counted. By the event shuffle(n, epsilon), or shuffle_response for GRR. */
DUSK_API DUSK_MUST_USE dusk_status dusk_shuffled_statement(dusk_statement *out, const dusk_survey *survey,
                                                           uint64_t reports, double liars, double delta,
                                                           dusk_error *err);

/* What a batch promises whose number is hidden by epsilon, at `delta` in all: to a person who may be in it or not (DUSK_ADD_REMOVE), whatever the batch is. Half of delta is for the number, and half for the
 * order of a batch of `threshold` reports, the smallest that leaves. All others must be honest: who knows what all others sent sees whether somebody else is there. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hidden_statement(dusk_statement *out, const dusk_survey *survey,
                                                         uint64_t threshold, double epsilon, double delta,
                                                         dusk_error *err);

/* The epsilon that BUDS [Sengupta, Paul & Mishra 2020, iterative shuffling] claims of `batches` batches of `rows` rows each by so many shufflers: ln(batches / (rows - 1)^shufflers), and
 * no less than 0. A claim, and no bound: no row is randomised, so that whoever knows all rows but one knows the last one, too. For comparisons; nothing here relies on it, and there is no statement of it.
 * NAN: no such setting. */
DUSK_API double dusk_buds_claim(uint64_t batches, uint64_t rows, uint32_t shufflers);

#ifdef __cplusplus
}
#endif
#endif
