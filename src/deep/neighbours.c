/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest rows; see neighbours.h. Proof: neighbours.proof.md. */
#include "deep/neighbours.h"

#include <math.h>
#include <string.h>

#include "base/mutant.h"
#include "deep/real.h"

enum { LANES = 16 };

/* The squared distance of two vectors, added up in an order that depends on their width alone; what is no number is far. */
DEEP_LANES
static float distance_of(const float *restrict x, const float *restrict y, size_t width)
{
    float lane[LANES] = { 0 };
    size_t j = 0;
    for (; j + LANES <= width; j += LANES)
        for (size_t l = 0; l < LANES; l++) {
            const float d = x[j + l] - y[j + l];
            lane[l] += d * d;
        }
    for (size_t l = 0; j < width; j++, l++) {
        const float d = x[j] - y[j];
        lane[l] += d * d;
    }
    float sum = 0;
    for (size_t l = 0; l < LANES; l++) sum += lane[l];
    return sum < INFINITY ? sum : INFINITY;
}

/* Of any two rows one is further, whoever else is there. */
static bool further(deep_near a, deep_near b)
{
    return a.distance > b.distance || (!(a.distance < b.distance) && a.row > b.row);
}

/* A heap: the furthest is first. */
static void sink(deep_near *heap, size_t count, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && further(heap[child + 1], heap[child])) child++;
        if (!further(heap[child], heap[at])) return;
        const deep_near held = heap[at];
        heap[at] = heap[child];
        heap[child] = held;
    }
}

static void rise(deep_near *heap, size_t at)
{
    for (size_t parent; at > 0; at = parent) {
        parent = (at - 1) / 2;
        if (!further(heap[at], heap[parent])) return;
        const deep_near held = heap[at];
        heap[at] = heap[parent];
        heap[parent] = held;
    }
}

DUSK_PROVEN(deep_nearest_vote)
void deep_nearest_vote(const deep_vectors *rows, const float *question, const size_t *row, size_t count,
                       size_t k, size_t classes, deep_near *room, int32_t *votes)
{
    size_t held = 0;
    memset(votes, 0, classes * sizeof *votes);
    for (size_t i = 0; i < count; i++) {
        const deep_near one = { distance_of(rows->x + row[i] * rows->width, question, rows->width), row[i] };
        if (held < k) {
            room[held] = one;
            rise(room, held++);
        } else if (k > 0 && further(room[0], one)) {
            room[0] = one;
            sink(room, held, 0);
        }
    }
    for (size_t i = 0; i < held; i++)
        votes[rows->code[room[i].row]] += DUSK_MUTATE(KNN_NEAR_ROWS_VOTE_TWICE, 1, i < 3 ? 2 : 1);
}
