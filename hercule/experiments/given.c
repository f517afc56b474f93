/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user names for a diagnosis: a trial or a trace, which exist already, and thresholds. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

/* The trial says on how many ranks the experiments that follow are made. */
static enum portolan_status read_trial(struct portolan_subject *s,
                                       struct portolan_experiment_options *o,
                                       struct portolan_error *err)
{
    enum portolan_status status;

    if (o->file && !s->assembly)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "trial %lld or '%s', not both: only assemblies go with a trial",
                                  (long long)o->trial, o->file);
    status = portolan_subject_read_trial(s, o->trial, err);
    if (!status && o->file && !s->trace && o->ranks && o->ranks != s->n_ranks)
        return portolan_error_set(err, PORTOLAN_EINVAL, "trial %lld ran on %d ranks, not on %d",
                                  (long long)o->trial, s->n_ranks, o->ranks);
    o->ranks = s->n_ranks;
    return status;
}

enum portolan_status portolan_subject_read_given(struct portolan_subject *s,
                                                 struct portolan_experiment_options *o,
                                                 int64_t against, struct portolan_error *err)
{
    bool has_trials = o->program || s->assembly || o->trial;
    enum portolan_status status = PORTOLAN_OK;

    if (!has_trials && (against || o->keep || o->repeat > 1))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "%s is for runs and their trials; '%s' is a trace",
                                  against   ? "--against"
                                  : o->keep ? "--keep"
                                            : "--repeat",
                                  o->file);
    if (!status && o->keep) /* before anything runs */
        status = portolan_record_check_folder(o->keep, err);
    if (!status && against)
        status = portolan_findings_check(s->store, against, err);
    if (!status && o->trial && (o->file || !against)) /* else it is only compared */
        status = read_trial(s, o, err);
    if (!status && !has_trials)
        status = portolan_subject_read_trace(s, o->file, err);
    if (!o->ranks)
        o->ranks = 2;
    return status;
}

enum portolan_status portolan_subject_set_thresholds(struct portolan_subject *s,
                                                     const char *const *words, size_t n,
                                                     struct portolan_diagnosis_options *d,
                                                     struct portolan_error *err)
{
    struct portolan_threshold *settings = portolan_arena_alloc(&s->arena, n, sizeof *settings);
    struct portolan_diagnosis *unmeasured; /* knows thresholds before anything runs */
    enum portolan_status status;

    for (size_t i = 0; settings && i < n; i++) {
        const char *equals = strchr(words[i], '=');

        settings[i].name = portolan_arena_strndup(&s->arena, words[i], (size_t)(equals - words[i]));
        if (!portolan_read_double(equals + 1, &settings[i].value))
            return portolan_error_set(err, PORTOLAN_EINVAL, "--threshold %s: '%s' is no number",
                                      words[i], equals + 1);
    }
    d->settings = settings;
    d->n_settings = n;
    if (s->arena.failed)
        return portolan_no_memory(err);
    status = portolan_diagnosis_of_quantities(s->knowledge, s->paradigm, NULL, 0, settings, n,
                                              &unmeasured, err);
    portolan_diagnosis_destroy(unmeasured);
    return status;
}
