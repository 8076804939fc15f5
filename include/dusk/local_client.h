/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_CLIENT_H
#define DUSK_LOCAL_CLIENT_H

/* Local privacy, the device's side: a value goes in, a randomised report comes out, and only the report leaves.
 *
 * Freestanding C99: no allocation, no C library, no floating point, no state but what the caller holds. The library
 * has these functions, and src/local/client*.c with this header can be compiled alone for a microcontroller; what is not called is not
 * linked.
 *
 *     static const dusk_client_task task = { ... };                printed by `dusk collect plan --c`
 *     dusk_entropy entropy = { fill_from_hardware, NULL };
 *     uint8_t report[DUSK_REPORT_MOST];                     or dusk_report_size(&task) bytes
 *     if (dusk_client_report(&task, report, value, &entropy) == 0) send(report, dusk_report_size(&task));
 *
 * Probabilities are whole numbers out of 2^64, prepared by the server, and coins have exactly these: the law of a report is a fraction
 * that can be written down, and the epsilon that a server prints is that of the fractions (dusk/local.h).
 * Every draw is exact; how many coins it takes depends on coins alone, never on the value.
 *
 * Caveats
 *   - A promise is for one report. Who reports again and again spends again: use a memory (below), which gives one answer for a value
 *     however often it is asked, and a budget, which stops.
 *   - A task is public and checked by dusk_client_check, once; the other functions take what passed it.
 *   - Entropy must be that of a secure generator. A device without one: dusk_stream, from 32 bytes of secret seed. */

#include <stddef.h>
#include <stdint.h>

#ifndef DUSK_API
#if defined(__GNUC__) && defined(__ELF__)
#define DUSK_API __attribute__((visibility("default")))
#else
#define DUSK_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Values are pinned: they are on the wire. */
typedef enum dusk_randomiser {
    DUSK_GRR = 1,      /* k-ary randomized response                     [Warner 1965; Kairouz et al. 2016] */
    DUSK_SUE = 2,      /* symmetric unary encoding                      [Erlingsson et al. 2014]           */
    DUSK_OUE = 3,      /* optimised unary encoding                      [Wang et al. 2017]                 */
    DUSK_OLH = 4,      /* optimised local hashing                       [Wang et al. 2017]                 */
    DUSK_SS = 5,       /* subset selection                              [Ye & Barg 2018]                   */
    DUSK_HADAMARD = 6, /* one bit of the Hadamard transform             [Apple 2017; Acharya & Sun 2019]   */
    DUSK_HR = 7,       /* Hadamard response                             [Acharya, Sun & Zhang 2019]        */
    DUSK_PGR = 8,      /* projective geometry response                  [Feldman et al. 2022]              */
    DUSK_CMS = 9,      /* count-mean sketch                             [Apple 2017]                       */
    DUSK_HCMS = 10,    /* Hadamard count-mean sketch                    [Apple 2017]                       */
    DUSK_RAPPOR = 11,  /* Bloom filter, permanent and instantaneous response [Erlingsson et al. 2014]      */
    DUSK_ONEBIT = 12,  /* one-bit mean                                  [Ding et al. 2017]                 */
    DUSK_DUCHI = 13,   /* two-point mean                                [Duchi et al. 2018]                */
    DUSK_PIECEWISE =
        14,             /* piecewise mechanism                           [Wang et al. 2019]                 */
    DUSK_HYBRID = 15,   /* piecewise or two-point                        [Wang et al. 2019]                 */
    DUSK_DBITFLIP = 16, /* d bits of a histogram                         [Ding et al. 2017]                 */
    DUSK_SQUAREWAVE =
        17,         /* square wave, for distributions                [Li et al. 2020]                   */
    DUSK_TREE = 18, /* hierarchical histogram, for ranges            [Kulkarni, Cormode & Srivastava 2019] */
    DUSK_SPL = 19,  /* several attributes, each with a part of epsilon                                    */
    DUSK_SMP = 20,  /* one attribute of several, with all of it                                          */
    DUSK_RSFD = 21, /* one attribute of several, among fakes             [Arcolezi et al. 2021]            */
    DUSK_PEM = 23,  /* texts on no list: prefix extending            [Wang, Li & Jha 2018]              */
    DUSK_TREEHIST = 24, /* texts on no list: a tree of beginnings        [Bassily et al. 2017]              */
    DUSK_SFP = 25,      /* texts on no list: sequence fragment puzzle    [Apple 2017]                       */
    DUSK_PLANAR = 22    /* a place, by planar Laplace noise              [Andres et al. 2013]               */
} dusk_randomiser;

#define DUSK_ATTRIBUTES_MOST 16 /* of a person, in one report */

