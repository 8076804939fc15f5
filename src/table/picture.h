/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_PICTURE_H
#define DUSK_TABLE_PICTURE_H

/* Pictures out of bytes: PNG (libpng), PGM and PPM (here: P2, P3, P5, P6). Numbers are from 0 to 255, row after row, the colours of a
 * place side by side. What is no picture, or one of another size, is none: total on any bytes, since bytes are private. */

#include <stdbool.h>
#include <stddef.h>

/* A picture of `numbers` numbers: grey where it has so many places, in colours where it has a third of that, whatever the file has; what is
 * transparent is seen on black. False: there is none, and `out` holds anything. */
bool table_picture_decode(unsigned char *out, size_t numbers, const unsigned char *bytes, size_t size);

#endif
