/* SPDX-License-Identifier: BSD-3-Clause */
/* What machine files mean. */
#include <unit_test.h>

#include <math.h>

#include <portolan/clue_machine.h>

static struct clue_machine_file *read_good(const char *text)
{
    struct portolan_error err = {0};
    struct clue_machine_file *f;

    if (clue_machine_read_text(text, strlen(text), "m.xml", NULL, &f, &err) != PORTOLAN_OK)
        fail_msg("%s", err.text);
    return f;
}

static const struct clue_pair *pair(const struct clue_machine_file *f, int from, int to)
{
    size_t i = f->machine.pair_of(&f->machine, from, to);

    assert_true(i < f->machine.n_pairs);
    return &f->machine.pairs[i];
}

#define DELAYS "<send from='*' to='*' k='0' d='1'/><transmission from='*' to='*' k='0' d='1'/>"

/* The paper's parameters have its units: 100 us, and 100 us per KB. */
static void the_papers_parameters_have_its_units(void **state)
{
    struct clue_machine_file *f =
        read_good("<machine name='cheap' master='node[0]'>"
                  "<host name='node' count='10' cpus='2' factor='0.8' memory='256MB' init='2'"
                  " spawn='50' receive='0.05' packing='0.02' price='30000'>"
                  "<busy cpus='2' factor='1.30'/></host>"
                  "<send from='node' to='node' k='0.01' d='0.9'/>"
                  "<transmission from='node' to='node'><point bytes='0' time='60us'/>"
                  "<point bytes='64KB' time='5.9ms'/></transmission></machine>");
    const struct clue_host *h = &f->machine.hosts[9];
    const struct clue_pair *p = pair(f, 0, 9);

    assert_int_equal(f->machine.n_hosts, 10);
    assert_int_equal(f->machine.master, 0);
    assert_string_equal(h->name, "node[9]");
    assert_string_equal(h->type, "node");
    assert_int_equal(h->cpus, 2);
    assert_int_equal(h->memory, 256 << 20);
    assert_int_equal(h->init_ns, 200000);
    assert_int_equal(h->spawn_ns, 5000000);
    assert_true(h->factor == 0.8 && h->price == 30000);
    assert_true(fabs(h->receive.constant_ns - 5000) < 1e-6);
    assert_true(fabs(h->packing.ns_per_byte - 2000.0 / 1024) < 1e-9);
    assert_int_equal(h->n_busy, 1);
    assert_true(h->busy[0].cpus == 2 && h->busy[0].factor == 1.3);
    assert_true(fabs(p->send.ns_per_byte - 1000.0 / 1024) < 1e-9);
    assert_true(fabs(p->send.constant_ns - 90000) < 1e-6);
    assert_int_equal(p->transmission.n_points, 2);
    assert_int_equal(p->transmission.points[1].bytes, 65536);
    assert_true(fabs(p->transmission.points[1].ns - 5.9e6) < 1e-3);
    clue_machine_destroy(f);
}

static void units_are_read(void **state)
{
    static const struct {
        const char *text;
        double value;
    } times[] = {{"1", 1e5},     {"3ns", 3},  {"2.5us", 2500}, {"2 us", 2000},
                 {"1e3ms", 1e9}, {"1s", 1e9}, {"2min", 12e10}, {"0", 0}},
      sizes[] = {{"7", 7}, {"7B", 7}, {"1KB", 1024}, {"2MB", 2 << 20}, {"1GiB", 1 << 30}},
      rates[] = {{"125MB/s", 0.125}, {"10Gbit/s", 1.25}, {"1GB/s", 1}, {"100Mbit/s", 0.0125}};
    static const char *const wrong[] = {"",    "us",     "-1us",   "1 furlong", "nan",
                                        "inf", "1e300s", "1us/KB", "1KB"};
    double value;

    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        assert_true(clue_read_quantity(times[i].text, CLUE_A_TIME, &value) &&
                    fabs(value - times[i].value) <= 1e-12 * value);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_true(clue_read_quantity(sizes[i].text, CLUE_A_SIZE, &value) &&
                    value == sizes[i].value);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        assert_true(clue_read_quantity(rates[i].text, CLUE_A_BANDWIDTH, &value) &&
                    fabs(value - rates[i].value) <= 1e-12 * value);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(clue_read_quantity(wrong[i], CLUE_A_TIME, &value));
    assert_false(clue_read_quantity("125", CLUE_A_BANDWIDTH, &value));
}

