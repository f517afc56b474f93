/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a machine file from laws. */
#include <portolan/clue_calibrate.h>

#include <portolan/list.h>
#include <portolan/stats.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The state of making one file. */
struct making {
    const struct clue_calibration *calibration;
    struct portolan_arena arena;
    struct clue_machine_file file;
    struct clue_host_type type;
    struct clue_busy busy;
    struct clue_pair_rule rules[4];
    struct clue_fact facts[64];
    struct portolan_error *err;
};

static void note(struct making *m, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void note(struct making *m, const char *name, const char *format, ...)
{
    struct clue_fact *fact = &m->facts[m->file.n_facts];
    va_list args;

    if (m->file.n_facts == sizeof m->facts / sizeof *m->facts)
        return;
    va_start(args, format);
    fact->name = name;
    fact->value = portolan_arena_vprintf(&m->arena, format, args);
    va_end(args);
    m->file.n_facts += fact->value != NULL;
}

/* Returns the mean relative standard error of the samples of a kind. */
static double relative_error(const struct clue_samples *samples, const char *kind)
{
    size_t n, counted = 0;
    const struct clue_sample *s = clue_samples_of(samples, kind, &n);
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        if (s[i].value > 0) {
            sum += s[i].std_error / s[i].value;
            counted++;
        }
    return counted ? sum / (double)counted : 0;
}

/* ------------------------------------------------- messages */

/* The laws of a pair of hosts. */
struct pair_laws {
    struct clue_law half, send, receive, transmission;
    uint64_t eager;
};

/* Adds a point after all others. */
static bool add_point(struct making *m, struct clue_law *law, uint64_t bytes, double ns)
{
    struct clue_law_point *p = portolan_arena_alloc(&m->arena, law->n_points + 1, sizeof *p);

    if (!p)
        return false;
    if (law->n_points)
        memcpy(p, law->points, law->n_points * sizeof *p);
    p[law->n_points] = (struct clue_law_point){.bytes = bytes, .ns = ns};
    law->points = p;
    law->n_points++;
    return true;
}

/* Beyond the eager limit the sender takes the part of half a round trip that is left when both are
 * ready: only the delay of an empty message, unless the difference is more than noise. The receiver
 * takes the delay of an empty message, since the data arrive by themselves. */
static bool go_beyond(struct making *m, const struct clue_samples *samples, struct pair_laws *l)
{
    double sent = clue_law_value(&l->send, 0), taken = clue_law_value(&l->receive, 0);
    size_t n, n_half;
    const struct clue_sample *rest = clue_samples_of(samples, "rest", &n);
    const struct clue_sample *half = clue_samples_of(samples, "half", &n_half);
    uint64_t most = half[n_half - 1].bytes;
    bool has_memory = true;

    for (size_t i = 0; i < n && has_memory; i++) {
        double all = clue_law_value(&l->half, rest[i].bytes);
        double before = all - rest[i].value - taken;
        bool is_noise = before < 2 * sent || before < 0.1 * all;

        has_memory = add_point(m, &l->send, rest[i].bytes, is_noise ? sent : before);
    }
    if (l->eager >= most)
        return has_memory;
    if (!n)
        has_memory =
            add_point(m, &l->send, l->eager + 1, sent) && add_point(m, &l->send, most, sent);
    return has_memory && add_point(m, &l->receive, l->eager + 1, taken) &&
           add_point(m, &l->receive, most, taken);
}

static int compare_sizes(const void *a, const void *b)
{
    return PORTOLAN_ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Collects the sizes at which any of the laws bends. */
static size_t union_of_sizes(const struct clue_law *const *laws, size_t n_laws, uint64_t *sizes)
{
    size_t n = 0, kept = 0;

    for (size_t l = 0; l < n_laws; l++)
        for (size_t i = 0; i < laws[l]->n_points; i++)
            sizes[n++] = laws[l]->points[i].bytes;
    qsort(sizes, n, sizeof *sizes, compare_sizes);
    for (size_t i = 0; i < n; i++)
        if (!kept || sizes[kept - 1] != sizes[i])
            sizes[kept++] = sizes[i];
    return kept;
}

/* Makes the transmission from the rest of half a round trip. If sender and receiver work at the
 * same time there is no rest, and the receiver takes less. */
static bool take_rest(struct making *m, struct pair_laws *l)
{
    const struct clue_law *laws[] = {&l->half, &l->send, &l->receive};
    size_t most = l->half.n_points + l->send.n_points + l->receive.n_points, n;
    uint64_t *sizes = portolan_arena_alloc(&m->arena, most, sizeof *sizes);
    struct clue_law send = {0}, receive = {0};
    bool has_memory = sizes;

    n = sizes ? union_of_sizes(laws, 3, sizes) : 0;
    for (size_t i = 0; i < n && has_memory; i++) {
        double half = clue_law_value(&l->half, sizes[i]);
        double sent = clue_law_value(&l->send, sizes[i]);
        double taken = clue_law_value(&l->receive, sizes[i]);
        double less = fmin(1, half / (sent + taken));

        sent *= less;
        taken *= less;
        has_memory = add_point(m, &send, sizes[i], sent) &&
                     add_point(m, &receive, sizes[i], taken) &&
                     add_point(m, &l->transmission, sizes[i], fmax(0, half - sent - taken));
    }
    l->send = send;
    l->receive = receive;
    return has_memory;
}

static enum portolan_status make_pair(struct making *m, const struct clue_samples *samples,
                                      struct pair_laws *l)
{
    static const char *const kinds[] = {"half", "send", "receive"};
    struct clue_law *const laws[] = {&l->half, &l->send, &l->receive};
    size_t n;
    const struct clue_sample *eager = clue_samples_of(samples, "eager", &n);
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; !status && i < 3; i++)
        status = clue_law_of(samples, kinds[i], &m->arena, laws[i], m->err);
    if (!status && !eager)
        status = portolan_error_set(m->err, PORTOLAN_EINVAL, "the eager limit was not measured");
    if (status)
        return status;
    l->eager = eager->bytes;
    return go_beyond(m, samples, l) && take_rest(m, l) ? PORTOLAN_OK : portolan_no_memory(m->err);
}

static void add_rules(struct making *m, const struct pair_laws *l, const char *to)
{
    const char *type = m->type.host.type;

    m->rules[m->file.n_rules++] =
        (struct clue_pair_rule){.is_send = true, .from = type, .to = to, .law = l->send};
    m->rules[m->file.n_rules++] =
        (struct clue_pair_rule){.from = type, .to = to, .law = l->transmission};
}

/* Finds how long each message of a row occupies a card, if it is received as it arrives, as a line
 * through the smallest and the largest eager ones: the gap of LogGP. */
static void make_card(struct making *m, const struct clue_samples *samples, uint64_t eager)
{
    size_t n, last = 0;
    const struct clue_sample *s = clue_samples_of(samples, "stream", &n);

    for (size_t i = 0; i < n; i++)
        last = s[i].bytes <= eager ? i : last;
    if (!last)
        return;
    m->type.host.card_ns_per_byte =
        fmax(0, s[last].value - s[0].value) / (double)(s[last].bytes - s[0].bytes);
    m->type.host.card_gap_ns = s[0].value;
}

static enum portolan_status make_messages(struct making *m)
{
    const struct clue_calibration *c = m->calibration;
    struct pair_laws between = {0}, within = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (c->between)
        status = make_pair(m, c->between, &between);
    if (!status && c->within)
        status = make_pair(m, c->within, &within);
    if (status)
        return status;
    if (c->between) {
        add_rules(m, &between, m->type.host.type);
        make_card(m, c->between, between.eager);
    }
    if (c->within) {
        size_t n;

        add_rules(m, &within, "self");
        m->type.host.receiver_copies = clue_samples_of(c->within, "copied", &n) != NULL;
    }
    m->type.host.receive = c->between ? between.receive : within.receive;
    m->file.machine.eager_bytes = c->between ? between.eager : within.eager;
    return PORTOLAN_OK;
}

/* ------------------------------------------------- collectives, processors */

/* Finds what each collective takes in addition to its messages: an allreduce of one number by
 * messages is an exchange of it. */
static void make_call(const struct clue_samples *s, struct clue_law *law)
{
    size_t n;
    const struct clue_sample *call = clue_samples_of(s, "call", &n);
    const struct clue_sample *exchange = call ? clue_sample_at(s, "exchange", call->bytes) : NULL;

    if (exchange)
        law->constant_ns = fmax(0, call->value - exchange->value);
}

static enum portolan_status make_collectives(struct making *m)
{
    const struct clue_samples *s = m->calibration->within;
    struct clue_machine *machine = &m->file.machine;
    const struct {
        const char *kind;
        struct clue_law *law;
    } all[] = {{"bcast", &machine->shared_bcast},
               {"reduce", &machine->shared_reduce},
               {"allreduce", &machine->shared_allreduce},
               {"barrier", &machine->shared_barrier}};
    size_t n;

    if (s && !clue_samples_of(s, "allreduce", &n))
        make_call(s, &machine->collective_call);
    for (size_t i = 0; s && i < sizeof all / sizeof *all; i++)
        if (clue_samples_of(s, all[i].kind, &n)) {
            enum portolan_status status =
                clue_law_of(s, all[i].kind, &m->arena, all[i].law, m->err);

            if (status)
                return status;
        }
    return PORTOLAN_OK;
}

/* Finds what two busy processors cost each other. It depends on where a program's data are, so the
 * median of kernels in the caches and in memory is taken; all of them are in the provenance. */
static void make_busy(struct making *m)
{
    const struct clue_samples *s = m->calibration->within;
    size_t n, n_together, counted = 0;
    const struct clue_sample *alone = s ? clue_samples_of(s, "alone", &n) : NULL;
    const struct clue_sample *together = s ? clue_samples_of(s, "together", &n_together) : NULL;
    double ratios[16];

    if (!alone || !together || n != n_together || n > 16)
        return;
    for (size_t i = 0; i < n; i++) {
        ratios[counted++] = together[i].value / alone[i].value;
        note(m, "busy", "%llu bytes: %.3f +- %.3f", (unsigned long long)alone[i].bytes, ratios[i],
             ratios[i] * hypot(alone[i].std_error / alone[i].value,
                               together[i].std_error / together[i].value));
    }
    m->busy.cpus = m->type.host.cpus;
    m->busy.factor = fmax(1, portolan_sort_to_median(counted, ratios));
    if (m->busy.factor > 1.005 && m->busy.cpus > 1) {
        m->type.host.busy = &m->busy;
        m->type.host.n_busy = 1;
    }
}

static enum portolan_status make_copying(struct making *m)
{
    const struct clue_calibration *c = m->calibration;
    const struct clue_samples *s = c->between ? c->between : c->within;
    enum portolan_status status = PORTOLAN_OK;
    size_t n;

    if (clue_samples_of(s, "pack", &n))
        status = clue_law_of(s, "pack", &m->arena, &m->type.host.packing, m->err);
    return status;
}

static void note_errors(struct making *m, const struct clue_samples *s, const char *where)
{
    static const char *const kinds[] = {"half",  "send",   "receive",   "stream", "exchange",
                                        "bcast", "reduce", "allreduce", "barrier"};
    size_t n;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct clue_sample *of = clue_samples_of(s, kinds[i], &n);

        if (of)
            note(m, "standard-error", "%s %s: %.2g %% of a quartile of %zu rounds", where, kinds[i],
                 100 * relative_error(s, kinds[i]), of->n);
    }
}

