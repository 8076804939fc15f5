/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_TAINT_H
#define DUSK_BASE_TAINT_H

/* Private bytes, told to MemorySanitizer as "undefined": whatever is computed
 * from them stays so, and a branch or an address that depends on them stops the
 * program. Only a mechanism may declassify, at the one place where the noise is
 * in. Outside of MSan builds (clang -fsanitize=memory
 * -fno-sanitize-memory-param-retval) these words do nothing.
 *
 * Libraries that are not instrumented, libm among them, hand back clean values
 * whatever they were given: declassify before they are called, so that what the
 * test sees is the library's doing and not an accident. */

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define DUSK_TAINT 1
#endif
#endif

#ifdef DUSK_TAINT
#include <sanitizer/msan_interface.h>
/* The n bytes at p are private from now on. */
#define DUSK_SECRET(p, n) __msan_allocated_memory((p), (n))
/* The n bytes at p may be seen: noise has been added. */
#define DUSK_DECLASSIFY(p, n) __msan_unpoison((p), (n))
/* Stop the program if any of the n bytes at p is private. */
#define DUSK_CHECK_PUBLIC(p, n) __msan_check_mem_is_initialized((p), (n))
#else
#define DUSK_SECRET(p, n) ((void)(p), (void)(n))
#define DUSK_DECLASSIFY(p, n) ((void)(p), (void)(n))
#define DUSK_CHECK_PUBLIC(p, n) ((void)(p), (void)(n))
#endif

#endif
