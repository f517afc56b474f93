/* SPDX-License-Identifier: BSD-3-Clause */
/* What was recorded and how, and what it looks like, as text. */
#include "internal.h"

#include <math.h>
#include <string.h>

static void describe(const struct portolan_subject *s, const struct portolan_experiment_options *o,
                     int digits, int n_ranks, double run_ns, struct portolan_text *t)
{
    const char *name = o->program ? o->program[0]
                       : o->file  ? o->file
                                  : s->store,
               *slash = strrchr(name, '/');

    if (s->is_cut)
        portolan_text_add(t, "the program %s: what follows is of the time until then\n",
                          s->how_it_ended);
    portolan_text_add(t, "%s: ", slash && slash[1] ? slash + 1 : name);
    if (s->paradigm)
        portolan_text_add(t, "paradigm %s, ", s->paradigm);
    portolan_text_add(t, "%d rank%s", n_ranks, n_ranks == 1 ? "" : "s");
    if (isfinite(run_ns))
        portolan_text_add(t, ", %.4g s%s", 1e-9 * run_ns, s->is_cut ? ", not to its end" : "");
    if (s->trial)
        portolan_text_add(t, ", trial %lld", (long long)s->trial);
    portolan_text_add(t, "\n");
    if (s->paradigm && (o->program || (s->assembly && o->once)))
        portolan_text_add(t, "recorded once: the experiments below are views of one trace\n");
    if (s->recording >= 0.001)
        portolan_text_add(t,
                          "recording took %.*f %% of the time recorded: all times are without it\n",
                          digits, 100 * s->recording);
    if (s->shares_cores)
        portolan_text_add(
            t, "ranks shared cores: these are processor times, as if each rank had a core\n");
}

enum portolan_status portolan_subject_text(const struct portolan_subject *s,
                                           const struct portolan_experiment_options *o, int digits,
                                           int n_ranks, double run_ns, char **text,
                                           struct portolan_error *err)
{
    struct portolan_text t = {0};

    describe(s, o, digits, n_ranks, run_ns, &t);
    return portolan_text_take(&t, text, err);
}

enum portolan_status portolan_subject_suggest(const struct portolan_subject *s, int digits,
                                              char **text, struct portolan_error *err)
{
    struct portolan_suggestion *found = NULL;
    struct portolan_text t = {0};
    size_t n = 0;
    enum portolan_status status =
        portolan_suggest_paradigms(s->knowledge, s->waits, &found, &n, err);

    if (!status && !n)
        portolan_text_add(&t, "it looks like none of the known paradigms\n");
    for (size_t i = 0; i < n; i++)
        portolan_text_add(
            &t,
            "it %s like %s: %zu instances cover %.*f %% of the time and %.*f %% of the calls "
            "with messages\n%s\n",
            i ? "also looks" : "looks", found[i].paradigm, found[i].n_instances, digits,
            100 * found[i].time, digits, 100 * found[i].calls, found[i].text);
    portolan_suggestions_free(found, n);
    return status ? status : portolan_text_take(&t, text, err);
}
