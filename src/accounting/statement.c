/* SPDX-License-Identifier: Apache-2.0 */
/* Statements: an event beside the promise that follows from it, and the one
 * text and the one JSON form in which they travel. The numbers come from the best
 * accountant; here they are only carried, with all their digits. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accounting/account.h"
#include "accounting/event.h"
#include "base/format.h"
#include "base/mutant.h"
#include "base/text.h"

const char *dusk_neighbours_name(dusk_neighbours neighbours)
{
    switch (neighbours) {
    case DUSK_ADD_REMOVE: return "add-remove";
    case DUSK_REPLACE_ONE: return "replace-one";
    }
    return "unknown";
}

static const char *numerics_name(dusk_numerics numerics)
{
    switch (numerics) {
    case DUSK_NUMERICS_EXACT: return "exact";
    case DUSK_NUMERICS_CERTIFIED: return "certified";
    case DUSK_NUMERICS_IDEALISED: return "idealised";
    }
    return "unknown";
}

/* A statement is one line: words that would break it are refused. */
static bool is_plain(const char *words)
{
    for (; *words; words++)
        if ((unsigned char)*words < 0x20 || *words == 0x7f) return false;
    return true;
}

static dusk_status check_words(const char *name, const char *words, size_t room, dusk_error *err)
{
    if (words[0] == '\0' || !is_plain(words))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use a few plain words", "%s must be one line and not empty",
                         name);
    if (strlen(words) >= room) return dusk_fail(err, DUSK_ERR_ARGUMENT, "shorten it", "%s is too long", name);
    return DUSK_OK;
}

dusk_neighbours dusk_event_relation(const dusk_event_nodes *nodes, dusk_neighbours neighbours)
{
    for (uint64_t i = 0; i < nodes->count; i++) {
        uint32_t kind = nodes->node[i].kind;
        if (kind == DUSK_EVENT_SELECT_BEST || kind == DUSK_EVENT_SELECT_POISSON) continue; /* any relation */
        bool replaces = kind == DUSK_EVENT_RANDOMIZED_RESPONSE || kind == DUSK_EVENT_SHUFFLE ||
                        kind == DUSK_EVENT_SHUFFLE_RESPONSE || kind == DUSK_EVENT_METRIC ||
                        kind == DUSK_EVENT_THRESHOLD_MONITOR;
        bool divides = DUSK_MUTATE(STATEMENT_UNITS_STAY, kind == DUSK_EVENT_PARALLEL, false);
        if (replaces || divides ||
            (kind < DUSK_EVENT_KINDS && dusk_event_form_of(kind)->below == DUSK_BELOW_SUM))
            return neighbours;
    }
    return DUSK_ADD_REMOVE;
}

static bool has_whole_distance(uint32_t kind)
{
    return kind == DUSK_EVENT_DISCRETE_LAPLACE || kind == DUSK_EVENT_DISCRETE_GAUSSIAN;
}

/* Can all distances of discrete noise be halved? */
static bool all_are_even(const dusk_event_nodes *nodes)
{
    for (uint64_t i = 0; i < nodes->count; i++)
        if (has_whole_distance(nodes->node[i].kind) && nodes->node[i].whole[0] % 2) return false;
    return true;
}

DUSK_PROVEN(dusk_statement_as_charged)
dusk_status dusk_statement_as_charged(const dusk_statement *statement, dusk_event *out, dusk_error *err)
{
    dusk_event_nodes nodes;
    dusk_status status = dusk_event_read(&nodes, &statement->event, err);
    if (status != DUSK_OK) return status;
    bool halves = statement->neighbours == DUSK_REPLACE_ONE &&
                  dusk_event_relation(&nodes, statement->neighbours) == DUSK_ADD_REMOVE;
    bool even = all_are_even(&nodes);
    for (uint64_t i = 0; halves && i < nodes.count; i++) {
        dusk_event_node *node = &nodes.node[i];
        if (node->kind == DUSK_EVENT_LAPLACE || node->kind == DUSK_EVENT_GAUSSIAN)
            node->real[0] *= DUSK_MUTATE(STATEMENT_CHARGED_FOR_LESS, 2, 4);
        else if (even && has_whole_distance(node->kind))
            node->whole[0] /= 2;
    }
    return dusk_event_seal(out, nodes.node, nodes.count, err);
}

