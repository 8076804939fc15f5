/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of networks: layers, shapes and counts of right ones; what is wrong is refused with the number and the word of the layer; any
 * bytes are met. */
#include "deep/net.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "deep/layer.h"
#include "dusk/learn.h"
#include "support.h"

static void test_shapes(void **state)
{
    (void)state;
    deep_net net;
    assert_int_equal(
        deep_net_parse(&net,
                       "# a comment; dense 3\n input 4 3 2 ; dense 5 each # one more\n;;\n\tdense 7\r\n"
                       "relu;output;",
                       24, 3, NULL),
        DUSK_OK);
    assert_int_equal(net.layers, 4);
    assert_int_equal(net.layer[0].out.height, 4);
    assert_int_equal(net.layer[0].out.width, 3);
    assert_int_equal(net.layer[0].out.channels, 5);
    assert_int_equal(net.layer[0].parameters, 5 * 3);
    assert_int_equal(net.layer[1].first, 15);
    assert_int_equal(net.layer[1].parameters, 7 * 61);
    assert_int_equal(net.layer[3].first, 15 + 7 * 61);
    assert_int_equal(net.parameters, 15 + 7 * 61 + 3 * 8);
    assert_int_equal(deep_size(net.out), 3);
    deep_net_clear(&net);
    deep_net_clear(&net);
}

