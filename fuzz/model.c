/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: model files. The bytes are what follows the first line, which gets the right hash, so that the fuzzer comes
 * past it. What is read predicts, and is written and read again as the same text. */
#include <sodium.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/learn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *with_head(const uint8_t *data, size_t size, size_t *length)
{
    static const char first[] = "dusk-model 1\n";
    unsigned char hash[32];
    char hex[65], *text = malloc(size + 128);
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, sizeof hash);
    crypto_generichash_update(&state, (const unsigned char *)first, strlen(first));
    crypto_generichash_update(&state, data, size);
    crypto_generichash_final(&state, hash, sizeof hash);
    sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
    *length = (size_t)snprintf(text, 128, "dusk-model 1 %s\n", hex);
    memcpy(text + *length, data, size);
    *length += size;
    return text;
}

static void use(const dusk_model *model)
{
    dusk_frame *frame;
    dusk_prediction prediction;
    dusk_model_scores scores;
    if (dusk_frame_new(&frame, dusk_model_fields(model), 3, NULL) != DUSK_OK) abort();
    if (dusk_predict(&prediction, model, frame, NULL) == DUSK_OK) dusk_prediction_clear(&prediction);
    if (dusk_model_score(&scores, model, frame, NULL) != DUSK_OK) abort();
    dusk_frame_free(frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dusk_model *model = NULL, *again = NULL;
    dusk_error err = { .status = DUSK_OK };
    size_t length, lengths[2];
    char *text = with_head(data, size, &length), *texts[2];
    dusk_status status = dusk_model_parse(&model, text, length, &err);
    if (status == DUSK_OK) {
        use(model);
        if (dusk_model_format(model, &texts[0], &lengths[0], &err) != DUSK_OK) abort();
        if (dusk_model_parse(&again, texts[0], lengths[0], &err) != DUSK_OK) abort();
        if (dusk_model_format(again, &texts[1], &lengths[1], &err) != DUSK_OK) abort();
        if (lengths[0] != lengths[1] || memcmp(texts[0], texts[1], lengths[0]) != 0) abort();
        dusk_ledger_free_text(texts[0]);
        dusk_ledger_free_text(texts[1]);
    } else if (model ||
               (status != DUSK_ERR_CORRUPT && status != DUSK_ERR_UNSUPPORTED && status != DUSK_ERR_MEMORY)) {
        abort();
    }
    dusk_model_free(model);
    dusk_model_free(again);
    free(text);
    return 0;
}