/* What a device knows of a task. Probabilities p, q, f are out of 2^64. What a randomiser does not name is 0.
 *
 *     GRR        domain k; p: the truth is kept
 *     SUE OUE    domain; p: the bit of the truth is set; q: another bit is
 *     OLH        domain; width g: answers of the hash; rows: a prime, at least the domain and g; p: the hashed truth is kept
 *     SS         domain; width: size of the subset; p: the truth is in it
 *     HADAMARD   domain; width: a power of 2, at least the domain; p: the sign is kept
 *     HR         domain; width: size of a block, a power of 2; rows: blocks; p: the answer is from the truth's set
 *     PGR        domain; width: a prime; rows: the dimension; p: the answer is orthogonal to the truth
 *     CMS        rows: hash functions; width: bits a row; p: a bit is kept; seed
 *     HCMS       rows: hash functions; width: a power of 2; p: the sign is kept; seed
 *     RAPPOR     rows: cohorts; width: bits of the filter; hashes; f: a permanent bit is a lie (half of them right); p: a permanent
 *                0 is reported as 1; q: a permanent 1 is; seed
 *     ONEBIT DUCHI   p: the top of the range answers 1; q: the bottom does
 *     PIECEWISE SQUAREWAVE   domain: places of the window; width: cells of the window (there are domain + width - 1 cells); p: the
 *                answer is in the window
 *     HYBRID     as PIECEWISE; f: it is piecewise; q: otherwise the bottom answers 1 with it, the top with 1 - q
 *     DBITFLIP   domain: buckets; width: bits a device; p: a bit is kept
 *     TREE       domain; hashes: the fan-out, a power of 2; rows: levels below the root; width: a power of 2, at least the domain; p: the sign
 *                is kept
 *     SPL SMP RSFD   attributes, sizes; p and q: weights, 2^30 together; hashes: how many attributes are answered together, 1, or of SMP 2;
 *                domain: categories of all attributes, or of all pairs of them, together
 *     PEM TREEHIST   domain: bytes of the longest text; hashes: so many bytes more a level; rows, width, p, seed: as of HCMS; TREEHIST
 *                f: a device reports its whole text
 *     SFP        domain: bytes of the longest text; hashes: bytes of a fragment; rows, width, p, seed: as of HCMS, for the whole text; q:
 *                the sign of the fragment's report is kept
 *     PLANAR     width: columns, rows: rows of a grid; domain: their product; p: the factor by which a step further away is less likely
 *
 * Values: categories are 0 .. domain - 1, larger ones count as the last; of HR, SS and the like too. Of CMS, HCMS and RAPPOR
 * any 64-bit number: dusk_client_hash of a text. Of PEM, TREEHIST and SFP a text of up to 8 bytes, the first one lowest: longer ones
 * are for dusk_client_text. Of ONEBIT, DUCHI, PIECEWISE, HYBRID and SQUAREWAVE a number in 32-bit steps: 0 is
 * the bottom of the range, 2^32 - 1 the top, dusk_client_number makes it. Of SPL, SMP and RSFD categories of all attributes, dusk_client_pack makes it. Of PLANAR the number of a cell, column + width * row, dusk_client_cell makes it. */
typedef struct dusk_client_task {
    uint64_t id;        /* of the whole text of the task: every report names it */
    uint64_t seed;      /* of hash functions; public */
    uint64_t p, q, f;   /* out of 2^64 */
    uint32_t mechanism; /* dusk_randomiser */
    uint32_t domain, width, rows, hashes;
    uint32_t attributes;                  /* how many attributes one value has; 0: it is one number */
    uint32_t sizes[DUSK_ATTRIBUTES_MOST]; /* how many categories each has, at least 2; the rest is 0 */
} dusk_client_task;

/* Uniform bytes of a secure generator; not 0 when there are none. */
typedef struct dusk_entropy {
    int (*fill)(void *context, uint8_t *bytes, size_t n);
    void *context;
} dusk_entropy;

enum {
    DUSK_CLIENT_OK = 0,
    DUSK_CLIENT_NO_ENTROPY = 1, /* no report was made, and nothing is to be sent */
    DUSK_CLIENT_BAD_TASK = 2,   /* dusk_client_check says no, or the task is of another randomiser */
    DUSK_CLIENT_SPENT = 3       /* the budget does not allow it */
};

#define DUSK_GEOMETRY_MOST 32   /* coordinates of a projective space */
#define DUSK_REPORT_MOST 131072 /* bytes, of any task that passes the check */

/* DUSK_CLIENT_OK, or DUSK_CLIENT_BAD_TASK. */
DUSK_API int dusk_client_check(const dusk_client_task *task);
/* Bytes of a report; all reports of a task have the same number. */
DUSK_API uint32_t dusk_report_size(const dusk_client_task *task);

