/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures: every form against the numbers it was made of, and any bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "table/picture.h"

static bool decode(unsigned char *out, size_t numbers, const char *bytes, size_t size)
{
    return table_picture_decode(out, numbers, (const unsigned char *)bytes, size);
}

#define SEEN(bytes, ...)                                                                                     \
    do {                                                                                                     \
        const unsigned char wanted[] = { __VA_ARGS__ };                                                      \
        unsigned char got[sizeof wanted];                                                                    \
        assert_true(decode(got, sizeof wanted, bytes, sizeof bytes - 1));                                    \
        assert_memory_equal(got, wanted, sizeof wanted);                                                     \
    } while (0)
#define NOT_SEEN(numbers, bytes)                                                                             \
    do {                                                                                                     \
        unsigned char got[numbers];                                                                          \
        assert_false(decode(got, numbers, bytes, sizeof bytes - 1));                                         \
    } while (0)

static void plain_forms(void **state)
{
    (void)state;
    SEEN("P2\n# made by hand\n3 1 # wide\n255\n0 17 255\n", 0, 17, 255);
    SEEN("P2 2 2 1 0 1 1 0", 0, 255, 255, 0);
    SEEN("P5 2 1 255\n\x01\xff", 1, 255);
    SEEN("P5 2 1 65535\n\xff\xff\x80\x00", 255, 128);
    SEEN("P6 1 1 255\n\x01\x02\x03", 1, 2, 3);
    SEEN("P3 2 1 15 15 0 0  0 15 0", 255, 0, 0, 0, 255, 0);
    SEEN("P3 2 1 255 255 0 0  0 255 0", 76, 150); /* in colours, where grey is wanted */
    SEEN("P5 1 1 255\n\x09", 9);
    SEEN("P5 1 2 255\n\x09\x08", 9, 9, 9, 8, 8, 8); /* grey, where colours are wanted */
}

static void plain_hostile(void **state)
{
    (void)state;
    NOT_SEEN(1, "");
    NOT_SEEN(1, "P");
    NOT_SEEN(1, "P5");
    NOT_SEEN(1, "P\0 1 1 255\n\x01");
    NOT_SEEN(1, "P4 1 1 \x01");
    NOT_SEEN(1, "P7 1 1 255\n\x01");
    NOT_SEEN(2, "P5 1 1 255\n\x01");
    NOT_SEEN(2, "P5 2 1 255\n\x01");
    NOT_SEEN(1, "P5 1 1 255");
    NOT_SEEN(1, "P5 1 1 255x\x01");
    NOT_SEEN(1, "P5 1 1 0\n\x01");
    NOT_SEEN(1, "P5 1 1 65536\n\x01\x01");
    NOT_SEEN(1, "P5 0 1 255\n\x01");
    NOT_SEEN(1, "P5 -1 1 255\n\x01");
    NOT_SEEN(1, "P5 99999999999 99999999999 255\n\x01");
    NOT_SEEN(1, "P5 16777215 16777215 255\n\x01");
    NOT_SEEN(1, "P2 1 1 15 16");
    NOT_SEEN(1, "P2 1 1 15 x");
    NOT_SEEN(1, "P2 1 1 15 # 7");
    NOT_SEEN(1, "P5 1 1 100\n\x65"); /* more than the most */
}

/* A PNG of 2 x 2 places; to be freed. */
static unsigned char *write_png(uint32_t format, const void *places, const void *colours, uint32_t entries,
                                size_t *size)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = 2, .height = 2, .format = format, .colormap_entries = entries
    };
    png_alloc_size_t room = 4096;
    unsigned char *bytes = malloc(room);
    assert_non_null(bytes);
    assert_true(png_image_write_to_memory(&image, bytes, &room, 0, places, 0, colours));
    *size = room;
    return bytes;
}

static void expect_png(uint32_t format, const void *places, const void *colours, uint32_t entries,
                       const unsigned char *wanted, size_t numbers)
{
    unsigned char got[12];
    size_t size;
    unsigned char *bytes = write_png(format, places, colours, entries, &size);
    assert_true(table_picture_decode(got, numbers, bytes, size));
    assert_memory_equal(got, wanted, numbers);
    assert_false(table_picture_decode(got, 5, bytes, size));
    for (size_t cut = 0; cut < size; cut++) (void)table_picture_decode(got, numbers, bytes, cut);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x41;
        (void)table_picture_decode(got, numbers, bytes, size);
        bytes[i] ^= 0x41;
    }
    free(bytes);
}

static void png_forms(void **state)
{
    (void)state;
    const unsigned char grey[] = { 0, 1, 128, 255 };
    const unsigned char colour[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 250, 0, 255 };
    const unsigned char repeated[] = { 0, 0, 0, 1, 1, 1, 128, 128, 128, 255, 255, 255 };
    const unsigned char seen_through[] = { 9, 255, 9, 0, 9, 255, 9, 255 }, on_black[] = { 9, 0, 9, 9 };
    const unsigned char index[] = { 1, 0, 0, 1 }, palette[] = { 0, 0, 0, 200, 200, 200 };
    const unsigned char by_palette[] = { 200, 0, 0, 200 };
    expect_png(PNG_FORMAT_GRAY, grey, NULL, 0, grey, 4);
    expect_png(PNG_FORMAT_GRAY, grey, NULL, 0, repeated, 12);
    expect_png(PNG_FORMAT_RGB, colour, NULL, 0, colour, 12);
    expect_png(PNG_FORMAT_GA, seen_through, NULL, 0, on_black, 4);
    expect_png(PNG_FORMAT_RGB_COLORMAP, index, palette, 2, by_palette, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_forms),
        cmocka_unit_test(plain_hostile),
        cmocka_unit_test(png_forms),
    };
    return cmocka_run_group_tests_name("picture", tests, NULL, NULL);
}
