/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_H
#define DUSK_BASE_H

/* What every other header of the library stands on: how functions report
 * failure, and the rules that hold everywhere.
 *
 * Argument order, everywhere in this library:
 *   1. the handle or value acted on, then outputs, then inputs;
 *   2. a length follows the array it measures;
 *   3. the generator comes after what it is used on;
 *   4. `dusk_error *err` is always last, and may be NULL.
 * Unless stated otherwise pointers must not be NULL and arrays must not
 * overlap. Outputs are written only on success. Functions borrow their
 * arguments; one that keeps an argument has `take` in its name.
 *
 * The library never prints, never exits, and keeps no global mutable state.
 * A handle belongs to one thread at a time unless its header says otherwise.
 *
 * Caveats
 *   - Whether an error occurs, and its text, never depends on private data:
 *     every parameter is checked before the first row is looked at. After
 *     that only memory, input/output and entropy can fail.
 *   - GMP and MPFR, which serve the rare wide computations, abort the process
 *     when malloc fails inside them. */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DUSK_API __attribute__((visibility("default")))
#define DUSK_MUST_USE __attribute__((warn_unused_result))
#else
#define DUSK_API
#define DUSK_MUST_USE
#endif

#define DUSK_VERSION_MAJOR 0
#define DUSK_VERSION_MINOR 1
#define DUSK_VERSION_PATCH 0
#define DUSK_VERSION "0.1.0"

/* The version of the library that is linked, as "major.minor.patch". */
DUSK_API const char *dusk_version(void);

/* Values are pinned: a number, once published, never changes its meaning. */
typedef enum dusk_status {
    DUSK_OK = 0,
    DUSK_ERR_ARGUMENT = 1,    /* a parameter is out of its documented range    */
    DUSK_ERR_BUDGET = 2,      /* the charge would exceed a limit; nothing spent */
    DUSK_ERR_UNSUPPORTED = 3, /* no sound bound is known for this request      */
    DUSK_ERR_PARSE = 4,       /* malformed text                                */
    DUSK_ERR_ENTROPY = 5,     /* the random source failed; nothing is released */
    DUSK_ERR_MEMORY = 6,      /* out of memory                                 */
    DUSK_ERR_IO = 7,          /* reading or writing failed                     */
    DUSK_ERR_CORRUPT = 8,     /* a stored file fails its check                 */
    DUSK_ERR_BUSY = 9,        /* somebody else holds it                        */
    DUSK_ERR_INTERNAL = 10,   /* a bug in this library                         */
    DUSK_ERR_CHECK = 11       /* what was checked does not hold (an audit)     */
} dusk_status;

/* Where a function puts its explanation. Owned by the caller, fixed size,
 * never allocated. `message` is one sentence that names the parameter and its
 * place and never contains a data value; `hint` says what to do instead and
 * may be empty. Untouched on success. */
typedef struct dusk_error {
    dusk_status status;
    char message[252];
    char hint[256];
} dusk_error;

/* "argument", "entropy", ...: the name of a status, never NULL. */
DUSK_API const char *dusk_status_name(dusk_status status);

#ifdef __cplusplus
}
#endif
#endif
