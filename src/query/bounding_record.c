/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing records. Any total order by content would do, as long as it depends on the two records
 * alone: it makes the list that a unit's coins choose from a function of that unit's rows. */
#include <string.h>

#include "query/bounding_inner.h"

uint64_t bounding_unmix(const bounding *b, uint64_t x)
{
    for (int i = 1; i >= 0; i--) {
        uint64_t factor = b->mix[i], inverse = factor; /* right in 3 bits, then in 6, 12, 24, 48, 96 */
        for (int turn = 0; turn < 5; turn++) inverse *= 2 - factor * inverse;
        x = i == 1 ? x ^ x >> 32 : x ^ x >> 29 ^ x >> 58;
        x *= inverse;
    }
    return x ^ x >> 32;
}

static int compare_words(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

/* Any order will do, so shorter texts come first. */
static int compare_texts(const unsigned char *a, size_t m, const unsigned char *b, size_t n)
{
    if (m != n) return m < n ? -1 : 1;
    return m ? memcmp(a, b, m) : 0;
}

int record_compare_units(const bounding_layout *layout, const unsigned char *a, const unsigned char *b)
{
    if (!layout->text_unit || layout->by_name_alone) return 0;
    return compare_texts(a + layout->stride, record_word(a, layout->length_at), b + layout->stride,
                         record_word(b, layout->length_at));
}

const unsigned char *record_text(const bounding_layout *layout, const unsigned char *record, size_t value,
                                 size_t *length)
{
    const unsigned char *text = record + layout->stride;
    if (layout->text_unit) text += record_word(record, layout->length_at);
    for (size_t v = 0; v < value; v++)
        if (layout->types[v] == DUSK_CELL_TEXT) text += record_word(record, layout->value_at + 8 * v);
    *length = record_word(record, layout->value_at + 8 * value);
    return text;
}

const unsigned char *record_value(const bounding_layout *layout, const unsigned char *record, size_t value,
                                  size_t *length)
{
    if (layout->types[value] == DUSK_CELL_TEXT) return record_text(layout, record, value, length);
    *length = 8;
    return record + layout->value_at + 8 * value;
}

int record_compare_value(const bounding_layout *layout, const unsigned char *a, const unsigned char *b,
                         size_t value)
{
    bool a_null = record_is_null(a, value), b_null = record_is_null(b, value);
    size_t at = layout->value_at + 8 * value, m, n;
    if (a_null || b_null) return (int)b_null - (int)a_null;
    if (layout->types[value] != DUSK_CELL_TEXT)
        return compare_words(record_word(a, at),
                             record_word(b, at)); /* of doubles the bits: 0.0 has one form */
    const unsigned char *text_a = record_text(layout, a, value, &m);
    const unsigned char *text_b = record_text(layout, b, value, &n);
    return compare_texts(text_a, m, text_b, n);
}

int record_compare_values(const bounding_layout *layout, const unsigned char *a, const unsigned char *b)
{
    int order = 0;
    for (size_t v = 0; v < layout->values && !order; v++) order = record_compare_value(layout, a, b, v);
    return order;
}
