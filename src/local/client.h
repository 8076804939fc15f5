/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_CLIENT_INSIDE_H
#define DUSK_LOCAL_CLIENT_INSIDE_H

/* What the randomisers of src/local/client_*.c are made of: coins of three kinds, and bytes. Freestanding C99 as dusk/local_client.h.
 * Every choice that a randomiser makes by chance is one of these calls, and which calls there are, and how long they take, depends on
 * the task and on coins alone, never on the value: so that a test can take every branch once and write down the law of
 * reports as fractions (tests/local_law.h), and so that time says nothing of the value. */

#include "dusk/local_client.h"

/* Marks a function that a proof is about; see base/platform.h, which is not for small machines. */
#ifndef DUSK_PROVEN
#define DUSK_PROVEN(name)
#endif

/* 1 with probability p / 2^64, 0 else; -1: no entropy. */
int client_coin(dusk_entropy *entropy, uint64_t p);
/* `lanes` (1..64) of them at once, lane i in bit i of *out; not 0: no entropy. */
int client_coins(dusk_entropy *entropy, uint64_t *out, uint64_t p, unsigned lanes);
/* Uniform on 0 .. n - 1, n >= 1, exactly; not 0: no entropy. */
int client_below(dusk_entropy *entropy, uint32_t *out, uint32_t n);

/* 1 with probability part / n, n >= 1, exactly; not 0: no entropy. */
int client_part(dusk_entropy *entropy, uint32_t *out, uint32_t part, uint32_t n);

/* Bytes that hold 0 .. n - 1, n >= 1: 1 to 4. */
static inline uint32_t client_bytes_for(uint32_t n)
{
    uint32_t bytes = 1;
    while (bytes < 4 && (n - 1) >> (8 * bytes)) bytes++;
    return bytes;
}

/* The category of a value: those beyond the domain are its last. */
static inline uint32_t client_truth(const dusk_client_task *task, uint64_t value)
{
    return value < task->domain ? (uint32_t)value : task->domain - 1;
}

/* 1 where an odd number of bits is set. */
static inline uint32_t client_parity(uint32_t x)
{
    x ^= x >> 16;
    x ^= x >> 8;
    x ^= x >> 4;
    return 0x6996u >> (x & 15) & 1; /* of 4 bits */
}

