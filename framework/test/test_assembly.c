/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <libxml/relaxng.h>
#include <libxml/tree.h>
#include <portolan/palette.h>
#include <unistd.h>
#include <unit_test.h>

#include "assembly_check.h"

static void corpus_path(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", CORPUS, name);
}

static struct portolan_assembly *read_heat(void)
{
    struct portolan_error err = {0};
    struct portolan_assembly *a;
    char path[1000];

    corpus_path(path, sizeof path, "good-heat.xml");
    if (portolan_assembly_read(path, NULL, &a, &err) != PORTOLAN_OK)
        fail_msg("%s", err.text);
    return a;
}

static void everything_written_is_read(void **state)
{
    struct portolan_assembly *a = read_heat();
    struct portolan_assembly_instance *solver = portolan_assembly_peek_instance(a, "solver");

    assert_string_equal(a->name, "plate");
    assert_int_equal(a->n_instances, 3);
    assert_string_equal(a->paths[0], CORPUS "/components");
    assert_string_equal(a->paradigm->is, "geometric");
    assert_int_equal(a->paradigm->n_parts, 2);
    assert_int_equal(a->paradigm->parts[0].tag, -1);
    assert_int_equal(a->paradigm->parts[1].tag, 3);
    assert_null(a->paradigm->compositions[0].expression);
    assert_string_equal(a->paradigm->compositions[1].as, "tree");
    assert_string_equal(portolan_assembly_peek_parameter(a, "driver", "title"), "a <plate> & more");
    assert_int_equal(a->instances[0].alternatives[0].parameters[0].type, PORTOLAN_VALUE_INT);
    assert_int_equal(a->instances[0].line, 4);
    assert_int_equal(solver->n_alternatives, 3);
    assert_string_equal(solver->alternatives[1].parameters[0].text, "1e-8");
    assert_string_equal(solver->alternatives[2].parameters[0].text, "1e-9");
    assert_int_equal(solver->alternatives[2].n_parameters, 1);
    assert_int_equal(solver->alternatives[1].n_configures, 1);
    assert_string_equal(solver->alternatives[1].configures[0].port, "CONFIG");
    assert_string_equal(solver->alternatives[1].configures[0].field, "note");
    assert_string_equal(solver->alternatives[1].configures[0].text, " two  blanks ");
    assert_int_equal(solver->alternatives[2].n_configures, 2);
    assert_string_equal(solver->alternatives[2].configures[1].text, "30");
    assert_int_equal(solver->alternatives[0].n_models + solver->alternatives[2].n_models, 0);
    assert_int_equal(solver->alternatives[1].n_models, 1);
    assert_string_equal(solver->alternatives[1].models[0].file, "/dev/null");
    assert_string_equal(solver->alternatives[1].models[0].method, "solve");
    assert_string_equal(solver->alternatives[0].applies, "n < 1e9");
    assert_string_equal(solver->alternatives[1].applies,
                        "(n < 1e9) and (symmetric = 1 or driver.title = 'a b')");
    assert_string_equal(solver->alternatives[2].applies, "n < 1e9");
    assert_null(a->instances[0].alternatives[0].applies);
    assert_true(a->instances[2].is_placed && !solver->is_placed);
    assert_int_equal(a->instances[2].x, -34);
    assert_int_equal(a->instances[2].y, 87);
    assert_true(a->connections[0].monitored);
    assert_false(a->connections[1].monitored);
    assert_true(a->go.monitored);
    assert_string_equal(a->connections[0].variant, "profile");
    assert_null(a->go.variant);
    assert_string_equal(a->pairs[0].method, "solve");
    assert_true(a->sweep_budget_s == 30.0);
    assert_int_equal(a->sweeps[0].n_values, 4);
    assert_string_equal(a->sweeps[0].values[3], "48");
    assert_false(a->sweeps[1].varies);
    assert_int_equal(a->n_cases, 2);
    assert_true(a->alpha == 0.1 && a->beta == 0.2 && a->accuracy == 1e-6);
    assert_string_equal(a->steps_instance, "driver");
    assert_string_equal(a->steps_parameter, "n");
    assert_string_equal(a->purpose, "run");
    portolan_assembly_destroy(a);
}

#define X "<instance name='x' class='a.B'/><instance name='yy' class='a.C'/>\n"