/* Host to host wins over host to type, this over type to type, and this over all, in any order. */
static void the_most_special_pair_wins(void **state)
{
    struct clue_machine_file *f = read_good(
        "<machine name='m'><host name='a' count='4' cpus='2'/><host name='b' count='2'/>"
        "<transmission from='*' to='*' k='0' d='9ns'/>"
        "<send from='a[1]' to='b[0]' k='0' d='1ns'/><send from='a[1]' to='b' k='0' d='2ns'/>"
        "<send from='a' to='b' k='0' d='3ns'/><send from='a' to='*' k='0' d='4ns'/>"
        "<send from='*' to='*' k='0' d='5ns'/><send from='a' to='self' k='0' d='6ns'/>"
        "<send from='a[2-3]' to='b' k='0' d='7ns'/><send from='a[3]' to='a[3]' k='0' d='8ns'/>"
        "</machine>");
    static const int expected[][3] = {{1, 4, 1}, {1, 5, 2}, {0, 4, 3}, {0, 1, 4}, {4, 0, 5},
                                      {0, 0, 6}, {2, 4, 7}, {3, 3, 8}, {4, 5, 5}, {3, 2, 4}};

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double d = pair(f, expected[i][0], expected[i][1])->send.constant_ns;

        if (d != expected[i][2])
            fail_msg("%d to %d: %g, not %d", expected[i][0], expected[i][1], d, expected[i][2]);
    }
    assert_true(pair(f, 4, 0)->transmission.constant_ns == 9);
    clue_machine_destroy(f);
}

static void loads_traffic_and_changes_are_read(void **state)
{
    struct clue_machine_file *f = read_good(
        "<machine name='m'><host name='n' count='4' cpus='2'/>" DELAYS
        "<change at='3s' host='n[1]' factor='2'/><change at='1s' from='n[0]' to='n[2]' send='0.5'>"
        "<transmission k='0' d='7us'/></change>"
        "<load host='n[*]' on='exponential(2s)' off='weibull(5s,0.7)' seed='7'/>"
        "<load host='n[0]' on='1s' jobs='2'/>"
        "<traffic from='n[0]' to='n[3]' every='uniform(1ms,2ms)' bytes='lognormal(64KB,1.5)'/>"
        "</machine>");
    const struct clue_background *b = f->machine.background;
    const struct clue_change *c = f->machine.changes;

    assert_int_equal(f->machine.n_background, 6);
    assert_int_equal(b[3].host, 3);
    assert_int_equal(b[0].seed, 7);
    assert_true(b[1].seed != 7);
    assert_true(b[0].on.kind == CLUE_EXPONENTIAL && b[0].on.a == 2e9);
    assert_true(b[0].off.kind == CLUE_WEIBULL && b[0].off.a == 5e9 && b[0].off.b == 0.7);
    assert_true(b[4].jobs == 2 && b[4].on.kind == CLUE_CONSTANT && b[4].off.a == 0);
    assert_true(b[5].is_traffic && b[5].to == 3 && b[5].every.b == 2e6 && b[5].bytes.a == 65536);
    assert_int_equal(f->machine.n_changes, 3);
    assert_true(c[0].at_ns == 1000000000 && c[0].parameter == CLUE_SEND && c[0].times == 0.5);
    assert_true(c[1].parameter == CLUE_TRANSMISSION && c[1].law && c[1].law->constant_ns == 7000);
    assert_true(c[2].parameter == CLUE_FACTOR && c[2].host == 1 && c[2].times == 2);
    clue_machine_destroy(f);
}

