/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_BOUNDING_H
#define DUSK_QUERY_BOUNDING_H

/* Contribution bounding and exact totals. Rows come in chunks (the unit, the keys, the values), in
 * any order; they are partitioned by unit, on disk beyond a memory limit. Of each unit
 *   1. rows whose keys are no public group are left out, where groups are public;
 *   2. at most rows_per_unit rows stay, where that is set;
 *   3. at most groups_per_unit groups stay;
 *   4. at most rows_per_group rows of a group stay,
 * each chosen uniformly by the unit's own coins (random/keyed.h). So the bounded rows of a unit
 * depend on that unit's rows and coins alone, and totals of neighbouring data differ by the bounded
 * contribution of one unit.
 *
 * A unit's rows are chosen from in an order of their content, so that not even their own order matters:
 * with the same coins, the totals of a table are the sums of those of its units alone, exactly
 * (bounding.proof.md, with the norms of what one unit adds). Different values (DISTINCT) are chosen from
 * among those of the rows that step 3 leaves, so many as rows_per_group says.
 *
 * Totals are integers in 128 bits: exact, whatever the order, threads and chunks. Terms are at most 2^62
 * steps of the grid, so that no total can wrap.
 *
 * Memory: records beyond half of the limit are in a temporary file, encrypted and without a name; beside
 * them are held the keys of all groups, totals by group for each thread (fewer threads where these do not
 * fit), what is collected, and the different values that are counted. A unit that is larger than the
 * memory is bounded all the same. What can fail after bounding_new is memory, the file (DUSK_ERR_IO when the disk
 * is full), and the cipher; that a table is too large for a disk cannot be hidden. */

#include "base/platform.h"
#include "query/expression.h"
#include "random/generator.h"
#include "table/engine.h"

typedef enum bounding_kind {
    BOUNDING_UNITS = 1, /* units with a row in the group                                       */
    BOUNDING_ROWS,      /* rows                                                                */
    BOUNDING_VALUES,    /* values that are not NULL                                            */
    BOUNDING_SUM,       /* of clamp(value) - centre                                            */
    BOUNDING_SQUARES,   /* of (clamp(value) - centre)^2 - half_square                          */
    BOUNDING_DISTINCT,  /* different values that are not NULL                                  */
    BOUNDING_COLLECT    /* no total: the clamped values themselves                             */
} bounding_kind;

/* A term that is added: for SUM and SQUARES it is clamped to +-reach (as computed) and rounded toward zero to
 * a multiple of 2^grid. NULL and NaN values add nothing and are not counted; infinite ones are
 * clamped. */
typedef struct bounding_total {
    bounding_kind kind;
    size_t value;               /* which value column; not for UNITS and ROWS   */
    double lower, upper;        /* SUM, SQUARES, COLLECT: values are clamped    */
    double centre;              /* SUM, SQUARES                                 */
    double half_square;         /* SQUARES                                      */
    double reach;               /* SUM, SQUARES: the most that a term can be    */
    int grid;                   /* SUM, SQUARES                                 */
    double unit_low, unit_high; /* SUM: a unit's total in a group is clamped to these, also toward
                                  zero on the grid; NaN: not */
} bounding_total;

typedef struct bounding_options {
    dusk_cell_type unit_type; /* INTEGER or TEXT */
    const dusk_cell_type *key_types;
    size_t keys;
    const dusk_cell_type *value_types; /* SUM, SQUARES, COLLECT need INTEGER or REAL */
    size_t values;
    const bounding_total *total;
    size_t totals;
    uint32_t groups_per_unit, rows_per_group; /* >= 1 */
    uint32_t rows_per_unit;                   /* 0: no such limit */
    const query_value
        *groups;         /* public: keys values a group, one group after the other; NULL: private keys */
    size_t groups_count; /* of them; 1 when keys is 0 */
    size_t memory;       /* bytes, about, before partitions go to disk; 0: 1 GiB */
    const char *folder;  /* where temporary files go; NULL: TMPDIR, or /tmp */
    unsigned threads;    /* 0: as many as there are processors */
} bounding_options;

typedef struct bounding bounding;

/* Options are copied. Coins are keyed by 32 bytes of the generator. */
DUSK_MUST_USE dusk_status bounding_new(bounding **out, const bounding_options *options, dusk_generator *gen,
                                       dusk_error *err);
/* Columns: the unit, the keys, the values. Rows without a unit are left out. */
DUSK_MUST_USE dusk_status bounding_add(bounding *b, const dusk_chunk *chunk, dusk_error *err);

/* What is left, by group. Private still. */
typedef struct bounded {
    size_t groups;
    query_value *key;   /* keys values a group */
    uint64_t *units;    /* units with a row in the group; private groups have one at least */
    dusk_int128 *sum;   /* total t of group g is sum[t * groups + g] */
    double **collected; /* collected[t * groups + g], ascending; NULL where there is none */
    size_t *collected_count;
} bounded;
/* Bound and add up; `b` can only be freed afterwards. Groups come in an arbitrary order where keys are private. */
DUSK_MUST_USE dusk_status bounding_finish(bounding *b, bounded **out, dusk_error *err);
/* Both are wiped; NULL is fine. */
void bounding_free(bounding *b);
void bounded_free(bounded *groups);

#endif
