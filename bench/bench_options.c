/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well and how quickly the options of a program are chosen. Sessions of `measure` are replayed
 * from tables of measured programs (options/xz.txt and others, made by options/measure.sh), each 30
 * times with other noise, with a fifth of the time that all combinations take. Random search and
 * changing one option at a time get the same time. Then: what deciding and running a trial cost.
 */
#include "bench_short.h"

#include <portolan/machine.h>
#include <portolan/measured.h>
#include <portolan/optimizer.h>
#include <portolan/options.h>
#include <portolan/recorder.h>
#include <portolan/tune.h>

#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_OPTIONS = 8, MOST_VALUES = 64, MOST_SIZES = 4, REPLAYS = 30 };

/* A measured program: seconds of each combination at each size, small ones first; INFINITY: it
 * failed or was not good enough. */
struct table {
    size_t n_options, n_sizes, n_rows;
    char options[MOST_OPTIONS][32];
    size_t n_values[MOST_OPTIONS];
    char values[MOST_OPTIONS][MOST_VALUES][32];
    struct row {
        size_t value[MOST_OPTIONS];
        double s[MOST_SIZES];
    } * rows;
};

/* A replay. Its clock is that of trials: they are short in truth. */
struct replay {
    struct measured_trials trials; /* only its assembly */
    struct workbench w;
    const struct table *t;
    struct portolan_assembly *a;
    struct portolan_measure_options *o;
    struct portolan_sample_set set;
    size_t capacity;
    unsigned short seed[3];
    double noise, drift, spent_s;
};

/* ------------------------------------------------------------------ tables */

static size_t value_number(struct table *t, size_t option, const char *text)
{
    size_t v = 0;

    while (v < t->n_values[option] && strcmp(t->values[option][v], text) != 0)
        v++;
    if (v == t->n_values[option] && v < MOST_VALUES)
        snprintf(t->values[option][t->n_values[option]++], sizeof t->values[option][v], "%s", text);
    return v;
}

/* The first line has the options' names, "|" and the sizes; the others values, "|" and seconds. */
static bool read_table(const char *file, struct table *t)
{
    char line[512], *rest, *word;
    FILE *f = fopen(file, "r");

    *t = (struct table){.rows = calloc(10000, sizeof *t->rows)};
    while (f && t->rows && fgets(line, sizeof line, f)) {
        struct row *r = &t->rows[t->n_rows];
        bool is_head = !t->n_options, is_after = false;
        size_t n = 0;

        if (*line == '#')
            continue;
        for (rest = line; (word = strsep(&rest, " \n"));) {
            if (!strcmp(word, "|"))
                is_after = true, n = 0;
            else if (*word && is_after && n < MOST_SIZES)
                r->s[n++] = strcmp(word, "-") ? strtod(word, NULL) : INFINITY;
            else if (*word && is_head && n < MOST_OPTIONS)
                snprintf(t->options[n++], sizeof t->options[0], "%s", word), t->n_options = n;
            else if (*word && n < MOST_OPTIONS)
                r->value[n] = value_number(t, n, word), n++;
        }
        t->n_sizes = is_head ? n : t->n_sizes;
        t->n_rows += !is_head;
    }
    if (f)
        fclose(f);
    return t->n_rows;
}

static double best_of(const struct table *t)
{
    double best = INFINITY;

    for (size_t i = 0; i < t->n_rows; i++)
        best = fmin(best, t->rows[i].s[t->n_sizes - 1]);
    return best;
}

/* What all trials of the grid take; one that fails takes as long as the slowest that works. */
static double grid_s(const struct table *t)
{
    double sum = 0;

    for (size_t k = 0; k < t->n_sizes; k++) {
        double most = 0, n = 0;

        for (size_t i = 0; i < t->n_rows; i++)
            if (isfinite(t->rows[i].s[k])) {
                sum += t->rows[i].s[k];
                most = fmax(most, t->rows[i].s[k]);
            } else {
                n++;
            }
        sum += n * most;
    }
    return sum;
}

static const struct row *find_row(const struct table *t, const size_t *values)
{
    for (size_t i = 0; i < t->n_rows; i++)
        if (!memcmp(t->rows[i].value, values, t->n_options * sizeof *values))
            return &t->rows[i];
    return NULL;
}

