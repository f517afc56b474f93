/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two causes at once, drawn at random: both are found, the one that gains more first. And none are
 * found in runs that are healthy but for a variation of 1 %.
 */
#include "programs.h"

/* Run time of the same scenario without knob WITHOUT. */
static double run_without(write_fn *write, int p, const double *amounts, size_t without)
{
    double other[4];
    struct run run;
    double ns;

    memcpy(other, amounts, sizeof other);
    other[without] = 0;
    run_scenario(&run, write, p, other, "1", 1);
    ns = (double)run.waits->run_ns;
    run_end(&run);
    return ns;
}

static struct portolan_diagnosis *diagnose(const struct run *run, const char *paradigm)
{
    struct portolan_diagnosis *d = NULL;
    struct portolan_error err = {0};

    if (portolan_diagnosis_create(knowledge, paradigm, run->waits, NULL, &no_problem, &d, &err))
        fail_msg("%s", err.text);
    return d;
}

static size_t place_of(const struct portolan_diagnosis *d, const char *cause)
{
    size_t i = 0;

    while (i < d->n_findings && strcmp(d->findings[i].cause, cause))
        i++;
    return i;
}

/* Returns whether one hides the other: a large block passes the stages before and after a slow one
 * while that works anyway. */
static bool hide_each_other(const char *a, const char *b)
{
    return (!strcmp(a, "slow-stage") && !strcmp(b, "unequal-blocks")) ||
           (!strcmp(b, "slow-stage") && !strcmp(a, "unequal-blocks"));
}

/* ------------------------------------------------- tests */

/* The order is that of the runs without either. Balancing keeps the work, so it gains less than the
   work's absence, by 1/P; the pipeline without the large blocks still fills and drains, for 1.6 %.
 */
static void both_of_a_pair_are_found_in_order_of_gain(void **state)
{
    for (int i = 0; i < 200; i++) {
        const struct program *x = &programs[(int)draw(0, PROGRAMS)];
        int p = 4 << (int)draw(0, 2.99);
        size_t a = (size_t)draw(0, (double)x->n),
               b = (a + 1 + (size_t)draw(0, (double)x->n - 1)) % x->n;
        double amounts[4] = {0}, gain_a, gain_b;
        struct run run;
        struct portolan_diagnosis *d;
        size_t at_a, at_b;

        /* If one hides the other, there is only one. */
        amounts[a] = draw(0.1, 0.4);
        amounts[b] = draw(0.1, 0.4);
        run_scenario(&run, x->write, p, amounts, "1", 1);
        gain_a = 1 - run_without(x->write, p, amounts, a) / (double)run.waits->run_ns;
        gain_b = 1 - run_without(x->write, p, amounts, b) / (double)run.waits->run_ns;
        if (gain_a < 0.03 || gain_b < 0.03 || hide_each_other(x->causes[a], x->causes[b])) {
            run_end(&run);
            i--;
            continue;
        }
        d = diagnose(&run, x->name);
        at_a = place_of(d, x->causes[a]);
        at_b = place_of(d, x->causes[b]);
        if (at_a == d->n_findings || at_b == d->n_findings ||
            (fabs(gain_a - gain_b) > fmax(gain_a, gain_b) / p + 0.02 &&
             (at_a < at_b) != (gain_a > gain_b)))
            fail_msg("pair %d on %d ranks: %s (%.3f, truly %.2f %%) and %s (%.3f, truly %.2f %%): "
                     "at %zu "
                     "and %zu of %zu, first %s %.2f %%; %s",
                     i, p, x->causes[a], amounts[a], 100 * gain_a, x->causes[b], amounts[b],
                     100 * gain_b, at_a, at_b, d->n_findings,
                     d->n_findings ? d->findings[0].cause : "-",
                     d->n_findings ? 100 * d->findings[0].gain : 0, d->why);
        portolan_diagnosis_destroy(d);
        run_end(&run);
    }
}

