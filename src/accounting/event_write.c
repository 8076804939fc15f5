/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of events, written: numbers with the fewest digits that read
 * back as the same double, whatever the locale, and parameters with their
 * usual value left out. event_text.c reads it and says what the grammar is. */
#include <string.h>

#include "accounting/event.h"
#include "base/mutant.h"

static void write_real(dusk_text *text, double x)
{
    if (DUSK_MUTATE(EVENT_TEXT_SIX_DIGITS, 0, 1))
        dusk_text_add(text, "%g", x);
    else
        dusk_text_number(text, x);
}

/* What separates a parameter from the one before it. */
static const char *comma(bool *first)
{
    const char *joint = *first ? "" : ", ";
    *first = false;
    return joint;
}

static void write_wholes(dusk_text *text, const dusk_event_node *node, bool *first)
{
    const dusk_event_form *form = dusk_event_form_of(node->kind);
    for (unsigned i = 0; i < form->wholes; i++)
        if (!(form->whole_may_be_left_out && i + 1 == form->wholes && node->whole[i] == 1))
            dusk_text_add(text, "%s%llu", comma(first), (unsigned long long)node->whole[i]);
}

static void write_numbers(dusk_text *text, const dusk_event_node *node, bool *first)
{
    const dusk_event_form *form = dusk_event_form_of(node->kind);
    if (form->wholes_first) write_wholes(text, node, first);
    for (unsigned i = 0; i < form->reals; i++) {
        if (form->real_may_be_left_out && i + 1 == form->reals && node->real[i] == 0) break;
        dusk_text_add(text, "%s", comma(first));
        write_real(text, node->real[i]);
    }
    if (!form->wholes_first) write_wholes(text, node, first);
}

static void write_point(dusk_text *text, const dusk_event_node *point)
{
    write_real(text, point->real[0]); /* "inf" when it is that */
    dusk_text_add(text, ": ");
    write_real(text, point->real[1]);
}

static void write_tree(dusk_text *text, const dusk_event_node *node)
{
    const dusk_event_form *form = dusk_event_form_of(node->kind);
    bool first = true;
    dusk_text_add(text, "%s(", form->name);
    write_numbers(text, node, &first);
    if (form->below == DUSK_BELOW_SUM) {
        dusk_text_add(text, "%s", comma(&first));
        dusk_event_write(text, node + 1, node->span - 1);
    } else if (form->below != DUSK_BELOW_NOTHING) {
        for (uint32_t i = 1; i < node->span && !text->overflow; i += node[i].span) {
            dusk_text_add(text, "%s", comma(&first));
            if (form->below == DUSK_BELOW_POINTS)
                write_point(text, &node[i]);
            else
                dusk_event_write(text, &node[i + 1], node[i].span - 1);
        }
    }
    dusk_text_add(text, ")");
    if (node->times > 1) dusk_text_add(text, " * %llu", (unsigned long long)node->times);
}

void dusk_event_write(dusk_text *text, const dusk_event_node *node, size_t count)
{
    for (size_t i = 0; i < count && !text->overflow; i += node[i].span) {
        if (i) dusk_text_add(text, " + ");
        write_tree(text, &node[i]);
    }
}

dusk_status dusk_event_format(const dusk_event *event, char *text, size_t size, dusk_error *err)
{
    dusk_event_nodes nodes;
    dusk_status status = dusk_event_read(&nodes, event, err);
    if (status != DUSK_OK) return status;
    char buffer[DUSK_EVENT_TEXT_MAX];
    dusk_text written;
    dusk_text_init(&written, buffer, sizeof buffer);
    dusk_event_write(&written, nodes.node, nodes.count);
    if (written.overflow || written.length >= size)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give 8192 bytes", "size is too small for the event");
    memcpy(text, buffer, written.length + 1);
    return DUSK_OK;
}