static const struct bad_case {
    const char *text, *expected; /* "line:column: the words that must appear" */
} bad_cases[] = {
    {A("<instnace name='x' class='c'/>"),
     "2:1: unknown element 'instnace' in <assembly>; did you mean 'instance'?"},
    {A("<instance name='x' class='c' x='1'/>"), "2:1: <instance> takes both 'x' and 'y'"},
    {A("<instance name='x' class='c' x='1' y='far'/>"),
     "2:36: 'y' is 'far'; it must be a whole number"},
    {A("<instance name='x' class='c'><configure port='' field='f' value=''/></instance>"),
     "'port' of <configure> is empty"},
    {A("<zebra/>"), "2:1: unknown element 'zebra' in <assembly>\n"},
    {A("<instance name='x'\n   clas='c'/>"),
     "3:4: unknown attribute 'clas' in <instance>; did you mean 'class'?"},
    {A("<instance name='x'/>"), "2:1: <instance> lacks the attribute 'class'"},
    {A("<instance name='x.y' class='c'/>"), "2:11: the name of an instance may have only letters"},
    {A("<instance name='' class='c'/>"), "2:11: 'name' of <instance> is empty"},
    {"<assemblee name='a'/>", "1:1: the outermost element is 'assemblee'; it must be 'assembly'"},
    {A("\n  words\n"), "3:0: text is not allowed inside <assembly>"},
    {A("<path dir='x'>words</path>"), "2:0: text is not allowed inside <path>"},
    {A("<go instance='x' port='p'/>\n<go instance='x' port='p'/>" X),
     "3:1: second <go> in <assembly>; the first is on line 2"},
    {A(X "<connect user='z' uses='p' provider='yy' provides='q'/>"),
     "3:0: unknown instance 'z' in <connect user>"},
    {A(X "<connect user='x' uses='p' provider='yz' provides='q'/>"),
     "3:0: unknown instance 'yz' in <connect provider>; did you mean 'yy'?"},
    {A(X "<connect user='x' uses='p' provider='yy' provides='q'/>\n"
         "<connect user='x' uses='p' provider='yy' provides='r'/>"),
     "4:0: uses port 'p' of 'x' is connected twice; the first <connect> is on line 3"},
    {A("<instance name='x' class='c'/>\n<instance name='x' class='d'/>"),
     "3:0: second instance named 'x'; the first is on line 2"},
    {A("<instance name='x' class='c'><alternative class='d'/>\n<alternative class='d'/>"
       "</instance>"),
     "3:0: class 'd' is an alternative of 'x' already"},
    {A("<instance name='x' class='c'>\n<parameter name='n' type='int' value='6x'/></instance>"),
     "3:32: value '6x' of parameter 'n' is not a whole number of 32 bits"},
    {A("<instance name='x' class='c'>\n<parameter name='n' type='int' value='3000000000'/>"
       "</instance>"),
     "value '3000000000' of parameter 'n' is not"},
    {A("<instance name='x' class='c'><parameter name='n' type='double[]' value='1 x'/>"
       "</instance>"),
     "value '1 x' of parameter 'n' is not a finite number"},
    {A("<instance name='x' class='c'><parameter name='n' type='dobule' value='1'/></instance>"),
     "unknown type 'dobule' of parameter 'n'; did you mean 'double'?"},
    {A("<instance name='x' class='c'><parameter name='n' type='int' value='1'/>\n"
       "<parameter name='n' type='int' value='2'/></instance>"),
     "3:12: parameter 'n' is given on line 2 already"},
    {A(X "<monitor user='x' uses='p'/>"), "3:10: <monitor> names no connection: uses port 'p' of"},
    {A(X "<monitor user='x' port='p'/>"), "3:1: <monitor> takes either 'user' and 'uses'"},
    {A("<instance name='x' class='c'/>\n"
       "<connect user='x' uses='p' provider='x' provides='q'/>\n"
       "<monitor user='x' uses='p' variant='profil'/>"),
     "4:28: unknown variant 'profil'; did you mean 'profile'?"},
    {A("<instance name='x' class='c'/>\n<go instance='x' port='go'/>\n"
       "<monitor instance='x' port='go' variant='quickly'/>"),
     "4:33: unknown variant 'quickly'; use forward, profile or mastermind"},
    {A("<instance name='x' class='c'/>\n<go instance='x' port='go'/>\n"
       "<monitor instance='x' port='go' rows='many'/>"),
     "4:33: 'rows' is 'many'; write \"yes\" or \"no\""},
    {A("<instance name='x' class='c'/>\n<go instance='x' port='go'/>\n"
       "<monitor instance='x' port='go' sample='0'/>"),
     "4:33: write a number of calls of which one is timed, 1 to 16777216"},
    {A(X "<monitor instance='x' port='p'/>"), "3:1: port 'p' of 'x' is not the port that <go>"},
    {A(X "<pair of='x' with='x'/>"), "3:0: <pair> needs two instances"},
    {A(X "<sweep budget='soon'/>"), "3:8: 'budget' is 'soon'; it must be a number"},
    {A(X "<sweep timeout='-1'/>"), "3:8: 'timeout' is '-1'; it must be a number"},
    {A(X "<sweep><vary instance='x' parameter='n' values=' '/></sweep>"), "'values' holds no"},
    {A(X "<sweep><vary instance='w' parameter='n' values='1'/></sweep>"),
     "3:0: unknown instance 'w' in <vary instance>"},
    {A("<instance name='x' class='c'><parameter name='n' type='int' value='1'/></instance>\n"
       "<sweep><vary instance='x' parameter='n' values='1 2.5'/></sweep>"),
     "3:0: value '2.5' for parameter 'n' of 'x' is not a whole number"},
#define N               "<instance name='x' class='c'><parameter name='n' type='int' value='1'/></instance>\n"
#define C(columns, ...) A(N "<sweep><cases columns='" columns "'>\n" __VA_ARGS__ "</cases></sweep>")
    {A(N "<sweep><cases/></sweep>"), "3:8: <cases> takes either 'columns', and a <case> for each"},
    {A(N "<sweep><cases file='c.csv' columns='x.n'/></sweep>"), "3:8: <cases> takes either"},
    {A(N "<sweep><cases file='c.csv'>\n<case values='1'/></cases></sweep>"), "3:8: <cases> takes"},
    {A(N "<sweep><cases file='c.csv'/></sweep>"), "3:8: c.csv: cannot open: No such file"},
    {C(" ", "<case values='1'/>"), "3:0: 'columns' of <cases> must be one line of words"},
    {C("x.n", "<case values=''/>"), "4:0: 'values' of <case> must be one line of words"},
    {C("x.n", "<case values='1&#10;2'/>"), "4:0: 'values' of <case> must be one line of words"},
    {C("x.n", "<case values='\"1'/>"), "4:0: a quote is not closed, or text follows it"},
    {C("x.n", ""), "3:0: there is no case"},
    {C("n", "<case values='1'/>"), "3:0: no column is an INSTANCE.PARAMETER"},
    {C("x.n x.", "<case values='1 2'/>"), "3:0: column 'x.' must have the form INSTANCE.PARAMETER"},
    {C("x.n .n", "<case values='1 2'/>"), "3:0: column '.n' must have the form INSTANCE.PARAMETER"},
    {C("x.n x.n", "<case values='1 2'/>"), "3:0: there are two columns 'x.n'"},
    {C("x.n k k", "<case values='1 2 2'/>"), "3:0: there are two columns 'k'"},
    {C("y.n", "<case values='1'/>"), "3:0: unknown instance 'y' in column 'y.n'"},
    {C("x.nn", "<case values='1'/>"),
     "3:0: instance 'x' is given no parameter 'nn'; did you mean 'n'?; a parameter that cases"},
    {C("x.n k", "<case values='1 2'/>\n<case values='2'/>"),
     "5:0: 1 values, but there are 2 columns"},
    {C("x.n", "<case values='1'/>\n<case values='1.5'/>"),
     "5:0: value '1.5' for parameter 'n' of 'x' is not a whole number"},
    {C("x.n k", "<case values='1 inf'/>"),
     "4:0: value 'inf' of context 'k' is not a finite number"},
    {C("x.n k", "<case values='1 5'/>\n<case values='01 6'/>"),
     "5:0: case '01' has the parameters of the one on line 4"},
    {A(N "<sweep><cases columns='x.n'><case values='1'/></cases>\n"
         "<vary instance='x' parameter='n' values='1'/></sweep>"),
     "4:0: parameter 'n' of 'x' is set by the cases; remove it here or there"},
    {A(N "<sweep><cases columns='x.n'><case values='1'/></cases>\n"
         "<set instance='x' parameter='n' value='1'/></sweep>"),
     "4:0: parameter 'n' of 'x' is set by the cases"},
    {A(N "<sweep><cases columns='x.n'><case values='1'/></cases>\n"
         "<cases columns='x.n'><case values='1'/></cases></sweep>"),
     "4:1: second <cases> in <sweep>; the first is on line 3"},
    {A(X "<optimizer alpha='-1'/>"), "3:12: 'alpha' is '-1'; it must be a number that is not"},
    {A("<instance name='x' class='c'>\n<applies if='n &lt;&lt; 2'/></instance>"),
     "3:10: 'n << 2', character 3: '<<', want =, !=, <, <=, > or >="},
    {A("<instance name='x' class='c'><alternative class='d'>\n<applies if=''/></alternative>"
       "</instance>"),
     "3:10: '', character 1: the end, want a name"},
    {A(N "<instance name='z' class='c'>\n<applies if='k = 1 and w.n = 2'/>"
         "<alternative class='d'/></instance>"),
     "4:0: unknown instance 'w' in <applies>; did you mean 'x'?"},
    {A(N "<instance name='z' class='c'><alternative class='d'>\n<applies if='x.m = 2'/>"
         "</alternative></instance>"),
     "4:0: instance 'x' is given no parameter 'm'; did you mean 'n'?; <applies> can ask for no "
     "other"},
    {A("<instance name='x' class='c'>\n<model file='no/model.xml'/></instance>"),
     "3:8: no/model.xml: cannot open: No such file"},
    {A("<instance name='x' class='c'>\n<model file='' method=''/></instance>"),
     "3:8: 'file' of <model> is empty\na.xml:3:16: 'method' of <model> is empty"},
    {A(X "<optimizer steps='x'/>"), "3:12: 'steps' must have the form INSTANCE.PARAMETER"},
    {A(X "<go instance='w' port='go'/>"), "unknown instance 'w' in <go instance>"},
    {"<assembly name='a'>\n<instance name='x' class='c'>",
     "the file ends inside <instance>, which begins on line 2; is it cut off?"},
    {"<assembly name='a'>\n<instance name='x' cla", "the file ends inside <assembly>, which"},
    {"<assembly name='a'>\n</assembl>", "2:"},
    {"", "not well-formed XML"},
    {"<assembly name='a&e;'/>", "Entity 'e' not defined"},
    {"<!DOCTYPE a SYSTEM 'http://127.0.0.1:9/a.dtd'><assembly name='a'/>",
     "a document type declaration (DOCTYPE) is not allowed here"},
    {"<assembly name='a' xmlns='urn:x'/>", "1:1: element 'assembly' declares or uses a namespace"},
    {"<assembly name='a'>\xff</assembly>", "not proper UTF-8"},
};

