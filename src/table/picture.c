/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures; see picture.h. Dimensions are held against what is wanted before anything is made of them. */
#include "table/picture.h"

#include <png.h>
#include <stdint.h>
#include <string.h>

/* In colours, or grey? False: neither has so many numbers. */
static bool choose(bool *colour, uint64_t width, uint64_t height, size_t numbers)
{
    if (width < 1 || height < 1 || width > numbers || height > numbers) return false;
    *colour = width * height != numbers;
    return !*colour || width * height * 3 == numbers;
}

/* --- PNG ---------------------------------------------------------------------------------------- */

static bool decode_png(unsigned char *out, size_t numbers, const unsigned char *bytes, size_t size)
{
    png_image image = { .version = PNG_IMAGE_VERSION };
    bool colour, done = false;
    if (!png_image_begin_read_from_memory(&image, bytes, size)) return false;
    if (choose(&colour, image.width, image.height, numbers)) {
        image.format = colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
        image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
        memset(out, 0, numbers); /* what is transparent is seen on this */
        done = png_image_finish_read(&image, NULL, out, 0, NULL) != 0;
    }
    png_image_free(&image);
    return done;
}

/* --- PGM and PPM -------------------------------------------------------------------------------- */

typedef struct reader {
    const unsigned char *at, *end;
} reader;

static bool is_blank(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* A number below 2^24, after blanks and comments. */
static bool read_number(reader *r, uint32_t *out)
{
    bool any = false;
    *out = 0;
    while (r->at < r->end && (is_blank(*r->at) || *r->at == '#'))
        if (*r->at == '#')
            while (r->at < r->end && *r->at != '\n') r->at++;
        else
            r->at++;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++, any = true) {
        *out = *out * 10 + (uint32_t)(*r->at - '0');
        if (*out >= 1 << 24) return false;
    }
    return any;
}

static bool read_sample(reader *r, bool text, uint32_t most, uint32_t *out)
{
    if (text) {
        if (!read_number(r, out)) return false;
    } else {
        const size_t bytes = most > 255 ? 2 : 1;
        if ((size_t)(r->end - r->at) < bytes) return false;
        *out = bytes == 1 ? r->at[0] : (uint32_t)r->at[0] << 8 | r->at[1];
        r->at += bytes;
    }
    *out = (*out * 510 + most) / (2 * most); /* to 255, rounded */
    return *out <= 255;
}

static bool decode_plain(unsigned char *out, size_t numbers, const unsigned char *bytes, size_t size)
{
    const bool text = bytes[1] < '4', three = bytes[1] == '3' || bytes[1] == '6';
    reader r = { bytes + 2, bytes + size };
    uint32_t width, height, most, sample[3];
    bool colour;
    if (!read_number(&r, &width) || !read_number(&r, &height) || !read_number(&r, &most)) return false;
    if (most < 1 || most > 65535 || !choose(&colour, width, height, numbers)) return false;
    if (!text && (r.at == r.end || !is_blank(*r.at++))) return false;
    for (size_t i = 0; i < numbers; i += colour ? 3 : 1) {
        for (size_t c = 0; c < (three ? 3U : 1U); c++)
            if (!read_sample(&r, text, most, &sample[c])) return false;
        if (!three) sample[1] = sample[2] = sample[0];
        if (!colour) sample[0] = (299 * sample[0] + 587 * sample[1] + 114 * sample[2] + 500) / 1000;
        for (size_t c = 0; c < (colour ? 3U : 1U); c++) out[i + c] = (unsigned char)sample[c];
    }
    return true;
}

bool table_picture_decode(unsigned char *out, size_t numbers, const unsigned char *bytes, size_t size)
{
    static const unsigned char png[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    if (numbers < 1 || numbers > (size_t)1 << 24) return false;
    if (size > sizeof png && !memcmp(bytes, png, sizeof png)) return decode_png(out, numbers, bytes, size);
    if (size > 2 && bytes[0] == 'P' && strchr("2356", bytes[1]) && bytes[1])
        return decode_plain(out, numbers, bytes, size);
    return false;
}