static void healthy_runs_have_no_finding(void **state)
{
    const double none[4] = {0};

    for (int i = 0; i < 200; i++) {
        const struct program *x = &programs[i % PROGRAMS];
        int p = 4 << (int)draw(0, 2.99);
        struct run run;
        struct portolan_diagnosis *d;

        run_scenario(&run, x->write, p, none, "(0.99 + 0.02 * random)", i + 1);
        d = diagnose(&run, x->name);
        if (d->n_findings || d->verdict != PORTOLAN_NO_PROBLEM)
            fail_msg("healthy %s on %d ranks: %s %.2f %% of the run, verdict %d %s", x->name, p,
                     d->n_findings ? d->findings[0].cause : "-",
                     d->n_findings ? 100 * d->findings[0].share : 0, d->verdict, d->why);
        portolan_diagnosis_destroy(d);
        run_end(&run);
    }
}

/* Mistakes of a user: paradigm, tags that do not distinguish messages, parts, threshold of fits. */
struct mistake {
    const char *paradigm;
    struct portolan_part parts[2];
    struct portolan_threshold fit;
    struct portolan_diagnosis_options options;
};

static void draw_mistake(struct mistake *m, const struct program *x, struct portolan_text *scenario)
{
    static const char *const others[] = {"master-worker",      "pipeline", "geometric",
                                         "divide-and-conquer", "prt",      "amr"};
    static const char *const components[] = {"receive", "send", "compute", "complete"},
                             *const calls[] = {"MPI_Send", "MPI_Recv", "MPI_Waitall",
                                               "MPI_Allreduce"};
    int kind = (int)draw(0, 3.99);

    *m = (struct mistake){.paradigm = x->name};
    m->options = (struct portolan_diagnosis_options){.parts = m->parts, .settings = &m->fit};
    if (kind == 0)
        m->paradigm = others[(int)draw(0, 5.99)];
    for (char *c = scenario->bytes; kind == 1 && (c = strstr(c, "tag ")); c += 4)
        c[4] = '1';
    for (int i = 0; kind == 2 && i < 2; i++)
        m->parts[m->options.n_parts++] =
            (struct portolan_part){.component = components[(int)draw(0, 3.99)],
                                   .mpi = calls[(int)draw(0, 3.99)],
                                   .tag = -1,
                                   .to = -1,
                                   .file = "parts"};
    m->fit = (struct portolan_threshold){"fit", draw(0, 1)};
    m->options.n_settings = kind == 3;
}

static void ignore(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg, (void)file, (void)line, (void)column, (void)text;
}

/* Every second run also does something that no paradigm knows. */
static void a_wrong_description_hides_no_loss(void **state)
{
    static const char *const others[] = {
        "compute %.0fns * (rank == 1)\nbarrier\n",
        "on 1\ncompute %.0fns\nsend 0 tag 77\nend\non 0\nrecv 1 tag 77\nend\n",
        "repeat 100\ncompute %.0fns * 0.01 * (rank < 1)\nbcast 0\nend\n",
    };

    for (int i = 0; i < 100; i++) {
        const struct program *x = &programs[i % PROGRAMS];
        int p = 4 << (int)draw(0, 1.99);
        size_t knob = (size_t)draw(0, (double)x->n);
        struct portolan_diagnostics unheard = {ignore, NULL, 0};
        struct portolan_diagnosis *d = NULL;
        struct portolan_text t = {0};
        double amounts[4] = {0}, lost;
        struct mistake m;
        struct run run;

        amounts[knob] = draw(0.1, 0.8);
        x->write(&t, p, amounts, "1");
        draw_mistake(&m, x, &t);
        lost = run_without(x->write, p, amounts, knob);
        if (i / 4 % 2)
            portolan_text_add(&t, others[i / 8 % 3], draw(0.1, 1) * lost);
        run_trace(&run, t.bytes);
        lost = 1 - lost / (double)run.waits->run_ns;
        if (lost > 0.05 &&
            !portolan_diagnosis_create(knowledge, m.paradigm, run.waits, &m.options, &unheard, &d,
                                       NULL) &&
            d->verdict == PORTOLAN_NO_PROBLEM)
            fail_msg("run %d, %s of %s as %s on %d ranks: %.1f %% are lost", i, x->causes[knob],
                     x->name, m.paradigm, p, 100 * lost);
        portolan_diagnosis_destroy(d);
        portolan_text_clear(&t);
        run_end(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_of_a_pair_are_found_in_order_of_gain),
        cmocka_unit_test(healthy_runs_have_no_finding),
        cmocka_unit_test(a_wrong_description_hides_no_loss),
    };

    return run_tests_with_knowledge(tests, sizeof tests / sizeof *tests);
}