static void what_is_wrong_is_said_with_its_place(void **state)
{
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        const struct bad_case *c = &bad_cases[i];
        struct heard h = {0};
        struct portolan_diagnostics d = {hear, &h, 0};
        struct portolan_error err = {0};
        struct portolan_assembly *a;

        assert_int_equal(
            portolan_assembly_read_text(c->text, strlen(c->text), "a.xml", &d, &a, &err),
            PORTOLAN_ESYNTAX);
        assert_null(a);
        assert_true(d.count > 0);
        assert_non_null(strstr(err.text, "a.xml:"));
        if (!strstr(h.text, c->expected))
            fail_msg("%s\nexpected: %s\nheard: %s", c->text, c->expected, h.text);
    }
}

static void a_missing_file_is_named(void **state)
{
    struct portolan_error err = {0};
    struct portolan_assembly *a;

    assert_int_equal(portolan_assembly_read("/nonexistent/a.xml", NULL, &a, &err), PORTOLAN_EIO);
    assert_string_equal(err.text, "/nonexistent/a.xml: cannot open: No such file or directory");
}

static xmlRelaxNG *read_grammar(const char *path)
{
    xmlRelaxNGParserCtxt *p = xmlRelaxNGNewParserCtxt(path);
    xmlRelaxNG *grammar = xmlRelaxNGParse(p);

    xmlRelaxNGFreeParserCtxt(p);
    assert_non_null(grammar);
    return grammar;
}

