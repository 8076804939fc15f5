/* SPDX-License-Identifier: Apache-2.0 */
/* Compositions: lists of trees that grow by events and by text, and how to walk
 * them. What is added is all added or not at all. Prices are for the
 * accountants. */
#include "accounting/composition.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"

dusk_status dusk_composition_new(dusk_composition **out, dusk_neighbours neighbours, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_composition *made;
    if (neighbours != DUSK_ADD_REMOVE && neighbours != DUSK_REPLACE_ONE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give DUSK_ADD_REMOVE or DUSK_REPLACE_ONE",
                         "neighbours is no neighbouring relation");
    DUSK_NEW(made, 1);
    made->neighbours = neighbours;
    *out = made;
done:
    return status;
}

void dusk_composition_free(dusk_composition *composition)
{
    if (!composition) return;
    dusk_deallocate(composition->node);
    dusk_forest_index_free(&composition->index);
    dusk_deallocate(composition);
}

static dusk_status reserve(dusk_composition *composition, size_t more, dusk_error *err)
{
    dusk_forest trees = { composition->count, composition->room, composition->node };
    dusk_status status = dusk_forest_reserve(&trees, more, err);
    composition->room = trees.room;
    composition->node = trees.node;
    return status;
}

/* Make room, and see whether any tree would run too often, before anything changes. */
static dusk_status prepare(dusk_composition *composition, const dusk_event_node *node, size_t count,
                           dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t trees = 0;
    DUSK_TRY(reserve(composition, count, err));
    for (size_t i = 0; i < count; i += node[i].span, trees++) {
        size_t equal = dusk_forest_index_find(&composition->index, composition->node, &node[i]);
        if (equal == DUSK_FOREST_NONE) continue;
        if (node[i].times > DUSK_EVENT_TIMES_MAX - composition->node[equal].times)
            DUSK_TRY(dusk_fail_times(err));
    }
    DUSK_TRY(dusk_forest_index_reserve(&composition->index, trees, err));
done:
    return status;
}

/* Add trees that are different from each other. */
static dusk_status add(dusk_composition *composition, const dusk_event_node *node, size_t count,
                       dusk_error *err)
{
    dusk_status status = prepare(composition, node, count, err);
    if (status != DUSK_OK) return status;
    for (size_t i = 0; i < count; i += node[i].span) {
        size_t equal = dusk_forest_index_find(&composition->index, composition->node, &node[i]);
        if (equal != DUSK_FOREST_NONE) {
            composition->node[equal].times += DUSK_MUTATE(COMPOSITION_EQUALS_VANISH, node[i].times, 0);
            continue;
        }
        memcpy(&composition->node[composition->count], &node[i], node[i].span * sizeof *node);
        dusk_forest_index_add(&composition->index, composition->node, composition->count);
        composition->count += node[i].span;
    }
    return DUSK_OK;
}

dusk_status dusk_composition_add(dusk_composition *composition, const dusk_event *event, uint64_t times,
                                 dusk_error *err)
{
    dusk_event_nodes nodes;
    dusk_status status = dusk_event_read(&nodes, event, err);
    if (status != DUSK_OK || times == 0) return status;
    for (size_t i = 0; i < nodes.count; i += nodes.node[i].span) {
        if (times > DUSK_EVENT_TIMES_MAX / nodes.node[i].times) return dusk_fail_times(err);
        nodes.node[i].times *= times;
    }
    return add(composition, nodes.node, nodes.count, err);
}

static dusk_status parse(dusk_composition *composition, const char *text, const dusk_event_grammar *grammar,
                         dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_forest trees = { 0 };
    DUSK_TRY(dusk_forest_parse(&trees, text, grammar, err));
    DUSK_TRY(add(composition, trees.node, trees.count, err));
done:
    dusk_forest_free(&trees);
    return status;
}

dusk_status dusk_composition_parse(dusk_composition *composition, const char *text, dusk_error *err)
{
    return parse(composition, text, &(dusk_event_grammar){ .many = true }, err);
}

static bool is_name(const char *name)
{
    const char *at = name;
    while ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_') at++;
    return at > name && !*at;
}

dusk_status dusk_composition_parse_with(dusk_composition *composition, const char *text, const char *variable,
                                        double value, dusk_error *err)
{
    if (!is_name(variable) || strlen(variable) > 64)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call it as in gaussian(sigma)",
                         "variable must be a name of at most 64 letters and '_'");
    if (!isfinite(value))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a number such as 1", "value must be finite");
    dusk_event_grammar grammar = { .many = true, .variable = variable, .value = value };
    return parse(composition, text, &grammar, err);
}

const dusk_event_node *dusk_composition_first(const dusk_composition *composition)
{
    return composition->count ? composition->node : NULL;
}

const dusk_event_node *dusk_composition_next(const dusk_composition *composition, const dusk_event_node *tree)
{
    const dusk_event_node *next = tree + tree->span;
    return next < composition->node + composition->count ? next : NULL;
}

const dusk_event_node *dusk_event_first_below(const dusk_event_node *parent)
{
    return parent->span > 1 ? parent + 1 : NULL;
}

const dusk_event_node *dusk_event_next_below(const dusk_event_node *parent, const dusk_event_node *child)
{
    const dusk_event_node *next = child + child->span;
    return next < parent + parent->span ? next : NULL;
}

dusk_status dusk_fail_unsupported(dusk_error *err, const char *accountant, const dusk_event_node *tree)
{
    char words[81];
    dusk_text text;
    dusk_text_init(&text, words, sizeof words);
    dusk_event_write(&text, tree, tree->span);
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "ask for the accountant best, which takes whoever can",
                     "the %s accountant cannot price %s%s", accountant, words, text.overflow ? "..." : "");
}
