/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_WIRE_H
#define DUSK_LOCAL_WIRE_H

#include "dusk/local.h"

/* Local privacy, between devices and tallies: streams of records (dusk_client_record, docs/collect/wire.md) into a tally, and
 * tallies as files.
 *
 *     dusk_collector_new    nothing was taken yet; or dusk_collector_read: as it was when it was written
 *     dusk_intake_new       one for each file or connection, and dusk_intake_take for its bytes as they come
 *     dusk_collector_write  now and then, and at the end
 *
 * A collector remembers the nonces of all records that it took, and its file has them: after a crash, read the file that was written last and
 * give all input again. What was taken before is dropped as replayed, so that nothing is lost and nothing counts twice. That is 8 bytes a report on
 * disk, and 11 to 22 in memory.
 *
 * Bytes are hostile. Whatever they are, records that are whole and of this task and epoch are taken, and all others are counted by what was wrong with
 * them; nothing but memory fails.
 *
 * Caveats
 *   - Anybody can make records. Replays are found; a device that makes two records, or a million, is not.
 *   - Nonces are random: of a billion records one is dropped by mistake with probability 0.03.
 *   - One collector is one epoch. Epochs are added up by dusk_tally_merge, shards of one epoch by dusk_collector_merge. */

#ifdef __cplusplus
extern "C" {
#endif

/* Why a record was dropped, or DUSK_TAKEN. Values are pinned: they are in files. */
typedef enum dusk_taken {
    DUSK_TAKEN = 0,
    DUSK_DROPPED_MALFORMED = 1, /* a frame that holds no record, or more than one                       */
    DUSK_DROPPED_TRUNCATED = 2, /* the input ended in it                                                */
    DUSK_DROPPED_OVERSIZED = 3, /* longer than any record                                               */
    DUSK_DROPPED_UNFRAMED = 4,  /* no frame: the rest of this input cannot be read; one for each input  */
    DUSK_DROPPED_VERSION = 5,   /* of a version of the format that this library does not know           */
    DUSK_DROPPED_TASK = 6,      /* of another task                                                      */
    DUSK_DROPPED_EPOCH = 7,     /* of another epoch                                                     */
    DUSK_DROPPED_LENGTH = 8,    /* its report has not as many bytes as reports of the task              */
    DUSK_DROPPED_REPLAYED = 9,  /* it was taken before                                                  */
    DUSK_DROPPED_INVALID = 10,  /* a report that no device makes                                        */
    DUSK_TAKEN_KINDS = 11
} dusk_taken;
/* "taken", "malformed", ...; and a few words for people. NULL for other numbers. */
DUSK_API const char *dusk_taken_name(unsigned kind);
DUSK_API const char *dusk_taken_about(unsigned kind);

/* --- collectors ------------------------------------------------------------------------------------------------------- */

typedef struct dusk_collector dusk_collector;

/* For the reports of one epoch. `lanes` (1 to 1024) is how many threads may take at the same time; each has counters of its own. */
DUSK_API DUSK_MUST_USE dusk_status dusk_collector_new(dusk_collector **out, const dusk_survey *survey,
                                                      uint64_t epoch, uint32_t lanes, dusk_error *err);
/* All intakes must be gone. */
DUSK_API void dusk_collector_free(dusk_collector *collector);
DUSK_API uint64_t dusk_collector_epoch(const dusk_collector *collector);
/* How many there were of each kind. Any thread may ask, at any time. */
DUSK_API void dusk_collector_kinds(dusk_collector *collector, uint64_t kinds[DUSK_TAKEN_KINDS]);
/* The counters of all lanes together, until the next call of this collector. No lane may be taking. */
DUSK_API const dusk_tally *dusk_collector_tally(dusk_collector *collector);

/* One input: a file, a connection. It belongs to one thread, and to a lane, which is one thread's too. */
typedef struct dusk_intake dusk_intake;
DUSK_API DUSK_MUST_USE dusk_status dusk_intake_new(dusk_intake **out, dusk_collector *collector,
                                                   uint32_t lane, dusk_error *err);
/* The next n bytes. Records may end in later ones. DUSK_ERR_MEMORY: some of them were taken; give all again to a collector that was written before. */
DUSK_API DUSK_MUST_USE dusk_status dusk_intake_take(dusk_intake *intake, const uint8_t *bytes, size_t n,
                                                    dusk_error *err);
/* All of one input as JSON in the form that Apple's devices were seen to send (docs/collect/wire.md), one document or one a line, for a task of CMS or HCMS; DUSK_ERR_UNSUPPORTED for others. Records have no nonces there: they get some that follow from the input, so
 * that the same bytes given again are replayed, and other bytes are not. Do not mix it with dusk_intake_take. */
DUSK_API DUSK_MUST_USE dusk_status dusk_intake_take_json(dusk_intake *intake, const uint8_t *bytes, size_t n,
                                                         dusk_error *err);
/* How many records of this input were taken, and how many were dropped. */
DUSK_API uint64_t dusk_intake_taken(const dusk_intake *intake);
DUSK_API uint64_t dusk_intake_dropped(const dusk_intake *intake);
/* The input is at its end: a record that is not whole is counted as truncated. */
DUSK_API void dusk_intake_end(dusk_intake *intake);
DUSK_API void dusk_intake_free(dusk_intake *intake);

/* Add another shard of the same task and epoch. *added is false, and nothing changes, when all its records are here already: a merge can be repeated
 * after a crash. Records that both took, which devices can bring about by sending to both, count twice; *twice says how many, and DUSK_ERR_ARGUMENT is the
 * answer when they are more than one in a hundred of the other's, for then it is a mistake. No lane may be taking. */
DUSK_API DUSK_MUST_USE dusk_status dusk_collector_merge(dusk_collector *collector, dusk_collector *other,
                                                        bool *added, uint64_t *twice, dusk_error *err);

/* --- files -------------------------------------------------------------------------------------------------------------- */

/* A file is whole or not there: it is written beside its place, synced and moved there, and has a checksum (docs/collect/wire.md). Reading one that was
 * changed is DUSK_ERR_CORRUPT. Takers wait while a collector is written. A tally can be read from the file of a collector, too. */
DUSK_API DUSK_MUST_USE dusk_status dusk_collector_write(dusk_collector *collector, const char *path,
                                                        dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_collector_read(dusk_collector **out, const char *path, uint32_t lanes,
                                                       dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_tally_write(const dusk_tally *tally, const char *path,
                                                    dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_tally_read(dusk_tally **out, const char *path, dusk_error *err);
/* The same from bytes in memory. */
DUSK_API DUSK_MUST_USE dusk_status dusk_tally_parse(dusk_tally **out, const uint8_t *bytes, size_t n,
                                                    dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_collector_parse(dusk_collector **out, const uint8_t *bytes, size_t n,
                                                        uint32_t lanes, dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
