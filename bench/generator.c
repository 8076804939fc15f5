/* SPDX-License-Identifier: Apache-2.0 */
/* The secure generator beside memcpy: what it costs that the bytes are secret. */
#include <string.h>

#include "bench.h"
#include "random/generator.h"

enum { BLOCK_WORDS = 512, BLOCKS = 1 << 14 }; /* 4 KB a request, 64 MB a repetition */

typedef struct job {
    dusk_generator *gen;
    uint64_t words[BLOCK_WORDS], copy[BLOCK_WORDS];
    size_t request; /* words at a time */
} job;

static void take_words(void *context)
{
    job *j = context;
    dusk_error err;
    for (size_t i = 0; i < (size_t)BLOCKS * BLOCK_WORDS / j->request; i++)
        bench_require(dusk_generator_words(j->gen, j->words, j->request, 64, &err), &err);
}

static void copy_words(void *context)
{
    job *j = context;
    for (size_t i = 0; i < (size_t)BLOCKS * BLOCK_WORDS / j->request; i++) {
        memcpy(j->copy, j->words, j->request * sizeof *j->words);
        __asm__ volatile("" : : "r"(j->copy), "r"(j->words) : "memory");
    }
}

static void run_words(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static job j;
    j.gen = gen;
    j.request = *(const size_t *)self->setup;
    *out = bench_rate(bench_compare(take_words, copy_words, &j), 1e-3 * 8 * BLOCK_WORDS * BLOCKS);
}

const bench_case bench_generator_cases[] = {
    { .name = "generator/words",
      .what = "stream words in requests of 4 KB",
      .unit = "GB/s",
      .floor = "memcpy",
      .aim = ">= 5",
      .run = run_words,
      .setup = &(const size_t){ BLOCK_WORDS } },
    { .name = "generator/three-words",
      .what = "stream words in requests of 24 bytes, as one draw of noise takes them",
      .unit = "GB/s",
      .floor = "memcpy",
      .aim = "",
      .run = run_words,
      .setup = &(const size_t){ 3 } },
    { .name = NULL },
};