/* "a=1 b=x", a combination's name. */
static const struct row *row_of(const struct table *t, const char *name)
{
    size_t values[MOST_OPTIONS] = {0};

    for (size_t k = 0; k < t->n_options; k++) {
        char key[40];
        const char *at;
        size_t length;

        snprintf(key, sizeof key, "%s=", t->options[k]);
        if (!(at = strstr(name, key)))
            return NULL;
        at += strlen(key);
        length = strcspn(at, " ");
        while (values[k] < t->n_values[k] &&
               (strncmp(t->values[k][values[k]], at, length) || t->values[k][values[k]][length]))
            values[k]++;
    }
    return find_row(t, values);
}

static struct portolan_assembly *assembly_of(const struct table *t)
{
    struct portolan_assembly *a = NULL;
    struct portolan_text x = {0};
    struct portolan_diagnostics d = {0};

    portolan_text_add(&x,
                      "<assembly name='p'><program name='p' command='p {n}'>"
                      "<parameter name='n' type='int' value='%zu'/></program>",
                      t->n_sizes);
    for (size_t k = 0; k < t->n_options; k++) {
        portolan_text_add(&x, "<instance name='%s' class='%s'>", t->options[k], t->values[k][0]);
        for (size_t v = 1; v < t->n_values[k]; v++)
            portolan_text_add(&x, "<alternative class='%s'/>", t->values[k][v]);
        portolan_text_add(&x, "</instance>");
    }
    portolan_text_add(&x, "<sweep><vary instance='p' parameter='n' values='");
    for (size_t k = 0; k < t->n_sizes; k++)
        portolan_text_add(&x, "%s%zu", k ? " " : "", k + 1);
    portolan_text_add(&x, "'/></sweep></assembly>");
    portolan_assembly_read_text(x.bytes, x.length, "table", &d, &a, NULL);
    portolan_text_clear(&x);
    return a;
}

/* ------------------------------------------------------------------ a replay */

static double normal(struct replay *r)
{
    return sqrt(-2 * log(1 - erand48(r->seed))) * cos(2 * M_PI * erand48(r->seed));
}

/* Seconds of a trial now: noise, rare outliers, and a machine that slows down and recovers. */
static double measured_s(struct replay *r, double s)
{
    double outlier = erand48(r->seed) < 0.02 ? 2 : 1;

    return s * outlier * exp(r->noise * normal(r)) * (1 + r->drift * sin(r->spent_s / 20));
}

static enum portolan_status read_trials(void *arg, bool with_samples,
                                        const struct portolan_sample_set **set,
                                        struct portolan_error *err)
{
    (void)with_samples, (void)err;
    *set = &((struct replay *)arg)->set;
    return PORTOLAN_OK;
}

static bool has_parameters(void *arg, const struct portolan_trial *t)
{
    return tune_has_parameters(((struct replay *)arg)->a, t);
}

/* Stores a trial in memory, as tune_run_trial() does in a store. */
static void add_trial(struct replay *r, double s, const char *outcome)
{
    struct portolan_facts parameters = {0}, implementations = {0};
    const struct portolan_assembly_instance *i = r->a->instances;
    struct portolan_trial *t;

    if (r->set.n_trials == r->capacity)
        return;
    t = &r->set.trials[r->set.n_trials++];
    portolan_facts_put_choices(r->a, &parameters, &implementations);
    *t = (struct portolan_trial){.id = (int64_t)r->set.n_trials,
                                 .assembly = "p",
                                 .purpose = "explore",
                                 .ranks = 1,
                                 .started = "",
                                 .outcome = outcome,
                                 .elapsed_ns = 1e9 * s,
                                 .n_parameters = parameters.n,
                                 .parameters = parameters.pairs,
                                 .n_implementations = implementations.n,
                                 .implementations = implementations.pairs};
    if (strcmp(outcome, "finished") != 0)
        return;
    r->set.samples[r->set.n_samples++] =
        (struct portolan_sample){.trial = t->id,
                                 .parent = -1,
                                 .user = "",
                                 .uses = "",
                                 .instance = i->name,
                                 .port = "main",
                                 .implementation = i->alternatives[i->selected].class_name,
                                 .port_type = "portolan.Program",
                                 .method = "main",
                                 .calls = 1,
                                 .inclusive_ns = 1e9 * s,
                                 .exclusive_ns = 1e9 * s,
                                 .min_ns = 1e9 * s,
                                 .max_ns = 1e9 * s,
                                 .sum_squares_ns2 = 1e18 * s * s,
                                 .quality = NAN};
}

