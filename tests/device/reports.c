/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of every randomiser from fixed seeds, as hashes: a machine of 32 bits prints what one of 64 bits prints. Freestanding C99; tools/check_device.sh builds and runs
 * it on both. Lines that begin with "cost" are of one machine: what a report of a survey at epsilon 1 takes. */
#include "board.h"
#include "dusk/local_client.h"

#define MECHANISMS 64
#define ROOM 2048 /* bytes of a report; small machines have little more */
#define REPORTS 3
#define TIMES 8

static uint8_t report[ROOM + DUSK_RECORD_HEAD], record[ROOM + DUSK_RECORD_HEAD];

/* --- printing ------------------------------------------------------------------------------------------------------------ */

static void say(const char *text)
{
    while (*text) board_put(*text++);
}

static void say_number(uint32_t x)
{
    char digits[11];
    int n = 10;
    digits[n] = 0;
    do digits[--n] = (char)('0' + x % 10);
    while (x /= 10);
    board_put(' ');
    say(digits + n);
}

static void say_hash(uint64_t x)
{
    int i;
    board_put(' ');
    for (i = 60; i >= 0; i -= 4) board_put("0123456789abcdef"[x >> i & 15]);
}

static uint64_t hash_more(uint64_t hash, const uint8_t *bytes, uint32_t n) /* FNV-1a */
{
    uint32_t i;
    for (i = 0; i < n; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

#define EMPTY 0xcbf29ce484222325u

/* --- reports of tasks of all shapes ------------------------------------------------------------------------------------ */

typedef struct shape {
    uint32_t domain, width, rows, hashes;
} shape;

static const shape shapes[] = { { 2, 2, 2, 1 },          { 2, 2, 3, 2 },
                                { 12, 16, 13, 2 },       { 100, 7, 101, 1 },
                                { 100, 128, 1, 1 },      { 256, 64, 16, 4 },
                                { 1000, 3, 8, 2 },       { 1000, 1024, 1009, 2 },
                                { 4001, 3, 4001, 1 },    { 65536, 65536, 2, 1 },
                                { 65536, 31, 65537, 3 }, { 1, 0, 0, 0 },
                                { 0, 0, 0, 0 },          { 1000000, 4, 1000003, 2 },
                                { 0xffffffff, 5, 7, 1 }, { 1 << 27, 1 << 27, 1, 1 },
                                { 16, 16, 2, 4 },        { 1000, 1024, 5, 4 },
                                { 3, 8, 2, 2 },          { 48, 8, 6, 2 },
                                { 12, 4, 3, 1 },         { 600, 30, 20, 1 } };
#define SHAPES (sizeof shapes / sizeof *shapes)

static const uint64_t chances[] = { 0x9f597ea69a1c85f1u, 0x44d9585152ea1936u, 1, 0xfffffffffffffffeu };
static const uint64_t values[] = { 0,
                                   1,
                                   2,
                                   11,
                                   99,
                                   255,
                                   999,
                                   65535,
                                   0x7fffffff,
                                   0xfffffffe,
                                   0xffffffff,
                                   0x123456789abcdef0u,
                                   0xffffffffffffffffu };
#define VALUES (sizeof values / sizeof *values)

static dusk_client_task task_of(uint32_t mechanism, const shape *s, int with)
{
    dusk_client_task task = { 0 };
    task.id = 0x0f1e2d3c4b5a6978u + mechanism;
    task.seed = 0x8badf00d;
    task.p = chances[with >> 2 & 3];
    task.q = with & 1 ? chances[1] : 0;
    task.f = with & 2 ? chances[(with + 1) & 1] : 0;
    task.mechanism = mechanism;
    task.domain = s->domain;
    task.width = s->width;
    task.rows = s->rows;
    task.hashes = s->hashes;
    if (with & 16) {
        task.attributes = 3;
        task.sizes[0] = 2 + s->domain % 7;
        task.sizes[1] = 5;
        task.sizes[2] = 3;
    }
    if (mechanism >= DUSK_SPL && mechanism <= DUSK_RSFD && with & 16) {
        const uint32_t a = task.sizes[0], b = task.sizes[1], c = task.sizes[2];
        task.hashes = mechanism == DUSK_SMP && with & 1 ? 2 : 1;
        task.domain = task.hashes == 2 ? a * b + a * c + b * c : a + b + c;
        task.p = with & 1 ? 600000000 : 1000000000; /* bits for 5 and more, or none */
        task.q = ((uint64_t)1 << 30) - task.p;
    }
    return task;
}

static int failed;

/* Fresh, remembered and framed reports of one task. */
static uint64_t hash_reports(const dusk_client_task *task, uint64_t hash)
{
    const uint32_t size = dusk_report_size(task);
    uint8_t seed[32];
    dusk_memory memory;
    dusk_stream stream;
    dusk_entropy entropy;
    uint32_t i, n;
    for (i = 0; i < 32; i++) {
        seed[i] = (uint8_t)(7 * i + task->mechanism);
        memory.secret[i] = (uint8_t)(11 * i + task->domain);
    }
    entropy = dusk_stream_of(&stream, seed);
    for (i = 0; i < REPORTS; i++) {
        failed |= dusk_client_report(task, report, values[(i * 3 + task->width) % VALUES], &entropy);
        hash = hash_more(hash, report, size);
        n = dusk_client_record(task, i * (uint64_t)0x1234567, record, report, &entropy);
        hash = hash_more(hash, record, n);
        if (dusk_client_remembered(task, &memory, report, values[(i + task->hashes) % VALUES], &entropy) ==
            DUSK_CLIENT_OK)
            hash = hash_more(hash, report, size);
    }
    return hash;
}

static void every_randomiser(void)
{
    uint32_t mechanism, s, tasks;
    int with, known;
    for (mechanism = 1; mechanism < MECHANISMS; mechanism++) {
        uint64_t hash = EMPTY;
        for (s = 0, tasks = 0, known = 0; s < SHAPES; s++)
            for (with = 0; with < 18; with++) {
                const dusk_client_task task = task_of(mechanism, &shapes[s], with);
                known |= dusk_report_size(&task) > 0;
                if (dusk_client_check(&task) || dusk_report_size(&task) > ROOM) continue;
                hash = hash_reports(&task, hash);
                tasks++;
            }
        if (!known) continue;
        failed |= tasks == 0; /* a randomiser of which none of the shapes is a task: add one */
        say("reports of randomiser");
        say_number(mechanism);
        say(", tasks");
        say_number(tasks);
        say_hash(hash);
        say(tasks ? "\n" : " NONE\n");
    }
}

static void beginnings(void)
{
    static const uint8_t text[] = "a text that nobody has on a list";
    const shape s = { 12, 64, 16, 3 };
    const dusk_client_task task = task_of(DUSK_PEM, &s, 0);
    uint8_t seed[32] = { 1 };
    dusk_stream stream;
    dusk_entropy entropy = dusk_stream_of(&stream, seed);
    uint64_t hash = EMPTY;
    uint32_t n;
    failed |= dusk_client_check(&task);
    for (n = 0; n < sizeof text; n++) {
        failed |= dusk_client_text(&task, report, text, n, &entropy);
        hash = hash_more(hash, report, dusk_report_size(&task)) ^ dusk_client_hash(text, n);
    }
    say("beginnings of texts");
    say_hash(hash);
    for (n = 0; n < 64; n++)
        hash = hash * 31 + dusk_client_number((int64_t)(hash >> (n & 31)) - 1000, -1000 - (int64_t)n,
                                              (int64_t)1 << n % 60);
    say("\nnumbers");
    say_hash(hash);
    say("\n");
}

/* --- what a report takes ------------------------------------------------------------------------------------------------- */

typedef struct example {
    const char *name;
    int (*make)(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy);
    dusk_client_task task;
} example;

/* A text of eight letters, the last one of which is the value's. */
static int report_text(const dusk_client_task *task, uint8_t *to, uint64_t value, dusk_entropy *entropy)
{
    uint8_t text[8] = { 'd', 'u', 's', 'k', 'd', 'u', 's', 'a' };
    text[7] = (uint8_t)(text[7] + value % 26);
    return task->mechanism == DUSK_SFP ? dusk_client_fragment(task, to, text, 8, entropy)
                                       : dusk_client_prefix(task, to, text, 8, entropy);
}

/* As `dusk collect plan --epsilon 1 --c` prints them: 1024 categories, or texts, or numbers; planar: cells of 100 m, epsilon 1 within 500 m. */
#define EXAMPLE(name, make, p_, q_, f_, mechanism_, domain_, width_, rows_, hashes_)                         \
    {                                                                                                        \
        name, make,                                                                                          \
        {                                                                                                    \
            .id = 1, .p = p_, .q = q_, .f = f_, .mechanism = mechanism_, .domain = domain_, .width = width_, \
            .rows = rows_, .hashes = hashes_                                                                 \
        }                                                                                                    \
    }
/* Three attributes, of 10, 2 and 20 categories. */
#define SEVERAL(name, make, p_, q_, mechanism_)                                                              \
    {                                                                                                        \
        name, make,                                                                                          \
        {                                                                                                    \
            .id = 1, .p = p_, .q = q_, .mechanism = mechanism_, .domain = 32, .hashes = 1, .attributes = 3,  \
            .sizes = {                                                                                       \
                10,                                                                                          \
                2,                                                                                           \
                20                                                                                           \
            }                                                                                                \
        }                                                                                                    \
    }
static const example examples[] = {
    EXAMPLE("grr", dusk_client_grr, 0x00adadb8e763f2c8, 0, 0, DUSK_GRR, 1024, 0, 0, 0),
    EXAMPLE("sue", dusk_client_sue, 0x9f597ea69a1c85f1, 0x60a6815965e37a0f, 0, DUSK_SUE, 1024, 0, 0, 0),
    EXAMPLE("oue", dusk_client_oue, 0x8000000000000000, 0x44d9585152ea1936, 0, DUSK_OUE, 1024, 0, 0, 0),
    EXAMPLE("olh", dusk_client_olh, 0x79b1a4eec500ab94, 0, 0, DUSK_OLH, 1024, 4, 1031, 0),
    EXAMPLE("ss", dusk_client_ss, 0x7fdfc21756d59ecb, 0, 0, DUSK_SS, 1024, 275, 0, 0),
    EXAMPLE("hadamard", dusk_client_hadamard, 0xbb26a7aead15e6ca, 0, 0, DUSK_HADAMARD, 1024, 1024, 0, 0),
    EXAMPLE("hr", dusk_client_hr, 0xbb26a7aead15e6ca, 0, 0, DUSK_HR, 1024, 2048, 1, 0),
    EXAMPLE("pgr", dusk_client_pgr, 0x93666cce7f66106b, 0, 0, DUSK_PGR, 1024, 3, 7, 0),
    EXAMPLE("cms", dusk_client_cms, 0x9f597ea69a1c85f1, 0, 0, DUSK_CMS, 0, 1024, 1024, 0),
    EXAMPLE("hcms", dusk_client_hcms, 0xbb26a7aead15e6ca, 0, 0, DUSK_HCMS, 0, 1024, 1024, 0),
    EXAMPLE("rappor", dusk_client_rappor, 0x3f02a4abc9f86000, 0xc0fd5b543607a000, 0xc14d02b2cbc6f41e,
            DUSK_RAPPOR, 0, 128, 1024, 2),
    EXAMPLE("onebit", dusk_client_onebit, 0xbb26a7aead15e6ca, 0x44d9585152ea1936, 0, DUSK_ONEBIT, 0, 0, 0, 0),
    EXAMPLE("duchi", dusk_client_onebit, 0xbb26a7aead15e6ca, 0x44d9585152ea1936, 0, DUSK_DUCHI, 0, 0, 0, 0),
    EXAMPLE("piecewise", dusk_client_window, 0x9f5ed96172af4039, 0, 0, DUSK_PIECEWISE, 2048, 1242, 0, 0),
    EXAMPLE("hybrid", dusk_client_hybrid, 0x9f5ed96172af4039, 0x44d9585152ea1936, 0x64ba681c834fb000,
            DUSK_HYBRID, 2048, 1242, 0, 0),
    EXAMPLE("dbitflip", dusk_client_dbitflip, 0x9f597ea69a1c85f1, 0, 0, DUSK_DBITFLIP, 1024, 16, 0, 0),
    SEVERAL("spl", dusk_client_spl, 625529996, 448211828, DUSK_SPL),
    SEVERAL("smp", dusk_client_smp, 784968171, 288773653, DUSK_SMP),
    SEVERAL("rsfd", dusk_client_rsfd, 784968171, 288773653, DUSK_RSFD),
    EXAMPLE("squarewave", dusk_client_window, 0x952ce3d5684dc744, 0, 0, DUSK_SQUAREWAVE, 256, 131, 0, 0),
    EXAMPLE("pem", report_text, 0xbb26a7aead15e6ca, 0, 0, DUSK_PEM, 8, 4096, 64, 2),
    EXAMPLE("treehist", report_text, 0xbb26a7aead15e6ca, 0, 0x1fffffffffffffff, DUSK_TREEHIST, 8, 4096, 64,
            1),
    EXAMPLE("sfp", report_text, 0x9f597ea69a1c85f1, 0x9f597ea69a1c85f1, 0, DUSK_SFP, 8, 4096, 64, 2),
    EXAMPLE("tree", dusk_client_tree, 0xbb26a7aead15e6ca, 0, 0, DUSK_TREE, 1024, 1024, 5, 4),
    EXAMPLE("planar", dusk_client_planar, 0xd8b306bd111dad3e, 0, 0, DUSK_PLANAR, 1024, 32, 32, 0),
};
#define EXAMPLES (sizeof examples / sizeof *examples)

/* For a generator in hardware: next to nothing. */
static int quick(void *context, uint8_t *bytes, size_t n)
{
    uint32_t *state = context;
    size_t i;
    for (i = 0; i < n; i++) {
        *state = *state * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(*state >> 24);
    }
    return 0;
}

static uint32_t instructions(const example *e, dusk_entropy *entropy)
{
    uint32_t i;
    board_start();
    for (i = 0; i < TIMES; i++) failed |= e->make(&e->task, report, i * 101, entropy);
    return board_instructions() / TIMES;
}

static void costs(void)
{
    const uint8_t seed[32] = { 3 };
    uint32_t i, state = 1, stack;
    dusk_stream stream;
    dusk_entropy fast, slow;
    fast.fill = quick;
    fast.context = &state;
    for (i = 0; i < EXAMPLES; i++) {
        const example *e = &examples[i];
        failed |= dusk_client_check(&e->task);
        board_paint();
        slow = dusk_stream_of(&stream, seed); /* so that it begins with a block */
        failed |= e->make(&e->task, report, 5, &slow);
        stack = board_stack();
        say("cost ");
        say(e->name);
        say_number(dusk_report_size(&e->task));
        say_number(instructions(e, &fast));
        say_number(instructions(e, &slow));
        say_number(stack);
        say("\n");
    }
}

int reports_main(void)
{
    every_randomiser();
    beginnings();
    costs();
    return failed;
}
