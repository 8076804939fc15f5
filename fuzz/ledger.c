/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes, and what is made of a ledger by writing some of them into it, as a ledger: it is refused,
 * or everything that it says can be read. Nothing crashes, and what verifies can be charged. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dusk/ledger.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/dev/shm/dusk-fuzz-XXXXXX", path[64]; /* in memory: syncs take time */
static uint8_t *whole;                                        /* a ledger with an entry of each kind */
static size_t whole_size;

static void require(int ok)
{
    if (!ok) abort();
}

static void make(void)
{
    dusk_ledger *ledger;
    dusk_ledger_options options;
    dusk_event event;
    dusk_charge charge = { .analyst = "alice", .event = &event, .fingerprint = "q", .epsilon = 0.125 };
    uint64_t id;
    char *answer;
    size_t length;
    dusk_ledger_options_init(&options);
    options.neighbours = DUSK_ADD_REMOVE;
    options.budget = (dusk_budget){ 1, 1e-6 };
    require(dusk_ledger_create(path, &options, NULL) == DUSK_OK);
    require(dusk_ledger_open(&ledger, path, NULL) == DUSK_OK);
    require(dusk_ledger_declare(ledger, "t.a", "bounds", "0:1", NULL) == DUSK_OK);
    require(dusk_ledger_grant(ledger, "alice", (dusk_budget){ 0.5, 0 }, NULL) == DUSK_OK);
    require(dusk_event_pure(&event, 0.125, NULL) == DUSK_OK);
    require(dusk_ledger_reserve(ledger, &id, &charge, NULL) == DUSK_OK);
    require(dusk_ledger_commit(ledger, id, "42", 2, NULL) == DUSK_OK);
    charge.analyst = "bob";
    require(dusk_ledger_recall(ledger, &answer, &length, NULL, &charge, NULL) == DUSK_OK);
    dusk_ledger_free_text(answer);
    dusk_ledger_close(ledger);
}

static void remove_files(void)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal" };
    char name[80];
    for (size_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        (void)unlink(name);
    }
}

static void clean_up(void)
{
    remove_files();
    (void)rmdir(folder);
    free(whole);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    require(mkdtemp(folder) != NULL && atexit(clean_up) == 0);
    snprintf(path, sizeof path, "%s/x.dusk", folder);
    make();
    FILE *file = fopen(path, "rb");
    require(file && fseek(file, 0, SEEK_END) == 0);
    whole_size = (size_t)ftell(file);
    rewind(file);
    whole = malloc(whole_size);
    require(whole && fread(whole, 1, whole_size, file) == whole_size);
    fclose(file);
    return 0;
}

static void put(const uint8_t *data, size_t size)
{
    remove_files();
    FILE *file = fopen(path, "wb");
    require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static dusk_status see_fact(void *context, const dusk_fact *fact, dusk_error *err)
{
    (void)err;
    *(size_t *)context += strlen(fact->subject) + strlen(fact->property) + strlen(fact->value);
    return DUSK_OK;
}

static dusk_status see_entry(void *context, const dusk_entry *entry, dusk_error *err)
{
    (void)err;
    *(size_t *)context += strlen(entry->subject) + strlen(entry->purpose);
    return DUSK_OK;
}

static dusk_status see_analyst(void *context, const char *analyst, const dusk_spending *s, dusk_error *err)
{
    (void)err, (void)s;
    *(size_t *)context += strlen(analyst);
    return DUSK_OK;
}

static void read_all(void)
{
    dusk_ledger *ledger = NULL;
    dusk_event event;
    dusk_charge charge = { .analyst = "bob", .event = &event, .fingerprint = "q", .epsilon = 0.125 };
    size_t seen = 0, length;
    char *answer = NULL;
    uint64_t id;
    if (dusk_ledger_open(&ledger, path, NULL) != DUSK_OK) return;
    dusk_status verified = dusk_ledger_verify(ledger, NULL);
    dusk_status facts = dusk_ledger_facts(ledger, see_fact, &seen, NULL);
    dusk_status history = dusk_ledger_history(ledger, 1, see_entry, &seen, NULL);
    dusk_status analysts = dusk_ledger_analysts(ledger, see_analyst, &seen, NULL);
    dusk_status recalled = dusk_ledger_recall(ledger, &answer, &length, NULL, &charge, NULL);
    dusk_ledger_free_text(answer);
    if (verified == DUSK_OK) {
        require(facts == DUSK_OK && history == DUSK_OK && analysts == DUSK_OK && recalled == DUSK_OK);
        require(dusk_event_pure(&event, 0x1p-10, NULL) == DUSK_OK);
        dusk_status charged = dusk_ledger_reserve(ledger, &id, &charge, NULL);
        require(charged == DUSK_OK || charged == DUSK_ERR_BUDGET);
        require(dusk_ledger_verify(ledger, NULL) == DUSK_OK);
    }
    dusk_ledger_close(ledger);
}

/* The first byte says whether the rest is the file, or places (2 bytes) and values (1) to write into the
 * ledger. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    if (data[0] % 2 == 0) {
        put(data + 1, size - 1);
    } else {
        uint8_t *copy = malloc(whole_size);
        require(copy != NULL);
        memcpy(copy, whole, whole_size);
        for (size_t i = 1; i + 2 < size; i += 3)
            copy[((size_t)data[i] | (size_t)data[i + 1] << 8) % whole_size] = data[i + 2];
        put(copy, whole_size);
        free(copy);
    }
    read_all();
    return 0;
}
