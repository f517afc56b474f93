/* SPDX-License-Identifier: BSD-3-Clause */
/* Models as XML: everything that is wrong with a text, each mistake at its place. */
#include "xml_check.h"

static const struct {
    const char *text;
    int line;
    const char *word;
    bool grammar_accepts; /* a matter of meaning, not of grammar */
} wrong[] = {
    {"", 1, "bytes", false},
    {"hello", 1, "expected", false},
    {"<model/>", 1, "urn:portolan:model:1", false},
    {"<modell xmlns=\"urn:portolan:model:1\"/>", 1, "must start with", false},
    {HEAD FIT ERROR END, 5, "<function> is missing", false},
    {HEAD BEFORE "<cn>1</cn>" AFTER END, 2, "lacks <fit>", false},
    {HEAD BEFORE "<cn>1</cn>" AFTER ERROR FIT END, 8, "<fit> is missing", false},
    {HEAD "<functoin/>" FIT ERROR END, 5, "did you mean 'function'", false},
    {HEAD "<combination of=\"p\" with=\"n\"/>" END, 5, "in the order of the model", false},
    {HEAD "<combination of=\"n\" with=\"q\"/>" END, 5, "not a word that is known", false},
    {HEAD "<parameter nme=\"q\"/>" END, 5, "did you mean 'name'", false},
    {HEAD "<parameter name=\"n\"/>" BEFORE END, 6, "mismatch", false},
    {HEAD "<parameter name=\"n\"/>" FIT END, 5, "same name", false},
    {HEAD "<parameter name=\"q\" min=\"zwei\"/>" FIT END, 5, "min=\"zwei\"", false},
    {HEAD "<parameter name=\"q\" min=\"0x10\"/>" FIT END, 5, "min=\"0x10\"", false},
    {MODEL("<cn>1e999</cn>"), 6, "not a number", true},
    {MODEL("<cn>nan</cn>"), 6, "not a number", false},
    {MODEL("<cn type='integer'>1.5</cn>"), 6, "type integer", false},
    {MODEL("<cn type='hexdouble'>1</cn>"), 6, "e-notation", false},
    {MODEL("<cn type='rational'>1<sep/>0</cn>"), 6, "type rational", true},
    {MODEL("<cn/>"), 6, "not a number", false},
    {MODEL("<ci>m</ci>"), 6, "not a parameter of this model", true},
    {MODEL("<ci/>"), 6, "missing", false},
    {MODEL("<apply><sin/><ci>n</ci></apply>"), 6, "<sin/>", false},
    {MODEL("<apply><exp/><ci>n</ci><ci>p</ci></apply>"), 6, "one argument", false},
    {MODEL("<apply><min/></apply>"), 6, "one argument or more", false},
    {MODEL("<apply><lt/><ci>n</ci><ci>p</ci><cn>3</cn></apply>"), 6, "two arguments", false},
    {MODEL("<apply><and/><true/></apply>"), 6, "two arguments or more", false},
    {MODEL("<apply><root/><degree><ci>p</ci></degree><ci>n</ci></apply>"), 6, "positive", true},
    {MODEL("<piecewise><piece><cn>1</cn></piece></piecewise>"), 6, "the condition", false},
    {MODEL("<piecewise><otherwise><cn>1</cn></otherwise></piecewise>"), 6, "at least one <piece>",
     false},
    {MODEL("<piecewise><piece><cn>1</cn><true/></piece><otherwise><cn>1</cn><cn>2</cn></otherwise>"
           "</piecewise>"),
     6, "<otherwise> must contain one", false},
    {MODEL("<semantics/>"), 6, "<semantics> must contain", false},
    {MODEL("<semantics><cn>1</cn><cn>2</cn></semantics>"), 6, "annotations", false},
    {MODEL("<apply><tims/><ci>n</ci></apply>"), 6, "did you mean 'times'", false},
    {MODEL("<apply/>"), 6, "<apply>", false},
    {MODEL("<apply><divide/><ci>n</ci></apply>"), 6, "two arguments", false},
    {MODEL("<apply><log/><logbase><cn>0</cn></logbase><ci>n</ci></apply>"), 6, "positive", true},
    {MODEL("stray <cn>1</cn>"), 6, "text is not allowed between", false},
    {MODEL("<cn>1</cn><cn>1</cn>"), 5, "one expression", false},
    {MODEL("<piecewise/>"), 6, "<piecewise>", false},
    {MODEL("<cn xmlns='urn:other'>1</cn>"), 6, "namespace", false},
    {HEAD "<function><cn>1</cn></function>" FIT ERROR END, 5, "one <math", false},
    {HEAD BEFORE
     "<cn>1</cn>" AFTER
     "<fit family=\"powr\" weighting=\"relative\" constants=\"any\" rows=\"3\" points=\"3\" "
     "outliers=\"0\"/>" ERROR END,
     8, "did you mean 'power'", false},
    {HEAD BEFORE
     "<cn>1</cn>" AFTER
     "<fit family=\"power\" weighting=\"relative\" constants=\"any\" rows=\"3\" points=\"4\" "
     "outliers=\"0\"/>" ERROR END,
     8, "more points than rows", true},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT "<error sigma=\"-1\" assumed=\"false\" dof=\"2\"/>" END, 9,
     "negative", false},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT "<error assumed=\"false\" dof=\"2\"/>" END, 9, "sigma",
     false},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT ERROR "<estimates><constant term=\"2\"/>"
                 "<covariance>1</covariance></estimates>" END,
     10, "no term 2", true},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT ERROR "<estimates><constant term=\"1\"/>"
                 "<covariance>1 2</covariance></estimates>" END,
     10, "lower triangle", true},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT ERROR "<estimates><constant term=\"1\"/></estimates>" END,
     10, "lacks <covariance>", false},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT ERROR "<covariance/>" END, 10,
     "cannot contain <covariance>", false},
    {HEAD BEFORE PIECEWISE AFTER FIT ERROR PIECE PIECE END, 8, "family=\"piecewise\"", true},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT_PIECEWISE ERROR END, 8, "family=\"piecewise\"", true},
    {HEAD BEFORE PIECEWISE AFTER FIT_PIECEWISE ERROR PIECE END, 6, "as many <piece>s", true},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT_PIECEWISE ERROR PIECE PIECE END, 6, "as many <piece>s",
     true},
    {HEAD BEFORE PIECEWISE AFTER FIT_PIECEWISE ERROR "<piece>" FIT ERROR "</piece>" PIECE END, 10,
     "all parameters", true},
    {HEAD BEFORE PIECEWISE AFTER FIT_PIECEWISE ERROR "<piece><parameter name=\"p\"/>\n"
                                                     "<parameter name=\"n\"/>" FIT ERROR
                                                     "</piece>" PIECE END,
     10, "in the same order", true},
    {HEAD BEFORE PIECEWISE AFTER FIT_PIECEWISE ERROR PIECE "<piece/>" END, 13, "lacks <fit>",
     false},
    {HEAD BEFORE
     "<piecewise><piece><cn>1</cn><apply><leq/><ci>n</ci><cn>4</cn></apply></piece>"
     "<piece><cn>1</cn><true/></piece></piecewise>" AFTER FIT_PIECEWISE ERROR PIECE PIECE END,
     6, "below a number (<lt/>)", true},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT ERROR "<break parameter=\"n\" at=\"4\"/>" END, 10,
     "with <piece>s can have breaks", true},
    {HEAD BEFORE PIECEWISE AFTER FIT_PIECEWISE ERROR PIECE PIECE
     "<break parameter=\"m\" at=\"4\"/>" END,
     16, "not a word that is known", true},
    {HEAD BEFORE PIECEWISE AFTER FIT_PIECEWISE ERROR PIECE PIECE
     "<break parameter=\"n\" at=\"4\" above=\"3\"/>" END,
     16, "between below and above", true},
    {"<!DOCTYPE model [<!ENTITY a \"b\">]>\n" MODEL("<cn>&a;</cn>"), 1, "document type", false},
    {"<!DOCTYPE model SYSTEM \"http://example.org/x.dtd\">\n<model/>", 1, "document type", false},
};