static enum portolan_status run(void *arg, const struct portolan_measure_trial *trial,
                                struct portolan_error *err)
{
    struct replay *r = arg;
    const struct portolan_assembly_instance *i = r->a->instances;
    const struct row *row = row_of(r->t, i->alternatives[i->selected].class_name);
    int size = atoi(portolan_assembly_peek_parameter(r->a, "p", "n"));
    double s = row ? measured_s(r, row->s[size - 1]) : INFINITY, limit_s = trial->limit_s;
    bool is_late = isfinite(s) && limit_s > 0 && s > limit_s;

    if (is_late)
        s = limit_s;
    add_trial(r, isfinite(s) ? s : 0.01, is_late ? "stopped" : isfinite(s) ? "finished" : "failed");
    r->spent_s += isfinite(s) ? s : 0.01;
    r->o->began_s -= isfinite(s) ? s : 0.01;
    return is_late || !isfinite(s) ? portolan_error_set(err, PORTOLAN_ECOMPONENT, "no result")
                                   : PORTOLAN_OK;
}

static void say(void *arg, const char *text)
{
    (void)arg;
    if (getenv("PORTOLAN_BENCH_TALK"))
        printf("    %s\n", text);
}

static void begin_replay(struct replay *r, const struct table *t, int number, double noise,
                         double drift)
{
    *r = (struct replay){.t = t,
                         .a = assembly_of(t),
                         .capacity = 20000,
                         .seed = {(unsigned short)number, 48, 70},
                         .noise = noise,
                         .drift = drift};
    r->w.assembly = r->a;
    r->trials.w = &r->w;
    r->set.trials = calloc(r->capacity, sizeof *r->set.trials);
    r->set.samples = calloc(r->capacity, sizeof *r->set.samples);
    r->a->purpose = "explore";
}

static void end_replay(struct replay *r)
{
    for (size_t i = 0; i < r->set.n_trials; i++) {
        struct portolan_facts p = {.n = r->set.trials[i].n_parameters,
                                   .pairs = (void *)r->set.trials[i].parameters},
                              x = {.n = r->set.trials[i].n_implementations,
                                   .pairs = (void *)r->set.trials[i].implementations};

        portolan_facts_clear(&p);
        portolan_facts_clear(&x);
    }
    free(r->set.trials);
    free(r->set.samples);
    portolan_assembly_destroy(r->a);
}

/* What the choice of a session takes, over the best; *SURE: it does not say "cannot tell". */
static double tune(const struct table *t, int number, double noise, double drift, double budget_s,
                   bool *sure)
{
    struct replay r;
    struct portolan_measure_options o = {.plan = {.ranks = 1, .most_trials = 10},
                                         .cohort = portolan_cohort_alone(),
                                         .began_s = portolan_now_s(),
                                         .budget_s = budget_s,
                                         .factor = 3};
    const struct portolan_measure_runner runner = {
        &r,   read_trials, has_parameters, measured_has_port, measured_apply, run,
        NULL, say,         measured_offer};
    const struct portolan_plan_answer *answer = NULL;
    struct portolan_plan *plan = NULL;
    struct portolan_error err = {0};
    char size[8];
    const struct row *row = NULL;
    double over = INFINITY;
    int n;

    begin_replay(&r, t, number, noise, drift);
    r.o = &o;
    portolan_measure(r.a, &o, &runner, &n, &err);
    snprintf(size, sizeof size, "%zu", t->n_sizes);
    portolan_assembly_set(r.a, "p", "n", size, &err);
    if (!portolan_plan_create(r.a, &r.set, &o.plan, &plan, &err) &&
        !portolan_plan_choose(plan, &answer, &err) && answer->n_variables)
        row = row_of(t, answer->variables[0].options[answer->variables[0].chosen].implementation);
    if (row)
        over = row->s[t->n_sizes - 1] / best_of(t);
    *sure = row && answer->verdict != PORTOLAN_ANSWER_CANNOT_TELL;
    if (!row && err.text[0])
        printf("    no choice: %s\n", err.text);
    portolan_plan_destroy(plan);
    end_replay(&r);
    return over;
}