static void silence(void *arg, xmlError *e)
{
    (void)arg, (void)e;
}

static bool grammar_accepts(xmlRelaxNG *grammar, const char *path)
{
    xmlDoc *doc = xmlReadFile(path, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR);
    xmlRelaxNGValidCtxt *v;
    int verdict;

    if (!doc)
        return false;
    v = xmlRelaxNGNewValidCtxt(grammar);
    xmlRelaxNGSetValidStructuredErrors(v, silence, NULL);
    verdict = xmlRelaxNGValidateDoc(v, doc);
    xmlRelaxNGFreeValidCtxt(v);
    xmlFreeDoc(doc);
    return verdict == 0;
}

/* good-*: both accept. bad-*: both refuse. ref-*: only the reader sees what is wrong. */
static void reader_and_shipped_grammar_agree(void **state)
{
    xmlRelaxNG *grammar = read_grammar(FRAMEWORK_DIR "/assembly.rng");
    DIR *dir = opendir(CORPUS);
    struct dirent *entry;
    int seen = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        bool good = !strncmp(entry->d_name, "good-", 5), ref = !strncmp(entry->d_name, "ref-", 4);
        struct portolan_assembly *a;
        char path[1500];
        bool accepted;

        if (!good && !ref && strncmp(entry->d_name, "bad-", 4))
            continue;
        corpus_path(path, sizeof path, entry->d_name);
        accepted = portolan_assembly_read(path, NULL, &a, NULL) == PORTOLAN_OK;
        portolan_assembly_destroy(a);
        if (accepted != good)
            fail_msg("%s: the reader %s it", entry->d_name, accepted ? "accepts" : "refuses");
        if (!strstr(entry->d_name, "doctype") && grammar_accepts(grammar, path) != (good || ref))
            fail_msg("%s: the grammar is of another opinion", entry->d_name);
        seen++;
    }
    closedir(dir);
    xmlRelaxNGFree(grammar);
    assert_true(seen > 10);
}

