/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_PLATFORM_H
#define DUSK_BASE_PLATFORM_H

/* What the code takes for granted about the machine, checked at compile time,
 * and the few compiler words that every room uses. */

#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 dusk_int128;
__extension__ typedef unsigned __int128 dusk_uint128;

_Static_assert(CHAR_BIT == 8, "bytes have eight bits");
_Static_assert(sizeof(size_t) == 8, "sizes have 64 bits");
_Static_assert(sizeof(double) == 8 && DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024, "double is IEEE binary64");
_Static_assert(FLT_EVAL_METHOD == 0, "double arithmetic is done in double");
_Static_assert((-1) >> 1 == -1, "shifting right keeps the sign");
_Static_assert((int64_t)UINT64_MAX == -1, "two's complement");
#ifdef __FAST_MATH__
#error "Dusk must not be compiled with fast-math: its bounds rely on IEEE arithmetic"
#endif

/* A function whose contract has a proof in the .proof.md beside its file.
 * tools/proofs.py ties the two by a hash of the function's tokens. */
#define DUSK_PROVEN(name)

#endif