static void each_mistake_is_named_with_its_line(void **state)
{
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct heard first = {0};
        struct portolan_diagnostics d = {hear, &first, 0};
        struct portolan_model *model = NULL;
        struct portolan_error err = {0};
        enum portolan_status status = portolan_model_read_xml(wrong[i].text, strlen(wrong[i].text),
                                                              "bad.xml", &d, &model, &err);

        if (status != PORTOLAN_ESYNTAX || model || d.count < 1 || first.line != wrong[i].line ||
            !strstr(first.first, wrong[i].word) || strncmp(err.text, "bad.xml:", 8) != 0 ||
            strncmp(first.text, "bad.xml:", 8) != 0)
            fail_msg("case %zu: status %d, line %d not %d: %s\n%s", i, status, first.line,
                     wrong[i].line, first.first, wrong[i].text);
        if (is_valid(wrong[i].text) != wrong[i].grammar_accepts)
            fail_msg("the grammar thinks otherwise of case %zu\n%s", i, wrong[i].text);
    }
}

static void elements_are_found_by_column_too(void **state)
{
    static const struct {
        const char *text;
        int line, column;
    } cases[] = {
        {MODEL("<apply><plus/> <cn>1</cn><cn x='\xc3\xa4\xc3\xb6'>1</cn> <ci>q</ci></apply>"), 6,
         44},
        {MODEL("<ci>q</ci>"), 6, 1},
        {MODEL("<apply><sin/><ci>n</ci></apply>"), 6, 8},
        {HEAD "  <parameter name=\"n\"/>" END, 5, 3},
        {HEAD "  <parameter\n name=\"n\"/>" END, 5, 3},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct heard first = {0};
        struct portolan_diagnostics d = {hear, &first, 0};
        struct portolan_model *model = NULL;

        assert_int_equal(portolan_model_read_xml(cases[i].text, strlen(cases[i].text), "bad.xml",
                                                 &d, &model, NULL),
                         PORTOLAN_ESYNTAX);
        assert_int_equal(first.line, cases[i].line);
        assert_int_equal(first.column, cases[i].column);
    }
}