/* ------------------------------------------------------------------ what others do */

/* Takes the mean of REPEATS trials at the largest size; INFINITY if it fails. */
static double look(struct replay *r, const struct row *row, int repeats)
{
    double sum = 0;

    for (int i = 0; i < repeats; i++) {
        double s = row ? measured_s(r, row->s[r->t->n_sizes - 1]) : INFINITY;

        r->spent_s += isfinite(s) ? s : 0.01;
        sum += s;
    }
    return sum / repeats;
}

static double random_search(const struct table *t, int number, double noise, double drift,
                            double budget_s)
{
    struct replay r = {
        .t = t, .seed = {(unsigned short)number, 49, 71}, .noise = noise, .drift = drift};
    const struct row *best = NULL;
    double best_s = INFINITY;

    while (r.spent_s < budget_s) {
        const struct row *row = &t->rows[(size_t)(erand48(r.seed) * (double)t->n_rows)];
        double s = look(&r, row, 2);

        if (s < best_s && r.spent_s <= budget_s) {
            best_s = s;
            best = row;
        }
    }
    return best ? best->s[t->n_sizes - 1] / best_of(t) : INFINITY;
}

static double one_at_a_time(const struct table *t, int number, double noise, double drift,
                            double budget_s)
{
    struct replay r = {
        .t = t, .seed = {(unsigned short)number, 50, 72}, .noise = noise, .drift = drift};
    size_t values[MOST_OPTIONS] = {0};
    const struct row *best = find_row(t, values);
    double best_s = look(&r, best, 2);

    for (size_t k = 0; k < t->n_options && r.spent_s < budget_s; k++) {
        size_t chosen = values[k];

        for (size_t v = 0; v < t->n_values[k] && r.spent_s < budget_s; v++) {
            const struct row *row;
            double s;

            values[k] = v;
            row = find_row(t, values);
            if (v == chosen || !((s = look(&r, row, 2)) < best_s) || r.spent_s > budget_s)
                continue;
            best_s = s;
            best = row;
            chosen = v;
        }
        values[k] = chosen;
    }
    return best ? best->s[t->n_sizes - 1] / best_of(t) : INFINITY;
}

static void print_row(const char *name, const double *over, int n, int n_sure)
{
    double sum = 0;
    int within = 0;

    for (int i = 0; i < n; i++) {
        within += over[i] <= 1.05;
        sum += fmin(over[i], 10);
    }
    printf("  %-18s within 5 %% of the best in %3.0f %%, %.2f times the best on average", name,
           100.0 * within / n, sum / n);
    if (n_sure >= 0)
        printf("; cannot tell in %d of %d", n - n_sure, n);
    printf("\n");
}

static void replay_table(const char *file, double noise, double drift)
{
    double tuned[REPLAYS], random[REPLAYS], single[REPLAYS], budget_s;
    int n = bench_times(REPLAYS), n_sure = 0;
    struct table t;

    if (!read_table(file, &t)) {
        printf("%s: no table\n", file);
        free(t.rows);
        return;
    }
    budget_s = 0.2 * grid_s(&t);
    printf(
        "%s: %zu combinations, %zu sizes, budget %.3g s of %.3g s, noise %.0f %%, drift %.0f %%\n",
        strrchr(file, '/') + 1, t.n_rows, t.n_sizes, budget_s, 5 * budget_s, 100 * noise,
        100 * drift);
    for (int i = 0; i < n; i++) {
        bool sure;

        tuned[i] = tune(&t, i, noise, drift, budget_s, &sure);
        n_sure += sure;
        random[i] = random_search(&t, i, noise, drift, budget_s);
        single[i] = one_at_a_time(&t, i, noise, drift, budget_s);
    }
    print_row("portolan tune", tuned, n, n_sure);
    print_row("random search", random, n, -1);
    print_row("one at a time", single, n, -1);
    free(t.rows);
}

/* ------------------------------------------------------------------ costs */