static char *written(const struct portolan_assembly *a)
{
    char *text;

    assert_int_equal(portolan_assembly_write(a, NULL, &text, NULL), PORTOLAN_OK);
    return text;
}

static void what_is_written_reads_back(void **state)
{
    struct portolan_assembly *a = read_heat(), *b;
    char path[] = "/tmp/portolan-test-XXXXXX";
    int fd = mkstemp(path);
    char *text, *again;
    xmlRelaxNG *grammar = read_grammar(FRAMEWORK_DIR "/assembly.rng");

    a->paradigm->parts[1].tag = INT64_C(9007199254740993); /* no double has it */
    for (size_t k = 0; k < 3; k++) {
        const char *class_name = a->instances[1].alternatives[k].class_name;

        assert_int_equal(portolan_assembly_select(a, "solver", class_name, NULL), PORTOLAN_OK);
        text = written(a);
        b = read_good(text);
        assert_string_equal(b->instances[1].alternatives[0].class_name, class_name);
        assert_string_equal(portolan_assembly_peek_parameter(b, "solver", "tolerance"),
                            k == 2 ? "1e-9" : "1e-8");
        assert_int_equal(b->instances[1].n_alternatives, 3);
        for (size_t j = 0; j < 3; j++)
            assert_string_equal(
                b->instances[1].alternatives[j].parameters[0].text,
                strcmp(b->instances[1].alternatives[j].class_name, "heat.ConjugateGradients")
                    ? "1e-8"
                    : "1e-9");
        assert_string_equal(b->instances[1].alternatives[k == 1 ? 0 : 1].applies,
                            a->instances[1]
                                .alternatives[k == 1   ? 1
                                              : k == 2 ? 0
                                                       : 1]
                                .applies);
        assert_int_equal(b->instances[1].alternatives[k == 1 ? 0 : 1].n_models, k != 2);
        assert_true(b->paradigm->parts[1].tag == a->paradigm->parts[1].tag);
        again = written(b);
        assert_non_null(strstr(text, "<path dir=\"components\"/>"));
        assert_string_equal(strstr(text, "<instance"), strstr(again, "<instance"));
        assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
        assert_int_equal(ftruncate(fd, (off_t)strlen(text)), 0);
        assert_true(grammar_accepts(grammar, path));
        portolan_assembly_destroy(b);
        free(text);
        free(again);
    }
    close(fd);
    unlink(path);
    xmlRelaxNGFree(grammar);
    portolan_assembly_destroy(a);
}