static void make_facts(struct making *m)
{
    const struct clue_calibration *c = m->calibration;
    const struct clue_samples *first = c->between ? c->between : c->within;

    note(m, "program", "portolan clue calibrate");
    if (c->created)
        note(m, "created", "%s", c->created);
    if (c->processor && *c->processor)
        note(m, "processor", "%s", c->processor);
    if (first->hosts[0])
        note(m, "hosts", "%s %s", first->hosts[0], first->hosts[1]);
    if (first->library)
        note(m, "library", "%s", first->library);
    if (c->factor_error > 0)
        note(m, "factor", "%.4g +- %.2g", c->factor, c->factor_error);
    if (c->errors.n)
        note(m, "check", "communication %.2g %%, computing %.2g %% off, in %zu comparisons",
             100 * c->errors.communication, 100 * c->errors.computing, c->errors.n);
    if (c->between)
        note_errors(m, c->between, "between hosts");
    if (c->within)
        note_errors(m, c->within, "within a host");
}

/* Returns the relative standard deviation of rounds for the median size: a program meets the
 * machine as it is at the time, not on average. */
static double relative_spread(const struct clue_samples *samples, const char *kind)
{
    size_t n;
    const struct clue_sample *s = clue_samples_of(samples, kind, &n);
    double spreads[256];

    n = n < 256 ? n : 256;
    for (size_t i = 0; i < n; i++)
        spreads[i] = s[i].value > 0 ? s[i].std_error * sqrt((double)s[i].n) / s[i].value / 1.36 : 0;
    return n ? portolan_sort_to_median(n, spreads) : 0;
}

