/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay.h"

#include <portolan/machine.h>
#include <portolan/options.h>
#include <portolan/recorder.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
bool table_read(const char *file, struct table *t)
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
            else if (*word && is_after && is_head && n < MOST_SIZES)
                t->sizes[n++] = atoi(word);
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

double table_made_s(const size_t *value, double n)
{
    double s = 0.2 * n * (1 + 0.15 * fabs((double)value[0] - 3)) * (1 + 0.1 * (double)value[5]);

    s *= value[1] == 2 ? value[2] == 1 ? 0.6 : 1.05 : 1 + 0.2 * (double)value[1];
    s *= value[3] == 1 ? 1.6 * pow(n, -0.4) : 1 + 0.1 * (double)value[3];
    s *= value[4] ? 0.9 : 1;
    return value[2] == 2 && value[4] ? INFINITY : s;
}

void table_make(struct table *t)
{
    static const size_t n_values[] = {5, 4, 3, 3, 2, 2};

    *t = (struct table){.n_options = 6,
                        .n_sizes = 3,
                        .sizes = {1, 4, 16},
                        .rows = calloc(720, sizeof *t->rows),
                        .is_made = true};
    for (size_t k = 0; k < t->n_options; k++) {
        snprintf(t->options[k], sizeof t->options[k], "%c", (int)('a' + k));
        for (size_t v = 0; v < n_values[k]; v++)
            value_number(t, k, (char[]){(char)((k ? 'p' : '1') + v), 0});
    }
    for (size_t i = 0; t->rows && i < 720; i++) {
        struct row *r = &t->rows[t->n_rows++];
        size_t rest = i;

        for (size_t k = 0; k < t->n_options; k++) {
            r->value[k] = rest % n_values[k];
            rest /= n_values[k];
        }
        for (size_t size = 0; size < t->n_sizes; size++)
            r->s[size] = table_made_s(r->value, t->sizes[size]);
    }
}

double table_best_s(const struct table *t)
{
    double best = INFINITY;

    for (size_t i = 0; i < t->n_rows; i++)
        best = fmin(best, t->rows[i].s[t->n_sizes - 1]);
    return best;
}

/* What all trials of the grid take; one that fails takes as long as the slowest that works. */
double table_grid_s(const struct table *t)
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

const struct row *table_find(const struct table *t, const size_t *values)
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
    return table_find(t, values);
}

static struct portolan_assembly *assembly_of(const struct table *t)
{
    struct portolan_assembly *a = NULL;
    struct portolan_text x = {0};
    struct portolan_diagnostics d = {0};

