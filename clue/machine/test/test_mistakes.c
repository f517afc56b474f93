/* SPDX-License-Identifier: BSD-3-Clause */
/* Which errors wrong machine files have; the reader and the grammar that ships agree. */
#include <unit_test.h>

#include <dirent.h>
#include <libxml/relaxng.h>

#include <portolan/clue_machine.h>

#define DELAYS "<send from='*' to='*' k='0' d='1'/><transmission from='*' to='*' k='0' d='1'/>"
#define NODES  "<machine name='m'>\n<host name='node' count='4'/>\n"

static void mistakes_are_reported_with_their_remedy(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"<machine name='m'>\n" DELAYS "</machine>", "m.xml:1:1: the machine has no <host>"},
        {NODES
         "<send from='nod' to='node' d='1'/>\n<transmission from='*' to='*' d='1'/></machine>",
         "m.xml:3:7: there is no host 'nod'; did you mean 'node'?"},
        {NODES "<send from='node[4]' to='node' d='1'/></machine>",
         "m.xml:3:7: there is no host 'node[4]'; the hosts are 'node[0]' to 'node[3]'"},
        {NODES "<send from='*' to='*' d='3 uss'/></machine>",
         "m.xml:3:23: 'd' is '3 uss'; it must be a time: a number and ns, us, ms, s, min or h, or "
         "a "
         "bare number in units of 100 us; did you mean 'us'?"},
        {NODES "<send from='*' to='*' k='3us/kb'/></machine>",
         "m.xml:3:23: 'k' is '3us/kb'; it must be a time for each size"},
        {NODES "<send from='*' to='*'>\n<point bytes='2' time='1'/>\n<point bytes='1' "
               "time='2'/></send></machine>",
         "m.xml:5:8: points out of order: 1 bytes come after 2"},
        {NODES "<send from='*' to='*'><point bytes='2' time='1'/></send></machine>",
         "m.xml:3:1: <send> has one <point>; write at least two"},
        {NODES "<send from='*' to='*' k='1'><point bytes='2' time='1'/></send></machine>",
         "m.xml:3:1: <send> takes either 'k' and 'd'"},
        {NODES "<transmission from='*' to='*' d='1'/></machine>",
         "m.xml:2:0: no <send> from 'node[0]' to 'node[3]'; add one"},
        {NODES "<send from='*' to='*' d='1'/></machine>",
         "m.xml:2:0: no <transmission> from 'node[0]' to 'node[3]'; add one, for these hosts or "
         "for "
         "all ('*'), or a topology"},
        {"<machine name='m'>\n<host name='a' cpus='2'/></machine>",
         "m.xml:2:0: no <send> from 'a' to 'a', itself, which has several processors"},
        {NODES DELAYS "\n<send from='*' to='*' d='2'/></machine>",
         "m.xml:4:1: <send> from '*' to '*' is as specific as the one on line 3"},
        {NODES "<host name='node'/>\n" DELAYS "</machine>",
         "m.xml:3:7: second host 'node'; the first is on line 2"},
        {"<machine name='m' placement='by-nodes'>\n<host name='a'/></machine>",
         "m.xml:1:19: placement: there is no host 'by-nodes'"},
        {NODES DELAYS "<load host='*' on='exponentail(2s)'/></machine>",
         "'exponentail' is not a distribution; write constant, uniform, exponential, normal, "
         "lognormal, gamma, weibull, pareto and samples; did you mean 'exponential'?"},
        {NODES DELAYS "<load host='*' on='weibull(2s)'/></machine>", "weibull() takes 2 arguments"},
        {NODES DELAYS "<load host='*' on='samples(nowhere.txt)'/></machine>",
         "the samples 'nowhere.txt' cannot be read"},
        {NODES DELAYS "<load host='*' on='0s' off='0s'/></machine>", "'on' takes no time"},
        {NODES DELAYS "<change at='1s' host='node[0]'/></machine>", "<change> changes nothing"},
        {NODES DELAYS "<change at='1s' host='node[0]' send='2'/></machine>",
         "'send' is not of hosts; write 'from' and 'to'"},
        {NODES DELAYS "<change at='1s' link='x' bandwidth='2'/></machine>", "there is no link 'x'"},
        {NODES DELAYS "<network model='que'/></machine>",
         "'model' is 'que'; write none, factor, queue or fair; did you mean 'queue'?"},
        {NODES DELAYS "<network model='factor'/></machine>", "needs 'contention'"},
        {"<machine name='m'><host name='a'/><host name='b'/><network topology='explicit'>"
         "<link name='x' bandwidth='1GB/s'/><route from='a' to='b' links='x'/>"
         "<route from='a' to='b' links='x'/></network></machine>",
         "two routes from 'a' to 'b'; remove one"},
        {NODES "<network topology='tours' bandwidth='1GB/s'/></machine>",
         "'topology' is 'tours'; write crossbar, bus, fat-tree, torus, dragonfly or explicit; did "
         "you mean 'torus'?"},
        {NODES "<network topology='torus' size='2' bandwidth='1GB/s'/></machine>",
         "the torus has room for 2 hosts, but the machine has 4; make it larger"},
        {NODES "<network topology='torus' size='300' bandwidth='1GB/s'/></machine>",
         "routes through this torus have up to 150 links"},
        {NODES "<network topology='fat-tree' down='2 2' bandwidth='1GB/s'/></machine>",
         "a fat tree needs for each level"},
        {NODES "<network topology='fat-tree' size='2 2' bandwidth='1GB/s'/></machine>",
         "'size' is of tori and dragonflies only"},
        {NODES "<network topology='dragonfly' size='2 2' bandwidth='1GB/s'/></machine>",
         "a dragonfly needs hosts of a router"},
        {NODES "<network topology='torus' size='65536 65536' bandwidth='1GB/s'/></machine>",
         "the topology has more than 1048576 links"},
        {NODES "<network topology='bus'/></machine>", "a link needs a 'bandwidth'"},
        {NODES "<network topology='bus' bandwidth='100'/></machine>",
         "'bandwidth' is '100'; it must be a bandwidth: a number and B/s"},
        {NODES
         "<network topology='bus' model='factor' contention='1' bandwidth='1GB/s'/></machine>",
         "write model=\"queue\" or \"fair\""},
        {NODES "<network bandwidth='1GB/s'/></machine>",
         "'bandwidth' is of networks with a 'topology' only"},
        {NODES "<network topology='bus' bandwidth='1GB/s'><link name='buss' "
               "latency='1'/></network></machine>",
         "this topology has no link 'buss'; did you mean 'bus'?"},
        {NODES "<network topology='explicit'><link name='a' bandwidth='1GB/s'/><route from='*' "
               "to='*' links='b'/></network></machine>",
         "there is no <link> 'b'; did you mean 'a'?"},
        {NODES "<network topology='explicit'><link name='a' bandwidth='1GB/s'/><route "
               "from='node[0]' to='*' links='a' symmetric='yes'/></network></machine>",
         "m.xml:3:0: no <route> from 'node[1]' to 'node[2]'; add one, or <send> and "
         "<transmission>"},
        {"<machine name='m'><host name='a' cpus='2'><busy cpus='3' factor='2'/></host></machine>",
         "'a' has 2 processors; no more can be busy"},
        {"<machine name='m'><host nam='a'/></machine>",
         "unknown attribute 'nam' in <host>; did you mean 'name'?"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct heard h = {0};
        struct portolan_diagnostics d = {hear, &h, 0};
        struct clue_machine_file *f;

        assert_int_equal(
            clue_machine_read_text(cases[i].text, strlen(cases[i].text), "m.xml", &d, &f, NULL),
            PORTOLAN_ESYNTAX);
        assert_null(f);
        if (!strstr(h.text, cases[i].expected))
            fail_msg("%s\nexpected: %s\nheard: %s", cases[i].text, cases[i].expected, h.text);
    }
}

