/* SPDX-License-Identifier: Apache-2.0 */
/* Shuffled reports as a dominating pair: shuffle.c bounds their curve at points,
 * which pair_curve.c connects. What runs alone, once, is asked directly. */
#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "accounting/pair_build.h"
#include "accounting/shuffle.h"

/* Of a curve; large populations take longer for each point. What runs alone has
 * few, for whoever does not ask directly. */
#define POINTS 1024
#define POINTS_OF_MANY 256
#define MANY 10000000
#define POINTS_ALONE 8

static bool is_response(const dusk_event_node *tree) { return tree->kind == DUSK_EVENT_SHUFFLE_RESPONSE; }

double dusk_shuffled_delta_up(const dusk_event_node *tree, double epsilon)
{
    if (is_response(tree))
        return dusk_shuffle_response_delta_up(tree->whole[0], tree->real[0], tree->whole[1], epsilon);
    return dusk_shuffle_delta_up(tree->whole[0], tree->real[0], epsilon);
}

double dusk_shuffled_epsilon_up(const dusk_event_node *tree, double delta)
{
    if (is_response(tree))
        return dusk_shuffle_response_epsilon_up(tree->whole[0], tree->real[0], tree->whole[1], delta);
    return dusk_shuffle_epsilon_up(tree->whole[0], tree->real[0], delta);
}

static double delta_up(double epsilon, const void *context)
{
    return dusk_shuffled_delta_up(context, epsilon);
}

DUSK_PROVEN(dusk_builder_add_shuffle)
dusk_status dusk_builder_add_shuffle(dusk_builder *b, const dusk_event_node *tree, uint64_t times)
{
    dusk_pair pair = { 0 };
    size_t points = b->alone ? POINTS_ALONE : tree->whole[0] > MANY ? POINTS_OF_MANY : POINTS;
    if (b->pairs.direction != DUSK_REPLACE) return dusk_builder_refuse_direction(b, "shuffling");
    if (!(tree->real[0] > 0)) return DUSK_OK;
    dusk_status status = dusk_atoms_sample_curve(&pair, delta_up, tree, tree->real[0], points, b->err);
    if (status != DUSK_OK) return status;
    pair.shuffled = true;
    return dusk_builder_add_pair(b, &pair, tree, times);
}