/* Where a number is between the ends of a range, in steps of which the range has 2^32 - 1; numbers beyond it count as its ends. */
DUSK_API uint32_t dusk_client_number(int64_t number, int64_t low, int64_t high);

/* Several attributes as one value, and back: a0 + s0 (a1 + s1 (a2 + ...)), where s are the sizes; all of them together have less than
 * 2^64 values. A category that an attribute does not have counts as its last. */
DUSK_API uint64_t dusk_client_pack(const dusk_client_task *task, const uint32_t *categories);
DUSK_API void dusk_client_unpack(const dusk_client_task *task, uint64_t value, uint32_t *categories);

/* The cell of a grid (PLANAR) where a place is, x to the right and y upwards of the grid's lower left corner, in units of which a cell's side has `side`, at least 1. Places beyond the grid are in the nearest cell. */
DUSK_API uint32_t dusk_client_cell(const dusk_client_task *task, int64_t x, int64_t y, uint32_t side);

/* The report of a value, by the task's randomiser. Not DUSK_CLIENT_OK: the report is all 0 and must not be sent. */
DUSK_API int dusk_client_report(const dusk_client_task *task, uint8_t *report, uint64_t value,
                                dusk_entropy *entropy);

/* The same by one randomiser, for devices that link only that. */
DUSK_API int dusk_client_hr(const dusk_client_task *task, uint8_t *report, uint64_t value,
                            dusk_entropy *entropy);
DUSK_API int dusk_client_pgr(const dusk_client_task *task, uint8_t *report, uint64_t value,
                             dusk_entropy *entropy);
DUSK_API int dusk_client_cms(const dusk_client_task *task, uint8_t *report, uint64_t value,
                             dusk_entropy *entropy);
DUSK_API int dusk_client_hcms(const dusk_client_task *task, uint8_t *report, uint64_t value,
                              dusk_entropy *entropy);
DUSK_API int dusk_client_rappor(const dusk_client_task *task, uint8_t *report, uint64_t value,
                                dusk_entropy *entropy);
DUSK_API int dusk_client_dbitflip(const dusk_client_task *task, uint8_t *report, uint64_t value,
                                  dusk_entropy *entropy);
/* ONEBIT and DUCHI; PIECEWISE and SQUAREWAVE; HYBRID. */
DUSK_API int dusk_client_onebit(const dusk_client_task *task, uint8_t *report, uint64_t value,
                                dusk_entropy *entropy);
DUSK_API int dusk_client_window(const dusk_client_task *task, uint8_t *report, uint64_t value,
                                dusk_entropy *entropy);
DUSK_API int dusk_client_hybrid(const dusk_client_task *task, uint8_t *report, uint64_t value,
                                dusk_entropy *entropy);
/* The promise is by distance: two cells whose centres are d cells apart have any report with probabilities within a factor (2^64 / p)^ceil(d), and places that are far apart can be told apart.
 * Caveat: how long it takes tells how far the noise goes. Make reports ahead of time, or send them at times of their own, where somebody could watch. */
DUSK_API int dusk_client_planar(const dusk_client_task *task, uint8_t *report, uint64_t value,
                                dusk_entropy *entropy);
DUSK_API int dusk_client_grr(const dusk_client_task *task, uint8_t *report, uint64_t value,
                             dusk_entropy *entropy);
DUSK_API int dusk_client_sue(const dusk_client_task *task, uint8_t *report, uint64_t value,
                             dusk_entropy *entropy);
DUSK_API int dusk_client_oue(const dusk_client_task *task, uint8_t *report, uint64_t value,
                             dusk_entropy *entropy);
DUSK_API int dusk_client_olh(const dusk_client_task *task, uint8_t *report, uint64_t value,
                             dusk_entropy *entropy);
DUSK_API int dusk_client_ss(const dusk_client_task *task, uint8_t *report, uint64_t value,
                            dusk_entropy *entropy);
DUSK_API int dusk_client_hadamard(const dusk_client_task *task, uint8_t *report, uint64_t value,
                                  dusk_entropy *entropy);
DUSK_API int dusk_client_tree(const dusk_client_task *task, uint8_t *report, uint64_t value,
                              dusk_entropy *entropy);
DUSK_API int dusk_client_spl(const dusk_client_task *task, uint8_t *report, uint64_t value,
                             dusk_entropy *entropy);
DUSK_API int dusk_client_smp(const dusk_client_task *task, uint8_t *report, uint64_t value,
                             dusk_entropy *entropy);
DUSK_API int dusk_client_rsfd(const dusk_client_task *task, uint8_t *report, uint64_t value,
                              dusk_entropy *entropy);