/* Finds the relative errors that --repeat draws from; the check's include how rounds vary. */
static void make_covariance(struct making *m)
{
    const struct clue_calibration *c = m->calibration;
    const struct clue_samples *s = c->between ? c->between : c->within;
    double errors[CLUE_PARAMETERS] = {
        [CLUE_FACTOR] = c->errors.computing, [CLUE_COMMUNICATION] = c->errors.communication};

    if (!c->errors.n) {
        errors[CLUE_FACTOR] = relative_spread(s, "alone");
        errors[CLUE_SEND] = relative_spread(s, "send");
        errors[CLUE_TRANSMISSION] = relative_spread(s, "half");
        errors[CLUE_RECEIVE] = relative_spread(s, "receive");
        errors[CLUE_COLLECTIVES] =
            fmax(relative_spread(s, "bcast"), relative_spread(s, "allreduce"));
    }
    if (c->factor > 0)
        errors[CLUE_FACTOR] = hypot(errors[CLUE_FACTOR], c->factor_error / c->factor);
    for (int i = 0; i < CLUE_PARAMETERS; i++)
        m->file.covariance[i][i] = errors[i] * errors[i];
}

static void make_host(struct making *m)
{
    const struct clue_calibration *c = m->calibration;

    m->type.host = (struct clue_host){
        .name = "node", .type = "node", .cpus = c->cpus, .factor = c->factor > 0 ? c->factor : 1};
    m->type.count = c->n_hosts > 1 ? c->n_hosts : 0;
    m->file.machine.name = c->name;
    m->file.machine.master = -1;
    m->file.machine.hosts = &m->type.host;
    m->file.machine.n_hosts = 1;
    m->file.machine.network.model = c->between ? CLUE_NETWORK_QUEUE : CLUE_NETWORK_NONE;
    m->file.n_types = 1;
    m->file.types = &m->type;
    m->file.rules = m->rules;
    m->file.facts = m->facts;
    m->file.placement = "by-node";
}

enum portolan_status clue_calibration_write(const struct clue_calibration *calibration, char **text,
                                            struct portolan_error *err)
{
    enum portolan_status (*const steps[])(struct making *) = {make_messages, make_collectives,
                                                              make_copying};
    struct making m = {.calibration = calibration, .err = err};
    enum portolan_status status = PORTOLAN_OK;

    *text = NULL;
    if (!calibration->between && !calibration->within)
        return portolan_error_set(err, PORTOLAN_EINVAL, "nothing was measured");
    make_host(&m);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !status; i++)
        status = steps[i](&m);
    if (!status) {
        make_busy(&m);
        make_facts(&m);
        make_covariance(&m);
        status = clue_machine_write(&m.file, text, err);
    }
    portolan_arena_clear(&m.arena);
    return status;
}