static dusk_status price_best(dusk_statement *statement, const dusk_event *event, dusk_neighbours relation,
                              dusk_error *err)
{
    dusk_account account;
    dusk_status status = dusk_account_event(&account, event, statement->delta, relation, DUSK_BEST, err);
    if (status != DUSK_OK) return status;
    statement->epsilon = account.bound.upper;
    const char *name = dusk_accountant_name(account.accountant);
    memcpy(statement->accountant, name, strlen(name) + 1);
    return DUSK_OK;
}

/* Whether basic composition says all there is to say: one part has its own curve, and
 * at delta 0 the largest losses add up. It costs a microsecond. */
static bool basic_suffices(const dusk_event_nodes *nodes, double delta)
{
    return delta == 0 || (nodes->count == 1 && nodes->node[0].times == 1);
}

static dusk_status price(dusk_statement *statement, const dusk_event *event, dusk_error *err)
{
    dusk_event_nodes nodes;
    dusk_status status = dusk_event_read(&nodes, event, err);
    if (status != DUSK_OK) return status;
    dusk_neighbours relation = dusk_event_relation(&nodes, statement->neighbours);
    if (relation != DUSK_ADD_REMOVE || !basic_suffices(&nodes, statement->delta) ||
        dusk_event_epsilon_up(event, &statement->epsilon, statement->delta, NULL) != DUSK_OK)
        return price_best(statement, event, relation, err);
    memcpy(statement->accountant, "basic", sizeof "basic");
    return DUSK_OK;
}

dusk_status dusk_statement_init(dusk_statement *out, const dusk_event *event, double delta,
                                dusk_neighbours neighbours, const char *unit, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_statement made = { .numerics = DUSK_NUMERICS_EXACT, .delta = delta, .neighbours = neighbours };
    if (neighbours != DUSK_ADD_REMOVE && neighbours != DUSK_REPLACE_ONE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give DUSK_ADD_REMOVE or DUSK_REPLACE_ONE",
                         "neighbours is no neighbouring relation");
    if (!unit) unit = "unit";
    DUSK_TRY(check_words("unit", unit, sizeof made.unit, err));
    DUSK_TRY(price(&made, event, err));
    memcpy(made.unit, unit, strlen(unit));
    made.event = *event;
    *out = made;
done:
    return status;
}

dusk_status dusk_statement_none(dusk_statement *out, dusk_neighbours neighbours, const char *unit,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    dusk_statement made;
    DUSK_TRY(dusk_event_pure(&event, DBL_MAX, err));
    DUSK_TRY(dusk_statement_init(&made, &event, 0, neighbours, unit, err));
    made.epsilon = DBL_MAX;
    made.delta = 1;
    memcpy(made.accountant, "none", sizeof "none");
    DUSK_TRY(dusk_statement_assume(&made, "NO PRIVACY: nothing was clipped and there is no noise", err));
    *out = made;
done:
    return status;
}

bool dusk_statement_is_none(const dusk_statement *statement) { return !(statement->delta < 1); }

bool dusk_statement_is_for_labels(const dusk_statement *statement)
{
    return !strncmp(statement->unit, DUSK_LABEL_OF, sizeof DUSK_LABEL_OF - 1);
}

dusk_status dusk_statement_assume(dusk_statement *statement, const char *fact, dusk_error *err)
{
    size_t length = strnlen(statement->assumed, sizeof statement->assumed);
    const char *joint = length ? "; " : "";
    size_t used = length + strlen(joint);
    size_t room = used < sizeof statement->assumed ? sizeof statement->assumed - used : 0;
    dusk_status status = check_words("assumed", fact, room, err);
    if (status != DUSK_OK) return status;
    memcpy(statement->assumed + length, joint, strlen(joint));
    memcpy(statement->assumed + used, fact, strlen(fact) + 1);
    return DUSK_OK;
}

/* The fields are public, so somebody may have filled them by hand. */
static dusk_status check_statement(const dusk_statement *statement, dusk_error *err)
{
    bool ends = memchr(statement->accountant, 0, sizeof statement->accountant) &&
                memchr(statement->unit, 0, sizeof statement->unit) &&
                memchr(statement->assumed, 0, sizeof statement->assumed);
    if (ends && is_plain(statement->accountant) && is_plain(statement->unit) && is_plain(statement->assumed))
        return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it with dusk_statement_init",
                     "the texts of the statement must each end and be one line");
}

/* Copy out at the very end: outputs are written only on success. */
static dusk_status hand_over(const dusk_text *written, char *text, size_t size, dusk_error *err)
{
    if (written->overflow || written->length >= size)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give 16384 bytes", "size is too small for the statement");
    memcpy(text, written->data, written->length + 1);
    return DUSK_OK;
}

