/* SPDX-License-Identifier: BSD-3-Clause */
#include "xml_check.h"

#include <libxml/parser.h>
#include <libxml/relaxng.h>

static xmlRelaxNG *grammar;

static void silent(void *context, const char *format, ...)
{
}

int load_grammar(void **state)
{
    xmlRelaxNGParserCtxt *parser = xmlRelaxNGNewParserCtxt(GRAMMAR_FILE);

    grammar = parser ? xmlRelaxNGParse(parser) : NULL;
    xmlRelaxNGFreeParserCtxt(parser);
    return grammar ? 0 : -1;
}

int free_grammar(void **state)
{
    xmlRelaxNGFree(grammar);
    xmlRelaxNGCleanupTypes();
    xmlCleanupParser();
    return 0;
}

bool is_valid(const char *text)
{
    xmlDoc *doc = xmlReadMemory(text, (int)strlen(text), NULL, NULL,
                                XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    xmlRelaxNGValidCtxt *valid = xmlRelaxNGNewValidCtxt(grammar);
    bool good;

    xmlRelaxNGSetValidErrors(valid, silent, silent, NULL);
    good = doc && xmlRelaxNGValidateDoc(valid, doc) == 0;
    xmlRelaxNGFreeValidCtxt(valid);
    xmlFreeDoc(doc);
    return good;
}

struct portolan_model *read_text(const char *text)
{
    struct portolan_model *model = NULL;
    struct portolan_error err = {0};

    if (portolan_model_read_xml(text, strlen(text), "it.xml", NULL, &model, &err))
        fail_msg("read: %s in\n%s", err.text, text);
    return model;
}

static void assert_same_double(double a, double b)
{
    if (isnan(a) && isnan(b))
        return;
    if (memcmp(&a, &b, sizeof a) != 0)
        fail_msg("%a is not %a", a, b);
}

void assert_same(const struct portolan_model *a, const struct portolan_model *b)
{
    static const double at[][3] = {{1, 1, 1}, {20, 3, 7}, {64.5, 2, 1000}, {1e5, 400, 2}};

    assert_int_equal(a->n_terms, b->n_terms);
    for (size_t j = 0; j < a->n_terms; j++) {
        assert_same_double(a->terms[j].constant, b->terms[j].constant);
        assert_same_double(a->terms[j].std_error, b->terms[j].std_error);
        assert_int_equal(a->terms[j].fitted_exponents, b->terms[j].fitted_exponents);
        assert_true(shape_equal(&a->terms[j].shape, &b->terms[j].shape, a->n_params));
    }
    for (size_t p = 0; p < a->n_params; p++) {
        assert_string_equal(a->params[p], b->params[p]);
        assert_memory_equal(&a->range[p], &b->range[p], sizeof a->range[p]);
    }
    assert_same_double(a->summary.condition, b->summary.condition);
    assert_same_double(a->summary.leave_one_out, b->summary.leave_one_out);
    assert_same_double(a->summary.sigma_repeat, b->summary.sigma_repeat);
    for (size_t i = 0; i < COUNT(at); i++) {
        struct portolan_prediction p = {0}, q = {0};

        assert_int_equal(portolan_model_predict(a, at[i], &p),
                         portolan_model_predict(b, at[i], &q));
        assert_same_double(p.value, q.value);
        assert_same_double(p.low, q.low);
        assert_same_double(p.high, q.high);
        assert_int_equal(p.extrapolates, q.extrapolates);
        assert_int_equal(p.is_assumed, q.is_assumed);
    }
}

void assert_round_trip(const struct portolan_model *model)
{
    char *text, *again;
    struct portolan_model *back;

    assert_int_equal(portolan_model_write_xml(model, &text, NULL), PORTOLAN_OK);
    if (!is_valid(text))
        fail_msg("not valid:\n%s", text);
    back = read_text(text);
    assert_same(model, back);
    assert_int_equal(portolan_model_write_xml(back, &again, NULL), PORTOLAN_OK);
    assert_string_equal(text, again);
    free(text);
    free(again);
    portolan_model_destroy(back);
}