static const char *link_name(const struct clue_machine_file *f, int from, int to, size_t hop)
{
    uint32_t links[CLUE_MOST_HOPS];
    const struct clue_network *n = &f->machine.network;

    assert_true(n->route(n, from, to, links) > hop);
    return n->links[links[hop]].name;
}

static void topologies_are_read(void **state)
{
    static const struct {
        const char *network;
        size_t n_links;
        const char *first; /* messages go from host 0 to host 5 */
    } cases[] = {
        {"<network topology='crossbar' bandwidth='125MB/s' latency='4us'/>", 16, "host0-switch"},
        {"<network topology='bus' bandwidth='125MB/s' latency='4us'/>", 1, "bus"},
        {"<network topology='fat-tree' down='4 2' up='1 2' bandwidth='125MB/s' latency='4us'/>",
         2 * (8 + 4), "host0-leaf0"},
        {"<network topology='torus' size='4 2' bandwidth='125MB/s' latency='4us'/>", 32, "host0+x"},
        {"<network topology='dragonfly' size='2 2 2' bandwidth='125MB/s' latency='4us'/>",
         2 * 8 + 2 * 4 + 4, "host0-switch"},
        {"<network topology='explicit'><link name='a' bandwidth='125MB/s' latency='4us'/>"
         "<route from='*' to='*' links='a'/></network>",
         1, "a"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        struct clue_machine_file *f;

        snprintf(text, sizeof text, "<machine name='m'><host name='n' count='8'/>%s</machine>",
                 cases[i].network);
        f = read_good(text);
        assert_int_equal(f->machine.network.model, CLUE_NETWORK_QUEUE);
        assert_int_equal(f->machine.network.n_links, cases[i].n_links);
        assert_string_equal(link_name(f, 0, 5, 0), cases[i].first);
        assert_true(f->machine.network.links[0].bytes_per_ns == 0.125);
        assert_int_equal(f->machine.network.links[0].latency_ns, 4000);
        assert_true(pair(f, 0, 5)->send.constant_ns == 0);
        clue_machine_destroy(f);
    }
}

static void links_have_their_own_numbers_and_routes_their_way_back(void **state)
{
    struct clue_machine_file *f = read_good(
        "<machine name='m'><host name='n' count='8'/><network topology='fat-tree' down='4 2'"
        " up='1 2' bandwidth='1GB/s' latency='1us'><link name='leaf*' bandwidth='4GB/s'/>"
        "<link name='host3-leaf0' latency='9us'/></network>"
        "<change at='1s' link='leaf0-*' bandwidth='0.5'/></machine>");
    struct clue_machine_file *g =
        read_good("<machine name='m'><host name='a'/><host name='b'/><network topology='explicit'>"
                  "<link name='x' bandwidth='1GB/s'/><link name='y' bandwidth='1GB/s'/>"
                  "<route from='a' to='b' links='x y' symmetric='yes'/></network></machine>");
    struct clue_machine_file *h = read_good(
        "<machine name='m'><host name='a' count='3'/><host name='b'/><network topology='explicit'>"
        "<link name='x' bandwidth='1GB/s'/><link name='y' bandwidth='1GB/s'/>"
        "<route from='*' to='*' links='x'/><route from='a[1]' to='b' links='y' symmetric='yes'/>"
        "</network></machine>");
    const struct clue_network *n = &f->machine.network;

    assert_string_equal(link_name(h, 0, 3, 0), "x");
    assert_string_equal(link_name(h, 1, 3, 0), "y");
    assert_string_equal(link_name(h, 3, 1, 0), "y");
    assert_string_equal(link_name(h, 1, 2, 0), "x");
    clue_machine_destroy(h);
    for (size_t i = 0; i < n->n_links; i++) {
        const struct clue_link *l = &n->links[i];

        assert_true(l->bytes_per_ns == (strncmp(l->name, "leaf", 4) == 0 ? 4 : 1));
        assert_int_equal(l->latency_ns, strcmp(l->name, "host3-leaf0") == 0 ? 9000 : 1000);
    }
    assert_int_equal(f->machine.n_changes, 4 + 2); /* four hosts, and two spines */
    assert_string_equal(link_name(g, 0, 1, 0), "x");
    assert_string_equal(link_name(g, 1, 0, 0), "y");
    clue_machine_destroy(f);
    clue_machine_destroy(g);
}

static void sizes_have_a_unit_that_fits(void **state)
{
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {{17, "17 B"},
                 {1024, "1 KB"},
                 {1.5 * (1 << 20), "1.5 MB"},
                 {16.0 * (1 << 30), "16 GB"},
                 {1000.0 * (1 << 30), "0.977 TB"},
                 {4e18, "3637979 TB"}};
    char text[32];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(clue_format_size(cases[i].bytes, text, sizeof text), cases[i].text);
}

static void what_is_written_reads_back(void **state)
{
    struct clue_machine_file *f = read_good(
        "<machine name='a &amp; b' placement='by-slot'><host name='n' count='2' cpus='2'"
        " factor='0.8' spread='0.1' memory='3GB' copies='receiver' gap='2us' card='125MB/s' "
        "price='3'>"
        "<busy cpus='2' factor='1.3'/><receive k='1ns/B' d='3us'/>"
        "<packing><point bytes='0' time='0us'/><point bytes='8KB' time='4us'/></packing></host>"
        "<send from='*' to='*' k='0.01' d='0.9'/><transmission from='n' to='self'>"
        "<point bytes='1' time='123.456ns'/><point bytes='4MB' time='1s'/></transmission>"
        "<transmission from='*' to='*' d='1'/>"
        "<network model='factor' contention='1 1.25' eager='64KB'>"
        "<factors from='0' bandwidth='0.8' latency='2'/></network>"
        "<collectives rules='r.json'><barrier d='2us'/><call d='80ns'/></collectives>"
        "<provenance><fact name='cpu' value='&lt;x&gt;'/><error of='send' relative='0.1'/>"
        "<error of='latency' relative='0.2'/>"
        "<correlation of='send' with='latency' value='-0.5'/></provenance></machine>");
    struct clue_machine_file *g;
    char *text, *again;

    assert_int_equal(clue_machine_write(f, &text, NULL), PORTOLAN_OK);
    g = read_good(text);
    assert_int_equal(clue_machine_write(g, &again, NULL), PORTOLAN_OK);
    assert_string_equal(text, again);
    assert_true(g->machine.hosts[1].memory == (uint64_t)3 << 30);
    assert_true(fabs(g->machine.hosts[1].card_ns_per_byte - 8) < 1e-9);
    assert_true(g->machine.hosts[0].receive.ns_per_byte == 1);
    assert_true(fabs(pair(g, 1, 1)->transmission.points[0].ns - 123.456) < 1e-9);
    assert_true(g->machine.network.factors[1] == 1.25 && g->machine.eager_bytes == 65536);
    assert_true(fabs(g->machine.shared_barrier.constant_ns - 2000) < 1e-9);
    assert_int_equal(clue_law_ns(&g->machine.collective_call, 0), 80);
    assert_int_equal(clue_law_ns(&g->machine.hosts[1].packing, 6144), 3000);
    assert_true(g->machine.hosts[1].receiver_copies);
    assert_true(fabs(g->covariance[CLUE_SEND][CLUE_LATENCY] + 0.01) < 1e-9);
    assert_string_equal(g->facts[0].value, "<x>");
    free(text);
    free(again);
    clue_machine_destroy(f);
    clue_machine_destroy(g);
}

/* They are ignored whatever they contain, with a warning that names the first. */
static void laws_of_older_files_are_ignored(void **state)
{
    struct clue_machine_file *old = read_good(
        "<machine name='old'>\n<host name='n' cpus='2'><receive d='3us'/>\n"
        "<fresh><point bytes='4KB' time='1us'/></fresh><loop k='1ns/B'/>"
        "<pieces pack='9ns' k='1ns/B'/></host>\n"
        "<send from='*' to='*' d='1us'/><transmission from='*' to='*' d='1us'/>"
        "<collectives><window d='1us'/><call d='80ns'/><communicator d='1us'/></collectives>"
        "</machine>");
    char *text;

    assert_non_null(strstr(old->ignored, ":3: <fresh> is ignored"));
    assert_int_equal(clue_law_ns(&old->machine.hosts[0].receive, 0), 3000);
    assert_int_equal(clue_law_ns(&old->machine.collective_call, 0), 80);
    assert_int_equal(clue_machine_write(old, &text, NULL), PORTOLAN_OK);
    assert_null(strstr(text, "fresh"));
    assert_null(strstr(text, "window"));
    clue_machine_destroy(old);
    old = read_good(text);
    assert_null(old->ignored);
    clue_machine_destroy(old);
    free(text);
}

/* Logarithms of 2,000 draws have the stated deviations (within 5 %, 3 standard errors) and
 * correlation. */
static void errors_are_drawn_from_their_covariance(void **state)
{
    static const char text[] =
        "<machine name='m'><host name='n' count='2'/><send from='*' to='*' d='1us'/>"
        "<transmission from='*' to='*'><point bytes='0' time='1us'/><point bytes='1' time='2us'/>"
        "</transmission><provenance><error of='send' relative='0.1'/>"
        "<error of='transmission' relative='0.2'/><error of='collectives' relative='0.1'/>"
        "<correlation of='send' with='transmission' value='-0.5'/></provenance></machine>";
    double ss = 0, tt = 0, st = 0, cc = 0;
    enum { DRAWS = 2000 };

    for (uint64_t i = 1; i <= DRAWS; i++) {
        struct clue_machine_file *f = read_good(text);
        double s, t;

        clue_machine_vary(f, i);
        s = log(pair(f, 0, 1)->send.constant_ns / 1000);
        t = log(pair(f, 0, 1)->transmission.points[1].ns / 2000);
        ss += s * s;
        tt += t * t;
        st += s * t;
        cc += pow(log(1 + f->machine.shared_more), 2);
        assert_true(f->machine.hosts[0].factor == 1);
        clue_machine_destroy(f);
    }
    assert_true(fabs(sqrt(ss / DRAWS) / 0.1 - 1) < 0.05);
    assert_true(fabs(sqrt(tt / DRAWS) / 0.2 - 1) < 0.05);
    assert_true(fabs(sqrt(cc / DRAWS) / 0.1 - 1) < 0.05);
    assert_true(fabs(st / sqrt(ss * tt) + 0.5) < 0.06);
}

/* All delays of communication are off by the same factor. */
static void communication_is_off_as_a_whole(void **state)
{
    struct clue_machine_file *f =
        read_good("<machine name='m'><host name='n' count='2' receive='3us'/>"
                  "<send from='*' to='*' d='1us'/><transmission from='*' to='*' d='2us'/>"
                  "<provenance><error of='communication' relative='0.2'/></provenance></machine>");
    double times;

    clue_machine_vary(f, 1);
    times = pair(f, 0, 1)->send.constant_ns / 1000;
    assert_true(times != 1);
    assert_true(fabs(pair(f, 0, 1)->transmission.constant_ns / 2000 - times) < 1e-9);
    assert_true(fabs(f->machine.hosts[1].receive.constant_ns / 3000 - times) < 1e-9);
    assert_true(fabs(f->machine.shared_more - (times - 1)) < 1e-9);
    assert_true(f->machine.hosts[0].factor == 1);
    clue_machine_destroy(f);
}

/* Sends a message from the first host to the last; returns when the receiver goes on. */
static int64_t message_ns(const struct clue_machine_file *f, uint64_t bytes)
{
    struct clue_engine *e = clue_engine_new(&f->machine, &(struct clue_engine_settings){0});
    int last = (int)f->machine.n_hosts - 1, sender, receiver, task;
    static char data[1 << 16];
    struct clue_send send = {.tag = 1, .data = data, .bytes = bytes};
    struct clue_receive receive = {.tag = 1};
    clue_request sent = 0, received = 0;
    int64_t end = -1;
    size_t index;

    assert_non_null(e);
    sender = clue_engine_add(e, 0, 0);
    receiver = clue_engine_add(e, last, 0);
    send.to = receiver;
    receive.from = sender;
    while ((task = clue_engine_next(e)) >= 0)
        if (task == sender) {
            if (clue_engine_send(e, task, &send, &sent) == CLUE_DONE)
                clue_engine_exit(e, task);
        } else {
            received = received ? received : clue_engine_receive(e, task, &receive);
            if (clue_engine_wait(e, task, &received, 1, true, &index) != CLUE_DONE)
                continue;
            end = clue_engine_now(e, task);
            clue_engine_exit(e, task);
        }
    assert_int_equal(task, CLUE_FINISHED);
    clue_engine_free(e);
    return end;
}

/* 1 KB is sent in (0.01 x 1 + 0.9) x 100 us, takes 60 us and a 64th of 5.84 ms on its way, and is
 * received in 0.05 x 100 us: 91 + 151.25 + 5 us. From 50 us on, sending takes twice as long: the 41
 * us that are left become 82. */
static void messages_take_what_the_file_says(void **state)
{
    static const char machine[] =
        "<machine name='m'><host name='n' count='4' receive='0.05'/>"
        "<send from='n' to='n' k='0.01' d='0.9'/><transmission from='n' to='n'>"
        "<point bytes='0' time='60us'/><point bytes='64KB' time='5.9ms'/></transmission>%s"
        "</machine>";
    static const struct {
        const char *more;
        int64_t ns;
    } cases[] = {
        {"", 247250},
        {"<change at='50us' from='n[0]' to='*' send='2'/>", 247250 + 41000},
        {"<change at='0' host='n[3]' receive='3'/>", 247250 + 10000},
        {"<network model='factor' contention='1.5 2'/>", 91000 * 3 / 2 + 151250 * 3 / 2 + 5000},
        /* Two links of 1 GB/s and 1 us with cut-through add 1,024 ns once. */
        {"<network topology='crossbar' bandwidth='1GB/s' latency='1us'/>", 247250 + 2000 + 1024},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        struct clue_machine_file *f;

        snprintf(text, sizeof text, machine, cases[i].more);
        f = read_good(text);
        if (message_ns(f, 1024) != cases[i].ns)
            fail_msg("%s: %lld", cases[i].more, (long long)message_ns(f, 1024));
        clue_machine_destroy(f);
    }
}

/* ------------------------------------------------- placement */

static void check_placement(const struct clue_machine_file *f, const char *how, bool is_sharing,
                            int n, const int *expected)
{
    struct portolan_error err = {0};
    int *hosts;

    if (clue_machine_place(f, n, how, is_sharing, &hosts, &err) != PORTOLAN_OK)
        fail_msg("%s: %s", how, err.text);
    assert_memory_equal(hosts, expected, (size_t)n * sizeof *hosts);
    free(hosts);
}

static void check_no_placement(const struct clue_machine_file *f, const char *how, bool is_sharing,
                               int n, const char *why)
{
    struct portolan_error err = {0};
    int *hosts;

    assert_int_equal(clue_machine_place(f, n, how, is_sharing, &hosts, &err), PORTOLAN_EINVAL);
    if (!strstr(err.text, why))
        fail_msg("%s", err.text);
    assert_null(hosts);
}

static void ranks_are_placed(void **state)
{
    struct clue_machine_file *f = read_good("<machine name='m'><host name='a' count='2' cpus='2'/>"
                                            "<host name='b'/>" DELAYS "</machine>");
    struct clue_machine_file *g =
        read_good("<machine name='m'><host name='a' count='2'/>"
                  "<send from='a[0]' to='a[1]' d='1'/><send from='a[1]' to='a[0]' d='1'/>"
                  "<transmission from='*' to='*' d='1'/></machine>");

    check_placement(f, NULL, false, 5, (int[]){0, 1, 2, 0, 1});
    check_placement(f, "by-slot", false, 5, (int[]){0, 0, 1, 1, 2});
    check_placement(f, "by-slot", true, 7, (int[]){0, 0, 1, 1, 2, 0, 0});
    check_placement(f, "b a[0-1] a[0]", false, 4, (int[]){2, 0, 1, 0});
    check_placement(f, "b a[0]", true, 3, (int[]){2, 0, 2});
    check_no_placement(f, NULL, false, 6, "6 ranks, but 'm' has 5 processors");
    check_no_placement(f, "b b", false, 2, "--share");
    check_no_placement(f, "b", false, 2, "the placement names hosts for 1 of 2 ranks");
    check_no_placement(f, "by-nod", false, 2, "there is no host 'by-nod'");
    check_no_placement(g, NULL, true, 3, "from=\"a\" to=\"self\"");
    clue_machine_destroy(f);
    clue_machine_destroy(g);
}

/* For each allocation that fails, the error says so, and no memory is leaked. */
static void memory_may_run_out(void **state)
{
    static const char *const files[] = {CORPUS "/good-all.xml", CORPUS "/good-explicit.xml",
                                        CORPUS "/good-torus.xml"};

    for (size_t i = 0; i < 3; i++) {
        enum portolan_status status = PORTOLAN_ENOMEM;
        unsigned long n = 0;

        while (status == PORTOLAN_ENOMEM) {
            struct clue_machine_file *f;
            char *text = NULL, *dot = NULL;
            int *hosts = NULL;

            portolan_alloc_fail_at(++n);
            status = clue_machine_read(files[i], NULL, &f, NULL);
            if (status == PORTOLAN_OK)
                status = clue_machine_place(f, 2, NULL, false, &hosts, NULL);
            if (status == PORTOLAN_OK)
                status = clue_machine_write(f, &text, NULL);
            if (status == PORTOLAN_OK)
                status = clue_machine_draw(f, &dot, NULL);
            portolan_alloc_fail_at(0);
            clue_machine_destroy(f);
            free(hosts);
            free(text);
            free(dot);
        }
        assert_int_equal(status, PORTOLAN_OK);
        assert_true(n > 10);
    }
}

/* Each host and each link of a small machine is in the picture, once. */
static void machines_are_drawn(void **state)
{
    static const char *const expected[] = {"host7 [", "\"host3\" -- \"leaf0\" [label=\"125 MB/s",
                                           "\"leaf1\" -- \"spine1\"", "2 processors",
                                           "send n to self: 1 us + 0 ns/B"};
    struct clue_machine_file *f = read_good(
        "<machine name='m'><host name='n' count='8' cpus='2'/><send from='n' to='self' d='1us'/>"
        "<transmission from='n' to='self' d='1us'/><network topology='fat-tree' down='4 2'"
        " up='1 2' bandwidth='125MB/s' latency='4us'/></machine>");
    size_t edges = 0;
    char *dot;

    assert_int_equal(clue_machine_draw(f, &dot, NULL), PORTOLAN_OK);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!strstr(dot, expected[i]))
            fail_msg("no %s in %s", expected[i], dot);
    for (const char *at = dot; (at = strstr(at, " -- ")); at++)
        edges++;
    assert_int_equal(edges, 8 + 2 * 2);
    free(dot);
    clue_machine_destroy(f);
}

UNIT_TESTS(cmocka_unit_test(the_papers_parameters_have_its_units), cmocka_unit_test(units_are_read),
           cmocka_unit_test(the_most_special_pair_wins),
           cmocka_unit_test(loads_traffic_and_changes_are_read),
           cmocka_unit_test(topologies_are_read),
           cmocka_unit_test(links_have_their_own_numbers_and_routes_their_way_back),
           cmocka_unit_test(sizes_have_a_unit_that_fits),
           cmocka_unit_test(what_is_written_reads_back),
           cmocka_unit_test(laws_of_older_files_are_ignored),
           cmocka_unit_test(errors_are_drawn_from_their_covariance),
           cmocka_unit_test(communication_is_off_as_a_whole),
           cmocka_unit_test(messages_take_what_the_file_says), cmocka_unit_test(ranks_are_placed),
           cmocka_unit_test(machines_are_drawn), cmocka_unit_test(memory_may_run_out))