static void texts_too_long_are_refused_unread(void **state)
{
    size_t size = PORTOLAN_MODEL_MAX_XML_BYTES + 1;
    char *text = malloc(size);
    struct portolan_model *model = NULL;

    memset(text, ' ', size);
    assert_int_equal(portolan_model_read_xml(text, size, NULL, NULL, &model, NULL),
                     PORTOLAN_ESYNTAX);
    free(text);
}

static void deep_nesting_ends_with_a_message(void **state)
{
    enum { DEPTH = 20000 };
    static const char open[] = "<apply><plus/>";
    size_t head = strlen(HEAD BEFORE), size = head + DEPTH * strlen(open);
    char *text = malloc(size + 1), *at = text + head;
    struct portolan_model *model = NULL;

    strcpy(text, HEAD BEFORE);
    for (int i = 0; i < DEPTH; i++)
        at = stpcpy(at, open);
    assert_int_equal(portolan_model_read_xml(text, size, NULL, NULL, &model, NULL),
                     PORTOLAN_ESYNTAX);
    free(text);
}

/* ---- broken at random ---- */

static char *sample_text(void)
{
    static const double x[] = {16, 2, 16, 4, 32, 2, 32, 4, 48, 2, 48, 4, 64, 2, 64, 8};
    static const double y[] = {1.1, 1.9, 4.2, 8.1, 9.3, 18.2, 15.8, 65};
    struct portolan_model *model = fit_rows(2, 8, x, y, NULL);
    char *text;

    assert_int_equal(portolan_model_write_xml(model, &text, NULL), PORTOLAN_OK);
    portolan_model_destroy(model);
    return text;
}

/* What can be read at all must be a whole model: it predicts, writes and reads again. */
static void assert_sound(const char *text, size_t size)
{
    struct portolan_model *model = NULL;
    struct portolan_error err = {0};
    struct portolan_prediction p;
    double x[MODEL_PARAMS] = {20, 3, 1, 1, 1, 1, 1, 1};

    if (portolan_model_read_xml(text, size, "bad.xml", NULL, &model, &err)) {
        assert_null(model);
        assert_true(err.text[0] != '\0');
        return;
    }
    portolan_model_predict(model, x, &p);
    assert_round_trip(model);
    portolan_model_destroy(model);
}

static void texts_cut_short_anywhere_are_refused(void **state)
{
    char *text = sample_text();
    size_t size = strlen(text);
    struct portolan_model *model = NULL;

    for (size_t n = 0; n < size - 1; n++)
        assert_int_equal(portolan_model_read_xml(text, n, "bad.xml", NULL, &model, NULL),
                         PORTOLAN_ESYNTAX);
    free(text);
}

static void texts_with_random_damage_break_nothing(void **state)
{
    static const char soup[] = "<>/\"'&;=.-+eE019 \n\t!?[]abnpx\xc3\xff";
    char *text = sample_text();
    size_t size = strlen(text);
    char *damaged = malloc(size);
    uint64_t seed = 4711;

    for (int round = 0; round < 4000; round++) {
        memcpy(damaged, text, size);
        for (int hits = 1 + (int)(uniform(&seed) * 4); hits; hits--) {
            size_t at = (size_t)(uniform(&seed) * (double)size);
            size_t from = (size_t)(uniform(&seed) * (double)size), length = size - at;

            if (uniform(&seed) < 0.7) {
                damaged[at] = soup[(size_t)(uniform(&seed) * (sizeof soup - 1))];
                continue;
            }
            length = length < size - from ? length : size - from;
            memmove(damaged + at, text + from, length < 40 ? length : 40);
        }
        assert_sound(damaged, size);
    }
    free(damaged);
    free(text);
}

UNIT_TESTS_BETWEEN(load_grammar, free_grammar,
                   cmocka_unit_test(each_mistake_is_named_with_its_line),
                   cmocka_unit_test(elements_are_found_by_column_too),
                   cmocka_unit_test(texts_too_long_are_refused_unread),
                   cmocka_unit_test(deep_nesting_ends_with_a_message),
                   cmocka_unit_test(texts_cut_short_anywhere_are_refused),
                   cmocka_unit_test(texts_with_random_damage_break_nothing))
