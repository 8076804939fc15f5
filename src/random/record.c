/* SPDX-License-Identifier: Apache-2.0 */
/* Records of runs, in test builds only; see record.h. Memory is taken from the C library and a
 * test that gets none ends: recording must not count among the allocations that a fault test
 * makes fail. */
#include "random/record.h"

#ifdef DUSK_TESTING
#include <stdlib.h>
#include <string.h>

#include "random/state.h"

/* Room for one more of `size` bytes. */
static void *grown(void *list, size_t used, size_t *room, size_t size)
{
    if (used < *room) return list;
    size_t larger = *room ? 2 * *room : 8;
    char *moved = realloc(list, larger * size);
    if (!moved) abort();
    memset(moved + *room * size, 0, (larger - *room) * size);
    *room = larger;
    return moved;
}

void dusk_generator_record(dusk_generator *gen, dusk_record *record) { gen->record = record; }

void dusk_record_clear(dusk_record *record)
{
    for (size_t i = 0; i < record->n; i++) {
        free(record->calls[i].inputs);
        free(record->calls[i].output);
    }
    free(record->calls);
    *record = (dusk_record){ .n = 0 };
}

void dusk_record_scope(dusk_generator *gen, const char *scope, uint64_t key)
{
    if (!gen->record) return;
    gen->record->scope = scope;
    gen->record->scope_key = key;
}

void dusk_record_names(dusk_generator *gen, const uint64_t *name, size_t n)
{
    if (!gen->record) return;
    gen->record->name = name;
    gen->record->names = name ? n : 0;
}

void dusk_record_guard(dusk_generator *gen, dusk_record_at at)
{
    if (gen->record) gen->record->guard = at.record ? at.call + 1 : 0;
}

/* --- matching ------------------------------------------------------------------------- */

static bool is_same_name(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool is_kin(const dusk_record_call *a, const dusk_record_call *b)
{
    return a->scope_key == b->scope_key && is_same_name(a->scope, b->scope) &&
           is_same_name(a->header.what, b->header.what);
}

const dusk_record_call *dusk_record_twin(const dusk_record *b, const dusk_record_call *call, size_t hint)
{
    for (size_t i = 0; i < b->n; i++) {
        const dusk_record_call *other = &b->calls[(hint + i) % b->n];
        if (other->index == call->index && is_kin(other, call)) return other;
    }
    return NULL;
}

const dusk_record_input *dusk_record_find(const dusk_record_call *call, uint64_t key, size_t hint)
{
    for (size_t i = 0; i < call->n; i++) {
        const dusk_record_input *input = &call->inputs[(hint + i) % call->n];
        if (input->key == key) return input;
    }
    return NULL;
}

/* --- writing ---------------------------------------------------------------------------- */

dusk_record_at dusk_record_begin(dusk_generator *gen, const dusk_record_header *header)
{
    dusk_record *r = gen->record;
    if (!r) return (dusk_record_at){ NULL, 0 };
    dusk_record_call call = {
        .header = *header, .scope = r->scope, .scope_key = r->scope_key, .guard = r->guard
    };
    for (size_t i = r->n; i-- > 0;)
        if (is_kin(&r->calls[i], &call)) {
            call.index = r->calls[i].index + 1;
            break;
        }
    r->calls = grown(r->calls, r->n, &r->room, sizeof *r->calls);
    r->calls[r->n] = call;
    return (dusk_record_at){ r, r->n++ };
}

void dusk_record_declare(dusk_record_at at, dusk_record_norm norm, double sensitivity)
{
    if (!at.record) return;
    dusk_record_header *header = &at.record->calls[at.call].header;
    header->norm = norm;
    header->sensitivity = sensitivity;
}

static const dusk_record_call *twin_of(dusk_record_at at)
{
    const dusk_record *r = at.record;
    return r->outputs ? dusk_record_twin(r->outputs, &r->calls[at.call], at.call) : NULL;
}

/* The entry of this key, new or used before, and the one that its output is taken from. */
static dusk_record_input *enter(dusk_record_at at, uint64_t key, const dusk_record_input **from)
{
    dusk_record_call *call = &at.record->calls[at.call];
    const dusk_record_call *twin = twin_of(at);
    if (key < at.record->names) key = at.record->name[key];
    *from = twin && twin->n ? dusk_record_find(twin, key, call->n % twin->n) : NULL;
    dusk_record_input *input = NULL;
    for (size_t i = 0; i < call->n && !input && key <= call->largest; i++)
        if (call->inputs[i].key == key) input = &call->inputs[i];
    if (key > call->largest) call->largest = key;
    if (!input) {
        call->inputs = grown(call->inputs, call->n, &call->room, sizeof *call->inputs);
        input = &call->inputs[call->n++];
    }
    input->key = key;
    input->uses++;
    return input;
}

void dusk_record_whole(dusk_record_at at, uint64_t key, dusk_int128 value, dusk_int128 *output)
{
    const dusk_record_input *from;
    if (!at.record) return;
    dusk_record_input *input = enter(at, key, &from);
    input->is_whole = true;
    input->whole = value;
    if (!output) return;
    if (from) *output = from->whole_output;
    input->whole_output = *output;
}

void dusk_record_real(dusk_record_at at, uint64_t key, double value, double *output)
{
    const dusk_record_input *from;
    if (!at.record) return;
    dusk_record_input *input = enter(at, key, &from);
    input->real = value;
    if (!output) return;
    if (from) *output = from->real_output;
    input->real_output = *output;
}

void dusk_record_output(dusk_record_at at, void *output, size_t size)
{
    if (!at.record) return;
    dusk_record_call *call = &at.record->calls[at.call];
    const dusk_record_call *twin = twin_of(at);
    unsigned char *larger = realloc(call->output, call->output_size + size + 1);
    if (!larger) abort();
    call->output = larger;
    if (twin && twin->output_size >= call->output_size + size)
        memcpy(output, twin->output + call->output_size, size);
    memcpy(call->output + call->output_size, output, size);
    call->output_size += size;
}
#else
typedef int dusk_records_are_absent; /* a translation unit may not be empty */
#endif