/* Milliseconds to decide on the next trial of 20 options with two values after 10,000 trials. */
static void time_deciding(void)
{
    struct portolan_plan_options options = {
        .ranks = 1, .most_trials = 1, .are_combinations = true, .is_race = true};
    struct portolan_next_trial *next = NULL;
    struct portolan_error err = {0};
    struct portolan_assembly *a = NULL;
    struct portolan_diagnostics d = {0};
    struct portolan_text x = {0};
    struct table t = {.n_sizes = 4};
    struct replay r;
    bool is_race, grew;
    double began;

    portolan_text_add(&x, "<assembly name='p'><program name='p' command='p {n}'>"
                          "<parameter name='n' type='int' value='4'/></program>");
    for (int k = 0; k < 20; k++)
        portolan_text_add(&x, "<instance name='o%d' class='a'><alternative class='b'/></instance>",
                          k);
    portolan_text_add(
        &x, "<sweep><vary instance='p' parameter='n' values='1 2 3 4'/></sweep></assembly>");
    portolan_assembly_read_text(x.bytes, x.length, "table", &d, &a, &err);
    portolan_text_clear(&x);
    t.n_options = 0;
    begin_replay(&r, &t, 1, 0.05, 0);
    portolan_assembly_destroy(r.a);
    r.a = a;
    a->purpose = "explore";
    tune_offer(a, NULL, &is_race, &grew, &err);
    for (size_t k = 1; k < 8; k++)
        tune_offer(a, a->instances[0].alternatives[k].class_name, &is_race, &grew, &err);
    for (int i = 0; i < 10000; i++) {
        char n[8];

        snprintf(n, sizeof n, "%d", 1 + i % 4);
        portolan_assembly_set(a, "p", "n", n, &err);
        a->instances[0].selected = (size_t)(i / 4) % a->instances[0].n_alternatives;
        add_trial(&r, measured_s(&r, 1 + i % 4), "finished");
    }
    a->instances[0].selected = 0;
    began = portolan_now_s();
    if (portolan_plan_next_trial(a, &r.set, &options, 1e9, &next, &err))
        printf("%s\n", err.text);
    printf("deciding after %zu trials of %zu combinations of 20 options: %.1f ms\n", r.set.n_trials,
           a->instances[0].n_alternatives, 1e3 * (portolan_now_s() - began));
    portolan_next_trial_destroy(next);
    end_replay(&r);
}

static double bare_s(void)
{
    char *words[] = {"true", NULL};
    double began = portolan_now_s();
    pid_t pid;

    if (!posix_spawnp(&pid, "true", NULL, NULL, words, environ))
        waitpid(pid, NULL, 0);
    return portolan_now_s() - began;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* What a stored trial costs beyond starting the program and waiting for it. */
static void time_trials(void)
{
    enum { TRIALS = 200 };
    static const char text[] = "<assembly name='p'><program name='p' command='true' "
                               "store='bench_options.db'/></assembly>";
    double bare[TRIALS], whole[TRIALS];
    int n = bench_times(TRIALS) + 1, number;
    struct portolan_assembly *a = NULL;
    struct portolan_diagnostics d = {0};
    struct portolan_error err = {0};
    struct tune_session s;

    n = n > TRIALS ? TRIALS : n;
    remove("bench_options.db");
    portolan_assembly_read_text(text, strlen(text), "p", &d, &a, &err);
    a->purpose = "explore";
    if (tune_open(&s, a, NULL, "mpiexec", &err))
        printf("%s\n", err.text);
    for (int i = 0; i < n; i++) {
        double began = portolan_now_s();

        if (tune_run_trial(&s, 10, &number, &err))
            printf("%s\n", err.text);
        whole[i] = portolan_now_s() - began;
        bare[i] = bare_s();
    }
    qsort(bare, (size_t)n, sizeof *bare, compare);
    qsort(whole, (size_t)n, sizeof *whole, compare);
    printf("a trial of 'true': %.2f ms, of which starting and waiting takes %.2f ms\n",
           1e3 * whole[n / 2], 1e3 * bare[n / 2]);
    tune_close(&s);
    portolan_assembly_destroy(a);
    remove("bench_options.db");
}

int main(void)
{
    static const char *const tables[] = {OPTIONS "/xz.txt", OPTIONS "/glpsol.txt"};

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        replay_table(tables[i], 0.02, 0);
        replay_table(tables[i], 0.05, 0.1);
    }
    time_deciding();
    time_trials();
    return 0;
}