static deep_shape shape_of(const char *text, size_t in, size_t parameters)
{
    deep_net net;
    dusk_error err = { 0 };
    if (deep_net_parse(&net, text, in, 1, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    assert_int_equal(net.layer[0].parameters, parameters);
    const deep_shape shape = net.layer[0].out;
    deep_net_clear(&net);
    return shape;
}

static void assert_shape(const char *text, size_t in, size_t parameters, size_t height, size_t width,
                         size_t channels)
{
    const deep_shape shape = shape_of(text, in, parameters);
    assert_int_equal(shape.height, height);
    assert_int_equal(shape.width, width);
    assert_int_equal(shape.channels, channels);
}

static void test_windows(void **state)
{
    (void)state;
    assert_shape("input 28 28; conv 16 8 stride 2 pad 3; output", 784, 16 * 65, 14, 14, 16);
    assert_shape("input 28 28; conv 16 8 stride 2 same; output", 784, 16 * 65, 14, 14, 16);
    assert_shape("input 13 13 16; conv 32 4 stride 2; output", 2704, 32 * 257, 5, 5, 32);
    assert_shape("input 9 7 4; conv 6 3 2 dilation 2 groups 2; output", 252, 6 * 13, 5, 5, 6);
    assert_shape("input 30 1 4; conv1d 6 3 stride 2; output", 120, 6 * 13, 14, 1, 6);
    assert_shape("input 14 14 16; maxpool 2 1; output", 3136, 0, 13, 13, 16);
    assert_shape("input 9 9 2; avgpool 2; output", 162, 0, 4, 4, 2);
    assert_shape("input 9 9 2; avgpool 2 same; output", 162, 0, 5, 5, 2);
    assert_shape("input 9 7 2; avgpool all; output", 126, 0, 1, 1, 2);
    assert_shape("input 9 1 2; maxpool 3; output", 18, 0, 3, 1, 2);
}

/* The network of Papernot et al. 2021, and of the tutorials of other libraries. */
static void test_cnn(void **state)
{
    (void)state;
    deep_net net;
    assert_int_equal(
        deep_net_parse(&net,
                       "input 28 28; conv 16 8 stride 2 pad 3; tanh; maxpool 2 1; conv 32 4 stride 2; tanh; "
                       "maxpool 2 1; dense 32; tanh; output",
                       784, 10, NULL),
        DUSK_OK);
    assert_int_equal(net.parameters, 26010);
    deep_net_clear(&net);
}

typedef struct wrong_net {
    const char *text;
    const char *part; /* of the message */
} wrong_net;

static const wrong_net wrong_nets[] = {
    { "", "no parameters" },
    { "relu; tanh", "no parameters" },
    { " ; \n # nothing", "no parameters" },
    { "dense", "layer 1 (dense): how many outputs is missing" },
    { "dense 0", "layer 1 (dense): how many outputs is a whole number" },
    { "dense -4", "layer 1 (dense)" },
    { "dense 2.5", "layer 1 (dense)" },
    { "dense nan", "layer 1 (dense)" },
    { "dense inf", "layer 1 (dense)" },
    { "dense 1e300", "layer 1 (dense)" },
    { "dense 18446744073709551616", "layer 1 (dense)" },
    { "dense 5 6; output", "layer 1 (dense): 6 is a number too many" },
    { "dense 1 2 3 4 5 6 7 8 9 10 11; output", "layer 1 (dense)" },
    { "dense 5; relu 4; output", "layer 2 (relu): 4 is a number too many" },
    { "dense 8, relu, output", "layer 1 (dense): a ; stands between layers, and a blank between words" },
    { "input 3 4; conv 4 2 stride; output", "layer 2 (conv): stride needs a number" },
    { "input 3 4; conv 4 2 pad groups 2; output", "layer 2 (conv): pad needs a number" },
    { "input 3 4; conv 4 2 stride 1 2; output", "layer 2 (conv): 2 is a number too many" },
    { "input 3 4; maxpool all 2; output", "layer 2 (maxpool): all takes no number" },
    { "input 12; embedding 10 4 pad; output", "layer 2 (embedding): pad needs a number" },
    { "dense 5; relu; dense 4 all; output", "layer 3 (dense): it has no option all" },
    { "dense 5; wonder 3; output", "layer 2 (wonder): there is no such layer" },
    { "dense 5; Dense 3", "layer 2 (Dense)" },
    { "dense 5; averyveryverylongword; output", "layer 2 (averyveryverylo): there is no such layer" },
    { "dense 5; dense 3 a b c d e f g h i j k", "layer 2 (dense)" },
    { "dense 5 averyveryveryveryveryverylongword", "layer 1 (dense)" },
    { "dense 5; output 3", "layer 2 (output): it has no number" },
    { "dense 5; input 12", "layer 2 (input): it comes first" },
    { "input 5 5; output", "layer 1 (input): 5 x 5 x 1 numbers, and an example has 12" },
    { "input 0; output", "layer 1 (input)" },
    { "input 1048576 1048576 1048576; output", "layer 1 (input)" },
    { "input; output", "layer 1 (input): height is missing" },
    { "dense 4", "gives 4 numbers, and 3 are needed" },
    { "dense 16777216; dense 16777216; output", "layer 2 (dense): it is too large" },
    { "dense 16777216; dense 16; output", "layer 2 (dense): it is too large" },
    { "dense 9000000; dense 20; output", "layer 2 (dense): there are too many parameters" },
    { "dense 9000000; relu; relu; relu; relu; relu; relu; relu; relu; relu; relu; relu; relu; relu; relu; "
      "relu; "
      "dense 3",
      "layer 15 (relu): the network is too large" },
    { "tempered scale 0; output", "layer 1 (tempered): scale is a number from" },
    { "tempered inverse 1e9; output", "layer 1 (tempered): inverse is a number from" },
    { "input 3 4; conv 2 4; output", "layer 2 (conv): its window of 4 is larger than the 3 that there are" },
    { "input 3 4; conv 2 3 pad 3; output", "layer 2 (conv): pad is less than the window" },
    { "input 3 4; conv 2 3 pad 1 same; output", "layer 2 (conv): it has pad or same, not both" },
    { "input 3 4; conv 2; output", "layer 2 (conv): the window is missing" },
    { "input 3 4; conv 2 2 stride 0; output", "layer 2 (conv): stride is a whole number" },
    { "input 3 2 2; conv 3 2 groups 2; output",
      "layer 2 (conv): 2 groups do not divide 2 channels and 3 outputs" },
    { "input 3 4; conv 16777216 3 same; output", "layer 2 (conv)" },
    { "input 12; conv1d 16777216 4096 same; output", "layer 2 (conv1d): it has too many parameters" },
    { "input 3 4; conv1d 2 2; output", "layer 2 (conv1d): it is for sequences" },
    { "input 3 4; maxpool 4; output", "layer 2 (maxpool): its window of 4 is larger" },
    { "input 3 4; maxpool 2 pad 1 dilation 4; output", "layer 2 (maxpool): it has no option dilation" },
    { "input 3 4; avgpool; output", "layer 2 (avgpool): the window is missing" },
    { "input 12; layernorm; output", "layer 2 (layernorm): one channel would be 0" },
    { "groupnorm 5; output", "layer 1 (groupnorm): 5 groups do not divide 12 channels" },
    { "groupnorm 12; output", "layer 1 (groupnorm): groups of one number would be 0" },
    { "groupnorm; output", "layer 1 (groupnorm): how many groups is missing" },
    { "dropout; output", "layer 1 (dropout): the part that is left out is missing" },
    { "dropout 1; output", "layer 1 (dropout): the part that is left out is a number from 0 to 0.99" },
    { "dense 5; tied 2; output", "layer 2 (tied): layer 2 is no dense layer" },
    { "dense 5; relu; tied 2; output", "layer 3 (tied): layer 2 is no dense layer" },
    { "dense 5; dense 4; tied 1; output", "layer 3 (tied): layer 1 turned around takes 5 numbers, not 4" },
    { "lstm; output", "layer 1 (lstm): how many channels is missing" },
    { "gru 3 first; output", "layer 1 (gru): it has no option first" },
    { "attention 5; output", "layer 1 (attention): 5 heads do not divide 12 channels" },
    { "dense 5000; flatten; dense 9000; attention 1; output", "layer 4 (attention): it is too large" },
    { "embedding 5; output", "layer 1 (embedding): how many channels is missing" },
    { "embedding 5 2 pad 5; output", "layer 1 (embedding): pad is a whole number from 0 to 4" },
    { "input 3 2 2; embedding 5 2; output", "layer 2 (embedding): a place has one token, not 2 numbers" },
    { "embedding 16777216 64; output", "layer 1 (embedding): it is too large" },
    { "residual; dense 12; output", "layer 1: residual without add" },
    { "dense 5; add; output", "layer 2: add without residual" },
    { "residual; dense 5; add; output", "layers 1 to 3 change the shape" },
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof wrong_nets / sizeof *wrong_nets; k++) {
        deep_net net = { .layers = 99 };
        dusk_error err = { 0 };
        assert_int_equal(deep_net_parse(&net, wrong_nets[k].text, 12, 3, &err), DUSK_ERR_ARGUMENT);
        if (!strstr(err.message, wrong_nets[k].part)) fail_msg("\"%s\": %s", wrong_nets[k].text, err.message);
        assert_true(err.hint[0] != 0);
        assert_int_equal(net.layers, 0);
        assert_null(net.layer);
    }
}

/* Every kind is listed, and what is wrong in a layer shows how it is written; a name that none has, which there are. */
static void test_listed(void **state)
{
    (void)state;
    dusk_layer layer;
    size_t listed = 0;
    while (dusk_layer_at(&layer, listed)) {
        dusk_error err = { 0 };
        char text[40];
        deep_net net;
        snprintf(text, sizeof text, "%.*s 1 2 3 4 5 6 7 8 9", (int)strcspn(layer.form, " ;"), layer.form);
        assert_int_equal(deep_net_parse(&net, text, 12, 3, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.hint, layer.form));
        assert_true(layer.help[0] != 0);
        listed++;
    }
    for (size_t k = 0; deep_kinds[k]; k++) {
        size_t at = 0;
        const size_t n = strlen(deep_kinds[k]->name);
        while (dusk_layer_at(&layer, at) &&
               (strncmp(layer.form, deep_kinds[k]->name, n) != 0 || !strchr(" ;", layer.form[n])))
            at++;
        assert_true(at < listed);
    }
    dusk_error err = { 0 };
    deep_net net;
    assert_int_equal(deep_net_parse(&net, "denze 3", 12, 3, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.hint, " dense "));
    assert_true(strlen(err.hint) < sizeof err.hint - 1);
    assert_true(!dusk_layer_at(&layer, SIZE_MAX));
}

/* Sizes of what is accepted are what they were said to be, and fit. */
static void check_total(const char *text)
{
    deep_net net;
    dusk_error err = { 0 };
    if (deep_net_parse(&net, text, 12, 3, &err) != DUSK_OK) {
        assert_true(err.message[0] != 0);
        assert_true(strlen(err.message) < sizeof err.message - 1);
        return;
    }
    size_t parameters = 0;
    for (size_t l = 0; l < net.layers; l++) {
        assert_int_equal(net.layer[l].first, parameters);
        assert_true(deep_size(net.layer[l].in) >= 1 && deep_size(net.layer[l].in) <= DEEP_VALUES_MOST);
        assert_true(net.layer[l].kept <= DEEP_VALUES_MOST);
        parameters += net.layer[l].parameters;
    }
    assert_int_equal(parameters, net.parameters);
    assert_true(parameters <= DEEP_PARAMETERS_MOST);
    deep_net_clear(&net);
}

/* Layers of all kinds with numbers and options of all kinds, right only by chance. */
/* Tables of a layer can be far larger than what goes through it. */
static void test_tables(void **state)
{
    (void)state;
    deep_net net;
    dusk_error err = { 0 };
    assert_int_equal(deep_net_parse(&net, "input 64 64; scatter 2 4; output", 4096, 3, NULL), DUSK_OK);
    deep_net_clear(&net);
    assert_int_equal(deep_net_parse(&net, "input 65536 8; scatter 1 3; output", 65536 * 8, 3, &err),
                     DUSK_ERR_ARGUMENT);
    if (!strstr(err.message, "layer 2 (scatter): it is too large")) fail_msg("%s", err.message);
}

static void test_any_text(void **state)
{
    static const char *const pieces[] = { "1",    "2",     "3",       "7",     "0",        "-1",
                                          "1e9",  "65536", "stride",  "pad",   "dilation", "groups",
                                          "each", "4",     "all",     "scale", "16777216", "heads",
                                          "0.5",  "same",  "1048576", "12" };
    static const char *const ends[] = { ";", "\n", " ", "#", "\t", ";;" };
    uint64_t coins = 5;
    size_t kinds = 0;
    (void)state;
    while (deep_kinds[kinds]) kinds++;
    for (int run = 0; run < 20000; run++) {
        char text[400];
        size_t n = 0;
        for (uint64_t layers = 1 + splitmix64(&coins) % 4; layers-- > 0;) {
            const uint64_t which = splitmix64(&coins) % (kinds + 2);
            n += (size_t)snprintf(text + n, sizeof text - n, "%s",
                                  which < kinds    ? deep_kinds[which]->name
                                  : which == kinds ? "output"
                                                   : "input");
            for (uint64_t words = splitmix64(&coins) % 5; words-- > 0;)
                n += (size_t)snprintf(text + n, sizeof text - n, " %s",
                                      pieces[splitmix64(&coins) % (sizeof pieces / sizeof *pieces)]);
            n += (size_t)snprintf(
                text + n, sizeof text - n, "%s",
                splitmix64(&coins) % 8 ? ";" : ends[splitmix64(&coins) % (sizeof ends / sizeof *ends)]);
        }
        if (splitmix64(&coins) % 16 == 0) text[splitmix64(&coins) % n] = (char)(splitmix64(&coins) & 0xff);
        check_total(text);
    }
}

static void test_any_bytes(void **state)
{
    uint64_t coins = 6;
    (void)state;
    for (int run = 0; run < 5000; run++) {
        char text[64];
        const size_t n = splitmix64(&coins) % sizeof text;
        for (size_t j = 0; j < n; j++) text[j] = (char)(splitmix64(&coins) & 0xff);
        text[n] = 0;
        check_total(text);
    }
}

static void test_too_many_layers(void **state)
{
    (void)state;
    char *text = dusk_allocate(8 * 1100 + 16, 1);
    deep_net net;
    dusk_error err = { 0 };
    text[0] = 0;
    for (int l = 0; l < 1100; l++) memcpy(text + 5 * l, "relu;", 6);
    memcpy(text + 5 * 1100, "output", 7);
    assert_int_equal(deep_net_parse(&net, text, 3, 3, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "layer 1001 (relu): there are too many layers"));
    dusk_deallocate(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),         cmocka_unit_test(test_cnn),
        cmocka_unit_test(test_shapes),          cmocka_unit_test(test_refused),
        cmocka_unit_test(test_listed),          cmocka_unit_test(test_tables),
        cmocka_unit_test(test_any_text),        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_too_many_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