    portolan_text_add(&x, "<assembly name='p'><program name='p' command='p {n}");
    for (size_t k = 0; k < t->n_options; k++)
        portolan_text_add(&x, " {%s}", t->options[k]);
    portolan_text_add(&x, "'><parameter name='n' type='int' value='%d'/></program>",
                      t->sizes[t->n_sizes - 1]);
    for (size_t k = 0; k < t->n_options; k++) {
        portolan_text_add(&x, "<instance name='%s' class='%s'>", t->options[k], t->values[k][0]);
        for (size_t v = 1; v < t->n_values[k]; v++)
            portolan_text_add(&x, "<alternative class='%s'/>", t->values[k][v]);
        portolan_text_add(&x, "</instance>");
    }
    portolan_text_add(&x, "<sweep><vary instance='p' parameter='n' values='");
    for (size_t k = 0; k < t->n_sizes; k++)
        portolan_text_add(&x, "%s%d", k ? " " : "", t->sizes[k]);
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
double replay_measure_s(struct replay *r, double s)
{
    double outlier = erand48(r->seed) < r->d.outliers ? 2 : 1;

    return s * outlier * exp(r->d.noise * normal(r)) * (1 + r->d.drift * sin(r->spent_s / 20));
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
void replay_add_trial(struct replay *r, double s, const char *outcome)
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
    int n = atoi(portolan_assembly_peek_parameter(r->a, "p", "n")), size = 0;
    double s, limit_s = trial->limit_s;
    bool is_late;

    while (r->t->sizes[size] != n)
        size++;
    s = row ? replay_measure_s(r, row->s[size]) : INFINITY;
    is_late = isfinite(s) && limit_s > 0 && s > limit_s;
    if (is_late)
        s = limit_s;
    replay_add_trial(r, isfinite(s) ? s : 0.01,
                     is_late       ? "stopped"
                     : isfinite(s) ? "finished"
                                   : "failed");
    r->spent_s += isfinite(s) ? s : 0.01;
    r->o->began_s -= isfinite(s) ? s : 0.01;
    return is_late || !isfinite(s) ? portolan_error_set(err, PORTOLAN_ECOMPONENT, "no result")
                                   : PORTOLAN_OK;
}

static enum portolan_status apply(void *arg, const char *orders, struct portolan_error *err)
{
    return workbench_obey(&((struct replay *)arg)->w, orders, err);
}

static enum portolan_status offer(void *arg, const char *changes_of, bool *is_race, bool *grew,
                                  struct portolan_error *err)
{
    return tune_offer(((struct replay *)arg)->a, changes_of, is_race, grew, err);
}

static enum portolan_status draw(void *arg, bool *grew, struct portolan_error *err)
{
    return tune_draw(((struct replay *)arg)->a, grew, err);
}

static void say(void *arg, const char *text)
{
    (void)arg;
    if (getenv("PORTOLAN_BENCH_TALK"))
        printf("    %s\n", text);
}

void replay_begin(struct replay *r, const struct table *t, const struct disturbance *d)
{
    *r = (struct replay){.t = t,
                         .a = assembly_of(t),
                         .capacity = 20000,
                         .seed = {(unsigned short)d->seed, 48, 70},
                         .d = *d};
    r->w.assembly = r->a;
    r->set.trials = calloc(r->capacity, sizeof *r->set.trials);
    r->set.samples = calloc(r->capacity, sizeof *r->set.samples);
    r->a->purpose = "explore";
}

void replay_end(struct replay *r)
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

/* Chooses at size N; the combination, its prediction, and whether it is sure. NULL: none. */
static const struct row *choose_at(struct replay *r, int n, struct portolan_plan_prediction *p,
                                   bool *is_sure)
{
    const struct portolan_plan_answer *answer = NULL;
    struct portolan_plan *plan = NULL;
    struct portolan_error err = {0};
    const struct row *row = NULL;
    char size[8];

    snprintf(size, sizeof size, "%d", n);
    portolan_assembly_set(r->a, "p", "n", size, &err);
    if (!portolan_plan_create(r->a, &r->set, &r->o->plan, &plan, &err) &&
        !portolan_plan_choose(plan, &answer, &err) && answer->n_variables)
        row =
            row_of(r->t, answer->variables[0].options[answer->variables[0].chosen].implementation);
    if (row) {
        *p = answer->prediction;
        *is_sure = answer->verdict != PORTOLAN_ANSWER_CANNOT_TELL;
    }
    say(NULL,
        row ? answer->variables[0].options[answer->variables[0].chosen].implementation : err.text);
    portolan_plan_destroy(plan);
    return row;
}

/* Counts the predictions at sizes between the measured ones, and little beyond, that hold. */
static void count_held(struct replay *r, struct replay_result *out)
{
    static const int sizes[] = {2, 3, 6, 8, 10, 12, 20};
    struct portolan_plan_prediction p;
    bool is_sure;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const struct row *row = choose_at(r, sizes[k], &p, &is_sure);
        double true_ns = row ? 1e9 * table_made_s(row->value, sizes[k]) : INFINITY;

        out->n_unseen++;
        out->n_held += row && p.low_ns <= true_ns && true_ns <= p.high_ns;
    }
}

struct replay_result replay_tune(const struct table *t, const struct disturbance *d,
                                 double budget_s)
{
    struct replay r;
    struct portolan_measure_options o = {.plan = {.ranks = 1, .most_trials = 10},
                                         .cohort = portolan_cohort_alone(),
                                         .began_s = portolan_now_s(),
                                         .budget_s = budget_s,
                                         .factor = 3};
    const struct portolan_measure_runner runner = {.arg = &r,
                                                   .read = read_trials,
                                                   .has_parameters = has_parameters,
                                                   .apply = apply,
                                                   .run = run,
                                                   .say = say,
                                                   .offer = offer,
                                                   .draw = draw};
    struct replay_result out = {.over = INFINITY};
    struct portolan_plan_prediction p;
    struct portolan_error err = {0};
    const struct row *row;
    int n;

    replay_begin(&r, t, d);
    r.o = &o;
    portolan_measure(r.a, &o, &runner, &n, &err);
    tune_offer_known(r.a, &r.set, &err);
    if ((row = choose_at(&r, t->sizes[t->n_sizes - 1], &p, &out.is_sure)))
        out.over = row->s[t->n_sizes - 1] / table_best_s(t);
    if (t->is_made && row)
        count_held(&r, &out);
    replay_end(&r);
    return out;
}