/* A text of n bytes as a value of randomisers that take any 64-bit number. */
DUSK_API uint64_t dusk_client_hash(const uint8_t *text, size_t n);

/* --- texts ------------------------------------------------------------------------------------------------------------ */

/* The report of a text of n bytes, by a randomiser that takes texts: PEM, TREEHIST and SFP; of CMS, HCMS and RAPPOR it is the report of
 * dusk_client_hash. Others: DUSK_CLIENT_BAD_TASK. */
DUSK_API int dusk_client_text(const dusk_client_task *task, uint8_t *report, const uint8_t *text, size_t n,
                              dusk_entropy *entropy);

#define DUSK_STRING_MOST 32 /* bytes of a text that can be found; longer ones count as their first bytes */
/* Texts that are on no list (dusk_tally_find). A device draws a level, whatever its text, and reports, once, as many first bytes as the level has, by
 * a Hadamard sketch: the server finds frequent texts from frequent beginnings. PEM: every level is as likely. TREEHIST: the last one, which
 * has whole texts, with probability f, and the others alike. */
DUSK_API int dusk_client_prefix(const dusk_client_task *task, uint8_t *report, const uint8_t *text, size_t n,
                                dusk_entropy *entropy);

/* SFP: two reports of Hadamard sketches in one, of the whole text, and, at a place that is drawn whatever the text, of as many letters as a fragment has
 * with 8 bits of a hash of the text. The server puts together fragments that are frequent and have the same hash. Epsilon is that of both. */
DUSK_API int dusk_client_fragment(const dusk_client_task *task, uint8_t *report, const uint8_t *text,
                                  size_t n, dusk_entropy *entropy);

/* --- records: reports on their way ------------------------------------------------------------------------------------ */

/* More bytes than a record has beside its report. */
#define DUSK_RECORD_HEAD 40
/* Wrap a report for the wire: which task and which epoch it is of, and 8 random bytes by which the server knows it again should it come twice.
 * `record` has room for DUSK_RECORD_HEAD bytes and the report. Returns how many bytes are to be sent, one record right behind the other; 0: there
 * was no entropy, and nothing is to be sent. Send the same bytes again when it is not known whether they arrived; a second record of the same
 * report would count twice. An epoch is a number that server and devices agree on, such as the day; 0 where there is one. docs/collect/wire.md. */
DUSK_API uint32_t dusk_client_record(const dusk_client_task *task, uint64_t epoch, uint8_t *record,
                                     const uint8_t *report, dusk_entropy *entropy);

/* --- reporting again ----------------------------------------------------------------------------------------------------- */

/* Coins from 32 secret bytes, by ChaCha20: for a device that has a secret seed and no generator. A seed is for one stream: who starts
 * with the same one again repeats its coins. */
typedef struct dusk_stream {
    uint8_t key[32], give[32];
    uint32_t used;
} dusk_stream;
DUSK_API dusk_entropy dusk_stream_of(dusk_stream *stream, const uint8_t seed[32]);

/* A memory is 32 secret bytes that a device draws once and keeps. */
typedef struct dusk_memory {
    uint8_t secret[32];
} dusk_memory;

/* The report of a value by a device with a memory: one value has one answer, however often it is asked. All reports of a task on a value that does not change together are as private as
 * one; of RAPPOR they have the permanent epsilon of the survey, and are made anew each time, so that they do not show that they are of one device. Of RAPPOR the cohort, of DBITFLIP the buckets,
 * and of SMP which attributes are answered are the device's; then the answer changes with these attributes only, and of SPL each with its attribute. Of ONEBIT and DUCHI the place between two answers is the device's, too [alpha-point rounding, Ding et al. 2017]: a number that moves little seldom changes the answer.
 * PIECEWISE, HYBRID and SQUAREWAVE would show how a number moves: DUSK_CLIENT_BAD_TASK.
 *
 * Caveat: a value that changes shows that it did, and every further value costs as much again. `entropy` is used by RAPPOR alone. */
DUSK_API int dusk_client_remembered(const dusk_client_task *task, const dusk_memory *memory, uint8_t *report,
                                    uint64_t value, dusk_entropy *entropy);

/* What a device may still give away, in millionths of epsilon; dusk_survey_cost says what a report costs. Spend, keep the rest where it outlives a
 * restart, then report. DUSK_CLIENT_SPENT: there is not enough, and nothing was spent. */
typedef struct dusk_client_budget {
    uint32_t left;
} dusk_client_budget;
DUSK_API int dusk_client_spend(dusk_client_budget *budget, uint32_t millionths);

#ifdef __cplusplus
}
#endif
#endif