static void all_mistakes_are_reported_at_once(void **state)
{
    static const char text[] =
        NODES "<send from='nod' to='node' d='1'/>\n<transmission from='*' to='*' d='1 x'/>\n"
              "<load host='nodes' on='1s'/>\n<network model='que'/></machine>";
    struct heard h = {0};
    struct portolan_diagnostics d = {hear, &h, 0};
    struct clue_machine_file *f;

    clue_machine_read_text(text, sizeof text - 1, "m.xml", &d, &f, NULL);
    assert_int_equal(d.count, 4);
}

/* ------------------------------------------------- the grammar that ships */

static void silence(void *arg, xmlError *e)
{
    (void)arg, (void)e;
}

static bool grammar_accepts(xmlRelaxNG *grammar, const char *path)
{
    xmlDoc *doc = xmlReadFile(path, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR);
    xmlRelaxNGValidCtxt *v = xmlRelaxNGNewValidCtxt(grammar);
    int verdict;

    assert_non_null(doc);
    xmlRelaxNGSetValidStructuredErrors(v, silence, NULL);
    verdict = xmlRelaxNGValidateDoc(v, doc);
    xmlRelaxNGFreeValidCtxt(v);
    xmlFreeDoc(doc);
    return verdict == 0;
}

/* Both accept good-*, both refuse bad-*, and only the reader refuses ref-*. */
static void reader_and_shipped_grammar_agree(void **state)
{
    xmlRelaxNGParserCtxt *p = xmlRelaxNGNewParserCtxt(GRAMMAR);
    xmlRelaxNG *grammar = xmlRelaxNGParse(p);
    DIR *dir = opendir(CORPUS);
    struct dirent *entry;
    int seen = 0;

    assert_non_null(dir);
    assert_non_null(grammar);
    while ((entry = readdir(dir))) {
        bool good = strncmp(entry->d_name, "good-", 5) == 0;
        bool ref = strncmp(entry->d_name, "ref-", 4) == 0;
        struct clue_machine_file *f;
        char path[1500];

        if (!good && !ref && strncmp(entry->d_name, "bad-", 4) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", CORPUS, entry->d_name);
        if ((clue_machine_read(path, NULL, &f, NULL) == PORTOLAN_OK) != good)
            fail_msg("%s: the reader is of another opinion", entry->d_name);
        if (grammar_accepts(grammar, path) != (good || ref))
            fail_msg("%s: the grammar is of another opinion", entry->d_name);
        clue_machine_destroy(f);
        seen++;
    }
    closedir(dir);
    xmlRelaxNGFree(grammar);
    xmlRelaxNGFreeParserCtxt(p);
    assert_true(seen > 30);
}

UNIT_TESTS(cmocka_unit_test(mistakes_are_reported_with_their_remedy),
           cmocka_unit_test(all_mistakes_are_reported_at_once),
           cmocka_unit_test(reader_and_shipped_grammar_agree))