static void an_instance_may_say_whether_it_keeps_state(void **state)
{
    static const char *const said[] = {"", " stateful=\"no\"", " stateful=\"yes\""};
    uint64_t hashes[3];

    for (int i = PORTOLAN_STATEFUL_UNSTATED; i <= PORTOLAN_STATEFUL_YES; i++) {
        struct portolan_assembly *a;
        char xml[200], *text;

        snprintf(xml, sizeof xml, A("<instance name='x' class='c'%s/>"), said[i]);
        a = read_good(xml);
        assert_int_equal(a->instances[0].stateful, i);
        hashes[i] = portolan_assembly_hash(a);
        text = written(a);
        assert_true(strstr(text, i ? said[i] : "class=\"c\"/>") != NULL);
        free(text);
        portolan_assembly_destroy(a);
    }
    assert_true(hashes[0] != hashes[1] && hashes[1] != hashes[2]);
}

static void hash_follows_what_is_computed(void **state)
{
    struct portolan_assembly *a = read_heat(), *b = read_heat();
    uint64_t h = portolan_assembly_hash(a);

    assert_true(h == portolan_assembly_hash(b));
    assert_int_equal(portolan_assembly_set(a, "driver", "n", "65", NULL), PORTOLAN_OK);
    assert_true(h != portolan_assembly_hash(a));
    assert_int_equal(portolan_assembly_set(a, "driver", "n", "64", NULL), PORTOLAN_OK);
    assert_true(h == portolan_assembly_hash(a));
    assert_int_equal(portolan_assembly_select(a, "solver", "heat.Cholmod", NULL), PORTOLAN_OK);
    assert_true(h != portolan_assembly_hash(a));
    b->instances[1].alternatives[2].configures[1].text = "31";
    assert_true(h != portolan_assembly_hash(b));
    b->instances[1].alternatives[2].configures[1].text = "30";
    assert_true(h == portolan_assembly_hash(b));
    b->instances[1].alternatives[1].models[0].text = "x";
    b->instances[1].alternatives[1].models[0].size = 1;
    assert_true(h != portolan_assembly_hash(b)); /* all ranks must have read the same */
    b->instances[1].alternatives[1].models[0].size = 0;
    b->go.variant = "forward";
    assert_true(h != portolan_assembly_hash(b));
    b->go.variant = NULL;
    b->instances[1].alternatives[1].applies = NULL;
    assert_true(h != portolan_assembly_hash(b));
    b->instances[1].alternatives[1].applies = a->instances[1].alternatives[1].applies;
    b->cases[1].values[0] = "17";
    assert_true(h != portolan_assembly_hash(b));
    b->cases[1].values[0] = "16";
    assert_true(h == portolan_assembly_hash(b));
    b->go.has_rows = true;
    assert_true(h != portolan_assembly_hash(b));
    b->go.has_rows = false;
    b->go.one_in = 16;
    assert_true(h != portolan_assembly_hash(b));
    b->go.one_in = 0;
    b->go.monitored = false;
    assert_true(h != portolan_assembly_hash(b));
    portolan_assembly_destroy(a);
    portolan_assembly_destroy(b);
}

static void setting_names_the_nearest_word(void **state)
{
    struct portolan_assembly *a = read_heat();
    struct portolan_error e[5] = {{0}};

    assert_int_equal(portolan_assembly_set(a, "drivre", "n", "1", &e[0]), PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(e[0].text, "did you mean 'driver'?"));
    assert_int_equal(portolan_assembly_set(a, "driver", "titel", "1", &e[1]), PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(e[1].text, "did you mean 'title'?"));
    assert_int_equal(portolan_assembly_set(a, "driver", "n", "1.5", &e[2]), PORTOLAN_ESYNTAX);
    assert_int_equal(portolan_assembly_select(a, "solver", "heat.Colmod", &e[3]),
                     PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(e[3].text, "did you mean 'heat.Cholmod'?"));
    assert_int_equal(portolan_assembly_set(a, "solver", "tolerance", "1e-3", &e[4]), PORTOLAN_OK);
    for (size_t k = 0; k < 3; k++)
        assert_string_equal(a->instances[1].alternatives[k].parameters[0].text, "1e-3");
    portolan_assembly_destroy(a);
}