/* Little-endian. */
static inline void client_put(uint8_t *to, uint64_t value, uint32_t bytes)
{
    uint32_t i;
    for (i = 0; i < bytes; i++) to[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t client_get(const uint8_t *from, uint32_t bytes)
{
    uint64_t value = 0;
    uint32_t i;
    for (i = 0; i < bytes; i++) value |= (uint64_t)from[i] << (8 * i);
    return value;
}

/* 4 bytes, written out, so that compilers make one load of it, and machines of 32 bits no shifts of 64. */
static inline uint32_t client_word(const uint8_t *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline void client_zero(uint8_t *to, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) to[i] = 0;
}

/* The same for secrets: compilers leave it although nobody reads what it wrote. */
static inline void client_wipe(void *from, size_t n)
{
    volatile uint8_t *to = from;
    size_t i;
    for (i = 0; i < n; i++) to[i] = 0;
}

static inline int client_is_prime(uint32_t n)
{
    uint32_t d;
    for (d = 2; d <= 65535 && d * d <= n; d++)
        if (n % d == 0) return 0;
    return n >= 2;
}

/* client_hashing.c: bytes of a report, and what the hash function of a and b makes of a value. */
uint32_t client_hash_bytes(const dusk_client_task *task);
uint32_t client_hash_value(const dusk_client_task *task, uint32_t a, uint32_t b, uint32_t value);

/* client_geometry.c: how many points a projective space has, 0 for more than 2^32 - 1; and the coordinates of one. */
uint32_t client_points(uint32_t q, uint32_t t);
void client_point(uint32_t q, uint32_t t, uint32_t number, uint32_t *coordinate);
/* The number of the point of a vector that is not 0; and 1 / a, a not 0. */
uint32_t client_point_number(uint32_t q, uint32_t t, const uint32_t *coordinate);
uint32_t client_inverse(uint32_t q, uint32_t a);

/* client_tree.c: how many levels the tree of a domain has below its root, and by how many bits a node is its children's number shifted; fan-outs
 * are powers of 2, at least 2. */
uint32_t client_fan_bits(const dusk_client_task *task);
uint32_t client_levels(const dusk_client_task *task);

/* client_sketch.c: where the row-th of the hash functions of a seed puts a value, 0 .. width - 1. */
uint32_t client_place(uint64_t seed, uint32_t row, uint64_t value, uint32_t width);
/* client_rappor.c: the cohort by `device`, the permanent response by `first`, the instantaneous one by `second`. */
int client_rappor_apart(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *device,
                        dusk_entropy *first, dusk_entropy *second);
/* client_buckets.c: which buckets by `device`, the answers by `coins`. */
int client_dbitflip_apart(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *device,
                          dusk_entropy *coins);
/* client_attributes.c: sizes of attributes that values can be made of, or none at all. */
int client_attributes_are_fine(const dusk_client_task *task);
/* client_several.c: weights add up to this. */
#define CLIENT_WEIGHTS ((uint64_t)1 << 30)
int client_several_are_fine(const dusk_client_task *task);
uint32_t client_several_bytes(const dusk_client_task *task);
/* A group is what is answered together: an attribute (first = second), or a pair of them, of which the second counts in steps of the first's size. */
uint32_t client_groups(const dusk_client_task *task);
void client_group(const dusk_client_task *task, uint32_t group, uint32_t *first, uint32_t *second);
uint64_t client_group_size(const dusk_client_task *task, uint32_t group);
/* The answer to one of k categories, client_answer_bytes of them; 0 in part where there was no entropy. */
int client_answer(const dusk_client_task *task, uint8_t *to, uint32_t k, uint32_t truth,
                  dusk_entropy *entropy);
/* The category of a group that a value has; and the report of SMP on it. */
uint32_t client_group_category(const dusk_client_task *task, uint32_t group, uint64_t value);
int client_smp_answer(const dusk_client_task *task, uint8_t *report, uint32_t group, uint32_t category,
                      dusk_entropy *entropy);
/* Whether k categories, at least 2, are answered by bits, and in how many bytes. */
int client_answer_is_bits(const dusk_client_task *task, uint32_t k);
uint32_t client_answer_bytes(const dusk_client_task *task, uint32_t k);
/* client_planar.c: the largest number whose square is not above x, x < 2^52; and the point of a length that a way stands for, 0: none. */
uint32_t client_root(uint64_t x);
int client_point_of(uint32_t k, uint32_t way, int64_t *x, int64_t *y);
/* client.c: the value as its randomiser sees it; values beyond a domain are its last. */
uint64_t client_category(const dusk_client_task *task, uint64_t value);
/* client_prefix.c: the levels of a task on texts; and what one of them reports of a text. */
uint32_t client_text_levels(const dusk_client_task *task);
uint64_t client_prefix_value(const dusk_client_task *task, uint32_t level, const uint8_t *text, size_t n);
/* client_fragment.c: 8 bits of a hash of a text; and what is reported of n bytes at a place. */
uint32_t client_text_bits(const dusk_client_task *task, const uint8_t *text, size_t n);
uint64_t client_fragment_value(const dusk_client_task *task, uint32_t place, const uint8_t *fragment,
                               uint32_t n, uint32_t bits);
/* A value as a text: its bytes, the first one lowest, up to the last that is not 0; returns how many. */
static inline uint32_t client_unpack(uint64_t value, uint8_t text[8])
{
    uint32_t n = 0, i;
    for (i = 0; i < 8; i++) {
        text[i] = (uint8_t)(value >> (8 * i));
        if (text[i]) n = i + 1;
    }
    return n;
}
/* client_memory.c: the block function of ChaCha20; `low` and `high` are the counter and the nonce. */
void client_chacha(const uint8_t key[32], uint64_t low, uint64_t high, uint8_t block[64]);

#ifdef DUSK_TESTING
/* When set, all choices are asked of it instead: `ways` > 0: one of so many, all as likely, or with a lane: 1 in p of so many; 0: `lanes` coins of p. Returns what
 * client_below or client_coins would write. */
extern uint64_t (*dusk_client_script)(void *context, uint32_t ways, uint64_t p, unsigned lanes);
extern void *dusk_client_script_context;
#endif

#endif