/* For reading: at most six digits, rounded up, so that it stays a bound. */
static void six_digits_up(dusk_text *out, double x)
{
    char digits[64];
    dusk_format(digits, sizeof digits, "%.5e", x);
    double shown = dusk_number_at(digits, NULL);
    if (shown < x) { /* the next number of six digits */
        long number = digits[0] - '0';
        for (int i = 2; i < 7; i++) number = 10 * number + (digits[i] - '0');
        snprintf(digits, sizeof digits, "%lde%ld", number + 1, strtol(digits + 8, NULL, 10) - 5);
        shown = dusk_number_at(digits, NULL);
    }
    dusk_text_number(out, shown >= x ? shown : x);
}

dusk_status dusk_statement_format(const dusk_statement *statement, char *text, size_t size, dusk_error *err)
{
    char event[DUSK_EVENT_TEXT_MAX], buffer[16384];
    dusk_status status = DUSK_OK;
    dusk_text out;
    DUSK_TRY(check_statement(statement, err));
    DUSK_TRY(dusk_event_format(&statement->event, event, sizeof event, err));
    dusk_text_init(&out, buffer, sizeof buffer);
    dusk_text_add(&out, "epsilon ");
    six_digits_up(&out, statement->epsilon);
    dusk_text_add(&out, " at delta ");
    dusk_text_number(&out, statement->delta);
    dusk_text_add(&out, " (%s), %s%s %s; event %s; numerics %s", statement->accountant,
                  dusk_neighbours_name(statement->neighbours),
                  statement->neighbours == DUSK_ADD_REMOVE ? " one" : "", statement->unit, event,
                  numerics_name(statement->numerics));
    if (statement->numerics == DUSK_NUMERICS_CERTIFIED) {
        dusk_text_add(&out, " but for probability ");
        dusk_text_number(&out, statement->numerics_delta);
    }
    if (statement->assumed[0]) dusk_text_add(&out, "; assumed: %s", statement->assumed);
    dusk_text_add(&out, "; dusk %s", DUSK_VERSION);
    DUSK_TRY(hand_over(&out, text, size, err));
done:
    return status;
}

static void json_field(dusk_text *out, const char *name, const char *value)
{
    dusk_text_add(out, "%s\"%s\":", out->length > 1 ? "," : "", name);
    dusk_text_json_string(out, value);
}

static void json_number_field(dusk_text *out, const char *name, double value)
{
    dusk_text_add(out, ",\"%s\":", name);
    dusk_text_json_number(out, value);
}

/* "a; b" as ["a","b"]. */
static void json_facts(dusk_text *out, const char *facts)
{
    char fact[sizeof((dusk_statement *)0)->assumed];
    dusk_text_add(out, ",\"assumed\":[");
    for (const char *from = facts; *from;) {
        const char *end = strstr(from, "; ");
        size_t length = end ? (size_t)(end - from) : strlen(from);
        memcpy(fact, from, length);
        fact[length] = '\0';
        if (from != facts) dusk_text_add(out, ",");
        dusk_text_json_string(out, fact);
        from += length + (end ? 2 : 0);
    }
    dusk_text_add(out, "]");
}

dusk_status dusk_statement_json(const dusk_statement *statement, char *text, size_t size, dusk_error *err)
{
    char event[DUSK_EVENT_TEXT_MAX], buffer[16384];
    dusk_status status = DUSK_OK;
    dusk_text out;
    DUSK_TRY(check_statement(statement, err));
    DUSK_TRY(dusk_event_format(&statement->event, event, sizeof event, err));
    dusk_text_init(&out, buffer, sizeof buffer);
    dusk_text_add(&out, "{");
    json_field(&out, "event", event);
    json_field(&out, "numerics", numerics_name(statement->numerics));
    json_number_field(&out, "numerics_delta", statement->numerics_delta);
    json_number_field(&out, "epsilon", statement->epsilon);
    json_number_field(&out, "delta", statement->delta);
    json_field(&out, "accountant", statement->accountant);
    json_field(&out, "neighbours", dusk_neighbours_name(statement->neighbours));
    json_field(&out, "unit", statement->unit);
    json_facts(&out, statement->assumed);
    json_field(&out, "version", DUSK_VERSION);
    dusk_text_add(&out, "}");
    DUSK_TRY(hand_over(&out, text, size, err));
done:
    return status;
}
