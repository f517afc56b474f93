/* SPDX-License-Identifier: BSD-3-Clause */
/* What stored trials say of each combination of a program's options, and why trials failed. */
#include <portolan/options.h>
#include <portolan/plan.h>
#include <portolan/trials.h>
#include <portolan/tune.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a combination with the present parameters. */
struct known {
    const char *name;
    size_t n; /* trials that count */
    double mean_s, accuracy, stopped_s;
    bool is_inaccurate;
    const char *elsewhere;               /* how a trial with other parameters ended; NULL: none */
    const struct portolan_trial *failed; /* the last that failed; NULL: none did */
};

/* Failures first count, then bounds, then times: what a combination is excluded for. */
static int rank_of(const struct known *k)
{
    return k->failed ? 3 : k->is_inaccurate ? 2 : k->n ? 0 : k->stopped_s > 0 ? 1 : 4;
}

static int order_of(const void *left, const void *right)
{
    const struct known *a = left, *b = right;
    int order = rank_of(a) - rank_of(b);

    if (!order)
        order = (a->mean_s > b->mean_s) - (a->mean_s < b->mean_s);
    return order ? order : strcmp(a->name, b->name);
}

static struct known *find(struct known *all, size_t n, const char *name)
{
    for (size_t k = 0; name && k < n; k++)
        if (!strcmp(all[k].name, name))
            return &all[k];
    return NULL;
}

static const struct portolan_sample *sample_of(const struct portolan_sample_set *set, int64_t trial)
{
    for (size_t i = 0; i < set->n_samples; i++)
        if (set->samples[i].trial == trial)
            return &set->samples[i];
    return NULL;
}

static void take_trial(const struct portolan_assembly *a, const struct portolan_sample_set *set,
                       const struct portolan_trial *t, struct known *k)
{
    const struct portolan_sample *x = sample_of(set, t->id);
    double wanted = portolan_plan_wanted_accuracy(a, a->program->name);

    if (!tune_has_parameters(a, t)) {
        k->elsewhere = t->outcome;
    } else if (!strcmp(t->outcome, "stopped")) {
        k->stopped_s = fmax(k->stopped_s, 1e-9 * t->elapsed_ns);
    } else if (!strcmp(t->outcome, "failed")) {
        k->failed = t;
    } else if (x) {
        k->accuracy = fmax(k->accuracy, x->quality);
        k->is_inaccurate = k->is_inaccurate || (wanted > 0 && x->quality > wanted);
        k->mean_s += (1e-9 * x->inclusive_ns - k->mean_s) / (double)++k->n;
    }
}

static void add_failure(const struct known *k, struct portolan_text *out)
{
    const char *why = portolan_trial_peek_fact(k->failed, "failure");
    const char *last = portolan_trial_peek_fact(k->failed, "last lines");
    const char *line = last && strrchr(last, '\n') ? strrchr(last, '\n') + 1 : last;

    portolan_text_add(out, "failed in trial %lld: %s", (long long)k->failed->id,
                      why ? why : "the reason is not known");
    if (line && *line && !(why && strstr(why, line)))
        portolan_text_add(out, "; its last line is '%s'", line);
}

static void add_known(const struct portolan_assembly *a, const struct known *k, double best_s,
                      struct portolan_text *out)
{
    portolan_text_add(out, "  %-32s ", k->name);
    if (k->failed)
        add_failure(k, out);
    else if (k->is_inaccurate)
        portolan_text_add(out, "not accurate: %.3g, worse than %.3g", k->accuracy,
                          portolan_plan_wanted_accuracy(a, a->program->name));
    else if (k->n)
        portolan_text_add(out, "%.4g s in %zu trial%s", k->mean_s, k->n, k->n == 1 ? "" : "s");
    else if (k->stopped_s > 0)
        portolan_text_add(out, "stopped: it takes at least %.3g s", k->stopped_s);
    else
        portolan_text_add(out, "never tried%s%s", k->elsewhere ? " here; elsewhere it " : "",
                          !k->elsewhere                       ? ""
                          : !strcmp(k->elsewhere, "finished") ? "lost"
                          : !strcmp(k->elsewhere, "stopped")  ? "was stopped"
                                                              : "failed");
    if (!rank_of(k) && k->mean_s > best_s)
        portolan_text_add(out, ", %.3g times the best", k->mean_s / best_s);
    portolan_text_add(out, "\n");
}

enum portolan_status tune_explain(struct portolan_assembly *a,
                                  const struct portolan_sample_set *set, struct portolan_text *out,
                                  struct portolan_error *err)
{
    bool is_race = false, grew;
    struct portolan_assembly_instance *i = a->instances;
    struct known *all;
    enum portolan_status status = tune_offer_measured(a, set, err);

    if (!status)
        status = tune_offer(a, NULL, &is_race, &grew, err);
    if (status || !(all = portolan_calloc(i->n_alternatives, sizeof *all)))
        return status ? status : portolan_no_memory(err);
    for (size_t k = 0; k < i->n_alternatives; k++)
        all[k].name = i->alternatives[k].class_name;
    for (size_t t = 0; t < set->n_trials; t++) {
        const struct portolan_trial *x = &set->trials[t];
        struct known *k =
            find(all, i->n_alternatives,
                 portolan_peek_value(x->implementations, x->n_implementations, i->name));

        if (k)
            take_trial(a, set, x, k);
    }
    qsort(all, i->n_alternatives, sizeof *all, order_of);
    portolan_text_add(out, "Options of '%s':\n", a->program->name);
    for (size_t k = 0; k < i->n_alternatives; k++)
        add_known(a, &all[k], rank_of(all) ? INFINITY : all->mean_s, out);
    if (is_race)
        portolan_text_add(out,
                          "  all others: never tried; they are more than %d, and were not next "
                          "to the best\n",
                          (int)TUNE_MOST_OF_ALL);
    free(all);
    return out->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

/* Returns whether two failures have the same reason. */
static bool is_same(const struct portolan_trial *t, const char *why)
{
    const char *other = portolan_trial_peek_fact(t, "failure");

    return other && !strcmp(other, why);
}

/* Adds the last lines of output, each after a bar. */
static void add_lines(const char *lines, struct portolan_text *out)
{
    while (lines && *lines) {
        int length = (int)strcspn(lines, "\n");

        portolan_text_add(out, "    | %.*s\n", length, lines);
        lines += length + (lines[length] == '\n');
    }
}

void tune_list_failures(const struct portolan_assembly *a, const struct portolan_sample_set *set,
                        struct portolan_text *out)
{
    for (size_t i = 0; i < set->n_trials; i++) {
        const struct portolan_trial *t = &set->trials[i];
        const char *why = portolan_trial_peek_fact(t, "failure");
        size_t n = 0, first = i;

        for (size_t k = set->n_trials; why && k-- > 0;)
            if (is_same(&set->trials[k], why)) {
                first = k;
                n++;
            }
        if (!why || first != i)
            continue;
        portolan_text_add(
            out, "  %zu of %zu: %s (%s)\n", n, set->n_trials, why,
            portolan_peek_value(t->implementations, t->n_implementations, a->program->name));
        add_lines(portolan_trial_peek_fact(t, "last lines"), out);
    }
}