static void drawing_shows_instances_ports_and_monitors(void **state)
{
    struct portolan_assembly *a = read_heat();
    char *dot;

    assert_int_equal(portolan_assembly_draw(a, NULL, &dot, NULL), PORTOLAN_OK);
    assert_non_null(strstr(dot, "digraph \"plate\" {"));
    assert_non_null(strstr(dot,
                           "\"driver\":\"u_solver\" -> \"solver\":\"p_solver\" "
                           "[color=\"#b03030\", penwidth=2, label=\"profile\\nsolve: compute\"]"));
    assert_non_null(strstr(dot, "or heat.Cholmod"));
    free(dot);
    assert_int_equal(portolan_assembly_list(a, &dot, NULL), PORTOLAN_OK);
    assert_memory_equal(dot, "assembly 'plate' (", 18);
    assert_non_null(strstr(dot, "\n  solver       heat."));
    assert_non_null(strstr(dot, " | heat.Cholmod"));
    assert_non_null(strstr(dot, "\nconnections\n"));
    assert_non_null(strstr(dot, "\n  driver.solver --[timing proxy]--> solver."));
    free(dot);
    portolan_assembly_destroy(a);
}

static void a_file_of_an_assembly_is_known_by_its_first_element(void **state)
{
    static const struct {
        const char *text;
        bool is_one;
    } files[] = {
        {"<?xml version=\"1.0\"?>\n<!-- <paradigm> -->\n<assembly name=\"a\"/>", true},
        {"<assembly>", true},
        {"<assemblyline/>", false},
        {"<paradigm name=\"a\"><assembly/></paradigm>", false},
        {"", false},
    };
    char path[] = "/tmp/portolan-assembly-XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_int_equal(portolan_replace_file(path, files[i].text, strlen(files[i].text), NULL),
                         PORTOLAN_OK);
        assert_int_equal(portolan_assembly_is_one(path), files[i].is_one);
    }
    close(fd);
    unlink(path);
    assert_false(portolan_assembly_is_one(path));
}

static void every_failed_allocation_is_survived(void **state)
{
    char path[1000];
    bool done = false;

    corpus_path(path, sizeof path, "good-heat.xml");
    for (unsigned long n = 1; !done; n++) {
        struct portolan_error err = {0};
        struct portolan_assembly *a;
        char *text = NULL, *dot = NULL;
        enum portolan_status status;

        assert_true(n < 10000);
        portolan_alloc_fail_at(n);
        status = portolan_assembly_read(path, NULL, &a, &err);
        if (status == PORTOLAN_OK)
            status = portolan_assembly_set(a, "driver", "n", "7", &err);
        if (status == PORTOLAN_OK)
            status = portolan_assembly_write(a, NULL, &text, &err);
        if (status == PORTOLAN_OK)
            status = portolan_assembly_draw(a, NULL, &dot, &err);
        portolan_alloc_fail_at(0);
        done = status == PORTOLAN_OK;
        if (!done)
            assert_int_equal(status, PORTOLAN_ENOMEM);
        assert_int_equal(err.status, status);
        free(text);
        free(dot);
        portolan_assembly_destroy(a);
    }
}

UNIT_TESTS(cmocka_unit_test(everything_written_is_read),
           cmocka_unit_test(what_is_wrong_is_said_with_its_place),
           cmocka_unit_test(a_missing_file_is_named),
           cmocka_unit_test(reader_and_shipped_grammar_agree),
           cmocka_unit_test(what_is_written_reads_back),
           cmocka_unit_test(an_instance_may_say_whether_it_keeps_state),
           cmocka_unit_test(hash_follows_what_is_computed),
           cmocka_unit_test(setting_names_the_nearest_word),
           cmocka_unit_test(drawing_shows_instances_ports_and_monitors),
           cmocka_unit_test(a_file_of_an_assembly_is_known_by_its_first_element),
           cmocka_unit_test(every_failed_allocation_is_survived))
